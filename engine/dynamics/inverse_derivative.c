// Derivatives of inverse dynamics.
//
// Problem: d tau / d q, d tau / d v and M of tau = M(q) a + b(q, v), on the manifold of q.
// Rule: all in world axes about one point, held fixed. A unit of dof j moves all that it carries as one rigid body with the twist S_j. Let
// what carries the dof have the twist p and the acceleration A (from -g), r = p x S, s = A x S + p x r. Then of a body beyond, S x being what
// a rigid displacement does,
//     by q_j:  dv = S x v + r,  da = S x a + s + r x v,   df = S x* f + I s + B r
//     by v_j:  dv = S,          da = S x v + r + dS/dt,   df = I (r + dS/dt) + B S
// with B m = I (m x v) + m x* I v + v x* I m. B has no say of a shift; of an angular velocity w, with I = (mass, moment c, J) and v = (o, u),
//     B w = (N w, 2 w x P),   N = [o]x (2 J - tr J) - 2 [c]x [u]x,   P the linear momentum:
// twelve numbers that add up over bodies, as I and f do. With the sums of what dof j carries, tau_i = S_i . f is differentiated for i before j
// by S_i . df; and for i beyond j, where S_i moves with f and S x* f drops out, by S_i . (I_i s_j + B_i r_j).
// The three axes of a quaternion move with each other: they are beyond each other, both ways.
// What buoyancy takes of the weight enters I s with the masses that it bears, as a force at their centre.
// Source: Carpentier and Mansard, "Analytical Derivatives of Rigid Body Dynamics Algorithms" (2018); Singh, Russell and Wensing,
// "Efficient Analytical Derivatives of Rigid-Body Dynamics using Spatial Vector Algebra" (2022). The form of B is derived here.
// Guaranteed: exact up to rounding, and M is symmetric; cost is the sum of the depths of the dofs. Known to fail: nothing.
#include <string.h>

#include "engine/dynamics/derivative.h"
#include "engine/model/joint/joint_traits_internal.h"

int ts_derivative_scratch_create(const ts_model* model, ts_arena* arena, ts_derivative_scratch* out_scratch) {
    // A sweep fills what it reads.
    ts_derivative_scratch scratch = {.body = TS_ARENA_ARRAY(arena, ts_derivative_body, model->body_count),
                                     .dof = TS_ARENA_ARRAY(arena, ts_derivative_dof, model->nv)};
    *out_scratch = scratch;
    return !arena->failed;
}

// What stays of a dof when its carrier moves with p and A; `after` is the twist beyond the joint, or p for a number.
static void note_dof(ts_motion S, ts_motion p, ts_motion A, ts_motion after, ts_vec3 gravity, int turns_with,
                     ts_derivative_dof* out_dof) {
    A.linear = ts_vec3_sub(A.linear, gravity);
    out_dof->rate = ts_motion_cross(p, S);
    out_dof->second = ts_motion_add(ts_motion_cross(A, S), ts_motion_cross(p, out_dof->rate));
    out_dof->rates = ts_motion_add(out_dof->rate, ts_motion_cross(after, S));
    out_dof->weight = ts_vec3_cross(gravity, S.angular);
    out_dof->turns_with = turns_with;
}

// Takes twist and acceleration of a body's parent to those of the body, and notes what its dofs need. `acceleration` counts from the
// model's first dof, or is NULL.
static void move_body(const ts_model* model, const ts_kinematics* k, ts_vec3 gravity, int b, const double* acceleration,
                      ts_motion* v, ts_motion* a, ts_derivative_dof* dof) {
    const ts_body* body = &model->body[b];
    for (int j = body->joint_first; j < body->joint_first + body->joint_count; ++j) {
        const ts_joint_traits* traits = ts_joint_traits_of(model->joint[j].type);
        int d = model->joint[j].dof_first, turn = d + traits->numbers;
        for (; d < turn; ++d) {
            note_dof(k->dof_axis[d], *v, *a, *v, gravity, d, &dof[d]);
            *a = ts_motion_add_scaled(*a, k->dof_velocity[d], dof[d].rate);
            if (acceleration) *a = ts_motion_add_scaled(*a, acceleration[d], k->dof_axis[d]);
            *v = ts_motion_add_scaled(*v, k->dof_velocity[d], k->dof_axis[d]);
        }
        if (!traits->quaternion) continue;
        ts_motion p = *v, A = *a;
        for (int i = turn; i < turn + 3; ++i) *v = ts_motion_add_scaled(*v, k->dof_velocity[i], k->dof_axis[i]);
        for (int i = turn; i < turn + 3; ++i) {
            note_dof(k->dof_axis[i], p, A, *v, gravity, turn, &dof[i]);
            *a = ts_motion_add_scaled(*a, k->dof_velocity[i], dof[i].rate);
            if (acceleration) *a = ts_motion_add_scaled(*a, acceleration[i], k->dof_axis[i]);
        }
    }
}

