// All passes over pairs (pairs_frame_internal.h) compiled for AVX2: the same sums in the same order, the same bits, half the instructions.
#if TS_WIDE && defined(__AVX2__)
#include "contact/pairs/pairs_judge.c"
#include "contact/pairs/pairs_seat.c"
#include "contact/pairs/pairs_substep.c"
#include "contact/pairs/pairs_sweep.c"
#else
typedef int ts_pairs_kernel_not_wide;
#endif
