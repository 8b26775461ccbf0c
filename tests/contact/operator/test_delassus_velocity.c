// The velocity form through its table of functions and through the kernels that sweeps inline: the same bits. And rows
// that lie apart against rows that lie together.
#include "contact/operator/delassus_velocity_internal.h"

#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

#include "base/rng.h"
#include "contact/solver.h"

enum { BODIES = 5, BLOCKS = 12, ROWS_MAX = 3 * BLOCKS, NUMBERS = ROWS_MAX * 12 };

// A pile of contacts between bodies in coordinates in which M is the identity: pairs, bodies on something fixed, a
// block over three columns only, a half-line and a bilateral row.
typedef struct pile {
    ts_block block[BLOCKS];
    int block_row[BLOCKS + 1];
    int segment_start[BLOCKS + 1];
    ts_delassus_segment segment[2 * BLOCKS];
    double J[NUMBERS];
    double g[ROWS_MAX];
    double R[ROWS_MAX];
} pile;

static void make_pile(ts_rng* rng, pile* p) {
    memset(p, 0, sizeof *p);
    double* at = p->J;
    int segments = 0;
    for (int b = 0; b < BLOCKS; ++b) {
        ts_block block = {TS_SET_CONE, p->block_row[b], 3, ts_rng_uniform_in(rng, 0.1, 1.0), 0.0, 0.0};
        int columns = 6, two = b % 3 != 0, first = b % BODIES;
        if (b == 4) columns = 3;
        if (b == 7 || b == 10) block.rows = 1;
        if (b == 7) block.set = TS_SET_HALF_LINE;
        if (b == 10) block.set = TS_SET_FREE;
        p->block[b] = block;
        p->segment_start[b] = segments;
        for (int k = 0; k <= two; ++k) {
            ts_delassus_segment segment = {6 * ((first + k) % BODIES), columns, at, at};
            p->segment[segments++] = segment;
            for (int i = 0; i < block.rows * columns; ++i) *at++ = ts_rng_normal(rng);
        }
        p->block_row[b + 1] = p->block_row[b] + block.rows;
    }
    p->segment_start[BLOCKS] = segments;
    for (int i = 0; i < p->block_row[BLOCKS]; ++i) {
        p->g[i] = ts_rng_normal(rng);
        p->R[i] = 0.1 * ts_rng_uniform(rng);
    }
}

static ts_solve_report solve(const ts_solver* solver, const pile* p, ts_delassus* G, ts_arena* arena, double* impulse) {
    ts_contact_problem problem = {.block_count = BLOCKS,
                                  .row_count = p->block_row[BLOCKS],
                                  .block = p->block,
                                  .delassus = G,
                                  .g = p->g,
                                  .R = p->R,
                                  .time_step = 0.01};
    unsigned char settings[TS_SOLVER_SETTINGS_BYTES];
    ts_solver_default_settings(solver, settings);
    cr_assert_eq(ts_solver_set(solver, settings, "iteration_limit", 40, NULL), TS_OK);
    // The first stage of ncp refuses operators with a table of their own.
    if (solver->stage_count > 0)
        cr_assert_eq(ts_solver_set(solver, settings, "stages", (1 << solver->stage_count) - 2, NULL), TS_OK);
    for (int i = 0; i < p->block_row[BLOCKS]; ++i) impulse[i] = 0.1 * (i % 3);
    return solver->solve(&problem, settings, arena, impulse);
}

