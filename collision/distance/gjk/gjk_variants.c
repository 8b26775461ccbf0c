// The loop of GJK for two ellipsoids, for pairs of any other kinds, and for every variant a laboratory may ask for. See
// gjk.c for the rule and gjk_loop_internal.h for the loop.
#include "collision/distance/gjk/gjk_loop_internal.h"

// By AUTO: momentum that has not separated two ellipsoids by now delays the proof that they overlap; and Polyak's, which
// fades, is not worth the support point that its end costs.
enum { VERDICT_MOMENTUM = 5, POLYAK_MOMENTUM = 4 };

static ts_gjk_order with_momentum(const ts_gjk_order* order, int limit) {
    ts_gjk_order own = *order;
    if (own.momentum_limit > limit) own.momentum_limit = limit;
    return own;
}

static int distance_of_ellipsoids(ts_gjk_run* run, const ts_gjk_order* order, ts_vec3 d, ts_gjk_result* out) {
    return ts_gjk_loop(run, TS_GJK_ELLIPSOIDS, TS_GJK_FOR_ELLIPSOIDS, TS_GJK_DISTANCE, order, d, out);
}

static int distance_by_vanilla(ts_gjk_run* run, const ts_gjk_order* order, ts_vec3 d, ts_gjk_result* out) {
    return ts_gjk_loop(run, TS_GJK_ANY, TS_GJK_VANILLA, TS_GJK_DISTANCE, order, d, out);
}

static int distance_by_variant(ts_gjk_run* run, ts_gjk_variant variant, const ts_gjk_order* order, ts_vec3 d,
                               ts_gjk_result* out) {
    return ts_gjk_loop(run, TS_GJK_ANY, variant, TS_GJK_DISTANCE, order, d, out);
}

static int verdict_of_ellipsoids(ts_gjk_run* run, const ts_gjk_order* order, ts_vec3 d, ts_gjk_result* out) {
    ts_gjk_order own = with_momentum(order, VERDICT_MOMENTUM);
    return ts_gjk_loop(run, TS_GJK_ELLIPSOIDS, TS_GJK_FOR_ELLIPSOIDS, TS_GJK_VERDICT, &own, d, out);
}

static int verdict_by_variant(ts_gjk_run* run, ts_gjk_variant variant, const ts_gjk_order* order, ts_vec3 d,
                              ts_gjk_result* out) {
    return ts_gjk_loop(run, TS_GJK_ANY, variant, TS_GJK_VERDICT, order, d, out);
}

// What AUTO means for pairs without a loop of their own; *io_order may become `own`.
static ts_gjk_variant resolve(const ts_gjk_run* run, ts_gjk_variant variant, const ts_gjk_order** io_order,
                              ts_gjk_order* own) {
    if (variant != TS_GJK_AUTO) return variant;
    variant = ts_gjk_variant_for(run->pair);
    if (variant == TS_GJK_POLYAK) {
        *own = with_momentum(*io_order, POLYAK_MOMENTUM);
        *io_order = own;
    }
    return variant;
}

int ts_gjk_run_watched(ts_gjk_run* run, ts_gjk_kinds kinds, ts_gjk_variant variant, const ts_gjk_order* order,
                       ts_vec3 d, ts_gjk_result* out) {
    ts_gjk_order own;
    if (variant == TS_GJK_AUTO && kinds == TS_GJK_HULLS)
        return ts_gjk_loop_of(run, TS_GJK_HULLS, TS_GJK_FOR_HULLS, TS_GJK_DISTANCE, order, 1, d, out);
    if (variant == TS_GJK_AUTO && kinds == TS_GJK_BOXES)
        return ts_gjk_loop_of(run, TS_GJK_BOXES, TS_GJK_FOR_BOXES, TS_GJK_DISTANCE, order, 1, d, out);
    if (variant == TS_GJK_AUTO && kinds == TS_GJK_ELLIPSOIDS)
        return ts_gjk_loop_of(run, TS_GJK_ELLIPSOIDS, TS_GJK_FOR_ELLIPSOIDS, TS_GJK_DISTANCE, order, 1, d, out);
    variant = resolve(run, variant, &order, &own);
    return ts_gjk_loop_of(run, TS_GJK_ANY, variant, TS_GJK_DISTANCE, order, 1, d, out);
}

int ts_gjk_run_others(ts_gjk_run* run, ts_gjk_kinds kinds, ts_gjk_variant variant, ts_gjk_goal goal,
                      const ts_gjk_order* order, ts_vec3 d, ts_gjk_result* out) {
    if (variant == TS_GJK_AUTO && kinds == TS_GJK_ELLIPSOIDS)
        return goal == TS_GJK_DISTANCE ? distance_of_ellipsoids(run, order, d, out)
                                       : verdict_of_ellipsoids(run, order, d, out);
    ts_gjk_order own;
    variant = resolve(run, variant, &order, &own);
    if (goal == TS_GJK_VERDICT) return verdict_by_variant(run, variant, order, d, out);
    return variant == TS_GJK_VANILLA ? distance_by_vanilla(run, order, d, out)
                                     : distance_by_variant(run, variant, order, d, out);
}
