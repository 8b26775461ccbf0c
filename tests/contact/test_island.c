// Islands: against a flood fill over the nonzeros of G, and solved apart against solved together.
#include "contact/island.h"
#include "tests/contact/contact_fixture.h"

enum { BODIES = 30, BLOCKS = 40, ROWS = 3 * BLOCKS };

// Point masses in a row of chains; block b acts between two of them, or one and the world.
typedef struct chains {
    int block_row[BLOCKS + 1];
    int segment_start[BLOCKS + 1];
    ts_delassus_segment segment[2 * BLOCKS];
    double J[2 * BLOCKS][9];
    ts_block block[BLOCKS];
    double G[ROWS * ROWS];
    double g[ROWS];
    double R[ROWS];
    int body[BLOCKS][2];
} chains;

static void add_side(chains* c, ts_rng* rng, int b, int side, int body, int* segments) {
    c->body[b][side] = body;
    if (body < 0) return;
    int k = (*segments)++;
    for (int i = 0; i < 9; ++i) c->J[k][i] = ts_rng_normal(rng);
    ts_delassus_segment segment = {3 * body, 3, c->J[k], c->J[k]};
    c->segment[k] = segment;
}

static void make_chains(chains* c, ts_rng* rng) {
    memset(c, 0, sizeof(*c));
    int segments = 0;
    for (int b = 0; b < BLOCKS; ++b) {
        c->segment_start[b] = segments;
        c->block_row[b] = 3 * b;
        c->block[b] = fixture_cone(3 * b, 0.5);
        // Bodies at least three apart stay strangers unless a chain of others joins them.
        int first = (int)(ts_rng_uniform(rng) * BODIES);
        int second = ts_rng_uniform(rng) < 0.4 ? -1 : first + 1 + (int)(2.0 * ts_rng_uniform(rng));
        if (second >= BODIES) second = -1;
        add_side(c, rng, b, 0, first, &segments);
        add_side(c, rng, b, 1, second, &segments);
    }
    c->segment_start[BLOCKS] = segments;
    c->block_row[BLOCKS] = ROWS;
    // g = J v of some velocities: at rest nothing is violated, so a solution exists. Some compliance makes it unique.
    double v[3 * BODIES];
    for (int j = 0; j < 3 * BODIES; ++j) v[j] = ts_rng_normal(rng);
    for (int b = 0; b < BLOCKS; ++b)
        for (int s = c->segment_start[b]; s < c->segment_start[b + 1]; ++s)
            for (int i = 0; i < 9; ++i) c->g[3 * b + i / 3] += c->J[s][i] * v[c->segment[s].column + i % 3];
    for (int i = 0; i < ROWS; ++i) c->R[i] = 0.05;
    for (int a = 0; a < BLOCKS; ++a)
        for (int b = 0; b < BLOCKS; ++b)
            for (int s = c->segment_start[a]; s < c->segment_start[a + 1]; ++s)
                for (int t = c->segment_start[b]; t < c->segment_start[b + 1]; ++t)
                    for (int i = 0; i < 9 && c->segment[s].column == c->segment[t].column; ++i)
                        for (int j = 0; j < 3; ++j)
                            c->G[(3 * a + i / 3) * ROWS + 3 * b + i % 3] +=
                                c->J[s][3 * (i / 3) + j] * c->J[t][3 * (i % 3) + j];
}

// The island of every block by flood fill, numbered in the order of first blocks.
static int flood(const chains* c, int label[BLOCKS]) {
    int count = 0;
    for (int b = 0; b < BLOCKS; ++b) label[b] = -1;
    for (int b = 0; b < BLOCKS; ++b) {
        if (label[b] >= 0) continue;
        label[b] = count;
        for (int round = 0; round < BLOCKS; ++round)
            for (int x = 0; x < BLOCKS; ++x)
                for (int y = 0; y < BLOCKS; ++y) {
                    int share = 0;
                    for (int i = 0; i < 2; ++i)
                        for (int j = 0; j < 2; ++j) share |= c->body[x][i] >= 0 && c->body[x][i] == c->body[y][j];
                    if (share && label[x] == count) label[y] = count;
                }
        ++count;
    }
    return count;
}

static ts_contact_problem problem_of(const chains* c, ts_delassus* G) {
    ts_contact_problem problem = {.block_count = BLOCKS,
                                  .row_count = ROWS,
                                  .block = c->block,
                                  .delassus = G,
                                  .g = c->g,
                                  .R = c->R,
                                  .time_step = TIME_STEP};
    return problem;
}

static void expect_islands(const chains* c, ts_delassus* G) {
    int label[BLOCKS], seen = 0;
    int count = flood(c, label);
    ts_contact_problem problem = problem_of(c, G);
    ts_arena arena = {0};
    ts_islands islands;
    cr_assert_eq(ts_islands_find(&problem, &arena, &islands), TS_OK);
    cr_assert_eq(islands.count, count, "%s: %d islands, not %d", G->ops->name, islands.count, count);
    for (int i = 0; i < count; ++i)
        for (int k = islands.start[i]; k < islands.start[i + 1]; ++k, ++seen) {
            cr_expect_eq(label[islands.block[k]], i);
            cr_expect(k == islands.start[i] || islands.block[k] > islands.block[k - 1]);
        }
    cr_expect_eq(seen, BLOCKS);
    ts_arena_free(&arena);
}

