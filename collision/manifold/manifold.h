// Contact manifolds: where, along which normal and with which gaps two shapes touch, in up to eight points with labels
// that stay the same from step to step.
#ifndef TS_COLLISION_MANIFOLD_H
#define TS_COLLISION_MANIFOLD_H

#include "collision/distance/proximity.h"

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/// Most points a manifold can hold.
enum { TS_MANIFOLD_CAPACITY = 8 };

/// One contact point.
typedef struct ts_manifold_point {
    ts_vec3 position;  // m, world: midway between the two surfaces
    ts_vec3 normal;    // unit, world, from A to B; the manifold's but where a height field or a compound takes part
    double gap;        // m along the normal: > 0 apart, < 0 overlapping
    uint32_t feature;  // label, unique within the manifold and stable while the same features touch
} ts_manifold_point;

/// The contact between two shapes; count is 0 when they are farther apart than the margin.
typedef struct ts_manifold {
    int count;
    ts_vec3 normal;  // unit, world, from A to B; with several normals the deepest point's
    ts_manifold_point point[TS_MANIFOLD_CAPACITY];
    ts_proximity_status status;
    int iterations;  // GJK plus EPA
    double
        clearance;  // m: without points, how much farther apart than the margin the shapes certainly are, 0: that is not known
} ts_manifold;

/// What a pair remembers between steps; zero-initialised means new. Plain data without pointers: it is part of a snapshot.
typedef struct ts_manifold_cache {
    ts_gjk_cache gjk;
    int reference;  // which side gave the reference face last time: 0 unknown, 1 A, 2 B
    int kept_count;
    uint32_t kept[TS_MANIFOLD_CAPACITY];  // (kept_count) labels of last time's points: among equals they stay
} ts_manifold_cache;

/// How manifolds are made.
typedef struct ts_manifold_settings {
    double margin;     // m: contacts with a gap up to this are reported (speculative contacts)
    int max_points;    // 1 to TS_MANIFOLD_CAPACITY, per normal; usual 4
    double tolerance;  // m: that of ts_proximity_options; usual 0
} ts_manifold_settings;

/// The manifold of two placed shapes (any two kinds but plane-plane, which gives none). Points with gap <= margin; if the
/// shapes are within the margin there is always at least one. Of height fields and compounds the parts that touch are
/// taken together: points of nearly the same normal are reduced as one surface, contacts with inner sides are left out.
/// `cache` may be NULL.
void ts_manifold_collide(const ts_shape* a, const ts_transform* pose_a, const ts_shape* b, const ts_transform* pose_b,
                         const ts_manifold_settings* settings, ts_manifold_cache* cache, ts_manifold* out_manifold);

/// Nonzero where the manifold of two shapes comes from a search, to which what ts_gjk_cache holds beside the normal is of use. Sharp boxes ask one only
/// where rounding leaves open what their axes say: there it begins anew each time.
int ts_manifold_searches(const ts_shape* a, const ts_shape* b);

/// Most points of a manifold that is kept.
enum { TS_MANIFOLD_KEPT = 4 };

/// A manifold from step to step, while its shapes hardly move against each other. Plain data: it is part of a snapshot. All vectors are in the frame
/// of A, unless they say so.
typedef struct ts_manifold_kept {
    short is_kept;                     // 0: there is nothing here, and nothing else counts
    short count;                       // points, at most TS_MANIFOLD_KEPT
    int age;                           // times that it has been taken since it was made
    double margin;                     // m, that it was made with
    double radius;                     // m: of B about its origin
    double clearance;                  // m: of a manifold without points
    double pose[12];                   // of B when it was made: R, row-major, and its origin, m
    double normal[3];                  // all points'
    double on_a[3][TS_MANIFOLD_KEPT];  // m: their surface points, x of all, y, z; zeros beyond the last
    double on_b[3][TS_MANIFOLD_KEPT];  // m, in the frame of B
    uint32_t feature[TS_MANIFOLD_KEPT];
} ts_manifold_kept;

/// Keeps a manifold that was just made with this margin, when it has one normal and at most TS_MANIFOLD_KEPT points; else there is nothing in *out.
/// Having no points is kept, too.
void ts_manifold_keep(const ts_transform* pose_a, const ts_shape* b, const ts_transform* pose_b, double margin,
                      const ts_manifold* manifold, ts_manifold_kept* out);

/// The points of the kept manifold, kept->count of them, moved on with the shapes and their normal with A, and how the shapes lie, where there is one of this margin and
/// no point of B's surface has moved by more than `most` (m) against A since it was made, or without points, whatever its margin, by more than it was beyond this one; returns
/// nonzero then, and it has been taken once more. Its deepest gap is off by at most 2 `most` from that of the shapes, and what is nearer than the margin less `most` has
/// points.
int ts_manifold_take(ts_manifold_kept* kept, const ts_transform* pose_a, const ts_transform* pose_b, double margin,
                     double most, ts_manifold_point* out_point, ts_proximity_status* out_status);

#ifdef __cplusplus
}
#endif
#endif
