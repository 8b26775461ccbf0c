// Bodies that do not touch are solved apart: how many groups a step saw, and the same bits for any number of threads.
#include "tests/engine/engine_fixture.h"

enum { COLUMNS = 7, HEIGHT = 3 };

// Columns of boxes on the floor, far from each other, and a ball in the air.
static ts_builder* columns(void) {
    ts_builder* builder = ts_builder_create("columns");
    fixture_floor(builder, 0.8, 0.0);
    for (int c = 0; c < COLUMNS; ++c)
        for (int k = 0; k < HEIGHT; ++k) {
            ts_vec3 p = ts_vec3_make(c + 0.01 * k, 0.003 * c, 0.1 + 0.2 * k);
            int body = fixture_free_body(builder, p, -1.0, ts_mat3_zero());
            fixture_geom(builder, body, ts_shape_box(ts_vec3_make(0.1, 0.1, 0.1)), ts_vec3_zero(), 0.5);
        }
    int ball = fixture_free_body(builder, ts_vec3_make(-3.0, 0.0, 5.0), -1.0, ts_mat3_zero());
    fixture_geom(builder, ball, ts_shape_sphere(0.2), ts_vec3_zero(), 0.5);
    return builder;
}

Test(islands, a_step_tells_how_many_groups_it_solved) {
    fixture f = fixture_start(columns(), 1);
    ts_status status;
    cr_assert_eq(ts_sim_step(f.sim, &status), TS_OK);
    cr_expect_eq(f.sim->info.islands.islands, COLUMNS);
    cr_expect_eq(f.sim->info.islands.largest, f.sim->problem.block_count / COLUMNS);
    cr_expect_leq(f.sim->info.islands.not_converged, COLUMNS);
    cr_expect_eq(f.sim->info.islands.not_converged == 0, f.sim->info.solve.status == TS_SOLVE_CONVERGED);
    fixture_end(&f);
}

Test(islands, threads_do_not_change_bits) {
    uint64_t alone = 0;
    for (int workers = 1; workers <= 4; ++workers) {
        fixture f = fixture_start(columns(), workers);
        fixture_run(&f, 120);
        uint64_t hash = ts_sim_hash(f.sim);
        if (workers == 1) alone = hash;
        cr_expect_eq(hash, alone, "%d workers", workers);
        fixture_end(&f);
    }
}

// Taking the far columns away changes nothing for the first one, as the same numbers go through the same operations.
Test(islands, a_group_does_not_hear_of_the_others) {
    fixture f = fixture_start(columns(), 2);
    fixture_run(&f, 60);
    ts_builder* builder = ts_builder_create("one");
    fixture_floor(builder, 0.8, 0.0);
    for (int k = 0; k < HEIGHT; ++k) {
        int body = fixture_free_body(builder, ts_vec3_make(0.01 * k, 0.0, 0.1 + 0.2 * k), -1.0, ts_mat3_zero());
        fixture_geom(builder, body, ts_shape_box(ts_vec3_make(0.1, 0.1, 0.1)), ts_vec3_zero(), 0.5);
    }
    fixture one = fixture_start(builder, 1);
    fixture_run(&one, 60);
    for (int i = 0; i < 7 * HEIGHT; ++i) cr_expect_eq(one.sim->qpos[i], f.sim->qpos[i], "qpos %d", i);
    fixture_end(&one);
    fixture_end(&f);
}
