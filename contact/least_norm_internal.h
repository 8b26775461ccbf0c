// Taking internal forces out of an answer: for solvers whose answer on hyperstatic contacts is any of many.
#ifndef TS_CONTACT_LEAST_NORM_INTERNAL_H
#define TS_CONTACT_LEAST_NORM_INTERNAL_H

#include "contact/solver.h"

/// What to solve to where rows_most asks for that: the answer has to be good enough afterwards, so it needs something to spare.
static inline ts_goal ts_least_norm_goal(ts_goal goal, int rows, int rows_most) {
    if (rows <= rows_most) goal.tolerance *= 0.1;
    return goal;
}

/// Takes out of `impulse` (row_count), an answer that is good enough by the yardstick, as much of what moves nothing as its sets allow,
/// and keeps that when it is good enough as well. Problems of more than rows_most rows stay as they are, and so do those
/// of which fewer than two contacts carry. Needs ROWS and APPLY; scratch is given back.
void ts_least_norm(const ts_yardstick* yardstick, int rows_most, ts_arena* scratch, double* impulse);

#endif
