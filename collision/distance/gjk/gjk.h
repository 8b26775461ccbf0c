// GJK: the distance between two convex cores, with certified bounds, and whether they overlap at all. See gjk.c for
// rule, source and guarantee.
#ifndef TS_COLLISION_GJK_H
#define TS_COLLISION_GJK_H

#include "collision/distance/shape_pair.h"

#ifdef __cplusplus
extern "C" {
#endif

/// How a proximity query ended. Whatever it says, the bounds in the result hold.
typedef enum ts_proximity_status {
    TS_PROXIMITY_SEPARATED,        // distance known to tolerance
    TS_PROXIMITY_TOUCHING,         // zero to rounding
    TS_PROXIMITY_PENETRATING,      // cores overlap
    TS_PROXIMITY_SEPARATED_EARLY,  // farther than asked for; only the lower bound means something
    TS_PROXIMITY_OVERLAP_EARLY,    // overlap or too near, proven without a depth; only the upper bound means something
    TS_PROXIMITY_LIMIT,            // iterations or the gap ended it undecided; bounds and normal are usable
    TS_PROXIMITY_INVALID_INPUT     // a pose or shape was not finite; nothing in the result means anything
} ts_proximity_status;

/// Which direction the next support point is searched along. x is the point of A - B nearest to the origin so far, d the
/// last direction, s the last support point, k the number of projections made.
typedef enum ts_gjk_variant {
    TS_GJK_AUTO,                 // what measures best for the pair of kinds
    TS_GJK_VANILLA,              // x (Gilbert, Johnson, Keerthi 1988)
    TS_GJK_POLYAK,               // d/(k+1) + x k/(k+1): momentum that fades
    TS_GJK_POLYAK_PAPER,         // weight (k+1)/(k+3) on d, the rest on x (Montaut et al., GJK++)
    TS_GJK_POLYAK_NORMALISED,    // the same with both made unit vectors
    TS_GJK_NESTEROV,             // weight (k+1)/(k+3) on d, the rest on the same mixture of x and s
    TS_GJK_NESTEROV_NORMALISED,  // the same with both made unit vectors
    TS_GJK_NESTEROV_COAL,        // normalised, weight (k+2)/(k+3), as the library coal has it
    TS_GJK_VARIANT_COUNT
} ts_gjk_variant;

/// Where the search begins.
typedef enum ts_gjk_start {
    TS_GJK_START_AUTO,             // last time's normal where one is known, else the centres
    TS_GJK_START_NONE,             // (1, 0, 0)
    TS_GJK_START_CENTRES,          // from centre to centre of the shapes' boxes
    TS_GJK_START_PREVIOUS,         // last time's normal
    TS_GJK_START_WITNESSES,        // last time's witnesses carried along by their shapes; turned round after an overlap
    TS_GJK_START_PREVIOUS_PAPER,   // last time's separation vector, not turned round after an overlap, as published
    TS_GJK_START_WITNESSES_PAPER,  // the witnesses, not turned round after an overlap, as published
    TS_GJK_START_SIMPLEX,          // last time's vertices at the new pose (polytopes; else as PREVIOUS)
    TS_GJK_START_COUNT
} ts_gjk_start;

/// A point of the configuration-space difference A - B and where it came from.
typedef struct ts_gjk_vertex {
    ts_vec3 w;  // a - b, in A's frame
    ts_vec3 a;  // on A's core, in A's frame
    ts_vec3 b;  // on B's core, in A's frame
    int index_a;
    int index_b;
    double lambda;  // barycentric weight at the end
} ts_gjk_vertex;

/// Which search a step of a trace belongs to.
typedef enum ts_proximity_stage {
    TS_PROXIMITY_STAGE_GJK,     // a simplex of A - B closes in on the origin
    TS_PROXIMITY_STAGE_PORTAL,  // a portal: the triangle of A - B through which a ray from the origin leaves
    TS_PROXIMITY_STAGE_EPA      // a polytope in A - B grows around the origin
} ts_proximity_stage;

/// One step of a search. Everything is in the frame of the shape that the query sorts first (see ts_proximity_trace), of the cores.
typedef struct ts_proximity_step {
    ts_proximity_stage stage;
    int iteration;  // of this search, 0 is before the first
    ts_vec3
        direction;  // unit, of the normal that was tried: from A to B; the support point of A - B is the one farthest along it
    ts_vec3 point_a;  // m: on A, of that support point
    ts_vec3 point_b;  // m: on B
    double support;   // m: the gap of the two along `direction`, a lower bound of the signed distance of the cores
    double lower;     // m: bounds of that as far as the search knows them; infinite where it does not
    double upper;
    ts_vec3
        nearest;  // m: the point of the simplex, portal or nearest face that is nearest to the origin (of a portal: where the ray meets it)
    int corners;  // of the simplex or portal; 0 for a polytope
    ts_vec3 corner[4];   // m: points of A - B
    int triangle_first;  // faces of the polytope: triangles [triangle_first, triangle_first + triangles) of the trace
    int triangles;
} ts_proximity_step;

/// Watches a query: steps and triangles go into arrays of whoever asks; what finds no room is counted and lost. A query that nobody watches
/// (a NULL pointer) does the same, to the bit, and pays nothing.
typedef struct ts_proximity_trace {
    ts_proximity_step* step;  // (step_room)
    ts_vec3 (*triangle)[3];   // (triangle_room) corners of polytopes, points of A - B
    int step_room;
    int triangle_room;
    int steps;
    int triangles;
    int lost;     // steps, and polytopes, that found no room
    int swapped;  // nonzero: the query sorted B first; "A" and the frame are those of the second shape
} ts_proximity_trace;

/// "gjk", "portal", "epa".
const char* ts_proximity_stage_name(ts_proximity_stage stage);

/// What a pair may remember from one query to the next. A visible argument, not hidden state: same inputs and same
/// cache give the same bits. All zero means "nothing known". Stale, foreign or damaged contents cost time, never truth.
typedef struct ts_gjk_cache {
    ts_vec3 normal;    // last unit normal A to B in A's frame; zero when unknown
    double distance;   // m: last signed distance, negative in an overlap
    ts_vec3 point_a;   // last witness on A in A's frame
    ts_vec3 point_b;   // last witness on B in B's frame
    int hint_a;        // last support vertex + 1, 0 when unknown
    int hint_b;        // the same on B
    int rank;          // vertices of the last simplex, 0 when unknown
    int simplex_a[4];  // their vertex indices on A
    int simplex_b[4];  // and on B
} ts_gjk_cache;

/// Tolerances and choices of a query; see ts_gjk_settings_default.
typedef struct ts_gjk_settings {
    double relative_tolerance;  // stop when upper - lower <= this * upper
    double give_up_distance;    // m: cores farther apart than this need no distance (SEPARATED_EARLY)
    double gap_tolerance;       // m^2: > 0 stops where 2 <x, x - s> <= this, to repeat published counts; 0 is off
    int iteration_limit;
    int momentum_limit;  // projections after which momentum is dropped
    ts_gjk_variant variant;
    ts_gjk_start start;
    ts_proximity_trace* trace;  // NULL: nobody watches; of distances only
} ts_gjk_settings;

/// Distance of two cores; everything in A's frame.
typedef struct ts_gjk_result {
    ts_proximity_status status;
    ts_separation found;  // of the cores; points mean the closest ones
    ts_gjk_vertex simplex[4];
    int rank;           // vertices in the simplex
    int iterations;     // projections
    int support_calls;  // support points of A - B asked for
    int switched_at;    // iterations when momentum was dropped; -1 when it never was or never began
    double scale;       // m: largest |w| seen, what tolerances are relative to
} ts_gjk_result;

/// Relative tolerance 1e-12, no early exit, no gap tolerance, 128 iterations, momentum for 16, variant and start AUTO.
ts_gjk_settings ts_gjk_settings_default(void);

/// "auto", "vanilla", "polyak", ... ; never NULL.
const char* ts_gjk_variant_name(ts_gjk_variant variant);

/// "auto", "none", "centres", ... ; never NULL.
const char* ts_gjk_start_name(ts_gjk_start start);

/// The variant that AUTO means for the distance of a pair of shapes.
ts_gjk_variant ts_gjk_variant_for(const ts_shape_pair* pair);

/// A cache that knows nothing.
static inline ts_gjk_cache ts_gjk_cache_none(void) {
    ts_gjk_cache cache = {{0.0, 0.0, 0.0}, 0.0, {0.0, 0.0, 0.0}, {0.0, 0.0, 0.0}, 0, 0, 0, {0, 0, 0, 0}, {0, 0, 0, 0}};
    return cache;
}

/// The distance of the cores of a pair (convex, no planes). `cache` is read and written; NULL is fine. With status PENETRATING or TOUCHING the simplex is what EPA continues from.
void ts_gjk_distance(const ts_shape_pair* pair, const ts_gjk_settings* settings, ts_gjk_cache* cache,
                     ts_gjk_result* out_result);

/// Whether the shapes (balls included) come within `margin` of each other, as fast as that can be proven. Status
/// SEPARATED_EARLY: farther apart than margin; OVERLAP_EARLY or PENETRATING: not; TOUCHING: equal to rounding; LIMIT:
/// undecided, since iterations ran out or the gap tolerance, which is off by default, ended the search before a proof. The
/// bounds are of the shapes' signed distance, not of the cores'; each is as far as the proof got. Of the settings, the
/// relative tolerance and give_up_distance are ignored.
void ts_gjk_overlap(const ts_shape_pair* pair, double margin, const ts_gjk_settings* settings, ts_gjk_cache* cache,
                    ts_gjk_result* out_result);

#ifdef __cplusplus
}
#endif
#endif
