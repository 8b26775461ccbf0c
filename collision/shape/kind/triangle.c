// A flat triangle, which has two sides.
#include "collision/shape/shape_traits_internal.h"

#include "collision/shape/mass_rounded_internal.h"
#include "collision/shape/support_internal.h"

#include <float.h>

static const int others[3][2] = {{1, 2}, {2, 0}, {0, 1}};

// The polygon whose normal is within the feature's angle; else the edge that falls away least, if within it; else the
// corner. Corners seen from behind run the other way round.
static void feature(const ts_shape* shape, ts_vec3 d, ts_support_point at, ts_support_feature* out) {
    const ts_vec3* corner = shape->triangle;
    ts_vec3 turn = ts_vec3_cross(ts_vec3_sub(corner[1], corner[0]), ts_vec3_sub(corner[2], corner[0]));
    ts_vec3 n = ts_vec3_unit_or(turn, d);
    double aligned = ts_vec3_dot(n, d);
    if (fabs(aligned) >= ts_feature_cos) {
        int back = aligned < 0.0;
        for (int k = 0; k < 3; ++k) ts_feature_add(out, corner[back ? 2 - k : k], back ? 2 - k : k);
        out->index = back;
        out->normal = back ? ts_vec3_neg(n) : n;
        return;
    }
    ts_feature_corner(corner, at.index, others[at.index], 2, d, out);
}

static ts_code validate(const ts_shape* shape, ts_status* out_status) {
    const ts_vec3* p = shape->triangle;
    for (int i = 0; i < 3; ++i)
        if (!ts_vec3_is_finite(p[i]))
            return ts_status_set(out_status, TS_ERROR_VALUE, 0, 0, "triangle: corner %d is not finite", i);
    // The height over the longest side, as a fraction of that side: below rounding of the corners there is no plane.
    ts_vec3 e[3] = {ts_vec3_sub(p[1], p[0]), ts_vec3_sub(p[2], p[1]), ts_vec3_sub(p[0], p[2])};
    double longest = 0.0;
    for (int i = 0; i < 3; ++i) longest = ts_vec3_max_abs(e[i]) > longest ? ts_vec3_max_abs(e[i]) : longest;
    if (!(longest > 0.0)) return ts_status_set(out_status, TS_ERROR_VALUE, 0, 0, "triangle: its corners coincide");
    ts_vec3 turn = ts_vec3_cross(ts_vec3_scale(1.0 / longest, e[0]), ts_vec3_scale(1.0 / longest, e[1]));
    if (!(ts_vec3_norm(turn) > 16.0 * DBL_EPSILON))
        return ts_status_set(out_status, TS_ERROR_VALUE, 0, 0, "triangle: its corners lie on a line");
    return ts_status_ok(out_status);
}

static double value(const ts_shape* shape, ts_vec3 d) {
    double most = ts_vec3_dot(d, shape->triangle[0]);
    for (int i = 1; i < 3; ++i) {
        double other = ts_vec3_dot(d, shape->triangle[i]);
        most = other > most ? other : most;
    }
    return most;
}

static void box(const ts_shape* shape, ts_vec3* out_min, ts_vec3* out_max) {
    const ts_vec3* c = shape->triangle;
    *out_min = ts_vec3_min(c[0], ts_vec3_min(c[1], c[2]));
    *out_max = ts_vec3_max(c[0], ts_vec3_max(c[1], c[2]));
}

static double reach(const ts_shape* shape) {
    const ts_vec3* corner = shape->triangle;
    return fmax(ts_vec3_norm(corner[0]), fmax(ts_vec3_norm(corner[1]), ts_vec3_norm(corner[2])));
}

static ts_vec3 middle(const ts_shape* shape) {
    ts_vec3 low, high;
    box(shape, &low, &high);
    return ts_vec3_scale(0.5, ts_vec3_add(low, high));
}

static double thickness(const ts_shape* shape) {
    double shortest = (double)INFINITY;
    for (int k = 0; k < 3; ++k) {
        double side = ts_vec3_distance(shape->triangle[k], shape->triangle[(k + 1) % 3]);
        shortest = side < shortest ? side : shortest;
    }
    return 0.5 * shortest;
}

static int vertex(const ts_shape* shape, int index, ts_vec3* out_vertex) {
    if (index > 2) return 0;
    *out_vertex = shape->triangle[index];
    return 1;
}

static double excess(const ts_shape* shape, ts_vec3 p) {
    static const int corners[3] = {0, 1, 2};
    const ts_vec3* c = shape->triangle;
    ts_vec3 turn = ts_vec3_cross(ts_vec3_sub(c[1], c[0]), ts_vec3_sub(c[2], c[0]));
    ts_vec3 low, high;
    box(shape, &low, &high);
    double off = ts_excess_of_polygon(c, corners, 3, ts_vec3_unit_or(turn, ts_vec3_axis(2)), p);
    return fmax(off, ts_excess_of_box(low, high, p));
}

static int edge(const ts_shape* shape, ts_vec3 n, ts_support_point top, ts_vec3* out_to) {
    double slope;
    *out_to = shape->triangle[ts_flattest_edge(shape->triangle, top.index, others[top.index], 2, n, &slope)];
    return 1;
}

