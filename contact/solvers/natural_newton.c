// Semi-smooth Newton on the natural map, kept on course by proximal steps.
//
// Problem: the exact law as one equation, F(x) = x - P(x - w(x)) = 0: x the impulse, u = G x + g, w = u with de Saxce's
// shift mu |u_T| on the normal, P the projection on the admissible set, block by block.
// Scaling: every block is divided by the root of its stiffness, x = lambda / s, u_scaled = s u, s = 1 / sqrt(|G_bb + R_b|),
// so that all blocks have unit stiffness, P is taken with step 1, and masses that differ by 1e6 count alike.
// Rule, outer: x_k+1 solves F for G + eps I, g - eps x_k: the proximal point method. For eps > 0 the Jacobian is far
// better behaved on hyperstatic contacts, where G is singular and the bare residual has minima that are no solutions
// (three contacts in a row that cannot all be closed). eps shrinks thirtyfold after every success.
// Rule, inner: Newton with P's and the shift's derivative, J = I - DP (I - S (G + eps I)), halving of the step until |F|
// falls. Blocks at which DP = 0 (open contacts, saturated limits) are eliminated: their step is -F. The rest is solved by
// dense LU when small, else by block-sparse LU. When the line search fails, a few Gauss-Seidel sweeps on the proximal
// problem change the active set, and eps grows.
// Source: semi-smooth Newton: Alart and Curnier 1991; Qi and Sun 1993. Natural map: Facchinei and Pang 2003, ch. 1.5.
// Proximal point: Rockafellar 1976. Their combination with sweeps follows our own trials on recorded problems.
// Guaranteed: the returned impulse is admissible, finite, and the best seen in |F|; converged means the law's residual.
// Known to fail: with friction strong enough that several or no solutions exist it may stall, and says so; islands whose
// factor would not fit into TS_SCALED_LARGEST_FACTOR numbers are refused.
#include "contact/solvers/natural_newton_internal.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "base/block_lu.h"
#include "base/dense.h"
#include "contact/coulomb_internal.h"
#include "contact/solvers/scaled_internal.h"

enum {
    DENSE_ROWS = 96,  // up to here one dense factor is quicker than a sparse one
    MAX = TS_BLOCK_ROWS_MAX,
    HALVINGS = 8,
    LEAPS = 1,
    INNER_LIMIT = 40,  // Newton steps in one proximal step
    PATIENCE = 24,     // proximal steps without progress before it is called a stall
};

// One block's part of the equation at the present x.
typedef struct law {
    double F[MAX];
    double DP[MAX * MAX];  // derivative of the projection
    double shift[MAX];     // derivative of the shift by u's tangential rows
    int active;            // 0: DP = 0
} law;

typedef struct natural {
    ts_scaled s;
    const ts_natural_settings* settings;
    ts_arena* scratch;
    double* x;       // scaled impulse
    double* centre;  // of the proximal term
    double* best;    // x with the smallest |F| of the problem itself
    double* trial;
    double* u;
    double* d;
    double eps;
    double best_norm;
    law* law;     // (blocks)
    int* place;   // (blocks) number among the active ones, or -1
    int* active;  // (blocks) the active ones
    int active_count;
    int active_rows;
    ts_natural_report report;
} natural;

// u of the proximal problem with weight eps (0: of the problem itself).
static void velocity(const natural* q, const double* x, double eps, double* u) {
    for (int b = 0; b < q->s.blocks; ++b) {
        int row = q->s.problem->block[b].row;
        ts_scaled_product(&q->s, b, x, u + row);
        for (int r = row; r < row + q->s.problem->block[b].rows; ++r) u[r] += q->s.g[r] + eps * (x[r] - q->centre[r]);
    }
}

