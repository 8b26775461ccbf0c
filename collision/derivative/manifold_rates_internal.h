// How the points of a manifold of two convex shapes were made, found again, and differentiated. Not for use outside collision/
// and its tests.
#ifndef TS_COLLISION_MANIFOLD_RATES_INTERNAL_H
#define TS_COLLISION_MANIFOLD_RATES_INTERNAL_H

#include "collision/derivative/witness_rates_internal.h"
#include "collision/manifold/manifold_internal.h"

#ifdef __cplusplus
extern "C" {
#endif

/// A point of a manifold in the axes of a moving pair.
typedef struct ts_contact_point {
    ts_vec3 position;
    ts_vec3 normal;  // unit, from A to B
    double gap;
    uint32_t feature;  // its label
} ts_contact_point;

/// Its derivative, column by column.
typedef struct ts_contact_rates {
    ts_vec3 position[6];
    ts_vec3 normal[6];
    double gap[6];
    ts_derivative_certificate certificate;
} ts_contact_rates;

/// The features that a manifold was clipped from, in the pair's axes (clip_rates.c).
typedef struct ts_clip_view {
    ts_support_feature reference, incident;
    int side;            // 1: the reference is A's, 2: B's; 0: there are not two features to clip
    int own_normal;      // nonzero: the normal is the reference polygon's own
    int boxes;           // nonzero: two sharp boxes, by axes
    ts_vec3 n;           // the contact's normal
    ts_vec3 outward;     // the same seen from the reference
    ts_vec3 inward[16];  // of the side planes through the reference's edges, unit
    double size;         // m
} ts_clip_view;

/// What is known of a manifold besides its points.
typedef struct ts_contact_source {
    const ts_moving_pair* pair;
    const ts_gjk_cache* gjk;  // of the pair, or NULL
    int reference;            // as in ts_manifold_cache, but of (A, B) as they stand: 0 unknown, 1 A, 2 B
    int alone;                // nonzero: the manifold has one point
    double rounding;          // m: of the points' coordinates
    ts_contact_point lowest;  // the manifold's deepest point
    int viewed;               // 0 not yet, 1 along the manifold's normal, 2 along the query's
    ts_clip_view view;
    int snap_known;  // nonzero: `snap` says for how long a face's own normal stands in for the query's
    ts_derivative_certificate snap;
    // The query again, for normals that are not those of a face; made when first needed.
    int queried;  // 0 not yet, 1 there, -1 failed
    ts_core_witness witness;
    ts_witness_rates rates;
    ts_vec3 turning[6];  // of its normal, column by column
} ts_contact_source;

/// Nonzero when the point was found again; else *out_rates means nothing. Points of half-spaces (half_space_rates.c), of clipped
/// features (clip_rates.c), of two edges (edge_rates.c) and witness points.
int ts_half_space_rates(ts_contact_source* source, const ts_contact_point* point, ts_contact_rates* out_rates);
int ts_clip_rates(ts_contact_source* source, const ts_contact_point* point, ts_contact_rates* out_rates);
int ts_box_edge_rates(ts_contact_source* source, const ts_contact_point* point, ts_contact_rates* out_rates);
int ts_segment_rates(ts_contact_source* source, const ts_contact_point* point, ts_contact_rates* out_rates);

/// A source for manifolds of two convex shapes; `cache` as for ts_manifold_derivative. `alone` and `lowest` are left to the caller.
ts_contact_source ts_contact_source_make(const ts_moving_pair* pair, const ts_manifold_cache* cache, double rounding);

/// Differentiates a point of two convex shapes (manifold_derivative.c). Returns 0 when it is not found how the point was made.
int ts_contact_source_differentiate(ts_contact_source* source, const ts_contact_point* point,
                                    ts_contact_rates* out_rates);

/// The same of a point of height fields and compounds (composite_rates.c): `pair` has the whole shapes.
int ts_composite_rates(const ts_moving_pair* pair, const ts_contact_point* point, double rounding,
                       ts_contact_rates* out_rates);

/// Asks the query again. Returns 0 when it has no answer.
int ts_contact_source_query(ts_contact_source* source);

/// Sets the normal's columns of rates to those of a direction that is fixed to B (2) or A (1).
void ts_contact_rates_hold(ts_contact_rates* rates, int side, ts_vec3 normal);

/// The same label whatever the order of A and B: sides as the generators saw them, kinds sorted.
uint32_t ts_contact_source_label(const ts_contact_source* source, int kind, const int a[2], const int b[2]);

#ifdef __cplusplus
}
#endif
#endif
