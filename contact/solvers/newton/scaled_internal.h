// A contact problem by blocks in scaled impulses, for solvers that work on the matrix.
#ifndef TS_CONTACT_SOLVERS_SCALED_INTERNAL_H
#define TS_CONTACT_SOLVERS_SCALED_INTERNAL_H

#include "contact/solvers/newton/newton_system_internal.h"

/// Numbers in the largest matrix by blocks that is still accepted (128 MiB), and in the largest factor (512 MiB).
enum { TS_SCALED_LARGEST_MATRIX = 1 << 24, TS_SCALED_LARGEST_FACTOR = 1 << 26 };

/// The problem in x = lambda / s, block by block, s = 1 / sqrt(stiffness of the block): every diagonal block then has a
/// norm of about 1, and masses that differ by 1e6 count alike. Velocities are scaled by s.
typedef struct ts_scaled {
    const ts_contact_problem* problem;
    int rows;
    int blocks;
    ts_delassus_blocks G;  // pattern of G + R; its numbers are in `value`
    double* value;         // scaled G + R; NULL: there is no matrix, and G lists nothing (ts_scaled_make_products)
    ts_block* block;       // (blocks) their sets in x
    double* scale;         // (blocks) s; 0 where nothing can move the block, whose impulse stays zero
    double* g;             // (rows) scaled
    double* row_scale;     // (rows) s of a row's block
    double* row_shift;     // (rows) scaled R, or NULL where the problem has none
    double rest;           // ts_scaled_rest_impulse
    double* work;          // (rows) without a matrix
} ts_scaled;

/// Lists and scales the problem; memory from `arena`. Returns 0 when the operator cannot, or the matrix would be larger
/// than TS_SCALED_LARGEST_MATRIX, or is not finite.
int ts_scaled_make(const ts_contact_problem* problem, ts_arena* arena, ts_scaled* out);

/// The same where the matrix would be too large, as that of a body with thousands of contacts, and the operator is the
/// velocity form: then without it. Products take the whole of x (ts_scaled_velocity), or one block of the operator's
/// current impulse (ts_scaled_load, ts_scaled_read, ts_scaled_change).
int ts_scaled_make_products(const ts_contact_problem* problem, ts_arena* arena, ts_scaled* out);

/// Before sweeps: the operator's current impulse becomes that of x. Nothing with a matrix.
void ts_scaled_load(const ts_scaled* q, const double* x);

/// Rows of block b of (G + R) x, x as loaded and changed, and the scaled block (G + R)_bb.
void ts_scaled_read(const ts_scaled* q, int b, const double* x, double* out_product, double* out_diagonal);

/// x of block b has grown by `change`. Nothing with a matrix.
void ts_scaled_change(const ts_scaled* q, int b, const double* change);

/// Rows of block b of (G + R) x. Needs the matrix.
void ts_scaled_product(const ts_scaled* q, int b, const double* x, double* out);

/// u = (G + R) x + g.
void ts_scaled_velocity(const ts_scaled* q, const double* x, double* out_u);

/// How large |u| may be by rounding alone, at x.
double ts_scaled_rounding(const ts_scaled* q, const double* x);

/// The matrix for Newton's linear systems, borrowed from q.
ts_newton_matrix ts_scaled_newton_matrix(const ts_scaled* q);

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
