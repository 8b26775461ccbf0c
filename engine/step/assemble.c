// The contact problem of a step.
//
// Problem: from contact points, limits and dry friction to u = (G + R) lambda + g with g = J v_f - c*, blocks and their
// sets (docs/contact.md).
// Rule: row r of a contact is frame_r . (v_B(p) - v_A(p)), and where it resists spinning and rolling frame_r . (omega_B
// - omega_A), scaled (contact/problem.h). With the dof axes S about the tree's origin o this is
// J_rd = +-frame_r . (S_d.linear + S_d.angular x (p - o)) along the chain of dofs that move the body. G = J M_hat^-1
// J^T is never formed for the iterative solvers: with M_hat = L^T L each row is replaced by L^-T j, so G = J' J'^T with
// one array J' where two (J and M^-1 J^T) would be needed, and half the memory traffic in a sweep. The velocity that
// the operator keeps is then w = L (v - v_f), turned back once per step. Rows keep their support on the chain of dofs
// from the body to the root, and only that is stored: one segment per run of consecutive dofs. A contact between two
// bodies of one tree takes the whole tree.
// A solver that asks for a factor of G gets one of the same operator, through the bodies or by rows, never a dense one.
//
// Warm starts (docs/contact.md): last step's impulse, kept in world axes, is turned into the new frame, scaled by the
// ratio of time steps and projected on the cone. It is dropped when the normal turned by more than 45 degrees, when the
// contact closes fast or bounces, and when the last solve failed. An iteration limit or a stall is no reason to drop
// it: large piles are run with few iterations on purpose, and it is the warm start that carries the convergence over
// steps.
//
// Known weaknesses. Restitution is Newton's, contact by contact and all at once: an impact does not travel through
// bodies that already touch (a row of balls moves on as one). Baumgarte's push-out stays in the velocity, and that loop
// is only stable while the iterations of one step remove a larger share of the slowest error than kappa: write v' = v +
// l, l' = l - e (v + l + kappa phi / h), phi' = phi + h v' for a slow mode of a warm-started sweep with contraction e
// per step; Routh's criterion gives e > kappa. A stack solved with too few iterations therefore never comes to rest.
#include "engine/step/assemble.h"

#include <string.h>

#include "base/assert.h"
#include "contact/cone.h"
#include "engine/rows/contact_order_internal.h"
#include "engine/dynamics/dynamics.h"
#include "engine/dynamics/free_body_internal.h"
#include "engine/rows/joint_rows.h"
#include "engine/sim_internal.h"
#include "engine/rows/soft_contact.h"
#include "engine/step/step.h"

// 1: cosine between a normal and last step's below which the old impulse says nothing.
static const double least_normal_agreement = 0.7;

// The arrays of the problem under construction, all in the step's scratch.
typedef struct assembly {
    ts_sim* sim;
    ts_block* block;
    int* block_row;      // (blocks + 1)
    int* segment_start;  // (blocks + 1)
    ts_delassus_segment* segment;
    double* data;  // rows of all segments, where segment[s].J points
    double* wide;  // (workers x TS_BLOCK_ROWS_MAX x dof_most) rows over a whole tree, before they are stored run by run
    double* g;
    double* R;
    double* reference;
    double* impulse;
    const ts_joint_row* joint_row;
    double bounce_threshold;  // m/s
    const int* contact_of;    // (contact_count) the contact of each contact block
    int contact_count;
    int block_count;
    int row_count;
} assembly;

void ts_assemble_add_point_rows(const ts_sim* sim, int body, ts_vec3 point, const ts_vec3* direction, int rows,
                                double sign, double* J) {
    const ts_model* model = sim->model;
    int tree = model->body[body].tree;
    if (tree < 0) return;
    int first = model->tree[tree].dof_first, n = model->tree[tree].dof_count;
    if (ts_sim_storage_of(sim)->tree_kind[tree] == TS_TREE_FREE_BODY) {
        const ts_transform* pose = &sim->body_pose[body];
        ts_vec3 lever = ts_vec3_sub(point, pose->p);
        for (int r = 0; r < rows; ++r, J += n) {
            double row[6];
            ts_free_body_row(pose, lever, direction[r], row);
            for (int d = 0; d < 6; ++d) J[d] += sign * row[d];
        }
        return;
    }
    ts_vec3 lever = ts_vec3_sub(point, sim->tree_origin[tree]);
    for (int d = model->body[body].dof_last; d >= 0; d = model->dof[d].parent) {
        ts_vec3 velocity = ts_motion_at(sim->dof_axis[d], lever);
        for (int r = 0; r < rows; ++r)
            J[(size_t)r * (size_t)n + (size_t)(d - first)] += sign * ts_vec3_dot(direction[r], velocity);
    }
}

