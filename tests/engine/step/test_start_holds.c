// Starts that hold are judged and not solved: with the bits of asking the solver.
#include "tests/engine/engine_fixture.h"

enum { STEPS = 600, ROWS = 200 };

// Boxes on each other, the lowest of which slides; the uppermost is set down askew.
static fixture heap(int boxes, double speed) {
    ts_builder* builder = ts_builder_create("heap");
    fixture_floor(builder, 0.0, 0.4);
    for (int i = 0; i < boxes; ++i) {
        int body =
            fixture_free_body(builder, ts_vec3_make(0.03 * (i == boxes - 1), 0.0, 0.1 + 0.2 * i), -1.0, ts_mat3_zero());
        ts_geom_def geom = ts_geom_def_default();
        geom.body = body;
        geom.shape = ts_shape_box(ts_vec3_make(0.1, 0.1, 0.1));
        geom.surface.friction = 0.4;
        cr_assert(ts_builder_add_geom(builder, &geom) >= 0);
    }
    fixture f = fixture_start(builder, 1);
    f.sim->qvel[0] = speed;
    f.sim->qvel[5] = 3.0 * speed;
    return f;
}

// A step against the solver, asked before it. Returns whether the solver said that the start may be good enough.
static int step(fixture* f, int number) {
    ts_arena scratch = {0};
    ts_sim* sim = f->sim;
    ts_solve_report said, report = {.status = TS_SOLVE_CONVERGED};
    double solved[ROWS], kept[ROWS], enough = 0.0;
    cr_assert_eq(ts_sim_forward(sim, NULL), TS_OK);
    int rows = sim->problem.row_count;
    size_t bytes = (size_t)rows * sizeof(double);
    cr_assert_leq(rows, ROWS);
    if (rows > 0) {
        enough = sim->solver->keeps_start(&sim->problem, sim->solver_settings, sim->impulse, kept, &said);
        memcpy(solved, sim->impulse, bytes);
        report = sim->solver->solve(&sim->problem, sim->solver_settings, &scratch, solved);
    }
    fixture_run(f, 1);
    cr_assert_eq(sim->problem.row_count, rows);
    if (rows > 0 && sim->info.islands.islands == 1) {
        cr_assert_arr_eq(sim->impulse, solved, bytes, "step %d", number);
        cr_assert_eq(sim->info.solve.iterations, report.iterations, "step %d", number);
        cr_assert_eq(sim->info.solve.stage, report.stage, "step %d", number);
        cr_assert(enough == 0.0 || report.iterations > 0 || memcmp(&said, &report, sizeof said) == 0);
    }
    for (int i = 0; i < sim->contact_count; ++i)
        cr_assert_arr_eq(&sim->contact[i].impulse, sim->impulse + 3 * sim->contact[i].block, sizeof(ts_vec3));
    ts_arena_free(&scratch);
    return enough > 0.0;
}

// Of so many steps starts may be good enough, and of so many of these at least they are not.
static void run(int boxes, double speed, int least, int not_good) {
    fixture f = heap(boxes, speed);
    int may = 0, solved = 0;
    for (int i = 0; i < STEPS; ++i) {
        int said = step(&f, i);
        may += said;
        solved += said && f.sim->info.solve.iterations > 0;
    }
    cr_expect_geq(may, least, "%d", may);
    cr_expect_geq(solved, not_good, "%d", solved);
    fixture_end(&f);
}

Test(start_holds, of_a_box_that_stands) { run(1, 0.0, STEPS / 2, 0); }

Test(start_holds, of_a_box_that_slides_and_stops) { run(1, 0.8, STEPS / 4, 1); }

Test(start_holds, of_a_heap_that_comes_to_rest) { run(4, 0.5, STEPS / 10, 1); }
