// Shapes at rest keep their points: pose jittered by what a solver leaves over, count and labels must not change.
#include "tests/collision/collision_fixture.h"

#include "collision/shape/compound.h"
#include "collision/shape/height_field.h"
#include "collision/manifold/manifold.h"

#include <stdio.h>

typedef struct rest_case {
    const char* what;
    ts_shape upper;
    ts_transform upper_pose;
    int count;
} rest_case;

static ts_transform placed(double x, double y, double z, int axis, double angle) {
    ts_transform pose = at(x, y, z);
    pose.R = turn(axis, angle);
    return pose;
}

static ts_transform jittered(ts_rng* rng, const ts_transform* pose, double amount) {
    ts_transform moved = *pose;
    moved.p = ts_vec3_add(moved.p, random_vector(rng, amount));
    ts_vec3 spin = random_vector(rng, amount);
    ts_mat3 small = ts_quat_to_mat3(ts_quat_normalize(ts_quat_make(1.0, 0.5 * spin.x, 0.5 * spin.y, 0.5 * spin.z)));
    moved.R = ts_mat3_mul(small, moved.R);
    return moved;
}

static int knows(const ts_manifold* m, uint32_t feature) {
    for (int k = 0; k < m->count; ++k)
        if (m->point[k].feature == feature) return 1;
    return 0;
}

// Hundreds of frames with the cache carried along, at several depths and sizes of jitter, both ways round.
static void check_rest(const char* what, const ts_shape* lower, const ts_transform* lower_pose, const rest_case* r) {
    static const double sink[4] = {0.0, -1e-7, -1e-4, 1e-4};
    static const double amount[4] = {1e-9, 1e-8, 1e-7, 1e-6};
    ts_rng rng = ts_rng_make(131, 0);
    const ts_manifold_settings settings = {0.02, 4, 0.0};
    for (int s = 0; s < 4; ++s)
        for (int j = 0; j < 4; ++j)
            for (int swapped = 0; swapped < 2; ++swapped) {
                ts_manifold_cache cache;
                memset(&cache, 0, sizeof cache);
                ts_manifold first, m;
                memset(&first, 0, sizeof first);
                for (int frame = 0; frame < 120; ++frame) {
                    ts_transform rest = r->upper_pose;
                    rest.p.z += sink[s];
                    ts_transform pose = jittered(&rng, &rest, amount[j]);
                    if (swapped)
                        ts_manifold_collide(&r->upper, &pose, lower, lower_pose, &settings, &cache, &m);
                    else
                        ts_manifold_collide(lower, lower_pose, &r->upper, &pose, &settings, &cache, &m);
                    if (frame == 0) first = m;
                    int known = m.count == r->count, right = known;
                    for (int k = 0; known && k < m.count; ++k) {
                        known &= knows(&first, m.point[k].feature);
                        // A gap is the height over the ground, to what the jitter allows.
                        right &= fabs(m.point[k].gap - sink[s]) <= 3.0 * amount[j] + 1e-5 * 0.3;
                        right &= fabs(ts_vec3_norm(m.point[k].normal) - 1.0) <= 1e-12;
                        right &= fabs(fabs(m.point[k].normal.z) - 1.0) <= 1e-5;
                    }
                    cr_expect_eq(m.count, r->count, "%s: %d points at frame %d, sink %g, jitter %g, swapped %d", what,
                                 m.count, frame, sink[s], amount[j], swapped);
                    cr_expect(known, "%s: new label at frame %d, sink %g, jitter %g", what, frame, sink[s], amount[j]);
                    cr_expect(right, "%s: gaps at frame %d, sink %g, jitter %g", what, frame, sink[s], amount[j]);
                    if (!known || !right) return;
                }
            }
}

static const double quarter = 1.5707963267948966;

