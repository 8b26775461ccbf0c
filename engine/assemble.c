// The contact problem of a step.
//
// Problem: from contact points, limits and dry friction to u = (G + R) lambda + g with g = J v_f - c*, blocks and their
// sets (contact_spec 1.2, 1.3, 1.6, 1.8).
// Rule: row r of a contact is frame_r . (v_B(p) - v_A(p)). With the dof axes S about the tree's origin o this is
// J_rd = +-frame_r . (S_d.linear + S_d.angular x (p - o)) along the chain of dofs that move the body. G = J M_hat^-1 J^T
// is never formed for the iterative solvers: with M_hat = L L^T each row is replaced by L^-1 j, so G = J' J'^T with one
// array J' where two (J and M^-1 J^T) would be needed, and half the memory traffic in a sweep. The velocity that the
// operator keeps is then w = L^T (v - v_f), turned back once per step.
// A solver that must factorise G gets the same rows multiplied out into a dense matrix, up to `dense_row_limit` rows.
//
// Warm starts (contact_spec 3.0): last step's impulse, kept in world axes, is turned into the new frame, scaled by the
// ratio of time steps and projected on the cone. It is dropped when the normal turned by more than 45 degrees, when the
// contact closes fast or bounces, and when the last solve failed. An iteration limit or a stall is no reason to drop it:
// large piles are run with few iterations on purpose, and it is the warm start that carries the convergence over steps.
#include "engine/assemble.h"

#include <string.h>

#include "contact/cone.h"
#include "engine/dynamics.h"
#include "engine/joint_rows.h"
#include "engine/sim_internal.h"
#include "engine/step.h"

// Rows beyond which no dense G is made (134 MB for the matrix); a solver that needs one then reports failure.
enum { dense_row_limit = 4096 };

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
    double* g;
    double* R;
    double* reference;
    double* impulse;
    const ts_joint_row* joint_row;
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
            ts_vec3 turn = ts_mat3_mul_vec_transposed(&pose->R, ts_vec3_cross(lever, direction[r]));
            J[0] += sign * direction[r].x;
            J[1] += sign * direction[r].y;
            J[2] += sign * direction[r].z;
            J[3] += sign * turn.x;
            J[4] += sign * turn.y;
            J[5] += sign * turn.z;
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

// Old impulse in the new frame, or zero.
static ts_vec3 warm_impulse(const ts_sim* sim, const ts_contact* contact, const ts_contact_memory* memory,
                            double speed_now, int bounces) {
    if (!memory || !sim->options.warm_start || !memory->valid || bounces) return ts_vec3_zero();
    if (ts_vec3_dot(memory->normal, ts_mat3_column(&contact->frame, 2)) < least_normal_agreement) return ts_vec3_zero();
    if (-speed_now > ts_assemble_bounce_threshold(&sim->options)) return ts_vec3_zero();
    ts_vec3 impulse = ts_mat3_mul_vec_transposed(&contact->frame, memory->impulse);
    impulse = ts_vec3_scale(sim->options.time_step / memory->time_step, impulse);
    return ts_cone_project(impulse, contact->friction);
}

