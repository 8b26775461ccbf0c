// base/linear/tiles.c compiled for AVX2: the same sums in the same order, the same bits, half the instructions. Who is compiled so, too, calls
// these.
#if TS_WIDE && defined(__AVX2__)
#include "base/linear/tiles.c"
#else
typedef int ts_tiles_not_wide;
#endif
