// Mass properties of shapes of density 1: what the kind knows, else those of many support points' hull. Cores have textbook
// closed forms in their kinds' files; what a ball around a core adds is in mass_rounded.c.
#include "collision/shape/shape_traits_internal.h"

#include "collision/shape/support_internal.h"

#include <stdlib.h>

ts_mass_properties ts_shape_mass_diagonal(double volume, ts_vec3 inertia) {
    ts_mass_properties mass = {volume, ts_vec3_zero(), ts_mat3_diagonal(inertia)};
    return mass;
}

// The middle of square k, in directions: a cube's faces in the order +x -x +y -y +z -z, each in n rows of n squares.
static ts_vec3 middle_of_square(int n, int k) {
    int face = k / (n * n), row = k / n % n, column = k % n, axis = face / 2;
    double v[3];
    v[axis] = face % 2 ? -1.0 : 1.0;
    v[(axis + 1) % 3] = (2.0 * column + 1.0) / n - 1.0;
    v[(axis + 2) % 3] = (2.0 * row + 1.0) / n - 1.0;
    return ts_vec3_make(v[0], v[1], v[2]);
}

ts_code ts_shape_tessellate(const ts_shape* shape, int n, ts_hull** out_hull, ts_status* out_status) {
    *out_hull = 0;
    if (!ts_shape_is_convex(shape) || !ts_shape_traits_of(shape)->support)
        return ts_status_set(out_status, TS_ERROR_VALUE, 0, 0, "%s: it has no support points",
                             ts_shape_kind_name(shape->kind));
    int count = 6 * n * n;
    ts_vec3* point = (ts_vec3*)malloc((size_t)count * sizeof *point);
    if (!point) return ts_status_set(out_status, TS_ERROR_MEMORY, 0, 0, "out of memory");
    for (int k = 0; k < count; ++k) {
        ts_vec3 d = ts_vec3_unit_or(middle_of_square(n, k), ts_vec3_axis(0));
        point[k] = ts_vec3_add_scaled(ts_support_core(shape, d, -1).point, shape->radius, d);
    }
    ts_code code = ts_hull_build(point, count, out_hull, out_status);
    free(point);
    return code;
}

ts_mass_properties ts_shape_sampled_mass(const ts_shape* shape) {
    enum { FINENESS = 32 };  // 6144 directions: a ball comes out too light by 0.1 %
    ts_mass_properties mass = ts_shape_mass_diagonal(0.0, ts_vec3_zero());
    ts_hull* hull;
    if (ts_shape_tessellate(shape, FINENESS, &hull, 0)) return mass;
    mass.volume = hull->volume;
    mass.centre = hull->centroid;
    mass.inertia = hull->second_moment;
    ts_hull_free(hull);
    return mass;
}

ts_mass_properties ts_shape_mass_properties(const ts_shape* shape) {
    const ts_shape_traits* traits = ts_shape_traits_of(shape);
    if (shape->radius > 0.0) return traits->mass_rounded ? traits->mass_rounded(shape) : ts_shape_sampled_mass(shape);
    if (traits->rank < 3) return ts_shape_mass_diagonal(0.0, ts_vec3_zero());
    return traits->mass ? traits->mass(shape) : ts_shape_sampled_mass(shape);
}
