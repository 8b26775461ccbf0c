// Manifolds that are kept from step to step.
//
// Problem: what rests is asked for its contacts in every step, and gives the same answer. Rule: where B has hardly moved against A, its manifold is the
// one of before: every surface point moves with its own shape, the normal with A, and gaps are the distances of the surface points along it. How far the
// points of B's surface have moved against A is at most the way of its origin, plus the change of its axes (Frobenius norm) times its radius.
// Source: contact recycling, Catto, Box2D 3 (2024); the bound is our own.
// Guaranteed: what is kept was made from shapes as they were, never from what was kept, so errors do not add up. Distance, and depth, change by at most as
// much as the points of a surface move, and so do the gaps along a fixed normal: the deepest gap is off by twice that at most, where a corner or an edge lies on a
// face by a second power of it.
// Known to fail: a corner that has come within the margin is seen when the shapes have moved by what is allowed.
#include "collision/manifold/manifold.h"

#include <math.h>
#include <string.h>

// Of B in the frame of A.
static ts_transform relative(const ts_transform* a, const ts_transform* b) {
    return (ts_transform){.p = ts_transform_point_inverse(a, b->p), .R = ts_mat3_transposed_mul(a->R, b->R)};
}

static int has_one_normal(const ts_manifold* manifold) {
    for (int k = 1; k < manifold->count; ++k) {
        ts_vec3 a = manifold->point[k].normal, b = manifold->point[0].normal;
        if (a.x != b.x || a.y != b.y || a.z != b.z) return 0;
    }
    return 1;
}

void ts_manifold_keep(const ts_transform* pose_a, const ts_shape* b, const ts_transform* pose_b, double margin,
                      const ts_manifold* manifold, ts_manifold_kept* out) {
    memset(out, 0, sizeof *out);
    if (manifold->count > TS_MANIFOLD_KEPT || !has_one_normal(manifold)) return;
    if (manifold->status == TS_PROXIMITY_LIMIT || manifold->status == TS_PROXIMITY_INVALID_INPUT) return;
    ts_transform r = relative(pose_a, pose_b);
    out->is_kept = 1;
    out->count = manifold->count;
    out->margin = margin;
    out->radius = ts_shape_bounding_radius(b);
    memcpy(out->turn, r.R.m, sizeof out->turn);
    ts_vec3_store(r.p, out->place);
    for (int k = 0; k < manifold->count; ++k) {
        const ts_manifold_point* point = &manifold->point[k];
        ts_vec3 half = ts_vec3_scale(0.5 * point->gap, point->normal);
        ts_vec3_store(ts_transform_point_inverse(pose_a, ts_vec3_sub(point->position, half)), out->on_a[k]);
        ts_vec3_store(ts_transform_point_inverse(pose_b, ts_vec3_add(point->position, half)), out->on_b[k]);
        out->feature[k] = point->feature;
    }
    if (out->count > 0) ts_vec3_store(ts_mat3_mul_vec_transposed(&pose_a->R, manifold->point[0].normal), out->normal);
}

// At least how far any point of B's surface is from where it was.
static double way_of(const ts_manifold_kept* kept, const ts_transform* now) {
    double squared = 0.0;
    const double* R = &now->R.m[0][0];
    for (int i = 0; i < 9; ++i) squared += (R[i] - kept->turn[i]) * (R[i] - kept->turn[i]);
    return ts_vec3_distance(now->p, ts_vec3_load(kept->place)) + sqrt(squared) * kept->radius;
}

int ts_manifold_take(ts_manifold_kept* kept, const ts_transform* pose_a, const ts_transform* pose_b, double margin,
                     double most, ts_manifold* out) {
    if (!kept->is_kept || kept->margin != margin) return 0;
    ts_transform now = relative(pose_a, pose_b);
    // Of what is not finite nothing is kept.
    if (!(way_of(kept, &now) <= most)) return 0;
    ts_vec3 normal = ts_vec3_load(kept->normal), in_world = ts_mat3_mul_vec(&pose_a->R, normal);
    ++kept->age;
    out->count = kept->count;
    out->normal = in_world;
    out->status = kept->count > 0 ? TS_PROXIMITY_SEPARATED : TS_PROXIMITY_SEPARATED_EARLY;
    out->iterations = 0;
    for (int k = 0; k < kept->count; ++k) {
        ts_vec3 a = ts_vec3_load(kept->on_a[k]), b = ts_transform_point(&now, ts_vec3_load(kept->on_b[k]));
        ts_vec3 middle = ts_vec3_scale(0.5, ts_vec3_add(a, b));
        out->point[k] = (ts_manifold_point){ts_transform_point(pose_a, middle), in_world,
                                            ts_vec3_dot(ts_vec3_sub(b, a), normal), kept->feature[k]};
        if (out->point[k].gap < 0.0) out->status = TS_PROXIMITY_PENETRATING;
    }
    return 1;
}
