// The query: which way a pair goes, and back to world coordinates.
//
// Rule: kinds are sorted, so that each pair is written once. Closed forms work where the poses are given; all else works
// in the first shape's frame, with the positions subtracted before anything is rotated, so that nothing is lost far from
// the origin. A verdict stops at the first proof.
// Guaranteed: lower <= signed distance <= upper, a unit normal, and point_a - point_b = -distance * normal (the last to the
// rounding of world coordinates); a query that cannot be answered says why.
#include "collision/distance/proximity_internal.h"

#include <float.h>
#include <stddef.h>

static void refuse(ts_proximity_reason reason, ts_proximity* out) {
    ts_proximity_reset(out);
    out->status = TS_PROXIMITY_INVALID_INPUT;
    out->reason = reason;
    out->distance = out->found.lower = out->found.upper = 0.0;
    out->found.normal = ts_vec3_axis(2);
    out->found.point_a = out->found.point_b = ts_vec3_zero();
}

ts_proximity_options ts_proximity_options_default(void) {
    ts_proximity_options options = {
        TS_PROXIMITY_AUTO, TS_PROXIMITY_DISTANCE, TS_GJK_AUTO, TS_GJK_START_AUTO, (double)INFINITY, 0.0, 0.0, NULL, 0};
    return options;
}

ts_proximity_placing ts_proximity_place(ts_pose pose, ts_transform* out_placed) {
    ts_quat q = pose.rotation;
    double squared = q.w * q.w + q.x * q.x + q.y * q.y + q.z * q.z, off = fabs(squared - 1.0);
    *out_placed = ts_transform_identity();
    if (!ts_vec3_is_finite(pose.position) || !isfinite(q.w + q.x + q.y + q.z)) return TS_PROXIMITY_NOT_FINITE;
    if (!(off <= 1e-2)) return TS_PROXIMITY_NOT_A_ROTATION;
    double scale = 1.0 / sqrt(squared);
    pose.rotation = ts_quat_make(scale * q.w, scale * q.x, scale * q.y, scale * q.z);
    *out_placed = ts_transform_from_pose(pose);
    return off <= 1e-6 ? TS_PROXIMITY_PLACED : TS_PROXIMITY_MADE_UNIT;
}

// What a known signed distance says about the margin.
static void judge(double margin, ts_proximity* out) {
    double rounding = 8.0 * DBL_EPSILON * (fabs(margin) + fabs(out->distance));
    switch (out->status) {
    case TS_PROXIMITY_SEPARATED:
    case TS_PROXIMITY_PENETRATING: break;
    case TS_PROXIMITY_TOUCHING:
        if (margin > 0.0 || margin < 0.0) break;
        return;
    default: return;
    }
    if (fabs(out->distance - margin) <= rounding)
        out->status = TS_PROXIMITY_TOUCHING;
    else
        out->status = out->distance > margin ? TS_PROXIMITY_SEPARATED_EARLY : TS_PROXIMITY_OVERLAP_EARLY;
}

static void swap_sides(ts_proximity* out) {
    ts_vec3 point = out->found.point_a;
    out->found.point_a = out->found.point_b;
    out->found.point_b = point;
    out->found.normal = ts_vec3_neg(out->found.normal);
}

// From the frame of a pose to where the pose is given.
static void place(const ts_transform* pose, ts_proximity* out) {
    out->found.normal = ts_transform_direction(pose, out->found.normal);
    out->found.point_a = ts_transform_point(pose, out->found.point_a);
    out->found.point_b = ts_transform_point(pose, out->found.point_b);
}

// B made of parts: seen from there.
static void query_parts(const ts_placed_pair* pair, const ts_proximity_options* options, ts_gjk_cache* cache,
                        ts_proximity* out) {
    ts_shape_pair seen = ts_shape_pair_make(pair->b, pair->pose_b, pair->a, pair->pose_a);
    ts_composite_pair_query(&seen, options, cache, out);
    if (out->status == TS_PROXIMITY_INVALID_INPUT) return;
    place(pair->pose_b, out);
    swap_sides(out);
}

