// engine/dynamics/inverse_derivative_walk.c compiled for AVX2: the same sums in the same order, the same bits, fewer instructions.
#if TS_WIDE && defined(__AVX2__)
#include "engine/dynamics/inverse_derivative_walk.c"
#else
typedef int ts_inverse_derivative_walk_not_wide;
#endif
