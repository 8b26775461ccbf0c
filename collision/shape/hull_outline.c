// Bounds of a turned hull from 26 numbers.
//
// Problem: the axis-aligned box around a hull in any pose, at a cost that no mesh can raise.
// Rule: the support function h(d) = max <d, x> over the hull is sublinear: h(s d + t e) <= s h(d) + t h(e) for s, t >= 0. A
// direction whose components are, by size, a >= b >= c is (a - b) times a signed axis, (b - c) times the diagonal of a
// square, c times that of a cube; with h known for these 26, so is a bound for every direction.
// Guaranteed: nothing of the hull lies outside, rounding included; exact along the 26 directions. For a ball the bound is at
// most sqrt(1 + (sqrt 2 - 1)^2 + (sqrt 3 - sqrt 2)^2) = 1.128 of its radius, 1.08 on average over directions.
// Known limit: a thin brick turned against its frame is bounded better by its own box (hull_box.c).
#include "collision/shape/hull_internal.h"

#include <float.h>

enum { MIDDLE = TS_HULL_OUTLINE / 2 };

// How far a component moves within the table.
static const int stride[3] = {9, 3, 1};

void ts_hull_draw_outline(ts_hull* hull) {
    double slack = 8.0 * DBL_EPSILON * (ts_vec3_max_abs(hull->box_min) + ts_vec3_max_abs(hull->box_max));
    for (int k = 0; k < TS_HULL_OUTLINE; ++k) {
        ts_vec3 d = ts_vec3_make(k / 9 - 1, k / 3 % 3 - 1, k % 3 - 1);
        double most = d.x * hull->x[0] + d.y * hull->y[0] + d.z * hull->z[0];
        for (int i = 1; i < hull->vertex_count; ++i) {
            double along = d.x * hull->x[i] + d.y * hull->y[i] + d.z * hull->z[i];
            most = along > most ? along : most;
        }
        hull->outline[k] = most + slack;
    }
}

// Bounds of <d, x> and <-d, x> over the hull, about its centre.
static void reach_along(const double* outline, ts_vec3 d, double* out_up, double* out_down) {
    double size[3], part[3] = {d.x, d.y, d.z};
    int large = 0, middle = 1, small = 2, swap;
    for (int k = 0; k < 3; ++k) size[k] = fabs(part[k]);
    if (size[large] < size[middle]) swap = large, large = middle, middle = swap;
    if (size[middle] < size[small]) swap = middle, middle = small, small = swap;
    if (size[large] < size[middle]) swap = large, large = middle, middle = swap;
    int one = part[large] < 0.0 ? -stride[large] : stride[large];
    int two = one + (part[middle] < 0.0 ? -stride[middle] : stride[middle]);
    int three = two + (part[small] < 0.0 ? -stride[small] : stride[small]);
    double s = size[large] - size[middle], t = size[middle] - size[small], u = size[small];
    *out_up = s * outline[MIDDLE + one] + t * outline[MIDDLE + two] + u * outline[MIDDLE + three];
    *out_down = s * outline[MIDDLE - one] + t * outline[MIDDLE - two] + u * outline[MIDDLE - three];
}

void ts_hull_bounds(const ts_hull* hull, const ts_transform* placed, ts_vec3* out_min, ts_vec3* out_max) {
    double up[3], down[3];
    ts_vec3 centre = ts_transform_point(placed, hull->centre);
    for (int k = 0; k < 3; ++k) reach_along(hull->outline, ts_mat3_row(&placed->R, k), &up[k], &down[k]);
    *out_min = ts_vec3_sub(centre, ts_vec3_load(down));
    *out_max = ts_vec3_add(centre, ts_vec3_load(up));
}
