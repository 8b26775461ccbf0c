// A box is put on a belt that runs at v. Friction drags it along: after v / (mu g) it goes with the belt, v^2 / (2 mu g) behind the place
// on which it was put. In discrete time its speed is k mu g h after k steps, and positions follow the speed at the end of a step: half a
// step's travel of the belt less. The convex relaxation throws what slides on a belt into the air; but since it keeps speed + mu times
// rise on the exact law's course, the box is where it should be when it is down again.
#include "scenes/experiments/experiment.h"

#include <math.h>

static const double mu = 0.3, gravity = 9.81;
static const double speeds[] = {1.0, 0.5, 2.0};

static void write(double value, ts_text* mjcf) {
    ts_text_add(mjcf,
                "<mujoco model=\"conveyor\"><option timestep=\"0.001\"/><custom><numeric "
                "name=\"touchstone.tolerance\" data=\"1e-10\"/></custom><default><geom friction=\"%g\"/></default>"
                "<worldbody><geom name=\"belt\" type=\"box\" size=\"2 0.3 0.05\" pos=\"1.5 0 -0.05\" "
                "surfacevel=\"%g 0 0 0 0 0\" rgba=\"0.3 0.3 0.35 1\"/><body name=\"box\" pos=\"0 0 "
                "0.05\"><freejoint/><geom type=\"box\" size=\"0.1 0.1 0.05\" mass=\"2\"/></body></worldbody></mujoco>",
                mu, value);
}

// numbers 0 highest so far, m; 1 when it first went with the belt, s.
static double observe(ts_lab_run* run, ts_sim* sim) {
    double lift = sim->kinematics.body_centre[ts_lab_body(run, sim, 0, "box")].z - 0.05;
    double speed = ts_sim_body_velocity(sim, run->body[0]).linear.x;
    run->number[0] = fmax(run->number[0], lift);
    if (run->number[1] == 0.0 && speed > run->value * (1.0 - 1e-6)) run->number[1] = sim->time;
    return speed;
}

static void conclude(ts_lab_run* run, ts_sim* sim) {
    double h = sim->options.time_step, a = mu * gravity, v = run->value;
    double normal, tangent;
    double behind = v * sim->time - sim->kinematics.body_centre[run->body[0]].x;
    ts_lab_softness(sim, &normal, &tangent);
    if (run->traits & TS_TRAIT_STIFF && mu * ts_lab_sinkage(sim, normal, 2.0 * gravity) < 2.0 * a * h * h)
        ts_lab_spare(run, 1, TS_TRAIT_SOFT, "while friction is mu N, the way is off by mu times the sinkage");
    ts_lab_leave_open(run, 0, TS_TRAIT_STIFF,
                      "whether the slip that is left by R_T in the last step counts as none is a matter of one step");
    ts_lab_leave_open(run, 1, TS_TRAIT_FOREIGN,
                      "a soft law is off by mu times its sinkage, which nears the tolerance as it gets hard");
    ts_lab_tell(run, 0, 1e3 * run->number[1], 1e3 * (v / a + 0.5 * h), 1e3 * 0.51 * h);
    // The last step of friction is only part of one: up to a h^2 / 8.
    ts_lab_tell(run, 1, 1e3 * behind, 1e3 * (0.5 * v * v / a - 0.5 * h * v), 1e3 * a * h * h);
    ts_lab_tell(run, 2, 1e3 * run->number[0], 0.0, 1e-6);
}

static const ts_measure measure[] = {
    {"goes with the belt after", "ms", "v / (mu g), in the step in which that is", TS_TRAIT_SOFT | TS_TRAIT_ASIDE, NULL,
     0},
    {"stays behind by", "mm", "v^2 / (2 mu g), less half a step's travel",
     TS_TRAIT_SOFT | TS_TRAIT_ASIDE | TS_TRAIT_ANCHOR, NULL, 0},
    {"lift", "mm", "0", TS_TRAIT_RELAXED | TS_TRAIT_SOFT, NULL, 0},
};

const ts_experiment ts_conveyor_experiment = {
    .name = "conveyor",
    .source = "belts faked by bodies that are moved and put back",
    .summary = "a belt drags a box up to its speed",
    .write = write,
    .parameter = "belt speed [m/s]",
    .values = speeds,
    .value_count = 3,
    .solvers = "all",
    .duration = 0.9,
    .measure = measure,
    .measure_count = 3,
    .signal = "speed [m/s]",
    .observe = observe,
    .conclude = conclude,
};
