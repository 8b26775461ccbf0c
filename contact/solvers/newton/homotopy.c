// A smooth path to the exact law's answer, followed round its bends.
//
// Problem: x = P(x - w(x)), the natural map's equation (natural_newton.c), where descent ends in minima that are no
// solutions: jams with strong friction have many.
// Rule: the smoothed projection of an impulse's x - w, where a descent has stalled or anywhere else, lies strictly inside;
// d is what has to be added to g to make that the answer of the smoothed problem. g becomes g + t d, and P and de Saxce's
// |u_T| are smoothed by t. At t = 1 the answer is known; at t = 0 it is the law's. In between F(x, t) = 0 is a smooth curve.
// It is followed by arc length, so that it may turn back in t: a step along the tangent, then Newton on the plane across
// it, only as near to the curve as it is smooth. Steps grow while that is easy, and shrink where the curve bends. The
// nearer to an answer the impulse was, the shorter is d. G + t eps, eps small, and -t eps x in g, keep internal forces from
// wandering where G is singular; both are gone at t = 0.
// Smoothing: phi(a) = (a + sqrt(a^2 + 4 tau^2)) / 2 for max(a, 0), on the two spectral values of Lorentz's cone, in
// coordinates where Coulomb's cone is that one, (lambda_T, mu lambda_N) and (w_T, w_N / mu); sqrt(|u_T|^2 + tau^2) for
// |u_T|; tau = t times a multiple of the natural map's largest entry at the beginning. The smoothed Jacobian is regular
// wherever the law without its shift is monotone, however singular G is.
// Source: probability-one homotopy: Chow, Mallet-Paret and Yorke 1978, Allgower and Georg, Numerical Continuation
// Methods, 1990. Smoothing of second-order cones: Fukushima, Luo and Tseng 2001. That the law's answer is within reach:
// bounded as in Klarbring and Pang's criterion, there exists v with J v + g strictly in all dual cones.
// Guaranteed: what is returned is admissible and finite. It does not call itself converged: whoever runs it polishes and
// judges.
// Known to fail: where the criterion does not hold a path may leave for infinity, or towards t > 1. On jams of a hundred
// contacts it can turn back hundreds of times and meet its limit; it may come back to t = 1, at another answer there.
// Another impulse to begin beside is another path.
#include "contact/solvers/newton/homotopy_internal.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "contact/block_set_internal.h"
#include "contact/rescaled_problem_internal.h"
#include "contact/solvers/newton/natural_newton_internal.h"

// Ranges: as in natural_newton.c.
enum {
    MAX = TS_BLOCK_ROWS_MAX,
    CORRECTIONS = 4  // to 6; 3 leave one more unsolved
};

// Of the identity, relative to unit stiffness: free rows may be hyperstatic. 1e-9 leaves one more unsolved.
static const double whiff = 1e-11;
// Of arc length, which counts in units of the present point. 0.01 to 1, and 1e-14 to 1e-8.
static const double first_step = 0.1;
static const double shortest_step = 1e-11;
// t: the path has been left for another one where it is larger. 1.1 to 3.
static const double lost = 1.5;
// Of t in one step. 0.5 to 0.99.
static const double largest_fall = 0.9;

typedef struct path {
    ts_rescaled_problem s;
    ts_arena* scratch;
    const ts_homotopy_settings* settings;
    double size;  // of the smoothing at t = 1
    double t;
    double proximal;  // weight of x - origin at t = 1
    double slope;     // dt along the unit tangent
    double* tangent;  // dx along it
    double* d;        // what t adds to g
    double* x;        // scaled impulse
    double* u;        // its velocity
    double* F;        // the equation's residual
    double* Ft;       // its derivative by t
    double* a;        // -J^-1 F_t
    double* c;        // -J^-1 F
    double* origin;   // where the path begins, or zero
    double* aim;      // where the tangent led
    double* kept;     // x of the last accepted point
    double* kept_tangent;
    ts_block_part* kind;  // (blocks)
    ts_linear* system;    // J
    double work;          // multiplications in its factor
    int systems;
    int system_limit;
} path;

// One block of the equation X x - P(X x - y): derivatives DP, S = dy/du, and those by t.
typedef struct smooth {
    double P[MAX], P_t[MAX], y_t[MAX], X[MAX], d[MAX];
    double DP[MAX * MAX], S[MAX * MAX];
} smooth;

