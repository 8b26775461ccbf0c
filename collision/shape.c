// Shapes as values: names, validation, mass properties, bounds.
//
// Mass properties are the textbook closed forms of solids of density 1; a hull carries its own, summed over tetrahedra
// when it was built. Bounds are exact: along each world axis the extent is the value of the support function there.
#include "collision/shape.h"

#include <float.h>

static const double TS_SHAPE_PI = 3.14159265358979323846;

static ts_shape shape_make(ts_shape_kind kind, double radius, ts_vec3 half, const ts_hull* hull) {
    ts_shape shape = {kind, radius, half, hull};
    return shape;
}

ts_shape ts_shape_plane(void) { return shape_make(TS_SHAPE_PLANE, 0.0, ts_vec3_zero(), 0); }

ts_shape ts_shape_sphere(double radius) { return shape_make(TS_SHAPE_SPHERE, radius, ts_vec3_zero(), 0); }

ts_shape ts_shape_capsule(double radius, double half_length) {
    return shape_make(TS_SHAPE_CAPSULE, radius, ts_vec3_make(0.0, 0.0, half_length), 0);
}

ts_shape ts_shape_ellipsoid(ts_vec3 semi_axes) { return shape_make(TS_SHAPE_ELLIPSOID, 0.0, semi_axes, 0); }

ts_shape ts_shape_cylinder(double radius, double half_height) {
    return shape_make(TS_SHAPE_CYLINDER, 0.0, ts_vec3_make(radius, radius, half_height), 0);
}

ts_shape ts_shape_box(ts_vec3 half_extents) { return shape_make(TS_SHAPE_BOX, 0.0, half_extents, 0); }

ts_shape ts_shape_hull(const ts_hull* hull) { return shape_make(TS_SHAPE_HULL, 0.0, ts_vec3_zero(), hull); }

static int positive(double value) { return isfinite(value) && value > 0.0; }

static ts_code refuse(ts_status* out_status, const char* kind, const char* what, double value) {
    return ts_status_set(out_status, TS_ERROR_VALUE, 0, 0, "%s: %s must be positive and finite, not %g", kind, what,
                         value);
}

ts_code ts_shape_validate(const ts_shape* shape, ts_status* out_status) {
    const char* name = ts_shape_kind_name(shape->kind);
    ts_vec3 half = shape->half;
    if (!isfinite(shape->radius) || shape->radius < 0.0)
        return ts_status_set(out_status, TS_ERROR_VALUE, 0, 0, "%s: radius must be finite and not negative, not %g",
                             name, shape->radius);
    switch (shape->kind) {
    case TS_SHAPE_PLANE: return ts_status_ok(out_status);
    case TS_SHAPE_SPHERE:
        if (!positive(shape->radius)) return refuse(out_status, name, "radius", shape->radius);
        return ts_status_ok(out_status);
    case TS_SHAPE_CAPSULE:
        if (!positive(shape->radius)) return refuse(out_status, name, "radius", shape->radius);
        if (!positive(half.z)) return refuse(out_status, name, "half length", half.z);
        return ts_status_ok(out_status);
    case TS_SHAPE_CYLINDER:
        if (!positive(half.x)) return refuse(out_status, name, "radius", half.x);
        if (half.y != half.x)
            return ts_status_set(out_status, TS_ERROR_VALUE, 0, 0, "%s: the two radii differ (%g and %g)", name, half.x,
                                 half.y);
        if (!positive(half.z)) return refuse(out_status, name, "half height", half.z);
        return ts_status_ok(out_status);
    case TS_SHAPE_ELLIPSOID:
    case TS_SHAPE_BOX:
        for (int i = 0; i < 3; ++i)
            if (!positive(ts_vec3_get(half, i)))
                return refuse(out_status, name, shape->kind == TS_SHAPE_BOX ? "half extent" : "semi-axis",
                              ts_vec3_get(half, i));
        return ts_status_ok(out_status);
    case TS_SHAPE_HULL:
        if (!shape->hull) return ts_status_set(out_status, TS_ERROR_VALUE, 0, 0, "hull: no polytope given");
        return ts_status_ok(out_status);
    case TS_SHAPE_KIND_COUNT: break;
    }
    return ts_status_set(out_status, TS_ERROR_VALUE, 0, 0, "unknown shape kind %d", (int)shape->kind);
}

