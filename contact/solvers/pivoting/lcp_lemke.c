// LCP-Lemke: pyramidal friction as one linear complementarity problem, solved by pivoting.
//
// Problem: the law of lcp_pgs.c: Signorini, and per tangent axis |lambda_a| <= mu lambda_N against its own slip.
// Rule: lambda = lambda_0 + B z with z >= 0, w = B^T u + C z + c >= 0, z_j w_j = 0, so that A = B^T (G+R) B + C and
// b = B^T ((G+R) lambda_0 + g) + c; contact/solvers/pivoting/lemke.c pivots. Per contact z = (beta_1..4, lambda_N, sigma):
//     lambda_T = D beta,  D = [(1, 1), (-1, 1), (-1, -1), (1, -1)] / sqrt(2)
//     w = (D^T u_T + sigma,  u_N,  sqrt(2) mu lambda_N - sum beta)
// whose sum beta <= sqrt(2) mu lambda_N is the square |lambda_a| <= mu lambda_N; sigma is the slip speed times sqrt(2).
// A tangent row more (spin, roll) has a pair of betas and a sigma of its own. Half-lines are one row; a box is
// lambda = low + x with a multiplier for high; free rows are a difference of two z, which needs no inverse and so
// allows redundant ones. Before anything is pivoted, the vertex where last step's
// impulses lie is tried: as long as a scene stands, one factor answers. Where rounding has led pivots astray they are made again with
// care. Units are the problem's own, so that a problem in other units takes the same pivots: lambda_N and sigma stand in
// one matrix, and what covers the rows (z_0) is as large for both.
// Source: Stewart and Trinkle 1996 and Anitescu and Potra 1997 (their D is the inscribed diamond, this is the square of
// the boxed form); Lemke 1965.
// Guaranteed: A is copositive (C is skew but for the entries mu >= 0), so without rounding pivoting ends in a solution
// where nothing is forced apart (g_N reachable: free velocities not prescribed); the answer is to rounding, without
// iteration error. An answer reported as converged meets the law, else lcp-pgs takes over and reports for itself.
// Known to fail: a secondary ray with forced separation or prescribed velocities; dense, about n^2 operations for each
// of some n pivots; a vertex of the solution set: two of a cube's four feet carry all of it; a start
// at another vertex is no help, nor one where what slides leaves open which forces are basic.
#include <math.h>
#include <string.h>

#include "contact/block_set_internal.h"
#include "contact/solver.h"
#include "contact/solvers/pivoting/lemke_internal.h"
#include "contact/solvers/sweeps/pgs_internal.h"
#include "contact/trace.h"

typedef struct lcp_lemke_settings {
    ts_solver_settings shared;  // tolerance judges the answer; stall and iteration_limit are for lcp-pgs, the fall-back
    int row_limit;              // LCP rows (6 a contact) beyond which nothing is pivoted: the tableau is dense
    int pivots_per_row;         // pivots allowed for each LCP row
    double work;                // multiplications in pivots, which bounds the time of a solve
} lcp_lemke_settings;

static const ts_setting setting[] = {
    TS_SETTING_WHOLE(lcp_lemke_settings, row_limit, 0.0, 20000.0, "LCP rows beyond which nothing is pivoted"),
    TS_SETTING_WHOLE(lcp_lemke_settings, pivots_per_row, 1.0, 1e5, "pivots allowed for each LCP row"),
    TS_SETTING_REAL(lcp_lemke_settings, work, 0.0, 1e18, "multiplications in pivots, after which lcp-pgs takes over"),
};

// LCP rows up to which a second try is made with care, of some n^4 operations: a tenth of a second.
enum { CAREFUL_ROWS = 150 };

// 200 contacts; about two seconds. What is solved takes about a pivot for each row, at most three (dominoes, arch); what takes more goes
// round in circles that rounding has closed.
static const lcp_lemke_settings defaults = {
    .shared = {1e-8, 1e-12, 1000, 0.0}, .row_limit = 1200, .pivots_per_row = 8, .work = 2e9};

// A column of B: at most two rows of the problem.
typedef struct generator {
    int row[2];  // row[1] < 0: one only
    double coefficient[2];
} generator;

