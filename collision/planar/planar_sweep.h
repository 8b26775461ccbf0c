// Moving polygons: when do they first come within a distance of each other?
#ifndef TS_COLLISION_PLANAR_PLANAR_SWEEP_H
#define TS_COLLISION_PLANAR_PLANAR_SWEEP_H

#include "collision/planar/planar_distance.h"

#ifdef __cplusplus
extern "C" {
#endif

/// A motion over fractions 0 to 1: the position goes straight, the heading turns the short way, as the normalised chord
/// between the two unit complex numbers. At most a quarter turn; split longer ones.
typedef struct ts_planar_motion {
    ts_planar_pose start;
    ts_planar_pose end;
} ts_planar_motion;

/// How a sweep ended.
typedef enum ts_planar_sweep_status {
    TS_PLANAR_SWEEP_CLEAR,    // no contact up to fraction 1
    TS_PLANAR_SWEEP_HIT,      // within target at `fraction`, and not before
    TS_PLANAR_SWEEP_OVERLAP,  // within target from the start
    TS_PLANAR_SWEEP_LIMIT,    // iterations ran out: clear up to `fraction` at least
    TS_PLANAR_SWEEP_INVALID   // a pose is invalid, a motion turns by more than a quarter, or a setting is not positive
} ts_planar_sweep_status;

/// What counts as contact.
typedef struct ts_planar_sweep_settings {
    double target;        // m: contact is a signed distance of target or less
    double tolerance;     // m: a HIT is reported when the distance is below target + tolerance; > 0
    int iteration_limit;  // distance queries
} ts_planar_sweep_settings;

/// What a sweep found.
typedef struct ts_planar_sweep_result {
    ts_planar_sweep_status status;
    int iterations;         // distance queries
    double fraction;        // up to here the distance is above the target: a lower bound of the time of contact
    ts_planar_result near;  // the pair at `fraction`
} ts_planar_sweep_result;

/// Target 0, tolerance 1e-6 m, 64 iterations.
ts_planar_sweep_settings ts_planar_sweep_settings_default(void);

/// The pose at a fraction of a motion; exactly start at 0 and end at 1 (to the tidying of their rotations).
ts_planar_pose ts_planar_motion_at(const ts_planar_motion* motion, double fraction);

/// The first contact of two moving polygons by conservative advancement. `settings` NULL: the defaults. No heap.
void ts_planar_sweep(const ts_planar_polygon* a, const ts_planar_motion* motion_a, const ts_planar_polygon* b,
                     const ts_planar_motion* motion_b, const ts_planar_sweep_settings* settings,
                     ts_planar_sweep_result* out_result);

#ifdef __cplusplus
}
#endif
#endif
