// How what a sensor shows of a step answers to all that it is made of, each with the others held.
#ifndef TS_ENGINE_SENSOR_STEP_SLOPE_INTERNAL_H
#define TS_ENGINE_SENSOR_STEP_SLOPE_INTERNAL_H

#include "engine/sim.h"

#ifdef __cplusplus
extern "C" {
#endif

/// How a dof moves a contact: its point, and its frame.
typedef struct ts_sensor_contact_motion {
    ts_vec3 point;
    ts_vec3 turn;
} ts_sensor_contact_motion;

/// Row-major, zero at first, of a sensor of so many numbers.
typedef struct ts_sensor_step_slope {
    double* q;          // (numbers x nv) by the position before the step
    double* v;          // (numbers x nv) by the velocity before it
    double* next;       // (numbers x nv) by the velocity after it
    double* impulse;    // (numbers x rows of the problem)
    double* gravity;    // (numbers x 3)
    double* time_step;  // (numbers)
    double* control;    // (numbers x actuator_count)
    double* wrench;     // (numbers x 6 body_count) by those applied: of each body couple, then force
    double* inertia;    // (numbers x 10 body_count) by the parameters of ts_derivative_regressor
    const ts_sensor_contact_motion*
        contact;  // (contact_count x nv) given, of contacts that press; NULL: not all of them have derivatives
} ts_sensor_step_slope;

/// Parameters of the inertia of a body.
enum { TS_SENSOR_PARAMETERS = 10 };

/// How a dof moves in a step, about the origin of its tree: what carries its joint, and what its joint carries.
typedef struct ts_sensor_link {
    ts_motion v_before, v_after;
    ts_motion a_before, a_after;  // against free fall
} ts_sensor_link;

/// Those of all dofs (nv), in memory of the arena. NULL when that is short.
const ts_sensor_link* ts_sensor_links_find(const ts_sim* sim, ts_arena* arena);

/// The acceleration of a body in the step, against free fall.
ts_motion ts_sensor_body_acceleration(const ts_sim* sim, const ts_sensor_link* link, int body);

/// How a body answers to a dof that carries it. By the velocity its own answers with the axis; by that after the step its acceleration does, with the axis over the time step.
typedef struct ts_sensor_body_slope {
    ts_motion v_by_q;
    ts_motion a_by_q;
    ts_motion a_by_v;
} ts_sensor_body_slope;

/// Of dof d.
ts_sensor_body_slope ts_sensor_body_slope_find(const ts_sim* sim, const ts_sensor_link* link, int body, int d);

/// By the time step: less what velocities have changed by in it, over that.
ts_motion ts_sensor_body_by_time(const ts_sim* sim, int body);

/// Column c (of `ld`) of three numbers: x along the axes of R.
static inline void ts_sensor_add_column(const ts_mat3* R, ts_vec3 x, int ld, int c, double* matrix) {
    ts_vec3 along = ts_mat3_mul_vec_transposed(R, x);
    matrix[c] += along.x;
    matrix[ld + c] += along.y;
    matrix[2 * ld + c] += along.z;
}

/// What an acceleration sensor shows of the frame of its object.
typedef enum ts_sensor_acceleration_part {
    TS_SENSOR_OF_POINT,       // of the origin, in the world
    TS_SENSOR_OF_INSTRUMENT,  // of the origin, in the frame
    TS_SENSOR_OF_TURNING      // angular, in the world
} ts_sensor_acceleration_part;

/// The slope of that. Returns 0 when memory is short.
int ts_sensor_acceleration_slope(const ts_sim* sim, const ts_sensor* sensor, ts_sensor_acceleration_part part,
                                 ts_arena* scratch, const ts_sensor_step_slope* by);

/// The slope of force or torque of the parent on the body of a sensor. Returns 0 where something acts on what hangs there that has none, or memory is short.
int ts_sensor_force_slope(ts_sim* sim, const ts_sensor* sensor, int torque, ts_arena* scratch,
                          const ts_sensor_step_slope* by);

/// Adds `share` of the force of an actuator to number 0 (engine/derivative/step_drive.c). Returns 0 where that is not known: with an activation, through space.
int ts_sensor_actuator_slope(const ts_sim* sim, int actuator, double share, const ts_sensor_step_slope* by);

/// Adds row `row` of the problem to a sum of forces of rows.
static inline void ts_sensor_add_row(const ts_sim* sim, int row, const ts_sensor_step_slope* by) {
    by->impulse[row] += 1.0 / sim->options.time_step;
    by->time_step[0] -= sim->impulse[row] / (sim->options.time_step * sim->options.time_step);
}

#ifdef __cplusplus
}
#endif
#endif
