// Plain functions over scenes and engine for the Python package.
#include "python/facade_internal.h"

#include "base/number.h"
#include "engine/batch.h"
#include "engine/read/mjcf/mjcf.h"
#include "engine/step/step.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static ts_python_world* finish_open(ts_python_world* world, ts_code code, ts_status* status, int workers,
                                    char* out_error, unsigned long size) {
    if (!code) code = ts_sim_create(world->scene.model, workers, &world->sim, status);
    if (code) {
        ts_status_format(status, out_error, size);
        ts_python_close(world);
        return NULL;
    }
    world->sim->times = TS_STEP_TIMES_TOTAL;
    return world;
}

static ts_python_world* new_world(char* out_error, unsigned long size) {
    ts_python_world* world = calloc(1, sizeof *world);
    if (!world) snprintf(out_error, size, "out of memory");
    return world;
}

ts_python_world* ts_python_open(const char* name_or_path, int workers, char* out_error, unsigned long size) {
    ts_python_world* world = new_world(out_error, size);
    if (!world) return NULL;
    ts_status status;
    ts_code code = ts_scene_load(name_or_path, NULL, &world->scene, &status);
    return finish_open(world, code, &status, workers, out_error, size);
}

ts_python_world* ts_python_open_text(const char* text, int workers, char* out_error, unsigned long size) {
    ts_python_world* world = new_world(out_error, size);
    if (!world) return NULL;
    ts_status status;
    ts_code code = ts_mjcf_parse(text, strlen(text), "text", NULL, NULL, &world->scene.model, &status);
    return finish_open(world, code, &status, workers, out_error, size);
}

void ts_python_close(ts_python_world* world) {
    if (!world) return;
    ts_python_dynamics_free(world);
    ts_sim_free(world->sim);
    ts_loaded_scene_free(&world->scene);
    free(world);
}

ts_python_sizes ts_python_get_sizes(const ts_python_world* world) {
    const ts_model* model = world->scene.model;
    ts_python_sizes sizes = {model->nq, model->nv, model->body_count, model->geom_count};
    return sizes;
}

// Item i of an array of structs that begin with their names; NULL where there is none.
static const char* name_in(const void* first, size_t stride, int count, int i) {
    const char* name;
    if (i < 0 || i >= count) return NULL;
    memcpy(&name, (const char*)first + (size_t)i * stride, sizeof name);
    return name;
}

const char* ts_python_name(const ts_python_world* world, const char* kind, int i) {
    const ts_model* m = world->scene.model;
    const struct {
        const char* kind;
        const void* first;
        size_t stride;
        int count;
    } list[] = {{"body", m->body, sizeof *m->body, m->body_count},
                {"joint", m->joint, sizeof *m->joint, m->joint_count},
                {"geom", m->geom, sizeof *m->geom, m->geom_count},
                {"site", m->site, sizeof *m->site, m->site_count},
                {"tendon", m->tendon, sizeof *m->tendon, m->tendon_count},
                {"actuator", m->actuator, sizeof *m->actuator, m->actuator_count},
                {"equality", m->equality, sizeof *m->equality, m->equality_count},
                {"sensor", m->sensor, sizeof *m->sensor, m->sensor_count},
                {"keyframe", m->keyframe, sizeof *m->keyframe, m->keyframe_count}};
    if (strcmp(kind, "dof") == 0) return i >= 0 && i < m->nv ? m->joint[m->dof[i].joint].name : NULL;
    for (size_t k = 0; k < sizeof list / sizeof list[0]; ++k)
        if (strcmp(list[k].kind, kind) == 0) return name_in(list[k].first, list[k].stride, list[k].count, i);
    return NULL;
}

