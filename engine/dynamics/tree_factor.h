// The factor M = L^T L of a tree's inertia, as sparse as the tree, and what it is good for: M^-1, M^-1 J^T, J M^-1 J^T.
//
// Of the functions ts_tree_factor_*: M, L and all rows are those of one tree, row-major over its dof_count n, rows n apart. Of L the lower triangle counts, of that
// the entries L_ki with i on the chain of dofs from k to the root. M may have anything added along its diagonal, and at pairs of dofs
// of one chain.
#ifndef TS_ENGINE_TREE_FACTOR_H
#define TS_ENGINE_TREE_FACTOR_H

#include "engine/dynamics/kinematics.h"
#include "engine/dynamics/tree_scratch.h"

#ifdef __cplusplus
extern "C" {
#endif

/// L (n x n, not M itself) with M = L^T L, of which the lower triangle is read, zero off the chains, and one over its diagonal (n). What lies
/// above the diagonal of out_L is left as it is, or becomes zero. Returns 0 when a pivot is not positive: a degree of freedom moves no mass.
int ts_tree_factor_make(const ts_model* model, int tree, const double* M, double* out_L, double* out_inverse);

/// Replaces each of `rows` rows x by L^-T x. In these coordinates, L v, the inertia is the identity. A row that is zero off a body's
/// chain of dofs stays so.
void ts_tree_factor_whiten(const ts_model* model, int tree, const double* L, const double* inverse, int rows,
                           double* x);

/// Replaces each of `rows` rows w by L^-1 w: from whitened velocities back to those of the dofs.
void ts_tree_factor_unwhiten(const ts_model* model, int tree, const double* L, const double* inverse, int rows,
                             double* w);

/// Replaces each of `rows` rows x by M^-1 x: the rows of a Jacobian J become those of J M^-1.
void ts_tree_factor_solve(const ts_model* model, int tree, const double* L, const double* inverse, int rows, double* x);

/// Replaces X (n x columns, row-major) by M^-1 X: for many columns cheaper than as rows.
void ts_tree_factor_solve_columns(const ts_model* model, int tree, const double* L, const double* inverse, int columns,
                                  double* X);

/// The two halves of that: X becomes L^-T X, or L^-1 X.
void ts_tree_factor_whiten_columns(const ts_model* model, int tree, const double* L, const double* inverse, int columns,
                                   double* X);
/// See ts_tree_factor_whiten_columns.
void ts_tree_factor_unwhiten_columns(const ts_model* model, int tree, const double* L, const double* inverse,
                                     int columns, double* X);

/// The Delassus matrix G = J M^-1 J^T (rows x rows, symmetric, full) of whitened rows Y = J L^-1 (ts_tree_factor_whiten): sums over
/// the dofs that two rows have in common. `last` (rows) names for each row the deepest dof, counted from the tree's first, of the one
/// chain that it lies on (of a body: dof_last less dof_first of the tree), or -1 where it lies on several; NULL: all of them do.
void ts_tree_factor_delassus(const ts_model* model, int tree, int rows, const double* Y, const int* last,
                             double* out_G);

/// The inertia of every tree of a model, factorised. Create with ts_tree_factors_create; the arrays are the arena's.
typedef struct ts_tree_factors {
    size_t* start;    // (tree_count + 1) where each tree's n x n numbers begin
    double* M;        // tree by tree
    double* L;        // M = L^T L
    double* inverse;  // (nv) one over the diagonal
} ts_tree_factors;

/// Makes the arrays. Returns 0 when the arena has no memory.
int ts_tree_factors_create(const ts_model* model, ts_arena* arena, ts_tree_factors* out_factors);

/// Factorises the inertia at the pose of `kinematics`. Returns 0 when a degree of freedom moves no mass.
int ts_tree_factors_update(const ts_model* model, const ts_kinematics* kinematics, ts_tree_scratch* scratch,
                           ts_tree_factors* factors);

/// Replaces x (nv) by L^-T x, tree by tree.
void ts_tree_factors_whiten(const ts_model* model, const ts_tree_factors* factors, double* x);

/// Replaces x (nv) by L^-1 x, tree by tree.
void ts_tree_factors_unwhiten(const ts_model* model, const ts_tree_factors* factors, double* x);

/// Replaces x (nv) by M^-1 x.
void ts_tree_factors_solve(const ts_model* model, const ts_tree_factors* factors, double* x);

#ifdef __cplusplus
}
#endif
#endif
