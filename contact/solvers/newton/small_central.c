// A central path to the exact law in the space of velocities: where Newton on active sets finds none that fits.
//
// Problem: small_newton.c's. Feet on many points, contacts that close or let go in numbers, friction at its bound everywhere: Newton goes
// from one choice of open, sticking and sliding contacts to the next, and no line search leads it out.
// Rule: nothing is chosen. In coordinates where Coulomb's cone is Lorentz's, X = (x_T, mu x_N) and U = (u_T, u_N / mu + |u_T|), the law is:
// X and U in that cone, X o U = 0 (Jordan's product). X o U = gap e is followed to gap = 0 from the centre, with Mehrotra's predictor and
// corrector and Nesterov's and Todd's scaling, X = W^2 U: a step has W^-1 dX + W dU = r. Rows with bounds have a multiplier for each. What
// is eliminated leaves dx = t - K (J dw + miss) for each block and, as in small_newton.c,
//
//     (1 + J^T K J) dw = J^T (t - K miss).
//
// The shift |u_T| makes of the law more than the optimum of something. Of contacts that slide it enters with its derivative (TILTED), which
// makes the system unsymmetric by one rank for each; or all keep the shift of the step before (LAGGED). Where one way jams, the other
// often does not.
// Source: Nesterov and Todd 1997; Mehrotra 1992; Vandenberghe, The CVXOPT linear and quadratic cone program solvers, 2010. For the exact
// law with the shift of the step before: Acary, Armand, Nguyen and Shpakovych 2023.
// Guaranteed: x stays strictly inside its sets. Of 650 problems of robots kicked about that Newton's first steps leave, a fifth more end.
// Known to fail: where the shift outruns the path steps become short; it says so.
#include "contact/solvers/newton/small_central_internal.h"

#include <math.h>
#include <string.h>

#include "base/linear/dense.h"
#include "base/linear/panel.h"
#include "contact/solvers/newton/small_law_internal.h"

enum {
    MAX = SMALL_ROWS,
    N = SMALL_TILE,
    NORMAL = 2,      // a cone's row, and the head of Lorentz's
    SHORT_STEPS = 2  // one after the other: it has jammed. 1 to 5
};

// 1: of the way to the boundary.
static const double most_of_it = 0.99;
// 1: least part of the gap that is aimed at. 1e-8 to 1e-4.
static const double least_aim = 1e-6;
// 1: of what the velocities lack, in the gap's unit, that is left as gap: else the boundary is met first. 0 to 1; LAGGED it costs steps.
static const double patience[TS_SMALL_WAYS] = {0.1, 0.0};
// 1: a step shorter than that. 0.01 to 0.1.
static const double short_step = 0.05;
// 1: what free rows may give, by their stiffness. 1e-8 to 1e-6.
static const double free_weight = 1e-7;
// 1: of a step's fall, by which what lies at its bound falls at least. 0.3 to 0.8
static const double vanishing = 0.5;

// A row that is no cone's, low < x < high: a = x - low, b = high - x, u = up - down. Without a bound its two are 0.
typedef struct central_row {
    double a, b;      // N s
    double up, down;  // m/s
    double dx;        // the direction
    double dup, ddown;
    double K, c;
    double up_aim, down_aim;  // a dup + up da, b ddown + down db
    int is_fixed;
} central_row;

// A cone.
typedef struct central_cone {
    double X[MAX], U[MAX];
    double dX[MAX], dU[MAX];
    double w[MAX];  // W = size (2 v v^T - J), v = (w + e) / sqrt(2 (w_N + 1)), J = 1 for the normal and -1 else
    double size;
    double miss[MAX];             // by which U lacks the velocity, and what the shift adds to that
    double slip[MAX];             // u_T / |u_T|
    double K[MAX * MAX], t[MAX];  // of dx = t - K v, in its own rows
    int is_soft;
    int is_tilted;
    int slides;
} central_cone;

