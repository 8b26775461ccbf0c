// Contacts: what their rows and what they press answer to positions, at fixed impulses and velocities.
//
// Problem: rows J v of a contact (step_contact_rows.c), and the force J^T lambda that it passes on to both trees. Rule: with f the impulse in the
// world, p the contact and F the force and couple at the tree's origin o,
//     df = dw x f,     d(J^T lambda)_k = (S_j x S_k) . F + S_k . (dp x f + (p - o) x df, df)
// Forces of contacts of one body with the world are put together by the six units of a motion and spread over dofs once.
// Source: docs/contact.md for the rows; derived here. Twists as in engine/dynamics/kinematics_derivative.c.
#include <math.h>
#include <string.h>

#include "engine/derivative/step_contact_internal.h"
#include "engine/derivative/step_pull_internal.h"
#include "engine/derivative/step_softening_internal.h"
#include "engine/rows/soft_contact_internal.h"
#include "engine/step/step.h"

// --- what contacts pass on ---

// Where the force of dof r by dof c goes.
typedef struct force_matrix {
    double* numbers;
    int ld;
    const int* place;  // (motions) row and column of each
} force_matrix;

// What one side of contacts between the same two bodies passes on: the forces at the tree's origin, and how they answer to each dof.
typedef struct side_change {
    ts_force whole;
    ts_force* by;  // (motions)
} side_change;

// Adds what a contact does to one side of it.
static void add_change(const ts_model* model, const ts_kinematics* k, const ts_contact* contact, int on_b, ts_force w,
                       const ts_step_contact_motion* motion, int count, side_change* to) {
    int body = on_b ? contact->body_b : contact->body_a, tree = model->body[body].tree;
    ts_vec3 lever = ts_vec3_sub(contact->position, ts_kinematics_origin(model, k, tree));
    if (!on_b) w = (ts_force){ts_vec3_neg(w.couple), ts_vec3_neg(w.force)};
    ts_force at_origin = {ts_vec3_add(w.couple, ts_vec3_cross(lever, w.force)), w.force};
    to->whole = ts_force_add(to->whole, at_origin);
    for (int j = 0; j < count; ++j) {
        ts_force change;
        change.force = ts_vec3_cross(motion[j].turn, w.force);
        change.couple = ts_vec3_add(ts_vec3_cross(motion[j].point, w.force), ts_vec3_cross(lever, change.force));
        change.couple = ts_vec3_add(change.couple, ts_vec3_cross(motion[j].turn, w.couple));
        to->by[j] = ts_force_add(to->by[j], change);
    }
}

// Adds d(J^T lambda) of that.
static void spread_change(const ts_model* model, const ts_kinematics* k, int on_b, const side_change* from,
                          const ts_step_contact_motion* motion, int count, const force_matrix* to) {
    for (int i = 0; i < count; ++i) {
        if (!(on_b ? motion[i].on_b : motion[i].on_a)) continue;
        int d = motion[i].dof, at = 0;
        double* row = to->numbers + to->place[i] * to->ld;
        for (int j = 0; j < count; ++j)
            row[to->place[j]] += ts_motion_dot_force(ts_kinematics_axis(model, k, d), from->by[j]);
        for (int c = ts_step_carrier(model, d); c >= 0; c = model->dof[c].parent) {
            while (motion[at].dof != c) ++at;
            row[to->place[at]] += ts_motion_dot_force(
                ts_motion_cross(ts_kinematics_axis(model, k, c), ts_kinematics_axis(model, k, d)), from->whole);
        }
    }
}

// The dofs that carry a body, the last first, and what those beyond each become: for contacts of that body with the world.
typedef struct body_chain {
    int body;  // -1: none
    int count;
    int* dof;                             // (count) in the derivative's memory
    double (*numbers)[TS_CONTACT_CHAIN];  // (nv + 1): the axis, and S x twist beyond
} body_chain;

// Room for the contacts of a step, and what those of a body against the world have in common, to be spread once.
typedef struct contact_room {
    ts_step_contact_motion* motion;  // (nv + 1)
    int* place;                      // (nv + 1)
    side_change change;              // (nv + 1)
    const ts_contact* pending;       // one of those of whom `common` is; NULL: nothing is
    side_change common;              // by the six units of a motion about the tree's origin
    body_chain chain;
} contact_room;

