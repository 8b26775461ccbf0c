// The alternating direction method of multipliers on a contact problem: its settings, and its linear systems. Not for use
// outside contact/ and its tests.
#ifndef TS_CONTACT_SOLVERS_ADMM_INTERNAL_H
#define TS_CONTACT_SOLVERS_ADMM_INTERNAL_H

#include "base/linear/block_lu.h"
#include "base/linear/tridiagonal.h"
#include "contact/operator/delassus_factor_internal.h"
#include "contact/solver.h"
#include "contact/solvers/newton/scaled_internal.h"

/// How the penalty rho is adapted.
typedef enum ts_admm_step_rule {
    TS_ADMM_STEP_SAFE,  // by the residuals relative to what they are residuals of, with pauses that grow
    TS_ADMM_STEP_PAPER  // as published: by their plain ratio, whenever it is off, and with an absolute proximal weight
} ts_admm_step_rule;

/// In which units the iteration runs.
typedef enum ts_admm_scaling {
    TS_ADMM_SCALING_NONE,  // those of the problem: internal forces stay out
    TS_ADMM_SCALING_BLOCK  // each block divided by the root of its stiffness
} ts_admm_scaling;

/// Settings of an ADMM solver.
typedef struct ts_admm_settings {
    ts_solver_settings shared;
    double natural;          // largest natural map that counts as converged, beside the tolerance; exact law only
    double over_relaxation;  // of x, 1 to 1.8
    double rho_power;        // p: rho starts at sqrt(L m) kappa^p, kappa = L / m
    double rho_step;         // delta: rho changes by factors up to kappa^delta
    double balance;          // weight of the relative primal residual against the dual one; safe rule
    double rho_ratio;        // residuals this far apart call for a change
    double condition;        // kappa: the condition number assumed, so that m = L / kappa; safe rule
    double eta;              // proximal weight, relative to L; safe rule
    int freeze;              // rho stays as it is after so many iterations
    int step_rule;           // ts_admm_step_rule
    int scaling;             // ts_admm_scaling
} ts_admm_settings;

/// The settings both solvers start from.
extern const ts_admm_settings ts_admm_default;

/// "ncp-admm", settings ts_admm_settings: for those that call it.
extern const ts_solver ts_ncp_admm_solver;

/// (G + R + shift I) x = b through the bodies, for velocity forms (admm_bodies.c). Memory belongs to the arena.
typedef struct ts_admm_bodies ts_admm_bodies;

/// Allocates; `system` is borrowed, its matrix not needed. NULL when memory is short or the operator is no velocity
/// form.
ts_admm_bodies* ts_admm_bodies_make(const ts_scaled* system, ts_arena* arena);

/// Another shift, > 0. Returns 0 when numbers are not finite.
int ts_admm_bodies_shift(ts_admm_bodies* bodies, double shift);

/// Solves in place, starting from `guess` (rows), until no residual is larger than `accuracy`, or to rounding.
void ts_admm_bodies_solve(ts_admm_bodies* bodies, const double* guess, double accuracy, double* x);

/// (G + R + shift I) as a factor that can be made again for another shift, G and R in the units of a ts_scaled.
typedef struct ts_admm_factor {
    int rows;
    int ld;  // of the dense matrices
    int symmetric;
    double* matrix;       // (rows x ld) when dense, else NULL: G + R
    double* dense;        // (rows x ld) its factor
    int* pivot;           // (rows) when not symmetric
    ts_tridiagonal form;  // in `dense` when `reduced`
    int reduced;
    int shifts;       // so far
    int solves;       // so far
    int rested;       // solves with the present shift, while reduced
    double shift;     // the present one, when dense
    ts_block_lu* lu;  // when sparse
    double* value;    // the shifted blocks
    const ts_scaled* system;
    ts_admm_bodies* bodies;  // through the bodies, else NULL
} ts_admm_factor;

/// Whether the problem is solved through its bodies. Then the matrix by blocks is not needed.
int ts_admm_factor_prefers_bodies(const ts_contact_problem* problem, ts_arena* scratch);

/// Chooses a form and allocates; `system` is borrowed. Without a list of the matrix (G.start NULL) through the bodies.
/// Returns 0 when memory is short or the factor would be too large.
int ts_admm_factor_make(const ts_scaled* system, ts_arena* arena, ts_admm_factor* out);

/// Factorises for a shift. Returns 0 when that breaks down.
int ts_admm_factor_shift(ts_admm_factor* factor, double shift);

/// Solves in place. Where that goes in steps they start from `guess` (rows) and end when no residual is larger than
/// `accuracy`.
void ts_admm_factor_solve(ts_admm_factor* factor, const double* guess, double accuracy, double* x);

#endif
