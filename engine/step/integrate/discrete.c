// Euler with springs and dampers at the end of the step, and rows that know it.
//
//     (M + h D + h^2 K) (v+ - v) = h (tau - b(q, v) - K (q - rest) - (D + h K) v) + J^T lambda,   q+ = q (+) h v+
//
// (derived in engine/dynamics/dynamics.c). MuJoCo's "discrete": Coriolis forces of trees are explicit, the spin of a lone free
// body is taken as implicit takes it. First order; no spring or damper of a joint bounds the step.
// Known failure: a tree that spins gains energy, as under euler; a lone body loses it, as under implicit.
#include "engine/step/integrate/free_rotation_internal.h"
#include "engine/step/integrate/integrator.h"

extern const ts_integrator ts_implicit_integrator;

static int advance(ts_sim* sim, int tree, ts_arena* scratch) {
    return !ts_free_rotation_is_lone(sim, tree) || ts_implicit_integrator.advance(sim, tree, scratch);
}

const ts_integrator ts_discrete_integrator = {
    .name = "discrete",
    .summary = "Euler, joint springs and dampers implicit, contacts included; spin of lone free bodies implicit",
    .damping_ahead = 1,
    .servos = TS_SERVO_RATE,
    .springs_ahead = 1,
    .advance = advance,
};