// The LCP under construction, in scaled units.
typedef struct lcp {
    const ts_contact_problem* problem;
    int n;
    int filled;
    double velocity_unit;  // m/s
    double impulse_unit;   // N s
    generator* column;     // (n)
    double* C;             // (n x n), completed to A
    double* b;             // (n)
    double* start;         // (row_count) lambda_0, in impulse_unit
    const double* guess;   // (row_count) last step's impulses, N s
    int* basic;            // (basic_count) columns whose z these make basic
    int basic_count;
} lcp;

// Of a bound: a force this near to it is at it.
static const double at_bound = 1e-9;

// LCP rows of one block.
static int rows_of(const ts_block* block) {
    double low, high;
    if (block->set == TS_SET_CONE) return block->mu > 0.0 ? 6 + 3 * (block->rows - 3) : 1;
    ts_block_set_interval(block, &low, &high);
    if (low == high) return 0;
    return block->rows * (!isinf(low) == !isinf(high) ? 2 : 1);
}

// All of them, or -1 when they are more than `most`.
static int count_rows(const ts_contact_problem* problem, int most) {
    int n = 0;
    for (int b = 0; b < problem->block_count; ++b) {
        n += rows_of(&problem->block[b]);
        if (n > most) return -1;
    }
    return n;
}

static double* entry(const lcp* q, int i, int j) { return q->C + (size_t)i * (size_t)q->n + (size_t)j; }

static int add_column(lcp* q, int row0, double c0, int row1, double c1) {
    q->column[q->filled] = (generator){{row0, row1}, {c0, c1}};
    return q->filled++;
}

// A row of the LCP that is no combination of contact rows: sigma, or the multiplier of a box's upper end.
static int add_multiplier(lcp* q, double constant) {
    int j = add_column(q, -1, 0.0, -1, 0.0);
    q->b[j] = constant;
    return j;
}

// z_j and the multiplier z_s push against each other: w_j gains z_s, w_s loses z_j.
static void oppose(lcp* q, int j, int s) {
    *entry(q, j, s) = 1.0;
    *entry(q, s, j) = -1.0;
}

static void guess_basic(lcp* q, int column, int is_basic) {
    if (is_basic) q->basic[q->basic_count++] = column;
}

static void add_cone(lcp* q, const ts_block* block) {
    const double half = 0.70710678118654752, root = 1.4142135623730951;
    const double D[4][2] = {{half, half}, {-half, half}, {-half, -half}, {half, -half}};
    int r = block->row;
    const double* old = q->guess + r;
    double most = (1.0 - at_bound) * block->mu * old[2];
    int normal = add_column(q, r + 2, 1.0, -1, 0.0);
    guess_basic(q, normal, old[2] > 0.0);
    if (!(block->mu > 0.0)) return;
    int sigma = add_multiplier(q, 0.0);
    *entry(q, sigma, normal) = root * block->mu;
    guess_basic(q, sigma, old[2] > 0.0 && fmax(fabs(old[0]), fabs(old[1])) >= most);
    for (int k = 0; k < 4; ++k) {
        int beta = add_column(q, r, D[k][0], r + 1, D[k][1]);
        oppose(q, beta, sigma);
        guess_basic(q, beta, D[k][0] * old[0] + D[k][1] * old[1] > at_bound * block->mu * old[2]);
    }
    for (int extra = r + 3; extra < r + block->rows; ++extra) {
        sigma = add_multiplier(q, 0.0);
        *entry(q, sigma, normal) = block->mu;
        guess_basic(q, sigma, old[2] > 0.0 && fabs(old[extra - r]) >= most);
        for (int side = 1; side >= -1; side -= 2) {
            int beta = add_column(q, extra, side, -1, 0.0);
            oppose(q, beta, sigma);
            guess_basic(q, beta, side * old[extra - r] > at_bound * block->mu * old[2]);
        }
    }
}

static void add_interval(lcp* q, int row, double low, double high) {
    int has_low = !isinf(low), has_high = !isinf(high);
    if (has_low || has_high) q->start[row] = (has_low ? low : high) / q->impulse_unit;
    if (has_low && low == high) return;
    double old = q->guess[row];
    int x = add_column(q, row, has_low || !has_high ? 1.0 : -1.0, -1, 0.0);
    guess_basic(q, x, has_low ? old > low : has_high ? old < high : old >= 0.0);
    if (has_low && has_high) {
        int multiplier = add_multiplier(q, (high - low) / q->impulse_unit);
        oppose(q, x, multiplier);
        guess_basic(q, multiplier, old >= high);
    }
    if (!has_low && !has_high) guess_basic(q, add_column(q, row, -1.0, -1, 0.0), old < 0.0);
}

