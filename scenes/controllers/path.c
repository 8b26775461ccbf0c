// A path in the space of controls: through the model's keyframes, in their order.
//
// Rule: between two keyframes u = u_0 + s(t / T) (u_1 - u_0), s(x) = x^2 (3 - 2 x), which begins and ends at rest. Behind the last one the
// controls stay, or the way goes back to the first.
#include "scenes/controllers/controller.h"

#include <math.h>

enum { STAGE, REPEAT };

static const char* fault(const ts_model* model) {
    if (model->actuator_count == 0) return "it has no actuators";
    return model->keyframe_count < 2 ? "it needs two keyframes to go between" : NULL;
}

static void act(ts_sim* sim, const double* value) {
    const ts_model* model = sim->model;
    int count = model->keyframe_count;
    double at = fmax(sim->time, 0.0) / value[STAGE];
    if (value[REPEAT] != 0.0) at = fmod(at, (double)count);
    int from = at < (double)count ? (int)at : count - 1;
    int to = from + 1 < count ? from + 1 : value[REPEAT] != 0.0 ? 0 : from;
    double x = fmin(at - (double)from, 1.0), share = x * x * (3.0 - 2.0 * x);
    for (int i = 0; i < model->actuator_count; ++i) {
        double u = model->keyframe[from].ctrl[i];
        sim->ctrl[i] = u + share * (model->keyframe[to].ctrl[i] - u);
    }
}

static const ts_controller_setting settings[] = {
    {"stage", "time from a keyframe to the next, s", 1.0, 1e-3, 1e6},
    {"repeat", "1: from the last one back to the first, and again; 0: stay", 0.0, 0.0, 1.0},
};

const ts_controller ts_controller_path = {.name = "path",
                                          .summary = "the controls of the model's keyframes, one after the other",
                                          .setting = settings,
                                          .setting_count = (int)(sizeof settings / sizeof settings[0]),
                                          .fault = fault,
                                          .act = act};
