// Factors of G + diag(shift) for the velocity form.
#ifndef TS_CONTACT_DELASSUS_FACTOR_INTERNAL_H
#define TS_CONTACT_DELASSUS_FACTOR_INTERNAL_H

#include "contact/operator/delassus_velocity_internal.h"

typedef struct ts_velocity_factor ts_velocity_factor;

/// Analyses G and takes memory for its factors. NULL when memory is short or the factor would hold more than `most`
/// numbers.
ts_velocity_factor* ts_velocity_factor_make(ts_velocity_form* form, ts_arena* arena, size_t most);

/// Whether it goes through the bodies: more rows than columns in use. Scratch is given back.
int ts_velocity_factor_prefers_bodies(const ts_velocity_form* form, ts_arena* scratch);

/// Factorises G + diag(shift).
ts_code ts_velocity_factor_update(ts_velocity_factor* factor, ts_velocity_form* form, const double* shift);

/// Solves with it, in place.
void ts_velocity_factor_solve(ts_velocity_factor* factor, ts_velocity_form* form, double* x);

/// Multiply-adds of one factorisation.
double ts_velocity_factor_work(const ts_velocity_factor* factor);

/// Multiply-adds with the factor in one solve, products with the operator apart.
double ts_velocity_factor_solve_work(const ts_velocity_factor* factor);

#endif
