// One contact that also resists spinning or rolling, exactly.
//
// Problem: as in coulomb.c, with 3 or 5 tangent rows in place of 2: lambda_n >= 0, |lambda_T| <= mu lambda_n, u_n = 0 where
// it carries, and friction against the slip.
// Rule: the same reduction. Row n is eliminated, lambda_n = -(b_n + p . lambda_T) / d, which leaves S = D_TT - p p^T / d and
// c = -b_T + p b_n / d. Friction opposes slip with some s >= 0: lambda_T(s) = (S + s I)^-1 c. Sticking is s = 0, sliding a
// root of f(s) = |lambda_T(s)| - mu lambda_n(s) in a bracket, by Newton on mu lambda_n / |lambda_T| = 1 and bisection. Five
// rows have no closed eigenvectors, so every s costs a Cholesky factor.
// Source: coulomb.c. Guaranteed: the bracket holds a root, so the answer meets the law to rounding.
// Known to fail: as there, mu |p| > d allows several answers.
#include <float.h>
#include <math.h>
#include <string.h>

#include "base/linear/dense.h"
#include "contact/coulomb_internal.h"

enum { TANGENTS = 5 };

// The problem in the tangent rows.
typedef struct slide {
    int n;
    double S[TANGENTS * TANGENTS];
    double c[TANGENTS];
    double p[TANGENTS];
    double bn, d, mu;
    double factor[TANGENTS * TANGENTS];
    double x[TANGENTS];  // lambda_T at the last s
    double z;            // lambda_n there
} slide;

static double dot(const double* a, const double* b, int n) {
    double sum = 0.0;
    for (int i = 0; i < n; ++i) sum += a[i] * b[i];
    return sum;
}

static int at(slide* q, double s) {
    memcpy(q->factor, q->S, sizeof(q->factor));
    for (int i = 0; i < q->n; ++i) q->factor[(TANGENTS + 1) * i] += s;
    if (!ts_cholesky_factor(q->factor, q->n, TANGENTS)) return 0;
    memcpy(q->x, q->c, sizeof(q->x));
    ts_cholesky_solve(q->factor, q->n, TANGENTS, q->x);
    q->z = -(q->bn + dot(q->p, q->x, q->n)) / q->d;
    return 1;
}

// Newton's next s on mu z / t = 1, or a negative number where that means nothing.
static double newton(const slide* q, double s, double t) {
    double dx[TANGENTS];
    if (!(q->z > 0.0)) return -1.0;
    memcpy(dx, q->x, sizeof(dx));
    ts_cholesky_solve(q->factor, q->n, TANGENTS, dx);  // -dx/ds
    double dt = -dot(q->x, dx, q->n) / t, dz = dot(q->p, dx, q->n) / q->d;
    double value = q->mu * q->z / t - 1.0, slope = q->mu * (dz * t - q->z * dt) / (t * t);
    return s - value / slope;
}

// Moves *q to the sliding root; `start` is the smallest s, `size` a stiffness.
static void find_root(slide* q, double start, double size) {
    double low = start, high = -1.0, s = start;  // high < 0: none known
    for (int k = 0; k < 100; ++k) {
        if (!at(q, s)) return;
        double t = sqrt(dot(q->x, q->x, q->n)), f = t - q->mu * q->z;
        if (fabs(f) <= 2.0 * DBL_EPSILON * (t + q->mu * fabs(q->z))) return;
        if (f > 0.0)
            low = s;
        else
            high = s;
        if (high >= 0.0 && high - low <= 2.0 * DBL_EPSILON * high) return;
        double next = newton(q, s, t);
        if (!(next > low) || (high >= 0.0 && !(next < high)) || !isfinite(next))
            next = high >= 0.0 ? 0.5 * (low + high) : (s > start ? 8.0 * s : 0.125 * size);
        s = next;
    }
}

void ts_coulomb_solve_rows(const double* D, int rows, const double* b, double mu, double* out_lambda) {
    slide q = {.n = rows - 1, .bn = b[2], .d = D[2 * rows + 2], .mu = mu};
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
    // Directions without give to rounding would make sticking divide by nothing.
    double start = 16.0 * DBL_EPSILON * trace;
    if (!at(&q, start)) return;
    if (!(q.z >= 0.0 && dot(q.x, q.x, q.n) <= mu * mu * q.z * q.z)) find_root(&q, start, trace);
    if (!(q.z > 0.0)) {
        out_lambda[2] = 0.0;
        return;
    }
    double t = sqrt(dot(q.x, q.x, q.n)), scale = t > mu * q.z ? mu * q.z / t : 1.0;
    for (int i = 0; i < q.n; ++i) out_lambda[i < 2 ? i : i + 1] = scale * q.x[i];
    out_lambda[2] = q.z;
}
