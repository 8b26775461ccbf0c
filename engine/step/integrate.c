// The end of a step: q+ = q (+) h v+, or where the integrator takes what no row touches, and what the next step will remember.
//
// The new state is first written beside the old one and checked; only when every
// number is finite does anything change, so a step that fails leaves the simulation as it was. One in substeps leaves the state of its last substep that
// did not fail, and what is remembered of contacts may be newer (pair_memory.c, pile.c).
#include "engine/step/integrate_internal.h"

#include <string.h>

#include "engine/actuation/actuation_internal.h"
#include "engine/dynamics/free_lanes_internal.h"
#include "engine/model/joint/joint_traits_internal.h"
#include "engine/rows/row_plan_internal.h"
#include "engine/sim_internal.h"
#include "engine/step/integrate/free_rotation_internal.h"
#include "engine/step/integrate/integrator.h"
#include "engine/step/pile_internal.h"
#include "engine/step/step.h"
#include "engine/step/substep_internal.h"
#include "engine/step/yield_internal.h"

enum { GRAIN = 128 };  // joints or trees that a thread takes at a time

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

static void advance_trees(void* context, int begin, int end, int worker) {
    ts_sim* sim = (ts_sim*)context;
    ts_arena* scratch = &ts_sim_storage_of(sim)->solve_scratch[worker];
    for (int t = begin; t < end; ++t) {
        if (ts_sim_tree_sleeps(sim, t) || ts_free_rotation_goes_on(sim, t)) continue;
        ts_arena_scope scope = ts_arena_scope_begin(scratch);
        ts_sim_storage_of(sim)->tree_unsolved[t] = !sim->integrator->advance(sim, t, scratch);
        ts_arena_scope_end(scratch, scope);
    }
}

// Which trees have contacts: the same ones in every substep.
static void find_touched(ts_sim* sim) {
    ts_sim_storage* storage = ts_sim_storage_of(sim);
    memset(storage->late_next, 0, (size_t)sim->model->tree_count * sizeof(double));
    if (ts_substep_is_later(sim)) return;
    memset(storage->tree_touched, 0, (size_t)sim->model->tree_count);
    for (int b = 1; storage->pile && b < storage->pile->pairs->body_count; ++b)
        storage->tree_touched[storage->pile->tree[b]] =
            storage->pile->flies_on[b] ? TS_TREE_TOUCHED_ROUND : TS_TREE_TOUCHED;
    if (storage->pile) return;
    for (int i = 0; i < sim->contact_count; ++i) {
        int a = storage->body_tree[sim->contact[i].body_a], b = storage->body_tree[sim->contact[i].body_b];
        if (a >= 0) storage->tree_touched[a] = TS_TREE_TOUCHED;
        if (b >= 0) storage->tree_touched[b] = TS_TREE_TOUCHED;
    }
}

// What goes over all trees at once has told sleepers, too.
static void hold_sleepers(const ts_sim* sim, double* velocity) {
    ts_sim_storage* storage = ts_sim_storage_of(sim);
    for (int t = 0; t < sim->model->tree_count && storage->asleep_count > 0; ++t) {
        const ts_kinematic_tree* tree = &sim->model->tree[t];
        if (!storage->tree_asleep[t]) continue;
        memset(velocity + tree->dof_first, 0, (size_t)tree->dof_count * sizeof(double));
        storage->tree_unsolved[t] = 0;
    }
}

ts_code ts_integrate_velocity(ts_sim* sim) {
    ts_sim_storage* storage = ts_sim_storage_of(sim);
    int workers = ts_task_pool_workers(sim->tasks), enough = 1;
    sim->info.unsolved_rotations = 0;
    find_touched(sim);
    for (int i = 0; sim->model->act_count > 0 && i < sim->model->actuator_count; ++i) {
        int act = sim->model->actuator[i].act;
        if (act >= 0) storage->act_rate[act] = ts_actuation_rate(sim, i);
    }
    if (!sim->integrator->advance) return TS_OK;
    if (sim->integrator->revisit && !storage->coast_position)
        storage->coast_position = TS_ARENA_ARRAY(&storage->fixed, double, sim->model->nq);
    if (sim->integrator->revisit && !storage->coast_position) return TS_ERROR_MEMORY;
    // The first one has a pile, which is there for all of its step.
    for (int w = ts_pile_is_on(sim); w < workers; ++w) ts_arena_reset(&storage->solve_scratch[w]);
    if (sim->integrator->advance_together && storage->trees_are_joined)
        sim->integrator->advance_together(sim, &storage->solve_scratch[0]);
    else
        ts_task_parallel_for(sim->tasks, sim->model->tree_count, 64, advance_trees, sim);
    hold_sleepers(sim, sim->free_velocity);
    for (int t = 0; t < sim->model->tree_count; ++t) sim->info.unsolved_rotations += storage->tree_unsolved[t];
    for (int w = 0; w < workers; ++w) enough = enough && !storage->solve_scratch[w].failed;
    return enough ? TS_OK : TS_ERROR_MEMORY;
}

