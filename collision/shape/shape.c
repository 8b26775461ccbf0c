// Shapes as values: making, validation, bounds, by what the table of kinds says (shape_table.c). Bounds of convex shapes are
// exact: along each world axis the extent is the value of the support function there. Mass properties are in mass.c.
#include "collision/shape/shape_traits_internal.h"

#include "base/assert.h"

static ts_shape shape_make(ts_shape_kind kind, double radius, ts_vec3 half) {
    ts_shape shape;
    shape.kind = kind;
    shape.radius = radius;
    shape.half = half;
    shape.hull = 0;
    return shape;
}

ts_shape ts_shape_plane(void) { return shape_make(TS_SHAPE_PLANE, 0.0, ts_vec3_zero()); }

ts_shape ts_shape_sphere(double radius) { return shape_make(TS_SHAPE_SPHERE, radius, ts_vec3_zero()); }

ts_shape ts_shape_capsule(double radius, double half_length) {
    return shape_make(TS_SHAPE_CAPSULE, radius, ts_vec3_make(0.0, 0.0, half_length));
}

ts_shape ts_shape_ellipsoid(ts_vec3 semi_axes) { return shape_make(TS_SHAPE_ELLIPSOID, 0.0, semi_axes); }

ts_shape ts_shape_cylinder(double radius, double half_height) {
    return shape_make(TS_SHAPE_CYLINDER, 0.0, ts_vec3_make(radius, radius, half_height));
}

ts_shape ts_shape_cone(double radius, double half_height) {
    return shape_make(TS_SHAPE_CONE, 0.0, ts_vec3_make(radius, radius, half_height));
}

ts_shape ts_shape_triangle(const ts_vec3* corners) {
    ts_shape shape = shape_make(TS_SHAPE_TRIANGLE, 0.0, ts_vec3_zero());
    shape.triangle = corners;
    return shape;
}

ts_shape ts_shape_box(ts_vec3 half_extents) { return shape_make(TS_SHAPE_BOX, 0.0, half_extents); }

ts_shape ts_shape_hull(const ts_hull* hull) {
    ts_shape shape = shape_make(TS_SHAPE_HULL, 0.0, ts_vec3_zero());
    shape.hull = hull;
    return shape;
}

ts_shape ts_shape_height_field(const ts_height_field* height_field) {
    ts_shape shape = shape_make(TS_SHAPE_HEIGHT_FIELD, 0.0, ts_vec3_zero());
    shape.height_field = height_field;
    return shape;
}

ts_shape ts_shape_compound(const ts_compound* compound) {
    ts_shape shape = shape_make(TS_SHAPE_COMPOUND, 0.0, ts_vec3_zero());
    shape.compound = compound;
    return shape;
}

ts_shape ts_shape_rounded(ts_shape shape, double radius) {
    shape.radius += radius;
    return shape;
}

const ts_shape_kind_info* ts_shape_kind_info_of(ts_shape_kind kind) {
    TS_ASSERT((unsigned)kind < TS_SHAPE_KIND_COUNT);
    return &ts_shape_table[kind]->info;
}

const char* ts_shape_kind_name(ts_shape_kind kind) {
    return (unsigned)kind < TS_SHAPE_KIND_COUNT ? ts_shape_table[kind]->info.name : "unknown";
}

ts_shape ts_shape_make(ts_shape_kind kind, const double* values) {
    const ts_shape_kind_info* info = ts_shape_kind_info_of(kind);
    ts_shape shape = shape_make(kind, 0.0, ts_vec3_zero());
    for (int i = 0; i < info->parameter_count; ++i) {
        switch (info->parameter[i].place) {
        case TS_SHAPE_AT_RADIUS: shape.radius = values[i]; break;
        case TS_SHAPE_AT_X: shape.half.x = values[i]; break;
        case TS_SHAPE_AT_Y: shape.half.y = values[i]; break;
        case TS_SHAPE_AT_Z: shape.half.z = values[i]; break;
        case TS_SHAPE_AT_X_AND_Y: shape.half.x = shape.half.y = values[i]; break;
        }
    }
    return shape;
}

double ts_shape_value(const ts_shape* shape, int i) {
    switch (ts_shape_traits_of(shape)->info.parameter[i].place) {
    case TS_SHAPE_AT_RADIUS: return shape->radius;
    case TS_SHAPE_AT_Y: return shape->half.y;
    case TS_SHAPE_AT_Z: return shape->half.z;
    default: return shape->half.x;
    }
}

int ts_shape_is_convex(const ts_shape* shape) { return (int)shape->kind >= 0 && shape->kind < TS_SHAPE_CONVEX_COUNT; }

