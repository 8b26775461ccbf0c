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
    TS_LAW_LCP,     // pyramidal friction, complementarity row by row
    TS_LAW_CCP,     // convex relaxation: u in the dual cone, lambda . u = 0
    TS_LAW_NCP,     // Signorini and Coulomb, exactly
    TS_LAW_RAISIM,  // Signorini exactly; friction opposes not the slip but what is left of it in the section u_N = 0
    TS_LAW_LCP8,  // Signorini exactly; friction resists slip as much as a pyramid of eight facets around the cone lets it
    TS_LAW_LCP16,    // the same with sixteen
    TS_LAW_EXPLICIT  // none: every facet of the pyramid pushes as its own free approach asks, whatever the others do
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
    double created;      // J: largest work that a contact does on the bodies, max(0, lambda . u)
    double dissipation;  // J: max (mu lambda_N |u_T| + lambda_T . u_T), zero when friction opposes slip fully
    double
        natural;  // 1: the natural map of the exact law, relative to what is large in the problem (ts_residual_scale)
    double closing;  // m/s: largest approach velocity left, max(0, -u_N)
    // rad: between friction and the opposite of slip, atan2 of the sums of |lambda_T x u_T| and of -lambda_T . u_T: a contact
    // counts by the work it could do, so that neither vanishing forces nor jammed ones have a say; 0 where friction does no work worth the name.
    double slip_angle;
    double pulling;  // N s: largest normal impulse that pulls, max(0, -lambda_N)
    double coulomb;  // N s: largest friction beyond the cone, max(0, |lambda_T| - mu max(0, lambda_N))
} ts_residual;

/// The name of a law: "LCP", "CCP", "NCP".
const char* ts_contact_law_name(ts_contact_law law);

/// How many facets its friction has: 4, 8, 16; 0: it is round.
int ts_contact_law_facets(ts_contact_law law);

/// Judges `impulse` (row_count). Also gives u (row_count) when out_u is not NULL. Needs ROWS and APPLY. Scratch is given
/// back.
void ts_residual_evaluate(const ts_contact_problem* problem, const double* impulse, ts_arena* scratch, double* out_u,
                          ts_residual* out_residual);

/// The same for a u = (G + R) lambda + g that is already known (row_count). `islands` of the problem, or NULL for one: the
/// natural map of an island is relative to what is large in that island. Needs ROWS of the operator, for stiffnesses.
void ts_residual_from_velocity(const ts_contact_problem* problem, const ts_islands* islands, const double* impulse,
                               const double* u, ts_residual* out_residual);

/// What is large in a problem and its answer: relative errors are shares of these. None has a floor but what the problem
/// brings along, so the same problem in grams and hours gives the same shares.
typedef struct ts_residual_scale {
    double
        impulse;  // N s: largest entry, but no more than 10^4 times what stops the fastest approach of an average block
    double velocity;  // m/s: largest free velocity, at least the problem's rest_speed
    double step;      // kg: mean of 1 / stiffness over the blocks that can move; 1 when none can
} ts_residual_scale;

/// Measures it over count blocks (block: which; NULL: the first `count`). `impulse` may be NULL: none. Needs ROWS.
ts_residual_scale ts_residual_scale_of(const ts_contact_problem* problem, const int* block, int count,
                                       const double* impulse);

/// The same for other impulses, whose largest entry is `largest`.
void ts_residual_scale_impulse(ts_residual_scale* scale, double largest);

/// The natural map of block b, a share: |lambda - P(lambda - r w)| with r = 1 / stiffness, by the larger of the scale's impulse
/// and velocity * step. Nothing wrong is 0 whatever the scale. Needs ROWS.
double ts_residual_natural(const ts_contact_problem* problem, int b, const ts_residual_scale* scale,
                           const double* impulse, const double* u);

/// Judges block b alone, from impulse and u of the whole problem. The problem's residual is the largest of its blocks'.
/// Needs ROWS.
void ts_residual_of_block(const ts_contact_problem* problem, int b, const ts_residual_scale* scale,
                          const double* impulse, const double* u, ts_residual* out_residual);

/// The residual of one law only, from given u: what a solver's stopping test reads.
ts_law_residual ts_residual_of_law(const ts_contact_problem* problem, ts_contact_law law, const double* impulse,
                                   const double* u);

/// Blocks of a problem: the `count` ones from `first` on, or those that the list holds from there on.
typedef struct ts_block_range {
    const int* list;  // NULL: there is none
    int first;
    int count;
} ts_block_range;

/// The same of some blocks alone.
ts_law_residual ts_residual_of_law_blocks(const ts_contact_problem* problem, ts_contact_law law, ts_block_range range,
                                          const double* impulse, const double* u);

/// Makes every part of a residual the larger of both, as for two parts of one problem; a NaN stays.
void ts_law_residual_worsen(ts_law_residual* residual, const ts_law_residual* other);

/// The residual of one law at block b alone.
ts_law_residual ts_residual_of_law_block(const ts_contact_problem* problem, ts_contact_law law, int b,
                                         const double* impulse, const double* u);

/// The three parts as one number in force units (N, m/s^2, N m/s^2 by dividing by h, h and h^2): what an absolute
/// tolerance compares with (docs/contact.md).
double ts_law_residual_in_force_units(ts_law_residual residual, double time_step);

#ifdef __cplusplus
}
#endif
#endif
