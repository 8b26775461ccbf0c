// The parts of the benchmark `derivatives`, a file each.
#ifndef TS_BENCH_DERIVATIVE_PARTS_H
#define TS_BENCH_DERIVATIVE_PARTS_H

#include "bench/bench.h"

#ifdef __cplusplus
extern "C" {
#endif

int ts_bench_derivative_collision(const ts_bench_options* options, ts_bench_report* report);
int ts_bench_derivative_accuracy(const ts_bench_options* options, ts_bench_report* report);
int ts_bench_derivative_poses(const ts_bench_options* options, ts_bench_report* report);
int ts_bench_derivative_dynamics(const ts_bench_options* options, ts_bench_report* report);
int ts_bench_derivative_step(const ts_bench_options* options, ts_bench_report* report);

#ifdef __cplusplus
}
#endif
#endif
