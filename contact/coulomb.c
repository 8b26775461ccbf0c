// One contact, exactly: take-off, stick or slide.
//
// Problem: lambda in K, w = u + (0, 0, mu |u_T|) in K*, lambda . w = 0 with u = D lambda + b for one 3x3 block.
// Rule: b_N >= 0 takes off. Otherwise u_N = 0 gives lambda_N = -(b_N + p . lambda_T) / d22 with p = (d02, d12), and what
// is left is a 2x2 problem with the Schur complement S = D_TT - p p^T / d22 and c = -b_T + p b_N / d22. Friction opposes
// slip, u_T = -s lambda_T with s >= 0, so lambda_T(s) = (S + s I)^-1 c: sticking is s = 0, and sliding is a root of
//     f(s) = |lambda_T(s)| - mu lambda_N(s),      f(0) > 0 (sticking asks too much), f(s) -> mu b_N / d22 < 0.
// In the eigenbasis of S an evaluation costs two divisions and a root. Newton runs on mu lambda_N / |lambda_T| = 1, which
// is nearly linear in s (the trick of trust-region methods: More and Sorensen 1983), kept in a bracket by bisection.
// Source: the law in this form follows Acary and Brogliato 2008, ch. 13; the reduction to one scalar is ours. Equivalent
// to the quartic in tan(theta / 2) of the enumerative solvers, without its loss of digits.
// Guaranteed: the bracket always holds a root, so the answer meets the law to rounding, for any mu >= 0 and S >= 0.
// Known to fail: with mu |p| > d22 several answers can be exact; which one is returned depends on the bracket alone.
#include "contact/coulomb_internal.h"

#include <float.h>
#include <math.h>

// The 2x2 problem in the eigenbasis of S.
typedef struct slide {
    double w1, w2;   // eigenvalues of S, w1 >= w2 >= 0
    double a1, a2;   // c
    double g1, g2;   // p
    double bn, d22;  // normal row
    double mu;
    double x, y, z;  // lambda at the last s
} slide;

static void at(slide* q, double s) {
    q->x = q->a1 / (q->w1 + s);
    q->y = q->a2 / (q->w2 + s);
    q->z = -(q->bn + q->g1 * q->x + q->g2 * q->y) / q->d22;
}

// Newton's next s on mu z / t = 1, or a negative number where that means nothing.
static double newton(const slide* q, double s, double t) {
    if (!(q->z > 0.0)) return -1.0;
    double dx = -q->x / (q->w1 + s), dy = -q->y / (q->w2 + s);
    double dt = (q->x * dx + q->y * dy) / t, dz = -(q->g1 * dx + q->g2 * dy) / q->d22;
    double value = q->mu * q->z / t - 1.0, slope = q->mu * (dz * t - q->z * dt) / (t * t);
    return s - value / slope;
}

// Moves *q to the sliding root.
static void find_root(slide* q) {
    double low = 0.0, high = -1.0, s = 0.0;  // high < 0: none known
    for (int k = 0; k < 100; ++k) {
        at(q, s);
        double t = sqrt(q->x * q->x + q->y * q->y), f = t - q->mu * q->z;
        if (fabs(f) <= 2.0 * DBL_EPSILON * (t + q->mu * fabs(q->z))) return;
        if (f > 0.0)
            low = s;
        else
            high = s;
        if (high >= 0.0 && high - low <= 2.0 * DBL_EPSILON * high) return;
        double next = newton(q, s, t);
        if (!(next > low) || (high >= 0.0 && !(next < high)) || !isfinite(next))
            next = high >= 0.0 ? 0.5 * (low + high) : (s > 0.0 ? 8.0 * s : 0.125 * q->w1);
        s = next;
    }
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
    slide q = {middle + radius,
               middle - radius,
               vx * c0 + vy * c1,
               vx * c1 - vy * c0,
               vx * d02 + vy * d12,
               vx * d12 - vy * d02,
               b.z,
               d22,
               mu,
               0.0,
               0.0,
               0.0};
    // No give in the tangent plane: nothing that friction could change, so none is asked for.
    if (!(q.w1 > 0.0)) return ts_vec3_make(0.0, 0.0, lift);
    // A direction without give to rounding would make sticking divide by nothing.
    if (!(q.w2 > 16.0 * DBL_EPSILON * q.w1)) q.w2 = 16.0 * DBL_EPSILON * q.w1;
    at(&q, 0.0);
    if (!(q.z >= 0.0 && q.x * q.x + q.y * q.y <= mu * mu * q.z * q.z)) find_root(&q);
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
