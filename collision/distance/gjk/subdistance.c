// Sub-distance by signed volumes (Montanari, Petrinic, Barbieri, ACM TOG 2017), with clamped segments.
//
// Rule: the origin's projection lies inside a triangle (tetrahedron) when all signed sub-areas (sub-volumes) share the
// strict sign of the whole; otherwise the closest point lies on a face opposite a vertex whose sign disagrees, and every
// such face is tried. Segments are clamped at both ends instead of trusting a fixed vertex, which is only sound inside a
// cold GJK run. Guaranteed: no division by zero, a valid face always; the face found is the closest one up to rounding
// of the signs. Known limit: none seen on degenerate families (the tests compare with long double enumeration).
#include "collision/distance/gjk/subdistance_internal.h"

static void take_vertex(const ts_vec3* w, int a, ts_subdistance* out) {
    out->count = 1;
    out->index[0] = a;
    out->lambda[0] = 1.0;
    out->point = w[a];
    out->distance_squared = ts_vec3_norm_squared(w[a]);
}

static void solve_segment(const ts_vec3* w, int a, int b, ts_subdistance* out) {
    ts_vec3 e = ts_vec3_sub(w[b], w[a]);
    double ta = -ts_vec3_dot(w[a], e), tb = ts_vec3_dot(w[b], e);
    double length = ts_vec3_norm_squared(e);
    if (!(length > 0.0) || !(ta > 0.0)) {
        take_vertex(w, a, out);
        return;
    }
    if (!(tb > 0.0)) {
        take_vertex(w, b, out);
        return;
    }
    // Only the smaller weight is computed: for a segment much shorter than its distance ta + tb misses `length` by far.
    int nearer_a = ta <= tb;
    double lambda_b = nearer_a ? ta / length : 1.0 - tb / length;
    if (!(lambda_b > 0.0)) lambda_b = 0.0;
    if (lambda_b > 1.0) lambda_b = 1.0;
    double lambda_a = nearer_a ? 1.0 - lambda_b : tb / length;
    if (!(lambda_a > 0.0) || !(lambda_b > 0.0)) {
        take_vertex(w, lambda_a > 0.0 ? a : b, out);
        return;
    }
    out->count = 2;
    out->index[0] = a;
    out->index[1] = b;
    out->lambda[0] = lambda_a;
    out->lambda[1] = lambda_b;
    // From the nearer end less is cancelled.
    out->point = nearer_a ? ts_vec3_add_scaled(w[a], lambda_b, e) : ts_vec3_add_scaled(w[b], -lambda_a, e);
    out->distance_squared = ts_vec3_norm_squared(out->point);
}

static double area2(double au, double av, double bu, double bv, double cu, double cv) {
    return (bu - au) * (cv - av) - (bv - av) * (cu - au);
}

// Same strict sign.
static int agrees(double x, double whole) { return (x > 0.0 && whole > 0.0) || (x < 0.0 && whole < 0.0); }

static void solve_triangle(const ts_vec3* w, int a, int b, int c, ts_subdistance* out) {
    ts_vec3 normal = ts_vec3_cross(ts_vec3_sub(w[b], w[a]), ts_vec3_sub(w[c], w[a]));
    double nn = ts_vec3_norm_squared(normal);
    int mismatch[3] = {1, 1, 1};
    if (nn > 0.0) {
        ts_vec3 p = ts_vec3_scale(ts_vec3_dot(normal, w[a]) / nn, normal);
        int k = ts_vec3_largest(ts_vec3_abs(normal)), iu = (k + 1) % 3, iv = (k + 2) % 3;
        double au = ts_vec3_get(w[a], iu), av = ts_vec3_get(w[a], iv), bu = ts_vec3_get(w[b], iu);
        double bv = ts_vec3_get(w[b], iv), cu = ts_vec3_get(w[c], iu), cv = ts_vec3_get(w[c], iv);
        double pu = ts_vec3_get(p, iu), pv = ts_vec3_get(p, iv);
        double whole = ts_vec3_get(normal, k);
        double area[3] = {area2(pu, pv, bu, bv, cu, cv), area2(pu, pv, cu, cv, au, av), area2(pu, pv, au, av, bu, bv)};
        for (int q = 0; q < 3; ++q) mismatch[q] = !agrees(area[q], whole);
        if (!mismatch[0] && !mismatch[1] && !mismatch[2]) {
            double inverse = 1.0 / (area[0] + area[1] + area[2]);
            out->count = 3;
            out->index[0] = a;
            out->index[1] = b;
            out->index[2] = c;
            for (int q = 0; q < 3; ++q) out->lambda[q] = area[q] * inverse;
            out->point = p;
            out->distance_squared = ts_vec3_norm_squared(p);
            return;
        }
    }
    const int edge[3][2] = {{b, c}, {a, c}, {a, b}};
    int found = 0;
    for (int q = 0; q < 3; ++q) {
        if (!mismatch[q]) continue;
        ts_subdistance candidate;
        solve_segment(w, edge[q][0], edge[q][1], &candidate);
        if (!found || candidate.distance_squared < out->distance_squared) *out = candidate;
        found = 1;
    }
}

static double determinant(ts_vec3 a, ts_vec3 b, ts_vec3 c) { return ts_vec3_dot(a, ts_vec3_cross(b, c)); }

static void solve_tetrahedron(const ts_vec3* w, ts_subdistance* out) {
    const double cofactor[4] = {-determinant(w[1], w[2], w[3]), determinant(w[0], w[2], w[3]),
                                -determinant(w[0], w[1], w[3]), determinant(w[0], w[1], w[2])};
    double whole = cofactor[0] + cofactor[1] + cofactor[2] + cofactor[3];
    static const int face[4][3] = {{1, 2, 3}, {0, 2, 3}, {0, 1, 3}, {0, 1, 2}};
    int found = 0;
    for (int q = 0; q < 4; ++q) {
        if (agrees(cofactor[q], whole)) continue;
        ts_subdistance candidate;
        solve_triangle(w, face[q][0], face[q][1], face[q][2], &candidate);
        if (!found || candidate.distance_squared < out->distance_squared) *out = candidate;
        found = 1;
    }
    if (found) return;
    out->count = 4;
    for (int q = 0; q < 4; ++q) {
        out->index[q] = q;
        out->lambda[q] = cofactor[q] / whole;
    }
    out->point = ts_vec3_zero();
    out->distance_squared = 0.0;
}

void ts_subdistance_solve(const ts_vec3* vertex, int count, ts_subdistance* out_result) {
    switch (count) {
    case 1: take_vertex(vertex, 0, out_result); break;
    case 2: solve_segment(vertex, 0, 1, out_result); break;
    case 3: solve_triangle(vertex, 0, 1, 2, out_result); break;
    default: solve_tetrahedron(vertex, out_result); break;
    }
}
