// Waking.
//
// Problem: what sleeps is not looked at, so whatever could move it has to be seen elsewhere. Rule: an island wakes as a whole, with its impulses to
// start from, when one of its trees
//     is touched: a contact, within the margin, with a body that is awake (ts_sleep_touched; the broad phase sees sleepers, too);
//     lies on or hangs on what was moved from outside (ts_sim.mocap);
//     or gets something else from outside than in the step before: a control, a force or wrench, position or velocity, an equality switched, an
//     option, the solver or a setting of it; or somebody asks for it (ts_sim_wake).
// Each is seen when the step begins, by comparing bits, and the woken are part of that very step. What comes from outside also begins the quiet time
// of those anew that are awake: who is pushed has the time `sleep` to move.
// Guaranteed: nothing else can move a sleeper, since all that acts on it is a function of those.
#include <string.h>

#include "engine/actuation/actuation_internal.h"
#include "engine/rows/contact_order_internal.h"
#include "engine/step/sleep_internal.h"

// The step begins its quiet time anew, and that of its island when it sleeps.
void ts_sleep_wake_tree(ts_sim* sim, int tree, ts_sleep_reason cause, int other) {
    ts_sim_storage* storage = ts_sim_storage_of(sim);
    ts_bed* bed = storage->bed;
    if (tree < 0 || !bed) return;
    bed->tree[tree].quiet = 0.0;
    if (!storage->tree_asleep[tree]) return;
    int island = bed->tree[tree].island;
    for (int t = island; t < sim->model->tree_count; ++t) {
        ts_tree_rest* rest = &bed->tree[t];
        if (!storage->tree_asleep[t] || rest->island != island) continue;
        storage->tree_asleep[t] = TS_TREE_AWAKE;
        --storage->asleep_count;
        ++bed->woken;
        rest->quiet = 0.0;
        rest->state = (ts_sleep_state){cause, 0.0, other, cause, other, sim->time};
    }
}

void ts_sim_wake(ts_sim* sim, int body) {
    if (body < 0 || body >= sim->model->body_count) return;
    ts_sleep_wake_tree(sim, sim->model->body[body].tree, TS_SLEEP_ASKED, -1);
    if (ts_sim_storage_of(sim)->bed) ts_sleep_give_back(sim);
}

void ts_sleep_wake_all(ts_sim* sim, ts_sleep_reason cause) {
    if (!ts_sim_storage_of(sim)->bed) return;
    for (int t = 0; t < sim->model->tree_count; ++t) ts_sleep_wake_tree(sim, t, cause, -1);
    ts_sleep_give_back(sim);
}

static void wake_lever(ts_sim* sim, const ts_lever* lever, ts_sleep_reason cause, int other) {
    for (int k = 0; lever && k < lever->chain_count; ++k)
        ts_sleep_wake_tree(sim, sim->model->dof[lever->chain[k]].tree, cause, other);
}

// --- what has changed --------------------------------------------------------------------------------------------------

// Whether bits differ; takes the new ones over.
static int changed(void* known, const void* now, size_t bytes) {
    if (bytes == 0 || memcmp(known, now, bytes) == 0) return 0;
    memcpy(known, now, bytes);
    return 1;
}

static void see_options(ts_sim* sim) {
    ts_bed* bed = ts_sim_storage_of(sim)->bed;
    // Of sleepers nothing depends on how time is cut; substeps come here with options of their own.
    ts_options now = sim->options;
    now.time_step = now.baumgarte = 0.0;
    now.substeps = 0;
    int other = changed(&bed->options, &now, sizeof now);
    other |= changed(bed->settings, sim->solver_settings, sizeof bed->settings);
    if (other) ts_sleep_wake_all(sim, sim->options.sleep > 0.0 ? TS_SLEEP_OPTION : TS_SLEEP_OFF);
}

