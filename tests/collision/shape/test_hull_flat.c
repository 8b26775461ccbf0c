// Hulls without a volume: ranks, shapes, and supports against a scan of the points they were made of.
#include "tests/collision/collision_fixture.h"

#include "collision/shape/support.h"

static ts_hull* build(const ts_vec3* points, int count, int rank, ts_hull_report* report) {
    ts_hull* hull = 0;
    ts_status status;
    cr_assert_eq(ts_hull_build_any(points, count, &hull, report, &status), TS_OK, "%s", status.message);
    cr_assert_eq(hull->rank, rank, "rank %d, not %d", hull->rank, rank);
    cr_assert_eq(report->rank, rank);
    cr_assert_eq(ts_hull_validate(hull, &status), TS_OK, "%s", status.message);
    return hull;
}

// No point reaches farther than the hull's support, and the support is one of the points, by more than `slack`.
static void check_supports(const ts_hull* hull, const ts_vec3* points, int count, double slack, ts_rng* rng) {
    ts_shape shape = ts_shape_hull(hull);
    for (int trial = 0; trial < 100; ++trial) {
        ts_vec3 d = random_unit(rng);
        wide3 wd = wide(d), from = wide(points[0]);
        long double best = 0.0;
        for (int i = 0; i < count; ++i) {
            long double value = wide_dot(wd, wide_sub(wide(points[i]), from));
            best = value > best ? value : best;
        }
        for (int hint = -1; hint < hull->vertex_count; hint += 3) {
            ts_support_point s = ts_support_core(&shape, d, hint);
            long double reached = wide_dot(wd, wide_sub(wide(s.point), from));
            cr_assert_leq(fabs((double)(best - reached)), slack);
            cr_assert_eq(ts_vec3_distance(s.point, hull->vertex[s.index]), 0.0);
        }
    }
}

Test(hull_flat, one_point_however_often) {
    ts_rng rng = ts_rng_make(71, 0);
    ts_vec3 points[5];
    for (int i = 0; i < 5; ++i) points[i] = ts_vec3_make(1e3, -2.0, 0.125);
    ts_hull_report report;
    for (int count = 1; count <= 5; ++count) {
        ts_hull* hull = build(points, count, 0, &report);
        cr_expect_eq(hull->vertex_count, 1);
        cr_expect_eq(hull->volume, 0.0);
        cr_expect_eq(report.duplicates, count - 1);
        cr_expect_eq(ts_vec3_distance(hull->centroid, points[0]), 0.0);
        check_supports(hull, points, count, 0.0, &rng);
        ts_hull_free(hull);
    }
}

Test(hull_flat, points_on_a_line_make_a_segment) {
    ts_rng rng = ts_rng_make(72, 0);
    for (int trial = 0; trial < 50; ++trial) {
        ts_vec3 along = random_unit(&rng), origin = random_vector(&rng, trial % 2 ? 1e4 : 1.0), points[20];
        double size = exp(ts_rng_uniform_in(&rng, -6.0, 6.0));
        int count = 2 + trial % 19;
        for (int i = 0; i < count; ++i)
            points[i] = ts_vec3_add_scaled(origin, size * ts_rng_uniform_in(&rng, -1.0, 1.0), along);
        double spread = 0.0;
        for (int i = 0; i < count; ++i) {
            double far = ts_vec3_distance(points[i], points[0]);
            spread = far > spread ? far : spread;
        }
        // Where the coordinates themselves are rounded by more than the threshold, they do not lie on a line.
        if (spread < 1e-4 * ts_vec3_norm(origin)) continue;
        ts_hull_report report;
        ts_hull* hull = build(points, count, 1, &report);
        cr_expect_eq(report.dropped, count - 2);
        check_supports(hull, points, count, 1e-9 * size, &rng);
        ts_hull_free(hull);
    }
}

Test(hull_flat, points_in_a_plane_make_a_polygon) {
    ts_rng rng = ts_rng_make(73, 0);
    for (int trial = 0; trial < 100; ++trial) {
        ts_transform pose = random_pose(&rng, trial % 3 ? 1.0 : 1e3);
        double size = exp(ts_rng_uniform_in(&rng, -4.0, 4.0)), slim = trial % 5 ? 1.0 : 1e-3;
        ts_vec3 points[220];
        int count = 3 + trial * 2;
        for (int i = 0; i < count; ++i) {
            ts_vec3 p = ts_vec3_make(size * ts_rng_normal(&rng), slim * size * ts_rng_normal(&rng), 0.0);
            points[i] = ts_transform_point(&pose, p);
            if (i > 3 && i % 7 == 0) points[i] = points[i - 3];
        }
        ts_hull_report report;
        ts_hull* hull = build(points, count, 2, &report);
        cr_expect_eq(hull->face_count, 2);
        cr_expect_eq(hull->edge_count, hull->vertex_count);
        cr_expect_leq(report.flattening, 1e-12 * (size + ts_vec3_norm(pose.p)));
        cr_expect_geq(report.duplicates, count > 7 ? 1 : 0);
        cr_expect_float_eq(fabs(ts_vec3_dot(hull->face_normal[0], ts_mat3_column(&pose.R, 2))), 1.0, 1e-6);
        cr_expect_float_eq(ts_vec3_dot(hull->face_normal[0], hull->face_normal[1]), -1.0, 1e-12);
        check_supports(hull, points, count, 1e-8 * size, &rng);
        ts_hull_free(hull);
    }
}

