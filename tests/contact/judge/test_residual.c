// The yardstick: hand-computed residuals, and a second evaluation of every law in long double.
#include "tests/contact/contact_fixture.h"

// Evaluates one dense problem.
static ts_residual evaluate(int blocks, const ts_block* block, const double* G, const double* g, const double* R,
                            const double* impulse, double* out_u) {
    ts_arena arena = {0};
    int block_row[FIXTURE_BLOCKS + 1] = {0};
    for (int b = 0; b < blocks; ++b) block_row[b + 1] = block[b].row + block[b].rows;
    ts_contact_problem problem = {.block_count = blocks,
                                  .row_count = block_row[blocks],
                                  .block = block,
                                  .delassus = dense_operator(&arena, blocks, block_row, G),
                                  .g = g,
                                  .R = R,
                                  .time_step = TIME_STEP};
    ts_residual residual;
    size_t before = arena.used;
    ts_residual_evaluate(&problem, impulse, &arena, out_u, &residual);
    cr_expect_eq(arena.used, before, "scratch must be given back");
    ts_arena_free(&arena);
    return residual;
}

static const double identity[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};

// G = I: u = lambda + g. lambda = (0.3, 0.4, 0.8), mu = 0.5, g chosen for u = (0.6, -0.8, 0.25).
//   lambda outside K by (0.5 - 0.4) / sqrt(1.25); inside the pyramid with bound 0.4 up to 0 on axis 2.
//   CCP: u outside K* by (0.5 * 1 - 0.25) / sqrt(1.25); lambda . u = 0.18 - 0.32 + 0.2 = 0.06.
//   NCP: w = (0.6, -0.8, 0.75) is inside K*; lambda . w = 0.18 - 0.32 + 0.6 = 0.46.
//   LCP: lambda_N u_N = 0.2; axis 1, u > 0: 0.6 (0.3 + 0.4) = 0.42; axis 2, u < 0: 0.8 (0.4 - 0.4) = 0.
//   Signorini 0.2; dissipation 0.5 * 0.8 * 1 + (0.18 - 0.32) = 0.26; angle between -lambda_T and u_T:
//   cos = -(-0.14) / 0.5, sin = |0.3 * -0.8 - 0.4 * 0.6| / 0.5 = 0.48 / 0.5.
//   Natural: r = 1, x = lambda - w = (-0.3, 1.2, 0.05): t = sqrt(1.53), t > mu z and mu t > -z, so z' = (t/2 +
//   0.05)/1.25.
Test(residual, of_one_contact_by_hand) {
    const double lambda[3] = {0.3, 0.4, 0.8}, g[3] = {0.3, -1.2, -0.55};
    const ts_block block = fixture_cone(0, 0.5);
    double u[3];
    ts_residual r = evaluate(1, &block, identity, g, NULL, lambda, u);
    fixture_expect_vector(u, 0.6, -0.8, 0.25, 1e-15, "u");
    cr_expect_float_eq(r.ccp.primal, 0.1 / sqrt(1.25), 1e-15);
    cr_expect_float_eq(r.ccp.dual, 0.25 / sqrt(1.25), 1e-15);
    cr_expect_float_eq(r.ccp.complementarity, 0.06, 1e-15);
    cr_expect_float_eq(r.ncp.primal, 0.1 / sqrt(1.25), 1e-15);
    cr_expect_eq(r.ncp.dual, 0.0);
    cr_expect_float_eq(r.ncp.complementarity, 0.46, 1e-15);
    cr_expect_float_eq(r.lcp.primal, 0.0, 1e-15);
    cr_expect_eq(r.lcp.dual, 0.0);
    cr_expect_float_eq(r.lcp.complementarity, 0.42, 1e-15);
    cr_expect_float_eq(r.signorini, 0.2, 1e-15);
    cr_expect_float_eq(r.dissipation, 0.26, 1e-15);
    cr_expect_eq(r.closing, 0.0);
    cr_expect_float_eq(r.slip_angle, atan2(0.48, 0.14), 1e-14);
    double t = sqrt(1.53), z = (0.5 * t + 0.05) / 1.25, s = 0.5 * z / t;
    double gap = sqrt((0.3 + 0.3 * s) * (0.3 + 0.3 * s) + (0.4 - 1.2 * s) * (0.4 - 1.2 * s) + (0.8 - z) * (0.8 - z));
    cr_expect_float_eq(r.natural, gap / 1.2, 1e-12);  // 1.2 = |g|_inf exceeds |lambda|_inf
}

