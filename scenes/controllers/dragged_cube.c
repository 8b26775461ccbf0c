// The force that drags the cube of the scene "dragged-cube": F(t) = min(2 * 0.9 * 9.81, 4 * 9.81 t) N along y on the centre
// of mass, t at the step's beginning. The ramp crosses the friction limit mu m g at t = mu / 4 and stops growing at twice
// that limit.
#include "scenes/scene_table.h"

void ts_dragged_cube_control(ts_sim* sim) {
    int cube = ts_model_find_body(sim->model, "cube");
    if (cube < 0) return;
    const double weight = 1.0 * 9.81;
    double ramp = 4.0 * weight * sim->time;
    double most = 2.0 * 0.9 * weight;
    sim->wrench_applied[cube].force = ts_vec3_make(0.0, ramp < most ? ramp : most, 0.0);
}
