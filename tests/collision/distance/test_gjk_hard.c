// Families that make GJK run in circles elsewhere: slivers, aspect ratios of a million, exact contact, far and tiny
// shapes, flat cores. The iteration limit is never met, and plane and witnesses prove each answer.
#include "tests/collision/distance/gjk_pairs.h"

enum { FAMILIES = 17, TRIALS = 1500, SLIVERS = 40 };

static const char* const family_name[FAMILIES] = {"boxes of aspect 1e6",
                                                  "needles and plates",
                                                  "hulls 1e-9 apart",
                                                  "slivers",
                                                  "tiny 1e-6",
                                                  "huge 1e6",
                                                  "faces in exact contact",
                                                  "edges in exact contact",
                                                  "corners in contact",
                                                  "concentric",
                                                  "far from the origin",
                                                  "triangles",
                                                  "segments",
                                                  "coaxial cylinders",
                                                  "cone and box",
                                                  "grid points",
                                                  "parallel boxes apart"};

typedef struct hard_hulls {
    ts_hull* round[2];  // many vertices on a ball
    ts_hull* sliver[SLIVERS];
    ts_hull* grid[SLIVERS];
} hard_hulls;

static void make_hulls(ts_rng* rng, hard_hulls* h) {
    for (int i = 0; i < 2; ++i) h->round[i] = random_hull(rng, 500, ts_vec3_make(1.0, 1.0, 1.0));
    for (int i = 0; i < SLIVERS; ++i) {
        h->sliver[i] = random_hull(rng, 6 + i, ts_vec3_make(1.0, 1e-2, i % 2 ? 1.0 : 1e-3));
        ts_vec3 points[40];
        // Many coplanar and collinear points; a corner block keeps the hull solid.
        for (int k = 0; k < 40; ++k)
            points[k] = ts_vec3_make((double)(ts_rng_bits(rng) % 3), (double)(ts_rng_bits(rng) % 3), (double)(k % 4));
        cr_assert_eq(ts_hull_build(points, 40, &h->grid[i], 0), TS_OK);
    }
}

static void free_hulls(hard_hulls* h) {
    for (int i = 0; i < 2; ++i) ts_hull_free(h->round[i]);
    for (int i = 0; i < SLIVERS; ++i) {
        ts_hull_free(h->sliver[i]);
        ts_hull_free(h->grid[i]);
    }
}

static ts_shape box(double x, double y, double z) { return ts_shape_box(ts_vec3_make(x, y, z)); }

static double power(ts_rng* rng, double low, double high) {
    double t = ts_rng_uniform(rng), value = low;
    // Uniform over decades without a logarithm: one of the decades, then a mantissa.
    int decades = 0;
    for (double x = low; x * 10.0 <= high * 1.0001; x *= 10.0) ++decades;
    int pick = decades ? (int)(ts_rng_bits(rng) % (unsigned)decades) : 0;
    for (int i = 0; i < pick; ++i) value *= 10.0;
    return value * (1.0 + 9.0 * t);
}

