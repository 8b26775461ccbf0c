// Large islands on several threads: the cut is checked against its definition, the answers against one thread and
// against the whole operator.
#include "contact/island.h"
#include "contact/sweep_order_internal.h"
#include "tests/contact/contact_fixture.h"

enum { MOST_BLOCKS = 6000, MOST_SEGMENTS = 3 * MOST_BLOCKS, MOST_WORKERS = 4 };

// A problem in velocity form that grows contact by contact.
typedef struct heap {
    int blocks, rows, segments, columns;
    int block_row[MOST_BLOCKS + 1];
    int segment_start[MOST_BLOCKS + 1];
    ts_delassus_segment segment[MOST_SEGMENTS];
    ts_block block[MOST_BLOCKS];
    double J[MOST_BLOCKS][36];
    double g[6 * MOST_BLOCKS];
    double R[6 * MOST_BLOCKS];
    double impulse[6 * MOST_BLOCKS];
    ts_rng rng;
    ts_arena arena;
    ts_contact_problem problem;
} heap;

static void clear(heap* h, unsigned seed) {
    ts_arena_free(&h->arena);
    memset(h, 0, sizeof *h);
    h->rng = ts_rng_make(seed, 0);
}

static void add_segment(heap* h, int column, int count, double* J) {
    ts_delassus_segment segment = {column, count, J, J};
    h->segment[h->segments++] = segment;
    if (column + count > h->columns) h->columns = column + count;
}

// A block between two groups of six columns; a negative body stands still.
static void add_block(heap* h, ts_block_set set, int a, int b) {
    int k = h->blocks++, body[2] = {a, b}, rows = set == TS_SET_CONE ? 3 : 1;
    double* J = h->J[k];
    h->segment_start[k] = h->segments;
    h->block_row[k] = h->rows;
    for (int side = 0; side < 2; ++side) {
        if (body[side] < 0) continue;
        for (int i = 0; i < 6 * rows; ++i) J[i] = ts_rng_normal(&h->rng);
        add_segment(h, 6 * body[side], 6, J);
        J += 6 * rows;
    }
    ts_block block = {set, h->rows, rows, 0.5, -0.1, 0.1};
    h->block[k] = block;
    for (int r = 0; r < rows; ++r) {
        h->g[h->rows + r] = ts_rng_normal(&h->rng);
        h->R[h->rows + r] = 1.0;
    }
    h->rows += rows;
    h->block_row[k + 1] = h->rows;
    h->segment_start[k + 1] = h->segments;
}

static void finish(heap* h) {
    cr_assert(h->blocks <= MOST_BLOCKS && h->segments <= MOST_SEGMENTS);
    h->problem.block_count = h->blocks;
    h->problem.row_count = h->rows;
    h->problem.block = h->block;
    h->problem.g = h->g;
    h->problem.R = h->R;
    h->problem.time_step = TIME_STEP;
    h->problem.delassus =
        ts_delassus_velocity_form(&h->arena, h->columns, h->blocks, h->block_row, h->segment_start, h->segment);
    cr_assert_not_null(h->problem.delassus);
}

// n x n x height bodies on a grid, standing on the ground; now and then a block of another kind.
static void add_grid(heap* h, int first, int n, int height) {
    for (int z = height - 1; z >= 0; --z) {
        for (int i = 0; i < n * n; ++i) {
            int me = first + z * n * n + i;
            add_block(h, TS_SET_CONE, me, z > 0 ? me - n * n : -1);
            if (i % n > 0) add_block(h, TS_SET_CONE, me, me - 1);
            if (i / n > 0) add_block(h, TS_SET_CONE, me, me - n);
            if (me % 7 == 0) add_block(h, me % 2 ? TS_SET_BOX : TS_SET_HALF_LINE, me, -1);
        }
    }
}

static void make_grid(heap* h) {
    clear(h, 5);
    add_grid(h, 0, 8, 9);
    finish(h);
}

