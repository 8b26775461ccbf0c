// Problem: a picture takes long and a step takes long, and neither shall wait for the other. Rule: between two steps everything that is
// drawn or listed is copied, pointers and all, into memory of the picture's own. Guaranteed: states are left as they are to the bit. Known
// to fail: what is not listed in shadow_internal.h is not there.
#include "viewer/session/shadow_internal.h"

#include <stdio.h>
#include <string.h>

#include "contact/trace.h"
#include "viewer/scene_contacts_internal.h"

enum { MOST_ROWS = 90 };

// A copy in the shadow's memory; NULL of nothing, and when memory is short.
static void* copy(ts_arena* arena, const void* source, size_t count, size_t size) {
    if (!source || !count) return NULL;
    void* made = ts_arena_alloc(arena, count * size);
    if (made) memcpy(made, source, count * size);
    return made;
}

#define COPY(arena, field, count) (field) = copy((arena), (field), (size_t)(count), sizeof *(field))

// Whatever step they are of.
static ts_contact* copy_contacts(ts_arena* arena, const ts_sim* s) {
    ts_contact* made = s->contact_count > 0 ? TS_ARENA_ARRAY(arena, ts_contact, s->contact_count) : NULL;
    for (int i = 0; made && i < s->contact_count; ++i) made[i] = ts_sim_contact(s, i);
    return made;
}

static void copy_state(ts_arena* arena, ts_sim* s) {
    const ts_model* m = s->model;
    COPY(arena, s->qpos, m->nq);
    COPY(arena, s->qvel, m->nv);
    COPY(arena, s->ctrl, m->actuator_count);
    COPY(arena, s->act, m->act_count);
    COPY(arena, s->equality_active, m->equality_count);
    COPY(arena, s->mocap, 7 * m->mocap_count);
    COPY(arena, s->force_applied, m->nv);
    COPY(arena, s->wrench_applied, m->body_count);
    COPY(arena, s->tendon_length, m->tendon_count);
    COPY(arena, s->actuator_length, m->actuator_count);
    COPY(arena, s->actuator_force, m->actuator_count);
    COPY(arena, s->sensor, m->sensor_size);
    s->contact = copy_contacts(arena, s);
    if (s->contact_rare) COPY(arena, s->contact_rare, s->contact_count);
}

static void copy_kinematics(ts_arena* arena, const ts_model* m, const ts_kinematics* from, ts_kinematics* out) {
    memset(out, 0, sizeof *out);
    out->body_pose = copy(arena, from->body_pose, (size_t)from->pose_count, sizeof *from->body_pose);
    out->body_centre = copy(arena, from->body_centre, (size_t)m->body_count, sizeof *from->body_centre);
    out->body_velocity = copy(arena, from->body_velocity, (size_t)m->body_count, sizeof *from->body_velocity);
    out->geom_place = copy(arena, from->geom_place, (size_t)m->geom_count, sizeof *from->geom_place);
    out->pose_count = from->pose_count;
    out->joint_anchor = copy(arena, from->joint_anchor, (size_t)from->anchor_count, sizeof *from->joint_anchor);
    out->anchor_count = from->anchor_count;
    out->axis_first = from->axis_first;
    out->axis_count = from->axis_count;
    out->has_lone = from->has_lone;
    out->own_axis = copy(arena, from->own_axis + from->axis_first, (size_t)from->axis_count, sizeof *from->own_axis);
    if (out->own_axis) out->own_axis -= out->axis_first;
}

void ts_shadow_begin(ts_shadow* shadow) {
    ts_arena_reset(&shadow->arena);
    shadow->look_count = shadow->chosen = 0;
}

void ts_shadow_choose(ts_shadow* shadow, int chosen) {
    const ts_look* look = &shadow->look[chosen];
    shadow->chosen = chosen;
    shadow->sim = look->sim;
    shadow->facts = look->facts;
    memcpy(shadow->mode_count, look->mode_count, sizeof shadow->mode_count);
    shadow->energy = look->energy;
    shadow->sleep = look->sleep;
}

// Of every kinematic tree; NULL where nothing sleeps, or memory is short.
static const ts_sleep_state* copy_sleep(ts_arena* arena, const ts_sim* sim) {
    ts_sleep_state* state =
        sim->options.sleep > 0.0 ? TS_ARENA_ARRAY(arena, ts_sleep_state, sim->model->tree_count) : NULL;
    for (int t = 0; state && t < sim->model->tree_count; ++t) state[t] = ts_sim_sleep(sim, sim->model->tree[t].root);
    return state;
}

ts_code ts_shadow_add(ts_shadow* shadow, ts_sim* sim, const ts_sim* settings, const char* name, const char* fault,
                      ts_status* out_status) {
    ts_arena* arena = &shadow->arena;
    ts_look* look = &shadow->look[shadow->look_count++];
    snprintf(look->name, sizeof look->name, "%s", name);
    snprintf(look->fault, sizeof look->fault, "%s", fault);
    if (sim->model->sensor_count > sim->model->step_sensor_count) ts_sim_measure(sim);
    look->energy = ts_sim_energy(sim);
    // Internal forces of large problems would take longer than pictures may.
    int few = sim->info.row_count <= MOST_ROWS;
    look->facts = ts_scene_contacts_judge(sim, few ? (unsigned)TS_SHOW_INTERNAL : 0u, arena);
    const ts_contact_mode* mode = look->facts.mode;
    memset(look->mode_count, 0, sizeof look->mode_count);
    for (int c = 0; mode && c < sim->contact_count; ++c) ++look->mode_count[mode[c]];

    look->sleep = copy_sleep(arena, sim);
    look->memory = ts_sim_memory(sim);
    look->curve.count = look->curve.missed = 0;
    if (sim->trace) {
        look->curve.count = ts_trace_curve(sim->trace, TS_CURVE_POINTS, look->curve.iteration, look->curve.unmet);
        look->curve.missed = sim->trace->missed;
    }

    ts_sim* s = &look->sim;
    *s = *sim;
    s->options = settings->options;
    s->solver = settings->solver;
    memcpy(s->solver_settings, settings->solver_settings, sizeof s->solver_settings);
    s->integrator = settings->integrator;
    copy_state(arena, s);
    copy_kinematics(arena, sim->model, &sim->kinematics, &s->kinematics);
    // What would be the simulation's own is not the shadow's.
    s->tasks = NULL;
    s->trace = NULL;
    s->control = NULL;
    s->control_user = NULL;
    s->mass_matrix = s->mass_factor = s->bias = s->free_velocity = s->impulse = NULL;
    s->tendon_velocity = s->actuator_velocity = s->force_actuator = s->force_fluid = NULL;
    s->mass_start = NULL;
    s->row_block = NULL;
    s->storage = NULL;
    memset(&s->problem, 0, sizeof s->problem);
    memset(&s->pair_memory, 0, sizeof s->pair_memory);
    memset(&s->row_memory, 0, sizeof s->row_memory);
    memset(&s->row_more, 0, sizeof s->row_more);
    memset(&s->scratch, 0, sizeof s->scratch);
    if (arena->failed) return ts_status_set(out_status, TS_ERROR_MEMORY, NULL, 0, "no memory for a picture");
    return ts_status_ok(out_status);
}

void ts_shadow_free(ts_shadow* shadow) {
    ts_arena_free(&shadow->arena);
    memset(shadow, 0, sizeof *shadow);
}
