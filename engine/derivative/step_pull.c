// What pulls contacts together: adhesion of surfaces and suction of actuators, which act from the poses that stand when the step begins.
//
// Problem: contact i pulls B towards A with N_i newtons along its normal, f = -sum_i N_i J_n,i^T, held over the step; N is a number of the surfaces, and an actuator's force
// shared by all contacts of its body (engine/actuation/body_transmission.c). Rule: such a force turns with the contact as its impulse does (step_contact.c finds d(J^T lambda)),
// and what a held force does to the step is by_force of its tree: X = by_force df/dq.
// Source: derived here. Guaranteed: exact up to rounding. Known to fail: where a contact is made
// (the margin) suction is shared by one more, and the step jumps, which no report tells.
#include "engine/derivative/step_pull_internal.h"

#include <string.h>

#include "engine/actuation/actuation_internal.h"
#include "engine/actuation/transmission_internal.h"

int ts_step_drive_is_suction(const ts_sim* sim, int i) {
    if (i >= sim->model->actuator_count) return 0;
    const ts_actuator* a = &sim->model->actuator[i];
    return ts_transmission_at(a->transmission)->target == TS_TARGET_BODY;
}

static int is_of(const ts_contact* contact, int body) { return contact->body_a == body || contact->body_b == body; }

// Shares an actuator's force out to the contacts of its body.
static int share(const ts_sim* sim, int i, double* pull) {
    int body = sim->model->actuator[i].target, count = 0;
    double force = ts_actuation_drive(sim, i)->beside;
    for (int c = 0; c < sim->contact_count; ++c) count += is_of(&sim->contact[c], body);
    for (int c = 0; c < sim->contact_count; ++c)
        if (is_of(&sim->contact[c], body)) pull[c] += force / count;
    return count;
}

// f (nv) of all contacts.
static void gather(const ts_sim* sim, const double* pull, double* force) {
    const ts_model* model = sim->model;
    for (int c = 0; c < sim->contact_count; ++c)
        for (int side = 0; side < 2; ++side) {
            const ts_contact* contact = &sim->contact[c];
            const ts_body* body = &model->body[side ? contact->body_b : contact->body_a];
            if (body->tree < 0) continue;
            ts_vec3 push = ts_vec3_scale(side ? -pull[c] : pull[c], ts_mat3_column(&contact->frame, 2));
            ts_vec3 lever =
                ts_vec3_sub(contact->position, ts_kinematics_origin(sim->model, &sim->kinematics, body->tree));
            ts_force wrench = {.couple = ts_vec3_cross(lever, push), .force = push};
            for (int d = body->dof_last; d >= 0; d = model->dof[d].parent)
                force[d] += ts_motion_dot_force(ts_kinematics_axis(sim->model, &sim->kinematics, d), wrench);
        }
}

int ts_step_pulls_find(const ts_step_task* task, ts_step_implicit* p) {
    const ts_sim* sim = task->sim;
    int any = 0;
    for (int c = 0; sim->contact_rare && c < sim->contact_count; ++c) any = any || sim->contact_rare[c].adhesion != 0.0;
    for (int i = 0; i < sim->model->actuator_count; ++i) any = any || ts_step_drive_is_suction(sim, i);
    if (!any || sim->contact_count == 0) return 1;
    double* pull = (double*)ts_arena_alloc_zeroed(task->arena, (size_t)sim->contact_count, sizeof(double));
    double* force = (double*)ts_arena_alloc_zeroed(task->arena, (size_t)sim->model->nv, sizeof(double));
    if (!pull || !force) return 0;
    for (int c = 0; sim->contact_rare && c < sim->contact_count; ++c) pull[c] = sim->contact_rare[c].adhesion;
    for (int i = 0; i < sim->model->actuator_count; ++i)
        if (ts_step_drive_is_suction(sim, i) && sim->model->actuator[i].active) (void)share(sim, i, pull);
    gather(sim, pull, force);
    p->contact_pull = pull;
    p->pull = force;
    return 1;
}

void ts_step_pull_add(const ts_step_implicit* p, int t, const ts_step_block_slope* slope, const double* turned,
                      double* cross) {
    const ts_step_tree_slope* tree = &p->tree[t];
    int first = p->model->tree[t].dof_first, n = p->model->tree[t].dof_count, count = slope->count;
    for (int i = 0; i < count; ++i) {
        int r = slope->dof[i] - first;
        if (r < 0 || r >= n) continue;
        for (int c = 0; c < count; ++c) {
            double sum = tree->by_force ? 0.0 : p->time_step * turned[i * count + c];
            for (int k = 0; tree->by_force && k < count; ++k) {
                int at = slope->dof[k] - first;
                if (at >= 0 && at < n) sum += tree->by_force[r * n + at] * turned[k * count + c];
            }
            int of = slope->dof[c] - first;
            if (of >= 0 && of < n)
                tree->by_q[r * n + of] += sum;
            else if (cross)
                cross[i * count + c] += sum;
        }
    }
}
