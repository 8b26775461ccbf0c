// A wedge lies between two planes that lean outwards by a = 30 degrees from the vertical; the groove between them slopes by b = 15 degrees.
// Across the groove 2 N sin a = W cos b where friction has nothing to do there, so the groove multiplies friction by 1 / sin a = 2: the wedge
// holds where tan b < mu / sin a, else it slides at g (sin b - mu cos b / sin a). While it holds, friction may take part in carrying it,
// and N is anything between W cos b / 2 (sin a + mu cos a) and W cos b / 2 (sin a - mu cos a), without end where mu >= tan a: it may be
// jammed with any force, and rigid statics cannot say with which.
#include "scenes/experiments/experiment.h"

#include <math.h>

static const double mass = 1.0, gravity = 9.81, lean = 0.5235987755982988, slope = 0.2617993877991494;
static const double frictions[] = {0.1, 0.0, 0.05, 0.2, 0.4};

static void write(double value, ts_text* mjcf) {
    double height = 0.1, width = height * tan(lean);
    ts_text_add(mjcf,
                "<mujoco model=\"wedge\"><option timestep=\"0.001\" gravity=\"%.17g 0 %.17g\"/>"
                "<default><geom friction=\"%g\"/></default><asset><mesh name=\"wedge\" vertex=\"",
                gravity * sin(slope), -gravity * cos(slope), value);
    for (int end = -1; end <= 1; end += 2)
        ts_text_add(mjcf, "%g 0 0 %g %.17g %g %g %.17g %g ", 0.1 * end, 0.1 * end, width, height, 0.1 * end, -width,
                    height);
    ts_text_add(mjcf, "\"/></asset><worldbody>");
    for (int side = -1; side <= 1; side += 2)
        ts_text_add(mjcf, "<geom type=\"plane\" size=\"4 0.3 0.1\" zaxis=\"0 %.17g %.17g\" rgba=\"0.6 0.6 0.65 0.5\"/>",
                    side * cos(lean), sin(lean));
    ts_text_add(mjcf,
                "<body name=\"wedge\"><freejoint/><geom type=\"mesh\" mesh=\"wedge\" mass=\"%g\"/></body>"
                "</worldbody></mujoco>",
                mass);
}

// number[0]: N s, what the planes have pressed with so far.
static double observe(ts_lab_run* run, ts_sim* sim) {
    for (int i = 0; i < sim->contact_count && run->steps > 0; ++i) run->number[0] += ts_sim_contact(sim, i).impulse.z;
    return ts_sim_body_velocity(sim, ts_lab_body(run, sim, 0, "wedge")).linear.x;
}

static void foresee(ts_lab_run* run, const ts_sim* sim, int holds) {
    const unsigned any = ~0U;
    double normal, tangent, h = sim->options.time_step, mu = run->value;
    ts_lab_softness(sim, &normal, &tangent);
    if (holds) {
        ts_lab_spare(run, 0, any, "while the wedge holds, statics leaves the force a range");
        ts_lab_spare(run, 1, any & ~(unsigned)TS_TRAIT_SOFT,
                     "what friction can hold stays, whatever its law of sliding");
        if (run->traits & TS_TRAIT_STIFF && tangent * mass * gravity * sin(slope) * h < 1e-6)
            ts_lab_spare(run, 1, TS_TRAIT_SOFT, "it creeps at R_T times the pull, which is less than the tolerance");
    } else if (run->traits & TS_TRAIT_ANCHOR && tangent > 0.0) {
        // In the first step springs hold this share of what would hold the wedge.
        double share = 1.0 / (1.0 + mass * tangent);
        if (share * sin(slope) > mu * cos(slope) / sin(lean))
            ts_lab_spare(
                run, 1, TS_TRAIT_ANCHOR,
                "the first step winds the springs beyond what friction holds, and so it slides as under Coulomb");
    }
    for (int m = 0; m < 2 && mu == 0.0; ++m) ts_lab_spare(run, m, any, "without friction all laws are one");
    for (int m = holds; m < 2; ++m)
        ts_lab_leave_open(
            run, m, TS_TRAIT_FOREIGN,
            "an edge on a plane is as many contacts as another engine makes of it, and these decide how it is held");
}

static void conclude(ts_lab_run* run, ts_sim* sim) {
    double mu = run->value, across = mass * gravity * cos(slope);
    double pull = gravity * (sin(slope) - mu * cos(slope) / sin(lean)), speed = fmax(pull, 0.0) * sim->time;
    double low = across / (sin(lean) + mu * cos(lean)), high = across / fmax(sin(lean) - mu * cos(lean), 1e-9);
    if (pull > 0.0) low = high = across / sin(lean);
    // The mean over all steps: a single one also closes what the last one left open, if only a rounding.
    ts_lab_tell(run, 0, 0.5 * run->number[0] / sim->time, 0.25 * (low + high), 0.25 * (high - low) + 1e-6 * across);
    ts_lab_tell(run, 1, ts_sim_body_velocity(sim, run->body[0]).linear.x, speed, 1e-6);
    foresee(run, sim, pull < 0.0);
}

static const ts_measure measure[] = {
    {"normal force of a plane", "N", "W cos b / (2 sin a) while it slides",
     TS_TRAIT_RELAXED | TS_TRAIT_PYRAMID | TS_TRAIT_ASIDE, NULL, 0},
    {"speed", "m/s", "g (sin b - mu cos b / sin a) t, or 0",
     TS_TRAIT_RELAXED | TS_TRAIT_PYRAMID | TS_TRAIT_SOFT | TS_TRAIT_ASIDE | TS_TRAIT_ANCHOR, NULL, 0},
};

const ts_experiment ts_wedge_experiment = {
    .name = "wedge",
    .source = "statics; V-belts",
    .summary = "a wedge between two inclined planes slides down its groove, twice as rough as on a plane",
    .write = write,
    .parameter = "friction",
    .values = frictions,
    .value_count = 5,
    .solvers = "all",
    .duration = 1.0,
    .measure = measure,
    .measure_count = 2,
    .signal = "speed [m/s]",
    .observe = observe,
    .conclude = conclude,
};
