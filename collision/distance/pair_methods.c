// Which way a pair of kinds is answered: signed distance and depth, and the verdict whether two shapes come near.
//
// A kind that is not in the picture goes by the rule at its end: nobody needs to touch this file for a new shape, unless
// there is something better for a pair than GJK and EPA.
#include "collision/distance/box_pair_internal.h"
#include "collision/distance/ellipsoid_pair_internal.h"
#include "collision/distance/proximity_internal.h"
#include "collision/shape/shape_traits_internal.h"

enum way {
    RULE,   // none of its own
    CORES,  // GJK and EPA on the cores, Newton's method where they are curved (core_pair.c)
    NONE,   // no distance
    LOW,    // the lowest point above a half-space
    BALLS,  // two balls
    ROD,    // a ball and a segment
    RODS,   // two segments
    FACE,   // a ball and a triangle
    SOLID,  // a ball and a solid of which the distance of a point is a formula
    POINT,  // an ellipsoid and a point, by Newton's method with a proof of its own
    OVALS,  // two ellipsoids, the same, and a verdict by their equations
    AXES,   // two boxes (a segment is one without width), by active sets and separating axes
    PARTS   // the least over convex parts (composite_pair.c)
};

static const ts_pair_method methods[] = {
    [CORES] = {.sort = TS_PAIR_CONVEX},
    [NONE] = {.sort = TS_PAIR_NEVER},
    [LOW] = {.closed_form = ts_half_space_any},
    [BALLS] = {.closed_form = ts_sphere_sphere},
    [ROD] = {.closed_form = ts_sphere_capsule},
    [RODS] = {.closed_form = ts_capsule_capsule},
    [FACE] = {.closed_form = ts_sphere_triangle},
    [SOLID] = {.closed_form = ts_sphere_solid},
    [POINT] = {.distance = ts_ellipsoid_pair_query},
    [OVALS] = {.distance = ts_ellipsoid_pair_query, .verdict = ts_ellipsoid_pair_verdict},
    [AXES] = {.distance = ts_box_pair_query, .verdict = ts_box_pair_verdict},
    [PARTS] = {.sort = TS_PAIR_PARTS},
};

// clang-format off
static const unsigned char picture[TS_SHAPE_KIND_COUNT][TS_SHAPE_KIND_COUNT] = {
    //              plane  sphere  capsule  ellipsoid  cylinder  cone    triangle  box     hull
    /* plane     */ {NONE, LOW,    LOW,     LOW,       LOW,      LOW,    LOW,      LOW,    LOW},
    /* sphere    */ {0,    BALLS,  ROD,     POINT,     SOLID,    SOLID,  FACE,     SOLID,  CORES},
    /* capsule   */ {0,    0,      RODS,    CORES,     CORES,    CORES,  CORES,    AXES,   CORES},
    /* ellipsoid */ {0,    0,      0,       OVALS,     CORES,    CORES,  CORES,    CORES,  CORES},
    /* cylinder  */ {0,    0,      0,       0,         CORES,    CORES,  CORES,    CORES,  CORES},
    /* cone      */ {0,    0,      0,       0,         0,        CORES,  CORES,    CORES,  CORES},
    /* triangle  */ {0,    0,      0,       0,         0,        0,      CORES,    CORES,  CORES},
    /* box       */ {0,    0,      0,       0,         0,        0,      0,        AXES,   CORES},
    /* hull      */ {0,    0,      0,       0,         0,        0,      0,        0,      CORES},
};
// clang-format on
_Static_assert(TS_SHAPE_HULL == 8, "the picture's columns are in the order of the kinds");

static enum way rule(ts_shape_kind a, ts_shape_kind b) {
    if (b >= TS_SHAPE_CONVEX_COUNT) return PARTS;
    if (a == TS_SHAPE_PLANE) return LOW;
    return a == TS_SHAPE_SPHERE && ts_shape_table[b]->point ? SOLID : CORES;
}

const ts_pair_method* ts_pair_method_of(ts_shape_kind a, ts_shape_kind b) {
    enum way way = (enum way)picture[a][b];
    return &methods[way == RULE ? rule(a, b) : way];
}
