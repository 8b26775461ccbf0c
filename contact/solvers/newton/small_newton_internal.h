// Newton's method on the exact law where few velocities move: robots, hands, a handful of bodies.
#ifndef TS_CONTACT_SOLVERS_SMALL_NEWTON_INTERNAL_H
#define TS_CONTACT_SOLVERS_SMALL_NEWTON_INTERNAL_H

#include "contact/solver.h"

/// What it reports.
typedef struct ts_small_report {
    ts_solve_status status;  // CONVERGED, STALLED, or FAILED: the problem is not small, or memory is short
    int newtons;             // linear systems solved
    double excess;           // of the returned impulse, contact/judge/yardstick.h; HUGE_VAL: not judged
    double start_excess;     // where it is at most 1, that of the impulse it began from
} ts_small_report;

/// Where it begins.
typedef enum ts_small_from {
    TS_SMALL_FROM_HERE,   // at the impulse, and elsewhere
    TS_SMALL_FROM_BESIDE  // at other places, where that has failed and there is no proof that there is no answer
} ts_small_from;

/// The same, and what the impulse there may miss.
typedef struct ts_small_start {
    ts_small_from from;
    double enough;  // 1: excess up to which it is the answer as it stands, no more than 1
} ts_small_start;

/// Most velocities of a problem it takes.
enum { TS_SMALL_VELOCITIES = 64 };

/// Whether the problem is of its kind: the velocity form of whitened rows (Y == J) with few velocities.
int ts_small_newton_takes(const ts_contact_problem* problem);

/// Solves from `impulse` (row_count, any finite start), which becomes the answer, admissible, where it converges and stays as
/// it was elsewhere; at most `limit` linear systems. FAILED for operators other than the velocity form of
/// whitened rows (Y == J).
ts_small_report ts_small_newton(const ts_yardstick* yardstick, ts_small_start start, int limit, ts_arena* scratch,
                                double* impulse);

/// The same of a problem of its kind without a look at the machine: compiled for all of them, and, where TS_HAVE_WIDE, for those with AVX2.
/// Both give the same bits.
ts_small_report ts_small_newton_narrow(const ts_yardstick* yardstick, ts_small_start start, int limit,
                                       ts_arena* scratch, double* impulse);
ts_small_report ts_small_newton_wide(const ts_yardstick* yardstick, ts_small_start start, int limit, ts_arena* scratch,
                                     double* impulse);

#endif
