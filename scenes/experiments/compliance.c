// Fig. 13, on the cube in place of the robot: every row is softened by R = epsilon, and gravity pulls sideways with 5 m/s^2, too; friction 0.9
// holds. With the sum of four equal springs in series with the mass, sum lambda_N = m g h / (1 + epsilon m / 4) in the first step, whoever
// solves it; the stiffer law of no R is the limit.
#include "scenes/experiments/experiment.h"
#include "scenes/experiments/paper_cube_internal.h"

#include <math.h>

static const double compliances[] = {1e-1, 0.0, 1e-3, 1e-2, 1.0};

static void write(double value, ts_text* mjcf) {
    ts_text_add(mjcf,
                "<mujoco model=\"compliance\"><option timestep=\"0.001\" gravity=\"5 0 -9.81\"/><custom>"
                "<numeric name=\"touchstone.compliance_normal\" data=\"%.17g\"/><numeric "
                "name=\"touchstone.compliance_tangent\" data=\"%.17g\"/>"
                "<numeric name=\"touchstone.tolerance\" data=\"1e-10\"/><numeric name=\"touchstone.iterations\" "
                "data=\"100000\"/>"
                "</custom><worldbody>\n",
                value, value);
    ts_paper_cube_floor(0.9, mjcf);
    ts_paper_cube_add("cube", TS_PAPER_CUBE_HEIGHT, 1.0, 0.9, 0.9, mjcf);
    ts_text_add(mjcf, "</worldbody></mujoco>\n");
}

// number[0]: N, what the floor carries in the first step.
static double observe(ts_lab_run* run, ts_sim* sim) {
    double load = 0.0;
    for (int i = 0; i < sim->contact_count; ++i) load += ts_sim_contact(sim, i).impulse.z / sim->options.time_step;
    if (run->steps == 1) run->number[0] = load;
    return load;
}

static void conclude(ts_lab_run* run, ts_sim* sim) {
    // Relaxed cones meet the sideways pull at their edge. From an independent solution in dense doubles.
    static const double relaxed[] = {9.5809, 9.8100, 9.8077, 9.7873, 7.8480};
    for (int i = 0; i < 5; ++i)
        if (run->value == compliances[i] && run->traits & TS_TRAIT_RELAXED && !(run->traits & TS_TRAIT_SOFT))
            ts_lab_foretell(run, 0, relaxed[i], 1e-4);
    double load = 9.81 / (1.0 + 0.25 * run->value), normal, tangent;
    ts_lab_softness(sim, &normal, &tangent);
    if (run->value > 0.0 && fabs(4.0 * normal - run->value) + fabs(4.0 * tangent - run->value) < 1e-9 * run->value)
        ts_lab_spare(run, 0, TS_TRAIT_SOFT, "softer than its own floor, the law is the one that is asked for");
    for (int i = 0; i < 5; ++i)
        if (run->value == compliances[i] && fabs(relaxed[i] - load) < 6e-5)
            ts_lab_spare(run, 0, TS_TRAIT_RELAXED,
                         "all contacts hold within their cones, where the relaxation is the exact law");
    ts_lab_tell(run, 0, run->number[0], 9.81 / (1.0 + 0.25 * run->value), 1e-6);
}

static const ts_measure measure[] = {
    {"load in the first step", "N", "m g / (1 + epsilon m / 4): R shares the weight with the mass",
     TS_TRAIT_SOFT | TS_TRAIT_RELAXED | TS_TRAIT_ALONE, NULL, 0},
};

const ts_experiment ts_compliance_experiment = {
    .name = "compliance",
    .source = "Contact Models in Robotics, Fig. 13",
    .summary = "contacts softened by R carry less than the weight at first, by a known part",
    .write = write,
    .parameter = "epsilon [1/kg]",
    .values = compliances,
    .value_count = 5,
    .solvers = "all",
    .duration = 0.02,
    .measure = measure,
    .measure_count = 1,
    .signal = "load of the floor [N]",
    .observe = observe,
    .conclude = conclude,
};
