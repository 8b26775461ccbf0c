// Islands by union-find.
//
// Problem: G is block diagonal after a permutation whenever groups of bodies do not touch; solving the groups apart is
// cheaper, lets an easy group stop early, and gives the threads something to do.
// Rule: blocks that the operator joins (they share a moving tree, or a nonzero of a matrix) are united, with union by
// smallest index, so that the numbering depends on the problem alone. Each island becomes a problem over its own
// blocks.
// Source: union-find with path halving (Tarjan 1975).
// Guaranteed: islands do not act on each other, so their solutions side by side solve the whole; every island is solved
// from its own data alone, so the bits do not depend on how many workers there are, or on which of them meets it.
// An island that is more than one worker's share is solved first, with all of them at work inside it; then the others,
// the large ones before the small ones. A large island is put into the order that threads can share
// (contact/sweep_order.c) whether or not there are any.
// Known limit: inside an island only what the solver gives the threads is done by more than one of them.
#include "contact/island.h"

#include <string.h>

#include "contact/sweep_order_internal.h"
#include "contact/trace.h"

typedef struct forest {
    int* parent;
    int trees;
} forest;

static int root_of(forest* f, int b) {
    while (f->parent[b] != b) {
        f->parent[b] = f->parent[f->parent[b]];
        b = f->parent[b];
    }
    return b;
}

static void unite(void* context, int a, int b) {
    forest* f = (forest*)context;
    int i = root_of(f, a), j = root_of(f, b);
    if (i == j) return;
    if (i < j)
        f->parent[j] = i;
    else
        f->parent[i] = j;
    --f->trees;
}

ts_code ts_islands_find(const ts_contact_problem* problem, ts_arena* arena, ts_islands* out) {
    int n = problem->block_count;
    int* start = TS_ARENA_ARRAY(arena, int, n + 1);
    int* block = TS_ARENA_ARRAY(arena, int, n);
    if (!start || !block) return TS_ERROR_MEMORY;
    ts_arena_scope scope = ts_arena_scope_begin(arena);
    forest f = {TS_ARENA_ARRAY(arena, int, n), n};
    int* label = TS_ARENA_ARRAY(arena, int, n);
    if (!f.parent || !label) {
        ts_arena_scope_end(arena, scope);
        return TS_ERROR_MEMORY;
    }
    for (int b = 0; b < n; ++b) f.parent[b] = b;
    problem->delassus->ops->join(problem->delassus, arena, unite, &f);
    out->start = start;
    out->block = block;
    // Mostly all stand on each other.
    if (f.trees == 1) {
        for (int b = 0; b < n; ++b) block[b] = b;
        start[0] = 0;
        start[1] = n;
        out->count = 1;
        ts_arena_scope_end(arena, scope);
        return arena->failed ? TS_ERROR_MEMORY : TS_OK;
    }
    int count = 0;
    // Roots are the smallest index of their island, so labels are given in the order of first blocks.
    for (int b = 0; b < n; ++b) {
        int root = root_of(&f, b);
        label[b] = root == b ? count++ : label[root];
    }
    memset(start, 0, ((size_t)n + 1) * sizeof(int));
    for (int b = 0; b < n; ++b) ++start[label[b] + 1];
    for (int i = 0; i < count; ++i) start[i + 1] += start[i];
    int* next = f.parent;  // no longer needed
    memcpy(next, start, (size_t)count * sizeof(int));
    for (int b = 0; b < n; ++b) block[next[label[b]]++] = b;
    ts_arena_scope_end(arena, scope);
    int failed = arena->failed;
    out->count = count;
    return failed ? TS_ERROR_MEMORY : TS_OK;
}

// One worker's view of the work.
typedef struct island_job {
    const ts_solver* solver;
    const ts_contact_problem* whole;
    const void* settings;
    const ts_islands* islands;
    ts_delassus** part;
    int* order;         // (islands) large ones first
    int* piece;         // (pieces + 1) piece k of the work is order[piece[k]] to order[piece[k + 1] - 1]
    ts_arena* scratch;  // one per worker
    double* impulse;
    ts_solve_report* report;  // one per island
} island_job;

