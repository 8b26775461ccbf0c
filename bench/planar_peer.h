// Pairs of polygons in the plane, and how Box2D answers about them, for the benchmark planar.
#ifndef TS_BENCH_PLANAR_PEER_H
#define TS_BENCH_PLANAR_PEER_H

#include "collision/planar/planar_distance.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Two placed polygons.
typedef struct ts_bench_planar_pair {
    const ts_planar_polygon* a;
    const ts_planar_polygon* b;
    ts_planar_pose pose_a, pose_b;
} ts_bench_planar_pair;

/// Box2D's copies of the pairs, in single precision; NULL when memory is short.
void* ts_bench_box2d_prepare(const ts_bench_planar_pair* pair, int count);

/// Answers query number `query` with b2Distance and an empty cache.
void ts_bench_box2d_run(void* state, int query);

/// The last answer: distance, and the vector from the closest point of A to that of B.
double ts_bench_box2d_answer(const void* state, double out_vector[2]);

/// NULL is ignored.
void ts_bench_box2d_release(void* state);

#ifdef __cplusplus
}
#endif
#endif
