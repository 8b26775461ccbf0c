// What a step makes of its inputs at frozen impulses, by central differences.
//
// Whatever a step is made of (any source of rows, actuator, integrator, shape), it can be made again up to its contact problem from a state nearby,
// and the impulses of the step put into that: no problem is solved. What comes out, velocities v_f + M^-1 J^T lambda and
// u = (G + R) lambda + g, is smooth wherever the step is, in spite of modes: so this serves for every ingredient without an analytic derivative.
// Blocks are found again by their keys, contacts whose label rounding has changed by where they are; tangents follow those of the step, which
// the narrow phase may turn. Boxes at a bound have the impulse of that bound, as it is there.
// A block that is not there nearby matters only if it pressed, a new one is open: the first is reported as a change.
#include <math.h>
#include <string.h>

#include "engine/actuation/actuation_internal.h"
#include "engine/derivative/step_implicit_internal.h"
#include "engine/rows/contact_internal.h"
#include "engine/rows/row_plan_internal.h"
#include "engine/step/integrate_internal.h"
#include "engine/step/step.h"

// m: how far a contact may have been moved by an increment and still be found by where it is.
static const double reach = 1e-4;

// The step that is differentiated.
typedef struct base_step {
    int block_count;
    const ts_row_block* owner;
    const ts_block* block;
    double* impulse;
    int contact_count;
    ts_contact* contact;
    int* overran;  // of drives
} base_step;

// What is found nearby.
typedef struct nearby {
    double* qpos;
    double* velocity;
    double* act;
    double* u;   // (row_count) in the order of the base
    double* mu;  // (block_count)
} nearby;

typedef struct frozen {
    const ts_step_task* task;
    const ts_step_implicit* p;
    base_step base;
    ts_step_saved saved;
    nearby at[3];
    double* tangent;  // (nv) scratch
    int changed;
} frozen;

static void* copy(ts_arena* arena, const void* from, size_t count, size_t size) {
    void* to = ts_arena_alloc(arena, count * size);
    if (to && count > 0) memcpy(to, from, count * size);
    return to;
}

static int note_base(const ts_sim* sim, ts_arena* arena, base_step* out) {
    int drives = ts_actuation_drive_count(sim->model), blocks = sim->problem.block_count;
    out->block_count = blocks;
    out->owner = (const ts_row_block*)copy(arena, sim->row_block, (size_t)blocks, sizeof(ts_row_block));
    out->block = (const ts_block*)copy(arena, sim->problem.block, (size_t)blocks, sizeof(ts_block));
    out->impulse = (double*)copy(arena, sim->impulse, (size_t)sim->problem.row_count, sizeof(double));
    out->contact_count = sim->contact_count;
    out->contact = (ts_contact*)copy(arena, sim->contact, (size_t)sim->contact_count, sizeof(ts_contact));
    out->overran = TS_ARENA_ARRAY(arena, int, drives);
    for (int i = 0; out->overran && i < drives; ++i) out->overran[i] = ts_actuation_drive(sim, i)->overran;
    return out->owner && out->block && out->impulse && out->contact && out->overran;
}

// The contact of the base that contact i is, or -1: by label, else by place. Contacts of a pair lie together in both.
static int find_contact(const base_step* base, const ts_contact* contact) {
    int best = -1;
    double nearest = reach;
    for (int k = 0; k < base->contact_count; ++k) {
        const ts_contact* known = &base->contact[k];
        if (known->geom_a != contact->geom_a || known->geom_b != contact->geom_b) continue;
        double distance = ts_vec3_distance(known->position, contact->position);
        if (known->key == contact->key && distance < reach) return k;
        if (distance >= nearest) continue;
        nearest = distance;
        best = k;
    }
    return best;
}

// The block of the base that block b is, or -1.
static int find_block(const base_step* base, const ts_sim* sim, int b, int contact_source) {
    const ts_row_block* owner = &sim->row_block[b];
    if (owner->source == contact_source) {
        int k = find_contact(base, &sim->contact[owner->item]);
        return k >= 0 ? base->contact[k].block : -1;
    }
    for (int k = 0; k < base->block_count; ++k)
        if (base->owner[k].source == owner->source && base->owner[k].key.whole == owner->key.whole &&
            base->owner[k].key.part == owner->key.part)
            return k;
    return -1;
}

