// The headless loop: controller, step, observer, until the time is full.
#include "scenes/run.h"

#include "engine/step/step.h"

#include <math.h>

long long ts_run_steps(double duration, double time_step) {
    if (!(duration > 0.0) || !(time_step > 0.0)) return 0;
    double steps = duration / time_step;
    // 0.3 / 0.001 is 299.99999999999994 in doubles: an honest count rounds to the nearest whole step when it is that
    // near, and otherwise takes the step that reaches the end. What rounding leaves of a time that is reached is no step.
    double nearest = floor(steps + 0.5);
    double count = fabs(steps - nearest) <= 1e-6 * fmax(1.0, nearest) ? nearest : ceil(steps);
    return count < 9e18 ? (long long)count : 9000000000000000000LL;
}

ts_code ts_scene_step(const ts_loaded_scene* scene, ts_sim* sim, ts_status* out_status) {
    if (scene->recording) {
        long long row = ts_recording_after(scene->recording, sim->step_count);
        if (row >= 0) return ts_recording_take(scene->recording, row, sim, out_status);
        return ts_status_set(out_status, TS_ERROR_VALUE, NULL, 0, "the recording ends at t = %g s", sim->time);
    }
    ts_controller_act(&scene->control, sim);
    return ts_sim_step(sim, out_status);
}

static ts_code stopped(const ts_sim* sim, ts_status* out_status) {
    return ts_status_set(out_status, TS_ERROR_INTERRUPTED, NULL, 0, "stopped at t = %g s", sim->time);
}

// Moments need not be a step apart: what counts is the time that is reached.
static ts_code run_recording(const ts_loaded_scene* scene, ts_sim* sim, double duration, ts_run_observer observer,
                             void* user, ts_status* out_status) {
    double end = sim->time + duration - 1e-6 * sim->options.time_step;
    while (sim->time < end && ts_recording_after(scene->recording, sim->step_count) >= 0) {
        ts_code code = ts_scene_step(scene, sim, out_status);
        if (code) return code;
        if (observer && observer(user, sim)) return stopped(sim, out_status);
    }
    return ts_status_ok(out_status);
}

ts_code ts_run_scene(const ts_loaded_scene* scene, ts_sim* sim, double duration, ts_run_observer observer, void* user,
                     ts_status* out_status) {
    long long steps = ts_run_steps(duration, sim->options.time_step);
    if (observer && observer(user, sim)) return stopped(sim, out_status);
    if (scene->recording) return run_recording(scene, sim, duration, observer, user, out_status);
    for (long long i = 0; i < steps; ++i) {
        ts_code code = ts_scene_step(scene, sim, out_status);
        if (code) return code;
        if (observer && observer(user, sim)) return stopped(sim, out_status);
    }
    return ts_status_ok(out_status);
}
