// Hulls against what a hull must be, and against closed forms of solids.
#include "tests/collision/collision_fixture.h"

static void expect_refused(const ts_vec3* points, int count, const char* why) {
    ts_hull* hull = (ts_hull*)1;
    ts_status status;
    cr_expect_eq(ts_hull_build(points, count, &hull, &status), TS_ERROR_VALUE, "%s", why);
    cr_expect_null(hull, "%s", why);
    cr_expect_neq(status.message[0], '\0', "%s", why);
}

Test(hull, degenerate_input_is_refused_with_a_reason) {
    ts_vec3 flat[16], line[16], same[16];
    for (int i = 0; i < 16; ++i) {
        flat[i] = ts_vec3_make(i % 4, i / 4, 2.0);
        line[i] = ts_vec3_make(i, 2.0 * i, -i);
        same[i] = ts_vec3_make(1.0, 2.0, 3.0);
    }
    expect_refused(flat, 3, "three points");
    expect_refused(flat, 16, "flat");
    expect_refused(line, 16, "line");
    expect_refused(same, 16, "same");
    expect_refused(0, 0, "nothing");
    for (int i = 0; i < 16; ++i) flat[i].z = 2.0 + (i % 3) * 1e-14;
    expect_refused(flat, 16, "flat up to rounding");
    ts_vec3 tetrahedron[4] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, (double)NAN}};
    expect_refused(tetrahedron, 4, "NaN");
    tetrahedron[3].z = (double)INFINITY;
    expect_refused(tetrahedron, 4, "infinite");
    for (int i = 0; i < 4; ++i) tetrahedron[i] = ts_vec3_make(i == 1, i == 2, i == 3 ? 1e-13 : 0.0);
    expect_refused(tetrahedron, 4, "sliver");
}

// The fitted box holds every vertex, in long double, has unit axes at right angles, and is no larger on the outside than
// the box along the axes of the frame; the farthest vertex is as far as said.
static void check_box(const ts_hull* hull) {
    double extent = ts_vec3_max_abs(ts_vec3_sub(hull->box_max, hull->box_min)), reach = 0.0;
    ts_vec3 side = ts_vec3_sub(hull->box_max, hull->box_min), half = hull->box_half;
    wide3 centre = wide(hull->box.p);
    double size = ts_vec3_max_abs(hull->box_min) + ts_vec3_max_abs(hull->box_max);
    for (int i = 0; i < hull->vertex_count; ++i) {
        wide3 p = wide_sub(wide(hull->vertex[i]), centre);
        for (int k = 0; k < 3; ++k) {
            long double along = wide_dot(p, wide(ts_mat3_column(&hull->box.R, k)));
            cr_assert(fabsl(along) <= ts_vec3_get(half, k), "vertex %d is %Lg outside side %d", i,
                      fabsl(along) - ts_vec3_get(half, k), k);
        }
        reach = fmax(reach, ts_vec3_norm(hull->vertex[i]));
    }
    cr_assert_float_eq(hull->reach, reach, 1e-15 * reach);
    ts_mat3 product = ts_mat3_transposed_mul(hull->box.R, hull->box.R);
    for (int k = 0; k < 9; ++k) cr_assert_float_eq(product.m[k / 3][k % 3], k % 4 == 0, 1e-13);
    double surface = 4.0 * (half.x * half.y + half.y * half.z + half.z * half.x);
    cr_assert_leq(surface, side.x * side.y + side.y * side.z + side.z * side.x + 1e-12 * extent * (extent + size));
}

// Straight bounds hold the placed hull, in long double, and lie within those of its box.
static void check_bounds(const ts_hull* hull, ts_rng* rng) {
    ts_transform pose = random_pose(rng, 1.0), box = ts_transform_mul(&pose, &hull->box);
    ts_vec3 low, high;
    double size = ts_vec3_norm(hull->box.p) + hull->reach + 1.0;
    ts_hull_bounds(hull, &box, &low, &high);
    for (int k = 0; k < 3; ++k) {
        wide3 d = wide(ts_mat3_row(&pose.R, k));
        double most = ts_vec3_get(high, k), least = ts_vec3_get(low, k), at = ts_vec3_get(box.p, k);
        double reach = ts_vec3_dot(ts_vec3_abs(ts_mat3_row(&box.R, k)), hull->box_half);
        for (int i = 0; i < hull->vertex_count; ++i) {
            long double along = wide_dot(d, wide(hull->vertex[i])) + ts_vec3_get(pose.p, k);
            cr_assert(along <= most + 1e-15 * size && along >= least - 1e-15 * size, "%Lg, %Lg", along - most,
                      least - along);
        }
        cr_assert(most <= at + reach + 1e-15 * size && least >= at - reach - 1e-15 * size);
    }
}

