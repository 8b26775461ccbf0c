// Fig. 10, without speculative contacts, on steps of 0.01 ms: the cube that slides at v under the convex relaxation is thrown up at mu / (1 + mu^2) v, lands
// with less speed, and is thrown again. With q = (1 - mu^2) / (1 + mu^2), launch k leaves it v q^(k-1) / (1 + mu^2) forward and an energy of
// m v^2 q^(2(k-1)) / (2 (1 + mu^2)); it lands at v (1 - q^k) / (mu g). Coulomb: it stays down.
#include "scenes/experiments/experiment.h"
#include "scenes/experiments/paper_cube_internal.h"

#include <math.h>

static const double mu = 0.4, gravity = 9.81, speed = 1.0, step = 1e-5;

enum { FLIGHTS = 4 };

static void write(double value, ts_text* mjcf) {
    (void)value;
    ts_text_add(
        mjcf,
        "<mujoco model=\"ccp-bounce\"><option timestep=\"%.17g\"/><custom><numeric "
        "name=\"touchstone.initial_keyframe\" data=\"0\"/><numeric name=\"touchstone.contact_margin\" data=\"0\"/>"
        "<numeric name=\"touchstone.baumgarte\" data=\"1e-4\"/></custom><worldbody>\n",
        step);
    ts_paper_cube_floor(mu, mjcf);
    ts_paper_cube_add("cube", TS_PAPER_CUBE_HEIGHT, 1.0, mu, mu, mjcf);
    ts_text_add(mjcf, "</worldbody><keyframe><key qvel=\"0 %g 0 0 0 0\"/></keyframe></mujoco>\n", speed);
}

// numbers 0 flights that have begun, 1 that have ended, 2 height of the step before; from 8 on when each ended, from 16 on the energy that it began with.
static double observe(ts_lab_run* run, ts_sim* sim) {
    enum { LANDED = 8, ENERGY = 16 };
    double height = sim->kinematics.body_centre[ts_lab_body(run, sim, 0, "cube")].z - TS_PAPER_CUBE_HEIGHT;
    int begun = (int)run->number[0], ended = (int)run->number[1];
    // A flight: higher than what a step's fall from rest makes of rounding.
    double low = 1e-6;
    if (run->number[2] <= low && height > low && begun < FLIGHTS) {
        run->number[ENERGY + begun] = ts_sim_energy(sim).kinetic + gravity * height;
        run->number[0] += 1.0;
    }
    if (run->number[2] > low && height <= low && ended < FLIGHTS) {
        run->number[LANDED + ended] = sim->time;
        run->number[1] += 1.0;
    }
    run->number[2] = height;
    return 1e3 * height;
}

static const char soft_landing[] = "whether what lands on soft contacts is thrown again depends on how long they take, "
                                   "which no formula of the relaxation knows";

static void conclude(ts_lab_run* run, ts_sim* sim) {
    enum { LANDED = 8, ENERGY = 16 };
    double q = (1.0 - mu * mu) / (1.0 + mu * mu), energy = 0.5 * speed * speed / (1.0 + mu * mu);
    double h = sim->options.time_step;
    ts_lab_tell(run, 0, run->number[0], 0.0, 0.5);
    for (int k = 0; k < FLIGHTS; ++k) {
        int landing = 1 + k, start = 1 + FLIGHTS + k;
        if (k > 0) {
            ts_lab_leave_open(run, landing, TS_TRAIT_SOFT, soft_landing);
            ts_lab_leave_open(run, start, TS_TRAIT_SOFT, soft_landing);
        }
        // One that has not flown lands never: it is told to have come down at once, with all of its energy.
        double landed = k < run->number[1] ? run->number[LANDED + k] : 0.0;
        double begun = k < run->number[0] ? run->number[ENERGY + k] : 0.0;
        ts_lab_tell(run, landing, 1e3 * landed, 0.0, 1e-9);
        ts_lab_tell(run, start, begun, 0.0, 1e-9);
        if (run->traits & TS_TRAIT_SOFT) continue;
        // Of first order: each launch and each landing is found within a step, and costs at most a step's friction of the speed of its flight.
        double flies_at = speed * pow(q, k) / (1.0 + mu * mu), flies_with = energy * pow(q, 2 * k);
        ts_lab_foretell(run, landing, 1e3 * speed * (1.0 - pow(q, k + 1)) / (mu * gravity), 2e3 * h * (k + 1));
        ts_lab_foretell(run, start, flies_with, 2.0 * (k + 1) * mu * gravity * h / flies_at * flies_with);
    }
}

static const ts_measure measure[] = {
    {"flights, four at most", "", "0: what slides stays down", TS_TRAIT_RELAXED, NULL, 0},
    {"first landing", "ms", "never; relaxed v (1 - q) / (mu g) = 70.30", TS_TRAIT_RELAXED, NULL, 0},
    {"second landing", "ms", "never; relaxed v (1 - q^2) / (mu g) = 121.21", TS_TRAIT_RELAXED, NULL, 0},
    {"third landing", "ms", "never; relaxed v (1 - q^3) / (mu g) = 158.07", TS_TRAIT_RELAXED, NULL, 0},
    {"fourth landing", "ms", "never; relaxed v (1 - q^4) / (mu g) = 184.77", TS_TRAIT_RELAXED, NULL, 0},
    {"energy of the first flight", "J", "no flight; relaxed m v^2 / (2 (1 + mu^2)) = 0.43103", TS_TRAIT_RELAXED, NULL,
     0},
    {"energy of the second flight", "J", "no flight; relaxed q^2 of the first = 0.22602", TS_TRAIT_RELAXED, NULL, 0},
    {"energy of the third flight", "J", "no flight; relaxed q^4 of the first = 0.11852", TS_TRAIT_RELAXED, NULL, 0},
    {"energy of the fourth flight", "J", "no flight; relaxed q^6 of the first = 0.06215", TS_TRAIT_RELAXED, NULL, 0},
};

const ts_experiment ts_ccp_bounce_experiment = {
    .name = "ccp-bounce",
    .source = "Contact Models in Robotics, Fig. 10, without speculative contacts",
    .summary = "the convex relaxation makes a sliding cube bounce, each time with less speed",
    .write = write,
    .solvers = "all",
    .duration = 0.25,
    .measure = measure,
    .measure_count = sizeof measure / sizeof measure[0],
    .signal = "height [mm]",
    .observe = observe,
    .conclude = conclude,
};
