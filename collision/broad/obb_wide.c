// collision/broad/obb.c compiled for AVX2: the same sums in the same order, the same bits, fewer instructions.
#if TS_WIDE && defined(__AVX2__)
#include "collision/broad/obb.c"
#else
typedef int ts_obb_not_wide;
#endif
