// What a solver softens by a rule of its own that goes with G, and how that answers to G. See step_softening.c.
#ifndef TS_ENGINE_STEP_SOFTENING_INTERNAL_H
#define TS_ENGINE_STEP_SOFTENING_INTERNAL_H

#include "engine/derivative/step_implicit_internal.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Of a block: dR_r = rate_r times the sum over k of d(j_k M^-1 j_k^T), j_k the combination along[k] of its rows.
typedef struct ts_step_softening {
    int count;  // 0: the solver leaves R as it is
    double along[TS_BLOCK_ROWS_MAX][TS_BLOCK_ROWS_MAX];
    double rate[TS_BLOCK_ROWS_MAX];  // 0: R of that row is the problem's own
} ts_step_softening;

/// That of block b. Returns 0 where it is not known here.
int ts_step_softening_find(const ts_sim* sim, const ts_step_implicit* p, int b, ts_step_softening* out);

/// Adds it to the slopes of a block of one row whose J is constant; they become those of whole trees. Returns 0 when memory is short, or where J is not constant.
int ts_step_softening_add(const ts_step_task* task, ts_step_implicit* p, int b, const ts_step_softening* softening);

#ifdef __cplusplus
}
#endif
#endif
