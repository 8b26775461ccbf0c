// A half-space. It has no support points and no inside to speak of: pairs with it have their own ways.
#include "collision/shape/shape_traits_internal.h"

#include <float.h>

static ts_code validate(const ts_shape* shape, ts_status* out_status) {
    if (shape->radius != 0.0)
        return ts_status_set(out_status, TS_ERROR_VALUE, 0, 0, "plane: cannot be rounded, move it instead");
    return ts_status_ok(out_status);
}

static double reach(const ts_shape* shape) {
    (void)shape;
    return (double)INFINITY;
}

// A half-space whose normal is a coordinate axis ends there: most pairs with a floor or a wall need no closer look.
static void bounds(const ts_shape* shape, const ts_transform* placed, ts_vec3* out_min, ts_vec3* out_max) {
    double n[3], p[3], low[3], high[3];
    (void)shape;
    ts_vec3_store(ts_mat3_column(&placed->R, 2), n);
    ts_vec3_store(placed->p, p);
    // Rounding of a rotation. Far out it tilts the plane by less than positions there are rounded.
    const double upright = 4.0 * DBL_EPSILON;
    double room = 16.0 * DBL_EPSILON * (fabs(p[0]) + fabs(p[1]) + fabs(p[2]));
    for (int k = 0; k < 3; ++k) {
        low[k] = -(double)INFINITY;
        high[k] = (double)INFINITY;
        if (!(fabs(n[(k + 1) % 3]) <= upright && fabs(n[(k + 2) % 3]) <= upright)) continue;
        if (n[k] > 0.0)
            high[k] = p[k] + room;
        else
            low[k] = p[k] - room;
    }
    *out_min = ts_vec3_load(low);
    *out_max = ts_vec3_load(high);
}

static void active(const ts_shape* shape, const ts_surface_point* at, ts_active_feature* io) {
    (void)shape, (void)at;
    io->flat = 2;
}

const ts_shape_traits ts_shape_kind_plane = {
    .info = {.name = "plane",
             .summary = "half-space z <= 0, no parameters; contacts are the other shape's lowest points",
             .help = "the half-space z <= 0"},
    .rank = 3,
    .validate = validate,
    .reach = reach,
    .bounds = bounds,
    .active = active,
};