double ts_assemble_bounce_threshold(const ts_options* options) {
    if (options->restitution_speed > 0.0) return options->restitution_speed;
    // One step of gravity is not an impact: below this a resting contact would be taken for one.
    double step_speed = 2.0 * ts_vec3_norm(options->gravity) * options->time_step;
    return step_speed > 0.01 ? step_speed : 0.01;
}

double ts_assemble_reference(const ts_options* options, const ts_reference_input* input, int* out_bounces) {
    double h = options->time_step;
    double bounce = 0.0;
    // The gap must close within this step. The free velocity decides that, not the present one: otherwise gravity could
    // close it in a step in which it counts as open, and the contact would be old when its turn to bounce comes.
    *out_bounces = input->restitution > 0.0 && !input->was_closed &&
                   -input->speed_now > ts_assemble_bounce_threshold(options) &&
                   input->gap + h * input->speed_free < 0.0;
    if (*out_bounces) bounce = -input->restitution * input->speed_now;
    if (input->gap > 0.0) return *out_bounces ? bounce : -input->gap / h;
    double depth = -input->gap - options->slop;
    double push = depth > 0.0 ? depth * options->baumgarte / h : 0.0;
    if (push > options->push_out_speed) push = options->push_out_speed;
    return push > bounce ? push : bounce;
}

static double row_dot(const double* row, const double* v, int n) {
    double sum = 0.0;
    for (int i = 0; i < n; ++i) sum += row[i] * v[i];
    return sum;
}

// Where the rows of a segment live, writable while the problem is under construction.
static double* segment_data(const assembly* work, int s) { return work->data + (work->segment[s].J - work->data); }

// From rows over a whole tree to the segments that store their support.
static void store_runs(const assembly* work, const ts_kinematic_tree* span, int rows, int first, int last,
                       const double* wide) {
    for (int s = first; s < last; ++s) {
        size_t count = (size_t)work->segment[s].count;
        double* target = segment_data(work, s);
        const double* source = wide + (work->segment[s].column - span->dof_first);
        for (int r = 0; r < rows; ++r)
            memcpy(target + (size_t)r * count, source + (size_t)r * (size_t)span->dof_count, count * sizeof(double));
    }
}

// What row r of a contact reads: velocity at the point along this direction for r < 3, and from there on relative spin
// and roll about it, scaled as contact/problem.h says.
static ts_vec3 row_direction(const ts_contact* contact, int r) {
    if (contact->surface.dimension == 1) return ts_mat3_column(&contact->frame, 2);
    if (r < 3) return ts_mat3_column(&contact->frame, r);
    double scale =
        (r == 3 ? contact->surface.friction_spin : contact->surface.friction_roll) / contact->surface.friction;
    return ts_vec3_scale(scale, ts_mat3_column(&contact->frame, r == 3 ? 2 : r - 4));
}

