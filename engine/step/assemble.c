// The contact problem of a step.
//
// Problem: from blocks of rows, whoever makes them (engine/rows/row_source_internal.h), to u = (G + R) lambda + g with g = J v_f
// - c* (docs/contact.md).
// Rule: G = J M_hat^-1 J^T is never formed for the iterative solvers: with M_hat = L^T L each row is replaced by L^-T j,
// so G = J' J'^T with one array J' where two (J and M^-1 J^T) would be needed, and half the memory traffic in a sweep.
// The velocity that the operator keeps is then w = L (v - v_f), turned back once per step. Rows keep their support on
// the chains of dofs that they move, and only that is stored, one segment per run of consecutive dofs; a block that moves
// two bodies of one tree takes the whole tree (row_plan.c).
// Guaranteed: every block writes its own place, so the number of threads does not matter.
#include <math.h>
#include <string.h>

#include "base/scalar.h"
#include "contact/trace.h"
#include "engine/dynamics/dynamics_internal.h"
#include "engine/rows/row_plan_internal.h"
#include "engine/rows/soft_contact_internal.h"
#include "engine/sim_internal.h"
#include "engine/step/step.h"
#include "engine/step/yield_internal.h"

// Blocks that one thread fills at a time: some tens of microseconds. And how many have to move one chain for its axes to be whitened instead of
// their rows: these are six, and take as long as two blocks.
enum { CHUNK = 64, COMPANY = 3 };

// A chain that so many blocks move: contacts of one foot.
typedef struct company {
    int block;                       // one of them
    int tree, dof_first, dof_count;  // what they move
    double speed[6][2];              // along the six components of its axes: now and free
    double* stored;                  // these, whitened, segment by segment
} company;

// The problem under construction.
typedef struct assembly {
    ts_sim* sim;
    const ts_row_plan* plan;
    double* data;         // rows of all segments, where segment[s].J points
    ts_row_piece* piece;  // (workers x tree_most) the trees of a block
    double* wide;         // (workers x wide_most) rows over whole trees, before they are stored run by run
    company* company;     // (companies)
    int companies;
    int* company_of;  // (block_count) number of each, or -1; NULL where has_chains is 0
    double* axes;     // for each worker those of a chain side by side
    double* g;
    double* R;
    double* reference;
    double* impulse;
    double* rigid_reference;  // these two as if nothing was soft; NULL where nothing is
    double* rigid_R;
    double* before;  // J v, for the books; NULL where none are kept
} assembly;

// Where the rows of a segment live, writable while the problem is under construction.
static double* segment_data(const assembly* work, int s) {
    return work->data + (work->plan->segment[s].J - work->data);
}

// Six degrees of freedom at the root move anything anywhere, but nothing against what hangs on them, too: then one segment
// spans the tree.
static int may_stand_still(const ts_sim* sim, const ts_row_piece* piece, const ts_delassus_segment* segment) {
    int joint = sim->model->dof[piece->dof_first].joint;
    return sim->model->joint[joint].type != TS_JOINT_FREE || segment->count == piece->dof_count;
}

// The piece of the tree of segment s, up to segments of other trees, or `last`. What is no lone free body's is filled in `wide`. Returns
// the segment behind it.
static int open_piece(const assembly* work, int s, int last, int rows, double* wide, ts_row_piece* p) {
    const ts_model* model = work->sim->model;
    const ts_delassus_segment* segment = work->plan->segment;
    int tree = model->dof[segment[s].column].tree, end = s + 1;
    p->tree = tree;
    p->is_free_body = model->tree[tree].kind != TS_TREE_GENERAL;
    p->dof_first = model->tree[tree].dof_first;
    p->dof_count = model->tree[tree].dof_count;
    p->written = 0;
    p->wrench = NULL;
    p->stored = NULL;
    p->segment_first = s;
    if (p->is_free_body) {
        p->J = segment_data(work, s);
        return end;
    }
    // Segments of a tree lie together.
    while (end < last && model->dof[segment[end].column].tree == tree) ++end;
    p->rows = rows;
    p->segment_count = end - s;
    p->fastest = 0.0;
    p->may_stand_still = may_stand_still(work->sim, p, &segment[s]);
    p->J = wide;
    return end;
}

