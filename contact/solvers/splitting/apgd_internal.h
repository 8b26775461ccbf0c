// Nesterov's projected gradient on a contact problem or on a part of it: what ccp-apgd and the staggered solvers share.
#ifndef TS_CONTACT_SOLVERS_APGD_INTERNAL_H
#define TS_CONTACT_SOLVERS_APGD_INTERNAL_H

#include "contact/block_set_internal.h"
#include "contact/solver.h"

/// A solve in progress. u = (G + R) lambda + g belongs to each impulse.
typedef struct ts_apgd {
    const ts_contact_problem* problem;
    double* step;   // (rows) relative step of each row; 0 where nothing can move the block
    double* x;      // (rows) the impulse
    double* ux;     // (rows) its velocity, always computed afresh
    double* y;      // (rows) extrapolated
    double* uy;     // (rows)
    double* next;   // (rows)
    double* unext;  // (rows)
    double L[2];    // estimate of the largest eigenvalue, of the parts ALL or NORMAL and of the others
    double shrink;  // L falls by this factor per iteration
    double theta;   // of Nesterov's sequence
    int steps;      // iterations so far
    ts_block_moving part;
    ts_yardstick yardstick;
    double* best;   // (rows) the best impulse that ts_apgd_look has seen, the caller's array
    double excess;  // its, infinite while there is none
} ts_apgd;

/// Allocates and starts from `impulse` (ts_solver_start). `block_steps` 1 gives each block a step of its own stiffness, 0 the
/// same to all. `impulse` becomes `best`, zero until one is looked at. Returns 0 when memory is short.
int ts_apgd_init(ts_apgd* q, const ts_yardstick* yardstick, int block_steps, double shrink, ts_arena* arena,
                 double* impulse);

/// Judges x and keeps the best. Returns its excess (contact/judge/yardstick.h); NaN stays.
double ts_apgd_look(ts_apgd* q);

/// Forgets the momentum and turns to a part of the problem. Friction is brought within what the normals carry.
void ts_apgd_begin(ts_apgd* q, ts_block_moving part);

/// One iteration: x and ux move. Returns the gap, m/s: the largest row of the projected gradient where the step was
/// taken. NaN when numbers are not finite; x is then the last one before.
double ts_apgd_step(ts_apgd* q);

/// The gap of a part at x itself, with the friction of cones judged against the present normals. Overwrites `next`.
double ts_apgd_gap(ts_apgd* q, ts_block_moving part);

/// Recomputes ux from x.
void ts_apgd_refresh(ts_apgd* q);

#endif
