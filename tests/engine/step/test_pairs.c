// The broad stage of a step against every pair of geoms tried, with exact distances where it claims to know better.
#include "tests/engine/engine_fixture.h"

#include "collision/distance/proximity.h"
#include "engine/sim_internal.h"

// Looks: geoms that can touch nothing. With them or without them everything moves alike.
typedef enum looks { WITHOUT_LOOKS, WITH_LOOKS } looks;

static void add_looks(ts_builder* builder, int body) {
    ts_geom_def geom = ts_geom_def_default();
    geom.body = body;
    geom.shape = ts_shape_box(ts_vec3_make(0.5, 0.5, 0.5));
    geom.density = 0.0;
    geom.category = geom.mask = 0;
    cr_assert(ts_builder_add_geom(builder, &geom) >= 0);
}

// A heap of several shapes that falls on a tilted floor: enough geoms for trees. Some only touch some others.
static ts_builder* heap(int count, looks with) {
    ts_builder* builder = ts_builder_create("heap");
    ts_rng rng = ts_rng_make(404, 0);
    fixture_floor(builder, 0.6, 0.2);
    for (int i = 0; i < count; ++i) {
        ts_vec3 p = ts_vec3_make(0.2 * (i % 4) + ts_rng_uniform_in(&rng, -0.03, 0.03),
                                 0.2 * (i / 4 % 4) + ts_rng_uniform_in(&rng, -0.03, 0.03), 0.2 + 0.2 * (i / 16));
        int body = fixture_free_body(builder, p, -1.0, ts_mat3_zero());
        ts_vec3 slab[12];
        for (int k = 0; k < 12; ++k)
            slab[k] = ts_vec3_make(0.1 * cos(k), 0.05 * sin(k) + 0.08 * cos(k), k % 2 ? 0.02 : -0.02);
        ts_hull* hull = NULL;
        cr_assert_eq(ts_hull_build(slab, 12, &hull, NULL), TS_OK);
        cr_assert(ts_builder_add_hull(builder, hull));
        ts_shape shape[] = {ts_shape_box(ts_vec3_make(0.12, 0.06, 0.02)),
                            ts_shape_sphere(0.07),
                            ts_shape_capsule(0.03, 0.1),
                            ts_shape_cylinder(0.08, 0.03),
                            ts_shape_ellipsoid(ts_vec3_make(0.1, 0.05, 0.03)),
                            ts_shape_cone(0.08, 0.06),
                            ts_shape_hull(hull)};
        ts_geom_def geom = ts_geom_def_default();
        geom.body = body;
        geom.shape = shape[i % 7];
        geom.surface.friction = 0.5;
        if (i % 5 == 4) {
            geom.category = 1u << 31 | 1u;
            geom.mask = 1u << 31;
        }
        cr_assert(ts_builder_add_geom(builder, &geom) >= 0);
        if (with == WITH_LOOKS) add_looks(builder, body);
        if (i % 4 == 3) cr_assert(ts_builder_exclude(builder, body - 1, body));
    }
    return builder;
}

// The box around the corners of the box of a shape that is not turned.
static void turned_bounds(const ts_shape* shape, const ts_transform* pose, ts_vec3* out_min, ts_vec3* out_max) {
    ts_vec3 low, high;
    ts_shape_local_box(shape, &low, &high);
    for (int i = 0; i < 8; ++i) {
        ts_vec3 corner = ts_vec3_make(i & 1 ? low.x : high.x, i & 2 ? low.y : high.y, i & 4 ? low.z : high.z);
        corner = ts_transform_point(pose, corner);
        *out_min = i == 0 ? corner : ts_vec3_min(*out_min, corner);
        *out_max = i == 0 ? corner : ts_vec3_max(*out_max, corner);
    }
}

typedef void bounds_of(const ts_shape* shape, const ts_transform* pose, ts_vec3* out_min, ts_vec3* out_max);

// Boxes of the shapes, grown by half the margin.
static int boxes_meet(const ts_sim* sim, int a, int b, bounds_of* bounds) {
    ts_vec3 min[2], max[2];
    int geom[2] = {a, b};
    double grow = 0.5 * sim->options.contact_margin + 1e-12;
    for (int i = 0; i < 2; ++i) {
        bounds(&sim->model->geom[geom[i]].shape, ts_kinematics_geom(&sim->kinematics, geom[i]), &min[i], &max[i]);
        min[i] = ts_vec3_sub(min[i], ts_vec3_make(grow, grow, grow));
        max[i] = ts_vec3_add(max[i], ts_vec3_make(grow, grow, grow));
    }
    for (int k = 0; k < 3; ++k)
        if (ts_vec3_get(min[0], k) > ts_vec3_get(max[1], k) || ts_vec3_get(min[1], k) > ts_vec3_get(max[0], k))
            return 0;
    return 1;
}

static int is_hull(const ts_sim* sim, int geom) { return sim->model->geom[geom].shape.kind == TS_SHAPE_HULL; }

static double gap(const ts_sim* sim, int a, int b) {
    ts_proximity p;
    const ts_geom* geom = sim->model->geom;
    ts_proximity_query(&geom[a].shape, ts_kinematics_geom(&sim->kinematics, a), &geom[b].shape,
                       ts_kinematics_geom(&sim->kinematics, b), NULL, NULL, &p);
    return p.found.upper;
}