// Pieces for the trees of block b. Rows of lone free bodies need not be cleared. Returns how many.
static int open_pieces(const assembly* work, int b, double* wide, ts_row_piece* piece) {
    int count = 0, rows = work->plan->block[b].rows, last = work->plan->segment_start[b + 1];
    for (int s = work->plan->segment_start[b]; s < last; ++count) {
        ts_row_piece* p = &piece[count];
        s = open_piece(work, s, last, rows, wide, p);
        if (p->is_free_body) continue;
        size_t numbers = ts_row_lanes_size(rows, p->dof_count);
        memset(wide, 0, numbers * sizeof(double));
        wide += numbers;
    }
    return count;
}

// 1: part of the fastest that a joint moves a point, or turns, under which it cannot press there. The normal of a contact lies within
// 1e-5 of square to all that joints can do then, and a demand of a millimetre would move something a hundred metres.
static const double least_part = 1e-5;

// Whether nothing that the joints of this tree can do moves what presses: the normal of a contact, all rows of other blocks.
static int is_still(const ts_sim* sim, const ts_row_piece* piece, const ts_block* block) {
    int cone = block->set == TS_SET_CONE, first = cone ? 2 : 0, last = cone ? 3 : block->rows;
    if (!piece->may_stand_still) return 0;
    const double* inverse = ts_sim_inverse_diagonal(sim, piece->tree);
    for (int r = first; r < last; ++r)
        for (int d = 0; d < piece->dof_count; ++d)
            if (fabs(ts_row_entry(piece, r, d)) * inverse[d] > least_part * piece->fastest) return 0;
    return 1;
}

// What a piece needs to be whitened over these segments.
static ts_row_lanes lanes_of(const assembly* work, const ts_row_piece* piece, int rows,
                             const ts_delassus_segment* segment, int segments) {
    const ts_sim* sim = work->sim;
    return (ts_row_lanes){sim->model,
                          piece->J,
                          rows,
                          piece->dof_first,
                          piece->dof_count,
                          sim->mass_factor + sim->mass_start[piece->tree],
                          ts_sim_inverse_diagonal(sim, piece->tree),
                          segment,
                          segments,
                          sim->qvel + piece->dof_first,
                          sim->free_velocity + piece->dof_first};
}

// What the source left open: speeds from the raw rows, then whitened and stored. Rows of a lone free body that were written
// have all that behind them.
static int close_piece(const assembly* work, const ts_row_piece* piece, const ts_block* block, ts_row_speeds* speeds) {
    int rows = block->rows;
    if (piece->is_free_body) {
        for (int r = 0; piece->written + 1u != 1u << rows && r < rows; ++r)
            if (!(piece->written >> r & 1u)) memset(piece->J + 6 * r, 0, 6 * sizeof(double));
        return 0;
    }
    int still = is_still(work->sim, piece, block), first = piece->segment_first;
    ts_row_lanes lanes = lanes_of(work, piece, rows, work->plan->segment + first, piece->segment_count);
    ts_row_lanes_close(&lanes, speeds->now, speeds->free, segment_data(work, first));
    return still;
}

// The rows of block b, filled by its source. Returns nonzero when joints block all that they ask for.
static int fill_rows(const assembly* work, int b, int worker, ts_row_jacobian* J) {
    const ts_row_plan* plan = work->plan;
    J->piece = work->piece + (size_t)worker * (size_t)plan->tree_most;
    J->piece_count = open_pieces(work, b, work->wide + (size_t)worker * plan->wide_most, J->piece);
    ts_row_source_at(plan->owner[b].source)->jacobian(work->sim, b, J);
    int still = 1;
    for (int k = 0; k < J->piece_count; ++k)
        still = close_piece(work, &J->piece[k], &plan->block[b], J->speeds) && still;
    return still;
}

