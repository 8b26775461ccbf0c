// Euler with the derivatives of forces by velocities, as far as they are symmetric.
//
//     (M + h D) (v+ - v) = h (tau - b - K (q - rest) - D v),   q+ = q (+) h v+
//
// As MuJoCo's "implicitfast" it takes dampers ahead, leaves springs where they are, and leaves out the derivative of Coriolis
// forces, which is not symmetric. There are no actuators or fluids here whose derivatives would make it differ from
// euler in that; but a lone free body, whose gyroscopic term is what most often ends a run, is solved at the midpoint of the step
// (free_rotation.c), and its energy stays. First order. Known failure: as euler's in trees.
#include "engine/step/integrate/free_rotation_internal.h"
#include "engine/step/integrate/integrator.h"

static int advance(ts_sim* sim, int tree, ts_arena* scratch) {
    (void)scratch;
    return !ts_free_rotation_is_lone(sim, tree) || ts_free_rotation_advance(sim, tree);
}

const ts_integrator ts_implicitfast_integrator = {
    .name = "implicitfast",
    .summary = "damping implicit, springs explicit, Coriolis forces explicit but for the spin of lone free bodies",
    .damping_ahead = 1,
    .servos = TS_SERVO_RATE,
    .frees_lone_bodies = 1,
    .advance = advance,
};
