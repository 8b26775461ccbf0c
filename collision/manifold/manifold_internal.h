// The stages a manifold is made of. Not for use outside collision/ and its tests.
#ifndef TS_COLLISION_MANIFOLD_INTERNAL_H
#define TS_COLLISION_MANIFOLD_INTERNAL_H

#include "collision/manifold/manifold.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Room for the points of a manifold before reduction: two polygons of 16 corners clip to at most 32.
enum { TS_CONTACT_CAPACITY = 64 };

/// Where stages put the points they find along one normal; full means further points are dropped (callers stay below the
/// capacity).
typedef struct ts_contact_list {
    int count;
    ts_vec3 normal;  // unit, from A to B
    double apart;    // m: of an empty one, a distance that the shapes certainly have
    ts_manifold_point point[TS_CONTACT_CAPACITY];
} ts_contact_list;

/// A label so far, with another part.
static inline uint64_t ts_contact_label_with(uint64_t x, int part) {
    x = (x ^ (uint64_t)(uint32_t)(part + 1)) * UINT64_C(0x9e3779b97f4a7c15);
    return x ^ x >> 29;
}

/// What a point's label is made of. Corners and edges of A and B; -1 where a side does not take part.
static inline uint32_t ts_contact_label(int kind, int a0, int a1, int b0, int b1) {
    int alo = a0 < a1 ? a0 : a1, ahi = a0 < a1 ? a1 : a0;
    int blo = b0 < b1 ? b0 : b1, bhi = b0 < b1 ? b1 : b0;
    // Written out: what is known where it is called is found by the compiler.
    uint64_t x = ts_contact_label_with(ts_contact_label_with((uint64_t)(uint32_t)kind, alo), ahi);
    x = ts_contact_label_with(ts_contact_label_with(x, blo), bhi);
    uint32_t label = (uint32_t)(x ^ x >> 32);
    return label ? label : 1u;
}

/// Appends a point.
void ts_contact_list_add(ts_contact_list* list, ts_vec3 position, double gap, uint32_t feature);

/// Makes labels unique: of two equal ones the later is changed, the same way every time.
void ts_contact_list_distinguish(ts_contact_list* list);

/// Keeps at most max_points: the deepest, then the points that spread widest across the normal; points whose label is among
/// `kept` are preferred to others nearly as good. See reduce.c.
void ts_contact_list_reduce(ts_contact_list* list, int max_points, const uint32_t* kept, int kept_count);

/// Drops the points that lie between others, seen along the normal: inside their convex region, or on its edge to 1e-4 of
/// the extent; but not one that is deeper than all that stay. For points of several parts that touch one surface.
void ts_contact_list_prune(ts_contact_list* list);

/// Two features facing each other, in one frame.
typedef struct ts_clip_input {
    ts_support_feature a;
    ts_support_feature b;
    ts_vec3 normal;   // unit, from A to B
    double radius_a;  // m, balls around the cores
    double radius_b;
    double margin;     // m, gaps above this are dropped
    double tolerance;  // m, distances below this count as zero
    int reference;     // 1: clip against A's polygon, 2: against B's
} ts_clip_input;

/// Clips the other feature (polygon or segment) against the reference polygon; points are the midpoints between surfaces.
void ts_clip_against_polygon(const ts_clip_input* input, ts_contact_list* out_list);

/// Two nearly parallel segments: the two ends of their common part, or nothing when one point says it all.
void ts_clip_segments(const ts_clip_input* input, ts_contact_list* out_list);

/// Contacts of a half-space A with a convex shape B.
void ts_half_space_contacts(const ts_shape_pair* pair, double margin, ts_contact_list* out_list);

/// What a convex pair is asked for.
typedef struct ts_manifold_query {
    double margin;       // m
    const int* label_a;  // (vertices of A) names of A's vertices in labels, or NULL: their numbers
    const int* label_b;
    double tolerance;  // m
} ts_manifold_query;

/// Contacts of two convex shapes, at most one of them a plane (manifold.c). Kinds in any order. The list is empty when they
/// are farther apart than the margin, or the status says INVALID_INPUT.
ts_proximity_status ts_manifold_convex(const ts_shape_pair* pair, const ts_manifold_query* query,
                                       ts_manifold_cache* cache, int* out_iterations, ts_contact_list* out_list);

/// Contacts along a given normal (unit, A to B) over the face that shape `reference` (1: A, 2: B) has along it: only points
/// above that polygon, perhaps none. `whole` nonzero: where there are none, the other's deepest point all the same. Kinds
/// in any order (manifold.c).
void ts_manifold_along(const ts_shape_pair* pair, ts_vec3 normal, int reference, int whole,
                       const ts_manifold_query* query, ts_contact_list* out_list);

/// Height fields and compounds against anything (composite.c): fills everything of the manifold but positions and
/// normals, which are in A's frame.
void ts_manifold_composite(const ts_shape_pair* pair, const ts_manifold_settings* settings, ts_manifold_cache* cache,
                           ts_manifold* out_in_a);

/// What the box-box routine found.
typedef enum ts_box_box_outcome {
    TS_BOX_BOX_SEPARATED,  // farther apart than the margin: certified
    TS_BOX_BOX_CONTACT,    // the list and the normal are filled
    TS_BOX_BOX_UNDECIDED   // within the margin along the best axis, but nothing left after clipping: ask GJK
} ts_box_box_outcome;

/// Two boxes by separating axes and clipping, in A's frame. *reference is last time's choice in and this one's out.
ts_box_box_outcome ts_box_box_contacts(const ts_shape_pair* pair, double margin, int* reference,
                                       ts_contact_list* out_list);

#ifdef __cplusplus
}
#endif
#endif
