// Height fields: what is refused, neighbours, and which normals the surface allows.
#include "tests/collision/collision_fixture.h"

#include "collision/shape/height_field.h"

static ts_height_field* build(const double* height, int rows, int columns) {
    ts_height_field* field = 0;
    ts_status status;
    cr_assert_eq(ts_height_field_build(height, rows, columns, 1.0, 1.0, -5.0, &field, &status), TS_OK, "%s",
                 status.message);
    return field;
}

Test(height_field, bad_grids_are_refused) {
    const double height[4] = {0, 1, 2, (double)NAN}, good[4] = {0, 1, 2, 3}, nan = (double)NAN;
    ts_height_field* field = 0;
    ts_status status;
    cr_expect_eq(ts_height_field_build(height, 2, 2, 1, 1, -1, &field, &status), TS_ERROR_VALUE);
    cr_expect_eq(ts_height_field_build(good, 1, 4, 1, 1, -1, &field, &status), TS_ERROR_VALUE);
    cr_expect_eq(ts_height_field_build(good, 2, 2, 0, 1, -1, &field, &status), TS_ERROR_VALUE);
    cr_expect_eq(ts_height_field_build(good, 2, 2, 1, nan, -1, &field, &status), TS_ERROR_VALUE);
    cr_expect_eq(ts_height_field_build(good, 2, 2, 1, 1, 0, &field, &status), TS_ERROR_VALUE);
    cr_expect_eq(ts_height_field_build(good, 2, 2, 1, 1, nan, &field, &status), TS_ERROR_VALUE);
    cr_expect_eq(ts_height_field_build(good, 1 << 20, 1 << 20, 1, 1, -1, &field, &status), TS_ERROR_VALUE);
    cr_expect_null(field);
    cr_expect_neq(status.message[0], '\0');
}

// An edge runs in opposite directions in its two triangles, and neighbourhood is mutual.
Test(height_field, neighbours_share_their_edge) {
    ts_rng rng = ts_rng_make(91, 0);
    double height[35];
    for (int i = 0; i < 35; ++i) height[i] = ts_rng_uniform(&rng);
    ts_height_field* field = build(height, 5, 7);
    int borders = 0;
    for (int t = 0; t < ts_height_field_triangle_count(field); ++t) {
        ts_vec3 here[3], there[3];
        ts_height_field_triangle(field, t, here);
        cr_assert_gt(ts_vec3_cross(ts_vec3_sub(here[1], here[0]), ts_vec3_sub(here[2], here[0])).z, 0.0);
        for (int k = 0; k < 3; ++k) {
            int other = ts_height_field_neighbour(field, t, k), back = 0;
            if (other < 0) {
                ++borders;
                continue;
            }
            ts_height_field_triangle(field, other, there);
            for (int j = 0; j < 3; ++j)
                if (ts_height_field_neighbour(field, other, j) == t &&
                    ts_vec3_distance(here[k], there[(j + 1) % 3]) == 0.0 &&
                    ts_vec3_distance(here[(k + 1) % 3], there[j]) == 0.0)
                    back = 1;
            cr_assert(back, "triangle %d edge %d", t, k);
        }
    }
    cr_expect_eq(borders, 2 * (4 + 6));
    ts_height_field_free(field);
}

// A normal a prism of level ground can have at a corner: up, and out over its two edges.
static ts_vec3 lean_at(const ts_vec3* corner, int k, ts_rng* rng) {
    ts_vec3 up = ts_vec3_axis(2);
    ts_vec3 after = ts_vec3_cross(ts_vec3_sub(corner[(k + 1) % 3], corner[k]), up);
    ts_vec3 before = ts_vec3_cross(ts_vec3_sub(corner[k], corner[(k + 2) % 3]), up);
    ts_vec3 n = ts_vec3_add_scaled(ts_vec3_scale(ts_rng_uniform(rng), up), ts_rng_uniform(rng), after);
    return ts_vec3_unit_or(ts_vec3_add_scaled(n, ts_rng_uniform(rng), before), up);
}

