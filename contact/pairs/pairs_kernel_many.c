// All passes over pairs (pairs_frame_internal.h) compiled for AVX-512: lanes as wide as AVX2's, in thirty-two registers in place of sixteen, the same bits.
// What three groups have on their way stays in registers more often.
#if TS_MANY && defined(__AVX512VL__)
#include "contact/pairs/pairs_judge.c"
#include "contact/pairs/pairs_seat.c"
#include "contact/pairs/pairs_substep.c"
#include "contact/pairs/pairs_sweep.c"
#else
typedef int ts_pairs_kernel_not_many;
#endif