static void see_forces(ts_sim* sim) {
    const ts_model* model = sim->model;
    ts_bed* bed = ts_sim_storage_of(sim)->bed;
    for (int d = 0; d < model->nv; ++d)
        if (changed(&bed->force[d], &sim->force_applied[d], sizeof(double)))
            ts_sleep_wake_tree(sim, model->dof[d].tree, TS_SLEEP_FORCE, -1);
    for (int b = 1; b < model->body_count; ++b)
        if (changed(&bed->wrench[b], &sim->wrench_applied[b], sizeof(ts_force)))
            ts_sleep_wake_tree(sim, model->body[b].tree, TS_SLEEP_FORCE, -1);
    for (int i = 0; i < model->actuator_count; ++i)
        if (changed(&bed->ctrl[i], &sim->ctrl[i], sizeof(double)))
            wake_lever(sim, ts_actuation_drive(sim, i)->lever, TS_SLEEP_CONTROL, i);
}

static void wake_equality(ts_sim* sim, int e, ts_sleep_reason cause, int other) {
    const ts_model* model = sim->model;
    const ts_equality* equality = &model->equality[e];
    for (int k = 0; k < 2; ++k) {
        if (equality->body[k] > 0) ts_sleep_wake_tree(sim, model->body[equality->body[k]].tree, cause, other);
        if (equality->joint[k] >= 0)
            ts_sleep_wake_tree(sim, model->body[model->joint[equality->joint[k]].body].tree, cause, other);
        if (equality->tendon[k] >= 0)
            wake_lever(sim, &ts_sim_storage_of(sim)->tendon_lever[equality->tendon[k]], cause, other);
    }
}

static void see_equalities(ts_sim* sim) {
    ts_bed* bed = ts_sim_storage_of(sim)->bed;
    for (int e = 0; e < sim->model->equality_count; ++e)
        if (changed(&bed->equality[e], &sim->equality_active[e], sizeof(int)))
            wake_equality(sim, e, TS_SLEEP_EQUALITY, e);
}

// Who lies on what was moved, or hangs on it; tendons and actuators may end there.
static void wake_of_moved(ts_sim* sim) {
    const ts_model* model = sim->model;
    ts_bed* bed = ts_sim_storage_of(sim)->bed;
    for (int i = 0; i < bed->contact.count; ++i) {
        const ts_contact* contact = &bed->contact.data[i];
        int a = contact->body_a, b = contact->body_b;
        if (bed->moved[a]) ts_sleep_wake_tree(sim, model->body[b].tree, TS_SLEEP_MOVED, a);
        if (bed->moved[b]) ts_sleep_wake_tree(sim, model->body[a].tree, TS_SLEEP_MOVED, b);
    }
    for (int e = 0; e < model->equality_count; ++e)
        for (int k = 0; k < 2; ++k) {
            int b = model->equality[e].body[k];
            if (sim->equality_active[e] && b >= 0 && bed->moved[b]) wake_equality(sim, e, TS_SLEEP_MOVED, b);
        }
    for (int i = 0; i < ts_actuation_drive_count(model); ++i)
        wake_lever(sim, ts_actuation_drive(sim, i)->lever, TS_SLEEP_MOVED, -1);
}

static void see_moved(ts_sim* sim) {
    const ts_model* model = sim->model;
    ts_bed* bed = ts_sim_storage_of(sim)->bed;
    if (model->mocap_count == 0) return;
    bed->any_moved = 0;
    memset(bed->moved, 0, (size_t)model->body_count);
    for (int b = 0; b < model->body_count; ++b) {
        int i = model->body[b].mocap;
        if (i >= 0)
            bed->moved[b] = (unsigned char)changed(bed->mocap + 7 * i, sim->mocap + 7 * i, 7 * sizeof(double));
        else if (model->body[b].tree < 0 && model->body[b].parent >= 0)
            bed->moved[b] = bed->moved[model->body[b].parent];
        bed->any_moved |= bed->moved[b];
    }
    if (bed->any_moved) wake_of_moved(sim);
}

// Sleepers whose position or velocity was set.
static void see_states(ts_sim* sim) {
    const ts_model* model = sim->model;
    ts_sim_storage* storage = ts_sim_storage_of(sim);
    for (int j = 0; j < model->joint_count && storage->asleep_count > 0; ++j) {
        const ts_joint* joint = &model->joint[j];
        int tree = model->body[joint->body].tree, q = joint->qpos_first, still = 1;
        if (!storage->tree_asleep[tree]) continue;
        for (int d = joint->dof_first; d < joint->dof_first + ts_joint_type_nv(joint->type); ++d)
            still = still && sim->qvel[d] == 0.0;
        size_t bytes = (size_t)ts_joint_type_nq(joint->type) * sizeof(double);
        if (!still || memcmp(storage->bed->place + q, sim->qpos + q, bytes) != 0)
            ts_sleep_wake_tree(sim, tree, TS_SLEEP_STATE, -1);
    }
}

