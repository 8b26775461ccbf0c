// Table IV, Fig. 15: the sliding cube, solved to a share of 1e-6, 1e-4 and 1e-2 of each step's problem. Left unmet is at most that share of the
// free fall's velocity, epsilon g h a step; adding up without end, a velocity of epsilon g t, the path would be off by epsilon g t^2 / 2, its
// integral over T by epsilon g T^3 / 6 from the discrete motion v_k = v_0 - k mu g h.
#include "base/scalar.h"
#include "scenes/experiments/experiment.h"
#include "scenes/experiments/paper_cube_internal.h"

#include <math.h>

static const double mu = 0.4, gravity = 9.81, speed = 1.0, duration = 1.1;
static const double tolerances[] = {1e-4, 1e-6, 1e-2};

static void write(double value, ts_text* mjcf) {
    ts_text_add(
        mjcf,
        "<mujoco model=\"stopping\"><option timestep=\"0.001\"/><custom><numeric name=\"touchstone.initial_keyframe\" "
        "data=\"0\"/>"
        "<numeric name=\"touchstone.tolerance\" data=\"%.17g\"/><numeric name=\"touchstone.warm_start\" data=\"0\"/>"
        "<numeric name=\"touchstone.baumgarte\" data=\"1e-4\"/></custom><worldbody>\n",
        value);
    ts_paper_cube_floor(mu, mjcf);
    ts_paper_cube_add("cube", TS_PAPER_CUBE_HEIGHT, 1.0, mu, mu, mjcf);
    ts_text_add(mjcf, "</worldbody><keyframe><key qvel=\"0 %g 0 0 0 0\"/></keyframe></mujoco>\n", speed);
}

// numbers 0: m s, integral of the distance; 1 and 2: m and m/s, of the discrete motion.
static double observe(ts_lab_run* run, ts_sim* sim) {
    double h = sim->options.time_step;
    ts_vec3 is = sim->kinematics.body_centre[ts_lab_body(run, sim, 0, "cube")];
    if (run->steps > 0) {
        run->number[2] = fmax(speed - (double)run->steps * mu * gravity * h, 0.0);
        run->number[1] += h * run->number[2];
    }
    double off = ts_vec3_distance(is, ts_vec3_make(0.0, run->number[1], TS_PAPER_CUBE_HEIGHT));
    run->number[0] += h * off;
    return 1e3 * off;
}

static double least(double a, double b) { return a < b ? a : b; }

// What each law makes of the integral by itself, m s, against the tolerance. The relaxation: of launch w, 2 w^3 / (3 g^2) for the flight, sqrt(1 + mu^2) times
// that for the way as well, with w = mu v q^k / (1 + mu^2), at least the first and at most all (ccp_bounce.c). Friction with a memory swings about where
// it came to rest by what its spring gives way, mu g (10 h / 2 pi)^2. Friction of the share s of its own strength ends 1 / s - 1 farther on.
static void foresee(ts_lab_run* run, double h) {
    double allowed = run->value * gravity * duration * duration * duration / 6.0, q = (1 - mu * mu) / (1 + mu * mu);
    double launch = mu * speed / (1.0 + mu * mu), stop = speed / (mu * gravity);
    double first = sqrt(1.0 + mu * mu) * 2.0 * launch * launch * launch / (3.0 * gravity * gravity);
    double flights = first / (1.0 - q * q * q), swing = mu * gravity * pow(10.0 * h / (2.0 * TS_PI), 2.0) * duration;
    double aside = 0.5 * speed * stop * (1.0 / 0.987756 - 1.0) * duration;
    // A millimetre: sinkage of soft contacts, and where their dampers end.
    double soft = 1e-3 * duration;
    if (flights < allowed) ts_lab_spare(run, 0, TS_TRAIT_RELAXED, "all flights of the relaxation together are less");
    if (aside < allowed) ts_lab_spare(run, 0, TS_TRAIT_ASIDE, "friction that is weak by a hundredth is off by less");
    if (swing < allowed) ts_lab_spare(run, 0, TS_TRAIT_ANCHOR, "the swing of a spring of ten steps is less");
    if (soft < allowed && !(run->traits & TS_TRAIT_ALONE))
        ts_lab_spare(run, 0, TS_TRAIT_SOFT, "a millimetre, to which softness moves the way, is less");
    if (soft < allowed)
        ts_lab_leave_open(run, 0, TS_TRAIT_ALONE, "how far pushes that add up carry a cube has no closed form");
    // Between the two it is a matter of how soft.
    if (least(first, swing) < allowed && allowed < flights + soft)
        ts_lab_leave_open(run, 0, TS_TRAIT_FOREIGN,
                          "a soft relaxation throws lower, and by how much is a matter of settings");
}

static void conclude(ts_lab_run* run, ts_sim* sim) {
    foresee(run, sim->options.time_step);
    ts_lab_tell(run, 0, 1e3 * run->number[0], 0.0, 1e3 * run->value * gravity * duration * duration * duration / 6.0);
}

static const ts_measure measure[] = {
    {"integral of the error", "mm s", "at most epsilon g T^3 / 6",
     TS_TRAIT_RELAXED | TS_TRAIT_SOFT | TS_TRAIT_ASIDE | TS_TRAIT_ANCHOR, NULL, 0},
};

const ts_experiment ts_stopping_experiment = {
    .name = "stopping",
    .source = "Contact Models in Robotics, Table IV and Fig. 15",
    .summary = "the sliding cube, solved less and less exactly: an error within what was asked",
    .write = write,
    .parameter = "tolerance",
    .values = tolerances,
    .value_count = 3,
    .solvers = "all",
    .duration = 1.1,
    .measure = measure,
    .measure_count = 1,
    .signal = "distance from the discrete motion [mm]",
    .observe = observe,
    .conclude = conclude,
};
