// A contact problem by blocks in scaled impulses, for solvers that work on the matrix.
#ifndef TS_CONTACT_SOLVERS_SCALED_INTERNAL_H
#define TS_CONTACT_SOLVERS_SCALED_INTERNAL_H

#include "contact/judge/residual.h"
#include "contact/operator/linear_internal.h"

/// Units of a rescaled problem.
typedef enum ts_scaled_units {
    TS_SCALED_BY_STIFFNESS,  // block by block, s = 1 / sqrt(stiffness): every diagonal block then has a norm of about 1,
                             // and masses that differ by 1e6 count alike
    TS_SCALED_AS_GIVEN       // s = 1
} ts_scaled_units;

/// What of its matrix is wanted.
typedef enum ts_scaled_need {
    TS_SCALED_NUMBERS,   // its numbers
    TS_SCALED_PRODUCTS,  // products, through an operator in velocity form
    TS_SCALED_EITHER  // the numbers, or products where there would be too many, as of a body with thousands of contacts
} ts_scaled_need;

/// The problem in x = lambda / s. Velocities are scaled by s.
typedef struct ts_scaled {
    const ts_contact_problem* problem;
    int rows;
    int blocks;
    ts_linear_matrix A;  // s (G + R) s
    ts_block* block;     // (blocks) their sets in x
    double* scale;       // (blocks) s; 0 where nothing can move the block, whose impulse stays zero
    double* g;           // (rows) scaled
    double* work;        // (rows)
    double rest;         // ts_scaled_rest_impulse
} ts_scaled;

/// Scales the problem; memory from `arena`. Returns 0 when a number is not finite, memory is short, or what is needed of
/// the matrix is not to be had: the operator cannot, or it would be larger than TS_LINEAR_LARGEST_MATRIX.
int ts_scaled_make(const ts_contact_problem* problem, ts_scaled_units units, ts_scaled_need need, ts_arena* arena,
                   ts_scaled* out);

/// Before sweeps: the operator's current impulse becomes that of x. Nothing with numbers.
void ts_scaled_load(const ts_scaled* q, const double* x);

/// Rows of block b of (G + R) x, x as loaded and changed, and the scaled block (G + R)_bb.
void ts_scaled_read(const ts_scaled* q, int b, const double* x, double* out_product, double* out_diagonal);

/// x of block b has grown by `change`. Nothing with numbers.
void ts_scaled_change(const ts_scaled* q, int b, const double* change);

/// u = (G + R) x + g.
void ts_scaled_velocity(const ts_scaled* q, const double* x, double* out_u);

/// How large |u| may be by rounding alone, at x.
double ts_scaled_rounding(const ts_scaled* q, const double* x);

/// The natural map of a residual, made larger where the impulses dwarf what the problem asks for. The map is relative
/// to the largest impulse, so an answer whose internal forces have run away would otherwise count as a good one. `rest`
/// is ts_scaled_rest_impulse.
double ts_scaled_measure(const ts_contact_problem* problem, const double* impulse, double natural, double rest);

/// What would stop the fastest approach of an average block, N s.
double ts_scaled_rest_impulse(const ts_contact_problem* problem);

/// Judges x after projecting it: leaves the admissible impulse in out_impulse and gives the residuals of all laws.
/// `trial` and `u` (rows) are overwritten.
void ts_scaled_judge(const ts_scaled* q, const double* x, double* trial, double* u, double* out_impulse,
                     ts_residual* out_residual);

#endif
