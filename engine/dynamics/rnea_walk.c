// Recursive Newton-Euler, the walk: out along the tree for velocities, accelerations and forces of bodies, and in for their sums.
//
// Problem, rule and source: rnea.c. Guaranteed: same bits with and without AVX2, since every number is its own sum.
#include "engine/dynamics/rnea_walk_internal.h"

#include "engine/dynamics/tree_motion_internal.h"

// Where what the walk knows of a body begins: velocity, acceleration, what accelerations of dofs add to that, force.
enum {
    VELOCITY = 0,
    ACCELERATION = TS_SPATIAL_FOUR,
    PUSH = 2 * TS_SPATIAL_FOUR,
    FORCE = 3 * TS_SPATIAL_FOUR,
    SIZE = 4 * TS_SPATIAL_FOUR
};

_Static_assert((int)SIZE == (int)TS_TREE_WALK_NUMBERS, "room in the scratch");

static inline double* known(const ts_rnea_walk* walk, int b) { return ts_tree_scratch_walk(walk->scratch, b); }

// What the accelerations add along the chain of body b.
static inline ts_spatial_four push(const ts_rnea_walk* walk, int b) {
    const ts_body* body = &walk->model->body[b];
    const double* rate = walk->acceleration - walk->model->tree[walk->tree].dof_first;
    ts_spatial_four own = ts_spatial_four_zero();
    if (walk->model->body[body->parent].tree >= 0) own = ts_spatial_four_load(known(walk, body->parent) + PUSH);
    for (int d = body->dof_first; d < body->dof_first + body->dof_count; ++d)
        own = ts_spatial_four_plus(own,
                                   ts_spatial_four_times(rate[d], ts_spatial_four_of(&walk->kinematics->own_axis[d])));
    ts_spatial_four_store(own, known(walk, b) + PUSH);
    return own;
}

// I (a - g) + v x* I v, with the part of g that the body's buoyancy leaves.
static inline ts_spatial_four force_of(const ts_body* body, const ts_inertia* inertia, ts_four gravity,
                                       ts_spatial_four v, ts_spatial_four a) {
    ts_inertia_four I = ts_inertia_four_of(inertia);
    a.linear = ts_four_plus(a.linear, ts_four_times(body->buoyancy - 1.0, gravity));
    return ts_spatial_four_plus(ts_inertia_four_mul(&I, a), ts_spatial_four_cross_force(v, ts_inertia_four_mul(&I, v)));
}

// Forces of bodies that move as kinematics says; where what is known of a body lies is counted from `all`.
static inline void find_forces(const ts_rnea_walk* walk, const int* body, int count, double* all) {
    const ts_body* bodies = walk->model->body;
    const ts_motion *velocity = walk->kinematics->body_velocity, *bias = walk->kinematics->body_bias;
    const ts_inertia* inertia = walk->kinematics->body_inertia;
    ts_four gravity = ts_four_vec3(walk->gravity);
    for (int i = 0; i < count; ++i) {
        int b = body[i];
        ts_spatial_four v = ts_spatial_four_of(&velocity[b]), a = ts_spatial_four_of(&bias[b]);
        if (walk->acceleration) a = ts_spatial_four_plus(a, push(walk, b));
        ts_spatial_four_store(force_of(&bodies[b], &inertia[b], gravity, v, a), all + (ptrdiff_t)SIZE * b + FORCE);
    }
}

// The same at velocities of dofs that are asked about. What hangs on the body before goes on from there, anything else from its parent.
static inline void move_bodies(const ts_rnea_walk* walk, const int* body, int count, double* all) {
    const ts_model* model = walk->model;
    const ts_motion* axis = walk->kinematics->own_axis;
    const ts_inertia* inertia = walk->kinematics->body_inertia;
    const double* rate = walk->velocity - model->tree[walk->tree].dof_first;
    ts_four gravity = ts_four_vec3(walk->gravity);
    ts_spatial_four v = ts_spatial_four_zero(), a = v;
    for (int i = 0, before = -1; i < count; before = body[i++]) {
        const ts_body* at = &model->body[body[i]];
        double *own = all + (ptrdiff_t)SIZE * body[i], *parent = all + (ptrdiff_t)SIZE * at->parent;
        if (at->parent != before) {
            int moves = model->body[at->parent].tree >= 0;
            v = moves ? ts_spatial_four_load(parent + VELOCITY) : ts_spatial_four_zero();
            a = moves ? ts_spatial_four_load(parent + ACCELERATION) : ts_spatial_four_zero();
        }
        ts_tree_move_body(model, at, axis, rate, &v, &a);
        ts_spatial_four_store(v, own + VELOCITY);
        ts_spatial_four_store(a, own + ACCELERATION);
        ts_spatial_four all_of_it = a;
        if (walk->acceleration) all_of_it = ts_spatial_four_plus(a, push(walk, body[i]));
        ts_spatial_four_store(force_of(at, &inertia[body[i]], gravity, v, all_of_it), own + FORCE);
    }
}

static inline void walk_out(const ts_rnea_walk* walk) {
    const ts_kinematic_tree* tree = &walk->model->tree[walk->tree];
    const int* body = walk->model->tree_body + tree->body_first;
    if (walk->velocity)
        move_bodies(walk, body, tree->body_count, known(walk, 0));
    else
        find_forces(walk, body, tree->body_count, known(walk, 0));
}

// Sums the forces of bodies inwards: tau = S . f, and the share of armature.
static inline void walk_in(const ts_rnea_walk* walk, double* out_force) {
    const ts_model* model = walk->model;
    const ts_motion* axis = walk->kinematics->own_axis;
    const int* body = model->tree_body + model->tree[walk->tree].body_first;
    const char* link = walk->scratch->body_link;
    double* all = known(walk, 0) + FORCE;
    int dof_first = model->tree[walk->tree].dof_first, follows = 0;
    ts_spatial_four f = ts_spatial_four_zero();
    for (int i = model->tree[walk->tree].body_count - 1; i >= 0; --i) {
        int b = body[i];
        const ts_body* at = &model->body[b];
        ts_spatial_four own = ts_spatial_four_load(all + (ptrdiff_t)SIZE * b);
        f = follows ? ts_spatial_four_plus(own, f) : own;
        for (int d = at->dof_first, end = d + at->dof_count; d < end; ++d)
            out_force[d - dof_first] = ts_spatial_four_dot(ts_spatial_four_of(&axis[d]), f);
        follows = link[b] & TS_TREE_FOLLOWS;
        if (follows || model->body[at->parent].tree < 0) continue;
        double* above = all + (ptrdiff_t)SIZE * at->parent;
        ts_spatial_four_store(ts_spatial_four_plus(ts_spatial_four_load(above), f), above);
    }
    if (!walk->acceleration) return;
    for (int d = 0; d < model->tree[walk->tree].dof_count; ++d)
        out_force[d] += model->dof[dof_first + d].armature * walk->acceleration[d];
}

#if TS_WIDE

void ts_rnea_walk_wide(const ts_rnea_walk* walk, double* out_force) {
    walk_out(walk);
    walk_in(walk, out_force);
}

#else

void ts_rnea_walk_narrow(const ts_rnea_walk* walk, double* out_force) {
    walk_out(walk);
    walk_in(walk, out_force);
}

void ts_rnea_walk_run(const ts_rnea_walk* walk, double* out_force) {
#if TS_HAVE_WIDE
    if (__builtin_cpu_supports("avx2")) {
        ts_rnea_walk_wide(walk, out_force);
        return;
    }
#endif
    ts_rnea_walk_narrow(walk, out_force);
}

#endif
