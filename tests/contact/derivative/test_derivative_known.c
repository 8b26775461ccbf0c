// Derivatives of contact problems with known answers: a cube on four feet, particles, joint rows; and where there is none.
#include "tests/contact/derivative/derivative_fixture.h"

#define CUBE_STEP 1e-5  // of the differences of the cube: its solves leave 1e-13, and velocities curve little

// --- Hyperstatic: a cube on four feet, G of rank 6 ---

typedef struct cube {
    ts_arena arena;
    double J[12][6], Y[12][6], G[144];
    double v[6], g[12], lambda[12];
    int block_row[5];
    ts_block block[4];
    ts_contact_problem problem;
    int mode[4];
} cube;

// Solves a cube that had the velocity v after free motion. v+ = v + Y^T lambda.
static void solve_cube(cube* c, ts_contact_law law, const double v[6], double mu, const double* start,
                       double out_velocity[6]) {
    memset(c, 0, sizeof(*c));
    fixture_cube(c->J, c->Y, c->G);
    memcpy(c->v, v, sizeof(c->v));
    for (int b = 0; b < 4; ++b) {
        c->block[b] = fixture_cone(3 * b, mu);
        c->block_row[b + 1] = 3 * b + 3;
    }
    for (int i = 0; i < 12; ++i)
        for (int j = 0; j < 6; ++j) c->g[i] += c->J[i][j] * v[j];
    c->problem = (ts_contact_problem){.block_count = 4,
                                      .row_count = 12,
                                      .block = c->block,
                                      .delassus = dense_operator(&c->arena, 4, c->block_row, c->G),
                                      .g = c->g,
                                      .time_step = 1.0};
    ts_arena scratch = {0};
    const ts_solver* solver = ts_solver_find(law == TS_LAW_CCP ? "ccp-admm" : "ncp");
    fixture_settings settings = fixture_settings_of(solver, 1e-15, 20000);
    if (start) memcpy(c->lambda, start, sizeof(c->lambda));
    solver->solve(&c->problem, &settings, &scratch, c->lambda);
    double u[12];
    ts_residual residual;
    ts_residual_evaluate(&c->problem, c->lambda, &scratch, u, &residual);
    cr_assert_leq(ts_law_residual_in_force_units(law == TS_LAW_CCP ? residual.ccp : residual.ncp, 1.0), 1e-12);
    for (int b = 0; b < 4; ++b) c->mode[b] = mode_of(&c->block[b], c->lambda + 3 * b, u + 3 * b);
    for (int j = 0; j < 6; ++j) {
        out_velocity[j] = v[j];
        for (int i = 0; i < 12; ++i) out_velocity[j] += c->Y[i][j] * c->lambda[i];
    }
    ts_arena_free(&scratch);
}

