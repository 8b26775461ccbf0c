// contact/pairs/pairs_kernel.c compiled for AVX2: the same sums in the same order, the same bits, half the instructions.
#if TS_WIDE && defined(__AVX2__)
#include "contact/pairs/pairs_kernel.c"
#else
typedef int ts_pairs_kernel_not_wide;
#endif
