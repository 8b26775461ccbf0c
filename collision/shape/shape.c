// Shapes as values: names, validation, bounds. Bounds of convex shapes are exact: along each world axis the extent is the
// value of the support function there. Mass properties are in mass.c.
#include "collision/shape/shape.h"

#include "collision/shape/compound.h"
#include "collision/shape/height_field.h"
#include "collision/shape/support_internal.h"

#include <float.h>

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

int ts_shape_is_convex(const ts_shape* shape) { return (int)shape->kind >= 0 && shape->kind < TS_SHAPE_CONVEX_COUNT; }

static int positive(double value) { return isfinite(value) && value > 0.0; }

static ts_code refuse(ts_status* out_status, const char* kind, const char* what, double value) {
    return ts_status_set(out_status, TS_ERROR_VALUE, 0, 0, "%s: %s must be positive and finite, not %g", kind, what,
                         value);
}

static ts_code missing(ts_status* out_status, const char* kind, const char* what) {
    return ts_status_set(out_status, TS_ERROR_VALUE, 0, 0, "%s: no %s given", kind, what);
}

// Length a, width b and the like of a solid of revolution.
static ts_code validate_round(const ts_shape* shape, const char* name, ts_status* out_status) {
    ts_vec3 half = shape->half;
    if (!positive(half.x)) return refuse(out_status, name, "radius", half.x);
    if (half.y != half.x)
        return ts_status_set(out_status, TS_ERROR_VALUE, 0, 0, "%s: the two radii differ (%g and %g)", name, half.x,
                             half.y);
    if (!positive(half.z)) return refuse(out_status, name, "half height", half.z);
    return ts_status_ok(out_status);
}

