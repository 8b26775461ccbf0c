// contact/solvers/newton/small_newton.c compiled for AVX2: the same sums in the same order, the same bits, fewer instructions.
#include "contact/operator/wide_internal.h"

#if TS_IS_WIDE
#include "contact/solvers/newton/small_newton.c"
#else
typedef int ts_small_newton_not_wide;
#endif
