// Islands by union-find.
//
// Problem: G is block diagonal after a permutation whenever groups of bodies do not touch; solving the groups apart is
// cheaper, lets an easy group stop early, and gives the threads something to do.
// Rule: blocks that the operator joins (they share a moving tree, or a nonzero of a matrix) are united, with union by
// smallest index, so that the numbering depends on the problem alone. Each island becomes a problem over its own blocks.
// Source: union-find with path halving (Tarjan 1975).
// Guaranteed: islands do not act on each other, so their solutions side by side solve the whole; every island is solved
// by one worker from its own data, so the bits do not depend on how many workers there are.
// Known limit: one large island is one piece of work here; what runs inside it in parallel is the solver's affair.
#include "contact/island.h"

#include <math.h>
#include <string.h>

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
    out->start = start;
    out->block = block;
    return failed ? TS_ERROR_MEMORY : TS_OK;
}

// One worker's view of the work.
typedef struct island_job {
    const ts_solver* solver;
    const ts_contact_problem* whole;
    const void* settings;
    const ts_islands* islands;
    ts_delassus** part;
    const int* order;   // (islands) large ones first
    ts_arena* scratch;  // one per worker
    double* impulse;
    ts_solve_report* report;  // one per island
} island_job;

// Copies what the island needs next to each other. Returns 0 when memory is short.
static int make_problem(const island_job* job, int island, ts_arena* scratch, ts_contact_problem* out,
                        double** out_impulse) {
    const ts_contact_problem* whole = job->whole;
    int first = job->islands->start[island], count = job->islands->start[island + 1] - first;
    const int* list = job->islands->block + first;
    int rows = job->part[island]->row_count;
    ts_block* block = TS_ARENA_ARRAY(scratch, ts_block, count);
    double* g = TS_ARENA_ARRAY(scratch, double, rows);
    double* R = whole->R ? TS_ARENA_ARRAY(scratch, double, rows) : NULL;
    double* impulse = TS_ARENA_ARRAY(scratch, double, rows);
    if (!block || !g || !impulse || (whole->R && !R)) return 0;
    int row = 0;
    for (int i = 0; i < count; ++i) {
        const ts_block* source = &whole->block[list[i]];
        size_t bytes = (size_t)source->rows * sizeof(double);
        block[i] = *source;
        block[i].row = row;
        memcpy(g + row, whole->g + source->row, bytes);
        if (R) memcpy(R + row, whole->R + source->row, bytes);
        memcpy(impulse + row, job->impulse + source->row, bytes);
        row += source->rows;
    }
    *out = *whole;
    out->block_count = count;
    out->row_count = rows;
    out->block = block;
    out->delassus = job->part[island];
    out->g = g;
    out->R = R;
    *out_impulse = impulse;
    return 1;
}

static void solve_range(void* context, int begin, int end, int worker) {
    island_job* job = (island_job*)context;
    ts_arena* scratch = &job->scratch[worker];
    for (int k = begin; k < end; ++k) {
        int island = job->order[k];
        ts_arena_scope scope = ts_arena_scope_begin(scratch);
        ts_contact_problem problem;
        double* impulse;
        ts_solve_report failed = {TS_SOLVE_FAILED, 0, {HUGE_VAL, HUGE_VAL, HUGE_VAL}};
        job->report[island] = failed;
        if (make_problem(job, island, scratch, &problem, &impulse)) {
            job->report[island] = job->solver->solve(&problem, job->settings, scratch, impulse);
            const int* list = job->islands->block + job->islands->start[island];
            for (int i = 0; i < problem.block_count; ++i)
                memcpy(job->impulse + job->whole->block[list[i]].row, impulse + problem.block[i].row,
                       (size_t)problem.block[i].rows * sizeof(double));
        }
        ts_arena_scope_end(scratch, scope);
    }
}

static double larger(double a, double b) { return a > b ? a : b; }

