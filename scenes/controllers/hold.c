// Holds the controls that a keyframe says: of the keyframe that the run started from, else of "home", else of the first. What a
// robot's own servos make of them keeps it in that pose.
#include "scenes/controllers/controller.h"

#include <string.h>

static const char* fault(const ts_model* model) {
    if (model->actuator_count == 0) return "it has no actuators";
    return model->keyframe_count == 0 ? "it has no keyframe" : NULL;
}

static void act(ts_sim* sim, const double* value) {
    (void)value;
    const ts_model* model = sim->model;
    int home = ts_model_find_keyframe(model, "home");
    int key = sim->start_keyframe >= 0 ? sim->start_keyframe : home >= 0 ? home : 0;
    memcpy(sim->ctrl, model->keyframe[key].ctrl, (size_t)model->actuator_count * sizeof(double));
}

const ts_controller ts_controller_hold = {
    .name = "hold", .summary = "the controls of the keyframe that the run starts from", .fault = fault, .act = act};