// dv+ against differences over every velocity and mu, forward and backward. Expects all feet in `mode`. Sliding feet
// must not turn: how the load is shared would turn the cube then, and v+ not be unique under the exact law. In a step of the
// differences a foot may leave, at a speed of second order.
static void hyperstatic(ts_contact_law law, const double v[6], double mu, int mode) {
    cube c;
    double after[6];
    solve_cube(&c, law, v, mu, NULL, after);
    for (int b = 0; b < 4; ++b) cr_assert_eq(c.mode[b], mode, "foot %d: %d", b, c.mode[b]);
    const ts_contact_derivative_tolerance loose = {1e-7, 1e-7, 1e-9, 0};
    ts_contact_derivative d;
    ts_status status;
    ts_arena scratch = {0};
    cr_assert_eq(ts_contact_derivative_make(&c.problem, law, c.lambda, &loose, &c.arena, &d, &status), TS_OK, "%s",
                 status.message);
    cr_expect_lt(d.rank, d.unknowns);
    for (int k = 0; k < 7; ++k) {
        double moved[2][6], du[12] = {0}, dmu[4] = {0}, dlambda[12], mismatch;
        for (int side = 0; side < 2; ++side) {
            double by = side ? CUBE_STEP : -CUBE_STEP, w[6];
            memcpy(w, v, sizeof(w));
            if (k < 6) w[k] += by;
            cube other;
            solve_cube(&other, law, w, k < 6 ? mu : mu + by, c.lambda, moved[side]);
            for (int b = 0; b < 4; ++b) cr_assert(other.mode[b] == mode || mode == 2);
            ts_arena_free(&other.arena);
        }
        for (int i = 0; k < 6 && i < 12; ++i) du[i] = c.J[i][k];
        for (int b = 0; k == 6 && b < 4; ++b) dmu[b] = 1.0;
        cr_assert_eq(ts_contact_derivative_forward(&d, du, dmu, &scratch, dlambda, &mismatch), TS_OK);
        cr_expect_lt(mismatch, 1e-11);
        for (int j = 0; j < 6; ++j) {
            double dv = j == k ? 1.0 : 0.0, expected = (moved[1][j] - moved[0][j]) / (2.0 * CUBE_STEP);
            for (int i = 0; i < 12; ++i) dv += c.Y[i][j] * dlambda[i];
            // Where a foot leaves, the second derivative has a jump, which central differences see times the step.
            double allowed = ACCURACY + (mode == 2 && k == 5 ? 0.1 * CUBE_STEP : 0.0);
            cr_expect_float_eq(dv, expected, allowed * fmax(1.0, fabs(expected)),
                               "law %d mode %d place %d: %.9g, not %.9g", (int)law, mode, k, dv, expected);
            // The same entry from behind: the loss v+_j, whose gradient with respect to lambda is column j of Y.
            double bar[12], g_bar[12], mu_bar[4], back = j == k ? 1.0 : 0.0;
            for (int i = 0; i < 12; ++i) bar[i] = c.Y[i][j];
            cr_assert_eq(ts_contact_derivative_reverse(&d, bar, &scratch, g_bar, mu_bar, &mismatch), TS_OK);
            cr_expect_lt(mismatch, 1e-11);
            for (int i = 0; i < 12; ++i) back += g_bar[i] * du[i];
            for (int b = 0; b < 4; ++b) back += mu_bar[b] * dmu[b];
            cr_expect_float_eq(back, dv, 1e-10 * fmax(1.0, fabs(dv)), "%g, not %g", back, dv);
        }
    }
    // The same from an operator without a matrix.
    ts_delassus_segment segment[4];
    const int segment_start[5] = {0, 1, 2, 3, 4};
    for (int b = 0; b < 4; ++b) segment[b] = (ts_delassus_segment){0, 6, c.J[3 * b], c.Y[3 * b]};
    ts_contact_problem bodies = c.problem;
    bodies.delassus = ts_delassus_velocity_form(&c.arena, 6, 4, c.block_row, segment_start, segment);
    ts_contact_derivative e;
    cr_assert_eq(ts_contact_derivative_make(&bodies, law, c.lambda, &loose, &c.arena, &e, &status), TS_OK);
    cr_expect_eq(e.rank, d.rank);
    double push[12], answer[2][12];
    for (int i = 0; i < 12; ++i) push[i] = c.J[i][1] - 0.3 * c.J[i][3];
    ts_contact_derivative_forward(&d, push, NULL, &scratch, answer[0], NULL);
    ts_contact_derivative_forward(&e, push, NULL, &scratch, answer[1], NULL);
    for (int i = 0; i < 12; ++i) cr_expect_float_eq(answer[1][i], answer[0][i], 1e-12, "row %d", i);
    // Pulling two feet apart is nothing that impulses on a rigid cube can undo.
    double du[12] = {1.0, 0, 0, -1.0}, dlambda[12], mismatch = 0.0;
    cr_assert_eq(ts_contact_derivative_forward(&d, du, NULL, &scratch, dlambda, &mismatch), TS_OK);
    if (mode == 1) cr_expect_gt(mismatch, 0.1);
    ts_arena_free(&c.arena);
    ts_arena_free(&scratch);
}

