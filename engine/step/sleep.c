// Falling asleep.
//
// Problem: most of a large scene is at rest most of the time, and costs as much as what moves. Rule: bodies act on each other through rows, and
// those that do, directly or through others, are an island. When no point of an island has moved faster than `sleep_speed`, or farther than
// `sleep_distance` since it is quiet, for the time `sleep`, the island sleeps: velocities are zero, positions stay to the bit, nothing is collided,
// assembled or solved, and contacts keep the impulses and the verdicts of the last step that solved them. What wakes it is in wake.c.
// Speeds are bounds: of a chain of joints the sum of what each does at its rate to what lies farthest from it, at rest pose. The way is
// measured likewise, from the positions in which the tree became quiet, so what creeps slowly stays awake.
// Guaranteed: who is awake does not feel who sleeps, to the bit, until they touch: rows of an island have no other island's velocities in
// them, and blocks keep their order among each other when others are left out. The energy that is taken is booked (TS_LEDGER_SLEEP).
// Known to fail: what is slower than the bounds and would get fast is stopped: a pencil that stands on its tip, a pendulum of a day's period. Two
// judgements are of a whole step: demands that contradict each other (yield.c) are looked for in all islands when one has not converged, and sweeps
// of piles in substeps go on until all of them have; there a sleeping island that had not converged is not there any more.
// Source: the bound by time is that of every engine; islands that stay whole, and ask from outside: this one's own.
#include "engine/step/sleep_internal.h"

#include <math.h>
#include <string.h>

#include "engine/actuation/actuation_internal.h"
#include "engine/model/joint/joint_traits_internal.h"
#include "engine/rows/contact_order_internal.h"
#include "engine/rows/row_plan_internal.h"
#include "engine/sensor/sensor_kind_internal.h"
#include "engine/step/certify.h"
#include "engine/step/integrate_internal.h"
#include "engine/step/ledger_internal.h"

// --- how fast, and how far ---------------------------------------------------------------------------------------------

// What values of a joint's degrees of freedom (rates, or how far it went) move at most, m/s or m.
static double way_of_joint(const ts_joint* joint, const double* value, const double* reach) {
    const double *x = value + joint->dof_first, *r = reach + joint->dof_first;
    switch (joint->type) {
    case TS_JOINT_FREE: return ts_vec3_norm(ts_vec3_load(x)) + r[3] * ts_vec3_norm(ts_vec3_load(x + 3));
    case TS_JOINT_BALL: return r[0] * ts_vec3_norm(ts_vec3_load(x));
    default: break;
    }
    double sum = 0.0;
    for (int i = 0; i < ts_joint_type_nv(joint->type); ++i) sum += r[i] * fabs(x[i]);
    return sum;
}

// The most that a point of the tree moves.
static double way_of_tree(const ts_sim* sim, int t, const double* value) {
    const ts_model* model = sim->model;
    ts_bed* bed = ts_sim_storage_of(sim)->bed;
    const ts_kinematic_tree* tree = &model->tree[t];
    double most = 0.0;
    for (int i = 0; i < tree->body_count; ++i) {
        int b = model->tree_body[tree->body_first + i];
        const ts_body* body = &model->body[b];
        double way = i > 0 ? bed->way[body->parent] : 0.0;
        for (int j = body->joint_first; j < body->joint_first + body->joint_count; ++j)
            way += way_of_joint(&model->joint[j], value, bed->reach);
        bed->way[b] = way;
        if (!(way <= most)) most = way;  // a NaN stays
    }
    return most;
}

// How far it went from where it became quiet.
static double drift_of_tree(const ts_sim* sim, int t) {
    const ts_model* model = sim->model;
    ts_bed* bed = ts_sim_storage_of(sim)->bed;
    const ts_kinematic_tree* tree = &model->tree[t];
    for (int d = tree->dof_first; d < tree->dof_first + tree->dof_count; ++d) {
        const ts_joint* joint = &model->joint[model->dof[d].joint];
        if (d != joint->dof_first) continue;
        ts_joint_difference(joint->type, bed->place + joint->qpos_first, sim->qpos + joint->qpos_first, 1.0,
                            bed->change + d);
    }
    return way_of_tree(sim, t, bed->change);
}

