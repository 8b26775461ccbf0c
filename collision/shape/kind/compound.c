// Several placed convex shapes as one.
#include "collision/shape/shape_traits_internal.h"

#include "collision/shape/compound.h"
#include "collision/shape/moments_internal.h"

static void box(const ts_shape* shape, ts_vec3* out_min, ts_vec3* out_max) {
    *out_min = shape->compound->box_min;
    *out_max = shape->compound->box_max;
}

// Children count each for itself where they overlap; a ball around the whole is one around each.
static ts_mass_properties mass(const ts_shape* shape) {
    const ts_compound* compound = shape->compound;
    ts_moments sum = ts_moments_none();
    for (int i = 0; i < compound->count; ++i) {
        ts_shape grown = ts_shape_rounded(compound->child[i].shape, shape->radius);
        ts_mass_properties part = ts_shape_mass_properties(&grown);
        ts_moments_add(&sum, &part, &compound->child[i].placed);
    }
    return ts_moments_mass(&sum);
}

const ts_shape_traits ts_shape_kind_compound = {
    .info = {.name = "compound",
             .summary = "placed convex shapes as one; contacts of the children together",
             .made_of = "list of children"},
    .rank = 3,
    .box = box,
    .mass = mass,
    .mass_rounded = mass,
};
