// An interior point method for cones, with de Saxce's shift carried along.
//
// Problem: x in L, y = A x + b + s e_n in L, x . y = 0 per contact, in coordinates where Coulomb's cone is Lorentz's:
// x = (lambda_T, mu lambda_N), y = (w_T, w_N / mu), so A = D^-1 G D^-1 with D = diag(1, 1, mu), and the shift adds
// s = |u_T| to y's normal. With s held this is a convex cone program.
// Rule: Mehrotra's predictor and corrector in Nesterov and Todd's scaling. Eliminating dy leaves (A + H) dx = r with H
// block diagonal and positive definite, so a factor without pivoting between blocks is safe, however singular A is. The
// shift is taken afresh at every iterate; its change enters the next residual. Without the shift it solves the convex
// relaxation, whose answer is the exact law's wherever nothing slides: jammed contacts need no more.
// Other sets: a half-line is a cone of one row; a box has two barriers, H = y_low / (x - low) + y_high / (high - x);
// free rows have none, and a whiff of H. Blocks that cannot move, or have next to no friction, have no
// tangential rows.
// Source: Vandenberghe, The CVXOPT linear and quadratic cone program solvers, 2010; for the shift carried along: Acary,
// Armand and Nguyen, High-accuracy computation of rolling friction contact problems, 2022.
// Guaranteed: the returned point is the best seen by the natural map, admissible and finite. It does not call itself
// converged: whoever runs it polishes and judges.
// Known to fail: strong friction can make the shift's fixed point cycle; it then stops at its limit.
#include "contact/solvers/newton/interior_internal.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "base/linear/block_lu.h"
#include "contact/block_set_internal.h"
#include "contact/solvers/newton/scaled_internal.h"

enum { MAX = TS_BLOCK_ROWS_MAX };

#define BARRIER_FLOOR 1e-3  // of residual times impulse
#define FREE_WEIGHT 1e-11   // H of free rows, relative to unit stiffness

typedef struct body {
    ts_block_part kind;  // how it takes part
    int row, rows;
    double mu;         // of a cone: its D on the normal
    double low, high;  // scaled, of a box
    double H[MAX * MAX];
    // Nesterov and Todd's scaling W = eta (w_n and so on), of a cone.
    double w[MAX];
    double eta;
} body;

typedef struct interior {
    ts_scaled s;
    ts_arena* scratch;
    body* part;     // (blocks)
    double* value;  // D^-1 G D^-1
    double* b;      // D^-1 g
    double* x;
    double* y;         // of boxes: the multiplier of the lower side
    double* z;         // of boxes: the multiplier of the upper side
    double* residual;  // A x + b + shift - y
    double* dx;
    double* dy;
    double* dz;
    double* dx_first;  // predictor's
    double* dy_first;
    double* lambda;  // D^-1 x, scaled impulses
    double* trial;
    double* u;
    double* best;  // impulse, units of the problem
    ts_block_lu* lu;
    double* sum;     // A + H
    double degree;   // complementarity pairs
    double barrier;  // mean x . y
    double worst;    // largest entry of the residual
    int relaxed;     // nonzero: no shift, the convex relaxation
} interior;

// x . y of Lorentz vectors with the normal at row 2, or of single rows.
static double dot(const double* a, const double* c, int rows) {
    double sum = 0.0;
    for (int r = 0; r < rows; ++r) sum += a[r] * c[r];
    return sum;
}

static int normal_of(int rows) { return rows == 1 ? 0 : 2; }

// x_n^2 - |x_T|^2, without cancellation where it matters.
static double lorentz(const double* x, int rows) {
    int n = normal_of(rows);
    double t = rows == 1 ? 0.0 : ts_block_set_tangent_length(x, rows);
    return (x[n] - t) * (x[n] + t);
}

