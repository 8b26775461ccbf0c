// Simulations of a request, stepped to a time as nobody who looks at them would notice.
#ifndef TS_VIEWER_STEPS_INTERNAL_H
#define TS_VIEWER_STEPS_INTERNAL_H

#include "viewer/viewer.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Told of simulation `which` (0: the request's own, then its companions) as it is at first and after every step. Nonzero stops.
typedef int (*ts_steps_note)(void* user, int which, ts_sim* sim);

/// Steps all simulations of a request to `time`, s, one after the other, as the headless runner does; the request's `stop` is asked on the way. One that
/// stands there already gets what follows from its state. A companion in a pane or over the first that fails stops: io_fault[i] says why, and it
/// is skipped from then on; io_fault has TS_VIEW_LAYERS places, zero-initialised at first.
ts_code ts_steps_to_time(const ts_view_request* request, double time, ts_steps_note note, void* user,
                         ts_status* io_fault, ts_status* out_status);

#ifdef __cplusplus
}
#endif
#endif
