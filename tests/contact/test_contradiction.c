// Push-outs that contradict each other: a particle of 1 kg between two walls, which both ask it to come out.
#include "contact/island.h"
#include "tests/contact/contact_fixture.h"

// m/s: what either wall asks for.
static const double c = 0.3;

enum { MOST = 2, WALLS = 2 * MOST };

// So many particles, each in a slot of its own.
typedef struct slots {
    ts_arena arena, scratch;
    ts_block block[WALLS];
    int block_row[WALLS + 1], segment_start[WALLS + 1];
    double J[WALLS][9], g[3 * WALLS], R[3 * WALLS], push_out[3 * WALLS];
    ts_delassus_segment segment[WALLS];
    ts_contact_problem problem;
} slots;

// The walls of slot k open upwards by so much on either side: normals (cos a, 0, sin a) and (-cos a, 0, sin a).
static void make_slot(slots* s, int k, double angle) {
    for (int side = 0; side < 2; ++side) {
        int b = 2 * k + side;
        double x = side ? -cos(angle) : cos(angle), z = sin(angle);
        const double J[9] = {0.0, 1.0, 0.0, -z, 0.0, x, x, 0.0, z};
        memcpy(s->J[b], J, sizeof J);
        s->block[b] = fixture_cone(3 * b, 0.5);
        s->g[3 * b + 2] = -c;
        s->push_out[3 * b + 2] = c;
        s->segment[b] = (ts_delassus_segment){3 * k, 3, s->J[b], s->J[b]};
        s->block_row[b + 1] = 3 * (b + 1);
        s->segment_start[b + 1] = b + 1;
    }
}

static void make(slots* s, int count, const double* angle) {
    memset(s, 0, sizeof *s);
    for (int k = 0; k < count; ++k) make_slot(s, k, angle[k]);
    s->problem = (ts_contact_problem){.block_count = 2 * count,
                                      .row_count = 6 * count,
                                      .block = s->block,
                                      .delassus = ts_delassus_velocity_form(&s->arena, 3 * count, 2 * count,
                                                                            s->block_row, s->segment_start, s->segment),
                                      .g = s->g,
                                      .push_out = s->push_out,
                                      .time_step = TIME_STEP};
}

static void end(slots* s) {
    cr_expect_eq(s->scratch.used, 0u);
    ts_arena_free(&s->arena);
    ts_arena_free(&s->scratch);
}

// A motion that meets both rises with c / sin a and has the energy c^2 / (2 sin^2 a), where the demands one by one take c^2: more than 1e5
// times that where sin a < 1 / sqrt(2e5) = 2.236e-3. The same push from both sides proves it, whatever its size; a push from one side
// proves nothing.
Test(contradiction, is_proven_by_an_impulse) {
    const double angle[] = {0.0, 1e-9, 2.1e-3, 2.4e-3, 0.1, 1.0};
    for (size_t i = 0; i < sizeof angle / sizeof angle[0]; ++i)
        for (double size = 1e-6; size < 1e7; size *= 1e3) {
            slots s;
            make(&s, 1, &angle[i]);
            double both[6] = {[2] = size, [5] = size}, one[6] = {[2] = size}, none[6] = {0.0};
            for (int rubs = 0; rubs < 2; ++rubs) {
                cr_expect_eq(ts_contact_problem_contradicts(&s.problem, rubs, both, &s.scratch), i < 3, "%g, %g",
                             angle[i], size);
                cr_expect_not(ts_contact_problem_contradicts(&s.problem, rubs, one, &s.scratch), "%g, %g", angle[i],
                              size);
                cr_expect_not(ts_contact_problem_contradicts(&s.problem, rubs, none, &s.scratch));
            }
            end(&s);
        }
}

// With friction forces from both walls hold each other where tan a < mu: a push of 1 and friction of tan a downwards, which leaves nothing.
Test(contradiction, is_proven_by_friction_that_jams) {
    const double angle = 0.3;
    slots s;
    make(&s, 1, &angle);
    // Tangents of the walls: (-sin a, 0, cos a) of the left one and (-sin a, 0, -cos a) of the right one.
    const double down[6] = {0.0, -tan(angle), 1.0, 0.0, tan(angle), 1.0};
    cr_expect(ts_contact_problem_contradicts(&s.problem, 1, down, &s.scratch));
    cr_expect_not(ts_contact_problem_contradicts(&s.problem, 0, down, &s.scratch));
    end(&s);
}