struct ts_small_central {
    small* q;
    ts_small_way way;
    central_cone* cone;
    central_row* row;  // (rows)
    int* cone_of;      // (blocks)
    int* tilted;       // (tilts) blocks
    int tilts;
    int ends;  // cones and bounds: as many gaps
    int short_steps;
    double *Z,
        *W;  // (tilts x velocities) H^-1 of what each shift presses; (tilts^2 and a column) what they do to each other
    int* pivot;
};

// --- Lorentz's cone ------------------------------------------------------------------------------------------------------

static double tangent(const double* a, int rows) { return ts_block_set_tangent_length(a, rows); }

// The product of the two spectral values.
static double spectral_product(const double* a, int rows) {
    double t = tangent(a, rows);
    return (a[NORMAL] - t) * (a[NORMAL] + t);
}

static double dot(const double* a, const double* b, int rows) {
    double sum = 0.0;
    for (int r = 0; r < rows; ++r) sum += a[r] * b[r];
    return sum;
}

// a^T J b
static double lorentz(const double* a, const double* b, int rows) {
    return 2.0 * a[NORMAL] * b[NORMAL] - dot(a, b, rows);
}

// Nesterov's and Todd's scaling of X and U.
static void scale(central_cone* k, int rows) {
    double x = sqrt(spectral_product(k->X, rows)), u = sqrt(spectral_product(k->U, rows));
    double twice = 2.0 * sqrt(0.5 * (1.0 + dot(k->X, k->U, rows) / (x * u)));
    k->size = sqrt(x / u);
    for (int r = 0; r < rows; ++r) k->w[r] = (k->X[r] / x + (r == NORMAL ? k->U[r] : -k->U[r]) / u) / twice;
}

// out = W a, or W^-1 a
static void times_W(const central_cone* k, int rows, int is_inverse, const double* a, double* out) {
    double v[MAX] = {0.0}, unit = 1.0 / sqrt(2.0 * (k->w[NORMAL] + 1.0)), size = is_inverse ? 1.0 / k->size : k->size;
    for (int r = 0; r < rows; ++r) v[r] = unit * (r == NORMAL ? k->w[r] + 1.0 : is_inverse ? -k->w[r] : k->w[r]);
    double along = 2.0 * dot(v, a, rows);
    for (int r = 0; r < rows; ++r) out[r] = size * (along * v[r] - (r == NORMAL ? a[r] : -a[r]));
}

// How far along d the boundary is from x, HUGE_VAL: nowhere.
static double cone_reach(const double* x, const double* d, int rows) {
    double A = lorentz(d, d, rows), B = lorentz(x, d, rows), C = spectral_product(x, rows);
    double reach = d[NORMAL] < 0.0 ? -x[NORMAL] / d[NORMAL] : HUGE_VAL, inner = B * B - A * C;
    if (!(inner >= 0.0)) return reach;
    double q = -(B + copysign(sqrt(inner), B));
    if (A != 0.0 && q / A > 0.0) reach = fmin(reach, q / A);
    if (q != 0.0 && C / q > 0.0) reach = fmin(reach, C / q);
    return reach;
}

static double row_reach(double x, double d) { return d < 0.0 ? -x / d : HUGE_VAL; }

// --- the start -----------------------------------------------------------------------------------------------------------

static int is_cone(const ts_block* block) { return block->set == TS_SET_CONE && block->mu > 0.0; }

static int moves(const ts_small_central* c, int b) { return c->q->block[b].step > 0.0; }

static central_cone* cone_at(const ts_small_central* c, int b) { return &c->cone[c->cone_of[b]]; }

static void begin_cone(ts_small_central* c, int b, double speed) {
    const ts_block* block = &c->q->problem->block[b];
    double *x = c->q->x + block->row, impulse = speed * c->q->block[b].step;
    central_cone* k = cone_at(c, b);
    memset(k, 0, sizeof *k);
    memset(x, 0, (size_t)block->rows * sizeof(double));
    x[NORMAL] = impulse / block->mu;
    k->X[NORMAL] = impulse;
    k->U[NORMAL] = speed;
    ++c->ends;
}

