// An ellipsoid with its axes along x, y, z.
#include "collision/shape/shape_traits_internal.h"

#include "collision/shape/mass_rounded_internal.h"
#include "collision/shape/support_internal.h"

static double value(const ts_shape* shape, ts_vec3 d) { return ts_vec3_norm(ts_vec3_mul(d, shape->half)); }

static double reach(const ts_shape* shape) { return ts_vec3_max_abs(shape->half); }

static ts_mass_properties mass(const ts_shape* shape) {
    ts_vec3 h = shape->half;
    double volume = 4.0 / 3.0 * TS_PI * h.x * h.y * h.z;
    return ts_shape_mass_diagonal(volume, ts_vec3_make(0.2 * volume * (h.y * h.y + h.z * h.z),
                                                       0.2 * volume * (h.x * h.x + h.z * h.z),
                                                       0.2 * volume * (h.x * h.x + h.y * h.y)));
}

static void add_hessian(const ts_shape* shape, ts_vec3 n, ts_vec3 u, ts_vec3 v, ts_tangent_form* io) {
    ts_vec3 squares = ts_vec3_mul(shape->half, shape->half), en = ts_vec3_mul(squares, n);
    double inverse = 1.0 / sqrt(ts_vec3_dot(n, en));
    double nu = inverse * ts_vec3_dot(en, u), nv = inverse * ts_vec3_dot(en, v);
    ts_vec3 eu = ts_vec3_mul(squares, u);
    io->uu += inverse * (ts_vec3_dot(u, eu) - nu * nu);
    io->uv += inverse * (ts_vec3_dot(v, eu) - nu * nv);
    io->vv += inverse * (ts_vec3_dot(v, ts_vec3_mul(squares, v)) - nv * nv);
}

const ts_shape_traits ts_shape_kind_ellipsoid = {
    .info = {.name = "ellipsoid",
             .summary = "three semi-axes; smooth, one contact point by GJK and EPA",
             .help = "semi-axes",
             .parameter_count = 3,
             .parameter = {{"A", "semi-axis", TS_SHAPE_AT_X},
                           {"B", "semi-axis", TS_SHAPE_AT_Y},
                           {"C", "semi-axis", TS_SHAPE_AT_Z}}},
    .rank = 3,
    .smooth = 1,
    .support = ts_support_ellipsoid,
    .value = value,
    .symmetric = 1,
    .reach = reach,
    .mass = mass,
    .mass_rounded = ts_mass_rounded_ellipsoid,
    .add_hessian = add_hessian,
};