static ts_code validate_triangle(const ts_shape* shape, ts_status* out_status) {
    const ts_vec3* p = shape->triangle;
    if (!p) return missing(out_status, "triangle", "corners");
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

ts_code ts_shape_validate(const ts_shape* shape, ts_status* out_status) {
    const char* name = ts_shape_kind_name(shape->kind);
    if (!isfinite(shape->radius) || shape->radius < 0.0)
        return ts_status_set(out_status, TS_ERROR_VALUE, 0, 0, "%s: radius must be finite and not negative, not %g",
                             name, shape->radius);
    switch (shape->kind) {
    case TS_SHAPE_PLANE:
        if (shape->radius != 0.0)
            return ts_status_set(out_status, TS_ERROR_VALUE, 0, 0, "plane: cannot be rounded, move it instead");
        return ts_status_ok(out_status);
    case TS_SHAPE_SPHERE:
        if (!positive(shape->radius)) return refuse(out_status, name, "radius", shape->radius);
        return ts_status_ok(out_status);
    case TS_SHAPE_CAPSULE:
        if (!positive(shape->radius)) return refuse(out_status, name, "radius", shape->radius);
        if (!positive(shape->half.z)) return refuse(out_status, name, "half length", shape->half.z);
        return ts_status_ok(out_status);
    case TS_SHAPE_CYLINDER:
    case TS_SHAPE_CONE: return validate_round(shape, name, out_status);
    case TS_SHAPE_TRIANGLE: return validate_triangle(shape, out_status);
    case TS_SHAPE_ELLIPSOID:
    case TS_SHAPE_BOX:
        for (int i = 0; i < 3; ++i)
            if (!positive(ts_vec3_get(shape->half, i)))
                return refuse(out_status, name, shape->kind == TS_SHAPE_BOX ? "half extent" : "semi-axis",
                              ts_vec3_get(shape->half, i));
        return ts_status_ok(out_status);
    case TS_SHAPE_HULL: return shape->hull ? ts_status_ok(out_status) : missing(out_status, name, "polytope");
    case TS_SHAPE_HEIGHT_FIELD:
        return shape->height_field ? ts_status_ok(out_status) : missing(out_status, name, "grid of heights");
    case TS_SHAPE_COMPOUND:
        return shape->compound ? ts_status_ok(out_status) : missing(out_status, name, "list of children");
    case TS_SHAPE_KIND_COUNT: break;
    }
    return ts_status_set(out_status, TS_ERROR_VALUE, 0, 0, "unknown shape kind %d", (int)shape->kind);
}

const char* ts_shape_kind_name(ts_shape_kind kind) {
    static const char* const names[TS_SHAPE_KIND_COUNT] = {"plane",    "sphere",       "capsule",  "ellipsoid",
                                                           "cylinder", "cone",         "triangle", "box",
                                                           "hull",     "height-field", "compound"};
    return (int)kind >= 0 && kind < TS_SHAPE_KIND_COUNT ? names[kind] : "unknown";
}

const char* ts_shape_kind_summary(ts_shape_kind kind) {
    static const char* const summaries[TS_SHAPE_KIND_COUNT] = {
        "half-space z <= 0, no parameters; contacts are the other shape's lowest points",
        "radius; one contact point, closed form against plane, sphere, capsule, cylinder and box",
        "radius, half length along z; a rounded segment, two contact points when it lies",
        "three semi-axes; smooth, one contact point by GJK and EPA",
        "radius, half height along z; caps clip as octagons at fixed azimuths, sides as rulings",
        "radius of the base, half height along z, apex up; the base clips as an octagon, the side as rulings",
        "three corners; flat, clips as a polygon from either side",
        "three half extents; box against box by separating axes and face clipping",
        "convex polytope with merged flat faces, or a flat one; GJK, EPA and face clipping",
        "ground given by heights on a grid, solid down to a floor; one prism per triangle of the surface",
        "placed convex shapes as one; contacts of the children together"};
    return (int)kind >= 0 && kind < TS_SHAPE_KIND_COUNT ? summaries[kind] : "unknown";
}

// Lowest and highest value of <direction, x> over a hull.
static void hull_interval(const ts_hull* hull, ts_vec3 d, double* out_low, double* out_high) {
    int low = ts_support_hull_xyz(hull, -d.x, -d.y, -d.z, -1), high = ts_support_hull_xyz(hull, d.x, d.y, d.z, -1);
    double centre = ts_vec3_dot(d, hull->centre);
    *out_low = centre + (d.x * hull->x[low] + d.y * hull->y[low] + d.z * hull->z[low]);
    *out_high = centre + (d.x * hull->x[high] + d.y * hull->y[high] + d.z * hull->z[high]);
}

static void triangle_interval(const ts_vec3* corner, ts_vec3 direction, double* out_low, double* out_high) {
    *out_low = *out_high = ts_vec3_dot(direction, corner[0]);
    for (int i = 1; i < 3; ++i) {
        double value = ts_vec3_dot(direction, corner[i]);
        *out_low = value < *out_low ? value : *out_low;
        *out_high = value > *out_high ? value : *out_high;
    }
}

// A box from low to high seen along a direction.
static void box_interval(ts_vec3 low, ts_vec3 high, ts_vec3 direction, double* out_low, double* out_high) {
    double centre = ts_vec3_dot(direction, ts_vec3_lerp(low, high, 0.5));
    double reach = ts_vec3_dot(ts_vec3_abs(direction), ts_vec3_scale(0.5, ts_vec3_sub(high, low)));
    *out_low = centre - reach;
    *out_high = centre + reach;
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

// Lowest and highest value of <direction, x> over a shape that is not a plane, in its own frame, ball included.
static void shape_interval(const ts_shape* shape, ts_vec3 d, double* out_low, double* out_high) {
    ts_vec3 h = shape->half;
    switch (shape->kind) {
    case TS_SHAPE_HULL: hull_interval(shape->hull, d, out_low, out_high); break;
    case TS_SHAPE_TRIANGLE: triangle_interval(shape->triangle, d, out_low, out_high); break;
    case TS_SHAPE_CONE: {
        double base = sqrt(d.x * d.x + d.y * d.y) * h.x, apex = d.z * h.z;
        *out_low = apex < -apex - base ? apex : -apex - base;
        *out_high = apex > base - apex ? apex : base - apex;
        break;
    }
    case TS_SHAPE_HEIGHT_FIELD:
        box_interval(shape->height_field->box_min, shape->height_field->box_max, d, out_low, out_high);
        break;
    case TS_SHAPE_COMPOUND:
        box_interval(shape->compound->box_min, shape->compound->box_max, d, out_low, out_high);
        break;
    default:
        *out_high = symmetric_extent(shape, d);
        *out_low = -*out_high;
        break;
    }
    *out_low -= shape->radius;
    *out_high += shape->radius;
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
        shape_interval(shape, ts_mat3_row(&placed->R, i), &low[i], &high[i]);
        low[i] += ts_vec3_get(placed->p, i);
        high[i] += ts_vec3_get(placed->p, i);
    }
    *out_min = ts_vec3_load(low);
    *out_max = ts_vec3_load(high);
}

void ts_shape_local_box(const ts_shape* shape, ts_vec3* out_min, ts_vec3* out_max) {
    ts_transform here = ts_transform_identity();
    ts_vec3 ball = ts_vec3_make(shape->radius, shape->radius, shape->radius);
    switch (shape->kind) {
    case TS_SHAPE_SPHERE:
    case TS_SHAPE_CAPSULE:
    case TS_SHAPE_ELLIPSOID:
    case TS_SHAPE_CYLINDER:
    case TS_SHAPE_CONE:
    case TS_SHAPE_BOX:
        *out_max = ts_vec3_add(shape->half, ball);
        *out_min = ts_vec3_neg(*out_max);
        break;
    case TS_SHAPE_HULL:
        *out_min = ts_vec3_sub(shape->hull->box_min, ball);
        *out_max = ts_vec3_add(shape->hull->box_max, ball);
        break;
    default: ts_shape_bounds(shape, &here, out_min, out_max); break;
    }
}

// The corner of a box farthest from the origin.
static double box_reach(ts_vec3 low, ts_vec3 high) {
    return ts_vec3_norm(ts_vec3_max(ts_vec3_abs(low), ts_vec3_abs(high)));
}

static double triangle_reach(const ts_vec3* corner) {
    return fmax(ts_vec3_norm(corner[0]), fmax(ts_vec3_norm(corner[1]), ts_vec3_norm(corner[2])));
}

double ts_shape_bounding_radius(const ts_shape* shape) {
    ts_vec3 h = shape->half;
    switch (shape->kind) {
    case TS_SHAPE_PLANE: return (double)INFINITY;
    case TS_SHAPE_SPHERE: return shape->radius;
    case TS_SHAPE_CAPSULE: return h.z + shape->radius;
    case TS_SHAPE_ELLIPSOID: return ts_vec3_max_abs(h) + shape->radius;
    case TS_SHAPE_CYLINDER:
    case TS_SHAPE_CONE: return sqrt(h.x * h.x + h.z * h.z) + shape->radius;
    case TS_SHAPE_BOX: return ts_vec3_norm(h) + shape->radius;
    case TS_SHAPE_TRIANGLE: return triangle_reach(shape->triangle) + shape->radius;
    case TS_SHAPE_HULL: return shape->hull->reach + shape->radius;
    case TS_SHAPE_HEIGHT_FIELD:
        return box_reach(shape->height_field->box_min, shape->height_field->box_max) + shape->radius;
    case TS_SHAPE_COMPOUND: return box_reach(shape->compound->box_min, shape->compound->box_max) + shape->radius;
    case TS_SHAPE_KIND_COUNT: break;
    }
    return 0.0;
}