// An operator with its own table is none that sweeps know, so they have to call. ncp-subadmm takes bodies apart, and there are none to it then.
Test(delassus_velocity, inline_kernels_give_the_bits_of_the_table) {
    ts_rng rng = ts_rng_make(61, 0);
    ts_arena arena = {0};
    for (int trial = 0; trial < 20; ++trial) {
        pile p;
        make_pile(&rng, &p);
        for (int s = 0; s < ts_solver_count(); ++s) {
            const ts_solver* solver = ts_solver_at(s);
            double called[ROWS_MAX], inlined[ROWS_MAX];
            if (strcmp(solver->name, "ncp-subadmm") == 0) continue;
            ts_delassus* G =
                ts_delassus_velocity_form(&arena, 6 * BODIES, BLOCKS, p.block_row, p.segment_start, p.segment);
            cr_assert_not_null(ts_velocity_form_of(G));
            ts_solve_report one = solve(solver, &p, G, &arena, inlined);
            ts_delassus_ops table = *G->ops;
            G->ops = &table;
            cr_assert_null(ts_velocity_form_of(G));
            ts_solve_report two = solve(solver, &p, G, &arena, called);
            cr_expect_eq(one.iterations, two.iterations, "%s", solver->name);
            cr_expect_eq(memcmp(inlined, called, (size_t)p.block_row[BLOCKS] * sizeof(double)), 0, "%s", solver->name);
            cr_expect_neq(one.iterations, 0, "%s had nothing to do", solver->name);
            ts_arena_reset(&arena);
        }
    }
    ts_arena_free(&arena);
}

Test(delassus_velocity, kernels_are_chosen_by_shape) {
    ts_rng rng = ts_rng_make(62, 0);
    ts_arena arena = {0};
    pile p;
    make_pile(&rng, &p);
    ts_velocity_form* form = ts_velocity_form_of(
        ts_delassus_velocity_form(&arena, 6 * BODIES, BLOCKS, p.block_row, p.segment_start, p.segment));
    for (int b = 0; b < BLOCKS; ++b) {
        int expected = b % 3 != 0 ? TS_VELOCITY_PAIR : TS_VELOCITY_ONE;
        if (b == 4 || b == 7 || b == 10) expected = TS_VELOCITY_ANY;
        cr_expect_eq(form->block[b].kernel, expected, "block %d", b);
    }
    ts_arena_free(&arena);
}

// Rows that do not lie behind each other cost the fast kernel, not the answer.
Test(delassus_velocity, rows_may_lie_apart) {
    ts_rng rng = ts_rng_make(63, 0);
    ts_arena arena = {0};
    pile p;
    make_pile(&rng, &p);
    double apart[18], x[ROWS_MAX], expected[ROWS_MAX], y[ROWS_MAX];
    ts_delassus_segment second = p.segment[p.segment_start[1] + 1], moved[2 * BLOCKS];
    memcpy(apart, second.J, sizeof apart);
    memcpy(moved, p.segment, sizeof moved);
    second.J = second.Y = apart;
    moved[p.segment_start[1] + 1] = second;
    ts_delassus* G = ts_delassus_velocity_form(&arena, 6 * BODIES, BLOCKS, p.block_row, p.segment_start, p.segment);
    ts_delassus* other = ts_delassus_velocity_form(&arena, 6 * BODIES, BLOCKS, p.block_row, p.segment_start, moved);
    cr_expect_eq(ts_velocity_form_of(other)->block[1].kernel, TS_VELOCITY_ANY);
    cr_expect_eq(ts_velocity_form_of(other)->block[2].kernel, TS_VELOCITY_PAIR);
    int rows = p.block_row[BLOCKS];
    for (int i = 0; i < rows; ++i) x[i] = ts_rng_normal(&rng);
    G->ops->apply(G, x, expected);
    other->ops->apply(other, x, y);
    for (int i = 0; i < rows; ++i) cr_expect_float_eq(y[i], expected[i], 1e-13, "row %d", i);
    for (int b = 0; b < BLOCKS; ++b)
        for (int i = 0; i < 9 && p.block[b].rows == 3; ++i)
            cr_expect_float_eq(other->ops->diagonal(other, b)[i], G->ops->diagonal(G, b)[i], 1e-13);
    ts_arena_free(&arena);
}