static void clear_change(side_change* change, int count) {
    memset(&change->whole, 0, sizeof change->whole);
    memset(change->by, 0, (size_t)count * sizeof *change->by);
}

// Spreads what is pending.
static void settle(const ts_model* model, const ts_step_implicit* p, contact_room* room) {
    const ts_contact* contact = room->pending;
    room->pending = NULL;
    if (!contact) return;
    int on_b = model->body[contact->body_a].tree < 0;
    int tree = model->body[on_b ? contact->body_b : contact->body_a].tree;
    if (!p->tree[tree].by_q) return;
    int count = ts_step_contact_list(model, contact, room->motion);
    for (int i = 0; i < count; ++i) room->place[i] = room->motion[i].dof - model->tree[tree].dof_first;
    clear_change(&room->change, count);
    room->change.whole = room->common.whole;
    for (int i = 0; i < count; ++i)
        for (int n = 0; n < TS_CONTACT_UNITS; ++n) {
            double share = ts_step_contact_number(ts_kinematics_axis(p->model, &p->kinematics, room->motion[i].dof), n);
            ts_force* by = &room->change.by[i];
            by->couple = ts_vec3_add_scaled(by->couple, share, room->common.by[n].couple);
            by->force = ts_vec3_add_scaled(by->force, share, room->common.by[n].force);
        }
    force_matrix to = {p->tree[tree].by_q, model->tree[tree].dof_count, room->place};
    spread_change(model, &p->kinematics, on_b, &room->change, room->motion, count, &to);
}

// Adds what it passes on to what is pending.
static void add_common(const ts_model* model, const ts_kinematics* k, const ts_contact* contact, int on_b, ts_force w,
                       const ts_step_contact_motion unit[TS_CONTACT_UNITS], contact_room* room) {
    if (!room->pending) clear_change(&room->common, TS_CONTACT_UNITS);
    room->pending = contact;
    add_change(model, k, contact, on_b, w, unit, TS_CONTACT_UNITS, &room->common);
}

// --- what goes by G ---

// How G of a combination of rows answers to the dofs of both trees.
typedef struct own_slopes {
    double G;
    double *by_q, *by_v;  // (motions)
} own_slopes;

// d(J v) at the velocities of `k`. Returns over how many dofs, of both chains; below zero: memory is short.
static int turn_rows(const ts_sim* sim, const ts_kinematics* k, const ts_step_contact_sought* w, ts_arena* scratch,
                     double* out) {
    const ts_contact* contact = w->contact;
    int body = w->on_b ? contact->body_b : contact->body_a, count = 0;
    if (!w->by_units) {
        ts_step_contact_motion* chain = TS_ARENA_ARRAY(scratch, ts_step_contact_motion, sim->model->nv + 1);
        if (!chain) return -1;
        count = ts_step_contact_list(sim->model, contact, chain);
        ts_step_contact_move(sim, k, contact, w->slope, chain, count);
        ts_step_contact_fill_rows(sim, k, contact, chain, count, out);
        return count;
    }
    for (int d = sim->model->body[body].dof_last; d >= 0; d = sim->model->dof[d].parent) ++count;
    double(*numbers)[TS_CONTACT_CHAIN] =
        (double(*)[TS_CONTACT_CHAIN])ts_arena_alloc(scratch, (size_t)count * sizeof *numbers);
    if (!numbers) return -1;
    ts_step_contact_fill_chain(sim->model, k, body, numbers);
    ts_step_contact_fill_chain_rows(sim, k, w, NULL, numbers, count, count, out);
    return count;
}

