// `touchstone judge`, and the logs it reads: contacts whose faults are known by construction, our own runs, broken files.
#include "tests/cli/cli_fixture.h"

#include "base/mat.h"
#include "base/quat.h"
#include "base/rng.h"
#include "base/scalar.h"

#include <math.h>

TestSuite(judge, .init = make_folder, .fini = remove_folder, .timeout = 240);

#define HEADER "step,time,dt,a,b,tx,ty,tz,nx,ny,nz,gap,mu,jx,jy,jz,vx,vy,vz\n"

// A log of one contact a step; what each says stands in a frame that is turned by `turn`.
static void add_line(ts_text* text, int step, ts_quat turn, double gap, double mu, ts_vec3 impulse, ts_vec3 velocity) {
    ts_mat3 R = ts_quat_to_mat3(turn);
    ts_vec3 t = ts_mat3_mul_vec(&R, ts_vec3_make(1.0, 0.0, 0.0)), n = ts_mat3_mul_vec(&R, ts_vec3_make(0.0, 0.0, 1.0));
    ts_vec3 j = ts_mat3_mul_vec(&R, impulse), v = ts_mat3_mul_vec(&R, velocity);
    ts_text_add(text,
                "%d,%.17g,0.01,ground,foot,%.17g,%.17g,%.17g,%.17g,%.17g,%.17g,%.17g,%.17g,%.17g,%.17g,%.17g,%.17g,%."
                "17g,%.17g\n",
                step, 0.01 * step, t.x, t.y, t.z, n.x, n.y, n.z, gap, mu, j.x, j.y, j.z, v.x, v.y, v.z);
}

// Six steps, each with one fault in known units, and two without: 1 sticks, 2 slides as it should, 3 creeps, 4 lifts while it presses, 5 beyond the
// cone by 1 N of 4, 6 pulls by 2 N, 7 approaches at 0.3 m/s, 8 slides with friction 30 degrees off; and in 9 a gap is closed no faster than it
// may be.
static void write_faults(ts_quat turn) {
    ts_text text = {0};
    double c = cos(TS_PI / 6.0), s = sin(TS_PI / 6.0);
    ts_text_add(&text, HEADER);
    add_line(&text, 1, turn, 0.0, 0.4, ts_vec3_make(0.01, 0.0, 0.1), ts_vec3_make(0.0, 0.0, 0.0));
    add_line(&text, 2, turn, 0.0, 0.4, ts_vec3_make(0.0, -0.04, 0.1), ts_vec3_make(0.0, 2.0, 0.0));
    add_line(&text, 3, turn, 0.0, 0.4, ts_vec3_make(-0.01, 0.0, 0.1), ts_vec3_make(0.002, 0.0, 0.0));
    add_line(&text, 4, turn, 0.0, 0.4, ts_vec3_make(0.0, 0.0, 0.1), ts_vec3_make(0.0, 0.0, 0.25));
    add_line(&text, 5, turn, 0.0, 0.4, ts_vec3_make(0.05, 0.0, 0.1), ts_vec3_make(0.0, 0.0, 0.0));
    add_line(&text, 6, turn, 0.0, 0.4, ts_vec3_make(0.0, 0.0, -0.02), ts_vec3_make(0.0, 0.0, 0.0));
    add_line(&text, 7, turn, 0.0, 0.4, ts_vec3_make(0.0, 0.0, 0.1), ts_vec3_make(0.0, 0.0, -0.3));
    add_line(&text, 8, turn, 0.0, 0.4, ts_vec3_make(-0.04 * c, -0.04 * s, 0.1), ts_vec3_make(1.0, 0.0, 0.0));
    add_line(&text, 9, turn, 0.001, 0.4, ts_vec3_make(0.0, 0.0, 0.1), ts_vec3_make(0.0, 0.0, -0.1));
    write_text("faults.csv", ts_text_get(&text));
    ts_text_free(&text);
}

