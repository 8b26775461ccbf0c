// What a query shows on its way. Watching changes no bit of the answer; every step's support point is the farthest of A - B by brute force over
// all pairs of vertices, its bounds hold what the query found, its simplex is made of such points and its polytope is closed, convex and
// grown around the origin; and a trace that is full stays within its room.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <criterion/criterion.h>

#include "base/rng.h"
#include "collision/distance/proximity.h"

enum { STEPS = 512, TRIANGLES = 20000 };

typedef struct watched {
    ts_proximity_trace trace;
    ts_proximity answer;
} watched;

static watched watch(const ts_shape* a, const ts_shape* b, const ts_transform* pose_b, ts_proximity_method method) {
    watched w;
    memset(&w, 0, sizeof w);
    w.trace.step = (ts_proximity_step*)calloc(STEPS, sizeof *w.trace.step);
    w.trace.triangle = (ts_vec3(*)[3])calloc(TRIANGLES, sizeof *w.trace.triangle);
    w.trace.step_room = STEPS;
    w.trace.triangle_room = TRIANGLES;
    ts_proximity_options options = ts_proximity_options_default();
    options.method = method;
    options.trace = &w.trace;
    ts_transform here = ts_transform_identity();
    ts_proximity_query(a, &here, b, pose_b, &options, NULL, &w.answer);
    return w;
}

static void release(watched* w) {
    free(w->trace.step);
    free(w->trace.triangle);
}

static double draw(ts_rng* rng, double low, double high) { return ts_rng_uniform_in(rng, low, high); }

static ts_transform random_pose(ts_rng* rng, double reach) {
    ts_pose pose = {ts_vec3_make(draw(rng, -reach, reach), draw(rng, -reach, reach), draw(rng, -reach, reach)),
                    ts_quat_make(draw(rng, -1, 1), draw(rng, -1, 1), draw(rng, -1, 1), draw(rng, -1, 1))};
    pose.rotation = ts_quat_normalize(pose.rotation);
    return ts_transform_from_pose(pose);
}

static ts_shape random_shape(ts_rng* rng, int kind) {
    double x = draw(rng, 0.2, 1.0), y = draw(rng, 0.2, 1.0), z = draw(rng, 0.2, 1.0);
    switch (kind) {
    case 0: return ts_shape_box(ts_vec3_make(x, y, z));
    case 1: return ts_shape_capsule(x, y);
    case 2: return ts_shape_ellipsoid(ts_vec3_make(x, y, z));
    case 3: return ts_shape_cylinder(x, y);
    case 4: return ts_shape_cone(x, y);
    default: return ts_shape_sphere(x);
    }
}

Test(trace, watching_changes_nothing) {
    ts_rng rng = ts_rng_make(11, 0);
    static const ts_proximity_method method[] = {TS_PROXIMITY_AUTO, TS_PROXIMITY_GJK, TS_PROXIMITY_INCREMENTAL};
    int seen[3] = {0, 0, 0};
    for (int i = 0; i < 3000; ++i) {
        ts_shape a = random_shape(&rng, i % 6), b = random_shape(&rng, i / 6 % 6);
        ts_transform pose = random_pose(&rng, 1.5), here = ts_transform_identity();
        ts_proximity plain;
        ts_proximity_options options = ts_proximity_options_default();
        options.method = method[i % 3];
        ts_proximity_query(&a, &here, &b, &pose, &options, NULL, &plain);
        watched w = watch(&a, &b, &pose, method[i % 3]);
        cr_assert(plain.status == w.answer.status && plain.distance == w.answer.distance &&
                      plain.found.lower == w.answer.found.lower && plain.found.upper == w.answer.found.upper &&
                      memcmp(&plain.found.normal, &w.answer.found.normal, sizeof(ts_vec3)) == 0 &&
                      memcmp(&plain.found.point_a, &w.answer.found.point_a, sizeof(ts_vec3)) == 0 &&
                      plain.iterations == w.answer.iterations && plain.support_calls == w.answer.support_calls,
                  "pair %d", i);
        for (int k = 0; k < w.trace.steps; ++k) ++seen[w.trace.step[k].stage];
        cr_assert_eq(w.trace.lost, 0);
        release(&w);
    }
    for (int stage = 0; stage < 3; ++stage) cr_expect_gt(seen[stage], 100, "stage %d", stage);
}

// Points of A - B for boxes A and B, in A's frame: all 64.
static void vertices(const ts_shape* a, const ts_shape* b, const ts_transform* pose, ts_vec3 out[64]) {
    for (int i = 0; i < 8; ++i)
        for (int k = 0; k < 8; ++k) {
            ts_vec3 p = ts_vec3_make(i & 1 ? a->half.x : -a->half.x, i & 2 ? a->half.y : -a->half.y,
                                     i & 4 ? a->half.z : -a->half.z);
            ts_vec3 q = ts_vec3_make(k & 1 ? b->half.x : -b->half.x, k & 2 ? b->half.y : -b->half.y,
                                     k & 4 ? b->half.z : -b->half.z);
            out[8 * i + k] = ts_vec3_sub(p, ts_transform_point(pose, q));
        }
}

static double farthest(const ts_vec3 point[64], ts_vec3 d) {
    double most = -HUGE_VAL;
    for (int i = 0; i < 64; ++i) most = fmax(most, ts_vec3_dot(point[i], d));
    return most;
}

