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

Test(charts, refusals) {
    skip_without_viewer();
    expect_refusal("view sliding-cube --charts cube.pdf", 2, "charts are written as .svg or .csv");
    expect_refusal("view sliding-cube --charts cube.svg --html cube.html", 2, "not both");
    expect_refusal("view sliding-cube --charts cube.svg --video cube.gif", 2, "not both");
    expect_refusal("view sliding-cube --charts cube.svg --time 0", 1, "--time says when");
    expect_refusal("view sliding-cube --charts nowhere/cube.svg", 1, "cannot write");
}
