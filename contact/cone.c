// Projections on Coulomb's cone and its dual.
//
// Problem: the nearest point of K = { z >= 0, t <= mu z } or K* = { z >= mu t } to x, where t = |(x, y)|; with spinning
// and rolling rows t runs over those, too.
// Rule: both are circular cones, so the answer lies in the plane through x and the axis; in that plane the boundary is
// a ray and the nearest point on it is an ordinary projection on a line. Three cases: inside, in the polar cone (answer
// 0), on the boundary.
// Source: textbook convex analysis; K* is the dual of K (u . lambda >= 0), so x = P_K(x) - P_K*(-x) (Moreau).
// Guaranteed: mu = 0 needs no special case. Known to fail: components beyond 1e153 overflow in t.
#include "contact/cone.h"

#include "contact/cone_internal.h"

static double tangent_length(ts_vec3 x) { return sqrt(x.x * x.x + x.y * x.y); }

ts_vec3 ts_cone_project(ts_vec3 x, double mu) { return ts_cone_project_inline(x, mu); }

ts_vec3 ts_cone_project_dual(ts_vec3 x, double mu) {
    double t = tangent_length(x);
    if (mu * t <= x.z) return x;
    if (t <= -mu * x.z) return ts_vec3_zero();
    // t = 0 gets here only with mu = 0 and x.z < 0 excluded above (0 <= 0), or with a NaN, which passes through.
    double new_t = (t + mu * x.z) / (1.0 + mu * mu);
    double s = new_t / t;
    return ts_vec3_make(s * x.x, s * x.y, mu * new_t);
}

ts_vec3 ts_cone_project_horizontal(ts_vec3 x, double mu) { return ts_cone_project_horizontal_inline(x, mu); }

double ts_cone_distance(ts_vec3 x, double mu) {
    double tt = x.x * x.x + x.y * x.y;
    return ts_cone_distance_inline(tt, sqrt(tt), x.z, mu);
}

double ts_cone_distance_dual(ts_vec3 x, double mu) {
    double tt = x.x * x.x + x.y * x.y;
    return ts_cone_distance_dual_inline(tt, sqrt(tt), x.z, mu);
}

ts_vec3 ts_cone_shift(ts_vec3 u, double mu) { return ts_vec3_make(0.0, 0.0, mu * tangent_length(u)); }

double ts_cone_tangent_norm(const double* x, int rows) {
    double sum = 0.0;
    for (int r = 0; r < rows; ++r)
        if (r != 2) sum += x[r] * x[r];
    return sqrt(sum);
}

// The three projections keep the direction of x_T, so a contact with two rows, (|x_T|, 0), tells the new lengths.
static void spread(const double* x, int rows, double length, ts_vec3 projected, double* out_x) {
    double s = projected.x == length ? 1.0 : projected.x / length;
    for (int r = 0; r < rows; ++r) out_x[r] = r == 2 ? projected.z : s * x[r];
}

void ts_cone_project_rows(const double* x, int rows, double mu, double* out_x) {
    double t = ts_cone_tangent_norm(x, rows);
    spread(x, rows, t, ts_cone_project(ts_vec3_make(t, 0.0, x[2]), mu), out_x);
}

void ts_cone_project_dual_rows(const double* x, int rows, double mu, double* out_x) {
    double t = ts_cone_tangent_norm(x, rows);
    spread(x, rows, t, ts_cone_project_dual(ts_vec3_make(t, 0.0, x[2]), mu), out_x);
}

void ts_cone_project_horizontal_rows(const double* x, int rows, double mu, double* out_x) {
    double t = ts_cone_tangent_norm(x, rows);
    spread(x, rows, t, ts_cone_project_horizontal(ts_vec3_make(t, 0.0, x[2]), mu), out_x);
}
