// Problem: see what a camera of the model sees, wherever its body is by now. Rule: one that is fixed goes with its body; one that tracks keeps its
// direction and its way from the body (or the centre of mass of all that hangs on it) as they are in the pose that the model is described in;
// one with a target stands where it is fixed and looks there, its picture's sides level. Source: the meaning that MJCF gives to the modes.
// Guaranteed: right, up and backwards are orthonormal. Known to fail: a target straight above or below leaves the sides as they are.
#include "viewer/model_camera_internal.h"

// Where a body is in the pose that the model is described in: no joint has moved there.
static ts_pose pose_at_rest(const ts_model* model, int body) {
    ts_pose pose = ts_pose_identity();
    for (int b = body; b > 0; b = model->body[b].parent) pose = ts_pose_mul(model->body[b].pose, pose);
    return pose;
}

static int hangs_on(const ts_model* model, int body, int root) {
    while (body > root) body = model->body[body].parent;
    return body == root;
}

// The centre of mass of a body and all that hangs on it, at rest or now; of nothing heavy the body's own place.
static ts_vec3 centre_of(const ts_sim* sim, int root, int at_rest) {
    const ts_model* model = sim->model;
    ts_vec3 sum = ts_vec3_zero();
    double mass = 0.0;
    for (int b = root; b < model->body_count; ++b) {
        const ts_body* body = &model->body[b];
        if (!(body->mass > 0.0) || !hangs_on(model, b, root)) continue;
        ts_vec3 centre = at_rest ? ts_pose_apply(pose_at_rest(model, b), body->centre) : sim->kinematics.body_centre[b];
        sum = ts_vec3_add_scaled(sum, body->mass, centre);
        mass += body->mass;
    }
    if (mass > 0.0) return ts_vec3_scale(1.0 / mass, sum);
    return at_rest ? pose_at_rest(model, root).position : sim->kinematics.body_pose[root].p;
}

static void track(const ts_sim* sim, const ts_model_camera* is, ts_vec3* out_eye, ts_mat3* out_axes) {
    ts_pose rest = ts_pose_mul(pose_at_rest(sim->model, is->body), is->pose);
    int by_centre = is->mode == TS_MODEL_CAMERA_TRACK_CENTRE;
    ts_vec3 from = by_centre ? centre_of(sim, is->body, 1) : pose_at_rest(sim->model, is->body).position;
    ts_vec3 to = by_centre ? centre_of(sim, is->body, 0) : sim->kinematics.body_pose[is->body].p;
    *out_axes = ts_quat_to_mat3(rest.rotation);
    *out_eye = ts_vec3_add(to, ts_vec3_sub(rest.position, from));
}

static void look_at(const ts_sim* sim, const ts_model_camera* is, ts_vec3 eye, ts_mat3* axes) {
    ts_vec3 there = is->mode == TS_MODEL_CAMERA_TARGET_CENTRE ? centre_of(sim, is->target, 0)
                                                              : sim->kinematics.body_pose[is->target].p;
    ts_vec3 back = ts_vec3_unit_or(ts_vec3_sub(eye, there), ts_mat3_column(axes, 2));
    ts_vec3 right =
        ts_vec3_unit_or(ts_vec3_cross(ts_vec3_axis(2), back),
                        ts_vec3_unit_or(ts_vec3_cross(ts_mat3_column(axes, 1), back), ts_mat3_column(axes, 0)));
    *axes = ts_mat3_from_columns(right, ts_vec3_cross(back, right), back);
}

void ts_model_camera_look(const ts_sim* sim, int index, ts_camera* camera) {
    const ts_model_camera* is = &sim->model->camera[index];
    ts_transform local = ts_transform_from_pose(is->pose);
    ts_transform placed = ts_transform_mul(&sim->kinematics.body_pose[is->body], &local);
    ts_vec3 eye = placed.p;
    ts_mat3 axes = placed.R;
    if (is->mode == TS_MODEL_CAMERA_TRACK || is->mode == TS_MODEL_CAMERA_TRACK_CENTRE) track(sim, is, &eye, &axes);
    if (is->target >= 0) look_at(sim, is, eye, &axes);
    camera->field_of_view = is->field_of_view;
    ts_camera_place(camera, eye, &axes);
}
