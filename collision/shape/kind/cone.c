// A solid cone along z, apex up: the base of the given radius at -half.z, the apex at half.z.
#include "collision/shape/shape_traits_internal.h"

#include "collision/shape/mass_rounded_internal.h"
#include "collision/shape/support_internal.h"

// The length of a ruling.
static double slant_of(ts_vec3 h) { return sqrt(4.0 * h.z * h.z + h.x * h.x); }

// The point of the rim farthest along d.
static ts_vec3 rim_along(ts_vec3 h, ts_vec3 d, double across) {
    double s = across > 0.0 ? h.x / across : 0.0;
    return across > 0.0 ? ts_vec3_make(s * d.x, s * d.y, -h.z) : ts_vec3_make(h.x, 0.0, -h.z);
}

// Labels: 0 to 7 of the base, 16 the rim's and 17 the apex' end of a ruling.
static void feature(const ts_shape* shape, ts_vec3 d, ts_support_point top, ts_support_feature* out) {
    ts_vec3 h = shape->half;
    (void)top;
    double across = sqrt(d.x * d.x + d.y * d.y), slant = slant_of(h);
    double sine = 2.0 * h.z / slant, cosine = h.x / slant;  // of the side's normal, from the axis
    ts_vec3 apex = ts_vec3_make(0.0, 0.0, h.z), rim = rim_along(h, d, across);
    // The side's ruling there, if the direction is near its normal. On a flat cone directions near the axis are near every
    // side normal at once: there the apex is meant, not the ruling that rounding picks.
    double side = across * sine + d.z * cosine;
    if (-d.z >= ts_feature_cos && -d.z >= side) {
        ts_feature_cap(h, 0, out);
    } else if (side >= ts_feature_cos && across >= 0.5 * sine) {
        ts_feature_add(out, rim, 16);
        ts_feature_add(out, apex, 17);
    } else if (2.0 * h.z * d.z > h.x * across) {
        ts_feature_add(out, apex, 17);
    } else {
        ts_feature_add(out, rim, 16);
    }
}

static double value(const ts_shape* shape, ts_vec3 d) {
    double base = sqrt(d.x * d.x + d.y * d.y) * shape->half.x, apex = d.z * shape->half.z;
    return apex > base - apex ? apex : base - apex;
}

static ts_mass_properties mass(const ts_shape* shape) {
    ts_vec3 h = shape->half;
    double volume = TS_PI * h.x * h.x * 2.0 * h.z / 3.0, height = 2.0 * h.z;
    double across = volume * (0.15 * h.x * h.x + 0.0375 * height * height);
    ts_mass_properties mass = ts_shape_mass_diagonal(volume, ts_vec3_make(across, across, 0.3 * volume * h.x * h.x));
    mass.centre.z = -0.5 * h.z;
    return mass;
}

static void add_hessian(const ts_shape* shape, ts_vec3 n, ts_vec3 u, ts_vec3 v, ts_tangent_form* io) {
    ts_vec3 h = shape->half;
    if (2.0 * h.z * n.z > h.x * sqrt(n.x * n.x + n.y * n.y)) return;  // the apex
    ts_hessian_of_rim(h.x, n, u, v, io);
}