// Last step's impulse of block b, for a source that has no way of its own to remember. Solvers take any start and bring it
// into its set.
static void start_again(const assembly* work, int b, double* out_impulse) {
    const ts_sim* sim = work->sim;
    const ts_block* block = &work->plan->block[b];
    int entry = work->plan->owner[b].memory;
    const ts_row_memory* memory = entry >= 0 ? &sim->row_memory.data[entry] : NULL;
    if (!memory || !memory->valid || !sim->options.warm_start) return;
    const double* more = memory->more_count > 0 ? sim->row_more.data[memory->more].number : NULL;
    for (int r = 0; r < block->rows; ++r)
        out_impulse[r] = (r < 3  ? memory->impulse[r]
                          : more ? more[r - 3]
                                 : 0.0) *
                         sim->options.time_step / memory->time_step;
}

// What the solver remembers of the blocks that were there before. Returns 0 when memory is short.
static int recall_solver(ts_sim* sim, const ts_row_plan* plan) {
    int keeper = plan->keeper;
    sim->problem.memory = NULL;
    if (keeper == 0) return 1;
    double* memory = TS_ARENA_ARRAY(&sim->scratch, double, plan->block_count);
    for (int b = 0, warm = sim->options.warm_start; memory && b < plan->block_count; ++b) {
        int entry = plan->owner[b].memory;
        const ts_row_memory* known = entry >= 0 ? &sim->row_memory.data[entry] : NULL;
        int is_its = warm && known && known->valid && known->keeper == keeper;
        memory[b] = is_its ? known->solver : 0.0;
    }
    sim->problem.memory = memory;
    return memory != NULL;
}

// A block that nothing can change asks for nothing and gets nothing: its rows are zero, and so is its impulse.
static void leave_out(const assembly* work, int b, const ts_row_jacobian* J) {
    const ts_row_plan* plan = work->plan;
    int row = plan->block_row[b], rows = plan->block[b].rows;
    for (int k = 0; k < J->piece_count; ++k) {
        const ts_row_piece* piece = &J->piece[k];
        int segments = piece->is_free_body ? 1 : piece->segment_count;
        for (int s = piece->segment_first; s < piece->segment_first + segments; ++s)
            memset(segment_data(work, s), 0, (size_t)(rows * plan->segment[s].count) * sizeof(double));
    }
    for (int i = row; i < row + rows; ++i) work->g[i] = work->reference[i] = work->R[i] = work->impulse[i] = 0.0;
    plan->owner[b].blocked = TS_ROW_BLOCKED;
}

// 1: eigenvalue of a contact's G by its largest that is none: joints block that direction.
static const double least_eigenvalue = 1e-12;

// Takes back the part of a contact's demand that lies where joints let it move nothing: a push-out along a normal that leans out
// of the plane of a planar robot. Nothing could meet it but friction, which jams in the attempt, with impulses without bound.
static void take_back(const assembly* work, int b, const ts_row_jacobian* J) {
    double* g = work->g + work->plan->block_row[b];
    double* reference = work->reference + work->plan->block_row[b];
    if (work->plan->block[b].set != TS_SET_CONE || work->plan->block[b].rows != 3) return;
    for (int k = 0; k < J->piece_count; ++k) {
        const ts_row_piece* piece = &J->piece[k];
        // Six degrees of freedom at the root move anything anywhere.
        if (piece->is_free_body ||
            work->sim->model->joint[work->sim->model->dof[piece->dof_first].joint].type == TS_JOINT_FREE)
            return;
    }
    ts_mat3 G = ts_row_products(J, 0);
    ts_vec3 value, demand = ts_vec3_load(g), back = ts_vec3_zero();
    ts_mat3 axes;
    ts_mat3_eigen_symmetric(&G, &value, &axes);
    double most = fmax(value.x, fmax(value.y, value.z)), normal = 0.0, mu = work->plan->block[b].mu;
    for (int i = 0; i < 3; ++i) {
        ts_vec3 axis = ts_mat3_column(&axes, i);
        if (ts_vec3_get(value, i) > least_eigenvalue * most) continue;
        back = ts_vec3_add_scaled(back, ts_vec3_dot(axis, demand), axis);
        normal += axis.z * axis.z;
    }
    // Friction reaches that way only if it lies within the cone.
    if (normal * (1.0 + mu * mu) < 1.0 - 1e-9 || ts_vec3_norm(back) <= least_part * ts_vec3_norm(demand)) return;
    ts_vec3 left = ts_vec3_sub(demand, back);
    ts_vec3_store(left, g);
    ts_vec3_store(ts_vec3_add(ts_vec3_load(reference), back), reference);
    work->plan->owner[b].blocked = TS_ROW_BLOCKED;
}

