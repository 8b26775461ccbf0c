// Factors of G + diag(shift) for the velocity form.
#ifndef TS_CONTACT_DELASSUS_FACTOR_INTERNAL_H
#define TS_CONTACT_DELASSUS_FACTOR_INTERNAL_H

#include "contact/delassus_velocity_internal.h"

typedef struct ts_velocity_factor ts_velocity_factor;

/// Analyses G and takes memory for its factors. NULL when memory is short or the factor would hold more than `most`
/// numbers.
ts_velocity_factor* ts_velocity_factor_make(ts_velocity_form* form, ts_arena* arena, size_t most);

/// Factorises G + diag(shift).
ts_code ts_velocity_factor_update(ts_velocity_factor* factor, ts_velocity_form* form, const double* shift);

/// Solves with it, in place.
void ts_velocity_factor_solve(ts_velocity_factor* factor, ts_velocity_form* form, double* x);

#endif