// [w]x (2 J - tr J) - 2 [c]x [u]x, the latter u c^T - (c . u).
static ts_mat3 turning_of(const ts_inertia* inertia, ts_motion v) {
    ts_vec3 w = v.angular, u = ts_vec3_scale(-2.0, v.linear), c = inertia->moment;
    ts_mat3 J = ts_mat3_scale(2.0, inertia->rotation), out = ts_mat3_outer(u, c);
    double half_trace = 0.5 * ts_mat3_trace(&J), along = ts_vec3_dot(u, c);
    for (int i = 0; i < 3; ++i) J.m[i][i] -= half_trace;
    for (int i = 0; i < 3; ++i) {
        out.m[0][i] += w.y * J.m[2][i] - w.z * J.m[1][i];
        out.m[1][i] += w.z * J.m[0][i] - w.x * J.m[2][i];
        out.m[2][i] += w.x * J.m[1][i] - w.y * J.m[0][i];
        out.m[i][i] -= along;
    }
    return out;
}

static void start_body(const ts_body* body, const ts_inertia* inertia, ts_motion v, ts_motion a, ts_vec3 gravity,
                       ts_derivative_body* out) {
    ts_force momentum = ts_inertia_mul(inertia, v);
    out->acceleration = a;
    out->inertia = *inertia;
    a.linear = ts_vec3_add_scaled(a.linear, body->buoyancy - 1.0, gravity);
    out->force = ts_force_add(ts_inertia_mul(inertia, a), ts_motion_cross_force(v, momentum));
    out->momentum = momentum.force;
    out->turning = turning_of(inertia, v);
    out->buoyant_mass = body->buoyancy * inertia->mass;
    out->buoyant_moment = ts_vec3_scale(body->buoyancy, inertia->moment);
}

static void add_child(const ts_derivative_body* child, ts_derivative_body* parent) {
    parent->inertia = ts_inertia_add(parent->inertia, child->inertia);
    parent->force = ts_force_add(parent->force, child->force);
    parent->momentum = ts_vec3_add(parent->momentum, child->momentum);
    parent->turning = ts_mat3_add(parent->turning, child->turning);
    parent->buoyant_mass += child->buoyant_mass;
    parent->buoyant_moment = ts_vec3_add(parent->buoyant_moment, child->buoyant_moment);
}

// B of an angular velocity.
static ts_force turn_force(const ts_derivative_body* body, ts_vec3 w) {
    ts_force f = {ts_mat3_mul_vec(&body->turning, w), ts_vec3_scale(2.0, ts_vec3_cross(w, body->momentum))};
    return f;
}

// Rows and columns of dof j at what it hangs on; matrices count from the model's first dof, rows `ld` apart.
static void fill_dof(const ts_model* model, const ts_kinematics* k, const ts_derivative_scratch* scratch, int j,
                     size_t ld, const ts_derivative_matrices* out) {
    double *dq = out->by_q, *dv = out->by_v, *M = out->by_input;
    const ts_derivative_body* body = &scratch->body[model->dof[j].body];
    const ts_derivative_dof* own = &scratch->dof[j];
    ts_motion S = k->dof_axis[j];
    ts_force inertial = ts_inertia_mul(&body->inertia, S);
    // B^T S, and the momentum that what is buoyant has.
    ts_vec3 turned = ts_vec3_add(ts_mat3_mul_vec_transposed(&body->turning, S.angular),
                                 ts_vec3_scale(2.0, ts_vec3_cross(body->momentum, S.linear)));
    ts_vec3 buoyant =
        ts_vec3_add(ts_vec3_scale(body->buoyant_mass, S.linear), ts_vec3_cross(S.angular, body->buoyant_moment));
    ts_force lifted = {ts_vec3_cross(body->buoyant_moment, own->weight),
                       ts_vec3_scale(body->buoyant_mass, own->weight)};
    ts_force beside = ts_force_add(ts_force_add(ts_inertia_mul(&body->inertia, own->second), lifted),
                                   turn_force(body, own->rate.angular));
    ts_force before = ts_force_add(beside, ts_motion_cross_force(S, body->force));
    ts_force by_rate = ts_force_add(ts_inertia_mul(&body->inertia, own->rates), turn_force(body, S.angular));
    size_t row = (size_t)j;
    for (int i = j; i >= 0; i = model->dof[i].parent) {
        const ts_derivative_dof* above = &scratch->dof[i];
        ts_motion axis = k->dof_axis[i];
        size_t column = (size_t)i;
        if (dq) {
            dq[row * ld + column] = ts_motion_dot_force(above->second, inertial) + ts_vec3_dot(above->weight, buoyant) +
                                    ts_vec3_dot(above->rate.angular, turned);
            dq[column * ld + row] = ts_motion_dot_force(axis, i >= own->turns_with ? beside : before);
        }
        if (dv) {
            dv[row * ld + column] = ts_motion_dot_force(above->rates, inertial) + ts_vec3_dot(axis.angular, turned);
            dv[column * ld + row] = ts_motion_dot_force(axis, by_rate);
        }
        if (M) M[row * ld + column] = M[column * ld + row] = ts_motion_dot_force(axis, inertial);
    }
    if (M) M[row * (ld + 1)] += model->dof[j].armature;
}

