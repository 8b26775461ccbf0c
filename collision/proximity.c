// Signed distance: closed forms first, then GJK on the cores, then EPA where the cores overlap.
//
// Problem: delta = max over unit n of (gap along n), one definition for both regimes. Rule: with cores apart by d, the
// rounded shapes are at d minus both radii, exactly, even when that is negative; with cores overlapping by p they are at
// -(p + radii), exactly, because the depth of a sum with a ball is additive. So the iterations never see a ball.
// A pair that remembers its normal starts there: if it still separates, GJK or Newton go on from it; if not, EPA starts
// around it. Either way the answer needs the same proof as one from nothing, and without it there is a start from
// nothing. Where several normals give depths within what the proof leaves open (1e-4 of the depth for curved pairs,
// nothing but rounding for polytopes) the one remembered stays.
// Guaranteed: lower <= delta <= upper, a unit normal, and point_a - point_b = -distance * normal by construction.
#include "collision/proximity_internal.h"

#include "collision/polish.h"

#include <float.h>

// What GJK is asked for on curved pairs, relative to the distance: a normal good to a few degrees, from where Newton's
// method has the rest of the digits cheaper. (GJK converges linearly there and needs some forty steps at a gap of a
// thousandth of the size.)
static const double CURVED_TOLERANCE = 3e-3;
// Bounds this close count as met, relative to the distance and to the size of the shapes.
static const double CURVED_GAP = 1e-12;
static const double CURVED_ROUNDING = 256.0 * DBL_EPSILON;
// What EPA is asked for, relative to the depth: polytopes are finished exactly; of curved faces more digits cost more and
// more, and Newton has them cheaper.
static const double POLYTOPE_DEPTH = 1e-12;
static const double CURVED_DEPTH = 1e-4;
// The same where that start was too coarse; about one curved pair in two thousand.
static const double FINE_DEPTH = 1e-9;

// Spreads the witnesses along the normal so that they differ by exactly -distance * normal.
static void straighten(ts_proximity* out, double radius_a, double radius_b, double core_distance) {
    ts_vec3 middle = ts_vec3_scale(0.5, ts_vec3_add(out->point_a, out->point_b));
    double half = 0.5 * core_distance;
    out->point_a = ts_vec3_add_scaled(middle, radius_a - half, out->normal);
    out->point_b = ts_vec3_add_scaled(middle, half - radius_b, out->normal);
}

// Sharpens a curved pair's answer in place.
static ts_polish_outcome polish(const ts_shape* a, const ts_shape* b, const ts_transform* b_in_a, ts_proximity* out) {
    ts_polish_state state = {out->lower, out->upper, out->normal, out->point_a, out->point_b};
    ts_polish_outcome outcome = ts_polish_normal(a, b, b_in_a, &state);
    out->lower = state.lower;
    out->upper = state.upper;
    out->normal = state.normal;
    out->point_a = state.point_a;
    out->point_b = state.point_b;
    return outcome;
}

// Copies what GJK knows of the cores.
static void take_gjk(const ts_gjk_result* gjk, ts_proximity* out) {
    out->status = gjk->status;
    out->iterations += gjk->iterations;
    out->lower = gjk->lower;
    out->upper = gjk->upper;
    out->normal = gjk->normal;
    out->point_a = gjk->point_a;
    out->point_b = gjk->point_b;
}

static void take_epa(const ts_epa_result* epa, ts_proximity* out) {
    out->iterations += epa->iterations;
    out->lower = -epa->depth_upper;
    out->upper = -epa->depth_lower;
    out->normal = epa->normal;
    out->point_a = epa->point_a;
    out->point_b = epa->point_b;
}

static ts_gjk_settings settings_for(int curved, double give_up_distance) {
    ts_gjk_settings settings = ts_gjk_settings_default();
    settings.give_up_distance = give_up_distance;
    if (curved) settings.relative_tolerance = CURVED_TOLERANCE;
    return settings;
}

static int is_closed(const ts_proximity* p, double scale) {
    return isfinite(p->upper) && p->upper - p->lower <= CURVED_GAP * p->upper + CURVED_ROUNDING * scale;
}