const char* ts_shape_kind_name(ts_shape_kind kind) {
    static const char* const names[TS_SHAPE_KIND_COUNT] = {"plane",    "sphere", "capsule", "ellipsoid",
                                                           "cylinder", "box",    "hull"};
    return (int)kind >= 0 && kind < TS_SHAPE_KIND_COUNT ? names[kind] : "unknown";
}

const char* ts_shape_kind_summary(ts_shape_kind kind) {
    static const char* const summaries[TS_SHAPE_KIND_COUNT] = {
        "half-space z <= 0, no parameters; contacts are the other shape's lowest points",
        "radius; one contact point, closed form against plane, sphere, capsule, cylinder and box",
        "radius, half length along z; a rounded segment, two contact points when it lies",
        "three semi-axes; smooth, one contact point by GJK and EPA",
        "radius, half height along z; caps clip as octagons at fixed azimuths, sides as rulings",
        "three half extents; box against box by separating axes and face clipping",
        "convex polytope with merged flat faces; GJK, EPA and face clipping"};
    return (int)kind >= 0 && kind < TS_SHAPE_KIND_COUNT ? summaries[kind] : "unknown";
}

static ts_mass_properties mass_make(double volume, double x, double y, double z) {
    ts_mass_properties mass = {volume, ts_vec3_zero(), ts_mat3_diagonal(ts_vec3_make(x, y, z))};
    return mass;
}

ts_mass_properties ts_shape_mass_properties(const ts_shape* shape) {
    double r = shape->radius;
    ts_vec3 h = shape->half;
    switch (shape->kind) {
    case TS_SHAPE_SPHERE: {
        double volume = 4.0 / 3.0 * TS_SHAPE_PI * r * r * r;
        double inertia = 0.4 * volume * r * r;
        return mass_make(volume, inertia, inertia, inertia);
    }
    case TS_SHAPE_CAPSULE: {
        // A cylinder of length 2 h.z and two half balls whose centroids sit 3r/8 beyond its ends.
        double tube = TS_SHAPE_PI * r * r * 2.0 * h.z;
        double ball = 4.0 / 3.0 * TS_SHAPE_PI * r * r * r;
        double across = tube * (0.25 * r * r + h.z * h.z / 3.0) + ball * (0.4 * r * r + h.z * h.z + 0.75 * h.z * r);
        return mass_make(tube + ball, across, across, 0.5 * tube * r * r + 0.4 * ball * r * r);
    }
    case TS_SHAPE_ELLIPSOID: {
        double volume = 4.0 / 3.0 * TS_SHAPE_PI * h.x * h.y * h.z;
        return mass_make(volume, 0.2 * volume * (h.y * h.y + h.z * h.z), 0.2 * volume * (h.x * h.x + h.z * h.z),
                         0.2 * volume * (h.x * h.x + h.y * h.y));
    }
    case TS_SHAPE_CYLINDER: {
        double volume = TS_SHAPE_PI * h.x * h.x * 2.0 * h.z;
        double across = volume * (0.25 * h.x * h.x + h.z * h.z / 3.0);
        return mass_make(volume, across, across, 0.5 * volume * h.x * h.x);
    }
    case TS_SHAPE_BOX: {
        double volume = 8.0 * h.x * h.y * h.z;
        return mass_make(volume, volume / 3.0 * (h.y * h.y + h.z * h.z), volume / 3.0 * (h.x * h.x + h.z * h.z),
                         volume / 3.0 * (h.x * h.x + h.y * h.y));
    }
    case TS_SHAPE_HULL: {
        ts_mass_properties mass = {shape->hull->volume, shape->hull->centroid, shape->hull->second_moment};
        return mass;
    }
    case TS_SHAPE_PLANE:
    case TS_SHAPE_KIND_COUNT: break;
    }
    return mass_make(0.0, 0.0, 0.0, 0.0);
}

