// Rigid-body dynamics of the present state for the Python package: the algorithms of engine/dynamics on kinematics of their own, so that asking
// changes nothing of the simulation.
#include <stdlib.h>
#include <string.h>

#include "engine/dynamics/aba.h"
#include "engine/dynamics/centroidal.h"
#include "engine/dynamics/crba.h"
#include "engine/dynamics/derivative.h"
#include "engine/dynamics/jacobian.h"
#include "engine/dynamics/rnea.h"
#include "python/facade_internal.h"

struct ts_python_dynamics {
    ts_arena arena;
    ts_kinematics kinematics;
    ts_tree_scratch scratch;
    ts_derivative_scratch derivative;
    ts_tree_factors factors;
    double* block;  // (3 nv^2) of a tree
};

void ts_python_dynamics_free(ts_python_world* world) {
    if (!world->dynamics) return;
    ts_arena_free(&world->dynamics->arena);
    free(world->dynamics);
    world->dynamics = NULL;
}

// Kinematics of the present state, or NULL when memory is short.
static struct ts_python_dynamics* present(ts_python_world* world) {
    const ts_model* model = world->scene.model;
    if (!world->dynamics) {
        struct ts_python_dynamics* d = calloc(1, sizeof *d);
        world->dynamics = d;
        if (d && !(ts_kinematics_create(model, &d->arena, &d->kinematics) &&
                   ts_tree_scratch_create(model, &d->arena, &d->scratch) &&
                   ts_derivative_scratch_create(model, &d->arena, &d->derivative) &&
                   ts_tree_factors_create(model, &d->arena, &d->factors)))
            ts_python_dynamics_free(world);
        size_t nv = (size_t)model->nv;
        if (world->dynamics) d->block = (double*)ts_arena_alloc_zeroed(&d->arena, 3 * nv * nv, sizeof(double));
        if (world->dynamics && d->arena.failed) ts_python_dynamics_free(world);
    }
    if (world->dynamics) ts_kinematics_update(model, world->sim->qpos, world->sim->qvel, &world->dynamics->kinematics);
    return world->dynamics;
}

int ts_python_mass_matrix(ts_python_world* world, double* out_M) {
    struct ts_python_dynamics* d = present(world);
    if (!d) return 1;
    ts_crba_matrix(world->scene.model, &d->kinematics, &d->scratch, out_M);
    return 0;
}

int ts_python_inverse_dynamics(ts_python_world* world, const double* acceleration, double* out_force) {
    struct ts_python_dynamics* d = present(world);
    if (!d) return 1;
    ts_rnea_forces(world->scene.model, &d->kinematics, world->sim->options.gravity, acceleration, &d->scratch,
                   out_force);
    return 0;
}

int ts_python_forward_dynamics(ts_python_world* world, const double* force, double* out_acceleration) {
    struct ts_python_dynamics* d = present(world);
    if (!d) return 1;
    return ts_aba_acceleration(world->scene.model, &d->kinematics, world->sim->options.gravity, force, &d->scratch,
                               out_acceleration)
               ? 0
               : 2;
}

int ts_python_inverse_derivatives(ts_python_world* world, const double* acceleration, double* out_dq, double* out_dv,
                                  double* out_M) {
    struct ts_python_dynamics* d = present(world);
    if (!d) return 1;
    ts_derivative_inverse(world->scene.model, &d->kinematics, world->sim->options.gravity, acceleration, &d->derivative,
                          &(ts_derivative_matrices){out_dq, out_dv, out_M});
    return 0;
}