// In the half-plane through the axis the cone is a right triangle: apex, rim, middle of the base. Below the base no point
// projects onto the slope, whose normal points upwards.
static double point(const ts_shape* shape, ts_vec3 p, ts_vec3* out_outward) {
    ts_vec3 h = shape->half;
    double across = sqrt(p.x * p.x + p.y * p.y), height = 2.0 * h.z, slope = slant_of(h);
    ts_vec3 radial = across > 0.0 ? ts_vec3_make(p.x / across, p.y / across, 0.0) : ts_vec3_axis(0);
    double below_apex = h.z - p.z, base = -h.z - p.z;
    double side = (across * height - below_apex * h.x) / slope, along = (across * h.x + below_apex * height) / slope;
    ts_vec3 down = ts_vec3_make(0.0, 0.0, -1.0);
    if (base > 0.0 ? across > h.x : side > 0.0 && along >= slope) {  // the rim
        ts_vec3 d = ts_vec3_add(ts_vec3_scale(across - h.x, radial), ts_vec3_scale(base, down));
        *out_outward = ts_vec3_unit_or(d, down);
        return ts_vec3_dot(*out_outward, d);
    }
    if (base <= 0.0 && side > 0.0 && along <= 0.0) {  // the apex
        ts_vec3 d = ts_vec3_make(p.x, p.y, -below_apex);
        *out_outward = ts_vec3_unit_or(d, ts_vec3_axis(2));
        return ts_vec3_dot(*out_outward, d);
    }
    *out_outward =
        base > side ? down : ts_vec3_add(ts_vec3_scale(height / slope, radial), ts_vec3_make(0.0, 0.0, h.x / slope));
    return base > side ? base : side;
}

// The base or the slant.
static double rival(const ts_shape* shape, ts_vec3 p) {
    ts_vec3 h = shape->half;
    double across = sqrt(p.x * p.x + p.y * p.y);
    return fabs(h.z + p.z - ((h.z - p.z) * h.x - across * 2.0 * h.z) / slant_of(h));
}

static int edge(const ts_shape* shape, ts_vec3 n, ts_support_point top, ts_vec3* out_to) {
    ts_vec3 h = shape->half;
    *out_to = top.point.z > 0.0 ? rim_along(h, n, sqrt(n.x * n.x + n.y * n.y)) : ts_vec3_make(0.0, 0.0, h.z);
    return 1;
}

// The normals of all rulings are a circle about the axis.
static ts_normal_circle edge_normals(const ts_shape* shape) {
    ts_normal_circle circle = {ts_vec3_axis(2), shape->half.x / slant_of(shape->half)};
    return circle;
}

// A point of the side bends about the axis with its own distance from it.
static void active(const ts_shape* shape, const ts_surface_point* at, ts_active_feature* io) {
    ts_vec3 n = at->n, c = at->c;
    ts_vec3 h = shape->half, apex = ts_vec3_make(0.0, 0.0, h.z);
    double size = ts_vec3_norm(h), across = sqrt(n.x * n.x + n.y * n.y), slant = slant_of(h);
    double radius = sqrt(c.x * c.x + c.y * c.y), from_apex = ts_vec3_distance(c, apex), from_rim = slant - from_apex;
    double room = from_apex < from_rim ? from_apex : from_rim;
    double slope = (2.0 * h.z * n.z - h.x * across) / slant;  // how the ruling rises along n
    if (c.z > -h.z && room > fabs(slope) * size) {
        ts_vec3 rim = rim_along(h, n, across);
        io->flat = 1;
        io->along = ts_vec3_scale(1.0 / slant, ts_vec3_sub(apex, rim));
        io->room = room;
        ts_active_rim(radius, n, across, io);
    } else if (slope > 0.0) {
        io->turn = slope;
    } else if (h.x - radius > across * size) {
        io->flat = 2;
        io->room = h.x - radius;
    } else {
        io->turn = -slope < across ? -slope : across;
        ts_active_rim(h.x, n, across, io);
    }
}

const ts_shape_traits ts_shape_kind_cone = {
    .info = {.name = "cone",
             .summary =
                 "radius of the base, half height along z, apex up; the base clips as an octagon, the side as rulings",
             .help = "base at z = -H, apex at z = H",
             .parameter_count = 2,
             .parameter = {{"R", "radius", TS_SHAPE_AT_X_AND_Y}, {"H", "half height", TS_SHAPE_AT_Z}}},
    .rank = 3,
    .turning = 1,
    .support = ts_support_cone,
    .feature = feature,
    .value = value,
    .reach = ts_shape_reach_of_rim,
    .mass = mass,
    .mass_rounded = ts_mass_rounded_cone,
    .add_hessian = add_hessian,
    .point = point,
    .rival = rival,
    .edge = edge,
    .edge_normals = edge_normals,
    .active = active,
};
