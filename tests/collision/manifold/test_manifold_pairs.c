// Random pairs of all kinds through the manifold: nothing is NaN, nothing is missed, points lie where they should.
#include "tests/collision/collision_fixture.h"

#include "collision/manifold/manifold.h"

#include <stdio.h>

static double thickness(const ts_shape* s) {
    if (s->kind == TS_SHAPE_SPHERE || s->kind == TS_SHAPE_CAPSULE) return s->radius;
    double least = s->half.x < s->half.y ? s->half.x : s->half.y;
    if (s->kind == TS_SHAPE_HULL || s->kind == TS_SHAPE_PLANE || s->kind == TS_SHAPE_TRIANGLE) return 0.5;
    return least < s->half.z ? least : s->half.z;
}

static void check_manifold(const ts_manifold* m, const ts_shape* a, const ts_transform* pa, const ts_shape* b,
                           const ts_transform* pb, double margin, const char* what) {
    cr_assert_neq(m->status, TS_PROXIMITY_LIMIT, "%s", what);
    cr_assert_float_eq(ts_vec3_norm(m->normal), 1.0, 1e-12, "%s", what);
    ts_proximity p;
    ts_proximity_query(a, pa, b, pb, 0, 0, &p);
    cr_assert_neq(p.status, TS_PROXIMITY_LIMIT, "%s", what);
    if (p.found.lower > margin + 1e-9) cr_assert_eq(m->count, 0, "%s: contact at distance %g", what, p.distance);
    if (p.found.upper < margin - 1e-3) cr_assert_gt(m->count, 0, "%s: nothing at distance %g", what, p.distance);
    if (m->count == 0) return;
    double size = thickness(a) < thickness(b) ? thickness(a) : thickness(b);
    double lowest = 1e9;
    for (int i = 0; i < m->count; ++i) {
        const ts_manifold_point* q = &m->point[i];
        cr_assert(ts_vec3_is_finite(q->position) && isfinite(q->gap), "%s", what);
        cr_assert_leq(q->gap, margin, "%s", what);
        lowest = q->gap < lowest ? q->gap : lowest;
        // Half a gap to either side are the two surfaces: never outside by more than tilt and clipping allow.
        double slack = 0.2 * fabs(q->gap) + 2e-4;
        ts_vec3 on_a = ts_vec3_add_scaled(q->position, -0.5 * q->gap, m->normal);
        ts_vec3 on_b = ts_vec3_add_scaled(q->position, 0.5 * q->gap, m->normal);
        cr_assert_leq(outside(a, ts_transform_point_inverse(pa, on_a)), slack, "%s: %g outside A, gap %g", what,
                      outside(a, ts_transform_point_inverse(pa, on_a)), q->gap);
        cr_assert_leq(outside(b, ts_transform_point_inverse(pb, on_b)), slack, "%s: %g outside B, gap %g", what,
                      outside(b, ts_transform_point_inverse(pb, on_b)), q->gap);
        for (int j = 0; j < i; ++j) cr_assert_neq(q->feature, m->point[j].feature, "%s: labels repeat", what);
    }
    // The deepest point is the signed distance, except where a face was preferred to a slightly better edge.
    cr_assert_leq(lowest, p.found.upper + 0.06 * size, "%s: deepest %g, distance %g", what, lowest, p.distance);
    cr_assert_geq(lowest, p.found.lower - 0.06 * size, "%s: deepest %g, distance %g", what, lowest, p.distance);
}

static void run(int ka, int kb) {
    ts_rng rng = ts_rng_make(111, (uint64_t)(ka * 16 + kb));
    ts_hull* hulls[3] = {random_hull(&rng, 8, ts_vec3_make(0.5, 0.7, 0.9)),
                         random_hull(&rng, 60, ts_vec3_make(0.8, 0.7, 0.3)), box_hull(ts_vec3_make(0.4, 0.5, 0.6))};
    char what[64];
    int contacts = 0;
    for (int trial = 0; trial < 10000; ++trial) {
        ts_shape a = random_shape(&rng, (ts_shape_kind)ka, 1.0, hulls[trial % 3]);
        ts_shape b = random_shape(&rng, (ts_shape_kind)kb, 1.0, hulls[trial / 3 % 3]);
        ts_transform pa = random_pose(&rng, 1.0), pb = random_pose(&rng, 1.0);
        if (trial % 4 == 0) pb.R = pa.R;  // aligned: ties everywhere
        if (trial % 4 == 1) {
            // Slide along the normal until just about touching.
            ts_proximity p;
            ts_proximity_query(&a, &pa, &b, &pb, 0, 0, &p);
            static const double target[6] = {-1e-3, -1e-6, -1e-12, 0.0, 1e-9, 1e-3};
            pb.p = ts_vec3_add_scaled(pb.p, target[trial / 4 % 6] - p.distance, p.found.normal);
        }
        ts_manifold_settings settings = {trial % 2 ? 0.02 : 0.1, 1 + trial % 8, 0.0};
        ts_manifold m;
        ts_manifold_collide(&a, &pa, &b, &pb, &settings, 0, &m);
        snprintf(what, sizeof what, "%s-%s %d", ts_shape_kind_name(a.kind), ts_shape_kind_name(b.kind), trial);
        check_manifold(&m, &a, &pa, &b, &pb, settings.margin, what);
        contacts += m.count > 0;
    }
    cr_expect_gt(contacts, 3000, "%d-%d: only %d contacts", ka, kb, contacts);
    for (int k = 0; k < 3; ++k) ts_hull_free(hulls[k]);
}

