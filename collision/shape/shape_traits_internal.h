// What a kind of shape is: a row of the table of kinds, filled in a file of its own (kind/). Everything here is about the
// core, in the shape's frame; the ball around it is nobody's business but the caller's. Not for use outside collision/ and
// its tests.
#ifndef TS_COLLISION_SHAPE_TRAITS_INTERNAL_H
#define TS_COLLISION_SHAPE_TRAITS_INTERNAL_H

#include "base/scalar.h"
#include "collision/shape/support.h"

#ifdef __cplusplus
extern "C" {
#endif

/// A symmetric bilinear form on two tangent directions u and v.
typedef struct ts_tangent_form {
    double uu, uv, vv;
} ts_tangent_form;

/// A circle of normals: <axis, n> = level. The normals of a straight edge are one with level zero about it.
typedef struct ts_normal_circle {
    ts_vec3 axis;  // unit, or zero: no circle
    double level;
} ts_normal_circle;

/// The piece of a core's surface that a point lies on, as it bends there: what the answer about a pair keeps while the shapes
/// move a little. The gap along a normal knows it as the Hessian of the support function, bend * round round^T, with infinite
/// curvature along flat directions, where the normal cannot turn.
typedef struct ts_active_feature {
    int flat;  // directions in which the surface is flat: 0 corner, rim or smooth side, 1 edge or ruling, 2 face; 3: unknown
    ts_vec3 along;  // unit, of an edge or ruling
    int smooth;     // nonzero: add_hessian says how it bends
    ts_vec3 round;  // unit: where it bends, of rims and of sides with rulings, at right angles to n
    double bend;    // m
    double room;    // m: how far the point may move before the feature ends; infinite if never
    double turn;    // rad: how far the normal may turn before it belongs to another feature; infinite if never
} ts_active_feature;

/// A point of a core's surface whose feature is looked for.
typedef struct ts_surface_point {
    ts_vec3 n;  // unit: a normal there, outwards
    ts_vec3 c;  // where
} ts_surface_point;

/// A row. Convex kinds but the plane must have `support`; whatever else is missing follows from that, more slowly or less
/// sharply, as told in each place.
typedef struct ts_shape_traits {
    ts_shape_kind_info info;
    int rank;      // dimension: 0 point, 1 segment, 2 flat, 3 solid
    int polytope;  // nonzero: finitely many vertices, and supports say which
    int smooth;    // nonzero: the support point is unique along every direction and moves smoothly with it
    int turning;   // nonzero: features turn with the direction, as rulings of a cylinder do

    /// A maximiser of <x, d>; see ts_support_core. Kinds that support_internal.h inlines are not asked here.
    ts_support_point (*support)(const ts_shape* shape, ts_vec3 d, int hint);

    /// The face, edge or corner that points most along unit d, of which `top` is the support point. *out comes empty, with d
    /// as its normal. Missing: the support point.
    void (*feature)(const ts_shape* shape, ts_vec3 d, ts_support_point top, ts_support_feature* out);

    /// Refuses what is wrong with the shape besides its parameters and the lack of what it is made of. Missing: nothing is.
    ts_code (*validate)(const ts_shape* shape, ts_status* out_status);

    /// The highest <x, d>. Missing: by a support point, or that of the box where the kind has none.
    double (*value)(const ts_shape* shape, ts_vec3 d);
    int symmetric;  // nonzero: the core is its own mirror image in the origin, to the bit in `value`

    /// The box around it. Missing: from -half to half.
    void (*box)(const ts_shape* shape, ts_vec3* out_min, ts_vec3* out_max);

    /// The distance of its farthest point from the frame's origin. Missing: that of a corner of the box.
    double (*reach)(const ts_shape* shape);

    /// The box around the placed shape, ball included. Missing: by values along the world's axes.
    void (*bounds)(const ts_shape* shape, const ts_transform* placed, ts_vec3* out_min, ts_vec3* out_max);

    /// Volume, centre and inertia at density 1, without and with a ball; points, segments and flat ones are not asked for the
    /// first. Missing: by sampling (ts_shape_sampled_mass).
    ts_mass_properties (*mass)(const ts_shape* shape);
    ts_mass_properties (*mass_rounded)(const ts_shape* shape);

    /// The middle of its box. Missing: the origin.
    ts_vec3 (*middle)(const ts_shape* shape);

    /// m: half its thickness, what tolerances of contacts are relative to. Missing: the least of the half extents.
    double (*thickness)(const ts_shape* shape);

    /// Vertex number `index` of a polytope; 0 when there is none. Missing: none has a number.
    int (*vertex)(const ts_shape* shape, int index, ts_vec3* out_vertex);

    /// Adds the Hessian of the support function at unit n to *io_form. Missing: flat.
    void (*add_hessian)(const ts_shape* shape, ts_vec3 n, ts_vec3 u, ts_vec3 v, ts_tangent_form* io_form);

    /// The distance of p from the surface, negative inside, and the unit vector from the nearest point of the surface to p, or
    /// from p where it is inside. With it a ball against the kind is a formula. Missing: not known.
    double (*point)(const ts_shape* shape, ts_vec3 p, ts_vec3* out_outward);

    /// Inside, how much farther than the nearest side the next one is from p, where the normal jumps to. Missing: nothing is said.
    double (*rival)(const ts_shape* shape, ts_vec3 p);

    /// How far p lies outside: zero or less inside, a length of the right size nearby. Missing: `point`, or GJK.
    double (*excess)(const ts_shape* shape, ts_vec3 p);

    /// The other end of the edge at the support vertex `top` that falls away least along n; 0 where there are no edges. The
    /// rim of a cap is none, a cylinder's ruling is one. Missing: there are none.
    int (*edge)(const ts_shape* shape, ts_vec3 n, ts_support_point top, ts_vec3* out_to);

    /// The normals of that edge. Missing: those at right angles to it.
    ts_normal_circle (*edge_normals)(const ts_shape* shape);

    /// The feature that has that point where the outward normal is that: a corner where the normal has to turn far
    /// enough to leave it, a face where the point has to move far enough. *out comes as a corner without end
    /// (ts_active_feature_at). Missing: smooth if `smooth`, else what `feature` offers.
    void (*active)(const ts_shape* shape, const ts_surface_point* at, ts_active_feature* out);
} ts_shape_traits;

/// The rows by kind (shape_table.c).
extern const ts_shape_traits* const ts_shape_table[TS_SHAPE_KIND_COUNT];

/// The row of a shape's kind.
static inline const ts_shape_traits* ts_shape_traits_of(const ts_shape* shape) { return ts_shape_table[shape->kind]; }

/// The middle of the core's box.
static inline ts_vec3 ts_shape_middle(const ts_shape* shape) {
    const ts_shape_traits* traits = ts_shape_traits_of(shape);
    return traits->middle ? traits->middle(shape) : ts_vec3_zero();
}

// --- what several kinds have in common (shape.c) ---

/// `reach` of kinds turned about z that are widest at an end.
double ts_shape_reach_of_rim(const ts_shape* shape);

/// Adds the Hessian at unit n of the support function of a rim of that radius about z.
static inline void ts_hessian_of_rim(double radius, ts_vec3 n, ts_vec3 u, ts_vec3 v, ts_tangent_form* io) {
    double across = sqrt(n.x * n.x + n.y * n.y);
    if (!(across > 1e-6)) return;
    double inverse = 1.0 / across, c = radius * inverse;
    double nu = (n.x * u.x + n.y * u.y) * inverse, nv = (n.x * v.x + n.y * v.y) * inverse;
    io->uu += c * (u.x * u.x + u.y * u.y - nu * nu);
    io->uv += c * (u.x * v.x + u.y * v.y - nu * nv);
    io->vv += c * (v.x * v.x + v.y * v.y - nv * nv);
}

/// Mass properties with diagonal inertia about the origin.
ts_mass_properties ts_shape_mass_diagonal(double volume, ts_vec3 inertia);

/// Mass properties of the hull of many support points, ball included: exact for polytopes without a ball, else too small by
/// about a thousandth.
ts_mass_properties ts_shape_sampled_mass(const ts_shape* shape);

// --- features (support_feature.c) ---

/// cos and sin of 10 degrees: up to there from the direction asked for a face or an edge counts as the feature.
static const double ts_feature_cos = 0.98480775301220806;
static const double ts_feature_sin = 0.17364817766693036;

/// Appends a point with its label.
static inline void ts_feature_add(ts_support_feature* feature, ts_vec3 point, int label) {
    feature->point[feature->count] = point;
    feature->vertex[feature->count++] = label;
}

/// Of the edges from vertex `top` to `count` others the end of the one that falls away least along n, the first among equals;
/// -1 when there is none. *out_slope is the sine by which it falls away.
int ts_flattest_edge(const ts_vec3* vertex, int top, const int* other, int count, ts_vec3 n, double* out_slope);

/// The feature of a corner that no face claims: the flattest of its edges, if flat enough, else the corner. Labels are numbers
/// of vertices.
void ts_feature_corner(const ts_vec3* vertex, int top, const int* other, int count, ts_vec3 d, ts_support_feature* out);

/// The cap of a round solid as an octagon at fixed azimuths, counter-clockwise from local +x. Labels: 0-7 below, 8-15 above.
void ts_feature_cap(ts_vec3 half, int up, ts_support_feature* out);

// --- active features (active_feature.c) ---

/// The feature of a core (of a plane: the half-space's side) that has that point of its surface with that normal.
void ts_active_feature_at(const ts_shape* shape, const ts_surface_point* at, ts_active_feature* out_feature);

/// The same among the corners, edges and the face of a flat polygon: the face whose plane has the unit `normal` either way. `size`, m:
/// angles times this are compared with lengths.
void ts_active_of_polygon(const ts_vec3* corner, int count, ts_vec3 normal, const ts_surface_point* at, double size,
                          ts_active_feature* io_feature);

/// The same of a corner and the edges that leave it to `other` (count): nonzero when the point lies on one of them or on the
/// corner. *out_end is the far end of that edge, or -1.
int ts_active_of_edges(const ts_vec3* vertex, int top, const int* other, int count, const ts_surface_point* at,
                       double size, ts_active_feature* io_feature, int* out_end);

/// Nonzero when the point is nearer to the corner, which is the farthest along the normal, than any of its edges and faces could have it:
/// what the others would find, with less work.
int ts_active_corner(const ts_vec3* vertex, int top, const int* other, int count, const ts_surface_point* at,
                     double size, ts_active_feature* io_feature);

/// Sets what a rim of that radius about z is where its normal is n, `across` from the axis.
static inline void ts_active_rim(double radius, ts_vec3 n, double across, ts_active_feature* io) {
    io->round = across > 0.0 ? ts_vec3_make(-n.y / across, n.x / across, 0.0) : ts_vec3_axis(1);
    io->bend = across > 0.0 ? radius / across : (double)INFINITY;
}

// --- distances of a point (excess.c) ---

/// How far a point lies outside a box. Beyond the sharp end of a sliver its faces are hardly off, but its box is.
double ts_excess_of_box(ts_vec3 low, ts_vec3 high, ts_vec3 p);

/// How far a point lies from a flat polygon with corners in order: off its plane or beyond an edge, whichever is more.
double ts_excess_of_polygon(const ts_vec3* corner, const int* index, int count, ts_vec3 normal, ts_vec3 p);

/// The point of a segment nearest to p.
ts_vec3 ts_nearest_on_segment(ts_vec3 a, ts_vec3 b, ts_vec3 p);

#ifdef __cplusplus
}
#endif
#endif
