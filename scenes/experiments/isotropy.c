// A cube slides at 1 m/s in a direction turned against the axes of the contacts. Coulomb's friction opposes the slip whatever the direction:
// the cube moves straight and stops after v^2 / (2 mu g). A pyramid's does not: on four facets it is up to sqrt 2 too strong and pulls
// sideways, except across its facets and along its edges; on eight and sixteen it does so less (pyramid.c).
#include "scenes/experiments/experiment.h"
#include "scenes/experiments/pyramid_internal.h"

#include <math.h>

static const double speed = 1.0, mu = 0.4, gravity = 9.81;
static const double degree = 0.017453292519943295;
static const double angles[] = {22.5, 0.0, 5.625, 11.25, 33.75, 45.0, 67.5, 90.0, 157.5, 202.5, 292.5};

static void write(double value, ts_text* mjcf) {
    ts_text_add(mjcf,
                "<mujoco model=\"isotropy\"><option timestep=\"0.001\"/>"
                "<custom><numeric name=\"touchstone.tolerance\" data=\"1e-12\"/><numeric "
                "name=\"touchstone.initial_keyframe\" data=\"0\"/></custom><worldbody>"
                "<geom name=\"floor\" type=\"plane\" size=\"2 2 0.1\" friction=\"%g\"/>"
                "<body name=\"cube\" pos=\"0 0 0.1\"><freejoint/><geom type=\"box\" size=\"0.1 0.1 0.1\" mass=\"1\" "
                "friction=\"%g\"/></body>"
                "</worldbody><keyframe><key name=\"home\" qpos=\"0 0 0.1 1 0 0 0\" qvel=\"%.17g %.17g 0 0 0 "
                "0\"/></keyframe></mujoco>",
                mu, mu, speed * cos(value * degree), speed * sin(value * degree));
}

static double sideways(const ts_lab_run* run, const ts_sim* sim) {
    ts_vec3 at = sim->kinematics.body_centre[run->body[0]];
    return 1e3 * (at.y * cos(run->value * degree) - at.x * sin(run->value * degree));
}

static double observe(ts_lab_run* run, ts_sim* sim) {
    ts_lab_body(run, sim, 0, "cube");
    return sideways(run, sim);
}

static void conclude(ts_lab_run* run, ts_sim* sim) {
    ts_vec3 at = sim->kinematics.body_centre[run->body[0]];
    double along = at.x * cos(run->value * degree) + at.y * sin(run->value * degree);
    double stop = speed * speed / (2.0 * mu * gravity) - 0.5 * sim->options.time_step * speed;
    ts_pyramid_foretell(run, run->value * degree, speed, mu, gravity, sim->options.time_step, 0.05);
    ts_lab_tell(run, 0, sideways(run, sim), 0.0, 1e-8);
    ts_lab_tell(run, 1, 1e3 * along, 1e3 * stop, 0.1);
}

static const ts_measure measure[] = {
    {"sideways", "mm", "0: friction opposes the slip", TS_TRAIT_PYRAMID | TS_TRAIT_SOFT | TS_TRAIT_ASIDE,
     "sideways at %g deg", 1},
    {"stopping distance", "mm", "v^2 / (2 mu g), less half a step's travel",
     TS_TRAIT_PYRAMID | TS_TRAIT_SOFT | TS_TRAIT_ASIDE, NULL, 0},
};

const ts_experiment ts_isotropy_experiment = {
    .name = "isotropy",
    .source = "Contact Models in Robotics, Fig. 9, in all directions",
    .summary = "a cube slides in every direction alike",
    .write = write,
    .parameter = "direction [deg]",
    .values = angles,
    .value_count = sizeof angles / sizeof angles[0],
    .solvers = "all",
    .duration = 0.4,
    .measure = measure,
    .measure_count = 2,
    .signal = "sideways [mm]",
    .observe = observe,
    .conclude = conclude,
};
