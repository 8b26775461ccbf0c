// Creating, setting up and freeing simulations. All arrays whose size the model decides come from one arena, made here.
#include "engine/sim.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "contact/trace.h"
#include "engine/actuation/actuation_internal.h"
#include "engine/dynamics/dynamics_internal.h"
#include "engine/sensor/sensor_motion_internal.h"
#include "engine/sim_internal.h"
#include "engine/rows/row_plan_internal.h"
#include "engine/rows/row_weight_internal.h"
#include "engine/step/integrate/integrator.h"
#include "engine/step/sleep_internal.h"

// Zeroed array from the storage's arena.
#define FIXED_ARRAY(storage, type, count) \
    ((type*)ts_arena_alloc_zeroed(&(storage)->fixed, (size_t)(count), sizeof(type)))

static int is_bare(const ts_dof* dof, int count) {
    for (int d = 0; d < count; ++d)
        if (dof[d].armature != 0.0 || dof[d].damping != 0.0) return 0;
    return 1;
}

static int is_lone(const ts_model* model, int t) {
    return model->tree[t].kind != TS_TREE_GENERAL && is_bare(model->dof + model->tree[t].dof_first, 6);
}

static int is_loose(const ts_model* model) {
    if (model->equality_count || model->tendon_count || model->actuator_count || model->step_sensor_count) return 0;
    for (int j = 0; j < model->joint_count; ++j)
        if (model->joint[j].type != TS_JOINT_FREE || model->joint[j].limited) return 0;
    for (int d = 0; d < model->nv; ++d)
        if (model->dof[d].friction > 0.0) return 0;
    return 1;
}

// Dofs up to the last of those trees that are more than a lone body.
static int count_joined(const ts_model* model) {
    int count = 0;
    for (int t = 0; t < model->tree_count; ++t)
        if (!is_lone(model, t)) count = model->tree[t].dof_first + model->tree[t].dof_count;
    return count;
}

