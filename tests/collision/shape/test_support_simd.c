// The vector scans against their scalar twin, index for index, and the climb against the scan.
#include "tests/collision/collision_fixture.h"

#include "collision/shape/support_internal.h"

static void check_scans(const ts_hull* hull, ts_vec3 d) {
    int expected = ts_support_scan(hull, d), width = ts_support_scan_width();
    cr_assert_eq(ts_support_scan_simd(hull, d), expected);
    if (width >= 2) cr_assert_eq(ts_support_scan_sse2(hull, d), expected);
    if (width >= 4) cr_assert_eq(ts_support_scan_avx2(hull, d), expected);
    if (width >= 8) cr_assert_eq(ts_support_scan_avx512(hull, d), expected);
}

// The first of the largest, by nothing but a loop.
static int first_of_largest(const ts_hull* hull, ts_vec3 d) {
    int best = 0;
    for (int i = 1; i < hull->vertex_count; ++i) {
        double here = d.x * hull->x[i] + d.y * hull->y[i] + d.z * hull->z[i];
        if (here > d.x * hull->x[best] + d.y * hull->y[best] + d.z * hull->z[best]) best = i;
    }
    return best;
}

Test(support_simd, every_width_names_the_same_vertex) {
    ts_rng rng = ts_rng_make(121, 0);
    // Counts around every multiple of a vector and of two.
    for (int count = 4; count <= 70; ++count) {
        ts_hull* hull = random_hull(&rng, count, ts_vec3_make(0.5, 0.7, 0.9));
        for (int trial = 0; trial < 400; ++trial) {
            ts_vec3 d = random_unit(&rng);
            check_scans(hull, d);
            cr_assert_eq(ts_support_scan(hull, d), first_of_largest(hull, d));
        }
        ts_hull_free(hull);
    }
    for (int count = 180; count <= 500; count += 40) {
        ts_hull* hull = random_hull(&rng, count, ts_vec3_make(0.5, 0.7, 0.9));
        for (int trial = 0; trial < 400; ++trial) check_scans(hull, random_unit(&rng));
        ts_hull_free(hull);
    }
}

Test(support_simd, ties_zeros_and_nonsense_go_the_same_way) {
    ts_vec3 points[256];
    int count = 0;
    // A prism of 2 x 100 corners: along its axis half of the vertices tie exactly.
    for (int i = 0; i < 100; ++i) {
        double t = (double)(i - 50) / 50.0;
        points[count++] = ts_vec3_make(t, t * t, 1.0);
        points[count++] = ts_vec3_make(t, t * t, -1.0);
    }
    ts_hull* hull = 0;
    cr_assert_eq(ts_hull_build(points, count, &hull, 0), TS_OK);
    const double odd[8] = {0.0, -0.0, 1.0, -1.0, 1e-300, 1e300, (double)INFINITY, (double)NAN};
    for (int i = 0; i < 8 * 8 * 8; ++i) check_scans(hull, ts_vec3_make(odd[i % 8], odd[i / 8 % 8], odd[i / 64]));
    cr_expect_eq(ts_support_scan(hull, ts_vec3_axis(2)), first_of_largest(hull, ts_vec3_axis(2)));
    ts_hull_free(hull);
}

// The start of every cell is the farthest vertex along its middle, and many cells have starts of their own.
Test(support_simd, starts_are_support_vertices) {
    ts_rng rng = ts_rng_make(124, 0);
    for (int count = 150; count <= 500; count += 50) {
        ts_hull* hull = random_hull(&rng, count, ts_vec3_make(0.5, 0.7, 0.9));
        int n = hull->start_cells;
        cr_assert_eq(n > 0, hull->vertex_count > TS_HULL_FEW);
        for (int k = 0; k < 6 * n * n; ++k) {
            ts_vec3 d = ts_hull_start_direction(n, k), top = hull->vertex[ts_support_scan(hull, d)];
            cr_assert_leq(ts_vec3_dot(d, ts_vec3_sub(top, hull->vertex[hull->start[k]])), 1e-14);
        }
        ts_hull_free(hull);
    }
}

Test(support_simd, climbing_finds_what_scanning_finds) {
    ts_rng rng = ts_rng_make(122, 0);
    for (int trial = 0; trial < 40; ++trial) {
        // Every third a hull with large flat faces, whose corners are no neighbours of each other.
        ts_vec3 points[512];
        int count = 500;
        for (int i = 0; i < count; ++i) {
            points[i] = random_unit(&rng);
            if (trial % 3 == 0)
                points[i] =
                    ts_vec3_max(ts_vec3_min(points[i], ts_vec3_make(0.6, 0.7, 0.8)), ts_vec3_make(-0.6, -0.7, -0.8));
            if (trial % 3 == 1) points[i].z *= 1e-3;
        }
        ts_hull* hull = 0;
        cr_assert_eq(ts_hull_build(points, count, &hull, 0), TS_OK);
        for (int k = 0; k < 500; ++k) {
            ts_vec3 d = random_unit(&rng);
            int hint = k % 3 ? (int)(ts_rng_bits(&rng) % (unsigned)hull->vertex_count) : -1;
            // Directions where cells of starts meet, and hardly directions at all.
            if (k % 5 == 0 && hull->start_cells)
                d = ts_hull_start_direction(hull->start_cells, k % (6 * hull->start_cells * hull->start_cells));
            if (k % 5 == 1) d = ts_vec3_scale(1e-200, d);
            int found = ts_support_climb(hull, d, hint), expected = ts_support_scan(hull, d);
            double short_by = ts_vec3_dot(d, ts_vec3_sub(hull->vertex[expected], hull->vertex[found]));
            cr_assert_leq(short_by, 1e-14 * ts_vec3_norm(d), "%d vertices: short by %g", hull->vertex_count, short_by);
        }
        const double odd[8] = {0.0, -0.0, 1.0, -1.0, 1e-300, 1e300, (double)INFINITY, (double)NAN};
        for (int k = 0; k < 8 * 8 * 8; ++k) {
            int found = ts_support_climb(hull, ts_vec3_make(odd[k % 8], odd[k / 8 % 8], odd[k / 64]), k % 7 - 1);
            cr_assert(found >= 0 && found < hull->vertex_count);
        }
        ts_hull_free(hull);
    }
}