// What follows from the rows of block b and their speeds. `still`: joints block all that it asks for.
static void apply_law(const assembly* work, int b, const ts_row_jacobian* J, int still) {
    const ts_row_plan* plan = work->plan;
    const ts_row_source* source = ts_row_source_at(plan->owner[b].source);
    int row = plan->block_row[b], rows = plan->block[b].rows;
    int slowed = 0;
    ts_row_law law = {J->speeds, J, work->reference + row, work->R + row, work->impulse + row, 0, &slowed};
    if (!source->remember) start_again(work, b, law.impulse);
    if (source->law) source->law(work->sim, b, &law);
    if (slowed) plan->owner[b].blocked = TS_ROW_SLOWED;
    for (int r = 0; r < rows; ++r) work->g[row + r] = J->speeds->free[r] - law.reference[r];
    for (int r = 0; work->before && r < rows; ++r) work->before[row + r] = J->speeds->now[r];
    if (still) {
        leave_out(work, b, J);
        return;
    }
    take_back(work, b, J);
    ts_step_yield_again(work->sim, plan, b, work->g + row, work->reference + row);
    if (!work->rigid_R || !source->law) return;
    double none[TS_BLOCK_ROWS_MAX] = {0.0};
    ts_row_law rigid = {J->speeds, J, work->rigid_reference + row, work->rigid_R + row, none, 1, &slowed};
    source->law(work->sim, b, &rigid);
}

// Blocks from b on at once, where their source can. Returns how many; 0, with nothing done, where it cannot.
static int fill_lone(const assembly* work, int b, int end) {
    const ts_row_plan* plan = work->plan;
    const ts_row_source* source = ts_row_source_at(plan->owner[b].source);
    if (!source->lone || work->rigid_R) return 0;
    int row = plan->block_row[b];
    ts_row_place place = {segment_data(work, plan->segment_start[b]), work->g + row, work->reference + row,
                          work->impulse + row, work->before ? work->before + row : NULL};
    int count = source->lone(work->sim, plan, b, end, &place);
    for (int k = b; k < b + count; ++k) {
        int memory = plan->owner[k].memory, at = plan->block_row[k];
        if (memory >= 0 && work->sim->row_memory.data[memory].pause > 0)
            ts_step_yield_again(work->sim, plan, k, work->g + at, work->reference + at);
    }
    return count;
}

static void fill_block(const assembly* work, int b, int worker) {
    ts_row_speeds speeds = {{0.0}, {0.0}};
    ts_row_jacobian J = {.sim = work->sim, .speeds = &speeds};
    int still = fill_rows(work, b, worker, &J);
    apply_law(work, b, &J, still);
}

// The tree that a block of one row moves, if it moves no other and that is no lone free body; else -1.
static int tree_of_lone_row(const assembly* work, int b) {
    const ts_row_plan* plan = work->plan;
    const ts_model* model = work->sim->model;
    int first = plan->segment_start[b], last = plan->segment_start[b + 1];
    if (plan->block[b].rows != 1 || first == last) return -1;
    int tree = model->dof[plan->segment[first].column].tree;
    for (int s = first + 1; s < last; ++s)
        if (model->dof[plan->segment[s].column].tree != tree) return -1;
    return model->tree[tree].kind == TS_TREE_GENERAL ? tree : -1;
}

