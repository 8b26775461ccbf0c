// Kinematics, the walk outwards: axes of degrees of freedom about the tree's origin, twists, bias accelerations and inertias of bodies.
//
// Problem, rule and source: kinematics.c. Guaranteed: same bits with and without AVX2, since every number is its own sum.
#include "engine/dynamics/kinematics_walk_internal.h"

#include "engine/dynamics/tree_motion_internal.h"

// Axes of the joints of a body from their anchors to the origin.
static inline void carry_axes(const ts_model* model, const ts_body* body, ts_vec3 origin, ts_kinematics* k) {
    for (int j = body->joint_first; j < body->joint_first + body->joint_count; ++j) {
        const ts_joint_traits* traits = ts_joint_traits_of(model->joint[j].type);
        ts_four lever = ts_four_vec3(ts_vec3_sub(origin, k->joint_anchor[j]));
        int first = model->joint[j].dof_first, count = traits->numbers + 3 * traits->quaternion;
        for (int d = first; d < first + count; ++d) {
            ts_spatial_four S = ts_spatial_four_of(&k->dof_axis[d]);
            double linear[4];
            ts_four_store(ts_four_plus(S.linear, ts_four_cross(S.angular, lever)), linear);
            k->dof_axis[d].linear = ts_vec3_load(linear);
        }
    }
}

// About a point, seen from which the centre of mass is at c: R I R^T + m (c.c 1 - c c^T), the diagonal, and beside it xy, yz, zx.
static inline void turn_inertia(const ts_body* body, const ts_mat3* R, ts_vec3 centre, ts_inertia* out) {
    const double* r = (const double*)R;
    ts_four x = ts_four_load(r), y = ts_four_load(r + 3), z = ts_four_next(ts_four_load(r + 5)), rest = ts_four_zero();
    ts_four_transpose(&x, &y, &z, &rest);
    const double(*I)[3] = body->inertia.m;
    ts_four diagonal = ts_four_zero(), beside = ts_four_zero();
    const ts_four column[3] = {x, y, z};
    for (int k = 0; k < 3; ++k) {
        ts_four T = ts_four_plus(ts_four_times(I[0][k], x), ts_four_times(I[1][k], y));
        T = ts_four_plus(T, ts_four_times(I[2][k], z));
        diagonal = ts_four_plus(diagonal, ts_four_product(T, column[k]));
        beside = ts_four_plus(beside, ts_four_product(T, ts_four_turn(column[k])));
    }
    ts_four c = ts_four_vec3(centre), moment = ts_four_times(body->mass, c);
    ts_four square = ts_four_turn(ts_four_product(moment, c));
    diagonal = ts_four_plus(diagonal, ts_four_plus(square, ts_four_turn(square)));
    beside = ts_four_minus(beside, ts_four_product(moment, ts_four_turn(c)));
    double first[4], own[4], pair[4];
    ts_four_store(moment, first);
    ts_four_store(diagonal, own);
    ts_four_store(beside, pair);
    *out = (ts_inertia){body->mass,
                        ts_vec3_load(first),
                        {{{own[0], pair[0], pair[2]}, {pair[0], own[1], pair[1]}, {pair[2], pair[1], own[2]}}}};
}

// Twice over the bodies: what has just been written number by number is not to be read in whole vectors.
static inline void walk(const ts_model* model, int tree, ts_kinematics* k) {
    const int* list = model->tree_body + model->tree[tree].body_first;
    int count = model->tree[tree].body_count, before = -1;
    ts_vec3 origin = k->tree_origin[tree];
    for (int i = 0; i < count; ++i) {
        int b = list[i];
        const ts_body* body = &model->body[b];
        carry_axes(model, body, origin, k);
        turn_inertia(body, &k->body_pose[b].R, ts_vec3_sub(k->body_centre[b], origin), &k->body_inertia[b]);
    }
    ts_spatial_four velocity = ts_spatial_four_zero(), bias = velocity;
    for (int i = 0; i < count; ++i) {
        int b = list[i], parent = model->body[b].parent;
        if (model->body[parent].tree < 0) {
            velocity = bias = ts_spatial_four_zero();
        } else if (parent != before) {
            velocity = ts_spatial_four_of(&k->body_velocity[parent]);
            bias = ts_spatial_four_of(&k->body_bias[parent]);
        }
        ts_tree_move_body(model, &model->body[b], k->dof_axis, k->dof_velocity, &velocity, &bias);
        ts_spatial_four_put(velocity, &k->body_velocity[b]);
        ts_spatial_four_put(bias, &k->body_bias[b]);
        before = b;
    }
}

#if TS_WIDE

void ts_kinematics_walk_wide(const ts_model* model, int tree, ts_kinematics* kinematics) {
    walk(model, tree, kinematics);
}

#else

void ts_kinematics_walk_narrow(const ts_model* model, int tree, ts_kinematics* kinematics) {
    walk(model, tree, kinematics);
}

void ts_kinematics_walk(const ts_model* model, int tree, ts_kinematics* kinematics) {
#if TS_HAVE_WIDE
    if (__builtin_cpu_supports("avx2")) {
        ts_kinematics_walk_wide(model, tree, kinematics);
        return;
    }
#endif
    walk(model, tree, kinematics);
}

#endif
