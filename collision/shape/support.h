// The support function of a core: its farthest point in a direction. The one implementation that GJK, EPA, bounds,
// manifolds and the tests' oracles share.
#ifndef TS_COLLISION_SUPPORT_H
#define TS_COLLISION_SUPPORT_H

#include "collision/shape/shape.h"

#ifdef __cplusplus
extern "C" {
#endif

/// A support point with the vertex it came from (polytopes), so that repeated vertices can be recognised.
typedef struct ts_support_point {
    ts_vec3 point;
    int index;  // vertex of a polytope core (box: sign bits x|y<<1|z<<2, capsule: 0 or 1, triangle: 0 to 2); -1 on
                // curved cores
} ts_support_point;

/// A maximiser of <x, direction> over the core of a convex shape (not a plane), in the shape's frame: convex kinds only. The direction needs
/// no normalisation; zero gives some point of the core. `hint` is a vertex to start hill climbing from, or -1.
ts_support_point ts_support_core(const ts_shape* shape, ts_vec3 direction, int hint);

/// Nonzero when the core has finitely many vertices (sphere, capsule, triangle, box, hull).
int ts_support_is_polytope(const ts_shape* shape);

/// Nonzero when the core's support point is unique along every direction and moves smoothly with it (ellipsoid).
int ts_support_is_strictly_convex(const ts_shape* shape);

/// The dimension of the core: 0 point, 1 segment, 2 flat, 3 solid. For convex shapes, not for a plane.
int ts_support_rank(const ts_shape* shape);

/// The face, edge or vertex of a shape that points most along a direction; see ts_support_feature_along.
typedef struct ts_support_feature {
    int count;          // 1 vertex, 2 edge, >= 3 polygon, counter-clockwise seen from outside
    int index;          // face of a polytope, stable between steps; -1 where there is no face
    ts_vec3 normal;     // unit normal of a polygon, else the direction asked for
    ts_vec3 point[16];  // in the shape's frame, of the rounded shape's core
    int vertex[16];     // stable label of each point
} ts_support_feature;

/// The support feature of the core along `direction` (unit): the polygon whose normal is most aligned if within about 10
/// degrees, else the edge or vertex there. Round cylinder caps are polygons of 8 corners at fixed azimuths.
/// Faces with more than 16 corners are reduced to 16 spread along the loop.
void ts_support_feature_along(const ts_shape* shape, ts_vec3 direction, ts_support_feature* out_feature);

#ifdef __cplusplus
}
#endif
#endif
