// The derivative of a solved contact problem: how the impulse answers to its data, forwards and backwards.
//
// Wherever no block sits on the border of two modes, the impulse is a smooth function of g, G, R and mu, and its
// derivative costs one linear system the size of what sticks and slides. It is a derivative of the law, not of a solver:
// solve tightly first (`ncp`, `ncp-newton` or ADMM; sweeps that stop early can be in the wrong mode).
#ifndef TS_CONTACT_DERIVATIVE_H
#define TS_CONTACT_DERIVATIVE_H

#include "contact/judge/certificate.h"

#ifdef __cplusplus
extern "C" {
#endif

/// When two numbers count as the same. The first two belong well above the error of the solve and well below the
/// smallest impulse and speed that matter.
typedef struct ts_contact_derivative_tolerance {
    double impulse;  // N s: impulses, and distances to the border of a set, up to this are zero
    double speed;    // m/s (joint rows rad/s): speeds up to this are zero
    double rank;     // 1: directions of the linear system this much weaker than its strongest are left out; 1e-10 suits
    int one_sided;  // nonzero: a block between two modes is taken to hold, or to be open where it touches without force
} ts_contact_derivative_tolerance;

/// Most unknowns of the linear system, which is dense: rows of sticking blocks, and rows less one of sliding contacts.
enum { TS_CONTACT_DERIVATIVE_UNKNOWNS_MAX = 2000 };

/// The derivative of one solved problem. It lives in the arena it was made in and borrows nothing. Nothing in it changes
/// after it is made: several threads may use it, each with its own scratch.
typedef struct ts_contact_derivative {
    int block_count;
    int row_count;
    int unknowns;  // of the linear system
    int rank;      // less than `unknowns`: hyperstatic, see ts_contact_derivative_make
    double
        condition;  // 1: strongest over weakest direction of the linear system, of those that were not left out; at least 1
    int rounds;   // of ts_contact_derivative_cascade: what it takes where nothing is special; else 0
    int refused;  // the block that has no derivative or obeys no law; -1: none
    const ts_contact_mode*
        mode;  // (block_count) TS_MODE_OPEN, STICK or SLIDE; a box at a bound slides; NULL if refused
    const struct ts_contact_derivative_parts* parts;
} ts_contact_derivative;

/// Prepares the derivative of `impulse` (row_count), the answer of `problem` under `law`: TS_LAW_NCP or TS_LAW_CCP.
/// The operator needs APPLY, and nothing of it or of the problem is needed afterwards.
/// TS_ERROR_VALUE: the impulse is no answer to the tolerances, or these are negative. TS_ERROR_NUMERIC: strict
/// complementarity fails, so the derivative has a jump here, and tolerance->one_sided is zero: a contact that touches without force, that is about to slip,
/// a box that stands at its bound without pushing, or numbers that are not finite. For both, `refused` and the message
/// name the block. TS_ERROR_UNSUPPORTED: another law, more unknowns than TS_CONTACT_DERIVATIVE_UNKNOWNS_MAX, or an
/// operator that cannot apply. TS_ERROR_MEMORY: the arena is short.
/// Hyperstatic contacts leave the impulse, and so its derivative, open to internal forces: then the least-squares answer
/// of least norm is given. Velocities do not see the difference (derivative.c says why).
ts_code ts_contact_derivative_make(const ts_contact_problem* problem, ts_contact_law law, const double* impulse,
                                   const ts_contact_derivative_tolerance* tolerance, ts_arena* arena,
                                   ts_contact_derivative* out_derivative, ts_status* out_status);

/// The same derivative of the exact law (TS_LAW_NCP) by a cascade, as staggered projections have it: that of normals with friction fixed and that of
/// friction with normals fixed, in turn until they rest (contact/derivative/cascade.c). Another way to the same numbers, with factors of
/// half the size. TS_ERROR_UNSUPPORTED, with `refused` -1, where they do not come to rest.
ts_code ts_contact_derivative_cascade(const ts_contact_problem* problem, const double* impulse,
                                      const ts_contact_derivative_tolerance* tolerance, ts_arena* arena,
                                      ts_contact_derivative* out_derivative, ts_status* out_status);

/// Takes out of `io_impulse` (row_count), which obeys the law that `derivative` was made of but for what a solve left open, that rest: a Newton step on the
/// equations of its modes, which stay. What contacts hardly feel is known to the condition of the system times what is left open, and that becomes rounding.
/// Scratch is given back. TS_ERROR_MEMORY when it is short.
ts_code ts_contact_derivative_refine(const ts_contact_derivative* derivative, const ts_contact_problem* problem,
                                     ts_contact_law law, ts_arena* scratch, double* io_impulse);

/// Forward. `du` (row_count, m/s) is the change of u at frozen impulse, dg + (dG + dR) lambda; `dmu` (block_count, read of
/// sliding contacts only) the change of friction, NULL for none. Gives the change of the impulse, `out_dlambda` (row_count).
/// `out_mismatch` (may be NULL) gets the part of the right-hand side that no change of impulses can meet, relative to it:
/// rounding unless hyperstatic contacts are moved in a way that bodies cannot follow.
/// Scratch is given back. TS_ERROR_MEMORY when it is short.
ts_code ts_contact_derivative_forward(const ts_contact_derivative* derivative, const double* du, const double* dmu,
                                      ts_arena* scratch, double* out_dlambda, double* out_mismatch);

/// Adds to `io_du` (row_count), the change of u with what impulses make of it already in it (du + G dlambda), what softness and curvature of the
/// law add: P^T of the sum is what `dlambda` leaves open of the equations, and ts_contact_derivative_forward of it, without dmu, what `dlambda` lacks. So an
/// answer is improved whose contacts hardly feel some of their load. `dmu` (block_count) may be NULL. Symmetric: with `dlambda` a g_bar and `io_du` a
/// lambda_bar (G g_bar in it) it serves ts_contact_derivative_reverse.
void ts_contact_derivative_add_law(const ts_contact_derivative* derivative, const double* dlambda, const double* dmu,
                                   double* io_du);

/// The gradient with respect to mu by a `g_bar` that was improved so; `lambda_bar` with G g_bar and what ts_contact_derivative_add_law gives in it.
void ts_contact_derivative_friction_bar(const ts_contact_derivative* derivative, const double* g_bar,
                                        const double* lambda_bar, double* out_mu_bar);

// Many changes at once (contact/derivative/columns.c), for those who know how impulses move bodies.

/// Rows of a block over a run of coordinates z in which the mass matrix is one: u changes by J' dz and dz by J'^T dlambda.
typedef struct ts_contact_run {
    int row;     // first row of the block
    int rows;    // of the block
    int column;  // first coordinate
    int count;
    const double* J;  // (rows x count)
} ts_contact_run;

/// Those of all blocks that act, in the order of blocks.
typedef struct ts_contact_runs {
    int count;
    const ts_contact_run* run;
} ts_contact_runs;

/// Adds to `io_asked` (derivative->unknowns x columns, row-major; zero at first) what changes of u at frozen impulse and frozen z ask of impulses: `du` (rows x count,
/// row-major) of the block whose first row is `row`, number k of which is of column `column[k]`; negative: of none.
void ts_contact_derivative_ask(const ts_contact_derivative* derivative, int row, int count, const double* du,
                               const int* column, int columns, double* io_asked);

/// Adds to `io_z` (coordinates x columns, row-major), what changes at frozen impulse make of it, what impulses add: for every column the same as
/// ts_contact_derivative_forward of du + J' dz, and J'^T of that. `asked` is of ts_contact_derivative_ask, `dmu` (block_count x columns) may be NULL. `rounds`: how often what
/// is left of the equations is asked again (ts_contact_derivative_add_law). Scratch is given back. TS_ERROR_MEMORY when it is short.
ts_code ts_contact_derivative_push(const ts_contact_derivative* derivative, const ts_contact_runs* runs, int columns,
                                   const double* asked, const double* dmu, int rounds, ts_arena* scratch, double* io_z);

/// Backward: the transpose of ts_contact_derivative_forward. `lambda_bar` (row_count) is the gradient of a loss with respect to the impulse.
/// Gives that with respect to g, `out_g_bar` (row_count), and with respect to mu, `out_mu_bar` (block_count, may be NULL).
/// The others are products of out_g_bar and the impulse, and need no matrix:
///     R_bar_i = g_bar_i lambda_i,      G_bar = g_bar lambda^T,
///     J_bar = g_bar (M^-1 J^T lambda)^T + lambda (M^-1 J^T g_bar)^T      for G = J M^-1 J^T.
/// `out_mismatch` (may be NULL): the part of the gradient, relative to it, that asks for internal forces, which have no
/// derivative; rounding for losses of velocities. Scratch is given back. TS_ERROR_MEMORY when it is short.
ts_code ts_contact_derivative_reverse(const ts_contact_derivative* derivative, const double* lambda_bar,
                                      ts_arena* scratch, double* out_g_bar, double* out_mu_bar, double* out_mismatch);

#ifdef __cplusplus
}
#endif
#endif
