// Pairs of shapes at a chosen distance, for the tests of GJK: drawn as the papers draw them.
#ifndef TS_TESTS_COLLISION_GJK_PAIRS_H
#define TS_TESTS_COLLISION_GJK_PAIRS_H

#include "tests/collision/collision_fixture.h"

#include "collision/distance/gjk/gjk.h"

/// Two placed shapes in A's frame.
typedef struct gjk_pair {
    ts_shape a, b;
    ts_transform b_in_a;
} gjk_pair;

/// -sigma_D(n) from supports: what the plane with unit normal n certifies of the cores.
static inline double plane_value(const gjk_pair* p, ts_vec3 n) {
    ts_vec3 sa = ts_support_core(&p->a, n, -1).point;
    ts_vec3 sb = ts_support_core(&p->b, ts_transform_direction_inverse(&p->b_in_a, ts_vec3_neg(n)), -1).point;
    return ts_vec3_dot(n, ts_vec3_sub(ts_transform_point(&p->b_in_a, sb), sa));
}

/// Turns B at random, puts it far off in a random direction and brings it along the axis of the closest points to
/// distance d of the cores. Negative: as far beyond touching along that axis, which is at least the depth.
static inline void gjk_pair_place(ts_rng* rng, gjk_pair* p, double far, double d) {
    p->b_in_a.R = random_rotation(rng);
    p->b_in_a.p = ts_vec3_scale(far, random_unit(rng));
    ts_gjk_settings settings = ts_gjk_settings_default();
    settings.variant = TS_GJK_VANILLA;
    ts_gjk_result r;
    ts_gjk_distance(&(ts_shape_pair){&p->a, &p->b, p->b_in_a}, &settings, 0, &r);
    cr_assert_eq(r.status, TS_PROXIMITY_SEPARATED);
    p->b_in_a.p = ts_vec3_add_scaled(p->b_in_a.p, d - r.found.upper, r.found.normal);
}

/// An ellipsoid with semi-axes drawn from N(0.1, 0.025) m, as in the papers' tables.
static inline ts_shape gjk_paper_ellipsoid(ts_rng* rng) {
    double h[3];
    for (int i = 0; i < 3; ++i) do
            h[i] = 0.1 + 0.025 * ts_rng_normal(rng);
        while (h[i] < 0.01);
    return ts_shape_ellipsoid(ts_vec3_make(h[0], h[1], h[2]));
}

#endif