// Allocates all arrays of fixed size. Returns 0 when memory is short.
static int allocate_arrays(ts_sim* sim, int workers) {
    const ts_model* model = sim->model;
    ts_sim_storage* storage = ts_sim_storage_of(sim);
    // Filled once: of many bodies' memory half would be spare.
    storage->fixed.growth = 1 << 12;
    sim->qpos = FIXED_ARRAY(storage, double, model->nq);
    sim->qvel = FIXED_ARRAY(storage, double, model->nv);
    sim->ctrl = FIXED_ARRAY(storage, double, model->actuator_count);
    sim->act = FIXED_ARRAY(storage, double, model->act_count);
    sim->equality_active = FIXED_ARRAY(storage, int, model->equality_count);
    sim->mocap = FIXED_ARRAY(storage, double, 7 * model->mocap_count);
    sim->tendon_length = FIXED_ARRAY(storage, double, model->tendon_count);
    sim->tendon_velocity = FIXED_ARRAY(storage, double, model->tendon_count);
    sim->actuator_length = FIXED_ARRAY(storage, double, model->actuator_count);
    sim->actuator_velocity = FIXED_ARRAY(storage, double, model->actuator_count);
    sim->actuator_force = FIXED_ARRAY(storage, double, model->actuator_count);
    sim->sensor = FIXED_ARRAY(storage, double, model->sensor_size);
    sim->force_applied = FIXED_ARRAY(storage, double, model->nv);
    sim->wrench_applied = FIXED_ARRAY(storage, ts_force, model->body_count);
    sim->bias = FIXED_ARRAY(storage, double, model->nv);
    sim->free_velocity = FIXED_ARRAY(storage, double, model->nv);
    storage->body_tree = FIXED_ARRAY(storage, int, model->body_count);
    storage->tree_is_lone = FIXED_ARRAY(storage, unsigned char, model->tree_count);
    storage->tree_asleep = FIXED_ARRAY(storage, unsigned char, model->tree_count);
    storage->tree_failed = FIXED_ARRAY(storage, unsigned char, model->tree_count);
    storage->tree_unsolved = FIXED_ARRAY(storage, unsigned char, model->tree_count);
    storage->tree_touched = FIXED_ARRAY(storage, unsigned char, model->tree_count);
    storage->midpoint_rounds = FIXED_ARRAY(storage, int, model->tree_count);
    storage->thrust = FIXED_ARRAY(storage, double, model->tree_count);
    storage->late_next = FIXED_ARRAY(storage, double, model->tree_count);
    storage->spin_memory = FIXED_ARRAY(storage, ts_spin_memory, model->tree_count);
    storage->turn = FIXED_ARRAY(storage, ts_quat, model->tree_count);
    storage->tendon_inverse_weight = FIXED_ARRAY(storage, double, model->tendon_count);
    storage->inverse_weight = FIXED_ARRAY(storage, double, model->body_count);
    storage->inverse_turn_weight = FIXED_ARRAY(storage, double, model->body_count);
    if (!is_loose(model)) {
        storage->applied = storage->own_applied = FIXED_ARRAY(storage, double, model->nv);
        sim->force_actuator = FIXED_ARRAY(storage, double, model->nv);
        sim->force_fluid = FIXED_ARRAY(storage, double, model->nv);
    }
    storage->plain_velocity = FIXED_ARRAY(storage, double, count_joined(model));
    storage->new_velocity = FIXED_ARRAY(storage, double, model->nv);
    storage->solve_scratch = FIXED_ARRAY(storage, ts_arena, workers);
    storage->known_surface = FIXED_ARRAY(storage, ts_known_surface, workers);
    storage->row_plan = FIXED_ARRAY(storage, ts_row_plan, 1);
    storage->broad = ts_broad_phase_create();
    return ts_kinematics_create(model, &storage->fixed, &sim->kinematics) &&
           ts_tree_scratch_create_walks(model, &storage->fixed, &storage->tree_scratch) && ts_sim_find_colliders(sim) &&
           !storage->fixed.failed && storage->broad;
}

// Tables that follow from the model alone.
static void fill_tables(ts_sim* sim) {
    const ts_model* model = sim->model;
    ts_sim_storage* storage = ts_sim_storage_of(sim);
    storage->is_loose = is_loose(model);
    ts_row_plan_open(storage->row_plan, model);
    for (int b = 0; b < model->body_count; ++b) storage->body_tree[b] = model->body[b].tree;
    for (int t = 0; t < model->tree_count; ++t) {
        storage->tree_is_lone[t] = is_lone(model, t) != 0;
        if (model->tree[t].dof_count > storage->dof_most) storage->dof_most = model->tree[t].dof_count;
    }
}

static ts_code short_memory(const ts_model* model, ts_status* out_status) {
    return ts_status_set(out_status, TS_ERROR_MEMORY, NULL, 0, "no memory for a simulation of %d bodies",
                         model->body_count);
}

// All of it but the two structs.
static ts_code fill(ts_sim* sim, int workers, ts_status* out_status) {
    const ts_model* model = sim->model;
    sim->options = model->options;
    if (!allocate_arrays(sim, workers)) return short_memory(model, out_status);
    fill_tables(sim);
    if (!ts_actuation_create(sim) || !ts_sensor_motion_create(sim) || !ts_mass_matrices_create(sim))
        return short_memory(model, out_status);
    if (workers > 1) sim->tasks = ts_task_pool_create(workers);
    if (workers > 1 && !sim->tasks)
        return ts_status_set(out_status, TS_ERROR_MEMORY, NULL, 0, "cannot start %d worker threads", workers);
    ts_code code = ts_sim_set_solver(sim, model->options.solver, out_status);
    if (!code) code = ts_sim_set_integrator(sim, model->options.integrator, out_status);
    if (code) return code;
    sim->start_keyframe = sim->model->initial_keyframe;
    if (!ts_row_weigh(sim)) return short_memory(model, out_status);
    ts_sim_reset(sim);
    return ts_status_ok(out_status);
}