static void check_everything(const ts_hull* hull, const ts_vec3* points, int count, double tolerance) {
    ts_status status;
    cr_expect_eq(ts_hull_validate(hull, &status), TS_OK, "%s", status.message);
    cr_expect_eq(hull->vertex_count - hull->edge_count + hull->face_count, 2);
    double extent = ts_vec3_max_abs(ts_vec3_sub(hull->box_max, hull->box_min));
    for (int f = 0; f < hull->face_count; ++f) {
        cr_assert_float_eq(ts_vec3_norm(hull->face_normal[f]), 1.0, 1e-14);
        for (int i = 0; i < count; ++i) {
            double above = ts_vec3_dot(hull->face_normal[f], points[i]) - hull->face_offset[f];
            cr_assert_leq(above, tolerance * extent, "point %d is %g extents above face %d", i, above / extent, f);
        }
        for (int k = hull->face_start[f]; k < hull->face_start[f + 1]; ++k)
            cr_assert_float_eq(ts_vec3_dot(hull->face_normal[f], hull->vertex[hull->face_corner[k]]),
                               hull->face_offset[f], tolerance * extent);
    }
    // Neighbours and faces around a vertex say the same as the faces.
    for (int v = 0; v < hull->vertex_count; ++v) {
        cr_assert_geq(hull->neighbour_start[v + 1] - hull->neighbour_start[v], 3);
        for (int k = hull->vertex_face_start[v]; k < hull->vertex_face_start[v + 1]; ++k) {
            int f = hull->vertex_face[k], found = 0;
            for (int i = hull->face_start[f]; i < hull->face_start[f + 1]; ++i) found |= hull->face_corner[i] == v;
            cr_assert(found);
        }
        for (int k = hull->neighbour_start[v]; k < hull->neighbour_start[v + 1]; ++k) {
            int w = hull->neighbour[k], back = 0;
            for (int i = hull->neighbour_start[w]; i < hull->neighbour_start[w + 1]; ++i)
                back |= hull->neighbour[i] == v;
            cr_assert(back, "neighbours are mutual");
        }
    }
    for (int i = 0; i < hull->padded_count; ++i) {
        ts_vec3 p = ts_vec3_sub(hull->vertex[i < hull->vertex_count ? i : 0], hull->centre);
        cr_assert(hull->x[i] == p.x && hull->y[i] == p.y && hull->z[i] == p.z);
    }
    check_box(hull);
    ts_rng rng = ts_rng_make(36, (uint64_t)count);
    for (int k = 0; k < 10; ++k) check_bounds(hull, &rng);
}

Test(hull, cube_has_six_faces_and_the_moments_of_a_cube) {
    // Corners, points on edges and faces, duplicates and points inside: all but the corners must go.
    ts_vec3 points[27 + 8];
    int count = 0;
    for (int i = 0; i < 27; ++i) points[count++] = ts_vec3_make(i % 3 - 1.0, i / 3 % 3 - 1.0, i / 9 - 1.0);
    for (int i = 0; i < 8; ++i)
        points[count++] = ts_vec3_make(i & 1 ? 1.0 : -1.0, i & 2 ? 1.0 : -1.0, i & 4 ? 1.0 : -1.0);
    ts_hull* hull = 0;
    cr_assert_eq(ts_hull_build(points, count, &hull, 0), TS_OK);
    cr_expect_eq(hull->vertex_count, 8);
    cr_expect_eq(hull->face_count, 6);
    cr_expect_eq(hull->edge_count, 12);
    check_everything(hull, points, count, 1e-15);
    cr_expect_float_eq(hull->volume, 8.0, 1e-14);
    cr_expect_float_eq(ts_vec3_norm(hull->centroid), 0.0, 1e-15);
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j) cr_expect_float_eq(hull->second_moment.m[i][j], i == j ? 16.0 / 3.0 : 0.0, 1e-14);
    ts_hull_free(hull);
}