// Adds that of the combination `along`; G is set. Returns 0 when memory is short.
static int add_leverage(const ts_step_task* task, const ts_step_implicit* p, const ts_step_contact_sought* w,
                        const double* along, const int* dof, int count, own_slopes* to) {
    const ts_sim* sim = task->sim;
    int rows = w->contact->surface.dimension, n = -1;
    ts_arena* scratch = &task->sim->scratch;
    ts_arena_scope scope = ts_arena_scope_begin(scratch);
    ts_step_leverage l;
    double* turned = TS_ARENA_ARRAY(scratch, double, rows * sim->model->nv);
    if (turned && ts_step_leverage_take(sim, p, scratch, &l) &&
        ts_step_leverage_find(sim, p, w->contact->block, along, &l))
        n = turn_rows(sim, &l.k, w, scratch, turned);
    if (n >= 0) to->G = l.G;
    for (int i = 0; i < count && n >= 0; ++i) {
        to->by_q[i] += l.slope[dof[i]];
        to->by_v[i] += l.by_v[dof[i]];
        for (int r = 0; i < n && r < rows; ++r) to->by_q[i] += 2.0 * along[r] * turned[r * n + i];
    }
    ts_arena_scope_end(scratch, scope);
    return n >= 0;
}

// What goes by G: -dc* of a push that leverage has slowed, c* = sqrt(G m) push, and dR lambda of what the solver has softened. Returns 0 when memory is short.
static int add_own(const ts_step_task* task, const ts_step_implicit* p, const ts_step_contact_sought* w,
                   const ts_step_softening* softening, int slowed, const ts_step_block_slope* to) {
    const ts_sim* sim = task->sim;
    int rows = to->rows, count = to->count, normal = rows == 1 ? 0 : 2;
    ts_arena_scope scope = ts_arena_scope_begin(&task->sim->scratch);
    double* room = (double*)ts_arena_alloc_zeroed(&task->sim->scratch, 4 * (size_t)count, sizeof(double));
    own_slopes push = {0.0, room, room ? room + count : NULL},
               whole = {0.0, room ? room + 2 * count : NULL, room ? room + 3 * count : NULL};
    double along[TS_BLOCK_ROWS_MAX] = {0.0}, share = 0.0;
    along[normal] = 1.0;
    int fine = room && (!slowed || add_leverage(task, p, w, along, to->dof, count, &push));
    for (int k = 0; fine && k < softening->count; ++k)
        fine = add_leverage(task, p, w, softening->along[k], to->dof, count, &whole);
    if (slowed) share = 0.5 * ts_sim_storage_of(sim)->reference[to->row + normal] / push.G;
    double *by_q = (double*)to->by_q, *by_v = (double*)to->by_v;
    for (int r = 0; fine && r < rows; ++r) {
        double weight = softening->rate[r] * sim->impulse[to->row + r], slower = r == normal ? share : 0.0;
        for (int i = 0; i < count; ++i) {
            by_q[r * count + i] += weight * whole.by_q[i] - slower * push.by_q[i];
            by_v[r * count + i] += weight * whole.by_v[i] - slower * push.by_v[i];
        }
    }
    ts_arena_scope_end(&task->sim->scratch, scope);
    return fine;
}

// --- a contact ---

// How the law of a contact goes.
typedef struct contact_law {
    ts_mujoco_row_slopes row[TS_BLOCK_ROWS_MAX];
    ts_step_softening softening;
    int slowed;  // nonzero: leverage slows its push
} contact_law;

static int goes_by_G(const contact_law* law) { return law->slowed || law->softening.count > 0; }

static int find_chain(const ts_step_task* task, const ts_kinematics* k, int body, body_chain* chain) {
    const ts_model* model = task->sim->model;
    if (chain->body == body) return 1;
    int count = 0;
    for (int d = model->body[body].dof_last; d >= 0; d = model->dof[d].parent) ++count;
    chain->dof = TS_ARENA_ARRAY(task->arena, int, count);
    if (!chain->dof) return 0;
    chain->body = body;
    chain->count = count;
    for (int i = 0, d = model->body[body].dof_last; d >= 0; d = model->dof[d].parent) chain->dof[i++] = d;
    ts_step_contact_fill_chain(model, k, body, chain->numbers);
    return 1;
}