static void begin_rows(ts_small_central* c, int b, double speed) {
    const ts_block* block = &c->q->problem->block[b];
    double impulse = speed * c->q->block[b].step;
    for (int i = block->row; i < block->row + block->rows; ++i) {
        central_row* k = &c->row[i];
        double low = 0.0, high = i == block->row + NORMAL ? HUGE_VAL : 0.0;  // without friction
        if (block->set != TS_SET_CONE) ts_block_set_interval(block, &low, &high);
        int has_low = !isinf(low), has_high = !isinf(high);
        memset(k, 0, sizeof *k);
        k->is_fixed = low == high;
        c->q->x[i] = has_low && has_high ? 0.5 * (low + high)
                     : has_low           ? low + impulse
                     : has_high          ? high - impulse
                                         : 0.0;
        if (k->is_fixed) continue;
        k->a = has_low ? c->q->x[i] - low : 0.0;
        k->b = has_high ? high - c->q->x[i] : 0.0;
        k->up = has_low ? speed : 0.0;
        k->down = has_high ? speed : 0.0;
        c->ends += has_low + has_high;
    }
}

ts_small_central* ts_small_central_begin(small* q, ts_small_way way, ts_arena* scratch) {
    const ts_contact_problem* p = q->problem;
    ts_small_central* c = TS_ARENA_ARRAY(scratch, ts_small_central, 1);
    int cones = 0;
    for (int b = 0; b < p->block_count; ++b) cones += is_cone(&p->block[b]);
    int ld = ts_panel_padded(cones);
    if (!c) return NULL;
    *c = (ts_small_central){.q = q,
                            .way = way,
                            .cone = TS_ARENA_ARRAY(scratch, central_cone, cones),
                            .row = TS_ARENA_ARRAY(scratch, central_row, p->row_count),
                            .cone_of = TS_ARENA_ARRAY(scratch, int, p->block_count),
                            .tilted = TS_ARENA_ARRAY(scratch, int, cones),
                            .Z = TS_ARENA_ARRAY(scratch, double, cones* N * q->tiles),
                            .W = TS_ARENA_ARRAY(scratch, double, cones* ld + cones),
                            .pivot = TS_ARENA_ARRAY(scratch, int, cones)};
    if (!c->cone || !c->row || !c->cone_of || !c->tilted || !c->Z || !c->W || !c->pivot) return NULL;
    double speed = q->yardstick->scale.velocity;
    for (int b = 0, next = 0; b < p->block_count; ++b) {
        if (is_cone(&p->block[b])) c->cone_of[b] = next++;
        if (!moves(c, b))
            ts_block_set_least(&p->block[b], q->x + p->block[b].row);
        else if (is_cone(&p->block[b]))
            begin_cone(c, b, speed);
        else
            begin_rows(c, b, speed);
    }
    small_find_velocities(q);
    return c;
}

// --- the system ----------------------------------------------------------------------------------------------------------

// K of a cone, in its own rows: the inverse of W^-2 and of what is soft.
static int cone_K(const ts_small_central* c, const ts_block* block, central_cone* k) {
    const ts_contact_problem* p = c->q->problem;
    int rows = block->rows;
    double square = k->size * k->size, M[MAX * MAX];
    k->is_soft = 0;
    for (int r = 0; r < rows; ++r) k->is_soft |= small_softness(p, block->row + r) > 0.0;
    for (int i = 0; i < rows; ++i)
        for (int j = 0; j < rows; ++j) {
            double units = (i == NORMAL ? block->mu : 1.0) * (j == NORMAL ? block->mu : 1.0);
            double flip = (i == NORMAL) == (j == NORMAL) ? 1.0 : -1.0, J = i != j ? 0.0 : i == NORMAL ? 1.0 : -1.0;
            k->K[i * rows + j] = square * (2.0 * k->w[i] * k->w[j] - J) / units;
            M[i * rows + j] = (2.0 * flip * k->w[i] * k->w[j] - J) / square * units;
            if (i == j) M[i * rows + j] += small_softness(p, block->row + i);
        }
    if (!k->is_soft) return 1;
    if (!ts_cholesky_factor(M, rows, rows)) return 0;
    for (int i = 0; i < rows; ++i) {
        memset(k->K + i * rows, 0, (size_t)rows * sizeof(double));
        k->K[i * rows + i] = 1.0;
        ts_cholesky_solve(M, rows, rows, k->K + i * rows);
    }
    return 1;
}

