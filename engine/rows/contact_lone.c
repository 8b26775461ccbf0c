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
    if (contact->surface.dimension != 3 || contact->surface.restitution > 0.0) return 0;
    if (!sim->contact_rare) return 1;
    ts_vec3 drift = ts_sim_contact_rare(sim, (int)(contact - sim->contact))->drift;
    return drift.x == 0.0 && drift.y == 0.0 && drift.z == 0.0;
}

// What the contacts of a pair share, of those of its bodies that move. Returns how many these are: none where one is no centred lone body.
static int open_sides(const ts_sim* sim, const ts_contact* contact, ts_row_lanes_lone* out_side) {
    const ts_sim_storage* storage = ts_sim_storage_of(sim);
    const int body[2] = {contact->body_a, contact->body_b};
    int moved = 0;
    for (int k = 0; k < 2; ++k) {
        int tree = storage->body_tree[body[k]];
        if (tree < 0) continue;
        if (sim->model->tree[tree].kind != TS_TREE_CENTRED) return 0;
        int first = sim->model->tree[tree].dof_first;
        ts_row_lanes_lone* side = &out_side[moved++];
        side->pose = &sim->kinematics.body_pose[body[k]];
        side->sign = k ? 1.0 : -1.0;
        side->L = sim->mass_factor + sim->mass_start[tree];
        side->inverse = ts_sim_inverse_diagonal(sim, tree);
        side->now = sim->qvel + first;
        side->free = sim->free_velocity + first;
    }
    return moved;
}

// Block b; `at` is the first of its rows from those of the place on.
static void fill(ts_sim* sim, const ts_row_block* owner, ts_row_lanes_lone* side, int moved, int at,
                 const ts_row_place* place) {
    ts_contact* contact = &sim->contact[owner->item];
    double now[TS_ROW_LANES] = {0.0}, free[TS_ROW_LANES] = {0.0}, *reference = place->reference + at;
    for (int k = 0; k < moved; ++k) side[k].point = contact->position, side[k].frame = &contact->frame;
    ts_row_lanes_three(side, moved, now, free, place->J + (ptrdiff_t)(6 * moved) * at);
    int bounces;
    ts_reference_input input = {contact->gap, 0.0, now[2], free[2], 0};
    reference[2] = ts_contact_reference(&sim->options, &input, &bounces);
    ts_vec3 start = ts_vec3_zero();
    const ts_row_memory* known = sim->row_memory.data;
    if (owner->memory >= 0 && ts_contact_start_of(sim, contact, &known[owner->memory], now[2], &start) != 0.0)
        ts_vec3_store(start, place->impulse + at);
    // The surfaces run nowhere: less nothing is what it was.
    ts_vec3_store(ts_vec3_make(free[0], free[1], free[2] - reference[2]), place->g + at);
    // Of nothing, which makes zeros positive.
    contact->velocity_before = ts_vec3_make(now[0] + 0.0, now[1] + 0.0, now[2]);
    if (place->before) ts_vec3_store(ts_vec3_load(now), place->before + at);
}

int ts_contact_fill_lone(ts_sim* sim, const ts_row_plan* plan, int b, int end, const ts_row_place* place) {
    const ts_row_block *first = &plan->owner[b], *owner = first, *last = plan->owner + end;
    ts_row_lanes_lone side[2];
    if (!is_plain(sim, &sim->contact[first->item])) return 0;
    int moved = open_sides(sim, &sim->contact[first->item], side);
    if (moved == 0 || plan->segment_start[b + 1] - plan->segment_start[b] != moved) return 0;
    do fill(sim, owner, side, moved, 3 * (int)(owner - first), place);
    while (++owner < last && owner->key.whole == first->key.whole && owner->source == first->source &&
           is_plain(sim, &sim->contact[owner->item]));
    return (int)(owner - first);
}
