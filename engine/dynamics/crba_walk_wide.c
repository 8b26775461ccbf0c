// engine/dynamics/crba_walk.c compiled for AVX2: the same sums in the same order, the same bits, fewer instructions.
#if TS_WIDE && defined(__AVX2__)
#include "engine/dynamics/crba_walk.c"
#else
typedef int ts_crba_walk_not_wide;
#endif