// What a cone's U lacks, and whether its shift is Newton's: where it slides. Where it sticks or is open the shift's derivative is noise.
static void cone_miss(ts_small_central* c, int b) {
    const ts_block* block = &c->q->problem->block[b];
    const double* u = c->q->u + block->row;
    central_cone* k = cone_at(c, b);
    int rows = block->rows;
    double slip = tangent(k->U, rows), step = c->q->block[b].step;
    for (int r = 0; r < rows; ++r) k->miss[r] = (r == NORMAL ? u[r] / block->mu + slip : u[r]) - k->U[r];
    k->is_tilted = c->way == TS_SMALL_TILTED && step * slip > k->X[NORMAL] - tangent(k->X, rows) &&
                   k->X[NORMAL] > 0.01 * step * k->U[NORMAL];
    if (!k->is_tilted) return;
    c->tilted[c->tilts++] = b;
    for (int r = 0; r < rows; ++r) k->slip[r] = r == NORMAL ? 0.0 : k->U[r] / slip;
    k->miss[NORMAL] += dot(k->slip, k->miss, rows);
}

// H += J^T K J of a block.
static void add_block(small* q, int b, const double* K) {
    const small_block* s = &q->block[b];
    int rows = q->problem->block[b].rows;
    _Alignas(32) double KJ[TS_TILES_MOST][N * MAX];
    for (int k = 0; k < s->count; ++k)
        for (int r = 0; r < rows; ++r) {
            const double* A = q->tile[s->first + k];
            ts_four sum = ts_four_times(K[r * rows], ts_four_load(A));
            for (int i = 1; i < rows; ++i)
                sum = ts_four_plus(sum, ts_four_times(K[r * rows + i], ts_four_load(A + N * i)));
            ts_four_store(sum, KJ[k] + N * r);
        }
    for (int i = 0; i < s->count; ++i)
        for (int j = 0; j <= i; ++j)
            ts_tile_add(ts_tiles_at(q->H, q->place[s->first + i], q->place[s->first + j]), q->tile[s->first + i], KJ[j],
                        rows);
}

static void rows_K(const ts_small_central* c, int b, double* out_K) {
    const ts_block* block = &c->q->problem->block[b];
    for (int r = 0; r < block->rows; ++r) {
        central_row* k = &c->row[block->row + r];
        double stiffness = small_softness(c->q->problem, block->row + r);
        if (k->a > 0.0) stiffness += k->up / k->a;
        if (k->b > 0.0) stiffness += k->down / k->b;
        if (!(k->a > 0.0 || k->b > 0.0)) stiffness += free_weight / c->q->block[b].step;
        k->K = k->is_fixed ? 0.0 : 1.0 / stiffness;
        out_K[r * block->rows + r] = k->K;
    }
}

// What the shifts of tilted cones do to each other.
static int make_tilts(ts_small_central* c) {
    small* q = c->q;
    int n = N * q->tiles, t = c->tilts, ld = ts_panel_padded(t);
    double f[MAX];
    for (int i = 0; i < t; ++i) {
        int b = c->tilted[i], rows = q->problem->block[b].rows;
        double* z = c->Z + i * n;
        for (int r = 0; r < rows; ++r) f[r] = q->problem->block[b].mu * cone_at(c, b)->K[r * rows + NORMAL];
        memset(z, 0, (size_t)n * sizeof(double));
        small_add_rows(q, b, f, z);
        ts_tiles_solve(q->H, z);
    }
    for (int i = 0; i < t; ++i)
        for (int j = 0; j < t; ++j) {
            int b = c->tilted[i];
            small_read_rows(q, b, c->Z + j * n, f);
            c->W[i * ld + j] = dot(cone_at(c, b)->slip, f, q->problem->block[b].rows) + (i == j ? 1.0 : 0.0);
        }
    return t == 0 || ts_lu_factor(c->W, t, ld, c->pivot);
}

