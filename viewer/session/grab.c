// Problem: pull at a body with the mouse, whether it weighs a gram or is the hand of a robot. Rule: a spring and a damper as stiff as makes
// the point follow with a chosen rate w, critically damped: F = m (w^2 (e - h v) - 2 w v) / (1 + 2 h w + h^2 w^2), e the way left, v
// the point's speed and m its effective mass, 3 / trace (J M^-1 J^T); the denominator is what taking both at the step's end
// gives. Guaranteed: a free point comes to rest at the target, without overshoot, for any step and rate (of more than 1 / 2 h
// it is softer than asked). Known to fail: a point is not
// equally heavy in all directions, so along the light ones it is damped more.
#include "viewer/session/grab_internal.h"

#include "engine/dynamics/crba.h"
#include "engine/dynamics/jacobian.h"
#include "engine/dynamics/tree_factor.h"

#include <string.h>

ts_grab_load ts_grab_weigh(const ts_sim* sim, const ts_grab* grab, ts_arena* arena) {
    ts_grab_load load = {0.0, 0.0};
    const ts_model* model = sim->model;
    int tree = model->body[grab->body].tree;
    if (tree < 0) return load;
    int n = model->tree[tree].dof_count, first = model->tree[tree].dof_first, nv = model->nv;
    ts_tree_scratch scratch;
    double* J = TS_ARENA_ARRAY(arena, double, 6 * (size_t)nv);
    double* X = TS_ARENA_ARRAY(arena, double, 12 * (size_t)n);
    double* M = TS_ARENA_ARRAY(arena, double, 2 * (size_t)n * (size_t)n);
    double* inverse = TS_ARENA_ARRAY(arena, double, n);
    if (!J || !X || !M || !inverse || !ts_tree_scratch_create(model, arena, &scratch)) return load;
    double* L = M + (size_t)n * (size_t)n;
    ts_vec3 point = ts_transform_point(&sim->kinematics.body_pose[grab->body], grab->local);
    ts_jacobian_point(model, &sim->kinematics, grab->body, point, J, J + 3 * (size_t)nv);
    ts_crba_tree(model, &sim->kinematics, tree, &scratch, M);
    memset(L, 0, (size_t)n * (size_t)n * sizeof *L);
    if (!ts_tree_factor_make(model, tree, M, L, inverse)) return load;
    double* Y = X + 6 * (size_t)n;
    for (int r = 0; r < 6; ++r) {
        memcpy(X + (size_t)r * n, J + (size_t)r * nv + first, (size_t)n * sizeof *X);
        memcpy(Y + (size_t)r * n, X + (size_t)r * n, (size_t)n * sizeof *X);
    }
    ts_tree_factor_solve(model, tree, L, inverse, 6, Y);
    double trace[2] = {0.0, 0.0};
    for (int r = 0; r < 6; ++r)
        for (int k = 0; k < n; ++k) trace[r / 3] += X[(size_t)r * n + k] * Y[(size_t)r * n + k];
    if (trace[0] > 0.0) load.mass = 3.0 / trace[0];
    if (trace[1] > 0.0) load.inertia = 3.0 / trace[1];
    return load;
}

// What a critically damped spring of that rate does to a unit of mass, at the end of a step of h.
static ts_vec3 spring(ts_vec3 left, ts_vec3 speed, double rate, double h) {
    // Integrators that move with the mean of two velocities follow no faster.
    if (h * rate > 0.5) rate = 0.5 / h;
    double damped = 1.0 / (1.0 + 2.0 * h * rate + h * h * rate * rate);
    ts_vec3 pull = ts_vec3_scale(rate * rate, ts_vec3_add_scaled(left, -h, speed));
    return ts_vec3_scale(damped, ts_vec3_add_scaled(pull, -2.0 * rate, speed));
}

ts_push ts_grab_push(const ts_sim* sim, const ts_grab* grab, const ts_grab_load* load) {
    ts_push push = {-1, {{0.0, 0.0, 0.0}, {0.0, 0.0, 0.0}}};
    if (grab->kind == TS_GRAB_NONE) return push;
    const ts_transform* pose = &sim->kinematics.body_pose[grab->body];
    double h = sim->options.time_step;
    push.body = grab->body;
    if (grab->kind == TS_GRAB_MOVE) {
        ts_vec3 point = ts_transform_point(pose, grab->local);
        ts_vec3 speed = ts_kinematics_point_velocity(sim->model, &sim->kinematics, grab->body, point);
        ts_vec3 pull = spring(ts_vec3_sub(grab->target, point), speed, grab->rate, h);
        push.wrench.force = ts_vec3_scale(load->mass, pull);
        ts_vec3 arm = ts_vec3_sub(point, sim->kinematics.body_centre[grab->body]);
        push.wrench.couple = ts_vec3_cross(arm, push.wrench.force);
    } else {
        ts_quat now = ts_quat_from_mat3(&pose->R);
        ts_vec3 left = ts_quat_to_rotation_vector(ts_quat_mul(grab->rotation, ts_quat_conjugate(now)));
        ts_vec3 speed = ts_sim_body_velocity(sim, grab->body).angular;
        push.wrench.couple = ts_vec3_scale(load->inertia, spring(left, speed, grab->rate, h));
    }
    return push;
}

int ts_grab_place(ts_sim* sim, const ts_grab* grab) {
    const ts_model* model = sim->model;
    const ts_body* body = &model->body[grab->body];
    const ts_transform* pose = &sim->kinematics.body_pose[grab->body];
    double* place = NULL;  // position and quaternion of what moves as a whole
    ts_pose root;
    if (body->tree >= 0) {
        const ts_body* first = &model->body[model->tree[body->tree].root];
        const ts_joint* joint = &model->joint[first->joint_first];
        if (first->joint_count == 1 && joint->type == TS_JOINT_FREE) place = sim->qpos + joint->qpos_first;
    } else if (body->mocap >= 0) {
        place = sim->mocap + 7 * (size_t)body->mocap;
    }
    if (!place) return 0;
    root.position = ts_vec3_load(place);
    root.rotation = ts_quat_normalize(ts_quat_load(place + 3));
    if (grab->kind == TS_GRAB_MOVE) {
        ts_vec3 point = ts_transform_point(pose, grab->local);
        root.position = ts_vec3_add(root.position, ts_vec3_sub(grab->target, point));
    } else if (grab->kind == TS_GRAB_TURN) {
        // About the body's own origin, the rest of the tree following.
        ts_quat turn = ts_quat_mul(grab->rotation, ts_quat_conjugate(ts_quat_from_mat3(&pose->R)));
        ts_vec3 arm = ts_vec3_sub(root.position, pose->p);
        root.position = ts_vec3_add(pose->p, ts_quat_rotate(turn, arm));
        root.rotation = ts_quat_normalize(ts_quat_mul(turn, root.rotation));
    }
    ts_vec3_store(root.position, place);
    ts_quat_store(root.rotation, place + 3);
    return 1;
}