// Zero times anything finite is zero.
static int all_finite(const double* x, int count) {
    double sum[4] = {0.0, 0.0, 0.0, 0.0};
    int i = 0;
    for (; i + 4 <= count; i += 4)
        for (int k = 0; k < 4; ++k) sum[k] += 0.0 * x[i + k];
    for (; i < count; ++i) sum[0] += 0.0 * x[i];
    return (sum[0] + sum[1]) + (sum[2] + sum[3]) == 0.0;
}

// What is remembered of any block, but what its source knows; `more` entries are taken. Returns how many are then.
static inline int note_block(const ts_sim* sim, const ts_row_plan* plan, int b, int valid, int more,
                             ts_row_memory* memory) {
    const ts_row_block* owner = &plan->owner[b];
    int more_count = ts_row_source_at(owner->source)->more + (sim->problem.block[b].rows > 3);
    ts_row_pause pause = {0, 0};
    if (owner->memory >= 0) pause = ts_step_pause_of(&sim->row_memory.data[owner->memory]);
    memory->key = owner->key;
    memory->tree = ts_row_plan_tree(plan, b);
    memory->source = owner->source;
    memory->more = (unsigned)more;
    memory->more_count = (unsigned)more_count;
    memory->valid = (unsigned)valid;
    memory->time_step = sim->options.time_step;
    memory->pause = memory->last_pause = 0;
    if (pause.left || pause.last || owner->blocked) ts_step_yield_remember(pause, owner->blocked, memory);
    memory->steps = 0;
    memory->keeper = sim->problem.memory ? plan->keeper : 0;
    memory->solver = sim->problem.memory ? sim->problem.memory[b] : 0.0;
    return more + more_count;
}

static void keep_impulse(const ts_sim* sim, int b, ts_row_memory* memory, ts_row_more* more) {
    const ts_block* block = &sim->problem.block[b];
    const double* impulse = sim->impulse + block->row;
    int first = block->rows < 3 ? block->rows : 3;
    memset(memory->impulse, 0, sizeof memory->impulse);
    memset(memory->place, 0, sizeof memory->place);
    memcpy(memory->impulse, impulse, (size_t)first * sizeof(double));
    if (memory->more_count == 0) return;
    memset(more[memory->more].number, 0, sizeof more->number);
    memcpy(more[memory->more].number, impulse + first, (size_t)(block->rows - first) * sizeof(double));
}

// Writes down what the next step shall know of this one's blocks, in the order of their sources and items. Returns 0 when
// memory is short; a new maximum is the only time a warm step touches the heap, and then it takes little more.
static int remember_rows(ts_sim* sim) {
    const ts_sim_storage* storage = ts_sim_storage_of(sim);
    ts_row_memory_array* next = &ts_sim_storage_of(sim)->row_next;
    ts_row_more_array* more_next = &ts_sim_storage_of(sim)->more_next;
    int count = sim->problem.block_count, valid = sim->info.solve.status != TS_SOLVE_FAILED, more = 0;
    if (!ts_row_memory_array_reserve_little(next, count)) return 0;
    next->count = count;
    // Blocks of a source lie together.
    for (int first = 0, end; first < count; first = end) {
        const ts_row_block* owner = sim->row_block;
        const ts_row_source* source = ts_row_source_at(owner[first].source);
        ts_row_memory* memory = next->data + first;
        for (end = first; end < count && owner[end].source == owner[first].source; ++end)
            more = note_block(sim, storage->row_plan, end, valid, more, &memory[owner[end].item]);
        if (!ts_row_more_array_reserve_little(more_next, more)) return 0;
        if (source->remember) source->remember(sim, first, end, memory, more_next->data);
        for (int b = first; b < end && !source->remember; ++b)
            keep_impulse(sim, b, &memory[owner[b].item], more_next->data);
    }
    more_next->count = more;
    return 1;
}

// Old and new memory change places: that of rows, which a pile writes where the old one was, and that of pairs where they have been asked anew.
static void swap_memories(ts_sim* sim) {
    ts_sim_storage* storage = ts_sim_storage_of(sim);
    ts_pair_memory_array pairs = sim->pair_memory;
    ts_row_memory_array rows = sim->row_memory;
    ts_row_more_array more = sim->row_more;
    if (!ts_pile_is_on(sim)) {
        sim->row_memory = storage->row_next;
        storage->row_next = rows;
        storage->row_next.count = 0;
        sim->row_more = storage->more_next;
        storage->more_next = more;
        storage->more_next.count = 0;
    }
    if (ts_substep_is_later(sim) || storage->renews_pairs) return;
    sim->pair_memory = storage->pair_next;
    storage->pair_next = pairs;
    storage->pair_next.count = 0;
    ts_manifold_kept_array kept = storage->kept;
    storage->kept = storage->kept_next;
    storage->kept_next = kept;
    storage->kept_next.count = 0;
    ts_pair_search_array search = storage->search;
    storage->search = storage->search_next;
    storage->search_next = search;
    storage->search_next.count = 0;
}

