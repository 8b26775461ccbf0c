// The two ways to a signed distance, in A's frame. Not for use outside collision/ and its tests.
#ifndef TS_COLLISION_PROXIMITY_INTERNAL_H
#define TS_COLLISION_PROXIMITY_INTERNAL_H

#include "collision/distance/penetration/epa_internal.h"
#include "collision/distance/proximity.h"

#ifdef __cplusplus
extern "C" {
#endif

/// No counts, no flags, nothing wrong, no other ways out asked for: what every query starts from.
static inline void ts_proximity_reset(ts_proximity* out) {
    out->reason = TS_PROXIMITY_FINE;
    out->iterations = out->gjk_iterations = out->epa_iterations = out->sqp_iterations = out->support_calls = 0;
    out->switched_at = -1;
    out->flags = 0;
    out->rival = -1.0;
}

/// Two shapes where they are given, for answers that need no relative pose. Kinds are sorted: a->kind <= b->kind.
typedef struct ts_placed_pair {
    const ts_shape* a;
    const ts_transform* pose_a;
    const ts_shape* b;
    const ts_transform* pose_b;
} ts_placed_pair;

/// What is known of a pair without its distance.
typedef enum ts_pair_verdict {
    TS_PAIR_OPEN,    // nothing
    TS_PAIR_APART,   // farther apart than asked
    TS_PAIR_OVERLAP  // they share a point
} ts_pair_verdict;

/// Which way a pair of kinds is answered. GJK and EPA on the cores do all convex ones, so any entry may be missing.
typedef struct ts_pair_method {
    /// A formula, in the frame of the poses. `out` must be reset. The cache (may be NULL) is read where every normal is as
    /// good, and not written.
    void (*closed_form)(const ts_placed_pair* pair, const ts_gjk_cache* cache, ts_proximity* out);
    /// Signed distance of the cores in A's frame, with status and counts; `previous` is the last normal, or zero. Returns 0,
    /// with nothing but counts in *out, where that stays open. Leaves in *out_scale what rounding is relative to.
    int (*distance)(const ts_shape_pair* pair, ts_vec3 previous, double give_up_distance, ts_proximity* out,
                    double* out_scale);
    /// Whether the cores are farther apart than `reach` (m, >= 0); unless OPEN, leaves bounds and a normal.
    ts_pair_verdict (*verdict)(const ts_shape_pair* pair, ts_vec3 previous, double reach, ts_separation* out_found);
    enum { TS_PAIR_CONVEX, TS_PAIR_PARTS, TS_PAIR_NEVER } sort;  // NEVER: the pair has no distance
} ts_pair_method;

/// The method of two kinds, sorted: the table in pair_methods.c.
const ts_pair_method* ts_pair_method_of(ts_shape_kind a, ts_shape_kind b);

/// The closed forms (closed_form.c).
void ts_half_space_any(const ts_placed_pair* pair, const ts_gjk_cache* cache, ts_proximity* out);
void ts_sphere_sphere(const ts_placed_pair* pair, const ts_gjk_cache* cache, ts_proximity* out);
void ts_sphere_capsule(const ts_placed_pair* pair, const ts_gjk_cache* cache, ts_proximity* out);
void ts_sphere_triangle(const ts_placed_pair* pair, const ts_gjk_cache* cache, ts_proximity* out);
void ts_sphere_solid(const ts_placed_pair* pair, const ts_gjk_cache* cache, ts_proximity* out);  // those with `point`
void ts_capsule_capsule(const ts_placed_pair* pair, const ts_gjk_cache* cache, ts_proximity* out);

/// GJK on the cores, EPA when they overlap, balls added back; the goal of `options` says how much of it. `out` must be
/// reset; it is in A's frame afterwards, and its points lie on the surfaces.
void ts_core_pair_query(const ts_shape_pair* pair, const ts_proximity_options* options, ts_gjk_cache* cache,
                        ts_proximity* out_in_a);

/// The same for a shape A made of parts (height field, compound) and any B: the least over the parts. `out` must be reset;
/// it is in A's frame afterwards.
void ts_composite_pair_query(const ts_shape_pair* pair, const ts_proximity_options* options, ts_gjk_cache* cache,
                             ts_proximity* out_in_a);

/// Of curved cores that overlap: how much deeper (m) than the one found, along the unit normal n, the least deep other way out that was met is, all of
/// those within 20 degrees of it and some beyond; infinite where none was.
double ts_rival_around(const ts_shape_pair* pair, ts_vec3 n, double depth);

/// ts_gjk_distance from a given direction, kept even when it does not separate.
void ts_gjk_restart(const ts_shape_pair* pair, const ts_gjk_settings* settings, ts_vec3 normal,
                    ts_gjk_result* out_result);

/// ts_gjk_distance, but only while the normal in the cache still separates; else returns 0 and out's contents are void.
int ts_gjk_distance_warm(const ts_shape_pair* pair, const ts_gjk_settings* settings, ts_gjk_cache* cache,
                         ts_gjk_result* out_result);

/// Nonzero when every entry of the pose is finite.
static inline int ts_pose_is_usable(const ts_transform* pose) {
    // A sum is finite only if its terms are; one test instead of twelve. In three chains, which the processor overlaps.
    double x = pose->R.m[0][0] + pose->R.m[0][1] + (pose->R.m[0][2] + pose->p.x);
    double y = pose->R.m[1][0] + pose->R.m[1][1] + (pose->R.m[1][2] + pose->p.y);
    double z = pose->R.m[2][0] + pose->R.m[2][1] + (pose->R.m[2][2] + pose->p.z);
    return isfinite(x + y + z);
}

/// The next step of a trace, without anything known; NULL when there is no room.
ts_proximity_step* ts_proximity_trace_step(ts_proximity_trace* trace, ts_proximity_stage stage, int iteration);

#ifdef __cplusplus
}
#endif
#endif
