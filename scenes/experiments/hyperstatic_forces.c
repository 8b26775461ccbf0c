// Fig. 11: a cube is dragged by a force that grows as 4 m g t up to 2 mu m g, mu 0.9. It slips where 4 t = mu, at 0.225 s; from then on the
// speed is the sum over the steps of what friction leaves, 2.31320 m/s at 0.6 s on steps of a millisecond. Friction while it sticks is not unique.
#include "scenes/experiments/experiment.h"

#include <math.h>

// numbers 0: s, when it first moved; 1: N, friction across the pull at 0.15 s, all contacts' magnitudes.
static double observe(ts_lab_run* run, ts_sim* sim) {
    if (run->steps == 150)
        for (int i = 0; i < sim->contact_count; ++i) {
            const ts_contact contact = ts_sim_contact(sim, i);
            run->number[1] += fabs(ts_mat3_mul_vec(&contact.frame, contact.impulse).x) / sim->options.time_step;
        }
    double speed = ts_sim_body_velocity(sim, ts_lab_body(run, sim, 0, "cube")).linear.y;
    if (speed > 1e-3 && run->number[0] == 0.0) run->number[0] = sim->time;
    return speed;
}

// What a cube does on steps of h of which friction opposes the pull with mu m g: when it first passes 1 mm/s, in *out_slips, s; returns the speed at
// `duration`, m/s.
static double dragged(double mu, double h, double duration, double* out_slips) {
    const double g = 9.81;
    double v = 0.0;
    *out_slips = 0.0;
    for (int k = 0; k < (int)(duration / h + 0.5); ++k) {
        v = fmax(0.0, v + h * g * (fmin(1.8, 4.0 * h * k) - mu));
        if (v > 1e-3 && *out_slips == 0.0) *out_slips = h * (k + 1);
    }
    return v;
}

static void conclude(ts_lab_run* run, ts_sim* sim) {
    const double mu = 0.9, h = sim->options.time_step;
    double slips, speed = dragged(mu, h, 0.6, &slips);
    ts_lab_leave_open(
        run, 0, TS_TRAIT_FOREIGN,
        "soft friction creeps at a millimetre a second sooner, a relaxed one later, and which counts is a matter of "
        "settings");
    // Relaxed, what begins to slide shares its first speed with a lift, 1 / (1 + mu^2) of it is left: a step later.
    ts_lab_tell(run, 0, 1e3 * run->number[0], 1e3 * slips, 1.5e3 * h);
    ts_lab_tell(run, 1, ts_sim_body_velocity(sim, run->body[0]).linear.y, speed, 1e-3);
    ts_lab_tell(run, 2, run->number[1], 0.0, 1e-6);
    if (run->traits & TS_TRAIT_ASIDE && !(run->traits & TS_TRAIT_SOFT)) {
        // Of bisection along the opening boundary at the cube's corners, G_TN / G_NN = 1.56 / 4.
        double weak = dragged(mu * sqrt(1.0 - 0.39 * mu * 0.39 * mu), h, 0.6, &slips);
        ts_lab_foretell(run, 0, 1e3 * slips, 1.5e3 * h);
        ts_lab_foretell(run, 1, weak, 1e-3 * weak);
    }
    if (run->traits == TS_TRAIT_RELAXED) ts_lab_foretell(run, 1, 2.0851, 0.02);
}

static const ts_measure measure[] = {
    {"slips at", "ms", "mu / 4 s, and the steps that it takes to a millimetre a second, 233 ms",
     TS_TRAIT_ASIDE | TS_TRAIT_SOFT, NULL, 0},
    {"speed at 0.6 s", "m/s", "sum over the steps of what friction leaves of the pull, 2.31320",
     TS_TRAIT_ASIDE | TS_TRAIT_RELAXED | TS_TRAIT_SOFT, NULL, 0},
    {"friction across the pull at 0.15 s", "N",
     "0 is the least of all that hold it; contact by contact, and at a corner, something else comes out",
     TS_TRAIT_SWEEPS | TS_TRAIT_CORNER, NULL, 0},
};

const ts_experiment ts_hyperstatic_forces_experiment = {
    .name = "hyperstatic-forces",
    .source = "Contact Models in Robotics, Fig. 11",
    .summary = "contact forces of a dragged cube are not unique while it sticks; it slips at 0.225 s",
    .scene = "dragged-cube",
    .solvers = "all",
    .duration = 0.6,
    .signal = "speed [m/s]",
    .observe = observe,
    .conclude = conclude,
    .measure = measure,
    .measure_count = sizeof measure / sizeof measure[0],
};
