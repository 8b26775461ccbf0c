// A tower of planks, 120 x 24 x 8 mm, two to a layer, each layer across the one below. Nothing may move.
// Every crossing has four contacts for one force, and every layer four crossings for three: hyperstatic many times over. A sweep carries
// a weight one layer on, and errors die out like heat does in a rod: in sweeps as the square of the layers.
#include "scenes/experiments/experiment.h"

#include <math.h>

static const double mass = 0.015;
static const double layers[] = {12.0, 4.0, 20.0};

static void write(double value, ts_text* mjcf) {
    ts_text_add(mjcf, "<mujoco model=\"kapla\"><option timestep=\"0.002\"/>"
                      "<custom><numeric name=\"touchstone.tolerance\" data=\"1e-12\"/></custom>"
                      "<default><geom friction=\"0.5\"/></default><worldbody><geom name=\"floor\" type=\"plane\" "
                      "size=\"1 1 0.1\"/>");
    for (int i = 0; i < 2 * (int)value; ++i) {
        int across = i / 2 % 2;
        double aside = i % 2 ? 0.048 : -0.048;
        ts_text_add(mjcf,
                    "<body name=\"plank%d\" pos=\"%g %g %.17g\"><freejoint/><geom type=\"box\" size=\"%s 0.004\" "
                    "mass=\"%g\"/></body>",
                    i, across ? aside : 0.0, across ? 0.0 : aside, 0.004 + 0.008 * (i / 2),
                    across ? "0.012 0.06" : "0.06 0.012", mass);
    }
    ts_text_add(mjcf, "</worldbody></mujoco>");
}

// number[0]: the farthest that any plank was from its place, m.
static double observe(ts_lab_run* run, ts_sim* sim) {
    double worst = 0.0;
    for (int i = 1; i < sim->model->body_count; ++i) {
        double z = 0.004 + 0.008 * ((i - 1) / 2), aside = (i - 1) % 2 ? 0.048 : -0.048;
        int across = (i - 1) / 2 % 2;
        ts_vec3 place = ts_vec3_make(across ? aside : 0.0, across ? 0.0 : aside, z);
        worst = fmax(worst, ts_vec3_distance(sim->kinematics.body_centre[i], place));
    }
    run->number[0] = fmax(run->number[0], worst);
    return 1e3 * worst;
}

static void conclude(ts_lab_run* run, ts_sim* sim) {
    (void)sim;
    if (run->value < 10.0) run->missed_by[0] &= ~(unsigned)TS_TRAIT_SWEEPS;
    ts_lab_tell(run, 0, 1e3 * run->number[0], 0.0, 1e-6);
}

static const ts_measure measure[] = {
    {"worst way of a plank", "mm", "0: it stands as it was put", TS_TRAIT_SOFT | TS_TRAIT_SWEEPS, NULL, 0},
};

const ts_experiment ts_kapla_experiment = {
    .name = "kapla",
    .source = "toy planks; towers that lean after a minute",
    .summary = "a tower of crossed planks stands, and nothing moves",
    .write = write,
    .parameter = "layers",
    .values = layers,
    .value_count = 3,
    .solvers = "all",
    .duration = 0.4,
    .measure = measure,
    .measure_count = 1,
    .signal = "worst way [mm]",
    .observe = observe,
    .conclude = conclude,
};
