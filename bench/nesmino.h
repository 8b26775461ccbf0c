// Nesterov's accelerated gradient on a smoothed distance (NESMINO): an optimiser that asks for projections on the shapes
// instead of support points. A row of benchmarks, nothing to use.
#ifndef TS_BENCH_NESMINO_H
#define TS_BENCH_NESMINO_H

#include "bench/workload.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Smoothing at the start, and what it is multiplied by after every step. The publications do not give theirs.
typedef struct ts_nesmino_schedule {
    double start;
    double factor;
    double least;
} ts_nesmino_schedule;

/// 0.1, falling by 5 % a step, to 1e-6.
ts_nesmino_schedule ts_nesmino_schedule_default(void);

/// The point of a shape (ellipsoid, box, or a hull that fills its own bounds) nearest to `p`, in the shape's frame.
ts_vec3 ts_nesmino_project(const ts_shape* shape, ts_vec3 p);

/// Steps until the difference of the two projections is within `tolerance` (m) of `target`, the separation vector in A's
/// frame that another solver found; -1 when `limit` steps do not get there.
int ts_nesmino(const ts_bench_pair* pair, ts_vec3 target, double tolerance, int limit,
               const ts_nesmino_schedule* schedule);

#ifdef __cplusplus
}
#endif
#endif