Test(hull, tetrahedron_has_its_textbook_moments) {
    // Corner at o, legs a, b, c: volume abc/6, centroid (a, b, c)/4, integral of x^2 about the corner a^3 b c / 60.
    double a = 2.0, b = 3.0, c = 5.0;
    ts_vec3 o = ts_vec3_make(100.0, -50.0, 7.0);
    ts_vec3 points[4] = {o, ts_vec3_add(o, ts_vec3_make(a, 0, 0)), ts_vec3_add(o, ts_vec3_make(0, b, 0)),
                         ts_vec3_add(o, ts_vec3_make(0, 0, c))};
    ts_hull* hull = 0;
    cr_assert_eq(ts_hull_build(points, 4, &hull, 0), TS_OK);
    double volume = a * b * c / 6.0;
    cr_expect_float_eq(hull->volume, volume, 1e-12);
    cr_expect_leq(ts_vec3_distance(hull->centroid, ts_vec3_add(o, ts_vec3_make(a / 4, b / 4, c / 4))), 1e-12);
    double xx = a * a * a * b * c / 60.0 - volume * a * a / 16.0;
    double yy = a * b * b * b * c / 60.0 - volume * b * b / 16.0;
    double zz = a * b * c * c * c / 60.0 - volume * c * c / 16.0;
    double xy = a * a * b * b * c / 120.0 - volume * a * b / 16.0;
    cr_expect_float_eq(hull->second_moment.m[0][0], yy + zz, 1e-11);
    cr_expect_float_eq(hull->second_moment.m[1][1], xx + zz, 1e-11);
    cr_expect_float_eq(hull->second_moment.m[2][2], xx + yy, 1e-11);
    cr_expect_float_eq(hull->second_moment.m[0][1], -xy, 1e-11);
    check_everything(hull, points, 4, 1e-14);
    ts_hull_free(hull);
}

Test(hull, random_points_are_all_inside_and_volume_matches_a_cone_sum) {
    ts_rng rng = ts_rng_make(31, 0);
    for (int trial = 0; trial < 40; ++trial) {
        int count = 4 + (int)(ts_rng_uniform(&rng) * 300.0);
        ts_vec3 points[304];
        ts_vec3 shift = random_vector(&rng, 1e3);
        double scale = exp(ts_rng_uniform_in(&rng, -9.0, 9.0));
        for (int i = 0; i < count; ++i)
            points[i] = ts_vec3_add_scaled(ts_vec3_scale(scale, shift), scale,
                                           ts_vec3_mul(random_vector(&rng, 1.0), ts_vec3_make(1.0, 0.5, 0.2)));
        ts_hull* hull = 0;
        ts_status status;
        cr_assert_eq(ts_hull_build(points, count, &hull, &status), TS_OK, "%s", status.message);
        check_everything(hull, points, count, 4e-7);
        // Cones from a corner instead of an inner point, areas by Newell's sum, in long double.
        wide3 apex = wide(hull->vertex[0]);
        long double volume = 0.0L;
        for (int f = 0; f < hull->face_count; ++f) {
            wide3 sum = {0.0L, 0.0L, 0.0L};
            int first = hull->face_start[f], end = hull->face_start[f + 1];
            for (int k = first; k < end; ++k) {
                wide3 p = wide_sub(wide(hull->vertex[hull->face_corner[k]]), apex);
                wide3 q = wide_sub(wide(hull->vertex[hull->face_corner[k + 1 < end ? k + 1 : first]]), apex);
                wide3 n = wide_cross(p, q);
                sum.x += n.x;
                sum.y += n.y;
                sum.z += n.z;
            }
            volume += wide_dot(sum, wide_sub(wide(hull->vertex[hull->face_corner[first]]), apex)) / 6.0L;
        }
        cr_expect_float_eq(hull->volume, (double)volume, 1e-9 * (double)volume);
        ts_hull_free(hull);
    }
}

