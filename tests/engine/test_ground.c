// Bodies on the other kinds of ground: height fields and compounds carry what a plane carries, and sliding does not trip.
#include "tests/engine/engine_fixture.h"

#include "collision/shape/compound.h"
#include "collision/shape/height_field.h"

static ts_height_field* level_field(void) {
    double height[21 * 21] = {0.0};
    ts_height_field* field = NULL;
    cr_assert_eq(ts_height_field_build(height, 21, 21, 0.25, 0.25, -1.0, &field, NULL), TS_OK);
    return field;
}

static ts_compound* tiles(void) {
    ts_compound_child tile[25];
    for (int i = 0; i < 25; ++i) {
        tile[i].shape = ts_shape_box(ts_vec3_make(0.5, 0.5, 0.5));
        tile[i].placed = ts_transform_identity();
        tile[i].placed.p = ts_vec3_make(i % 5 - 2.0, i / 5 - 2.0, -0.5);
    }
    ts_compound* compound = NULL;
    cr_assert_eq(ts_compound_build(tile, 25, &compound, NULL), TS_OK);
    return compound;
}

static int free_shape(ts_builder* builder, ts_vec3 position, ts_shape shape, double mu) {
    int body = fixture_free_body(builder, position, 0.0, ts_mat3_zero());
    fixture_geom(builder, body, shape, ts_vec3_zero(), mu);
    return body;
}

// One of each, dropped from 5 mm, at rest after two seconds where it was dropped.
Test(ground, bodies_come_to_rest) {
    ts_height_field* field = level_field();
    ts_compound* compound = tiles();
    ts_hull* brick = NULL;
    ts_vec3 corner[8];
    for (int i = 0; i < 8; ++i)
        corner[i] = ts_vec3_make(i & 1 ? 0.1 : -0.1, i & 2 ? 0.08 : -0.08, i & 4 ? 0.06 : -0.06);
    cr_assert_eq(ts_hull_build(corner, 8, &brick, NULL), TS_OK);
    const ts_shape shape[6] = {ts_shape_box(ts_vec3_make(0.1, 0.12, 0.08)),
                               ts_shape_cylinder(0.1, 0.1),
                               ts_shape_cone(0.12, 0.1),
                               ts_shape_hull(brick),
                               ts_shape_rounded(ts_shape_box(ts_vec3_make(0.08, 0.08, 0.05)), 0.02),
                               ts_shape_sphere(0.1)};
    const double height[6] = {0.08, 0.1, 0.1, 0.06, 0.07, 0.1};
    for (int g = 0; g < 2; ++g) {
        ts_builder* builder = ts_builder_create("ground");
        // Over seams and inner edges as often as beside them.
        for (int i = 0; i < 6; ++i)
            free_shape(builder, ts_vec3_make(0.5 * i - 1.25, 0.05 * i, height[i] + 0.005), shape[i], 0.6);
        fixture_geom(builder, 0, g ? ts_shape_compound(compound) : ts_shape_height_field(field), ts_vec3_zero(), 0.6);
        fixture f = fixture_start(builder, 1);
        fixture_run(&f, (int)(2.0 / f.sim->options.time_step));
        for (int i = 0; i < 6; ++i) {
            const double *q = f.sim->qpos + 7 * i, *v = f.sim->qvel + 6 * i;
            cr_expect_float_eq(q[0], 0.5 * i - 1.25, 1e-3, "ground %d body %d: x %g", g, i, q[0]);
            cr_expect_float_eq(q[1], 0.05 * i, 1e-3, "ground %d body %d: y %g", g, i, q[1]);
            cr_expect_float_eq(q[2], height[i], 1e-3, "ground %d body %d: z %g", g, i, q[2]);
            for (int k = 0; k < 6; ++k) cr_expect_lt(fabs(v[k]), 1e-3, "ground %d body %d: speed %g", g, i, v[k]);
        }
        cr_expect_lt(f.sim->info.worst_penetration, 1e-3);
        fixture_end(&f);
    }
    ts_height_field_free(field);
    ts_compound_free(compound);
    ts_hull_free(brick);
}

// A box slides over a dozen seams as over a plane: it never leaves the ground, never turns, and stops as far away.
Test(ground, sliding_does_not_trip_over_seams) {
    ts_height_field* field = level_field();
    ts_compound* compound = tiles();
    const ts_shape ground[2] = {ts_shape_height_field(field), ts_shape_compound(compound)};
    for (int g = 0; g < 2; ++g) {
        ts_builder* builder = ts_builder_create("slide");
        int body = free_shape(builder, ts_vec3_make(-1.9, 0.13, 0.1), ts_shape_box(ts_vec3_make(0.15, 0.1, 0.1)), 0.3);
        cr_assert(ts_builder_set_free_velocity(builder, body, ts_vec3_make(4.0, 0.0, 0.0), ts_vec3_zero()));
        fixture_geom(builder, 0, ground[g], ts_vec3_zero(), 0.3);
        fixture f = fixture_start(builder, 1);
        double highest = 0.0;
        for (int k = 0; k < (int)(2.0 / f.sim->options.time_step); ++k) {
            fixture_run(&f, 1);
            highest = fmax(highest, f.sim->qpos[2]);
        }
        double way = 4.0 * 4.0 / (2.0 * 0.3 * 9.81);
        cr_expect_float_eq(f.sim->qpos[0], -1.9 + way, 0.02 * way, "ground %d: slid to %g", g, f.sim->qpos[0]);
        cr_expect_float_eq(f.sim->qpos[1], 0.13, 1e-3, "ground %d: strayed to %g", g, f.sim->qpos[1]);
        cr_expect_lt(highest, 0.1 + 1e-3, "ground %d: jumped to %g", g, highest);
        cr_expect_float_eq(fabs(f.sim->qpos[3]), 1.0, 1e-6, "ground %d", g);
        fixture_end(&f);
    }
    ts_height_field_free(field);
    ts_compound_free(compound);
}

// Faster than its own size per step: the floor below a height field brings it back up.
Test(ground, what_shoots_through_the_surface_comes_back) {
    ts_height_field* field = level_field();
    ts_builder* builder = ts_builder_create("shot");
    int body = free_shape(builder, ts_vec3_make(0.1, 0.1, 0.3), ts_shape_sphere(0.05), 0.5);
    double h = ts_builder_options(builder)->time_step;
    cr_assert(ts_builder_set_free_velocity(builder, body, ts_vec3_make(0.0, 0.0, -0.6 / h), ts_vec3_zero()));
    fixture_geom(builder, 0, ts_shape_height_field(field), ts_vec3_zero(), 0.5);
    fixture f = fixture_start(builder, 1);
    fixture_run(&f, 1);
    cr_assert_lt(f.sim->qpos[2], -0.2);
    fixture_run(&f, (int)(2.0 / h));
    cr_expect_gt(f.sim->qpos[2], -1e-3, "still at %g", f.sim->qpos[2]);
    fixture_end(&f);
    ts_height_field_free(field);
}
