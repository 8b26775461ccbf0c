// Five equal balls in a line, without friction and gravity; the first comes at v with restitution 1. Where they are apart by a gap, blows come
// one after another, two bodies at a time, and each hands on all it has: 0, 0, 0, 0, v, what a cradle of steel does. Where they touch, there is
// one simultaneous blow, and momentum and energy alone do not say what happens. Newton's law does, contact by contact: the one that
// closes opens at v, the others, at rest, have nothing to bounce with and only must not close. Then four balls move as one body:
// -3/5, 2/5, 2/5, 2/5, 2/5, with all the energy. That is what this law gives and what is asked here; steel waves it on.
#include "scenes/experiments/experiment.h"

#include <math.h>
#include <stdio.h>

static const double v = 1.0, radius = 0.05;
static const double gaps[] = {0.01, 0.0};

enum { BALLS = 5 };

static void write(double value, ts_text* mjcf) {
    ts_text_add(mjcf, "<mujoco model=\"cradle\"><option timestep=\"0.001\" gravity=\"0 0 0\"/><custom>"
                      "<numeric name=\"touchstone.restitution\" data=\"1\"/>"
                      "<numeric name=\"touchstone.initial_keyframe\" data=\"0\"/></custom><worldbody>");
    for (int i = 0; i < BALLS; ++i)
        ts_text_add(mjcf,
                    "<body name=\"ball%d\" pos=\"%.17g 0 0.5\"><freejoint/><geom "
                    "type=\"sphere\" size=\"%g\" mass=\"1\" condim=\"1\"/></body>",
                    i, i * (2.0 * radius + value) - (i == 0 ? 0.1 : 0.0), radius);
    ts_text_add(mjcf, "</worldbody><keyframe><key qvel=\"%g", v);
    for (int i = 1; i < 6 * BALLS; ++i) ts_text_add(mjcf, " 0");
    ts_text_add(mjcf, "\"/></keyframe></mujoco>");
}

static double observe(ts_lab_run* run, ts_sim* sim) {
    char name[16];
    for (int i = 0; i < BALLS && run->steps == 0; ++i) {
        snprintf(name, sizeof name, "ball%d", i);
        ts_lab_body(run, sim, i, name);
    }
    return ts_sim_body_velocity(sim, run->body[BALLS - 1]).linear.x;
}

static void conclude(ts_lab_run* run, ts_sim* sim) {
    double off = 0.0, energy = 0.0, momentum = 0.0;
    for (int i = 0; i < BALLS; ++i) {
        double speed = ts_sim_body_velocity(sim, run->body[i]).linear.x;
        double apart = i == BALLS - 1 ? v : 0.0, together = i == 0 ? -0.6 * v : 0.4 * v;
        off = fmax(off, fabs(speed - (run->value > 0.0 ? apart : together)));
        energy += speed * speed / (v * v);
        momentum += speed / v;
    }
    for (int m = 0; m < 3 && run->value > 0.0 && !(run->traits & TS_TRAIT_RELAXED); ++m)
        ts_lab_leave_open(
            run, m, TS_TRAIT_FOREIGN,
            "one blow at a time is Newton's law in any engine that knows it, unless a gap closes within a step");
    ts_lab_tell(run, 0, off, 0.0, 1e-6);
    ts_lab_tell(run, 1, 100.0 * momentum, 100.0, 1e-4);
    ts_lab_tell(run, 2, 100.0 * energy, 100.0, 1e-4);
}

static const ts_measure measure[] = {
    {"worst speed error", "m/s", "0, against the blows in turn, or Newton's law at once", TS_TRAIT_SOFT, NULL, 0},
    {"momentum kept", "%", "100", 0, NULL, 0},
    {"energy kept", "%", "100: restitution 1", TS_TRAIT_SOFT, NULL, 0},
};

const ts_experiment ts_cradle_experiment = {
    .name = "cradle",
    .source = "Newton's cradle",
    .summary = "five balls: blows in turn hand on all, one simultaneous blow shares as Newton's law of impact says",
    .write = write,
    .parameter = "gap [m]",
    .values = gaps,
    .value_count = 2,
    .solvers = "ncp,ccp-pgs,mujoco",
    .duration = 0.3,
    .measure = measure,
    .measure_count = 3,
    .signal = "speed of the last ball [m/s]",
    .observe = observe,
    .conclude = conclude,
};