ts_code ts_sim_create(const ts_model* model, int workers, ts_sim** out_sim, ts_status* out_status) {
    *out_sim = NULL;
    if (workers < 1)
        return ts_status_set(out_status, TS_ERROR_VALUE, NULL, 0, "%d workers: at least 1 is needed", workers);
    ts_sim* sim = (ts_sim*)calloc(1, sizeof *sim);
    ts_sim_storage* storage = (ts_sim_storage*)calloc(1, sizeof *storage);
    if (!sim || !storage) {
        free(sim);
        free(storage);
        return short_memory(model, out_status);
    }
    sim->model = model;
    sim->storage = storage;
    ts_code code = fill(sim, workers, out_status);
    if (code)
        ts_sim_free(sim);
    else
        *out_sim = sim;
    return code;
}

void ts_sim_free(ts_sim* sim) {
    if (!sim) return;
    ts_sim_storage* storage = ts_sim_storage_of(sim);
    ts_pair_memory_array_free(&sim->pair_memory);
    ts_row_memory_array_free(&sim->row_memory);
    ts_pair_memory_array_free(&storage->pair_next);
    ts_row_memory_array_free(&storage->row_next);
    ts_row_more_array_free(&sim->row_more);
    ts_row_more_array_free(&storage->more_next);
    ts_manifold_kept_array_free(&storage->kept);
    ts_manifold_kept_array_free(&storage->kept_next);
    ts_pair_search_array_free(&storage->search);
    ts_pair_search_array_free(&storage->search_next);
    ts_sleep_free(sim);
    if (storage->row_plan) ts_row_plan_free(storage->row_plan);
    ts_broad_phase_destroy(storage->broad);
    for (int w = 0; storage->solve_scratch && w < ts_task_pool_workers(sim->tasks); ++w)
        ts_arena_free(&storage->solve_scratch[w]);
    ts_task_pool_destroy(sim->tasks);
    ts_arena_free(&sim->scratch);
    ts_arena_free(&storage->fixed);
    free(storage);
    free(sim);
}

size_t ts_sim_memory(const ts_sim* sim) {
    const ts_sim_storage* storage = ts_sim_storage_of(sim);
    const ts_pair_memory_array* pairs[2] = {&sim->pair_memory, &storage->pair_next};
    const ts_row_memory_array* rows[2] = {&sim->row_memory, &storage->row_next};
    const ts_row_more_array* more[2] = {&sim->row_more, &storage->more_next};
    const ts_manifold_kept_array* kept[2] = {&storage->kept, &storage->kept_next};
    const ts_pair_search_array* search[2] = {&storage->search, &storage->search_next};
    size_t bytes =
        sizeof *sim + sizeof *storage + ts_arena_reserved(&sim->scratch) + ts_arena_reserved(&storage->fixed);
    for (int i = 0; i < 2; ++i)
        bytes += (size_t)pairs[i]->capacity * sizeof *pairs[i]->data +
                 (size_t)rows[i]->capacity * sizeof *rows[i]->data + (size_t)more[i]->capacity * sizeof *more[i]->data +
                 (size_t)kept[i]->capacity * sizeof *kept[i]->data +
                 (size_t)search[i]->capacity * sizeof *search[i]->data;
    for (int w = 0; w < ts_task_pool_workers(sim->tasks); ++w) bytes += ts_arena_reserved(&storage->solve_scratch[w]);
    return bytes + ts_sleep_memory(sim) + ts_row_plan_memory(storage->row_plan) + ts_broad_phase_memory(storage->broad);
}

int ts_sim_keeper(const ts_sim* sim) { return sim->solver->remembers ? ts_solver_number(sim->solver) + 1 : 0; }