// Old impulse in the new frame, or zero.
static void warm_impulse(const assembly* work, const ts_contact* contact, const ts_contact_memory* memory,
                         double speed_now, int bounces, double* out_impulse) {
    const ts_sim* sim = work->sim;
    for (int r = 0; r < contact->surface.dimension; ++r) out_impulse[r] = 0.0;
    if (!memory || !sim->options.warm_start || !memory->valid || bounces) return;
    if (ts_vec3_dot(memory->normal, ts_mat3_column(&contact->frame, 2)) < least_normal_agreement) return;
    if (-speed_now > work->bounce_threshold) return;
    double ratio = sim->options.time_step / memory->time_step;
    ts_vec3 impulse = ts_vec3_scale(ratio, ts_mat3_mul_vec_transposed(&contact->frame, memory->impulse));
    if (contact->surface.dimension <= 3) {
        impulse = ts_cone_project(impulse, contact->surface.friction);
        if (contact->surface.dimension == 1)
            out_impulse[0] = impulse.z;
        else
            ts_vec3_store(impulse, out_impulse);
        return;
    }
    ts_vec3_store(impulse, out_impulse);
    for (int r = 3; r < contact->surface.dimension; ++r) {
        ts_vec3 direction = row_direction(contact, r);
        double squared = ts_vec3_dot(direction, direction);
        // A contact that rolls with friction and spins without has a row of zeros.
        if (squared > 0.0) out_impulse[r] = ratio * ts_vec3_dot(memory->angular, direction) / squared;
    }
    ts_cone_project_rows(out_impulse, contact->surface.dimension, contact->surface.friction, out_impulse);
}

static inline double dot_six(const double* row, const double* v) {
    return ((row[0] * v[0] + row[1] * v[1]) + (row[2] * v[2] + row[3] * v[3])) + (row[4] * v[4] + row[5] * v[5]);
}

// What fill_tree_rows does, for a tree that is one free body: where piles spend the time of this stage.
static void fill_free_body_rows(const assembly* work, const ts_contact* contact, int tree, int segment, double* now,
                                double* unhindered) {
    const ts_sim* sim = work->sim;
    int body = sim->model->tree[tree].root, rows = contact->surface.dimension, dof = sim->model->tree[tree].dof_first;
    const ts_transform* pose = &sim->body_pose[body];
    const double* L = sim->mass_factor + sim->mass_start[tree];
    const double* inverse = ts_sim_storage_of(sim)->inverse_diagonal + dof;
    TS_ASSERT(rows >= 1 && rows <= TS_BLOCK_ROWS_MAX);
    ts_vec3 lever = ts_vec3_sub(contact->position, pose->p);
    double sign = contact->body_b == body ? 1.0 : -1.0;
    int centred = ts_free_body_is_centred(sim, tree);
    double* J = segment_data(work, segment);
    for (int r = 0; r < rows; ++r, J += 6) {
        ts_vec3 direction = ts_vec3_scale(sign, row_direction(contact, r));
        if (r < 3)
            ts_free_body_row(pose, lever, direction, J);
        else
            ts_free_body_turn_row(pose, direction, J);
        now[r] += dot_six(J, sim->qvel + dof);
        unhindered[r] += dot_six(J, sim->free_velocity + dof);
        if (centred)
            ts_free_body_whiten_centred(L, inverse, J);
        else
            ts_free_body_whiten(L, inverse, J);
    }
}

// As ts_assemble_add_point_rows, for the turning of a body of a tree that is more than a free body.
static void add_turn_rows(const ts_sim* sim, int body, const ts_vec3* direction, int rows, double sign, double* J) {
    const ts_model* model = sim->model;
    int first = model->tree[model->body[body].tree].dof_first, n = model->tree[model->body[body].tree].dof_count;
    for (int d = model->body[body].dof_last; d >= 0; d = model->dof[d].parent)
        for (int r = 0; r < rows; ++r)
            J[(size_t)r * (size_t)n + (size_t)(d - first)] +=
                sign * ts_vec3_dot(direction[r], sim->dof_axis[d].angular);
}

// The rows of one body in a contact.
static void add_body_rows(const ts_sim* sim, const ts_contact* contact, int body, const ts_vec3* direction, double sign,
                          double* J) {
    int rows = contact->surface.dimension, n = sim->model->tree[sim->model->body[body].tree].dof_count;
    ts_assemble_add_point_rows(sim, body, contact->position, direction, rows < 3 ? rows : 3, sign, J);
    if (rows > 3) add_turn_rows(sim, body, direction + 3, rows - 3, sign, J + 3 * (size_t)n);
}

