// Sensors of a model: what is measured, and where. A sensor is of a kind (a row of the table in engine/sensor/), looks at one or
// two objects, and gives so many numbers, which stand in sim->sensor one sensor after the other.
#ifndef TS_ENGINE_SENSOR_H
#define TS_ENGINE_SENSOR_H

#include "base/pose.h"

#ifdef __cplusplus
extern "C" {
#endif

/// What a sensor can look at. A body is met in three ways: its own frame, the frame of its principal axes of inertia in its centre of
/// mass, or all that hangs on it.
typedef enum ts_sensor_object_type {
    TS_SENSOR_NOTHING,
    TS_SENSOR_JOINT,
    TS_SENSOR_TENDON,
    TS_SENSOR_ACTUATOR,
    TS_SENSOR_BODY,           // MJCF xbody
    TS_SENSOR_BODY_INERTIAL,  // MJCF body
    TS_SENSOR_SUBTREE,
    TS_SENSOR_GEOM,
    TS_SENSOR_SITE,
    TS_SENSOR_CAMERA,  // told by its frame only
    TS_SENSOR_OBJECT_TYPE_COUNT
} ts_sensor_object_type;

/// An object of a sensor.
typedef struct ts_sensor_object {
    ts_sensor_object_type type;
    int index;     // the joint, tendon, ...; a body for the three ways to meet one; -1 where the type has none
    int body;      // what its frame is on; -1: it has no frame
    ts_pose pose;  // its frame, in that body's frame
} ts_sensor_object;

/// Numbers of fields that a sensor with a list of them (of contacts, of rays) may give.
enum { TS_SENSOR_FIELDS_MOST = 9 };

/// A sensor.
typedef struct ts_sensor {
    const char* name;
    int kind;                    // see ts_sensor_kind_name
    ts_sensor_object object[2];  // what is measured, and against what, or the second of two
    double cutoff;               // > 0: bounds its numbers, where its kind says so; else 0
    double noise;                // standard deviation, for whoever wants to add noise: none is added here
    unsigned fields;             // of those kinds that have a list of them: a bit for each field that is given
    int slots;                   // how often those fields are given
    int order;                   // how the slots are chosen, see its kind
    int first;                   // its numbers are sim->sensor[first] ...
    int size;                    // ... [first + size - 1]
} ts_sensor;

/// When a sensor's numbers come about.
typedef enum ts_sensor_time {
    TS_SENSOR_OF_STATE,  // when measured (ts_sim_measure), of the state then: positions, velocities, forces as they stand
    TS_SENSOR_OF_STEP    // in the step, of what happens in it: accelerations, and forces of contacts and constraints
} ts_sensor_time;

/// Nonzero: a kind that is of the state by its time, but shows what the last step has left (forces of actuators).
int ts_sensor_kind_stands(int i);

/// How many kinds of sensors there are.
int ts_sensor_kind_count(void);

/// The name of kind i, MJCF's word: "jointpos", "gyro", ...
const char* ts_sensor_kind_name(int i);

/// What kind i measures, in a few words with units.
const char* ts_sensor_kind_summary(int i);

/// When its numbers come about.
ts_sensor_time ts_sensor_kind_time(int i);

/// The kind of that name, or -1.
int ts_sensor_kind_find(const char* name);

/// "joint", "tendon", ..., "" for nothing.
const char* ts_sensor_object_type_name(ts_sensor_object_type type);

#ifdef __cplusplus
}
#endif
#endif
