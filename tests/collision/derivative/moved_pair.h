// Random pairs near contact, and central differences of what is asked about them.
#ifndef TS_TESTS_MOVED_PAIR_H
#define TS_TESTS_MOVED_PAIR_H

#include "tests/collision/collision_fixture.h"

#include "collision/distance/proximity.h"
#include "collision/shape/compound.h"
#include "collision/shape/height_field.h"

/// A pair of placed shapes.
typedef struct moved_pair {
    ts_shape a, b;
    ts_transform pose_a, pose_b;
} moved_pair;

/// The rotation by the vector w, in long double where it matters: cos and sin are of small angles.
static inline ts_mat3 rotation_by(ts_vec3 w) {
    double angle = ts_vec3_norm(w);
    if (angle == 0.0) return ts_mat3_identity();
    return ts_quat_to_mat3(ts_quat_from_axis_angle(ts_vec3_scale(1.0 / angle, w), angle));
}

/// B's pose moved by t along column j of a twist in world axes at B's origin.
static inline ts_transform moved_in_world(const ts_transform* pose, int j, double t) {
    ts_transform moved = *pose;
    ts_vec3 along = ts_vec3_scale(t, ts_vec3_axis(j % 3));
    if (j < 3)
        moved.p = ts_vec3_add(moved.p, along);
    else
        moved.R = ts_mat3_mul(rotation_by(along), moved.R);
    return moved;
}

/// B's pose moved by t along column j of a twist in B's own axes.
static inline ts_transform moved_in_body(const ts_transform* pose, int j, double t) {
    ts_transform moved = *pose;
    ts_vec3 along = ts_vec3_scale(t, ts_vec3_axis(j % 3));
    if (j < 3)
        moved.p = ts_vec3_add(moved.p, ts_mat3_mul_vec(&pose->R, along));
    else
        moved.R = ts_mat3_mul(pose->R, rotation_by(along));
    return moved;
}

/// Places B so that the signed distance is about `gap`, keeping its rotation: apart exactly, in an overlap by pushing on from a
/// gap of 1 mm. (Whoever goes for a certain depth ends where two normals are as good.)
static inline void bring_near(moved_pair* pair, double gap) {
    double target = gap < 0.0 ? 1e-3 : gap;
    ts_proximity p;
    for (int k = 0; k < 12; ++k) {
        ts_proximity_query(&pair->a, &pair->pose_a, &pair->b, &pair->pose_b, 0, 0, &p);
        cr_assert_neq(p.status, TS_PROXIMITY_INVALID_INPUT);
        if (fabs(p.distance - target) < 1e-13) break;
        pair->pose_b.p = ts_vec3_add_scaled(pair->pose_b.p, target - p.distance, p.found.normal);
    }
    if (gap < 0.0) pair->pose_b.p = ts_vec3_add_scaled(pair->pose_b.p, gap - target, p.found.normal);
}

/// The hulls that random pairs borrow.
typedef struct pair_hulls {
    ts_hull* hull[3];
} pair_hulls;

static inline pair_hulls pair_hulls_make(ts_rng* rng) {
    pair_hulls h;
    h.hull[0] = random_hull(rng, 12, ts_vec3_make(0.5, 0.7, 0.9));
    h.hull[1] = random_hull(rng, 60, ts_vec3_make(0.8, 0.7, 0.5));
    h.hull[2] = box_hull(ts_vec3_make(0.4, 0.5, 0.6));
    return h;
}

static inline void pair_hulls_free(pair_hulls* h) {
    for (int k = 0; k < 3; ++k) ts_hull_free(h->hull[k]);
}

