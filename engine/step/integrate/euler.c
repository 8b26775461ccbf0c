// Semi-implicit Euler: forces at the beginning of the step, dampers at its end, positions move by the new velocity.
//
//     (M + h D) (v+ - v) = h (tau - b(q, v) - K (q - rest) - D v) + J^T lambda,   q+ = q (+) h v+.
//
// The meaning of MuJoCo's "Euler" with its implicit joint damping, but for one thing: rows speak of the velocity
// after damping, so that a contact which holds, holds. First order. Springs are explicit and bound the step by
// h < 2 sqrt(m / k); so is the bias, and a body that spins freely gains energy at a rate of h times its spin squared.
#include "engine/step/integrate/integrator.h"

const ts_integrator ts_euler_integrator = {
    .name = "euler",
    .summary = "semi-implicit Euler: joint damping implicit, springs and Coriolis forces explicit",
    .damping_ahead = 1,
};
