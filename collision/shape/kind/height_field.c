// Ground given by heights on a grid: prisms from its surface to its floor.
#include "collision/shape/shape_traits_internal.h"

#include "collision/shape/height_field.h"
#include "collision/shape/moments_internal.h"

static void box(const ts_shape* shape, ts_vec3* out_min, ts_vec3* out_max) {
    *out_min = shape->height_field->box_min;
    *out_max = shape->height_field->box_max;
}

// The solid down to the floor, triangle by triangle; of a ball nothing is known.
static ts_mass_properties mass(const ts_shape* shape) {
    const ts_height_field* field = shape->height_field;
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

const ts_shape_traits ts_shape_kind_height_field = {
    .info = {.name = "height-field",
             .summary =
                 "ground given by heights on a grid, solid down to a floor; one prism per triangle of the surface",
             .made_of = "grid of heights"},
    .rank = 3,
    .box = box,
    .mass = mass,
    .mass_rounded = mass,
};
