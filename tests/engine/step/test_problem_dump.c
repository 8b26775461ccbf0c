// A step's problem as a file: what comes back is what was solved, by other solvers too.
#include "tests/engine/engine_fixture.h"

#include <stdlib.h>
#include <unistd.h>

#include "contact/file/fclib.h"
#include "contact/judge/relative.h"
#include "engine/step/certify.h"
#include "scenes/scene_table.h"

static char path[64];

static void make_path(void) { snprintf(path, sizeof path, "/tmp/touchstone-dump-%ld.hdf5", (long)getpid()); }

static void remove_file(void) { unlink(path); }

TestSuite(problem_dump, .init = make_path, .fini = remove_file, .timeout = 120);

static ts_sim* make_sim(ts_loaded_scene* scene, const char* name, int steps) {
    ts_sim* sim = NULL;
    ts_status status;
    cr_assert_eq(ts_scene_load(name, NULL, scene, &status), TS_OK, "%s", status.message);
    cr_assert_eq(ts_sim_create(scene->model, 1, &sim, &status), TS_OK, "%s", status.message);
    cr_assert_eq(ts_sim_set_solver(sim, "ncp", &status), TS_OK, "%s", status.message);
    for (int k = 0; k < steps; ++k) cr_assert_eq(ts_sim_step(sim, &status), TS_OK, "%s", status.message);
    return sim;
}

static void free_sim(ts_sim* sim, ts_loaded_scene* scene) {
    ts_sim_free(sim);
    ts_loaded_scene_free(scene);
}

Test(problem_dump, without_contacts_nothing_is_written) {
    ts_loaded_scene scene;
    ts_status status;
    ts_sim* sim = make_sim(&scene, "double-pendulum", 0);
    cr_expect_eq(ts_problem_dump(sim, "x", path, &status), TS_ERROR_VALUE);
    cr_assert_eq(ts_sim_step(sim, NULL), TS_OK);
    cr_expect_eq(ts_problem_dump(sim, "x", path, &status), TS_ERROR_VALUE);
    cr_expect_not_null(strstr(status.message, "step 1 has no contacts"), "%s", status.message);
    cr_expect_eq(access(path, F_OK), -1);
    free_sim(sim, &scene);
}

#ifdef TS_HAVE_HDF5

Test(problem_dump, the_file_holds_the_step) {
    ts_loaded_scene scene;
    ts_status status;
    ts_sim* sim = make_sim(&scene, "stack-10", 20);
    cr_assert_eq(ts_problem_dump(sim, "stack-10", path, &status), TS_OK, "%s", status.message);
    ts_fclib_problem file;
    cr_assert_eq(ts_fclib_read(path, &file, &status), TS_OK, "%s", status.message);
    const ts_contact_problem *a = &sim->problem, *b = &file.problem;
    cr_assert_eq(a->block_count, b->block_count);
    cr_assert_eq(a->row_count, b->row_count);
    // The same velocity for the step's impulse, to rounding; the file's W has R inside.
    ts_arena arena = {0};
    double* u = TS_ARENA_ARRAY(&arena, double, a->row_count);
    double* v = TS_ARENA_ARRAY(&arena, double, a->row_count);
    a->delassus->ops->apply(a->delassus, sim->impulse, u);
    b->delassus->ops->apply(b->delassus, sim->impulse, v);
    for (int i = 0; i < a->row_count; ++i) {
        double Ru = a->R ? a->R[i] * sim->impulse[i] : 0.0;
        cr_expect_float_eq(u[i] + Ru, v[i], 1e-13);
        cr_expect_eq(a->g[i], b->g[i]);
    }
    for (int i = 0; i < a->block_count; ++i) cr_expect_eq(a->block[i].mu, b->block[i].mu);
    cr_expect_leq(file.asymmetry, 1e-15);
    // And it can be solved: the weight of ten boxes is what the floor carries, whoever counts.
    const ts_solver* solver = ts_solver_find("ncp-newton");
    unsigned char settings[TS_SOLVER_SETTINGS_BYTES];
    ts_solver_default_settings(solver, settings);
    ts_arena scratch = {0};
    ts_relative_report report = ts_relative_solve(solver, b, settings, 1e-8, NULL, &scratch, v);
    cr_expect_eq(report.status, TS_SOLVE_CONVERGED);
    double floor_carries = 0.0, mass = 0.0;
    for (int i = 0; i < sim->contact_count; ++i)
        if (scene.model->body[sim->contact[i].body_a].tree < 0 || scene.model->body[sim->contact[i].body_b].tree < 0)
            floor_carries += v[a->block[sim->contact[i].block].row + 2];
    for (int i = 0; i < scene.model->body_count; ++i)
        mass += scene.model->body[i].tree < 0 ? 0.0 : scene.model->body[i].mass;
    cr_expect_float_eq(floor_carries, mass * 9.81 * a->time_step, 1e-6 * mass * 9.81 * a->time_step);
    ts_arena_free(&scratch);
    ts_arena_free(&arena);
    ts_fclib_free(&file);
    free_sim(sim, &scene);
}

#endif