// Lowest and highest value of <direction, x> over a hull. Starts from a vertex, so that a NaN survives.
static void hull_interval(const ts_hull* hull, ts_vec3 direction, double* out_low, double* out_high) {
    double low = ts_vec3_dot(direction, hull->vertex[0]);
    double high = low;
    for (int i = 1; i < hull->vertex_count; ++i) {
        double value = direction.x * hull->x[i] + direction.y * hull->y[i] + direction.z * hull->z[i];
        low = value < low ? value : low;
        high = value > high ? value : high;
    }
    *out_low = low;
    *out_high = high;
}

// Half the extent of a shape symmetric about its origin, along a direction given in its own frame.
static double symmetric_extent(const ts_shape* shape, ts_vec3 d) {
    ts_vec3 h = shape->half;
    switch (shape->kind) {
    case TS_SHAPE_CAPSULE: return fabs(d.z) * h.z;
    case TS_SHAPE_ELLIPSOID: return ts_vec3_norm(ts_vec3_mul(d, h));
    case TS_SHAPE_CYLINDER: return sqrt(d.x * d.x + d.y * d.y) * h.x + fabs(d.z) * h.z;
    case TS_SHAPE_BOX: return fabs(d.x) * h.x + fabs(d.y) * h.y + fabs(d.z) * h.z;
    default: return 0.0;
    }
}

// A half-space whose normal is a coordinate axis ends there: most pairs with a floor or a wall need no closer look.
static void plane_bounds(const ts_transform* placed, double low[3], double high[3]) {
    double n[3], p[3];
    ts_vec3_store(ts_mat3_column(&placed->R, 2), n);
    ts_vec3_store(placed->p, p);
    for (int k = 0; k < 3; ++k) {
        low[k] = -(double)INFINITY;
        high[k] = (double)INFINITY;
    }
    // Rounding of a rotation. Far out it tilts the plane by less than positions there are rounded.
    const double upright = 4.0 * DBL_EPSILON;
    double room = 16.0 * DBL_EPSILON * (fabs(p[0]) + fabs(p[1]) + fabs(p[2]));
    for (int k = 0; k < 3; ++k) {
        if (!(fabs(n[(k + 1) % 3]) <= upright && fabs(n[(k + 2) % 3]) <= upright)) continue;
        if (n[k] > 0.0)
            high[k] = p[k] + room;
        else
            low[k] = p[k] - room;
    }
}

void ts_shape_bounds(const ts_shape* shape, const ts_transform* placed, ts_vec3* out_min, ts_vec3* out_max) {
    double low[3], high[3];
    if (shape->kind == TS_SHAPE_PLANE) {
        plane_bounds(placed, low, high);
        *out_min = ts_vec3_load(low);
        *out_max = ts_vec3_load(high);
        return;
    }
    for (int i = 0; i < 3; ++i) {
        ts_vec3 d = ts_mat3_row(&placed->R, i);
        if (shape->kind == TS_SHAPE_HULL) {
            hull_interval(shape->hull, d, &low[i], &high[i]);
        } else {
            high[i] = symmetric_extent(shape, d);
            low[i] = -high[i];
        }
        low[i] += ts_vec3_get(placed->p, i) - shape->radius;
        high[i] += ts_vec3_get(placed->p, i) + shape->radius;
    }
    *out_min = ts_vec3_load(low);
    *out_max = ts_vec3_load(high);
}

double ts_shape_bounding_radius(const ts_shape* shape) {
    ts_vec3 h = shape->half;
    switch (shape->kind) {
    case TS_SHAPE_PLANE: return (double)INFINITY;
    case TS_SHAPE_SPHERE: return shape->radius;
    case TS_SHAPE_CAPSULE: return h.z + shape->radius;
    case TS_SHAPE_ELLIPSOID: return ts_vec3_max_abs(h);
    case TS_SHAPE_CYLINDER: return sqrt(h.x * h.x + h.z * h.z) + shape->radius;
    case TS_SHAPE_BOX: return ts_vec3_norm(h) + shape->radius;
    case TS_SHAPE_HULL: {
        double largest = 0.0;
        for (int i = 0; i < shape->hull->vertex_count; ++i) {
            double squared = ts_vec3_norm_squared(shape->hull->vertex[i]);
            largest = squared > largest ? squared : largest;
        }
        return sqrt(largest) + shape->radius;
    }
    case TS_SHAPE_KIND_COUNT: break;
    }
    return 0.0;
}
