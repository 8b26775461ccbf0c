// contact/operator/tiles.c compiled for AVX2: the same sums in the same order, the same bits, half the instructions. Who is compiled so,
// too, calls these (contact/operator/wide_internal.h).
#include "contact/operator/wide_internal.h"

#if TS_IS_WIDE
#include "contact/operator/tiles.c"
#else
typedef int ts_tiles_not_wide;
#endif
