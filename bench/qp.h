// The distance of two polytopes as a quadratic program: what it looks like, and who solves it.
#ifndef TS_BENCH_QP_H
#define TS_BENCH_QP_H

#include "bench/workload.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { TS_QP_VARIABLES = 6 };

/// min |x1 - x2|^2 over x = (x1, x2) in A's frame, subject to row . x <= bound for every face of A and of B.
typedef struct ts_qp {
    int rows;
    double* row;    // (rows * 6)
    double* bound;  // (rows) m
} ts_qp;

/// An answer.
typedef struct ts_qp_answer {
    double x[TS_QP_VARIABLES];  // m
    int iterations;
    int converged;
} ts_qp_answer;

/// Writes the faces of both hulls of a pair. Returns 0 when memory is short; free with ts_qp_free.
int ts_qp_make(const ts_bench_pair* pair, ts_qp* out_qp);

/// Frees a program.
void ts_qp_free(ts_qp* qp);

/// An interior-point method of our own (Mehrotra's predictor and corrector), which knows that there are six variables:
/// stops when residuals and complementarity are below `tolerance`. `scratch` holds 6 * rows numbers.
void ts_qp_interior_point(const ts_qp* qp, double tolerance, double* scratch, ts_qp_answer* out_answer);

/// ProxQP's dense solver for programs of one size, if this build has it.
typedef struct ts_qp_proxqp ts_qp_proxqp;
ts_qp_proxqp* ts_qp_proxqp_make(int rows, double tolerance);
void ts_qp_proxqp_solve(ts_qp_proxqp* solver, const ts_qp* qp, ts_qp_answer* out_answer);
void ts_qp_proxqp_free(ts_qp_proxqp* solver);

#ifdef __cplusplus
}
#endif
#endif
