// What a kind of sensor is: one row of a table, in the file of its family. Whoever reads, builds, measures, lists or records sensors
// asks the row and knows no kind by name.
#ifndef TS_ENGINE_SENSOR_KIND_INTERNAL_H
#define TS_ENGINE_SENSOR_KIND_INTERNAL_H

#include "engine/sensor/sensor_step_slope_internal.h"
#include "engine/sim.h"

#ifdef __cplusplus
extern "C" {
#endif

/// What the numbers of a sensor are, which decides how its cutoff bounds them.
typedef enum ts_sensor_values {
    TS_SENSOR_REAL,      // both ways
    TS_SENSOR_POSITIVE,  // from above
    TS_SENSOR_EXACT      // not at all: unit vectors, quaternions, and kinds to which the cutoff means something else
} ts_sensor_values;

/// How numbers of a sensor answer to the state: (numbers x nv), row-major, tangent.
typedef struct ts_sensor_slope {
    double* q;
    double* v;
} ts_sensor_slope;

/// A bit for each ts_sensor_object_type.
#define TS_SENSOR_IS(type) (1u << TS_SENSOR_##type)

/// Objects that have a frame.
#define TS_SENSOR_HAS_FRAME \
    (TS_SENSOR_IS(BODY) | TS_SENSOR_IS(BODY_INERTIAL) | TS_SENSOR_IS(GEOM) | TS_SENSOR_IS(SITE) | TS_SENSOR_IS(CAMERA))

/// A kind.
typedef struct ts_sensor_kind {
    const char* name;     // MJCF's word
    const char* summary;  // with units
    int size;             // numbers; where `count` is missing
    ts_sensor_time time;
    ts_sensor_values values;
    unsigned object[2];  // bits of what its objects may be; 0: it has none

    const char* const* field;  // (field_count) of a kind that gives chosen fields: their names, in order
    int field_count;
    const char* const* order;  // (order_count) of a kind with slots: by what they are filled
    int order_count;

    /// How many numbers it gives. NULL: `size`.
    int (*count)(const ts_sensor* sensor);

    /// Why this sensor cannot be of this kind, or NULL; its objects are there and of the right types. NULL: it can.
    const char* (*fault)(const ts_model* model, const ts_sensor* sensor);

    /// Its numbers: of the present state and the last kinematics; or, of a step, once that is solved and before it is taken over, so that
    /// state and kinematics are those of its beginning.
    void (*measure)(ts_sim* sim, const ts_sensor* sensor, double* out_values);

    /// How its numbers answer to the present state, at the last kinematics: zero at first. Returns 0
    /// where there are no equations, or memory is short. NULL: there are none.
    int (*slope)(ts_sim* sim, const ts_sensor* sensor, ts_arena* scratch, const ts_sensor_slope* by);

    /// How its numbers, shown in the step that is solved, answer to what that is made of. Returns 0 where there are no equations, or memory is short. NULL: there are none.
    int (*step_slope)(ts_sim* sim, const ts_sensor* sensor, ts_arena* scratch, const ts_sensor_step_slope* by);

    int stands;  // nonzero: of the state by its time, but it shows what the last step has left
} ts_sensor_kind;

/// Kind i of the table.
const ts_sensor_kind* ts_sensor_kind_at(int i);

/// Whether sensor i shows what happens in a step to something that sleeps: it shows what it showed when that fell asleep.
int ts_sensor_is_held(const ts_sim* sim, int i);

/// Measures those of a step. The step is solved, and the state still that of its beginning.
void ts_sensor_measure_step(ts_sim* sim);

/// Numbers of those fields that `fields` has a bit for.
int ts_sensor_fields_size(unsigned fields, const int* size, int count);

/// Where an object's frame is, for the last kinematics; it has one.
ts_transform ts_sensor_frame(const ts_sim* sim, const ts_sensor_object* object);

#ifdef __cplusplus
}
#endif
#endif
