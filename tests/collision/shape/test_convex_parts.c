// Walks over parts against brute force: every part that meets a box is visited once, in the same order every time.
#include "tests/collision/collision_fixture.h"

#include "collision/shape/compound.h"
#include "collision/shape/height_field.h"
#include "collision/shape/convex_parts.h"
#include "collision/shape/support.h"

static ts_height_field* hills(ts_rng* rng, int rows, int columns) {
    double height[400];
    for (int i = 0; i < rows * columns; ++i) height[i] = ts_rng_uniform_in(rng, -0.4, 0.6);
    ts_height_field* field = 0;
    ts_status status;
    cr_assert_eq(ts_height_field_build(height, rows, columns, 0.7, 0.4, -1.0, &field, &status), TS_OK, "%s",
                 status.message);
    return field;
}

static int interval_meets(double low, double high, double other_low, double other_high) {
    return low <= other_high && other_low <= high;
}

// The walk names exactly the parts whose own bounds meet the box.
static void check_walk(const ts_shape* shape, ts_vec3 low, ts_vec3 high) {
    static char visited[4096];
    int count = ts_convex_parts_count(shape);
    memset(visited, 0, sizeof visited);
    ts_convex_part_walk walk, alone;
    ts_convex_parts_begin(shape, low, high, &walk);
    while (ts_convex_parts_next(&walk)) {
        cr_assert(walk.index >= 0 && walk.index < count && !visited[walk.index]);
        visited[walk.index] = 1;
        cr_assert(ts_convex_parts_get(shape, walk.index, &alone));
        cr_assert_eq(alone.shape.kind, walk.shape.kind);
        cr_assert_eq(ts_convex_parts_next(&alone), 0);
    }
    cr_assert_eq(ts_convex_parts_next(&walk), 0);
    for (int i = 0; i < count; ++i) {
        cr_assert(ts_convex_parts_get(shape, i, &alone));
        ts_vec3 a, b;
        ts_shape_bounds(&alone.shape, &alone.placed, &a, &b);
        int meets = interval_meets(a.x, b.x, low.x, high.x) && interval_meets(a.y, b.y, low.y, high.y) &&
                    interval_meets(a.z, b.z, low.z, high.z);
        // A hair of rounding may decide about boxes that just touch.
        ts_vec3 hair = ts_vec3_make(1e-9, 1e-9, 1e-9);
        a = ts_vec3_sub(a, hair);
        b = ts_vec3_add(b, hair);
        int nearly = interval_meets(a.x, b.x, low.x, high.x) && interval_meets(a.y, b.y, low.y, high.y) &&
                     interval_meets(a.z, b.z, low.z, high.z);
        cr_assert(visited[i] == meets || (nearly && !meets) || (meets && visited[i]), "part %d", i);
    }
    cr_assert_eq(ts_convex_parts_get(shape, count, &alone), 0);
    cr_assert_eq(ts_convex_parts_get(shape, -1, &alone), 0);
}

static void check_boxes(const ts_shape* shape, ts_rng* rng, double reach) {
    for (int trial = 0; trial < 200; ++trial) {
        ts_vec3 p = random_vector(rng, reach), size = ts_vec3_abs(random_vector(rng, trial % 2 ? 0.1 : reach));
        check_walk(shape, ts_vec3_sub(p, size), ts_vec3_add(p, size));
    }
    double infinity = (double)INFINITY;
    check_walk(shape, ts_vec3_make(-infinity, -infinity, -infinity), ts_vec3_make(infinity, infinity, infinity));
    check_walk(shape, ts_vec3_make(0.0, -infinity, -infinity), ts_vec3_make(0.0, infinity, infinity));
    check_walk(shape, ts_vec3_make(1e300, 0.0, 0.0), ts_vec3_make(infinity, 1.0, 1.0));
    check_walk(shape, ts_vec3_make(-infinity, 0.0, 0.0), ts_vec3_make(-1e300, 1.0, 1.0));
    ts_convex_part_walk walk;
    ts_vec3 nan = ts_vec3_make((double)NAN, (double)NAN, (double)NAN);
    ts_convex_parts_begin(shape, nan, nan, &walk);
    cr_expect_eq(ts_convex_parts_next(&walk), 0);
}

