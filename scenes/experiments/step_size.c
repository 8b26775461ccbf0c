// Table III, Fig. 14: the sliding cube on steps of 1, 10 and 100 ms, T = 1.1 s. Its positions follow the velocity at the end of each step, so
// that they are mu g h t / 2 short until it stops: integral of the error h (v^2 / (4 mu g) + v / 2 (T - v / (mu g))), 0.48629 m s per second of step.
#include "scenes/experiments/experiment.h"
#include "scenes/experiments/paper_cube_internal.h"

#include <math.h>

static const double mu = 0.4, gravity = 9.81, speed = 1.0, duration = 1.1;
static const double steps[] = {1e-2, 1e-3, 1e-1};

static void write(double value, ts_text* mjcf) {
    ts_text_add(mjcf,
                "<mujoco model=\"step-size\"><option timestep=\"%.17g\"/><custom><numeric "
                "name=\"touchstone.initial_keyframe\" data=\"0\"/>"
                "<numeric name=\"touchstone.baumgarte\" data=\"1e-4\"/></custom><worldbody>\n",
                value);
    ts_paper_cube_floor(mu, mjcf);
    ts_paper_cube_add("cube", TS_PAPER_CUBE_HEIGHT, 1.0, mu, mu, mjcf);
    ts_text_add(mjcf, "</worldbody><keyframe><key qvel=\"0 %g 0 0 0 0\"/></keyframe></mujoco>\n", speed);
}

// number[0]: m s, integral of the distance from Coulomb's motion.
static double observe(ts_lab_run* run, ts_sim* sim) {
    double stop = speed / (mu * gravity), t = fmin(sim->time, stop);
    ts_vec3 is = sim->kinematics.body_centre[ts_lab_body(run, sim, 0, "cube")];
    ts_vec3 should = ts_vec3_make(0.0, speed * t - 0.5 * mu * gravity * t * t, TS_PAPER_CUBE_HEIGHT);
    if (run->steps > 0) run->number[0] += sim->options.time_step * ts_vec3_distance(is, should);
    return 1e3 * ts_vec3_distance(is, should);
}

// Of bisection along the opening boundary at the cube's corners, G_TN / G_NN = 1.56 / 4: the share of mu that is left.
static const double raisim = 0.987756;

// m s: integral of the distance from Coulomb's motion, of a cube that slides with that share of its friction.
static double slid_with(double share, double h) {
    double x = 0.0, v = speed, sum = 0.0, stop = speed / (mu * gravity);
    for (int k = 1; k <= (int)(duration / h + 0.5); ++k) {
        double t = fmin(k * h, stop);
        v = fmax(0.0, v - share * mu * gravity * h);
        x += v * h;
        sum += h * fabs(x - (speed * t - 0.5 * mu * gravity * t * t));
    }
    return sum;
}

static void conclude(ts_lab_run* run, ts_sim* sim) {
    double stop = speed / (mu * gravity), h = sim->options.time_step;
    double error = h * (0.25 * speed * stop + 0.5 * speed * (duration - stop));
    // Of second order in h: the sum for the integral, and the step in which it stops.
    if (run->traits & TS_TRAIT_ASIDE && fabs(slid_with(raisim, h) - slid_with(1.0, h)) < 0.01 * error + 0.5 * h * h)
        ts_lab_spare(
            run, 0, TS_TRAIT_ASIDE,
            "friction that leverage weakens to mu sqrt(1 - (0.39 mu)^2) is off by a hundredth, less than such a step");
    ts_lab_leave_open(run, 0, TS_TRAIT_FOREIGN, "a soft law's own millimetres add to the step's or take from them");
    ts_lab_tell(run, 0, 1e3 * run->number[0], 1e3 * error, 1e3 * (0.01 * error + 0.5 * h * h));
}

static const ts_measure measure[] = {
    {"integral of the error", "mm s", "0.48629 m s per second of step: of first order",
     TS_TRAIT_RELAXED | TS_TRAIT_SOFT | TS_TRAIT_ASIDE | TS_TRAIT_ANCHOR, NULL, 0},
};

const ts_experiment ts_step_size_experiment = {
    .name = "step-size",
    .source = "Contact Models in Robotics, Table III and Fig. 14",
    .summary = "the sliding cube on coarser steps: an error of first order, of a known size",
    .write = write,
    .parameter = "step [s]",
    .values = steps,
    .value_count = 3,
    .solvers = "all",
    .duration = 1.1,
    .measure = measure,
    .measure_count = 1,
    .signal = "distance from Coulomb's motion [mm]",
    .observe = observe,
    .conclude = conclude,
};