// The rows of one contact over the dofs of one tree: raw values into now and unhindered (J qvel, J v_f), whitened ones
// into the segments [first, last) of that tree.
static void fill_tree_rows(const assembly* work, const ts_contact* contact, int tree, int first, int last, double* wide,
                           double* now, double* unhindered) {
    ts_sim* sim = work->sim;
    const ts_kinematic_tree* span = &sim->model->tree[tree];
    int rows = contact->surface.dimension, n = span->dof_count;
    ts_vec3 direction[TS_BLOCK_ROWS_MAX];
    for (int r = 0; r < rows; ++r) direction[r] = row_direction(contact, r);
    // One segment that spans the tree is worked on in place.
    double* J = work->segment[first].count == n ? segment_data(work, first) : wide;
    memset(J, 0, (size_t)rows * (size_t)n * sizeof(double));
    if (sim->model->body[contact->body_a].tree == tree)
        add_body_rows(sim, contact, contact->body_a, direction, -1.0, J);
    if (sim->model->body[contact->body_b].tree == tree) add_body_rows(sim, contact, contact->body_b, direction, 1.0, J);
    for (int r = 0; r < rows; ++r) {
        now[r] += row_dot(J + (size_t)r * (size_t)n, sim->qvel + span->dof_first, n);
        unhindered[r] += row_dot(J + (size_t)r * (size_t)n, sim->free_velocity + span->dof_first, n);
    }
    ts_dynamics_whiten(sim, tree, rows, J);
    if (J == wide) store_runs(work, span, rows, first, last, wide);
}

static void fill_contact_block(const assembly* work, int b, double* wide) {
    ts_sim* sim = work->sim;
    int i = work->contact_of[b];
    ts_sim_storage* storage = ts_sim_storage_of(sim);
    ts_contact* contact = &sim->contact[i];
    int rows = contact->surface.dimension, row = work->block_row[b];
    double now[TS_BLOCK_ROWS_MAX] = {0.0}, unhindered[TS_BLOCK_ROWS_MAX] = {0.0};
    // Segments of a tree lie together.
    int last = work->segment_start[b + 1];
    for (int s = work->segment_start[b], e; s < last; s = e) {
        int tree = sim->model->dof[work->segment[s].column].tree;
        for (e = s + 1; e < last && sim->model->dof[work->segment[e].column].tree == tree;) ++e;
        if (storage->tree_kind[tree] == TS_TREE_FREE_BODY)
            fill_free_body_rows(work, contact, tree, s, now, unhindered);
        else
            fill_tree_rows(work, contact, tree, s, e, wide, now, unhindered);
    }
    int normal = rows == 1 ? 0 : 2;
    const ts_contact_memory* memory = NULL;
    if (storage->contact_memory_index[i] >= 0) memory = &sim->contact_memory[storage->contact_memory_index[i]];
    ts_reference_input input = {contact->gap, contact->surface.restitution, now[normal], unhindered[normal], 0};
    input.was_closed = memory && ts_vec3_dot(memory->impulse, memory->normal) > 0.0;
    int bounces = 0;
    for (int r = 0; r < rows; ++r) {
        work->reference[row + r] = 0.0;
        work->R[row + r] = r == normal ? sim->options.compliance_normal : sim->options.compliance_tangent;
    }
    if (ts_soft_contact_kind(sim))
        ts_soft_contact_rows(sim, contact, now, work->reference + row, work->R + row);
    else
        work->reference[row + normal] = ts_assemble_reference(&sim->options, &input, &bounces);
    for (int r = 0; r < rows; ++r) work->g[row + r] = unhindered[r] - work->reference[row + r];
    warm_impulse(work, contact, memory, now[normal], bounces, work->impulse + row);
    contact->velocity_before = rows >= 3 ? ts_vec3_load(now) : ts_vec3_make(0.0, 0.0, now[0]);
    contact->block = b;
    ts_block block = {TS_SET_CONE, row, rows, contact->surface.friction, 0.0, 0.0};
    if (rows == 1) block.set = TS_SET_HALF_LINE;
    work->block[b] = block;
}

static void fill_contact_blocks(void* context, int begin, int end, int worker) {
    const assembly* work = (const assembly*)context;
    double* wide = work->wide + (size_t)worker * TS_BLOCK_ROWS_MAX * (size_t)ts_sim_storage_of(work->sim)->dof_most;
    for (int b = begin; b < end; ++b) fill_contact_block(work, b, wide);
}