Test(derivative, of_velocities_over_hyperstatic_feet) {
    const double still[6] = {0.1, 0.05, -1.0, 0.1, -0.2, 0.3}, fast[6] = {2.0, 1.0, -1.0, 0.0, 0.0, 0.0};
    hyperstatic(TS_LAW_NCP, still, 0.8, 1);
    hyperstatic(TS_LAW_CCP, still, 0.8, 1);
    hyperstatic(TS_LAW_NCP, fast, 0.3, 2);
    hyperstatic(TS_LAW_CCP, fast, 0.3, 2);
}

// --- Closed forms ---

static ts_contact_problem small(ts_arena* arena, int blocks, const ts_block* block, const int* block_row,
                                const double* G, const double* g) {
    ts_contact_problem problem = {.block_count = blocks,
                                  .row_count = block_row[blocks],
                                  .block = block,
                                  .delassus = dense_operator(arena, blocks, block_row, G),
                                  .g = g,
                                  .time_step = 1.0};
    return problem;
}

// A particle of 1 kg that slides along (0.6, 0.8) at 1 m/s under friction 0.5 and a normal impulse of 0.2 N s:
// lambda = (-mu n t, n) with n = -g_N and t = g_T / |g_T|, |g_T| = 1 + mu n.
Test(derivative, of_a_sliding_particle) {
    ts_arena arena = {0};
    const double G[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1}, n = 0.2, mu = 0.5, t[2] = {0.6, 0.8};
    const double g[3] = {t[0] * (1.0 + mu * n), t[1] * (1.0 + mu * n), -n};
    const double lambda[3] = {-mu * n * t[0], -mu * n * t[1], n};
    const int block_row[2] = {0, 3};
    const ts_block block = fixture_cone(0, mu);
    ts_contact_problem problem = small(&arena, 1, &block, block_row, G, g);
    ts_contact_derivative d;
    cr_assert_eq(ts_contact_derivative_make(&problem, TS_LAW_NCP, lambda, &zero, &arena, &d, NULL), TS_OK);
    cr_expect_eq(d.mode[0], TS_MODE_SLIDE);
    cr_expect_eq(d.unknowns, 2);
    double out[3], du[3] = {0, 0, 1}, dmu = 1.0;
    ts_contact_derivative_forward(&d, du, NULL, &arena, out, NULL);
    fixture_expect_vector(out, mu * t[0], mu * t[1], -1.0, 1e-14, "normal");
    du[0] = -t[1], du[1] = t[0], du[2] = 0.0;  // across
    ts_contact_derivative_forward(&d, du, NULL, &arena, out, NULL);
    double turn = -mu * n / (1.0 + mu * n);
    fixture_expect_vector(out, -turn * t[1], turn * t[0], 0.0, 1e-14, "across");
    du[0] = t[0], du[1] = t[1];  // along: friction is what it was
    ts_contact_derivative_forward(&d, du, NULL, &arena, out, NULL);
    fixture_expect_vector(out, 0.0, 0.0, 0.0, 1e-14, "along");
    du[0] = du[1] = 0.0;
    ts_contact_derivative_forward(&d, du, &dmu, &arena, out, NULL);
    fixture_expect_vector(out, -n * t[0], -n * t[1], 0.0, 1e-14, "mu");
    ts_arena_free(&arena);
}

// Frictionless (mu = 0): the slope of friction in mu is -n t, though the cone is a ray; standing, it has none.
Test(derivative, of_a_contact_without_friction) {
    ts_arena arena = {0};
    const double G[9] = {2, 0, 0, 0, 2, 0, 0, 0, 2}, slides[3] = {3, 4, -1}, stands[3] = {0, 0, -1};
    const double lambda[3] = {0, 0, 0.5}, du[3] = {1, 1, 1}, dmu = 1.0;
    const int block_row[2] = {0, 3};
    const ts_block block = fixture_cone(0, 0.0);
    for (int k = 0; k < 2; ++k) {
        ts_contact_problem problem = small(&arena, 1, &block, block_row, G, k ? stands : slides);
        ts_contact_derivative d;
        double out[3];
        cr_assert_eq(ts_contact_derivative_make(&problem, TS_LAW_NCP, lambda, &zero, &arena, &d, NULL), TS_OK);
        cr_assert_eq(ts_contact_derivative_forward(&d, du, &dmu, &arena, out, NULL), TS_OK);
        fixture_expect_vector(out, k ? 0.0 : -0.3, k ? 0.0 : -0.4, -0.5, 1e-15, "without friction");
    }
    ts_arena_free(&arena);
}

