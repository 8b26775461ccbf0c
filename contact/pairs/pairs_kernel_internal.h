// The passes of pairs_kernel.c as they are compiled: for every machine, and for AVX2 where there is that. Not for use outside contact/pairs/ and
// its tests.
#ifndef TS_CONTACT_PAIRS_KERNEL_INTERNAL_H
#define TS_CONTACT_PAIRS_KERNEL_INTERNAL_H

#include "contact/pairs/pairs.h"

#ifdef __cplusplus
extern "C" {
#endif

/// The functions of that name in pairs_internal.h; what islands make of a judgement comes after.
void ts_pairs_weigh_plain(ts_pairs* pairs);
void ts_pairs_read_plain(ts_pairs* pairs, const double* velocity);
double ts_pairs_refer_plain(ts_pairs* pairs, int moves);
void ts_pairs_begin_plain(ts_pairs* pairs);
void ts_pairs_sweep_plain(ts_pairs* pairs);
void ts_pairs_judge_plain(ts_pairs* pairs, ts_residual* out_residual);

/// The same.
void ts_pairs_weigh_wide(ts_pairs* pairs);
void ts_pairs_read_wide(ts_pairs* pairs, const double* velocity);
double ts_pairs_refer_wide(ts_pairs* pairs, int moves);
void ts_pairs_begin_wide(ts_pairs* pairs);
void ts_pairs_sweep_wide(ts_pairs* pairs);
void ts_pairs_judge_wide(ts_pairs* pairs, ts_residual* out_residual);

#ifdef __cplusplus
}
#endif
#endif