Test(convex_parts, height_field_cells_that_meet_a_box) {
    ts_rng rng = ts_rng_make(81, 0);
    const int sizes[4][2] = {{2, 2}, {2, 9}, {13, 3}, {18, 20}};
    for (int k = 0; k < 4; ++k) {
        ts_height_field* field = hills(&rng, sizes[k][0], sizes[k][1]);
        ts_shape shape = ts_shape_rounded(ts_shape_height_field(field), k == 2 ? 0.2 : 0.0);
        cr_expect_eq(ts_convex_parts_count(&shape), 2 * (sizes[k][0] - 1) * (sizes[k][1] - 1));
        check_boxes(&shape, &rng, 8.0);
        ts_height_field_free(field);
    }
}

// Each prism is a sound hull whose top is the triangle; together they fill the solid.
Test(convex_parts, prisms_are_sound_hulls) {
    ts_rng rng = ts_rng_make(82, 0);
    ts_height_field* field = hills(&rng, 6, 7);
    ts_shape shape = ts_shape_height_field(field);
    double volume = 0.0, infinity = (double)INFINITY;
    ts_convex_part_walk walk;
    ts_convex_parts_begin(&shape, ts_vec3_make(-infinity, -infinity, -infinity),
                          ts_vec3_make(infinity, infinity, infinity), &walk);
    int last = -1;
    while (ts_convex_parts_next(&walk)) {
        cr_assert_eq(walk.index, last + 1);
        last = walk.index;
        ts_hull prism = *walk.shape.hull;
        prism.volume = 1.0;  // not filled in: queries do not ask
        ts_status status;
        cr_assert_eq(ts_hull_validate(&prism, &status), TS_OK, "%s", status.message);
        ts_vec3 corner[3];
        ts_height_field_triangle(field, walk.index, corner);
        ts_hull* built = 0;
        cr_assert_eq(ts_hull_build(prism.vertex, 6, &built, 0), TS_OK);
        volume += built->volume;
        cr_assert_eq(built->vertex_count, 6);
        // The same supports from the arrays as from the vertices, from any hint.
        for (int trial = 0; trial < 20; ++trial) {
            ts_vec3 d = random_unit(&rng);
            double best = -infinity;
            for (int i = 0; i < 6; ++i) best = fmax(best, ts_vec3_dot(d, prism.vertex[i]));
            cr_assert_float_eq(ts_vec3_dot(d, ts_support_core(&walk.shape, d, trial % 7 - 1).point), best, 1e-14);
        }
        ts_hull_free(built);
    }
    cr_expect_eq(last, ts_height_field_triangle_count(field) - 1);
    ts_mass_properties mass = ts_shape_mass_properties(&shape);
    cr_expect_float_eq(mass.volume, volume, 1e-12);
    ts_height_field_free(field);
}

Test(convex_parts, compound_children_that_meet_a_box) {
    ts_rng rng = ts_rng_make(83, 0);
    for (int count = 1; count <= 300; count = 2 * count + 1) {
        ts_compound_child child[300];
        for (int i = 0; i < count; ++i) {
            child[i].shape = random_shape(&rng, (ts_shape_kind)(TS_SHAPE_SPHERE + i % 7), 0.3, 0);
            child[i].placed = random_pose(&rng, 3.0);
        }
        ts_compound* compound = 0;
        ts_status status;
        cr_assert_eq(ts_compound_build(child, count, &compound, &status), TS_OK, "%s", status.message);
        ts_shape shape = ts_shape_rounded(ts_shape_compound(compound), count % 2 ? 0.0 : 0.1);
        check_boxes(&shape, &rng, 4.0);
        ts_compound_free(compound);
    }
}

Test(convex_parts, convex_shape_is_its_own_part) {
    ts_shape box = ts_shape_box(ts_vec3_make(1.0, 2.0, 3.0));
    ts_convex_part_walk walk;
    ts_convex_parts_begin(&box, ts_vec3_make(50.0, 50.0, 50.0), ts_vec3_make(51.0, 51.0, 51.0), &walk);
    cr_assert(ts_convex_parts_next(&walk));
    cr_expect_eq(walk.shape.kind, TS_SHAPE_BOX);
    cr_expect_eq(walk.index, 0);
    cr_expect_not(ts_convex_parts_next(&walk));
    cr_expect_eq(ts_convex_parts_count(&box), 1);
}
