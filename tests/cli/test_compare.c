// `touchstone compare` end to end: findings against closed forms, the report, pictures, interruptions.
#include "tests/cli/cli_fixture.h"

#include <math.h>

#include "contact/solver.h"

TestSuite(compare, .init = make_folder, .fini = remove_folder, .timeout = 240);

// The closed forms of the cube scenes (friction pyramid turned by 22.5 degrees; first flight of the convex relaxation).
Test(compare, compare_finds_the_artefacts_of_the_laws) {
    outcome result =
        run("compare lcp-anisotropy --solvers ncp-pgs,ccp-pgs,lcp-pgs --no-pictures --out a/b/report --json");
    cr_expect_eq(result.code, 0, "%s", ts_text_get(&result.err));
    cr_expect(json_holds(
        &result.out,
        "assert d['reference'] == 'ncp-pgs' and d['experiment'] == 'lcp-anisotropy'\n"
        "n, c, l = d['solvers']\n"
        "assert n['finding']['is_reference'] and abs(n['final_position'][1] - 0.126921) < 1e-4\n"
        "assert abs(l['finding']['sideways'] - 0.02438) < 2e-4, l['finding']\n"
        "assert abs(l['finding']['along'] + 0.019798) < 2e-4\n"
        "assert abs(c['finding']['rise_max'] - 6.185e-3) < 1e-5\n"
        "assert abs(c['finding']['opening_over_mu_slip'] - 1) < 1e-3\n"
        "assert abs(c['finding']['sideways_max']) < 1e-4\n"
        "assert n['residual_natural_max'] < 1e-7 < 0.1 < c['residual_natural_max'], c['residual_natural_max']\n"
        "assert c['own_unmet_max'] < 1e-7 and c['figures_max']['off_cone'] < 1e-3 < 1 < "
        "c['figures_max']['complementarity']\n"
        "assert all(s['steps'] == 1098 and s['finished'] for s in d['solvers'])"));
    cr_expect(exists("a/b/report/report.html") && exists("a/b/report/data.csv") && exists("a/b/report/summary.json"));
    ts_text summary = read_text("a/b/report/summary.json");
    cr_expect_str_eq(ts_text_get(&summary), ts_text_get(&result.out));
    ts_text_free(&summary);
    outcome_free(&result);

    ts_text csv = read_text("a/b/report/data.csv");
    cr_expect_eq(strncmp(ts_text_get(&csv), "solver,law,step,time,x,y,z,", 27), 0);
    cr_expect(has(&csv, "\nlcp-pgs,LCP,1098,"));
    ts_text_free(&csv);
}

// The default solver is the reference where it converges, whatever the order; where its own settings stop it, another one is.
Test(compare, the_reference_is_the_default_solver_where_that_converges) {
    outcome result = run("compare sliding-cube --time 0.05 --solvers ncp-pgs,ccp-pgs,ncp --json");
    cr_expect(json_holds(&result.out, "assert d['reference'] == 'ncp', d['reference']\n"));
    outcome_free(&result);
    result = run("compare mass-ratio --solvers ccp-pgs,ncp-newton,ncp --set solver.iteration_limit=2 --json");
    cr_expect(json_holds(&result.out,
                         "s = {s['name']: s for s in d['solvers']}\n"
                         "assert s['ncp']['steps_not_converged'] > 0 == s['ncp-newton']['steps_not_converged'], s\n"
                         "assert d['reference'] == 'ncp-newton', d['reference']\n"
                         "assert s['ncp']['iteration_limit_set'] == 2\n"
                         "assert 'stopped by the given limit of 2 iterations' in s['ncp']['finding']['words'], s\n"));
    outcome_free(&result);
}

// Takes the bytes of embedded pictures out, in which any word may occur.
static void drop_pictures(ts_text* html) {
    for (char* c = html->data; c && (c = strstr(c, "base64,")) != NULL;) {
        c += strlen("base64,");
        size_t length = strcspn(c, "\"");
        memmove(c, c + length, strlen(c + length) + 1);
        html->length -= length;
    }
}

