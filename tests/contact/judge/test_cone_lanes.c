// Contacts judged four at a time: to the bit what each of them is alone, with and without AVX2.
#include "base/scalar.h"
#include "contact/judge/cone_lanes_internal.h"
#include "contact/judge/residual_internal.h"
#include "tests/contact/contact_fixture.h"

enum { BLOCKS = 11, ROWS = 3 * BLOCKS, PROBLEMS = 4000 };

// Numbers of every size, and those at which cases meet.
static double any_number(ts_rng* rng) {
    static const double special[] = {0.0, -0.0, 1.0, -1.0, 0.5, 1e-160, -1e-300, 5e-324, 1e20, -1e29, 1e31, 1e200};
    int i = (int)(ts_rng_uniform(rng) * 60.0);
    if (i < (int)(sizeof special / sizeof special[0])) return special[i];
    return (2.0 * ts_rng_uniform(rng) - 1.0) * pow(10.0, floor(6.0 * ts_rng_uniform(rng)) - 4.0);
}

static void expect_same(double is, double should, const char* what, int problem) {
    cr_expect(is == should || (isnan(is) && isnan(should)), "problem %d, %s: %.17g instead of %.17g", problem, what, is,
              should);
}

static void expect_near(double is, double should, double least, const char* what, int problem) {
    cr_expect(isnan(is) == isnan(should) && !(fabs(is - should) > 1e-13 * fmax(fabs(should), least)),
              "problem %d, %s: %.17g instead of %.17g", problem, what, is, should);
}

static void expect_same_law(const ts_law_residual* is, const ts_law_residual* should, const char* what, int problem) {
    expect_same(is->primal, should->primal, what, problem);
    expect_same(is->dual, should->dual, what, problem);
    expect_same(is->complementarity, should->complementarity, what, problem);
}

// Contacts, every fifth block a half-line in some problems, with the identity for G.
static int pose(ts_rng* rng, int problem, ts_block* block, int* block_row) {
    int row = 0;
    for (int b = 0; b < BLOCKS; ++b) {
        int other = problem % 3 == 0 && b % 5 == 4;
        block[b] = fixture_cone(row, ts_rng_uniform(rng) < 0.1 ? 0.0 : 2.0 * ts_rng_uniform(rng));
        if (other) block[b] = (ts_block){.set = TS_SET_HALF_LINE, .row = row, .rows = 1};
        block_row[b] = row;
        row += block[b].rows;
    }
    block_row[BLOCKS] = row;
    return row;
}

// Half of them press and slide, as contacts that are solved do.
static void fill(ts_rng* rng, int rows, double* impulse, double* u) {
    for (int i = 0; i < rows; ++i) {
        impulse[i] = any_number(rng);
        u[i] = any_number(rng);
        if (ts_rng_uniform(rng) < 0.3) impulse[i] = 0.0;
        if (ts_rng_uniform(rng) < 0.3) u[i] = 0.0;
    }
}