static void fill_contact_block(const assembly* work, int i) {
    ts_sim* sim = work->sim;
    const ts_model* model = sim->model;
    ts_sim_storage* storage = ts_sim_storage_of(sim);
    ts_contact* contact = &sim->contact[i];
    int rows = contact->dimension, row = work->block_row[i];
    ts_vec3 direction[3];
    for (int r = 0; r < rows; ++r) direction[r] = ts_mat3_column(&contact->frame, rows == 1 ? 2 : r);
    double now[3] = {0.0, 0.0, 0.0}, unhindered[3] = {0.0, 0.0, 0.0};
    for (int s = work->segment_start[i]; s < work->segment_start[i + 1]; ++s) {
        const ts_delassus_segment* segment = &work->segment[s];
        double* J = work->data + (segment->J - work->data);
        int tree = model->dof[segment->column].tree;
        memset(J, 0, (size_t)rows * (size_t)segment->count * sizeof(double));
        if (model->body[contact->body_a].tree == tree)
            ts_assemble_add_point_rows(sim, contact->body_a, contact->position, direction, rows, -1.0, J);
        if (model->body[contact->body_b].tree == tree)
            ts_assemble_add_point_rows(sim, contact->body_b, contact->position, direction, rows, 1.0, J);
        for (int r = 0; r < rows; ++r) {
            now[r] += row_dot(J + r * segment->count, sim->qvel + segment->column, segment->count);
            unhindered[r] += row_dot(J + r * segment->count, sim->free_velocity + segment->column, segment->count);
        }
        ts_dynamics_whiten(sim, tree, rows, J);
    }
    int normal = rows - 1;
    const ts_contact_memory* memory = NULL;
    if (storage->contact_memory_index[i] >= 0) memory = &sim->contact_memory[storage->contact_memory_index[i]];
    ts_reference_input input = {contact->gap, contact->restitution, now[normal], unhindered[normal], 0};
    input.was_closed = memory && ts_vec3_dot(memory->impulse, memory->normal) > 0.0;
    int bounces = 0;
    for (int r = 0; r < rows; ++r) {
        work->reference[row + r] = 0.0;
        work->R[row + r] = r == normal ? sim->options.compliance_normal : sim->options.compliance_tangent;
    }
    work->reference[row + normal] = ts_assemble_reference(&sim->options, &input, &bounces);
    for (int r = 0; r < rows; ++r) work->g[row + r] = unhindered[r] - work->reference[row + r];
    ts_vec3 start = warm_impulse(sim, contact, memory, now[normal], bounces);
    contact->velocity_before = rows == 3 ? ts_vec3_load(now) : ts_vec3_make(0.0, 0.0, now[0]);
    contact->block = i;
    ts_block block = {TS_SET_CONE, row, rows, contact->friction, 0.0, 0.0};
    if (rows == 3) {
        ts_vec3_store(start, work->impulse + row);
    } else {
        block.set = TS_SET_HALF_LINE;
        work->impulse[row] = start.z;
    }
    work->block[i] = block;
}

static void fill_contact_blocks(void* context, int begin, int end, int worker) {
    const assembly* work = (const assembly*)context;
    (void)worker;
    for (int i = begin; i < end; ++i) fill_contact_block(work, i);
}

