// Shared by the tests of derivatives.
#ifndef TS_TESTS_DERIVATIVE_FIXTURE_H
#define TS_TESTS_DERIVATIVE_FIXTURE_H

#include "contact/block_set_internal.h"
#include "contact/derivative/derivative.h"
#include "tests/contact/contact_fixture.h"

#define ACCURACY 1e-7  // of a difference, relative to at least 1

static const ts_contact_derivative_tolerance zero = {1e-9, 1e-9, 1e-10, 0};

// What a block does, from numbers that are far from each other: 0 open or at a low bound, 1 holds, 2 slides or at a high
// bound.
static inline int mode_of(const ts_block* block, const double* lambda, const double* u) {
    if (block->set == TS_SET_FREE) return 1;
    if (block->set == TS_SET_BOX) return lambda[0] < block->low + 1e-8 ? 0 : lambda[0] > block->high - 1e-8 ? 2 : 1;
    if (block->set == TS_SET_HALF_LINE) return lambda[0] < 1e-8 ? 0 : 1;
    if (lambda[2] < 1e-8) return 0;
    return ts_block_set_tangent_length(u, block->rows) < 1e-8 ? 1 : 2;
}

#endif
