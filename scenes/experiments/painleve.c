// Painleve's rod: length 2 l, its tip on the floor, tan 2 of inclination, moving at v towards its tip's side. While the tip slides, friction mu
// N turns the rod into the floor, and N = m g / (1 + m a^2 / I - mu m a b / I) with the tip a beside and b below the centre of mass. From
// mu = 4/3 on (thin rod) there is no such N: rigid bodies have no finite force. What is left is an impulse, though nothing hits:
// the tip stops at once, and the rod turns about it with the angular momentum that it had. In a time step there is exactly one answer,
// sliding or stopped, by two linear equations, and no model may gain energy by it.
#include "scenes/experiments/experiment.h"

#include <math.h>

static const double mass = 1.0, gravity = 9.81, half = 0.5, radius = 0.01, v = 3.0;
static const double frictions[] = {2.0, 0.5, 1.0, 1.5};

// Of the tip: a beside and b below the centre of mass.
static double beside(void) { return half / sqrt(5.0); }
static double below(void) { return 2.0 * half / sqrt(5.0) + radius; }

static const double inertia = 1.0 / 12.0;  // m l^2 / 3, kg m^2

static void write(double value, ts_text* mjcf) {
    ts_text_add(
        mjcf,
        "<mujoco model=\"painleve\"><option timestep=\"0.001\"/>"
        "<custom><numeric name=\"touchstone.initial_keyframe\" data=\"0\"/></custom>"
        "<default><geom friction=\"%g\"/></default><worldbody><geom name=\"floor\" type=\"plane\" size=\"3 2 "
        "0.1\"/><body name=\"rod\" pos=\"0 0 %.17g\"><freejoint/><inertial pos=\"0 0 0\" mass=\"%g\" "
        "diaginertia=\"%.17g %.17g %.17g\"/><geom type=\"capsule\" size=\"%g\" fromto=\"%.17g 0 %.17g %.17g 0 "
        "%.17g\"/></body></worldbody><keyframe><key qpos=\"0 0 %.17g 1 0 0 0\" qvel=\"%g 0 0 0 0 0\"/></keyframe>"
        "</mujoco>",
        value, below(), mass, inertia, inertia, inertia, radius, -beside(), radius - below(), beside(),
        below() - radius, below(), -v);
}

// The spin after one step, rad/s from x to z, and the upright impulse.
static double first_spin(double mu, double h, int* out_stops) {
    double a = beside(), b = below(), m = mass, fall = gravity * h;
    *out_stops = 0;
    double bracket = 1.0 / m + a * a / inertia - mu * a * b / inertia, impulse = fall / bracket;
    double spin = (mu * b - a) * impulse / inertia;
    if (bracket > 0.0 && -v + mu * impulse / m + b * spin < 0.0) return spin;
    // Stopped: both velocities of the tip are zero.
    double xx = 1.0 / m + b * b / inertia, zz = 1.0 / m + a * a / inertia, xz = -a * b / inertia;
    *out_stops = 1;
    double determinant = xx * zz - xz * xz;
    double x = (zz * v - xz * fall) / determinant, z = (xx * fall - xz * v) / determinant;
    return (b * x - a * z) / inertia;
}

// numbers 0 energy at the start, 1 the most there ever was, 2 spin after a step.
static double observe(ts_lab_run* run, ts_sim* sim) {
    ts_energy energy = ts_sim_energy(sim);
    double sum = energy.kinetic + energy.potential;
    double spin = -ts_sim_body_velocity(sim, ts_lab_body(run, sim, 0, "rod")).angular.y;
    if (run->steps == 0) run->number[0] = run->number[1] = sum;
    if (run->steps == 1) run->number[2] = spin;
    run->number[1] = fmax(run->number[1], sum);
    return spin;
}

static void conclude(ts_lab_run* run, ts_sim* sim) {
    int stops;
    double spin = first_spin(run->value, sim->options.time_step, &stops);
    if (stops)
        ts_lab_spare(run, 0, TS_TRAIT_RELAXED, "what stops neither slides nor lifts: there the relaxation is exact");
    else
        ts_lab_spare(
            run, 0, TS_TRAIT_ANCHOR,
            "3 m/s wind a spring beyond what friction holds in the first step, and so it slides as under Coulomb");
    if (!(run->traits & TS_TRAIT_RELAXED))
        ts_lab_leave_open(run, 0, TS_TRAIT_FOREIGN,
                          "another engine's first step has contacts of its own narrow phase, and sweeps that are cut");
    if (run->value < 4.0 / 3.0)
        ts_lab_spare(run, 2, TS_TRAIT_SWEEPS | TS_TRAIT_GRADIENT,
                     "while mu G_TN is less than G_NN a contact by itself is soon solved");
    else
        ts_lab_spare_solved(run, 2, TS_TRAIT_SWEEPS | TS_TRAIT_GRADIENT);
    if (run->value > 4.0 / 3.0 && run->unsolved > 0)
        ts_lab_leave_open(
            run, 2, TS_TRAIT_GRADIENT,
            "how far the eigenvalues of a rod that has come to lie are apart depends on where it came to lie");
    ts_lab_tell(run, 0, run->number[2], spin, 1e-6);
    ts_lab_tell(run, 1, 100.0 * (run->number[1] / run->number[0] - 1.0), 0.0, 1e-6);
    // Others do not say.
    if (!(run->traits & TS_TRAIT_FOREIGN)) ts_lab_tell(run, 2, run->worst_unmet, 0.0, 1e-8);
}

static const ts_measure measure[] = {
    {"spin after a step", "rad/s", "slides, or stops at once: two linear equations",
     TS_TRAIT_RELAXED | TS_TRAIT_SOFT | TS_TRAIT_ANCHOR, NULL, 0},
    {"energy gained", "%", "0", 0, NULL, 0},
    {"its own law unmet", "", "0: to the tolerance; from mu = 4/3 on what goes step by step circles or crawls",
     TS_TRAIT_SWEEPS | TS_TRAIT_GRADIENT, NULL, 0},
};

const ts_experiment ts_painleve_experiment = {
    .name = "painleve",
    .source = "Painleve 1895; Stewart 2000, Rigid-body dynamics with friction and impact",
    .summary = "a sliding rod jams though nothing hits it: no finite force, but one impulse",
    .write = write,
    .parameter = "friction",
    .values = frictions,
    .value_count = 4,
    .solvers = "all",
    .duration = 0.5,
    .measure = measure,
    .measure_count = 3,
    .signal = "spin [rad/s]",
    .observe = observe,
    .conclude = conclude,
};