// Bricks turned anyhow, bare and with points strewn over their faces, are their own least boxes.
Test(hull, box_of_a_turned_brick_is_the_brick) {
    ts_rng rng = ts_rng_make(35, 0);
    for (int trial = 0; trial < 50; ++trial) {
        ts_vec3 half = ts_vec3_add(ts_vec3_make(0.6, 0.5, 0.4), random_vector(&rng, 0.3)), points[200];
        ts_transform pose = random_pose(&rng, 2.0);
        int count = trial % 2 ? 200 : 8;
        for (int i = 0; i < count; ++i) {
            double p[3], h[3];
            ts_vec3_store(
                i < 8 ? ts_vec3_make(i & 1 ? 1 : -1, i & 2 ? 1 : -1, i & 4 ? 1 : -1) : random_vector(&rng, 1.0), p);
            ts_vec3_store(half, h);
            if (i >= 8) p[i % 3] = i & 1 ? 1.0 : -1.0;
            points[i] = ts_transform_point(&pose, ts_vec3_mul(ts_vec3_load(h), ts_vec3_load(p)));
        }
        ts_hull* hull = 0;
        cr_assert_eq(ts_hull_build(points, count, &hull, 0), TS_OK);
        ts_vec3 found = hull->box_half;
        cr_expect_float_eq(found.x * found.y * found.z, half.x * half.y * half.z, 1e-6);
        cr_expect_leq(ts_vec3_distance(hull->box.p, pose.p), 1e-6);
        check_box(hull);
        // A brick's straight bounds are those of its box; that any direction may be split is what makes them exact.
        ts_transform placed = random_pose(&rng, 1.0), box = ts_transform_mul(&placed, &hull->box);
        ts_vec3 low, high, least, most;
        ts_shape shape = ts_shape_hull(hull);
        ts_hull_bounds(hull, &box, &low, &high);
        ts_shape_bounds(&shape, &placed, &least, &most);
        cr_expect_leq(ts_vec3_distance(low, least) + ts_vec3_distance(high, most), 1e-6);
        ts_hull_free(hull);
    }
    // Along the axes of the frame it is not turned at all.
    ts_hull* straight = box_hull(ts_vec3_make(0.3, 0.2, 0.1));
    ts_mat3 own = ts_mat3_identity();
    cr_expect_eq(memcmp(&straight->box.R, &own, sizeof own), 0);
    ts_hull_free(straight);
}

Test(hull, flat_faces_of_many_triangles_join) {
    // A 24-gon prism whose caps are scattered with points, with the rounding of single precision.
    ts_rng rng = ts_rng_make(32, 0);
    ts_vec3 points[24 * 2 + 100];
    int count = 0;
    for (int i = 0; i < 24; ++i)
        for (int top = 0; top < 2; ++top) {
            double angle = 2.0 * 3.14159265358979323846 * i / 24.0;
            points[count++] = ts_vec3_make((double)(float)cos(angle), (double)(float)sin(angle), top ? 0.3f : -0.3f);
        }
    for (int i = 0; i < 100; ++i) {
        double r = 0.9 * sqrt(ts_rng_uniform(&rng)), angle = ts_rng_uniform_in(&rng, 0.0, 6.28);
        double noise = 1e-8 * ts_rng_uniform_in(&rng, -1.0, 1.0);
        points[count++] = ts_vec3_make(r * cos(angle), r * sin(angle), (double)(i % 2 ? 0.3f : -0.3f) + noise);
    }
    ts_hull* hull = 0;
    cr_assert_eq(ts_hull_build(points, count, &hull, 0), TS_OK);
    cr_expect_eq(hull->face_count, 26);
    cr_expect_eq(hull->vertex_count, 48);
    check_everything(hull, points, count, 1e-7);
    ts_hull_free(hull);
}

Test(hull, corners_on_nearly_straight_edges_go) {
    // Points on the edges of a cube, pushed out by less than the joining tolerance: qhull keeps them, a box has none.
    ts_vec3 points[20];
    int count = 0;
    for (int i = 0; i < 8; ++i)
        points[count++] = ts_vec3_make(i & 1 ? 1.0 : -1.0, i & 2 ? 1.0 : -1.0, i & 4 ? 1.0 : -1.0);
    for (int axis = 0; axis < 3; ++axis)
        for (int k = 0; k < 4; ++k) {
            double out = 1.0 + 2e-8;
            double u = k & 1 ? out : -out, v = k & 2 ? out : -out;
            points[count++] =
                ts_vec3_make(axis == 0 ? 0.1 : u, axis == 1 ? 0.1 : (axis == 0 ? u : v), axis == 2 ? 0.1 : v);
        }
    ts_hull* hull = 0;
    cr_assert_eq(ts_hull_build(points, count, &hull, 0), TS_OK);
    cr_expect_eq(hull->vertex_count, 8);
    cr_expect_eq(hull->face_count, 6);
    cr_expect_eq(hull->edge_count, 12);
    ts_hull_free(hull);
}

Test(hull, nearly_equal_points_merge) {
    ts_vec3 points[32];
    for (int i = 0; i < 32; ++i)
        points[i] = ts_vec3_make((i & 1 ? 1.0 : -1.0) + 1e-12 * (i / 8), (i & 2 ? 1.0 : -1.0) - 1e-12 * (i / 8),
                                 (i & 4 ? 1.0 : -1.0) + 2e-12 * (i / 8));
    ts_hull* hull = 0;
    cr_assert_eq(ts_hull_build(points, 32, &hull, 0), TS_OK);
    cr_expect_eq(hull->vertex_count, 8);
    cr_expect_eq(hull->face_count, 6);
    ts_hull_free(hull);
}