// max(a, 0), smoothed; without cancellation for a < 0.
static double phi(double a, double tau) {
    double root = sqrt(a * a + 4.0 * tau * tau);
    return a > 0.0 ? 0.5 * (a + root) : 2.0 * tau * tau / (root - a + DBL_MIN);
}

static double phi_slope(double a, double tau) { return phi(a, tau) / (sqrt(a * a + 4.0 * tau * tau) + DBL_MIN); }

static double phi_tau(double a, double tau) { return 2.0 * tau / (sqrt(a * a + 4.0 * tau * tau) + DBL_MIN); }

static int normal_of(int rows) { return rows == 1 ? 0 : 2; }

static void smooth_line(const path* q, double z, int n, int rows, smooth* out) {
    double tau = q->size * q->t;
    out->P[n] = phi(z, tau);
    out->P_t[n] = phi_tau(z, tau) * q->size;
    out->DP[n * rows + n] = phi_slope(z, tau);
}

static void smooth_box(const path* q, double z, double low, double high, smooth* out) {
    double tau = q->size * q->t;
    out->P[0] = z;
    out->DP[0] = 1.0;
    if (!isinf(low)) {
        out->P[0] += phi(low - z, tau);
        out->P_t[0] += phi_tau(low - z, tau) * q->size;
        out->DP[0] -= phi_slope(low - z, tau);
    }
    if (!isinf(high)) {
        out->P[0] -= phi(z - high, tau);
        out->P_t[0] -= phi_tau(z - high, tau) * q->size;
        out->DP[0] -= phi_slope(z - high, tau);
    }
    out->DP[0] = fmax(out->DP[0], 0.0);
}

// The projection on Lorentz's cone by spectral values: of z, rows of it.
static void smooth_projection(const path* q, const double* z, int rows, smooth* out) {
    double tau = q->size * q->t, length = ts_block_set_tangent_length(z, rows);
    double high = z[2] + length, low = z[2] - length;
    double P_high = phi(high, tau), P_low = phi(low, tau);
    double mean = 0.5 * (phi_slope(high, tau) + phi_slope(low, tau));
    double half = 0.5 * (phi_slope(high, tau) - phi_slope(low, tau));
    double across = length > 1e-9 * tau ? (P_high - P_low) / (2.0 * length) : mean;
    double t_high = phi_tau(high, tau) * q->size, t_low = phi_tau(low, tau) * q->size;
    for (int i = 0; i < rows; ++i) {
        double wi = length > 0.0 ? z[i] / length : 0.0;
        out->P[i] = i == 2 ? 0.5 * (P_high + P_low) : 0.5 * (P_high - P_low) * wi;
        out->P_t[i] = i == 2 ? 0.5 * (t_high + t_low) : 0.5 * (t_high - t_low) * wi;
        for (int j = 0; j < rows; ++j) {
            double wj = length > 0.0 ? z[j] / length : 0.0;
            double* entry = &out->DP[i * rows + j];
            if (i == 2) wi = 1.0;
            if (j == 2) wj = 1.0;
            if (i == 2 || j == 2)
                *entry = i == j ? mean : half * wi * wj;
            else
                *entry = (mean - across) * wi * wj + (i == j ? across : 0.0);
        }
    }
}

static void smooth_cone(const path* q, const ts_block* block, smooth* out) {
    int rows = block->rows;
    const double *x = q->x + block->row, *u = q->u + block->row, *d = out->d;
    double tau = q->size * q->t, slip = hypot(ts_block_set_tangent_length(u, rows), tau), z[MAX] = {0.0};
    out->X[2] = block->mu;
    out->S[2 * rows + 2] = 1.0 / block->mu;
    out->y_t[2] = d[2] / block->mu + tau * q->size / slip;
    for (int r = 0; r < rows; ++r) {
        z[r] = out->X[r] * x[r] - (r == 2 ? u[2] / block->mu + slip : u[r]);
        if (r == 2) continue;
        out->S[2 * rows + r] = u[r] / slip;
        out->y_t[2] += u[r] * d[r] / slip;
    }
    smooth_projection(q, z, rows, out);
}

