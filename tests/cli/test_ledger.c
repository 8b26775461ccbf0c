// `run --ledger`: a file whose columns add up, a table and JSON with the same sums, and refusals.
#include "tests/cli/cli_fixture.h"

TestSuite(ledger_sheet, .init = make_folder, .fini = remove_folder);

// What is read of the file, in Python: `rows`, lists of numbers by column.
#define READ_ROWS                                                                    \
    "import csv\nrows = {k: [] for k in open('%s').readline().strip().split(',')}\n" \
    "for r in csv.DictReader(open('%s')):\n  [rows[k].append(float(r[k])) for k in r]\n"

static int rows_hold(const ts_text* json, const char* name, const char* script) {
    char text[4096], path[256];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    snprintf(text, sizeof text, READ_ROWS "%s", path, path, script);
    return json_holds(json, text);
}

// 1 kg at 6 m/s, mu 0.5: all of its 18 J are friction's in the end, and what the relaxation lifts it by comes down again.
Test(ledger_sheet, adds_up) {
    outcome result = run("run sliding-lift --solver ccp-pgs --ledger l.csv --json");
    cr_assert_eq(result.code, 0, "%s", ts_text_get(&result.err));
    cr_expect(rows_hold(
        &result.out, "l.csv",
        "l = d['ledger']; w = l['work']\n"
        "assert l['steps'] == d['steps'] == len(rows['step']) and rows['step'][-1] == d['steps'], l\n"
        "assert abs(l['kinetic_start'] - 18) < 1e-9 and abs(w['contact_friction'] + 18) < 1e-6, w\n"
        "assert abs(l['kinetic_end'] - rows['kinetic [J]'][-1]) < 1e-15\n"
        "assert w['violation'] > 1 and w['actuator'] == 0, w\n"
        "assert abs(w['violation'] + w['contact_normal'] + w['stabilisation']) < 1e-9 * l['turned_over'], w\n"
        "assert l['remainder'] < 1e-12 * l['turned_over'], l\n"
        "for k in w: assert abs(sum(rows[k + ' [J]']) - w[k]) < 1e-12 * l['turned_over'], k\n"
        "for k in w: assert abs(sum(map(abs, rows[k + ' [J]'])) - l['in_and_out'][k]) < 1e-12 * l['turned_over'], k\n"
        "k, p, kinetic, potential = rows['kinetic [J]'], rows['potential [J]'], [x for x in w if x != "
        "'integrator_potential'], "
        "['gravity', 'spring', 'tendon_spring']\n"
        "for i in range(1, len(k)):\n"
        "  assert abs(k[i] - k[i - 1] - sum(rows[x + ' [J]'][i] for x in kinetic)) < 1e-13, i\n"
        "  rise = rows['integrator_potential [J]'][i] - sum(rows[x + ' [J]'][i] for x in potential)\n"
        "  assert abs(p[i] - p[i - 1] - rise) < 1e-13, i\n"));
    outcome_free(&result);
    result = run("run sliding-lift --solver ncp --ledger l.csv");
    cr_expect(has(&result.out, "contact_friction"), "%s", ts_text_get(&result.out));
    cr_expect(!has(&result.out, "actuators"), "%s", ts_text_get(&result.out));
    outcome_free(&result);
}

// 2 kg brought to 1 m/s by a belt: of the 2 J that drive it half is heat, and nobody takes the other half for an error.
Test(ledger_sheet, a_belt_raises_no_alarm) {
    outcome result = run("run conveyor --solver ncp --time 1 --ledger l.csv --json");
    cr_expect_eq(result.code, 0);
    cr_expect(json_holds(&result.out,
                         "w = d['ledger']['work']\n"
                         "assert abs(w['surface'] - 2) < 1e-6 and abs(w['contact_friction'] + 1) < 1e-6, w\n"
                         "assert abs(d['energy_by_contacts'] - 1) < 1e-6 and not d['energy_alarm'], d\n"));
    outcome_free(&result);
}

// The run is the same to the bit, and without the flag nothing is said of it.
Test(ledger_sheet, changes_nothing) {
    outcome with = run("run quadruped --time 0.1 --out a.csv --ledger l.csv");
    outcome without = run("run quadruped --time 0.1 --out b.csv --json");
    cr_expect_eq(with.code, 0, "%s", ts_text_get(&with.err));
    cr_expect(json_holds(&without.out, "assert 'ledger' not in d"));
    char text[512];
    snprintf(text, sizeof text,
             "import csv\na, b = [[{k: v for k, v in r.items() if k != 'step_seconds'} for r in "
             "csv.DictReader(open(f'%s/{f}.csv'))]"
             " for f in 'ab']\nassert len(a) > 10 and a == b",
             folder);
    cr_expect(json_holds(&without.out, text));
    outcome_free(&with);
    outcome_free(&without);
}

// Interrupted or broken off, the lines are those of the steps that were made.
Test(ledger_sheet, keeps_what_was_booked) {
    const char* const endless[] = {TS_TEST_CLI, "run",   "sliding-lift", "--time", "1e6",
                                   "--ledger",  "l.csv", "--json",       NULL};
    outcome result = interrupt(endless, SIGINT);
    cr_expect_eq(result.code, 130);
    cr_expect(rows_hold(&result.out, "l.csv", "assert len(rows['step']) == d['ledger']['steps'] == d['steps'] > 0"));
    outcome_free(&result);
    write_text(
        "blow.xml",
        "<mujoco><option timestep='0.1' integrator='Euler'/><worldbody><body><joint type='slide' stiffness='1e9'/>"
        "<geom size='0.1'/></body></worldbody></mujoco>");
    result = run("run blow.xml --time 100 --ledger l.csv --json");
    cr_expect_eq(result.code, 1);
    cr_expect(rows_hold(&result.out, "l.csv", "assert len(rows['step']) == d['ledger']['steps'] == d['steps'] > 0"));
    outcome_free(&result);
}

Test(ledger_sheet, refuses) {
    expect_refusal("run stack-10 --ledger /nonexistent/l.csv", 1, "/nonexistent/l.csv");
    expect_refusal("run stack-10 --ledger l.csv --out l.csv", 2, "two outputs would go to l.csv");
    expect_refusal("run stack-10 --batch 2 --ledger l.csv", 2, "--ledger is of one simulation");
    expect_refusal("run stack-10 --batch 2 --certificates l.csv", 2, "--certificates is of one simulation");
}