static void note_place(const ts_sim* sim, int t) {
    const ts_model* model = sim->model;
    const ts_kinematic_tree* tree = &model->tree[t];
    double* place = ts_sim_storage_of(sim)->bed->place;
    for (int d = tree->dof_first; d < tree->dof_first + tree->dof_count; ++d) {
        const ts_joint* joint = &model->joint[model->dof[d].joint];
        if (d != joint->dof_first) continue;
        memcpy(place + joint->qpos_first, sim->qpos + joint->qpos_first,
               (size_t)ts_joint_type_nq(joint->type) * sizeof(double));
    }
}

static void say(ts_tree_rest* rest, ts_sleep_reason reason, double value, int other) {
    rest->state.reason = reason;
    rest->state.value = value;
    rest->state.other = other;
}

// Whether tree t alone could sleep; says why not.
static int is_ready(ts_sim* sim, int t) {
    const ts_options* options = &sim->options;
    ts_bed* bed = ts_sim_storage_of(sim)->bed;
    ts_tree_rest* rest = &bed->tree[t];
    double speed = way_of_tree(sim, t, sim->qvel), drift = drift_of_tree(sim, t);
    int moves = !(speed <= options->sleep_speed), drifts = !(drift <= options->sleep_distance);
    rest->quiet += options->time_step;
    if (moves || drifts) {
        rest->quiet = 0.0;
        note_place(sim, t);
    }
    if (bed->barred[t] != TS_SLEEP_NONE)
        say(rest, (ts_sleep_reason)bed->barred[t], 0.0, -1);
    else if (bed->driven[t])
        say(rest, TS_SLEEP_DRIVEN, 0.0, -1);
    else if (moves)
        say(rest, TS_SLEEP_MOVES, speed, -1);
    else if (drifts)
        say(rest, TS_SLEEP_DRIFTS, drift, -1);
    else if (rest->quiet < options->sleep * (1.0 - 1e-9))  // steps add up with rounding
        say(rest, TS_SLEEP_SETTLES, rest->quiet, -1);
    else
        return 1;
    return 0;
}

// --- islands -----------------------------------------------------------------------------------------------------------

static int find_root(int* root, int t) {
    while (root[t] != t) t = root[t] = root[root[t]];
    return t;
}

// The first tree of both islands stands for them. A tree of -1 joins nothing.
static void join(int* root, int a, int b) {
    if (a < 0 || b < 0) return;
    a = find_root(root, a);
    b = find_root(root, b);
    if (a < b)
        root[b] = a;
    else
        root[a] = b;
}

static void join_lever(const ts_sim* sim, int* root, const ts_lever* lever) {
    for (int k = 1; lever && k < lever->chain_count; ++k)
        join(root, sim->model->dof[lever->chain[0]].tree, sim->model->dof[lever->chain[k]].tree);
}

// What acts on each other in the step: contacts, other rows, and what pulls without being one. What rows are there is told by the plan, or of
// a pile (step/pile.c) by its contacts.
static void join_all(const ts_sim* sim) {
    const ts_model* model = sim->model;
    const ts_sim_storage* storage = ts_sim_storage_of(sim);
    const ts_row_plan* plan = storage->row_plan;
    ts_bed* bed = storage->bed;
    for (int t = 0; t < model->tree_count; ++t) bed->root[t] = t;
    memset(bed->driven, 0, (size_t)model->tree_count);
    for (int r = 0; r < storage->run_count; ++r) {
        const ts_contact_run* run = &storage->contact_run[r];
        int a = model->body[run->body[0]].tree, b = model->body[run->body[1]].tree, drives = 0;
        join(bed->root, a, b);
        for (int k = 0; k < run->count && run->kind & TS_CONTACT_RUN_RARE; ++k)
            drives = drives || ts_vec3_max_abs(ts_sim_contact_rare(sim, run->first + k)->drift) != 0.0;
        if (a >= 0 && drives) bed->driven[a] = 1;
        if (b >= 0 && drives) bed->driven[b] = 1;
    }
    for (int i = 0; i < ts_actuation_drive_count(model); ++i) join_lever(sim, bed->root, storage->drive[i].lever);
    if (storage->unshown) return;
    for (int b = 0; b < sim->problem.block_count; ++b)
        for (int s = plan->segment_start[b] + 1; s < plan->segment_start[b + 1]; ++s)
            join(bed->root, model->dof[plan->segment[plan->segment_start[b]].column].tree,
                 model->dof[plan->segment[s].column].tree);
}

