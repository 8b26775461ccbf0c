// engine/dynamics/tree_factor_lanes.c compiled for AVX2: the same sums in the same order, the same bits, fewer instructions.
#if TS_WIDE && defined(__AVX2__)
#include "engine/dynamics/tree_factor_lanes.c"
#else
typedef int ts_tree_factor_lanes_not_wide;
#endif
