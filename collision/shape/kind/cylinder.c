// A solid cylinder along z.
#include "collision/shape/shape_traits_internal.h"

#include "collision/shape/mass_rounded_internal.h"
#include "collision/shape/support_internal.h"

// Labels: 0 to 15 of the caps, 16 the lower and 17 the upper end of a ruling.
static void feature(const ts_shape* shape, ts_vec3 d, ts_support_point rim, ts_support_feature* out) {
    ts_vec3 h = shape->half;
    if (fabs(d.z) >= ts_feature_cos) {
        ts_feature_cap(h, !(d.z < 0.0), out);
    } else if (fabs(d.z) <= ts_feature_sin) {
        ts_feature_add(out, ts_vec3_make(rim.point.x, rim.point.y, -h.z), 16);
        ts_feature_add(out, ts_vec3_make(rim.point.x, rim.point.y, h.z), 17);
    } else {
        ts_feature_add(out, rim.point, d.z < 0.0 ? 16 : 17);
    }
}

static double value(const ts_shape* shape, ts_vec3 d) {
    return sqrt(d.x * d.x + d.y * d.y) * shape->half.x + fabs(d.z) * shape->half.z;
}

static ts_mass_properties mass(const ts_shape* shape) {
    ts_vec3 h = shape->half;
    double volume = TS_PI * h.x * h.x * 2.0 * h.z;
    double across = volume * (0.25 * h.x * h.x + h.z * h.z / 3.0);
    return ts_shape_mass_diagonal(volume, ts_vec3_make(across, across, 0.5 * volume * h.x * h.x));
}

static void add_hessian(const ts_shape* shape, ts_vec3 n, ts_vec3 u, ts_vec3 v, ts_tangent_form* io) {
    ts_hessian_of_rim(shape->half.x, n, u, v, io);
}

static double point(const ts_shape* shape, ts_vec3 p, ts_vec3* out_outward) {
    double across = sqrt(p.x * p.x + p.y * p.y);
    ts_vec3 radial = across > 0.0 ? ts_vec3_make(p.x / across, p.y / across, 0.0) : ts_vec3_axis(0);
    ts_vec3 axial = ts_vec3_make(0.0, 0.0, p.z < 0.0 ? -1.0 : 1.0);
    double side = across - shape->half.x, end = fabs(p.z) - shape->half.z;
    if (side > 0.0 && end > 0.0) {
        *out_outward = ts_vec3_unit_or(ts_vec3_add(ts_vec3_scale(side, radial), ts_vec3_scale(end, axial)), axial);
        return sqrt(side * side + end * end);
    }
    *out_outward = side > end ? radial : axial;
    return side > end ? side : end;
}

// A cap or the side; across the axis the side bends too little (add_hessian).
static double rival(const ts_shape* shape, ts_vec3 p) {
    double side = shape->half.x - sqrt(p.x * p.x + p.y * p.y), end = shape->half.z - fabs(p.z);
    return side < end ? end - side : fmin(side - end, 2.0 * fabs(p.z));
}

static int edge(const ts_shape* shape, ts_vec3 n, ts_support_point top, ts_vec3* out_to) {
    (void)shape, (void)n;
    *out_to = ts_vec3_with(top.point, 2, -top.point.z);
    return 1;
}

static void active(const ts_shape* shape, const ts_surface_point* at, ts_active_feature* io) {
    ts_vec3 n = at->n, c = at->c;
    ts_vec3 h = shape->half;
    double size = ts_vec3_norm(h), across = sqrt(n.x * n.x + n.y * n.y);
    double below_end = h.z - fabs(c.z), within = h.x - sqrt(c.x * c.x + c.y * c.y);
    if (below_end > fabs(n.z) * size) {
        io->flat = 1;
        io->along = ts_vec3_axis(2);
        io->room = below_end;
        ts_active_rim(h.x, n, across, io);
    } else if (within > across * size) {
        io->flat = 2;
        io->room = within;
    } else {
        io->turn = fabs(n.z) < across ? fabs(n.z) : across;
        ts_active_rim(h.x, n, across, io);
    }
}

const ts_shape_traits ts_shape_kind_cylinder = {
    .info = {.name = "cylinder",
             .summary = "radius, half height along z; caps clip as octagons at fixed azimuths, sides as rulings",
             .help = "along z, from -H to H",
             .parameter_count = 2,
             .parameter = {{"R", "radius", TS_SHAPE_AT_X_AND_Y}, {"H", "half height", TS_SHAPE_AT_Z}}},
    .rank = 3,
    .turning = 1,
    .support = ts_support_cylinder,
    .feature = feature,
    .value = value,
    .symmetric = 1,
    .reach = ts_shape_reach_of_rim,
    .mass = mass,
    .mass_rounded = ts_mass_rounded_cylinder,
    .add_hessian = add_hessian,
    .point = point,
    .rival = rival,
    .edge = edge,
    .active = active,
};