static void add_block(lcp* q, const ts_block* block) {
    double low, high;
    if (block->set == TS_SET_CONE) {
        add_cone(q, block);
        return;
    }
    ts_block_set_interval(block, &low, &high);
    for (int r = block->row; r < block->row + block->rows; ++r) add_interval(q, r, low, high);
}

// The largest size in x, 1 when all is zero or not finite.
static double unit_of(const double* x, size_t count, size_t stride) {
    double largest = 0.0;
    for (size_t i = 0; i < count; ++i) largest = fmax(largest, fabs(x[i * stride]));
    return largest > 0.0 && isfinite(largest) ? largest : 1.0;
}

// A and b from the columns; `G` is (G+R) and `u` (G+R) lambda_0 + g, both in scaled units.
static void assemble(lcp* q, const double* G, const double* u) {
    size_t m = (size_t)q->problem->row_count;
    for (int i = 0; i < q->n; ++i) {
        const generator* left = &q->column[i];
        for (int a = 0; a < 2; ++a) {
            if (left->row[a] < 0) continue;
            q->b[i] += left->coefficient[a] * u[left->row[a]];
            const double* row = G + (size_t)left->row[a] * m;
            for (int j = 0; j < q->n; ++j) {
                const generator* right = &q->column[j];
                double sum = 0.0;
                if (right->row[0] >= 0) sum = right->coefficient[0] * row[right->row[0]];
                if (right->row[1] >= 0) sum += right->coefficient[1] * row[right->row[1]];
                *entry(q, i, j) += left->coefficient[a] * sum;
            }
        }
    }
}

// Builds the LCP. Returns 0 when memory is short.
static int build(lcp* q, ts_arena* scratch) {
    const ts_contact_problem* problem = q->problem;
    size_t n = (size_t)q->n, m = (size_t)problem->row_count;
    q->column = TS_ARENA_ARRAY(scratch, generator, n);
    q->C = (double*)ts_arena_alloc_zeroed(scratch, n * n, sizeof(double));
    q->b = (double*)ts_arena_alloc_zeroed(scratch, n, sizeof(double));
    q->start = (double*)ts_arena_alloc_zeroed(scratch, m, sizeof(double));
    double* G = (double*)ts_arena_alloc_zeroed(scratch, m * m, sizeof(double));
    double* e = (double*)ts_arena_alloc_zeroed(scratch, m, sizeof(double));
    double* u = TS_ARENA_ARRAY(scratch, double, m);
    q->basic = TS_ARENA_ARRAY(scratch, int, n);
    if (!q->basic || !q->column || !q->C || !q->b || !q->start || !G || !e || !u) return 0;
    for (size_t j = 0; j < m; ++j) {
        e[j] = 1.0;
        problem->delassus->ops->apply(problem->delassus, e, u);
        e[j] = 0.0;
        for (size_t i = 0; i < m; ++i) G[i * m + j] = u[i];
        if (problem->R) G[j * m + j] += problem->R[j];
    }
    q->velocity_unit = unit_of(problem->g, m, 1);
    double compliance_unit = unit_of(G, m, m + 1);
    q->impulse_unit = q->velocity_unit / compliance_unit;
    for (size_t i = 0; i < m * m; ++i) G[i] /= compliance_unit;
    q->filled = 0;
    for (int b = 0; b < problem->block_count; ++b) add_block(q, &problem->block[b]);
    for (size_t i = 0; i < m; ++i) {
        u[i] = problem->g[i] / q->velocity_unit;
        for (size_t j = 0; j < m; ++j) u[i] += G[i * m + j] * q->start[j];
    }
    assemble(q, G, u);
    return 1;
}

static void read_impulse(const lcp* q, const double* z, double* out_impulse) {
    memcpy(out_impulse, q->start, (size_t)q->problem->row_count * sizeof(double));
    for (int j = 0; j < q->n; ++j)
        for (int a = 0; a < 2; ++a)
            if (q->column[j].row[a] >= 0) out_impulse[q->column[j].row[a]] += q->column[j].coefficient[a] * z[j];
    for (int r = 0; r < q->problem->row_count; ++r) out_impulse[r] *= q->impulse_unit;
}

