// The central path of a small problem, step by step (small_central.c).
#ifndef TS_CONTACT_SMALL_CENTRAL_INTERNAL_H
#define TS_CONTACT_SMALL_CENTRAL_INTERNAL_H

#include "base/arena.h"
#include "contact/operator/wide_internal.h"

#if TS_IS_WIDE
#define ts_small_central_begin ts_small_central_begin_wide
#define ts_small_central_step ts_small_central_step_wide
#define ts_small_central_settle ts_small_central_settle_wide
#endif

struct small;
typedef struct ts_small_central ts_small_central;

/// Which of two ways: Newton's on de Saxce's shift, or with the shift as it was.
typedef enum ts_small_way { TS_SMALL_TILTED, TS_SMALL_LAGGED, TS_SMALL_WAYS } ts_small_way;

/// Begins at the centre: q's x is strictly inside its sets, u its velocity. NULL when memory is short.
ts_small_central* ts_small_central_begin(struct small* q, ts_small_way way, ts_arena* scratch);

/// One step: q's x and u are nearer to the answer, x still strictly inside. Returns 0 where there is none, or where steps
/// have become too short to lead anywhere.
int ts_small_central_step(ts_small_central* central);

/// Puts the friction of what slides on its bound, in q's x; u is no longer x's.
void ts_small_central_settle(const ts_small_central* central);

#endif
