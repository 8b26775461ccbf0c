// What the fuzzer found, by name.
#include "tests/collision/distance/judged_query.h"

static ts_transform tilted(int axis, double angle, double x, double y, double z) {
    ts_transform pose = at(x, y, z);
    pose.R = turn(axis, angle);
    return pose;
}

// Capsules at angles where the lines have no crossing to speak of: at their ends, along each other, through each other.
Test(found_by_fuzzing, nearly_parallel_capsules) {
    ts_shape stub = ts_shape_capsule(0.0003116707147982417, 0.00078503435270478171);
    ts_shape rod = ts_shape_capsule(0.0056566481198878464, 0.12122929833569765);
    ts_proximity p =
        sure(stub, tilted(0, 2.1877833451e-6, 0, 0, 0), rod, at(0, -1.7174850822102552e-09, 0.12811063417460972));
    cr_expect_float_eq(p.distance, 0.00012798265, 1e-11);
    ts_shape one = ts_shape_capsule(1.3595993020338939, 1.3595993020338939);
    ts_shape two = ts_shape_capsule(0.23961517782824268, 6.4379263383648624);
    sure(one, at(0, 0, 0), two, tilted(0, 8.2158263016909059e-09, 0, 2.3693231503535346, -7.7975256209328094));
    one = ts_shape_capsule(0.35286208618025716, 190.08582804892819);
    two = ts_shape_capsule(203.47537109284272, 2629.6993044074165);
    sure(one, tilted(0, -1.5707963267948966, 0, 0, 0), two,
         at(6.03204160094e-08, 171.17364756330798, -2629.6993044074165));
    for (double angle = 1e-15; angle < 1e-3; angle *= 3.0) {
        ts_shape c = ts_shape_capsule(0.1, 1.0);
        for (int k = 0; k < 6; ++k) {
            const double z[6] = {0.0, 0.3, 1.9999999, 2.0, 2.0000001, 2.1};
            sure(c, at(0, 0, 0), c, tilted(0, angle, 0.0, 0.0, z[k]));
            sure(c, at(0, 0, 0), c, tilted(0, angle, 1e-7, 0.0, z[k]));
            sure(c, at(0, 0, 0), c, tilted(0, angle, 0.0, 1e-7, z[k]));
            sure(c, at(0, 0, 0), c, tilted(0, angle, 0.0, 0.3, z[k]));
        }
    }
}

// The line from a ball to a cone's apex is the cone's axis: the circle of normals about it has no nearest one.
Test(found_by_fuzzing, on_the_axis_of_a_cone) {
    for (int flip = 0; flip < 2; ++flip)
        for (double tilt = 0.0; tilt<1e-2; tilt = tilt> 0.0 ? 10.0 * tilt : 1e-17) {
            ts_transform below = tilted(0, tilt, 0.0, 0.0, flip ? -3.0 : 3.0);
            sure(ts_shape_cone(0.5, 1.0), at(0, 0, 0), ts_shape_sphere(0.25), below);
            sure(ts_shape_cone(0.5, 1.0), at(0, 0, 0), ts_shape_capsule(0.25, 0.5), below);
            sure(ts_shape_cone(2.0, 0.01), at(0, 0, 0), ts_shape_ellipsoid(ts_vec3_make(0.5, 0.4, 0.3)), below);
            sure(ts_shape_cone(1e-5, 1.0), at(0, 0, 0), ts_shape_cone(0.3, 1.0), below);
        }
}

// Directions so short that their squares vanish, and vertex numbers out of range: a verdict must not come of it.
Test(found_by_fuzzing, verdicts_with_damaged_caches) {
    ts_rng rng = ts_rng_make(40, 0);
    ts_hull* hull = sample_hull();
    for (int trial = 0; trial < 20000; ++trial) {
        ts_shape a = sample(TS_SHAPE_SPHERE + trial % 8, hull), b = sample(TS_SHAPE_SPHERE + trial / 8 % 8, hull);
        ts_transform pa = random_pose(&rng, 0.8), pb = random_pose(&rng, 0.8);
        ts_proximity cold = ask(&a, pa, &b, pb, 0), verdict;
        if (fabs(cold.distance) < 1e-9) continue;
        ts_proximity_options options = ts_proximity_options_default();
        options.goal = TS_PROXIMITY_VERDICT;
        options.start = (ts_gjk_start)(trial / 64 % TS_GJK_START_COUNT);
        ts_gjk_cache cache;
        fuzz_garbage(&rng, trial % 3 == 0, &cache);
        ts_proximity_query(&a, &pa, &b, &pb, &options, &cache, &verdict);
        cr_assert_eq(verdict.status, cold.distance > 0.0 ? TS_PROXIMITY_SEPARATED_EARLY : TS_PROXIMITY_OVERLAP_EARLY,
                     "%s-%s at %g: %s", ts_shape_kind_name(a.kind), ts_shape_kind_name(b.kind), cold.distance,
                     ts_proximity_status_name(verdict.status));
    }
    ts_hull_free(hull);
}