void ts_sim_forget_step(ts_sim* sim) {
    sim->contact = NULL;
    sim->contact_rare = NULL;
    sim->contact_count = sim->asleep_contacts = 0;
    sim->contact_mode = NULL;
    sim->row_block = NULL;
    sim->impulse = NULL;
    memset(&sim->problem, 0, sizeof sim->problem);
    ts_trace_restart(sim->trace);
    ts_sim_storage_of(sim)->unshown = ts_sim_storage_of(sim)->left = NULL;
}

void ts_sim_forget_sensors(ts_sim* sim) {
    if (sim->model->sensor_size > 0) memset(sim->sensor, 0, (size_t)sim->model->sensor_size * sizeof(double));
}

// Everything that would tie the next step to the last one.
static void forget(ts_sim* sim) {
    sim->pair_memory.count = 0;
    sim->row_memory.count = sim->row_more.count = 0;
    ts_sim_storage_of(sim)->kept.count = 0;
    ts_sim_storage_of(sim)->search.count = 0;
    ts_sleep_forget(sim);
    memset(ts_sim_storage_of(sim)->spin_memory, 0, (size_t)sim->model->tree_count * sizeof(ts_spin_memory));
    ts_sim_forget_step(sim);
    ts_sim_forget_sensors(sim);
    memset(&sim->info, 0, sizeof sim->info);
}

static void update_trees(void* context, int begin, int end, int worker) {
    ts_sim* sim = (ts_sim*)context;
    (void)worker;
    for (int t = begin; t < end; ++t) ts_kinematics_tree(sim->model, sim->qpos, sim->qvel, t, &sim->kinematics);
}

void ts_sim_update_kinematics(ts_sim* sim) {
    if (sim->model->mocap_count > 0) ts_kinematics_place(sim->model, sim->mocap, &sim->kinematics);
    ts_task_parallel_for(sim->tasks, sim->model->tree_count, 64, update_trees, sim);
}

// Bodies that are moved from outside go where a keyframe (NULL: the model's description) has them.
static void place_mocap(ts_sim* sim, const ts_keyframe* key) {
    const ts_model* model = sim->model;
    for (int b = 0; b < model->body_count && model->mocap_count > 0; ++b) {
        int i = model->body[b].mocap;
        if (i < 0) continue;
        ts_vec3_store(key ? ts_vec3_load(key->mocap_position + 3 * i) : model->body[b].pose.position,
                      sim->mocap + 7 * i);
        ts_quat_store(key ? ts_quat_load(key->mocap_rotation + 4 * i) : model->body[b].pose.rotation,
                      sim->mocap + 7 * i + 3);
    }
}

// What a keyframe has beside coordinates.
static void take_inputs(ts_sim* sim, const ts_keyframe* key) {
    place_mocap(sim, key);
    memcpy(sim->ctrl, key->ctrl, (size_t)sim->model->actuator_count * sizeof(double));
    memcpy(sim->act, key->act, (size_t)sim->model->act_count * sizeof(double));
}

void ts_sim_reset(ts_sim* sim) {
    const ts_model* model = sim->model;
    const ts_keyframe* key = sim->start_keyframe >= 0 ? &model->keyframe[sim->start_keyframe] : NULL;
    const double *qpos = key ? key->qpos : model->qpos_rest, *qvel = key ? key->qvel : NULL;
    if (sim->start_keyframe == model->initial_keyframe) {
        qpos = model->qpos0;
        qvel = model->qvel0;
    }
    memcpy(sim->qpos, qpos, (size_t)model->nq * sizeof(double));
    memset(sim->qvel, 0, (size_t)model->nv * sizeof(double));
    if (qvel) memcpy(sim->qvel, qvel, (size_t)model->nv * sizeof(double));
    memset(sim->ctrl, 0, (size_t)model->actuator_count * sizeof(double));
    memset(sim->act, 0, (size_t)model->act_count * sizeof(double));
    for (int e = 0; e < model->equality_count; ++e) sim->equality_active[e] = model->equality[e].active;
    place_mocap(sim, NULL);
    if (key) take_inputs(sim, key);
    memset(sim->force_applied, 0, (size_t)model->nv * sizeof(double));
    memset(sim->wrench_applied, 0, (size_t)model->body_count * sizeof(ts_force));
    sim->time = 0.0;
    sim->step_count = 0;
    forget(sim);
    ts_sim_update_kinematics(sim);
}