/// A random pair of two kinds with a gap of the regime of its number: apart, touching to 1e-9, overlapping. One in four is nearly
/// aligned, as resting bodies are; one in three has a rounded shape.
static inline moved_pair random_pair(ts_rng* rng, int kind_a, int kind_b, const pair_hulls* hulls, int number) {
    moved_pair pair;
    pair.a = random_shape(rng, (ts_shape_kind)kind_a, 1.0, hulls->hull[number % 3]);
    pair.b = random_shape(rng, (ts_shape_kind)kind_b, 1.0, hulls->hull[number / 3 % 3]);
    if (kind_a == TS_SHAPE_PLANE) pair.a = ts_shape_plane();
    if (kind_b == TS_SHAPE_PLANE) pair.b = ts_shape_plane();
    if (number % 3 == 0 && kind_a != TS_SHAPE_PLANE) pair.a.radius += 0.05;
    if (number % 6 == 0 && kind_b != TS_SHAPE_PLANE) pair.b.radius += 0.1;
    pair.pose_a = random_pose(rng, 0.3);
    pair.pose_b = random_pose(rng, 1.5);
    if (number % 4 == 3) {
        ts_mat3 tilt = rotation_by(random_vector(rng, number % 8 == 3 ? 0.02 : 0.1));
        ts_mat3 quarter = turn(2, ts_rng_uniform_in(rng, 0.0, 6.0));
        pair.pose_b.R = ts_mat3_mul(pair.pose_a.R, ts_mat3_mul(tilt, quarter));
        if (number % 16 == 7) pair.pose_b.R = ts_mat3_mul(pair.pose_b.R, turn(0, 1.5707963267948966));
    }
    return pair;
}

/// Shapes made of parts: two boxes and a rod that cross, level ground, hills.
typedef enum composite_kind { COMPOSITE_CROSS, COMPOSITE_LEVEL, COMPOSITE_HILLS, COMPOSITES } composite_kind;

/// One of them, with what it borrows.
typedef struct composite {
    composite_kind kind;
    ts_shape shape;
    ts_compound* compound;
    ts_height_field* field;
} composite;

static inline composite composite_make(composite_kind kind, ts_rng* rng) {
    composite c = {kind, ts_shape_plane(), 0, 0};
    if (kind == COMPOSITE_CROSS) {
        const ts_compound_child child[3] = {{ts_shape_box(ts_vec3_make(1.0, 0.2, 0.3)), at(0.0, 0.0, 0.0)},
                                            {ts_shape_box(ts_vec3_make(0.2, 0.9, 0.2)), at(0.3, 0.1, 0.2)},
                                            {ts_shape_capsule(0.15, 0.8), at(-0.5, 0.0, 0.4)}};
        cr_assert_eq(ts_compound_build(child, 3, &c.compound, 0), TS_OK);
        c.shape = ts_shape_compound(c.compound);
        return c;
    }
    double height[12 * 12];
    for (int i = 0; i < 144; ++i) height[i] = kind == COMPOSITE_HILLS ? ts_rng_uniform_in(rng, -0.15, 0.15) : 0.0;
    cr_assert_eq(ts_height_field_build(height, 12, 12, 0.9, 0.8, -3.0, &c.field, 0), TS_OK);
    c.shape = ts_shape_height_field(c.field);
    return c;
}

static inline void composite_free(composite* c) {
    ts_compound_free(c->compound);
    ts_height_field_free(c->field);
}

/// It against a random convex shape, the first or the second of the pair by number.
static inline moved_pair composite_pair(const composite* c, ts_rng* rng, int kind, const pair_hulls* hulls,
                                        int number) {
    moved_pair pair = random_pair(rng, kind, kind, hulls, number);
    pair.a = c->shape;
    if (c->field) {
        ts_vec3 above = ts_vec3_make(ts_rng_uniform_in(rng, -2.0, 2.0), ts_rng_uniform_in(rng, -2.0, 2.0), 2.5);
        pair.pose_b.p = ts_transform_point(&pair.pose_a, above);
    }
    if (number % 2) {
        moved_pair swapped = {pair.b, pair.a, pair.pose_b, pair.pose_a};
        return swapped;
    }
    return pair;
}

#endif