// Approach that is left over, a pulling contact, and friction beyond the pyramid.
Test(residual, signs_that_are_wrong) {
    const ts_block block = fixture_cone(0, 0.5);
    const double lambda[3] = {0.0, 0.2, -0.1}, g[3] = {0.0, 0.0, -0.3};
    ts_residual r = evaluate(1, &block, identity, g, NULL, lambda, NULL);  // u = (0, 0.2, -0.4)
    cr_expect_float_eq(r.closing, 0.4, 1e-15);
    cr_expect_float_eq(r.lcp.dual, 0.4, 1e-15);
    cr_expect_float_eq(r.lcp.primal, 0.25, 1e-15);  // |0.2| - 0.5 * -0.1
    // K: t = 0.2 > mu z = -0.05; mu t = 0.1 <= -z = 0.1: in the polar cone, so the tip is nearest.
    cr_expect_float_eq(r.ccp.primal, sqrt(0.05), 1e-15);
    // K*: mu t = 0.1 > z = -0.4; t = 0.2 <= -mu z = 0.2: the tip again.
    cr_expect_float_eq(r.ccp.dual, sqrt(0.2), 1e-15);
    // w = (0, 0.2, -0.3): the boundary is nearest, (mu t - z) / sqrt(1 + mu^2) = 0.4 / sqrt(1.25).
    cr_expect_float_eq(r.ncp.dual, 0.4 / sqrt(1.25), 1e-15);
    cr_expect_float_eq(r.signorini, 0.04, 1e-15);
}

// Mixed sets: every block's parts by hand, then the largest of them.
Test(residual, of_half_lines_boxes_and_bilateral_rows) {
    double G[25] = {0};
    for (int i = 0; i < 5; ++i) G[6 * i] = 2.0;
    const ts_block half = {.set = TS_SET_HALF_LINE, .row = 0, .rows = 1};
    const double lambda[1] = {0.5}, g[1] = {-0.7}, R[1] = {0.25};  // u = 2.25 * 0.5 - 0.7 = 0.425
    ts_residual r = evaluate(1, &half, G, g, R, lambda, NULL);
    cr_expect_eq(r.ncp.primal, 0.0);
    cr_expect_eq(r.ncp.dual, 0.0);
    cr_expect_float_eq(r.ncp.complementarity, 0.2125, 1e-15);
    cr_expect_float_eq(r.ccp.complementarity, 0.2125, 1e-15);
    cr_expect_float_eq(r.lcp.complementarity, 0.2125, 1e-15);
    cr_expect_float_eq(r.signorini, 0.2125, 1e-15);
    // r = 1 / 2.25; lambda - r u = 0.5 - 0.425 / 2.25 > 0, so the gap is r u; scale max(0.5, 0.7 / 2.25).
    cr_expect_float_eq(r.natural, 0.425 / 2.25 / 0.5, 1e-15);

    // u = -0.1 + 2 * 0.2 = 0.3 > 0 wants the low side; the distance to it is 0.2 + 1.
    const ts_block box = {.set = TS_SET_BOX, .row = 0, .rows = 1, .low = -1.0, .high = 0.1};
    const double in_box[1] = {0.2}, box_g[1] = {-0.1};
    r = evaluate(1, &box, G, box_g, NULL, in_box, NULL);
    cr_expect_float_eq(r.ncp.primal, 0.1, 1e-15);
    cr_expect_eq(r.ncp.dual, 0.0);
    cr_expect_float_eq(r.ncp.complementarity, 0.36, 1e-15);
    // Saturated on the right side: nothing to complain of. u = 2 * 0.1 - 0.9 < 0 wants the high side.
    const double at_high[1] = {0.1}, push[1] = {-0.9};
    r = evaluate(1, &box, G, push, NULL, at_high, NULL);
    cr_expect_eq(r.ncp.primal + r.ncp.dual + r.ncp.complementarity + r.natural, 0.0);
    // A side that is open cannot hold: the velocity itself is wrong.
    const ts_block open = {.set = TS_SET_BOX, .row = 0, .rows = 1, .low = -HUGE_VAL, .high = 0.1};
    r = evaluate(1, &open, G, box_g, NULL, in_box, NULL);
    cr_expect_float_eq(r.ncp.dual, 0.3, 1e-15);
    cr_expect_eq(r.ncp.complementarity, 0.0);

    const ts_block weld = {.set = TS_SET_FREE, .row = 0, .rows = 5};
    const double five[5] = {0.1, -0.2, 0.0, 0.3, 0.0}, free_g[5] = {-0.2, 0.1, 0.05, -0.6, 0.0};
    r = evaluate(1, &weld, G, free_g, NULL, five, NULL);  // u = (0, -0.3, 0.05, 0, 0)
    cr_expect_float_eq(r.ncp.dual, 0.3, 1e-15);
    cr_expect_eq(r.ncp.primal, 0.0);
    cr_expect_eq(r.ncp.complementarity, 0.0);
    cr_expect_eq(r.signorini, 0.0);
}

