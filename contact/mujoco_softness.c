// Compliance and reference velocity of a contact or limit from MJCF's solref and solimp.
//
// Problem: how soft a row is, from a time constant and a damping ratio (or a stiffness and a damping), and from an
// impedance d that grows with the violation.
// Rule: the row is a spring and damper that asks for the acceleration -b c - k gap, and gets the share d of it:
// R = (1 - d) / d A_ii, c* = c - h (b c + k gap).
// Source: MuJoCo's documentation, chapters Computation and Modeling (solver parameters).
// Guaranteed: R > 0 and finite for every softness, as d is kept within MuJoCo's bounds.
// Known to fail: MuJoCo takes A_ii at the reference pose; the caller decides which one it gives.
#include "contact/mujoco_softness.h"

#include <float.h>
#include <math.h>

#include "base/scalar.h"

// Impedances MuJoCo allows.
static const double impedance_least = 1e-4, impedance_most = 0.9999;

static double at_least(double x, double least) { return x > least ? x : least; }

ts_mujoco_softness ts_mujoco_softness_default(void) {
    ts_mujoco_softness softness = {{0.02, 1.0}, {0.9, 0.95, 0.001, 0.5, 2.0}};
    return softness;
}

double ts_mujoco_impedance(const double solimp[5], double gap) {
    double d0 = ts_clamp(solimp[0], impedance_least, impedance_most),
           dw = ts_clamp(solimp[1], impedance_least, impedance_most);
    double width = at_least(solimp[2], 0.0), mid = ts_clamp(solimp[3], impedance_least, impedance_most);
    double power = at_least(solimp[4], 1.0);
    // A width of nothing is a step of no particular height: MuJoCo takes the middle.
    if (d0 == dw || width <= DBL_MIN) return 0.5 * (d0 + dw);
    double x = fabs(gap) / width;
    if (x >= 1.0) return dw;
    if (x == 0.0) return d0;
    double part = x <= mid ? x : 1.0 - x, whole = x <= mid ? mid : 1.0 - mid;
    // A square is what the defaults ask for, of every contact.
    double y = power == 2.0 ? part * part / whole : pow(part, power) / pow(whole, power - 1.0);
    return d0 + (x <= mid ? y : 1.0 - y) * (dw - d0);
}

ts_mujoco_spring ts_mujoco_spring_of(const ts_mujoco_softness* softness, double d, double time_step) {
    double dw = ts_clamp(softness->solimp[1], impedance_least, impedance_most);
    if (!(softness->solref[0] > 0.0))
        return (ts_mujoco_spring){-softness->solref[0] * d / (dw * dw), -softness->solref[1] / dw};
    double constant = at_least(softness->solref[0], 2.0 * time_step), ratio = softness->solref[1];
    return (ts_mujoco_spring){d / (dw * dw * constant * constant * ratio * ratio), 2.0 / (dw * constant)};
}

void ts_mujoco_row(const ts_mujoco_softness* softness, double d, double diagonal, double gap, double speed,
                   double time_step, double* out_R, double* out_reference) {
    *out_R = ts_mujoco_compliance(d, diagonal);
    *out_reference = ts_mujoco_reference(ts_mujoco_spring_of(softness, d, time_step), gap, speed, time_step);
}

double ts_mujoco_impedance_slope(const double solimp[5], double gap) {
    double d0 = ts_clamp(solimp[0], impedance_least, impedance_most),
           dw = ts_clamp(solimp[1], impedance_least, impedance_most);
    double width = at_least(solimp[2], 0.0), mid = ts_clamp(solimp[3], impedance_least, impedance_most);
    double power = at_least(solimp[4], 1.0);
    if (d0 == dw || width <= DBL_MIN) return 0.0;
    double x = fabs(gap) / width;
    if (x >= 1.0 || x == 0.0) return 0.0;
    double slope = x <= mid ? pow(x / mid, power - 1.0) : pow((1.0 - x) / (1.0 - mid), power - 1.0);
    return power * slope * (dw - d0) / (gap > 0.0 ? width : -width);
}

ts_mujoco_row_slopes ts_mujoco_row_slope(const ts_mujoco_softness* softness, double d, double d_slope, double diagonal,
                                         double gap, double speed, double time_step) {
    ts_mujoco_spring spring = ts_mujoco_spring_of(softness, d, time_step);
    double k = spring.stiffness, b = spring.damping, k_by_time = 0.0, b_by_time = 0.0;
    // k goes with d.
    if (softness->solref[0] > 0.0 && softness->solref[0] < 2.0 * time_step) {
        k_by_time = -2.0 * k / time_step;
        b_by_time = -b / time_step;
    }
    return (ts_mujoco_row_slopes){.R_by_gap = -d_slope / (d * d) * diagonal,
                                  .reference_by_gap = -time_step * k * (1.0 + d_slope / d * gap),
                                  .reference_by_speed = 1.0 - time_step * b,
                                  .R_by_time = 0.0,
                                  .reference_by_time =
                                      -(b * speed + k * gap) - time_step * (b_by_time * speed + k_by_time * gap)};
}