static void fill_joint_block(const assembly* work, int b, int* memory_at) {
    ts_sim* sim = work->sim;
    const ts_joint_row* joint_row = &work->joint_row[b - work->contact_count];
    const ts_delassus_segment* segment = &work->segment[work->segment_start[b]];
    double* J = work->data + (segment->J - work->data);
    int row = work->block_row[b];
    memset(J, 0, (size_t)segment->count * sizeof(double));
    memcpy(J + joint_row->dof - segment->column, joint_row->coefficient, (size_t)joint_row->count * sizeof(double));
    work->reference[row] = joint_row->reference;
    work->R[row] = 0.0;
    work->g[row] =
        row_dot(joint_row->coefficient, sim->free_velocity + joint_row->dof, joint_row->count) - joint_row->reference;
    ts_dynamics_whiten(sim, sim->model->dof[joint_row->dof].tree, 1, J);
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

// Notes one segment; its J is an offset into data that does not exist yet, so only the size is counted here.
static void plan_segment(const ts_model* model, int tree, ts_delassus_segment* segment) {
    segment->column = model->tree[tree].dof_first;
    segment->count = model->tree[tree].dof_count;
    segment->J = segment->Y = NULL;
}

// Decides rows and segments of every block, and allocates. Returns 0 when memory is short.
static int plan(assembly* work) {
    ts_sim* sim = work->sim;
    const ts_model* model = sim->model;
    ts_arena* arena = &sim->scratch;
    int blocks = work->block_count, segments = 0;
    work->block = TS_ARENA_ARRAY(arena, ts_block, blocks);
    work->block_row = TS_ARENA_ARRAY(arena, int, blocks + 1);
    work->segment_start = TS_ARENA_ARRAY(arena, int, blocks + 1);
    work->segment = TS_ARENA_ARRAY(arena, ts_delassus_segment, 2 * (size_t)blocks);
    if (!work->block || !work->block_row || !work->segment_start || !work->segment) return 0;
    size_t data_size = 0;
    work->row_count = 0;
    for (int b = 0; b < blocks; ++b) {
        int rows = 1, tree_a = -1, tree_b = -1;
        if (b < work->contact_count) {
            rows = sim->contact[b].dimension;
            tree_a = model->body[sim->contact[b].body_a].tree;
            tree_b = model->body[sim->contact[b].body_b].tree;
        } else {
            tree_a = model->dof[work->joint_row[b - work->contact_count].dof].tree;
        }
        work->block_row[b] = work->row_count;
        work->segment_start[b] = segments;
        work->row_count += rows;
        if (tree_a >= 0) plan_segment(model, tree_a, &work->segment[segments++]);
        if (tree_b >= 0 && tree_b != tree_a) plan_segment(model, tree_b, &work->segment[segments++]);
        for (int s = work->segment_start[b]; s < segments; ++s) data_size += (size_t)(rows * work->segment[s].count);
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
        int rows = work->block_row[b + 1] - work->block_row[b];
        for (int s = work->segment_start[b]; s < work->segment_start[b + 1]; ++s) {
            work->segment[s].J = work->segment[s].Y = at;
            at += rows * work->segment[s].count;
        }
    }
    return 1;
}

// Multiplies the rows out into G. Only pairs of blocks that share a tree are visited: for each segment, all segments on the
// same columns, through a list per tree.
static ts_delassus* dense_operator(const assembly* work) {
    ts_arena* arena = &work->sim->scratch;
    const ts_model* model = work->sim->model;
    size_t n = (size_t)work->row_count;
    int segments = work->segment_start[work->block_count];
    double* G = (double*)ts_arena_alloc_zeroed(arena, n * n, sizeof(double));
    int* next = TS_ARENA_ARRAY(arena, int, segments);
    int* owner = TS_ARENA_ARRAY(arena, int, segments);
    int* head = TS_ARENA_ARRAY(arena, int, model->tree_count);
    if (!G || !next || !owner || !head) return NULL;
    for (int t = 0; t < model->tree_count; ++t) head[t] = -1;
    for (int b = 0; b < work->block_count; ++b) {
        for (int s = work->segment_start[b]; s < work->segment_start[b + 1]; ++s) {
            const ts_delassus_segment* mine = &work->segment[s];
            int tree = model->dof[mine->column].tree;
            owner[s] = b;
            next[s] = head[tree];
            head[tree] = s;
            for (int o = s; o >= 0; o = next[o]) {
                const ts_delassus_segment* other = &work->segment[o];
                for (int i = work->block_row[b]; i < work->block_row[b + 1]; ++i) {
                    for (int j = work->block_row[owner[o]]; j < work->block_row[owner[o] + 1]; ++j) {
                        double value = row_dot(mine->J + (i - work->block_row[b]) * mine->count,
                                               other->J + (j - work->block_row[owner[o]]) * other->count, mine->count);
                        G[(size_t)i * n + (size_t)j] += value;
                        if (owner[o] != b) G[(size_t)j * n + (size_t)i] += value;
                    }
                }
            }
        }
    }
    return ts_delassus_dense(arena, work->block_count, work->block_row, G);
}

ts_code ts_step_assemble(ts_sim* sim) {
    ts_sim_storage* storage = ts_sim_storage_of(sim);
    ts_joint_row* joint_row = TS_ARENA_ARRAY(&sim->scratch, ts_joint_row, ts_joint_rows_limit(sim->model));
    if (!joint_row) return TS_ERROR_MEMORY;
    assembly work = {0};
    work.sim = sim;
    work.joint_row = joint_row;
    work.contact_count = sim->contact_count;
    work.block_count = sim->contact_count + ts_joint_rows_collect(sim, joint_row);
    if (!plan(&work)) return TS_ERROR_MEMORY;
    ts_task_parallel_for(sim->tasks, work.contact_count, 64, fill_contact_blocks, &work);
    int memory_at = 0;
    for (int b = work.contact_count; b < work.block_count; ++b) fill_joint_block(&work, b, &memory_at);

    storage->velocity_form = ts_delassus_velocity_form(&sim->scratch, sim->model->nv, work.block_count, work.block_row,
                                                       work.segment_start, work.segment);
    ts_delassus* delassus = storage->velocity_form;
    if (delassus && (sim->solver->needs & TS_DELASSUS_FACTOR) && work.row_count <= dense_row_limit)
        delassus = dense_operator(&work);
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
    int soft = sim->options.compliance_normal > 0.0 || sim->options.compliance_tangent > 0.0;
    sim->problem.R = soft ? work.R : NULL;
    sim->problem.time_step = sim->options.time_step;
    sim->info.row_count = work.row_count;
    return TS_OK;
}
