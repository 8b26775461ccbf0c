// The recommended solver, and its last resort, on random problems whose answer was chosen first.
//
// G = J M^-1 J^T with J random and not of full rank, masses over six decades, an impulse r and a velocity u that satisfy
// every block's law by construction, and g = u - (G + R) r. So a solution exists, whatever the friction; it need not be
// the only one, so that answers are judged by their residual.
#include "base/rng.h"
#include "contact/island.h"
#include "contact/solvers/newton/homotopy_internal.h"
#include "tests/contact/contact_fixture.h"

enum { MOST = 60, ROWS = 6 * MOST };

#if defined(__SANITIZE_ADDRESS__)
enum { PROBLEMS = 25 };
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
enum { PROBLEMS = 25 };
#else
enum { PROBLEMS = 250 };
#endif
#else
enum { PROBLEMS = 250 };
#endif

typedef struct known {
    int blocks, rows;
    ts_block block[MOST];
    int block_row[MOST + 1];
    double G[ROWS * ROWS];
    double g[ROWS], R[ROWS];
    double J[ROWS * ROWS], inverse_mass[ROWS];
    double r[ROWS], u[ROWS];
} known;

static void choose_blocks(known* k, ts_rng* rng, int mixed, double friction) {
    k->rows = 0;
    for (int b = 0; b < k->blocks; ++b) {
        double pick = mixed ? ts_rng_uniform(rng) : 1.0;
        ts_block block = {.set = TS_SET_CONE, .row = k->rows, .rows = 3};
        if (pick < 0.12) block.set = TS_SET_HALF_LINE;
        if (pick >= 0.12 && pick < 0.24) block.set = TS_SET_BOX;
        if (pick >= 0.24 && pick < 0.3) block.set = TS_SET_FREE;
        if (pick < 0.24) block.rows = 1;
        if (pick >= 0.24 && pick < 0.3) block.rows = 1 + (int)(ts_rng_uniform(rng) * 5.99);
        if (pick >= 0.3 && pick < 0.4) block.rows = 4;
        if (pick >= 0.4 && pick < 0.5) block.rows = 6;
        if (block.set == TS_SET_CONE && ts_rng_uniform(rng) > 0.1) block.mu = friction * ts_rng_uniform(rng);
        k->block[b] = block;
        k->block_row[b] = k->rows;
        k->rows += block.rows;
    }
    k->block_row[k->blocks] = k->rows;
}

// `rank`: columns of J per row.
static void make_operator(known* k, ts_rng* rng, double rank, double spread) {
    int n = k->rows, columns = 1 + (int)(rank * (n - 1));
    double density = ts_rng_uniform_in(rng, 0.05, 1.0);
    for (int j = 0; j < columns; ++j) k->inverse_mass[j] = pow(10.0, ts_rng_uniform_in(rng, -spread, spread));
    for (int i = 0; i < n * columns; ++i) k->J[i] = ts_rng_uniform(rng) < density || n < 12 ? ts_rng_normal(rng) : 0.0;
    for (int i = 0; i < n; ++i)
        for (int c = 0; c <= i; ++c) {
            double sum = 0.0;
            for (int j = 0; j < columns; ++j) sum += k->J[i * columns + j] * k->inverse_mass[j] * k->J[c * columns + j];
            k->G[i * n + c] = k->G[c * n + i] = sum;
        }
}

// Impulse and velocity of a cone: open, sliding, or sticking anywhere in the cone, its boundary included.
static void choose_cone(const ts_block* block, ts_rng* rng, double impulse, double velocity, double* r, double* u) {
    double direction[6] = {0.0}, length = 0.0, pick = ts_rng_uniform(rng);
    for (int i = 0; i < block->rows; ++i)
        if (i != 2) direction[i] = ts_rng_normal(rng);
    for (int i = 0; i < block->rows; ++i) length += direction[i] * direction[i];
    length = sqrt(length);
    double share = pick < 0.5 ? -1.0 : (ts_rng_uniform(rng) < 0.2 ? 1.0 : sqrt(ts_rng_uniform(rng)));
    double slip = pick < 0.5 ? velocity * ts_rng_uniform(rng) : 0.0;
    for (int i = 0; i < block->rows; ++i) {
        if (i != 2) u[i] = slip * direction[i] / length;
        if (i != 2 && pick >= 0.25) r[i] = share * block->mu * impulse * direction[i] / length;
    }
    if (pick < 0.25)
        u[2] = velocity * ts_rng_uniform(rng);
    else
        r[2] = impulse;
}