// The longest step a <= 1 with x + a d in the cone.
static double longest_step(const double* x, const double* d, int rows) {
    int n = normal_of(rows);
    double dd = 0.0, xd = 0.0;
    for (int r = 0; r < rows; ++r) {
        if (r == n) continue;
        dd += d[r] * d[r];
        xd += x[r] * d[r];
    }
    // (x_n + a d_n)^2 >= |x_T + a d_T|^2: c + 2 a h + a^2 q >= 0 with c > 0.
    double c = lorentz(x, rows), h = x[n] * d[n] - xd, q = d[n] * d[n] - dd;
    double step = 1.0;
    if (d[n] < 0.0 && -x[n] / d[n] < step) step = -x[n] / d[n];
    double root = h * h - q * c;
    if (root >= 0.0 && (q < 0.0 || h < 0.0)) {
        // The smallest positive root, in the form that does not cancel.
        double a = h < 0.0 ? c / (-h + sqrt(root)) : (q < 0.0 ? (h + sqrt(root)) / -q : 1.0);
        if (a < step) step = a;
    }
    return step > 0.0 ? step : 0.0;
}

// W, and H = W^2 = eta^2 (2 w w^T - J), J = diag(-1 on tangents, 1 on the normal).
static int scale_cone(body* p, const double* x, const double* y) {
    int rows = p->rows, n = normal_of(rows);
    double cx = lorentz(x, rows), cy = lorentz(y, rows);
    if (!(cx > 0.0) || !(cy > 0.0)) return 0;
    double rx = 1.0 / sqrt(cx), ry = 1.0 / sqrt(cy);
    double gamma = sqrt(0.5 * (1.0 + dot(x, y, rows) * rx * ry));
    for (int r = 0; r < rows; ++r) p->w[r] = (ry * y[r] + (r == n ? 1.0 : -1.0) * rx * x[r]) / (2.0 * gamma);
    p->eta = sqrt(sqrt(cy / cx));
    for (int i = 0; i < rows; ++i)
        for (int j = 0; j < rows; ++j)
            p->H[i * rows + j] = p->eta * p->eta * (2.0 * p->w[i] * p->w[j] + (i == j ? (i == n ? -1.0 : 1.0) : 0.0));
    return 1;
}

// out = W v, or W^-1 v.
static void apply_scaling(const body* p, const double* v, int inverse, double* out) {
    int rows = p->rows, n = normal_of(rows);
    double sign = inverse ? -1.0 : 1.0, tangential = 0.0;
    for (int r = 0; r < rows; ++r)
        if (r != n) tangential += p->w[r] * v[r];
    double factor = inverse ? 1.0 / p->eta : p->eta;
    double along = sign * v[n] + tangential / (1.0 + p->w[n]);
    out[n] = factor * (p->w[n] * v[n] + sign * tangential);
    for (int r = 0; r < rows; ++r)
        if (r != n) out[r] = factor * (v[r] + p->w[r] * along);
}

// Jordan product, and its inverse: out with l o out = v.
static void jordan(const double* a, const double* c, int rows, double* out) {
    int n = normal_of(rows);
    double normal = dot(a, c, rows);
    for (int r = 0; r < rows; ++r) out[r] = r == n ? normal : a[n] * c[r] + c[n] * a[r];
}

static void jordan_divide(const double* l, const double* v, int rows, double* out) {
    int n = normal_of(rows);
    double det = lorentz(l, rows), tangential = 0.0;
    for (int r = 0; r < rows; ++r)
        if (r != n) tangential += l[r] * v[r];
    out[n] = (l[n] * v[n] - tangential) / det;
    for (int r = 0; r < rows; ++r)
        if (r != n) out[r] = (v[r] - out[n] * l[r]) / l[n];
}

