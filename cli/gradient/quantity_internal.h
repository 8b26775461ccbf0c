// What can be asked of a state: numbers of it by name, with their exact derivatives by the state.
#ifndef TS_CLI_QUANTITY_INTERNAL_H
#define TS_CLI_QUANTITY_INTERNAL_H

#include "engine/derivative/rollout.h"

/// What a number is of.
typedef enum ts_quantity_kind {
    TS_QUANTITY_QPOS,
    TS_QUANTITY_QVEL,
    TS_QUANTITY_ACT,
    TS_QUANTITY_BODY,       // the frame of a body; `part` says what of it, and of those that follow
    TS_QUANTITY_CENTRE,     // its centre of mass
    TS_QUANTITY_GEOM,       // the frame of a geom
    TS_QUANTITY_SITE,       // that of a site
    TS_QUANTITY_SENSOR,     // what a sensor of the state shows; `part` is its number
    TS_QUANTITY_KINETIC,    // J
    TS_QUANTITY_POTENTIAL,  // J: of gravity and of linear springs at joints of one number
    TS_QUANTITY_ENERGY      // J: both
} ts_quantity_kind;

/// One number of a state.
typedef struct ts_quantity {
    ts_quantity_kind kind;
    int index;  // of qpos, qvel, act, body, geom, site or sensor
    int part;   // 0..2 position, 3..5 velocity, 6..8 angular velocity, 9..17 the rotation's matrix, row by row
} ts_quantity;

/// Reads "qpos[2]", "body[cube].x", "sensor[gyro].z", "energy" from *io_text on, which it leaves behind what it took. TS_ERROR_VALUE says what is wrong; *io_text is then
/// where.
ts_code ts_quantity_read(const ts_model* model, const char** io_text, ts_quantity* out_quantity, ts_status* out_status);

/// Its value in the state of the simulation, whose kinematics are up to date. Sensors are measured.
double ts_quantity_value(ts_sim* sim, const ts_quantity* quantity);

/// Adds `weight` times its derivative by the state to *io_pull. Scratch is given back. Returns 0 when memory is short.
int ts_quantity_pull(ts_sim* sim, const ts_quantity* quantity, double weight, ts_arena* scratch,
                     ts_rollout_pull* io_pull);

/// Its derivative by an input that is no part of the state: masses and gravity are in energies, masses in what sensors show of subtrees. Scratch is given back; NAN: it is short.
double ts_quantity_by_parameter(ts_sim* sim, const ts_quantity* quantity, ts_step_input_kind kind, int index,
                                ts_arena* scratch);

/// Nonzero for energies: their derivative by inertias is not known here.
int ts_quantity_is_energy(const ts_quantity* quantity);

/// Reads "[NAME]" or "[NUMBER]" from *io_text on, into `out_name` (size bytes).
ts_code ts_quantity_read_name(const char** io_text, char* out_name, size_t size, ts_status* out_status);

/// A whole number below `count`, or -1.
int ts_quantity_number(const char* name, int count);

#endif