static void smooth_block(const path* q, int b, smooth* out) {
    const ts_block* block = &q->s.block[b];
    int rows = block->rows, n = normal_of(rows);
    const double *x = q->x + block->row, *u = q->u + block->row, *d = out->d;
    memset(out, 0, sizeof(*out));
    for (int r = 0; r < rows; ++r) out->d[r] = q->d[block->row + r] + q->proximal * (x[r] - q->origin[block->row + r]);
    for (int r = 0; r < rows; ++r) {
        out->S[r * rows + r] = out->X[r] = 1.0;
        out->y_t[r] = d[r];
    }
    switch (q->kind[b]) {
    case TS_PART_CONE: smooth_cone(q, block, out); break;
    case TS_PART_LINE: smooth_line(q, x[n] - u[n], n, rows, out); break;
    case TS_PART_BOX: smooth_box(q, x[0] - u[0], block->low, block->high, out); break;
    case TS_PART_FREE:
        for (int r = 0; r < rows; ++r) {
            out->P[r] = x[r] - u[r];
            out->DP[r * rows + r] = 1.0;
        }
        break;
    case TS_PART_FIXED:
        if (ts_rescaled_problem_unit(&q->s, b) > 0.0) ts_block_set_least(block, out->P);
        break;
    }
}

// u and F at x, t. Returns the largest entry of F.
static double evaluate(path* q) {
    double worst = 0.0;
    ts_rescaled_problem_velocity(&q->s, q->x, q->u);
    for (int i = 0; i < q->s.rows; ++i)
        q->u[i] += q->t * (q->d[i] + q->proximal * (q->x[i] - q->origin[i])) + whiff * q->x[i];
    for (int b = 0; b < q->s.blocks; ++b) {
        int row = q->s.problem->block[b].row;
        smooth law;
        smooth_block(q, b, &law);
        for (int r = 0; r < q->s.problem->block[b].rows; ++r) {
            q->F[row + r] = law.X[r] * q->x[row + r] - law.P[r];
            worst = fmax(worst, fabs(q->F[row + r]));
        }
    }
    return worst;
}

// J = (1 - DP) X + DP S (A + whiff + t proximal) as C + E A, its factor, and F_t, at the point just evaluated.
static int factorise(path* q) {
    for (int b = 0; b < q->s.blocks; ++b) {
        const ts_block* block = &q->s.problem->block[b];
        int rows = block->rows;
        double *C = q->system->C + q->system->square[b], *E = q->system->E + q->system->square[b];
        smooth law;
        smooth_block(q, b, &law);
        for (int i = 0; i < rows; ++i) {
            double by_t = -law.P_t[i];
            for (int j = 0; j < rows; ++j) {
                double sum = 0.0;
                for (int k = 0; k < rows; ++k) sum += law.DP[i * rows + k] * law.S[k * rows + j];
                E[i * rows + j] = sum;
                C[i * rows + j] =
                    (whiff + q->t * q->proximal) * sum + ((i == j ? 1.0 : 0.0) - law.DP[i * rows + j]) * law.X[j];
                by_t += law.DP[i * rows + j] * law.y_t[j];
            }
            q->Ft[block->row + i] = by_t;
        }
    }
    q->systems += 1;
    return ts_linear_change(q->system);
}

// out = -J^-1 v; 0 when that is not finite.
static int solve_negative(const path* q, const double* v, double* out) {
    for (int i = 0; i < q->s.rows; ++i) out[i] = -v[i];
    return ts_linear_solve(q->system, NULL, 0.0, out);
}

static int prepare(path* q) {
    int n = q->s.rows, blocks = q->s.blocks;
    double** vector[] = {&q->d, &q->x,       &q->u,   &q->F,    &q->Ft,           &q->a,
                         &q->c, &q->tangent, &q->aim, &q->kept, &q->kept_tangent, &q->origin};
    for (size_t i = 0; i < sizeof(vector) / sizeof(vector[0]); ++i) {
        *vector[i] = (double*)ts_arena_alloc_zeroed(q->scratch, (size_t)n, sizeof(double));
        if (!*vector[i]) return 0;
    }
    q->kind = TS_ARENA_ARRAY(q->scratch, ts_block_part, blocks);
    if (!q->kind) return 0;
    for (int i = 0; i < n; ++i) q->size = fmax(q->size, fabs(q->s.g[i]));
    if (!(q->size > 0.0)) return 0;
    for (int b = 0; b < blocks; ++b)
        q->kind[b] = ts_rescaled_problem_unit(&q->s, b) > 0.0 ? ts_block_set_part(&q->s.block[b], 1e-12 * q->size)
                                                              : TS_PART_FIXED;
    q->system = ts_linear_make(&q->s.A, TS_LINEAR_BLOCKS, q->scratch);
    if (!q->system) return 0;
    ts_linear_cost cost = ts_linear_cost_of(q->system);
    q->work = cost.change + cost.fill;
    if (!isfinite(q->work)) return 0;
    double most = q->settings->work_limit / fmax(q->work, 1.0);
    q->system_limit = most < q->settings->system_limit ? (int)most : q->settings->system_limit;
    return 1;
}