// A contact with the world of three rows or one that go by nothing but positions. Returns 0 when memory is short.
static int find_world_contact(const ts_step_task* task, ts_step_implicit* p, const ts_contact* contact,
                              const ts_manifold_derivative_point* slope, const contact_law* law, contact_room* room) {
    const ts_sim* sim = task->sim;
    const ts_model* model = sim->model;
    const ts_kinematics* k = &p->kinematics;
    const ts_block* block = &sim->problem.block[contact->block];
    ts_step_contact_sought w = {
        .contact = contact, .slope = slope, .by_units = 1, .on_b = model->body[contact->body_a].tree < 0};
    int body = w.on_b ? contact->body_b : contact->body_a;
    if (!find_chain(task, k, body, &room->chain)) return 0;
    ts_step_block_slope own = {block->row, block->rows, room->chain.count, room->chain.dof, NULL, NULL, NULL};
    size_t size = (size_t)block->rows * (size_t)own.count;
    if (goes_by_G(law)) {
        own.count = ts_step_contact_list_others(model, contact, room->motion,
                                                ts_step_contact_list(model, contact, room->motion));
        size = (size_t)block->rows * (size_t)own.count;
        int* dof = TS_ARENA_ARRAY(task->arena, int, own.count);
        own.by_v = (double*)ts_arena_alloc_zeroed(task->arena, 2 * size, sizeof(double));
        if (!dof || !own.by_v) return 0;
        for (int i = 0; i < own.count; ++i) dof[i] = room->motion[i].dof;
        own.dof = dof;
        own.by_q = own.by_v + size;
    } else {
        own.by_q = TS_ARENA_ARRAY(task->arena, double, size);
        if (!own.by_q) return 0;
    }
    ts_step_contact_units(k, contact, slope, w.on_b, ts_kinematics_origin(model, k, model->body[body].tree), w.unit);
    ts_step_contact_fill_chain_rows(sim, k, &w, law->row, room->chain.numbers, room->chain.count, own.count,
                                    (double*)own.by_q);
    if (goes_by_G(law) && !add_own(task, p, &w, &law->softening, law->slowed, &own)) return 0;
    add_common(model, k, contact, w.on_b, ts_step_contact_impulse(sim, contact, sim->impulse + block->row), w.unit,
               room);
    p->block[contact->block] = own;
    return 1;
}

static int find_contact(const ts_step_task* task, ts_step_implicit* p, const ts_contact* contact,
                        const ts_manifold_derivative_point* slope, contact_room* room) {
    const ts_sim* sim = task->sim;
    const ts_model* model = sim->model;
    const ts_kinematics* k = &p->kinematics;
    const ts_block* block = &sim->problem.block[contact->block];
    ts_step_contact_motion* motion = room->motion;
    int* place = room->place;
    int rows = block->rows, a = model->body[contact->body_a].tree, b = model->body[contact->body_b].tree;
    contact_law law;
    int moves = 0;
    if (!ts_step_softening_find(sim, p, contact->block, &law.softening) ||
        !ts_step_contact_law(sim, contact, law.row, &law.slowed))
        return 0;
    int by_G = goes_by_G(&law);
    for (int r = 0; r < rows; ++r) moves = moves || law.row[r].reference_by_speed != 0.0;
    if ((a < 0 || b < 0) && !moves && (rows == 1 || rows == 3))
        return find_world_contact(task, p, contact, slope, &law, room);
    int count = ts_step_contact_list(model, contact, motion);
    if (by_G) count = ts_step_contact_list_others(model, contact, motion, count);
    int* dof = TS_ARENA_ARRAY(task->arena, int, count);
    double* by_q = TS_ARENA_ARRAY(task->arena, double, rows* count);
    int more = moves || by_G;
    double* by_v =
        more ? (double*)ts_arena_alloc_zeroed(task->arena, 2 * (size_t)rows * (size_t)count, sizeof(double)) : NULL;
    double* before = by_v && moves ? by_v + rows * count : NULL;
    int tree = a < 0 ? b : a, shared = a >= 0 && b >= 0 && a != b;
    // What one tree does to itself is the tree's.
    force_matrix to = {shared ? NULL : p->tree[tree].by_q, model->tree[tree].dof_count, place};
    if (shared) {
        to.numbers = (double*)ts_arena_alloc_zeroed(task->arena, (size_t)count * (size_t)count, sizeof(double));
        to.ld = count;
    }
    if (!dof || !by_q || task->arena->failed) return 0;
    if (before) {
        ts_step_contact_move(sim, &sim->kinematics, contact, slope, motion, count);
        ts_step_contact_fill_rows(sim, &sim->kinematics, contact, motion, count, before);
        ts_step_contact_list(model, contact, motion);
    }
    ts_step_contact_move(sim, k, contact, slope, motion, count);
    for (int i = 0; i < count; ++i) {
        dof[i] = motion[i].dof;
        place[i] = shared ? i : motion[i].dof - model->tree[tree].dof_first;
    }
    ts_step_contact_fill_rows(sim, k, contact, motion, count, by_q);
    ts_step_contact_add_law(sim, contact, law.row, motion, count, before, by_q, by_v);
    const ts_step_block_slope own = {block->row, rows, count, dof, by_q, shared ? to.numbers : NULL, by_v};
    const ts_step_contact_sought sought = {.contact = contact, .slope = slope};
    if (by_G && !add_own(task, p, &sought, &law.softening, law.slowed, &own)) return 0;
    ts_force w = ts_step_contact_impulse(sim, contact, sim->impulse + block->row);
    if (a < 0 || b < 0) {
        ts_step_contact_motion unit[TS_CONTACT_UNITS];
        ts_step_contact_units(k, contact, slope, a < 0, ts_kinematics_origin(model, k, tree), unit);
        add_common(model, k, contact, a < 0, w, unit, room);
    }
    for (int side = 0; a >= 0 && b >= 0 && to.numbers && side < 2; ++side) {
        clear_change(&room->change, count);
        add_change(model, k, contact, side, w, motion, count, &room->change);
        spread_change(model, k, side, &room->change, motion, count, &to);
    }
    p->block[contact->block] = own;
    return 1;
}