static long double distance_to_cone(long double t, long double z, long double slope) {
    if (t <= slope * z) return 0.0L;
    if (slope * t <= -z) return sqrtl(t * t + z * z);
    return (t - slope * z) / sqrtl(1.0L + slope * slope);
}

// Random mixed problems: the parts of NCP and CCP again in long double, u included.
Test(residual, agrees_with_long_double_on_random_problems) {
    ts_rng rng = ts_rng_make(21, 0);
    for (int trial = 0; trial < 200; ++trial) {
        enum { ROWS = 11 };
        const ts_block block[4] = {fixture_cone(0, ts_rng_uniform_in(&rng, 0.1, 1.5)),
                                   {.set = TS_SET_HALF_LINE, .row = 3, .rows = 1},
                                   fixture_cone(4, ts_rng_uniform_in(&rng, 0.1, 1.5)),
                                   {.set = TS_SET_FREE, .row = 7, .rows = 4}};
        double A[ROWS][ROWS], G[ROWS * ROWS], g[ROWS], R[ROWS], lambda[ROWS], out_u[ROWS];
        long double u[ROWS];
        for (int i = 0; i < ROWS; ++i) {
            g[i] = ts_rng_normal(&rng);
            R[i] = ts_rng_uniform(&rng);
            lambda[i] = ts_rng_normal(&rng);
            for (int j = 0; j < ROWS; ++j) A[i][j] = ts_rng_normal(&rng);
        }
        for (int i = 0; i < ROWS; ++i) {
            u[i] = (long double)g[i] + (long double)R[i] * lambda[i];
            for (int j = 0; j < ROWS; ++j) {
                G[ROWS * i + j] = 0.0;
                for (int k = 0; k < ROWS; ++k) G[ROWS * i + j] += A[i][k] * A[j][k];
                u[i] += (long double)G[ROWS * i + j] * lambda[j];
            }
        }
        long double ccp[3] = {0}, ncp[3] = {0}, dissipation = 0, closing = fmaxl(0.0L, -u[3]);
        ccp[0] = ncp[0] = fmaxl(0.0L, -lambda[3]);
        ccp[1] = ncp[1] = fmaxl(0.0L, -u[3]);
        ccp[2] = ncp[2] = fabsl(lambda[3] * u[3]);
        for (int i = 7; i < 11; ++i) ccp[1] = ncp[1] = fmaxl(fmaxl(ccp[1], ncp[1]), fabsl(u[i]));
        for (int b = 0; b <= 2; b += 2) {
            const double* l = lambda + block[b].row;
            const long double* v = u + block[b].row;
            long double mu = block[b].mu, slip = hypotl(v[0], v[1]), along = l[0] * v[0] + l[1] * v[1];
            ccp[0] = fmaxl(ccp[0], distance_to_cone(hypotl(l[0], l[1]), l[2], mu));
            ccp[1] = fmaxl(ccp[1], distance_to_cone(slip, v[2], 1.0L / mu));
            ccp[2] = fmaxl(ccp[2], fabsl(along + l[2] * v[2]));
            ncp[1] = fmaxl(ncp[1], distance_to_cone(slip, v[2] + mu * slip, 1.0L / mu));
            ncp[2] = fmaxl(ncp[2], fabsl(along + l[2] * (v[2] + mu * slip)));
            dissipation = fmaxl(dissipation, mu * l[2] * slip + along);
            closing = fmaxl(closing, -v[2]);
        }
        ncp[0] = ccp[0];
        ts_residual r = evaluate(4, block, G, g, R, lambda, out_u);
        const double tolerance = 1e-12;
        for (int i = 0; i < ROWS; ++i) cr_expect_float_eq(out_u[i], (double)u[i], tolerance);
        cr_expect_float_eq(r.ccp.primal, (double)ccp[0], tolerance);
        cr_expect_float_eq(r.ccp.dual, (double)ccp[1], tolerance);
        cr_expect_float_eq(r.ccp.complementarity, (double)ccp[2], tolerance * 100);
        cr_expect_float_eq(r.ncp.primal, (double)ncp[0], tolerance);
        cr_expect_float_eq(r.ncp.dual, (double)ncp[1], tolerance);
        cr_expect_float_eq(r.ncp.complementarity, (double)ncp[2], tolerance * 100);
        cr_expect_float_eq(r.dissipation, (double)dissipation, tolerance * 100);
        cr_expect_float_eq(r.closing, (double)closing, tolerance);
    }
}