// The stages of a step up to its problem, as ts_sim_foresee makes it but for what it would find out by solving.
static ts_code prepare(const frozen* f, ts_sim* sim) {
    ts_pair* pairs = NULL;
    int pair_count = 0;
    ts_step_kinematics(sim);
    ts_drive* drive = ts_sim_storage_of(sim)->drive;
    for (int i = 0; i < ts_actuation_drive_count(sim->model); ++i) drive[i].overran = f->base.overran[i];
    ts_code code = ts_step_broad_phase(sim, &pairs, &pair_count);
    if (!code) code = ts_step_narrow_phase(sim, pairs, pair_count);
    for (int i = 0; !code && i < sim->contact_count; ++i) {
        int k = find_contact(&f->base, &sim->contact[i]);
        if (k >= 0) ts_contact_turn_frame(sim, &sim->contact[i], ts_mat3_column(&f->base.contact[k].frame, 0));
    }
    if (!code) code = ts_step_dynamics(sim);
    return code ? code : ts_step_assemble(sim);
}

// The impulse of a block of the base, in the problem nearby.
static void put_impulse(const frozen* f, int k, const ts_block* block, double* out_impulse) {
    const ts_block* known = &f->base.block[k];
    memcpy(out_impulse, f->base.impulse + known->row, (size_t)known->rows * sizeof(double));
    if (known->set != TS_SET_BOX || f->p->contact.mode[k] != TS_MODE_SLIDE) return;
    out_impulse[0] = out_impulse[0] - known->low < known->high - out_impulse[0] ? block->low : block->high;
}

// A push-out that gave way in the base, once its solve had shown why, is none nearby either.
static void take_back(const ts_sim* sim, const ts_row_block* known, int b, double* u) {
    int row = ts_contact_problem_opening_row(&sim->problem.block[b]);
    if (known->blocked != TS_ROW_CONTRADICTED || sim->row_block[b].blocked == TS_ROW_CONTRADICTED || row < 0) return;
    u[row] += ts_sim_storage_of(sim)->reference[row];
}

// Impulses of the base into the problem that stands, and its velocities from that. Returns 0 when memory is short.
static int evaluate(frozen* f, nearby* out) {
    ts_sim* sim = f->task->sim;
    const base_step* base = &f->base;
    ts_contact_problem own;
    double* u = NULL;
    int contact_source = ts_row_source_find("contact"), blocks = sim->problem.block_count;
    int* match = TS_ARENA_ARRAY(&sim->scratch, int, blocks);
    int* seen = (int*)ts_arena_alloc_zeroed(&sim->scratch, (size_t)base->block_count, sizeof(int));
    if (!match || !seen) return 0;
    for (int b = 0; b < blocks; ++b) {
        const ts_block* block = &sim->problem.block[b];
        int k = find_block(base, sim, b, contact_source);
        if (k >= 0 && (seen[k] || base->block[k].rows != block->rows || base->block[k].set != block->set)) k = -1;
        memset(sim->impulse + block->row, 0, (size_t)block->rows * sizeof(double));
        if (k >= 0) put_impulse(f, k, block, sim->impulse + block->row);
        if (k >= 0) seen[k] = 1;
        match[b] = k;
    }
    if (!ts_step_own_problem(sim, &sim->scratch, &own, &u)) return 0;
    memset(out->u, 0, (size_t)f->p->row_count * sizeof(double));
    memset(out->mu, 0, (size_t)base->block_count * sizeof(double));
    for (int b = 0; b < blocks; ++b) {
        const ts_block* block = &sim->problem.block[b];
        if (match[b] < 0) continue;
        take_back(sim, &base->owner[match[b]], b, u);
        memcpy(out->u + base->block[match[b]].row, u + block->row, (size_t)block->rows * sizeof(double));
        if (block->set == TS_SET_CONE) out->mu[match[b]] = block->mu;
    }
    for (int k = 0; k < base->block_count; ++k)
        if (!seen[k] && f->p->contact.mode[k] != TS_MODE_OPEN) f->changed = 1;
    if (blocks > 0) {
        sim->problem.delassus->ops->set_impulse(sim->problem.delassus, sim->impulse);
        ts_step_take_velocity(sim);
    } else {
        memcpy(ts_sim_storage_of(sim)->new_velocity, sim->free_velocity, (size_t)sim->model->nv * sizeof(double));
    }
    if (!ts_integrate_end(sim, out->qpos, out->act)) return 0;
    memcpy(out->velocity, ts_sim_storage_of(sim)->new_velocity, (size_t)sim->model->nv * sizeof(double));
    return 1;
}

