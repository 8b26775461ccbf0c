// Claims: the charts of a window can be had without one, as a table whose numbers agree with a recording of the same run, and as a page with every
// simulation's convergence; what cannot be written is refused and leaves nothing.
#include "tests/cli/cli_fixture.h"

#include <math.h>

TestSuite(charts, .init = make_folder, .fini = remove_folder, .timeout = 120);

static void skip_without_viewer(void) {
    outcome probe = run("view sliding-cube --charts probe.csv --time 0.002");
    int none = has(&probe.err, "no viewer");
    cr_assert(none || probe.code == 0, "%s", ts_text_get(&probe.err));
    outcome_free(&probe);
    if (none) cr_skip("built without the viewer");
}

// The value in a column of a line.
static double cell(const char* line, int column) {
    for (; column > 0; --column) line = strchr(line, ',') + 1;
    return strtod(line, NULL);
}

static const char* line_at(const char* text, int line) {
    for (; line > 0; --line) text = strchr(text, '\n') + 1;
    return text;
}

// A cube of 1 kg slides at first with 1.5 m/s: what its kinetic energy loses per step is friction's work, and its height says the potential one.
Test(charts, are_numbers_of_every_step) {
    skip_without_viewer();
    outcome result = run("view sliding-cube --charts cube.csv --time 0.05");
    cr_assert_eq(result.code, 0, "%s", ts_text_get(&result.err));
    outcome_free(&result);
    ts_text table = read_text("cube.csv");
    const char* head = ts_text_get(&table);
    cr_assert_eq(strncmp(head, "step,time [s],kinetic [J],potential [J],sum [J],", 48), 0, "%.80s", head);
    int lines = 0;
    for (const char* c = head; *c; ++c) lines += *c == '\n';
    cr_assert_eq(lines, 51, "%d lines", lines);
    double before = 0.0;
    for (int i = 1; i < lines; ++i) {
        const char* line = line_at(head, i);
        double kinetic = cell(line, 2), potential = cell(line, 3), sum = cell(line, 4);
        cr_expect_eq(cell(line, 0), (double)i);
        cr_expect_float_eq(cell(line, 1), 1e-3 * i, 1e-9);
        cr_expect_float_eq(kinetic + potential, sum, 1e-6 * fabs(sum) + 1e-9);
        if (i > 1) cr_expect_lt(kinetic, before, "step %d", i);
        before = kinetic;
    }
    ts_text_free(&table);
}

Test(charts, show_how_solves_converged) {
    skip_without_viewer();
    outcome result =
        run("view stack-10 --solver ncp,ccp-pgs --time 0.005 --set warm_start=0 --charts stack.svg --json");
    cr_assert_eq(result.code, 0, "%s", ts_text_get(&result.err));
    cr_expect(has(&result.out, "\"charts\": \"stack.svg\""), "%s", ts_text_get(&result.out));
    ts_text page = read_text("stack.svg");
    cr_expect(has(&page, "convergence of this step") && has(&page, ">ncp: ") && has(&page, ">ccp-pgs: "));
    cr_expect(has(&page, "</svg>") && !has(&page, "nan") && !has(&page, "inf"));
    ts_text_free(&page);
    outcome_free(&result);
}

static int column_of(const char* head, const char* name) {
    const char* at = strstr(head, name);
    cr_assert(at && at < strchr(head, '\n'), "no column %s", name);
    int column = 0, quoted = 0;
    for (const char* c = head; c < at; ++c) {
        quoted ^= *c == '"';
        column += *c == ',' && !quoted;
    }
    return column;
}

// Statics of a cube of 1 kg that slides, mu 0.4 under it: under the exact law its weight and mu times that; the convex relaxation lets it take off, so
// that there is no contact, and nothing in the table, where the exact law has one.
Test(charts, have_numbers_of_a_contact) {
    skip_without_viewer();
    outcome result = run("view sliding-cube --solver ncp,ccp-pgs --time 0.05 --charts cube.csv "
                         "--watch 'contact[cube,floor].normal contact[floor,cube].friction contact[cube].exact'");
    cr_assert_eq(result.code, 0, "%s", ts_text_get(&result.err));
    outcome_free(&result);
    ts_text table = read_text("cube.csv");
    const char* head = ts_text_get(&table);
    int normal = column_of(head, "\"contact[cube,floor].normal\","), empty = 0;
    int friction = column_of(head, "\"contact[floor,cube].friction\",");
    int other = column_of(head, "\"contact[cube,floor].normal of ccp-pgs\"");
    int unmet = column_of(head, "contact[cube].exact,");
    cr_assert(friction == normal + 1 && unmet == normal + 2 && other == normal + 3);
    for (int i = 10; i < 50; ++i) {
        const char* line = line_at(head, i);
        cr_expect_float_eq(cell(line, normal), 9.81, 1e-5, "step %d", i);
        cr_expect_float_eq(cell(line, friction), 0.4 * 9.81, 1e-5, "step %d", i);
        cr_expect_lt(cell(line, unmet), 1e-7, "step %d", i);
        for (; other > 0 && *line != '\n'; ++line)
            if (*line == ',' && --other == 0) break;
        empty += line[0] == ',' && line[1] == ',';
        other = normal + 3;
    }
    cr_expect_gt(empty, 30, "%d", empty);
    ts_text_free(&table);
    outcome drawn =
        run("view sliding-cube --solver ncp,ccp-pgs --time 0.05 --charts cube.svg --watch 'contact[cube].gap'");
    cr_assert_eq(drawn.code, 0, "%s", ts_text_get(&drawn.err));
    outcome_free(&drawn);
    ts_text page = read_text("cube.svg");
    cr_expect(has(&page, ">contact[cube].gap</text>") && has(&page, ">ncp ") && has(&page, ">ccp-pgs"));
    cr_expect(!has(&page, "nan") && !has(&page, "inf"));
    ts_text_free(&page);
}

Test(charts, refusals) {
    skip_without_viewer();
    expect_refusal("view sliding-cube --charts cube.pdf", 2, "charts are written as .svg or .csv");
    expect_refusal("view sliding-cube --charts cube.svg --html cube.html", 2, "not both");
    expect_refusal("view sliding-cube --charts cube.svg --video cube.gif", 2, "not both");
    expect_refusal("view sliding-cube --charts cube.svg --time 0", 1, "--time says when");
    expect_refusal("view sliding-cube --charts nowhere/cube.svg", 1, "cannot write");
    expect_refusal("view sliding-cube --charts cube.svg --watch 'contact[cub].gap'", 2, "no such geoms or bodies");
    expect_refusal("view sliding-cube --charts cube.svg --watch 'contact[cube].depth'", 2, ".friction_impulse");
    expect_refusal("view sliding-cube --charts cube.svg --watch ' '", 2, "one to 10 numbers");
    expect_refusal("view sliding-cube --png cube.png --watch time", 2, "not with --png");
    expect_refusal("view sliding-cube --html cube.html --watch time", 2, "not with --html");
}
