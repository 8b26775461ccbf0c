// Variants of a contact problem: its friction, load, compliance, masses and contacts changed, one thing at a time.
#ifndef TS_BENCH_CONTACT_VARIANTS_H
#define TS_BENCH_CONTACT_VARIANTS_H

#include "contact/problem.h"

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { TS_CONTACT_VARIANTS = 24 };

/// The name of a variant, 0 <= variant < TS_CONTACT_VARIANTS: "friction x 0.1".
const char* ts_contact_variant_name(int variant);

/// Makes a variant with a block-sparse operator; what is random in it comes from `seed`. All memory from `arena`. Returns 0
/// when that is short, or when the operator cannot list its blocks. Most variants have solutions where the problem has;
/// strong friction and loads turned round need not leave any.
int ts_contact_variant_make(const ts_contact_problem* problem, int variant, uint64_t seed, ts_arena* arena,
                            ts_contact_problem* out_problem);

#ifdef __cplusplus
}
#endif
#endif