Test(cone_lanes, judge_as_one_by_one) {
    ts_rng rng = ts_rng_make(7, 1);
    static double G[ROWS * ROWS];
    for (int k = 0; k < PROBLEMS; ++k) {
        ts_arena arena = {0};
        ts_block block[BLOCKS];
        int block_row[BLOCKS + 1], rows = pose(&rng, k, block, block_row);
        double impulse[ROWS], u[ROWS], g[ROWS] = {1.0};
        memset(G, 0, sizeof G);
        for (int i = 0; i < rows; ++i) G[i * rows + i] = 1.0 + ts_rng_uniform(&rng);
        fill(&rng, rows, impulse, u);
        if (k % 50 == 1) impulse[k % rows] = NAN;
        if (k % 50 == 2) u[k % rows] = HUGE_VAL;
        ts_contact_problem problem = {.block_count = BLOCKS,
                                      .row_count = rows,
                                      .block = block,
                                      .delassus = dense_operator(&arena, BLOCKS, block_row, G),
                                      .g = g,
                                      .time_step = TIME_STEP};
        ts_residual all, alone, most = {0};
        ts_residual_from_velocity(&problem, NULL, impulse, u, &all);
        ts_residual_scale scale = ts_residual_scale_of(&problem, NULL, BLOCKS, impulse);
        double natural = 0.0;
        for (int b = 0; b < BLOCKS; ++b)
            natural = ts_worse(natural, ts_residual_natural(&problem, b, &scale, impulse, u));
        expect_same(ts_residual_natural_of_blocks(&problem, (ts_block_range){NULL, 0, BLOCKS}, &scale, impulse, u),
                    natural, "natural map", k);
        for (int b = 0; b < BLOCKS; ++b) {
            ts_residual_of_block(&problem, b, &scale, impulse, u, &alone);
            ts_law_residual_worsen(&most.lcp, &alone.lcp);
            ts_law_residual_worsen(&most.ccp, &alone.ccp);
            ts_law_residual_worsen(&most.ncp, &alone.ncp);
            most.signorini = ts_worse(most.signorini, alone.signorini);
            most.created = ts_worse(most.created, alone.created);
            most.dissipation = ts_worse(most.dissipation, alone.dissipation);
            most.natural = ts_worse(most.natural, alone.natural);
            most.closing = ts_worse(most.closing, alone.closing);
            most.pulling = ts_worse(most.pulling, alone.pulling);
            most.coulomb = ts_worse(most.coulomb, alone.coulomb);
        }
        ts_law_residual relaxed = ts_residual_of_law(&problem, TS_LAW_CCP, impulse, u),
                        exact = ts_residual_of_law(&problem, TS_LAW_NCP, impulse, u);
        expect_same_law(&relaxed, &most.ccp, "ccp alone", k);
        expect_same_law(&exact, &most.ncp, "ncp alone", k);
        expect_same_law(&all.lcp, &most.lcp, "lcp", k);
        expect_same_law(&all.ccp, &most.ccp, "ccp", k);
        expect_same_law(&all.ncp, &most.ncp, "ncp", k);
        expect_same(all.signorini, most.signorini, "signorini", k);
        expect_same(all.created, most.created, "created", k);
        expect_same(all.dissipation, most.dissipation, "dissipation", k);
        expect_same(all.natural, most.natural, "natural", k);
        expect_same(all.closing, most.closing, "closing", k);
        expect_same(all.pulling, most.pulling, "pulling", k);
        expect_same(all.coulomb, most.coulomb, "coulomb", k);
        ts_arena_free(&arena);
    }
}

// Where bounds are known, how large four contacts are is found side by side; of rows that do not lie one behind the other, one by one.
Test(cone_lanes, sizes_of_four_are_those_of_each) {
    enum { FOURS = 8 };
    ts_rng rng = ts_rng_make(9, 1);
    static double G[9 * FOURS * FOURS];
    for (int i = 0; i < 3 * FOURS; ++i) G[i * 3 * FOURS + i] = 1.0;
    for (int k = 0; k < PROBLEMS; ++k) {
        ts_arena arena = {0};
        ts_block block[FOURS];
        int block_row[FOURS + 1], back[FOURS], start[2] = {0, FOURS};
        double impulse[3 * FOURS], u[3 * FOURS], g[3 * FOURS], bound[FOURS];
        for (int b = 0; b < FOURS; ++b) {
            block[b] = fixture_cone(3 * b, 2.0 * ts_rng_uniform(&rng));
            block_row[b] = 3 * b;
            back[b] = FOURS - 1 - b;
            bound[b] = ts_rng_uniform(&rng) < 0.05 ? 0.0 : 0.5 + ts_rng_uniform(&rng);
        }
        block_row[FOURS] = 3 * FOURS;
        fill(&rng, 3 * FOURS, impulse, u);
        for (int i = 0; i < 3 * FOURS; ++i) g[i] = any_number(&rng);
        if (k % 10 == 1) g[k % (3 * FOURS)] = NAN;
        if (k % 10 == 2) impulse[k % (3 * FOURS)] = NAN;
        if (k % 10 == 3) g[k % (3 * FOURS)] = -HUGE_VAL;
        if (k % 10 == 4) bound[k % FOURS] = NAN;
        ts_contact_problem problem = {.block_count = FOURS,
                                      .row_count = 3 * FOURS,
                                      .block = block,
                                      .delassus = dense_operator(&arena, FOURS, block_row, G),
                                      .g = g,
                                      .time_step = TIME_STEP};
        problem.delassus->bound = bound;
        ts_islands islands = {1, start, back};
        ts_residual together, apart;
        ts_residual_from_velocity(&problem, NULL, impulse, u, &together);
        ts_residual_from_velocity(&problem, &islands, impulse, u, &apart);
        for (int with = 0; with < 2; ++with) {
            const double* known = with ? impulse : NULL;
            ts_residual_scale one = ts_residual_scale_of(&problem, NULL, FOURS, known),
                              other = ts_residual_scale_of(&problem, back, FOURS, known);
            expect_same(one.velocity, other.velocity, "largest velocity", k);
            // The mean's sum has another order, and bounds what counts of an impulse.
            expect_near(one.step, other.step, 0.0, "mean step", k);
            expect_near(one.impulse, other.impulse, 0.0, "largest impulse", k);
        }
        expect_near(together.natural, apart.natural, 1.0, "natural", k);
        ts_arena_free(&arena);
    }
}