static void choose_answer(known* k, ts_rng* rng) {
    double typical = pow(10.0, ts_rng_uniform_in(rng, -2.0, 2.0));
    memset(k->r, 0, sizeof(k->r));
    memset(k->u, 0, sizeof(k->u));
    for (int b = 0; b < k->blocks; ++b) {
        ts_block* block = &k->block[b];
        double *r = k->r + block->row, *u = k->u + block->row, pick = ts_rng_uniform(rng);
        double impulse = typical * pow(10.0, ts_rng_uniform_in(rng, -1.0, 1.0));
        double velocity = impulse * k->G[block->row * k->rows + block->row];
        if (block->set == TS_SET_CONE) choose_cone(block, rng, impulse, velocity, r, u);
        if (block->set == TS_SET_HALF_LINE) *(pick < 0.4 ? u : r) = pick < 0.4 ? velocity : impulse;
        for (int i = 0; i < block->rows && block->set == TS_SET_FREE; ++i) r[i] = impulse * ts_rng_normal(rng);
        if (block->set == TS_SET_BOX) {
            block->low = -impulse;
            block->high = 0.5 * impulse;
            r[0] = pick < 0.3 ? block->low : (pick < 0.6 ? block->high : 0.0);
            u[0] = pick < 0.3 ? velocity : (pick < 0.6 ? -velocity : 0.0);
        }
    }
    for (int i = 0; i < k->rows; ++i) {
        double sum = k->R[i] * k->r[i];
        for (int j = 0; j < k->rows; ++j) sum += k->G[i * k->rows + j] * k->r[j];
        k->g[i] = k->u[i] - sum;
    }
}

static void make_known(known* k, ts_rng* rng, int most) {
    k->blocks = 1 + (int)(pow((double)most, ts_rng_uniform(rng)) - 1e-9);
    choose_blocks(k, rng, ts_rng_uniform(rng) < 0.4, ts_rng_uniform(rng) < 0.5 ? 1.0 : 2.0);
    make_operator(k, rng, ts_rng_uniform_in(rng, 0.3, 1.0), ts_rng_uniform_in(rng, 0.0, 3.0));
    int compliant = ts_rng_uniform(rng) < 0.3;
    for (int i = 0; i < k->rows; ++i)
        k->R[i] = compliant && ts_rng_uniform(rng) < 0.5 ? pow(10.0, ts_rng_uniform_in(rng, -6.0, 0.0)) : 0.0;
    choose_answer(k, rng);
}

static int is_admissible(const known* k, const double* impulse) {
    for (int b = 0; b < k->blocks; ++b) {
        const ts_block* block = &k->block[b];
        const double* l = impulse + block->row;
        double tangential = 0.0;
        for (int i = 0; i < block->rows; ++i) {
            if (!isfinite(l[i])) return 0;
            if (i != 2) tangential += l[i] * l[i];
        }
        if (block->set == TS_SET_HALF_LINE && l[0] < 0.0) return 0;
        if (block->set == TS_SET_BOX && (l[0] < block->low || l[0] > block->high)) return 0;
        if (block->set == TS_SET_CONE && !(sqrt(tangential) <= block->mu * l[2] * (1.0 + 1e-12))) return 0;
    }
    return 1;
}

static ts_contact_problem problem_of(known* k, ts_arena* arena) {
    ts_contact_problem problem = {.block_count = k->blocks,
                                  .row_count = k->rows,
                                  .block = k->block,
                                  .delassus = dense_operator(arena, k->blocks, k->block_row, k->G),
                                  .g = k->g,
                                  .R = k->R,
                                  .time_step = 1.0};
    return problem;
}

// One limit for all of them: Criterion loses a few bytes where two limits run at once, which LeakSanitizer reports.
TestSuite(ncp_known, .timeout = 600);

Test(ncp_known, what_was_chosen_meets_every_law) {
    static known k;
    ts_rng rng = ts_rng_make(7, 0);
    for (int i = 0; i < 50; ++i) {
        make_known(&k, &rng, 20);
        ts_arena arena = {0}, scratch = {0};
        ts_contact_problem problem = problem_of(&k, &arena);
        ts_residual residual;
        ts_residual_evaluate(&problem, k.r, &scratch, NULL, &residual);
        cr_expect_leq(residual.natural, 1e-9, "problem %d at %g", i, residual.natural);
        ts_arena_free(&arena);
        ts_arena_free(&scratch);
    }
}

