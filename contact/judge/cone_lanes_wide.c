// contact/judge/cone_lanes.c compiled for AVX2: the same sums in the same order, the same bits, fewer instructions.
#include "contact/operator/wide_internal.h"

#if TS_IS_WIDE
#include "contact/judge/cone_lanes.c"
#else
typedef int ts_cone_lanes_not_wide;
#endif