// Blocks a thread copies at a time.
enum { COPY_GRAIN = 1024 };

// An island's own data, and where in the whole it comes from.
typedef struct island_copy {
    const ts_contact_problem* whole;
    const int* list;       // (blocks)
    const int* block_row;  // of the island's operator
    double* whole_impulse;
    double* memory;  // NULL: nothing is carried
    ts_block* block;
    double* g;
    double* R;         // NULL means rigid
    double* push_out;  // NULL: nothing
    double* impulse;
} island_copy;

static void copy_in(void* context, int begin, int end, int worker) {
    const island_copy* copy = (const island_copy*)context;
    (void)worker;
    for (int i = begin; i < end; ++i) {
        const ts_block* source = &copy->whole->block[copy->list[i]];
        size_t bytes = (size_t)source->rows * sizeof(double);
        int row = copy->block_row[i];
        copy->block[i] = *source;
        copy->block[i].row = row;
        memcpy(copy->g + row, copy->whole->g + source->row, bytes);
        if (copy->R) memcpy(copy->R + row, copy->whole->R + source->row, bytes);
        if (copy->push_out) memcpy(copy->push_out + row, copy->whole->push_out + source->row, bytes);
        memcpy(copy->impulse + row, copy->whole_impulse + source->row, bytes);
        if (copy->memory) copy->memory[i] = copy->whole->memory[copy->list[i]];
    }
}

static void copy_out(void* context, int begin, int end, int worker) {
    const island_copy* copy = (const island_copy*)context;
    (void)worker;
    for (int i = begin; i < end; ++i) {
        memcpy(copy->whole_impulse + copy->whole->block[copy->list[i]].row, copy->impulse + copy->block[i].row,
               (size_t)copy->block[i].rows * sizeof(double));
        if (copy->memory) copy->whole->memory[copy->list[i]] = copy->memory[i];
    }
}

// Copies what the blocks of a list need next to each other. Returns 0 when memory is short.
static int make_problem(const island_job* job, const int* list, ts_delassus* part, ts_task_pool* tasks,
                        ts_arena* scratch, ts_contact_problem* out, island_copy* out_copy) {
    const ts_contact_problem* whole = job->whole;
    int rows = part->row_count, count = part->block_count;
    island_copy copy = {.whole = whole,
                        .list = list,
                        .block_row = part->block_row,
                        .whole_impulse = job->impulse,
                        .memory = whole->memory ? TS_ARENA_ARRAY(scratch, double, count) : NULL,
                        .block = TS_ARENA_ARRAY(scratch, ts_block, count),
                        .g = TS_ARENA_ARRAY(scratch, double, rows),
                        .R = whole->R ? TS_ARENA_ARRAY(scratch, double, rows) : NULL,
                        .push_out = whole->push_out ? TS_ARENA_ARRAY(scratch, double, rows) : NULL,
                        .impulse = TS_ARENA_ARRAY(scratch, double, rows)};
    if (!copy.block || !copy.g || !copy.impulse || (whole->R && !copy.R) || (whole->push_out && !copy.push_out) ||
        (whole->memory && !copy.memory))
        return 0;
    ts_task_parallel_for(tasks, count, COPY_GRAIN, copy_in, &copy);
    *out = *whole;
    out->block_count = count;
    out->row_count = rows;
    out->block = copy.block;
    out->delassus = part;
    out->g = copy.g;
    out->R = copy.R;
    out->push_out = copy.push_out;
    out->tasks = tasks;
    out->memory = copy.memory;
    *out_copy = copy;
    return 1;
}

// Puts a large island into the order of its sweeps: *io_list and *io_part, which stay as they are where there is none.
// Returns 0 when memory is short.
static int reorder(ts_task_pool* tasks, ts_arena* scratch, int count, const int** io_list, ts_delassus** io_part) {
    ts_velocity_form* form = ts_velocity_form_of(*io_part);
    const ts_sweep_order* order = NULL;
    if (!form) return 1;
    if (!ts_sweep_order_make(form, scratch, &order)) return 0;
    if (!order) return 1;
    int* list = TS_ARENA_ARRAY(scratch, int, count);
    *io_part = ts_velocity_form_reorder(form, order, tasks, scratch);
    if (!list || !*io_part) return 0;
    for (int i = 0; i < count; ++i) list[i] = (*io_list)[order->block[i]];
    *io_list = list;
    return 1;
}