// How many blocks from b on are lone rows of one tree: dry friction, limits, servos. No more than lanes.
static int count_lone_rows(const assembly* work, int b, int end) {
    int tree = tree_of_lone_row(work, b), count = 1;
    if (tree < 0) return 0;
    while (count < TS_ROW_LANES && b + count < end && tree_of_lone_row(work, b + count) == tree) ++count;
    return count;
}

// From a lane to the segments of a lone row.
static void store_lane(const assembly* work, const ts_row_piece* piece) {
    double* to = segment_data(work, piece->segment_first);
    for (int s = piece->segment_first; s < piece->segment_first + piece->segment_count; ++s) {
        const double* from = piece->J + TS_ROW_LANES * (work->plan->segment[s].column - piece->dof_first);
        for (int i = 0; i < work->plan->segment[s].count; ++i) *to++ = from[TS_ROW_LANES * i];
    }
}

// Lone rows of one tree, `count` blocks from b on, side by side.
static void fill_lone_rows(const assembly* work, int b, int count, int worker) {
    const ts_row_plan* plan = work->plan;
    double now[TS_ROW_LANES] = {0.0}, free[TS_ROW_LANES] = {0.0};
    double* wide = work->wide + (size_t)worker * plan->wide_most;
    ts_row_piece piece[TS_ROW_LANES];
    ts_row_speeds speeds[TS_ROW_LANES] = {{{0.0}, {0.0}}};
    ts_row_jacobian J[TS_ROW_LANES];
    int still[TS_ROW_LANES];
    for (int k = 0; k < count; ++k) {
        open_piece(work, plan->segment_start[b + k], plan->segment_start[b + k + 1], 1, wide + k, &piece[k]);
        if (k == 0) memset(wide, 0, ts_row_lanes_size(1, piece[0].dof_count) * sizeof(double));
        J[k] = (ts_row_jacobian){.sim = work->sim, .piece = &piece[k], .piece_count = 1, .speeds = &speeds[k]};
        ts_row_source_at(plan->owner[b + k].source)->jacobian(work->sim, b + k, &J[k]);
        still[k] = is_still(work->sim, &piece[k], &plan->block[b + k]);
    }
    // From the tree's root to the last of the chains' leaves, which come first.
    const ts_delassus_segment* tip = &plan->segment[plan->segment_start[b]];
    const ts_model* model = work->sim->model;
    ts_delassus_segment all = {model->tree[model->dof[tip->column].tree].dof_first, 0, NULL, NULL};
    for (int k = 0; k < count; ++k) {
        tip = &plan->segment[plan->segment_start[b + k]];
        int end = tip->column + tip->count - all.column;
        all.count = end > all.count ? end : all.count;
    }
    ts_row_lanes lanes = lanes_of(work, &piece[0], count, &all, 1);
    ts_row_lanes_close(&lanes, now, free, NULL);
    for (int k = 0; k < count; ++k) {
        speeds[k].now[0] = now[k];
        speeds[k].free[0] = free[k];
        store_lane(work, &piece[k]);
        apply_law(work, b + k, &J[k], still[k]);
    }
}

// Whether block b reads points of one body, of a tree of which it moves one chain, and not all of it.
// Returns the number behind its last dof, or 0.
static int chain_of(const assembly* work, int b) {
    const ts_row_plan* plan = work->plan;
    const ts_model* model = work->sim->model;
    int first = plan->segment_start[b], last = plan->segment_start[b + 1];
    if (first == last || !ts_row_source_at(plan->owner[b].source)->reads_bodies) return 0;
    const ts_dof* root = &model->dof[plan->segment[last - 1].column];
    const ts_kinematic_tree* tree = &model->tree[root->tree];
    const ts_delassus_segment* tip = &plan->segment[first];
    int is_chain = tree->kind == TS_TREE_GENERAL && model->dof[tip->column].tree == root->tree &&
                   model->joint[root->joint].type == TS_JOINT_FREE && tip->count < tree->dof_count;
    return is_chain ? tip->column + tip->count : 0;
}

