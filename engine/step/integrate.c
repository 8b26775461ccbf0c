// The end of a step: q+ = q (+) h v+, and what the next step will remember.
//
// Semi-implicit Euler (docs/contact.md). The new state is first written beside the old one and checked; only when every
// number is finite does anything change, so a step that fails leaves the simulation as it was.
#include "engine/step/integrate.h"

#include <string.h>

#include "base/array.h"
#include "engine/model/joint/joint_traits_internal.h"
#include "engine/sim_internal.h"
#include "engine/step/step.h"

void ts_integrate_position(const ts_model* model, const double* qpos, const double* qvel, double h, double* out_qpos) {
    for (int j = 0; j < model->joint_count; ++j) {
        const ts_joint* joint = &model->joint[j];
        int q = joint->qpos_first;
        ts_joint_integrate(joint->type, qpos + q, qvel + joint->dof_first, h, out_qpos + q);
    }
}

void ts_integrate_difference(const ts_model* model, const double* qpos_a, const double* qpos_b, double h,
                             double* out_qvel) {
    for (int j = 0; j < model->joint_count; ++j) {
        const ts_joint* joint = &model->joint[j];
        int q = joint->qpos_first;
        ts_joint_difference(joint->type, qpos_a + q, qpos_b + q, h, out_qvel + joint->dof_first);
    }
}

static int all_finite(const double* x, int count) {
    for (int i = 0; i < count; ++i)
        if (!isfinite(x[i])) return 0;
    return 1;
}

// Makes room for the contacts' and joints' memory; a new maximum is the only time a warm step touches the heap.
static int reserve_memory(ts_sim* sim, int joint_rows) {
    ts_sim_storage* storage = ts_sim_storage_of(sim);
    void* data = storage->contact_next;
    int grown = ts_array_grow(&data, &storage->contact_next_capacity, sizeof(ts_contact_memory), sim->contact_count);
    storage->contact_next = (ts_contact_memory*)data;
    data = storage->joint_next;
    grown = grown && ts_array_grow(&data, &storage->joint_next_capacity, sizeof(ts_joint_memory), joint_rows);
    storage->joint_next = (ts_joint_memory*)data;
    return grown;
}

static void remember_contacts(ts_sim* sim) {
    ts_sim_storage* storage = ts_sim_storage_of(sim);
    int valid = sim->info.solve.status != TS_SOLVE_FAILED;
    for (int i = 0; i < sim->contact_count; ++i) {
        const ts_contact* contact = &sim->contact[i];
        ts_contact_memory* memory = &storage->contact_next[i];
        memset(memory, 0, sizeof *memory);
        memory->pair = (uint64_t)(uint32_t)contact->geom_a << 32 | (uint32_t)contact->geom_b;
        memory->key = contact->key;
        memory->on_a = ts_transform_point_inverse(&sim->geom_pose[contact->geom_a], contact->position);
        memory->on_b = ts_transform_point_inverse(&sim->geom_pose[contact->geom_b], contact->position);
        memory->normal = ts_mat3_column(&contact->frame, 2);
        memory->tangent = ts_mat3_column(&contact->frame, 0);
        memory->impulse = ts_mat3_mul_vec(&contact->frame, contact->impulse);
        memory->angular = ts_mat3_mul_vec(&contact->frame, contact->angular_impulse);
        memory->time_step = sim->options.time_step;
        memory->valid = valid;
    }
    ts_contact_memory* old = sim->contact_memory;
    int old_capacity = sim->contact_memory_capacity;
    sim->contact_memory = storage->contact_next;
    sim->contact_memory_capacity = storage->contact_next_capacity;
    sim->contact_memory_count = sim->contact_count;
    storage->contact_next = old;
    storage->contact_next_capacity = old_capacity;
}

static void remember_joints(ts_sim* sim, int count) {
    ts_sim_storage* storage = ts_sim_storage_of(sim);
    for (int i = 0; i < count; ++i) {
        ts_joint_memory* memory = &storage->joint_next[i];
        memset(memory, 0, sizeof *memory);
        memory->id = storage->joint_row_id[i];
        memory->impulse = sim->impulse[sim->problem.block[storage->joint_block_first + i].row];
        memory->time_step = sim->options.time_step;
    }
    ts_joint_memory* old = sim->joint_memory;
    int old_capacity = sim->joint_memory_capacity;
    sim->joint_memory = storage->joint_next;
    sim->joint_memory_capacity = storage->joint_next_capacity;
    sim->joint_memory_count = count;
    storage->joint_next = old;
    storage->joint_next_capacity = old_capacity;
}

static void remember_pairs(ts_sim* sim) {
    ts_sim_storage* storage = ts_sim_storage_of(sim);
    ts_pair_memory* old = sim->pair_memory;
    int old_capacity = sim->pair_memory_capacity;
    sim->pair_memory = storage->pair_next;
    sim->pair_memory_capacity = storage->pair_next_capacity;
    sim->pair_memory_count = storage->pair_next_count;
    storage->pair_next = old;
    storage->pair_next_capacity = old_capacity;
    storage->pair_next_count = 0;
}

ts_code ts_step_integrate(ts_sim* sim, ts_status* out_status) {
    const ts_model* model = sim->model;
    ts_sim_storage* storage = ts_sim_storage_of(sim);
    double h = sim->options.time_step;
    double* qpos = TS_ARENA_ARRAY(&sim->scratch, double, model->nq);
    int joint_rows = sim->problem.block_count > 0 ? sim->problem.block_count - storage->joint_block_first : 0;
    if (!qpos || !reserve_memory(sim, joint_rows))
        return ts_status_set(out_status, TS_ERROR_MEMORY, NULL, 0, "out of memory at the end of a step");
    ts_integrate_position(model, sim->qpos, storage->new_velocity, h, qpos);
    for (int d = 0; d < model->nv; ++d) {
        if (isfinite(storage->new_velocity[d])) continue;
        return ts_status_set(out_status, TS_ERROR_NUMERIC, NULL, 0,
                             "at t = %.6g s the new velocity of body \"%s\" (dof %d) is not finite", sim->time,
                             model->body[model->dof[d].body].name, d);
    }
    if (!all_finite(qpos, model->nq))
        return ts_status_set(out_status, TS_ERROR_NUMERIC, NULL, 0, "at t = %.6g s the new position is not finite",
                             sim->time);
    memcpy(sim->qpos, qpos, (size_t)model->nq * sizeof(double));
    memcpy(sim->qvel, storage->new_velocity, (size_t)model->nv * sizeof(double));
    sim->time += h;
    ++sim->step_count;
    remember_contacts(sim);
    remember_joints(sim, joint_rows);
    remember_pairs(sim);
    return ts_status_ok(out_status);
}
