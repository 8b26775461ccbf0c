// A box with its edges along x, y, z.
#include "collision/shape/shape_traits_internal.h"

#include "collision/shape/mass_rounded_internal.h"
#include "collision/shape/support_internal.h"

// Corner by its sign bits: 1 for positive x, 2 for y, 4 for z.
static ts_vec3 corner_at(ts_vec3 h, int bits) {
    return ts_vec3_make(bits & 1 ? h.x : -h.x, bits & 2 ? h.y : -h.y, bits & 4 ? h.z : -h.z);
}

static void feature(const ts_shape* shape, ts_vec3 d, ts_support_point top, ts_support_feature* out) {
    ts_vec3 h = shape->half, m = ts_vec3_abs(d);
    (void)top;
    int corner = (d.x < 0.0 ? 0 : 1) | (d.y < 0.0 ? 0 : 2) | (d.z < 0.0 ? 0 : 4);
    int high = ts_vec3_largest(m), low = ts_vec3_least(m);
    if (ts_vec3_get(m, high) >= ts_feature_cos) {
        int positive = corner >> high & 1;
        int u = 1 << (high + 1) % 3, v = 1 << (high + 2) % 3;
        int base = positive << high;
        int loop[4] = {0, positive ? u : v, u | v, positive ? v : u};
        for (int k = 0; k < 4; ++k) ts_feature_add(out, corner_at(h, base | loop[k]), base | loop[k]);
        out->index = 2 * high + positive;
        out->normal = ts_vec3_scale(positive ? 1.0 : -1.0, ts_vec3_axis(high));
    } else if (ts_vec3_get(m, low) <= ts_feature_sin) {
        int base = corner & ~(1 << low);
        ts_feature_add(out, corner_at(h, base), base);
        ts_feature_add(out, corner_at(h, base | 1 << low), base | 1 << low);
    } else {
        ts_feature_add(out, corner_at(h, corner), corner);
    }
}

static double value(const ts_shape* shape, ts_vec3 d) {
    return fabs(d.x) * shape->half.x + fabs(d.y) * shape->half.y + fabs(d.z) * shape->half.z;
}

static ts_mass_properties mass(const ts_shape* shape) {
    ts_vec3 h = shape->half;
    double volume = 8.0 * h.x * h.y * h.z;
    return ts_shape_mass_diagonal(volume, ts_vec3_make(volume / 3.0 * (h.y * h.y + h.z * h.z),
                                                       volume / 3.0 * (h.x * h.x + h.z * h.z),
                                                       volume / 3.0 * (h.x * h.x + h.y * h.y)));
}

static int vertex(const ts_shape* shape, int index, ts_vec3* out_vertex) {
    *out_vertex = corner_at(shape->half, index);
    return index < 8;
}

static double point(const ts_shape* shape, ts_vec3 p, ts_vec3* out_outward) {
    ts_vec3 h = shape->half, d = ts_vec3_sub(p, ts_vec3_max(ts_vec3_neg(h), ts_vec3_min(h, p)));
    if (ts_vec3_max_abs(d) > 0.0) {
        *out_outward = ts_vec3_unit_or(d, ts_vec3_axis(0));
        return ts_vec3_dot(*out_outward, d);
    }
    ts_vec3 depth = ts_vec3_sub(h, ts_vec3_abs(p));
    int face = ts_vec3_least(depth);
    *out_outward = ts_vec3_scale(ts_vec3_get(p, face) < 0.0 ? -1.0 : 1.0, ts_vec3_axis(face));
    return -ts_vec3_get(depth, face);
}

// The next face, or the one across.
static double rival(const ts_shape* shape, ts_vec3 p) {
    ts_vec3 depth = ts_vec3_sub(shape->half, ts_vec3_abs(p));
    int face = ts_vec3_least(depth);
    ts_vec3 rest = ts_vec3_with(depth, face, ts_vec3_get(shape->half, face) + fabs(ts_vec3_get(p, face)));
    return ts_vec3_get(rest, ts_vec3_least(rest)) - ts_vec3_get(depth, face);
}

static int edge(const ts_shape* shape, ts_vec3 n, ts_support_point top, ts_vec3* out_to) {
    int axis = ts_vec3_least(ts_vec3_abs(n));
    (void)shape;
    *out_to = ts_vec3_with(top.point, axis, -ts_vec3_get(top.point, axis));
    return 1;
}

static void active(const ts_shape* shape, const ts_surface_point* at, ts_active_feature* io) {
    double size = ts_vec3_norm(shape->half), room = (double)INFINITY, turn = (double)INFINITY;
    const double half[3] = {shape->half.x, shape->half.y, shape->half.z}, c[3] = {at->c.x, at->c.y, at->c.z},
                 n[3] = {at->n.x, at->n.y, at->n.z};
    int flat = 0, last = 0;
    for (int i = 0; i < 3; ++i) {
        double inside = half[i] - fabs(c[i]), off = fabs(n[i]);
        if (inside > off * size) {
            ++flat;
            last = i;
            room = inside < room ? inside : room;
        } else {
            turn = off < turn ? off : turn;
        }
    }
    io->flat = flat;
    io->room = room;
    if (flat < 2) io->turn = turn;
    if (flat == 1) io->along = ts_vec3_axis(last);
}

const ts_shape_traits ts_shape_kind_box = {
    .info = {.name = "box",
             .summary = "three half extents; box against box by separating axes and face clipping",
             .help = "HALF extents: box:1,1,1 has edges of 2 m",
             .parameter_count = 3,
             .parameter = {{"HX", "half extent", TS_SHAPE_AT_X},
                           {"HY", "half extent", TS_SHAPE_AT_Y},
                           {"HZ", "half extent", TS_SHAPE_AT_Z}}},
    .rank = 3,
    .polytope = 1,
    .support = ts_support_box,
    .feature = feature,
    .value = value,
    .symmetric = 1,
    .mass = mass,
    .mass_rounded = ts_mass_rounded_box,
    .vertex = vertex,
    .point = point,
    .rival = rival,
    .edge = edge,
    .active = active,
};