static int make_system(ts_small_central* c) {
    small* q = c->q;
    const ts_contact_problem* p = q->problem;
    c->tilts = 0;
    ts_tiles_begin(q->H, q->tiles);
    for (int b = 0; b < p->block_count; ++b)
        if (moves(c, b)) ts_tiles_couple(q->H, q->block[b].tiles);
    ts_tiles_clear(q->H);
    for (int b = 0; b < p->block_count; ++b) {
        double K[MAX * MAX] = {0.0};
        if (!moves(c, b)) continue;
        if (is_cone(&p->block[b])) {
            central_cone* k = cone_at(c, b);
            scale(k, p->block[b].rows);
            if (!cone_K(c, &p->block[b], k)) return 0;
            cone_miss(c, b);
            add_block(q, b, k->K);
        } else {
            rows_K(c, b, K);
            add_block(q, b, K);
        }
    }
    return ts_tiles_factor(q->H) && make_tilts(c);
}

// --- a direction ---------------------------------------------------------------------------------------------------------

// t of a cone that aims at `gap`; with the second order of the last direction, or aiming at the boundary without.
static void aim_cone(const ts_block* block, central_cone* k, double gap, int is_corrector) {
    int rows = block->rows;
    double s[MAX] = {0.0}, forth[MAX], back[MAX];
    if (is_corrector) {
        // lambda \ (gap e - (W^-1 dX) o (W dU)), lambda = W U
        double l[MAX], x[MAX], u[MAX], r[MAX];
        times_W(k, rows, 0, k->U, l);
        times_W(k, rows, 1, k->dX, x);
        times_W(k, rows, 0, k->dU, u);
        for (int i = 0; i < rows; ++i)
            r[i] = i == NORMAL ? gap - dot(x, u, rows) : -(x[NORMAL] * u[i] + u[NORMAL] * x[i]);
        double head = lorentz(l, r, rows) / spectral_product(l, rows);
        for (int i = 0; i < rows; ++i) s[i] = i == NORMAL ? head : (r[i] - head * l[i]) / l[NORMAL];
    }
    // Rigid, K is W^2, and K times the rest is known without its rounding.
    times_W(k, rows, k->is_soft, s, forth);
    for (int i = 0; i < rows; ++i) {
        double unit = i == NORMAL ? block->mu : 1.0;
        back[i] = k->is_soft ? unit * (forth[i] - k->U[i]) : (forth[i] - k->X[i]) / unit;
    }
    for (int i = 0; i < rows; ++i) k->t[i] = k->is_soft ? dot(k->K + i * rows, back, rows) : back[i];
}

// t - K v of a cone, v without what it lacks.
static void answer(const ts_block* block, const central_cone* k, const double* v, double* out) {
    int rows = block->rows;
    double all[MAX];
    for (int r = 0; r < rows; ++r) all[r] = v[r] + (r == NORMAL ? block->mu : 1.0) * k->miss[r];
    for (int r = 0; r < rows; ++r) out[r] = k->t[r] - dot(k->K + r * rows, all, rows);
}

static void aim_row(central_row* k, double u, double gap, int is_corrector) {
    double second = is_corrector ? k->dx : 0.0;
    k->up_aim = gap - k->a * k->up - second * k->dup;
    k->down_aim = gap - k->b * k->down + second * k->ddown;
    k->c = k->up - k->down - u;
    if (k->a > 0.0) k->c += k->up_aim / k->a;
    if (k->b > 0.0) k->c -= k->down_aim / k->b;
}