// Well-formed markup, and nothing fetched from elsewhere.
Test(compare, the_report_is_self_contained) {
    outcome result = run("compare sliding-cube --out report");
    cr_expect_eq(result.code, 0);
    cr_expect(has(&result.out, "Lifts off"), "%s", ts_text_get(&result.out));
    outcome_free(&result);
    ts_text html = read_text("report/report.html");
    drop_pictures(&html);
    for (int i = 0; i < ts_solver_count(); ++i) cr_expect(has(&html, ts_solver_at(i)->name));
    static const char* const foreign[] = {"http://", "https://", "src=\"/", "<link", "@import", "url(", "nan", "inf "};
    for (size_t i = 0; i < sizeof foreign / sizeof foreign[0]; ++i)
        cr_expect(!has(&html, foreign[i]), "the report contains %s", foreign[i]);
    cr_expect(has(&html, "touchstone compare sliding-cube --out report"));
    ts_text_free(&html);
    if (system("python3 -c pass >/dev/null 2>&1") != 0) cr_skip("no python3 to parse HTML with");
    write_text(
        ".tags.py",
        "import sys\nfrom html.parser import HTMLParser\n"
        "void = {'meta', 'input', 'br', 'img', 'link', 'hr'}\n"
        "class P(HTMLParser):\n"
        "    def __init__(self):\n        super().__init__(); self.open = []; self.count = {}\n"
        "    def handle_starttag(self, tag, attrs):\n"
        "        self.count[tag] = self.count.get(tag, 0) + 1\n"
        "        if tag not in void: self.open.append(tag)\n"
        "    def handle_startendtag(self, tag, attrs): self.count[tag] = self.count.get(tag, 0) + 1\n"
        "    def handle_endtag(self, tag):\n"
        "        assert self.open and self.open[-1] == tag, (tag, self.open[-3:], self.getpos()); self.open.pop()\n"
        "p = P(); p.feed(open(sys.argv[1], encoding='utf-8').read()); p.close()\n"
        "assert not p.open, p.open\nassert p.count['figure'] >= 8 and p.count['svg'] > 10, p.count\n");
    char command[256];
    snprintf(command, sizeof command, "cd %s && python3 .tags.py report/report.html 1>&2", folder);
    cr_expect_eq(system(command), 0);
}

// Solvers of one law that agree are one group: one card, one curve, one entry of the legend. Another law is another.
Test(compare, solvers_that_agree_are_one_group) {
    outcome result = run("compare sliding-cube-rotated --solvers ncp,ccp-pgs,ncp-newton,ccp-admm,raisim --time 0.1 "
                         "--no-pictures --out report --json");
    cr_expect_eq(result.code, 0, "%s", ts_text_get(&result.err));
    cr_expect(json_holds(&result.out, "assert [s['finding']['group'] for s in d['solvers']] == [0, 1, 0, 1, 2]\n"));
    ts_text html = read_text("report/report.html");
    int cards = 0;
    for (const char* at = ts_text_get(&html); (at = strstr(at, "<article class=\"card")) != NULL; ++at) ++cards;
    cr_expect_eq(cards, 3);
    cr_expect(has(&html, "ncp, ncp-newton") && has(&html, "ccp-pgs, ccp-admm"));
    cr_expect(has(&html, "<dt>baumgarte</dt>") && has(&html, "<dt>tolerance</dt>"), "all settings are on the page");
    ts_text_free(&html);
    outcome_free(&result);
}

