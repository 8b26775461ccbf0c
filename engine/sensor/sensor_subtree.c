// Sensors of all that hangs on a body, itself included: centre of mass, its velocity, angular momentum about it. World axes.
#include "engine/sensor/sensor_kind_internal.h"
#include "engine/sensor/sensor_motion_internal.h"

static int hangs_on(const ts_model* model, int body, int root) {
    while (body > root) body = model->body[body].parent;
    return body == root;
}

// Mass, centre and the velocity of that. What has no mass has its centre where its root is.
typedef struct whole {
    double mass;
    ts_vec3 centre;
    ts_vec3 velocity;
} whole;

static ts_vec3 centre_velocity(const ts_sim* sim, int b) {
    return ts_kinematics_point_velocity(sim->model, &sim->kinematics, b, sim->kinematics.body_centre[b]);
}

static whole whole_of(const ts_sim* sim, int root) {
    const ts_model* model = sim->model;
    whole sum = {0.0, ts_vec3_zero(), ts_vec3_zero()};
    for (int b = root; b < model->body_count; ++b) {
        if (!hangs_on(model, b, root)) continue;
        sum.mass += model->body[b].mass;
        sum.centre = ts_vec3_add_scaled(sum.centre, model->body[b].mass, sim->kinematics.body_centre[b]);
        sum.velocity = ts_vec3_add_scaled(sum.velocity, model->body[b].mass, centre_velocity(sim, b));
    }
    if (!(sum.mass > 0.0)) {
        sum.centre = sim->kinematics.body_centre[root];
        sum.velocity = ts_vec3_zero();
        return sum;
    }
    sum.centre = ts_vec3_scale(1.0 / sum.mass, sum.centre);
    sum.velocity = ts_vec3_scale(1.0 / sum.mass, sum.velocity);
    return sum;
}

static void measure_centre(ts_sim* sim, const ts_sensor* sensor, double* out_values) {
    ts_vec3_store(whole_of(sim, sensor->object[0].index).centre, out_values);
}

static void measure_velocity(ts_sim* sim, const ts_sensor* sensor, double* out_values) {
    ts_vec3_store(whole_of(sim, sensor->object[0].index).velocity, out_values);
}

static void measure_momentum(ts_sim* sim, const ts_sensor* sensor, double* out_values) {
    const ts_model* model = sim->model;
    int root = sensor->object[0].index;
    whole all = whole_of(sim, root);
    ts_vec3 momentum = ts_vec3_zero();
    for (int b = root; b < model->body_count; ++b) {
        if (!hangs_on(model, b, root)) continue;
        const ts_mat3* R = &sim->kinematics.body_pose[b].R;
        ts_vec3 turning = ts_mat3_mul_vec_transposed(R, ts_sensor_turning(sim, b));
        ts_vec3 spin = ts_mat3_mul_vec(R, ts_mat3_mul_vec(&model->body[b].inertia, turning));
        ts_vec3 arm = ts_vec3_sub(sim->kinematics.body_centre[b], all.centre);
        ts_vec3 along = ts_vec3_scale(model->body[b].mass, ts_vec3_sub(centre_velocity(sim, b), all.velocity));
        momentum = ts_vec3_add(momentum, ts_vec3_add(spin, ts_vec3_cross(arm, along)));
    }
    ts_vec3_store(momentum, out_values);
}

#define OF_SUBTREE .object = {TS_SENSOR_IS(SUBTREE)}

const ts_sensor_kind ts_sensor_subtreecom = {.name = "subtreecom",
                                             .summary = "centre of mass of what hangs on a body, m",
                                             .size = 3,
                                             OF_SUBTREE,
                                             .measure = measure_centre};

const ts_sensor_kind ts_sensor_subtreelinvel = {
    .name = "subtreelinvel", .summary = "velocity of that, m/s", .size = 3, OF_SUBTREE, .measure = measure_velocity};

const ts_sensor_kind ts_sensor_subtreeangmom = {.name = "subtreeangmom",
                                                .summary = "angular momentum about that, kg m^2/s",
                                                .size = 3,
                                                OF_SUBTREE,
                                                .measure = measure_momentum};
