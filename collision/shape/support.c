// Support functions of the cores. The features that manifolds are clipped from are in support_feature.c.
//
// Rules (all closed forms): a tie goes to the positive side or the lowest index, so scalar, repeated and mirrored queries
// name the same vertex; directions are never compared with absolute thresholds, so scale does not matter. On the axis of
// a cylinder the rim point at +x is returned instead of the cap's centre, which keeps simplices from degenerating.
// The farthest vertex of a hull is looked for in support_hull.c.
#include "collision/shape/support.h"

#include "collision/shape/support_internal.h"

ts_support_point ts_support_core(const ts_shape* shape, ts_vec3 d, int hint) {
    return ts_support_core_inline(shape, d, hint);
}

int ts_support_is_polytope(const ts_shape* shape) { return ts_shape_traits_of(shape)->polytope; }

int ts_support_is_strictly_convex(const ts_shape* shape) { return ts_shape_traits_of(shape)->smooth; }

int ts_support_rank(const ts_shape* shape) {
    return shape->kind == TS_SHAPE_HULL ? shape->hull->rank : ts_shape_traits_of(shape)->rank;
}
