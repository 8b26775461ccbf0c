// Fig. 10: the same cube, axes along the edges. Coulomb: it stays down, and at every instant of the grid its energy is that of the parabola
// m (v - mu g t)^2 / 2. The convex relaxation drops to m v^2 / (2 (1 + mu^2)) in the first step and lifts the cube by 6.185 mm.
#include "scenes/experiments/experiment.h"

#include <math.h>

// numbers 0: highest so far, m; 1: largest departure of the energy, J.
static double observe(ts_lab_run* run, ts_sim* sim) {
    double lift = sim->kinematics.body_centre[ts_lab_body(run, sim, 0, "cube")].z - 0.104;
    double speed = fmax(1.0 - 0.4 * 9.81 * sim->time, 0.0), kinetic = ts_sim_energy(sim).kinetic;
    run->number[0] = fmax(run->number[0], lift);
    run->number[1] = fmax(run->number[1], fabs(kinetic + 9.81 * lift - 0.5 * speed * speed));
    return 1e3 * lift;
}

static void conclude(ts_lab_run* run, ts_sim* sim) {
    (void)sim;
    ts_lab_tell(run, 0, 1e3 * run->number[0], 0.0, 1e-3);
    if (!(run->traits & TS_TRAIT_SOFT)) ts_lab_foretell(run, 0, 6.185, 0.01);
    ts_lab_tell(run, 1, 1e3 * run->number[1], 0.0, 1.0);
}

static const ts_measure measure[] = {
    {"lift", "mm", "0; relaxed 6.185", TS_TRAIT_RELAXED, NULL, 0},
    {"energy off the parabola", "mJ", "0: what slides loses mu m g h of momentum in every step",
     TS_TRAIT_RELAXED | TS_TRAIT_ASIDE | TS_TRAIT_SOFT, NULL, 0},
};

const ts_experiment ts_ccp_lift_off_experiment = {
    .name = "ccp-lift-off",
    .source = "Contact Models in Robotics, Fig. 10",
    .summary = "the convex relaxation lifts a sliding cube off the floor and dissipates too much at once",
    .scene = "sliding-cube",
    .solvers = "all",
    .duration = 0.3,
    .signal = "height [mm]",
    .observe = observe,
    .conclude = conclude,
    .measure = measure,
    .measure_count = sizeof measure / sizeof measure[0],
};
