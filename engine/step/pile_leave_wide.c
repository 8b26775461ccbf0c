// engine/step/pile_leave.c compiled for AVX2: the same sums in the same order, the same bits, fewer instructions.
#if TS_WIDE && defined(__AVX2__)
#include "engine/step/pile_leave.c"
#else
typedef int ts_pile_leave_not_wide;
#endif
