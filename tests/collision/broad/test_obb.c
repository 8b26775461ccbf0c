// The oriented-box test must never separate boxes that overlap, and should separate those clearly apart.
#include "tests/collision/collision_fixture.h"

#include "collision/broad/obb_internal.h"
#include "collision/distance/proximity.h"
#include "collision/shape/support.h"

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

Test(obb, a_hint_changes_the_axis_and_never_the_verdict) {
    ts_rng rng = ts_rng_make(93, 0);
    int apart = 0, edge = 0, kept = 0;
    for (int trial = 0; trial < 100000; ++trial) {
        ts_obb a, b;
        a.half = ts_vec3_add(ts_vec3_make(0.5, 0.5, 0.5), random_vector(&rng, 0.4));
        b.half = ts_vec3_add(ts_vec3_make(0.5, 0.5, 0.5), random_vector(&rng, 0.4));
        a.placed = random_pose(&rng, 1.0);
        b.placed = trial % 3 ? random_pose(&rng, 1.0) : a.placed;
        // Every third pair touches exactly, face to face, with rounding noise: where a verdict hangs on the last bit.
        if (trial % 3 == 0) {
            double reach = a.half.x + b.half.x;
            b.placed.p = ts_transform_point(&a.placed, ts_vec3_make(reach * (1.0 + 1e-9 * (trial % 5)), 0.1, 0.2));
        }
        int plain = ts_obb_separating_axis(&a.placed, &a.half, &b.placed, &b.half, 0.0, TS_OBB_NONE);
        cr_assert_eq(plain == TS_OBB_NONE, ts_obb_overlap(&a, &b, 0.0));
        apart += plain != TS_OBB_NONE;
        edge += plain >= 6;
        for (int first = 0; first < TS_OBB_AXES; ++first) {
            int found = ts_obb_separating_axis(&a.placed, &a.half, &b.placed, &b.half, 0.0, first);
            cr_assert_eq(found == TS_OBB_NONE, plain == TS_OBB_NONE);
            // What is found stands when it is tried first.
            if (found != TS_OBB_NONE)
                cr_assert_eq(ts_obb_separating_axis(&a.placed, &a.half, &b.placed, &b.half, 0.0, found), found);
            kept += found == first;
        }
    }
    cr_expect_gt(apart, 10000);
    cr_expect_gt(edge, 500);
    cr_expect_gt(kept, 10000);
}

Test(obb, box_of_a_shape_holds_it) {
    ts_rng rng = ts_rng_make(94, 0);
    ts_hull* hull = random_hull(&rng, 200, ts_vec3_make(0.9, 0.3, 0.5));
    for (int trial = 0; trial < 400; ++trial) {
        ts_shape_kind kind = (ts_shape_kind)(TS_SHAPE_SPHERE + trial % (TS_SHAPE_CONVEX_COUNT - 1));
        ts_shape shape = random_shape(&rng, kind, 1.0, hull);
        if (trial & 1) shape = ts_shape_rounded(shape, 0.1);
        ts_obb box;
        cr_assert(ts_obb_of_shape(&shape, &box));
        for (int k = 0; k < 200; ++k) {
            ts_vec3 d = random_unit(&rng), p = ts_support_core(&shape, d, -1).point;
            ts_vec3 in = ts_transform_point_inverse(&box.placed, ts_vec3_add_scaled(p, shape.radius, d));
            ts_vec3 out = ts_vec3_sub(ts_vec3_abs(in), box.half);
            cr_assert(out.x <= 1e-15 && out.y <= 1e-15 && out.z <= 1e-15, "kind %d", kind);
        }
    }
    ts_shape plane = ts_shape_plane();
    ts_obb none;
    cr_expect_not(ts_obb_of_shape(&plane, &none));
    ts_hull_free(hull);
}

// One axis at a time, three, and three in one register.
Test(obb, there_is_one_answer_on_every_machine) {
    ts_rng rng = ts_rng_make(94, 0);
    int found[TS_OBB_AXES + 1] = {0};
    for (int trial = 0; trial < 100000; ++trial) {
        ts_obb a, b;
        a.half = ts_vec3_add(ts_vec3_make(0.5, 0.5, 0.5), random_vector(&rng, 0.4));
        b.half = ts_vec3_add(ts_vec3_make(0.5, 0.5, 0.5), random_vector(&rng, 0.4));
        a.placed = random_pose(&rng, 1.0);
        b.placed = random_pose(&rng, 1.0);
        double margin = trial % 3 ? 0.0 : 0.1;
        int axis = ts_obb_separating_axis_narrow(&a.placed, &a.half, &b.placed, &b.half, margin, TS_OBB_NONE);
        cr_assert_eq(ts_obb_separating_axis(&a.placed, &a.half, &b.placed, &b.half, margin, TS_OBB_NONE), axis, "%d",
                     trial);
        ++found[axis + 1];
        for (int first = 0; first < TS_OBB_AXES; ++first) {
            // The first that separates is one that does alone, and those before it do not.
            int alone = ts_obb_separating_axis_narrow(&a.placed, &a.half, &b.placed, &b.half, margin, first) == first;
            if (axis == TS_OBB_NONE || first < axis) cr_assert_not(alone && axis != first, "%d: %d", trial, first);
            if (first == axis) cr_assert(alone, "%d: %d", trial, first);
            cr_assert_eq(ts_obb_separating_axis(&a.placed, &a.half, &b.placed, &b.half, margin, first) == first, alone);
        }
    }
    for (int axis = TS_OBB_NONE; axis < TS_OBB_AXES; ++axis) cr_expect_gt(found[axis + 1], 10, "%d", axis);
}
