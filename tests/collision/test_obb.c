// The oriented-box test must never separate boxes that overlap, and should separate those clearly apart.
#include "tests/collision/collision_fixture.h"

#include "collision/obb.h"
#include "collision/proximity.h"

static double true_distance(const ts_obb* a, const ts_obb* b) {
    ts_shape sa = ts_shape_box(a->half), sb = ts_shape_box(b->half);
    ts_proximity p;
    ts_proximity_query(&sa, &a->placed, &sb, &b->placed, 0, 0, &p);
    return p.distance;
}

Test(obb, agrees_with_the_signed_distance) {
    ts_rng rng = ts_rng_make(91, 0);
    int apart = 0, wrong = 0;
    for (int trial = 0; trial < 20000; ++trial) {
        ts_obb a, b;
        a.half = ts_vec3_add(ts_vec3_make(0.5, 0.5, 0.5), random_vector(&rng, 0.4));
        b.half = ts_vec3_add(ts_vec3_make(0.5, 0.5, 0.5), random_vector(&rng, 0.4));
        a.placed = random_pose(&rng, 1.0);
        b.placed = random_pose(&rng, 1.0);
        double d = true_distance(&a, &b);
        int overlap = ts_obb_overlap(&a, &b, 0.0);
        if (d <= 0.0) cr_assert(overlap, "separated at distance %g", d);
        if (d > 1e-6) {
            ++apart;
            wrong += overlap;
        }
    }
    cr_expect_gt(apart, 2000);
    // The fifteen axes are exact but for the guard of 1e-9.
    cr_expect_eq(wrong, 0);
}

Test(obb, parallel_axes_with_rounding_noise_never_separate_overlap) {
    ts_rng rng = ts_rng_make(92, 0);
    for (int trial = 0; trial < 100000; ++trial) {
        ts_obb a, b;
        a.half = ts_vec3_add(ts_vec3_make(0.5, 0.5, 0.5), random_vector(&rng, 0.4));
        b.half = ts_vec3_add(ts_vec3_make(0.5, 0.5, 0.5), random_vector(&rng, 0.4));
        a.placed = random_pose(&rng, 1.0);
        b.placed = a.placed;
        for (int i = 0; i < 9; ++i) b.placed.R.m[i / 3][i % 3] += 1e-16 * ts_rng_uniform_in(&rng, -1.0, 1.0);
        ts_vec3 shift = ts_vec3_mul(random_vector(&rng, 0.999999), ts_vec3_add(a.half, b.half));
        b.placed.p = ts_transform_point(&a.placed, shift);
        cr_assert(ts_obb_overlap(&a, &b, 0.0));
    }
}

Test(obb, the_margin_grows_the_boxes) {
    ts_obb a, b;
    a.half = b.half = ts_vec3_make(0.5, 0.5, 0.5);
    a.placed = at(0.0, 0.0, 0.0);
    b.placed = at(1.1, 0.0, 0.0);
    cr_expect_not(ts_obb_overlap(&a, &b, 0.0));
    cr_expect_not(ts_obb_overlap(&a, &b, 0.099));
    cr_expect(ts_obb_overlap(&a, &b, 0.101));
}
