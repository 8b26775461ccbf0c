// Anderson acceleration of a fixed-point map. Not for use outside contact/ and its tests.
#ifndef TS_CONTACT_SOLVERS_ANDERSON_INTERNAL_H
#define TS_CONTACT_SOLVERS_ANDERSON_INTERNAL_H

#include "base/arena.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Most differences that are remembered.
enum { TS_ANDERSON_MEMORY_MAX = 10 };

/// The memory of an accelerated iteration x -> s(x). See anderson.c.
typedef struct ts_anderson {
    int rows;
    int memory;                                   // most differences kept
    int count;                                    // differences kept now
    int next;                                     // slot of the next difference
    int has_previous;                             // previous_* hold a pair
    int proposed;                                 // the iterate the map is applied to next was proposed
    int rest;                                     // plain steps until the next proposal
    int patience;                                 // what rest starts from after a refusal; doubles with every one
    int idle;                                     // proposals accepted since the last progress
    double norm;                                  // |s - x| of the last pair that was accepted
    double least;                                 // the least |s - x| so far
    const double* weight;                         // (rows) of the norm
    double* change_of_f[TS_ANDERSON_MEMORY_MAX];  // (rows) f_k - f_{k-1}, f = s - x
    double* change_of_s[TS_ANDERSON_MEMORY_MAX];  // (rows)
    double* previous_f;                           // (rows)
    double* previous_s;                           // (rows)
    double* x;                                    // (rows) what the map was applied to last
    double* proposal;                             // (rows)
    double gram[TS_ANDERSON_MEMORY_MAX][TS_ANDERSON_MEMORY_MAX];  // weighted products of change_of_f
} ts_anderson;

/// Makes an empty memory of 1 to TS_ANDERSON_MEMORY_MAX differences. `weight` (rows, >= 0) is borrowed. Returns 0 when
/// scratch is short.
int ts_anderson_make(ts_anderson* anderson, int rows, int memory, const double* weight, ts_arena* scratch);

/// Before the map is applied: replaces x by the proposal when there is one and returns 1, else leaves it and returns 0.
/// The caller makes the proposal admissible. Then ts_anderson_started with the x that the map will really see.
int ts_anderson_start(ts_anderson* anderson, double* x);

/// Forgets all pairs: the map, or the weights, have changed.
void ts_anderson_forget(ts_anderson* anderson);

/// Notes the x that the map is applied to.
void ts_anderson_started(ts_anderson* anderson, const double* x);

/// After the map: `s` is s(x). Learns from it and returns 1; or, when x was a proposal that the map moved more than the
/// iterate before, puts back what the map made of that one, forgets everything and returns 0.
int ts_anderson_finish(ts_anderson* anderson, double* s);

#ifdef __cplusplus
}
#endif
#endif