// They are found in the units they were made in, whichever way the world is turned.
Test(judge, finds_what_was_put_in) {
    ts_rng rng = ts_rng_make(5, 0);
    for (int k = 0; k < 4; ++k) {
        ts_quat turn = ts_quat_identity();
        if (k > 0)
            turn =
                ts_quat_normalize(ts_quat_make(ts_rng_uniform_in(&rng, -1.0, 1.0), ts_rng_uniform_in(&rng, -1.0, 1.0),
                                               ts_rng_uniform_in(&rng, -1.0, 1.0), ts_rng_uniform_in(&rng, -1.0, 1.0)));
        write_faults(turn);
        outcome result = run("judge faults.csv --json");
        cr_assert_eq(result.code, 0, "%s", ts_text_get(&result.err));
        cr_expect(
            json_holds(&result.out,
                       "j = d['judged']\n"
                       "assert j['steps'] == 9 and j['contacts'] == 9 and j['obeyed_by']['ncp'] == 3, j\n"
                       "by = {f['finding']: f for f in j['findings']}\n"
                       "want = {'creep': (3, 0.002), 'lift': (4, 0.25), 'off_cone': (5, 1.0), 'pull': (6, 2.0),\n"
                       "        'approach': (7, 0.3), 'off_slip': (8, 30.0), 'short': (3, 75.0), 'power': (4, 2.5)}\n"
                       "for name, (step, worst) in want.items():\n"
                       "    f = by.pop(name)\n"
                       "    assert f['worst_step'] == step and abs(f['worst'] - worst) < 1e-9 * worst, f\n"
                       "    assert f['who'] == 'ground - foot', f\n"
                       "assert not by, by\n"),
            "%s", ts_text_get(&result.out));
        outcome_free(&result);
    }
    outcome strict = run("judge faults.csv --strict");
    cr_expect_eq(strict.code, 1);
    outcome_free(&strict);
}

// A run of ours, certified as it goes, and the log of it, judged without its bodies: both say alike which contacts obey which law, and a relaxed run
// is known by its lift: mu times the slip.
Test(judge, agrees_with_our_own_certificates) {
    static const char* const solvers[] = {"ncp", "ccp-pgs", "lcp-pgs"};
    for (int i = 0; i < 3; ++i) {
        char command[160];
        snprintf(command, sizeof command,
                 "run sliding-cube-rotated --solver %s --time 0.2 --certificates log.csv --json", solvers[i]);
        outcome ours = run(command), told = run("judge log.csv --out again.csv --json");
        cr_assert_eq(ours.code, 0, "%s", ts_text_get(&ours.err));
        cr_assert_eq(told.code, 0, "%s", ts_text_get(&told.err));
        snprintf(command, sizeof command, "j, law = d['judged'], '%.3s'\n", solvers[i]);
        ts_text check = {0};
        ts_text_add(&check, "%s%s", command,
                    "assert j['contacts'] > 500 and j['obeyed_by'][law] == j['contacts'], j\n"
                    "by = {f['finding']: f for f in j['findings']}\n"
                    "if law == 'ncp': assert not by, by\n"
                    "if law == 'ccp':\n"
                    "    assert abs(by['lift']['worst'] - (0.40981 / 1.16 - 0.00981)) < 1e-6, by\n"
                    "    assert j['obeyed_by']['ncp'] < 0.5 * j['contacts'], j\n"
                    "if law == 'lcp':\n"
                    "    assert abs(by['off_cone']['worst_share'] - (2 ** 0.5 - 1)) < 1e-6, by\n"
                    "    assert 22.5 <= by['off_slip']['median'] and by['off_slip']['worst'] < 45.0001, by\n");
        cr_expect(json_holds(&ours.out, ts_text_get(&check)), "%s: %s", solvers[i], ts_text_get(&ours.out));
        cr_expect(json_holds(&told.out, ts_text_get(&check)), "%s: %s", solvers[i], ts_text_get(&told.out));
        ts_text_free(&check);
        outcome_free(&ours);
        outcome_free(&told);
        outcome again = run("judge again.csv --strict");
        cr_expect_eq(again.code, i > 0, "%s", ts_text_get(&again.out));
        outcome_free(&again);
    }
}