// The block of a contact over all dofs of both trees, made where there is none. Returns 0 when memory is short.
static int widen(const ts_step_task* task, ts_step_implicit* p, const ts_contact* contact, int shared,
                 const ts_step_contact_motion* motion, int count) {
    const ts_block* block = &task->sim->problem.block[contact->block];
    ts_step_block_slope *slope = &p->block[contact->block], old = *slope;
    size_t wide = (size_t)count;
    int* dof = TS_ARENA_ARRAY(task->arena, int, wide);
    double* by_q = (double*)ts_arena_alloc_zeroed(task->arena, 2 * (size_t)block->rows * wide, sizeof(double));
    double* force = shared ? (double*)ts_arena_alloc_zeroed(task->arena, wide * wide, sizeof(double)) : NULL;
    if (task->arena->failed) return 0;
    double* by_v = by_q + (size_t)block->rows * wide;
    // The chain comes first in both.
    for (int i = 0; i < count; ++i) dof[i] = motion[i].dof;
    for (int r = 0; r < block->rows; ++r)
        for (int i = 0; i < old.count; ++i) {
            by_q[r * count + i] = old.by_q[r * old.count + i];
            if (old.by_v) by_v[r * count + i] = old.by_v[r * old.count + i];
        }
    for (int r = 0; r < old.count && force && old.force; ++r)
        memcpy(force + r * count, old.force + r * old.count, (size_t)old.count * sizeof(double));
    *slope = (ts_step_block_slope){block->row, block->rows, count, dof, by_q, force, by_v};
    return 1;
}

// What pulls the contact together turns with it. Returns 0 when memory is short.
static int add_pull(const ts_step_task* task, ts_step_implicit* p, const ts_contact* contact, double pull,
                    const ts_manifold_derivative_point* slope, contact_room* room) {
    const ts_sim* sim = task->sim;
    const ts_model* model = sim->model;
    int tree[2] = {model->body[contact->body_a].tree, model->body[contact->body_b].tree};
    int shared = tree[0] >= 0 && tree[1] >= 0 && tree[0] != tree[1];
    settle(model, p, room);
    int count =
        ts_step_contact_list_others(model, contact, room->motion, ts_step_contact_list(model, contact, room->motion));
    ts_step_contact_move(sim, &p->kinematics, contact, slope, room->motion, count);
    if (!widen(task, p, contact, shared, room->motion, count)) return 0;
    const ts_step_block_slope* block = &p->block[contact->block];
    ts_arena_scope scope = ts_arena_scope_begin(&task->sim->scratch);
    size_t size = (size_t)count * (size_t)count;
    double* turned = (double*)ts_arena_alloc_zeroed(&task->sim->scratch, size, sizeof(double));
    for (int i = 0; i < count; ++i) room->place[i] = i;
    force_matrix to = {turned, count, room->place};
    ts_force w = {ts_vec3_zero(), ts_vec3_scale(-pull, ts_mat3_column(&contact->frame, 2))};
    for (int side = 0; side < 2 && turned; ++side) {
        if (tree[side] < 0) continue;
        clear_change(&room->change, count);
        add_change(model, &p->kinematics, contact, side, w, room->motion, count, &room->change);
        spread_change(model, &p->kinematics, side, &room->change, room->motion, count, &to);
    }
    for (int side = 0; side < 2 && turned; ++side)
        if (tree[side] >= 0 && p->tree[tree[side]].by_q && (side == 0 || tree[0] != tree[1]))
            ts_step_pull_add(p, tree[side], block, turned, (double*)block->force);
    ts_arena_scope_end(&task->sim->scratch, scope);
    return turned != NULL;
}