static gjk_pair draw(ts_rng* rng, int family, int trial, const hard_hulls* h, ts_vec3 corner[2][3]) {
    gjk_pair p;
    double u = ts_rng_uniform_in(rng, 0.3, 1.0), v = ts_rng_uniform_in(rng, 0.3, 1.0);
    p.a = box(u, v, 0.7);
    p.b = box(v, 0.5, u);
    p.b_in_a = random_pose(rng, 2.0);
    switch (family) {
    case 0:
        p.a = box(1e-6, u, v);
        p.b = box(u, 1e-6 * v, 1.0);
        break;
    case 1:
        p.a = box(power(rng, 1e-6, 1.0), power(rng, 1e-6, 1.0), 1.0);
        p.b = box(power(rng, 1e-6, 1.0), power(rng, 1e-6, 1.0), 1.0);
        break;
    case 2:
        p.a = ts_shape_hull(h->round[0]);
        p.b = ts_shape_hull(h->round[1]);
        gjk_pair_place(rng, &p, 4.0, 1e-9);
        break;
    case 3:
        p.a = ts_shape_hull(h->sliver[trial % SLIVERS]);
        p.b = ts_shape_hull(h->sliver[(trial * 7 + 1) % SLIVERS]);
        break;
    case 4:
        p.a = box(1e-6 * u, 1e-6, 1e-6 * v);
        p.b = ts_shape_ellipsoid(ts_vec3_make(1e-6, 1e-6 * u, 1e-6 * v));
        p.b_in_a = random_pose(rng, 3e-6);
        break;
    case 5:
        p.a = box(1e6 * u, 1e6, 1e6 * v);
        p.b = ts_shape_cylinder(1e6 * u, 1e6 * v);
        p.b_in_a = random_pose(rng, 3e6);
        break;
    case 6:
        p.b = trial % 2 ? p.b : ts_shape_cylinder(v, u);
        p.b_in_a = at(p.a.half.x + p.b.half.x, ts_rng_uniform_in(rng, -1.0, 1.0), ts_rng_uniform_in(rng, -1.0, 1.0));
        break;
    case 7: p.b_in_a = at(p.a.half.x + p.b.half.x, p.a.half.y + p.b.half.y, ts_rng_uniform_in(rng, -1.0, 1.0)); break;
    case 8: p.b_in_a = at(p.a.half.x + p.b.half.x, p.a.half.y + p.b.half.y, p.a.half.z + p.b.half.z); break;
    case 9:
        p.b = trial % 2 ? ts_shape_hull(h->round[0]) : ts_shape_ellipsoid(ts_vec3_make(u, v, 0.5));
        p.b_in_a.p = ts_vec3_zero();
        break;
    case 10: p.b_in_a.p = ts_vec3_add(p.b_in_a.p, ts_vec3_make(1e3, -1e3, 1e3)); break;
    case 11:
        p.a = ts_shape_triangle(corner[0]);
        p.b = ts_shape_triangle(corner[1]);
        break;
    case 12:
        p.a = ts_shape_capsule(0.1, u);
        p.b = ts_shape_capsule(0.1, v);
        if (trial % 3 == 0) p.b_in_a.R = ts_mat3_identity();
        break;
    case 13:
        p.a = ts_shape_cylinder(u, v);
        p.b = ts_shape_cylinder(v, u);
        p.b_in_a = at(0.0, 0.0, (trial % 2 ? 1.0 : 1.0 + 1e-9) * (u + v));
        break;
    case 14: p.a = ts_shape_cone(u, v); break;
    case 15:
        p.a = ts_shape_hull(h->grid[trial % SLIVERS]);
        p.b = ts_shape_hull(h->grid[(trial * 3 + 1) % SLIVERS]);
        p.b_in_a = at((double)(trial % 7) - 3.0, (double)(trial / 7 % 7) - 3.0, (double)(trial / 49 % 9) - 4.0);
        break;
    default: p.b_in_a = at(p.a.half.x + p.b.half.x + power(rng, 1e-12, 1.0), 0.0, ts_rng_uniform_in(rng, -1.0, 1.0));
    }
    return p;
}

// The gap along a direction in long double, from vertices: exact enough to judge polytopes of any aspect.
static long double wide_gap(const gjk_pair* p, ts_vec3 n) { return (long double)plane_value(p, n); }

static void check(const gjk_pair* p, const ts_gjk_result* r, int family, const char* how) {
    const char* what = family_name[family];
    cr_assert(r->status == TS_PROXIMITY_SEPARATED || r->status == TS_PROXIMITY_TOUCHING ||
                  r->status == TS_PROXIMITY_PENETRATING,
              "%s by %s: status %d [%g, %g] after %d", what, how, (int)r->status, r->found.lower, r->found.upper,
              r->iterations);
    cr_assert_lt(r->iterations, 128, "%s by %s", what, how);
    cr_assert(r->found.lower <= r->found.upper && r->rank >= 1 && r->rank <= 4, "%s by %s", what, how);
    double rounding = 1e-13 * r->scale;
    cr_assert_float_eq((double)wide_gap(p, r->found.normal), r->found.lower, rounding,
                       "%s by %s: %.17g, not %.17g, scale %g", what, how, (double)wide_gap(p, r->found.normal),
                       r->found.lower, r->scale);
    if (r->status == TS_PROXIMITY_SEPARATED) {
        // Two points of the cores: no distance can be more.
        cr_assert_float_eq(ts_vec3_distance(r->found.point_a, r->found.point_b), r->found.upper, rounding,
                           "%s by %s: %.17g, not %.17g, scale %g, rank %d", what, how,
                           ts_vec3_distance(r->found.point_a, r->found.point_b), r->found.upper, r->scale, r->rank);
        // Planes of slivers turn by what rounding leaves of their area.
        cr_assert_leq(r->found.upper - r->found.lower, 1e-7 * r->found.upper + 4e-12 * r->scale,
                      "%s by %s: [%.17g, %.17g]", what, how, r->found.lower, r->found.upper);
    }
    if (r->status == TS_PROXIMITY_TOUCHING) cr_assert_leq(r->found.upper, 1e-9 * r->scale, "%s by %s", what, how);
    double sum = 0.0;
    for (int i = 0; i < r->rank; ++i) {
        cr_assert_gt(r->simplex[i].lambda, 0.0, "%s by %s", what, how);
        sum += r->simplex[i].lambda;
    }
    cr_assert_float_eq(sum, 1.0, 1e-9, "%s by %s", what, how);
}