static ts_solve_report worst_of(const ts_solve_report* report, int count, ts_island_report* out_islands) {
    ts_solve_report worst = {TS_SOLVE_CONVERGED, 0, {0.0, 0.0, 0.0}};
    for (int i = 0; i < count; ++i) {
        if (report[i].status > worst.status) worst.status = report[i].status;
        if (report[i].iterations > worst.iterations) worst.iterations = report[i].iterations;
        worst.own.primal = larger(worst.own.primal, report[i].own.primal);
        worst.own.dual = larger(worst.own.dual, report[i].own.dual);
        worst.own.complementarity = larger(worst.own.complementarity, report[i].own.complementarity);
        out_islands->not_converged += report[i].status != TS_SOLVE_CONVERGED;
    }
    return worst;
}

// The order of work: islands that are a good part of one worker's share first, so that none of them is left to the end.
static int* order_of_work(const ts_islands* islands, int workers, ts_arena* scratch) {
    int* order = TS_ARENA_ARRAY(scratch, int, islands->count);
    int large = islands->start[islands->count] / (4 * workers), next = 0;
    for (int pass = 0; order && pass < 2; ++pass)
        for (int i = 0; i < islands->count; ++i)
            if ((islands->start[i + 1] - islands->start[i] > large) == (pass == 0)) order[next++] = i;
    return order;
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

static ts_solve_report solve_apart(island_job* job, ts_task_pool* pool, ts_island_report* out_islands) {
    ts_solve_report report = {TS_SOLVE_FAILED, 0, {HUGE_VAL, HUGE_VAL, HUGE_VAL}};
    const ts_islands* islands = job->islands;
    ts_delassus* whole = job->whole->delassus;
    ts_arena* scratch = job->scratch;
    int workers = ts_task_pool_workers(pool), count = islands->count;
    job->part = TS_ARENA_ARRAY(scratch, ts_delassus*, count);
    job->report = TS_ARENA_ARRAY(scratch, ts_solve_report, count);
    job->order = order_of_work(islands, workers, scratch);
    out_islands->islands = count;
    out_islands->largest = 0;
    out_islands->not_converged = count;
    for (int i = 0; i < count; ++i) {
        int blocks = islands->start[i + 1] - islands->start[i];
        if (blocks > out_islands->largest) out_islands->largest = blocks;
    }
    if (!job->part || !job->report || !job->order || !whole->ops->split(whole, scratch, islands, job->part))
        return report;
    // Small islands in handfuls: claiming one costs as much as a sweep over a few contacts.
    int grain = count / (32 * workers);
    size_t base = scratch[0].used;
    ts_task_parallel_for(pool, count, grain < 1 ? 1 : grain, solve_range, job);
    level(scratch, workers, base);
    out_islands->not_converged = 0;
    return worst_of(job->report, count, out_islands);
}

ts_solve_report ts_island_solve(const ts_solver* solver, const ts_contact_problem* problem, const void* settings,
                                ts_task_pool* pool, ts_arena* scratch, double* impulse, ts_island_report* out_islands) {
    ts_island_report local = {1, problem->block_count, 0};
    ts_solve_report report = {TS_SOLVE_FAILED, 0, {HUGE_VAL, HUGE_VAL, HUGE_VAL}};
    if (problem->row_count == 0) {
        ts_solve_report nothing = {TS_SOLVE_CONVERGED, 0, {0.0, 0.0, 0.0}};
        local.islands = 0;
        if (out_islands) *out_islands = local;
        return nothing;
    }
    ts_arena_scope scope = ts_arena_scope_begin(scratch);
    ts_islands islands = {1, NULL, NULL};
    int can_split = problem->block_count > 1 && (problem->delassus->ops->abilities & TS_DELASSUS_BLOCKS) != 0;
    ts_code code = can_split ? ts_islands_find(problem, scratch, &islands) : TS_OK;
    if (code == TS_OK && islands.count <= 1) {
        report = solver->solve(problem, settings, scratch, impulse);
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