// Curved cores that overlapped or nearly touched last time along `previous`: polish that normal, then let EPA prove from
// around it that no other is better. Returns 0 when that does not settle everything.
static int query_curved_again(const ts_shape* a, const ts_shape* b, const ts_transform* b_in_a, ts_vec3 previous,
                              double give_up_distance, ts_proximity* out, double* out_scale) {
    out->normal = previous;
    out->point_a = ts_support_core(a, previous, -1).point;
    ts_vec3 in_b = ts_transform_direction_inverse(b_in_a, ts_vec3_neg(previous));
    out->point_b = ts_transform_point(b_in_a, ts_support_core(b, in_b, -1).point);
    ts_vec3 apart = ts_vec3_sub(out->point_b, out->point_a);
    out->lower = ts_vec3_dot(previous, apart);
    if (!isfinite(out->lower)) return 0;
    *out_scale = ts_vec3_norm(out->point_a) + ts_vec3_norm(out->point_b);
    out->upper = out->lower > 0.0 ? ts_vec3_norm(apart) : (double)INFINITY;
    if (out->lower > give_up_distance) {
        out->status = TS_PROXIMITY_SEPARATED_EARLY;
        return 1;
    }
    ts_polish_outcome outcome = polish(a, b, b_in_a, out);
    if (outcome == TS_POLISH_UNSETTLED) return 0;
    out->iterations = 1;
    if (out->lower > 0.0) {
        if (!is_closed(out, *out_scale)) return 0;
        out->distance = out->upper;
        out->status = TS_PROXIMITY_SEPARATED;
        return 1;
    }
    ts_gjk_vertex touch = {ts_vec3_sub(out->point_a, out->point_b), out->point_a, out->point_b, -1, -1, 0.0};
    ts_epa_result epa;
    if (!ts_epa_penetration_near(a, b, b_in_a, out->normal, outcome == TS_POLISH_EXACT ? &touch : 0, CURVED_DEPTH,
                                 out_scale, &epa))
        return 0;
    out->upper = -epa.depth_lower;
    out->iterations += epa.iterations;
    if (out->upper < out->lower) out->upper = out->lower;  // by rounding: the plane through the touching point
    if (-epa.depth_upper > out->lower + 8.0 * DBL_EPSILON * *out_scale) {
        // A better normal than last time's.
        take_epa(&epa, out);
        if (polish(a, b, b_in_a, out) == TS_POLISH_UNSETTLED) return 0;
    }
    out->distance = out->lower;
    out->status = TS_PROXIMITY_PENETRATING;
    return 1;
}

// Polytopes, from last time's normal. Returns 0 when it neither separates nor leads EPA to the answer.
static int query_polytopes_again(const ts_shape* a, const ts_shape* b, const ts_transform* b_in_a,
                                 double give_up_distance, ts_gjk_cache* cache, ts_proximity* out, double* out_scale) {
    ts_vec3 previous = cache->normal;
    ts_gjk_settings settings = settings_for(0, give_up_distance);
    ts_gjk_result gjk;
    if (ts_gjk_distance_warm(a, b, b_in_a, &settings, cache, &gjk)) {
        if (gjk.status != TS_PROXIMITY_SEPARATED_EARLY && !(gjk.lower > 0.0)) return 0;
        take_gjk(&gjk, out);
        *out_scale = gjk.scale;
        out->distance = out->upper;
        return 1;
    }
    ts_epa_result epa;
    if (!ts_epa_penetration_near(a, b, b_in_a, previous, 0, POLYTOPE_DEPTH, out_scale, &epa)) return 0;
    take_epa(&epa, out);
    out->distance = out->lower;
    out->status = TS_PROXIMITY_PENETRATING;
    return 1;
}

static int query_again(const ts_shape* a, const ts_shape* b, const ts_transform* b_in_a, int curved,
                       double give_up_distance, ts_gjk_cache* cache, ts_proximity* out, double* out_scale) {
    if (!cache || !ts_vec3_is_finite(cache->normal) || !(ts_vec3_max_abs(cache->normal) > 0.0)) return 0;
    out->iterations = 0;
    return curved ? query_curved_again(a, b, b_in_a, cache->normal, give_up_distance, out, out_scale)
                  : query_polytopes_again(a, b, b_in_a, give_up_distance, cache, out, out_scale);
}