// An edge that leaves a corner, one over its squared length, what a point has of it from the corner, and how much it falls away from a normal,
// the square of its sine.
typedef struct spoke {
    ts_vec3 to;
    double inverse, along, slope;
} spoke;

static inline spoke spoke_of(ts_vec3 to, double inverse, ts_vec3 r, ts_vec3 n) {
    double fall = -ts_vec3_dot(n, to);
    spoke s = {to, inverse, ts_vec3_dot(r, to), fall * fabs(fall) * inverse};
    return s;
}

// The square of how far from a corner a point is still the corner, as a share of the edges there.
static const double at_corner = 1e-26;

// Whether a point lies on an edge rather than on an end of it. `tilt`: the squared sine between normal and face.
static inline int lies_on(spoke s, double square_size, double tilt, ts_active_feature* io) {
    double share = s.along * s.inverse, room = share < 1.0 - share ? share : 1.0 - share;
    if (!(room * fabs(room) > fabs(s.slope) * s.inverse * square_size)) return 0;
    double shrink = sqrt(s.inverse);
    io->flat = 1;
    io->along = ts_vec3_scale(shrink, s.to);
    io->room = room / shrink;
    io->turn = sqrt(tilt);
    return 1;
}

// Whether the point is a corner but for rounding, and how far the normal is from the edges there. What the other ways tell of such a point is this, or
// a border: of an edge or a face that is nearer to lying flat than the point to the corner.
static int active_at_corner(const ts_vec3* p, const ts_surface_point* at, const ts_vec3 r[3], ts_active_feature* io) {
    double square[3] = {ts_vec3_norm_squared(r[0]), ts_vec3_norm_squared(r[1]), ts_vec3_norm_squared(r[2])};
    int top = square[1] < square[0];
    top = square[2] < square[top] ? 2 : top;
    double least = (double)INFINITY;
    for (int k = 0; k < 2; ++k) {
        ts_vec3 to = ts_vec3_sub(p[others[top][k]], p[top]);
        double length = ts_vec3_norm_squared(to), fall = -ts_vec3_dot(at->n, to);
        if (square[top] > at_corner * length) return 0;
        double slope = fall * fabs(fall) / length;
        least = slope < least ? slope : least;
    }
    io->turn = least > 0.0 ? sqrt(least) : 0.0;
    return 1;
}

// Angles are compared with lengths by the longest edge. Lengths and sines are squared, so that only what is told takes a root.
static void active(const ts_shape* shape, const ts_surface_point* at, ts_active_feature* io) {
    const ts_vec3* p = shape->triangle;
    ts_vec3 edge[3], r[3];
    double inverse[3], inside[3], longest = 0.0;
    for (int k = 0; k < 3; ++k) r[k] = ts_vec3_sub(at->c, p[k]);
    if (active_at_corner(p, at, r, io)) return;
    for (int k = 0; k < 3; ++k) {
        edge[k] = ts_vec3_sub(p[k < 2 ? k + 1 : 0], p[k]);
        double square = ts_vec3_norm_squared(edge[k]);
        longest = square > longest ? square : longest;
        inverse[k] = 1.0 / square;
    }
    ts_vec3 normal = ts_vec3_cross(edge[0], edge[1]), across = ts_vec3_cross(at->n, normal);
    double shrink = 1.0 / ts_vec3_norm_squared(normal), tilt = ts_vec3_norm_squared(across) * shrink;
    for (int k = 0; k < 3; ++k) {
        double far = ts_vec3_dot(normal, ts_vec3_cross(edge[k], r[k]));
        inside[k] = far * fabs(far) * inverse[k] * shrink;
    }
    int k = inside[1] < inside[0];
    k = inside[2] < inside[k] ? 2 : k;
    if (inside[k] > tilt * longest) {
        io->flat = 2;
        io->room = sqrt(inside[k]);
        return;
    }
    // The nearer end of the nearest edge, and the edge beside it.
    int top = ts_vec3_dot(r[k], edge[k]) * inverse[k] < 0.5 ? k : (k < 2 ? k + 1 : 0), before = top ? top - 1 : 2;
    spoke ahead = spoke_of(edge[top], inverse[top], r[top], at->n);
    spoke back = spoke_of(ts_vec3_neg(edge[before]), inverse[before], r[top], at->n);
    int turns_back = back.along * fabs(back.along) * back.inverse > ahead.along * fabs(ahead.along) * ahead.inverse;
    if (turns_back ? lies_on(back, longest, tilt, io) : lies_on(ahead, longest, tilt, io)) return;
    double least = ahead.slope < back.slope ? ahead.slope : back.slope;
    io->turn = least > 0.0 ? sqrt(least) : 0.0;
}

const ts_shape_traits ts_shape_kind_triangle = {
    .info = {.name = "triangle",
             .summary = "three corners; flat, clips as a polygon from either side",
             .made_of = "corners"},
    .rank = 2,
    .polytope = 1,
    .support = ts_support_triangle,
    .feature = feature,
    .validate = validate,
    .value = value,
    .box = box,
    .reach = reach,
    .mass_rounded = ts_mass_rounded_triangle,
    .middle = middle,
    .thickness = thickness,
    .vertex = vertex,
    .excess = excess,
    .edge = edge,
    .active = active,
};
