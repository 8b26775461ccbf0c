// The vector scans against their scalar twin, index for index, and the lists of cells against the scan.
#include "tests/collision/collision_fixture.h"

#include "collision/shape/support_internal.h"

static void check_scans(const ts_hull* hull, ts_vec3 d) {
    int expected = ts_support_scan(hull, d), width = ts_support_scan_width();
    cr_assert_eq(ts_support_scan_simd(hull, d), expected);
    if (width >= 2) cr_assert_eq(ts_support_scan_sse2(hull, d), expected);
    if (width >= 4) cr_assert_eq(ts_support_scan_avx2(hull, d), expected);
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

// The direction that the hull's cells see as `mapped`.
static ts_vec3 seen_as(const ts_hull* hull, ts_vec3 mapped) {
    const double* m = hull->to_cells;
    double z = mapped.z / m[5], y = (mapped.y - m[4] * z) / m[3];
    return ts_vec3_make((mapped.x - m[1] * y - m[2] * z) / m[0], y, z);
}

// A direction on the border of cells, perhaps a little to one side.
static ts_vec3 border(const ts_hull* hull, ts_rng* rng) {
    double n = hull->cells, column = (double)(ts_rng_bits(rng) % (unsigned)(hull->cells + 1));
    double row = (double)(ts_rng_bits(rng) % (unsigned)(hull->cells + 1)), off = 1e-15 * ts_rng_normal(rng);
    ts_vec3 d = ts_vec3_make(column / n + off, row / n, 1.0 - column / n - row / n);
    if (d.z < 0.0) d = ts_vec3_make(1.0 - d.x, 1.0 - d.y, -d.z);
    unsigned sign = (unsigned)ts_rng_bits(rng);
    return seen_as(hull, ts_vec3_make(sign & 1 ? -d.x : d.x, sign & 2 ? -d.y : d.y, sign & 4 ? -d.z : d.z));
}

enum { ROUND, CLIPPED, PLATE, THIN, SHEET, ROD, SINGLE_PRECISION, DISC, BOX_OF_BALLS, ARRANGEMENTS };

static ts_hull* hull_of(int arrangement, int count, ts_rng* rng) {
    ts_vec3 points[1024];
    ts_mat3 turn = random_rotation(rng);
    for (int i = 0; i < count; ++i) {
        ts_vec3 p = random_unit(rng);
        if (arrangement == CLIPPED)
            p = ts_vec3_max(ts_vec3_min(p, ts_vec3_make(0.6, 0.7, 0.8)), ts_vec3_make(-0.6, -0.7, -0.8));
        if (arrangement == PLATE) p.z *= 0.04;
        if (arrangement == THIN) p.z *= 1e-3;
        if (arrangement == SHEET) p.z *= 1e-6;
        if (arrangement == ROD) p = ts_vec3_make(p.x, 0.03 * p.y, 0.04 * p.z);
        if (arrangement == DISC) p = ts_vec3_make(cos(0.001 * i * i), sin(0.001 * i * i), i % 2 ? 0.2 : -0.2);
        if (arrangement == BOX_OF_BALLS)
            p = ts_vec3_add(ts_vec3_scale(0.05, p), ts_vec3_make(i & 1 ? 1 : -1, i & 2 ? 1 : -1, i & 4 ? 1 : -1));
        p = ts_mat3_mul_vec(&turn, p);
        if (arrangement == SINGLE_PRECISION) p = ts_vec3_make((float)p.x, (float)p.y, (float)p.z);
        points[i] = p;
    }
    ts_hull* hull = 0;
    cr_assert_eq(ts_hull_build(points, count, &hull, 0), TS_OK);
    cr_assert_eq(hull->cells > 0, hull->vertex_count > TS_HULL_FEW);
    return hull;
}

static void check_listed(const ts_hull* hull, ts_vec3 d, int hint) {
    int found = ts_support_listed(hull, d, hint), expected = ts_support_scan(hull, d);
    double short_by = ts_vec3_dot(d, ts_vec3_sub(hull->vertex[expected], hull->vertex[found]));
    cr_assert_leq(short_by, 1e-14 * ts_vec3_norm(d), "%d vertices: short by %g", hull->vertex_count, short_by);
}

Test(support_simd, lists_find_what_scanning_finds) {
    ts_rng rng = ts_rng_make(122, 0);
    for (int trial = 0; trial < 5 * ARRANGEMENTS; ++trial) {
        int counts[5] = {60, 100, 200, 500, 1000};
        ts_hull* hull = hull_of(trial % ARRANGEMENTS, counts[trial / ARRANGEMENTS], &rng);
        if (!hull->cells) {
            ts_hull_free(hull);
            continue;
        }
        for (int k = 0; k < 1000; ++k) {
            int hint = k % 3 ? (int)(ts_rng_bits(&rng) % (unsigned)hull->vertex_count) : -1;
            ts_vec3 d = random_unit(&rng);
            // All around as the hull's cells see it; where cells meet; where many vertices tie; hardly a direction at all.
            if (k % 5 == 1) d = seen_as(hull, d);
            if (k % 5 == 2) d = border(hull, &rng);
            if (k % 5 == 3) {
                ts_vec3 n = hull->face_normal[ts_rng_bits(&rng) % (unsigned)hull->face_count];
                d = ts_vec3_add_scaled(n, k % 2 ? 0.0 : 1e-7 * ts_rng_normal(&rng), d);
            }
            if (k % 5 == 4) d = ts_vec3_scale(1e-200, d);
            check_listed(hull, d, hint);
        }
        const double odd[8] = {0.0, -0.0, 1.0, -1.0, 1e-300, 1e300, (double)INFINITY, (double)NAN};
        for (int k = 0; k < 8 * 8 * 8; ++k) {
            int found = ts_support_listed(hull, ts_vec3_make(odd[k % 8], odd[k / 8 % 8], odd[k / 64]), k % 7 - 1);
            cr_assert(found >= 0 && found < hull->vertex_count);
        }
        ts_hull_free(hull);
    }
}

// What makes them worth having: few vertices each, whatever the proportions, and hardly a cell without.
Test(support_simd, lists_are_short_and_ascending) {
    const int arrangements[4] = {ROUND, PLATE, ROD, BOX_OF_BALLS};
    ts_rng rng = ts_rng_make(123, 0);
    for (int trial = 0; trial < 8; ++trial) {
        ts_hull* hull = hull_of(arrangements[trial % 4], trial < 4 ? 150 : 1000, &rng);
        int n = hull->cells, cells = 0, listed = 0, entries = 0;
        for (int k = 0; k < 8 * n * n; ++k) {
            int first = hull->cell_start[k], end = hull->cell_start[k + 1];
            cr_assert_gt(end, first);
            for (int i = first + 1; i < end; ++i) cr_assert_lt(hull->cell_vertex[i - 1], hull->cell_vertex[i]);
            if (k / n % n + k % n >= n) continue;  // directions on a border at most
            ++cells;
            listed += end > first + 1;
            entries += end - first;
        }
        cr_expect_gt(listed, 0.9 * cells, "arrangement %d: %d of %d", arrangements[trial % 4], listed, cells);
        cr_expect_lt(entries, 6 * cells, "arrangement %d: %d in %d", arrangements[trial % 4], entries, cells);
        ts_hull_free(hull);
    }
}
