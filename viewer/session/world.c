// Problem: a file changes while it is being looked at, or another scene is asked for, and whoever draws still needs the old one. Rule:
// worlds are whole and counted; a new one takes over by name what still has a place in it. Guaranteed: a scene that fails to load leaves
// everything as it was. Known to fail: joints without names are told apart by their numbers only.
#include "viewer/session/world_internal.h"

#include "engine/step/integrate/integrator.h"
#include "scenes/scene_sizes.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static ts_code no_memory(ts_status* out_status) {
    return ts_status_set(out_status, TS_ERROR_MEMORY, NULL, 0, "no memory for a scene");
}

static ts_world* make(const char* subject) {
    ts_world* world = calloc(1, sizeof *world);
    if (!world) return NULL;
    if (subject && strlen(subject) < sizeof world->subject) memcpy(world->subject, subject, strlen(subject) + 1);
    world->holders = 1;
    return world;
}

ts_code ts_world_borrow(const ts_loaded_scene* scene, ts_sim* sim, const char* subject, ts_world** out_world,
                        ts_status* out_status) {
    ts_world* world = make(subject);
    *out_world = world;
    if (!world) return no_memory(out_status);
    world->scene = scene;
    world->sim = sim;
    ts_scene_sizes_reach(sim, &world->reach[0], &world->reach[1]);
    return ts_status_ok(out_status);
}

ts_code ts_world_load(const char* subject, int workers, ts_world** out_world, ts_status* out_status) {
    ts_world* world = make(subject);
    *out_world = NULL;
    if (!world) return no_memory(out_status);
    int recorded = ts_scene_is_recording(subject);
    ts_code code = recorded ? ts_scene_load_recording(subject, NULL, NULL, NULL, &world->own, out_status)
                            : ts_scene_load(subject, NULL, &world->own, out_status);
    if (!code) code = ts_sim_create(world->own.model, workers, &world->sim, out_status);
    if (!code && recorded) code = ts_recording_configure(world->own.recording, world->sim, out_status);
    if (!code)
        code = recorded ? ts_recording_take(world->own.recording, 0, world->sim, out_status)
                        : ts_sim_forward(world->sim, out_status);
    if (code) {
        ts_world_free(world);
        return code;
    }
    world->scene = &world->own;
    world->owns_sim = 1;
    ts_scene_sizes_reach(world->sim, &world->reach[0], &world->reach[1]);
    *out_world = world;
    return ts_status_ok(out_status);
}

// The number in `to` of joint j of `from`: the one of its name, or without a name that of its number, of the same type.
static int same_joint(const ts_model* from, const ts_model* to, int j) {
    const ts_joint* joint = &from->joint[j];
    int found = joint->name[0] ? ts_model_find_joint(to, joint->name) : j;
    if (found < 0 || found >= to->joint_count) return -1;
    if (!joint->name[0] && to->joint[found].name[0]) return -1;
    return to->joint[found].type == joint->type ? found : -1;
}

static int same_actuator(const ts_model* from, const ts_model* to, int a) {
    const char* name = from->actuator[a].name;
    int found = name[0] ? ts_model_find_actuator(to, name) : a;
    return found < to->actuator_count ? found : -1;
}

int ts_world_carry_over(const ts_world* from, ts_world* to) {
    const ts_model* old = from->scene->model;
    const ts_model* new = to->scene->model;
    int lost = 0;
    for (int j = 0; j < old->joint_count; ++j) {
        int found = same_joint(old, new, j);
        if (found < 0) {
            ++lost;
            continue;
        }
        ts_joint_type type = old->joint[j].type;
        memcpy(to->sim->qpos + new->joint[found].qpos_first, from->sim->qpos + old->joint[j].qpos_first,
               (size_t)ts_joint_type_nq(type) * sizeof(double));
        memcpy(to->sim->qvel + new->joint[found].dof_first, from->sim->qvel + old->joint[j].dof_first,
               (size_t)ts_joint_type_nv(type) * sizeof(double));
    }
    for (int a = 0; a < old->actuator_count; ++a) {
        int found = same_actuator(old, new, a);
        if (found >= 0) to->sim->ctrl[found] = from->sim->ctrl[a];
    }
    if (new->act_count == old->act_count && old->act_count > 0)
        memcpy(to->sim->act, from->sim->act, (size_t)old->act_count * sizeof(double));
    to->sim->time = from->sim->time;
    // What the file says now goes before what it said then; a choice of another solver is kept.
    if (from->sim->solver && strcmp(from->sim->solver->name, old->options.solver) != 0)
        (void)ts_sim_set_solver(to->sim, from->sim->solver->name, NULL);
    if (strcmp(from->sim->integrator->name, old->options.integrator) != 0)
        (void)ts_sim_set_integrator(to->sim, from->sim->integrator->name, NULL);
    return lost;
}

int ts_world_release(ts_world* world) { return --world->holders == 0; }

void ts_world_free(ts_world* world) {
    if (!world) return;
    if (world->owns_sim) ts_sim_free(world->sim);
    ts_loaded_scene_free(&world->own);
    free(world);
}
