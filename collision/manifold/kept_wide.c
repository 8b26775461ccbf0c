// collision/manifold/kept.c compiled for AVX2: the same sums in the same order, the same bits, fewer instructions.
#if TS_WIDE && defined(__AVX2__)
#include "collision/manifold/kept.c"
#else
typedef int ts_manifold_kept_not_wide;
#endif