// y = x - w(u) of block b; returns |u_T| of a cone.
static double shifted_point(const ts_block* block, const double* x, const double* u, double* out_y) {
    for (int r = 0; r < block->rows; ++r) out_y[r] = x[r] - u[r];
    if (block->set != TS_SET_CONE) return 0.0;
    double slip = ts_scaled_tangent_norm(u, block->rows);
    out_y[2] -= block->mu * slip;
    return slip;
}

// |F|^2 at x with velocity u.
static double residual(const natural* q, const double* x, const double* u) {
    double sum = 0.0;
    for (int b = 0; b < q->s.blocks; ++b) {
        const ts_block* block = &q->s.problem->block[b];
        double y[MAX] = {0.0}, p[MAX];
        if (!(q->s.scale[b] > 0.0)) continue;
        shifted_point(block, x + block->row, u + block->row, y);
        ts_scaled_project(&q->s, b, y, p);
        for (int r = 0; r < block->rows; ++r) sum += (x[block->row + r] - p[r]) * (x[block->row + r] - p[r]);
    }
    return sum;
}

// DP of a cone at y, row-major. Returns 0 when it is all zero.
static int cone_derivative(const double* y, int rows, double mu, double* DP) {
    double t = ts_scaled_tangent_norm(y, rows), z = y[2];
    memset(DP, 0, (size_t)(rows * rows) * sizeof(double));
    if (z >= 0.0 && t <= mu * z) {
        for (int r = 0; r < rows; ++r) DP[r * rows + r] = 1.0;
        return 1;
    }
    if (z <= 0.0 && mu * t <= -z) return 0;
    double share = 1.0 / (1.0 + mu * mu), along = mu * mu * share, across = mu * (mu * t + z) * share / t;
    for (int i = 0; i < rows; ++i) {
        if (i == 2) continue;
        double wi = y[i] / t;
        DP[i * rows + 2] = DP[2 * rows + i] = mu * wi * share;
        for (int j = 0; j < rows; ++j)
            if (j != 2) DP[i * rows + j] = (along - across) * wi * (y[j] / t) + (i == j ? across : 0.0);
    }
    DP[2 * rows + 2] = share;
    return 1;
}

// Everything Newton needs of block b at x, u.
static void linearise(const natural* q, int b, const double* x, const double* u, law* out) {
    const ts_block* block = &q->s.problem->block[b];
    int rows = block->rows;
    double y[MAX] = {0.0}, p[MAX];
    x += block->row;
    u += block->row;
    double slip = shifted_point(block, x, u, y);
    ts_scaled_project(&q->s, b, y, p);
    for (int r = 0; r < rows; ++r) {
        out->F[r] = x[r] - p[r];
        out->shift[r] = slip > 0.0 && r != 2 ? block->mu * u[r] / slip : 0.0;
    }
    if (!(q->s.scale[b] > 0.0)) {
        out->active = 0;
    } else if (block->set == TS_SET_CONE) {
        out->active = cone_derivative(y, rows, block->mu, out->DP);
    } else {
        // Inside the interval, or a free block: the identity.
        out->active = block->set == TS_SET_FREE || p[0] == y[0];
        memset(out->DP, 0, (size_t)(rows * rows) * sizeof(double));
        for (int r = 0; r < rows; ++r) out->DP[r * rows + r] = 1.0;
    }
}

// DP S A of one entry of row b: A is rows x columns.
static void transform_entry(const natural* q, int b, int e, const law* at, double* out) {
    int rows = q->s.problem->block[b].rows, other = q->s.G.column[e], columns = q->s.problem->block[other].rows;
    double A[MAX * MAX];
    memcpy(A, q->s.value + q->s.G.at[e], (size_t)(rows * columns) * sizeof(double));
    for (int r = 0; r < rows && other == b; ++r) A[r * columns + r] += q->eps;
    if (q->s.problem->block[b].set == TS_SET_CONE)
        for (int r = 0; r < rows; ++r)
            for (int c = 0; c < columns && at->shift[r] != 0.0; ++c)
                A[2 * columns + c] += at->shift[r] * A[r * columns + c];
    for (int i = 0; i < rows; ++i)
        for (int c = 0; c < columns; ++c) {
            double sum = 0.0;
            for (int k = 0; k < rows; ++k) sum += at->DP[i * rows + k] * A[k * columns + c];
            out[i * columns + c] = sum;
        }
    for (int i = 0; i < rows && other == b; ++i)
        for (int c = 0; c < rows; ++c) out[i * columns + c] += (i == c ? 1.0 : 0.0) - at->DP[i * rows + c];
}

