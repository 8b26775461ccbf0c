// Where a spatial tendon runs, for whoever draws it.
#ifndef TS_ENGINE_TENDON_WAY_H
#define TS_ENGINE_TENDON_WAY_H

#include "engine/sim.h"

#ifdef __cplusplus
extern "C" {
#endif

/// A straight piece of the way, m, in the world.
typedef struct ts_tendon_segment {
    ts_vec3 from;
    ts_vec3 to;
} ts_tendon_segment;

/// Straight pieces of a way around something.
enum { TS_TENDON_ARC_SEGMENTS = 24 };

/// The way of a tendon for the last kinematics, from its first site on, into out_segment (room for `most`): what goes around spheres and cylinders
/// lies on them, in TS_TENDON_ARC_SEGMENTS chords. Returns how many pieces there are; more than `most` are not written. Fixed tendons, which are
/// sums of joints, have none.
int ts_tendon_way(const ts_sim* sim, int tendon, int most, ts_tendon_segment* out_segment);

#ifdef __cplusplus
}
#endif
#endif
