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
#include "engine/dynamics/inverse_derivative_walk_internal.h"

int ts_derivative_scratch_create(const ts_model* model, ts_arena* arena, ts_derivative_scratch* out_scratch) {
    // A sweep fills what it reads.
    int places = model->nv + 3 * model->tree_count;
    ts_derivative_scratch scratch = {.body = TS_ARENA_ARRAY(arena, ts_derivative_body, model->body_count),
                                     .dof = TS_ARENA_ARRAY(arena, ts_derivative_dof, model->nv),
                                     .lane = TS_ARENA_ARRAY(arena, double, TS_DERIVATIVE_LANES / 4 * places)};
    *out_scratch = scratch;
    return !arena->failed;
}

static void clear(const ts_derivative_matrices* out, size_t n) {
    double* matrix[3] = {out->by_q, out->by_v, out->by_input};
    for (int i = 0; i < 3; ++i)
        if (matrix[i]) memset(matrix[i], 0, n * n * sizeof(double));
}

void ts_derivative_inverse_tree(const ts_model* model, const ts_kinematics* kinematics, ts_vec3 gravity, int tree,
                                const double* acceleration, const ts_derivative_scratch* scratch,
                                const ts_derivative_matrices* out) {
    int n = model->tree[tree].dof_count;
    ts_inverse_derivative_walk walk = {model, kinematics, gravity, tree, n, acceleration, scratch, {1.0, NULL}};
    clear(out, (size_t)n);
    ts_inverse_derivative_walk_run(&walk, out);
}

void ts_derivative_inverse_share_tree(const ts_model* model, const ts_kinematics* kinematics, ts_vec3 gravity, int tree,
                                      const double* acceleration, const ts_derivative_scratch* scratch,
                                      const ts_derivative_share* share, const ts_derivative_matrices* out) {
    int n = model->tree[tree].dof_count;
    ts_inverse_derivative_walk walk = {model, kinematics, gravity, tree, n, acceleration, scratch, *share};
    clear(out, (size_t)n);
    ts_inverse_derivative_walk_run(&walk, out);
}

void ts_derivative_inverse(const ts_model* model, const ts_kinematics* kinematics, ts_vec3 gravity,
                           const double* acceleration, const ts_derivative_scratch* scratch,
                           const ts_derivative_matrices* out) {
    size_t nv = (size_t)model->nv;
    clear(out, nv);
    for (int t = 0; t < model->tree_count; ++t) {
        int first = model->tree[t].dof_first;
        size_t corner = (size_t)first * (nv + 1);
        ts_derivative_matrices from_corner = {out->by_q ? out->by_q + corner : NULL,
                                              out->by_v ? out->by_v + corner : NULL,
                                              out->by_input ? out->by_input + corner : NULL};
        ts_inverse_derivative_walk walk = {
            model, kinematics, gravity, t, model->nv, acceleration ? acceleration + first : NULL, scratch, {1.0, NULL}};
        ts_inverse_derivative_walk_run(&walk, &from_corner);
    }
}

void ts_derivative_gravity_tree(const ts_model* model, const ts_kinematics* kinematics, int tree,
                                const ts_derivative_scratch* scratch, double* out_dg) {
    int first = model->tree[tree].body_first, last = first + model->tree[tree].body_count;
    int dof_first = model->tree[tree].dof_first;
    for (int i = first; i < last; ++i) {
        int b = model->tree_body[i];
        double weight = 1.0 - model->body[b].buoyancy;
        ts_inertia inertia = ts_kinematics_inertia(model, kinematics, b);
        scratch->body[b].buoyant_mass = weight * inertia.mass;
        ts_vec3_store(ts_vec3_scale(weight, inertia.moment), scratch->body[b].buoyant_moment);
    }
    for (int i = last - 1; i >= first; --i) {
        int b = model->tree_body[i];
        const ts_body* body = &model->body[b];
        ts_derivative_body* own = &scratch->body[b];
        for (int d = body->dof_first; d < body->dof_first + body->dof_count; ++d) {
            ts_motion S = ts_kinematics_axis(model, kinematics, d);
            ts_vec3 momentum = ts_vec3_add(ts_vec3_scale(own->buoyant_mass, S.linear),
                                           ts_vec3_cross(S.angular, ts_vec3_load(own->buoyant_moment)));
            ts_vec3_store(ts_vec3_neg(momentum), out_dg + 3 * (d - dof_first));
        }
        if (model->body[body->parent].tree < 0) continue;
        ts_derivative_body* parent = &scratch->body[body->parent];
        parent->buoyant_mass += own->buoyant_mass;
        for (int k = 0; k < 3; ++k) parent->buoyant_moment[k] += own->buoyant_moment[k];
    }
}
