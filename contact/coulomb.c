// One contact, exactly: take-off, stick or slide.
//
// Problem: lambda in K, w = u + (0, 0, mu |u_T|) in K*, lambda . w = 0 with u = D lambda + b for one block, 3x3, or of 4 or 6
// rows where the contact also resists spinning or rolling.
// Rule: b_N >= 0 takes off. Otherwise u_N = 0 gives lambda_N = -(b_N + p . lambda_T) / d with p = D_TN, d = D_NN, and what
// is left is a problem in the tangent rows with the Schur complement S = D_TT - p p^T / d and c = -b_T + p b_N / d. Friction
// opposes slip, u_T = -s lambda_T with s >= 0, so lambda_T(s) = (S + s I)^-1 c: sticking is s = 0, and sliding is a root of
//     f(s) = |lambda_T(s)| - mu lambda_N(s),      f(0) > 0 (sticking asks too much), f(s) -> mu b_N / d < 0.
// With two tangents an evaluation in the eigenbasis of S costs two divisions and a root; five rows have no closed
// eigenvectors, so every s costs a Cholesky factor. Newton runs on mu lambda_N / |lambda_T| = 1, which is nearly linear in s
// (the trick of trust-region methods: More and Sorensen 1983), kept in a bracket by bisection.
// Source: the law in this form follows Acary and Brogliato 2008, ch. 13; the reduction to one scalar is ours. Equivalent
// to the quartic in tan(theta / 2) of the enumerative solvers, without its loss of digits.
// Guaranteed: the bracket always holds a root, so the answer meets the law to rounding, for any mu >= 0 and S >= 0.
// Known to fail: with mu |p| > d several answers can be exact; which one is returned depends on the bracket alone.
#include "contact/coulomb_internal.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "base/linear/dense.h"
#include "base/scalar.h"

enum { ROOT_LIMIT = 100 };

// Directions without give to rounding, relative to the stiffest, get this much: sticking would divide by nothing.
static const double least_give = 16.0 * DBL_EPSILON;

// lambda at an s: |lambda_T| and lambda_N.
typedef struct point {
    double t, z;
} point;

// A way to evaluate the curve lambda(s), and at the s just evaluated its slope by s. Inlined where it is called.
typedef int (*evaluation)(void* curve, double s, point* out_point);
typedef point (*slope)(const void* curve, double s, point at);

// Moves the curve to `start`, the smallest s, if that sticks, else to the sliding root. `size` is a stiffness. Returns 0
// where the start cannot be evaluated.
static inline int find_root(void* curve, evaluation evaluate, slope slope_of, double mu, double start, double size) {
    double low = start, high = -1.0, s = start;  // high < 0: none known
    for (int k = 0; k < ROOT_LIMIT; ++k) {
        point at;
        if (!evaluate(curve, s, &at)) return k > 0;
        double f = at.t - mu * at.z;
        if (fabs(f) <= 2.0 * DBL_EPSILON * (at.t + mu * fabs(at.z)) || (k == 0 && f <= 0.0)) return 1;
        if (f > 0.0)
            low = s;
        else
            high = s;
        if (high >= 0.0 && high - low <= 2.0 * DBL_EPSILON * high) return 1;
        double next = -1.0;
        if (at.z > 0.0) {
            point by = slope_of(curve, s, at);
            double value = mu * at.z / at.t - 1.0, steep = mu * (by.z * at.t - at.z * by.t) / (at.t * at.t);
            next = s - value / steep;
        }
        if (!(next > low) || (high >= 0.0 && !(next < high)) || !isfinite(next))
            next = high >= 0.0 ? 0.5 * (low + high) : (s > start ? 8.0 * s : 0.125 * size);
        s = next;
    }
    return 1;
}

// --- two tangents ------------------------------------------------------------------------------------------------------

// The problem in the eigenbasis of S.
typedef struct plane {
    double w1, w2;   // eigenvalues of S, w1 >= w2 >= 0
    double a1, a2;   // c
    double g1, g2;   // p
    double bn, d22;  // normal row
    double x, y, z;  // lambda at the last s
} plane;

static int evaluate_plane(void* curve, double s, point* out_point) {
    plane* q = (plane*)curve;
    q->x = q->a1 / (q->w1 + s);
    q->y = q->a2 / (q->w2 + s);
    q->z = -(q->bn + q->g1 * q->x + q->g2 * q->y) / q->d22;
    *out_point = (point){sqrt(q->x * q->x + q->y * q->y), q->z};
    return 1;
}

static point slope_of_plane(const void* curve, double s, point at) {
    const plane* q = (const plane*)curve;
    double dx = -q->x / (q->w1 + s), dy = -q->y / (q->w2 + s);
    return (point){(q->x * dx + q->y * dy) / at.t, -(q->g1 * dx + q->g2 * dy) / q->d22};
}