// A joint limit, a dry joint that holds, one that gives way, a locked one and a weld, each alone on its row:
// d lambda = -dg / G where u = 0, and nothing elsewhere.
Test(derivative, of_joint_rows) {
    ts_arena arena = {0};
    enum { N = 6 };
    const ts_block block[N] = {{TS_SET_HALF_LINE, 0, 1, 0, 0, 0}, {TS_SET_HALF_LINE, 1, 1, 0, 0, 0},
                               {TS_SET_BOX, 2, 1, 0, -1, 1},      {TS_SET_BOX, 3, 1, 0, -1, 1},
                               {TS_SET_BOX, 4, 1, 0, 0, 0},       {TS_SET_FREE, 5, 1, 0, 0, 0}};
    const int block_row[N + 1] = {0, 1, 2, 3, 4, 5, 6};
    const double lambda[N] = {2, 0, 0.25, -1, 0, -7}, u[N] = {0, 1, 0, 3, 5, 0},
                 expected[N] = {-1, 0, -0.25, 0, 0, -0.125};
    const double du[N] = {4, 4, 1, 1, 1, 1}, diagonal[N] = {4, 4, 4, 4, 8, 8};
    double G[N * N] = {0}, g[N], out[N], bar[N] = {1, 1, 1, 1, 1, 1}, g_bar[N];
    for (int i = 0; i < N; ++i) {
        G[(N + 1) * i] = diagonal[i];
        g[i] = u[i] - diagonal[i] * lambda[i];
    }
    ts_contact_problem problem = small(&arena, N, block, block_row, G, g);
    ts_contact_derivative d;
    ts_status status;
    cr_assert_eq(ts_contact_derivative_make(&problem, TS_LAW_NCP, lambda, &zero, &arena, &d, &status), TS_OK, "%s",
                 status.message);
    cr_expect_eq(d.unknowns, 3);
    const ts_contact_mode mode[N] = {TS_MODE_STICK, TS_MODE_OPEN,  TS_MODE_STICK,
                                     TS_MODE_SLIDE, TS_MODE_SLIDE, TS_MODE_STICK};
    cr_assert_eq(ts_contact_derivative_forward(&d, du, NULL, &arena, out, NULL), TS_OK);
    cr_assert_eq(ts_contact_derivative_reverse(&d, bar, &arena, g_bar, NULL, NULL), TS_OK);
    for (int i = 0; i < N; ++i) {
        cr_expect_eq(d.mode[i], mode[i], "row %d", i);
        cr_expect_float_eq(out[i], expected[i], 1e-15, "row %d: %g", i, out[i]);
        cr_expect_float_eq(g_bar[i], expected[i] / du[i], 1e-15, "row %d: %g", i, g_bar[i]);
    }
    ts_arena_free(&arena);
}

// --- Refusals ---

// One block on unit masses with lambda and u as given.
static ts_code make_one(ts_block block, const double* lambda, const double* u, ts_contact_law law, int one_sided,
                        int* out_refused, ts_contact_mode* out_mode) {
    ts_arena arena = {0};
    double G[12 * 12] = {0}, g[12] = {0}, l[12] = {0};
    // In front of it a contact that is open, so that its number is 1.
    ts_block pair[2] = {fixture_cone(0, 0.5), block};
    pair[1].row = 3;
    int block_row[3] = {0, 3, 3 + block.rows}, n = 3 + block.rows;
    for (int i = 0; i < n; ++i) {
        G[(n + 1) * i] = 1.0;
        if (i >= 3) l[i] = lambda[i - 3];
        g[i] = i >= 3 ? u[i - 3] - lambda[i - 3] : i == 2 ? 1.0 : 0.0;
    }
    ts_contact_problem problem = small(&arena, 2, pair, block_row, G, g);
    ts_contact_derivative_tolerance tolerance = zero;
    ts_contact_derivative d;
    ts_status status;
    tolerance.one_sided = one_sided;
    ts_code code = ts_contact_derivative_make(&problem, law, l, &tolerance, &arena, &d, &status);
    *out_refused = d.refused;
    *out_mode = code ? TS_MODE_VIOLATED : d.mode[1];
    ts_arena_free(&arena);
    return code;
}

