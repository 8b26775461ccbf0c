// Fig. 12 at a ratio of 1000: a cube of 1 kg on one of 1 g, a hundred iterations a step. Nothing moves; Gauss-Seidel leaves the heavy one almost
// in free fall, 49 mm in 0.1 s; along gradients four hundredths of the weight are left (ts_lab_gradient_share).
#include "scenes/experiments/experiment.h"

#include <math.h>

static double sinking(const ts_lab_run* run, const ts_sim* sim) {
    return 1e3 * (sim->kinematics.body_centre[run->body[0]].z - 0.312);
}

static double observe(ts_lab_run* run, ts_sim* sim) {
    ts_lab_body(run, sim, 0, "heavy");
    return sinking(run, sim);
}

static void conclude(ts_lab_run* run, ts_sim* sim) {
    double off = ts_lab_left_at_most(run, 4.0 * 1e3), h = sim->options.time_step;
    if (1e3 * (double)run->unsolved * off * 9.81 * h * h < 1e-3)
        ts_lab_spare(run, 0, TS_TRAIT_SWEEPS | TS_TRAIT_GRADIENT,
                     "what the steps left unmet of the law, times how far eigenvalues are apart, 4000, is less than "
                     "the tolerance");
    ts_lab_tell(run, 0, sinking(run, sim), 0.0, 1e-3);
}

static const ts_measure measure[] = {
    {"height of the heavy cube", "mm", "0: statics", TS_TRAIT_SWEEPS | TS_TRAIT_GRADIENT | TS_TRAIT_SOFT, NULL, 0},
};

const ts_experiment ts_mass_ratio_experiment = {
    .name = "mass-ratio",
    .source = "Contact Models in Robotics, Fig. 12",
    .summary = "Gauss-Seidel leaves a light cube under a heavy one short of force",
    .scene = "unequal-cubes",
    .solvers = "all",
    .duration = 0.1,
    .signal = "height of the heavy cube, against the start [mm]",
    .observe = observe,
    .conclude = conclude,
    .measure = measure,
    .measure_count = sizeof measure / sizeof measure[0],
};
