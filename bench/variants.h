// GJK's variants side by side, as the figures of the papers have them: iterations and time against distance.
#ifndef TS_BENCH_VARIANTS_H
#define TS_BENCH_VARIANTS_H

#include "bench/bench.h"
#include "bench/workload.h"

#ifdef __cplusplus
extern "C" {
#endif

/// A sweep: one workload, several distances, several variants.
typedef struct ts_bench_sweep {
    const char* stem;   // of table and figures
    const char* title;  // "Ellipsoids"
    ts_bench_workload* workload;
    const double* distance;  // m, ascending
    int distance_count;
    const ts_gjk_variant* variant;
    int variant_count;
    int verdict;           // nonzero: ts_gjk_overlap, else ts_gjk_distance
    double gap_tolerance;  // m^2; 0: certified to 1e-12
    int momentum_limit;    // 0: as by default
} ts_bench_sweep;

/// Runs a sweep and adds a table and two figures (iterations, time) against distance. Returns TS_BENCH_WRONG when a
/// verdict was wrong, TS_BENCH_STOPPED when stopped.
int ts_bench_sweep_run(ts_bench_report* report, const ts_bench_options* options, const ts_bench_sweep* sweep);

/// Counts and times vanilla GJK and other variants query by query on pairs as they are placed, and adds for iterations
/// (RSS, Fig. 9a) and for time (GJK++, Fig. 11; RSS, Fig. 9b) a figure with the distributions of vanilla's divided by
/// theirs, and a table of quantiles.
int ts_bench_speedups(ts_bench_report* report, const ts_bench_options* options, const ts_bench_sweep* sweep);

/// One cell of GJK++, Table I: mean and deviation of the fastest 90 % of queries, in ns, for each of sweep->variant on
/// pairs as they are placed. Both arrays have variant_count entries.
int ts_bench_trimmed(ts_bench_report* report, const ts_bench_options* options, const ts_bench_sweep* sweep,
                     double* out_mean, double* out_deviation);

#ifdef __cplusplus
}
#endif
#endif
