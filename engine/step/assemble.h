// From contact points, joint limits and dry joint friction to a contact problem: the one place that knows both a contact
// point and a body. The stage itself is ts_step_assemble (engine/step/step.h).
#ifndef TS_ENGINE_ASSEMBLE_H
#define TS_ENGINE_ASSEMBLE_H

#include "engine/sim.h"

#ifdef __cplusplus
extern "C" {
#endif

/// What decides the reference velocity of a contact's normal row.
typedef struct ts_reference_input {
    double gap;          // m
    double restitution;  // 1
    double speed_now;    // m/s: normal relative velocity when the step begins, < 0 closing
    double speed_free;   // m/s: the same after the step without contacts
    int was_closed;      // nonzero when it carried an impulse in the last step
} ts_reference_input;

/// c*_N, m/s: the least separation velocity the step shall end with (docs/contact.md). *out_bounces is set to nonzero
/// when restitution decides.
double ts_assemble_reference(const ts_options* options, const ts_reference_input* input, int* out_bounces);

/// Slower impacts than this do not bounce, m/s.
double ts_assemble_bounce_threshold(const ts_options* options);

/// Writes the rows `direction` . velocity of the point of `body` at `point` (world), for `rows` unit directions in world axes:
/// J (rows x dof_count of the body's tree, row-major) += sign * row. A body that cannot move changes nothing.
void ts_assemble_add_point_rows(const ts_sim* sim, int body, ts_vec3 point, const ts_vec3* direction, int rows,
                                double sign, double* J);

#ifdef __cplusplus
}
#endif
#endif