Test(derivative, refuses_where_there_is_none) {
    const ts_block cone = fixture_cone(0, 0.5), half = {TS_SET_HALF_LINE, 0, 1, 0, 0, 0},
                   box = {TS_SET_BOX, 0, 1, 0, -1, 1}, weld = {TS_SET_FREE, 0, 1, 0, 0, 0},
                   locked = {TS_SET_BOX, 0, 1, 0, 0, 0};
    const struct {
        ts_block block;
        double lambda[3], u[3];
        ts_contact_law law;
        ts_code code;
    } list[] = {
        {cone, {0, 0, 0}, {0.3, 0, 0}, TS_LAW_NCP, TS_ERROR_NUMERIC},    // touches without force
        {cone, {0, 0, 0}, {0.6, 0, 0.3}, TS_LAW_CCP, TS_ERROR_NUMERIC},  // the same, by u_N = mu |u_T|
        {cone, {0, 0, 0}, {0.6, 0, 0.3}, TS_LAW_NCP, TS_OK},             // for the exact law it is open
        {cone, {0, 0.5, 1}, {0, 0, 0}, TS_LAW_NCP, TS_ERROR_NUMERIC},    // about to slip
        {cone, {0, 0.5, 1}, {0, -1e-3, 0}, TS_LAW_NCP, TS_OK},           // slips
        {cone, {0, 0.5, 1}, {0, -1e-3, 0}, TS_LAW_CCP, TS_ERROR_VALUE},  // and would have to lift
        {cone, {0, 0.5, 1}, {0, -1e-3, 5e-4}, TS_LAW_CCP, TS_OK},        // as here
        {cone, {0, 0.5, 1}, {-1e-3, 0, 0}, TS_LAW_NCP, TS_ERROR_VALUE},  // friction across the slip
        {cone, {0, 0.5, 1}, {0, 1e-3, 0}, TS_LAW_NCP, TS_ERROR_VALUE},   // friction along the slip
        {cone, {0, 0.4, 1}, {0, -1e-3, 0}, TS_LAW_NCP, TS_ERROR_VALUE},  // slips inside the cone
        {cone, {0, 0.6, 1}, {0, -1e-3, 0}, TS_LAW_NCP, TS_ERROR_VALUE},  // beyond it
        {cone, {0, 0.6, 0}, {0, -1e-3, 1}, TS_LAW_NCP, TS_ERROR_VALUE},  // friction of nothing
        {cone, {0, 0, -1}, {0, 0, 0}, TS_LAW_NCP, TS_ERROR_VALUE},       // pulls
        {cone, {0, 0, 1}, {0, 0, -1e-3}, TS_LAW_NCP, TS_ERROR_VALUE},    // closes
        {cone, {0, 0, 1}, {0, 0, 1e-3}, TS_LAW_NCP, TS_ERROR_VALUE},     // pushes while it opens
        {cone, {0, 0, NAN}, {0, 0, 0}, TS_LAW_NCP, TS_ERROR_NUMERIC},    //
        {half, {0}, {0}, TS_LAW_NCP, TS_ERROR_NUMERIC},                  //
        {half, {1}, {0}, TS_LAW_NCP, TS_OK},                             //
        {box, {1}, {0}, TS_LAW_NCP, TS_ERROR_NUMERIC},                   // holds with all it has
        {box, {-1}, {0}, TS_LAW_CCP, TS_ERROR_NUMERIC},                  //
        {box, {1}, {1}, TS_LAW_NCP, TS_ERROR_VALUE},                     // pushes the wrong way
        {box, {1}, {-1}, TS_LAW_NCP, TS_OK},                             //
        {box, {0.5}, {1}, TS_LAW_NCP, TS_ERROR_VALUE},                   //
        {box, {1.5}, {-1}, TS_LAW_NCP, TS_ERROR_VALUE},                  //
        {weld, {1}, {1e-3}, TS_LAW_NCP, TS_ERROR_VALUE},                 //
        {locked, {0}, {0}, TS_LAW_NCP, TS_OK},                           // nothing to decide
    };
    for (size_t k = 0; k < sizeof(list) / sizeof(list[0]); ++k) {
        int refused;
        ts_contact_mode mode;
        ts_code code = make_one(list[k].block, list[k].lambda, list[k].u, list[k].law, 0, &refused, &mode);
        cr_expect_eq(code, list[k].code, "%zu: %s", k, ts_code_name(code));
        cr_expect_eq(refused, code == TS_OK ? -1 : 1, "%zu: %d", k, refused);
    }
    const double lambda[3] = {0, 0, 1}, u[3] = {0};
    int refused;
    ts_contact_mode mode;
    cr_expect_eq(make_one(cone, lambda, u, TS_LAW_LCP, 0, &refused, &mode), TS_ERROR_UNSUPPORTED);
    cr_expect_eq(make_one(cone, lambda, u, TS_LAW_RAISIM, 0, &refused, &mode), TS_ERROR_UNSUPPORTED);
}

