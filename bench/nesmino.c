// NESMINO: smoothing, accelerated gradient, minimum norm.
//
// Problem: the distance of A and B is max over u of -|u|^2 / 2 - sigma_D(-u), D = A - B, sigma its support value. Rule
// (after Qin and An, "Smoothing algorithms for computing the projection onto a Minkowski sum of convex sets",
// Computational Optimization and Applications 2019): a quadratic term mu/2 |a - c_A|^2 + mu/2 |b - c_B|^2 makes sigma
// smooth; its maximisers are then projections,
//     x(u) = proj_A(c_A - u / mu) - proj_B(c_B + u / mu),
// the gradient is u - x(u) with Lipschitz constant L = 1 + 2 / mu and strong convexity 1, so Nesterov's method for strongly
// convex functions applies: u' = y - (y - x(y)) / L, y' = u' + (1 - sqrt q) / (1 + sqrt q) (u' - u), q = 1 / L. mu falls
// geometrically from step to step. Guaranteed: nothing here; it stops at an answer known from elsewhere. Known limit: the
// schedule of mu decides the count of steps, and the publications do not give theirs, so counts are comparable in order
// of magnitude only.
#include "bench/nesmino.h"

#include <math.h>

ts_nesmino_schedule ts_nesmino_schedule_default(void) {
    ts_nesmino_schedule schedule = {0.1, 0.95, 1e-6};
    return schedule;
}

static double clamp(double x, double low, double high) { return x < low ? low : (x > high ? high : x); }

// Nearest point of an ellipsoid: a_i^2 p_i / (a_i^2 + t) with t >= 0 the root of sum (a_i p_i / (a_i^2 + t))^2 = 1, which
// Newton's method finds from the left without overshooting, since the sum is convex and falls.
static ts_vec3 project_on_ellipsoid(ts_vec3 a, ts_vec3 p) {
    ts_vec3 squares = ts_vec3_mul(a, a);
    ts_vec3 ap = ts_vec3_mul(a, p);
    double t = 0.0;
    for (int i = 0; i < 200; ++i) {
        ts_vec3 d = ts_vec3_make(squares.x + t, squares.y + t, squares.z + t);
        ts_vec3 r = ts_vec3_make(ap.x / d.x, ap.y / d.y, ap.z / d.z);
        double value = ts_vec3_norm_squared(r) - 1.0;
        if (t == 0.0 && value <= 0.0) return p;  // inside
        double slope = 2.0 * (r.x * r.x / d.x + r.y * r.y / d.y + r.z * r.z / d.z);
        double next = t + value / slope;
        if (!(next > t)) break;
        t = next;
    }
    return ts_vec3_make(squares.x * p.x / (squares.x + t), squares.y * p.y / (squares.y + t),
                        squares.z * p.z / (squares.z + t));
}

ts_vec3 ts_nesmino_project(const ts_shape* shape, ts_vec3 p) {
    if (shape->kind == TS_SHAPE_ELLIPSOID) return project_on_ellipsoid(shape->half, p);
    ts_vec3 low = ts_vec3_neg(shape->half);
    ts_vec3 high = shape->half;
    if (shape->kind == TS_SHAPE_HULL) {
        low = shape->hull->box_min;
        high = shape->hull->box_max;
    }
    return ts_vec3_make(clamp(p.x, low.x, high.x), clamp(p.y, low.y, high.y), clamp(p.z, low.z, high.z));
}

static ts_vec3 difference_of_projections(const ts_bench_pair* pair, ts_vec3 u, double mu) {
    ts_vec3 a = ts_nesmino_project(&pair->a, ts_vec3_scale(-1.0 / mu, u));
    ts_vec3 ub = ts_transform_direction_inverse(&pair->b_in_a, u);
    ts_vec3 b = ts_nesmino_project(&pair->b, ts_vec3_scale(1.0 / mu, ub));
    return ts_vec3_sub(a, ts_transform_point(&pair->b_in_a, b));
}

int ts_nesmino(const ts_bench_pair* pair, ts_vec3 target, double tolerance, int limit,
               const ts_nesmino_schedule* schedule) {
    double mu = schedule->start;
    ts_vec3 u = ts_vec3_neg(pair->b_in_a.p);
    ts_vec3 y = u;
    for (int step = 0; step < limit; ++step) {
        ts_vec3 x = difference_of_projections(pair, y, mu);
        if (ts_vec3_distance(x, target) <= tolerance) return step;
        double lipschitz = 1.0 + 2.0 / mu;
        double root = sqrt(1.0 / lipschitz);
        ts_vec3 next = ts_vec3_add_scaled(y, -1.0 / lipschitz, ts_vec3_sub(y, x));
        y = ts_vec3_add_scaled(next, (1.0 - root) / (1.0 + root), ts_vec3_sub(next, u));
        u = next;
        mu *= schedule->factor;
        if (mu < schedule->least) mu = schedule->least;
    }
    return -1;
}
