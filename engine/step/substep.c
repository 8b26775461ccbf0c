// Substeps: one search for contacts, many short solves.
//
// Problem: what sweeps leave of a long step's problem grows with the square of the step, and the sweeps' cost with their number; the search for
// contacts costs the same however short the step is. Rule: contacts are found once, at the beginning of the step. Then n substeps follow, each a
// whole step of h / n (dynamics, rows, solve, integration) but for the search: a contact's two surface points move with their bodies, its
// frame stays, and its gap is their distance along the normal. Impulses go from one substep to the next as they go from step to step. Of a
// penetration the share `baumgarte` is pushed out in the whole step, so each substep asks for an n-th of it (ts_options_of_substep); a contact
// bounces in the substep in which its gap closes, and has carried an impulse from then on.
// Source: small steps in place of iterations, Macklin and others 2019 (Small Steps in Physics Simulation); contacts carried along with
// their anchors, Catto, Box2D 3 (2024).
// Guaranteed: where bodies move without turning, gaps are exact, and n substeps are n steps of h / n that search anew, but for contacts that come or
// go within the step. Turning by an angle a within the step moves the true contact by at most the size of its features times a, and its normal by a.
// Every substep's problem is judged; a step's report is the worst of them.
// Known to fail: what is not within the contact margin when the step begins is not seen before the next one. Contacts of features that are left
// behind within a step act on until it ends.
#include "engine/step/substep_internal.h"

#include <math.h>
#include <string.h>

#include "engine/rows/contact_internal.h"
#include "engine/sim_internal.h"
#include "engine/step/pile_internal.h"
#include "engine/step/pile_start_internal.h"

/// A contact while it is carried.
typedef struct ts_carried_contact {
    ts_vec3 on_a, on_b;                // m, where its surfaces are, in the frames of their bodies
    ts_vec3 velocity_before;           // of the first substep
    ts_vec3 impulse, angular_impulse;  // of all substeps so far, contact frame
} ts_carried_contact;

int ts_substep_is_later(const ts_sim* sim) { return ts_sim_storage_of(sim)->substep > 0; }

int ts_substep_note(ts_sim* sim) {
    ts_sim_storage* storage = ts_sim_storage_of(sim);
    if (storage->substep_count <= 1) return 1;
    if (!ts_pile_open(sim)) return 0;
    if (storage->pile) {
        storage->after_contacts = ts_arena_scope_begin(&sim->scratch);
        return 1;
    }
    storage->carried =
        (ts_carried_contact*)ts_arena_alloc_zeroed(&sim->scratch, (size_t)sim->contact_count, sizeof *storage->carried);
    if (sim->contact_count > 0 && !storage->carried) return 0;
    for (int i = 0; i < sim->contact_count; ++i) {
        const ts_contact* contact = &sim->contact[i];
        ts_vec3 half = ts_vec3_scale(0.5 * contact->gap, ts_mat3_column(&contact->frame, 2));
        ts_vec3 a = ts_vec3_sub(contact->position, half), b = ts_vec3_add(contact->position, half);
        storage->carried[i].on_a = ts_transform_point_inverse(&sim->kinematics.body_pose[contact->body_a], a);
        storage->carried[i].on_b = ts_transform_point_inverse(&sim->kinematics.body_pose[contact->body_b], b);
    }
    storage->after_contacts = ts_arena_scope_begin(&sim->scratch);
    return 1;
}

void ts_substep_carry(ts_sim* sim) {
    ts_sim_storage* storage = ts_sim_storage_of(sim);
    ts_step_info* info = &sim->info;
    int first, last;
    ts_arena_scope_end(&sim->scratch, storage->after_contacts);
    ts_step_info nothing = {.contact_count = sim->contact_count};
    *info = nothing;
    if (storage->pile) {
        ts_pile_move_on(sim);
        return;
    }
    ts_sim_move_on(sim);
    ts_contact_memory(sim, &first, &last);
    for (int i = 0; i < sim->contact_count; ++i) {
        ts_contact* contact = &sim->contact[i];
        ts_vec3 a = ts_transform_point(&sim->kinematics.body_pose[contact->body_a], storage->carried[i].on_a);
        ts_vec3 b = ts_transform_point(&sim->kinematics.body_pose[contact->body_b], storage->carried[i].on_b);
        contact->position = ts_vec3_scale(0.5, ts_vec3_add(a, b));
        contact->gap = ts_vec3_dot(ts_vec3_sub(b, a), ts_mat3_column(&contact->frame, 2));
        if (-contact->gap > info->worst_penetration) info->worst_penetration = -contact->gap;
        // Remembered in the order of contacts.
        storage->contact_memory_index[i] = first + i;
    }
}

