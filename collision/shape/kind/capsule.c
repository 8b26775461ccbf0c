// A capsule: its core is a segment along z.
#include "collision/shape/shape_traits_internal.h"

#include "collision/shape/support_internal.h"

static void feature(const ts_shape* shape, ts_vec3 d, ts_support_point top, ts_support_feature* out) {
    if (fabs(d.z) <= ts_feature_sin) {
        ts_feature_add(out, ts_vec3_make(0.0, 0.0, -shape->half.z), 0);
        ts_feature_add(out, ts_vec3_make(0.0, 0.0, shape->half.z), 1);
    } else {
        ts_feature_add(out, top.point, top.index);
    }
}

static double value(const ts_shape* shape, ts_vec3 d) { return fabs(d.z) * shape->half.z; }

// A cylinder of length 2 h and two half balls whose centroids sit 3r/8 beyond its ends.
static ts_mass_properties mass(const ts_shape* shape) {
    double r = shape->radius, h = shape->half.z;
    double tube = TS_PI * r * r * 2.0 * h;
    double ball = 4.0 / 3.0 * TS_PI * r * r * r;
    double across = tube * (0.25 * r * r + h * h / 3.0) + ball * (0.4 * r * r + h * h + 0.75 * h * r);
    return ts_shape_mass_diagonal(tube + ball, ts_vec3_make(across, across, 0.5 * tube * r * r + 0.4 * ball * r * r));
}

static int vertex(const ts_shape* shape, int index, ts_vec3* out_vertex) {
    *out_vertex = ts_vec3_make(0.0, 0.0, index ? shape->half.z : -shape->half.z);
    return index < 2;
}

static double excess(const ts_shape* shape, ts_vec3 p) {
    return fmax(sqrt(p.x * p.x + p.y * p.y), fabs(p.z) - shape->half.z);
}

static int edge(const ts_shape* shape, ts_vec3 n, ts_support_point top, ts_vec3* out_to) {
    (void)shape, (void)n;
    *out_to = ts_vec3_with(top.point, 2, -top.point.z);
    return 1;
}

static void active(const ts_shape* shape, const ts_surface_point* at, ts_active_feature* io) {
    double inside = shape->half.z - fabs(at->c.z), slope = fabs(at->n.z);
    if (inside > slope * shape->half.z) {
        io->flat = 1;
        io->along = ts_vec3_axis(2);
        io->room = inside;
    } else {
        io->turn = slope;
    }
}

const ts_shape_traits ts_shape_kind_capsule = {
    .info = {.name = "capsule",
             .summary = "radius, half length along z; a rounded segment, two contact points when it lies",
             .help = "along z, segment from -H to H, radius R",
             .parameter_count = 2,
             .parameter = {{"R", "radius", TS_SHAPE_AT_RADIUS}, {"H", "half length", TS_SHAPE_AT_Z}}},
    .rank = 1,
    .polytope = 1,
    .support = ts_support_segment,
    .feature = feature,
    .value = value,
    .symmetric = 1,
    .mass_rounded = mass,
    .vertex = vertex,
    .excess = excess,
    .edge = edge,
    .active = active,
};