// V that a solver has told is taken once, for its impulses and for no others.
Test(delassus_velocity, what_is_told_counts_once_and_for_its_impulses) {
    enum { ROWS = 5, COLUMNS = 7 };
    const int row[3] = {0, 3, ROWS}, start[3] = {0, 1, 2};
    ts_rng rng = ts_rng_make(64, 0);
    ts_arena arena = {0};
    double J[ROWS * COLUMNS], x[ROWS], other[ROWS], V[COLUMNS], right[COLUMNS];
    for (int i = 0; i < ROWS * COLUMNS; ++i) J[i] = ts_rng_normal(&rng);
    const ts_delassus_segment segment[2] = {{0, COLUMNS, J, J}, {0, COLUMNS, J + 3 * COLUMNS, J + 3 * COLUMNS}};
    ts_velocity_form* form = ts_velocity_form_of(ts_delassus_velocity_form(&arena, COLUMNS, 2, row, start, segment));
    ts_delassus* G = &form->base;
    for (int i = 0; i < ROWS; ++i) other[i] = x[i] = ts_rng_normal(&rng);
    for (int j = 0; j < COLUMNS; ++j) V[j] = j;
    other[4] += 1.0;
    G->ops->set_impulse(G, x);
    memcpy(right, form->V, sizeof right);
    ts_velocity_form_tell(form, x, V);
    G->ops->set_impulse(G, x);
    cr_expect_arr_eq(form->V, V, sizeof V);
    G->ops->set_impulse(G, x);
    cr_expect_arr_eq(form->V, right, sizeof right);
    ts_velocity_form_tell(form, other, V);
    G->ops->set_impulse(G, x);
    cr_expect_arr_eq(form->V, right, sizeof right);
    ts_arena_free(&arena);
}

// Kernels of six columns sum in another order: what is told would be other bits.
Test(delassus_velocity, where_there_are_sixes_nothing_is_told) {
    ts_rng rng = ts_rng_make(65, 0);
    ts_arena arena = {0};
    pile p;
    make_pile(&rng, &p);
    double x[ROWS_MAX], V[6 * BODIES] = {0.0}, right[6 * BODIES];
    ts_velocity_form* form = ts_velocity_form_of(
        ts_delassus_velocity_form(&arena, 6 * BODIES, BLOCKS, p.block_row, p.segment_start, p.segment));
    for (int i = 0; i < p.block_row[BLOCKS]; ++i) x[i] = ts_rng_normal(&rng);
    form->base.ops->set_impulse(&form->base, x);
    memcpy(right, form->V, sizeof right);
    ts_velocity_form_tell(form, x, V);
    form->base.ops->set_impulse(&form->base, x);
    cr_expect_arr_eq(form->V, right, sizeof right);
    ts_arena_free(&arena);
}

// All rows at once are those of each block, whoever has set the impulse before, and whoever has read them.
Test(delassus_velocity, all_rows_are_those_of_each_block) {
    ts_rng rng = ts_rng_make(66, 0);
    ts_arena arena = {0};
    for (int trial = 0; trial < 40; ++trial) {
        pile p;
        make_pile(&rng, &p);
        // In half of them nothing but blocks of six columns.
        int blocks = trial % 2 ? BLOCKS : 4;
        double x[ROWS_MAX], others[ROWS_MAX], each[ROWS_MAX], all[ROWS_MAX];
        ts_delassus* G = ts_delassus_velocity_form(&arena, 6 * BODIES, blocks, p.block_row, p.segment_start, p.segment);
        ts_velocity_form* form = ts_velocity_form_of(G);
        size_t bytes = (size_t)p.block_row[blocks] * sizeof(double);
        cr_assert_eq(form->known_rows != NULL, blocks == 4);
        for (int i = 0; i < p.block_row[blocks]; ++i) {
            x[i] = ts_rng_normal(&rng);
            others[i] = ts_rng_normal(&rng);
        }
        G->ops->set_impulse(G, x);
        for (int b = 0; b < blocks; ++b) G->ops->velocity(G, b, each + p.block_row[b]);
        ts_delassus_velocities(G, others, all);
        ts_delassus_velocities(G, x, all);
        cr_expect_arr_eq(all, each, bytes);
        for (int of_others = 0; of_others < 2 && form->known_rows; ++of_others) {
            ts_velocity_form_set(form, of_others ? others : x);
            for (int b = 0; b < blocks; ++b)
                ts_velocity_read_six(&form->block[b], form->V, form->known_rows + p.block_row[b]);
            ts_velocity_form_have_rows(form);
            memset(all, 0, sizeof all);
            ts_delassus_velocities(G, x, all);
            cr_expect_arr_eq(all, each, bytes, "known of %s", of_others ? "others" : "it");
            // The impulse is set, too.
            G->ops->velocity(G, 1, all);
            cr_expect_arr_eq(all, each + 3, 3 * sizeof(double));
        }
        // What was read of an impulse is not taken for another's.
        if (form->known_rows) {
            memset(form->known_rows, 0, bytes);
            ts_velocity_form_set(form, x);
            ts_delassus_velocities(G, x, all);
            cr_expect_arr_eq(all, each, bytes);
        }
        ts_arena_reset(&arena);
    }
    ts_arena_free(&arena);
}

