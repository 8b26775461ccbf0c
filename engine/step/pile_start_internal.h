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

#include "engine/contact.h"
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

/// What contact->impulse.z, which is `share` times the one that `old` remembers, begins with. Until the step leaves its contacts, velocity.x and y of
/// this one hold its mean, N s, and the steps that it is of; zero where it has none.
static inline void ts_pile_start(const ts_row_memory* old, double share, double leak, ts_contact* contact) {
    double last = contact->impulse.z, mean = share * old->solver;
    if (old->keeper != TS_ROW_KEEPER_PILE || !(last > 0.25 * mean && 0.25 * last < mean)) return;
    contact->impulse.z = last + leak * (mean - last);
    contact->velocity.x = mean;
    contact->velocity.y = old->steps;
}

/// The mean after a step in which the normal impulse became `last`, from what ts_pile_start put into the contact.
static inline void ts_pile_note_mean(const ts_contact* contact, double last, ts_row_memory* out_memory) {
    double mean = contact->velocity.x, steps = contact->velocity.y;
    out_memory->keeper = TS_ROW_KEEPER_PILE;
    out_memory->solver = mean + TS_PILE_MEAN_FORGETS / (steps + TS_PILE_MEAN_FORGETS) * (last - mean);
    out_memory->steps = (int)(steps < TS_PILE_MEAN_STEPS ? steps + 1.0 : steps);
}

#ifdef __cplusplus
}
#endif
#endif
