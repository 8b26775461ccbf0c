// Mass properties of shapes of density 1: textbook closed forms; a hull carries its own, summed over tetrahedra when it
// was built.
#include "collision/compound.h"
#include "collision/height_field.h"
#include "collision/shape.h"

static const double TS_SHAPE_PI = 3.14159265358979323846;

static ts_mass_properties mass_make(double volume, double x, double y, double z) {
    ts_mass_properties mass = {volume, ts_vec3_zero(), ts_mat3_diagonal(ts_vec3_make(x, y, z))};
    return mass;
}

// Sums of 1, x and x x^T over solids.
typedef struct moment_sum {
    double volume;
    ts_vec3 first;
    ts_mat3 second;
} moment_sum;

// The second moment from the inertia of a part with its centre and axes, and back.
static void add_part(moment_sum* sum, const ts_mass_properties* part, const ts_transform* placed) {
    ts_vec3 c = ts_transform_point(placed, part->centre);
    double half = 0.5 * ts_mat3_trace(&part->inertia);
    ts_mat3 local = ts_mat3_sub(ts_mat3_diagonal(ts_vec3_make(half, half, half)), part->inertia);
    ts_mat3 second = ts_mat3_rotate_tensor(placed->R, local);
    sum->volume += part->volume;
    sum->first = ts_vec3_add_scaled(sum->first, part->volume, c);
    sum->second = ts_mat3_add(sum->second, ts_mat3_add(second, ts_mat3_scale(part->volume, ts_mat3_outer(c, c))));
}

static ts_mass_properties conclude(const moment_sum* sum) {
    ts_mass_properties mass = mass_make(sum->volume, 0.0, 0.0, 0.0);
    if (!(sum->volume > 0.0)) return mass;
    mass.centre = ts_vec3_scale(1.0 / sum->volume, sum->first);
    ts_mat3 second = ts_mat3_sub(sum->second, ts_mat3_scale(sum->volume, ts_mat3_outer(mass.centre, mass.centre)));
    double trace = ts_mat3_trace(&second);
    mass.inertia = ts_mat3_sub(ts_mat3_diagonal(ts_vec3_make(trace, trace, trace)), second);
    return mass;
}

static ts_mass_properties compound_mass(const ts_compound* compound, double radius) {
    moment_sum sum = {0.0, ts_vec3_zero(), ts_mat3_zero()};
    for (int i = 0; i < compound->count; ++i) {
        ts_shape grown = ts_shape_rounded(compound->child[i].shape, radius);
        ts_mass_properties part = ts_shape_mass_properties(&grown);
        add_part(&sum, &part, &compound->child[i].placed);
    }
    return conclude(&sum);
}

// The tetrahedron of four points; signed by their order.
static void add_tetrahedron(moment_sum* sum, ts_vec3 o, ts_vec3 p, ts_vec3 q, ts_vec3 r) {
    ts_vec3 a = ts_vec3_sub(p, o), b = ts_vec3_sub(q, o), c = ts_vec3_sub(r, o);
    double volume = ts_vec3_dot(a, ts_vec3_cross(b, c)) / 6.0;
    ts_vec3 total = ts_vec3_add(ts_vec3_add(o, p), ts_vec3_add(q, r));
    ts_mat3 squares = ts_mat3_add(ts_mat3_add(ts_mat3_outer(o, o), ts_mat3_outer(p, p)),
                                  ts_mat3_add(ts_mat3_outer(q, q), ts_mat3_outer(r, r)));
    sum->volume += volume;
    sum->first = ts_vec3_add_scaled(sum->first, 0.25 * volume, total);
    squares = ts_mat3_add(squares, ts_mat3_outer(total, total));
    sum->second = ts_mat3_add(sum->second, ts_mat3_scale(volume / 20.0, squares));
}

static ts_mass_properties height_field_mass(const ts_height_field* field) {
    moment_sum sum = {0.0, ts_vec3_zero(), ts_mat3_zero()};
    int count = ts_height_field_triangle_count(field);
    for (int i = 0; i < count; ++i) {
        ts_vec3 t[3], f[3];
        ts_height_field_triangle(field, i, t);
        for (int k = 0; k < 3; ++k) f[k] = ts_vec3_make(t[k].x, t[k].y, field->floor);
        add_tetrahedron(&sum, f[0], f[1], f[2], t[0]);
        add_tetrahedron(&sum, f[1], f[2], t[0], t[1]);
        add_tetrahedron(&sum, f[2], t[0], t[1], t[2]);
    }
    return conclude(&sum);
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