// Integrators are compared as solvers are: every solver under each, with the same names in table, data and JSON.
Test(compare, integrators_are_compared_as_well) {
    outcome result = run("compare double-pendulum --solvers ncp,ccp-pgs --integrators euler,rk4 --time 1 --no-pictures "
                         "--out report --json");
    cr_expect_eq(result.code, 0, "%s", ts_text_get(&result.err));
    cr_expect(
        json_holds(&result.out,
                   "assert [(s['name'], s['integrator']) for s in d['solvers']] == [('ncp', 'euler'), ('ncp', 'rk4'), "
                   "('ccp-pgs', 'euler'), ('ccp-pgs', 'rk4')], d\n"
                   "change = [abs(s['energy_end'] - s['energy_start']) for s in d['solvers']]\n"
                   "assert change[1] < 1e-6 * change[0] and change[3] < 1e-6 * change[2], change\n"));
    ts_text data = read_text("report/data.csv");
    cr_expect(has(&data, "\nncp+rk4,NCP,") && has(&data, "\nccp-pgs+euler,CCP,"));
    ts_text_free(&data);
    outcome_free(&result);
    result = run("compare double-pendulum --integrators euler,nonsense");
    cr_expect_eq(result.code, 2);
    cr_expect(has(&result.err, "nonsense") && has(&result.err, "rk4"), "%s", ts_text_get(&result.err));
    outcome_free(&result);
}

Test(compare, compare_without_out_writes_nothing) {
    outcome result = run("compare sliding-cube --solvers ccp-pgs,ncp-pgs --time 0.05");
    cr_expect_eq(result.code, 0);
    cr_expect(has(&result.out, "--out DIR"));
    cr_expect_eq(file_count(), 0);
    outcome_free(&result);
}

Test(compare, compare_passes_foreign_settings_over) {
    // Every iterative solver has a tolerance; the comparison must take it for all of them.
    outcome result =
        run("compare sliding-cube --solvers ncp-pgs,ccp-pgs --time 0.01 --dt 0.005 --set solver.tolerance=1e-3 --json");
    cr_expect_eq(result.code, 0, "%s", ts_text_get(&result.err));
    cr_expect(json_holds(&result.out, "assert all(s['steps'] == 2 for s in d['solvers'])\n"
                                      "assert '--set solver.tolerance=1e-3' in d['command']"));
    outcome_free(&result);
}

Test(compare, ctrl_c_ends_a_comparison_with_what_there_is) {
    const char* const arguments[] = {TS_TEST_CLI, "compare", "sliding-cube", "--time", "1e7",
                                     "--out",     "report",  "--json",       NULL};
    outcome result = interrupt(arguments, SIGINT);
    cr_expect_eq(result.code, 130);
    cr_expect(json_holds(&result.out,
                         "assert d['interrupted'] is True and len(d['solvers']) == 1 < d['solvers_planned']\n"
                         "assert d['solvers'][0]['steps'] > 100"));
    cr_expect(exists("report/report.html"));
    ts_text html = read_text("report/report.html");
    cr_expect(has(&html, "Stopped before its end"));
    cr_expect(html.length < 4u << 20, "a long run makes a page of %zu bytes", html.length);
    ts_text_free(&html);
    outcome_free(&result);
}

// --- pictures --------------------------------------------------------------------------------------------------------

// How far a block slides when every step takes mu g h off its speed (the scene fast-cube).
static double slider_distance(double speed) {
    double distance = 0.0;
    for (int k = 1; speed - k * 0.6 * 9.81 * 1e-3 > 0.0; ++k) distance += 1e-3 * (speed - k * 0.6 * 9.81 * 1e-3);
    return distance;
}

// How high the convex relaxation throws a cube: the first step turns a speed v into a slip (v - mu g h) / (1 + mu^2) and
// a rise of mu times that, the rest is free flight.
static double flight_height(double speed) {
    double rise = 0.6 * (speed - 0.6 * 9.81 * 1e-3) / (1.0 + 0.6 * 0.6);
    double height = 0.0;
    for (; rise > 0.0; rise -= 9.81e-3) height += 1e-3 * rise;
    return height;
}