// dw = J^T K c
static void aim(ts_small_central* c, double gap, int is_corrector) {
    small* q = c->q;
    const ts_contact_problem* p = q->problem;
    memset(q->dw, 0, (size_t)(N * q->tiles) * sizeof(double));
    for (int b = 0; b < p->block_count; ++b) {
        const ts_block* block = &p->block[b];
        double f[MAX], still[MAX] = {0.0};
        if (!moves(c, b)) continue;
        if (is_cone(block)) {
            central_cone* k = cone_at(c, b);
            aim_cone(block, k, gap, is_corrector);
            answer(block, k, still, f);
        } else {
            for (int r = 0; r < block->rows; ++r) {
                central_row* k = &c->row[block->row + r];
                aim_row(k, q->u[block->row + r], gap, is_corrector);
                f[r] = k->K * k->c;
            }
        }
        small_add_rows(q, b, f, q->dw);
    }
}

// dw less what the shifts of tilted cones make of it.
static void tilt(ts_small_central* c) {
    small* q = c->q;
    int n = N * q->tiles, t = c->tilts, ld = ts_panel_padded(t);
    double *by = c->W + t * ld, f[MAX];
    if (t == 0) return;
    for (int i = 0; i < t; ++i) {
        small_read_rows(q, c->tilted[i], q->dw, f);
        by[i] = dot(cone_at(c, c->tilted[i])->slip, f, q->problem->block[c->tilted[i]].rows);
    }
    ts_lu_solve(c->W, t, ld, c->pivot, by);
    for (int i = 0; i < t; ++i)
        for (int j = 0; j < n; ++j) q->dw[j] -= by[i] * c->Z[i * n + j];
}

// The directions of a cone that moves by v; returns how far the boundary is.
static double turn_cone(const ts_small_central* c, int b, const double* v) {
    const ts_block* block = &c->q->problem->block[b];
    central_cone* k = cone_at(c, b);
    int rows = block->rows;
    double all[MAX], dx[MAX], turn = k->is_tilted ? dot(k->slip, v, rows) : 0.0;
    for (int r = 0; r < rows; ++r) all[r] = v[r] + (r == NORMAL ? block->mu * turn : 0.0);
    answer(block, k, all, dx);
    for (int r = 0; r < rows; ++r) {
        double unit = r == NORMAL ? block->mu : 1.0;
        k->dX[r] = unit * dx[r];
        k->dU[r] = (all[r] + small_softness(c->q->problem, block->row + r) * dx[r]) / unit + k->miss[r];
    }
    return fmin(cone_reach(k->X, k->dX, rows), cone_reach(k->U, k->dU, rows));
}

static double turn_row(central_row* k, double v) {
    double reach = HUGE_VAL;
    k->dx = k->K * (k->c - v);
    if (k->a > 0.0) {
        k->dup = (k->up_aim - k->up * k->dx) / k->a;
        reach = fmin(row_reach(k->a, k->dx), row_reach(k->up, k->dup));
    }
    if (k->b > 0.0) {
        k->ddown = (k->down_aim + k->down * k->dx) / k->b;
        reach = fmin(reach, fmin(row_reach(k->b, -k->dx), row_reach(k->down, k->ddown)));
    }
    return reach;
}

// All directions; returns how far the boundary is.
static double turn(ts_small_central* c) {
    small* q = c->q;
    const ts_contact_problem* p = q->problem;
    double reach = HUGE_VAL;
    ts_tiles_solve(q->H, q->dw);
    tilt(c);
    for (int b = 0; b < p->block_count; ++b) {
        double v[MAX];
        if (!moves(c, b)) continue;
        small_read_rows(q, b, q->dw, v);
        if (is_cone(&p->block[b]))
            reach = fmin(reach, turn_cone(c, b, v));
        else
            for (int r = 0; r < p->block[b].rows; ++r)
                reach = fmin(reach, turn_row(&c->row[p->block[b].row + r], v[r]));
    }
    return reach;
}

// --- a step --------------------------------------------------------------------------------------------------------------