Test(gjk_hard, every_family_ends_with_a_proof) {
    ts_rng rng = ts_rng_make(111, 0);
    hard_hulls hulls;
    make_hulls(&rng, &hulls);
    for (int family = 0; family < FAMILIES; ++family) {
        int longest = 0;
        for (int trial = 0; trial < TRIALS; ++trial) {
            ts_vec3 corner[2][3];
            for (int i = 0; i < 6; ++i) corner[i / 3][i % 3] = random_vector(&rng, 1.0);
            gjk_pair p = draw(&rng, family, trial, &hulls, corner);
            for (int v = 0; v < TS_GJK_VARIANT_COUNT; ++v) {
                ts_gjk_settings settings = ts_gjk_settings_default();
                settings.variant = (ts_gjk_variant)v;
                ts_gjk_result r, verdict;
                ts_gjk_distance(&(ts_shape_pair){&p.a, &p.b, p.b_in_a}, &settings, 0, &r);
                check(&p, &r, family, ts_gjk_variant_name(settings.variant));
                if (v == 0 && r.iterations > longest) longest = r.iterations;
                ts_shape a = p.a, b = p.b;
                a.radius = b.radius = 0.0;
                ts_gjk_overlap(&(ts_shape_pair){&a, &b, p.b_in_a}, 0.0, &settings, 0, &verdict);
                cr_assert_neq(verdict.status, TS_PROXIMITY_LIMIT, "%s", family_name[family]);
                cr_assert(!(verdict.status == TS_PROXIMITY_PENETRATING && r.found.lower > 1e-13 * r.scale), "%s",
                          family_name[family]);
                cr_assert(!(verdict.status == TS_PROXIMITY_SEPARATED_EARLY && r.status == TS_PROXIMITY_PENETRATING &&
                            verdict.found.lower > 1e-13 * r.scale),
                          "%s", family_name[family]);
            }
        }
        cr_expect_leq(longest, 80, "%s: %d iterations", family_name[family], longest);
    }
    free_hulls(&hulls);
}

// Exact contact of faces, edges and corners of axis-aligned boxes is seen as such by every variant.
Test(gjk_hard, exact_contact_is_touching_in_every_variant) {
    ts_rng rng = ts_rng_make(112, 0);
    for (int trial = 0; trial < 900; ++trial) {
        // Sizes in units of 1/64, so that sums are exact.
        double h[6];
        for (int i = 0; i < 6; ++i) h[i] = (double)(1 + ts_rng_bits(&rng) % 64) / 64.0;
        gjk_pair p;
        p.a = box(h[0], h[1], h[2]);
        p.b = box(h[3], h[4], h[5]);
        double inside = (double)(ts_rng_bits(&rng) % 5) / 8.0;
        int contact = trial % 3;
        p.b_in_a = at(h[0] + h[3], contact >= 1 ? h[1] + h[4] : inside * (h[1] + h[4]),
                      contact >= 2 ? h[2] + h[5] : inside * (h[2] + h[5]));
        for (int v = 0; v < TS_GJK_VARIANT_COUNT; ++v) {
            ts_gjk_settings settings = ts_gjk_settings_default();
            settings.variant = (ts_gjk_variant)v;
            ts_gjk_result r;
            ts_gjk_distance(&(ts_shape_pair){&p.a, &p.b, p.b_in_a}, &settings, 0, &r);
            cr_assert_eq(r.status, TS_PROXIMITY_TOUCHING, "%s: status %d [%g, %g]",
                         ts_gjk_variant_name(settings.variant), (int)r.status, r.found.lower, r.found.upper);
        }
    }
}
