// What every solver of the table promises, whatever the problem: labels that mean what they say, impulses that are
// finite and inside their sets, no more scratch than announced, and starts that cost nothing but time. Judged from
// outside, on random problems of all sets, with and without compliance, with dependent rows and rows that nothing
// moves, through every kind of operator. Solvable or not makes no difference here: only the labels do.
#include "base/scalar.h"
#include "tests/contact/contact_fixture.h"

enum { BLOCKS = 12, ROWS = 6 * BLOCKS, DOF = 30, PROBLEMS = 100 };

enum { OPERATOR_BLOCKS, OPERATOR_VELOCITY, OPERATOR_KINDS };

typedef struct sample {
    int blocks, rows;
    ts_block block[BLOCKS];
    int block_row[BLOCKS + 1];
    double J[ROWS * DOF];
    double Y[ROWS * DOF];
    double G[ROWS * ROWS];
    double g[ROWS];
    double R[ROWS];
    int compliant;
} sample;

static ts_block random_block(ts_rng* rng, int row) {
    static const int cone_rows[4] = {3, 3, 4, 6};
    ts_block b = {.row = row, .rows = 1};
    double pick = ts_rng_uniform(rng);
    if (pick < 0.15) {
        b.set = TS_SET_HALF_LINE;
    } else if (pick < 0.3) {
        b.set = TS_SET_BOX;
        b.low = ts_rng_uniform(rng) < 0.3 ? -HUGE_VAL : -0.02 * ts_rng_uniform(rng);
        b.high = ts_rng_uniform(rng) < 0.3 ? HUGE_VAL : 0.02 * ts_rng_uniform(rng);
        // Some boxes do not hold zero, and some are a single point.
        if (ts_rng_uniform(rng) < 0.2) b.low = b.high = 0.01;
    } else if (pick < 0.4) {
        b.set = TS_SET_FREE;
        b.rows = 1 + (int)(ts_rng_uniform(rng) * 6.0);
    } else {
        b.set = TS_SET_CONE;
        b.rows = cone_rows[(int)(ts_rng_uniform(rng) * 4.0)];
        b.mu = ts_rng_uniform(rng) < 0.15 ? 0.0 : 1.2 * ts_rng_uniform(rng);
    }
    return b;
}

// Rows of J are Gaussian on a few coordinates each; some repeat earlier ones (dependent), some are zero (nothing
// moves).
static void fill_rows(sample* s, ts_rng* rng, int dof, double spread) {
    double inverse_mass[DOF];
    for (int j = 0; j < dof; ++j) inverse_mass[j] = pow(10.0, ts_rng_uniform_in(rng, -spread, spread));
    for (int b = 0; b < s->blocks; ++b) {
        const ts_block* block = &s->block[b];
        double kind = ts_rng_uniform(rng);
        // Half of those that nothing moves are forced apart or pulled along all the same: no impulse meets a law then.
        int of = b > 0 ? (int)(ts_rng_uniform(rng) * b) : 0;
        int repeated = kind < 0.2 && b > 0 && s->block[of].rows >= block->rows, still = kind > 0.95;
        for (int i = block->row; i < block->row + block->rows; ++i) {
            int loose = ts_rng_uniform(rng) < 0.03;
            for (int j = 0; j < dof; ++j) {
                double x = ts_rng_uniform(rng) < 0.4 ? ts_rng_normal(rng) : 0.0;
                if (repeated) x = s->J[(s->block[of].row + i - block->row) * DOF + j];
                s->J[i * DOF + j] = still || loose ? 0.0 : x;
                s->Y[i * DOF + j] = s->J[i * DOF + j] * inverse_mass[j];
            }
            for (int j = 0; j < dof && ts_rng_uniform(rng) < 0.9; ++j) s->g[i] += 0.05 * s->J[i * DOF + j];
            s->g[i] += still && kind < 0.975 ? 0.0 : 0.02 * ts_rng_normal(rng);
        }
    }
}

static void make_sample(sample* s, ts_rng* rng) {
    memset(s, 0, sizeof *s);
    s->blocks = 1 + (int)(ts_rng_uniform(rng) * BLOCKS);
    for (int b = 0; b < s->blocks; ++b) {
        s->block[b] = random_block(rng, s->rows);
        s->rows += s->block[b].rows;
        s->block_row[b + 1] = s->rows;
    }
    int dof = 1 + (int)(ts_rng_uniform(rng) * DOF);
    fill_rows(s, rng, dof, 2.0 * ts_rng_uniform(rng));
    for (int i = 0; i < s->rows; ++i)
        for (int k = 0; k <= i; ++k) {
            double sum = 0.0;
            for (int j = 0; j < dof; ++j) sum += s->J[i * DOF + j] * s->Y[k * DOF + j];
            s->G[i * s->rows + k] = s->G[k * s->rows + i] = sum;
        }
    s->compliant = ts_rng_uniform(rng) < 0.4;
    for (int i = 0; i < s->rows; ++i)
        s->R[i] = ts_rng_uniform(rng) < 0.3 ? 0.0 : pow(10.0, ts_rng_uniform_in(rng, -6.0, 0.0));
}

