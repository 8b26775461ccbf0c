// Newton on softened contacts in a large island, where sweeps come in: the law, summed anew in long double.
#include "tests/contact/contact_fixture.h"

enum { BODIES = 250, CONTACTS = 3 * BODIES, ROWS = 3 * CONTACTS, COLUMNS = 3 * BODIES };

// Bodies of three velocities, each touching three later ones or the ground, with random rows.
typedef struct heap {
    ts_arena arena;
    ts_block block[CONTACTS];
    int block_row[CONTACTS + 1];
    int segment_start[CONTACTS + 1];
    int body[CONTACTS][2];  // -1: the ground
    double J[CONTACTS][2][9];
    ts_delassus_segment segment[2 * CONTACTS];
    double g[ROWS];
    ts_contact_problem problem;
} heap;

static void make_heap(heap* h) {
    static const int far[] = {1, 3, 17};
    ts_rng rng = ts_rng_make(21, 0);
    int segments = 0;
    memset(h, 0, sizeof *h);
    for (int c = 0; c < CONTACTS; ++c) {
        h->block[c] = fixture_cone(3 * c, 0.5);
        h->block_row[c + 1] = 3 * c + 3;
        h->body[c][0] = c / 3;
        h->body[c][1] = c / 3 + far[c % 3] < BODIES ? c / 3 + far[c % 3] : -1;
        for (int s = 0; s < 2; ++s) {
            if (h->body[c][s] < 0) continue;
            for (int i = 0; i < 9; ++i) h->J[c][s][i] = (s ? -1.0 : 1.0) * (i % 4 == 0) + 0.5 * ts_rng_normal(&rng);
            h->segment[segments++] = (ts_delassus_segment){3 * h->body[c][s], 3, h->J[c][s], h->J[c][s]};
        }
        h->segment_start[c + 1] = segments;
        for (int r = 0; r < 3; ++r) h->g[3 * c + r] = 0.1 * ts_rng_normal(&rng) - (r == 2 ? 0.05 : 0.0);
    }
    h->problem = (ts_contact_problem){
        .block_count = CONTACTS,
        .row_count = ROWS,
        .block = h->block,
        .delassus = ts_delassus_velocity_form(&h->arena, COLUMNS, CONTACTS, h->block_row, h->segment_start, h->segment),
        .g = h->g,
        .time_step = TIME_STEP};
    cr_assert_not_null(h->problem.delassus);
}

// u = (J J^T + R) lambda + g.
static void velocity(const heap* h, const double* R, const double* impulse, long double* u) {
    static long double v[COLUMNS];
    memset(v, 0, sizeof v);
    for (int k = 0; k < 2 * 9 * CONTACTS; ++k) {
        int c = k / 18, s = k / 9 % 2, r = k % 9 / 3, j = k % 3;
        if (h->body[c][s] >= 0)
            v[3 * h->body[c][s] + j] += (long double)h->J[c][s][3 * r + j] * (long double)impulse[3 * c + r];
    }
    for (int i = 0; i < ROWS; ++i) u[i] = (long double)h->g[i] + (long double)R[i] * (long double)impulse[i];
    for (int k = 0; k < 2 * 9 * CONTACTS; ++k) {
        int c = k / 18, s = k / 9 % 2, r = k % 9 / 3, j = k % 3;
        if (h->body[c][s] >= 0) u[3 * c + r] += (long double)h->J[c][s][3 * r + j] * v[3 * h->body[c][s] + j];
    }
}

Test(primal, a_large_island_obeys_the_softened_law) {
    static const char* const name[] = {"sap", "mujoco"};
    static heap h;
    static double impulse[ROWS], R[ROWS];
    static long double u[ROWS];
    make_heap(&h);
    for (int k = 0; k < 2; ++k) {
        const ts_solver* solver = ts_solver_find(name[k]);
        fixture_settings settings;
        ts_arena scratch = {0};
        ts_solver_default_settings(solver, &settings);
        memset(impulse, 0, sizeof impulse);
        ts_solve_report report = solver->solve(&h.problem, &settings, &scratch, impulse);
        cr_expect_eq(report.status, TS_SOLVE_CONVERGED, "%s", name[k]);
        cr_expect_gt(report.iterations, 2, "%s: %d, so that sweeps do not come in", name[k], report.iterations);
        cr_expect_eq(scratch.used, 0u);
        solver->compliance(&h.problem, &settings, R);
        velocity(&h, R, impulse, u);
        double largest = 0.0, force = 0.0, motion = 0.0, power = 0.0;
        for (int c = 0; c < CONTACTS; ++c) {
            const double* x = impulse + 3 * c;
            const long double* w = u + 3 * c;
            double mu = h.block[c].mu;
            largest = fmax(largest, x[2]);
            force = fmax(force, hypot(x[0], x[1]) - mu * x[2]);
            motion = fmax(motion, (double)(mu * hypotl(w[0], w[1]) - w[2]));
            power = fmax(power, fabs((double)(x[0] * w[0] + x[1] * w[1] + x[2] * w[2])));
        }
        cr_expect_leq(force, 1e-8 * largest, "%s: %g off the cone", name[k], force);
        cr_expect_leq(motion, 1e-7, "%s: %g m/s off the dual cone", name[k], motion);
        cr_expect_leq(power, 1e-7 * largest, "%s: %g", name[k], power);
        ts_arena_free(&scratch);
    }
    ts_arena_free(&h.arena);
}
