// engine/rows/contact_memory.c compiled for AVX2: the same sums in the same order, the same bits, half the instructions.
#if TS_WIDE && defined(__AVX2__)
#include "engine/rows/contact_memory.c"
#else
typedef int ts_contact_memory_not_wide;
#endif