// The first thing wrong is shown by a command that can be copied.
Test(judge, names_the_command_that_shows_the_first) {
    outcome result = run("run sliding-cube --solver ccp-pgs --time 0.05 --out run.csv --certificates log.csv");
    cr_assert_eq(result.code, 0, "%s", ts_text_get(&result.err));
    cr_expect_not_null(
        strstr(ts_text_get(&result.out),
               "first: touchstone run sliding-cube --solver ccp-pgs --time 0.05 --certificate 1:why.json"),
        "%s", ts_text_get(&result.out));
    outcome_free(&result);
    result = run("run sliding-cube --certificates run.csv --out run.csv");
    cr_expect_eq(result.code, 2);
    outcome_free(&result);
}

// A mark before UTF-8 is no part of the first column's name.
Test(judge, reads_what_a_spreadsheet_wrote) {
    write_text("marked.csv",
               "\xEF\xBB\xBFtime,dt,nx,ny,nz,gap,mu,jx,jy,jz,vx,vy,vz\r\n0.01,0.01,0,0,1,0,0.5,0,0,1,0,0,0\r\n");
    outcome result = run("judge marked.csv --json");
    cr_assert_eq(result.code, 0, "%s", ts_text_get(&result.err));
    cr_expect(json_holds(&result.out, "j = d['judged']\nassert j['contacts'] == j['obeyed_by']['ncp'] == 1, j\n"));
    outcome_free(&result);
}

Test(judge, refuses_broken_logs_by_their_lines) {
    static const struct {
        const char* text;
        const char* says;
    } broken[] = {
        {"", "x.csv:1: the file is empty"},
        {"time,dt\n1,2\n", "x.csv:1: no column is called 'nx'"},
        {HEADER, "x.csv:2: there are no contacts"},
        {HEADER "1,0.1,0.1,a,b,1,0,0,0,0,1,0,0.5,0,0,1,0,0\n", "x.csv:2: the line ends before 'vz'"},
        {HEADER "1,0.1,0.1,a,b,1,0,0,0,0,1,0,0.5,0,0,1,0,0,0,7\n", "x.csv:2: the line has more fields"},
        {HEADER "1,0.1,0.1,a,b,1,0,0,0,0,2,0,0.5,0,0,1,0,0,0\n", "x.csv:2: nx, ny, nz is no unit vector"},
        {HEADER "1,0.1,0,a,b,1,0,0,0,0,1,0,0.5,0,0,1,0,0,0\n", "x.csv:2: dt must be more than 0"},
        {HEADER "1,0.1,0.1,a,b,1,0,0,0,0,1,0,-0.5,0,0,1,0,0,0\n", "x.csv:2: mu must not be negative"},
        {HEADER "1,0.1,0.1,a,b,1,0,0,0,0,1,0,0.5,0,0,nan,0,0,0\n", "x.csv:2: jz: 'nan' is not a number"},
        {HEADER "1,0.2,0.1,a,b,1,0,0,0,0,1,0,0.5,0,0,1,0,0,0\n\n2,0.1,0.1,a,b,1,0,0,0,0,1,0,0.5,0,0,1,0,0,0\n",
         "x.csv:4: time goes back"},
        {"time,time,dt\n", "x.csv:1: two columns are called 'time'"},
        {HEADER "1e300,0.1,0.1,a,b,1,0,0,0,0,1,0,0.5,0,0,1,0,0,0\n", "x.csv:2: step must be a whole number"},
        {HEADER "1.5,0.1,0.1,a,b,1,0,0,0,0,1,0,0.5,0,0,1,0,0,0\n", "x.csv:2: step must be a whole number"},
    };
    for (size_t i = 0; i < sizeof broken / sizeof broken[0]; ++i) {
        write_text("x.csv", broken[i].text);
        outcome result = run("judge x.csv");
        cr_expect_eq(result.code, 1, "%zu", i);
        cr_expect_not_null(strstr(ts_text_get(&result.err), broken[i].says), "%zu: %s", i, ts_text_get(&result.err));
        cr_expect_eq(result.out.length, 0u);
        outcome_free(&result);
    }
    outcome missing = run("judge nowhere.csv");
    cr_expect_eq(missing.code, 1);
    outcome_free(&missing);
}
