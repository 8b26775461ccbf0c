// What pulls contacts together, and how it answers to positions. See step_pull.c.
#ifndef TS_ENGINE_STEP_PULL_INTERNAL_H
#define TS_ENGINE_STEP_PULL_INTERNAL_H

#include "engine/derivative/step_implicit_internal.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Whether drive i is an actuator that pulls a body at whatever it touches.
int ts_step_drive_is_suction(const ts_sim* sim, int drive);

/// Fills p->pull and p->contact_pull where anything pulls. Returns 0 when memory is short.
int ts_step_pulls_find(const ts_step_task* task, ts_step_implicit* p);

/// What a held force that turns with positions does to tree t, whose by_q is there: `turned` (count x count) is df/dq over slope->dof, which has all dofs of the tree. What goes by
/// dofs of other trees is added to `cross` (count x count; NULL: there is nothing).
void ts_step_pull_add(const ts_step_implicit* p, int t, const ts_step_block_slope* slope, const double* turned,
                      double* cross);

#ifdef __cplusplus
}
#endif
#endif
