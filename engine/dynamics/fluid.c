// Forces of a surrounding medium of density rho and viscosity beta, after MuJoCo.
//
// Problem: swimmers, wings and falling leaves need forces of the air without a simulation of the air.
// Rule: every shape (engine/model/builder_fluid.c) has a force at its centre and a couple from its velocity less the wind's and its spin
// (fluid_shape.c).
// What slows down is taken ahead by integrators that take rates of servos ahead: with B = -df/dv of viscosity and drag (areas held),
// h J^T B J stands in the mass matrix, which is symmetric and never negative; so no viscosity bounds the step. Of boxes B is the whole derivative, as
// under MuJoCo's implicit; of ellipsoids MuJoCo's holds lift and added mass, too. A lone free body whose velocity the integrator finds itself has
// a force that comes to the same.
// Source: MuJoCo's documentation, chapter Fluid forces.
// Known failure: what lifts is explicit and can blow up for light wings at large steps.
#include "engine/dynamics/fluid_internal.h"

#include <math.h>
#include <string.h>

#include "base/linear/dense.h"
#include "base/scalar.h"
#include "engine/sim_internal.h"
#include "engine/step/integrate/integrator.h"

// A shape in the world, and what the medium does to it there, about its centre.
typedef struct pressed {
    ts_vec3 centre;
    ts_vec3 force, couple;
    ts_mat3 drag, turn_drag;
} pressed;

static pressed press(const ts_sim* sim, int body, const ts_fluid_shape* shape) {
    const ts_kinematics* k = &sim->kinematics;
    ts_mat3 R = ts_quat_to_mat3(shape->pose.rotation);
    R = ts_mat3_mul(k->body_pose[body].R, R);
    pressed out = {.centre = ts_transform_point(&k->body_pose[body], shape->pose.position)};
    ts_vec3 v = ts_kinematics_point_velocity(sim->model, k, body, out.centre);
    ts_vec3 along = ts_mat3_mul_vec_transposed(&R, ts_vec3_sub(v, sim->options.wind));
    ts_vec3 about = ts_mat3_mul_vec_transposed(&R, k->body_velocity[body].angular);
    ts_fluid_pressure local = ts_fluid_press(&sim->options, shape, along, about);
    out.force = ts_mat3_mul_vec(&R, local.force);
    out.couple = ts_mat3_mul_vec(&R, local.couple);
    out.drag = ts_mat3_rotate_tensor(R, local.drag);
    out.turn_drag = ts_mat3_rotate_tensor(R, local.turn_drag);
    return out;
}

// Force and couple on a body along the degrees of freedom that move it.
static void pull(ts_sim* sim, int body, ts_vec3 at, ts_vec3 force, ts_vec3 couple) {
    const ts_model* model = sim->model;
    const ts_kinematics* k = &sim->kinematics;
    ts_vec3 lever = ts_vec3_sub(at, ts_kinematics_origin(model, k, model->body[body].tree));
    ts_force wrench = {.couple = ts_vec3_add(couple, ts_vec3_cross(lever, force)), .force = force};
    for (int d = model->body[body].dof_last; d >= 0; d = model->dof[d].parent)
        sim->force_fluid[d] += ts_motion_dot_force(ts_kinematics_axis(sim->model, k, d), wrench);
}

// M += h J^T B J of a shape on a body.
static void take_ahead(const ts_sim* sim, int body, const pressed* shape, double* M) {
    const ts_model* model = sim->model;
    const ts_kinematics* k = &sim->kinematics;
    const ts_kinematic_tree* tree = &model->tree[model->body[body].tree];
    ts_vec3 lever = ts_vec3_sub(shape->centre, ts_kinematics_origin(model, k, model->body[body].tree));
    for (int i = model->body[body].dof_last; i >= 0; i = model->dof[i].parent) {
        ts_vec3 force = ts_mat3_mul_vec(&shape->drag, ts_motion_at(ts_kinematics_axis(sim->model, k, i), lever));
        ts_vec3 couple = ts_mat3_mul_vec(&shape->turn_drag, ts_kinematics_axis(sim->model, k, i).angular);
        double* row = M + (size_t)(i - tree->dof_first) * (size_t)tree->dof_count;
        for (int j = i; j >= 0; j = model->dof[j].parent) {
            double value = sim->options.time_step *
                           (ts_vec3_dot(ts_motion_at(ts_kinematics_axis(sim->model, k, j), lever), force) +
                            ts_vec3_dot(ts_kinematics_axis(sim->model, k, j).angular, couple));
            row[j - tree->dof_first] += value;
            if (j != i)
                M[(size_t)(j - tree->dof_first) * (size_t)tree->dof_count + (size_t)(i - tree->dof_first)] += value;
        }
    }
}