// Right-hand side of the active rows: -F minus what the known steps of the inactive blocks do.
static void right_hand_side(const natural* q, double* out) {
    int at = 0;
    for (int a = 0; a < q->active_count; ++a) {
        int b = q->active[a], rows = q->s.problem->block[b].rows;
        const law* l = &q->law[b];
        double sum[MAX] = {0.0};
        for (int e = q->s.G.start[b]; e < q->s.G.start[b + 1]; ++e) {
            int other = q->s.G.column[e], columns = q->s.problem->block[other].rows;
            if (q->place[other] >= 0) continue;
            const double* A = q->s.value + q->s.G.at[e];
            const double* d = q->d + q->s.problem->block[other].row;
            for (int r = 0; r < rows; ++r)
                for (int c = 0; c < columns; ++c) sum[r] += A[r * columns + c] * d[c];
        }
        if (q->s.problem->block[b].set == TS_SET_CONE)
            for (int r = 0; r < rows; ++r)
                if (r != 2) sum[2] += l->shift[r] * sum[r];
        for (int r = 0; r < rows; ++r) {
            double known = 0.0;
            for (int k = 0; k < rows; ++k) known += l->DP[r * rows + k] * sum[k];
            out[at++] = -l->F[r] - known;
        }
    }
}

static int solve_dense(const natural* q, double* right) {
    int n = q->active_rows, row = 0;
    double* J = (double*)ts_arena_alloc_zeroed(q->scratch, (size_t)n * (size_t)n, sizeof(double));
    int* pivot = TS_ARENA_ARRAY(q->scratch, int, n);
    int* first = TS_ARENA_ARRAY(q->scratch, int, q->active_count);
    if (!J || !pivot || !first) return 0;
    for (int a = 0; a < q->active_count; ++a) {
        first[a] = row;
        row += q->s.problem->block[q->active[a]].rows;
    }
    for (int a = 0; a < q->active_count; ++a) {
        int b = q->active[a], rows = q->s.problem->block[b].rows;
        for (int e = q->s.G.start[b]; e < q->s.G.start[b + 1]; ++e) {
            int other = q->s.G.column[e], columns = q->s.problem->block[other].rows;
            if (q->place[other] < 0) continue;
            double entry[MAX * MAX];
            transform_entry(q, b, e, &q->law[b], entry);
            for (int r = 0; r < rows; ++r)
                memcpy(J + (size_t)(first[a] + r) * (size_t)n + first[q->place[other]], entry + r * columns,
                       (size_t)columns * sizeof(double));
        }
    }
    if (!ts_lu_factor(J, n, n, pivot)) return 0;
    ts_lu_solve(J, n, n, pivot, right);
    return 1;
}

