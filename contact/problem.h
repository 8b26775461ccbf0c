// A contact problem: plain data that every solver consumes. Find impulses lambda with
//
//     u = (G + R) lambda + g,      lambda in K,   and the law that ties u to lambda (docs/contact.md)
//
// where u is the contact velocity measured against the reference velocity c*: u = c - c* + R lambda, so that
// g = J v_free - c*. Impulses in N s, velocities in m/s (joint rows: N m s and rad/s).
#ifndef TS_CONTACT_PROBLEM_H
#define TS_CONTACT_PROBLEM_H

#include "base/task.h"
#include "contact/block_set.h"
#include "contact/operator/delassus.h"

#ifdef __cplusplus
extern "C" {
#endif

/// A contact problem. Everything is borrowed and stays unchanged, except the operator's current impulse.
typedef struct ts_contact_problem {
    int block_count;
    int row_count;
    const ts_block* block;  // (block_count)
    ts_delassus* delassus;  // G, kg^-1 (row_count x row_count)
    const double* g;        // m/s (row_count)
    const double* R;        // kg^-1 (row_count), diagonal compliance >= 0; NULL means rigid
    double time_step;       // s: turns impulses into forces where a tolerance is in force units
    ts_task_pool* tasks;    // threads a solver may use inside this problem, NULL: the caller alone; never changes a bit
    const double*
        push_out;  // m/s (row_count): what of -g asks to be pushed out, and may be more than any motion can do; NULL: nothing
    double rest_speed;  // m/s: free velocities under this are rest: one step of gravity; 0: none are
    double*
        memory;  // (block_count) what its solver carries from problem to problem (ts_solver.remembers), NULL: nothing
    struct ts_trace* trace;  // where its convergence is noted (contact/trace.h), NULL: nowhere; never changes a bit
    int is_part;  // nonzero: other islands were left out, and these are solved to the bit as if they were there
} ts_contact_problem;

/// Checks sizes, sets (a cone has 3, 4 or 6 rows), finite numbers, mu >= 0, R >= 0, low <= high: TS_ERROR_VALUE with
/// the block and the reason.
ts_code ts_contact_problem_validate(const ts_contact_problem* problem, ts_status* out_status);

/// u = (G + R) lambda + g, m/s (row_count), at an impulse (row_count). Needs APPLY.
void ts_contact_problem_velocity(const ts_contact_problem* problem, const double* impulse, double* out_u);

/// The rows of block b of the same, at the operator's current impulse; `impulse` and out_u are the whole problem's. Needs
/// ROWS.
void ts_contact_problem_block_velocity(const ts_contact_problem* problem, int b, const double* impulse, double* out_u);

/// The row of a block that asks it to open, -1: it holds both ways.
static inline int ts_contact_problem_opening_row(const ts_block* block) {
    if (block->set == TS_SET_CONE) return block->row + 2;
    return block->set == TS_SET_HALF_LINE ? block->row : -1;
}

/// Whether an impulse (row_count, admissible) proves that no motion anybody meant does all that push_out asks for, so that the exact law has
/// no solution; with_friction: or none that opens contacts at least mu times as fast as it slides, so that it need not have one. Needs
/// ROWS and APPLY; scratch is given back.
int ts_contact_problem_contradicts(const ts_contact_problem* problem, int with_friction, const double* impulse,
                                   ts_arena* scratch);

/// Looks for such an impulse, in the time of some hundred sweeps. Returns whether it has found one, out_impulse (row_count).
int ts_contact_problem_seek_contradiction(const ts_contact_problem* problem, int with_friction, ts_arena* scratch,
                                          double* out_impulse);

/// How stiffly block b answers an impulse, kg^-1, from above: the largest row sum of G_bb + R_b. Zero where nothing moves
/// it; a NaN stays. Needs ROWS.
double ts_contact_problem_stiffness(const ts_contact_problem* problem, int b);

#ifdef __cplusplus
}
#endif
#endif