// The first look at what comes from outside wakes nobody.
static void learn_inputs(ts_sim* sim) {
    const ts_model* model = sim->model;
    ts_bed* bed = ts_sim_storage_of(sim)->bed;
    bed->options = sim->options;
    bed->options.time_step = bed->options.baumgarte = 0.0;
    bed->options.substeps = 0;
    memcpy(bed->settings, sim->solver_settings, sizeof bed->settings);
    memcpy(bed->force, sim->force_applied, (size_t)model->nv * sizeof(double));
    memcpy(bed->wrench, sim->wrench_applied, (size_t)model->body_count * sizeof(ts_force));
    memcpy(bed->ctrl, sim->ctrl, (size_t)model->actuator_count * sizeof(double));
    memcpy(bed->equality, sim->equality_active, (size_t)model->equality_count * sizeof(int));
    memcpy(bed->mocap, sim->mocap, 7 * (size_t)model->mocap_count * sizeof(double));
    bed->any_moved = 0;
    bed->knows_inputs = 1;
}

int ts_sleep_begin(ts_sim* sim) {
    ts_sim_storage* storage = ts_sim_storage_of(sim);
    if (!storage->bed && !(sim->options.sleep > 0.0)) return 1;
    if (!storage->bed && !ts_sleep_make_bed(sim)) return 0;
    ts_bed* bed = storage->bed;
    if (!bed) return 0;
    if (!bed->knows_inputs) {
        learn_inputs(sim);
    } else {
        see_options(sim);
        see_forces(sim);
        see_equalities(sim);
        see_moved(sim);
        see_states(sim);
    }
    if (bed->woken > 0) ts_sleep_give_back(sim);
    return !bed->failed;
}

// --- touches -----------------------------------------------------------------------------------------------------------

int ts_sleep_keeps_apart(const ts_sim* sim, int body_a, int body_b) {
    const ts_bed* bed = ts_sim_storage_of(sim)->bed;
    const ts_body *a = &sim->model->body[body_a], *b = &sim->model->body[body_b];
    if (bed->any_moved && (bed->moved[body_a] || bed->moved[body_b])) return 0;
    return (a->tree < 0 || ts_sim_tree_sleeps(sim, a->tree)) && (b->tree < 0 || ts_sim_tree_sleeps(sim, b->tree));
}

int ts_sleep_is_total(const ts_sim* sim) {
    const ts_sim_storage* storage = ts_sim_storage_of(sim);
    if (storage->asleep_count == 0 || storage->asleep_count < sim->model->tree_count || storage->bed->any_moved)
        return 0;
    for (int t = 0; t < sim->model->tree_count; ++t)
        if (storage->tree_asleep[t] == TS_TREE_FELL) return 0;
    return 1;
}

void ts_sleep_lie(ts_sim* sim) {
    ts_sim_storage* storage = ts_sim_storage_of(sim);
    for (int t = 0; t < sim->model->tree_count && storage->asleep_count > 0; ++t)
        if (storage->tree_asleep[t] == TS_TREE_FELL) storage->tree_asleep[t] = TS_TREE_LIES;
}

int ts_sleep_touched(ts_sim* sim) {
    ts_sim_storage* storage = ts_sim_storage_of(sim);
    if (storage->asleep_count == 0) return 0;
    int before = storage->asleep_count;
    for (int r = 0; r < storage->run_count; ++r) {
        const ts_contact_run* run = &storage->contact_run[r];
        for (int k = 0; k < 2; ++k) {
            int body = run->body[k], other = run->body[1 - k];
            // Of two sleepers that touch, which happens where something was moved between them, both are known.
            if (ts_sim_body_sleeps(sim, body) && !ts_sim_body_sleeps(sim, other))
                ts_sleep_wake_tree(sim, sim->model->body[body].tree,
                                   sim->model->body[other].tree < 0 ? TS_SLEEP_MOVED : TS_SLEEP_TOUCHED, other);
        }
    }
    if (storage->asleep_count < before) ts_sleep_give_back(sim);
    return before - storage->asleep_count;
}
