// The headless loop: controller, step, observer, until the time is full.
#include "scenes/run.h"

#include "engine/step/step.h"

#include <math.h>

long long ts_run_steps(double duration, double time_step) {
    if (!(duration > 0.0) || !(time_step > 0.0)) return 0;
    double steps = duration / time_step;
    // 0.3 / 0.001 is 299.99999999999994 in doubles: an honest count rounds to the nearest whole step when it is that
    // near, and otherwise takes the step that reaches the end.
    double nearest = floor(steps + 0.5);
    double count = fabs(steps - nearest) <= 1e-6 * nearest ? nearest : ceil(steps);
    return count < 9e18 ? (long long)count : 9000000000000000000LL;
}

ts_code ts_run_scene(const ts_loaded_scene* scene, ts_sim* sim, double duration, ts_run_observer observer, void* user,
                     ts_status* out_status) {
    long long steps = ts_run_steps(duration, sim->options.time_step);
    if (observer && observer(user, sim))
        return ts_status_set(out_status, TS_ERROR_INTERRUPTED, NULL, 0, "stopped at t = %g s", sim->time);
    for (long long i = 0; i < steps; ++i) {
        ts_controller_act(&scene->control, sim);
        ts_code code = ts_sim_step(sim, out_status);
        if (code) return code;
        if (observer && observer(user, sim))
            return ts_status_set(out_status, TS_ERROR_INTERRUPTED, NULL, 0, "stopped at t = %g s", sim->time);
    }
    return ts_status_ok(out_status);
}
