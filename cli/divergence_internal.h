// Where two recordings of one model part: for every quantity of a moment, the first moment at which it differs, and by how much it does at most.
#ifndef TS_CLI_DIVERGENCE_INTERNAL_H
#define TS_CLI_DIVERGENCE_INTERNAL_H

#include "engine/record/record.h"

/// What is compared, in the order in which a step makes it: of several that part in the same step, the first is the one to look at.
typedef enum ts_divergence_quantity {
    TS_DIVERGENCE_CONTROL,
    TS_DIVERGENCE_CONTACTS,  // a contact that only one of them has
    TS_DIVERGENCE_GAP,
    TS_DIVERGENCE_IMPULSE,
    TS_DIVERGENCE_MODE,
    TS_DIVERGENCE_VELOCITY,  // of joints
    TS_DIVERGENCE_POSITION,  // of joints
    TS_DIVERGENCE_PLACE,     // of bodies
    TS_DIVERGENCE_TURN,
    TS_DIVERGENCE_COUNT
} ts_divergence_quantity;

/// A difference at one moment.
typedef struct ts_difference {
    long long step;  // of the first recording; -1: there is none
    double time;     // s
    double by;       // in the quantity's unit
    char what[192];  // "joint 'knee'", "contact 'foot' - 'floor'"
} ts_difference;

/// One quantity of both recordings.
typedef struct ts_divergence_line {
    ts_difference first;
    ts_difference most;
} ts_divergence_line;

/// All of it.
typedef struct ts_divergence {
    ts_divergence_line line[TS_DIVERGENCE_COUNT];
    int first;             // the quantity that parts first, -1: none does
    long long moments;     // that both recordings have
    long long only_in[2];  // moments that have no counterpart
    double from, until;    // s: what both cover
} ts_divergence;

/// "contact impulse", and its unit.
const char* ts_divergence_name(ts_divergence_quantity quantity, const char** out_unit);

/// Compares moments of the same time, shown in two simulations of the same model. Differences up to `tolerance` (in each quantity's unit) are
/// none. `watch` (may be NULL) is told the share that is done; nonzero stops with TS_ERROR_INTERRUPTED.
ts_code ts_divergence_find(ts_recording* const recording[2], ts_sim* const sim[2], double tolerance,
                           int (*watch)(void* user, double done), void* user, ts_divergence* out_divergence,
                           ts_status* out_status);

/// When two recordings of `model` first differ, s, and in what, in a few words; NAN where they do not (the words say so), or where nobody can tell
/// ("").
double ts_divergence_mark(ts_recording* const recording[2], const ts_model* model, char* out_words, size_t size);

#endif
