// The Frank-Wolfe method on the distance of two convex shapes: GJK without a simplex. A row of benchmarks, nothing to use.
#ifndef TS_BENCH_FRANK_WOLFE_H
#define TS_BENCH_FRANK_WOLFE_H

#include "bench/workload.h"

#ifdef __cplusplus
extern "C" {
#endif

/// How far a step goes along the segment from x to the support point.
typedef enum ts_frank_wolfe_step {
    TS_FRANK_WOLFE_LINE_SEARCH,  // to the point of the segment nearest the origin
    TS_FRANK_WOLFE_OPEN_LOOP     // 1/(k + 2) of it, whatever it brings
} ts_frank_wolfe_step;

/// What came of it.
typedef struct ts_frank_wolfe_result {
    ts_vec3 x;       // in A's frame: a point of A - B
    int iterations;  // steps
    int converged;
} ts_frank_wolfe_result;

/// Minimises |x|^2 over A - B from the difference of the frames' origins, which the shapes must hold, until
/// 2 <x, x - s> <= gap (m^2).
ts_frank_wolfe_result ts_frank_wolfe(const ts_bench_pair* pair, ts_frank_wolfe_step step, double gap, int limit);

#ifdef __cplusplus
}
#endif
#endif
