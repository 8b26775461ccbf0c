// Questions whose answers are judged as in query_fuzz.h wherever they are asked, and shapes of every kind to ask about.
#ifndef TS_TESTS_COLLISION_JUDGED_QUERY_H
#define TS_TESTS_COLLISION_JUDGED_QUERY_H

#include "tests/collision/distance/query_fuzz.h"

/// The library's own answer.
static inline ts_proximity ask(const ts_shape* a, ts_transform pa, const ts_shape* b, ts_transform pb,
                               ts_gjk_cache* cache) {
    ts_proximity p;
    ts_proximity_query(a, &pa, b, &pb, 0, cache, &p);
    return p;
}

/// Asks and judges, both ways round.
static inline ts_proximity sure(ts_shape a, ts_transform pa, ts_shape b, ts_transform pb) {
    ts_proximity first = ask(&a, pa, &b, pb, 0), second = ask(&b, pb, &a, pa, 0);
    fuzz_case c;
    char why[FUZZ_WHY];
    memset(&c, 0, sizeof c);
    c.a = a;
    c.b = b;
    c.pa = pa;
    c.pb = pb;
    c.size = fuzz_reach(&a) + fuzz_reach(&b) + ts_vec3_distance(pa.p, pb.p);
    c.far = ts_vec3_norm(pa.p) + ts_vec3_norm(pb.p);
    c.gap = -(long double)INFINITY;
    cr_expect(fuzz_judge(&c, &first, 7, why) && fuzz_is_sharp(&c, &first, why), "%s-%s: %s", ts_shape_kind_name(a.kind),
              ts_shape_kind_name(b.kind), why);
    double slack = 1e-12 * c.size + 1e-3 * (first.found.upper - first.found.lower) + 16.0 * DBL_EPSILON * c.far;
    cr_expect(fabs(first.distance - second.distance) <= slack + (first.found.upper - first.found.lower),
              "%s-%s swapped: %.17g and %.17g", ts_shape_kind_name(a.kind), ts_shape_kind_name(b.kind), first.distance,
              second.distance);
    return first;
}

/// A cube of that half extent.
static inline ts_shape unit_box(double h) { return ts_shape_box(ts_vec3_make(h, h, h)); }

/// A solid or flat shape of every convex kind but the plane, about a unit large.
static inline ts_shape sample(int kind, const ts_hull* hull) {
    switch (kind) {
    case TS_SHAPE_SPHERE: return ts_shape_sphere(0.5);
    case TS_SHAPE_CAPSULE: return ts_shape_capsule(0.25, 0.5);
    case TS_SHAPE_ELLIPSOID: return ts_shape_ellipsoid(ts_vec3_make(0.5, 0.3, 0.7));
    case TS_SHAPE_CYLINDER: return ts_shape_cylinder(0.5, 0.4);
    case TS_SHAPE_CONE: return ts_shape_cone(0.5, 0.6);
    case TS_SHAPE_TRIANGLE:
        return ts_shape_triangle(
            borrow_corners(ts_vec3_make(-0.5, -0.4, 0.0), ts_vec3_make(0.6, -0.3, 0.1), ts_vec3_make(-0.1, 0.7, -0.1)));
    case TS_SHAPE_BOX: return unit_box(0.5);
    default: return ts_shape_hull(hull);
    }
}

/// A small hull for `sample`; freed by the caller.
static inline ts_hull* sample_hull(void) {
    ts_rng rng = ts_rng_make(31, 0);
    return random_hull(&rng, 24, ts_vec3_make(0.5, 0.4, 0.6));
}

#endif