Test(height_field, level_ground_allows_only_its_own_normal) {
    double height[16] = {0};
    ts_height_field* field = build(height, 4, 4);
    ts_rng rng = ts_rng_make(92, 0);
    const int inner = 2 * (1 * 3 + 1);
    for (int trial = 0; trial < 500; ++trial) {
        ts_vec3 corner[3];
        ts_height_field_triangle(field, inner + trial % 2, corner);
        // At a corner all that may lean over its two edges is cut; what leans over neither, a prism never gives there.
        ts_vec3 n =
            ts_height_field_limit_normal(field, inner + trial % 2, corner[trial % 3], lean_at(corner, trial % 3, &rng));
        cr_assert_leq(ts_vec3_distance(n, ts_vec3_axis(2)), 1e-12);
    }
    ts_height_field_free(field);
}

// Two slopes that meet in a ridge along y: all normals between theirs are allowed, none beyond; a valley allows none.
Test(height_field, ridge_allows_what_lies_between_its_slopes) {
    for (int sign = -1; sign <= 1; sign += 2) {
        double height[12];
        for (int i = 0; i < 12; ++i) height[i] = -0.5 * sign * fabs(i % 3 - 1.0);
        ts_height_field* field = build(height, 4, 3);
        // The triangle left of the middle column, in an inner row, at growing x: its edge 1 lies on the ridge.
        int left = 2 * (1 * 2 + 0);
        ts_vec3 corner[3];
        ts_height_field_triangle(field, left, corner);
        cr_assert_float_eq(corner[1].x, 0.0, 1e-15);
        cr_assert_float_eq(corner[2].x, 0.0, 1e-15);
        ts_vec3 own = ts_vec3_unit_or(ts_vec3_make(-0.5 * sign, 0.0, 1.0), ts_vec3_axis(2));
        ts_vec3 beyond = ts_vec3_unit_or(ts_vec3_make(0.5 * sign, 0.0, 1.0), ts_vec3_axis(2));
        for (int k = -39; k <= 39; ++k) {
            ts_vec3 n = ts_vec3_unit_or(ts_vec3_make(0.05 * k, 0.0, 1.0), ts_vec3_axis(2));
            ts_vec3 kept = ts_height_field_limit_normal(field, left, ts_vec3_lerp(corner[1], corner[2], 0.5), n);
            cr_assert_float_eq(ts_vec3_norm(kept), 1.0, 1e-14);
            double tilt = 0.05 * k;
            ts_vec3 expected = tilt > 0.5 ? (sign < 0 ? own : beyond) : n;
            cr_assert_leq(ts_vec3_distance(kept, expected), 1e-12, "sign %d tilt %g", sign, tilt);
        }
        ts_height_field_free(field);
    }
}

// Whatever comes in, what comes out points up and is no worse than the surface's steepest normals.
Test(height_field, limited_normals_point_up) {
    ts_rng rng = ts_rng_make(93, 0);
    double height[64];
    for (int i = 0; i < 64; ++i) height[i] = 3.0 * ts_rng_uniform(&rng);
    ts_height_field* field = build(height, 8, 8);
    for (int trial = 0; trial < 20000; ++trial) {
        int t = (int)(ts_rng_uniform(&rng) * ts_height_field_triangle_count(field));
        ts_vec3 corner[3];
        ts_height_field_triangle(field, t, corner);
        ts_vec3 n = ts_height_field_limit_normal(field, t, corner[trial % 3], random_unit(&rng));
        cr_assert_float_eq(ts_vec3_norm(n), 1.0, 1e-12);
        cr_assert_geq(n.z, -1e-12);
    }
    ts_height_field_free(field);
}

Test(height_field, mass_of_a_level_block_is_a_box) {
    double height[20];
    for (int i = 0; i < 20; ++i) height[i] = 1.0;
    ts_height_field* field = build(height, 4, 5);
    ts_shape shape = ts_shape_height_field(field), box = ts_shape_box(ts_vec3_make(2.0, 1.5, 3.0));
    ts_mass_properties a = ts_shape_mass_properties(&shape), b = ts_shape_mass_properties(&box);
    cr_expect_float_eq(a.volume, b.volume, 1e-12);
    cr_expect_leq(ts_vec3_distance(a.centre, ts_vec3_make(0.0, 0.0, -2.0)), 1e-13);
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j) cr_expect_float_eq(a.inertia.m[i][j], b.inertia.m[i][j], 1e-10);
    ts_height_field_free(field);
}
