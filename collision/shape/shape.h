// Shapes: plain values that know their geometry and nothing of bodies. A convex shape is a core plus a ball of radius
// `radius`; GJK and EPA only ever see cores (a rounded shape's depth is its core's depth plus radius). Any convex kind
// but the plane may carry a ball: ts_shape_rounded.
//
//   kind          core                                      half                     rank of the core
//   plane         half-space z <= 0                         -                        -
//   sphere        the origin                                -                        0
//   capsule       segment +-half.z along z                  (0, 0, half length)      1
//   ellipsoid     itself                                    semi-axes                3
//   cylinder      itself, axis z                            (r, r, half height)      3
//   cone          itself, axis z, apex at +half.z           (r, r, half height)      3
//   triangle      itself                                    -                        2
//   box           itself                                    half extents             3
//   hull          itself                                    -                        0 to 3, the hull's own
//   height-field  not convex: prisms from surface to floor  -                        -
//   compound      not convex: convex children               -                        -
//
// Height fields and compounds never meet GJK themselves: convex_parts.h lists the convex parts near a box. There `radius` is a
// ball added to each part.
#ifndef TS_COLLISION_SHAPE_H
#define TS_COLLISION_SHAPE_H

#include "base/pose.h"
#include "base/spatial.h"
#include "base/status.h"
#include "collision/shape/hull.h"

#ifdef __cplusplus
extern "C" {
#endif

/// What a shape is. The smaller kind of a pair comes first in pictures of pairs (pair_methods.c, manifold.c).
typedef enum ts_shape_kind {
    TS_SHAPE_PLANE,
    TS_SHAPE_SPHERE,
    TS_SHAPE_CAPSULE,
    TS_SHAPE_ELLIPSOID,
    TS_SHAPE_CYLINDER,
    TS_SHAPE_CONE,
    TS_SHAPE_TRIANGLE,
    TS_SHAPE_BOX,
    TS_SHAPE_HULL,
    TS_SHAPE_HEIGHT_FIELD,
    TS_SHAPE_COMPOUND,
    TS_SHAPE_KIND_COUNT,
    TS_SHAPE_CONVEX_COUNT = TS_SHAPE_HEIGHT_FIELD  // the kinds before this one are convex
} ts_shape_kind;

/// Ground given by heights on a grid; see height_field.h.
typedef struct ts_height_field ts_height_field;

/// Several placed convex shapes as one; see compound.h.
typedef struct ts_compound ts_compound;

/// A shape in its own frame. Plain data; what a pointer refers to is borrowed and must outlive the shape.
typedef struct ts_shape {
    ts_shape_kind kind;
    double radius;  // m, the ball added to the core
    ts_vec3 half;   // m, see the table above
    union {
        const ts_hull* hull;                  // TS_SHAPE_HULL
        const ts_vec3* triangle;              // TS_SHAPE_TRIANGLE: (3) corners, m
        const ts_height_field* height_field;  // TS_SHAPE_HEIGHT_FIELD
        const ts_compound* compound;          // TS_SHAPE_COMPOUND
    };
} ts_shape;

/// Where a shape keeps a number that it is made of.
typedef enum ts_shape_place {
    TS_SHAPE_AT_RADIUS,
    TS_SHAPE_AT_X,        // half.x
    TS_SHAPE_AT_Y,        // half.y
    TS_SHAPE_AT_Z,        // half.z: half the length along z, which two points may give as well
    TS_SHAPE_AT_X_AND_Y,  // half.x and half.y, a radius about z
} ts_shape_place;

/// A number that a kind of shape is made of: a length, positive, m.
typedef struct ts_shape_parameter {
    const char* letters;  // in texts: "HX"
    const char* name;     // "half extent"
    ts_shape_place place;
} ts_shape_parameter;

/// Most numbers a kind is made of.
enum { TS_SHAPE_PARAMETERS_MOST = 4 };

/// What people and readers need to know of a kind.
typedef struct ts_shape_kind_info {
    const char* name;     // "box"
    const char* summary;  // its parameters and how contacts are made, one line
    const char* made_of;  // what it is made of when not of numbers ("corners"), else NULL
    const char* help;     // of a kind made of numbers: how they are meant, one line
    int parameter_count;
    ts_shape_parameter parameter[TS_SHAPE_PARAMETERS_MOST];  // in the order of texts, and of a geom's size in MJCF
} ts_shape_kind_info;

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

/// A solid cone along z: apex at +half_height, base disk of the given radius at -half_height.
ts_shape ts_shape_cone(double radius, double half_height);

/// A flat triangle with three corners (borrowed); its front is the side from which they run counter-clockwise.
ts_shape ts_shape_triangle(const ts_vec3* corners);

/// A box with the given half extents.
ts_shape ts_shape_box(ts_vec3 half_extents);

/// A convex polytope (borrowed), which may be flat.
ts_shape ts_shape_hull(const ts_hull* hull);

/// Ground given by heights on a grid (borrowed).
ts_shape ts_shape_height_field(const ts_height_field* height_field);

/// Several placed convex shapes as one (borrowed).
ts_shape ts_shape_compound(const ts_compound* compound);

/// The shape grown by a ball: every point within `radius` (m, >= 0) of it belongs to the result. Not for a plane.
ts_shape ts_shape_rounded(ts_shape shape, double radius);

/// Nonzero for a kind of which every shape is convex (a plane is); zero for height fields and compounds.
int ts_shape_is_convex(const ts_shape* shape);

/// Refuses dimensions that are zero, negative or not finite, a triangle without area, and a missing hull, triangle, height
/// field or compound: TS_ERROR_VALUE and the reason.
ts_code ts_shape_validate(const ts_shape* shape, ts_status* out_status);

/// What there is to know of a kind, which must be one.
const ts_shape_kind_info* ts_shape_kind_info_of(ts_shape_kind kind);

/// "plane", "sphere", ... ; "unknown" for what is no kind.
const char* ts_shape_kind_name(ts_shape_kind kind);

/// A shape of a kind that is made of numbers, from as many of them as it has parameters. Nothing is checked.
ts_shape ts_shape_make(ts_shape_kind kind, const double* values);

/// Number i of those that a shape is made of.
double ts_shape_value(const ts_shape* shape, int i);

/// Volume, centre and inertia. A plane has none: all zero; so have flat cores without a ball. The children of a compound
/// count each for itself where they overlap. Of height fields the solid down to the floor.
ts_mass_properties ts_shape_mass_properties(const ts_shape* shape);

/// The convex hull of support points along directions spread evenly, 6 n^2 of them, ball included: what a shape looks like.
/// Polytopes come out as they are. TS_ERROR_VALUE for planes, shapes that are not convex, and those without volume. Free
/// with ts_hull_free.
ts_code ts_shape_tessellate(const ts_shape* shape, int n, ts_hull** out_hull, ts_status* out_status);

/// The axis-aligned box around a placed shape. A plane gives an infinite box; one whose normal is a coordinate axis (to
/// rounding) has an end there. Height fields and compounds give the box around their own box.
void ts_shape_bounds(const ts_shape* shape, const ts_transform* placed, ts_vec3* out_min, ts_vec3* out_max);

/// A box around the shape in its own frame; tight for convex kinds. Infinite for a plane.
void ts_shape_local_box(const ts_shape* shape, ts_vec3* out_min, ts_vec3* out_max);

/// The radius of a ball about the shape's frame origin that contains it: the smallest where the kind knows it, else out to a
/// corner of its box; infinite for a plane.
double ts_shape_bounding_radius(const ts_shape* shape);

#ifdef __cplusplus
}
#endif
#endif
