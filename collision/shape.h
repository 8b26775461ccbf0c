// Shapes: plain values that know their geometry and nothing of bodies. Convex shapes are a core plus a ball of radius
// `radius`; GJK and EPA only ever see cores (a rounded shape's depth is its core's depth plus radius).
//
//   kind        core                          half                     radius
//   plane       half-space z <= 0             -                        0
//   sphere      the origin                    -                        ball
//   capsule     segment +-half.z along z      (0, 0, half length)      ball
//   ellipsoid   itself                        semi-axes                0
//   cylinder    itself, axis z                (r, r, half height)      0
//   box         itself                        half extents             0
//   hull        itself                        -                        0
#ifndef TS_COLLISION_SHAPE_H
#define TS_COLLISION_SHAPE_H

#include "base/pose.h"
#include "base/spatial.h"
#include "base/status.h"
#include "collision/hull.h"

#ifdef __cplusplus
extern "C" {
#endif

/// What a shape is. The order is that of the table at the head of manifold.c: the smaller kind of a pair comes first.
typedef enum ts_shape_kind {
    TS_SHAPE_PLANE,
    TS_SHAPE_SPHERE,
    TS_SHAPE_CAPSULE,
    TS_SHAPE_ELLIPSOID,
    TS_SHAPE_CYLINDER,
    TS_SHAPE_BOX,
    TS_SHAPE_HULL,
    TS_SHAPE_KIND_COUNT
} ts_shape_kind;

/// A shape in its own frame. Plain data; the hull is borrowed and must outlive the shape.
typedef struct ts_shape {
    ts_shape_kind kind;
    double radius;        // m, the ball added to the core
    ts_vec3 half;         // m, see the table above
    const ts_hull* hull;  // only for TS_SHAPE_HULL
} ts_shape;

/// Volume, centre and inertia of a solid at density 1.
typedef struct ts_mass_properties {
    double volume;    // m^3
    ts_vec3 centre;   // m
    ts_mat3 inertia;  // m^5, about the centre, shape axes
} ts_mass_properties;

/// The half-space z <= 0 of its own frame, normal +z.
ts_shape ts_shape_plane(void);

/// A ball.
ts_shape ts_shape_sphere(double radius);

/// A capsule along z: the segment from -half_length to +half_length, rounded.
ts_shape ts_shape_capsule(double radius, double half_length);

/// An ellipsoid with the given semi-axes.
ts_shape ts_shape_ellipsoid(ts_vec3 semi_axes);

/// A solid cylinder along z.
ts_shape ts_shape_cylinder(double radius, double half_height);

/// A box with the given half extents.
ts_shape ts_shape_box(ts_vec3 half_extents);

/// A convex polytope (borrowed).
ts_shape ts_shape_hull(const ts_hull* hull);

/// Refuses dimensions that are zero, negative or not finite, and a hull shape without hull: TS_ERROR_VALUE and the reason.
ts_code ts_shape_validate(const ts_shape* shape, ts_status* out_status);

/// "plane", "sphere", ... ; never NULL.
const char* ts_shape_kind_name(ts_shape_kind kind);

/// One line about a kind for people: its parameters and how contacts are made.
const char* ts_shape_kind_summary(ts_shape_kind kind);

/// Volume, centre and inertia. A plane has none: all zero.
ts_mass_properties ts_shape_mass_properties(const ts_shape* shape);

/// The axis-aligned box around a placed shape. A plane gives an infinite box; one whose normal is a coordinate axis (to
/// rounding) has an end there.
void ts_shape_bounds(const ts_shape* shape, const ts_transform* placed, ts_vec3* out_min, ts_vec3* out_max);

/// The radius of the smallest ball about the shape's frame origin that contains it; infinite for a plane.
double ts_shape_bounding_radius(const ts_shape* shape);

#ifdef __cplusplus
}
#endif
#endif
