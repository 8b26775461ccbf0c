// A box of a tonne rests on a light one of the same size. Statics alone decide: the light one carries, and nothing moves. Whoever works
// contact by contact brings the light box a share of the force of about the ratio of the masses in a sweep; soft contacts give way by the
// weight over their stiffness, which follows the light box's mass.
#include "scenes/experiments/experiment.h"

#include <math.h>

static const double ratios[] = {1e3, 1e6, 1.0};

static void write(double value, ts_text* mjcf) {
    ts_text_add(mjcf,
                "<mujoco model=\"heavy-on-light\"><option timestep=\"0.001\"/><custom><numeric "
                "name=\"touchstone.tolerance\" data=\"1e-13\"/></custom><default><geom "
                "friction=\"0.5\"/></default><worldbody>"
                "<geom name=\"floor\" type=\"plane\" size=\"2 2 0.1\"/>"
                "<body name=\"light\" pos=\"0 0 0.1\"><freejoint/><geom type=\"box\" size=\"0.1 0.1 0.1\" "
                "mass=\"%.17g\"/></body>"
                "<body name=\"heavy\" pos=\"0 0 0.3\"><freejoint/><geom type=\"box\" size=\"0.1 0.1 0.1\" "
                "mass=\"1000\"/></body>"
                "</worldbody></mujoco>",
                1000.0 / value);
}

static double sinking(const ts_lab_run* run, const ts_sim* sim) {
    return 1e3 * (sim->kinematics.body_centre[run->body[0]].z - 0.3);
}

static double observe(ts_lab_run* run, ts_sim* sim) {
    ts_lab_body(run, sim, 0, "heavy");
    return sinking(run, sim);
}

static void conclude(ts_lab_run* run, ts_sim* sim) {
    if (run->value < 100.0)
        ts_lab_spare(run, 0, TS_TRAIT_SWEEPS,
                     "equal boxes: each sweep halves the error, and fifty bring it to rounding");
    if (run->value < 1e6)
        ts_lab_spare(run, 0, TS_TRAIT_CORNER, "sixteen digits outlast a ratio of a thousand in a pivot");
    if (run->traits & TS_TRAIT_CORNER && run->value >= 100.0 && run->value < 1e6)
        ts_lab_leave_open(
            run, 0, TS_TRAIT_SWEEPS,
            "where pivots stop at rounding sweeps go on from there, and how far off that is is not known");
    // A thousand iterations of that kind a step.
    if (ts_lab_gradient_share(run->value, 1000) < 1e-3)
        ts_lab_spare(run, 0, TS_TRAIT_GRADIENT,
                     "a thousand iterations leave exp(-1000 / sqrt r) of the error, nothing");
    ts_lab_spare_solved(run, 0, TS_TRAIT_SWEEPS | TS_TRAIT_GRADIENT);
    ts_lab_tell(run, 0, sinking(run, sim), 0.0, 1e-6);
}

static const ts_measure measure[] = {
    {"height of the heavy box", "mm", "0: statics",
     TS_TRAIT_SOFT | TS_TRAIT_SWEEPS | TS_TRAIT_GRADIENT | TS_TRAIT_CORNER, "%g : 1", 2},
};

const ts_experiment ts_heavy_on_light_experiment = {
    .name = "heavy-on-light",
    .source = "legs, cranes, grippers: light links under heavy loads",
    .summary = "a tonne on a kilogram, and on a gram: who carries it",
    .write = write,
    .parameter = "ratio of the masses",
    .values = ratios,
    .value_count = 3,
    .solvers = "all",
    .duration = 1.0,
    .measure = measure,
    .measure_count = 1,
    .signal = "height of the heavy box, against the start [mm]",
    .observe = observe,
    .conclude = conclude,
};