// A block of company, from its chain's axes and their speeds.
static void fill_companion(const assembly* work, int b) {
    const ts_row_plan* plan = work->plan;
    const company* chain = &work->company[work->company_of[b]];
    double wrench[6 * TS_BLOCK_ROWS_MAX];
    ts_row_speeds speeds;
    int first = plan->segment_start[b], rows = plan->block[b].rows;
    ts_row_piece piece = {.tree = chain->tree,
                          .dof_first = chain->dof_first,
                          .dof_count = chain->dof_count,
                          .segment_first = first,
                          .segment_count = plan->segment_start[b + 1] - first,
                          .rows = rows,
                          .wrench = wrench};
    memset(wrench, 0, 6 * (size_t)rows * sizeof(double));
    ts_row_jacobian J = {.sim = work->sim, .piece = &piece, .piece_count = 1, .speeds = &speeds};
    ts_row_source_at(plan->owner[b].source)->jacobian(work->sim, b, &J);
    piece.stored = plan->segment + first;
    ts_row_lanes_mix mix = {piece.stored, piece.segment_count, chain->stored, wrench, rows};
    ts_row_lanes_combine(&mix, segment_data(work, first));
    for (int r = 0; r < rows; ++r) {
        double speed[2] = {0.0, 0.0};
        for (int i = 0; i < 6; ++i)
            for (int k = 0; k < 2; ++k) speed[k] += wrench[6 * r + i] * chain->speed[i][k];
        speeds.now[r] = speed[0];
        speeds.free[r] = speed[1];
    }
    apply_law(work, b, &J, 0);
}

// The axes of a chain, side by side, and whitened.
static void fill_chain(const assembly* work, company* chain, double* side) {
    const ts_row_plan* plan = work->plan;
    ts_motion room[6];
    int first = plan->segment_start[chain->block], last = plan->segment_start[chain->block + 1];
    ts_row_piece piece;
    open_piece(work, first, last, 6, side, &piece);
    const ts_motion* axis = ts_kinematics_axes(work->sim->model, &work->sim->kinematics, piece.tree, room);
    chain->tree = piece.tree;
    chain->dof_first = piece.dof_first;
    chain->dof_count = piece.dof_count;
    for (int s = first; s < last; ++s) {
        for (int d = plan->segment[s].column; d < plan->segment[s].column + plan->segment[s].count; ++d) {
            double *to = side + TS_ROW_LANES * (d - piece.dof_first), *rest = to + TS_ROW_LANES * piece.dof_count;
            ts_vec3_store(axis[d].angular, to);
            to[3] = axis[d].linear.x;
            rest[0] = axis[d].linear.y;
            rest[1] = axis[d].linear.z;
            rest[2] = rest[3] = 0.0;
        }
    }
    double now[2 * TS_ROW_LANES] = {0.0}, free[2 * TS_ROW_LANES] = {0.0};
    ts_row_lanes lanes = lanes_of(work, &piece, 6, plan->segment + first, last - first);
    ts_row_lanes_close(&lanes, now, free, chain->stored);
    for (int k = 0; k < 6; ++k) {
        chain->speed[k][0] = now[k];
        chain->speed[k][1] = free[k];
    }
}

static void fill_chains(void* context, int begin, int end, int worker) {
    const assembly* work = (const assembly*)context;
    int dofs = ts_sim_storage_of(work->sim)->dof_most;
    double* side = work->axes + (size_t)worker * ts_row_lanes_size(6, dofs);
    for (int i = begin; i < end; ++i) fill_chain(work, &work->company[i], side);
}