// Everything per block that stays: coordinates, a start in the interior.
static void prepare_parts(interior* q) {
    double size = 1e-300;
    for (int i = 0; i < q->s.rows; ++i)
        if (fabs(q->s.g[i]) > size) size = fabs(q->s.g[i]);
    for (int b = 0; b < q->s.blocks; ++b) {
        const ts_block* block = &q->s.block[b];
        body* p = &q->part[b];
        memset(p, 0, sizeof(*p));
        p->row = block->row;
        p->rows = block->rows;
        double s = q->s.scale[b];
        p->kind = s > 0.0 ? ts_block_set_part(block, 1e-12 * size) : TS_PART_FIXED;
        p->mu = p->kind == TS_PART_CONE ? block->mu : 1.0;
        p->low = block->low;
        p->high = block->high;
        double* x = q->x + p->row;
        double* y = q->y + p->row;
        double* z = q->z + p->row;
        for (int r = 0; r < p->rows; ++r) x[r] = y[r] = z[r] = 0.0;
        int n = p->kind == TS_PART_CONE || (p->kind == TS_PART_LINE && p->rows > 1) ? 2 : 0;
        if (p->kind == TS_PART_CONE || p->kind == TS_PART_LINE) {
            x[n] = y[n] = size;
            q->degree += 1.0;
        } else if (p->kind == TS_PART_BOX) {
            double low = isinf(p->low) ? p->high - 2.0 * size : p->low;
            double high = isinf(p->high) ? p->low + 2.0 * size : p->high;
            x[0] = 0.5 * (low + high);
            y[0] = isinf(p->low) ? 0.0 : size;
            z[0] = isinf(p->high) ? 0.0 : size;
            q->degree += (isinf(p->low) ? 0.0 : 1.0) + (isinf(p->high) ? 0.0 : 1.0);
        } else if (p->kind == TS_PART_FIXED && s > 0.0) {
            ts_block_set_least(block, x);
        }
    }
}

// The rows of a block that move: all, the normal only, or none. 1 where row r of block p is an unknown.
static int moves(const body* p, int r) {
    if (p->kind == TS_PART_FIXED) return 0;
    return p->kind != TS_PART_LINE || p->rows == 1 || r == 2;
}

static int prepare(interior* q) {
    ts_arena* scratch = q->scratch;
    int n = q->s.rows, blocks = q->s.blocks;
    double** vector[] = {&q->b,  &q->x,        &q->y,        &q->z,      &q->residual, &q->dx, &q->dy,
                         &q->dz, &q->dx_first, &q->dy_first, &q->lambda, &q->trial,    &q->u,  &q->best};
    for (size_t i = 0; i < sizeof(vector) / sizeof(vector[0]); ++i) {
        *vector[i] = (double*)ts_arena_alloc_zeroed(scratch, (size_t)n, sizeof(double));
        if (!*vector[i]) return 0;
    }
    q->part = TS_ARENA_ARRAY(scratch, body, blocks);
    int* size = TS_ARENA_ARRAY(scratch, int, blocks);
    size_t numbers = 0;
    for (int b = 0; b < blocks; ++b)
        for (int e = q->s.G.start[b]; e < q->s.G.start[b + 1]; ++e)
            numbers += (size_t)q->s.problem->block[b].rows * (size_t)q->s.problem->block[q->s.G.column[e]].rows;
    q->value = TS_ARENA_ARRAY(scratch, double, numbers);
    q->sum = TS_ARENA_ARRAY(scratch, double, numbers);
    if (!q->part || !size || !q->value || !q->sum) return 0;
    prepare_parts(q);
    for (int b = 0; b < blocks; ++b) size[b] = q->part[b].rows;
    q->lu = ts_block_lu_analyse(scratch, blocks, size, q->s.G.start, q->s.G.column, TS_SCALED_LARGEST_FACTOR);
    if (!q->lu) return 0;
    for (int b = 0; b < blocks; ++b) {
        const body* p = &q->part[b];
        for (int e = q->s.G.start[b]; e < q->s.G.start[b + 1]; ++e) {
            const body* other = &q->part[q->s.G.column[e]];
            const double* from = q->s.value + q->s.G.at[e];
            double* to = q->value + q->s.G.at[e];
            for (int i = 0; i < p->rows; ++i)
                for (int j = 0; j < other->rows; ++j)
                    to[i * other->rows + j] =
                        from[i * other->rows + j] / ((i == 2 ? p->mu : 1.0) * (j == 2 ? other->mu : 1.0));
        }
        for (int r = 0; r < p->rows; ++r) q->b[p->row + r] = q->s.g[p->row + r] / (r == 2 ? p->mu : 1.0);
    }
    return 1;
}

