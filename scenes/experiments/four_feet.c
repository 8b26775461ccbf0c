// A table on four feet, a hyperstatic stand: statics gives three equations for four loads. A load of share s of the weight stands over one
// corner, so the centre of weight is s of the way to it. Whatever a solver picks, the loads sum to the weight, and less the part that
// presses the feet against each other, (+1, -1, +1, -1) around the table, they are W / 4 (1 + s x + s y), x and y = +-1: 1/4 each without a
// load. Nothing moves.
#include "scenes/experiments/experiment.h"

#include <math.h>

static const double mass = 8.0, gravity = 9.81, half = 0.3, foot = 0.02;
static const double shares[] = {0.0, 0.25, 0.5, 0.75};

static void write(double value, ts_text* mjcf) {
    ts_text_add(
        mjcf,
        "<mujoco model=\"four-feet\"><option timestep=\"0.001\"/><default><geom "
        "friction=\"0.5\"/></default><worldbody>"
        "<geom name=\"floor\" type=\"plane\" size=\"2 2 0.1\"/><body name=\"table\" pos=\"0 0 0.3\"><freejoint/>"
        "<geom type=\"box\" size=\"0.34 0.34 0.02\" rgba=\"0.7 0.5 0.3 1\" mass=\"%.17g\"/>",
        mass * (1.0 - value));
    for (int i = 0; i < 4; ++i) {
        double x = half * (i & 1 ? 1 : -1), y = half * (i & 2 ? 1 : -1);
        ts_text_add(mjcf,
                    "<geom type=\"capsule\" size=\"0.015\" fromto=\"%g %g 0 %g %g -0.27\" mass=\"0\" contype=\"0\" "
                    "conaffinity=\"0\"/><geom type=\"sphere\" size=\"%g\" pos=\"%g %g %g\" mass=\"0\"/>",
                    x, y, x, y, foot, x, y, foot - 0.3);
    }
    if (value > 0.0)
        ts_text_add(mjcf,
                    "<geom type=\"sphere\" size=\"0.06\" pos=\"%g %g 0.08\" mass=\"%.17g\" rgba=\"0.3 0.3 0.35 1\"/>",
                    half, half, mass * value);
    ts_text_add(mjcf, "</body></worldbody></mujoco>");
}

// number[0]: m, the farthest it was from where it was put.
static double observe(ts_lab_run* run, ts_sim* sim) {
    ts_vec3 at = sim->kinematics.body_pose[ts_lab_body(run, sim, 0, "table")].p;
    double moved = ts_vec3_distance(at, ts_vec3_make(0.0, 0.0, 0.3));
    run->number[0] = fmax(run->number[0], moved);
    return 1e3 * moved;
}

// Where feet give way under unequal loads the table leans, and its weight with it: a foot that carries W / 4 (1 + s x + s y) sinks by as much as its
// compliance makes of that, the floor under the centre of weight moves by its height times the lean, and each foot's load by W / 4 half times
// both.
static void foresee(ts_lab_run* run, const ts_sim* sim) {
    double normal, tangent, weight = mass * gravity, s = run->value;
    if (s == 0.0) ts_lab_spare(run, 2, TS_TRAIT_SOFT, "without a load over a corner all feet sink alike");
    ts_lab_softness(sim, &normal, &tangent);
    double sinks =
        normal * 4.0 * sim->options.time_step * sim->options.time_step / sim->options.baumgarte;  // m/N, of a foot
    double lean = sinks * 0.25 * weight * 2.0 * s / (2.0 * half), height = 0.3 + 0.08 * s;
    if (run->traits & TS_TRAIT_STIFF && 0.25 * weight / half * 2.0 * height * lean < 1e-6 * weight)
        ts_lab_spare(run, 2, TS_TRAIT_SOFT,
                     "the load over the corner leans the table by its share of the sinkage, which moves the weight by "
                     "less than the tolerance");
    if (run->traits & TS_TRAIT_SWEEPS)
        ts_lab_leave_open(run, 1, TS_TRAIT_FOREIGN,
                          "what another engine's ten sweeps leave of the weight is not published");
    ts_lab_leave_open(run, 2, TS_TRAIT_FOREIGN,
                      "by how much another engine's feet sink, and the table leans, is a matter of its settings");
}

static void conclude(ts_lab_run* run, ts_sim* sim) {
    double load[2][2] = {{0.0, 0.0}, {0.0, 0.0}}, sum = 0.0, off = 0.0, weight = mass * gravity;
    for (int i = 0; i < sim->contact_count; ++i) {
        const ts_contact c = ts_sim_contact(sim, i);
        double force = c.impulse.z / sim->options.time_step;
        load[c.position.x > 0.0][c.position.y > 0.0] += force;
        sum += force;
    }
    double internal = 0.25 * (load[1][1] - load[1][0] + load[0][0] - load[0][1]);
    for (int x = 0; x < 2; ++x)
        for (int y = 0; y < 2; ++y) {
            double least = 0.25 * weight * (1.0 + run->value * (2 * x - 1 + 2 * y - 1));
            off = fmax(off, fabs(load[x][y] - (x == y ? internal : -internal) - least));
        }
    foresee(run, sim);
    ts_lab_tell(run, 0, 1e3 * run->number[0], 0.0, 1e-6);
    ts_lab_tell(run, 1, sum, weight, 1e-6 * weight);
    ts_lab_tell(run, 2, off, 0.0, 1e-6 * weight);
}

static const ts_measure measure[] = {
    {"worst way", "mm", "0: it stands as it was put", TS_TRAIT_SOFT, NULL, 0},
    {"loads together", "N", "the weight", 0, NULL, 0},
    {"loads, less their internal part, off", "N", "0, against W / 4 (1 + s x + s y)", TS_TRAIT_SOFT, NULL, 0},
};

const ts_experiment ts_four_feet_experiment = {
    .name = "four-feet",
    .source = "statics: the table that wobbles on paper only",
    .summary = "a table on four feet, loaded over one of them: loads are not unique, but their sum and balance are",
    .write = write,
    .parameter = "share of the weight over a corner",
    .values = shares,
    .value_count = 4,
    .solvers = "all",
    .duration = 1.0,
    .measure = measure,
    .measure_count = 3,
    .signal = "way [mm]",
    .observe = observe,
    .conclude = conclude,
};