// A grid on a moving tray: every body touches the tray.
static void make_tray(heap* h) {
    clear(h, 6);
    add_grid(h, 1, 8, 9);
    for (int i = 0; i < 576; ++i) add_block(h, TS_SET_CONE, 0, 1 + i);
    finish(h);
}

// Everything on one body.
static void make_star(heap* h) {
    clear(h, 7);
    for (int i = 0; i < 1500; ++i) add_block(h, TS_SET_CONE, 0, 1 + i);
    finish(h);
}

static void make_chain(heap* h) {
    clear(h, 8);
    for (int i = 0; i < 1200; ++i) add_block(h, TS_SET_CONE, i, i - 1);
    finish(h);
}

static void make_random(heap* h) {
    clear(h, 9);
    for (int i = 0; i < 3000; ++i) {
        int a = (int)(1500 * ts_rng_uniform(&h->rng)), b = (int)(1500 * ts_rng_uniform(&h->rng));
        add_block(h, TS_SET_CONE, a, a == b ? -1 : b);
    }
    finish(h);
}

// Nothing can move.
static void make_frozen(heap* h) {
    clear(h, 10);
    for (int i = 0; i < 1100; ++i) add_block(h, TS_SET_CONE, -1, -1);
    for (int i = 0; i < h->rows; ++i) h->R[i] = 0.0;
    for (int i = 0; i < h->rows; ++i) h->g[i] = i % 3 == 2 ? 1.0 : 0.0;
    finish(h);
}

// Trees of ten columns whose blocks use runs that overlap; some blocks join three or five trees.
static void make_trees(heap* h) {
    clear(h, 11);
    for (int i = 0; i < 2400; ++i) {
        int tree = i / 2, k = h->blocks++, many = i % 50 == 0 ? 5 : (i % 2 == 0 ? 3 : 2);
        h->segment_start[k] = h->segments;
        h->block_row[k] = h->rows;
        for (int j = 0; j < 36; ++j) h->J[k][j] = ts_rng_normal(&h->rng);
        for (int s = 0; s < many; ++s) {
            int low = (i + s) % 2, wide = 3 + (i + s) % 3;
            add_segment(h, 10 * (tree + s) + low, wide, h->J[k] + 4 * s);
        }
        ts_block block = {TS_SET_HALF_LINE, h->rows, 1, 0.0, 0.0, 0.0};
        h->block[k] = block;
        h->g[h->rows] = ts_rng_normal(&h->rng);
        h->R[h->rows] = 1.0;
        h->block_row[k + 1] = ++h->rows;
        h->segment_start[k + 1] = h->segments;
    }
    finish(h);
}

// Two grids that do not touch, and a hundred small islands.
static void make_islands(heap* h) {
    clear(h, 12);
    add_grid(h, 0, 7, 9);
    for (int i = 0; i < 100; ++i) {
        add_block(h, TS_SET_CONE, 2000 + 2 * i, -1);
        add_block(h, TS_SET_CONE, 2000 + 2 * i, 2001 + 2 * i);
    }
    add_grid(h, 500, 10, 9);
    finish(h);
}

typedef void (*make_heap)(heap* h);

static const make_heap makers[] = {make_grid,   make_tray,   make_star,  make_chain,
                                   make_random, make_frozen, make_trees, make_islands};

enum { MAKERS = sizeof makers / sizeof makers[0] };

static heap h;

// Marks the columns of a block as used by `piece` in this phase. Returns 0 when another piece has one of them.
static int claim(int b, int piece, int* owner) {
    for (int s = h.segment_start[b]; s < h.segment_start[b + 1]; ++s)
        for (int j = h.segment[s].column; j < h.segment[s].column + h.segment[s].count; ++j) {
            if (owner[j] >= 0 && owner[j] != piece) return 0;
            owner[j] = piece;
        }
    return 1;
}

