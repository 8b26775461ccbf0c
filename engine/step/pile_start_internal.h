// Where the normal impulses of a pile begin.
//
// Problem: impulses that go on from step to step act as springs. What sweeps see only a share eta of, a whole pile's swing, they brake as little, and
// push-outs drive it: a pile never rests. Rule: a normal impulse begins between its last value and its mean, a part of the way (ts_pile_leak), so that what swings
// is braked by 1 / leak times as much as one solve does, and what is at rest begins where it was. Means count
// their steps and forget the first ones: their window is a third of the steps, and 333 steps at most. An impulse that is nothing, or a quarter of
// its mean or four times as large, begins as it is, and its mean anew: what is lifted off a pile must not be held by what it weighed.
// Source: own; of a way of moving without friction and without contacts that open it is a difference equation (tests/engine/step/test_pile_start.c).
// Guaranteed: an impulse that stays what it is begins as what it is. Sizes of impulses do not matter.
// Known to fail: how far it may go on without being braked is a matter of eta: a pile far higher than it is wide still rocks.
#ifndef TS_ENGINE_STEP_PILE_START_INTERNAL_H
#define TS_ENGINE_STEP_PILE_START_INTERNAL_H

#include "base/linear/four.h"
#include "engine/rows/row_block.h"

#ifdef __cplusplus
extern "C" {
#endif

enum {
    TS_PILE_MEAN_FORGETS = 3,  // the mean of n steps gives the next one 3 / (n + 3)
    TS_PILE_MEAN_STEPS = 1000  // n is not counted further
};

/// The part of the way to its mean that an impulse begins on: an eighth a substep, of four at most.
static inline double ts_pile_leak(int substeps) {
    double stays = 1.0;
    for (int k = 0; k < substeps && k < 4; ++k) stays *= 0.875;
    return 1.0 - stays;
}

/// What normal impulses begin with that were `last`, N s, as their means are; means that count no more become none, which is zero.
static inline ts_four ts_pile_start(ts_four last, double leak, ts_four* io_mean) {
    ts_four quarter = ts_four_all(0.25), mean = *io_mean, zero = ts_four_zero();
    // Both are positive then.
    ts_four counts = ts_four_where(ts_four_minus(last, ts_four_product(quarter, mean)),
                                   ts_four_minus(mean, ts_four_product(quarter, last)), zero);
    *io_mean = ts_four_where(counts, mean, zero);
    return ts_four_where(counts, ts_four_plus(last, ts_four_times(leak, ts_four_minus(mean, last))), last);
}

/// What ts_row_memory.solver says of a mean.
static inline double ts_pile_remembered(const ts_row_memory* memory) {
    return memory->keeper == TS_ROW_KEEPER_PILE ? memory->solver : 0.0;
}

/// The mean after a step in which the normal impulse became `last`, from the one that it has begun with, and the steps that this is of where it is one.
static inline double ts_pile_mean_after(double mean, int steps, double last) {
    return mean + TS_PILE_MEAN_FORGETS / (double)(steps + TS_PILE_MEAN_FORGETS) * (last - mean);
}

/// The steps that it is of then.
static inline unsigned short ts_pile_steps_after(int steps) {
    return (unsigned short)(steps < TS_PILE_MEAN_STEPS ? steps + 1 : steps);
}

#ifdef __cplusplus
}
#endif
#endif