// Solves one island; `tasks` may work inside it.
static void solve_island(const island_job* job, int island, ts_task_pool* tasks, ts_arena* scratch) {
    const int* list = job->islands->block + job->islands->start[island];
    int count = job->islands->start[island + 1] - job->islands->start[island];
    ts_delassus* part = job->part[island];
    ts_contact_problem problem;
    island_copy copy;
    job->report[island] = ts_solve_not_begun;
    ts_arena_scope scope = ts_arena_scope_begin(scratch);
    if (reorder(tasks, scratch, count, &list, &part) &&
        make_problem(job, list, part, tasks, scratch, &problem, &copy)) {
        if (problem.trace) problem.trace->island = island;
        job->report[island] = ts_solver_solve(job->solver, &problem, job->settings, scratch, copy.impulse);
        ts_task_parallel_for(tasks, count, COPY_GRAIN, copy_out, &copy);
    }
    ts_arena_scope_end(scratch, scope);
}

static void solve_range(void* context, int begin, int end, int worker) {
    const island_job* job = (const island_job*)context;
    for (int k = job->piece[begin]; k < job->piece[end]; ++k)
        solve_island(job, job->order[k], NULL, &job->scratch[worker]);
}

static ts_solve_report worst_of(const ts_solve_report* report, int count, ts_island_report* out_islands) {
    ts_solve_report worst = {.status = TS_SOLVE_CONVERGED};
    for (int i = 0; i < count; ++i) {
        if (report[i].status > worst.status) worst.status = report[i].status;
        if (report[i].iterations > worst.iterations) worst.iterations = report[i].iterations;
        if (report[i].stage > worst.stage) worst.stage = report[i].stage;
        out_islands->not_converged += report[i].status != TS_SOLVE_CONVERGED;
    }
    return worst;
}

static int blocks_of(const ts_islands* islands, int island) {
    return islands->start[island + 1] - islands->start[island];
}

// The order of work: by size, to within a factor of two, so that none of the large ones is left to the end.
static void order_by_size(const ts_islands* islands, int* out_order) {
    enum { CLASSES = 32 };
    int next[CLASSES + 1] = {0};
    for (int pass = 0; pass < 2; ++pass) {
        for (int i = 0; i < islands->count; ++i) {
            int size = CLASSES - 1;
            for (int blocks = blocks_of(islands, i); blocks > 1; blocks /= 2) --size;
            if (pass == 0)
                ++next[size + 1];
            else
                out_order[next[size]++] = i;
        }
        for (int c = 0; c < CLASSES && pass == 0; ++c) next[c + 1] += next[c];
    }
}

// Small islands in handfuls: claiming one costs as much as a sweep over a few contacts. Pieces of the work from
// order[first] on; returns how many.
static int make_pieces(island_job* job, int first, int workers) {
    enum { PIECES_PER_WORKER = 32 };
    const ts_islands* islands = job->islands;
    int handful = islands->start[islands->count] / (PIECES_PER_WORKER * workers), pieces = 0, blocks = 0;
    job->piece[0] = first;
    for (int k = first; k < islands->count; ++k) {
        blocks += blocks_of(islands, job->order[k]);
        if (blocks < handful && k + 1 < islands->count) continue;
        job->piece[++pieces] = k + 1;
        blocks = 0;
    }
    return pieces;
}

// Which worker meets the largest island is a matter of luck. Room for it everywhere means that the heap is not touched
// later, when another one does.
static void level(ts_arena* scratch, int workers, size_t base) {
    size_t most = scratch[0].peak - base;
    for (int w = 1; w < workers; ++w)
        if (scratch[w].peak > most) most = scratch[w].peak;
    for (int w = 0; w < workers; ++w) {
        if (scratch[w].peak >= most + (w == 0 ? base : 0)) continue;
        ts_arena_scope scope = ts_arena_scope_begin(&scratch[w]);
        (void)ts_arena_alloc(&scratch[w], most);
        ts_arena_scope_end(&scratch[w], scope);
    }
}