Test(manifold_pairs, plane_with_everything) {
    for (int kind = TS_SHAPE_SPHERE; kind < TS_SHAPE_CONVEX_COUNT; ++kind) run(TS_SHAPE_PLANE, kind);
}

Test(manifold_pairs, sphere_with_everything) {
    for (int kind = TS_SHAPE_SPHERE; kind < TS_SHAPE_CONVEX_COUNT; ++kind) run(TS_SHAPE_SPHERE, kind);
}

Test(manifold_pairs, capsule_with_everything) {
    for (int kind = TS_SHAPE_CAPSULE; kind < TS_SHAPE_CONVEX_COUNT; ++kind) run(TS_SHAPE_CAPSULE, kind);
}

Test(manifold_pairs, ellipsoid_with_everything) {
    for (int kind = TS_SHAPE_ELLIPSOID; kind < TS_SHAPE_CONVEX_COUNT; ++kind) run(TS_SHAPE_ELLIPSOID, kind);
}

Test(manifold_pairs, cylinder_with_everything) {
    for (int kind = TS_SHAPE_CYLINDER; kind < TS_SHAPE_CONVEX_COUNT; ++kind) run(TS_SHAPE_CYLINDER, kind);
}

Test(manifold_pairs, cone_with_everything) {
    for (int kind = TS_SHAPE_CONE; kind < TS_SHAPE_CONVEX_COUNT; ++kind) run(TS_SHAPE_CONE, kind);
}

Test(manifold_pairs, triangle_with_everything) {
    for (int kind = TS_SHAPE_TRIANGLE; kind < TS_SHAPE_CONVEX_COUNT; ++kind) run(TS_SHAPE_TRIANGLE, kind);
}

Test(manifold_pairs, box_with_everything) {
    for (int kind = TS_SHAPE_BOX; kind < TS_SHAPE_CONVEX_COUNT; ++kind) run(TS_SHAPE_BOX, kind);
}

Test(manifold_pairs, hull_with_hull) { run(TS_SHAPE_HULL, TS_SHAPE_HULL); }

Test(manifold_pairs, swapped_pairs_agree) {
    ts_rng rng = ts_rng_make(112, 0);
    ts_hull* hull = random_hull(&rng, 30, ts_vec3_make(0.5, 0.7, 0.9));
    for (int ka = 0; ka < TS_SHAPE_CONVEX_COUNT; ++ka)
        for (int kb = 0; kb < TS_SHAPE_CONVEX_COUNT; ++kb) {
            if (ka == 0 && kb == 0) continue;
            for (int trial = 0; trial < 500; ++trial) {
                ts_shape a = random_shape(&rng, (ts_shape_kind)ka, 1.0, hull);
                ts_shape b = random_shape(&rng, (ts_shape_kind)kb, 1.0, hull);
                ts_transform pa = random_pose(&rng, 0.9), pb = random_pose(&rng, 0.9);
                ts_manifold_settings settings = {0.02, 8, 0.0};
                ts_manifold m, n;
                ts_manifold_collide(&a, &pa, &b, &pb, &settings, 0, &m);
                ts_manifold_collide(&b, &pb, &a, &pa, &settings, 0, &n);
                cr_assert_eq(m.count, n.count, "%d-%d trial %d: %d and %d", ka, kb, trial, m.count, n.count);
                if (m.count == 0) continue;
                cr_assert_leq(ts_vec3_norm(ts_vec3_add(m.normal, n.normal)), 1e-6, "%d-%d trial %d", ka, kb, trial);
                for (int i = 0; i < m.count; ++i) {
                    double nearest = 1e9;
                    for (int j = 0; j < n.count; ++j) {
                        double d = ts_vec3_distance(m.point[i].position, n.point[j].position) +
                                   fabs(m.point[i].gap - n.point[j].gap);
                        nearest = d < nearest ? d : nearest;
                    }
                    cr_assert_leq(nearest, 1e-4, "%d-%d trial %d: %g apart", ka, kb, trial, nearest);
                }
            }
        }
    ts_hull_free(hull);
}
