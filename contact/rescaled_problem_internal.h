// A contact problem in other units of impulse, for solvers that work on its matrix.
#ifndef TS_CONTACT_RESCALED_PROBLEM_INTERNAL_H
#define TS_CONTACT_RESCALED_PROBLEM_INTERNAL_H

#include "contact/judge/yardstick.h"
#include "contact/operator/linear_internal.h"

/// Units s of impulses.
typedef enum ts_problem_units {
    TS_UNITS_GIVEN,      // s = 1
    TS_UNITS_STIFFNESS,  // block by block, s = 1 / sqrt(stiffness): every diagonal block then has a norm of about 1, and
                         // masses that differ by 1e6 count alike
    TS_UNITS_COMPLIANCE  // row by row, s = 1 / sqrt(R), for R > 0: the compliance of every row is 1, and stays out of A.
                         // A cone needs the same R in its tangent rows to stay round
} ts_problem_units;

/// What of its matrix is wanted.
typedef enum ts_matrix_need {
    TS_MATRIX_NUMBERS,   // its numbers
    TS_MATRIX_PRODUCTS,  // products, through an operator in velocity form
    TS_MATRIX_EITHER  // the numbers, or products where there would be too many, as of a body with thousands of contacts
} ts_matrix_need;

/// The problem in x = lambda / s. Velocities are multiplied by s.
typedef struct ts_rescaled_problem {
    const ts_contact_problem* problem;
    int rows;
    int blocks;
    ts_linear_matrix
        A;            // s (G + R) s; s G s in units of compliance. A.scale (rows) is s, 0 where nothing moves the block
    ts_block* block;  // (blocks) their sets in x
    double* g;        // (rows) in these units
    double* work;     // (rows)
} ts_rescaled_problem;

/// Rescales the problem, which is borrowed; memory from `arena`. Returns 0 when a number is not finite, memory is short, or
/// what is needed of the matrix is not to be had: the operator cannot, or it would be larger than
/// TS_LINEAR_LARGEST_MATRIX.
int ts_rescaled_problem_make(const ts_contact_problem* problem, ts_problem_units units, ts_matrix_need need,
                             ts_arena* arena, ts_rescaled_problem* out);

/// The unit of a block's first row, of all its rows unless units are those of compliance: 0 where nothing can move the block,
/// whose impulse stays the smallest that its set allows.
static inline double ts_rescaled_problem_unit(const ts_rescaled_problem* q, int b) {
    return q->A.scale[q->block[b].row];
}

/// x of an impulse (rows). What is not finite, or nothing can move, becomes zero.
void ts_rescaled_problem_enter(const ts_rescaled_problem* q, const double* impulse, double* out_x);

/// The impulse of an admissible x, admissible to the last bit.
void ts_rescaled_problem_leave(const ts_rescaled_problem* q, const double* x, double* out_impulse);

/// u = A x + g.
void ts_rescaled_problem_velocity(const ts_rescaled_problem* q, const double* x, double* out_u);

/// How large |u| may be by rounding alone, at x.
double ts_rescaled_problem_rounding(const ts_rescaled_problem* q, const double* x);

/// The admissible impulse of x projected; the projection is left in `trial`.
void ts_rescaled_problem_admit(const ts_rescaled_problem* q, const double* x, double* trial, double* out_impulse);

/// The same, judged: returns its excess. `u` gets its velocity, in the problem's own units.
double ts_rescaled_problem_judge(const ts_rescaled_problem* q, const ts_yardstick* yardstick, const double* x,
                                 double* trial, double* u, double* out_impulse);

/// ts_trace_note of the admissible impulse of x.
void ts_rescaled_problem_trace(const ts_rescaled_problem* q, const ts_yardstick* yardstick, int iteration,
                               const double* x);

/// Before sweeps: the operator's current impulse becomes that of x. Nothing with numbers.
void ts_rescaled_problem_load(const ts_rescaled_problem* q, const double* x);

/// Rows of block b of A x, x as loaded and changed, and the block A_bb.
void ts_rescaled_problem_read(const ts_rescaled_problem* q, int b, const double* x, double* out_product,
                              double* out_diagonal);

/// x of block b has grown by `change`. Nothing with numbers.
void ts_rescaled_problem_change(const ts_rescaled_problem* q, int b, const double* change);

#endif