// Every set under every law, and the natural map, written down once more in long double and from the definitions alone:
// vectors split into normal and tangential length, projections by the nearest point on the boundary's ray.
enum { SETS = 8, SET_ROWS = 19 };

static const ts_block every_set[SETS] = {
    {TS_SET_CONE, 0, 3, 0.7, 0, 0},          {TS_SET_CONE, 3, 4, 0.3, 0, 0},     {TS_SET_CONE, 7, 6, 1.2, 0, 0},
    {TS_SET_HALF_LINE, 13, 1, 0, 0, 0},      {TS_SET_BOX, 14, 1, 0, -0.5, 0.25}, {TS_SET_BOX, 15, 1, 0, -HUGE_VAL, 0.5},
    {TS_SET_BOX, 16, 1, 0, -0.25, HUGE_VAL}, {TS_SET_FREE, 17, 2, 0, 0, 0}};

static long double most(long double a, long double b) { return a > b ? a : b; }

static long double tangent_length(const long double* x, int rows) {
    long double sum = 0.0L;
    for (int r = 0; r < rows; ++r) sum += r == 2 ? 0.0L : x[r] * x[r];
    return sqrtl(sum);
}

// The nearest point to x in { t <= slope z }.
static void nearest_in_cone(const long double* x, int rows, long double slope, long double* out) {
    long double t = tangent_length(x, rows), along = (slope * t + x[2]) / sqrtl(1.0L + slope * slope);
    int inside = x[2] >= 0.0L && t <= slope * x[2];
    long double z = along > 0.0L ? along / sqrtl(1.0L + slope * slope) : 0.0L;
    for (int r = 0; r < rows; ++r) out[r] = inside ? x[r] : (r == 2 ? z : (t > 0.0L ? slope * z * x[r] / t : 0.0L));
}

static long double far_from_cone(const long double* x, int rows, long double slope) {
    long double p[6], sum = 0.0L;
    nearest_in_cone(x, rows, slope, p);
    for (int r = 0; r < rows; ++r) sum += (x[r] - p[r]) * (x[r] - p[r]);
    return sqrtl(sum);
}

typedef struct three_parts {
    long double primal, dual, work;
} three_parts;

static void grow(three_parts* p, long double primal, long double dual, long double work) {
    p->primal = most(p->primal, primal);
    p->dual = most(p->dual, dual);
    p->work = most(p->work, fabsl(work));
}

static void judge_cone(const ts_block* b, const long double* l, const long double* u, three_parts* lcp,
                       three_parts* ccp, three_parts* ncp, long double* out_w) {
    long double mu = b->mu, ccp_work = 0.0L, ncp_work = 0.0L;
    for (int r = 0; r < b->rows; ++r) {
        out_w[r] = u[r] + (r == 2 ? mu * tangent_length(u, b->rows) : 0.0L);
        ccp_work += l[r] * u[r];
        ncp_work += l[r] * out_w[r];
    }
    // The dual of a cone of slope mu is one of slope 1 / mu.
    grow(ccp, far_from_cone(l, b->rows, mu), far_from_cone(u, b->rows, 1.0L / mu), ccp_work);
    grow(ncp, far_from_cone(l, b->rows, mu), far_from_cone(out_w, b->rows, 1.0L / mu), ncp_work);
    grow(lcp, most(0.0L, -l[2]), most(0.0L, -u[2]), l[2] * u[2]);
    for (int r = 0; r < b->rows; ++r) {
        if (r == 2) continue;
        long double bound = mu * l[2], wrong = u[r] > 0.0L ? u[r] * (l[r] + bound) : -u[r] * (bound - l[r]);
        grow(lcp, most(0.0L, fabsl(l[r]) - bound), 0.0L, wrong);
    }
}

