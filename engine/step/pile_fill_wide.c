// engine/step/pile_fill.c compiled for AVX2: the same sums in the same order, the same bits, half the instructions.
#if TS_WIDE && defined(__AVX2__)
#include "engine/step/pile_fill.c"
#else
typedef int ts_pile_fill_not_wide;
#endif