// B of a shape about the centre of its body, offset by r, added to a 6x6 matrix: velocity first, then spin.
static void add_about_centre(const pressed* shape, ts_vec3 r, double scale, double A[36]) {
    ts_mat3 skew = ts_mat3_skew(r), lever = ts_mat3_mul(shape->drag, skew);  // v(p) = v - [r] w
    ts_mat3 down = ts_mat3_mul(skew, lever);
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j) {
            A[6 * i + j] += scale * shape->drag.m[i][j];
            A[6 * i + j + 3] -= scale * lever.m[i][j];
            A[6 * (j + 3) + i] -= scale * lever.m[i][j];
            A[6 * (i + 3) + j + 3] += scale * (shape->turn_drag.m[i][j] - down.m[i][j]);
        }
}

// What else pulls at a lone body, about its centre: gravity, and generalised forces (6).
static ts_force pull_beside(const ts_sim* sim, int body, const double* applied) {
    const ts_transform* pose = &sim->kinematics.body_pose[body];
    ts_vec3 arm = ts_vec3_sub(sim->kinematics.body_centre[body], pose->p), force = ts_vec3_load(applied);
    ts_vec3 couple = ts_mat3_mul_vec(&pose->R, ts_vec3_load(applied + 3));
    double weighs = sim->model->body[body].mass * (1.0 - sim->model->body[body].buoyancy);
    return (ts_force){.couple = ts_vec3_sub(couple, ts_vec3_cross(arm, force)),
                      .force = ts_vec3_add_scaled(force, weighs, sim->options.gravity)};
}

// Forces on a lone body, about its centre: with p what else pulls at it, M (M + h B)^-1 (f + p) - p.
static void press_lone(ts_sim* sim, int body, const double* applied) {
    const ts_body* b = &sim->model->body[body];
    ts_vec3 centre = sim->kinematics.body_centre[body], force = ts_vec3_zero(), couple = ts_vec3_zero();
    ts_mat3 I = ts_mat3_rotate_tensor(sim->kinematics.body_pose[body].R, b->inertia);
    ts_force beside = pull_beside(sim, body, applied);
    double A[36] = {0.0}, x[6];
    for (int i = 0; i < 3; ++i) {
        A[7 * i] = b->mass;
        for (int j = 0; j < 3; ++j) A[6 * (i + 3) + j + 3] = I.m[i][j];
    }
    for (int s = b->fluid_first; s < b->fluid_first + b->fluid_count; ++s) {
        pressed shape = press(sim, body, &sim->model->fluid[s]);
        ts_vec3 r = ts_vec3_sub(shape.centre, centre);
        force = ts_vec3_add(force, shape.force);
        couple = ts_vec3_add(couple, ts_vec3_add(shape.couple, ts_vec3_cross(r, shape.force)));
        add_about_centre(&shape, r, sim->options.time_step, A);
    }
    ts_vec3_store(ts_vec3_add(force, beside.force), x);
    ts_vec3_store(ts_vec3_add(couple, beside.couple), x + 3);
    if (ts_cholesky_factor(A, 6, 6)) {
        ts_cholesky_solve(A, 6, 6, x);
        force = ts_vec3_sub(ts_vec3_scale(b->mass, ts_vec3_load(x)), beside.force);
        couple = ts_vec3_sub(ts_mat3_mul_vec(&I, ts_vec3_load(x + 3)), beside.couple);
    }
    pull(sim, body, centre, force, couple);
}

