// Springs and dampers that are described by how the joint shall swing.
//
// Problem: a joint shall be an oscillator of time constant T and damping ratio z, whatever hangs on it.
// Rule: with I the inertia that the joint feels at rest, one over the mean of its diagonal of M^-1: stiffness I / (T z)^2, damping 2 I / T.
// Source: MuJoCo's documentation (joint springdamper; the same as solref).
#include "engine/dynamics/crba.h"
#include "engine/dynamics/tree_factor.h"
#include "engine/model/builder_internal.h"

#include <string.h>

// The inertia that a joint feels, from L and one over its diagonal of its tree; x is scratch.
static double felt_inertia(const ts_model* model, const ts_joint* joint, int tree, const double* L,
                           const double* inverse, double* x) {
    const ts_kinematic_tree* span = &model->tree[tree];
    int count = ts_joint_type_nv(joint->type);
    double sum = 0.0;
    for (int k = 0; k < count; ++k) {
        memset(x, 0, (size_t)span->dof_count * sizeof *x);
        x[joint->dof_first + k - span->dof_first] = 1.0;
        ts_tree_factor_whiten(model, tree, L, inverse, 1, x);
        for (int d = 0; d < span->dof_count; ++d) sum += x[d] * x[d];
    }
    return sum > 0.0 ? count / sum : 0.0;
}

static int asks(const ts_builder* builder) {
    for (int i = 0; i < builder->joint.count; ++i)
        if (builder->joint.data[i].def.spring_time > 0.0 && builder->joint.data[i].def.spring_ratio > 0.0) return 1;
    return 0;
}

ts_code ts_builder_settle_springs(const ts_builder* builder, const ts_model* model, ts_joint* joints, ts_dof* dofs,
                                  ts_status* out_status) {
    if (!asks(builder)) return TS_OK;
    ts_arena arena;
    ts_kinematics kinematics;
    ts_tree_scratch scratch;
    ts_tree_factors factors;
    memset(&arena, 0, sizeof arena);
    double* x = TS_ARENA_ARRAY(&arena, double, model->nv);
    double* rest = TS_ARENA_ARRAY(&arena, double, model->nv);
    int fine = x && rest && ts_kinematics_create(model, &arena, &kinematics) &&
               ts_tree_scratch_create(model, &arena, &scratch) && ts_tree_factors_create(model, &arena, &factors);
    if (fine) {
        memset(rest, 0, (size_t)model->nv * sizeof *rest);
        ts_kinematics_update(model, model->qpos_rest, rest, &kinematics);
        ts_tree_factors_update(model, &kinematics, &scratch, &factors);
    }
    for (int i = 0; i < builder->joint.count && fine; ++i) {
        const ts_builder_joint* entry = &builder->joint.data[i];
        double time = entry->def.spring_time, ratio = entry->def.spring_ratio;
        if (!(time > 0.0 && ratio > 0.0)) continue;
        ts_joint* joint = &joints[entry->index];
        int tree = dofs[joint->dof_first].tree;
        double I = felt_inertia(model, joint, tree, factors.L + factors.start[tree],
                                factors.inverse + model->tree[tree].dof_first, x);
        joint->spring = I / (time * time * ratio * ratio);
        joint->damping = 2.0 * I / time;
        for (int k = 0; k < ts_joint_type_nv(joint->type); ++k) dofs[joint->dof_first + k].damping = joint->damping;
    }
    ts_arena_free(&arena);
    return fine ? TS_OK : ts_status_set(out_status, TS_ERROR_MEMORY, NULL, 0, "out of memory");
}