static void judge_other(const ts_block* b, const long double* l, const long double* u, three_parts* p) {
    for (int r = 0; r < b->rows; ++r) {
        if (b->set == TS_SET_FREE) grow(p, 0.0L, fabsl(u[r]), 0.0L);
        if (b->set == TS_SET_HALF_LINE) grow(p, most(0.0L, -l[r]), most(0.0L, -u[r]), l[r] * u[r]);
        if (b->set != TS_SET_BOX) continue;
        double end = u[r] > 0.0L ? b->low : b->high;
        grow(p, most(most(0.0L, b->low - l[r]), l[r] - b->high), isinf(end) ? fabsl(u[r]) : 0.0L,
             isinf(end) ? 0.0L : u[r] * (l[r] - end));
    }
}

// |lambda - P(lambda - w / k)| with k the documented bound of the block's stiffness.
static long double natural_gap(const ts_block* b, const double* G, const double* R, const long double* l,
                               const long double* w, long double* out_k) {
    long double x[6], p[6], sum = 0.0L, k = 0.0L, mean = 0.0L, squares = 0.0L;
    for (int i = 0; i < b->rows; ++i) {
        long double row = R[b->row + i];
        mean += (G[(SET_ROWS + 1) * (b->row + i)] + (long double)R[b->row + i]) / b->rows;
        for (int j = 0; j < b->rows; ++j) row += fabs(G[SET_ROWS * (b->row + i) + b->row + j]);
        k = most(k, row);
    }
    for (int i = 0; i < b->rows; ++i)
        for (int j = 0; j < b->rows; ++j) {
            long double rest = G[SET_ROWS * (b->row + i) + b->row + j] + (i == j ? R[b->row + i] - mean : 0.0L);
            squares += rest * rest;
        }
    if (b->set == TS_SET_CONE && b->rows == 3) k = mean + sqrtl(2.0L / 3.0L * squares);
    for (int r = 0; r < b->rows; ++r) {
        x[r] = p[r] = l[r] - w[r] / k;
        if (b->set == TS_SET_HALF_LINE) p[r] = most(0.0L, x[r]);
        if (b->set == TS_SET_BOX) p[r] = x[r] < b->low ? b->low : (x[r] > b->high ? b->high : x[r]);
    }
    if (b->set == TS_SET_CONE) nearest_in_cone(x, b->rows, b->mu, p);
    for (int r = 0; r < b->rows; ++r) sum += (l[r] - p[r]) * (l[r] - p[r]);
    *out_k = k;
    return sqrtl(sum);
}

static void expect_parts(ts_law_residual r, three_parts p, const char* law) {
    cr_expect_float_eq(r.primal, (double)p.primal, 1e-12, "%s: %g, not %Lg", law, r.primal, p.primal);
    cr_expect_float_eq(r.dual, (double)p.dual, 1e-11, "%s: %g, not %Lg", law, r.dual, p.dual);
    cr_expect_float_eq(r.complementarity, (double)p.work, 1e-10, "%s: %g, not %Lg", law, r.complementarity, p.work);
}

Test(residual, every_set_and_law_in_long_double) {
    ts_rng rng = ts_rng_make(23, 0);
    for (int trial = 0; trial < 300; ++trial) {
        static double A[SET_ROWS][SET_ROWS], G[SET_ROWS * SET_ROWS];
        double g[SET_ROWS], R[SET_ROWS], lambda[SET_ROWS];
        long double u[SET_ROWS], l[SET_ROWS], w[SET_ROWS];
        long double load = 0.0L, speed = 0.0L, steps = 0.0L, worst = 0.0L;
        for (int i = 0; i < SET_ROWS; ++i) {
            g[i] = ts_rng_normal(&rng);
            R[i] = ts_rng_uniform(&rng);
            l[i] = lambda[i] = trial % 3 && i % 3 != 2 ? 0.2 * ts_rng_normal(&rng) : ts_rng_normal(&rng);
            load = most(load, fabsl(l[i]));
            speed = most(speed, fabs(g[i]));
            for (int j = 0; j < SET_ROWS; ++j) A[i][j] = ts_rng_normal(&rng);
        }
        for (int i = 0; i < SET_ROWS; ++i) {
            u[i] = (long double)g[i] + (long double)R[i] * l[i];
            for (int j = 0; j < SET_ROWS; ++j) {
                double sum = 0.0;
                for (int k = 0; k < SET_ROWS; ++k) sum += A[i][k] * A[j][k] / SET_ROWS;
                G[SET_ROWS * i + j] = sum;
                u[i] += (long double)sum * l[j];
            }
            w[i] = u[i];
        }
        three_parts lcp = {0, 0, 0}, ccp = lcp, ncp = lcp;
        for (int b = 0; b < SETS; ++b) {
            const ts_block* block = &every_set[b];
            const long double *lb = l + block->row, *ub = u + block->row;
            three_parts other = {0, 0, 0};
            long double k;
            if (block->set == TS_SET_CONE) judge_cone(block, lb, ub, &lcp, &ccp, &ncp, w + block->row);
            judge_other(block, lb, ub, &other);
            grow(&lcp, other.primal, other.dual, other.work);
            grow(&ccp, other.primal, other.dual, other.work);
            grow(&ncp, other.primal, other.dual, other.work);
            worst = most(worst, natural_gap(block, G, R, lb, w + block->row, &k));
            steps += 1.0L / k / SETS;
        }
        ts_residual r = evaluate(SETS, every_set, G, g, R, lambda, NULL);
        expect_parts(r.lcp, lcp, "LCP");
        expect_parts(r.ccp, ccp, "CCP");
        expect_parts(r.ncp, ncp, "NCP");
        long double natural = worst / most(load, speed * steps);
        cr_expect_float_eq(r.natural, (double)natural, 1e-12 * (1.0 + (double)natural), "trial %d: %.15g, not %.15Lg",
                           trial, r.natural, natural);
    }
}

