// Parts of the benchmark `engine`: what ten times as many bodies and twice as many threads do to a step.
#ifndef TS_BENCH_ENGINE_GROWTH_H
#define TS_BENCH_ENGINE_GROWTH_H

#include "bench/bench.h"
#include "engine/model/model.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Time and memory from 10 to 10^5 bodies, as one heap and as many islands; part "growth".
int ts_bench_engine_growth(const ts_bench_options* options, ts_bench_report* report);

/// The same scenes on 1, 2 and 4 threads; part "threads".
int ts_bench_engine_threads(const ts_bench_options* options, ts_bench_report* report);

/// Bodies with a free joint.
int ts_bench_free_bodies(const ts_model* model);

/// Bytes of the heap in use, where the C library says so; else 0.
double ts_bench_heap_bytes(void);

#ifdef __cplusplus
}
#endif
#endif
