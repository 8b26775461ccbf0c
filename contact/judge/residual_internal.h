// What a residual is relative to, for who judges in his own way what residual.c judges. Not for use outside contact/.
#ifndef TS_CONTACT_RESIDUAL_INTERNAL_H
#define TS_CONTACT_RESIDUAL_INTERNAL_H

#include "base/scalar.h"
#include "contact/judge/residual.h"

/// 1: work of friction, by what is large in an island, under which its direction says nothing: noise of solvers.
static const double ts_residual_least_work = 1e-6;

/// What every natural map of a scale is relative to, N s.
static inline double ts_residual_unit(const ts_residual_scale* scale) {
    return ts_worse(scale->impulse, scale->velocity * scale->step);
}

/// The worst natural map of blocks of one scale, a share: the bits of ts_residual_natural of each.
double ts_residual_natural_of_blocks(const ts_contact_problem* problem, ts_block_range range,
                                     const ts_residual_scale* scale, const double* impulse, const double* u);

#endif
