// A cube of 0.1 m slides at 6 m/s on friction 0.5, low enough not to tip. Under Coulomb's law it stays on the floor and loses mu g h in every
// step. The convex relaxation makes what slides at speed v rise at mu v: it throws the cube into the air.
#include "scenes/experiments/experiment.h"

#include <math.h>

static const double speed = 6.0, mu = 0.5, gravity = 9.81;

static void write(double value, ts_text* mjcf) {
    (void)value;
    ts_text_add(mjcf,
                "<mujoco model=\"sliding-lift\"><option timestep=\"0.001\"/>"
                "<custom><numeric name=\"touchstone.tolerance\" data=\"1e-13\"/><numeric "
                "name=\"touchstone.initial_keyframe\" data=\"0\"/></custom><worldbody>"
                "<geom name=\"floor\" type=\"plane\" size=\"8 2 0.1\" friction=\"%g\"/>"
                "<body name=\"cube\" pos=\"0 0 0.05\"><freejoint/><geom type=\"box\" size=\"0.05 0.05 0.05\" "
                "mass=\"1\" friction=\"%g\"/></body>"
                "</worldbody><keyframe><key name=\"home\" qpos=\"0 0 0.05 1 0 0 0\" qvel=\"%g 0 0 0 0 "
                "0\"/></keyframe></mujoco>",
                mu, mu, speed);
}

// number[0]: highest so far, m.
static double observe(ts_lab_run* run, ts_sim* sim) {
    double lift = sim->kinematics.body_centre[ts_lab_body(run, sim, 0, "cube")].z - 0.05;
    run->number[0] = fmax(run->number[0], lift);
    return 1e3 * lift;
}

static const char lands_somewhere[] =
    "how often and how hard another engine's cube lands, and whether it has come down by the end, is not published";

// In discrete time v_k = v_0 - k mu g h, and positions follow the velocity at the end of the step: half a step's travel less.
static void conclude(ts_lab_run* run, ts_sim* sim) {
    double h = sim->options.time_step;
    double stop = speed * speed / (2.0 * mu * gravity) - 0.5 * h * speed;
    ts_lab_tell(run, 0, 1e3 * run->number[0], 0.0, 1e-9);
    double up = mu * speed / (1.0 + mu * mu);  // after the first step, in which the relaxation throws it
    if (run->traits == TS_TRAIT_RELAXED) ts_lab_foretell(run, 0, 1e3 * up * up / (2.0 * gravity), 3.0);
    if (!(run->traits & (TS_TRAIT_ALONE | TS_TRAIT_SWEEPS)))
        ts_lab_spare(
            run, 1, TS_TRAIT_SOFT,
            "while friction is mu N, the way is off by mu times the sinkage, and by mu g tau^2 / 2 of a damper "
            "of time constant tau at the end: under 0.5 mm at MuJoCo's defaults, less where it is stiffer");
    if (run->traits & TS_TRAIT_RELAXED) ts_lab_leave_open(run, 1, TS_TRAIT_FOREIGN, lands_somewhere);
    ts_lab_tell(run, 1, 1e3 * sim->kinematics.body_centre[run->body[0]].x, 1e3 * stop, 1.0);
}

static const ts_measure measure[] = {
    {"lift", "mm", "0: a cube of which the friction passes through its base does not leave the floor",
     TS_TRAIT_RELAXED | TS_TRAIT_SOFT, "lift at 6 m/s", 1},
    {"stopping distance", "mm", "v^2 / (2 mu g), less half a step's travel", TS_TRAIT_SOFT | TS_TRAIT_ASIDE, NULL, 0},
};

const ts_experiment ts_sliding_lift_experiment = {
    .name = "sliding-lift",
    .source = "boxes that jump when they are pushed fast",
    .summary = "a cube slides at 6 m/s: it stays on the floor and stops where Coulomb says",
    .write = write,
    .solvers = "all",
    .duration = 1.5,
    .measure = measure,
    .measure_count = 2,
    .signal = "height above the floor [mm]",
    .observe = observe,
    .conclude = conclude,
};