// The same matrix behind another operator.
static ts_delassus* make_operator(const sample* s, int kind, ts_arena* arena) {
    if (kind == OPERATOR_BLOCKS) return dense_operator(arena, s->blocks, s->block_row, s->G);
    static int start[BLOCKS + 1];
    static ts_delassus_segment segment[BLOCKS];
    for (int b = 0; b < s->blocks; ++b) {
        // Rows of DOF columns are copied as they are, zero columns and all.
        ts_delassus_segment piece = {0, DOF, s->J + s->block[b].row * DOF, s->Y + s->block[b].row * DOF};
        segment[b] = piece;
        start[b + 1] = b + 1;
    }
    return ts_delassus_velocity_form(arena, DOF, s->blocks, s->block_row, start, segment);
}

// By how much an impulse lies outside the sets of the solver's law, written down here once more.
static double outside(const sample* s, ts_contact_law law, const double* lambda) {
    double most = 0.0;
    for (int b = 0; b < s->blocks; ++b) {
        const ts_block* block = &s->block[b];
        const double* l = lambda + block->row;
        if (block->set == TS_SET_HALF_LINE) most = fmax(most, -l[0]);
        if (block->set == TS_SET_BOX) most = fmax(most, fmax(block->low - l[0], l[0] - block->high));
        if (block->set != TS_SET_CONE) continue;
        double squares = 0.0, widest = 0.0;
        int facets = ts_contact_law_facets(law);
        for (int i = 0; i < facets; ++i)
            widest = fmax(widest, l[0] * cos(2.0 * TS_PI * i / facets) + l[1] * sin(2.0 * TS_PI * i / facets));
        for (int r = 0; r < block->rows; ++r) {
            if (r == 2) continue;
            squares += l[r] * l[r];
            if (r > 2) widest = fmax(widest, fabs(l[r]));
        }
        most = fmax(most, -l[2]);
        most = fmax(most, (facets ? widest : sqrt(squares)) - block->mu * fmax(l[2], 0.0));
    }
    return most;
}

enum { START_ZERO, START_RANDOM, START_NAN, START_INFINITE, START_HUGE, STARTS };

static void make_start(int kind, ts_rng* rng, int rows, double* out_start) {
    for (int i = 0; i < rows; ++i) out_start[i] = kind == START_ZERO ? 0.0 : 0.01 * ts_rng_normal(rng);
    int at = (int)(ts_rng_uniform(rng) * rows);
    if (kind == START_NAN) out_start[at] = (double)NAN;
    if (kind == START_INFINITE) out_start[at] = HUGE_VAL;
    if (kind == START_HUGE)
        for (int i = 0; i < rows; ++i) out_start[i] *= 1e200;
}

static double largest(const double* x, int count) {
    double most = 0.0;
    for (int i = 0; i < count; ++i) most = fmax(most, fabs(x[i]));
    return most;
}

// How many times too large the error is, recomputed: of the law as the solver softens it.
static double excess_of(const ts_solver* solver, const ts_contact_problem* problem, const fixture_settings* settings,
                        const double* lambda) {
    double R[ROWS], u[ROWS];
    ts_contact_problem softened = *problem;
    if (solver->compliance) {
        solver->compliance(problem, settings, R);
        softened.R = R;
    }
    ts_yardstick yardstick = ts_yardstick_make(&softened, solver->law, ts_solver_goal(&settings->shared));
    ts_contact_problem_velocity(&softened, lambda, u);
    return ts_yardstick_excess(&yardstick, lambda, u);
}