// x of the impulse; the largest entry of its natural map makes the size of the smoothing. Returns 0 when there is none.
static int load(path* q, const double* impulse) {
    ts_rescaled_problem_enter(&q->s, impulse, q->x);
    q->t = 0.0;
    double largest = evaluate(q);
    q->size = q->settings->smoothing * largest;
    q->t = 1.0;
    return largest > 0.0 && isfinite(largest);
}

// x becomes the smoothed projection of z = X x - y, which is strictly inside, and d what makes that the answer at t = 1:
// y = P(z) - z then. The nearer to an answer x was, the shorter is d. Leaves the factor at the point.
static int start(path* q, const double* impulse) {
    if (!load(q, impulse)) return 0;
    evaluate(q);
    for (int b = 0; b < q->s.blocks; ++b) {
        const ts_block* block = &q->s.problem->block[b];
        int rows = block->rows, cone = q->kind[b] == TS_PART_CONE;
        double *x = q->x + block->row, *u = q->u + block->row, *wanted = q->aim + block->row;
        smooth law;
        smooth_block(q, b, &law);
        // u of the new point, with F = X x - P: its y is that of the old one less F.
        for (int r = 0; r < rows; ++r) wanted[r] = u[r] - q->F[block->row + r] * (cone && r == 2 ? block->mu : 1.0);
        if (cone)
            wanted[2] += block->mu * (hypot(ts_block_set_tangent_length(u, rows), q->size) -
                                      hypot(ts_block_set_tangent_length(wanted, rows), q->size));
        for (int r = 0; r < rows; ++r) x[r] = law.P[r] / law.X[r];
    }
    memcpy(q->origin, q->x, (size_t)q->s.rows * sizeof(double));
    evaluate(q);
    for (int b = 0; b < q->s.blocks; ++b) {
        const ts_block* block = &q->s.problem->block[b];
        for (int r = 0; r < block->rows; ++r)
            if (q->kind[b] != TS_PART_FIXED && (q->kind[b] != TS_PART_LINE || r == normal_of(block->rows)))
                q->d[block->row + r] = q->aim[block->row + r] - q->u[block->row + r];
    }
    evaluate(q);
    return factorise(q);
}

// The unit tangent with the factor at hand, on from the last one or, the first time, towards smaller t. Returns the cosine
// of the angle between both; 0 when there is none. `weight` turns |dx|^2 into a number.
static double find_tangent(path* q, double weight) {
    int n = q->s.rows, first = !(fabs(q->slope) > 0.0);
    if (!solve_negative(q, q->Ft, q->a)) return 0.0;
    double length = 1.0, old = q->slope * q->slope, along = q->slope;
    for (int i = 0; i < n; ++i) {
        length += weight * q->a[i] * q->a[i];
        old += weight * q->tangent[i] * q->tangent[i];
        along += weight * q->tangent[i] * q->a[i];
    }
    q->slope = (along >= 0.0 && !first ? 1.0 : -1.0) / sqrt(length);
    for (int i = 0; i < n; ++i) q->tangent[i] = q->slope * q->a[i];
    return first ? 1.0 : fabs(along) / sqrt(length * old);
}