static int solve_sparse(const natural* q, double* right) {
    int count = q->active_count, entries = 0;
    size_t numbers = 0;
    int* size = TS_ARENA_ARRAY(q->scratch, int, count);
    int* start = TS_ARENA_ARRAY(q->scratch, int, count + 1);
    int* column = TS_ARENA_ARRAY(q->scratch, int, q->s.G.start[q->s.blocks]);
    size_t* at = TS_ARENA_ARRAY(q->scratch, size_t, q->s.G.start[q->s.blocks]);
    if (!size || !start || !column || !at) return 0;
    for (int a = 0; a < count; ++a) {
        int b = q->active[a];
        size[a] = q->s.problem->block[b].rows;
        start[a] = entries;
        for (int e = q->s.G.start[b]; e < q->s.G.start[b + 1]; ++e) {
            if (q->place[q->s.G.column[e]] < 0) continue;
            column[entries] = q->place[q->s.G.column[e]];
            at[entries++] = numbers;
            numbers += (size_t)size[a] * (size_t)q->s.problem->block[q->s.G.column[e]].rows;
        }
    }
    start[count] = entries;
    double* value = TS_ARENA_ARRAY(q->scratch, double, numbers);
    if (!value) return 0;
    for (int a = 0, next = 0; a < count; ++a) {
        int b = q->active[a];
        for (int e = q->s.G.start[b]; e < q->s.G.start[b + 1]; ++e)
            if (q->place[q->s.G.column[e]] >= 0) transform_entry(q, b, e, &q->law[b], value + at[next++]);
    }
    ts_block_lu* lu = ts_block_lu_analyse(q->scratch, count, size, start, column, TS_SCALED_LARGEST_FACTOR);
    if (!lu || !ts_block_lu_factor(lu, start, column, at, value)) return 0;
    ts_block_lu_solve(lu, right);
    return 1;
}

// Newton's step into q->d. Returns 0 when the linear system could not be solved.
static int newton_step(natural* q) {
    q->active_count = q->active_rows = 0;
    for (int b = 0; b < q->s.blocks; ++b) {
        linearise(q, b, q->x, q->u, &q->law[b]);
        const ts_block* block = &q->s.problem->block[b];
        q->place[b] = -1;
        if (q->law[b].active) {
            q->place[b] = q->active_count;
            q->active[q->active_count++] = b;
            q->active_rows += block->rows;
        } else {
            for (int r = 0; r < block->rows; ++r) q->d[block->row + r] = -q->law[b].F[r];
        }
    }
    q->report.newtons += 1;
    if (q->active_rows == 0) return 1;
    ts_arena_scope scope = ts_arena_scope_begin(q->scratch);
    double* right = TS_ARENA_ARRAY(q->scratch, double, q->active_rows);
    int solved = 0;
    if (right) {
        right_hand_side(q, right);
        solved = q->active_rows <= DENSE_ROWS ? solve_dense(q, right) : solve_sparse(q, right);
    }
    for (int a = 0, at = 0; solved && a < q->active_count; ++a) {
        const ts_block* block = &q->s.problem->block[q->active[a]];
        for (int r = 0; r < block->rows; ++r) {
            q->d[block->row + r] = right[at++];
            if (!isfinite(q->d[block->row + r])) solved = 0;
        }
    }
    ts_arena_scope_end(q->scratch, scope);
    return solved;
}

// Newton on the proximal problem until |F| <= target. Returns 1 when it got there or at least well down, else 0. Where no
// part of the step makes |F| smaller, the point sits at a kink of F that descent cannot pass; then the whole step is
// taken all the same, LEAPS times, and undone if nothing comes of it.
static int solve_proximal(natural* q, double start, double target) {
    double now = start;
    int leaps = 0;
    for (int k = 0; k < INNER_LIMIT && q->report.newtons < q->settings->newton_limit; ++k) {
        velocity(q, q->x, q->eps, q->u);
        now = sqrt(residual(q, q->x, q->u));
        if (now <= target) return 1;
        if (!newton_step(q)) break;
        double step = 1.0;
        int t = 0;
        for (; t < HALVINGS; ++t, step *= 0.5) {
            for (int i = 0; i < q->s.rows; ++i) q->trial[i] = q->x[i] + step * q->d[i];
            velocity(q, q->trial, q->eps, q->u);
            if (sqrt(residual(q, q->trial, q->u)) < (1.0 - 1e-3 * step) * now) break;
        }
        if (t == HALVINGS) {
            if (++leaps > LEAPS) break;
            for (int i = 0; i < q->s.rows; ++i) q->trial[i] = q->x[i] + q->d[i];
        }
        memcpy(q->x, q->trial, (size_t)q->s.rows * sizeof(double));
    }
    if (leaps > 0 && now > start) {
        memcpy(q->x, q->centre, (size_t)q->s.rows * sizeof(double));
        return 0;
    }
    return now <= 0.5 * start;
}