// The largest row sum of |J J^T| + R of a block over nine columns, straight from its rows.
static double stiffness_by_hand(const ts_delassus_segment* s, int rows, const double* R) {
    double most = 0.0;
    for (int i = 0; i < rows; ++i) {
        double sum = R ? R[i] : 0.0;
        for (int k = 0; k < rows; ++k) {
            double entry = 0.0;
            for (int j = 0; j < s->count; ++j) entry += s->J[i * s->count + j] * s->J[k * s->count + j];
            sum += fabs(entry);
        }
        most = fmax(most, sum);
    }
    return most;
}

// What the operator knows of row sums goes with its blocks, into islands too, and does not hide R.
Test(delassus_velocity, stiffness_of_blocks_of_any_size) {
    enum { COUNT = 4, COLUMNS = 9, ALL = 14 };
    const int rows[COUNT] = {6, 1, 3, 4}, list[COUNT] = {1, 3, 0, 2}, start[3] = {0, 2, 4};
    ts_rng rng = ts_rng_make(62, 0);
    ts_arena arena = {0};
    double J[ALL * COLUMNS], R[ALL], g[ALL] = {0.0};
    ts_block block[COUNT];
    ts_delassus_segment segment[COUNT];
    int block_row[COUNT + 1] = {0}, segment_start[COUNT + 1] = {0, 1, 2, 3, 4};
    for (int i = 0; i < ALL * COLUMNS; ++i) J[i] = ts_rng_normal(&rng);
    for (int i = 0; i < ALL; ++i) R[i] = ts_rng_uniform(&rng);
    for (int b = 0; b < COUNT; ++b) {
        block[b] = (ts_block){rows[b] == 1 ? TS_SET_HALF_LINE : TS_SET_CONE, block_row[b], rows[b], 0.5, 0.0, 0.0};
        // Blocks 0 and 2 share columns, and so do 1 and 3.
        const double* own = J + COLUMNS * block_row[b];
        segment[b] = (ts_delassus_segment){b % 2 * COLUMNS, COLUMNS, own, own};
        block_row[b + 1] = block_row[b] + rows[b];
    }
    ts_delassus* G = ts_delassus_velocity_form(&arena, 2 * COLUMNS, COUNT, block_row, segment_start, segment);
    ts_contact_problem problem = {
        .block_count = COUNT, .row_count = ALL, .block = block, .delassus = G, .g = g, .time_step = 0.01};
    for (int soft = 0; soft < 2; ++soft) {
        problem.R = soft ? R : NULL;
        for (int b = 0; b < COUNT; ++b) {
            double expected = stiffness_by_hand(&segment[b], rows[b], soft ? R + block_row[b] : NULL);
            cr_assert_float_eq(ts_contact_problem_stiffness(&problem, b), expected, 1e-12 * expected, "block %d", b);
        }
    }
    const ts_islands islands = {2, start, list};
    ts_delassus* part[2];
    cr_assert(G->ops->split(G, &arena, &islands, part));
    for (int i = 0; i < 2; ++i) {
        const ts_block own[2] = {block[list[2 * i]], block[list[2 * i + 1]]};
        ts_contact_problem piece = {.block_count = 2, .block = own, .delassus = part[i], .g = g, .time_step = 0.01};
        for (int k = 0; k < 2; ++k) {
            double expected = stiffness_by_hand(&segment[list[2 * i + k]], own[k].rows, NULL);
            cr_assert_float_eq(ts_contact_problem_stiffness(&piece, k), expected, 1e-12 * expected);
        }
    }
    ts_arena_free(&arena);
}

