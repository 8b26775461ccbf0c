// Sensors of all that hangs on a body, itself included: centre of mass, its velocity, angular momentum about it. World axes.
#include "engine/sensor/sensor_kind_internal.h"
#include "engine/sensor/sensor_motion_internal.h"
#include "engine/sensor/sensor_slope_internal.h"

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

// Calls for each body with its share of all: adds to by_q and by_v (3 x nv) of the centre or its velocity.
static int add_centre(ts_sim* sim, int root, ts_arena* scratch, int of_velocity, double* by_q, double* by_v) {
    const ts_model* model = sim->model;
    whole all = whole_of(sim, root);
    for (int b = root; b < model->body_count; ++b) {
        ts_sensor_point p;
        double share = all.mass > 0.0 ? model->body[b].mass / all.mass : b == root && !of_velocity;
        if (!hangs_on(model, b, root) || share == 0.0) continue;
        ts_arena_scope scope = ts_arena_scope_begin(scratch);
        if (!ts_sensor_point_find(sim, b, sim->kinematics.body_centre[b], scratch, &p)) return 0;
        for (int i = 0; i < 3 * model->nv; ++i) by_q[i] += share * (of_velocity ? p.by_q : p.J)[i];
        for (int i = 0; i < 3 * model->nv && of_velocity; ++i) by_v[i] += share * p.J[i];
        ts_arena_scope_end(scratch, scope);
    }
    return 1;
}

static int slope_centre(ts_sim* sim, const ts_sensor* sensor, ts_arena* scratch, const ts_sensor_slope* by) {
    return add_centre(sim, sensor->object[0].index, scratch, 0, by->q, by->v);
}

static int slope_velocity(ts_sim* sim, const ts_sensor* sensor, ts_arena* scratch, const ts_sensor_slope* by) {
    return add_centre(sim, sensor->object[0].index, scratch, 1, by->q, by->v);
}

// Of all bodies sum of R I R^T w + (c - centre) x m (v - velocity): what the mean does cancels.
static int slope_momentum(ts_sim* sim, const ts_sensor* sensor, ts_arena* scratch, const ts_sensor_slope* by) {
    const ts_model* model = sim->model;
    int root = sensor->object[0].index, nv = model->nv;
    whole all = whole_of(sim, root);
    for (int b = root; b < model->body_count; ++b) {
        ts_sensor_point p;
        if (!hangs_on(model, b, root)) continue;
        ts_arena_scope scope = ts_arena_scope_begin(scratch);
        if (!ts_sensor_point_find(sim, b, sim->kinematics.body_centre[b], scratch, &p)) return 0;
        ts_mat3 I = ts_mat3_rotate_tensor(sim->kinematics.body_pose[b].R, model->body[b].inertia);
        ts_vec3 w = ts_sensor_turning(sim, b), spin = ts_mat3_mul_vec(&I, w);
        ts_vec3 arm = ts_vec3_sub(sim->kinematics.body_centre[b], all.centre);
        ts_vec3 along = ts_vec3_scale(model->body[b].mass, ts_vec3_sub(centre_velocity(sim, b), all.velocity));
        for (int d = 0; d < nv; ++d) {
            ts_vec3 turn = ts_sensor_column(p.J_w, nv, d), shift = ts_sensor_column(p.J, nv, d);
            ts_vec3 change = ts_vec3_sub(ts_sensor_column(p.w_by_q, nv, d), ts_vec3_cross(turn, w));
            change = ts_vec3_add(ts_mat3_mul_vec(&I, change), ts_vec3_cross(turn, spin));
            change = ts_vec3_add(change, ts_vec3_cross(shift, along));
            ts_vec3 faster = ts_vec3_scale(model->body[b].mass, ts_sensor_column(p.by_q, nv, d));
            change = ts_vec3_add(change, ts_vec3_cross(arm, faster));
            ts_sensor_set_column(by->q, nv, d, ts_vec3_add(ts_sensor_column(by->q, nv, d), change));
            change = ts_vec3_cross(arm, ts_vec3_scale(model->body[b].mass, shift));
            change = ts_vec3_add(change, ts_mat3_mul_vec(&I, turn));
            ts_sensor_set_column(by->v, nv, d, ts_vec3_add(ts_sensor_column(by->v, nv, d), change));
        }
        ts_arena_scope_end(scratch, scope);
    }
    return 1;
}

#define OF_SUBTREE .object = {TS_SENSOR_IS(SUBTREE)}

const ts_sensor_kind ts_sensor_subtreecom = {.name = "subtreecom",
                                             .summary = "centre of mass of what hangs on a body, m",
                                             .size = 3,
                                             OF_SUBTREE,
                                             .measure = measure_centre,
                                             .slope = slope_centre};

const ts_sensor_kind ts_sensor_subtreelinvel = {.name = "subtreelinvel",
                                                .summary = "velocity of that, m/s",
                                                .size = 3,
                                                OF_SUBTREE,
                                                .measure = measure_velocity,
                                                .slope = slope_velocity};

const ts_sensor_kind ts_sensor_subtreeangmom = {.name = "subtreeangmom",
                                                .summary = "angular momentum about that, kg m^2/s",
                                                .size = 3,
                                                OF_SUBTREE,
                                                .measure = measure_momentum,
                                                .slope = slope_momentum};