ts_vec3 ts_coulomb_solve(double d00, double d01, double d11, double d02, double d12, double d22, ts_vec3 b, double mu) {
    if (!(b.z < 0.0)) return ts_vec3_zero();
    double lift = -b.z / d22;
    if (!(mu > 0.0)) return ts_vec3_make(0.0, 0.0, lift);
    double e0 = d02 / d22, e1 = d12 / d22;
    double A = d00 - d02 * e0, B = d01 - d02 * e1, C = d11 - d12 * e1;
    double c0 = -b.x - lift * d02, c1 = -b.y - lift * d12;
    // Eigenvectors (vx, vy) and (-vy, vx) of S, from the larger of two equivalent columns.
    double half = 0.5 * (A - C), radius = sqrt(half * half + B * B), middle = 0.5 * (A + C);
    double vx = 1.0, vy = 0.0;
    if (radius > 0.0) {
        vx = half >= 0.0 ? half + radius : B;
        vy = half >= 0.0 ? B : radius - half;
        double inverse = 1.0 / sqrt(vx * vx + vy * vy);
        vx *= inverse;
        vy *= inverse;
    }
    plane q = {middle + radius,
               middle - radius,
               vx * c0 + vy * c1,
               vx * c1 - vy * c0,
               vx * d02 + vy * d12,
               vx * d12 - vy * d02,
               b.z,
               d22,
               0.0,
               0.0,
               0.0};
    // No give in the tangent plane: nothing that friction could change, so none is asked for.
    if (!(q.w1 > 0.0)) return ts_vec3_make(0.0, 0.0, lift);
    if (!(q.w2 > least_give * q.w1)) q.w2 = least_give * q.w1;
    find_root(&q, evaluate_plane, slope_of_plane, mu, 0.0, q.w1);
    if (!(q.z > 0.0)) return ts_vec3_zero();
    ts_vec3 lambda = ts_vec3_make(vx * q.x - vy * q.y, vy * q.x + vx * q.y, q.z);
    double t = sqrt(q.x * q.x + q.y * q.y);
    if (t > mu * q.z) {  // by rounding only
        double scale = mu * q.z / t;
        lambda.x *= scale;
        lambda.y *= scale;
    }
    return lambda;
}

// --- three or five tangents ------------------------------------------------------------------------------------------

enum { TANGENTS = TS_BLOCK_ROWS_MAX - 1 };

// The problem in the tangent rows.
typedef struct space {
    int n;
    double S[TANGENTS * TANGENTS];
    double c[TANGENTS];
    double p[TANGENTS];
    double bn, d;
    double factor[TANGENTS * TANGENTS];
    double x[TANGENTS];  // lambda_T at the last s
    double z;            // lambda_N there
} space;

static int evaluate_space(void* curve, double s, point* out_point) {
    space* q = (space*)curve;
    memcpy(q->factor, q->S, sizeof(q->factor));
    for (int i = 0; i < q->n; ++i) q->factor[(TANGENTS + 1) * i] += s;
    if (!ts_cholesky_factor(q->factor, q->n, TANGENTS)) return 0;
    memcpy(q->x, q->c, sizeof(q->x));
    ts_cholesky_solve(q->factor, q->n, TANGENTS, q->x);
    q->z = -(q->bn + ts_dot(q->p, q->x, q->n)) / q->d;
    *out_point = (point){sqrt(ts_dot(q->x, q->x, q->n)), q->z};
    return 1;
}

static point slope_of_space(const void* curve, double s, point at) {
    const space* q = (const space*)curve;
    double dx[TANGENTS];
    (void)s;  // the factor knows it
    memcpy(dx, q->x, sizeof(dx));
    ts_cholesky_solve(q->factor, q->n, TANGENTS, dx);  // -dx/ds
    return (point){-ts_dot(q->x, dx, q->n) / at.t, ts_dot(q->p, dx, q->n) / q->d};
}

void ts_coulomb_solve_rows(const double* D, int rows, const double* b, double mu, double* out_lambda) {
    space q = {.n = rows - 1, .bn = b[2], .d = D[2 * rows + 2]};
    double trace = 0.0;
    memset(out_lambda, 0, (size_t)rows * sizeof(double));
    if (!(b[2] < 0.0) || !(q.d > 0.0)) return;
    out_lambda[2] = -q.bn / q.d;
    if (!(mu > 0.0)) return;
    for (int i = 0; i < q.n; ++i) q.p[i] = D[(i < 2 ? i : i + 1) * rows + 2];
    for (int i = 0; i < q.n; ++i) {
        int r = i < 2 ? i : i + 1;
        q.c[i] = -b[r] + q.p[i] * q.bn / q.d;
        for (int j = 0; j < q.n; ++j)
            q.S[TANGENTS * i + j] = D[r * rows + (j < 2 ? j : j + 1)] - q.p[i] * (q.p[j] / q.d);
        trace += q.S[(TANGENTS + 1) * i];
    }
    // No give in any tangent row: nothing that friction could change, so none is asked for.
    if (!(trace > 0.0)) return;
    if (!find_root(&q, evaluate_space, slope_of_space, mu, least_give * trace, trace)) return;
    if (!(q.z > 0.0)) {
        out_lambda[2] = 0.0;
        return;
    }
    double t = sqrt(ts_dot(q.x, q.x, q.n)), scale = t > mu * q.z ? mu * q.z / t : 1.0;
    for (int i = 0; i < q.n; ++i) out_lambda[i < 2 ? i : i + 1] = scale * q.x[i];
    out_lambda[2] = q.z;
}