Test(compare, three_models_do_what_the_picture_in_the_readme_shows) {
    outcome result = run("compare three-models --json");
    cr_expect_eq(result.code, 0, "%s", ts_text_get(&result.err));
    double angle = 22.5 * acos(-1.0) / 180.0;
    double d1 = slider_distance(4.0 * sin(angle));
    double d2 = slider_distance(4.0 * cos(angle));
    char script[1024];
    snprintf(script, sizeof script,
             "c, n, l = d['solvers']\n"
             "assert d['reference'] == n['name'] == 'ncp-pgs' and n['law'] == 'NCP'\n"
             "assert c['law'] == 'CCP' and l['law'] == 'LCP'\n"
             "near = lambda a, b: abs(a - b) < 2e-3 * abs(b)\n"
             "assert near(n['final_position'][1], %.9g) and abs(n['final_position'][0]) < 1e-6\n"
             "assert near(l['final_position'][0], %.9g) and near(l['final_position'][1], %.9g)\n"
             "assert near(c['finding']['rise_max'], %.9g), c['finding']\n",
             slider_distance(4.0), d1 * cos(angle) - d2 * sin(angle), d1 * sin(angle) + d2 * cos(angle),
             flight_height(4.0));
    cr_expect(json_holds(&result.out, script));
    outcome_free(&result);
}

static void expect_png(const char* name, int width, int height) {
    ts_text png = read_text(name);
    cr_assert(png.length > 24);
    cr_expect_eq(memcmp(png.data, "\x89PNG", 4), 0);
    const unsigned char* size = (const unsigned char*)png.data + 16;
    cr_expect_eq(size[2] << 8 | size[3], width);
    cr_expect_eq(size[6] << 8 | size[7], height);
    ts_text_free(&png);
}

Test(compare, one_picture_of_all_solvers_or_the_reason_why_not) {
    outcome result = run("compare three-models --time 0.1 --png row.png --size 300x160 --out report");
    if (result.code == 0) {
        expect_png("row.png", 300, 160);
        cr_expect(has(&result.out, "picture: row.png (t = "), "%s", ts_text_get(&result.out));
        ts_text html = read_text("report/report.html");
        cr_expect(has(&html, "<img class=\"row\"") && has(&html, "src=\"data:image/png;base64,iVBORw0KGgo"));
        cr_expect(has(&html, "--png row.png --size 300x160"));
        ts_text_free(&html);
        outcome_free(&result);
        result = run("compare three-models --png default.png --png-time 0.05 --json");
        cr_expect_eq(result.code, 0);
        cr_expect(json_holds(&result.out, "assert d['solvers'][0]['steps'] == 800"));
        expect_png("default.png", 1200, 560);
    } else {
        // No viewer in this build, or no OpenGL on this machine: said before anything is run or written.
        cr_expect_eq(result.code, 1);
        cr_expect(has(&result.err, "TS_VIEWER=ON") || has(&result.err, "OpenGL") || has(&result.err, "EGL"), "%s",
                  ts_text_get(&result.err));
        cr_expect_eq(result.out.length, 0u);
        cr_expect_eq(file_count(), 0);
        outcome_free(&result);
        result = run("compare three-models --time 0.1 --out report");
        cr_expect_eq(result.code, 0);
        ts_text html = read_text("report/report.html");
        cr_expect(!has(&html, "<img"));
        ts_text_free(&html);
    }
    outcome_free(&result);
}

Test(compare, wrong_use_of_pictures) {
    expect_refusal("compare three-models --png-time 2 --png row.png --out report", 2, "after the end of the run");
    expect_refusal("compare three-models --time 0.1 --png-time 0.2 --png row.png", 2, "after the end of the run");
    expect_refusal("compare three-models --png nowhere/row.png", 1, "touchstone: ");
    expect_refusal("compare three-models --png row.png --size 0x0", 2, "out of range");
    expect_refusal("compare three-models --png row.png --png-time soon", 2, "'soon'");
}