// Newton across the tangent, back to the path near the aim (aim, t). Returns how many steps it took, or -1. Leaves the
// factor at the point.
static int correct(path* q, double weight) {
    int n = q->s.rows;
    double before = HUGE_VAL, aim_t = q->t;
    for (int k = 0; k <= CORRECTIONS && q->t > 0.0 && q->systems < q->system_limit; ++k) {
        double worst = evaluate(q);
        if (!(worst < 10.0 * before) || !factorise(q)) return -1;
        if (worst <= q->settings->nearness * q->size * q->t) return k;
        before = worst;
        if (!solve_negative(q, q->Ft, q->a) || !solve_negative(q, q->F, q->c)) return -1;
        // dx = c + a dt, and tangent . (x + dx - aim) + slope (t + dt - aim_t) = 0.
        double above = q->slope * (aim_t - q->t), below = q->slope;
        for (int i = 0; i < n; ++i) {
            above += weight * q->tangent[i] * (q->aim[i] - q->x[i] - q->c[i]);
            below += weight * q->tangent[i] * q->a[i];
        }
        double dt = above / below;
        if (!isfinite(dt)) return -1;
        for (int i = 0; i < n; ++i) q->x[i] += q->c[i] + q->a[i] * dt;
        q->t += dt;
    }
    return -1;
}

// One step of length *h at most, shortened until it can be corrected; *h becomes the length for the next one. Returns 0
// when none is found.
static int advance(path* q, double* h) {
    int n = q->s.rows;
    size_t bytes = (size_t)n * sizeof(double);
    double t = q->t, slope = q->slope, norm = 0.0, most = acos(q->settings->bend);
    for (int i = 0; i < n; ++i) norm += (q->x[i] - q->origin[i]) * (q->x[i] - q->origin[i]);
    double weight = 1.0 / fmax(norm, q->size * q->size);
    memcpy(q->kept, q->x, bytes);
    memcpy(q->kept_tangent, q->tangent, bytes);
    while (q->systems < q->system_limit && *h >= shortest_step) {
        double step = *h;
        if (t + step * slope < (1.0 - largest_fall) * t) step = largest_fall * t / -slope;
        q->t = t + step * slope;
        for (int i = 0; i < n; ++i) q->x[i] = q->aim[i] = q->kept[i] + step * q->tangent[i];
        int used = correct(q, weight);
        double cosine = used >= 0 ? find_tangent(q, weight) : -1.0;
        // How much longer the step could have been for the bend.
        double room = most / fmax(acos(fmin(fmax(cosine, -1.0), 1.0)), 0.1 * most);
        if (used >= 0 && cosine >= q->settings->bend) {
            *h = step * fmin(used <= 1 ? 2.5 : used == 2 ? 1.0 : 0.7, 0.7 * room);
            return 1;
        }
        memcpy(q->x, q->kept, bytes);
        memcpy(q->tangent, q->kept_tangent, bytes);
        q->t = t;
        q->slope = slope;
        *h = step * (used >= 0 ? fmax(0.2, 0.7 * room) : 0.3);
    }
    return 0;
}

ts_homotopy_report ts_homotopy_solve(const ts_contact_problem* problem, const ts_homotopy_settings* settings,
                                     ts_arena* scratch, double* impulse) {
    ts_homotopy_report report = {0, 0, 0.0, 1.0};
    path q = {.scratch = scratch, .settings = settings, .proximal = settings->proximal};
    ts_yardstick yardstick = ts_yardstick_make(problem, TS_LAW_NCP, (ts_goal){0.0, 0.0});
    ts_arena_scope scope = ts_arena_scope_begin(scratch);
    if (ts_rescaled_problem_make(problem, TS_UNITS_STIFFNESS, TS_MATRIX_NUMBERS, scratch, &q.s) && prepare(&q)) {
        double h = first_step;
        if (start(&q, impulse) && find_tangent(&q, 1.0 / (q.size * q.size)) > 0.0)
            while (q.t > settings->end && q.t < lost && advance(&q, &h))
                ts_rescaled_problem_trace(&q.s, &yardstick, q.systems, q.x);
        ts_rescaled_problem_admit(&q.s, q.x, q.aim, q.c);
        report.ran = 1;
        for (int i = 0; i < problem->row_count; ++i) report.ran = report.ran && isfinite(q.c[i]);
        report.systems = q.systems;
        report.work = q.work;
        report.parameter = q.t;
        if (report.ran) memcpy(impulse, q.c, (size_t)problem->row_count * sizeof(double));
    }
    ts_arena_scope_end(scratch, scope);
    return report;
}
