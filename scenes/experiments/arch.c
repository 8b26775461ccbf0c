// A semicircular arch of fifteen voussoirs, mean radius R = 1 m, thickness t, without mortar. Heyman: it stands if a line of thrust fits inside,
// whatever the forces do; Couplet's hinges turn as soon as none does. With many voussoirs that takes t / R = 0.1075; with fifteen, joints being
// where they are, 0.10899 (the thrust at the crown and its height, two unknowns, and two inequalities at each joint; friction 0.7 lets nothing
// slide, 0.3 would never do). Stones above that stay as they were put; below, the crown comes down. The thrust
// goes from floor to floor through all of them, which sweeps need the square of their number for.
#include "scenes/experiments/experiment.h"

#include <math.h>

static const double mean = 1.0, deep = 0.3, density = 2000.0, least = 0.10899;
static const double thicknesses[] = {0.15, 0.112, 0.1};

enum { STONES = 15 };

static void write(double value, ts_text* mjcf) {
    double pi = acos(-1.0);
    ts_text_add(mjcf,
                "<mujoco model=\"arch\"><option timestep=\"0.002\"/><custom><numeric name=\"touchstone.tolerance\" "
                "data=\"1e-9\"/></custom><default><geom friction=\"0.7\"/></default><asset>");
    for (int i = 0; i < STONES; ++i) {
        double middle = pi * (i + 0.5) / STONES;
        ts_text_add(mjcf, "<mesh name=\"stone%d\" vertex=\"", i);
        for (int k = 0; k < 8; ++k) {
            double angle = pi * (i + (k & 1)) / STONES, r = mean + (k & 2 ? 0.5 : -0.5) * value;
            ts_text_add(mjcf, "%.17g %g %.17g ", r * cos(angle) - mean * cos(middle), (k & 4 ? 0.5 : -0.5) * deep,
                        r * sin(angle) - mean * sin(middle));
        }
        ts_text_add(mjcf, "\"/>");
    }
    ts_text_add(mjcf, "</asset><worldbody><geom name=\"floor\" type=\"plane\" size=\"3 3 0.1\"/>");
    for (int i = 0; i < STONES; ++i) {
        double middle = pi * (i + 0.5) / STONES;
        ts_text_add(mjcf,
                    "<body name=\"stone%d\" pos=\"%.17g 0 %.17g\"><freejoint/><geom type=\"mesh\" mesh=\"stone%d\" "
                    "density=\"%g\"/></body>",
                    i, mean * cos(middle), mean * sin(middle), i, density);
    }
    ts_text_add(mjcf, "</worldbody></mujoco>");
}

// numbers 0 height of the keystone at the start, 1 the most it ever was off.
static double observe(ts_lab_run* run, ts_sim* sim) {
    double height = sim->kinematics.body_centre[ts_lab_body(run, sim, 0, "stone7")].z;
    if (run->steps == 0) run->number[0] = height;
    run->number[1] = fmax(run->number[1], fabs(height - run->number[0]));
    return 1e3 * (height - run->number[0]);
}

static void conclude(ts_lab_run* run, ts_sim* sim) {
    (void)sim;
    // It falls through its own thickness at least.
    if (run->value > least)
        ts_lab_tell(run, 0, 1e3 * run->number[1], 0.0, 1e-6);
    else
        ts_lab_tell(run, 0, 1e3 * run->number[1], 500.0 * (mean + run->value), 500.0 * (mean - run->value));
    if (run->value < least) run->missed_by[0] = 0;
}

static const ts_measure measure[] = {
    {"the keystone moves by", "mm", "0 where a line of thrust fits inside, else it falls",
     TS_TRAIT_SOFT | TS_TRAIT_SWEEPS | TS_TRAIT_ANCHOR, NULL, 0},
};

const ts_experiment ts_arch_experiment = {
    .name = "arch",
    .source = "Couplet 1730, Heyman 1966, The stone skeleton; Milankovitch 1907 for 0.1075",
    .summary = "an arch without mortar stands if it is thick enough, and else falls",
    .write = write,
    .parameter = "thickness over radius",
    .values = thicknesses,
    .value_count = 3,
    .solvers = "all",
    .duration = 1.0,
    .measure = measure,
    .measure_count = 1,
    .signal = "height of the keystone, against the start [mm]",
    .observe = observe,
    .conclude = conclude,
};