// Whether anything is to fall asleep; says of every tree that is awake why it is.
static int judge(ts_sim* sim) {
    const ts_sim_storage* storage = ts_sim_storage_of(sim);
    ts_bed* bed = storage->bed;
    int count = sim->model->tree_count, any = 0;
    for (int t = 0; t < count; ++t) bed->holds[t] = -1;
    for (int t = 0; t < count; ++t) {
        if (storage->tree_asleep[t]) continue;
        int r = bed->root[t] = find_root(bed->root, t);
        if (!is_ready(sim, t) && bed->holds[r] < 0) bed->holds[r] = t;
    }
    for (int t = 0; t < count; ++t) {
        int holder = bed->holds[bed->root[t]];
        if (storage->tree_asleep[t]) continue;
        if (holder < 0)
            any = 1;
        else if (bed->tree[t].quiet >= sim->options.sleep * (1.0 - 1e-9) && bed->barred[t] == TS_SLEEP_NONE &&
                 !bed->driven[t])
            say(&bed->tree[t], TS_SLEEP_PARTNER, 0.0, sim->model->tree[holder].root);
    }
    return any;
}

// --- sleep itself ------------------------------------------------------------------------------------------------------

// What few contacts have, of contact i, which becomes the bed's next: of all there or of none. Returns 0 when memory is short.
static int keep_rare(const ts_sim* sim, int i) {
    ts_bed* bed = ts_sim_storage_of(sim)->bed;
    int had = bed->rare.count, count = bed->contact.count;
    if (had == 0 && !sim->contact_rare) return 1;
    if (!ts_sleeping_rare_array_resize(&bed->rare, count + 1)) return 0;
    memset(bed->rare.data + had, 0, (size_t)(count - had) * sizeof *bed->rare.data);
    bed->rare.data[count] = *ts_sim_contact_rare(sim, i);
    return 1;
}

// Contacts that lie down, with what they are certified to do. Returns 0 when memory is short.
static int keep_contacts(ts_sim* sim) {
    const ts_sim_storage* storage = ts_sim_storage_of(sim);
    ts_bed* bed = storage->bed;
    ts_arena* scratch = &storage->solve_scratch[0];
    ts_arena_scope scope = ts_arena_scope_begin(scratch);
    ts_contact_certificate certificate;
    int ok = ts_certify_step(sim, TS_CERTIFICATE_FAST, scratch, &certificate) == TS_OK;
    for (int i = 0; ok && i < ts_sleep_solved(sim); ++i) {
        ts_contact contact = ts_sim_contact(sim, i);
        if (!ts_sim_body_sleeps(sim, contact.body_a) && !ts_sim_body_sleeps(sim, contact.body_b)) continue;
        ts_contact_verdict verdict = {.block = -1};
        if (contact.block >= 0) verdict = certificate.verdict[contact.block];
        contact.block = -1;
        contact.asleep = 1;
        ok = keep_rare(sim, i) && ts_sleeping_contact_array_push(&bed->contact, contact) &&
             ts_sleeping_verdict_array_push(&bed->verdict, verdict);
    }
    ts_arena_scope_end(scratch, scope);
    return ok;
}