// A x + b + shift - y into the residual, and the mean of x . y.
static void evaluate(interior* q) {
    double gap = 0.0;
    for (int b = 0; b < q->s.blocks; ++b) {
        const body* p = &q->part[b];
        double* out = q->residual + p->row;
        for (int r = 0; r < p->rows; ++r) out[r] = q->b[p->row + r];
        for (int e = q->s.G.start[b]; e < q->s.G.start[b + 1]; ++e) {
            const body* other = &q->part[q->s.G.column[e]];
            const double* A = q->value + q->s.G.at[e];
            for (int i = 0; i < p->rows; ++i) out[i] += dot(A + i * other->rows, q->x + other->row, other->rows);
        }
        if (p->kind == TS_PART_CONE && !q->relaxed) out[2] += ts_block_set_tangent_length(out, p->rows);
        if (p->kind == TS_PART_BOX) {
            out[0] -= q->y[p->row] - q->z[p->row];
            if (!isinf(p->low)) gap += q->y[p->row] * (q->x[p->row] - p->low);
            if (!isinf(p->high)) gap += q->z[p->row] * (p->high - q->x[p->row]);
        } else if (p->kind == TS_PART_CONE || p->kind == TS_PART_LINE) {
            for (int r = 0; r < p->rows; ++r)
                if (moves(p, r)) out[r] -= q->y[p->row + r];
            for (int r = 0; r < p->rows; ++r) gap += q->x[p->row + r] * q->y[p->row + r];
        }
    }
    q->barrier = q->degree > 0.0 ? gap / q->degree : 0.0;
    q->worst = 0.0;
    for (int b = 0; b < q->s.blocks; ++b)
        for (int r = 0; r < q->part[b].rows; ++r)
            if (moves(&q->part[b], r)) q->worst = fmax(q->worst, fabs(q->residual[q->part[b].row + r]));
}

// H of every block at x, y. Returns 0 when a point is no longer inside.
static int scale_parts(interior* q) {
    for (int b = 0; b < q->s.blocks; ++b) {
        body* p = &q->part[b];
        const double* x = q->x + p->row;
        const double* y = q->y + p->row;
        if (p->kind == TS_PART_CONE) {
            if (!scale_cone(p, x, y)) return 0;
            continue;
        }
        memset(p->H, 0, sizeof(p->H));
        for (int r = 0; r < p->rows; ++r) p->H[r * p->rows + r] = 1.0;  // of rows that do not move
        int n = p->rows > 1 ? 2 : 0;
        if (p->kind == TS_PART_LINE) p->H[n * p->rows + n] = y[n] / x[n];
        if (p->kind == TS_PART_BOX)
            p->H[0] = (isinf(p->low) ? 0.0 : y[0] / (x[0] - p->low)) +
                      (isinf(p->high) ? 0.0 : q->z[p->row] / (p->high - x[0]));
        if (p->kind == TS_PART_FREE)
            for (int r = 0; r < p->rows; ++r) p->H[r * p->rows + r] = FREE_WEIGHT;
    }
    return 1;
}

static int factorise(interior* q) {
    for (int b = 0; b < q->s.blocks; ++b) {
        const body* p = &q->part[b];
        for (int e = q->s.G.start[b]; e < q->s.G.start[b + 1]; ++e) {
            const body* other = &q->part[q->s.G.column[e]];
            const double* from = q->value + q->s.G.at[e];
            double* to = q->sum + q->s.G.at[e];
            for (int i = 0; i < p->rows; ++i)
                for (int j = 0; j < other->rows; ++j) {
                    int k = i * other->rows + j;
                    to[k] = moves(p, i) && moves(other, j) ? from[k] : 0.0;
                    if (other == p) to[k] += p->H[k];
                }
        }
    }
    return ts_block_lu_factor(q->lu, q->s.G.start, q->s.G.column, q->s.G.at, q->sum);
}

