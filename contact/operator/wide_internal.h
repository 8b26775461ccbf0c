// Kernels that are compiled twice: for every machine, and in files whose names end in _wide for AVX2, where a function of the first
// kind asks which one this machine can run. Names differ by the ending. Numbers do not: lanes are four wide in both (base/linear/four.h), and
// nothing is fused.
#ifndef TS_CONTACT_WIDE_INTERNAL_H
#define TS_CONTACT_WIDE_INTERNAL_H

#if TS_WIDE && defined(__AVX2__)
#define TS_IS_WIDE 1
#else
#define TS_IS_WIDE 0
#endif

#endif
