// Ten boxes of 0.2 m and 1 kg, exactly touching. They are in equilibrium as they stand: nothing may move, for four seconds.
#include "scenes/experiments/experiment.h"

static void write(double value, ts_text* mjcf) {
    (void)value;
    ts_text_add(mjcf, "<mujoco model=\"stack\"><option timestep=\"0.001\"/><custom><numeric "
                      "name=\"touchstone.tolerance\" data=\"1e-13\"/>"
                      "</custom><default><geom friction=\"0.5\"/></default><worldbody><geom name=\"floor\" "
                      "type=\"plane\" size=\"2 2 0.1\"/>");
    for (int i = 1; i <= 10; ++i)
        ts_text_add(mjcf,
                    "<body name=\"box%d\" pos=\"0 0 %.17g\"><freejoint/><geom type=\"box\" size=\"0.1 0.1 0.1\" "
                    "mass=\"1\"/></body>",
                    i, (2 * i - 1) / 10.0);
    ts_text_add(mjcf, "</worldbody></mujoco>");
}

static double height_error(const ts_lab_run* run, const ts_sim* sim) {
    return 1e3 * (sim->kinematics.body_centre[run->body[0]].z - 1.9);
}

static double observe(ts_lab_run* run, ts_sim* sim) {
    ts_lab_body(run, sim, 0, "box10");
    return height_error(run, sim);
}

static void conclude(ts_lab_run* run, ts_sim* sim) { ts_lab_tell(run, 0, height_error(run, sim), 0.0, 1e-6); }

static const ts_measure measure[] = {
    {"height of the top box", "mm", "0: it stands where it was put", TS_TRAIT_SOFT | TS_TRAIT_SWEEPS, "stack of ten",
     1},
};

const ts_experiment ts_stack_experiment = {
    .name = "stack",
    .source = "the first scene that anybody tries",
    .summary = "ten boxes stand on one another, and nothing moves",
    .write = write,
    .solvers = "all",
    .duration = 4.0,
    .measure = measure,
    .measure_count = 1,
    .signal = "height of the top box, against the start [mm]",
    .observe = observe,
    .conclude = conclude,
};