// What the complementarity of block p asks of H dx + dy: -y for the predictor; for the corrector centred on `target` and
// with the predictor's second-order term.
static void complementarity(const interior* q, const body* p, double target, int corrector, double* out) {
    const double* x = q->x + p->row;
    const double* y = q->y + p->row;
    const double *dx = q->dx_first + p->row, *dy = q->dy_first + p->row;
    int n = p->rows > 1 ? 2 : 0;
    for (int r = 0; r < p->rows; ++r) out[r] = -y[r];
    if (!corrector) return;
    if (p->kind == TS_PART_LINE) {
        out[n] += (target - dx[n] * dy[n]) / x[n];
        return;
    }
    double l[MAX], a[MAX], c[MAX], second[MAX] = {0.0}, divided[MAX];
    apply_scaling(p, x, 0, l);
    apply_scaling(p, dx, 0, a);
    apply_scaling(p, dy, 1, c);
    jordan(a, c, p->rows, second);
    for (int r = 0; r < p->rows; ++r) second[r] = (r == 2 ? target : 0.0) - second[r];
    jordan_divide(l, second, p->rows, divided);
    apply_scaling(p, divided, 0, second);
    for (int r = 0; r < p->rows; ++r) out[r] += second[r];
}

// Solves for dx, dy, dz with the factor at hand.
static void direction(interior* q, double target, int corrector) {
    for (int b = 0; b < q->s.blocks; ++b) {
        const body* p = &q->part[b];
        double* right = q->dx + p->row;
        double want[MAX];
        for (int r = 0; r < p->rows; ++r) right[r] = moves(p, r) ? -q->residual[p->row + r] : 0.0;
        if (p->kind == TS_PART_CONE || p->kind == TS_PART_LINE) {
            complementarity(q, p, target, corrector, want);
            for (int r = 0; r < p->rows; ++r)
                if (moves(p, r)) right[r] += want[r];
        } else if (p->kind == TS_PART_BOX) {
            double x = q->x[p->row];
            if (!isinf(p->low)) right[0] += target / (x - p->low) - q->y[p->row];
            if (!isinf(p->high)) right[0] -= target / (p->high - x) - q->z[p->row];
        }
    }
    ts_block_lu_solve(q->lu, q->dx);
    for (int b = 0; b < q->s.blocks; ++b) {
        const body* p = &q->part[b];
        const double* dx = q->dx + p->row;
        double* dy = q->dy + p->row;
        for (int r = 0; r < p->rows; ++r) dy[r] = q->dz[p->row + r] = 0.0;
        if (p->kind == TS_PART_CONE || p->kind == TS_PART_LINE) {
            complementarity(q, p, target, corrector, dy);
            for (int i = 0; i < p->rows; ++i) dy[i] = moves(p, i) ? dy[i] - dot(p->H + i * p->rows, dx, p->rows) : 0.0;
        } else if (p->kind == TS_PART_BOX) {
            double x = q->x[p->row];
            if (!isinf(p->low)) dy[0] = (target - q->y[p->row] * dx[0]) / (x - p->low) - q->y[p->row];
            if (!isinf(p->high)) q->dz[p->row] = (target + q->z[p->row] * dx[0]) / (p->high - x) - q->z[p->row];
        }
    }
}

static double smaller(double a, double c) { return a < c ? a : c; }

// The longest step that stays inside, at most 1.
static double step_length(const interior* q) {
    double step = 1.0;
    for (int b = 0; b < q->s.blocks; ++b) {
        const body* p = &q->part[b];
        const double *x = q->x + p->row, *y = q->y + p->row, *dx = q->dx + p->row, *dy = q->dy + p->row;
        if (p->kind == TS_PART_CONE) {
            step = smaller(step, longest_step(x, dx, p->rows));
            step = smaller(step, longest_step(y, dy, p->rows));
        } else if (p->kind == TS_PART_LINE) {
            int n = p->rows > 1 ? 2 : 0;
            step = smaller(step, longest_step(x + n, dx + n, 1));
            step = smaller(step, longest_step(y + n, dy + n, 1));
        } else if (p->kind == TS_PART_BOX) {
            double dz = q->dz[p->row], z = q->z[p->row];
            if (!isinf(p->low) && dx[0] < 0.0) step = smaller(step, (p->low - x[0]) / dx[0]);
            if (!isinf(p->high) && dx[0] > 0.0) step = smaller(step, (p->high - x[0]) / dx[0]);
            if (dy[0] < 0.0) step = smaller(step, -y[0] / dy[0]);
            if (dz < 0.0) step = smaller(step, -z / dz);
        }
    }
    return step;
}