static int is_one_of(const ts_vec3 point[64], ts_vec3 w) {
    for (int i = 0; i < 64; ++i)
        if (ts_vec3_distance(point[i], w) < 1e-12) return 1;
    return 0;
}

static void check_polytope(const ts_proximity_trace* trace, const ts_proximity_step* s, const ts_vec3 point[64]) {
    ts_vec3(*t)[3] = trace->triangle + s->triangle_first;
    double nearest = HUGE_VAL;
    for (int f = 0; f < s->triangles; ++f) {
        ts_vec3 n = ts_vec3_unit_or(ts_vec3_cross(ts_vec3_sub(t[f][1], t[f][0]), ts_vec3_sub(t[f][2], t[f][0])),
                                    ts_vec3_axis(0));
        double offset = ts_vec3_dot(n, t[f][0]);
        nearest = fmin(nearest, offset);
        for (int g = 0; g < s->triangles; ++g)
            for (int k = 0; k < 3; ++k) cr_assert_lt(ts_vec3_dot(n, t[g][k]), offset + 1e-9, "not convex");
        for (int k = 0; k < 3; ++k) {
            cr_assert(is_one_of(point, t[f][k]));
            // Its other side is in exactly one other triangle, the other way round.
            int others = 0;
            for (int g = 0; g < s->triangles; ++g)
                for (int e = 0; e < 3; ++e)
                    others += ts_vec3_distance(t[g][e], t[f][(k + 1) % 3]) < 1e-12 &&
                              ts_vec3_distance(t[g][(e + 1) % 3], t[f][k]) < 1e-12;
            cr_assert_eq(others, 1, "an edge has %d other sides", others);
        }
    }
    cr_assert_float_eq(nearest, ts_vec3_norm(s->nearest), 1e-9);
}

Test(trace, every_step_is_what_it_says) {
    ts_rng rng = ts_rng_make(5, 0);
    int polytopes = 0, apart = 0;
    for (int i = 0; i < 400; ++i) {
        ts_shape a = random_shape(&rng, 0), b = random_shape(&rng, 0);
        ts_transform pose = random_pose(&rng, i % 2 ? 0.5 : 2.0);
        ts_vec3 point[64];
        vertices(&a, &b, &pose, point);
        watched w = watch(&a, &b, &pose, TS_PROXIMITY_GJK);
        cr_assert(w.trace.steps > 0 && !w.trace.swapped);
        apart += w.answer.status == TS_PROXIMITY_SEPARATED;
        double last = HUGE_VAL;
        for (int k = 0; k < w.trace.steps; ++k) {
            const ts_proximity_step* s = &w.trace.step[k];
            ts_vec3 support = ts_vec3_sub(s->point_a, s->point_b);
            cr_assert_float_eq(ts_vec3_norm(s->direction), 1.0, 1e-12);
            cr_assert(is_one_of(point, support));
            cr_assert_float_eq(-s->support, farthest(point, s->direction), 1e-9, "pair %d, step %d", i, k);
            cr_assert(s->lower <= w.answer.distance + 1e-9 && w.answer.distance <= s->upper + 1e-9, "pair %d, step %d",
                      i, k);
            for (int c = 0; c < s->corners; ++c) cr_assert(is_one_of(point, s->corner[c]));
            if (s->stage == TS_PROXIMITY_STAGE_GJK) {
                cr_assert(s->upper <= last + 1e-12, "the simplex comes no nearer in pair %d, step %d", i, k);
                last = s->upper;
                if (s->corners < 4) cr_assert_float_eq(ts_vec3_norm(s->nearest), s->upper, 1e-9);
            }
            if (s->triangles > 0) {
                check_polytope(&w.trace, s, point);
                ++polytopes;
            }
        }
        const ts_proximity_step* end = &w.trace.step[w.trace.steps - 1];
        cr_assert(end->support <= w.answer.distance + 1e-9);
        release(&w);
    }
    cr_expect(polytopes > 100 && apart > 50, "%d polytopes, %d apart", polytopes, apart);
}

Test(trace, room_is_kept) {
    ts_shape a = ts_shape_cylinder(0.5, 1.0), b = ts_shape_box(ts_vec3_make(1.0, 0.6, 0.4));
    ts_pose pose = {ts_vec3_make(0.9, 0.3, 0.2), ts_quat_normalize(ts_quat_make(0.9, 0.1, 0.3, 0.3))};
    ts_transform placed = ts_transform_from_pose(pose), here = ts_transform_identity();
    ts_proximity_step step[4];
    ts_vec3 triangle[6][3];
    memset(step, 0, sizeof step);
    memset(triangle, 0, sizeof triangle);
    ts_proximity_trace trace = {.step = step, .triangle = triangle, .step_room = 3, .triangle_room = 5};
    ts_proximity_options options = ts_proximity_options_default();
    options.method = TS_PROXIMITY_GJK;
    options.trace = &trace;
    ts_proximity answer;
    ts_proximity_query(&a, &here, &b, &placed, &options, NULL, &answer);
    cr_expect_eq(answer.status, TS_PROXIMITY_PENETRATING);
    cr_expect(trace.steps == 3 && trace.triangles <= 5 && trace.lost > 3);
    cr_expect(step[3].corners == 0 && triangle[5][0].x == 0.0);
    cr_expect_str_eq(ts_proximity_stage_name(step[0].stage), "gjk");
}