static void add_part(const double* from, const double* to, int count, double weight, double* io_sum) {
    for (int i = 0; i < count; ++i) io_sum[i] += weight * (to[i] - from[i]);
}

static void add_difference(const frozen* f, const nearby* from, const nearby* to, double weight, double* column) {
    const ts_model* model = f->task->sim->model;
    const ts_step_frozen* part = &f->p->frozen;
    ts_integrate_difference(model, from->qpos, to->qpos, 1.0, f->tangent);
    for (int i = 0; i < model->nv; ++i) column[part->position + i] += weight * f->tangent[i];
    add_part(from->velocity, to->velocity, model->nv, weight, column + part->velocity);
    add_part(from->act, to->act, model->act_count, weight, column + part->activation);
    add_part(from->u, to->u, f->p->row_count, weight, column + part->row);
    add_part(from->mu, to->mu, f->p->block_count, weight, column + part->friction);
}

static ts_code find_column(frozen* f, const ts_step_column* c, double* out_column, ts_status* out_status) {
    ts_sim* sim = f->task->sim;
    int one_sided = 0, moved = 1, enough = 1;
    double e = f->task->settings->increment * ts_step_increment(sim, c->kind, c->index, &one_sided);
    const double at[3] = {one_sided ? 0.0 : -1.0, 1.0, 2.0};
    ts_code code = TS_OK;
    ts_step_saved_note(sim, c->kind, c->index, &f->saved);
    for (int k = 0; k < (one_sided ? 3 : 2) && moved && enough && !code; ++k) {
        moved = ts_step_input_move(sim, c->kind, c->index, at[k] * e);
        code = moved ? prepare(f, sim) : TS_OK;
        if (moved && !code) enough = evaluate(f, &f->at[k]);
        ts_step_saved_restore(sim, c->kind, c->index, &f->saved);
    }
    if (code) return ts_status_set(out_status, code, NULL, 0, "no step near the one that is differentiated");
    if (!enough) return ts_status_set(out_status, TS_ERROR_MEMORY, NULL, 0, "no memory for the derivative of a step");
    if (!moved)
        return ts_status_set(out_status, TS_ERROR_VALUE, NULL, 0, "input %s %d cannot be moved",
                             ts_step_input_name(c->kind), c->index);
    memset(out_column, 0, (size_t)f->p->frozen.size * sizeof(double));
    if (one_sided) {
        add_difference(f, &f->at[0], &f->at[1], 2.0 / e, out_column);
        add_difference(f, &f->at[0], &f->at[2], -0.5 / e, out_column);
    } else {
        add_difference(f, &f->at[0], &f->at[1], 0.5 / e, out_column);
    }
    return TS_OK;
}

static int take_room(frozen* f) {
    ts_sim* sim = f->task->sim;
    ts_arena* arena = f->task->arena;
    int room = 1;
    for (int k = 0; k < 3; ++k) {
        nearby* at = &f->at[k];
        at->qpos = TS_ARENA_ARRAY(arena, double, sim->model->nq);
        at->velocity = TS_ARENA_ARRAY(arena, double, sim->model->nv);
        at->act = TS_ARENA_ARRAY(arena, double, sim->model->act_count);
        at->u = TS_ARENA_ARRAY(arena, double, f->p->row_count);
        at->mu = TS_ARENA_ARRAY(arena, double, f->p->block_count);
        room = room && at->qpos && at->velocity && at->act && at->u && at->mu;
    }
    f->tangent = TS_ARENA_ARRAY(arena, double, sim->model->nv);
    return room && f->tangent && note_base(sim, arena, &f->base) && ts_step_saved_make(sim, arena, &f->saved);
}

ts_code ts_step_frozen_find(const ts_step_task* task, const ts_step_implicit* p, const ts_step_column* column,
                            int count, double* out_numbers, unsigned char* out_changed, ts_status* out_status) {
    frozen f = {.task = task, .p = p};
    ts_code code = TS_OK;
    ts_arena_scope scope = ts_arena_scope_begin(task->arena);
    if (!take_room(&f))
        code = ts_status_set(out_status, TS_ERROR_MEMORY, NULL, 0, "no memory for the derivative of a step");
    for (int c = 0; c < count && !code; ++c) {
        f.changed = 0;
        code = find_column(&f, &column[c], out_numbers + (size_t)c * (size_t)p->frozen.size, out_status);
        out_changed[c] = (unsigned char)f.changed;
    }
    ts_arena_scope_end(task->arena, scope);
    return code;
}
