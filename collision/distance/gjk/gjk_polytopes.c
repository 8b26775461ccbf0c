// The loop of GJK for two hulls and for two boxes, where a pair costs a few hundred nanoseconds and every kind that is
// known to the compiler counts. See gjk.c for the rule and gjk_loop_internal.h for the loop.
//
// gcc compiles this file without joining neighbouring scalars into vectors (CMakeLists.txt): joined loads of values that
// were stored one by one wait for those stores, a tenth of a pair's time.
#include "collision/distance/gjk/gjk_loop_internal.h"

static int distance_of_hulls(ts_gjk_run* run, const ts_gjk_order* order, ts_vec3 d, ts_gjk_result* out) {
    return ts_gjk_loop(run, TS_GJK_HULLS, TS_GJK_FOR_HULLS, TS_GJK_DISTANCE, order, d, out);
}

static int distance_of_boxes(ts_gjk_run* run, const ts_gjk_order* order, ts_vec3 d, ts_gjk_result* out) {
    return ts_gjk_loop(run, TS_GJK_BOXES, TS_GJK_FOR_BOXES, TS_GJK_DISTANCE, order, d, out);
}

static int verdict_of_hulls(ts_gjk_run* run, const ts_gjk_order* order, ts_vec3 d, ts_gjk_result* out) {
    return ts_gjk_loop(run, TS_GJK_HULLS, TS_GJK_FOR_HULLS, TS_GJK_VERDICT, order, d, out);
}

static int verdict_of_fine_hulls(ts_gjk_run* run, const ts_gjk_order* order, ts_vec3 d, ts_gjk_result* out) {
    return ts_gjk_loop(run, TS_GJK_HULLS, TS_GJK_FOR_FINE_HULLS, TS_GJK_VERDICT, order, d, out);
}

static int verdict_of_boxes(ts_gjk_run* run, const ts_gjk_order* order, ts_vec3 d, ts_gjk_result* out) {
    return ts_gjk_loop(run, TS_GJK_BOXES, TS_GJK_FOR_BOXES, TS_GJK_VERDICT, order, d, out);
}

int ts_gjk_run_polytopes(ts_gjk_run* run, ts_gjk_kinds kinds, ts_gjk_goal goal, const ts_gjk_order* order, ts_vec3 d,
                         ts_gjk_result* out) {
    if (kinds == TS_GJK_BOXES)
        return goal == TS_GJK_DISTANCE ? distance_of_boxes(run, order, d, out) : verdict_of_boxes(run, order, d, out);
    if (goal == TS_GJK_DISTANCE) return distance_of_hulls(run, order, d, out);
    return ts_gjk_are_fine(run->pair) ? verdict_of_fine_hulls(run, order, d, out)
                                      : verdict_of_hulls(run, order, d, out);
}