// Rayleigh quotients never pass it; and of matrices without negative eigenvalues it is a third too large at most, where quotients of many
// directions, improved by products, come near the largest.
Test(delassus_velocity, no_eigenvalue_of_a_contact_is_above_its_bound) {
    ts_rng rng = ts_rng_make(3, 1);
    for (int k = 0; k < 100; ++k) {
        ts_arena arena = {0};
        pile p;
        make_pile(&rng, &p);
        ts_delassus* G = ts_delassus_velocity_form(&arena, 6 * BODIES, BLOCKS, p.block_row, p.segment_start, p.segment);
        cr_assert(G && G->bound);
        for (int b = 0; b < BLOCKS; ++b) {
            if (p.block[b].rows != 3) continue;
            const double* D = G->ops->diagonal(G, b);
            double x[3] = {ts_rng_normal(&rng), ts_rng_normal(&rng), ts_rng_normal(&rng)}, quotient = 0.0;
            for (int i = 0; i < 200; ++i) {
                double y[3], size = sqrt(x[0] * x[0] + x[1] * x[1] + x[2] * x[2]);
                for (int r = 0; r < 3; ++r) x[r] /= size;
                for (int r = 0; r < 3; ++r) y[r] = D[3 * r] * x[0] + D[3 * r + 1] * x[1] + D[3 * r + 2] * x[2];
                quotient = x[0] * y[0] + x[1] * y[1] + x[2] * y[2];
                cr_assert_leq(quotient, G->bound[b] * (1.0 + 1e-14), "block %d", b);
                memcpy(x, y, sizeof x);
            }
            cr_assert_geq(quotient * 4.0 / 3.0, G->bound[b] * (1.0 - 1e-6), "block %d", b);
        }
        ts_arena_free(&arena);
    }
}

// Blocks of one to six rows over two segments of any length: G_bb against long double.
Test(delassus_velocity, diagonals_of_any_number_of_rows) {
    ts_rng rng = ts_rng_make(63, 0);
    for (int rows = 1; rows <= 6; ++rows)
        for (int count = 1; count <= 9; ++count) {
            ts_arena arena = {0};
            double J[2 * 6 * 9];
            int block_row[] = {0, rows}, segment_start[] = {0, 2};
            ts_delassus_segment segment[] = {{0, count, J, J}, {9, 4, J + rows * count, J + rows * count}};
            for (size_t i = 0; i < sizeof J / sizeof J[0]; ++i) J[i] = ts_rng_normal(&rng);
            ts_delassus* G = ts_delassus_velocity_form(&arena, 13, 1, block_row, segment_start, segment);
            cr_assert_not_null(G);
            const double* D = G->ops->diagonal(G, 0);
            for (int i = 0; i < rows; ++i)
                for (int k = 0; k < rows; ++k) {
                    long double sum = 0.0L;
                    for (int s = 0; s < 2; ++s)
                        for (int j = 0; j < segment[s].count; ++j)
                            sum += (long double)segment[s].J[i * segment[s].count + j] *
                                   segment[s].J[k * segment[s].count + j];
                    cr_expect_float_eq(D[i * rows + k], (double)sum, 1e-13, "%d rows of %d: %d, %d", rows, count, i, k);
                }
            ts_arena_free(&arena);
        }
}