static int expect_pieces_apart(const ts_sweep_order* order) {
    static int owner[6 * MOST_BLOCKS], seen[MOST_BLOCKS];
    memset(seen, 0, sizeof seen);
    for (int phase = 0; phase < TS_SWEEP_PHASES; ++phase) {
        for (int j = 0; j < h.columns; ++j) owner[j] = -1;
        for (int k = order->phase[phase]; k < order->phase[phase + 1]; ++k)
            for (int i = order->start[k]; i < order->start[k + 1]; ++i) {
                cr_assert(claim(order->block[i], k, owner), "phase %d: piece %d meets another", phase, k);
                ++seen[order->block[i]];
            }
    }
    for (int b = 0; b < h.blocks; ++b) cr_assert_eq(seen[b], 1, "block %d is swept %d times", b, seen[b]);
    return order->phase[1] - order->phase[0];
}

Test(threads, pieces_of_a_phase_share_no_column_and_every_block_is_there_once) {
    // How many slabs there must be at least. All blocks of the star are its hub's, and a random graph has few levels.
    static const int slabs[MAKERS] = {4, 4, 1, 4, 1, 1, 4, 4};
    for (int m = 0; m < MAKERS; ++m) {
        makers[m](&h);
        const ts_sweep_order* order;
        ts_arena arena = {0};
        cr_assert(ts_sweep_order_make(ts_velocity_form_of(h.problem.delassus), &arena, &order));
        int found = order ? expect_pieces_apart(order) : 1;
        cr_expect_geq(found, slabs[m], "problem %d: %d slabs", m, found);
        ts_arena_free(&arena);
    }
}

Test(threads, work_of_a_grid_is_shared_evenly) {
    make_grid(&h);
    const ts_sweep_order* order;
    ts_arena arena = {0};
    cr_assert(ts_sweep_order_make(ts_velocity_form_of(h.problem.delassus), &arena, &order));
    cr_assert_not_null(order);
    int slabs = order->phase[1], hubs = order->start[order->phase[3]] - order->start[order->phase[2]];
    cr_expect_eq(hubs, 0);
    for (int k = 0; k < slabs; ++k)
        cr_expect_leq(order->start[k + 1] - order->start[k], h.blocks / slabs, "slab %d is too large", k);
    ts_arena_free(&arena);
}

Test(threads, the_reordered_operator_is_the_same_operator) {
    for (int m = 0; m < MAKERS; ++m) {
        makers[m](&h);
        ts_velocity_form* form = ts_velocity_form_of(h.problem.delassus);
        const ts_sweep_order* order;
        ts_arena arena = {0};
        cr_assert(ts_sweep_order_make(form, &arena, &order));
        if (order) {
            ts_delassus* G = ts_velocity_form_reorder(form, order, NULL, &arena);
            cr_assert_not_null(G);
            double* x = TS_ARENA_ARRAY(&arena, double, 4 * h.rows);
            double *y = x + h.rows, *turned = y + h.rows, *out = turned + h.rows;
            for (int i = 0; i < h.rows; ++i) x[i] = ts_rng_normal(&h.rng);
            for (int k = 0; k < h.blocks; ++k)
                memcpy(turned + G->block_row[k], x + h.block_row[order->block[k]],
                       (size_t)h.block[order->block[k]].rows * sizeof(double));
            form->base.ops->apply(&form->base, x, y);
            G->ops->apply(G, turned, out);
            for (int k = 0; k < h.blocks; ++k)
                for (int r = 0, b = order->block[k]; r < h.block[b].rows; ++r)
                    cr_assert_float_eq(out[G->block_row[k] + r], y[h.block_row[b] + r], 1e-10);
            for (int k = 0; k < h.blocks; ++k)
                cr_assert_eq(G->ops->diagonal(G, k)[0], form->base.ops->diagonal(&form->base, order->block[k])[0]);
        }
        ts_arena_free(&arena);
    }
}