// Signed distance of cores that lie apart, from where GJK stopped.
static void finish_apart(const ts_shape* a, const ts_shape* b, const ts_transform* b_in_a, int curved,
                         ts_gjk_settings settings, const ts_gjk_result* gjk, ts_proximity* out) {
    if (curved) polish(a, b, b_in_a, out);
    if (curved && !is_closed(out, gjk->scale)) {
        // Newton did not close the gap (a kink it could not name): let GJK go all the way.
        ts_proximity polished = *out;
        ts_gjk_result fine;
        settings.relative_tolerance = ts_gjk_settings_default().relative_tolerance;
        ts_gjk_restart(a, b, b_in_a, &settings, polished.normal, &fine);
        take_gjk(&fine, out);
        if (polished.lower > out->lower) {
            out->lower = polished.lower;
            out->normal = polished.normal;
        }
        if (polished.upper < out->upper) {
            out->upper = polished.upper;
            out->point_a = polished.point_a;
            out->point_b = polished.point_b;
        }
        if (out->lower > out->upper) out->lower = out->upper;
    }
    out->distance = out->upper;
}

// Signed distance of the cores; overlap by EPA. Leaves in *out_scale what rounding is relative to.
static void query_cores(const ts_shape* a, const ts_shape* b, const ts_transform* b_in_a, double give_up_distance,
                        ts_gjk_cache* cache, ts_proximity* out, double* out_scale) {
    ts_vec3 previous = cache ? cache->normal : ts_vec3_zero();
    int curved = !ts_support_is_polytope(a) || !ts_support_is_polytope(b);
    if (query_again(a, b, b_in_a, curved, give_up_distance, cache, out, out_scale)) return;
    ts_gjk_settings settings = settings_for(curved, give_up_distance);
    ts_gjk_cache hints = ts_gjk_cache_none();
    if (cache) {
        hints.hint_a = cache->hint_a;
        hints.hint_b = cache->hint_b;
    }
    ts_gjk_result gjk;
    out->iterations = 0;
    ts_gjk_distance(a, b, b_in_a, &settings, &hints, &gjk);
    if (cache && gjk.status != TS_PROXIMITY_INVALID_INPUT) *cache = hints;
    take_gjk(&gjk, out);
    *out_scale = gjk.scale;
    if (gjk.status == TS_PROXIMITY_INVALID_INPUT || gjk.status == TS_PROXIMITY_SEPARATED_EARLY) return;
    if (gjk.lower > 0.0) {
        finish_apart(a, b, b_in_a, curved, settings, &gjk, out);
        return;
    }
    ts_epa_result epa;
    ts_epa_penetration_to(a, b, b_in_a, &gjk, previous, curved ? CURVED_DEPTH : POLYTOPE_DEPTH, &epa);
    take_epa(&epa, out);
    if (curved && polish(a, b, b_in_a, out) == TS_POLISH_UNSETTLED) {
        // A kink that Newton could not name; from nearer by it can, or need not.
        ts_epa_penetration_to(a, b, b_in_a, &gjk, previous, FINE_DEPTH, &epa);
        if (-epa.depth_upper >= out->lower) {
            take_epa(&epa, out);
            polish(a, b, b_in_a, out);
        }
    }
    out->distance = out->lower;
    // Only where the iterations ran out on both counts is there no answer to full accuracy.
    if (gjk.status != TS_PROXIMITY_LIMIT || epa.status == TS_EPA_CONVERGED) out->status = TS_PROXIMITY_PENETRATING;
}

void ts_core_query(const ts_shape* a, const ts_shape* b, const ts_transform* b_in_a, double give_up_distance,
                   ts_gjk_cache* cache, ts_proximity* out) {
    double balls = a->radius + b->radius, scale = 0.0;
    query_cores(a, b, b_in_a, give_up_distance + balls, cache, out, &scale);
    if (out->status == TS_PROXIMITY_INVALID_INPUT) {
        out->distance = out->lower = out->upper = 0.0;
        return;
    }
    if (out->status == TS_PROXIMITY_SEPARATED_EARLY) out->distance = out->upper;
    if (cache) cache->normal = out->normal;
    straighten(out, a->radius, b->radius, out->distance);
    out->lower -= balls;
    out->upper -= balls;
    out->distance -= balls;
    if (out->status == TS_PROXIMITY_LIMIT || out->status == TS_PROXIMITY_SEPARATED_EARLY) return;
    if (fabs(out->distance) <= 8.0 * DBL_EPSILON * (scale + balls))
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
