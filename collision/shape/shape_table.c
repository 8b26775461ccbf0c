// The one list of the kinds of shapes. Adding a kind is one file in kind/, its line here and its name in ts_shape_kind
// (docs/extend/shape.md).
#include "collision/shape/shape_traits_internal.h"

// One to a line.
// clang-format off
#define KINDS(X)                      \
    X(PLANE, plane)                   \
    X(SPHERE, sphere)                 \
    X(CAPSULE, capsule)               \
    X(ELLIPSOID, ellipsoid)           \
    X(CYLINDER, cylinder)             \
    X(CONE, cone)                     \
    X(TRIANGLE, triangle)             \
    X(BOX, box)                       \
    X(HULL, hull)                     \
    X(HEIGHT_FIELD, height_field)     \
    X(COMPOUND, compound)
// clang-format on

#define DECLARE(KIND, kind) extern const ts_shape_traits ts_shape_kind_##kind;
KINDS(DECLARE)

#define ENTER(KIND, kind) [TS_SHAPE_##KIND] = &ts_shape_kind_##kind,
const ts_shape_traits* const ts_shape_table[TS_SHAPE_KIND_COUNT] = {KINDS(ENTER)};