Test(hull, sphere_points_do_not_creep_into_one_face) {
    ts_rng rng = ts_rng_make(33, 0);
    ts_hull* hull = random_hull(&rng, 500, ts_vec3_make(1.0, 1.0, 1.0));
    cr_expect_eq(hull->vertex_count, 500);
    cr_expect_geq(hull->face_count, 990);
    cr_expect_leq(hull->face_count, 996);
    ts_hull_free(hull);
}

Test(hull, validation_notices_damage) {
    ts_hull* hull = box_hull(ts_vec3_make(1.0, 1.0, 1.0));
    ts_status status;
    cr_assert_eq(ts_hull_validate(hull, &status), TS_OK);
    ts_vec3 normal = hull->face_normal[0];
    hull->face_normal[0] = ts_vec3_scale(2.0, normal);
    cr_expect_neq(ts_hull_validate(hull, &status), TS_OK);
    hull->face_normal[0] = ts_vec3_neg(normal);
    cr_expect_neq(ts_hull_validate(hull, &status), TS_OK);
    hull->face_normal[0] = normal;
    ts_vec3 corner = hull->vertex[0];
    hull->vertex[0] = ts_vec3_scale(1.1, corner);
    cr_expect_neq(ts_hull_validate(hull, &status), TS_OK);
    hull->vertex[0] = corner;
    int first = hull->face_corner[0];
    hull->face_corner[0] = hull->face_corner[1];
    cr_expect_neq(ts_hull_validate(hull, &status), TS_OK);
    hull->face_corner[0] = first;
    hull->edge_count = 11;
    cr_expect_neq(ts_hull_validate(hull, &status), TS_OK);
    hull->edge_count = 12;
    cr_expect_eq(ts_hull_validate(hull, &status), TS_OK);
    ts_hull_free(hull);
}

Test(hull, free_ignores_null) { ts_hull_free(0); }

// Point sets that give hull codes trouble. Whatever comes back must be a valid hull or a refusal with a reason.
static ts_vec3 awkward_point(ts_rng* rng, int family, int i) {
    ts_vec3 v = random_vector(rng, 1.0);
    switch (family) {
    case 0: return ts_vec3_make(floor(3.0 * v.x), floor(3.0 * v.y), floor(3.0 * v.z));
    case 1: return ts_vec3_make(v.x, v.y, 1e-9 * v.z);
    case 2: return ts_vec3_make(v.x, v.y, i % 2 ? 0.0 : 1e-7 * v.z);
    case 3: return ts_vec3_make(v.x, 1e-10 * v.y, 1e-10 * v.z);
    case 4: return ts_vec3_make((double)(float)v.x, (double)(float)v.y, i % 3 ? 0.25 : (double)(float)v.z);
    case 5: return ts_vec3_add_scaled(ts_vec3_make(i % 2, i / 2 % 2, i / 4 % 2), 1e-9, v);
    case 6: return ts_vec3_add_scaled(ts_vec3_make(i % 2, i / 2 % 2, i / 4 % 2), 1e-7, v);
    case 7: return ts_vec3_add_scaled(ts_vec3_make(1e6, 1e6, 1e6), 1e-3, v);
    case 8: return ts_vec3_scale(1e-30, v);
    case 9: return ts_vec3_make(cos(i * 0.3), sin(i * 0.3), 0.01 * i);
    case 10: return ts_vec3_make(cos((i / 2) * 0.1), sin((i / 2) * 0.1), i % 2);
    default: return ts_vec3_make(v.x * v.x * v.x * 1e3, v.y, v.z * 1e-3);
    }
}

Test(hull, awkward_points_give_a_valid_hull_or_a_reason) {
    ts_rng rng = ts_rng_make(34, 0);
    int built = 0;
    for (int trial = 0; trial < 1200; ++trial) {
        ts_vec3 points[200];
        int count = 4 + (int)(ts_rng_uniform(&rng) * (trial % 3 ? 30.0 : 196.0));
        for (int i = 0; i < count; ++i) points[i] = awkward_point(&rng, trial % 12, i);
        ts_hull* hull = 0;
        ts_status status;
        ts_code code = ts_hull_build(points, count, &hull, &status);
        if (code) {
            cr_assert_null(hull);
            cr_assert_neq(status.message[0], '\0');
            continue;
        }
        ++built;
        check_everything(hull, points, count, 1e-6);
        cr_assert_gt(hull->volume, 0.0);
        ts_hull_free(hull);
    }
    cr_expect_gt(built, 600, "only %d were built", built);
}
