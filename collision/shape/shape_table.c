// The one list of the kinds of shapes. Adding a kind is one file in kind/, its lines here and its name in ts_shape_kind
// (docs/extend/shape.md).
#include "collision/shape/shape_traits_internal.h"

extern const ts_shape_traits ts_shape_kind_plane;
extern const ts_shape_traits ts_shape_kind_sphere;
extern const ts_shape_traits ts_shape_kind_capsule;
extern const ts_shape_traits ts_shape_kind_ellipsoid;
extern const ts_shape_traits ts_shape_kind_cylinder;
extern const ts_shape_traits ts_shape_kind_cone;
extern const ts_shape_traits ts_shape_kind_triangle;
extern const ts_shape_traits ts_shape_kind_box;
extern const ts_shape_traits ts_shape_kind_hull;
extern const ts_shape_traits ts_shape_kind_height_field;
extern const ts_shape_traits ts_shape_kind_compound;

// One to a line.
// clang-format off
const ts_shape_traits* const ts_shape_table[TS_SHAPE_KIND_COUNT] = {
    [TS_SHAPE_PLANE] = &ts_shape_kind_plane,
    [TS_SHAPE_SPHERE] = &ts_shape_kind_sphere,
    [TS_SHAPE_CAPSULE] = &ts_shape_kind_capsule,
    [TS_SHAPE_ELLIPSOID] = &ts_shape_kind_ellipsoid,
    [TS_SHAPE_CYLINDER] = &ts_shape_kind_cylinder,
    [TS_SHAPE_CONE] = &ts_shape_kind_cone,
    [TS_SHAPE_TRIANGLE] = &ts_shape_kind_triangle,
    [TS_SHAPE_BOX] = &ts_shape_kind_box,
    [TS_SHAPE_HULL] = &ts_shape_kind_hull,
    [TS_SHAPE_HEIGHT_FIELD] = &ts_shape_kind_height_field,
    [TS_SHAPE_COMPOUND] = &ts_shape_kind_compound,
};
// clang-format on
