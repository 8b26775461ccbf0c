// What the benchmarks' files offer to the table: ts_bench_NAME of NAME.c, or of the file named behind it.
#ifndef TS_BENCH_BENCH_LIST_H
#define TS_BENCH_BENCH_LIST_H

#include "bench/bench.h"

#ifdef __cplusplus
extern "C" {
#endif

int ts_bench_broad_phase(const ts_bench_options* options, ts_bench_report* report);
int ts_bench_contact_scaling(const ts_bench_options* options, ts_bench_report* report);
int ts_bench_contact_solvers(const ts_bench_options* options, ts_bench_report* report);
int ts_bench_derivatives(const ts_bench_options* options, ts_bench_report* report);
int ts_bench_dynamics_run(const ts_bench_options* options, ts_bench_report* report);  // dynamics.c
int ts_bench_engine_run(const ts_bench_options* options, ts_bench_report* report);    // engine.c
int ts_bench_gjk_ellipsoids(const ts_bench_options* options, ts_bench_report* report);
int ts_bench_gjk_meshes(const ts_bench_options* options, ts_bench_report* report);
int ts_bench_gjk_primitives(const ts_bench_options* options, ts_bench_report* report);  // gjk_ellipsoids.c
int ts_bench_gradients(const ts_bench_options* options, ts_bench_report* report);
int ts_bench_manifold(const ts_bench_options* options, ts_bench_report* report);
int ts_bench_ncp_stages(const ts_bench_options* options, ts_bench_report* report);
int ts_bench_penetration(const ts_bench_options* options, ts_bench_report* report);
int ts_bench_planar(const ts_bench_options* options, ts_bench_report* report);
int ts_bench_qp(const ts_bench_options* options, ts_bench_report* report);
int ts_bench_robot_compliance(const ts_bench_options* options, ts_bench_report* report);
int ts_bench_robot_contacts(const ts_bench_options* options, ts_bench_report* report);
int ts_bench_robots(const ts_bench_options* options, ts_bench_report* report);
int ts_bench_simplex(const ts_bench_options* options, ts_bench_report* report);
int ts_bench_step(const ts_bench_options* options, ts_bench_report* report);
int ts_bench_support(const ts_bench_options* options, ts_bench_report* report);
int ts_bench_warm_start(const ts_bench_options* options, ts_bench_report* report);

#ifdef __cplusplus
}
#endif
#endif
