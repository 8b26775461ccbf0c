// contact/operator/linear_bodies.c compiled for AVX2: the same sums in the same order, the same bits, fewer instructions.
#include "contact/operator/wide_internal.h"

#if TS_IS_WIDE
#include "contact/operator/linear_bodies.c"
#else
typedef int ts_linear_bodies_not_wide;
#endif