// Nonzero for an island that all workers solve together. Its bits are the same either way.
static int is_shared(const ts_islands* islands, int island, int workers) {
    long long blocks = blocks_of(islands, island);
    return workers > 1 && blocks >= TS_SWEEP_BLOCKS_MIN && blocks * workers > islands->start[islands->count];
}

static ts_solve_report solve_apart(island_job* job, ts_task_pool* pool, ts_island_report* out_islands) {
    ts_solve_report report = ts_solve_not_begun;
    const ts_islands* islands = job->islands;
    ts_delassus* whole = job->whole->delassus;
    ts_arena* scratch = job->scratch;
    // A trace is written by one hand.
    if (job->whole->trace) pool = NULL;
    int workers = ts_task_pool_workers(pool), count = islands->count;
    job->part = TS_ARENA_ARRAY(scratch, ts_delassus*, count);
    job->report = TS_ARENA_ARRAY(scratch, ts_solve_report, count);
    job->order = TS_ARENA_ARRAY(scratch, int, count);
    job->piece = TS_ARENA_ARRAY(scratch, int, count + 1);
    out_islands->islands = count;
    out_islands->largest = 0;
    out_islands->not_converged = count;
    for (int i = 0; i < count; ++i) {
        int blocks = islands->start[i + 1] - islands->start[i];
        if (blocks > out_islands->largest) out_islands->largest = blocks;
    }
    if (!job->part || !job->report || !job->order || !job->piece) return report;
    if (count == 1 && !job->whole->is_part)
        job->part[0] = whole;
    else if (!whole->ops->split(whole, scratch, islands, job->part))
        return report;
    order_by_size(islands, job->order);
    size_t base = scratch[0].used;
    int first = 0;
    for (; first < count && is_shared(islands, job->order[first], workers); ++first)
        solve_island(job, job->order[first], pool, scratch);
    ts_task_parallel_for(pool, make_pieces(job, first, workers), 1, solve_range, job);
    level(scratch, workers, base);
    out_islands->not_converged = 0;
    return worst_of(job->report, count, out_islands);
}

ts_solve_report ts_island_solve(const ts_solver* solver, const ts_contact_problem* problem, const ts_islands* given,
                                const void* settings, ts_task_pool* pool, ts_arena* scratch, double* impulse,
                                ts_island_report* out_islands) {
    ts_island_report local = {1, problem->block_count, 0};
    ts_solve_report report = ts_solve_not_begun;
    if (problem->row_count == 0) {
        ts_solve_report nothing = {.status = TS_SOLVE_CONVERGED};
        local.islands = 0;
        if (out_islands) *out_islands = local;
        return nothing;
    }
    ts_arena_scope scope = ts_arena_scope_begin(scratch);
    ts_islands islands = {1, NULL, NULL};
    int can_split =
        (problem->block_count > 1 || problem->is_part) && (problem->delassus->ops->abilities & TS_DELASSUS_BLOCKS) != 0;
    ts_code code = can_split && !given ? ts_islands_find(problem, scratch, &islands) : TS_OK;
    if (can_split && given) islands = *given;
    if (code == TS_OK &&
        (!islands.block || (islands.count == 1 && !problem->is_part && problem->block_count < TS_SWEEP_BLOCKS_MIN))) {
        if (problem->trace) problem->trace->island = 0;
        report = ts_solver_solve(solver, problem, settings, scratch, impulse);
        local.not_converged = report.status != TS_SOLVE_CONVERGED;
    } else if (code == TS_OK) {
        island_job job = {.solver = solver,
                          .whole = problem,
                          .settings = settings,
                          .islands = &islands,
                          .scratch = scratch,
                          .impulse = impulse};
        report = solve_apart(&job, pool, &local);
    }
    if (out_islands) *out_islands = local;
    ts_arena_scope_end(scratch, scope);
    return report;
}