Test(manifold_rest, primitives_on_flat_things) {
    ts_hull* cube = box_hull(ts_vec3_make(1.0, 1.0, 1.0));
    ts_hull* brick = box_hull(ts_vec3_make(0.3, 0.2, 0.1));
    static const ts_vec3 floor_triangle[3] = {{-3.0, -2.0, 1.0}, {3.0, -2.0, 1.0}, {0.0, 3.0, 1.0}};
    static const ts_vec3 tile[3] = {{-0.3, -0.2, 0.0}, {0.3, -0.2, 0.0}, {0.0, 0.3, 0.0}};
    double height[36];
    for (int i = 0; i < 36; ++i) height[i] = 1.0;
    ts_height_field* field = 0;
    cr_assert_eq(ts_height_field_build(height, 6, 6, 0.37, 0.41, -1.0, &field, 0), TS_OK);
    ts_compound_child piece[4];
    for (int i = 0; i < 4; ++i) {
        piece[i].shape = ts_shape_box(ts_vec3_make(0.5, 0.5, 1.0));
        piece[i].placed = at(i % 2 - 0.5, i / 2 - 0.5, 0.0);
    }
    ts_compound* tiles = 0;
    cr_assert_eq(ts_compound_build(piece, 4, &tiles, 0), TS_OK);
    // All of these have their upper side at height 1.
    const ts_shape ground[7] = {ts_shape_plane(),
                                ts_shape_box(ts_vec3_make(1.0, 1.0, 1.0)),
                                ts_shape_hull(cube),
                                ts_shape_cylinder(2.0, 1.0),
                                ts_shape_triangle(floor_triangle),
                                ts_shape_height_field(field),
                                ts_shape_compound(tiles)};
    static const char* const ground_name[7] = {"plane",    "box",          "hull",    "cylinder",
                                               "triangle", "height field", "compound"};
    // A cone on its side: the side's normal makes the angle with the axis whose cosine is r / sqrt(4 h^2 + r^2).
    double r = 0.3, h = 0.4, slope = atan2(r, 2.0 * h), lift = h * sin(slope);
    const rest_case upper[] = {
        {"box", ts_shape_box(ts_vec3_make(0.3, 0.2, 0.1)), at(0.1, 0.05, 1.1), 4},
        {"turned box", ts_shape_box(ts_vec3_make(0.3, 0.2, 0.1)), placed(0.1, 0, 1.1, 2, 0.4), 4},
        {"brick", ts_shape_hull(brick), placed(0.1, 0.05, 1.1, 2, 0.3), 4},
        {"rounded box", ts_shape_rounded(ts_shape_box(ts_vec3_make(0.3, 0.2, 0.1)), 0.05), at(0.1, 0.05, 1.15), 4},
        {"cylinder standing", ts_shape_cylinder(0.3, 0.4), at(0.1, 0.05, 1.4), 4},
        {"cylinder lying", ts_shape_cylinder(0.3, 0.4), placed(0.1, 0.05, 1.3, 1, quarter), 2},
        {"capsule lying", ts_shape_capsule(0.1, 0.4), placed(0.1, 0.05, 1.1, 1, quarter), 2},
        {"capsule standing", ts_shape_capsule(0.1, 0.4), at(0.1, 0.05, 1.5), 1},
        {"sphere", ts_shape_sphere(0.2), at(0.1, 0.05, 1.2), 1},
        {"ellipsoid", ts_shape_ellipsoid(ts_vec3_make(0.2, 0.3, 0.25)), at(0.1, 0.05, 1.25), 1},
        {"cone standing", ts_shape_cone(r, h), at(0.1, 0.05, 1.0 + h), 4},
        {"cone lying", ts_shape_cone(r, h), placed(0.1, 0.05, 1.0 + lift, 1, quarter + slope), 2},
        {"cone on its apex", ts_shape_cone(r, h), placed(0.1, 0.05, 1.0 + h, 0, 2.0 * quarter), 1},
        {"flat cone on its apex", ts_shape_cone(0.3, 0.004), placed(0.1, 0.05, 1.004, 0, 2.0 * quarter), 1},
        {"triangle", ts_shape_triangle(tile), placed(0.1, 0.05, 1.0, 2, 0.2), 3},
        {"box on an edge", ts_shape_box(ts_vec3_make(0.3, 0.2, 0.2)),
         placed(0.1, 0.05, 1.0 + 0.2 * sqrt(2.0), 0, 0.5 * quarter), 2},
    };
    for (int g = 0; g < 7; ++g)
        for (size_t u = 0; u < sizeof upper / sizeof upper[0]; ++u) {
            if (g == 4 && upper[u].upper.kind == TS_SHAPE_TRIANGLE) continue;  // two flat things have no inside
            char what[80];
            snprintf(what, sizeof what, "%s on %s", upper[u].what, ground_name[g]);
            ts_transform ground_pose = at(0.0, 0.0, g == 0 ? 1.0 : 0.0);
            check_rest(what, &ground[g], &ground_pose, &upper[u]);
        }
    ts_height_field_free(field);
    ts_compound_free(tiles);
    ts_hull_free(cube);
    ts_hull_free(brick);
}

// The fixture of coal #144: cubes of side 2 stacked with an overlap of 1e-4 have exactly four contacts.
Test(manifold_rest, stacked_cubes_have_four_contacts) {
    ts_shape cube = ts_shape_box(ts_vec3_make(1.0, 1.0, 1.0));
    ts_transform low = at(0, 0, 0), high = at(0, 0, 1.9999);
    for (int most = 4; most <= 8; ++most) {
        ts_manifold_settings settings = {0.0, most, 0.0};
        ts_manifold m;
        ts_manifold_collide(&cube, &low, &cube, &high, &settings, 0, &m);
        cr_assert_eq(m.count, 4);
        for (int k = 0; k < 4; ++k) {
            cr_expect_float_eq(m.point[k].gap, -1e-4, 1e-15);
            cr_expect_float_eq(fabs(m.point[k].position.x), 1.0, 1e-12);
            cr_expect_float_eq(fabs(m.point[k].position.y), 1.0, 1e-12);
            cr_expect_leq(ts_vec3_distance(m.point[k].normal, ts_vec3_axis(2)), 1e-15);
        }
    }
}
