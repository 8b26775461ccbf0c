// Bounds of a placed hull from 26 numbers.
//
// Problem: the axis-aligned box around a hull in any pose, at a cost that no mesh can raise, and tighter than what its own
// box, turned, would give: of a ball in its cube that is 1.5 times too wide on average.
// Rule: the support function h(d) = max <d, x> over the hull is sublinear: h(s d + t e) <= s h(d) + t h(e) for s, t >= 0. A
// direction whose components are, by size, a >= b >= c is (a - b) times a signed axis, (b - c) times the diagonal of a
// square, c times that of a cube; with h known for these 26, so is a bound for every direction. Components count along
// the axes of the hull's box (hull_box.c), in its half extents, so that long hulls are served like round ones.
// Guaranteed: nothing of the hull lies outside, rounding included; nothing of the result outside the bounds of the box;
// exact along the 26 directions, and for a brick. For a ball the bound is at most
// sqrt(1 + (sqrt 2 - 1)^2 + (sqrt 3 - sqrt 2)^2) = 1.128 of its radius, 1.08 on average over directions.
#include "collision/shape/hull_internal.h"

#include <float.h>

enum { MIDDLE = TS_HULL_OUTLINE / 2 };

void ts_hull_draw_outline(ts_hull* hull) {
    double half[3], inverse[3], most[TS_HULL_OUTLINE];
    ts_vec3_store(hull->box_half, half);
    for (int k = 0; k < 3; ++k) inverse[k] = half[k] > 0.0 ? 1.0 / half[k] : 0.0;
    for (int n = 0; n < TS_HULL_OUTLINE; ++n) most[n] = -(double)INFINITY;
    for (int i = 0; i < hull->vertex_count; ++i) {
        double p[3];
        ts_vec3_store(ts_transform_point_inverse(&hull->box, hull->vertex[i]), p);
        for (int k = 0; k < 3; ++k) p[k] *= inverse[k];
        for (int n = 0; n < TS_HULL_OUTLINE; ++n)
            most[n] = fmax(most[n], (n % 3 - 1) * p[0] + (n / 3 % 3 - 1) * p[1] + (n / 9 - 1) * p[2]);
    }
    for (int n = 0; n < TS_HULL_OUTLINE; ++n) {
        const int used[3] = {n % 3 != 1, n / 3 % 3 != 1, n / 9 != 1};
        int faces = used[0] + used[1] + used[2];
        // Room for rounding, which in half extents is large where the box is flat.
        for (int k = 0; k < 3; ++k)
            most[n] += used[k] * 8.0 * DBL_EPSILON * ts_vec3_max_abs(hull->box_half) * inverse[k];
        // Never beyond the box, and up to it along its own axes.
        hull->outline[n] = faces == 1 || most[n] > faces ? faces : most[n];
    }
}

// Which of three numbers is the largest and which the least, by three comparisons: bit 0 for first < second, bit 1 for
// second < third, bit 2 for first < third.
static const unsigned char largest_of[8] = {0, 1, 0, 1, 0, 1, 2, 2};
static const unsigned char least_of[8] = {2, 2, 1, 0, 2, 0, 1, 0};

// How far the hull reaches along v, given in half extents of its box, and along the opposite direction.
static inline void reach_along(const double* outline, const double v[3], double* out_to, double* out_back) {
    const double a[3] = {fabs(v[0]), fabs(v[1]), fabs(v[2])};
    const int at[3] = {v[0] < 0.0 ? -1 : 1, v[1] < 0.0 ? -3 : 3, v[2] < 0.0 ? -9 : 9};
    int order = (a[0] < a[1]) | (a[1] < a[2]) << 1 | (a[0] < a[2]) << 2;
    int largest = largest_of[order], least = least_of[order], middle = 3 - largest - least;
    int face = at[largest], corner = at[0] + at[1] + at[2], edge = corner - at[least];
    double x = a[largest] - a[middle], y = a[middle] - a[least], z = a[least];
    *out_to = x * outline[MIDDLE + face] + y * outline[MIDDLE + edge] + z * outline[MIDDLE + corner];
    *out_back = x * outline[MIDDLE - face] + y * outline[MIDDLE - edge] + z * outline[MIDDLE - corner];
}

void ts_hull_bounds(const ts_hull* hull, const ts_transform* box, ts_vec3* out_min, ts_vec3* out_max) {
    double to[3], back[3];
    ts_vec3 h = hull->box_half;
    for (int i = 0; i < 3; ++i) {
        const double v[3] = {box->R.m[i][0] * h.x, box->R.m[i][1] * h.y, box->R.m[i][2] * h.z};
        reach_along(hull->outline, v, &to[i], &back[i]);
    }
    *out_min = ts_vec3_sub(box->p, ts_vec3_load(back));
    *out_max = ts_vec3_add(box->p, ts_vec3_load(to));
}