// One solve, and everything that must hold of it. Its scratch begins as an empty arena, which grows; it is given back; and
// once the arena has learnt how much is needed the same solve touches the heap no more and gives the same bits.
static ts_solve_status solve_and_check(const ts_solver* solver, const sample* s, int kind,
                                       const fixture_settings* settings, const double* start, int number,
                                       double* out_lambda) {
    ts_arena arena = {0}, scratch = {0}, judge = {0};
    ts_contact_problem problem = {.block_count = s->blocks,
                                  .row_count = s->rows,
                                  .block = s->block,
                                  .delassus = make_operator(s, kind, &arena),
                                  .g = s->g,
                                  .R = s->compliant ? s->R : NULL,
                                  .time_step = TIME_STEP};
    cr_assert_not_null(problem.delassus);
    memcpy(out_lambda, start, (size_t)s->rows * sizeof(double));
    ts_solve_report report = solver->solve(&problem, settings, &scratch, out_lambda);
    cr_expect_eq(scratch.used, 0u, "%s keeps scratch", solver->name);
    ts_arena_reset(&scratch);
    const struct ts_arena_chunk* chunk = scratch.chunk;
    double again[ROWS];
    memcpy(again, start, (size_t)s->rows * sizeof(double));
    solver->solve(&problem, settings, &scratch, again);
    cr_expect_eq(scratch.chunk, chunk, "%s, problem %d: the arena had to grow again", solver->name, number);
    cr_expect_eq(scratch.used, 0u, "%s keeps scratch", solver->name);
    cr_expect_eq(memcmp(again, out_lambda, (size_t)s->rows * sizeof(double)), 0, "%s, problem %d: other bits",
                 solver->name, number);

    double load = largest(out_lambda, s->rows);
    for (int i = 0; i < s->rows; ++i)
        cr_expect(isfinite(out_lambda[i]), "%s, problem %d, row %d: %g", solver->name, number, i, out_lambda[i]);
    double excess = excess_of(solver, &problem, settings, out_lambda);
    // Velocities are summed in another order here; the largest terms of a sum are load times stiffness.
    double stiffest = largest(s->G, s->rows * s->rows) + (s->compliant ? 1.0 : 0.0);
    double noise = 1e-14 * s->rows * (1.0 + load) * (load * stiffest + 1.0) / (TIME_STEP * TIME_STEP);
    cr_expect_leq(outside(s, solver->law, out_lambda), 1e-12 * (load + 1e-3), "%s, problem %d, %s: %g outside, %s",
                  solver->name, number, kind == OPERATOR_BLOCKS ? "blocks" : "velocity",
                  outside(s, solver->law, out_lambda), ts_solve_status_name(report.status));
    noise /= settings->shared.force > 0.0 ? settings->shared.force : settings->shared.tolerance;
    if (report.status == TS_SOLVE_CONVERGED)
        cr_expect_leq(excess, 1.001 + noise, "%s, problem %d is called converged at %g", solver->name, number, excess);
    else
        cr_expect_gt(excess, 0.999 - noise, "%s, problem %d: %s at %g, which is enough", solver->name, number,
                     ts_solve_status_name(report.status), excess);
    int limit = settings->shared.iteration_limit;
    if (report.status == TS_SOLVE_ITERATION_LIMIT)
        cr_expect_geq(report.iterations, limit, "%s, problem %d: limit after %d of %d", solver->name, number,
                      report.iterations, limit);
    ts_arena_free(&arena);
    ts_arena_free(&scratch);
    ts_arena_free(&judge);
    return report.status;
}

static void check_solver(int index) {
    static const int limits[4] = {1, 7, 60, 600};
    static const double tolerances[3] = {1e-7, 1e-4, 1e-1};
    const ts_solver* solver = ts_solver_at(index);
    ts_rng rng = ts_rng_make(93, 0);
    int ended[4] = {0};
    for (int k = 0; k < PROBLEMS; ++k) {
        static sample s;
        double start[ROWS], lambda[ROWS];
        make_sample(&s, &rng);
        make_start(k % STARTS, &rng, s.rows, start);
        fixture_settings settings = fixture_settings_of(solver, tolerances[k % 3], limits[k % 4]);
        settings.shared.stall = 1e-12;
        // By the absolute tolerance, by the relative one, by both.
        if (k % 3 > 0) settings.shared.tolerance = 1e-9;
        if (k % 3 == 1) settings.shared.force = 0.0;
        ++ended[solve_and_check(solver, &s, k % OPERATOR_KINDS, &settings, start, k, lambda)];
    }
    // All numbers are finite and all operators able.
    cr_expect_eq(ended[TS_SOLVE_FAILED], 0, "%s: %d failed", solver->name, ended[TS_SOLVE_FAILED]);
    // Otherwise nothing was seen of what the labels mean.
    cr_expect_geq(ended[TS_SOLVE_CONVERGED], 5, "%s: %d", solver->name, ended[TS_SOLVE_CONVERGED]);
    // What is explicit is there at once.
    if (solver->law == TS_LAW_EXPLICIT)
        cr_expect_eq(ended[TS_SOLVE_CONVERGED], PROBLEMS);
    else
        cr_expect_geq(PROBLEMS - ended[TS_SOLVE_CONVERGED], 5, "%s: %d", solver->name, ended[TS_SOLVE_CONVERGED]);
    cr_log_info("%s: %d converged, %d stalled, %d at the limit, %d failed", solver->name, ended[0], ended[1], ended[2],
                ended[3]);
}

Test(contract, labels_sets_scratch_and_starts_of_every_solver, .timeout = 300) {
    for (int k = 0; k < ts_solver_count(); ++k) check_solver(k);
}