// The angle between friction and slip counts every contact once, in a last group that is not full, too.
Test(cone_lanes, count_every_contact_once) {
    const double mu = 0.5;
    for (int blocks = 1; blocks <= BLOCKS; ++blocks) {
        ts_arena arena = {0};
        ts_block block[BLOCKS];
        int block_row[BLOCKS + 1];
        double impulse[ROWS], u[ROWS], g[ROWS], across = 0.0, opposed = 0.0;
        static double G[ROWS * ROWS];
        int rows = 3 * blocks;
        memset(G, 0, sizeof G);
        for (int b = 0; b < blocks; ++b) {
            double angle = 0.3 * b * b, *l = impulse + 3 * b, *v = u + 3 * b;
            block[b] = fixture_cone(3 * b, mu);
            block_row[b] = 3 * b;
            l[0] = -mu * (1.0 + b), l[1] = 0.0, l[2] = 1.0 + b;
            v[0] = cos(angle), v[1] = sin(angle), v[2] = 0.0;
            across += fabs(l[0] * v[1] - l[1] * v[0]);
            opposed -= l[0] * v[0] + l[1] * v[1];
            for (int i = 3 * b; i < 3 * b + 3; ++i) G[i * rows + i] = g[i] = 1.0;
        }
        block_row[blocks] = rows;
        ts_contact_problem problem = {.block_count = blocks,
                                      .row_count = rows,
                                      .block = block,
                                      .delassus = dense_operator(&arena, blocks, block_row, G),
                                      .g = g,
                                      .time_step = TIME_STEP};
        ts_residual all;
        ts_residual_from_velocity(&problem, NULL, impulse, u, &all);
        cr_expect_float_eq(all.slip_angle, atan2(across, opposed), 1e-14, "%d contacts: %.17g instead of %.17g", blocks,
                           all.slip_angle, atan2(across, opposed));
        ts_arena_free(&arena);
    }
}

#if defined(__GNUC__) && (defined(__x86_64__) || defined(__i386__))
Test(cone_lanes, same_bits_with_avx2) {
    if (!__builtin_cpu_supports("avx2")) return;
    ts_rng rng = ts_rng_make(8, 1);
    for (int k = 0; k < 20000; ++k) {
        ts_cone_lanes lanes;
        ts_residual residual[2];
        ts_cone_lanes_sums sums[2];
        double natural[2] = {0.0, 0.0};
        memset(residual, 0, sizeof residual);
        memset(sums, 0, sizeof sums);
        for (int i = 0; i < TS_CONE_LANES; ++i) {
            lanes.mu[i] = ts_rng_uniform(&rng);
            lanes.step[i] = ts_rng_uniform(&rng);
            for (int r = 0; r < 3; ++r) lanes.lambda[r][i] = any_number(&rng), lanes.u[r][i] = any_number(&rng);
        }
        int narrow = ts_cone_lanes_judge_narrow(&lanes, &residual[0], &natural[0], &sums[0]);
        int wide = ts_cone_lanes_judge_wide(&lanes, &residual[1], &natural[1], &sums[1]);
        cr_assert_eq(narrow, wide);
        cr_assert_eq(memcmp(&residual[0], &residual[1], sizeof residual[0]), 0, "problem %d", k);
        cr_assert_eq(memcmp(&sums[0], &sums[1], sizeof sums[0]), 0, "problem %d", k);
        cr_assert_eq(natural[0], natural[1], "problem %d", k);
        for (int law = TS_LAW_CCP; law <= TS_LAW_NCP; ++law) {
            ts_law_residual own[2] = {{0.0, 0.0, 0.0}, {0.0, 0.0, 0.0}};
            cr_assert_eq(ts_cone_lanes_law_narrow(&lanes, (ts_contact_law)law, &own[0]), narrow);
            cr_assert_eq(ts_cone_lanes_law_wide(&lanes, (ts_contact_law)law, &own[1]), narrow);
            cr_assert_eq(memcmp(&own[0], &own[1], sizeof own[0]), 0, "problem %d", k);
        }
    }
}
#endif