ts_code ts_shape_validate(const ts_shape* shape, ts_status* out_status) {
    if ((unsigned)shape->kind >= TS_SHAPE_KIND_COUNT)
        return ts_status_set(out_status, TS_ERROR_VALUE, 0, 0, "unknown shape kind %d", (int)shape->kind);
    const ts_shape_traits* traits = ts_shape_traits_of(shape);
    const ts_shape_kind_info* info = &traits->info;
    if (!isfinite(shape->radius) || shape->radius < 0.0)
        return ts_status_set(out_status, TS_ERROR_VALUE, 0, 0, "%s: radius must be finite and not negative, not %g",
                             info->name, shape->radius);
    // Whatever pointer the kind has: all share one place.
    if (info->made_of && !shape->hull)
        return ts_status_set(out_status, TS_ERROR_VALUE, 0, 0, "%s: no %s given", info->name, info->made_of);
    for (int i = 0; i < info->parameter_count; ++i) {
        double value = ts_shape_value(shape, i);
        if (!isfinite(value) || !(value > 0.0))
            return ts_status_set(out_status, TS_ERROR_VALUE, 0, 0, "%s: %s must be positive and finite, not %g",
                                 info->name, info->parameter[i].name, value);
        if (info->parameter[i].place == TS_SHAPE_AT_X_AND_Y && shape->half.y != value)
            return ts_status_set(out_status, TS_ERROR_VALUE, 0, 0, "%s: the two radii differ (%g and %g)", info->name,
                                 value, shape->half.y);
    }
    return traits->validate ? traits->validate(shape, out_status) : ts_status_ok(out_status);
}

// --- boxes ---------------------------------------------------------------------------------------------------------------

double ts_shape_reach_of_rim(const ts_shape* shape) {
    return sqrt(shape->half.x * shape->half.x + shape->half.z * shape->half.z);
}

// The box around the core. That of a half-space is its bounds.
static void core_box(const ts_shape* shape, ts_vec3* out_min, ts_vec3* out_max) {
    const ts_shape_traits* traits = ts_shape_traits_of(shape);
    ts_transform here = ts_transform_identity();
    if (traits->bounds) {
        traits->bounds(shape, &here, out_min, out_max);
    } else if (traits->box) {
        traits->box(shape, out_min, out_max);
    } else {
        *out_max = shape->half;
        *out_min = ts_vec3_neg(shape->half);
    }
}

// The highest <x, d> over the core.
static double core_value(const ts_shape* shape, ts_vec3 d) {
    const ts_shape_traits* traits = ts_shape_traits_of(shape);
    if (traits->value) return traits->value(shape, d);
    if (traits->support) return ts_vec3_dot(d, traits->support(shape, d, -1).point);
    ts_vec3 low, high;
    core_box(shape, &low, &high);
    return ts_vec3_dot(d, ts_vec3_lerp(low, high, 0.5)) +
           ts_vec3_dot(ts_vec3_abs(d), ts_vec3_scale(0.5, ts_vec3_sub(high, low)));
}

void ts_shape_bounds(const ts_shape* shape, const ts_transform* placed, ts_vec3* out_min, ts_vec3* out_max) {
    const ts_shape_traits* traits = ts_shape_traits_of(shape);
    double low[3], high[3];
    if (traits->bounds) {
        traits->bounds(shape, placed, out_min, out_max);
        return;
    }
    if (traits->symmetric) {
        for (int i = 0; i < 3; ++i) {
            double reach = traits->value(shape, ts_mat3_row(&placed->R, i));
            low[i] = -reach - shape->radius + ts_vec3_get(placed->p, i);
            high[i] = reach + shape->radius + ts_vec3_get(placed->p, i);
        }
        *out_min = ts_vec3_load(low);
        *out_max = ts_vec3_load(high);
        return;
    }
    for (int i = 0; i < 3; ++i) {
        ts_vec3 axis = ts_mat3_row(&placed->R, i);
        low[i] = -core_value(shape, ts_vec3_neg(axis)) - shape->radius + ts_vec3_get(placed->p, i);
        high[i] = core_value(shape, axis) + shape->radius + ts_vec3_get(placed->p, i);
    }
    *out_min = ts_vec3_load(low);
    *out_max = ts_vec3_load(high);
}

void ts_shape_local_box(const ts_shape* shape, ts_vec3* out_min, ts_vec3* out_max) {
    ts_vec3 ball = ts_vec3_make(shape->radius, shape->radius, shape->radius);
    core_box(shape, out_min, out_max);
    *out_min = ts_vec3_sub(*out_min, ball);
    *out_max = ts_vec3_add(*out_max, ball);
}

double ts_shape_bounding_radius(const ts_shape* shape) {
    const ts_shape_traits* traits = ts_shape_traits_of(shape);
    if (traits->reach) return traits->reach(shape) + shape->radius;
    ts_vec3 low, high;
    core_box(shape, &low, &high);
    // The corner farthest from the origin.
    return ts_vec3_norm(ts_vec3_max(ts_vec3_abs(low), ts_vec3_abs(high))) + shape->radius;
}