// One block solved against the others, on the proximal problem.
static void relax_block(natural* q, int b) {
    const ts_block* block = &q->s.problem->block[b];
    int rows = block->rows, diagonal = q->s.G.start[b];
    double* x = q->x + block->row;
    double u[MAX], y[MAX] = {0.0};
    if (!(q->s.scale[b] > 0.0)) return;
    while (q->s.G.column[diagonal] != b) ++diagonal;
    const double* D = q->s.value + q->s.G.at[diagonal];
    ts_scaled_product(&q->s, b, q->x, u);
    for (int r = 0; r < rows; ++r) u[r] += q->s.g[block->row + r] + q->eps * (x[r] - q->centre[block->row + r]);
    if (block->set == TS_SET_CONE && rows == 3 && D[8] > 0.0) {
        double e = q->eps, d01 = 0.5 * (D[1] + D[3]), d02 = 0.5 * (D[2] + D[6]), d12 = 0.5 * (D[5] + D[7]);
        ts_vec3 bias = ts_vec3_make(u[0] - ((D[0] + e) * x[0] + d01 * x[1] + d02 * x[2]),
                                    u[1] - (d01 * x[0] + (D[4] + e) * x[1] + d12 * x[2]),
                                    u[2] - (d02 * x[0] + d12 * x[1] + (D[8] + e) * x[2]));
        ts_vec3_store(ts_coulomb_solve(D[0] + e, d01, D[4] + e, d02, d12, D[8] + e, bias, block->mu), x);
        return;
    }
    // Unit stiffness makes the natural map's own step safe for everything else.
    shifted_point(block, x, u, y);
    for (int r = 0; r < rows; ++r) y[r] = x[r] + (y[r] - x[r]) / (1.0 + q->eps);
    ts_scaled_project(&q->s, b, y, x);
}

// |F| of the problem itself at x; keeps the best x.
static double look(natural* q) {
    velocity(q, q->x, 0.0, q->u);
    double norm = sqrt(residual(q, q->x, q->u));
    if (norm < q->best_norm) {
        q->best_norm = norm;
        memcpy(q->best, q->x, (size_t)q->s.rows * sizeof(double));
    }
    return norm;
}

// Judges x: the impulse that belongs to it, and in the report what the law's residual and the natural map are.
static void judge(natural* q, const double* x, double* out_impulse) {
    ts_residual all;
    ts_scaled_judge(&q->s, x, q->trial, q->u, out_impulse, &all);
    q->report.own = all.ncp;
    q->report.natural = ts_scaled_measure(q->s.problem, out_impulse, all.natural, q->s.rest);
}

static int prepare(natural* q, const double* impulse) {
    ts_arena* scratch = q->scratch;
    int n = q->s.rows, blocks = q->s.blocks;
    double** vector[] = {&q->x, &q->centre, &q->best, &q->trial, &q->u, &q->d};
    for (size_t i = 0; i < sizeof(vector) / sizeof(vector[0]); ++i) {
        *vector[i] = (double*)ts_arena_alloc_zeroed(scratch, (size_t)n, sizeof(double));
        if (!*vector[i]) return 0;
    }
    q->law = TS_ARENA_ARRAY(scratch, law, blocks);
    q->place = TS_ARENA_ARRAY(scratch, int, blocks);
    q->active = TS_ARENA_ARRAY(scratch, int, blocks);
    if (!q->law || !q->place || !q->active) return 0;
    for (int b = 0; b < blocks; ++b) {
        const ts_block* block = &q->s.problem->block[b];
        double s = q->s.scale[b];
        for (int r = block->row; r < block->row + block->rows; ++r)
            q->x[r] = s > 0.0 && isfinite(impulse[r]) ? impulse[r] / s : 0.0;
    }
    return 1;
}

