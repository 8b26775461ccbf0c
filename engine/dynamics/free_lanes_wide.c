// engine/dynamics/free_lanes.c compiled for AVX2: the same sums in the same order, the same bits, half the instructions.
#if TS_WIDE && defined(__AVX2__)
#include "engine/dynamics/free_lanes.c"
#else
typedef int ts_free_lanes_not_wide;
#endif
