// A ball of radius r is struck along x with speed v and side w about the same axis. The surface slips at u = (v, r w); friction mu m g opposes
// it, and slip falls at 7/2 mu g without turning, so after 2 |u| / (7 mu g) the ball rolls, at (v, 0) - 2/7 u: the textbook's 5/7 v, and
// 2/7 r w aside. While it slips its path is a parabola. In discrete time positions follow the speed at the end of a step.
#include "base/scalar.h"
#include "scenes/experiments/experiment.h"

#include <math.h>

static const double v = 2.0, mu = 0.3, gravity = 9.81, radius = 0.03;
static const double side[] = {1.0, 0.0, 0.5, 2.0, -3.0};  // r w / v

static void write(double value, ts_text* mjcf) {
    ts_text_add(mjcf,
                "<mujoco model=\"billiard\"><option timestep=\"0.001\"/>"
                "<custom><numeric name=\"touchstone.initial_keyframe\" data=\"0\"/></custom><worldbody>"
                "<geom name=\"table\" type=\"plane\" size=\"3 2 0.1\" friction=\"%g\" rgba=\"0.1 0.4 0.2 1\"/>"
                "<body name=\"ball\" pos=\"0 0 %g\"><freejoint/><geom type=\"sphere\" size=\"%g\" mass=\"0.2\" "
                "friction=\"%g\"/></body></worldbody>"
                "<keyframe><key qpos=\"0 0 %g 1 0 0 0\" qvel=\"%g 0 0 %.17g 0 0\"/></keyframe></mujoco>",
                mu, radius, radius, mu, radius, v, value * v / radius);
}

static double observe(ts_lab_run* run, ts_sim* sim) {
    return 1e3 * sim->kinematics.body_centre[ts_lab_body(run, sim, 0, "ball")].y;
}

static void foresee(ts_lab_run* run, double angle) {
    const unsigned any = ~0U;
    double facets = run->facets > 0 ? angle * run->facets / (2.0 * TS_PI) : 0.5;
    for (int m = 0; m < 3 && fabs(facets - floor(facets + 0.5)) < 1e-9; ++m)
        ts_lab_spare(run, m, TS_TRAIT_PYRAMID,
                     "the slip is along the normal of a facet and keeps its direction: there a pyramid is the cone");
    for (int m = 1; m < 3 && angle == 0.0; ++m)
        ts_lab_spare(run, m, any, "without side the scene is its own mirror image about the way");
    if (run->traits & TS_TRAIT_RELAXED) return;
    for (int m = 0; m < 2; ++m)
        ts_lab_spare(
            run, m, TS_TRAIT_SOFT,
            "friction acts in the plane of the table, so it keeps the angular momentum about a line of it, and "
            "what rolls in the end does so at this speed");
    ts_lab_leave_open(run, 2, TS_TRAIT_FOREIGN,
                      "how another engine divides friction between two axes decides the path");
}

static void conclude(ts_lab_run* run, ts_sim* sim) {
    double h = sim->options.time_step, a = mu * gravity, aside = run->value * v, slip = hypot(v, aside);
    double rolls = 2.0 * slip / (7.0 * a), end_y = -2.0 / 7.0 * aside;
    double path = -0.5 * a * aside / slip * rolls * rolls + end_y * (sim->time - rolls) + 0.5 * h * end_y;
    ts_vec3 speed = ts_sim_body_velocity(sim, run->body[0]).linear;
    foresee(run, atan2(aside, v));
    ts_lab_tell(run, 0, speed.x, 5.0 / 7.0 * v, 1e-6);
    ts_lab_tell(run, 1, speed.y, end_y, 1e-6);
    // Friction ends within a step: a h^2 / 8.
    ts_lab_tell(run, 2, 1e3 * sim->kinematics.body_centre[run->body[0]].y, 1e3 * path, 1e3 * a * h * h);
}

static const ts_measure measure[] = {
    {"speed when it rolls", "m/s", "5/7 of what it was struck with", TS_TRAIT_RELAXED | TS_TRAIT_SOFT, NULL, 0},
    {"speed aside", "m/s", "2/7 r w", TS_TRAIT_RELAXED | TS_TRAIT_SOFT, NULL, 0},
    {"path aside", "mm", "a parabola, then a straight line",
     TS_TRAIT_RELAXED | TS_TRAIT_SOFT | TS_TRAIT_PYRAMID | TS_TRAIT_ANCHOR, NULL, 0},
};

const ts_experiment ts_billiard_experiment = {
    .name = "billiard",
    .source = "textbooks (Coriolis, 1835)",
    .summary = "a ball struck with side runs a parabola until it rolls, at 5/7 of its speed and 2/7 of its side",
    .write = write,
    .parameter = "side, r w / v",
    .values = side,
    .value_count = 5,
    .solvers = "all",
    .duration = 1.2,
    .measure = measure,
    .measure_count = 3,
    .signal = "path aside [mm]",
    .observe = observe,
    .conclude = conclude,
};
