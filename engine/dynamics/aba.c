// Articulated bodies.
//
// Problem: a with M a + b = tau, without M. Rule: from the leaves, the force that a body with all it carries takes is I_A a + p; a dof with
// axis S, U = I_A S, D = S . U + armature, u = tau - S . p leaves
//     I_A <- I_A - U U^T / D,   p <- p + I_A c + U u / D
// to what it hangs on, c the acceleration that velocities alone give; then from the root a <- a_parent + c, and for each dof
// a_d = (u - U . a) / D, a <- a + S a_d. The dofs of a body go one after the other, as if bodies without mass lay between them.
// Source: Featherstone (2008), section 7.3, with everything in world axes about the tree's origin, so no transforms.
// Linear in the number of bodies; agrees with M^-1 (tau - b) to rounding times the condition of the tree.
// Known failure: long chains of bodies far lighter than what they carry lose digits in I_A - U U^T / D.
#include "engine/dynamics/aba.h"

#include <math.h>

// I_A of a rigid body.
static ts_articulated_inertia rigid(const ts_inertia* inertia) {
    double m = inertia->mass;
    ts_articulated_inertia I = {inertia->rotation, ts_mat3_skew(inertia->moment),
                                ts_mat3_diagonal(ts_vec3_make(m, m, m))};
    return I;
}

static ts_force multiply(const ts_articulated_inertia* I, ts_motion a) {
    ts_force f = {ts_vec3_add(ts_mat3_mul_vec(&I->A, a.angular), ts_mat3_mul_vec(&I->B, a.linear)),
                  ts_vec3_add(ts_mat3_mul_vec_transposed(&I->B, a.angular), ts_mat3_mul_vec(&I->C, a.linear))};
    return f;
}

// M -= s a b^T
static inline void subtract_outer(ts_mat3* M, double s, ts_vec3 a, ts_vec3 b) {
    ts_vec3 scaled = ts_vec3_scale(s, a);
    double row[3] = {scaled.x, scaled.y, scaled.z};
    for (int i = 0; i < 3; ++i) {
        M->m[i][0] -= row[i] * b.x;
        M->m[i][1] -= row[i] * b.y;
        M->m[i][2] -= row[i] * b.z;
    }
}

// Takes the dofs of a body out of what it is for its parent, from the last to the first. Returns 0 when one moves no mass.
static int eliminate(const ts_model* model, const ts_motion* axis, const ts_body* body, const double* force,
                     ts_tree_scratch* s, ts_articulated_inertia* I, ts_force* p) {
    for (int d = body->dof_first + body->dof_count - 1; d >= body->dof_first; --d) {
        ts_force U = multiply(I, axis[d]);
        double D = ts_motion_dot_force(axis[d], U) + model->dof[d].armature;
        if (!(D > 0.0) || !isfinite(D)) return 0;
        double inverse = 1.0 / D, u = force[d] - ts_motion_dot_force(axis[d], *p), share = u * inverse;
        subtract_outer(&I->A, inverse, U.couple, U.couple);
        subtract_outer(&I->B, inverse, U.couple, U.force);
        subtract_outer(&I->C, inverse, U.force, U.force);
        p->couple = ts_vec3_add_scaled(p->couple, share, U.couple);
        p->force = ts_vec3_add_scaled(p->force, share, U.force);
        s->dof_force[d] = U;
        s->dof_share[d] = inverse;
        s->dof_number[d] = u;
    }
    return 1;
}

// The acceleration that velocities alone give a body beyond its parent's.
static ts_motion own_bias(const ts_model* model, const ts_kinematics* k, int b) {
    int parent = model->body[b].parent;
    if (model->body[parent].tree < 0) return ts_kinematics_bias(model, k, b);
    ts_motion own = {ts_vec3_sub(k->body_bias[b].angular, k->body_bias[parent].angular),
                     ts_vec3_sub(k->body_bias[b].linear, k->body_bias[parent].linear)};
    return own;
}

static void begin(const ts_model* model, const ts_kinematics* k, ts_vec3 gravity, int b, ts_tree_scratch* s) {
    ts_motion v = k->body_velocity[b], lift = {ts_vec3_zero(), ts_vec3_scale(model->body[b].buoyancy, gravity)};
    ts_inertia inertia = ts_kinematics_inertia(model, k, b);
    ts_force momentum = ts_inertia_mul(&inertia, v);
    s->articulated[b] = rigid(&inertia);
    s->force[b] = ts_force_add(ts_motion_cross_force(v, momentum), ts_inertia_mul(&inertia, lift));
}

static void add_to_parent(const ts_articulated_inertia* I, ts_force p, ts_articulated_inertia* above,
                          ts_force* above_p) {
    above->A = ts_mat3_add(above->A, I->A);
    above->B = ts_mat3_add(above->B, I->B);
    above->C = ts_mat3_add(above->C, I->C);
    *above_p = ts_force_add(*above_p, p);
}

int ts_aba_tree(const ts_model* model, const ts_kinematics* kinematics, ts_vec3 gravity, int tree, const double* force,
                ts_tree_scratch* scratch, double* out_acceleration) {
    const ts_kinematics* k = kinematics;
    ts_tree_scratch* s = scratch;
    int first = model->tree[tree].body_first, last = first + model->tree[tree].body_count;
    ts_motion room[6];
    const ts_motion* axis = ts_kinematics_axes(model, k, tree, room);
    for (int i = first; i < last; ++i) begin(model, k, gravity, model->tree_body[i], s);
    for (int i = last - 1; i >= first; --i) {
        int b = model->tree_body[i], parent = model->body[b].parent;
        if (!eliminate(model, axis, &model->body[b], force, s, &s->articulated[b], &s->force[b])) return 0;
        if (model->body[parent].tree < 0) continue;
        ts_force p = ts_force_add(s->force[b], multiply(&s->articulated[b], own_bias(model, k, b)));
        add_to_parent(&s->articulated[b], p, &s->articulated[parent], &s->force[parent]);
    }
    for (int i = first; i < last; ++i) {
        int b = model->tree_body[i], parent = model->body[b].parent;
        const ts_body* body = &model->body[b];
        ts_motion a = {ts_vec3_zero(), ts_vec3_neg(gravity)};
        if (model->body[parent].tree >= 0) a = s->acceleration[parent];
        a = ts_motion_add(a, own_bias(model, k, b));
        for (int d = body->dof_first; d < body->dof_first + body->dof_count; ++d) {
            out_acceleration[d] = (s->dof_number[d] - ts_motion_dot_force(a, s->dof_force[d])) * s->dof_share[d];
            a = ts_motion_add_scaled(a, out_acceleration[d], axis[d]);
        }
        s->acceleration[b] = a;
    }
    return 1;
}

int ts_aba_acceleration(const ts_model* model, const ts_kinematics* kinematics, ts_vec3 gravity, const double* force,
                        ts_tree_scratch* scratch, double* out_acceleration) {
    for (int t = 0; t < model->tree_count; ++t)
        if (!ts_aba_tree(model, kinematics, gravity, t, force, scratch, out_acceleration)) return 0;
    return 1;
}
