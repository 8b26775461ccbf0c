// Demands that contradict each other: see yield.c.
#ifndef TS_ENGINE_STEP_YIELD_INTERNAL_H
#define TS_ENGINE_STEP_YIELD_INTERNAL_H

#include "engine/rows/row_plan_internal.h"

#ifdef __cplusplus
extern "C" {
#endif

/// After a solve that did not converge and was judged: takes back the push-outs that no motion can meet together. Returns how
/// many blocks gave way, for a solve again; 0 when nothing is proven, -1 when memory is short. with_friction_too: also those that friction
/// jams.
int ts_step_yield(ts_sim* sim, int with_friction_too);

/// After a solve that was judged: how many times the energy that push-outs may take every motion has that does what they ask for; at most
/// 1 is as it should be. 0 where nothing is pushed out, or something gives; negative when memory is short (push_excess.c).
double ts_step_push_excess(ts_sim* sim);

/// Whether row r of a block, of which `speed` is asked, asks to be pushed out or pulled together.
int ts_step_row_asks(const ts_block* block, int r, double speed);

/// Excess beyond which contacts and limits give way.
enum { TS_ABSURD_EXCESS = 100 };

/// There: takes back the push-outs of contacts and limits that the last solve's impulses tell of. Returns as ts_step_yield.
int ts_step_yield_excess(ts_sim* sim);

/// Asks for all that is still asked for more slowly, by the root of `excess`, more than 1. Returns how many blocks more have
/// something left out, -1 when memory is short.
int ts_step_slow_down(ts_sim* sim, double excess);

/// While block b is assembled: takes back the push-out that gave way not long ago. `g` and `reference` are of its rows.
void ts_step_yield_again(const ts_sim* sim, const ts_row_plan* plan, int b, double* g, double* reference);

/// For how many steps a push-out stays away, and how many it stayed away the last time; nothing where there is no memory.
typedef struct ts_row_pause {
    int left, last;
} ts_row_pause;

/// What a block's memory says of that.
static inline ts_row_pause ts_step_pause_of(const ts_row_memory* memory) {
    ts_row_pause pause = {memory->pause, memory->last_pause};
    return pause;
}

/// For the memory of a block, by what its old memory said and ts_row_blocked: how long its push-out stays away.
void ts_step_yield_remember(ts_row_pause old, int blocked, ts_row_memory* out_memory);

#ifdef __cplusplus
}
#endif
#endif