Test(pairs, are_those_of_brute_force_but_for_pairs_that_are_apart) {
    fixture f = fixture_start(heap(60, WITH_LOOKS), 1);
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
                kept += given;
                if (!ts_model_geoms_can_touch(sim->model, a, b)) {
                    cr_assert_not(given);
                    continue;
                }
                double apart = gap(sim, a, b);
                cr_assert(given || apart > sim->options.contact_margin, "geoms %d and %d", a, b);
                // Boxes turn with their shapes, and are larger than the least one; that of a hull has axes of its own.
                cr_assert(!given || boxes_meet(sim, a, b, turned_bounds) || is_hull(sim, a) || is_hull(sim, b));
                dropped += !given && boxes_meet(sim, a, b, ts_shape_bounds);
            }
        cr_assert_eq(at, count, "pairs come ascending, once each");
    }
    cr_expect_gt(dropped, 100);
    cr_expect_gt(kept, 1000);
    fixture_end(&f);
}

Test(pairs, what_only_serves_looks_changes_nothing) {
    fixture plain = fixture_start(heap(40, WITHOUT_LOOKS), 1), dressed = fixture_start(heap(40, WITH_LOOKS), 1);
    cr_assert_eq(dressed.sim->model->geom_count, plain.sim->model->geom_count + 40);
    for (int step = 0; step < 200; ++step) {
        fixture_run(&plain, 1);
        fixture_run(&dressed, 1);
        cr_assert_eq(memcmp(plain.sim->qpos, dressed.sim->qpos, (size_t)plain.sim->model->nq * sizeof(double)), 0);
        cr_assert_eq(plain.sim->info.pair_count, dressed.sim->info.pair_count);
    }
    cr_expect_gt(plain.sim->contact_count, 0);
    fixture_end(&plain);
    fixture_end(&dressed);
}

// Only geoms that can touch another one have a box; what hangs together rigidly, or on the world, needs none.
Test(pairs, geoms_that_meet_nobody_have_no_boxes) {
    ts_builder* builder = ts_builder_create("shy");
    ts_geom_def geom = ts_geom_def_default();
    geom.shape = ts_shape_sphere(0.1);
    int body = fixture_free_body(builder, ts_vec3_make(0.0, 0.0, 1.0), -1.0, ts_mat3_zero());
    geom.category = geom.mask = 1;
    geom.body = body;
    cr_assert(ts_builder_add_geom(builder, &geom) >= 0);
    geom.body = 0;
    geom.category = geom.mask = 2;  // the world's own, twice: they meet only each other
    cr_assert(ts_builder_add_geom(builder, &geom) >= 0);
    cr_assert(ts_builder_add_geom(builder, &geom) >= 0);
    geom.category = 4;  // meets nobody's mask
    geom.mask = 8;
    geom.body = body;
    cr_assert(ts_builder_add_geom(builder, &geom) >= 0);
    fixture f = fixture_start(builder, 1);
    cr_expect_eq(ts_sim_storage_of(f.sim)->collider_count, 0);
    fixture_end(&f);
    builder = ts_builder_create("less shy");
    body = fixture_free_body(builder, ts_vec3_make(0.0, 0.0, 1.0), -1.0, ts_mat3_zero());
    geom.body = body;
    geom.category = 1u << 31;
    geom.mask = 0;
    cr_assert(ts_builder_add_geom(builder, &geom) >= 0);
    geom.body = 0;
    geom.category = 0;
    geom.mask = 1u << 31 | 5u;
    cr_assert(ts_builder_add_geom(builder, &geom) >= 0);
    f = fixture_start(builder, 1);
    cr_expect_eq(ts_sim_storage_of(f.sim)->collider_count, 2);
    fixture_end(&f);
}

// What the broad phase remembers must not show: a simulation that jumps back and forth between states, and one that
// never saw another state, go on alike.
Test(pairs, memory_does_not_show) {
    fixture one = fixture_start(heap(60, WITHOUT_LOOKS), 1), two = fixture_start(heap(60, WITHOUT_LOOKS), 3);
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

// The floor's box is not made again in every step, but where another margin is asked for.
Test(pairs, boxes_of_what_is_fixed_follow_the_margin) {
    ts_builder* builder = ts_builder_create("above");
    fixture_floor(builder, 0.0, 0.5);
    ts_geom_def geom = ts_geom_def_default();
    geom.body = fixture_free_body(builder, ts_vec3_make(0.0, 0.0, 0.115), -1.0, ts_mat3_zero());
    geom.shape = ts_shape_box(ts_vec3_make(0.1, 0.1, 0.1));
    cr_assert(ts_builder_add_geom(builder, &geom) >= 0);
    fixture f = fixture_start(builder, 1);
    f.sim->options.gravity = ts_vec3_zero();
    fixture_run(&f, 2);
    cr_expect_eq(f.sim->contact_count, 0);
    f.sim->options.contact_margin = 0.02;
    fixture_run(&f, 1);
    cr_expect_eq(f.sim->contact_count, 4);
    f.sim->options.contact_margin = 0.001;
    fixture_run(&f, 1);
    cr_expect_eq(f.sim->info.pair_count, 0);
    fixture_end(&f);
}