// What contacts did in a substep, on top of those before it.
static void add_impulses(ts_sim* sim) {
    ts_sim_storage* storage = ts_sim_storage_of(sim);
    if (storage->pile) return;
    for (int i = 0; i < sim->contact_count; ++i) {
        ts_carried_contact* carried = &storage->carried[i];
        if (storage->substep == 0) carried->velocity_before = sim->contact[i].velocity_before;
        carried->impulse = ts_vec3_add(carried->impulse, sim->contact[i].impulse);
        if (sim->contact_rare)
            carried->angular_impulse = ts_vec3_add(carried->angular_impulse, sim->contact_rare[i].angular_impulse);
    }
}

static void show_impulses(ts_sim* sim) {
    const ts_sim_storage* storage = ts_sim_storage_of(sim);
    if (storage->pile) {
        ts_pile_close(sim);
        return;
    }
    for (int i = 0; i < sim->contact_count; ++i) {
        sim->contact[i].velocity_before = storage->carried[i].velocity_before;
        sim->contact[i].impulse = storage->carried[i].impulse;
        if (sim->contact_rare) sim->contact_rare[i].angular_impulse = storage->carried[i].angular_impulse;
    }
}

// The worst of both, number by number; a NaN stays.
static void join_worst(double* all, const double* next, size_t bytes) {
    for (size_t i = 0; i < bytes / sizeof(double); ++i)
        if (next[i] > all[i] || isnan(next[i])) all[i] = next[i];
}

static void join_info(ts_step_info* all, const ts_step_info* next) {
    if (next->solve.status > all->solve.status) all->solve.status = next->solve.status;
    if (next->solve.stage > all->solve.stage) all->solve.stage = next->solve.stage;
    all->solve.iterations += next->solve.iterations;
    if (next->islands.islands > all->islands.islands) all->islands.islands = next->islands.islands;
    if (next->islands.largest > all->islands.largest) all->islands.largest = next->islands.largest;
    if (next->row_count > all->row_count) all->row_count = next->row_count;
    all->islands.not_converged += next->islands.not_converged;
    all->held_back += next->held_back;
    all->blocked += next->blocked;
    all->unsolved_rotations += next->unsolved_rotations;
    join_worst(&all->unmet, &next->unmet, sizeof all->unmet);
    join_worst((double*)&all->own, (const double*)&next->own, sizeof all->own);
    join_worst((double*)&all->residual, (const double*)&next->residual, sizeof all->residual);
    join_worst(&all->worst_penetration, &next->worst_penetration, sizeof all->worst_penetration);
    all->seconds_kinematics += next->seconds_kinematics;
    all->seconds_dynamics += next->seconds_dynamics;
    all->seconds_assemble += next->seconds_assemble;
    all->seconds_solve += next->seconds_solve;
    all->seconds_integrate += next->seconds_integrate;
    all->seconds_total += next->seconds_total;
}

// The books of one substep after those of the ones before it, as the books of one step.
static void join_books(ts_ledger* all, const ts_ledger* next) {
    for (int i = 0; i < TS_LEDGER_ACCOUNTS; ++i) all->work[i] += next->work[i];
    all->remainder += next->remainder;
    all->within += next->within;
    all->outside += next->outside;
}

static void show_books(ts_ledger* ledger, const ts_ledger* all, long long steps) {
    ledger->start = all->start;
    memcpy(ledger->work, all->work, sizeof ledger->work);
    ledger->remainder = all->remainder;
    ledger->within = all->within;
    ledger->outside = all->outside;
    ledger->steps = steps;
}

ts_code ts_substep_run(ts_sim* sim, ts_code (*substep)(ts_sim* sim, ts_status* out_status), ts_status* out_status) {
    ts_sim_storage* storage = ts_sim_storage_of(sim);
    ts_options options = sim->options;
    ts_step_info info;
    ts_ledger* ledger = storage->ledger;
    ts_ledger books = {.steps = 0};
    long long steps = sim->step_count, booked = ledger ? ledger->steps : 0;
    double end = sim->time + options.time_step;
    ts_code code = TS_OK;
    sim->options = ts_options_of_substep(&options);
    storage->substep_count = options.substeps;
    storage->pile = NULL;
    storage->has_means = strcmp(sim->solver->name, "ncp-pgs") == 0;
    for (storage->substep = 0; storage->substep < options.substeps && !code; ++storage->substep) {
        storage->leak = storage->has_means && storage->substep == 0 ? ts_pile_leak(options.substeps) : 0.0;
        code = substep(sim, out_status);
        if (code) break;
        add_impulses(sim);
        if (storage->substep == 0) {
            info = sim->info;
            if (ledger) books = *ledger;
        } else {
            join_info(&info, &sim->info);
            if (ledger) join_books(&books, ledger);
        }
    }
    sim->options = options;
    storage->substep = storage->substep_count = storage->has_means = 0;
    storage->leak = 0.0;
    if (code) {
        storage->pile = NULL;
        // Of a pile that did not get to its end nobody can tell.
        if (!sim->contact) sim->contact_count = 0;
        sim->step_count = steps;
        return code;
    }
    sim->step_count = steps + 1;
    sim->time = end;
    sim->info = info;
    show_impulses(sim);
    if (ledger) show_books(ledger, &books, booked + 1);
    return TS_OK;
}
