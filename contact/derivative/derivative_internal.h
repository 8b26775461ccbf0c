// What the derivative of a contact problem keeps (derivative.c says what E, P, L, D and W are).
#ifndef TS_CONTACT_DERIVATIVE_INTERNAL_H
#define TS_CONTACT_DERIVATIVE_INTERNAL_H

#include "contact/derivative/cascade_internal.h"
#include "contact/derivative/derivative.h"
#include "contact/operator/linear_orthogonal_internal.h"

#ifdef __cplusplus
extern "C" {
#endif

/// One unknown: what it adds to its block's impulse, and the equation that goes with it. Those of a block lie side by side, in the order of blocks.
typedef struct ts_contact_unknown {
    int block;
    int row;   // first row of the block
    int rows;  // of the block
    double E[TS_BLOCK_ROWS_MAX];
    double P[TS_BLOCK_ROWS_MAX];
    int normal;        // nonzero: in a cascade it goes with the normals
    int slides;        // nonzero: its friction follows it
    double curvature;  // kg^-1, D: |u_T| / (mu lambda_N) across the slip
    double lift;       // m/s, |u_T| / sqrt(1 + mu^2) in the relaxation's equation: what mu adds to its right-hand side
} ts_contact_unknown;

/// A contact that slides: how its impulse answers to mu directly.
typedef struct ts_contact_slider {
    int block;
    int row;
    int rows;
    double L[TS_BLOCK_ROWS_MAX];
} ts_contact_slider;

/// The rest of ts_contact_derivative.
struct ts_contact_derivative_parts {
    ts_contact_unknown* x;
    ts_contact_slider* slide;
    int slide_count;
    double* W;        // unknowns by columns, one per slider: what dmu adds to the equations
    int rows;         // of the problem
    const double* R;  // (rows); NULL: nothing
    ts_linear_orthogonal A;
    ts_cascade* cascade;  // NULL: A is factorised as a whole
};

#ifdef __cplusplus
}
#endif
#endif