ts_code ts_sim_set_keyframe(ts_sim* sim, int keyframe, ts_status* out_status) {
    const ts_model* model = sim->model;
    if (keyframe < 0 || keyframe >= model->keyframe_count)
        return ts_status_set(out_status, TS_ERROR_VALUE, NULL, 0, "keyframe %d: the model has %d", keyframe,
                             model->keyframe_count);
    memcpy(sim->qpos, model->keyframe[keyframe].qpos, (size_t)model->nq * sizeof(double));
    memcpy(sim->qvel, model->keyframe[keyframe].qvel, (size_t)model->nv * sizeof(double));
    take_inputs(sim, &model->keyframe[keyframe]);
    sim->time = model->keyframe[keyframe].time;
    forget(sim);
    ts_sim_update_kinematics(sim);
    return ts_status_ok(out_status);
}

static const char* keyframe_name(const void* context, int i) { return ((const ts_model*)context)->keyframe[i].name; }

ts_code ts_sim_start_from(ts_sim* sim, const char* name, ts_status* out_status) {
    int keyframe = ts_model_find_keyframe(sim->model, name);
    if (keyframe < 0 && strcmp(name, "none") != 0) {
        char known[256];
        ts_text_list(keyframe_name, sim->model, sim->model->keyframe_count, sizeof known, known);
        return ts_status_set(out_status, TS_ERROR_VALUE, NULL, 0, "no keyframe '%.100s'; there are: none%s%s", name,
                             known[0] ? ", " : "", known);
    }
    sim->start_keyframe = keyframe;
    ts_sim_reset(sim);
    return ts_status_ok(out_status);
}

static const char* solver_name(const void* context, int i) {
    (void)context;
    return ts_solver_at(i)->name;
}

// The options' tolerance and iterations into the settings, which start with the shared fields; <= 0 keeps the default.
static void apply_shared_settings(ts_sim* sim) {
    ts_solver_settings shared;
    memcpy(&shared, sim->solver_settings, sizeof shared);
    if (sim->options.tolerance > 0.0) shared.tolerance = sim->options.tolerance;
    if (sim->options.iterations > 0) shared.iteration_limit = sim->options.iterations;
    memcpy(sim->solver_settings, &shared, sizeof shared);
    if (ts_solver_setting_find(sim->solver, "least_norm"))
        ts_solver_set(sim->solver, sim->solver_settings, "least_norm", sim->options.least_norm, NULL);
}

// The name of a row of a table into the options, where `name` may come from. No padding of old text: options are compared
// as bytes.
static void note_name(const char* name, size_t size, char* out_name) {
    memset(out_name, 0, size);
    memcpy(out_name, name, strlen(name) < size ? strlen(name) : size - 1);
}

ts_code ts_sim_set_integrator(ts_sim* sim, const char* name, ts_status* out_status) {
    const ts_integrator* integrator = ts_integrator_find(name);
    if (!integrator) return ts_integrator_unknown(name, out_status);
    sim->integrator = integrator;
    note_name(integrator->name, sizeof sim->options.integrator, sim->options.integrator);
    return ts_status_ok(out_status);
}

void ts_sim_set_control(ts_sim* sim, ts_control control, void* user) {
    sim->control = control;
    sim->control_user = user;
}

