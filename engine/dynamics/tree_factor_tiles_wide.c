// engine/dynamics/tree_factor_tiles.c compiled for AVX2: the same sums in the same order, the same bits, fewer instructions.
#if TS_WIDE && defined(__AVX2__)
#include "engine/dynamics/tree_factor_tiles.c"
#else
typedef int ts_tree_factor_tiles_not_wide;
#endif
