// The headless runner: steps a loaded scene to its end. One loop for command line, tests and benchmarks.
#ifndef TS_SCENES_RUN_H
#define TS_SCENES_RUN_H

#include "scenes/scene_table.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Called at the start (step 0) and after every step. Nonzero return stops the run with TS_ERROR_INTERRUPTED.
typedef int (*ts_run_observer)(void* user, ts_sim* sim);

/// One step as everybody makes it: the scene's controller first. Of a recording the next moment; TS_ERROR_VALUE at its end.
ts_code ts_scene_step(const ts_loaded_scene* scene, ts_sim* sim, ts_status* out_status);

/// Steps `sim` until its time reaches `duration` (rounded to whole steps), with the scene's controller.
/// A recording ends where it ends. `observer` may be NULL. Returns TS_OK, the step's error, or TS_ERROR_INTERRUPTED.
ts_code ts_run_scene(const ts_loaded_scene* scene, ts_sim* sim, double duration, ts_run_observer observer, void* user,
                     ts_status* out_status);

/// Whole steps that fill `duration`.
long long ts_run_steps(double duration, double time_step);

#ifdef __cplusplus
}
#endif
#endif
