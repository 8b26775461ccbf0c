// Contacts of lone bodies as blocks of rows, in one go.
//
// Problem: in a heap nearly every block is a frictional contact of one or two centred lone bodies, and to ask its source for rows, pieces and law one
// after the other costs more than the arithmetic. Rule: what contact.c does for such a contact, without what it does not have: rolling, bounces,
// surfaces that run, springs, levers of joints.
// Guaranteed: the bits of contact.c and of step/assemble.c.
#include "engine/rows/contact_internal.h"
#include "engine/rows/row_plan_internal.h"
#include "engine/sim_internal.h"

static int is_plain(const ts_sim* sim, const ts_contact* contact) {
    ts_vec3 drift = ts_sim_contact_rare(sim, contact)->drift;
    return contact->surface.dimension == 3 && !(contact->surface.restitution > 0.0) && drift.x == 0.0 &&
           drift.y == 0.0 && drift.z == 0.0;
}

static ts_row_lanes_lone lone_of(const ts_sim* sim, const ts_contact* contact, int body, int tree, double sign) {
    int first = sim->model->tree[tree].dof_first;
    return (ts_row_lanes_lone){&sim->kinematics.body_pose[body],
                               contact->position,
                               &contact->frame,
                               sign,
                               sim->mass_factor + sim->mass_start[tree],
                               ts_sim_storage_of(sim)->inverse_diagonal + first,
                               sim->qvel + first,
                               sim->free_velocity + first};
}

int ts_contact_fill_lone(ts_sim* sim, const ts_row_plan* plan, int b, double* J, ts_row_speeds* out_speeds,
                         double* out_reference, double* io_impulse) {
    ts_contact* contact = &sim->contact[plan->owner[b].item];
    const int body[2] = {contact->body_a, contact->body_b};
    int moved = 0;
    ts_row_lanes_lone side[2];
    if (!is_plain(sim, contact)) return 0;
    for (int k = 0; k < 2; ++k) {
        int tree = ts_sim_storage_of(sim)->body_tree[body[k]];
        if (tree < 0) continue;
        if (sim->model->tree[tree].kind != TS_TREE_CENTRED) return 0;
        side[moved++] = lone_of(sim, contact, body[k], tree, k ? 1.0 : -1.0);
    }
    if (moved == 0 || plan->segment_start[b + 1] - plan->segment_start[b] != moved) return 0;
    for (int i = 0; i < TS_ROW_LANES; ++i) out_speeds->now[i] = out_speeds->free[i] = 0.0;
    ts_row_lanes_three(side, moved, out_speeds->now, out_speeds->free, J);
    int memory = plan->owner[b].memory, bounces;
    ts_reference_input input = {contact->gap, 0.0, out_speeds->now[2], out_speeds->free[2], 0};
    out_reference[2] = ts_contact_reference(&sim->options, &input, &bounces);
    if (memory >= 0) ts_contact_start(sim, contact, &sim->row_memory.data[memory], out_speeds->now[2], io_impulse);
    // Of nothing, which makes zeros positive.
    contact->velocity_before = ts_vec3_make(out_speeds->now[0] + 0.0, out_speeds->now[1] + 0.0, out_speeds->now[2]);
    return 1;
}