double* ts_python_array(ts_python_world* world, const char* name, int* out_count) {
    const ts_model* m = world->scene.model;
    ts_sim* sim = world->sim;
    const struct {
        const char* name;
        double* x;
        int count;
    } list[] = {{"qpos", sim->qpos, m->nq},
                {"qvel", sim->qvel, m->nv},
                {"ctrl", sim->ctrl, m->actuator_count},
                {"act", sim->act, m->act_count},
                {"force", sim->force_applied, m->nv},
                {"mocap", sim->mocap, 7 * m->mocap_count},
                {"bias", sim->bias, m->nv},
                {"tendon_length", sim->tendon_length, m->tendon_count},
                {"tendon_velocity", sim->tendon_velocity, m->tendon_count},
                {"actuator_length", sim->actuator_length, m->actuator_count},
                {"actuator_velocity", sim->actuator_velocity, m->actuator_count},
                {"actuator_force", sim->actuator_force, m->actuator_count},
                {"force_actuator", sim->force_actuator, m->nv},
                {"force_fluid", sim->force_fluid, m->nv},
                {"sensor", sim->sensor, m->sensor_size}};
    for (size_t k = 0; k < sizeof list / sizeof list[0]; ++k) {
        if (strcmp(list[k].name, name) != 0) continue;
        *out_count = list[k].count;
        return list[k].x;
    }
    return NULL;
}

int* ts_python_equality_active(ts_python_world* world, int* out_count) {
    *out_count = world->scene.model->equality_count;
    return world->sim->equality_active;
}

int ts_python_forward(ts_python_world* world, char* out_error, unsigned long size) {
    ts_status status;
    if (!ts_sim_forward(world->sim, &status)) return 0;
    ts_status_format(&status, out_error, size);
    return 1;
}

void ts_python_measure(ts_python_world* world) { ts_sim_measure(world->sim); }

int ts_python_sensor_range(const ts_python_world* world, int i, int* out_first, int* out_size) {
    const ts_model* model = world->scene.model;
    if (i < 0 || i >= model->sensor_count) return 0;
    *out_first = model->sensor[i].first;
    *out_size = model->sensor[i].size;
    return 1;
}

int ts_python_foresee(ts_python_world* world, char* out_error, unsigned long size) {
    ts_status status;
    if (!ts_sim_foresee(world->sim, &status)) return 0;
    ts_status_format(&status, out_error, size);
    return 1;
}

int ts_python_forces(ts_python_world* world, double* out_forces, char* out_error, unsigned long size) {
    size_t nv = (size_t)world->scene.model->nv;
    ts_step_forces forces = {out_forces,          out_forces + nv,     out_forces + 2 * nv,
                             out_forces + 3 * nv, out_forces + 4 * nv, out_forces + 5 * nv};
    ts_status status;
    ts_code code = ts_sim_foresee(world->sim, &status);
    if (!code) code = ts_step_find_forces(world->sim, &forces);
    if (code == TS_ERROR_MEMORY)
        ts_status_set(&status, code, NULL, 0, "out of memory");
    else if (code == TS_ERROR_UNSUPPORTED && status.code != code)
        ts_status_set(&status, code, NULL, 0,
                      "of bodies that sleep no forces were found: set sleep to 0, or wake them");
    if (code) ts_status_format(&status, out_error, size);
    return code != TS_OK;
}

void ts_python_keep_ledger(ts_python_world* world, int keep) {
    world->keeps_ledger = keep;
    ts_ledger_keep(world->sim, keep ? &world->ledger : NULL);
}

int ts_python_ledger(const ts_python_world* world, double* out_numbers) {
    const ts_ledger* ledger = &world->ledger;
    if (!world->keeps_ledger) return 0;
    const double rest[] = {ts_ledger_turnover(ledger), ledger->total_remainder, ledger->total_outside,
                           (double)ledger->steps};
    double* to = out_numbers;
    if (!to) return TS_LEDGER_ACCOUNTS;
    memcpy(to, ledger->work, sizeof ledger->work);
    memcpy(to + TS_LEDGER_ACCOUNTS, ledger->total, sizeof ledger->total);
    memcpy(to + 2 * TS_LEDGER_ACCOUNTS, ledger->turned, sizeof ledger->turned);
    memcpy(to + 3 * TS_LEDGER_ACCOUNTS, rest, sizeof rest);
    return TS_LEDGER_ACCOUNTS;
}

const char* ts_python_ledger_name(int i) {
    return i >= 0 && i < TS_LEDGER_ACCOUNTS ? ts_ledger_name((ts_ledger_account)i, NULL) : NULL;
}

unsigned long ts_python_save(const ts_python_world* world, unsigned char* out_bytes, unsigned long size) {
    ts_snapshot snapshot = {NULL, 0, 0};
    if (ts_sim_snapshot(world->sim, &snapshot, NULL)) return 0;
    unsigned long needed = snapshot.size;
    if (needed <= size) memcpy(out_bytes, snapshot.data, needed);
    ts_snapshot_free(&snapshot);
    return needed;
}

