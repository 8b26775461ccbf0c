// Four doubles as one vector of the compiler, for kernels that keep tiles of sums in registers. Not for use outside base/linear/.
#ifndef TS_BASE_QUAD_INTERNAL_H
#define TS_BASE_QUAD_INTERNAL_H

#include <string.h>

#if defined(__GNUC__)

/// The vector.
typedef double ts_quad __attribute__((vector_size(32)));

// Vectors this wide are no arguments of functions: their calling convention depends on the target.

/// v = the four numbers at source.
#define TS_QUAD_LOAD(v, source) memcpy(&(v), (source), sizeof(v))

/// Takes sum from the four numbers at target.
#define TS_QUAD_SUBTRACT(target, sum)     \
    do {                                  \
        ts_quad c_;                       \
        memcpy(&c_, (target), sizeof c_); \
        c_ -= (sum);                      \
        memcpy((target), &c_, sizeof c_); \
    } while (0)

#endif

#endif
