// Turns a ball in a hand of four fingers: two that are opposite press and sweep, while the others lift off and go back.
//
// Rule: a clock gives each pair a phase. In the first half the spread joints go from -sweep to sweep and the controls of the keyframe
// press; in the second the proximal joints open by a little and the spread joints go back. Both pairs press for a while
// when they take turns, so the ball is never let go. Known to fail: a ball so slippery that tips slide on it.
#include "base/scalar.h"
#include "scenes/controllers/controller.h"

#include <math.h>
#include <stdio.h>

enum { FINGERS = 4, PERIOD = 0, SWEEP = 1 };

static const double opening = 0.2;   // rad, of the proximal joint, off the ball
static const double changing = 0.1;  // 1: share of a period in which a finger comes or goes

static int find(const ts_model* model, int finger, const char* joint) {
    char name[32];
    snprintf(name, sizeof name, "finger%d-%s", finger, joint);
    return ts_model_find_actuator(model, name);
}

static const char* fault(const ts_model* model) {
    for (int i = 0; i < FINGERS; ++i)
        if (find(model, i, "spread") < 0 || find(model, i, "proximal") < 0)
            return "it needs servos finger0-spread and finger0-proximal to finger3-...";
    return model->keyframe_count == 0 ? "it has no keyframe in which the fingers press" : NULL;
}

static double smooth(double x) {
    double t = ts_clamp(x, 0.0, 1.0);
    return t * t * (3.0 - 2.0 * t);
}

static void act(ts_sim* sim, const double* value) {
    const double* hold = sim->model->keyframe[sim->start_keyframe >= 0 ? sim->start_keyframe : 0].ctrl;
    for (int i = 0; i < sim->model->actuator_count; ++i) sim->ctrl[i] = hold[i];
    for (int i = 0; i < FINGERS; ++i) {
        int spread = find(sim->model, i, "spread"), proximal = find(sim->model, i, "proximal");
        double clock = sim->time / value[PERIOD] + (i % 2 ? 0.5 : 0.0), phase = clock - floor(clock);
        // Sweeping from 0 to 1/2, back from 1/2 to 1, off the ball between 1/2 + changing and 1 - changing.
        double there = smooth(2.0 * phase), back = smooth((phase - 0.5 - changing) / (0.5 - 2.0 * changing));
        double off = smooth((phase - 0.5) / changing) - smooth((phase - 1.0 + changing) / changing);
        double grown = smooth(sim->time / value[PERIOD]);
        sim->ctrl[spread] = hold[spread] + grown * value[SWEEP] * (2.0 * (there - back) - 1.0);
        sim->ctrl[proximal] = hold[proximal] - opening * off;
    }
}

static const ts_controller_setting settings[] = {
    {"period", "time of a sweep and back, s", 1.0, 0.1, 60.0},
    {"sweep", "how far the fingers swing to each side, rad", 0.35, -0.7, 0.7},
};

const ts_controller ts_controller_turn = {.name = "turn",
                                          .summary = "a hand of four fingers turns the ball that it holds",
                                          .setting = settings,
                                          .setting_count = (int)(sizeof settings / sizeof settings[0]),
                                          .fault = fault,
                                          .act = act};
