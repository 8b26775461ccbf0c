// The broad stage of a step against every pair of geoms tried, with exact distances where it claims to know better.
#include "tests/engine/engine_fixture.h"

#include "collision/distance/proximity.h"

// A heap of several shapes that falls on a tilted floor: enough geoms for trees.
static ts_builder* heap(int count) {
    ts_builder* builder = ts_builder_create("heap");
    ts_rng rng = ts_rng_make(404, 0);
    fixture_floor(builder, 0.6, 0.2);
    for (int i = 0; i < count; ++i) {
        ts_vec3 p = ts_vec3_make(0.2 * (i % 4) + ts_rng_uniform_in(&rng, -0.03, 0.03),
                                 0.2 * (i / 4 % 4) + ts_rng_uniform_in(&rng, -0.03, 0.03), 0.2 + 0.2 * (i / 16));
        int body = fixture_free_body(builder, p, -1.0, ts_mat3_zero());
        ts_shape shape[] = {ts_shape_box(ts_vec3_make(0.12, 0.06, 0.02)),
                            ts_shape_sphere(0.07),
                            ts_shape_capsule(0.03, 0.1),
                            ts_shape_cylinder(0.08, 0.03),
                            ts_shape_ellipsoid(ts_vec3_make(0.1, 0.05, 0.03)),
                            ts_shape_cone(0.08, 0.06)};
        fixture_geom(builder, body, shape[i % 6], ts_vec3_zero(), 0.5);
    }
    return builder;
}

// Boxes of the shapes, grown by half the margin.
static int boxes_meet(const ts_sim* sim, int a, int b) {
    ts_vec3 min[2], max[2];
    int geom[2] = {a, b};
    double grow = 0.5 * sim->options.contact_margin;
    for (int i = 0; i < 2; ++i) {
        ts_shape_bounds(&sim->model->geom[geom[i]].shape, &sim->geom_pose[geom[i]], &min[i], &max[i]);
        min[i] = ts_vec3_sub(min[i], ts_vec3_make(grow, grow, grow));
        max[i] = ts_vec3_add(max[i], ts_vec3_make(grow, grow, grow));
    }
    for (int k = 0; k < 3; ++k)
        if (ts_vec3_get(min[0], k) > ts_vec3_get(max[1], k) || ts_vec3_get(min[1], k) > ts_vec3_get(max[0], k))
            return 0;
    return 1;
}

static double gap(const ts_sim* sim, int a, int b) {
    ts_proximity p;
    const ts_geom* geom = sim->model->geom;
    ts_proximity_query(&geom[a].shape, &sim->geom_pose[a], &geom[b].shape, &sim->geom_pose[b], NULL, NULL, &p);
    return p.upper;
}

Test(pairs, are_those_of_brute_force_but_for_pairs_that_are_apart) {
    fixture f = fixture_start(heap(60), 1);
    ts_sim* sim = f.sim;
    int dropped = 0, kept = 0;
    for (int step = 0; step < 300; ++step) {
        fixture_run(&f, 1);
        if (step % 10) continue;
        ts_pair* pairs = NULL;
        int count = 0, at = 0;
        ts_step_kinematics(sim);
        cr_assert_eq(ts_step_broad_phase(sim, &pairs, &count), TS_OK);
        for (int a = 0; a < sim->model->geom_count; ++a)
            for (int b = a + 1; b < sim->model->geom_count; ++b) {
                int given = at < count && pairs[at].first == a && pairs[at].second == b;
                at += given;
                if (!boxes_meet(sim, a, b)) {
                    cr_assert_not(given);
                    continue;
                }
                kept += given;
                if (given) continue;
                ++dropped;
                cr_assert_gt(gap(sim, a, b), sim->options.contact_margin, "geoms %d and %d", a, b);
            }
        cr_assert_eq(at, count, "pairs come ascending, once each");
    }
    cr_expect_gt(dropped, 100);
    cr_expect_gt(kept, 1000);
    fixture_end(&f);
}

// What the broad phase remembers must not show: a simulation that jumps back and forth between states, and one that
// never saw another state, go on alike.
Test(pairs, memory_does_not_show) {
    fixture one = fixture_start(heap(60), 1), two = fixture_start(heap(60), 3);
    ts_snapshot early, late;
    ts_status status;
    memset(&early, 0, sizeof early);
    memset(&late, 0, sizeof late);
    fixture_run(&one, 40);
    cr_assert_eq(ts_sim_snapshot(one.sim, &early, &status), TS_OK);
    fixture_run(&one, 200);
    uint64_t hash = ts_sim_hash(one.sim);
    cr_assert_eq(ts_sim_snapshot(one.sim, &late, &status), TS_OK);
    cr_assert_eq(ts_sim_restore(two.sim, &late, &status), TS_OK);
    fixture_run(&two, 3);
    cr_assert_eq(ts_sim_restore(two.sim, &early, &status), TS_OK);
    fixture_run(&two, 200);
    cr_assert_eq(ts_sim_hash(two.sim), hash);
    fixture_run(&one, 5);
    cr_assert_eq(ts_sim_restore(one.sim, &early, &status), TS_OK);
    fixture_run(&one, 200);
    cr_assert_eq(ts_sim_hash(one.sim), hash);
    ts_snapshot_free(&early);
    ts_snapshot_free(&late);
    fixture_end(&one);
    fixture_end(&two);
}

Test(pairs, a_crowd_in_one_place_is_said_to_be_one) {
    enum { COUNT = 3000 };
    ts_builder* builder = ts_builder_create("crowd");
    for (int i = 0; i < COUNT; ++i) {
        int body = fixture_free_body(builder, ts_vec3_zero(), -1.0, ts_mat3_zero());
        fixture_geom(builder, body, ts_shape_sphere(0.1), ts_vec3_zero(), 0.5);
    }
    fixture f = fixture_start(builder, 1);
    ts_status status;
    cr_assert_eq(ts_sim_step(f.sim, &status), TS_ERROR_MEMORY);
    cr_assert(f.sim->info.pair_limit_reached);
    cr_assert_not_null(strstr(status.message, "pairs of geoms"), "%s", status.message);
    cr_assert_lt(f.sim->scratch.peak, 100u << 20);
    // Apart again, it goes on.
    for (int i = 0; i < COUNT; ++i) f.sim->qpos[7 * i] = 0.3 * i;
    fixture_run(&f, 2);
    fixture_end(&f);
}
