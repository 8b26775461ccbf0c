// Minkowski portals: where a ray from the origin leaves D = A - B, closed in between an inscribed triangle (the portal)
// and a supporting plane. Not for use outside collision/ and its tests.
#ifndef TS_COLLISION_MPR_INTERNAL_H
#define TS_COLLISION_MPR_INTERNAL_H

#include "collision/distance/penetration/penetration.h"

#ifdef __cplusplus
extern "C" {
#endif

/// A point of D and what it is the difference of: a point of A's core and one of B's, each pushed out by its ball along
/// the direction that was asked for.
typedef struct ts_mpr_vertex {
    ts_vec3 w;          // in A's frame, balls included
    ts_vec3 a;          // on A's core, in A's frame
    ts_vec3 b_local;    // on B's core, in B's frame
    ts_vec3 direction;  // unit, in A's frame
} ts_mpr_vertex;

/// A triangle of D. With `count` 3 it is wound so that the ray leaves through its front once found. Its corners are
/// store[slot[0]], store[slot[1]] and store[slot[2]]; the next support point goes into store[slot[3]], so that no vertex
/// is ever copied.
typedef struct ts_mpr_portal {
    int count;
    int top;  // nonzero: the vertex in slot[3] is the support point along the ray that will be asked for next
    int slot[4];
    ts_mpr_vertex store[4];
} ts_mpr_portal;

/// Corner i of a portal.
static inline ts_mpr_vertex* ts_mpr_corner(ts_mpr_portal* portal, int i) { return &portal->store[portal->slot[i]]; }

/// D as its support function, and what all supports together have proven.
typedef struct ts_mpr_space {
    const ts_shape_pair* pair;
    double radius_a, radius_b;  // m: balls that count as parts of the shapes
    double relative_tolerance, tolerance;
    int hint_a, hint_b;
    int support_calls;
    double scale_squared;  // m^2: of the largest |w|
    double scale;          // m
    double best;           // m: the least support value so far: the depth is no larger
    ts_vec3 best_normal;   // what attains it
} ts_mpr_space;

/// What a step says of the ray.
typedef enum ts_mpr_verdict {
    TS_MPR_PORTAL,      // find: the ray passes through the portal. Refine: portal and plane agree to tolerance
    TS_MPR_SHORTCUT,    // refine: the plane is nearer to the origin than the portal is along the ray
    TS_MPR_STATIONARY,  // find: the surface point along the ray is corner 0, and the ray is its normal
    TS_MPR_NOT_INSIDE,  // some support value is not positive: best <= 8 eps scale
    TS_MPR_DEGENERATE,  // the portal has no normal any more
    TS_MPR_LIMIT,
    TS_MPR_INVALID
} ts_mpr_verdict;

/// What refining a portal leaves behind.
typedef struct ts_mpr_state {
    ts_vec3 normal;  // unit, of the last portal
    double plane;    // m: z, the support value along `normal`
    double ray;      // m: |p|, where the ray meets the last portal
    int steps;
    int newest;  // the corner that is the support point along `normal`; 3 when it is not part of the portal
} ts_mpr_state;

/// An empty portal.
void ts_mpr_clear(ts_mpr_portal* out_portal);

/// Sets up D. `rounding` says whether the balls are part of it.
void ts_mpr_begin(const ts_shape_pair* pair, const ts_penetration_settings* settings, ts_mpr_space* out_space);

/// The support point along a unit direction; returns its value. Not finite when a shape or pose is not.
double ts_mpr_support(ts_mpr_space* space, ts_vec3 direction, ts_mpr_vertex* out_vertex);

/// The length, in metres, below which differences do not count: the tolerance asked for, but never below rounding.
double ts_mpr_tolerance(const ts_mpr_space* space);

/// Nonzero when a support value has shown that the origin is not in D's interior.
int ts_mpr_not_inside(const ts_mpr_space* space);

/// A portal for the ray along unit `d`, begun with the one given when its count is 3 and that is of use, else afresh.
ts_mpr_verdict ts_mpr_find(ts_mpr_space* space, ts_vec3 d, ts_penetration_pace pace, int limit, ts_mpr_portal* portal);

/// Moves the portal outwards until it and the plane beyond agree, or (with the shortcut) a better ray is in sight.
ts_mpr_verdict ts_mpr_refine(ts_mpr_space* space, ts_vec3 d, ts_penetration_shortcut shortcut, int limit,
                             ts_mpr_portal* portal, ts_mpr_state* out_state);

/// Newton steps on the direction, from unit *io_d, whose support point is corner `newest`, with the curvature of D that
/// the other corners (the one in slot 3 as well) show. `hit` is where the last ray met the portal: where D is flat one way
/// it is nearer the minimum than the support point, and then only one step is made. Each step is kept only if it lowers the support value; returns
/// their number. If there was any, *io_d is left at the lowest, its support point in slot 3 (`top` set).
int ts_mpr_descend(ts_mpr_space* space, ts_mpr_portal* portal, int newest, ts_vec3 hit, ts_vec3* io_d);

#ifdef __cplusplus
}
#endif
#endif