// The sweeps; matrices as fill_dof has them, zero already. `acceleration` counts from the tree's first dof.
static void fill_tree(const ts_model* model, const ts_kinematics* k, ts_vec3 gravity, int tree,
                      const double* acceleration, const ts_derivative_scratch* scratch, size_t ld,
                      const ts_derivative_matrices* out) {
    int first = model->tree[tree].body_first, last = first + model->tree[tree].body_count;
    if (acceleration) acceleration -= model->tree[tree].dof_first;
    for (int i = first; i < last; ++i) {
        int b = model->tree_body[i], parent = model->body[b].parent;
        ts_motion v = ts_motion_zero(), a = ts_motion_zero();
        if (model->body[parent].tree >= 0) {
            v = k->body_velocity[parent];
            a = scratch->body[parent].acceleration;
        }
        move_body(model, k, gravity, b, acceleration, &v, &a, scratch->dof);
        start_body(&model->body[b], &k->body_inertia[b], v, a, gravity, &scratch->body[b]);
    }
    for (int i = last - 1; i >= first; --i) {
        int b = model->tree_body[i], parent = model->body[b].parent;
        for (int d = model->body[b].dof_first; d < model->body[b].dof_first + model->body[b].dof_count; ++d)
            fill_dof(model, k, scratch, d, ld, out);
        if (model->body[parent].tree >= 0) add_child(&scratch->body[b], &scratch->body[parent]);
    }
}

static void clear(const ts_derivative_matrices* out, size_t n) {
    double* matrix[3] = {out->by_q, out->by_v, out->by_input};
    for (int i = 0; i < 3; ++i)
        if (matrix[i]) memset(matrix[i], 0, n * n * sizeof(double));
}

void ts_derivative_inverse_tree(const ts_model* model, const ts_kinematics* kinematics, ts_vec3 gravity, int tree,
                                const double* acceleration, const ts_derivative_scratch* scratch,
                                const ts_derivative_matrices* out) {
    size_t n = (size_t)model->tree[tree].dof_count, corner = (size_t)model->tree[tree].dof_first * (n + 1);
    clear(out, n);
    ts_derivative_matrices from_first = {out->by_q ? out->by_q - corner : NULL, out->by_v ? out->by_v - corner : NULL,
                                         out->by_input ? out->by_input - corner : NULL};
    fill_tree(model, kinematics, gravity, tree, acceleration, scratch, n, &from_first);
}

void ts_derivative_inverse(const ts_model* model, const ts_kinematics* kinematics, ts_vec3 gravity,
                           const double* acceleration, const ts_derivative_scratch* scratch,
                           const ts_derivative_matrices* out) {
    size_t nv = (size_t)model->nv;
    clear(out, nv);
    for (int t = 0; t < model->tree_count; ++t)
        fill_tree(model, kinematics, gravity, t, acceleration ? acceleration + model->tree[t].dof_first : NULL, scratch,
                  nv, out);
}

void ts_derivative_gravity_tree(const ts_model* model, const ts_kinematics* kinematics, int tree,
                                const ts_derivative_scratch* scratch, double* out_dg) {
    int first = model->tree[tree].body_first, last = first + model->tree[tree].body_count;
    int dof_first = model->tree[tree].dof_first;
    for (int i = first; i < last; ++i) {
        int b = model->tree_body[i];
        double weight = 1.0 - model->body[b].buoyancy;
        scratch->body[b].buoyant_mass = weight * kinematics->body_inertia[b].mass;
        scratch->body[b].buoyant_moment = ts_vec3_scale(weight, kinematics->body_inertia[b].moment);
    }
    for (int i = last - 1; i >= first; --i) {
        int b = model->tree_body[i];
        const ts_body* body = &model->body[b];
        ts_derivative_body* own = &scratch->body[b];
        for (int d = body->dof_first; d < body->dof_first + body->dof_count; ++d) {
            ts_motion S = kinematics->dof_axis[d];
            ts_vec3 momentum =
                ts_vec3_add(ts_vec3_scale(own->buoyant_mass, S.linear), ts_vec3_cross(S.angular, own->buoyant_moment));
            ts_vec3_store(ts_vec3_neg(momentum), out_dg + 3 * (d - dof_first));
        }
        if (model->body[body->parent].tree < 0) continue;
        ts_derivative_body* parent = &scratch->body[body->parent];
        parent->buoyant_mass += own->buoyant_mass;
        parent->buoyant_moment = ts_vec3_add(parent->buoyant_moment, own->buoyant_moment);
    }
}