ts_code ts_sim_set_solver(ts_sim* sim, const char* name, ts_status* out_status) {
    const ts_solver* solver = ts_solver_find(name);
    if (!solver) {
        char known[400];
        ts_text_list(solver_name, NULL, ts_solver_count(), sizeof known, known);
        return ts_status_set(out_status, TS_ERROR_VALUE, NULL, 0, "no contact solver \"%s\"; there are: %s", name,
                             known);
    }
    unsigned char settings[TS_SOLVER_SETTINGS_BYTES] = {0};
    ts_code code = ts_solver_accuracy_settings(solver, sim->options.accuracy, settings, out_status);
    if (code) return code;
    sim->solver = solver;
    note_name(solver->name, sizeof sim->options.solver, sim->options.solver);
    memcpy(sim->solver_settings, settings, sizeof settings);
    apply_shared_settings(sim);
    return ts_status_ok(out_status);
}

static ts_code set_solver_setting(ts_sim* sim, const char* name, const char* value, ts_status* out_status) {
    char* end = NULL;
    errno = 0;
    double number = strtod(value, &end);
    while (end != value && (*end == ' ' || *end == '\t')) ++end;
    if (end == value || *end != '\0' || errno == ERANGE)
        return ts_status_set(out_status, TS_ERROR_VALUE, NULL, 0, "solver.%s: \"%s\" is not a number", name, value);
    return ts_solver_set(sim->solver, sim->solver_settings, name, number, out_status);
}

// An accuracy brings settings of its own.
static ts_code set_accuracy(ts_sim* sim, const char* value, ts_status* out_status) {
    ts_options old = sim->options;
    ts_code code = ts_options_set(&sim->options, "accuracy", value, out_status);
    if (!code) code = ts_sim_set_solver(sim, sim->solver->name, out_status);
    if (code) sim->options = old;
    return code;
}

ts_code ts_sim_set(ts_sim* sim, const char* name, const char* value, ts_status* out_status) {
    static const char prefix[] = "solver.";
    if (strncmp(name, prefix, sizeof prefix - 1) == 0)
        return set_solver_setting(sim, name + sizeof prefix - 1, value, out_status);
    if (strcmp(name, "solver") == 0) return ts_sim_set_solver(sim, value, out_status);
    if (strcmp(name, "integrator") == 0) return ts_sim_set_integrator(sim, value, out_status);
    if (strcmp(name, "accuracy") == 0) return set_accuracy(sim, value, out_status);
    ts_code code = ts_options_set(&sim->options, name, value, out_status);
    if (code) return code;
    // <= 0 asks for the solver's own value, which only its accuracies know.
    ts_solver_settings own, now;
    unsigned char settings[TS_SOLVER_SETTINGS_BYTES];
    code = ts_solver_accuracy_settings(sim->solver, sim->options.accuracy, settings, out_status);
    if (code) return code;
    memcpy(&own, settings, sizeof own);
    memcpy(&now, sim->solver_settings, sizeof now);
    if (strcmp(name, "tolerance") == 0) now.tolerance = own.tolerance;
    if (strcmp(name, "iterations") == 0) now.iteration_limit = own.iteration_limit;
    memcpy(sim->solver_settings, &now, sizeof now);
    if (strcmp(name, "tolerance") == 0 || strcmp(name, "iterations") == 0 || strcmp(name, "least_norm") == 0)
        apply_shared_settings(sim);
    return TS_OK;
}

void ts_sim_equality_error(const ts_sim* sim, int equality, double* out_length, double* out_angle) {
    const ts_equality* e = &sim->model->equality[equality];
    *out_length = *out_angle = 0.0;
    ts_row_source_at(e->source)->error(sim, e, out_length, out_angle);
}

ts_motion ts_sim_body_velocity(const ts_sim* sim, int body) {
    ts_motion velocity = {ts_vec3_zero(), ts_kinematics_point_velocity(sim->model, &sim->kinematics, body,
                                                                       sim->kinematics.body_pose[body].p)};
    if (sim->model->body[body].tree >= 0) velocity.angular = sim->kinematics.body_velocity[body].angular;
    return velocity;
}