// Trees that no row touches may move in the integrator's own way: in io_odd nonzero where one does, whose numbers nobody has looked at. Returns 0 when
// memory is short.
static int coast(ts_sim* sim, double* qpos, int* io_odd) {
    const ts_model* model = sim->model;
    const ts_row_plan* plan = ts_sim_storage_of(sim)->row_plan;
    if (!sim->integrator->coast) return 1;
    // A row that moves anything moves the only tree there is.
    if (model->tree_count == 1 && !ts_pile_is_on(sim) && plan->segment_count > 0) return 1;
    int is_pile = ts_pile_is_on(sim);
    unsigned char* touched = is_pile
                                 ? ts_sim_storage_of(sim)->tree_touched
                                 : (unsigned char*)ts_arena_alloc_zeroed(&sim->scratch, (size_t)model->tree_count, 1);
    if (!touched) return 0;
    if (!is_pile)
        for (int s = 0; s < plan->segment_count; ++s) touched[model->dof[plan->segment[s].column].tree] = 1;
    for (int t = 0; t < model->tree_count; ++t)
        if (!touched[t] && !ts_sim_tree_sleeps(sim, t)) {
            sim->integrator->coast(sim, t, qpos);
            *io_odd = 1;
        }
    return 1;
}

typedef struct position_job {
    const ts_sim* sim;
    double* qpos;
    unsigned char* odd;  // (workers) nonzero: met what is not finite, in new velocities or positions
} position_job;

static void integrate_joint(const position_job* job, int j) {
    const ts_joint* joint = &job->sim->model->joint[j];
    int q = joint->qpos_first;
    ts_joint_integrate(joint->type, job->sim->qpos + q, ts_sim_storage_of(job->sim)->new_velocity + joint->dof_first,
                       job->sim->options.time_step, job->qpos + q);
}

// Free joints that wait for company.
typedef struct waiting_joints {
    int joint[TS_FREE_LANES];
    int count;
} waiting_joints;

static void integrate_free(const position_job* job, waiting_joints* waiting) {
    const ts_sim* sim = job->sim;
    const double *q[TS_FREE_LANES], *v[TS_FREE_LANES];
    double* to[TS_FREE_LANES];
    for (int k = 0; k < TS_FREE_LANES; ++k) {
        const ts_joint* joint = &sim->model->joint[waiting->joint[k]];
        q[k] = sim->qpos + joint->qpos_first;
        v[k] = ts_sim_storage_of(sim)->new_velocity + joint->dof_first;
        to[k] = job->qpos + joint->qpos_first;
    }
    ts_free_lanes_integrate(q, v, sim->options.time_step, to);
    waiting->count = 0;
}

static void move_joints(void* context, int begin, int end, int worker) {
    const position_job* job = (const position_job*)context;
    const ts_sim* sim = job->sim;
    int sleep = ts_sim_storage_of(sim)->asleep_count > 0;
    waiting_joints waiting = {{0}, 0};
    for (int j = begin; j < end; ++j) {
        const ts_joint* joint = &sim->model->joint[j];
        int q = joint->qpos_first;
        if (sleep && ts_sim_body_sleeps(sim, joint->body))
            memcpy(job->qpos + q, sim->qpos + q, (size_t)ts_joint_type_nq(joint->type) * sizeof(double));
        else if (joint->type != TS_JOINT_FREE)
            integrate_joint(job, j);
        else
            waiting.joint[waiting.count++] = j;
        if (waiting.count == TS_FREE_LANES) integrate_free(job, &waiting);
    }
    for (int k = 0; k < waiting.count; ++k) integrate_joint(job, waiting.joint[k]);
    // While it is near. Numbers of joints lie one after the other.
    const ts_model* model = sim->model;
    int is_last = end == model->joint_count, q = model->joint[begin].qpos_first, v = model->joint[begin].dof_first;
    int q_end = is_last ? model->nq : model->joint[end].qpos_first,
        v_end = is_last ? model->nv : model->joint[end].dof_first;
    if (!all_finite(job->qpos + q, q_end - q) || !all_finite(ts_sim_storage_of(sim)->new_velocity + v, v_end - v))
        job->odd[worker] = 1;
}

