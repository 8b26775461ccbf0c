// The parts of the benchmark `derivatives`, a file each.
#ifndef TS_BENCH_DERIVATIVE_PARTS_H
#define TS_BENCH_DERIVATIVE_PARTS_H

#include "base/rng.h"
#include "bench/bench.h"
#include "collision/shape/shape.h"

#ifdef __cplusplus
extern "C" {
#endif

int ts_bench_derivative_collision(const ts_bench_options* options, ts_bench_report* report);
int ts_bench_derivative_pairs(const ts_bench_options* options, ts_bench_report* report);
int ts_bench_derivative_accuracy(const ts_bench_options* options, ts_bench_report* report);
int ts_bench_derivative_poses(const ts_bench_options* options, ts_bench_report* report);
int ts_bench_derivative_dynamics(const ts_bench_options* options, ts_bench_report* report);
int ts_bench_derivative_step(const ts_bench_options* options, ts_bench_report* report);

/// A pose turned anyhow, within that of the origin along each axis, and a shape of 0.1 to 0.3 m; hulls are the one given
/// (derivative_collision.c).
ts_transform ts_bench_random_place(ts_rng* rng, double reach);
ts_shape ts_bench_random_shape(ts_rng* rng, ts_shape_kind kind, const ts_hull* hull);

#ifdef __cplusplus
}
#endif
#endif