int ts_python_restore(ts_python_world* world, const unsigned char* bytes, unsigned long count, char* out_error,
                      unsigned long size) {
    ts_snapshot snapshot = {malloc(count > 0 ? count : 1), count, count};
    ts_status status;
    if (!snapshot.data) {
        snprintf(out_error, size, "out of memory");
        return 1;
    }
    memcpy(snapshot.data, bytes, count);
    ts_code code = ts_sim_restore(world->sim, &snapshot, &status);
    if (code) ts_status_format(&status, out_error, size);
    ts_snapshot_free(&snapshot);
    return code != TS_OK;
}

double ts_python_time(const ts_python_world* world) { return world->sim->time; }

int ts_python_step(ts_python_world* world, int n, char* out_error, unsigned long size) {
    ts_status status;
    for (int i = 0; i < n; ++i) {
        ts_controller_act(&world->scene.control, world->sim);
        if (ts_sim_step(world->sim, &status)) {
            ts_status_format(&status, out_error, size);
            return 1;
        }
    }
    return 0;
}

void ts_python_reset(ts_python_world* world) { ts_sim_reset(world->sim); }

static int set(ts_sim* sim, const char* name, const char* value, char* out_error, unsigned long size) {
    ts_status status;
    if (!ts_sim_set(sim, name, value, &status)) return 0;
    ts_status_format(&status, out_error, size);
    return 1;
}

// The scene's controller, by name, or one of its settings.
static ts_code set_controller(ts_python_world* world, const char* name, const char* value, ts_status* status) {
    ts_controller_choice choice = world->scene.control;
    double number = 0.0;
    char why[96];
    ts_code code;
    if (!name[0])
        code = ts_controller_choose(value, world->scene.model, &choice, status);
    else if (ts_number_list(value, &number, 1, why, sizeof why) != 1)
        code = ts_status_set(status, TS_ERROR_VALUE, NULL, 0, "controller%s takes a number, not '%.60s'", name, value);
    else
        code = ts_controller_set(&choice, name + 1, number, status);
    if (!code) world->scene.control = choice;
    return code;
}

int ts_python_set(ts_python_world* world, const char* name, const char* value, char* out_error, unsigned long size) {
    static const char prefix[] = "controller";
    const char* rest = name + sizeof prefix - 1;
    if (strncmp(name, prefix, sizeof prefix - 1) != 0 || (rest[0] && rest[0] != '.'))
        return set(world->sim, name, value, out_error, size);
    ts_status status;
    if (!set_controller(world, rest, value, &status)) return 0;
    ts_status_format(&status, out_error, size);
    return 1;
}

ts_python_report ts_python_get_report(ts_python_world* world) {
    ts_sim* sim = world->sim;
    const ts_step_info* info = &sim->info;
    ts_energy energy = ts_sim_energy(sim);
    ts_python_report report = {0};
    report.natural = info->residual.natural;
    report.own_unmet = info->unmet;
    report.penetration = info->worst_penetration;
    report.kinetic = energy.kinetic;
    report.potential = energy.potential;
    report.seconds = info->seconds_total;
    report.contacts = sim->contact_count;
    report.iterations = info->solve.iterations;
    report.status = (int)info->solve.status;
    return report;
}

void ts_python_body_poses(ts_python_world* world, double* out_poses) {
    ts_sim_update_kinematics(world->sim);
    for (int b = 0; b < world->scene.model->body_count; ++b) {
        ts_pose pose = ts_pose_from_transform(&world->sim->kinematics.body_pose[b]);
        ts_vec3_store(pose.position, out_poses + 7 * b);
        ts_quat_store(pose.rotation, out_poses + 7 * b + 3);
    }
}

void ts_python_contacts(const ts_python_world* world, double* out_numbers, int* out_geoms) {
    const ts_sim* sim = world->sim;
    for (int i = 0; i < sim->contact_count; ++i) {
        const ts_contact c = ts_sim_contact(sim, i);
        double* row = out_numbers + 13 * i;
        ts_vec3_store(c.position, row);
        ts_vec3_store(ts_mat3_column(&c.frame, 2), row + 3);
        ts_vec3_store(ts_mat3_mul_vec(&c.frame, c.impulse), row + 6);
        ts_vec3_store(ts_mat3_mul_vec(&c.frame, c.velocity), row + 9);
        row[12] = c.gap;
        out_geoms[2 * i] = c.geom_a;
        out_geoms[2 * i + 1] = c.geom_b;
    }
}

