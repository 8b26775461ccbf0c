// Momentum of the sweeps. Not for use outside contact/ and its tests.
#ifndef TS_CONTACT_SOLVERS_MOMENTUM_INTERNAL_H
#define TS_CONTACT_SOLVERS_MOMENTUM_INTERNAL_H

#include "contact/operator/delassus_velocity_internal.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Sweeps from one rest to the next. 50 to 200.
enum { TS_MOMENTUM_ROUND = 100 };

/// What sweeps with momentum remember of the sweep before. See momentum.c.
typedef struct ts_momentum {
    double most;             // 1: largest part of the last movement that is repeated
    int sweeps;              // since the last rest
    ts_delassus* G;          // borrowed
    ts_velocity_form* form;  // G when it is the velocity form, whose V follows at once; else NULL
    int rows;
    double* impulse;  // (rows) after the sweep before the last
    double* V;        // (velocity_count) of that impulse
} ts_momentum;

/// Makes it at rest. Returns 0 when scratch is short.
int ts_momentum_make(ts_momentum* momentum, ts_delassus* G, double most, ts_arena* scratch);

/// Before a sweep: moves `impulse`, the operator's current one, on by a part of its last movement. It need not be admissible then: the
/// sweep makes it so.
void ts_momentum_push(ts_momentum* momentum, double* impulse);

/// Sums the operator's own numbers anew from the present impulse. Those of the sweep before move along: else the rounding that goes would be
/// taken for movement, and grow.
void ts_momentum_set(ts_momentum* momentum, const double* impulse);

#ifdef __cplusplus
}
#endif
#endif