// Whether any block moves more than lone free bodies.
static int has_chains(const assembly* work) { return work->plan->wide_most > 0; }

// Finds chains that many blocks move. Returns 0 when memory is short.
static int find_company(assembly* work) {
    const ts_row_plan* plan = work->plan;
    ts_arena* arena = &work->sim->scratch;
    int nv = work->sim->model->nv, many = 0;
    if (!has_chains(work)) return 1;
    int* seen = (int*)ts_arena_alloc_zeroed(arena, 2 * (size_t)nv + 2, sizeof(int));
    work->company_of = TS_ARENA_ARRAY(arena, int, plan->block_count);
    if (!seen || !work->company_of) return 0;
    int* number = seen + nv + 1;  // of each chain's company, from 1 on
    for (int b = 0; b < plan->block_count; ++b) {
        int chain = work->company_of[b] = chain_of(work, b);
        if (chain > 0 && ++seen[chain] == COMPANY) number[chain] = ++many;
    }
    work->companies = many;
    work->company = TS_ARENA_ARRAY(arena, company, many);
    if (many > 0 && !work->company) return 0;
    for (int b = plan->block_count - 1; b >= 0; --b) {
        int i = work->company_of[b] = number[work->company_of[b]] - 1;
        if (i >= 0) work->company[i].block = b;
    }
    for (int i = 0; i < many; ++i) {
        work->company[i] = (company){.block = work->company[i].block};
        int columns = 0, b = work->company[i].block;
        for (int s = plan->segment_start[b]; s < plan->segment_start[b + 1]; ++s) columns += plan->segment[s].count;
        work->company[i].stored = TS_ARENA_ARRAY(arena, double, 6 * columns);
    }
    size_t lanes = ts_row_lanes_size(6, ts_sim_storage_of(work->sim)->dof_most);
    if (many > 0) work->axes = TS_ARENA_ARRAY(arena, double, (size_t)ts_task_pool_workers(work->sim->tasks) * lanes);
    return !arena->failed;
}

static void fill_blocks(void* context, int begin, int end, int worker) {
    const assembly* work = (const assembly*)context;
    for (int b = begin, count; b < end; b += count) {
        count = fill_lone(work, b, end);
        if (count > 0) continue;
        count = has_chains(work) ? count_lone_rows(work, b, end) : 1;
        if (count > 1) {
            fill_lone_rows(work, b, count, worker);
            continue;
        }
        if (has_chains(work) && work->company_of[b] >= 0)
            fill_companion(work, b);
        else
            fill_block(work, b, worker);
        count = 1;
    }
}

// Memory for the numbers, and every segment's place in it. Returns 0 when it is short.
static int allocate(assembly* work) {
    const ts_row_plan* plan = work->plan;
    ts_arena* arena = &work->sim->scratch;
    size_t workers = (size_t)ts_task_pool_workers(work->sim->tasks);
    work->piece = TS_ARENA_ARRAY(arena, ts_row_piece, workers * (size_t)plan->tree_most);
    work->wide = TS_ARENA_ARRAY(arena, double, workers * plan->wide_most);
    work->data = TS_ARENA_ARRAY(arena, double, plan->number_count);
    work->g = TS_ARENA_ARRAY(arena, double, plan->row_count);
    size_t rows = (size_t)plan->row_count;
    work->R = (double*)ts_arena_alloc_zeroed(arena, 2 * rows, sizeof(double));
    work->reference = work->R + rows;
    work->impulse = (double*)ts_arena_alloc_zeroed(arena, rows, sizeof(double));
    const ts_options* options = &work->sim->options;
    if (ts_soft_contact_kind(work->sim) != TS_SOFT_CONTACT_NONE || options->compliance_normal > 0.0 ||
        options->compliance_tangent > 0.0 || work->sim->solver->anchors) {
        work->rigid_R = (double*)ts_arena_alloc_zeroed(arena, 2 * rows, sizeof(double));
        work->rigid_reference = work->rigid_R + rows;
    }
    if (ts_sim_storage_of(work->sim)->ledger) work->before = TS_ARENA_ARRAY(arena, double, plan->row_count);
    if (arena->failed) return 0;
    double* at = work->data;
    for (int b = 0; b < plan->block_count; ++b) {
        for (int s = plan->segment_start[b]; s < plan->segment_start[b + 1]; ++s) {
            plan->segment[s].J = plan->segment[s].Y = at;
            at += (size_t)plan->block[b].rows * (size_t)plan->segment[s].count;
        }
    }
    return 1;
}

