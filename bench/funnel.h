// Objects falling into a funnel: where the narrow phase's questions of the warm-start benchmark come from.
#ifndef TS_BENCH_FUNNEL_H
#define TS_BENCH_FUNNEL_H

#include "bench/bench.h"
#include "collision/distance/proximity.h"

#ifdef __cplusplus
extern "C" {
#endif

/// How the objects start.
typedef enum ts_bench_funnel_kind {
    TS_BENCH_FUNNEL_PAPER,  // anywhere above the funnel, any orientation, for 1 s
    TS_BENCH_FUNNEL_CODE    // side by side, not turned, for 2 s, as in the paper's published program
} ts_bench_funnel_kind;

/// One question: where B was in A's frame at one step, and what the pair remembers from the step before.
typedef struct ts_bench_problem {
    const ts_hull* a;
    const ts_hull* b;
    ts_transform b_in_a;
    ts_gjk_cache before;  // all zero at the start and after a step in which the boxes were apart
    double lower;         // m, certified signed distance
    double upper;
} ts_bench_problem;

/// All questions of some trajectories, those left by the boxes. Zero-initialised is empty.
typedef struct ts_bench_trajectories {
    ts_bench_problem* problem;
    int count;
    int room;
    int steps;     // all steps of all trajectories
    int filtered;  // steps in which the boxes were apart
    int pairs;
    int failed;  // trajectories that could not be simulated to their end
} ts_bench_trajectories;

/// What is dropped.
typedef struct ts_bench_funnel {
    ts_bench_funnel_kind kind;
    const ts_hull* const* hull;  // (hull_count) to draw pairs from, borrowed
    int hull_count;
    int pairs;  // how many pairs
    uint64_t seed;
} ts_bench_funnel;

/// Drops random pairs of the hulls and logs every step of every one at 120 Hz. Progress goes from `done` to `done + 1` of
/// `total`. Returns 0 when memory is short.
int ts_bench_funnel_run(ts_bench_report* report, const ts_bench_funnel* funnel, double done, double total,
                        ts_bench_trajectories* out_trajectories);

/// Frees the questions.
void ts_bench_trajectories_free(ts_bench_trajectories* trajectories);

#ifdef __cplusplus
}
#endif
#endif
