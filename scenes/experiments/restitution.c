// A ball falls 1 m onto a floor of restitution e = 0.8 and bounces three times; the parameter is the time step. In the step that bounces,
// speeds turn into -e times what they were. Heights go with e^2 up to that step: with u the speed of impact and G the gap when the step
// begins, a flight keeps v^2 / 2 + g z - g h v / 2, hence the next height is e^2 H + (1 - e^2) G + h u e (1 - e) / 2. Contacts are made
// from the margin m on: G lies between k - h u and k, k = min(m, h u), which gives half of (1 - e^2) h u of leeway on either side.
#include "scenes/experiments/experiment.h"

#include <math.h>

static const double e = 0.8, gravity = 9.81, drop = 1.0, radius = 0.1;
static const double steps[] = {1e-3, 1e-4, 1e-2};

enum { BOUNCES = 3 };

static void write(double value, ts_text* mjcf) {
    ts_text_add(
        mjcf,
        "<mujoco model=\"restitution\"><option timestep=\"%.17g\"/>"
        "<custom><numeric name=\"touchstone.restitution\" data=\"%g\"/></custom><worldbody>"
        "<geom name=\"floor\" type=\"plane\" size=\"2 2 0.1\"/><body name=\"ball\" pos=\"0 0 %.17g\"><freejoint/>"
        "<geom type=\"sphere\" size=\"%.17g\" mass=\"1\"/></body></worldbody></mujoco>",
        value, e, drop + radius, radius);
}

// numbers 0 speed before this step, 1 bounces so far, 2 worst departure of their ratio from e, 3 height since the last one.
static double observe(ts_lab_run* run, ts_sim* sim) {
    double height = sim->kinematics.body_centre[ts_lab_body(run, sim, 0, "ball")].z - radius;
    double speed = ts_sim_body_velocity(sim, run->body[0]).linear.z, *n = run->number;
    if (n[0] < 0.0 && speed >= 0.0) {
        n[1] += 1.0;
        n[2] = fmax(n[2], fabs(-speed / n[0] - e));
        n[3] = 0.0;
    }
    n[0] = speed;
    n[3] = fmax(n[3], height);
    return height;
}

static void conclude(ts_lab_run* run, ts_sim* sim) {
    double h = sim->options.time_step, height = drop, leeway = gravity * h * h;
    for (int i = 0; i < BOUNCES; ++i) {
        double u = sqrt(2.0 * gravity * height);
        double gap = fmin(sim->options.contact_margin, h * u) - 0.5 * h * u;
        height = e * e * height + (1.0 - e * e) * gap + 0.5 * h * u * e * (1.0 - e);
        // That u is itself known to a step of gravity adds terms of second order.
        leeway = e * e * leeway + 0.5 * h * u * (1.0 - e * e) + gravity * h * h;
    }
    if (!(run->traits & TS_TRAIT_RELAXED) || run->traits & TS_TRAIT_ALONE)
        ts_lab_leave_open(
            run, 1, TS_TRAIT_ALONE | TS_TRAIT_FOREIGN,
            "how often a ball bounces that a law of its own throws back is a whole number, which may be 3");
    ts_lab_tell(run, 0, run->number[2], 0.0, 1e-7);
    ts_lab_tell(run, 1, run->number[1], BOUNCES, 0.0);
    ts_lab_tell(run, 2, 1e3 * run->number[3], 1e3 * height, 1e3 * leeway);
}

static const ts_measure measure[] = {
    {"rebound over impact speed, off e by", "", "0: Newton's law of impact", TS_TRAIT_SOFT, NULL, 0},
    {"bounces", "", "3 in this time", TS_TRAIT_SOFT, NULL, 0},
    {"height after them", "mm", "e^6 H, and what a step's travel adds", TS_TRAIT_SOFT, NULL, 0},
};

const ts_experiment ts_restitution_experiment = {
    .name = "restitution",
    .source = "balls that bounce as high as the time step wants",
    .summary = "a ball bounces with its restitution, whatever the time step",
    .write = write,
    .parameter = "time step [s]",
    .values = steps,
    .value_count = 3,
    .solvers = "ncp,mujoco",
    .duration = 2.05,
    .measure = measure,
    .measure_count = 3,
    .signal = "height [m]",
    .observe = observe,
    .conclude = conclude,
};
