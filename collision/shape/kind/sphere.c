// A ball: its core is a point.
#include "collision/shape/shape_traits_internal.h"

#include "collision/shape/support_internal.h"

static ts_mass_properties mass(const ts_shape* shape) {
    double r = shape->radius, volume = 4.0 / 3.0 * TS_PI * r * r * r, inertia = 0.4 * volume * r * r;
    return ts_shape_mass_diagonal(volume, ts_vec3_make(inertia, inertia, inertia));
}

static int vertex(const ts_shape* shape, int index, ts_vec3* out_vertex) {
    (void)shape;
    *out_vertex = ts_vec3_zero();
    return index == 0;
}

const ts_shape_traits ts_shape_kind_sphere = {
    .info = {.name = "sphere",
             .summary = "radius; one contact point, closed form against plane, sphere, capsule, cylinder and box",
             .help = "a ball of radius R",
             .parameter_count = 1,
             .parameter = {{"R", "radius", TS_SHAPE_AT_RADIUS}}},
    .rank = 0,
    .polytope = 1,
    .support = ts_support_origin,
    .mass_rounded = mass,
    .vertex = vertex,
};