static double excess_of(const ts_contact_problem* problem, const ts_solver_settings* settings, const double* impulse,
                        ts_arena* scratch) {
    double excess = HUGE_VAL;
    ts_arena_scope scope = ts_arena_scope_begin(scratch);
    double* u = TS_ARENA_ARRAY(scratch, double, problem->row_count);
    if (u) {
        ts_contact_problem_velocity(problem, impulse, u);
        ts_yardstick yardstick = ts_yardstick_make(problem, TS_LAW_LCP, ts_solver_goal(settings));
        excess = ts_yardstick_excess(&yardstick, impulse, u);
    }
    ts_arena_scope_end(scratch, scope);
    return excess;
}

// Pivots, and again with care where that was not enough. Returns 1 with the vertex in `impulse` (row_count) where it is good
// enough; else 0, and there may be another in it: there is a ray, pivots run out, a number is not finite, or the problem is
// too large.
static int pivot(const ts_contact_problem* problem, const lcp_lemke_settings* settings, ts_arena* scratch,
                 double* impulse, int* out_pivots) {
    *out_pivots = 0;
    int n = count_rows(problem, settings->row_limit);
    if (n < 0) return 0;
    lcp q = {.problem = problem, .n = n, .guess = impulse};
    double* z = TS_ARENA_ARRAY(scratch, double, n);
    if (!z || !build(&q, scratch)) return 0;
    double* trial = TS_ARENA_ARRAY(scratch, double, problem->row_count);
    if (trial && ts_lemke_vertex(n, q.C, q.b, q.basic, q.basic_count, scratch, z)) {
        read_impulse(&q, z, trial);
        if (excess_of(problem, &settings->shared, trial, scratch) <= 1.0) {
            memcpy(impulse, trial, (size_t)problem->row_count * sizeof(double));
            return 1;
        }
    }
    double rows = (double)n;
    for (int care = TS_LEMKE_QUICK; care <= (n <= CAREFUL_ROWS ? TS_LEMKE_CAREFUL : TS_LEMKE_QUICK); ++care) {
        double cost = care == TS_LEMKE_QUICK ? rows * rows : rows * rows * rows;
        double most = fmin(settings->pivots_per_row * rows, settings->work / cost);
        int pivots, limit = most < 1e9 ? (int)most : 1000000000;
        ts_lemke_end end = ts_lemke_solve(n, q.C, q.b, (ts_lemke_care)care, limit, scratch, z, &pivots);
        *out_pivots += pivots;
        if (end != TS_LEMKE_END_SOLVED) continue;
        read_impulse(&q, z, impulse);
        if (excess_of(problem, &settings->shared, impulse, scratch) <= 1.0) return 1;
    }
    return 0;
}

static ts_solve_report solve(const ts_contact_problem* problem, const void* settings, ts_arena* scratch,
                             double* impulse) {
    const lcp_lemke_settings* s = (const lcp_lemke_settings*)settings;
    ts_solve_report report = ts_solve_not_begun;
    unsigned needed = TS_DELASSUS_ROWS | TS_DELASSUS_APPLY;
    if ((problem->delassus->ops->abilities & needed) != needed) return report;
    ts_arena_scope scope = ts_arena_scope_begin(scratch);
    int solved = pivot(problem, s, scratch, impulse, &report.iterations);
    ts_arena_scope_end(scratch, scope);
    if (solved) {
        report.status = TS_SOLVE_CONVERGED;
        return report;
    }
    // From the vertex where that is only inaccurate.
    int pivots = report.iterations;
    ts_pgs_settings sweeps = ts_pgs_default;
    sweeps.shared = s->shared;
    if (problem->trace) problem->trace->iteration = pivots;
    report = ts_lcp_pgs_solver.solve(problem, &sweeps, scratch, impulse);
    report.iterations += pivots;
    return report;
}

static const char* obstacle(const ts_contact_problem* problem, const void* settings) {
    return count_rows(problem, ((const lcp_lemke_settings*)settings)->row_limit) < 0
               ? "too large to be pivoted (setting row_limit): lcp-pgs answered"
               : NULL;
}

const ts_solver ts_lcp_lemke_solver = {
    .name = "lcp-lemke",
    .law = TS_LAW_LCP,
    .pivots = 1,
    .summary = "Lemke's pivoting on pyramidal friction: exact, dense, for small problems; else lcp-pgs",
    .needs = TS_DELASSUS_ROWS | TS_DELASSUS_APPLY,
    .solve = solve,
    TS_SOLVER_SETTINGS(defaults, setting),
    .obstacle = obstacle,
};
