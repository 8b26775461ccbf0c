// Fig. 10: the same cube, axes along the edges. Coulomb: it stays down, v = v0 - mu g t, and at every instant of the grid its energy is that of the
// parabola m v^2 / 2. The convex relaxation drops to v / (1 + mu^2) in the first step, goes up at mu times that, 6.185 mm high, and hovers where it has
// come down, h mu times its slip above the floor; of v_y + mu v_z it takes what Coulomb takes of v_y. RaiSim's friction is weaker, mu sqrt(1 - (0.39 mu)^2).
#include "scenes/experiments/experiment.h"

#include <math.h>

static const double mu = 0.4, gravity = 9.81, speed = 1.0, late = 0.2;

enum { LIFT, ENERGY, FORWARD, UPWARD, MOMENTUM, HOVER };

// A number for each of the measures, in SI units.
static double observe(ts_lab_run* run, ts_sim* sim) {
    double lift = sim->kinematics.body_centre[ts_lab_body(run, sim, 0, "cube")].z - 0.104;
    double coulomb = fmax(speed - mu * gravity * sim->time, 0.0), kinetic = ts_sim_energy(sim).kinetic;
    ts_vec3 v = ts_sim_body_velocity(sim, run->body[0]).linear;
    run->number[LIFT] = fmax(run->number[LIFT], lift);
    run->number[ENERGY] = fmax(run->number[ENERGY], fabs(kinetic + gravity * lift - 0.5 * coulomb * coulomb));
    if (run->steps == 1) {
        run->number[FORWARD] = v.y;
        run->number[UPWARD] = v.z;
    }
    if (sim->time < late + 0.5 * sim->options.time_step) {
        run->number[MOMENTUM] = fmax(run->number[MOMENTUM], fabs(v.y + mu * v.z - coulomb));
        run->number[HOVER] = lift / (sim->options.time_step * mu * v.y);
    }
    return 1e3 * lift;
}

// m: how high a cube comes that goes up at u after the first step.
static double highest(double u, double h) {
    double z = 0.0;
    while (u > 0.0) {
        z += h * u;
        u -= gravity * h;
    }
    return z;
}

// J: how far the energy of a cube with that friction comes from the parabola, at most.
static double off_parabola(double friction, double h) {
    double off = 0.0;
    for (int k = 0; k * h < speed / (mu * gravity); ++k) {
        double is = speed - k * friction * gravity * h, should = speed - k * mu * gravity * h;
        off = fmax(off, 0.5 * fabs(is * is - should * should));
    }
    return off;
}

static void conclude(ts_lab_run* run, ts_sim* sim) {
    double h = sim->options.time_step, coulomb = speed - mu * gravity * h;
    const char* unknown =
        "where another engine has its contacts in the first step, and how soft, is a matter of its own";
    ts_lab_tell(run, LIFT, 1e3 * run->number[LIFT], 0.0, 1e-3);
    ts_lab_tell(run, ENERGY, 1e3 * run->number[ENERGY], 0.0, 0.02);
    ts_lab_tell(run, FORWARD, run->number[FORWARD], coulomb, 1e-4);
    ts_lab_tell(run, UPWARD, run->number[UPWARD], 0.0, 1e-6);
    ts_lab_tell(run, MOMENTUM, run->number[MOMENTUM], 0.0, 1e-6);
    ts_lab_tell(run, HOVER, run->number[HOVER], 0.0, 1e-3);
    ts_lab_spare(run, FORWARD, TS_TRAIT_ASIDE, "a step of friction that is weak by a hundredth is off by less");
    if (!(run->traits & TS_TRAIT_RELAXED)) {
        ts_lab_leave_open(run, FORWARD, TS_TRAIT_FOREIGN, unknown);
        ts_lab_leave_open(run, UPWARD, TS_TRAIT_FOREIGN, unknown);
    }
    if (run->traits & TS_TRAIT_SOFT) return;
    if (run->traits & TS_TRAIT_RELAXED) {
        double forward = coulomb / (1.0 + mu * mu), lift = 1e3 * highest(mu * forward, h);
        ts_lab_foretell(run, LIFT, lift, 1e-3 * lift);
        ts_lab_foretell(run, FORWARD, forward, 1e-6);
        ts_lab_foretell(run, UPWARD, mu * forward, 1e-6);
        ts_lab_foretell(run, HOVER, 1.0, 1e-3);
    }
    if (run->traits & TS_TRAIT_ASIDE) {
        double weak = mu * sqrt(1.0 - 0.39 * mu * 0.39 * mu), off = 1e3 * off_parabola(weak, h);
        ts_lab_foretell(run, ENERGY, off, 1e-3 * off);
        ts_lab_foretell(run, MOMENTUM, (mu - weak) * gravity * late, 1e-3 * (mu - weak) * gravity * late);
    }
}

static const ts_measure measure[] = {
    [LIFT] = {"lift", "mm", "0; relaxed 6.185", TS_TRAIT_RELAXED, NULL, 0},
    [ENERGY] = {"energy off the parabola", "mJ", "0: what slides loses mu m g h of momentum in every step",
                TS_TRAIT_RELAXED | TS_TRAIT_ASIDE | TS_TRAIT_SOFT, NULL, 0},
    [FORWARD] = {"speed after the first step", "m/s", "v - mu g h = 0.9961; relaxed 1 / (1 + mu^2) of that, 0.8587",
                 TS_TRAIT_RELAXED | TS_TRAIT_ASIDE, NULL, 0},
    [UPWARD] = {"speed upward after the first step", "m/s", "0; relaxed mu times its slip, 0.3435", TS_TRAIT_RELAXED,
                NULL, 0},
    [MOMENTUM] = {"v_y + mu v_z off v - mu g t", "m/s",
                  "0: friction is mu N, of soft and relaxed laws, too; a relaxed pyramid's edges across the slip open "
                  "with the lift",
                  TS_TRAIT_ASIDE | TS_TRAIT_ALONE, NULL, 0},
    [HOVER] = {"gap over h mu slip at 0.2 s", "", "0; relaxed 1: it hovers", TS_TRAIT_RELAXED | TS_TRAIT_SOFT, NULL, 0},
};

const ts_experiment ts_ccp_lift_off_experiment = {
    .name = "ccp-lift-off",
    .source = "Contact Models in Robotics, Fig. 10",
    .summary = "the convex relaxation lifts a sliding cube off the floor and dissipates too much at once",
    .scene = "sliding-cube",
    .solvers = "all",
    .duration = 0.3,
    .signal = "height [mm]",
    .observe = observe,
    .conclude = conclude,
    .measure = measure,
    .measure_count = sizeof measure / sizeof measure[0],
};
