// A tonne on a gram, a hundred iterations a step: who gets there, and who says that not. Nothing moves under an exact law.
#include "scenes/experiments/experiment.h"

#include <math.h>

static double sinking(const ts_lab_run* run, const ts_sim* sim) {
    return 1e3 * (sim->kinematics.body_centre[run->body[0]].z - 0.312);
}

static double observe(ts_lab_run* run, ts_sim* sim) {
    ts_lab_body(run, sim, 0, "heavy");
    return sinking(run, sim);
}

static void conclude(ts_lab_run* run, ts_sim* sim) { ts_lab_tell(run, 0, sinking(run, sim), 0.0, 1e-3); }

static const ts_measure measure[] = {
    {"height of the heavy cube", "mm", "0: statics",
     TS_TRAIT_SWEEPS | TS_TRAIT_GRADIENT | TS_TRAIT_CORNER | TS_TRAIT_SOFT, NULL, 0},
};

const ts_experiment ts_million_to_one_experiment = {
    .name = "million-to-one",
    .source = "the worst case of Touchstone's own tests",
    .summary = "a million to one: who gets there, and who says that not",
    .scene = "tonne-on-gram",
    .solvers = "all",
    .duration = 0.05,
    .signal = "height of the heavy cube, against the start [mm]",
    .observe = observe,
    .conclude = conclude,
    .measure = measure,
    .measure_count = sizeof measure / sizeof measure[0],
};