const char* ts_python_sleep(const ts_python_world* world, int body, char* out_text, unsigned long size) {
    ts_sim_sleep_text(world->sim, body, out_text, size);
    return ts_sleep_reason_name(ts_sim_sleep(world->sim, body).reason);
}

void ts_python_wake(ts_python_world* world, int body) { ts_sim_wake(world->sim, body); }

int ts_python_geom_body(const ts_python_world* world, int geom) { return world->scene.model->geom[geom].body; }

uint64_t ts_python_hash(const ts_python_world* world) { return ts_sim_hash(world->sim); }

struct ts_python_batch {
    const ts_loaded_scene* scene;
    ts_batch* batch;
};

ts_python_batch* ts_python_batch_open(ts_python_world* world, int count, int workers, char* out_error,
                                      unsigned long size) {
    const ts_model* model = world->scene.model;
    ts_python_batch* batch = calloc(1, sizeof *batch);
    if (!batch) {
        snprintf(out_error, size, "out of memory");
        return NULL;
    }
    ts_status status;
    if (ts_batch_create(&model, 1, count, workers, &batch->batch, &status)) {
        ts_status_format(&status, out_error, size);
        free(batch);
        return NULL;
    }
    batch->scene = &world->scene;
    for (int i = 0; i < count; ++i) {
        ts_sim* sim = batch->batch->sim[i];
        sim->options = world->sim->options;
        sim->solver = world->sim->solver;
        sim->integrator = world->sim->integrator;
        memcpy(sim->solver_settings, world->sim->solver_settings, sizeof sim->solver_settings);
    }
    return batch;
}

void ts_python_batch_close(ts_python_batch* batch) {
    if (!batch) return;
    ts_batch_free(batch->batch);
    free(batch);
}

double* ts_python_batch_qpos(ts_python_batch* batch) { return batch->batch->qpos; }

double* ts_python_batch_qvel(ts_python_batch* batch) { return batch->batch->qvel; }

double* ts_python_batch_ctrl(ts_python_batch* batch) { return batch->batch->ctrl; }

double* ts_python_batch_act(ts_python_batch* batch) { return batch->batch->act; }

double* ts_python_batch_sensor(ts_python_batch* batch) {
    ts_batch_measure(batch->batch);
    return batch->batch->sensor;
}

double* ts_python_batch_force(ts_python_batch* batch) { return batch->batch->force_applied; }

static int control(void* user, ts_sim* sim, int index) {
    const ts_loaded_scene* scene = (const ts_loaded_scene*)user;
    (void)index;
    ts_controller_act(&scene->control, sim);
    return 0;
}

int ts_python_batch_step(ts_python_batch* batch, int n) {
    // The hook is given the scene as it gives it on: unchanged.
    return ts_batch_step(batch->batch, n, batch->scene->control.controller ? control : NULL, NULL, (void*)batch->scene);
}

const char* ts_python_batch_failure(const ts_python_batch* batch, int i) {
    const ts_batch* all = batch->batch;
    return i >= 0 && i < all->count && all->status[i].code ? all->status[i].message : NULL;
}

void ts_python_batch_reset(ts_python_batch* batch) { ts_batch_reset(batch->batch); }

int ts_python_batch_set(ts_python_batch* batch, int i, const char* name, const char* value, char* out_error,
                        unsigned long size) {
    ts_batch* all = batch->batch;
    for (int k = i < 0 ? 0 : i; k < (i < 0 ? all->count : i + 1); ++k)
        if (set(all->sim[k], name, value, out_error, size)) return 1;
    return 0;
}

uint64_t ts_python_batch_hash(const ts_python_batch* batch, int i) { return ts_sim_hash(batch->batch->sim[i]); }

const char* ts_python_solver_name(int i) { return i >= 0 && i < ts_solver_count() ? ts_solver_at(i)->name : NULL; }

const char* ts_python_scene_name(int i) { return i >= 0 && i < ts_scene_count() ? ts_scene_at(i)->name : NULL; }

const char* ts_python_status_name(int status) { return ts_solve_status_name((ts_solve_status)status); }
