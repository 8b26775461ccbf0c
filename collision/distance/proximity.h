// The one query for users: two convex or composite shapes, two poses in; signed distance or verdict, certified bounds,
// normal, witness points and counters out. And rays.
#ifndef TS_COLLISION_PROXIMITY_H
#define TS_COLLISION_PROXIMITY_H

#include "collision/distance/gjk/gjk.h"

#ifdef __cplusplus
extern "C" {
#endif

/// How to find the answer. All give the same signed distance to what their bounds leave open; the names are in
/// ts_proximity_method_name.
typedef enum ts_proximity_method {
    TS_PROXIMITY_AUTO,         // the cheapest that can do the pair: closed form, else GJK and EPA, Newton where curved
    TS_PROXIMITY_GJK,          // GJK and EPA on the cores, without closed forms
    TS_PROXIMITY_CLOSED_FORM,  // formulas only
    TS_PROXIMITY_SAT,          // two boxes by active sets and separating axes; GJK and EPA only where those tie
    TS_PROXIMITY_INCREMENTAL,  // GJK, and in an overlap incremental depth from the last normal: a local search, its upper
                               // bound of the signed distance is zero
    TS_PROXIMITY_METHOD_COUNT
} ts_proximity_method;

/// What is wanted.
typedef enum ts_proximity_goal {
    TS_PROXIMITY_DISTANCE,  // distance, normal and witness points
    TS_PROXIMITY_VERDICT  // only whether the shapes overlap: ends with the first proof (SEPARATED_EARLY, OVERLAP_EARLY)
} ts_proximity_goal;

/// Why a query was refused.
typedef enum ts_proximity_reason {
    TS_PROXIMITY_FINE,          // it was not
    TS_PROXIMITY_BAD_POSE,      // a pose is not finite
    TS_PROXIMITY_BAD_SHAPE,     // a dimension or vertex led to numbers that are not finite
    TS_PROXIMITY_TWO_PLANES,    // two half-spaces have no distance
    TS_PROXIMITY_OTHER_METHOD,  // the method asked for does not do this pair of kinds
    TS_PROXIMITY_REASON_COUNT
} ts_proximity_reason;

/// What else there is to know about an answer; bits of ts_proximity.flags.
enum {
    TS_PROXIMITY_FLAT = 1,              // the cores' difference has no interior: its depth is zero along its normal
    TS_PROXIMITY_NORMAL_FALLBACK = 2,   // several normals are as good; this one was chosen by rule
    TS_PROXIMITY_USED_CLOSED_FORM = 4,  // no iteration
    TS_PROXIMITY_POLISHED = 8,          // sharpened by Newton's method
    TS_PROXIMITY_WARM = 16              // what the cache knew was used
};

/// Options of a query; see ts_proximity_options_default.
typedef struct ts_proximity_options {
    ts_proximity_method method;
    ts_proximity_goal goal;
    ts_gjk_variant variant;   // of GJK, where it is used
    ts_gjk_start start;       // where GJK begins
    double give_up_distance;  // m: pairs farther apart than this may answer SEPARATED_EARLY
    double margin;            // m: a VERDICT is about the shapes being nearer than this
    double tolerance;         // m: > 0 has GJK and EPA of a DISTANCE stop there, and no Newton; closed forms have none
    ts_proximity_trace* trace;  // NULL: nobody watches. Closed forms, verdicts and Newton steps show nothing
    int rivals;                 // nonzero: a DISTANCE tells of other ways out of an overlap (ts_proximity.rival)
} ts_proximity_options;

/// Signed distance with its certificate, in world coordinates.
typedef struct ts_proximity {
    ts_proximity_status status;
    ts_proximity_reason reason;  // of INVALID_INPUT
    double distance;      // m: the upper bound where they are apart, the lower in an overlap; when early, the proof's
    ts_separation found;  // of the shapes, balls included; point_a - point_b = -distance * normal, which is never zero
    double rival;  // m: in an overlap, how much deeper the next best way out is, as far as ways were looked at; at zero
                   // the answer jumps. Infinite: there is none, or none was met; negative: nobody asked for it
    int iterations;  // all of the following together
    int gjk_iterations;
    int epa_iterations;
    int sqp_iterations;  // steps of incremental depth and of the polish
    int support_calls;   // support points of A - B asked for
    int switched_at;     // GJK iterations when momentum was dropped; -1 when it never was or never began
    unsigned flags;      // TS_PROXIMITY_FLAT, ...
} ts_proximity;

/// Automatic method, distance wanted, never giving up.
ts_proximity_options ts_proximity_options_default(void);

/// What became of a pose on its way to a query.
typedef enum ts_proximity_placing {
    TS_PROXIMITY_PLACED,      // as it was, or made a unit rotation by less than 1e-6
    TS_PROXIMITY_MADE_UNIT,   // its quaternion's squared norm was off by up to 1e-2: usable, but somebody should know
    TS_PROXIMITY_NOT_FINITE,  // refused
    TS_PROXIMITY_NOT_A_ROTATION  // refused: its quaternion is no rotation, not even nearly
} ts_proximity_placing;

/// The gate for poses from outside, to be passed once per body and not per query: the matrix form of a pose whose
/// quaternion may not quite be a unit. A refused pose leaves the identity in *out_placed.
ts_proximity_placing ts_proximity_place(ts_pose pose, ts_transform* out_placed);

/// "auto", "gjk", ... ; never NULL.
const char* ts_proximity_method_name(ts_proximity_method method);

/// One line about a method for people.
const char* ts_proximity_method_summary(ts_proximity_method method);

/// The method of that name, or TS_PROXIMITY_METHOD_COUNT.
ts_proximity_method ts_proximity_method_find(const char* name);

/// "separated", "touching", ... ; never NULL.
const char* ts_proximity_status_name(ts_proximity_status status);

/// Why a query was refused, as a sentence for people; never NULL.
const char* ts_proximity_reason_text(ts_proximity_reason reason);

/// The signed distance of two shapes. `options` may be NULL (the defaults); `cache` may be NULL (nothing remembered). A
/// cache belongs to a pair and serves both orders of it. Whatever the query ends with, lower <= signed distance <= upper,
/// except with INVALID_INPUT, when out->reason says why. With an early status the witness points mean nothing.
/// The poses' matrices must be rotations; ts_proximity_place makes one of a quaternion that may not be a unit.
void ts_proximity_query(const ts_shape* a, const ts_transform* pose_a, const ts_shape* b, const ts_transform* pose_b,
                        const ts_proximity_options* options, ts_gjk_cache* cache, ts_proximity* out_proximity);

/// How far along unit `direction` from `from` (both in the world) the surface of a placed shape is met first, m, or -1 where it
/// is not. A ray that begins inside meets the surface where it leaves; a plane is met from its front only. *out_normal (may be
/// NULL) is the unit normal there, outwards.
double ts_proximity_ray(const ts_shape* shape, const ts_transform* placed, ts_vec3 from, ts_vec3 direction,
                        ts_vec3* out_normal);

#ifdef __cplusplus
}
#endif
#endif
