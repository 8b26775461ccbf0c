// A ball rolls over a floor of boards that lie side by side. There is no bump: its speed should be what it was, and its height too. The edge
// of the next board, d ahead, is a contact with gap d^2 / 2 r whose normal leans back by d / r. A step extrapolates that gap along a
// straight line and takes the ball to run into the edge from 2 v h on: it lifts it at d v / r - d^2 / (2 r h), v^2 h / 2 r at the most, and
// by carrying it on the leaning normal takes d / r of its impulse, in one step or two with d summing to 3 v h at the most. Those are the
// tolerances here: the bump of a model that foresees contacts is this, of first order in the step, and no more.
#include "scenes/experiments/experiment.h"

#include <math.h>

static const double radius = 0.05;
static const double speeds[] = {1.0, 0.1, 3.0};

static void write(double value, ts_text* mjcf) {
    ts_text_add(mjcf, "<mujoco model=\"seams\"><option timestep=\"0.001\"/>"
                      "<custom><numeric name=\"touchstone.initial_keyframe\" data=\"0\"/></custom>"
                      "<default><geom friction=\"0.5\"/></default><worldbody>");
    double length = 0.1 * value;
    for (int i = 0; i < 12; ++i)
        ts_text_add(mjcf, "<geom type=\"box\" size=\"%.17g 0.3 0.02\" pos=\"%.17g 0 -0.02\" rgba=\"%g 0.5 0.4 1\"/>",
                    0.5 * length, i * length, i % 2 ? 0.6 : 0.4);
    ts_text_add(mjcf,
                "<body name=\"ball\" pos=\"0 0 %g\"><freejoint/><geom type=\"sphere\" size=\"%g\" mass=\"1\"/></body>"
                "</worldbody><keyframe><key qpos=\"0 0 %g 1 0 0 0\" qvel=\"%g 0 0 0 %.17g 0\"/></keyframe></mujoco>",
                radius, radius, radius, value, value / radius);
}

// numbers 0 and 1: the worst departures of speed and height.
static double observe(ts_lab_run* run, ts_sim* sim) {
    double height = sim->kinematics.body_centre[ts_lab_body(run, sim, 0, "ball")].z - radius;
    double speed = ts_sim_body_velocity(sim, run->body[0]).linear.x - run->value;
    run->number[0] = fmax(run->number[0], fabs(speed));
    run->number[1] = fmax(run->number[1], fabs(height));
    return 1e3 * speed;
}

static const char soft_edges[] = "a soft ball sinks until it is carried and meets each edge below the surface: what "
                                 "that takes has no closed form, and the "
                                 "tolerance grows with the speed";

static void conclude(ts_lab_run* run, ts_sim* sim) {
    double h = sim->options.time_step, v = run->value, up = 0.5 * v * v * h / radius;
    double seams = floor((sim->time * v + 0.5 * 0.1 * v) / (0.1 * v));
    // A soft ball sinks at least by what the slop lets it; what each edge then gives and takes follows from no formula.
    // MuJoCo's law at its defaults lets what rests sink by (1 - d) / d^2 g (dw tc)^2, whatever its mass, and gets there in tens of milliseconds.
    const double rest = 3.672e-4, bump = 0.5 * up * up / 9.81 + h * up;
    if (v > 0.5) {
        ts_lab_leave_open(run, 0, TS_TRAIT_SOFT, soft_edges);
        unsigned other = TS_TRAIT_STIFF | TS_TRAIT_ALONE | TS_TRAIT_FOREIGN;
        if (run->traits & other || rest < bump) ts_lab_leave_open(run, 1, TS_TRAIT_SOFT, soft_edges);
    } else {
        ts_lab_leave_open(run, 0, TS_TRAIT_FOREIGN, soft_edges);
    }
    ts_lab_tell(run, 0, 1e3 * run->number[0], 0.0, 1e3 * seams * (up + 9.81 * h) * 3.0 * v * h / radius);
    ts_lab_tell(run, 1, 1e3 * run->number[1], 0.0, 1e3 * bump);
}

static const ts_measure measure[] = {
    {"worst change of speed", "mm/s", "0, but for what a step foresees wrongly: of its order", TS_TRAIT_SOFT, NULL, 0},
    {"worst change of height", "mm", "0, but for a bump of v^2 h / 2 r", TS_TRAIT_SOFT, NULL, 0},
};

const ts_experiment ts_seams_experiment = {
    .name = "seams",
    .source = "wheels that bump over the edges of tiles and triangles",
    .summary = "a ball rolls over seams in a floor of boards, and nothing happens",
    .write = write,
    .parameter = "speed [m/s]",
    .values = speeds,
    .value_count = 3,
    .solvers = "all",
    .duration = 1.0,
    .measure = measure,
    .measure_count = 2,
    .signal = "change of speed [mm/s]",
    .observe = observe,
    .conclude = conclude,
};
