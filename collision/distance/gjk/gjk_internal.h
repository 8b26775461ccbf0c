// What the parts of GJK share: the state of one query and the projection on a simplex. Not for use outside gjk*.c.
#ifndef TS_COLLISION_GJK_INTERNAL_H
#define TS_COLLISION_GJK_INTERNAL_H

#include "collision/distance/gjk/gjk.h"
#include "collision/distance/gjk/subdistance_internal.h"
#include "collision/shape/support_internal.h"

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/// The feature of the simplex that is nearest to the origin: a vertex, edge or face, by slots of the store. Its nearest
/// point is x = (h / dd) d, whose square is h^2 / dd; no root and no quotient is needed to compare supports with it.
typedef struct ts_gjk_feature {
    int rank;       // vertices; 4 when the origin is inside
    unsigned mask;  // the slots' bits
    int slot[4];
    ts_vec3 d;  // from the origin towards the feature, of any length, orthogonal to it
    double h;   // <d, w> for the feature's vertices, > 0
    double dd;  // <d, d>
    double xx;  // m^2: |x|^2 = h^2 / dd
} ts_gjk_feature;

/// One query.
typedef struct ts_gjk_run {
    const ts_shape_pair* pair;
    ts_gjk_vertex store[4];
    ts_gjk_feature room[2];   // the present feature and the next one
    ts_gjk_feature* feature;  // the present one
    ts_vec3 best;             // direction whose plane bounds the distance best
    double best_value;        // <best, w> of its support point
    double best_squared;      // <best, best>
    double best_ratio;        // value |value| / squared: monotone in the bound, without a root
    double scale_squared;
    int hint_a, hint_b;
    uint64_t key[4];            // vertex pair of each slot, to recognise repetitions
    int careful;                // nonzero: trust only the robust projection
    ts_proximity_trace* trace;  // NULL: nobody watches
} ts_gjk_run;

/// Both vertex indices of a slot as one number.
static inline uint64_t ts_gjk_key(int index_a, int index_b) {
    return (uint64_t)(unsigned)index_a << 32 | (unsigned)index_b;
}

/// Where the next feature is written. Two rooms in turn: a copy would wait for stores that are still under way.
static inline ts_gjk_feature* ts_gjk_other_room(ts_gjk_run* run) { return &run->room[run->feature == &run->room[0]]; }

/// Adds the vertex in `slot` to the feature and projects the origin: writes the new feature. Tries the regions that a
/// newest vertex can end in, checks the answer against the vertices left out, and leaves anything doubtful to
/// ts_gjk_project_robustly. Returns what that returns.
int ts_gjk_project(ts_gjk_run* run, int slot, ts_gjk_feature* out_feature);

/// The same by ts_subdistance_solve over all faces, edges and vertices. Returns 0 when even that fails to name a
/// direction (the origin lies on the feature to rounding).
int ts_gjk_project_robustly(ts_gjk_run* run, int slot, ts_gjk_feature* out_feature);

/// Pairs of kinds with a loop of their own.
typedef enum ts_gjk_kinds { TS_GJK_HULLS, TS_GJK_BOXES, TS_GJK_ELLIPSOIDS, TS_GJK_ANY } ts_gjk_kinds;

/// What a loop is to find out.
typedef enum ts_gjk_goal { TS_GJK_DISTANCE, TS_GJK_VERDICT } ts_gjk_goal;

/// What a loop is told besides the shapes.
typedef struct ts_gjk_order {
    double tolerance;  // relative
    double gap;        // m^2, 0 is off
    double reach;      // m: DISTANCE stops beyond it; VERDICT asks whether the cores are nearer than it
    int iteration_limit;
    int momentum_limit;
    int warm;  // nonzero: give up (status -1 below) unless the first direction separates
} ts_gjk_order;

/// The returned status when a warm start did not separate.
enum { TS_GJK_NOT_SEPARATED = -1 };

/// The nearest point of the feature.
static inline ts_vec3 ts_gjk_feature_point(const ts_gjk_feature* f) { return ts_vec3_scale(f->h / f->dd, f->d); }

/// The loops of gjk_loop_internal.h, specialised: two hulls or two boxes by AUTO (gjk_polytopes.c), and everything else
/// (gjk_variants.c). Return what that loop returns.
int ts_gjk_run_polytopes(ts_gjk_run* run, ts_gjk_kinds kinds, ts_gjk_goal goal, const ts_gjk_order* order, ts_vec3 d,
                         ts_gjk_result* out);
int ts_gjk_run_others(ts_gjk_run* run, ts_gjk_kinds kinds, ts_gjk_variant variant, ts_gjk_goal goal,
                      const ts_gjk_order* order, ts_vec3 d, ts_gjk_result* out);

/// The distance loop of any pair while somebody watches: the same loops once more.
int ts_gjk_run_watched(ts_gjk_run* run, ts_gjk_kinds kinds, ts_gjk_variant variant, const ts_gjk_order* order,
                       ts_vec3 d, ts_gjk_result* out);

/// Notes a step: the feature as it is now and the support point in `slot`, whose value along d is `value`.
void ts_gjk_watch(const ts_gjk_run* run, ts_vec3 d, double value, int slot, int iteration);

/// What AUTO means, see ts_gjk_variant_for: the pairs with loops of their own, other polytopes with and without a hull, and
/// everything else; FINE_HULLS in verdicts alone.
#define TS_GJK_FOR_HULLS TS_GJK_NESTEROV_COAL
#define TS_GJK_FOR_FINE_HULLS TS_GJK_NESTEROV
#define TS_GJK_FOR_BOXES TS_GJK_VANILLA
#define TS_GJK_FOR_ELLIPSOIDS TS_GJK_NESTEROV
#define TS_GJK_FOR_OTHERS TS_GJK_POLYAK

/// Two hulls so fine that they behave as smooth shapes do.
static inline int ts_gjk_are_fine(const ts_shape_pair* pair) {
    enum { FINE = 2000 };
    return pair->a->hull->vertex_count >= FINE && pair->b->hull->vertex_count >= FINE;
}

/// The first direction, finite and not zero; with SIMPLEX perhaps also a feature. Returns 1 when it comes from the cache
/// or from `start`, 0 when it had to be the centres'.
int ts_gjk_begin(ts_gjk_run* run, ts_gjk_start start, const ts_gjk_cache* cache, ts_vec3* out_direction);

/// From the centre of B's box to the centre of A's.
ts_vec3 ts_gjk_centre_difference(const ts_gjk_run* run);

#ifdef __cplusplus
}
#endif
#endif
