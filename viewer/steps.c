// Problem: pictures, films and charts of the same request must be of the same steps. Rule: each simulation runs as in the headless runner, by itself, to
// the same time. Guaranteed: states are those of a run that nobody looks at. Known to fail: where time steps differ, times do by less than one.
#include "viewer/steps_internal.h"

#include "engine/step/step.h"
#include "scenes/run.h"

typedef struct observer {
    const ts_view_request* request;
    ts_steps_note note;
    void* user;
    int which;
} observer;

static int observe(void* user, ts_sim* sim) {
    const observer* o = user;
    if (o->note && o->note(o->user, o->which, sim)) return 1;
    return o->request->stop ? o->request->stop(o->request->user) : 0;
}

ts_code ts_steps_to_time(const ts_view_request* request, double time, ts_steps_note note, void* user,
                         ts_status* io_fault, ts_status* out_status) {
    ts_code code = TS_OK;
    for (int i = 0; i <= request->companion_count && !code; ++i) {
        ts_sim* sim = i ? request->companion[i - 1].sim : request->sim;
        const ts_loaded_scene* scene = i && request->companion_scene ? request->companion_scene[i - 1] : request->scene;
        observer own = {request, note, user, i};
        double left = time - sim->time;
        if (io_fault[i].code) continue;
        // Derived quantities of a state that nobody stepped yet are not there.
        if (left > 0.0)
            code = ts_run_scene(scene, sim, left, observe, &own, out_status);
        else if (sim->step_count == 0)
            code = ts_sim_forward(sim, out_status);
        // A step leaves bodies drawn where it began; a window shows where it ended, too.
        ts_sim_update_kinematics(sim);
        // Of several laws side by side one may blow up: that is a result, and its pane says so.
        int is_result = code && i > 0 && request->layout != TS_LAYOUT_SCENE && code != TS_ERROR_INTERRUPTED &&
                        code != TS_ERROR_MEMORY;
        if (!is_result) continue;
        io_fault[i] = *out_status;
        code = ts_status_ok(out_status);
    }
    return code;
}
