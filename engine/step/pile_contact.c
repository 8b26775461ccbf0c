// What contacts of a pile are like, for whoever asks.
//
// Problem: what changes of a contact is in the pairs, what is its pair of geoms' own is with that, and to write all of it once more would be a third of what
// a step of a pile holds. Rule: it is put together when somebody asks: frame, levers, gap, velocity and impulse are those of the pairs, the key is that of
// the geoms and the feature, and how it moved when the step began follows from the velocities that bodies had. It has moved on with its bodies, half-way
// between where A and B carry it. Contacts of sleepers are the bed's.
// Source: own.
// Guaranteed: the same bits whenever it is asked, until another step begins; no memory.
// Known to fail: nothing of its own.
#include "engine/rows/contact_order_internal.h"
#include "engine/step/pile_internal.h"
#include "engine/step/pile_start_internal.h"
#include "engine/step/sleep_internal.h"

static ts_contact put_together(const ts_sim* sim, const ts_pile* pile, int i) {
    const ts_sim_storage* storage = ts_sim_storage_of(sim);
    const ts_contact_run* run = ts_contact_run_of(sim, i);
    const ts_pair_group* group = ts_pairs_group(pile->pairs, i);
    int lane;
    const ts_pair_point* point = ts_pairs_point(pile->pairs, i, &lane);
    const ts_pair_track* track = ts_pairs_track(pile->pairs, i, &lane);
    ts_contact contact = {.geom_a = run->geom[0],
                          .geom_b = run->geom[1],
                          .body_a = run->body[0],
                          .body_b = run->body[1],
                          .key = ts_contact_label(run->geom[0], run->geom[1]) | storage->contact_note[i].feature,
                          .frame = ts_pair_frame(group, lane),
                          .gap = track->gap[lane],
                          .velocity = ts_pair_vector_get(&track->velocity, lane),
                          .velocity_before = ts_pairs_velocity(pile->pairs, i, pile->before),
                          .surface = {run->friction, run->restitution, 3},
                          .block = i,
                          .persistent = storage->contact_memory_index[i] >= 0};
    contact.impulse = ts_vec3_add(ts_pair_vector_get(&point->lambda, lane), ts_pair_vector_get(&track->total, lane));
    ts_contact_axes axes = ts_contact_axes_of(&contact.frame);
    ts_four middle = ts_pile_middle(pile, i, &axes);
    ts_vec3 lever = ts_pair_lever_on_a(group, point, lane);
    ts_four_store_three(ts_four_plus(middle, ts_contact_along(&axes, lever)), &contact.position.x);
    return contact;
}

ts_contact ts_sim_contact(const ts_sim* sim, int i) {
    if (sim->contact) return sim->contact[i];
    const ts_sim_storage* storage = ts_sim_storage_of(sim);
    int solved = ts_sleep_solved(sim);
    return i < solved ? put_together(sim, storage->left, i) : storage->bed->contact.data[i - solved];
}