static void fill_joint_block(const assembly* work, int b, int* memory_at) {
    ts_sim* sim = work->sim;
    const ts_joint_row* joint_row = &work->joint_row[b - work->contact_count];
    const ts_kinematic_tree* span = &sim->model->tree[sim->model->dof[joint_row->dof].tree];
    int row = work->block_row[b];
    memset(work->wide, 0, (size_t)span->dof_count * sizeof(double));
    memcpy(work->wide + joint_row->dof - span->dof_first, joint_row->coefficient,
           (size_t)joint_row->count * sizeof(double));
    work->reference[row] = joint_row->reference;
    work->R[row] = 0.0;
    work->g[row] =
        row_dot(joint_row->coefficient, sim->free_velocity + joint_row->dof, joint_row->count) - joint_row->reference;
    ts_dynamics_whiten(sim, sim->model->dof[joint_row->dof].tree, 1, work->wide);
    store_runs(work, span, 1, work->segment_start[b], work->segment_start[b + 1], work->wide);
    ts_block block = {TS_SET_HALF_LINE, row, 1, 0.0, 0.0, 0.0};
    if (joint_row->kind == TS_JOINT_ROW_FRICTION) {
        block.set = TS_SET_BOX;
        block.low = -joint_row->bound;
        block.high = joint_row->bound;
    }
    work->block[b] = block;
    // Both lists ascend by id.
    double start = 0.0;
    while (*memory_at < sim->joint_memory_count && sim->joint_memory[*memory_at].id < joint_row->id) ++*memory_at;
    if (sim->options.warm_start && *memory_at < sim->joint_memory_count &&
        sim->joint_memory[*memory_at].id == joint_row->id) {
        const ts_joint_memory* memory = &sim->joint_memory[*memory_at];
        start = memory->impulse * sim->options.time_step / memory->time_step;
        if (block.set == TS_SET_BOX) start = start < block.low ? block.low : start > block.high ? block.high : start;
        if (block.set == TS_SET_HALF_LINE && start < 0.0) start = 0.0;
    }
    work->impulse[row] = start;
}

// Notes the segments of block b, from `segments` on (only counts when work->segment is NULL), and returns the new end.
// Data is placed later.
static int plan_block(const assembly* work, int b, int segments) {
    const ts_model* model = work->sim->model;
    const int* run = ts_sim_storage_of(work->sim)->dof_run;
    int chain[2] = {-1, -1};
    if (b < work->contact_count) {
        const ts_contact* contact = &work->sim->contact[work->contact_of[b]];
        const ts_body* body_a = &model->body[contact->body_a];
        const ts_body* body_b = &model->body[contact->body_b];
        if (body_a->tree >= 0 && body_a->tree == body_b->tree) {
            if (work->segment) {
                work->segment[segments].column = model->tree[body_a->tree].dof_first;
                work->segment[segments].count = model->tree[body_a->tree].dof_count;
            }
            return segments + 1;
        }
        chain[0] = body_a->dof_last;
        chain[1] = body_b->dof_last;
    } else {
        const ts_joint_row* joint_row = &work->joint_row[b - work->contact_count];
        chain[0] = joint_row->dof + joint_row->count - 1;
    }
    for (int k = 0; k < 2; ++k) {
        for (int d = chain[k], first; d >= 0; d = model->dof[first].parent, ++segments) {
            first = run[d];
            if (!work->segment) continue;
            work->segment[segments].column = first;
            work->segment[segments].count = d - first + 1;
        }
    }
    return segments;
}

static int block_rows(const assembly* work, int b) {
    return b < work->contact_count ? work->sim->contact[work->contact_of[b]].surface.dimension : 1;
}

