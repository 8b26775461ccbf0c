// Two ellipsoids: whether they overlap, without finding out how far or how deep.
//
// Problem: A = diag(a^2) about the origin, B = R diag(b^2) R' about t; do they share a point?
// Rule: for weights l in (0, 1) solve ((1-l) A + l B) x = t, the condition that the point (1-l) A x of A's family of
// similar ellipsoids is the point t - l B x of B's (Perram and Wertheim, J. Computational Physics 1985: of all such
// points the one where both families grow alike decides). Either answer has its own proof, which needs no converged l:
// apart when the plane across x separates, <x, t> > sqrt(x'Ax) + sqrt(x'Bx); overlapping when the common point is
// inside both, (1-l)^2 x'Ax < 1 and l^2 x'Bx < 1. The next weight is the one that would make both sizes equal if x
// stayed as it is, l = sqrt(x'Ax) / (sqrt(x'Ax) + sqrt(x'Bx)); for balls it is exact at once.
// Guaranteed: no claim without proof; in the overlap the solved system's residual must be less than what the point is
// inside by. Known to fail: pairs that touch to a few digits, and needles whose equations have none; the caller asks
// GJK.
#include "collision/distance/ellipsoid_pair_internal.h"

#include <float.h>

enum { WEIGHTS = 12 };

// Relative: what the sums in a gap may be off by.
static const double ROUNDING = 16.0 * DBL_EPSILON;

typedef struct quadrics {
    ts_vec3 a;  // semi-axes
    ts_mat3 f;  // F = diag(b) R', so that B = F'F
    ts_vec3 t;
    ts_vec3 b_diagonal, b_rest;  // of B: xx, yy, zz and yz, xz, xy
} quadrics;

static void prepare(const ts_shape_pair* pair, quadrics* q) {
    const ts_transform* pose = &pair->b_in_a;
    q->a = pair->a->half;
    q->t = pose->p;
    ts_vec3 row[3];
    for (int i = 0; i < 3; ++i) {
        double s = ts_vec3_get(pair->b->half, i);
        for (int j = 0; j < 3; ++j) q->f.m[i][j] = s * pose->R.m[j][i];
        row[i] = ts_vec3_make(q->f.m[i][0], q->f.m[i][1], q->f.m[i][2]);
    }
    q->b_diagonal =
        ts_vec3_add(ts_vec3_mul(row[0], row[0]), ts_vec3_add(ts_vec3_mul(row[1], row[1]), ts_vec3_mul(row[2], row[2])));
    q->b_rest = ts_vec3_zero();
    for (int i = 0; i < 3; ++i)
        q->b_rest = ts_vec3_add(q->b_rest, ts_vec3_make(row[i].y * row[i].z, row[i].x * row[i].z, row[i].x * row[i].y));
}

// x for a weight; zero where the matrix is singular.
static ts_vec3 solve(const quadrics* q, double weight) {
    double keep = 1.0 - weight;
    ts_vec3 d = ts_vec3_add(ts_vec3_scale(keep, ts_vec3_mul(q->a, q->a)), ts_vec3_scale(weight, q->b_diagonal));
    ts_vec3 r = ts_vec3_scale(weight, q->b_rest), t = q->t;
    double xx = d.y * d.z - r.x * r.x, yy = d.x * d.z - r.y * r.y, zz = d.x * d.y - r.z * r.z;
    double yz = r.y * r.z - d.x * r.x, xz = r.x * r.z - d.y * r.y, xy = r.x * r.y - d.z * r.z;
    double det = d.x * xx + r.z * xy + r.y * xz;
    if (!(det > 0.0)) return ts_vec3_zero();
    double inverse = 1.0 / det;
    return ts_vec3_make(inverse * (xx * t.x + xy * t.y + xz * t.z), inverse * (xy * t.x + yy * t.y + yz * t.z),
                        inverse * (xz * t.x + yz * t.y + zz * t.z));
}

// Is the common point of a weight inside both, by more than the equations are off?
static int is_inside_both(const quadrics* q, double weight, ts_vec3 x, double alpha, double beta) {
    double of_a = (1.0 - weight) * alpha, of_b = weight * beta;
    if (!(of_a < 1.0 && of_b < 1.0)) return 0;
    ts_vec3 ax = ts_vec3_mul(q->a, ts_vec3_mul(q->a, x));
    ts_vec3 bx = ts_mat3_mul_vec_transposed(&q->f, ts_mat3_mul_vec(&q->f, x));
    ts_vec3 off = ts_vec3_sub(ts_vec3_add(ts_vec3_scale(1.0 - weight, ax), ts_vec3_scale(weight, bx)), q->t);
    double least = q->a.x < q->a.y ? q->a.x : q->a.y;
    least = q->a.z < least ? q->a.z : least;
    double rounding = ROUNDING * (ts_vec3_max_abs(q->t) + ts_vec3_max_abs(ax) + ts_vec3_max_abs(bx));
    return least * (1.0 - of_a) > 2.0 * (ts_vec3_norm(off) + rounding);
}

ts_pair_verdict ts_ellipsoid_pair_verdict(const ts_shape_pair* pair, ts_vec3 previous, double reach,
                                          ts_separation* out) {
    quadrics q;
    prepare(pair, &q);
    double apart = ts_vec3_norm_squared(q.t), size = ts_vec3_max_abs(pair->a->half) + ts_vec3_max_abs(pair->b->half);
    // Sixth powers of sizes must neither overflow nor underflow. (Written so that a NaN fails.)
    if (!(size > 1e-40 && size < 1e40 && apart < 1e80 && apart > 1e-16 * size * size && reach >= 0.0))
        return TS_PAIR_OPEN;
    ts_vec3 x = ts_vec3_max_abs(previous) > 0.0 ? previous : q.t;
    double weight = 0.0;
    for (int k = 0; k < WEIGHTS; ++k) {
        double along = ts_vec3_dot(x, q.t);
        double alpha = ts_vec3_norm(ts_vec3_mul(q.a, x)), beta = ts_vec3_norm(ts_mat3_mul_vec(&q.f, x));
        double gap = along - alpha - beta, length = ts_vec3_norm(x);
        if (!(length > 0.0 && length < DBL_MAX)) return TS_PAIR_OPEN;
        int beyond = gap > reach * length + ROUNDING * (fabs(along) + alpha + beta);
        if (beyond || (k > 0 && is_inside_both(&q, weight, x, alpha, beta))) {
            out->normal = ts_vec3_scale(1.0 / length, x);
            out->lower = gap / length;
            out->upper = beyond ? (double)INFINITY : 0.0;
            return beyond ? TS_PAIR_APART : TS_PAIR_OVERLAP;
        }
        weight = alpha / (alpha + beta);
        x = solve(&q, weight);
    }
    return TS_PAIR_OPEN;
}
