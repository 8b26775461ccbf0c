// Euler with springs and dampers at the end of the step, and rows that know it.
//
//     (M + h D + h^2 K) (v+ - v) = h (tau - b(q, v) - K (q - rest) - (D + h K) v) + J^T lambda,   q+ = q (+) h v+
//
// (derived in engine/dynamics/dynamics.c). First order; no spring or damper of a joint bounds the step. The bias is explicit, as euler's.
#include "engine/step/integrate/integrator.h"

const ts_integrator ts_discrete_integrator = {
    .name = "discrete",
    .summary = "Euler, joint springs and dampers implicit, contacts included; Coriolis forces explicit",
    .damping_ahead = 1,
    .springs_ahead = 1,
};
