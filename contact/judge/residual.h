// The yardstick: how wrong an impulse is, in the units of each contact law, computed from scratch (docs/contact.md).
// No solver judges itself; all of them are judged here.
#ifndef TS_CONTACT_RESIDUAL_H
#define TS_CONTACT_RESIDUAL_H

#include "contact/problem.h"

#ifdef __cplusplus
extern "C" {
#endif

/// The contact law a solver truly solves.
typedef enum ts_contact_law {
    TS_LAW_LCP,    // pyramidal friction, complementarity row by row
    TS_LAW_CCP,    // convex relaxation: u in the dual cone, lambda . u = 0
    TS_LAW_NCP,    // Signorini and Coulomb, exactly
    TS_LAW_RAISIM  // Signorini exactly; friction opposes not the slip but what is left of it in the section u_N = 0
} ts_contact_law;

/// The three parts of one law's residual: maxima over all blocks, each in its own unit, impulse form.
typedef struct ts_law_residual {
    double primal;           // N s: distance of lambda to its set
    double dual;             // m/s: distance of u (shifted for NCP) to the dual set
    double complementarity;  // J
} ts_law_residual;

/// Everything worth knowing about one answer.
typedef struct ts_residual {
    ts_law_residual lcp;
    ts_law_residual ccp;
    ts_law_residual ncp;
    double signorini;    // J: max |lambda_N u_N|
    double dissipation;  // J: max (mu lambda_N |u_T| + lambda_T . u_T), zero when friction opposes slip fully
    double natural;  // 1: the dimensionless natural map of the exact law, relative to at least 1 nm/s of free velocity
    double closing;  // m/s: largest approach velocity left, max(0, -u_N)
    double slip_angle;  // rad: largest angle between friction and the opposite of slip, where |u_T| > 1e-6 m/s
    double pulling;     // N s: largest normal impulse that pulls, max(0, -lambda_N)
    double coulomb;     // N s: largest friction beyond the cone, max(0, |lambda_T| - mu max(0, lambda_N))
} ts_residual;

/// The name of a law: "LCP", "CCP", "NCP".
const char* ts_contact_law_name(ts_contact_law law);

/// Judges `impulse` (row_count). Also gives u (row_count) when out_u is not NULL. Needs APPLY. Scratch is given back.
void ts_residual_evaluate(const ts_contact_problem* problem, const double* impulse, ts_arena* scratch, double* out_u,
                          ts_residual* out_residual);

/// The same for a u = (G + R) lambda + g that is already known (row_count). Needs ROWS of the operator, for stiffnesses.
void ts_residual_from_velocity(const ts_contact_problem* problem, const double* impulse, const double* u,
                               ts_residual* out_residual);

/// What is large in a problem and its answer; the natural map of a block is relative to it.
typedef struct ts_residual_scale {
    double impulse;  // N s: largest entry
    double g;        // m/s: largest free velocity, at least 1e-9
    double step;     // kg: mean of 1 / stiffness over the blocks that can move; 1 when none can
} ts_residual_scale;

/// Measures it: one pass over the problem. Needs ROWS.
ts_residual_scale ts_residual_scale_of(const ts_contact_problem* problem, const double* impulse);

/// Judges block b alone, from impulse and u of the whole problem. The problem's residual is the largest of its blocks'.
/// Needs ROWS.
void ts_residual_of_block(const ts_contact_problem* problem, int b, const ts_residual_scale* scale,
                          const double* impulse, const double* u, ts_residual* out_residual);

/// The residual of one law only, from given u: what a solver's stopping test reads.
ts_law_residual ts_residual_of_law(const ts_contact_problem* problem, ts_contact_law law, const double* impulse,
                                   const double* u);

/// Makes every part of a residual the larger of both, as for two parts of one problem; a NaN stays.
void ts_law_residual_worsen(ts_law_residual* residual, const ts_law_residual* other);

/// The three parts as one number in force units (N, m/s^2, N m/s^2 by dividing by h, h and h^2): what tolerances
/// compare with (docs/contact.md).
double ts_law_residual_in_force_units(ts_law_residual residual, double time_step);

#ifdef __cplusplus
}
#endif
#endif