// At rest, with nothing but rounding in g and lambda, a relative error is rounding over rounding, unless the problem says what
// rest is: then free velocities below that do not count, and those above are relative to what happens.
Test(residual, natural_map_of_rest_is_small) {
    ts_arena arena = {0};
    const ts_block block = fixture_cone(0, 0.5);
    const int block_row[2] = {0, 3};
    const double nothing[3] = {0, 0, 0}, rounding[3] = {1e-17, 0, -1e-17}, falling[3] = {0, 0, -0.02};
    ts_residual r;
    ts_contact_problem problem = {.block_count = 1,
                                  .row_count = 3,
                                  .block = &block,
                                  .delassus = dense_operator(&arena, 1, block_row, identity),
                                  .g = rounding,
                                  .time_step = TIME_STEP};
    ts_residual_evaluate(&problem, nothing, &arena, NULL, &r);
    cr_expect_float_eq(r.natural, 1.0, 0.2);
    problem.rest_speed = 0.01;
    ts_residual_evaluate(&problem, nothing, &arena, NULL, &r);
    cr_expect_gt(r.natural, 0.0);
    cr_expect_leq(r.natural, 1e-14);
    problem.g = falling;
    ts_residual_evaluate(&problem, nothing, &arena, NULL, &r);
    cr_expect_float_eq(r.natural, 1.0, 1e-12);
    ts_arena_free(&arena);
}

// Nothing is asked, nothing moves, and something pushes all the same: all of that is wrong, and it is not infinitely wrong.
Test(residual, a_push_for_nothing_is_wholly_wrong) {
    const ts_block block = fixture_cone(0, 0.5);
    const double push[3] = {0, 0, 3.0}, rest[3] = {0, 0, 0};
    ts_residual r = evaluate(1, &block, identity, rest, NULL, push, NULL);
    cr_expect_float_eq(r.natural, 1.0, 1e-12);
    r = evaluate(1, &block, identity, rest, NULL, rest, NULL);
    cr_expect_eq(r.natural, 0.0);
}

// A contact that nothing moves and that something forces shut: no impulse helps, and it must show. Its step is the mean
// of the others', so beside a contact of unit stiffness 0.5 m/s is a natural map of one.
Test(residual, an_impossible_demand_is_seen) {
    const ts_block block[2] = {fixture_cone(0, 0.5), {TS_SET_HALF_LINE, 3, 1, 0, 0, 0}};
    const double nothing[4] = {0}, shut[4] = {0, 0, 0.25, -0.5};
    double G[16] = {0};
    for (int i = 0; i < 3; ++i) G[5 * i] = 1.0;
    ts_residual r = evaluate(2, block, G, shut, NULL, nothing, NULL);
    cr_expect_float_eq(r.natural, 1.0, 1e-12, "%g", r.natural);
    cr_expect_float_eq(r.ncp.dual, 0.5, 1e-15);
}

// Force units divide by h, h and h^2; the largest counts.
Test(residual, in_force_units) {
    ts_law_residual r = {2.0, 3.0, 0.004};
    cr_expect_float_eq(ts_law_residual_in_force_units(r, 0.01), 300.0, 1e-10);
    cr_expect_float_eq(ts_law_residual_in_force_units(r, 0.001), 4000.0, 1e-9);
}

