// Seven flat boxes on a slope of angle a, their friction mu from half of tan a to twice as much. Those above tan a stay; the others are at
// speed g (sin a - mu cos a) t, in discrete time as well, since gravity and friction are constant.
#include "scenes/experiments/experiment.h"

#include <math.h>
#include <stdio.h>

static const double gravity = 9.81, degree = 0.017453292519943295;
static const double angles[] = {20.0, 10.0, 30.0, 40.0};
// mu over tan a. The slope's own is 0: the larger of two counts.
static const double share[] = {0.5, 0.9, 0.99, 1.01, 1.1, 1.5, 2.0};

enum { BOXES = sizeof share / sizeof share[0] };

static void write(double value, ts_text* mjcf) {
    double a = value * degree;
    ts_text_add(mjcf,
                "<mujoco model=\"friction-ramp\"><option timestep=\"0.001\" gravity=\"%.17g 0 %.17g\"/><custom>"
                "<numeric name=\"touchstone.tolerance\" data=\"1e-10\"/>"
                "<numeric name=\"touchstone.iterations\" data=\"20000\"/></custom><worldbody>"
                "<geom name=\"slope\" type=\"plane\" size=\"3 2 0.1\" friction=\"0\"/>",
                gravity * sin(a), -gravity * cos(a));
    for (int i = 0; i < BOXES; ++i)
        ts_text_add(mjcf,
                    "<body name=\"box%d\" pos=\"0 %.17g 0.02\"><freejoint/><geom type=\"box\" size=\"0.05 0.05 "
                    "0.02\" mass=\"1\" friction=\"%.17g\"/></body>",
                    i, 0.2 * (i - BOXES / 2), share[i] * tan(a));
    ts_text_add(mjcf, "</worldbody></mujoco>");
}

static double speed_of(const ts_lab_run* run, const ts_sim* sim, int i) {
    return ts_sim_body_velocity(sim, run->body[i]).linear.x;
}

static double observe(ts_lab_run* run, ts_sim* sim) {
    char name[16];
    for (int i = 0; i < BOXES && run->steps == 0; ++i) {
        snprintf(name, sizeof name, "box%d", i);
        ts_lab_body(run, sim, i, name);
    }
    return speed_of(run, sim, 0);
}

static void conclude(ts_lab_run* run, ts_sim* sim) {
    double moved = 0.0, off = 0.0, a = run->value * degree;
    for (int i = 0; i < BOXES; ++i) {
        double x = sim->kinematics.body_centre[run->body[i]].x;
        double speed = gravity * (sin(a) - share[i] * tan(a) * cos(a)) * sim->time;
        if (share[i] > 1.0) moved = fmax(moved, fabs(x));
        if (share[i] < 1.0) off = fmax(off, fabs(speed_of(run, sim, i) - speed));
    }
    ts_lab_tell(run, 0, 1e3 * moved, 0.0, 1e-6);
    ts_lab_tell(run, 1, off, 0.0, 1e-6);
}

static const ts_measure measure[] = {
    {"worst way of a box that holds", "mm", "0: its friction is more than tan a", TS_TRAIT_SOFT | TS_TRAIT_ANCHOR, NULL,
     0},
    {"worst speed error of those that slide", "m/s", "0, against g (sin a - mu cos a) t",
     TS_TRAIT_RELAXED | TS_TRAIT_SOFT | TS_TRAIT_ASIDE | TS_TRAIT_ANCHOR, NULL, 0},
};

const ts_experiment ts_friction_ramp_experiment = {
    .name = "friction-ramp",
    .source = "Newton's friction ramp; textbooks",
    .summary = "boxes of seven frictions on a slope: those above tan a hold, the others slide as Coulomb says",
    .write = write,
    .parameter = "slope [deg]",
    .values = angles,
    .value_count = 4,
    .solvers = "all",
    .duration = 1.0,
    .measure = measure,
    .measure_count = 2,
    .signal = "speed of the most slippery box [m/s]",
    .observe = observe,
    .conclude = conclude,
};