// Where a wall gives, or nothing asks, there is nothing to prove.
Test(contradiction, needs_hard_demands) {
    const double parallel = 0.0, both[6] = {[2] = 1.0, [5] = 1.0};
    double found[6];
    for (int rubs = 0; rubs < 2; ++rubs) {
        slots s;
        make(&s, 1, &parallel);
        s.R[5] = 1e-6;
        s.problem.R = s.R;
        cr_expect_not(ts_contact_problem_contradicts(&s.problem, rubs, both, &s.scratch));
        cr_expect_not(ts_contact_problem_seek_contradiction(&s.problem, rubs, &s.scratch, found));
        s.problem.R = NULL;
        cr_expect(ts_contact_problem_contradicts(&s.problem, rubs, both, &s.scratch));
        s.push_out[2] = s.push_out[5] = 0.0;
        cr_expect_not(ts_contact_problem_contradicts(&s.problem, rubs, both, &s.scratch));
        cr_expect_not(ts_contact_problem_seek_contradiction(&s.problem, rubs, &s.scratch, found));
        s.problem.push_out = NULL;
        cr_expect_not(ts_contact_problem_contradicts(&s.problem, rubs, both, &s.scratch));
        cr_expect_not(ts_contact_problem_seek_contradiction(&s.problem, rubs, &s.scratch, found));
        end(&s);
    }
}

// What the search finds proves itself; where a motion does it all, nothing is found. mu is 0.5, and tan 0.4 = 0.42.
Test(contradiction, is_found) {
    const double angle[] = {0.0, 1e-9, 1e-3, 0.1, 0.4, 0.6, 1.0};
    for (size_t i = 0; i < sizeof angle / sizeof angle[0]; ++i)
        for (int rubs = 0; rubs < 2; ++rubs) {
            slots s;
            double found[6];
            make(&s, 1, &angle[i]);
            int is_found = ts_contact_problem_seek_contradiction(&s.problem, rubs, &s.scratch, found);
            cr_expect_eq(is_found, i < (rubs ? 5 : 3), "%g, %d", angle[i], rubs);
            cr_expect_eq(ts_contact_problem_contradicts(&s.problem, rubs, found, &s.scratch), is_found, "%g", angle[i]);
            end(&s);
        }
}

// `ncp` does not go on looking for what is not there, also where another island has an answer; and never says that it has found it.
Test(contradiction, ends_a_search) {
    const ts_solver* ncp = ts_solver_find("ncp");
    fixture_settings settings;
    ts_solver_default_settings(ncp, &settings);
    for (int other = 0; other < 2; ++other) {
        const double angle[MOST] = {1.0, 0.0};
        slots s;
        double impulse[3 * WALLS] = {0.0};
        ts_islands islands;
        ts_island_report report;
        make(&s, 1 + other, angle + 1 - other);
        // The other particle's walls do not ask to be left: they only stop it.
        if (other) s.push_out[2] = s.push_out[5] = 0.0;
        cr_assert_eq(ts_islands_find(&s.problem, &s.arena, &islands), 0);
        ts_solve_report asked =
            ts_island_solve(ncp, &s.problem, &islands, &settings, NULL, &s.scratch, impulse, &report);
        cr_expect_eq(report.not_converged, 1);
        cr_expect_neq(asked.status, TS_SOLVE_CONVERGED);
        memset(impulse, 0, sizeof impulse);
        s.problem.push_out = NULL;
        ts_solve_report unasked =
            ts_island_solve(ncp, &s.problem, &islands, &settings, NULL, &s.scratch, impulse, &report);
        cr_expect_eq(report.not_converged, 1);
        cr_expect_leq(5 * asked.iterations, unasked.iterations, "%d against %d", asked.iterations, unasked.iterations);
        end(&s);
    }
}