// The impulse that belongs to x, judged; keeps the best.
static void look(interior* q, ts_interior_report* report) {
    ts_residual all;
    for (int b = 0; b < q->s.blocks; ++b) {
        const body* p = &q->part[b];
        for (int r = 0; r < p->rows; ++r) q->lambda[p->row + r] = q->x[p->row + r] / (r == 2 ? p->mu : 1.0);
    }
    ts_scaled_judge(&q->s, q->lambda, q->trial, q->u, q->dx, &all);
    double natural = ts_scaled_measure(q->s.problem, q->dx, all.natural, q->s.rest);
    if (!(natural < report->natural)) return;
    report->natural = natural;
    report->own = all.ncp;
    memcpy(q->best, q->dx, (size_t)q->s.rows * sizeof(double));
}

static int all_finite(const double* x, int n) {
    double sum = 0.0;
    for (int i = 0; i < n; ++i) sum += 0.0 * x[i];
    return sum == 0.0;
}

// One predictor and corrector. Returns 0 when nothing more can be gained.
static int iterate(interior* q) {
    int n = q->s.rows;
    if (!scale_parts(q) || !factorise(q)) return 0;
    direction(q, 0.0, 0);
    if (!all_finite(q->dx, n) || !all_finite(q->dy, n)) return 0;
    double step = step_length(q);
    memcpy(q->dx_first, q->dx, (size_t)n * sizeof(double));
    memcpy(q->dy_first, q->dy, (size_t)n * sizeof(double));
    double centring = (1.0 - step) * (1.0 - step) * (1.0 - step);
    if (centring < 1e-4) centring = 1e-4;
    // The barrier must not vanish before the residual does: steps would be cut to nothing at the boundary.
    double largest = 0.0;
    for (int i = 0; i < n; ++i) largest = fmax(largest, fabs(q->x[i]));
    direction(q, fmax(centring * q->barrier, BARRIER_FLOOR * q->worst * largest), 1);
    if (!all_finite(q->dx, n) || !all_finite(q->dy, n)) return 0;
    step = 0.99 * step_length(q);
    if (step > 0.985) step = smaller(1.0, step / 0.99 * 0.995);
    for (int i = 0; i < n; ++i) {
        q->x[i] += step * q->dx[i];
        q->y[i] += step * q->dy[i];
        q->z[i] += step * q->dz[i];
    }
    return step > 1e-10;
}

ts_interior_report ts_interior_solve(const ts_contact_problem* problem, const ts_interior_settings* settings,
                                     ts_arena* scratch, double* impulse) {
    ts_interior_report report = {0, 0, {HUGE_VAL, HUGE_VAL, HUGE_VAL}, HUGE_VAL};
    interior q = {.scratch = scratch, .relaxed = settings->relaxed};
    ts_arena_scope scope = ts_arena_scope_begin(scratch);
    if (ts_scaled_make(problem, scratch, &q.s) && prepare(&q)) {
        report.ran = 1;
        while (report.iterations < settings->iteration_limit && !(report.natural <= settings->natural)) {
            evaluate(&q);
            if (!iterate(&q)) break;
            report.iterations += 1;
            look(&q, &report);
        }
        if (isfinite(report.natural)) memcpy(impulse, q.best, (size_t)problem->row_count * sizeof(double));
        report.ran = isfinite(report.natural);
    }
    ts_arena_scope_end(scratch, scope);
    return report;
}