// J: the mean of X . U and of bounds times multipliers, so far along the direction; and what the velocities lack.
static double mean_gap(const ts_small_central* c, double part, double* out_miss) {
    const ts_contact_problem* p = c->q->problem;
    double sum = 0.0, miss = 0.0;
    for (int b = 0; b < p->block_count; ++b) {
        const ts_block* block = &p->block[b];
        if (!moves(c, b)) continue;
        if (is_cone(block)) {
            const central_cone* k = cone_at(c, b);
            for (int r = 0; r < block->rows; ++r) {
                sum += (k->X[r] + part * k->dX[r]) * (k->U[r] + part * k->dU[r]);
                miss += fabs(k->miss[r] * k->X[r]);
            }
            continue;
        }
        for (int i = block->row; i < block->row + block->rows; ++i) {
            const central_row* k = &c->row[i];
            double near = k->a > 0.0 && k->b > 0.0 ? fmin(k->a, k->b) : k->a + k->b;
            sum += (k->a + part * k->dx) * (k->up + part * k->dup) * (k->a > 0.0);
            sum += (k->b - part * k->dx) * (k->down + part * k->ddown) * (k->b > 0.0);
            miss += fabs(c->q->u[i] - k->up + k->down) * near;
        }
    }
    *out_miss = miss / c->ends;
    return sum / c->ends;
}

static void go_cone(const ts_block* block, central_cone* k, double part, double* x) {
    int rows = block->rows;
    double X = k->X[NORMAL] - tangent(k->X, rows), U = k->U[NORMAL] + tangent(k->U, rows), head = k->X[NORMAL];
    for (int r = 0; r < rows; ++r) {
        x[r] += part * k->dX[r] / (r == NORMAL ? block->mu : 1.0);
        k->X[r] += part * k->dX[r];
        k->U[r] += part * k->dU[r];
    }
    // Tapia's indicators: what vanishes falls with the gap, what does not keeps its size.
    double fall = (k->X[NORMAL] - tangent(k->X, rows)) / X;
    k->slides = fall < (k->U[NORMAL] + tangent(k->U, rows)) / U && fall < vanishing * k->X[NORMAL] / head;
}

static void go(ts_small_central* c, double part) {
    small* q = c->q;
    const ts_contact_problem* p = q->problem;
    for (int b = 0; b < p->block_count; ++b) {
        const ts_block* block = &p->block[b];
        if (!moves(c, b)) continue;
        if (is_cone(block)) {
            go_cone(block, cone_at(c, b), part, q->x + block->row);
            continue;
        }
        for (int i = block->row; i < block->row + block->rows; ++i) {
            central_row* k = &c->row[i];
            q->x[i] += part * k->dx;
            if (k->a > 0.0) k->a += part * k->dx, k->up += part * k->dup;
            if (k->b > 0.0) k->b -= part * k->dx, k->down += part * k->ddown;
        }
    }
    small_find_velocities(q);
}

int ts_small_central_step(ts_small_central* c) {
    double miss;
    if (c->ends == 0 || !make_system(c)) return 0;
    aim(c, 0.0, 0);
    double reach = fmin(turn(c), 1.0), gap = mean_gap(c, 0.0, &miss), fall = mean_gap(c, reach, &miss) / gap;
    // The less the predictor gains, the nearer the corrector keeps to the centre.
    double goal = fmax(fmin(fmax(fall * fall * fall, least_aim), 1.0) * gap, fmin(patience[c->way] * miss, gap));
    aim(c, goal, 1);
    double part = fmin(most_of_it * turn(c), 1.0);
    if (!(part > 0.0)) return 0;
    go(c, part);
    c->short_steps = part < short_step ? c->short_steps + 1 : 0;
    return c->short_steps < SHORT_STEPS;
}

void ts_small_central_settle(const ts_small_central* c) {
    small* q = c->q;
    for (int b = 0; b < q->problem->block_count; ++b) {
        const ts_block* block = &q->problem->block[b];
        if (!moves(c, b) || !is_cone(block) || !cone_at(c, b)->slides) continue;
        const double* X = cone_at(c, b)->X;
        double friction = tangent(X, block->rows);
        for (int r = 0; r < block->rows; ++r)
            if (r != NORMAL && friction > 0.0) q->x[block->row + r] = X[r] * X[NORMAL] / friction;
    }
}
