// The loop of GJK for two ellipsoids, for pairs of any other kinds, and for every variant a laboratory may ask for. See
// gjk.c for the rule and gjk_loop_internal.h for the loop.
#include "collision/gjk_loop_internal.h"

// Momentum that has not separated two ellipsoids by now delays the proof that they overlap.
enum { VERDICT_MOMENTUM = 5 };

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
    ts_gjk_order own = *order;
    if (own.momentum_limit > VERDICT_MOMENTUM) own.momentum_limit = VERDICT_MOMENTUM;
    return ts_gjk_loop(run, TS_GJK_ELLIPSOIDS, TS_GJK_FOR_ELLIPSOIDS, TS_GJK_VERDICT, &own, d, out);
}

static int verdict_by_variant(ts_gjk_run* run, ts_gjk_variant variant, const ts_gjk_order* order, ts_vec3 d,
                              ts_gjk_result* out) {
    return ts_gjk_loop(run, TS_GJK_ANY, variant, TS_GJK_VERDICT, order, d, out);
}

int ts_gjk_run_others(ts_gjk_run* run, ts_gjk_pair pair, ts_gjk_variant variant, ts_gjk_goal goal,
                      const ts_gjk_order* order, ts_vec3 d, ts_gjk_result* out) {
    if (variant == TS_GJK_AUTO && pair == TS_GJK_ELLIPSOIDS)
        return goal == TS_GJK_DISTANCE ? distance_of_ellipsoids(run, order, d, out)
                                       : verdict_of_ellipsoids(run, order, d, out);
    if (variant == TS_GJK_AUTO) variant = TS_GJK_FOR_OTHERS;
    if (goal == TS_GJK_VERDICT) return verdict_by_variant(run, variant, order, d, out);
    return variant == TS_GJK_VANILLA ? distance_by_vanilla(run, order, d, out)
                                     : distance_by_variant(run, variant, order, d, out);
}