// As ts_integrate_end; in out_odd nonzero where something of the end may not be finite.
static int find_end(ts_sim* sim, double* out_qpos, double* out_act, int* out_odd) {
    const ts_model* model = sim->model;
    const ts_sim_storage* storage = ts_sim_storage_of(sim);
    int workers = ts_task_pool_workers(sim->tasks);
    position_job job = {sim, out_qpos, (unsigned char*)ts_arena_alloc_zeroed(&sim->scratch, (size_t)workers, 1)};
    if (!job.odd) return 0;
    ts_task_parallel_for(sim->tasks, model->joint_count, GRAIN, move_joints, &job);
    // What comes after joints have moved is looked at for itself.
    *out_odd = model->equality_count > 0 || model->act_count > 0;
    for (int w = 0; w < workers; ++w) *out_odd |= job.odd[w];
    if (!coast(sim, out_qpos, out_odd)) return 0;
    for (int i = 0; model->act_count > 0 && i < model->actuator_count; ++i)
        if (model->actuator[i].act >= 0)
            out_act[model->actuator[i].act] = ts_actuation_next(sim, i, storage->act_rate[model->actuator[i].act]);
    return 1;
}

int ts_integrate_end(ts_sim* sim, double* out_qpos, double* out_act) {
    int odd;
    return find_end(sim, out_qpos, out_act, &odd);
}

// Whether all of a new state is finite; says what is not.
static ts_code check_finite(const ts_sim* sim, const double* qpos, const double* act, ts_status* out_status) {
    const ts_model* model = sim->model;
    const double* velocity = ts_sim_storage_of(sim)->new_velocity;
    if (all_finite(velocity, model->nv) && all_finite(act, model->act_count) && all_finite(qpos, model->nq))
        return TS_OK;
    for (int d = 0; d < model->nv; ++d) {
        if (isfinite(velocity[d])) continue;
        return ts_status_set(out_status, TS_ERROR_NUMERIC, NULL, 0,
                             "at t = %.6g s the new velocity of body \"%s\" (dof %d) is not finite", sim->time,
                             model->body[model->dof[d].body].name, d);
    }
    if (!all_finite(act, model->act_count))
        return ts_status_set(out_status, TS_ERROR_NUMERIC, NULL, 0, "at t = %.6g s a new activation is not finite",
                             sim->time);
    for (int j = 0; j < model->joint_count; ++j) {
        const ts_joint* joint = &model->joint[j];
        if (all_finite(qpos + joint->qpos_first, ts_joint_traits_of(joint->type)->numbers)) continue;
        return ts_status_set(out_status, TS_ERROR_NUMERIC, NULL, 0,
                             "at t = %.6g s the new position of body \"%s\" is not finite", sim->time,
                             model->body[joint->body].name);
    }
    return TS_OK;
}

typedef struct end_job {
    ts_sim* sim;
    const double* qpos;
} end_job;

// What becomes of the state: of trees what they remember, and a share of all numbers.
static void leave_state(void* context, int begin, int end, int worker) {
    const end_job* job = (const end_job*)context;
    ts_sim* sim = job->sim;
    const ts_model* model = sim->model;
    const double* velocity = ts_sim_storage_of(sim)->new_velocity;
    size_t trees = (size_t)model->tree_count, from = (size_t)begin, to = (size_t)end;
    size_t q = from * (size_t)model->nq / trees, v = from * (size_t)model->nv / trees;
    (void)worker;
    ts_touched_rotation_remember(sim, begin, end);
    memcpy(sim->qpos + q, job->qpos + q, (to * (size_t)model->nq / trees - q) * sizeof(double));
    memcpy(sim->qvel + v, velocity + v, (to * (size_t)model->nv / trees - v) * sizeof(double));
}

ts_code ts_step_integrate(ts_sim* sim, ts_status* out_status) {
    const ts_model* model = sim->model;
    double* qpos = TS_ARENA_ARRAY(&sim->scratch, double, model->nq);
    double* act = TS_ARENA_ARRAY(&sim->scratch, double, model->act_count);
    int remembered = ts_pile_is_on(sim) || remember_rows(sim), odd = 1;
    if (!remembered || !qpos || !act || !find_end(sim, qpos, act, &odd) || !ts_step_close_ties(sim, qpos) ||
        sim->scratch.failed)
        return ts_status_set(out_status, TS_ERROR_MEMORY, NULL, 0, "out of memory at the end of a step");
    ts_code code = odd ? check_finite(sim, qpos, act, out_status) : TS_OK;
    if (code) return code;
    end_job job = {sim, qpos};
    ts_task_parallel_for(sim->tasks, model->tree_count, GRAIN, leave_state, &job);
    memcpy(sim->act, act, (size_t)model->act_count * sizeof(double));
    sim->time += sim->options.time_step;
    ++sim->step_count;
    swap_memories(sim);
    return ts_status_ok(out_status);
}
