// Mass properties of shapes of density 1: textbook closed forms for cores; a hull carries its own, summed over tetrahedra
// when it was built; compounds and height fields are sums. What a ball around a core adds is in mass_rounded.c.
#include "collision/shape/compound.h"
#include "collision/shape/height_field.h"
#include "collision/shape/moments_internal.h"

static const double TS_SHAPE_PI = 3.14159265358979323846;

static ts_mass_properties mass_make(double volume, double x, double y, double z) {
    ts_mass_properties mass = {volume, ts_vec3_zero(), ts_mat3_diagonal(ts_vec3_make(x, y, z))};
    return mass;
}

static ts_mass_properties compound_mass(const ts_compound* compound, double radius) {
    ts_moments sum = ts_moments_none();
    for (int i = 0; i < compound->count; ++i) {
        ts_shape grown = ts_shape_rounded(compound->child[i].shape, radius);
        ts_mass_properties part = ts_shape_mass_properties(&grown);
        ts_moments_add(&sum, &part, &compound->child[i].placed);
    }
    return ts_moments_mass(&sum);
}

static ts_mass_properties height_field_mass(const ts_height_field* field) {
    ts_moments sum = ts_moments_none();
    int count = ts_height_field_triangle_count(field);
    for (int i = 0; i < count; ++i) {
        ts_vec3 t[3], f[3];
        ts_height_field_triangle(field, i, t);
        for (int k = 0; k < 3; ++k) f[k] = ts_vec3_make(t[k].x, t[k].y, field->floor);
        ts_moments_add_tetrahedron(&sum, f[0], f[1], f[2], t[0]);
        ts_moments_add_tetrahedron(&sum, f[1], f[2], t[0], t[1]);
        ts_moments_add_tetrahedron(&sum, f[2], t[0], t[1], t[2]);
    }
    return ts_moments_mass(&sum);
}

// Of the core alone, but for spheres and capsules, whose cores have no volume.
static ts_mass_properties core_mass(const ts_shape* shape) {
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
    case TS_SHAPE_CONE: {
        double volume = TS_SHAPE_PI * h.x * h.x * 2.0 * h.z / 3.0, height = 2.0 * h.z;
        double across = volume * (0.15 * h.x * h.x + 0.0375 * height * height);
        ts_mass_properties mass = mass_make(volume, across, across, 0.3 * volume * h.x * h.x);
        mass.centre.z = -0.5 * h.z;
        return mass;
    }
    case TS_SHAPE_HEIGHT_FIELD: return height_field_mass(shape->height_field);
    case TS_SHAPE_COMPOUND: return compound_mass(shape->compound, r);
    case TS_SHAPE_TRIANGLE:
    case TS_SHAPE_PLANE:
    case TS_SHAPE_KIND_COUNT: break;
    }
    return mass_make(0.0, 0.0, 0.0, 0.0);
}

ts_mass_properties ts_shape_mass_properties(const ts_shape* shape) {
    ts_mass_properties core = core_mass(shape);
    if (!(shape->radius > 0.0)) return core;
    switch (shape->kind) {
    case TS_SHAPE_ELLIPSOID:
    case TS_SHAPE_CYLINDER:
    case TS_SHAPE_CONE:
    case TS_SHAPE_TRIANGLE:
    case TS_SHAPE_BOX:
    case TS_SHAPE_HULL: return ts_shape_mass_rounded(shape, &core);
    default: return core;
    }
}
