// The force that drags the cube of the scene "dragged-cube": F(t) = min(2 * 0.9 * 9.81, 4 * 9.81 t) N along y on the centre
// of mass, t at the step's beginning. The ramp crosses the friction limit mu m g at t = mu / 4 and stops growing at twice
// that limit.
#include "scenes/controllers/controller.h"

static const char* fault(const ts_model* model) {
    return ts_model_find_body(model, "cube") < 0 ? "it has no body 'cube'" : NULL;
}

static void act(ts_sim* sim, const double* value) {
    (void)value;
    const double weight = 1.0 * 9.81;
    double ramp = 4.0 * weight * sim->time;
    double most = 2.0 * 0.9 * weight;
    sim->wrench_applied[ts_model_find_body(sim->model, "cube")].force =
        ts_vec3_make(0.0, ramp < most ? ramp : most, 0.0);
}

const ts_controller ts_controller_drag = {.name = "drag",
                                          .summary = "pulls a body 'cube' along y, harder and harder, until it slips",
                                          .fault = fault,
                                          .act = act};