static void stop_tree(ts_sim* sim, int t) {
    ts_sim_storage* storage = ts_sim_storage_of(sim);
    const ts_kinematic_tree* tree = &sim->model->tree[t];
    size_t bytes = (size_t)tree->dof_count * sizeof(double);
    storage->tree_asleep[t] = TS_TREE_FELL;
    ++storage->asleep_count;
    memset(sim->qvel + tree->dof_first, 0, bytes);
    memset(sim->free_velocity + tree->dof_first, 0, bytes);
    memset(storage->new_velocity + tree->dof_first, 0, bytes);
    memset(&storage->spin_memory[t], 0, sizeof storage->spin_memory[t]);
    note_place(sim, t);
}

static ts_code fall_asleep(ts_sim* sim) {
    ts_sim_storage* storage = ts_sim_storage_of(sim);
    ts_bed* bed = storage->bed;
    int count = sim->model->tree_count, before = storage->asleep_count;
    int* size = (int*)ts_arena_alloc_zeroed(&sim->scratch, (size_t)count, sizeof(int));
    if (!size) return TS_ERROR_MEMORY;
    for (int t = 0; t < count; ++t) size[bed->root[t]] += !storage->tree_asleep[t];
    for (int t = 0; t < count; ++t) {
        ts_tree_rest* rest = &bed->tree[t];
        if (storage->tree_asleep[t] || bed->holds[bed->root[t]] >= 0) continue;
        rest->island = bed->root[t];
        say(rest, TS_SLEEP_ASLEEP, size[bed->root[t]], -1);
        rest->state.since = sim->time;
        stop_tree(sim, t);
    }
    for (int i = 0; i < sim->model->sensor_count; ++i) {
        const ts_sensor* sensor = &sim->model->sensor[i];
        size_t bytes = (size_t)sensor->size * sizeof(double);
        // Who slept before has it already, and shows it.
        if (ts_sensor_is_held(sim, i)) memcpy(bed->sensor + sensor->first, sim->sensor + sensor->first, bytes);
    }
    sim->info.fell_asleep = storage->asleep_count - before;
    if (!keep_contacts(sim) || !ts_sleep_lay_down(sim)) return TS_ERROR_MEMORY;
    ts_ledger_put_to_sleep(sim);
    return TS_OK;
}

ts_code ts_sleep_end(ts_sim* sim) {
    ts_sim_storage* storage = ts_sim_storage_of(sim);
    ts_code code = TS_OK;
    if (!storage->bed) return TS_OK;
    if (sim->options.sleep > 0.0 && storage->asleep_count < sim->model->tree_count) {
        join_all(sim);
        if (judge(sim)) code = fall_asleep(sim);
    }
    sim->info.asleep = storage->asleep_count;
    sim->info.woken = storage->bed->woken;
    storage->bed->woken = 0;
    return code;
}

// --- what is seen of it ------------------------------------------------------------------------------------------------

void ts_sleep_show(ts_sim* sim) {
    const ts_bed* bed = ts_sim_storage_of(sim)->bed;
    if (!bed || bed->contact.count == 0 || sim->asleep_contacts > 0) return;
    if (sim->contact)
        memcpy(sim->contact + sim->contact_count, bed->contact.data,
               (size_t)bed->contact.count * sizeof *bed->contact.data);
    if (bed->rare.count > 0)
        memcpy(sim->contact_rare + sim->contact_count, bed->rare.data,
               (size_t)bed->rare.count * sizeof *bed->rare.data);
    sim->contact_count += bed->contact.count;
    sim->asleep_contacts = bed->contact.count;
}

void ts_sleep_hide(ts_sim* sim) {
    sim->contact_count -= sim->asleep_contacts;
    sim->asleep_contacts = 0;
}

void ts_sleep_hold_sensor(ts_sim* sim, const ts_sensor* sensor) {
    memcpy(sim->sensor + sensor->first, ts_sim_storage_of(sim)->bed->sensor + sensor->first,
           (size_t)sensor->size * sizeof(double));
}

const ts_contact_verdict* ts_sleep_verdict(const ts_sim* sim, int i) {
    return &ts_sim_storage_of(sim)->bed->verdict.data[i - ts_sleep_solved(sim)];
}
