// The recommended solver, and its last resort, on random problems whose answer was chosen first (bench/contact_random.c):
// masses over six decades, operators not of full rank, sets of all kinds. The answer need not be the only one, so that
// what is found is judged by its residual.
#include "base/rng.h"
#include "bench/contact_random.h"
#include "contact/island.h"
#include "contact/solvers/newton/homotopy_internal.h"
#include "tests/contact/contact_fixture.h"
#include "tests/contact/solvers/admissible.h"

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

// One limit for all of them: Criterion loses a few bytes where two limits run at once, which LeakSanitizer reports.
TestSuite(ncp_known, .timeout = 600);

Test(ncp_known, what_was_chosen_meets_every_law) {
    ts_random_known k;
    ts_rng rng = ts_rng_make(7, 0);
    for (int i = 0; i < 50; ++i) {
        ts_arena arena = {0}, scratch = {0};
        cr_assert(ts_random_known_make(&rng, 20, &arena, &k));
        ts_residual residual;
        ts_residual_evaluate(&k.problem, k.impulse, &scratch, NULL, &residual);
        cr_expect_leq(residual.natural, 1e-9, "problem %d at %g", i, residual.natural);
        ts_arena_free(&arena);
        ts_arena_free(&scratch);
    }
}

Test(ncp_known, nearly_all_of_them_are_solved) {
    const ts_solver* solver = ts_solver_find("ncp");
    double settings[TS_SOLVER_SETTINGS_BYTES / 8];
    ts_random_known k;
    static double impulse[ROWS];
    int reached = 0;
    ts_rng rng = ts_rng_make(8, 0);
    ts_solver_default_settings(solver, settings);
    for (int i = 0; i < PROBLEMS; ++i) {
        ts_arena arena = {0}, scratch = {0};
        cr_assert(ts_random_known_make(&rng, MOST, &arena, &k));
        memset(impulse, 0, sizeof(impulse));
        ts_solve_report report = ts_island_solve(solver, &k.problem, NULL, settings, NULL, &scratch, impulse, NULL);
        ts_residual residual;
        ts_residual_evaluate(&k.problem, impulse, &scratch, NULL, &residual);
        reached += residual.natural <= 1e-8;
        cr_expect(is_admissible(&k.problem, impulse), "problem %d", i);
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
    ts_random_known k;
    static double impulse[ROWS];
    int arrived = 0, answers = 0;
    const int paths = PROBLEMS < 100 ? PROBLEMS : 100;
    ts_rng rng = ts_rng_make(9, 0);
    for (int i = 0; i < paths; ++i) {
        ts_arena arena = {0}, scratch = {0};
        cr_assert(ts_random_known_make(&rng, 30, &arena, &k));
        memset(impulse, 0, sizeof(impulse));
        ts_homotopy_settings settings = {
            .smoothing = 0.1, .end = 1e-9, .system_limit = 3000, .work_limit = 1e15, .nearness = 0.01, .bend = 0.8};
        ts_homotopy_report report = ts_homotopy_solve(&k.problem, &settings, &scratch, impulse);
        ts_residual residual;
        ts_residual_evaluate(&k.problem, impulse, &scratch, NULL, &residual);
        cr_expect(report.ran && is_admissible(&k.problem, impulse), "problem %d", i);
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
    ts_random_known k;
    static double impulse[ROWS];
    int arrived = 0, answers = 0;
    const int paths = PROBLEMS < 100 ? PROBLEMS : 100;
    ts_rng rng = ts_rng_make(10, 0);
    for (int i = 0; i < paths; ++i) {
        ts_arena arena = {0}, scratch = {0};
        cr_assert(ts_random_known_make(&rng, 30, &arena, &k));
        double size = 0.0;
        for (int r = 0; r < k.problem.row_count; ++r) size = fmax(size, fabs(k.impulse[r]));
        for (int r = 0; r < k.problem.row_count; ++r) impulse[r] = k.impulse[r] + 1e-3 * size * ts_rng_normal(&rng);
        ts_homotopy_settings settings = {.smoothing = 1.0,
                                         .proximal = 1e-4,
                                         .end = 1e-7,
                                         .system_limit = 1000,
                                         .work_limit = 1e15,
                                         .nearness = 0.03,
                                         .bend = 0.5};
        ts_homotopy_report report = ts_homotopy_solve(&k.problem, &settings, &scratch, impulse);
        ts_residual residual;
        ts_residual_evaluate(&k.problem, impulse, &scratch, NULL, &residual);
        cr_expect(is_admissible(&k.problem, impulse), "problem %d", i);
        cr_expect_leq(report.systems, 1000);
        arrived += report.ran && report.parameter <= 1e-7;
        answers += report.ran && report.parameter <= 1e-7 && residual.natural <= 1e-7;
        // A path with no work to spend stays where it begins.
        settings.work_limit = 0.0;
        report = ts_homotopy_solve(&k.problem, &settings, &scratch, impulse);
        cr_expect_leq(report.systems, 1);
        cr_expect(is_admissible(&k.problem, impulse), "problem %d", i);
        ts_arena_free(&arena);
        ts_arena_free(&scratch);
    }
    cr_expect_geq(arrived, paths * 60 / 100, "%d of %d", arrived, paths);
    cr_expect_geq(answers, arrived - 1, "%d of %d", answers, arrived);
}
