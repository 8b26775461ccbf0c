// A lone box 1 : 2 : 3 spins about its middle axis, 20 rad/s, and tumbles: it turns over again and again. Nothing acts on it, so energy and
// angular momentum are what they were.
#include "scenes/experiments/experiment.h"

#include <math.h>

static void write(double value, ts_text* mjcf) {
    (void)value;
    ts_text_add(
        mjcf,
        "<mujoco model=\"free-spin\"><option timestep=\"0.001\" gravity=\"0 0 0\"/>"
        "<custom><numeric name=\"touchstone.initial_keyframe\" data=\"0\"/></custom><worldbody>"
        "<body name=\"box\" pos=\"0 0 1\"><freejoint/><geom type=\"box\" size=\"0.05 0.1 0.15\" mass=\"1\"/></body>"
        "</worldbody><keyframe><key name=\"home\" qpos=\"0 0 1 1 0 0 0\" qvel=\"0 0 0 0.01 20 "
        "0.01\"/></keyframe></mujoco>");
}

// numbers 0 energy, 1..3 angular momentum at the start, 4 and 5 the largest departures, shares of what was there.
static double observe(ts_lab_run* run, ts_sim* sim) {
    // m / 3 (b^2 + c^2) of half edges, kg m^2.
    ts_vec3 inertia = ts_vec3_make(0.0325 / 3.0, 0.025 / 3.0, 0.0125 / 3.0);
    ts_vec3 momentum = ts_quat_rotate(ts_quat_load(sim->qpos + 3), ts_vec3_mul(inertia, ts_vec3_load(sim->qvel + 3)));
    double energy = ts_sim_energy(sim).kinetic;
    if (run->steps == 0) {
        run->number[0] = energy;
        ts_vec3_store(momentum, run->number + 1);
    }
    ts_vec3 first = ts_vec3_load(run->number + 1);
    run->number[4] = fmax(run->number[4], fabs(energy / run->number[0] - 1.0));
    run->number[5] = fmax(run->number[5], ts_vec3_distance(momentum, first) / ts_vec3_norm(first));
    return 100.0 * (energy / run->number[0] - 1.0);
}

static void conclude(ts_lab_run* run, ts_sim* sim) {
    (void)sim;
    ts_lab_tell(run, 0, 100.0 * run->number[4], 0.0, 1e-8);
    ts_lab_tell(run, 1, 100.0 * run->number[5], 0.0, 1e-8);
}

static const ts_measure measure[] = {
    {"energy", "%", "0: nothing acts", TS_TRAIT_EXPLICIT, "energy, spinning freely", 1},
    {"angular momentum", "%", "0: nothing acts", TS_TRAIT_EXPLICIT, NULL, 0},
};

const ts_experiment ts_free_spin_experiment = {
    .name = "free-spin",
    .source = "a spanner in a space station",
    .summary = "a box tumbles about its middle axis and keeps its energy and momentum",
    .write = write,
    .solvers = "ncp",
    .duration = 20.0,
    .measure = measure,
    .measure_count = 2,
    .signal = "energy gained [%]",
    .observe = observe,
    .conclude = conclude,
};
