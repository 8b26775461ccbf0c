// Where contacts that hold contradict each other: how far impulses go before the first of them gives.
//
// Problem: what sticks is to stand still, and cannot: four feet whose targets differ by a hair, friction to either side that jams. Each pass of
// small_newton.c then moves the impulses by the same step along a direction that moves nothing else, and what is missing stays. The answer lies where
// friction is at its bound, or a contact opens, thousands of passes away; weights that fall get there after ten systems.
// Rule: the ratio test of active sets: along that direction to the first block whose state changes, and a hair on.
// Source: none; ratio tests are those of any simplex method.
// Guaranteed: no block that holds leaves its set but the one that gives, to rounding; same bits in files compiled for AVX2. Functions are here, and
// static, because small_newton_wide.c compiles them a second time.
// Known failure: what gives first need not give in the answer; the next systems find out.
#ifndef TS_CONTACT_SOLVERS_SMALL_JAM_INTERNAL_H
#define TS_CONTACT_SOLVERS_SMALL_JAM_INTERNAL_H

#include "contact/solvers/newton/small_rows_internal.h"

// The least t >= 0 where x + t d is at the end of [low, high]; x is in it.
static inline double small_end_of_interval(double low, double high, double x, double d) {
    double end = d > 0.0 ? high : low;
    return d == 0.0 ? HUGE_VAL : fmax((end - x) / d, 0.0);
}

// The least t >= 0 where x + t d is on the surface of the cone; x is in it.
static inline double small_end_of_cone(const ts_block* block, const double* x, const double* d) {
    // |x_T + t d_T|^2 - mu^2 (x_n + t d_n)^2 = a t^2 + 2 b t - c
    double mu2 = block->mu * block->mu;
    double a = -mu2 * d[2] * d[2], b = -mu2 * x[2] * d[2], c = mu2 * x[2] * x[2];
    for (int r = 0; r < block->rows; ++r) {
        if (r == 2) continue;
        a += d[r] * d[r];
        b += x[r] * d[r];
        c -= x[r] * x[r];
    }
    double root = b * b + a * c, by = root >= 0.0 ? b + sqrt(root) : 0.0;
    if (c <= 0.0) return 0.0;
    return by > 0.0 ? c / by : HUGE_VAL;
}

// The least t >= 0 where block b does something else than it does.
static inline double small_end_of_state(const small* q, int b, const double* x, const double* d) {
    const ts_block* block = &q->problem->block[b];
    double low, high, end = HUGE_VAL;
    if (q->block[b].state == SMALL_REST) return HUGE_VAL;
    if (block->set == TS_SET_CONE) {
        if (q->block[b].state == SMALL_SLIDE || !(block->mu > 0.0))
            return d[2] < 0.0 ? small_end_of_interval(0.0, HUGE_VAL, x[2], d[2]) : HUGE_VAL;
        return small_end_of_cone(block, x, d);
    }
    ts_block_set_interval(block, &low, &high);
    for (int r = 0; r < block->rows; ++r) end = fmin(end, small_end_of_interval(low, high, x[r], d[r]));
    return end;
}

// Turns dx, in which `passes` passes have moved impulses by the same d, the last of them from `before`, into the way to where the first block gives.
// Returns 0, with dx as it is, where none does.
static inline int small_leap(small* q, int passes, const double* before) {
    // 1: beyond that place, by the way there: further than rounding. 1e-9 to 1e-3.
    static const double beyond = 1e-6;
    const ts_contact_problem* p = q->problem;
    double way = HUGE_VAL;
    for (int b = 0; b < p->block_count; ++b) {
        int row = p->block[b].row;
        double x[SMALL_ROWS], d[SMALL_ROWS];
        for (int r = 0; r < p->block[b].rows; ++r) {
            d[r] = q->dx[row + r] - before[row + r];
            x[r] = q->x[row + r] + q->dx[row + r] - passes * d[r];
        }
        way = fmin(way, small_end_of_state(q, b, x, d));
    }
    if (!(way < HUGE_VAL)) return 0;
    double far = way * (1.0 + beyond) - passes;
    for (int i = 0; i < p->row_count; ++i) q->dx[i] += far * (q->dx[i] - before[i]);
    return 1;
}

#endif
