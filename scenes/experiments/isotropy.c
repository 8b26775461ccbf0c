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

static const char diagonal[] =
    "the slip is along a corner of the pyramid, about which scene and pyramid are mirror images";

// The scene is its own mirror image about the direction of slip along the edges and along the diagonal. There one answer is symmetric; several, as
// where loads are not unique, are so only along the diagonal, of which the mirror leaves the loads' internal part as it is.
static void foresee_mirrors(ts_lab_run* run) {
    double turned = fmod(fabs(run->value), 90.0);
    if (run->traits & TS_TRAIT_SWEEPS && run->traits & TS_TRAIT_FOREIGN) return;  // that are not finished
    if (turned == 0.0)
        ts_lab_spare(run, 0, TS_TRAIT_SOFT | TS_TRAIT_PYRAMID,
                     "the scene is its own mirror image about the slip, and so is the one answer of a soft law");
    if (turned == 45.0)
        ts_lab_spare(run, 0, TS_TRAIT_SOFT | TS_TRAIT_ASIDE,
                     "the scene is its own mirror image about the diagonal, and so are the forces that move nothing");
    if (turned == 45.0 && run->traits & TS_TRAIT_SOFT) ts_lab_spare(run, 0, TS_TRAIT_PYRAMID, diagonal);
}

static void conclude(ts_lab_run* run, ts_sim* sim) {
    double normal, tangent;
    ts_vec3 at = sim->kinematics.body_centre[run->body[0]];
    double along = at.x * cos(run->value * degree) + at.y * sin(run->value * degree);
    double stop = speed * speed / (2.0 * mu * gravity) - 0.5 * sim->options.time_step * speed;
    ts_pyramid_foretell(run, run->value * degree, speed, mu, gravity, sim->options.time_step, 0.05);
    foresee_mirrors(run);
    ts_lab_softness(sim, &normal, &tangent);
    if (run->traits & TS_TRAIT_STIFF && mu * ts_lab_sinkage(sim, normal, gravity) < 1e-4)
        ts_lab_spare(run, 1, TS_TRAIT_SOFT,
                     "while friction is mu N, the way is off by mu times the sinkage, some micrometres");
    if (!(run->traits & TS_TRAIT_PYRAMID))
        ts_lab_leave_open(
            run, 1, TS_TRAIT_FOREIGN,
            "a soft law is off by mu times its sinkage and by its damper's tail, 0.2 mm at MuJoCo's defaults and less "
            "at others, and how the contacts of another engine share that is not published");
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
