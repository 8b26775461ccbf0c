// Signed distance: closed forms first, then GJK on the cores, then EPA where the cores overlap.
//
// Problem: delta = max over unit n of (gap along n), one definition for both regimes. Rule: with cores apart by d, the
// rounded shapes are at d minus both radii, exactly, even when that is negative; with cores overlapping by p they are at
// -(p + radii), exactly, because the depth of a sum with a ball is additive. So the iterations never see a ball.
// Guaranteed: lower <= delta <= upper, a unit normal, and point_a - point_b = -distance * normal by construction.
#include "collision/proximity_internal.h"

#include <float.h>

// Spreads the witnesses along the normal so that they differ by exactly -distance * normal.
static void straighten(ts_proximity* out, double radius_a, double radius_b, double core_distance) {
    ts_vec3 middle = ts_vec3_scale(0.5, ts_vec3_add(out->point_a, out->point_b));
    double half = 0.5 * core_distance;
    out->point_a = ts_vec3_add_scaled(middle, radius_a - half, out->normal);
    out->point_b = ts_vec3_add_scaled(middle, half - radius_b, out->normal);
}

void ts_core_query(const ts_shape* a, const ts_shape* b, const ts_transform* b_in_a, double give_up_distance,
                   ts_gjk_cache* cache, ts_proximity* out) {
    double balls = a->radius + b->radius;
    ts_vec3 previous = cache ? cache->normal : ts_vec3_zero();
    ts_gjk_settings settings = ts_gjk_settings_default();
    settings.give_up_distance = give_up_distance + balls;
    ts_gjk_result gjk;
    ts_gjk_distance(a, b, b_in_a, &settings, cache, &gjk);
    out->iterations = gjk.iterations;
    out->normal = gjk.normal;
    out->point_a = gjk.point_a;
    out->point_b = gjk.point_b;
    double lower = gjk.lower, upper = gjk.upper, distance = gjk.upper;
    out->status = gjk.status;
    if (gjk.status == TS_PROXIMITY_INVALID_INPUT) {
        out->distance = out->lower = out->upper = 0.0;
        return;
    }
    if (gjk.status == TS_PROXIMITY_PENETRATING || gjk.status == TS_PROXIMITY_TOUCHING ||
        (gjk.status == TS_PROXIMITY_LIMIT && !(gjk.lower > 0.0))) {
        ts_epa_result epa;
        ts_epa_penetration(a, b, b_in_a, &gjk, previous, &epa);
        out->iterations += epa.iterations;
        out->normal = epa.normal;
        out->point_a = epa.point_a;
        out->point_b = epa.point_b;
        lower = distance = -epa.depth_upper;
        upper = -epa.depth_lower;
        if (cache) cache->normal = epa.normal;
        // Only shapes whose iterations ran out on both counts have no answer to full accuracy.
        if (gjk.status != TS_PROXIMITY_LIMIT || epa.status == TS_EPA_CONVERGED) out->status = TS_PROXIMITY_PENETRATING;
    }
    out->lower = lower - balls;
    out->upper = upper - balls;
    out->distance = distance - balls;
    straighten(out, a->radius, b->radius, distance);
    if (out->status == TS_PROXIMITY_LIMIT || out->status == TS_PROXIMITY_SEPARATED_EARLY) return;
    if (fabs(out->distance) <= 8.0 * DBL_EPSILON * (gjk.scale + balls))
        out->status = TS_PROXIMITY_TOUCHING;
    else
        out->status = out->distance > 0.0 ? TS_PROXIMITY_SEPARATED : TS_PROXIMITY_PENETRATING;
}

static void invalid(ts_proximity* out) {
    out->status = TS_PROXIMITY_INVALID_INPUT;
    out->distance = out->lower = out->upper = 0.0;
    out->normal = ts_vec3_axis(2);
    out->point_a = out->point_b = ts_vec3_zero();
    out->iterations = 0;
}

void ts_proximity_query(const ts_shape* a, const ts_transform* pose_a, const ts_shape* b, const ts_transform* pose_b,
                        double give_up_distance, ts_gjk_cache* cache, ts_proximity* out) {
    if (!ts_pose_is_usable(pose_a) || !ts_pose_is_usable(pose_b) ||
        (a->kind == TS_SHAPE_PLANE && b->kind == TS_SHAPE_PLANE)) {
        invalid(out);
        return;
    }
    int swapped = a->kind > b->kind;
    const ts_shape *first = swapped ? b : a, *second = swapped ? a : b;
    const ts_transform *pose_first = swapped ? pose_b : pose_a, *pose_second = swapped ? pose_a : pose_b;
    ts_transform relative = ts_transform_relative(pose_first, pose_second);
    if (ts_closed_form_query(first, second, &relative, cache ? cache->normal : ts_vec3_zero(), out)) {
        if (cache) cache->normal = out->normal;
    } else {
        ts_core_query(first, second, &relative, give_up_distance, cache, out);
        if (out->status == TS_PROXIMITY_INVALID_INPUT) {
            invalid(out);
            return;
        }
    }
    out->normal = ts_transform_direction(pose_first, out->normal);
    out->point_a = ts_transform_point(pose_first, out->point_a);
    out->point_b = ts_transform_point(pose_first, out->point_b);
    if (swapped) {
        ts_vec3 point = out->point_a;
        out->point_a = out->point_b;
        out->point_b = point;
        out->normal = ts_vec3_neg(out->normal);
    }
}
