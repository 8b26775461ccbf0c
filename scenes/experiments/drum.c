// A drum of sixteen flat boards turns at w, so heavy that nothing slows it. A box lies on the lowest board and is carried up. At rest in the
// drum it feels gravity and w^2 r away from the axis, r the distance of its centre of mass: it slips at the angle phi where
// g sin phi = mu (g cos phi + w^2 r), atan mu for a slow drum. From there the slip grows at w g (cos phi + mu sin phi) t, so a
// slip of u is seen sqrt(2 u / (w g (cos phi + mu sin phi))) later.
#include "scenes/experiments/experiment.h"

#include <math.h>

static const double turn = 0.5, gravity = 9.81, radius = 0.6, seen = 1e-3;
static const double frictions[] = {0.3, 0.5};

enum { BOARDS = 16 };

static void write(double value, ts_text* mjcf) {
    double pi = acos(-1.0), half = radius * tan(pi / BOARDS);
    ts_text_add(mjcf,
                "<mujoco model=\"drum\"><option timestep=\"0.001\"/>"
                "<custom><numeric name=\"touchstone.initial_keyframe\" data=\"0\"/></custom>"
                "<default><geom friction=\"%g\"/></default><worldbody><body name=\"drum\" pos=\"0 0 1\"><joint "
                "type=\"hinge\" axis=\"0 -1 0\" armature=\"1e7\"/>",
                value);
    for (int i = 0; i < BOARDS; ++i) {
        double angle = 2.0 * pi * i / BOARDS;
        ts_text_add(
            mjcf, "<geom type=\"box\" size=\"%.17g 0.15 0.02\" pos=\"%.17g 0 %.17g\" euler=\"0 %.17g 0\" mass=\"1\"/>",
            half, (radius + 0.02) * sin(angle), -(radius + 0.02) * cos(angle), -angle * 180.0 / pi);
    }
    ts_text_add(mjcf,
                "</body><body name=\"box\" pos=\"0 0 %.17g\"><freejoint/><geom type=\"box\" size=\"0.05 0.05 0.02\" "
                "mass=\"0.5\" rgba=\"0.8 0.5 0.2 1\"/></body></worldbody>"
                "<keyframe><key qpos=\"0 0 0 %.17g 1 0 0 0\" qvel=\"%g %.17g 0 0 0 %.17g 0\"/></keyframe></mujoco>",
                1.0 - radius + 0.02, 1.0 - radius + 0.02, turn, turn * (radius - 0.02), -turn);
}

// number[0]: s, when it was first seen to slip along the board. The drum turns from x to z.
static double observe(ts_lab_run* run, ts_sim* sim) {
    ts_vec3 at = ts_vec3_sub(sim->kinematics.body_centre[ts_lab_body(run, sim, 0, "box")], ts_vec3_make(0, 0, 1));
    ts_vec3 v = ts_sim_body_velocity(sim, run->body[0]).linear;
    double slip = hypot(v.x + turn * at.z, v.z - turn * at.x);
    if (run->number[0] == 0.0 && slip > seen) run->number[0] = sim->time;
    return 57.29577951308232 * atan2(at.x, -at.z);
}

static void conclude(ts_lab_run* run, ts_sim* sim) {
    double mu = run->value, degree = 57.29577951308232;
    double phi = atan(mu) + asin(mu * turn * turn * (radius - 0.02) / (gravity * sqrt(1.0 + mu * mu)));
    double later = sqrt(2.0 * seen / (turn * gravity * (cos(phi) + mu * sin(phi))));
    // Slip is a sum of steps with the forces of their beginnings: half a step late; and it is seen when a step ends: half a step more.
    double h = sim->options.time_step;
    // A relaxed slip u opens at mu u, and friction has so much less to press on: it grows by 1 + mu^2 more slowly.
    double relaxed = turn * later * (sqrt(1.0 + mu * mu) - 1.0);
    if (relaxed < turn * h && (run->traits & TS_TRAIT_STIFF || !(run->traits & TS_TRAIT_SOFT)))
        ts_lab_spare(run, 0, TS_TRAIT_RELAXED | TS_TRAIT_SOFT,
                     "relaxed slip grows by 1 + mu^2 more slowly, and is seen less than a step later");
    ts_lab_tell(run, 0, degree * turn * run->number[0], degree * (phi + turn * (later + h)), degree * turn * h);
}

static const ts_measure measure[] = {
    {"slips at", "deg", "g sin phi = mu (g cos phi + w^2 r), and until it is seen",
     TS_TRAIT_SOFT | TS_TRAIT_ASIDE | TS_TRAIT_RELAXED, NULL, 0},
};

const ts_experiment ts_drum_experiment = {
    .name = "drum",
    .source = "angles of repose, measured in drums",
    .summary = "a drum carries a box up until the slope is its friction",
    .write = write,
    .parameter = "friction",
    .values = frictions,
    .value_count = 2,
    .solvers = "all",
    .duration = 1.3,
    .measure = measure,
    .measure_count = 1,
    .signal = "where the box is [deg]",
    .observe = observe,
    .conclude = conclude,
};