// Whether any of these is positive; none is negative.
static int any_positive(const double* x, int count) {
    double sum[4] = {0.0, 0.0, 0.0, 0.0};  // sums that do not wait for each other
    int i = 0;
    for (; i + 4 <= count; i += 4)
        for (int k = 0; k < 4; ++k) sum[k] += x[i + k];
    for (; i < count; ++i) sum[0] += x[i];
    return (sum[0] + sum[1]) + (sum[2] + sum[3]) > 0.0;
}

// c* but for what is driven: that is no push-out. NULL when memory is short.
static double* find_push_out(const assembly* work) {
    const ts_row_plan* plan = work->plan;
    double* push_out = work->reference;
    for (int b = 0; plan->drives && b < plan->block_count; ++b) {
        if (!ts_row_source_at(plan->owner[b].source)->drives) continue;
        size_t bytes = (size_t)plan->row_count * sizeof(double);
        if (push_out == work->reference) {
            push_out = TS_ARENA_ARRAY(&work->sim->scratch, double, plan->row_count);
            if (!push_out) return NULL;
            memcpy(push_out, work->reference, bytes);
        }
        for (int r = plan->block_row[b]; r < plan->block_row[b + 1]; ++r) push_out[r] = 0.0;
    }
    return push_out;
}

ts_code ts_step_assemble(ts_sim* sim) {
    const ts_row_plan* plan = ts_row_plan_make(sim);
    assembly work = {.sim = sim, .plan = plan};
    if (!plan || !allocate(&work) || !recall_solver(sim, plan)) return TS_ERROR_MEMORY;
    sim->row_block = plan->owner;
    ts_sim_storage_of(sim)->islands = (ts_islands){0, NULL, NULL};
    ts_trace_restart(sim->trace);
    sim->problem.trace = sim->trace;
    sim->problem.block = plan->block;
    sim->problem.block_count = plan->block_count;
    sim->problem.row_count = plan->row_count;
    sim->problem.time_step = sim->options.time_step;
    sim->problem.rest_speed = sim->options.time_step * ts_vec3_norm(sim->options.gravity);
    if (!find_company(&work)) return TS_ERROR_MEMORY;
    ts_task_parallel_for(sim->tasks, work.companies, CHUNK / COMPANY, fill_chains, &work);
    ts_task_parallel_for(sim->tasks, plan->block_count, CHUNK, fill_blocks, &work);
    sim->problem.delassus = ts_delassus_velocity_form(&sim->scratch, sim->model->nv, plan->block_count, plan->block_row,
                                                      plan->segment_start, plan->segment);
    if (!sim->problem.delassus) return TS_ERROR_MEMORY;
    sim->problem.g = work.g;
    sim->problem.R = any_positive(work.R, plan->row_count) ? work.R : NULL;
    sim->impulse = work.impulse;
    ts_sim_storage* storage = ts_sim_storage_of(sim);
    storage->push_out = find_push_out(&work);
    if (!storage->push_out) return TS_ERROR_MEMORY;
    sim->problem.push_out = storage->push_out;
    storage->reference = work.reference;
    storage->rigid_reference = work.rigid_reference;
    storage->rigid_R = work.rigid_R;
    storage->row_before = work.before;
    sim->info.row_count = plan->row_count;
    for (int b = 0; b < plan->block_count; ++b) sim->info.blocked += plan->owner[b].blocked != TS_ROW_FREE;
    return TS_OK;
}