Test(ncp_known, nearly_all_of_them_are_solved) {
    const ts_solver* solver = ts_solver_find("ncp");
    double settings[TS_SOLVER_SETTINGS_BYTES / 8];
    static known k;
    static double impulse[ROWS];
    int reached = 0;
    ts_rng rng = ts_rng_make(8, 0);
    ts_solver_default_settings(solver, settings);
    for (int i = 0; i < PROBLEMS; ++i) {
        make_known(&k, &rng, MOST);
        ts_arena arena = {0}, scratch = {0};
        ts_contact_problem problem = problem_of(&k, &arena);
        memset(impulse, 0, sizeof(impulse));
        ts_solve_report report = ts_island_solve(solver, &problem, settings, NULL, &scratch, impulse, NULL);
        ts_residual residual;
        ts_residual_evaluate(&problem, impulse, &scratch, NULL, &residual);
        reached += residual.natural <= 1e-8;
        cr_expect(is_admissible(&k, impulse), "problem %d", i);
        if (residual.natural > 1e-8)
            cr_expect_neq(report.status, TS_SOLVE_CONVERGED, "problem %d at %g", i, residual.natural);
        ts_arena_free(&arena);
        ts_arena_free(&scratch);
    }
    cr_expect_geq(reached, PROBLEMS - 1, "%d of %d", reached, PROBLEMS);
}

// Each path alone, from beside no impulse at all, without Newton to polish it. Its end is as far from the law as it is
// smooth: where masses differ by 1e6 that can be much in units of the largest impulse, once or twice in a hundred.
Test(ncp_known, smooth_paths_lead_to_answers) {
    static known k;
    static double impulse[ROWS];
    int arrived = 0, answers = 0;
    const int paths = PROBLEMS < 100 ? PROBLEMS : 100;
    ts_rng rng = ts_rng_make(9, 0);
    for (int i = 0; i < paths; ++i) {
        make_known(&k, &rng, 30);
        ts_arena arena = {0}, scratch = {0};
        ts_contact_problem problem = problem_of(&k, &arena);
        memset(impulse, 0, sizeof(impulse));
        ts_homotopy_settings settings = {
            .smoothing = 0.1, .end = 1e-9, .system_limit = 3000, .work_limit = 1e15, .nearness = 0.01, .bend = 0.8};
        ts_homotopy_report report = ts_homotopy_solve(&problem, &settings, &scratch, impulse);
        ts_residual residual;
        ts_residual_evaluate(&problem, impulse, &scratch, NULL, &residual);
        cr_expect(report.ran && is_admissible(&k, impulse), "problem %d", i);
        cr_expect_leq(report.systems, 3000);
        arrived += report.parameter <= 1e-9;
        answers += report.parameter <= 1e-9 && residual.natural <= 1e-7;
        ts_arena_free(&arena);
        ts_arena_free(&scratch);
    }
    cr_expect_geq(arrived, paths * 85 / 100, "%d of %d", arrived, paths);
    cr_expect_geq(answers, arrived - 2, "%d of %d", answers, arrived);
}

// From beside an answer, whose impulses are off by a thousandth of the typical one, the way back is short. What it finds is
// judged by the law alone: it may be another answer.
Test(ncp_known, a_path_beside_an_answer_leads_back) {
    static known k;
    static double impulse[ROWS];
    int arrived = 0, answers = 0;
    const int paths = PROBLEMS < 100 ? PROBLEMS : 100;
    ts_rng rng = ts_rng_make(10, 0);
    for (int i = 0; i < paths; ++i) {
        make_known(&k, &rng, 30);
        ts_arena arena = {0}, scratch = {0};
        ts_contact_problem problem = problem_of(&k, &arena);
        double size = 0.0;
        for (int r = 0; r < k.rows; ++r) size = fmax(size, fabs(k.r[r]));
        for (int r = 0; r < k.rows; ++r) impulse[r] = k.r[r] + 1e-3 * size * ts_rng_normal(&rng);
        ts_homotopy_settings settings = {.smoothing = 0.01,
                                         .proximal = 1e-4,
                                         .end = 1e-7,
                                         .system_limit = 1000,
                                         .work_limit = 1e15,
                                         .nearness = 0.03,
                                         .bend = 0.5};
        ts_homotopy_report report = ts_homotopy_solve(&problem, &settings, &scratch, impulse);
        ts_residual residual;
        ts_residual_evaluate(&problem, impulse, &scratch, NULL, &residual);
        cr_expect(is_admissible(&k, impulse), "problem %d", i);
        cr_expect_leq(report.systems, 1000);
        arrived += report.ran && report.parameter <= 1e-7;
        answers += report.ran && report.parameter <= 1e-7 && residual.natural <= 1e-7;
        // A path with no work to spend stays where it begins.
        settings.work_limit = 0.0;
        report = ts_homotopy_solve(&problem, &settings, &scratch, impulse);
        cr_expect_leq(report.systems, 1);
        cr_expect(is_admissible(&k, impulse), "problem %d", i);
        ts_arena_free(&arena);
        ts_arena_free(&scratch);
    }
    cr_expect_geq(arrived, paths * 60 / 100, "%d of %d", arrived, paths);
    cr_expect_geq(answers, arrived - 1, "%d of %d", answers, arrived);
}
