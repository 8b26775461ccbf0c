// Sensors of a step by equations.
#ifndef TS_ENGINE_SENSOR_STEP_INTERNAL_H
#define TS_ENGINE_SENSOR_STEP_INTERNAL_H

#include "engine/derivative/step_derivative_internal.h"
#include "engine/sensor/sensor_step_slope_internal.h"

#ifdef __cplusplus
extern "C" {
#endif

/// What is found, of all sensors of a request.
typedef struct ts_sensor_step_rows {
    int rows;
    double* matrix;          // (rows x columns of the step)
    unsigned char* is_done;  // (rows) nonzero: it has its equations, and stands in the matrix
} ts_sensor_step_rows;

/// Fills the rows of what sensors show of the step that stands, of which `step` is the derivative by its equations, and `by_step` its matrix. Leaves those as they are that have
/// none, or that ask for shares in a load that contacts take as they like.
ts_code ts_sensor_step_find(ts_sim* sim, const ts_step_derivative* step, const double* by_step,
                            const ts_sensor_request* request, ts_arena* arena, const ts_sensor_step_rows* out);

/// How dofs move the contacts that press (engine/derivative/step_contact_rows.c): (contact_count x nv) in memory of the arena; NULL where one of them has no derivative. Returns 0 when
/// memory is short.
int ts_step_contact_motions_find(const ts_sim* sim, ts_arena* arena, const ts_sensor_contact_motion** out_motion);

#ifdef __cplusplus
}
#endif
#endif
