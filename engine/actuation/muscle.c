// Muscles, after MuJoCo.
//
// Problem: a muscle pulls with F_L(L) F_V(V) w + F_P(L) times its peak force, L its length and V its rate in units of the length at which it is
// strongest. Rule: with l0 = (range of lengths of the transmission) / (range of the muscle in units of l0), L = low + (l - least l) / l0 and
// V = l' / (l0 v_max),
//
//     F_L  parabolas: from 0 at l_min over 1/2 half way to 1 at 1, and down likewise to 0 at l_max;
//     F_V  (1 + V)^2 from -1 to 0; then f - (y - V)^2 / y with f = f_vmax and y = f - 1, until V = y; f beyond, 0 below -1;
//     F_P  0 up to 1; f_pmax x^2 / 2 with x = (L - 1) / (b - 1) up to b, half way to l_max; f_pmax (1/2 + x), x = (L - b) / (b - 1), beyond.
//
// Activation: w' = (u - w) / T, with T = T_rise (1/2 + 3/2 w) for a rising and T_fall / (1/2 + 3/2 w) for a falling one, and between the two
// over a given width of u - w a smooth step of fifth degree.
// Source: Millard et al. 2013 for the activation; MuJoCo's documentation, section Muscles.
// Guaranteed: force and its first derivatives are continuous where f_vmax > 1 and l_min < 1 < l_max.
#include "engine/actuation/muscle_internal.h"

#include <math.h>

#include "base/scalar.h"

// 1, m, s: what is divided by is at least this, as in MuJoCo.
static const double least = 1e-15;

static double share(double x, double whole) { return x / fmax(least, whole); }

// F_L and its two derivatives.
static double by_length(const ts_muscle* muscle, double L, double out_slope[2]) {
    double low = muscle->shortest, high = muscle->longest, a = 0.5 * (low + 1.0), b = 0.5 * (1.0 + high), x;
    out_slope[0] = out_slope[1] = 0.0;
    if (L < low || L > high) return 0.0;
    if (L <= a) {
        x = share(L - low, a - low);
        out_slope[0] = share(x, a - low);
        out_slope[1] = share(share(1.0, a - low), a - low);
        return 0.5 * x * x;
    }
    if (L <= 1.0) {
        x = share(1.0 - L, 1.0 - a);
        out_slope[0] = share(x, 1.0 - a);
        out_slope[1] = -share(share(1.0, 1.0 - a), 1.0 - a);
        return 1.0 - 0.5 * x * x;
    }
    if (L <= b) {
        x = share(L - 1.0, b - 1.0);
        out_slope[0] = -share(x, b - 1.0);
        out_slope[1] = -share(share(1.0, b - 1.0), b - 1.0);
        return 1.0 - 0.5 * x * x;
    }
    x = share(high - L, high - b);
    out_slope[0] = -share(x, high - b);
    out_slope[1] = share(share(1.0, high - b), high - b);
    return 0.5 * x * x;
}

// F_V and its two derivatives.
static double by_rate(const ts_muscle* muscle, double V, double out_slope[2]) {
    double y = muscle->lengthening - 1.0;
    out_slope[0] = out_slope[1] = 0.0;
    if (V <= -1.0) return 0.0;
    if (V <= 0.0) {
        out_slope[0] = 2.0 * (V + 1.0);
        out_slope[1] = 2.0;
        return (V + 1.0) * (V + 1.0);
    }
    if (V > y) return muscle->lengthening;
    out_slope[0] = share(2.0 * (y - V), y);
    out_slope[1] = -share(2.0, y);
    return muscle->lengthening - share((y - V) * (y - V), y);
}

static double unit_length(const ts_muscle* muscle, const double length_range[2]) {
    return share(length_range[1] - length_range[0], muscle->range[1] - muscle->range[0]);
}

static double scaled(const ts_muscle* muscle, const double length_range[2], double length) {
    return muscle->range[0] + share(length - length_range[0], unit_length(muscle, length_range));
}