Test(residual, never_hides_a_nan) {
    const ts_block block = fixture_cone(0, 0.5);
    const double g[3] = {0.1, 0.2, 0.3}, lambda[3] = {0.0, NAN, 1.0};
    ts_residual r = evaluate(1, &block, identity, g, NULL, lambda, NULL);
    cr_expect(isnan(ts_law_residual_in_force_units(r.ncp, TIME_STEP)));
    cr_expect(isnan(ts_law_residual_in_force_units(r.ccp, TIME_STEP)));
    cr_expect(isnan(ts_law_residual_in_force_units(r.lcp, TIME_STEP)));
    cr_expect(isnan(r.natural));
    const ts_block box = {.set = TS_SET_BOX, .row = 0, .rows = 1, .low = -1.0, .high = 1.0};
    const double one[1] = {1.0}, nowhere[1] = {NAN}, zero[1] = {0.0};
    r = evaluate(1, &box, one, nowhere, NULL, zero, NULL);
    cr_expect(isnan(ts_law_residual_in_force_units(r.ncp, TIME_STEP)));
    const ts_block weld = {.set = TS_SET_FREE, .row = 0, .rows = 1};
    r = evaluate(1, &weld, one, nowhere, NULL, zero, NULL);
    cr_expect(isnan(ts_law_residual_in_force_units(r.ncp, TIME_STEP)));
}

// The angle of the whole weighs contacts by the work they could do: what hardly slides, and what hardly rubs, has no say.
Test(residual, slip_angle_is_weighted_by_work) {
    ts_rng rng = ts_rng_make(22, 0);
    for (int trial = 0; trial < 500; ++trial) {
        enum { BLOCKS = 4, ROWS = 3 * BLOCKS };
        ts_block block[BLOCKS];
        double G[ROWS * ROWS] = {0}, g[ROWS], lambda[ROWS];
        long double across = 0.0L, opposed = 0.0L;
        for (int i = 0; i < ROWS; ++i) G[(ROWS + 1) * i] = 1.0;
        for (int b = 0; b < BLOCKS; ++b) {
            block[b] = fixture_cone(3 * b, 0.7);
            double angle = trial % 3 == 0 ? 0.0 : ts_rng_uniform_in(&rng, 0.0, M_PI);
            double size = exp(ts_rng_uniform_in(&rng, -6.0, 6.0)), slip = exp(ts_rng_uniform_in(&rng, -6.0, 6.0));
            // Friction along -x turned by the angle.
            const double l[3] = {-cos(angle) * size, (b % 2 ? 1.0 : -1.0) * sin(angle) * size, 1.0},
                         u[3] = {slip, 0.0, 0.0};
            for (int i = 0; i < 3; ++i) {
                lambda[3 * b + i] = l[i];
                g[3 * b + i] = u[i] - l[i];
            }
            long double x = (long double)l[0] + g[3 * b], y = (long double)l[1] + g[3 * b + 1];
            across += fabsl(l[0] * y - l[1] * x);
            opposed -= l[0] * x + l[1] * y;
        }
        ts_residual r = evaluate(BLOCKS, block, G, g, NULL, lambda, NULL);
        double expected = (double)atan2l(across, opposed);
        cr_expect_float_eq(r.slip_angle, expected, 1e-12, "trial %d: %.15g, not %.15g", trial, r.slip_angle, expected);
    }
    // One contact slides and rubs against its slip; the others do one of the two only, askew.
    const ts_block three[3] = {fixture_cone(0, 1.0), fixture_cone(3, 1.0), fixture_cone(6, 1.0)};
    const double l[9] = {-1, 0, 1, 0, 1, 1, 1e-9, 0, 1}, u[9] = {1, 0, 0, 1e-9, 0, 0, 1, 0, 0};
    double G[81] = {0}, g[9];
    for (int i = 0; i < 9; ++i) {
        G[10 * i] = 1.0;
        g[i] = u[i] - l[i];
    }
    ts_residual r = evaluate(3, three, G, g, NULL, l, NULL);
    cr_expect_leq(r.slip_angle, 2e-9);
    // Without the first there is work left that is worth a billionth, and no angle.
    double pair[36] = {0};
    for (int i = 0; i < 6; ++i) pair[7 * i] = 1.0;
    r = evaluate(2, three, pair, g + 3, NULL, l + 3, NULL);
    cr_expect_eq(r.slip_angle, 0.0);
}

