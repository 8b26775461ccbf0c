// Whether an answer is good enough: the one measure by which solvers stop and everybody else says "converged".
//
// It has no unit: the share of the problem that an impulse leaves unmet. Of the exact law that is the natural map; of the
// others the three parts of the law's residual, each by what is large in the problem (contact/judge/residual.h). The same
// scene in grams and in tonnes, in millimetres and in metres, gets the same answer.
#ifndef TS_CONTACT_YARDSTICK_H
#define TS_CONTACT_YARDSTICK_H

#include "contact/judge/residual.h"

#ifdef __cplusplus
extern "C" {
#endif

/// What is asked of an answer.
typedef struct ts_goal {
    double tolerance;  // 1: largest share of the problem that may stay unmet
    double force;      // force units: largest residual of the law, in addition; 0: as large as it likes
} ts_goal;

/// A problem, the law it is measured by, what is large in it and what is asked.
typedef struct ts_yardstick {
    const ts_contact_problem* problem;  // borrowed
    ts_contact_law law;
    ts_goal goal;
    ts_residual_scale scale;  // of the problem alone, its impulse zero
} ts_yardstick;

/// Makes it: one pass over the problem. Needs ROWS.
ts_yardstick ts_yardstick_make(const ts_contact_problem* problem, ts_contact_law law, ts_goal goal);

/// How many times too large an error is of which so much is unmet, and that is `own` by the law: reached when at most 1. A NaN stays.
double ts_goal_excess(ts_goal goal, double unmet, ts_law_residual own, double time_step);

/// m/s: velocities under this are about good enough: a movement of iterates at which a look is worth its while.
double ts_yardstick_gate(const ts_yardstick* yardstick);

/// How many times too large the error is: reached when at most 1. A NaN stays.
double ts_yardstick_excess(const ts_yardstick* yardstick, const double* impulse, const double* u);

/// The same of blocks [first, last) alone, where `largest` is the largest entry of the whole impulse: the excess of the whole
/// is the largest of its parts'.
double ts_yardstick_excess_of(const ts_yardstick* yardstick, int first, int last, double largest, const double* impulse,
                              const double* u);

/// The share at block b alone, by a scale.
double ts_yardstick_unmet_of_block(const ts_contact_problem* problem, ts_contact_law law, int b,
                                   const ts_residual_scale* scale, const double* impulse, const double* u);

/// The share of the problem that `impulse` leaves unmet, with its u = (G + R) lambda + g (both row_count): of its islands
/// (NULL: one) the largest, each by its own scale.
double ts_yardstick_unmet(const ts_contact_problem* problem, ts_contact_law law, const ts_islands* islands,
                          const double* impulse, const double* u);

/// The same, with the law's residual of the whole problem.
double ts_yardstick_judge(const ts_contact_problem* problem, ts_contact_law law, const ts_islands* islands,
                          const double* impulse, const double* u, ts_law_residual* out_own);

#ifdef __cplusplus
}
#endif
#endif
