// Fig. 12, both panels: a cube on one of 1 g, of 1 to a million times its mass, a hundred iterations a step to a tolerance of 1e-12, warm start.
// Nothing moves: the floor carries (m1 + m2) g h, the light cube m2 g h. After K sweeps from nothing Gauss-Seidel leaves (m2 / (m1 + m2))^K of
// the weight: at a million to one the heavy cube falls freely, g T (T + h) / 2 = 49.54 mm in 0.1 s.
#include "scenes/experiments/experiment.h"
#include "scenes/experiments/paper_cube_internal.h"

#include <math.h>

static const double ratios[] = {1e6, 1e3, 1e2, 10.0, 1.0};

static void write(double value, ts_text* mjcf) {
    ts_text_add(
        mjcf,
        "<mujoco model=\"stacked-cubes\"><option timestep=\"0.001\"/><custom>"
        "<numeric name=\"touchstone.iterations\" data=\"100\"/><numeric name=\"touchstone.tolerance\" data=\"1e-12\"/>"
        "<numeric name=\"touchstone.baumgarte\" data=\"0\"/></custom><worldbody>\n");
    ts_paper_cube_floor(0.9, mjcf);
    ts_paper_cube_add("light", TS_PAPER_CUBE_HEIGHT, 1e-3, 0.9, 0.95, mjcf);
    ts_paper_cube_add("heavy", 3.0 * TS_PAPER_CUBE_HEIGHT, 1e-3 * value, 0.95, 0.95, mjcf);
    ts_text_add(mjcf, "</worldbody></mujoco>\n");
}

static double sinking(const ts_lab_run* run, const ts_sim* sim) {
    return 1e3 * (sim->kinematics.body_centre[run->body[0]].z - 3.0 * TS_PAPER_CUBE_HEIGHT);
}

// numbers 0: the worst step's natural map; 1: nonzero when there was a step that told.
static double observe(ts_lab_run* run, ts_sim* sim) {
    ts_lab_body(run, sim, 0, "heavy");
    // Another engine tells nothing of its steps.
    if (sim->info.row_count > 0) {
        run->number[0] = fmax(run->number[0], sim->info.residual.natural);
        run->number[1] = 1.0;
    }
    return sinking(run, sim);
}

static void conclude(ts_lab_run* run, ts_sim* sim) {
    double left = ts_lab_gradient_share(run->value, 100);
    static const char share[] = "a hundred iterations leave exp(-100 / sqrt r) of the error, less than the tolerance";
    if (run->value <= 10.0)
        ts_lab_spare(run, 0, TS_TRAIT_SWEEPS,
                     "(r / (1 + r))^100 of the weight is missing after a step, and the next begins where it ended");
    if (left < 1e-3) ts_lab_spare(run, 0, TS_TRAIT_GRADIENT, share);
    if (left < 1e-8) ts_lab_spare(run, 1, TS_TRAIT_GRADIENT, share);
    if (run->value < 1e6) {
        ts_lab_spare(run, 1, TS_TRAIT_CORNER, "sixteen digits outlast such a ratio in a pivot");
    } else {
        ts_lab_leave_open(run, 0, TS_TRAIT_CORNER,
                          "what a pivot loses in rounding has no size that is known beforehand");
    }
    if (run->value <= 10.0)
        ts_lab_leave_open(run, 0, TS_TRAIT_FOREIGN,
                          "the weight is a few grams, and how far a foot sinks under it is a matter "
                          "of settings");
    ts_lab_tell(run, 0, sinking(run, sim), 0.0, 1e-3);
    if (run->traits == TS_TRAIT_SWEEPS && run->value >= 1e6) ts_lab_foretell(run, 0, -0.5e3 * 9.81 * 0.1 * 0.101, 0.5);
    if (run->number[1] > 0.0) ts_lab_tell(run, 1, run->number[0], 0.0, 1e-8);
}

static const ts_measure measure[] = {
    {"height of the heavy cube", "mm", "0: statics; contact by contact at a million to one -49.54, free fall",
     TS_TRAIT_SWEEPS | TS_TRAIT_GRADIENT | TS_TRAIT_SOFT, NULL, 0},
    {"worst natural map of the exact law", "", "0: every step is solved",
     TS_TRAIT_SWEEPS | TS_TRAIT_GRADIENT | TS_TRAIT_CORNER | TS_TRAIT_SOFT, NULL, 0},
};

const ts_experiment ts_stacked_cubes_experiment = {
    .name = "stacked-cubes",
    .source = "Contact Models in Robotics, Fig. 12, both panels",
    .summary = "a heavy cube on one of a gram, by the ratio of the masses: who carries it, and what is left unsolved",
    .write = write,
    .parameter = "ratio of the masses",
    .values = ratios,
    .value_count = 5,
    .solvers = "all",
    .duration = 0.1,
    .measure = measure,
    .measure_count = 2,
    .signal = "height of the heavy cube, against the start [mm]",
    .observe = observe,
    .conclude = conclude,
};
