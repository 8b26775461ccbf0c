// Motions to compare with: classical Runge-Kutta in long double, with steps so small that its error does not show.
#ifndef TS_TESTS_REFERENCE_MOTION_H
#define TS_TESTS_REFERENCE_MOTION_H

#include <math.h>
#include <string.h>

enum { REFERENCE_NUMBERS = 8 };

/// The rate of change of a state.
typedef void (*reference_slope)(const long double* parameter, const long double* state, long double* out_rate);

/// Moves `state` (n numbers) by time t in `steps` steps.
static inline void reference_run(reference_slope slope, const long double* parameter, int n, long double t, int steps,
                                 long double* state) {
    static const long double at[4] = {0.0L, 0.5L, 0.5L, 1.0L}, weight[4] = {1.0L, 2.0L, 2.0L, 1.0L};
    for (int i = 0; i < steps; ++i) {
        long double rate[REFERENCE_NUMBERS] = {0.0L}, sum[REFERENCE_NUMBERS] = {0.0L}, here[REFERENCE_NUMBERS];
        for (int stage = 0; stage < 4; ++stage) {
            for (int c = 0; c < n; ++c) here[c] = state[c] + at[stage] * t / steps * rate[c];
            slope(parameter, here, rate);
            for (int c = 0; c < n; ++c) sum[c] += weight[stage] * rate[c];
        }
        for (int c = 0; c < n; ++c) state[c] += t / steps / 6.0L * sum[c];
    }
}

/// A free body: parameter its principal moments, state a quaternion (w first) and the angular velocity in body axes.
static inline void reference_free_body(const long double* I, const long double* s, long double* out) {
    const long double *q = s, *w = s + 4;
    out[0] = -0.5L * (q[1] * w[0] + q[2] * w[1] + q[3] * w[2]);
    out[1] = 0.5L * (q[0] * w[0] + q[2] * w[2] - q[3] * w[1]);
    out[2] = 0.5L * (q[0] * w[1] + q[3] * w[0] - q[1] * w[2]);
    out[3] = 0.5L * (q[0] * w[2] + q[1] * w[1] - q[2] * w[0]);
    for (int i = 0; i < 3; ++i) {
        int j = (i + 1) % 3, k = (i + 2) % 3;
        out[4 + i] = (I[j] - I[k]) * w[j] * w[k] / I[i];
    }
}

/// Two equal points on rods of length parameter[1] under gravity parameter[0]: state the angles from below in the world, then
/// their rates.
static inline void reference_double_pendulum(const long double* parameter, const long double* s, long double* out) {
    long double g = parameter[0] / parameter[1], a = s[0], b = s[1], x = s[2] * s[2], y = s[3] * s[3];
    long double sine = sinl(a - b), cosine = cosl(a - b), below = 3.0L - cosl(2.0L * (a - b));
    out[0] = s[2];
    out[1] = s[3];
    out[2] = (-3.0L * g * sinl(a) - g * sinl(a - 2.0L * b) - 2.0L * sine * (y + x * cosine)) / below;
    out[3] = 2.0L * sine * (2.0L * x + 2.0L * g * cosl(a) + y * cosine) / below;
}

#endif