int ts_python_forward_derivatives(ts_python_world* world, const double* acceleration, double* out_dq, double* out_dv,
                                  double* out_inverse) {
    struct ts_python_dynamics* d = present(world);
    if (!d) return 1;
    const ts_model* model = world->scene.model;
    if (!ts_tree_factors_update(model, &d->kinematics, &d->scratch, &d->factors)) return 2;
    double* out[3] = {out_dq, out_dv, out_inverse};
    size_t nv = (size_t)model->nv;
    for (int m = 0; m < 3; ++m) memset(out[m], 0, nv * nv * sizeof(double));
    for (int t = 0; t < model->tree_count; ++t) {
        size_t first = (size_t)model->tree[t].dof_first, n = (size_t)model->tree[t].dof_count;
        ts_derivative_matrices block = {d->block, d->block + n * n, d->block + 2 * n * n};
        ts_derivative_forward_tree(model, &d->kinematics, world->sim->options.gravity, t, acceleration + first,
                                   &d->factors, &d->derivative, &block);
        for (size_t m = 0; m < 3; ++m)
            for (size_t i = 0; i < n; ++i)
                memcpy(out[m] + (first + i) * nv + first, d->block + (m * n + i) * n, n * sizeof(double));
    }
    return 0;
}

// The body that a thing sits on and where it is; 0 when there is no such thing.
static int find_point(const ts_model* model, const ts_kinematics* k, const char* kind, int index, int* out_body,
                      ts_vec3* out_point) {
    if (strcmp(kind, "site") == 0 && index >= 0 && index < model->site_count) {
        *out_body = model->site[index].body;
        *out_point = ts_kinematics_site(model, k, index).p;
        return 1;
    }
    if (index < 0 || index >= model->body_count) return 0;
    *out_body = index;
    *out_point = strcmp(kind, "centre") == 0 ? k->body_centre[index] : k->body_pose[index].p;
    return strcmp(kind, "centre") == 0 || strcmp(kind, "body") == 0;
}

int ts_python_jacobian(ts_python_world* world, const char* kind, int index, int rate, double* out_linear,
                       double* out_angular) {
    const ts_model* model = world->scene.model;
    struct ts_python_dynamics* d = present(world);
    int body;
    ts_vec3 point;
    if (!d) return 1;
    if (!find_point(model, &d->kinematics, kind, index, &body, &point)) return 2;
    (rate ? ts_jacobian_rate : ts_jacobian_point)(model, &d->kinematics, body, point, out_linear, out_angular);
    return 0;
}

int ts_python_jacobian_bias(ts_python_world* world, const char* kind, int index, double* out_six) {
    const ts_model* model = world->scene.model;
    struct ts_python_dynamics* d = present(world);
    int body;
    ts_vec3 point;
    if (!d) return 1;
    if (!find_point(model, &d->kinematics, kind, index, &body, &point)) return 2;
    ts_motion bias = ts_jacobian_bias(model, &d->kinematics, body, point);
    ts_vec3_store(bias.linear, out_six);
    ts_vec3_store(bias.angular, out_six + 3);
    return 0;
}

int ts_python_centroidal(ts_python_world* world, double* out_numbers, double* out_A, double* out_J) {
    const ts_model* model = world->scene.model;
    struct ts_python_dynamics* d = present(world);
    if (!d) return 1;
    ts_centroidal_state state = ts_centroidal_find(model, &d->kinematics, TS_CENTROIDAL_ALL);
    ts_force bias = ts_centroidal_bias(model, &d->kinematics, TS_CENTROIDAL_ALL);
    out_numbers[0] = state.mass;
    ts_vec3_store(state.centre, out_numbers + 1);
    ts_vec3_store(state.velocity, out_numbers + 4);
    ts_vec3_store(state.angular, out_numbers + 7);
    ts_vec3_store(state.linear, out_numbers + 10);
    ts_vec3_store(bias.couple, out_numbers + 13);
    ts_vec3_store(bias.force, out_numbers + 16);
    ts_centroidal_matrix(model, &d->kinematics, TS_CENTROIDAL_ALL, &d->scratch, out_A);
    ts_centroidal_jacobian(model, &d->kinematics, TS_CENTROIDAL_ALL, &d->scratch, out_J);
    return 0;
}