static void expect_solved_apart(const chains* c, ts_delassus* G, double* out_impulse, int workers) {
    const ts_solver* solver = ts_solver_find("ccp-pgs");
    double settings[TS_SOLVER_SETTINGS_BYTES / 8];
    ts_status status;
    ts_solver_default_settings(solver, settings);
    cr_assert_eq(ts_solver_set(solver, settings, "iteration_limit", 200000, &status), TS_OK);
    cr_assert_eq(ts_solver_set(solver, settings, "tolerance", 1.0, &status), TS_OK);
    cr_assert_eq(ts_solver_set(solver, settings, "force", 1e-3, &status), TS_OK);
    ts_contact_problem problem = problem_of(c, G);
    ts_arena scratch[8] = {{0}};
    ts_task_pool* pool = ts_task_pool_create(workers);
    ts_island_report islands;
    memset(out_impulse, 0, ROWS * sizeof(double));
    ts_solve_report report = ts_island_solve(solver, &problem, NULL, settings, pool, scratch, out_impulse, &islands);
    cr_expect_eq(report.status, TS_SOLVE_CONVERGED, "%s after %d", ts_solve_status_name(report.status),
                 report.iterations);
    cr_expect_eq(islands.not_converged, 0);
    cr_expect_gt(islands.islands, 1);
    ts_residual residual;
    ts_residual_evaluate(&problem, out_impulse, scratch, NULL, &residual);
    // The whole, judged with the whole operator, not with the parts.
    cr_expect_leq(ts_law_residual_in_force_units(residual.ccp, TIME_STEP), 1.01e-3);
    ts_task_pool_destroy(pool);
    for (int i = 0; i < 8; ++i) ts_arena_free(&scratch[i]);
}

Test(island, the_parts_are_those_of_a_flood_fill_and_solve_the_whole) {
    ts_rng rng = ts_rng_make(21, 0);
    for (int k = 0; k < 8; ++k) {
        static chains c;
        make_chains(&c, &rng);
        ts_arena arena = {0};
        ts_delassus* dense = dense_operator(&arena, BLOCKS, c.block_row, c.G);
        ts_delassus* velocity =
            ts_delassus_velocity_form(&arena, 3 * BODIES, BLOCKS, c.block_row, c.segment_start, c.segment);
        cr_assert(dense && velocity);
        expect_islands(&c, dense);
        expect_islands(&c, velocity);
        double one[ROWS], many[ROWS];
        expect_solved_apart(&c, dense, one, 1);
        expect_solved_apart(&c, velocity, one, 1);
        for (int workers = 2; workers <= 5; ++workers) {
            expect_solved_apart(&c, velocity, many, workers);
            cr_expect_eq(memcmp(one, many, sizeof(one)), 0, "%d workers gave other bits", workers);
        }
        ts_arena_free(&arena);
    }
}

// What a solver remembers of blocks is shared out among the islands and collected again: each island leaves one penalty in all of
// its blocks, as if it had been solved alone, and begins with it the next time.
Test(island, what_a_solver_remembers_belongs_to_blocks) {
    ts_rng rng = ts_rng_make(22, 0);
    const ts_solver* solver = ts_solver_find("ncp-admm");
    static chains c;
    make_chains(&c, &rng);
    ts_arena arena = {0}, scratch = {0};
    int label[BLOCKS], count = flood(&c, label), different = 0, known = 0;
    ts_contact_problem problem = problem_of(&c, dense_operator(&arena, BLOCKS, c.block_row, c.G));
    double memory[BLOCKS] = {0.0}, impulse[ROWS] = {0.0}, of_island[BLOCKS] = {0.0};
    problem.memory = memory;
    int cold = ts_island_solve(solver, &problem, NULL, solver->defaults, NULL, &scratch, impulse, NULL).iterations;
    for (int b = 0; b < BLOCKS; ++b) {
        // Islands that come apart by themselves need no iteration, and learn nothing.
        known += memory[b] > 0.0;
        if (of_island[label[b]] == 0.0) of_island[label[b]] = memory[b];
        cr_expect_eq(memory[b], of_island[label[b]], "block %d", b);
        different += memory[b] != memory[0];
    }
    cr_expect(count > 1 && different > 0 && known > BLOCKS / 2, "%d known", known);
    memset(impulse, 0, sizeof impulse);
    int warm = ts_island_solve(solver, &problem, NULL, solver->defaults, NULL, &scratch, impulse, NULL).iterations;
    cr_expect_lt(warm, cold, "%d, cold %d", warm, cold);
    ts_arena_free(&arena);
    ts_arena_free(&scratch);
}

Test(island, a_problem_without_blocks_is_solved) {
    int block_row[1] = {0};
    ts_arena arena = {0};
    ts_contact_problem problem = {.block_count = 0,
                                  .row_count = 0,
                                  .block = NULL,
                                  .delassus = dense_operator(&arena, 0, block_row, NULL),
                                  .g = NULL,
                                  .time_step = TIME_STEP};
    const ts_solver* solver = ts_solver_find("ncp-pgs");
    double settings[TS_SOLVER_SETTINGS_BYTES / 8];
    ts_solver_default_settings(solver, settings);
    ts_solve_report report = ts_island_solve(solver, &problem, NULL, settings, NULL, &arena, NULL, NULL);
    cr_expect_eq(report.status, TS_SOLVE_CONVERGED);
    ts_arena_free(&arena);
}
