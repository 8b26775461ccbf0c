// What slopes of sensors are made of.
#include "engine/sensor/sensor_slope_internal.h"

#include "engine/dynamics/derivative.h"
#include "engine/dynamics/jacobian.h"

int ts_sensor_point_find(const ts_sim* sim, int body, ts_vec3 point, ts_arena* arena, ts_sensor_point* out) {
    size_t size = 3 * (size_t)sim->model->nv;
    double* all = (double*)ts_arena_alloc_zeroed(arena, 4 * size, sizeof(double));
    if (!all) return 0;
    *out = (ts_sensor_point){all, all + size, all + 2 * size, all + 3 * size};
    if (body < 0) return 1;
    ts_jacobian_point(sim->model, &sim->kinematics, body, point, out->J, out->J_w);
    ts_derivative_velocity(sim->model, &sim->kinematics, body, point, out->by_q, out->w_by_q);
    return 1;
}