// Asked for the derivative to one side, what is about to slip holds, and what touches without force is open. What obeys no law has none.
Test(derivative, takes_one_side_where_asked) {
    const ts_block cone = fixture_cone(0, 0.5), half = {TS_SET_HALF_LINE, 0, 1, 0, 0, 0},
                   box = {TS_SET_BOX, 0, 1, 0, -1, 1};
    const struct {
        ts_block block;
        double lambda[3], u[3];
        ts_contact_mode mode;
    } list[] = {
        {cone, {0, 0, 0}, {0.3, 0, 0}, TS_MODE_OPEN},
        {cone, {0, 0.5, 1}, {0, 0, 0}, TS_MODE_STICK},
        {half, {0}, {0}, TS_MODE_OPEN},
        {box, {1}, {0}, TS_MODE_STICK},
        {cone, {0, 0, NAN}, {0}, TS_MODE_VIOLATED},
        {cone, {0, 0.6, 1}, {0, -1e-3, 0}, TS_MODE_VIOLATED},
    };
    for (size_t k = 0; k < sizeof(list) / sizeof(list[0]); ++k) {
        int refused;
        ts_contact_mode mode;
        ts_code code = make_one(list[k].block, list[k].lambda, list[k].u, TS_LAW_NCP, 1, &refused, &mode);
        cr_expect_eq(code == TS_OK, list[k].mode != TS_MODE_VIOLATED, "%zu: %s", k, ts_code_name(code));
        cr_expect_eq(mode, list[k].mode, "%zu: %d", k, (int)mode);
    }
}

// Nothing to find: all open.
Test(derivative, of_nothing_is_nothing) {
    ts_arena arena = {0};
    const double G[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1}, g[3] = {1, 1, 1}, lambda[3] = {0};
    const int block_row[2] = {0, 3};
    const ts_block block = fixture_cone(0, 0.5);
    ts_contact_problem problem = small(&arena, 1, &block, block_row, G, g);
    ts_contact_derivative d;
    double out[3] = {1, 1, 1}, mu_bar = 1.0, mismatch = 1.0;
    cr_assert_eq(ts_contact_derivative_make(&problem, TS_LAW_NCP, lambda, &zero, &arena, &d, NULL), TS_OK);
    cr_expect_eq(d.unknowns, 0);
    cr_assert_eq(ts_contact_derivative_forward(&d, g, g, &arena, out, &mismatch), TS_OK);
    fixture_expect_vector(out, 0, 0, 0, 0.0, "forward");
    cr_expect_eq(mismatch, 0.0);
    out[0] = out[1] = out[2] = 1.0;
    cr_assert_eq(ts_contact_derivative_reverse(&d, g, &arena, out, &mu_bar, &mismatch), TS_OK);
    fixture_expect_vector(out, 0, 0, 0, 0.0, "reverse");
    cr_expect_eq(mu_bar, 0.0);
    ts_arena_free(&arena);
}
