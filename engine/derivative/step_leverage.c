// How G of a row answers to positions: what slows the push-out of a contact by leverage goes by it (engine/rows/contact.c), and the give of ties.
//
// Problem: dG of G = J M^-1 J^T. Rule: with w = M^-1 J^T held,
//     dG = 2 (dJ w) - w^T dM w,
// and w^T dM w is twice what the kinetic energy of the velocities w changes by. A unit of dof k carries all beyond it along; what is beyond keeps its motion
// against what carries the dof, whose twist p seems to turn back: the energy changes by -(S_k x p) . H, H the momentum of what is beyond.
// M_hat has more in it: what drives and a medium answer with, which may go by the velocity, too.
// Source: derived here. Guaranteed: exact up to rounding. Known to fail: nothing.
#include <string.h>

#include "engine/derivative/step_implicit_internal.h"
#include "engine/dynamics/tree_factor.h"
#include "engine/model/joint/joint_traits_internal.h"
#include "engine/rows/row_plan_internal.h"

int ts_step_leverage_take(const ts_sim* sim, const ts_step_implicit* p, ts_arena* scratch, ts_step_leverage* out) {
    *out = (ts_step_leverage){.k = p->kinematics};
    out->velocity = TS_ARENA_ARRAY(scratch, double, sim->model->nv);
    out->slope = TS_ARENA_ARRAY(scratch, double, sim->model->nv);
    out->by_v = TS_ARENA_ARRAY(scratch, double, sim->model->nv);
    out->scratch = scratch;
    out->momentum = TS_ARENA_ARRAY(scratch, ts_force, sim->model->body_count);
    out->k.dof_velocity = TS_ARENA_ARRAY(scratch, double, sim->model->nv);
    out->k.body_velocity = TS_ARENA_ARRAY(scratch, ts_motion, sim->model->body_count);
    out->k.body_bias = TS_ARENA_ARRAY(scratch, ts_motion, sim->model->body_count);
    return !scratch->failed;
}

// 2 (S x p) . H of all dofs of a tree: -w^T dM w.
static void find_slopes(const ts_model* model, int t, ts_step_leverage* l) {
    const ts_kinematics* k = &l->k;
    const ts_kinematic_tree* span = &model->tree[t];
    for (int i = span->body_first; i < span->body_first + span->body_count; ++i) {
        int b = model->tree_body[i];
        ts_inertia inertia = ts_kinematics_inertia(model, k, b);
        l->momentum[b] = ts_inertia_mul(&inertia, k->body_velocity[b]);
    }
    for (int i = span->body_first + span->body_count - 1; i >= span->body_first; --i) {
        int b = model->tree_body[i], parent = model->body[b].parent, inside = model->body[parent].tree >= 0;
        ts_motion carrier = inside ? k->body_velocity[parent] : ts_motion_zero();
        for (int j = model->body[b].joint_first; j < model->body[b].joint_first + model->body[b].joint_count; ++j) {
            const ts_joint_traits* traits = ts_joint_traits_of(model->joint[j].type);
            int first = model->joint[j].dof_first, turn = first + traits->numbers;
            int end = traits->quaternion ? turn + 3 : turn;
            ts_motion at = carrier;
            for (int d = first; d < end; ++d) {
                // The axes of a quaternion turn with each other.
                if (d <= turn) at = carrier;
                l->slope[d] =
                    2.0 * ts_motion_dot_force(ts_motion_cross(ts_kinematics_axis(model, k, d), at), l->momentum[b]);
                carrier = ts_motion_add_scaled(carrier, k->dof_velocity[d], ts_kinematics_axis(model, k, d));
            }
        }
        if (inside) l->momentum[parent] = ts_force_add(l->momentum[parent], l->momentum[b]);
    }
}

int ts_step_leverage_find(const ts_sim* sim, const ts_step_implicit* p, int b, const double* along,
                          ts_step_leverage* l) {
    const ts_row_plan* plan = ts_sim_storage_of(sim)->row_plan;
    const ts_model* model = sim->model;
    int rows = sim->problem.block[b].rows;
    memset(l->velocity, 0, (size_t)model->nv * sizeof(double));
    memset(l->slope, 0, (size_t)model->nv * sizeof(double));
    memset(l->by_v, 0, (size_t)model->nv * sizeof(double));
    l->G = 0.0;
    for (int s = plan->segment_start[b]; s < plan->segment_start[b + 1]; ++s) {
        const ts_delassus_segment* g = &plan->segment[s];
        for (int i = 0; i < g->count; ++i) {
            double entry = 0.0;
            for (int r = 0; r < rows; ++r) entry += along[r] * g->J[r * g->count + i];
            l->velocity[g->column + i] = entry;
            l->G += entry * entry;
        }
    }
    for (int s = plan->segment_start[b]; s < plan->segment_start[b + 1]; ++s) {
        int t = model->dof[plan->segment[s].column].tree, first = model->tree[t].dof_first, seen = 0;
        for (int r = plan->segment_start[b]; r < s; ++r) seen = seen || model->dof[plan->segment[r].column].tree == t;
        if (seen) continue;
        ts_tree_factor_unwhiten(model, t, p->L + p->mass_start[t], p->inverse + first, 1, l->velocity + first);
        ts_step_move_tree(model, t, l->velocity + first, &l->k);
        find_slopes(model, t, l);
        ts_step_drives_add_inertia(sim, t, l->velocity + first, -1.0, l->scratch, l->slope + first, l->by_v + first);
        if (!ts_step_fluid_add_inertia(sim, t, l->velocity + first, -1.0, l->scratch, l->slope + first,
                                       l->by_v + first))
            return 0;
    }
    return 1;
}