static void give_up(const ts_sim* sim, ts_step_implicit* p, const ts_contact* contact) {
    int a = sim->model->body[contact->body_a].tree, b = sim->model->body[contact->body_b].tree;
    if (a >= 0) p->tree[a].by_q = NULL;
    if (b >= 0) p->tree[b].by_q = NULL;
    // An impact asks for the velocity before, and so does what is soft.
    if (contact->surface.restitution == 0.0 && ts_soft_contact_kind(sim) == TS_SOFT_CONTACT_NONE) return;
    if (a >= 0) p->tree[a].by_v = NULL;
    if (b >= 0) p->tree[b].by_v = NULL;
}

int ts_step_contacts_find(const ts_step_task* task, ts_step_implicit* p, ts_arena* scratch, ts_step_report* report) {
    const ts_sim* sim = task->sim;
    ts_arena_scope scope = ts_arena_scope_begin(scratch);
    contact_room room = {.pending = NULL, .chain = {.body = -1}};
    ts_force common[TS_CONTACT_UNITS];
    room.motion = TS_ARENA_ARRAY(scratch, ts_step_contact_motion, sim->model->nv + 1);
    room.place = TS_ARENA_ARRAY(scratch, int, sim->model->nv + 1);
    room.change.by = TS_ARENA_ARRAY(scratch, ts_force, sim->model->nv + 1);
    room.chain.numbers =
        (double(*)[TS_CONTACT_CHAIN])ts_arena_alloc(scratch, ((size_t)sim->model->nv + 1) * sizeof *room.chain.numbers);
    room.common.by = common;
    int fine = room.motion && room.place && room.change.by && room.chain.numbers;
    for (int i = 0, next; fine && i < sim->contact_count; i = next) {
        ts_manifold_derivative_point slope[TS_MANIFOLD_CAPACITY];
        const ts_contact* first = &sim->contact[i];
        if (room.pending && (room.pending->body_a != first->body_a || room.pending->body_b != first->body_b))
            settle(sim->model, p, &room);
        for (next = i + 1; next < sim->contact_count && sim->contact[next].geom_a == first->geom_a &&
                           sim->contact[next].geom_b == first->geom_b;)
            ++next;
        int acting = 0;
        for (int n = i; n < next; ++n)
            acting +=
                ts_step_block_acts(sim, p, sim->contact[n].block) || (p->contact_pull && p->contact_pull[n] != 0.0);
        if (acting == 0) continue;
        int known = ts_step_manifold_slopes(sim, first, next - i, slope, report);
        for (int n = i; n < next; ++n) {
            const ts_contact* contact = &sim->contact[n];
            double pull = p->contact_pull ? p->contact_pull[n] : 0.0;
            int acts = ts_step_block_acts(sim, p, contact->block);
            if (!acts && pull == 0.0) continue;
            int plain = known &&
                        ts_vec3_max_abs(ts_sim_contact_rare(sim, (int)(contact - sim->contact))->drift) == 0.0 &&
                        sim->row_block[contact->block].blocked == TS_ROW_FREE;
            if (plain && acts) plain = find_contact(task, p, contact, &slope[n - i], &room);
            if (!plain)
                give_up(sim, p, contact);
            else if (pull != 0.0)
                fine = fine && add_pull(task, p, contact, pull, &slope[n - i], &room);
        }
    }
    if (fine) settle(sim->model, p, &room);
    fine = fine && !task->arena->failed;
    ts_arena_scope_end(scratch, scope);
    return fine;
}
