// contact/solvers/newton/small_central.c compiled for AVX2: the same bits, fewer instructions.
#include "contact/operator/wide_internal.h"

#if TS_IS_WIDE
#include "contact/solvers/newton/small_central.c"
#else
typedef int ts_small_central_not_wide;
#endif
