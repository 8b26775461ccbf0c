// A box rests on a slope of 20 degrees, friction 0.5, for a minute. The friction angle of 26.6 degrees exceeds the slope, so under Coulomb's
// law it does not move at all. Contacts that give way let it creep: with a damper across the slip in place of stiction, at a speed that
// follows from the weight along the slope and the damper, for ever.
#include "scenes/experiments/experiment.h"

#include <math.h>

static const double slope = 20.0;

static void write(double value, ts_text* mjcf) {
    (void)value;
    // Gravity leans, not the floor: then the box starts in exact touch.
    double angle = slope * 0.017453292519943295, g = 9.81;
    ts_text_add(mjcf,
                "<mujoco model=\"creep\"><option timestep=\"0.001\" gravity=\"%.17g 0 %.17g\"/><custom><numeric "
                "name=\"touchstone.tolerance\" data=\"1e-10\"/></custom><worldbody>"
                "<geom name=\"floor\" type=\"plane\" size=\"2 2 0.1\" friction=\"0.5\"/>"
                "<body name=\"box\" pos=\"0 0 0.1\"><freejoint/><geom type=\"box\" size=\"0.1 0.1 0.1\" mass=\"1\" "
                "friction=\"0.5\"/></body>"
                "</worldbody></mujoco>",
                g * sin(angle), -g * cos(angle));
}

// Where it was when the first second, in which soft contacts settle, was over.
static double observe(ts_lab_run* run, ts_sim* sim) {
    ts_vec3 at = sim->kinematics.body_centre[ts_lab_body(run, sim, 0, "box")];
    if (sim->time <= 1.0 || run->steps == 0) ts_vec3_store(at, run->number);
    return 1e3 * (at.x - run->number[0]);
}

static void conclude(ts_lab_run* run, ts_sim* sim) {
    ts_vec3 moved = ts_vec3_sub(sim->kinematics.body_centre[run->body[0]], ts_vec3_load(run->number));
    ts_lab_tell(run, 0, 1e3 * ts_vec3_norm(moved) * 60.0 / (sim->time - 1.0), 0.0, 1e-6);
}

static const ts_measure measure[] = {
    {"creep", "mm/min", "0: tan 20 degrees = 0.364 is less than the friction coefficient, 0.5", TS_TRAIT_SOFT,
     "creep on 20 deg", 1},
};

const ts_experiment ts_creep_experiment = {
    .name = "creep",
    .source = "robots that slide down the table while they wait",
    .summary = "a box on a slope that friction holds stays where it is, for a minute",
    .write = write,
    .solvers = "all",
    .duration = 60.0,
    .measure = measure,
    .measure_count = 1,
    .signal = "way down the slope [mm]",
    .observe = observe,
    .conclude = conclude,
};
