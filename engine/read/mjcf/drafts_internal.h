// What elements outside of the tree of bodies say while they are read: where the attributes of the schema land.
#ifndef TS_ENGINE_MJCF_DRAFTS_INTERNAL_H
#define TS_ENGINE_MJCF_DRAFTS_INTERNAL_H

#include "engine/model/builder.h"

#ifdef __cplusplus
extern "C" {
#endif

/// What an element of <equality> says: where its attributes land.
typedef struct ts_mjcf_equality {
    ts_equality_def def;
    int site[2];         // -1: none
    double relative[7];  // of a weld: position and quaternion, zero when not given
} ts_mjcf_equality;

/// What a <pair> of <contact> says.
typedef struct ts_mjcf_pair {
    int geom[2];  // -1: none
    ts_surface surface;
    double friction[5];
} ts_mjcf_pair;

/// What an element of <tendon> says.
typedef struct ts_mjcf_tendon {
    ts_tendon_def def;
    int limited;  // 0 no, 1 yes, 2 when there is a range
    double rest[2];
    double stiffness[3], damping[3];
    int actuation_limited;  // likewise
} ts_mjcf_tendon;

/// Attributes that name what an actuator pulls at.
enum { TS_MJCF_TARGETS = 6 };

/// What elements of <actuator> and their defaults say.
typedef struct ts_mjcf_actuator {
    ts_actuator_def def;
    const char* shortcut;  // the last one that spoke; NULL: none, or <general> since
    int dynamics, gain_kind, bias_kind;
    double dynprm[10], gainprm[10], biasprm[10];
    double inherit_range;
    double damping[3];
    int control_limited, force_limited, act_limited;  // 0 no, 1 yes, 2 when there is a range
    int group;
    int target[TS_MJCF_TARGETS];  // -1: none
} ts_mjcf_actuator;

/// Types that one side of a sensor may be of: geom, body, subtree, site.
enum { TS_MJCF_SENSOR_SIDE_TYPES = 4 };

/// What an element of <sensor> says. Objects are told by name, since only the kind tells what they are.
typedef struct ts_mjcf_sensor {
    ts_sensor_def def;
    const char* object[2];
    int type[2];                                     // of frames: place in the list of words; -1: not given
    const char* side[2][TS_MJCF_SENSOR_SIDE_TYPES];  // of kinds that look at one of several types
    const char* data;
    const char* order;
    const char* camera;
    int enclosed;
} ts_mjcf_sensor;

#ifdef __cplusplus
}
#endif
#endif