// After a proximal step that Newton could not solve: change the active set, and lean harder on the proximal term.
static void recover(natural* q, int failures) {
    q->eps *= failures > 1 ? 10.0 : 30.0;
    if (q->eps > 1.0) q->eps = 1.0;
    for (int k = 0; k < q->settings->sweeps; ++k) {
        for (int b = 0; b < q->s.blocks; ++b) relax_block(q, b);
        q->report.sweeps += 1;
    }
}

static int is_converged(const natural* q) {
    double h = q->s.problem->time_step;
    return ts_law_residual_in_force_units(q->report.own, h) <= q->settings->tolerance &&
           q->report.natural <= q->settings->natural;
}

static void iterate(natural* q, double* impulse) {
    int failures = 0, since_best = 0;
    double now = look(q);
    judge(q, q->x, impulse);
    q->report.status = TS_SOLVE_ITERATION_LIMIT;
    if (is_converged(q)) q->report.status = TS_SOLVE_CONVERGED;
    while (q->report.status == TS_SOLVE_ITERATION_LIMIT && q->report.proximals < q->settings->proximal_limit &&
           q->report.newtons < q->settings->newton_limit) {
        double before = now, best_before = q->best_norm;
        memcpy(q->centre, q->x, (size_t)q->s.rows * sizeof(double));
        int solved = solve_proximal(q, now, 0.02 * now);
        q->report.proximals += 1;
        now = look(q);
        if (q->best_norm < best_before) {
            judge(q, q->best, impulse);
            if (is_converged(q)) q->report.status = TS_SOLVE_CONVERGED;
        }
        since_best = q->best_norm < 0.9 * best_before ? 0 : since_best + 1;
        if (q->report.status == TS_SOLVE_CONVERGED) break;
        if (since_best > PATIENCE || q->best_norm <= ts_scaled_rounding(&q->s, q->best)) {
            q->report.status = TS_SOLVE_STALLED;
        } else if (solved) {
            failures = 0;
            if (now < before) q->eps = fmax(0.03 * q->eps, 1e-12);
        } else {
            recover(q, ++failures);
            now = look(q);
        }
    }
}

ts_natural_report ts_natural_newton(const ts_contact_problem* problem, const ts_natural_settings* settings,
                                    ts_arena* scratch, double* impulse) {
    natural q = {.settings = settings, .scratch = scratch};
    q.eps = settings->proximal;
    q.best_norm = HUGE_VAL;
    q.report.status = TS_SOLVE_FAILED;
    q.report.own.primal = q.report.own.dual = q.report.own.complementarity = q.report.natural = HUGE_VAL;
    ts_arena_scope scope = ts_arena_scope_begin(scratch);
    if (ts_scaled_make(problem, scratch, &q.s) && prepare(&q, impulse)) iterate(&q, impulse);
    ts_arena_scope_end(scratch, scope);
    return q.report;
}

unsigned long ts_natural_scratch_bytes(const ts_contact_problem* problem) {
    // Vectors, one law per block, G twice and its Jacobian, all as if dense up to the size where that is refused, and as
    // much again for a factor. An upper bound for small problems, an order of magnitude for large ones.
    unsigned long n = (unsigned long)problem->row_count, b = (unsigned long)problem->block_count;
    unsigned long dense =
        n * n < (unsigned long)TS_SCALED_LARGEST_MATRIX ? n * n : (unsigned long)TS_SCALED_LARGEST_MATRIX;
    return 8192 + 16 * n * sizeof(double) + b * (sizeof(law) + 128) + b * b * 16 + 6 * dense * sizeof(double);
}