// Decides rows and segments of every block, and allocates. Returns 0 when memory is short.
static int plan(assembly* work) {
    ts_sim* sim = work->sim;
    ts_arena* arena = &sim->scratch;
    int blocks = work->block_count, segments = 0;
    size_t workers = (size_t)ts_task_pool_workers(sim->tasks), dof_most = (size_t)ts_sim_storage_of(sim)->dof_most;
    work->block = TS_ARENA_ARRAY(arena, ts_block, blocks);
    work->block_row = TS_ARENA_ARRAY(arena, int, blocks + 1);
    work->segment_start = TS_ARENA_ARRAY(arena, int, blocks + 1);
    work->wide = TS_ARENA_ARRAY(arena, double, workers* TS_BLOCK_ROWS_MAX* dof_most);
    if (!work->block || !work->block_row || !work->segment_start || !work->wide) return 0;
    for (int b = 0; b < blocks; ++b) segments = plan_block(work, b, segments);
    work->segment = TS_ARENA_ARRAY(arena, ts_delassus_segment, segments);
    if (!work->segment) return 0;
    size_t data_size = 0;
    segments = 0;
    work->row_count = 0;
    for (int b = 0; b < blocks; ++b) {
        work->block_row[b] = work->row_count;
        work->segment_start[b] = segments;
        work->row_count += block_rows(work, b);
        segments = plan_block(work, b, segments);
        for (int s = work->segment_start[b]; s < segments; ++s)
            data_size += (size_t)block_rows(work, b) * (size_t)work->segment[s].count;
    }
    work->block_row[blocks] = work->row_count;
    work->segment_start[blocks] = segments;
    work->data = TS_ARENA_ARRAY(arena, double, data_size);
    work->g = TS_ARENA_ARRAY(arena, double, work->row_count);
    work->R = TS_ARENA_ARRAY(arena, double, work->row_count);
    work->reference = TS_ARENA_ARRAY(arena, double, work->row_count);
    work->impulse = TS_ARENA_ARRAY(arena, double, work->row_count);
    if (!work->data || !work->g || !work->R || !work->reference || !work->impulse) return 0;
    double* at = work->data;
    for (int b = 0; b < blocks; ++b) {
        for (int s = work->segment_start[b]; s < work->segment_start[b + 1]; ++s) {
            work->segment[s].J = work->segment[s].Y = at;
            at += (size_t)block_rows(work, b) * (size_t)work->segment[s].count;
        }
    }
    return 1;
}

ts_code ts_step_assemble(ts_sim* sim) {
    ts_sim_storage* storage = ts_sim_storage_of(sim);
    ts_joint_row* joint_row = TS_ARENA_ARRAY(&sim->scratch, ts_joint_row, ts_joint_rows_limit(sim->model));
    if (!joint_row) return TS_ERROR_MEMORY;
    assembly work = {0};
    work.sim = sim;
    work.joint_row = joint_row;
    work.bounce_threshold = ts_assemble_bounce_threshold(&sim->options);
    work.contact_count = sim->contact_count;
    work.block_count = sim->contact_count + ts_joint_rows_collect(sim, joint_row);
    work.contact_of = ts_contact_order_make(sim);
    if (!work.contact_of || !plan(&work)) return TS_ERROR_MEMORY;
    ts_task_parallel_for(sim->tasks, work.contact_count, 64, fill_contact_blocks, &work);
    int memory_at = 0;
    for (int b = work.contact_count; b < work.block_count; ++b) fill_joint_block(&work, b, &memory_at);

    storage->velocity_form = ts_delassus_velocity_form(&sim->scratch, sim->model->nv, work.block_count, work.block_row,
                                                       work.segment_start, work.segment);
    ts_delassus* delassus = storage->velocity_form;
    storage->joint_row_id = TS_ARENA_ARRAY(&sim->scratch, int, work.block_count - work.contact_count);
    if (!delassus || !storage->joint_row_id) return TS_ERROR_MEMORY;
    for (int b = work.contact_count; b < work.block_count; ++b)
        storage->joint_row_id[b - work.contact_count] = joint_row[b - work.contact_count].id;
    storage->joint_block_first = work.contact_count;
    storage->reference = work.reference;
    sim->impulse = work.impulse;
    sim->problem.block_count = work.block_count;
    sim->problem.row_count = work.row_count;
    sim->problem.block = work.block;
    sim->problem.delassus = delassus;
    sim->problem.g = work.g;
    int soft =
        sim->options.compliance_normal > 0.0 || sim->options.compliance_tangent > 0.0 || ts_soft_contact_kind(sim);
    sim->problem.R = soft ? work.R : NULL;
    sim->problem.time_step = sim->options.time_step;
    sim->info.row_count = work.row_count;
    return TS_OK;
}