// The matrix of a centred body has no place for it: its
// factor leaves out what couples its translations.
int ts_fluid_is_ahead(const ts_sim* sim, int tree) {
    return sim->integrator->servos != TS_SERVO_NOW && sim->model->tree[tree].kind != TS_TREE_CENTRED;
}

int ts_fluid_is_freed(const ts_sim* sim, int tree) {
    if (!ts_sim_storage_of(sim)->tree_is_lone[tree]) return 0;
    int centred = sim->model->tree[tree].kind == TS_TREE_CENTRED;
    return sim->integrator->frees_lone_bodies || (centred && sim->integrator->servos != TS_SERVO_NOW);
}

void ts_fluid_tree(ts_sim* sim, int t, double* M, double* force) {
    const ts_kinematic_tree* tree = &sim->model->tree[t];
    if (ts_fluid_is_freed(sim, t)) return;
    memset(sim->force_fluid + tree->dof_first, 0, (size_t)tree->dof_count * sizeof(double));
    for (int i = 0; i < tree->body_count; ++i) {
        int b = sim->model->tree_body[tree->body_first + i];
        const ts_body* body = &sim->model->body[b];
        for (int s = body->fluid_first; s < body->fluid_first + body->fluid_count; ++s) {
            pressed shape = press(sim, b, &sim->model->fluid[s]);
            pull(sim, b, shape.centre, shape.force, shape.couple);
            if (ts_fluid_is_ahead(sim, t)) take_ahead(sim, b, &shape, M);
        }
    }
    for (int d = 0; d < tree->dof_count; ++d) force[d] += sim->force_fluid[tree->dof_first + d];
}

void ts_fluid_lone_bodies(ts_sim* sim, double* applied) {
    for (int t = 0; t < sim->model->tree_count; ++t) {
        int first = sim->model->tree[t].dof_first;
        if (!ts_fluid_is_freed(sim, t)) continue;
        memset(sim->force_fluid + first, 0, 6 * sizeof(double));
        press_lone(sim, sim->model->tree[t].root, applied + first);
        for (int d = first; d < first + 6; ++d) applied[d] += sim->force_fluid[d];
    }
}

// Velocity of the centre of a shape and spin, with these velocities (nv).
static ts_motion move_of(const ts_sim* sim, int body, ts_vec3 lever, const double* velocity) {
    ts_motion sum = ts_motion_zero();
    for (int d = sim->model->body[body].dof_last; d >= 0; d = sim->model->dof[d].parent)
        sum = ts_motion_add_scaled(sum, velocity[d], ts_kinematics_axis(sim->model, &sim->kinematics, d));
    sum.linear = ts_motion_at(sum, lever);
    return sum;
}

double ts_fluid_work(const ts_sim* sim, const double* middle, const double* change) {
    const ts_model* model = sim->model;
    double work = 0.0;
    for (int d = 0; d < model->nv; ++d) work += sim->force_fluid[d] * middle[d];
    for (int b = 1; b < model->body_count; ++b) {
        const ts_body* body = &model->body[b];
        if (body->tree < 0 || !ts_fluid_is_ahead(sim, body->tree) || ts_fluid_is_freed(sim, body->tree)) continue;
        for (int s = body->fluid_first; s < body->fluid_first + body->fluid_count; ++s) {
            pressed shape = press(sim, b, &model->fluid[s]);
            ts_vec3 lever = ts_vec3_sub(shape.centre, ts_kinematics_origin(sim->model, &sim->kinematics, body->tree));
            ts_motion mean = move_of(sim, b, lever, middle), step = move_of(sim, b, lever, change);
            work -= ts_vec3_dot(mean.linear, ts_mat3_mul_vec(&shape.drag, step.linear)) +
                    ts_vec3_dot(mean.angular, ts_mat3_mul_vec(&shape.turn_drag, step.angular));
        }
    }
    return sim->options.time_step * work;
}