Test(hull_flat, square_grid_keeps_its_corners_and_centre) {
    ts_vec3 points[25];
    for (int i = 0; i < 25; ++i) points[i] = ts_vec3_make(i % 5, 2.0, i / 5 * 2.0);
    ts_hull_report report;
    ts_hull* hull = build(points, 25, 2, &report);
    cr_expect_eq(hull->vertex_count, 4);
    cr_expect_eq(report.dropped, 21);
    cr_expect_eq(report.duplicates, 0);
    cr_expect_leq(ts_vec3_distance(hull->centroid, ts_vec3_make(2.0, 2.0, 4.0)), 1e-14);
    ts_hull_free(hull);
}

Test(hull_flat, slivers_are_solid_or_flat_but_never_refused) {
    ts_rng rng = ts_rng_make(74, 0);
    for (int power = 2; power <= 17; ++power) {
        double thickness = pow(10.0, -power);
        ts_vec3 points[60];
        for (int i = 0; i < 60; ++i) {
            points[i] = random_vector(&rng, 1.0);
            points[i].z *= thickness;
        }
        ts_hull* hull = 0;
        ts_hull_report report;
        ts_status status;
        cr_assert_eq(ts_hull_build_any(points, 60, &hull, &report, &status), TS_OK, "%g: %s", thickness,
                     status.message);
        cr_expect(report.rank == 3 || (report.rank == 2 && thickness < 1e-9), "%g: rank %d", thickness, report.rank);
        cr_expect_eq(ts_hull_validate(hull, &status), TS_OK, "%s", status.message);
        check_supports(hull, points, 60, 1e-8, &rng);
        ts_hull_free(hull);
    }
}

Test(hull_flat, solids_are_what_the_plain_builder_makes) {
    ts_rng rng = ts_rng_make(75, 0);
    ts_vec3 points[30];
    for (int i = 0; i < 30; ++i) points[i] = random_unit(&rng);
    ts_hull *plain = 0, *any = 0;
    cr_assert_eq(ts_hull_build(points, 30, &plain, 0), TS_OK);
    cr_assert_eq(ts_hull_build_any(points, 30, &any, 0, 0), TS_OK);
    cr_expect_eq(any->rank, 3);
    cr_expect_eq(plain->vertex_count, any->vertex_count);
    cr_expect_eq(plain->volume, any->volume);
    ts_hull_free(plain);
    ts_hull_free(any);
}

Test(hull_flat, numbers_that_are_none_are_refused) {
    ts_vec3 points[2] = {{0, 0, 0}, {1, (double)NAN, 0}};
    ts_hull* hull = 0;
    ts_hull_report report;
    ts_status status;
    cr_expect_eq(ts_hull_build_any(points, 2, &hull, &report, &status), TS_ERROR_VALUE);
    cr_expect_null(hull);
    cr_expect_eq(ts_hull_build_any(points, 0, &hull, 0, &status), TS_ERROR_VALUE);
    points[1].y = 1e200;
    cr_expect_eq(ts_hull_build_any(points, 2, &hull, 0, &status), TS_ERROR_VALUE);
}

// Extremes are what a scan says, and the arrays are the vertices about their centre, far from the origin too.
Test(hull_flat, extremes_and_arrays_are_those_of_the_vertices) {
    ts_rng rng = ts_rng_make(76, 0);
    for (int trial = 0; trial < 20; ++trial) {
        ts_vec3 points[50], shift = random_vector(&rng, trial % 2 ? 1e6 : 0.0);
        for (int i = 0; i < 50; ++i) points[i] = ts_vec3_add(shift, random_unit(&rng));
        ts_hull* hull = 0;
        cr_assert_eq(ts_hull_build_any(points, 50, &hull, 0, 0), TS_OK);
        for (int k = 0; k < TS_HULL_EXTREME_COUNT; ++k) {
            wide3 d = wide(ts_hull_extreme_direction(k));
            for (int i = 0; i < hull->vertex_count; ++i)
                cr_assert_leq(
                    (double)wide_dot(d, wide_sub(wide(hull->vertex[i]), wide(hull->vertex[hull->extreme[k]]))), 1e-15);
        }
        for (int i = 0; i < hull->vertex_count; ++i) {
            ts_vec3 p = ts_vec3_make(hull->x[i], hull->y[i], hull->z[i]);
            cr_assert_leq(ts_vec3_distance(p, ts_vec3_sub(hull->vertex[i], hull->centre)), 0.0);
            cr_assert_leq(ts_vec3_max_abs(p), 1.0 + 1e-9);
        }
        ts_hull_free(hull);
    }
}
