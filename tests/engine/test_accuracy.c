// Accuracies by name: what they promise holds in every step, and names that nobody knows are refused.
#include "scenes/scene_table.h"
#include "tests/engine/engine_fixture.h"

static ts_sim* start(const char* name, const char* accuracy, ts_loaded_scene* out_scene) {
    ts_status status;
    ts_sim* sim = NULL;
    cr_assert_eq(ts_scene_load(name, NULL, out_scene, &status), TS_OK, "%s", status.message);
    cr_assert_eq(ts_sim_create(out_scene->model, 1, &sim, &status), TS_OK, "%s", status.message);
    cr_assert_eq(ts_sim_set(sim, "tolerance", "-1", &status), TS_OK);
    cr_assert_eq(ts_sim_set(sim, "iterations", "-1", &status), TS_OK);
    cr_assert_eq(ts_sim_set(sim, "solver", "ncp", &status), TS_OK);
    cr_assert_eq(ts_sim_set(sim, "accuracy", accuracy, &status), TS_OK, "%s", status.message);
    return sim;
}

static void end(ts_sim* sim, ts_loaded_scene* scene) {
    ts_sim_free(sim);
    ts_loaded_scene_free(scene);
}

Test(accuracy, balanced_is_a_ten_thousandth) {
    ts_loaded_scene scene;
    ts_sim* sim = start("pyramid:6", "balanced", &scene);
    for (int i = 0; i < 60; ++i) {
        cr_assert_eq(ts_sim_step(sim, NULL), TS_OK);
        cr_expect_eq(sim->info.solve.status, TS_SOLVE_CONVERGED);
        cr_expect_leq(sim->info.unmet, 1e-4);
    }
    end(sim, &scene);
}

// However hard the step, the work is bounded, and what was reached is said.
Test(accuracy, fast_is_bounded) {
    ts_loaded_scene scene;
    ts_sim* sim = start("pile-boxes:60", "fast", &scene);
    int short_of_it = 0, there = 0;
    for (int i = 0; i < 250; ++i) {
        cr_assert_eq(ts_sim_step(sim, NULL), TS_OK);
        cr_expect_leq(sim->info.solve.iterations, 30);
        there += sim->info.solve.status == TS_SOLVE_CONVERGED;
        short_of_it += sim->info.solve.status == TS_SOLVE_ITERATION_LIMIT;
        cr_expect_eq(sim->info.solve.status == TS_SOLVE_CONVERGED, sim->info.unmet <= 1e-4, "%g", sim->info.unmet);
    }
    cr_expect_gt(there, 0);
    cr_expect_gt(short_of_it, 0, "nothing was hard");
    end(sim, &scene);
}

// The next step goes on from where the last one was cut off: ten boxes stand.
Test(accuracy, fast_adds_up_over_steps) {
    ts_loaded_scene scene;
    ts_sim* sim = start("stack-10", "fast", &scene);
    for (int i = 0; i < 1000; ++i) cr_assert_eq(ts_sim_step(sim, NULL), TS_OK);
    for (int j = 0; j < sim->model->joint_count; ++j) {
        int q = sim->model->joint[j].qpos_first + 2;
        cr_expect_float_eq(sim->qpos[q], sim->model->qpos0[q], 1e-3, "box %d", j);
    }
    end(sim, &scene);
}

Test(accuracy, is_a_setting_of_solvers_that_have_it) {
    ts_loaded_scene scene;
    ts_status status;
    ts_sim* sim = start("stack-10", "fast", &scene);
    cr_expect_eq(ts_solver_get(sim->solver, sim->solver_settings, "tolerance"), 1e-4);
    // What the options say goes before it, and -1 gives it back.
    cr_assert_eq(ts_sim_set(sim, "tolerance", "1e-6", &status), TS_OK);
    cr_expect_eq(ts_solver_get(sim->solver, sim->solver_settings, "tolerance"), 1e-6);
    cr_assert_eq(ts_sim_set(sim, "tolerance", "-1", &status), TS_OK);
    cr_expect_eq(ts_solver_get(sim->solver, sim->solver_settings, "tolerance"), 1e-4);
    cr_assert_eq(ts_sim_set(sim, "accuracy", "exact", &status), TS_OK);
    cr_expect_eq(ts_solver_get(sim->solver, sim->solver_settings, "tolerance"), 1e-8);
    cr_expect_eq(ts_sim_set(sim, "accuracy", "rough", &status), TS_ERROR_VALUE);
    cr_expect(strstr(status.message, "exact, balanced, fast") != NULL, "%s", status.message);
    cr_expect_str_eq(sim->options.accuracy, "exact");
    // A solver without any keeps its defaults.
    cr_assert_eq(ts_sim_set(sim, "solver", "ncp-pgs", &status), TS_OK);
    double usual = ts_solver_get(sim->solver, sim->solver_settings, "tolerance");
    cr_assert_eq(ts_sim_set(sim, "accuracy", "fast", &status), TS_OK);
    cr_expect_eq(ts_solver_get(sim->solver, sim->solver_settings, "tolerance"), usual);
    end(sim, &scene);
}