static ts_solve_report solve(const ts_solver* solver, const void* settings, int workers, double start) {
    ts_arena scratch[MOST_WORKERS] = {{0}};
    ts_task_pool* pool = ts_task_pool_create(workers);
    for (int i = 0; i < h.rows; ++i) h.impulse[i] = start;
    ts_solve_report report = ts_island_solve(solver, &h.problem, NULL, settings, pool, scratch, h.impulse, NULL);
    ts_task_pool_destroy(pool);
    for (int w = 0; w < MOST_WORKERS; ++w) ts_arena_free(&scratch[w]);
    return report;
}

static void expect_same_bits(const char* name, const char* setting, double value, int limit) {
    static double alone[6 * MOST_BLOCKS];
    const ts_solver* solver = ts_solver_find(name);
    fixture_settings settings = fixture_settings_of(solver, 1e-9, limit);
    ts_status status;
    if (setting) cr_assert_eq(ts_solver_set(solver, &settings, setting, value, &status), TS_OK, "%s", status.message);
    ts_solve_report one = solve(solver, &settings, 1, 0.01);
    memcpy(alone, h.impulse, sizeof alone);
    for (int workers = 2; workers <= MOST_WORKERS; ++workers) {
        ts_solve_report many = solve(solver, &settings, workers, 0.01);
        cr_expect_eq(memcmp(alone, h.impulse, sizeof alone), 0, "%s on %d threads: other impulses", name, workers);
        cr_expect_eq(many.status, one.status);
        cr_expect_eq(many.iterations, one.iterations);
    }
}

Test(threads, any_number_of_them_gives_the_same_bits, .timeout = 240) {
    static const char* const sweeping[] = {"ncp-pgs", "ccp-pgs",  "lcp-pgs", "ncp-nsgs",
                                           "raisim",  "ccp-apgd", "ncp",     "ncp-subadmm"};
    for (int m = 0; m < MAKERS; ++m) {
        makers[m](&h);
        for (size_t k = 0; k < sizeof sweeping / sizeof sweeping[0]; ++k) expect_same_bits(sweeping[k], NULL, 0.0, 12);
    }
    make_tray(&h);
    expect_same_bits("ncp-pgs", "order", 1.0, 12);
    expect_same_bits("ccp-pgs", "order", 2.0, 12);
    expect_same_bits("ncp-nsgs", "anderson", 4.0, 12);
    expect_same_bits("lcp-pgs", "local_iterations", 3.0, 12);
}

Test(threads, answers_meet_the_law_on_the_whole_operator) {
    static const char* const names[] = {"ncp-pgs", "ccp-pgs", "lcp-pgs", "ncp-nsgs"};
    static const make_heap some[] = {make_grid, make_tray, make_trees, make_frozen, make_islands};
    for (size_t m = 0; m < sizeof some / sizeof some[0]; ++m) {
        for (size_t k = 0; k < sizeof names / sizeof names[0]; ++k) {
            some[m](&h);
            const ts_solver* solver = ts_solver_find(names[k]);
            fixture_settings settings = fixture_settings_of(solver, 1e-3, 20000);
            // A start without sense costs time and nothing else.
            ts_solve_report report = solve(solver, &settings, 2, k % 2 ? (double)NAN : 0.0);
            cr_expect_eq(report.status, TS_SOLVE_CONVERGED, "%s, problem %zu: %s after %d", names[k], m,
                         ts_solve_status_name(report.status), report.iterations);
            ts_arena scratch = {0};
            ts_residual residual;
            ts_residual_evaluate(&h.problem, h.impulse, &scratch, NULL, &residual);
            ts_law_residual own = solver->law == TS_LAW_CCP   ? residual.ccp
                                  : solver->law == TS_LAW_LCP ? residual.lcp
                                                              : residual.ncp;
            cr_expect_leq(ts_law_residual_in_force_units(own, TIME_STEP), 1.01e-3, "%s, problem %zu", names[k], m);
            ts_arena_free(&scratch);
        }
    }
}