void ts_muscle_pull(const ts_muscle* muscle, const double length_range[2], double length, double rate,
                    double* out_law) {
    double unit = unit_length(muscle, length_range), at_length[2], at_rate[2];
    double F_L = by_length(muscle, scaled(muscle, length_range, length), at_length);
    double F_V = by_rate(muscle, share(rate, unit * muscle->fastest), at_rate);
    out_law[0] = -muscle->force * F_L * F_V;
    out_law[1] = -muscle->force * share(at_length[0], unit) * F_V;
    out_law[2] = -muscle->force * F_L * share(at_rate[0], unit * muscle->fastest);
}

void ts_muscle_pull_bend(const ts_muscle* muscle, const double length_range[2], double length, double rate,
                         double out_bend[3]) {
    double unit = unit_length(muscle, length_range), fastest = unit * muscle->fastest, at_length[2], at_rate[2];
    double F_L = by_length(muscle, scaled(muscle, length_range, length), at_length);
    double F_V = by_rate(muscle, share(rate, fastest), at_rate);
    out_bend[0] = -muscle->force * share(share(at_length[1], unit), unit) * F_V;
    out_bend[1] = -muscle->force * share(at_length[0], unit) * share(at_rate[0], fastest);
    out_bend[2] = -muscle->force * F_L * share(share(at_rate[1], fastest), fastest);
}

double ts_muscle_stretch_bend(const ts_muscle* muscle, const double length_range[2], double length) {
    double unit = unit_length(muscle, length_range), L = scaled(muscle, length_range, length);
    double b = 0.5 * (1.0 + muscle->longest), width = fmax(least, (b - 1.0) * unit);
    return L > 1.0 && L <= b ? -muscle->force * muscle->passive / (width * width) : 0.0;
}

void ts_muscle_stretch(const ts_muscle* muscle, const double length_range[2], double length, double* out_law) {
    double unit = unit_length(muscle, length_range), L = scaled(muscle, length_range, length);
    double b = 0.5 * (1.0 + muscle->longest), most = muscle->force * muscle->passive;
    out_law[0] = out_law[1] = out_law[2] = 0.0;
    if (L <= 1.0) return;
    double x = share(L - (L <= b ? 1.0 : b), b - 1.0);
    out_law[0] = L <= b ? -most * 0.5 * x * x : -most * (0.5 + x);
    out_law[1] = -most * share(share(L <= b ? x : 1.0, b - 1.0), unit);
}

double ts_muscle_activation_rate(const double constant[2], double width, double control, double w) {
    double slope[2];
    return ts_muscle_activation_slopes(constant, width, control, w, slope);
}

double ts_muscle_activation_slopes(const double constant[2], double width, double control, double w,
                                   double out_slope[2]) {
    double slow = 0.5 + 1.5 * ts_clamp(w, 0.0, 1.0), slow_by_w = w > 0.0 && w < 1.0 ? 1.5 : 0.0;
    double change = ts_clamp(control, 0.0, 1.0) - w, rising = constant[0] * slow, falling = constant[1] / slow;
    double rising_by_w = constant[0] * slow_by_w, falling_by_w = -falling / slow * slow_by_w;
    double time = change > 0.0 ? rising : falling, by_w = change > 0.0 ? rising_by_w : falling_by_w, by_change = 0.0;
    if (width >= least) {
        double x = ts_clamp(change / width + 0.5, 0.0, 1.0);
        time = falling + (rising - falling) * x * x * x * (10.0 + x * (6.0 * x - 15.0));
        by_w = falling_by_w + (rising_by_w - falling_by_w) * x * x * x * (10.0 + x * (6.0 * x - 15.0));
        by_change = (rising - falling) * 30.0 * x * x * (1.0 - x) * (1.0 - x) / width;
    }
    if (time <= least) by_w = by_change = 0.0;
    time = fmax(least, time);
    double by_control = control > 0.0 && control < 1.0 ? 1.0 : 0.0, rate = change / time;
    out_slope[0] = by_control * (1.0 - rate * by_change) / time;
    out_slope[1] = -(1.0 + rate * (by_w - by_change)) / time;
    return rate;
}
