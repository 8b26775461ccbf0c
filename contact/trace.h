// Convergence within a solve: what share of the problem was unmet at the start, after every iteration and at the end, for all
// solvers by the measure that decides "converged" (contact/judge/yardstick.h).
//
//     ts_trace_entry entry[1000];
//     ts_trace trace = {.entry = entry, .capacity = 1000};
//     problem.trace = &trace;                          // of a sim: sim->trace, before ts_sim_step
//     ts_island_solve(solver, &problem, ...);          // or ts_solver_solve; entry[0] to entry[trace.count - 1]
//
// Of every island the first entry is its start as ts_solver_start makes it of the impulse given, iteration 0; the last one is
// the answer that is returned, which is the best that was seen and, with least_norm, freed of internal forces, so that it can
// lie below the entry before it. Between them stands what the solver held after each of its iterations: sweeps, gradient
// steps, linear systems; of staggered projections with a factor after each projection, which takes a few. A solver without iterations (lcp-lemke while it pivots) has start and end alone. The entries of `ncp`
// say which stage they belong to; what a stage finds and is given up again stands there too.
//
// A traced solve has the same bits as any other; it is slower by a product with the operator per iteration, and its islands are
// solved one after the other. Without a trace it costs a comparison per iteration.
#ifndef TS_CONTACT_TRACE_H
#define TS_CONTACT_TRACE_H

#include "contact/judge/yardstick.h"

#ifdef __cplusplus
extern "C" {
#endif

/// A look at an impulse on its way to the answer.
typedef struct ts_trace_entry {
    int island;     // from 0, in the order of ts_islands_find
    int stage;      // as in ts_solve_report; 0: there is none
    int iteration;  // as in ts_solve_report: 0 is the start
    double unmet;   // 1: share of the solver's own law that it leaves unmet, of this island
} ts_trace_entry;

/// A record of solves, the caller's. Entries are added behind those that there are.
typedef struct ts_trace {
    ts_trace_entry* entry;  // (capacity)
    int capacity;
    int count;   // entries there are
    int missed;  // for which there was no room; the end of a solve always finds some, in the place of the last one
    // Where the solve is; not the caller's business.
    int island;
    int stage;
    int iteration;  // those before the method that is at work now
    double*
        room;  // (3 rows) while a solve lasts, else NULL; the first row_count are free for who has to make what is noted
} ts_trace;

/// Adds the impulse that a solver holds after so many iterations; nothing where no trace is kept. For solvers: once per
/// iteration.
void ts_trace_note(const ts_yardstick* yardstick, int iteration, const double* impulse);

/// Adds the answer, in the place of the iterate after as many iterations, or of the last entry where there is no room.
void ts_trace_end(const ts_yardstick* yardstick, int iterations, const double* impulse);

/// Forgets all entries, as before a solve that is to stand alone; NULL is ignored.
void ts_trace_restart(ts_trace* trace);

/// The trace as one curve: the share of the whole that is unmet after so many iterations, which is the largest of what its islands had come
/// to. Some twenty points for every power of ten, the start, the end, and no more than `room` (at least 2). Returns how many there are.
int ts_trace_curve(const ts_trace* trace, int room, double* out_iteration, double* out_unmet);

#ifdef __cplusplus
}
#endif
#endif