// By iteration, in the frame of A.
static void query_generic(const ts_placed_pair* pair, const ts_proximity_options* options, ts_gjk_cache* cache,
                          ts_proximity* out) {
    ts_shape_pair seen = ts_shape_pair_make(pair->a, pair->pose_a, pair->b, pair->pose_b);
    ts_core_pair_query(&seen, options, cache, out);
    if (out->status == TS_PROXIMITY_INVALID_INPUT) {
        refuse(TS_PROXIMITY_BAD_SHAPE, out);
        return;
    }
    out->iterations = out->gjk_iterations + out->epa_iterations + out->sqp_iterations;
    place(pair->pose_a, out);
    if (options->goal == TS_PROXIMITY_VERDICT) judge(options->margin, out);
}

// By formula.
static void query_closed_form(const ts_placed_pair* pair, const ts_pair_method* method,
                              const ts_proximity_options* options, ts_gjk_cache* cache, ts_proximity* out) {
    out->rival = (double)INFINITY;
    method->closed_form(pair, cache, out);
    out->flags |= TS_PROXIMITY_USED_CLOSED_FORM;
    if (!isfinite(out->distance)) {
        refuse(TS_PROXIMITY_BAD_SHAPE, out);
        return;
    }
    if (cache) cache->normal = ts_transform_direction_inverse(pair->pose_a, out->found.normal);
    if (options->goal == TS_PROXIMITY_VERDICT) judge(options->margin, out);
}

// Whether the method asked for does this pair. Half-spaces and shapes made of parts have one way only.
static int is_offered(const ts_placed_pair* pair, const ts_pair_method* method, ts_proximity_method asked) {
    if (asked == TS_PROXIMITY_CLOSED_FORM) return method->closed_form != 0;
    return asked != TS_PROXIMITY_SAT || (pair->a->kind == TS_SHAPE_BOX && pair->b->kind == TS_SHAPE_BOX);
}

// Kinds sorted.
static void query_sorted(const ts_placed_pair* pair, const ts_proximity_options* options, ts_gjk_cache* cache,
                         ts_proximity* out) {
    const ts_pair_method* method = ts_pair_method_of(pair->a->kind, pair->b->kind);
    if (method->sort == TS_PAIR_NEVER)
        refuse(TS_PROXIMITY_TWO_PLANES, out);
    else if (method->sort == TS_PAIR_PARTS)
        query_parts(pair, options, cache, out);
    else if (!is_offered(pair, method, options->method))
        refuse(TS_PROXIMITY_OTHER_METHOD, out);
    else if (method->closed_form && (options->method == TS_PROXIMITY_AUTO || pair->a->kind == TS_SHAPE_PLANE ||
                                     options->method == TS_PROXIMITY_CLOSED_FORM))
        query_closed_form(pair, method, options, cache, out);
    else
        query_generic(pair, options, cache, out);
}

void ts_proximity_query(const ts_shape* a, const ts_transform* pose_a, const ts_shape* b, const ts_transform* pose_b,
                        const ts_proximity_options* options, ts_gjk_cache* cache, ts_proximity* out) {
    static const ts_proximity_options usual = {
        TS_PROXIMITY_AUTO, TS_PROXIMITY_DISTANCE, TS_GJK_AUTO, TS_GJK_START_AUTO, (double)INFINITY, 0.0, 0.0, NULL, 0};
    if (!ts_pose_is_usable(pose_a) || !ts_pose_is_usable(pose_b)) {
        refuse(TS_PROXIMITY_BAD_POSE, out);
        return;
    }
    ts_proximity_reset(out);
    if (!options) options = &usual;
    if (a->kind <= b->kind) {
        ts_placed_pair pair = {a, pose_a, b, pose_b};
        query_sorted(&pair, options, cache, out);
    } else {
        ts_placed_pair pair = {b, pose_b, a, pose_a};
        if (options->trace) options->trace->swapped = 1;
        query_sorted(&pair, options, cache, out);
        if (out->status != TS_PROXIMITY_INVALID_INPUT) swap_sides(out);
    }
}
