// Newton's linear system over the blocks of a contact problem: what every Newton method of this folder solves.
#ifndef TS_CONTACT_SOLVERS_NEWTON_SYSTEM_INTERNAL_H
#define TS_CONTACT_SOLVERS_NEWTON_SYSTEM_INTERNAL_H

#include "contact/solver.h"

/// The matrix A of a Newton method: the operator G of `problem` with its rows and columns scaled, plus a diagonal,
/// A = diag(row_scale) G diag(row_scale) + diag(row_shift). Everything is borrowed and stays as it is between solves.
typedef struct ts_newton_matrix {
    const ts_contact_problem* problem;  // its blocks, and its operator
    const ts_delassus_blocks* G;        // pattern of A by blocks
    const double* value;                // the numbers of A in the places of G
    const double* row_scale;            // (rows)
    const double* row_shift;            // (rows), or NULL for zero
} ts_newton_matrix;

/// A system: for each active block b
///     C_b d_b + E_b (A d)_b = r_b
/// with C_b and E_b (rows x rows, row-major) given, not symmetric; the steps d of all other blocks are known.
/// Natural map: E = DP (1 + shift), C = 1 - DP + eps E. Primal problem: E = D, C = 1.
/// Whoever fills it in writes `active`, C and E between solves, and nothing else.
typedef struct ts_newton_system {
    ts_newton_matrix A;
    const int* square;  // (blocks + 1) block b's C and E begin at C + square[b] and E + square[b]
    double* C;
    double* E;
    int* active;  // (blocks) nonzero: the step of the block is to be found, zero: it is known
    // Of newton_system.c.
    int* place;  // (blocks) number among the active ones, or -1
    int* list;   // (blocks) the active ones, ascending
    int list_count;
    int list_rows;                          // rows of the active blocks
    const struct ts_newton_groups* groups;  // NULL: nothing to gain by taking blocks together
    const struct ts_newton_bodies* bodies;  // NULL: the operator is no velocity form
    int through_bodies;                     // the way that was cheaper
    int compared_rows;                      // with so many active rows; 0: not compared yet
} ts_newton_system;

/// Takes the memory of a system from `arena`. Returns 0 when it is short. Contents of active, C and E are undefined.
int ts_newton_system_make(const ts_newton_matrix* A, ts_arena* arena, ts_newton_system* out_system);

/// Solves. `d` (rows) holds r in the rows of active blocks and the known steps in all others on entry, the whole step
/// on return. Returns 0, with the active rows of `d` undefined, when the system is singular or not finite, when its
/// factor would hold more than TS_SCALED_LARGEST_FACTOR numbers, or when memory is short. Scratch is given back.
/// Ways to solve: dense LU when there are few rows; block-sparse LU over the blocks; through the bodies
/// (newton_bodies_internal.h) where that is cheaper; with contacts of one pair of bodies taken together
/// (newton_groups_internal.h) where the matrix shows such.
int ts_newton_system_solve(ts_newton_system* system, ts_arena* scratch, double* d);

#endif
