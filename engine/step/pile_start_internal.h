// Where the normal impulses of a pile begin, and between lone bodies wherever sweeps go over substeps.
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

#include "engine/rows/row_block.h"

#ifdef __cplusplus
extern "C" {
#endif

enum {
    TS_PILE_MEAN_FORGETS = 3,  // the mean of n steps gives the next one 3 / (n + 3)
    TS_PILE_MEAN_STEPS = 1000  // n is not counted further
};

/// What is noted of a contact of a pile, from the search for contacts until another step begins.
typedef struct ts_contact_note {
    double mean;           // N s, of its normal impulse; zero where it has none
    uint32_t feature;      // of its key
    unsigned short steps;  // that the mean is of
    unsigned short unit;   // of those of its pair of geoms
} ts_contact_note;

/// The part of the way to its mean that an impulse begins on: an eighth a substep, of four at most.
static inline double ts_pile_leak(int substeps) {
    double stays = 1.0;
    for (int k = 0; k < substeps && k < 4; ++k) stays *= 0.875;
    return 1.0 - stays;
}

/// Where an impulse begins that was `last`; a mean that it has left is zero from now on.
static inline double ts_pile_start_at(double last, double leak, double* io_mean) {
    if (last > 0.25 * *io_mean && 0.25 * last < *io_mean) return last + leak * (*io_mean - last);
    *io_mean = 0.0;
    return last;
}

/// The mean that is remembered, N s; zero where there is none.
static inline double ts_pile_mean_of(const ts_row_memory* old) {
    return old->keeper == TS_ROW_KEEPER_PILE ? old->solver : 0.0;
}

/// What a normal impulse, which is `share` times the one that `old` remembers, begins with. Notes its mean.
static inline double ts_pile_start(const ts_row_memory* old, double share, double leak, double last,
                                   ts_contact_note* out) {
    out->mean = share * ts_pile_mean_of(old);
    double start = ts_pile_start_at(last, leak, &out->mean);
    out->steps = out->mean > 0.0 ? old->steps : 0;
    return start;
}

/// Remembers a mean of so many steps.
static inline void ts_pile_note(double mean, double steps, ts_row_memory* out_memory) {
    out_memory->keeper = TS_ROW_KEEPER_PILE;
    out_memory->solver = mean;
    out_memory->steps = (int)steps;
}

/// The same after a step more, in which the normal impulse became `last`.
static inline void ts_pile_note_next(double mean, double steps, double last, ts_row_memory* out_memory) {
    mean += TS_PILE_MEAN_FORGETS / (steps + TS_PILE_MEAN_FORGETS) * (last - mean);
    ts_pile_note(mean, steps < TS_PILE_MEAN_STEPS ? steps + 1.0 : steps, out_memory);
}

/// From what ts_pile_start noted.
static inline void ts_pile_note_mean(const ts_contact_note* note, double last, ts_row_memory* out_memory) {
    ts_pile_note_next(note->mean, note->steps, last, out_memory);
}

#ifdef __cplusplus
}
#endif
#endif