// Spinning and rolling rows: the laws of a round cone do not see a rotation among its tangent rows, so a contact of six
// rows is one of three, embedded at any angle. The pyramid bounds row by row.
Test(residual, of_six_rows_is_that_of_three_turned) {
    ts_rng rng = ts_rng_make(11, 0);
    for (int k = 0; k < 200; ++k) {
        int rows = k % 2 ? 4 : 6, tangent[5], count = 0;
        for (int r = 0; r < rows; ++r)
            if (r != 2) tangent[count++] = r;
        double flat_l[3], flat_u[3], l[6] = {0}, u[6] = {0}, g[6], one[36] = {0}, a[5], b[5], ab = 0.0, aa = 0.0,
                                     bb = 0.0;
        for (int i = 0; i < 3; ++i) {
            flat_l[i] = ts_rng_normal(&rng);
            flat_u[i] = k % 5 == 0 ? 0.0 : ts_rng_normal(&rng);
        }
        for (int i = 0; i < count; ++i) {
            a[i] = ts_rng_normal(&rng);
            b[i] = ts_rng_normal(&rng);
            aa += a[i] * a[i];
        }
        for (int i = 0; i < count; ++i) ab += a[i] * b[i] / aa;
        for (int i = 0; i < count; ++i) b[i] -= ab * a[i];
        for (int i = 0; i < count; ++i) bb += b[i] * b[i];
        for (int i = 0; i < count; ++i) {
            l[tangent[i]] = flat_l[0] * a[i] / sqrt(aa) + flat_l[1] * b[i] / sqrt(bb);
            u[tangent[i]] = flat_u[0] * a[i] / sqrt(aa) + flat_u[1] * b[i] / sqrt(bb);
        }
        l[2] = flat_l[2];
        u[2] = flat_u[2];
        for (int r = 0; r < rows; ++r) {
            one[(rows + 1) * r] = 1.0;
            g[r] = u[r] - l[r];
        }
        ts_block wide = {.set = TS_SET_CONE, .row = 0, .rows = rows, .mu = 0.7}, three = fixture_cone(0, 0.7);
        ts_residual w = evaluate(1, &wide, one, g, NULL, l, NULL);
        double flat_g[3] = {flat_u[0] - flat_l[0], flat_u[1] - flat_l[1], flat_u[2] - flat_l[2]};
        ts_residual t = evaluate(1, &three, identity, flat_g, NULL, flat_l, NULL);
        cr_expect_float_eq(w.ncp.primal, t.ncp.primal, 1e-13);
        cr_expect_float_eq(w.ncp.dual, t.ncp.dual, 1e-13);
        cr_expect_float_eq(w.ncp.complementarity, t.ncp.complementarity, 1e-13);
        cr_expect_float_eq(w.ccp.dual, t.ccp.dual, 1e-13);
        cr_expect_float_eq(w.dissipation, t.dissipation, 1e-13);
        cr_expect_float_eq(w.coulomb, t.coulomb, 1e-13);
        cr_expect_float_eq(w.pulling, t.pulling, 0.0);
        cr_expect_float_eq(w.slip_angle, t.slip_angle, 1e-12);
        double worst = 0.0;
        for (int i = 0; i < count; ++i) {
            double x = l[tangent[i]], v = u[tangent[i]], bound = 0.7 * l[2];
            worst = fmax(worst, fabs(v > 0.0 ? v * (x + bound) : v * (x - bound)));
        }
        cr_expect_float_eq(w.lcp.complementarity, fmax(worst, fabs(l[2] * u[2])), 1e-13);
    }
}

// By hand: lambda_T = (0.3, 0.4) has length 0.5, the cone allows 0.5 * 0.8; a normal that pulls by 0.2 allows nothing.
Test(residual, parts_of_coulomb_and_signorini) {
    const ts_block block = fixture_cone(0, 0.5);
    const double g[3] = {0, 0, 0}, beyond[3] = {0.3, 0.4, 0.8}, pulls[3] = {0.3, 0.4, -0.2};
    ts_residual r = evaluate(1, &block, identity, g, NULL, beyond, NULL);
    cr_expect_float_eq(r.coulomb, 0.1, 1e-15);
    cr_expect_eq(r.pulling, 0.0);
    r = evaluate(1, &block, identity, g, NULL, pulls, NULL);
    cr_expect_float_eq(r.coulomb, 0.5, 1e-15);
    cr_expect_float_eq(r.pulling, 0.2, 1e-15);
}
