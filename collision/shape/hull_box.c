// A small box around a hull, turned as suits it.
//
// Problem: what a body may touch is asked in every step, before anything exact; a box that turns with the body answers at
// a cost that no mesh can raise. The smaller the box, the fewer pairs of shapes that never come near each other.
// Rule: a box is as good as its surface is small. From the axes of the hull's own frame, of its inertia and of its
// widest flat faces, turn about each axis in turn by angles that halve whenever none helps; keep the best. Extents are
// six support points, so that a thousand boxes are looked at in the time of a few scans. At the end the box is measured
// against every vertex.
// Guaranteed: every vertex inside, rounding included; never a larger surface than the box along the axes of the frame,
// which stays, turned not at all, where others are no better by a hundredth: boxes stay boxes.
// Known limit: a local search; a least box elsewhere may be missed.
#include "collision/shape/hull_internal.h"
#include "collision/shape/support_internal.h"

#include <float.h>

// Angles, as tangents of their half: from 15 degrees down to a tenth of one.
static const double first_turn = 0x1p-3;
static const double last_turn = 0x1p-10;

// A box that is turned has to be worth it: by this part of the surface.
static const double worth_turning = 0.01;

enum { FACES = 4 };  // how many of the widest faces lend their directions

static double width(const ts_hull* hull, ts_vec3 d) {
    int high = ts_support_hull_xyz(hull, d.x, d.y, d.z, -1), low = ts_support_hull_xyz(hull, -d.x, -d.y, -d.z, -1);
    return ts_vec3_dot(d, ts_vec3_sub(hull->vertex[high], hull->vertex[low]));
}

static double surface(double a, double b, double c) { return a * b + b * c + c * a; }

// Half the surface of the box along the columns of `axes`.
static double cost_of(const ts_hull* hull, const ts_mat3* axes) {
    return surface(width(hull, ts_mat3_column(axes, 0)), width(hull, ts_mat3_column(axes, 1)),
                   width(hull, ts_mat3_column(axes, 2)));
}

// `axes` turned about its own axis k by an angle with tangent t of its half. No function but a root: the same bits on
// every machine.
static ts_mat3 turned(const ts_mat3* axes, int k, double t) {
    double c = (1.0 - t * t) / (1.0 + t * t), s = 2.0 * t / (1.0 + t * t);
    ts_vec3 column[3];
    for (int i = 0; i < 3; ++i) column[i] = ts_mat3_column(axes, i);
    ts_vec3 u = column[(k + 1) % 3], v = column[(k + 2) % 3];
    column[(k + 1) % 3] = ts_vec3_add_scaled(ts_vec3_scale(c, u), s, v);
    column[(k + 2) % 3] = ts_vec3_add_scaled(ts_vec3_scale(c, v), -s, u);
    return ts_mat3_from_columns(column[0], column[1], column[2]);
}

// Turns `axes` for as long as that makes the box smaller; returns its cost.
static double improve(const ts_hull* hull, ts_mat3* axes) {
    double best = cost_of(hull, axes);
    for (double t = first_turn; t >= last_turn;) {
        int better = 0;
        for (int k = 0; k < 6; ++k) {
            ts_mat3 trial = turned(axes, k / 2, k % 2 ? -t : t);
            double cost = cost_of(hull, &trial);
            if (!(cost < best)) continue;
            best = cost;
            *axes = trial;
            better = 1;
        }
        if (!better) t *= 0.5;
    }
    return best;
}

// Axes with the given normal and, as far as it goes, the given side.
static ts_mat3 axes_along(ts_vec3 normal, ts_vec3 side) {
    ts_vec3 u = ts_vec3_unit_or(ts_vec3_add_scaled(side, -ts_vec3_dot(side, normal), normal), ts_vec3_zero());
    return ts_mat3_from_columns(normal, u, ts_vec3_cross(normal, u));
}

static double face_area(const ts_hull* hull, int face) {
    const int* c = hull->face_corner + hull->face_start[face];
    int count = hull->face_start[face + 1] - hull->face_start[face];
    ts_vec3 turn = ts_vec3_zero(), p = hull->vertex[c[0]];
    for (int k = 1; k + 1 < count; ++k)
        turn = ts_vec3_add(turn,
                           ts_vec3_cross(ts_vec3_sub(hull->vertex[c[k]], p), ts_vec3_sub(hull->vertex[c[k + 1]], p)));
    return ts_vec3_norm(turn);
}

// The widest faces, widest first; returns how many there are.
static int widest_faces(const ts_hull* hull, int out_face[FACES]) {
    double area[FACES];
    int count = 0;
    for (int f = 0; f < hull->face_count; ++f) {
        double here = face_area(hull, f);
        int at = count < FACES ? count++ : FACES;
        while (at > 0 && here > area[at - 1]) {
            if (at < FACES) {
                area[at] = area[at - 1];
                out_face[at] = out_face[at - 1];
            }
            --at;
        }
        if (at == FACES) continue;
        area[at] = here;
        out_face[at] = f;
    }
    return count;
}

static void consider(const ts_hull* hull, ts_mat3 axes, double* best, ts_mat3* out_axes) {
    double cost = improve(hull, &axes);
    if (!(cost < *best)) return;
    *best = cost;
    *out_axes = axes;
}

// The box along the given axes, around every vertex as they are, rounding included.
static void measure(ts_hull* hull, const ts_mat3* axes) {
    double low[3], high[3], half[3];
    for (int k = 0; k < 3; ++k) {
        ts_vec3 d = ts_mat3_column(axes, k);
        low[k] = high[k] = d.x * hull->x[0] + d.y * hull->y[0] + d.z * hull->z[0];
        for (int i = 1; i < hull->vertex_count; ++i) {
            double along = d.x * hull->x[i] + d.y * hull->y[i] + d.z * hull->z[i];
            low[k] = along < low[k] ? along : low[k];
            high[k] = along > high[k] ? along : high[k];
        }
    }
    ts_vec3 least = ts_vec3_load(low), most = ts_vec3_load(high);
    double size = ts_vec3_max_abs(hull->box_min) + ts_vec3_max_abs(hull->box_max);
    for (int k = 0; k < 3; ++k) half[k] = 0.5 * (high[k] - low[k]) + 8.0 * DBL_EPSILON * size;
    hull->box.R = *axes;
    hull->box.p = ts_vec3_add(hull->centre, ts_mat3_mul_vec(axes, ts_vec3_lerp(least, most, 0.5)));
    hull->box_half = ts_vec3_load(half);
}

void ts_hull_fit_box(ts_hull* hull) {
    ts_mat3 own = ts_mat3_identity(), axes = own, inertia;
    ts_vec3 moments;
    double as_it_is = cost_of(hull, &own), best = as_it_is * (1.0 - worth_turning);
    consider(hull, own, &best, &axes);
    if (hull->rank == 3) {
        ts_mat3_eigen_symmetric(&hull->second_moment, &moments, &inertia);
        consider(hull, inertia, &best, &axes);
    }
    int face[FACES], count = widest_faces(hull, face);
    for (int k = 0; k < count; ++k) {
        const int* c = hull->face_corner + hull->face_start[face[k]];
        consider(hull, axes_along(hull->face_normal[face[k]], ts_vec3_sub(hull->vertex[c[1]], hull->vertex[c[0]])),
                 &best, &axes);
    }
    measure(hull, &axes);
}
