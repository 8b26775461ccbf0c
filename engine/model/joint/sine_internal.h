// Sines and cosines of four angles side by side.
//
// Problem: sin x and cos x, and the same bits whatever the machine and its mathematics library. Rule: x = n pi/2 + r with |r| <= pi/4, then the
// polynomials in r of least relative error, of degree 13 for sin and 14 for cos (found by Remez exchange), and the quadrant n says which is which, with which
// sign. pi/2 is taken off in four parts, of which n times the first three is exact (Cody and Waite 1980), and what those differences round off
// comes back as a second part of r. Guaranteed: 1 unit in the last place (0.81 are found), also beside multiples of pi/2; sin is odd and cos
// is even bit by bit; sin 0 = 0, cos 0 = 1. Angles beyond a million, where n has too many bits for that, are asked from the mathematics library.
#ifndef TS_ENGINE_SINE_INTERNAL_H
#define TS_ENGINE_SINE_INTERNAL_H

#include "base/linear/four.h"

/// a + b; *out_rest becomes what its rounding has left out.
static inline ts_four ts_sine_sum(ts_four a, ts_four b, ts_four* out_rest) {
    ts_four sum = ts_four_plus(a, b), of_b = ts_four_minus(sum, a), of_a = ts_four_minus(sum, of_b);
    *out_rest = ts_four_plus(ts_four_minus(a, of_a), ts_four_minus(b, of_b));
    return sum;
}

/// The nearest whole number, even of two, of what is below 2^51.
static inline ts_four ts_sine_round(ts_four a) {
    // 1.5 times 2^52: numbers there are whole.
    ts_four far = ts_four_all(6755399441055744.0);
    return ts_four_minus(ts_four_plus(a, far), far);
}

/// c[0] + c[1] z + ... + c[5] z^5.
static inline ts_four ts_sine_polynomial(const double c[6], ts_four z) {
    ts_four sum = ts_four_all(c[5]);
    for (int i = 4; i >= 0; --i) sum = ts_four_plus(ts_four_all(c[i]), ts_four_product(z, sum));
    return sum;
}

/// What is too large for the rest, number by number.
static inline void ts_sine_far(ts_four x, double limit, ts_four* sine, ts_four* cosine) {
    double angle[4], s[4], c[4];
    ts_four_store(x, angle);
    ts_four_store(*sine, s);
    ts_four_store(*cosine, c);
    for (int i = 0; i < 4; ++i) {
        if (!(fabs(angle[i]) > limit)) continue;
        s[i] = sin(angle[i]);
        c[i] = cos(angle[i]);
    }
    *sine = ts_four_load(s);
    *cosine = ts_four_load(c);
}

/// Sines and cosines of four angles, rad.
static inline void ts_sine_four(ts_four x, ts_four* out_sine, ts_four* out_cosine) {
    // pi/2: three parts of 33 bits, and the rest.
    static const double part[4] = {0x1.921fb544p+0, 0x1.0b4611a6p-34, 0x1.3198a2ep-69, 0x1.b839a252049c1p-104};
    static const double quarters = 0.63661977236758134308, limit = 1e6;
    static const double of_sine[6] = {-0x1.5555555555548p-3, 0x1.111111110f7cdp-7,   -0x1.a01a019bfd840p-13,
                                      0x1.71de356773608p-19, -0x1.ae5e5a4405f37p-26, 0x1.5d8fba8a33513p-33};
    static const double of_cosine[6] = {0x1.555555555554bp-5,   -0x1.6c16c16c14f8ep-10, 0x1.a01a019c83f03p-16,
                                        -0x1.27e4f7ea7e2d0p-22, 0x1.1ee9d783bc86ep-29,  -0x1.8fa47ffbebf46p-37};
    const ts_four one = ts_four_all(1.0), half = ts_four_all(0.5);
    ts_four n = ts_sine_round(ts_four_times(quarters, x)), rest, more;
    ts_four r = ts_four_minus(x, ts_four_times(part[0], n));
    r = ts_sine_sum(r, ts_four_times(-part[1], n), &rest);
    r = ts_sine_sum(r, ts_four_times(-part[2], n), &more);
    rest = ts_four_minus(ts_four_plus(rest, more), ts_four_times(part[3], n));
    ts_four near = ts_four_plus(r, rest);
    rest = ts_four_minus(rest, ts_four_minus(near, r));

    // sin (near + rest) = sin near + rest cos near, and likewise cos; 1 - z/2 is rounded and what that leaves out is added.
    ts_four z = ts_four_product(near, near), less = ts_four_product(half, z), most = ts_four_minus(one, less);
    ts_four sine = ts_four_product(ts_four_product(z, near), ts_sine_polynomial(of_sine, z));
    sine = ts_four_plus(near, ts_four_plus(sine, ts_four_product(rest, most)));
    ts_four cosine = ts_four_product(ts_four_product(z, z), ts_sine_polynomial(of_cosine, z));
    cosine =
        ts_four_plus(ts_four_minus(ts_four_minus(one, most), less), ts_four_minus(cosine, ts_four_product(near, rest)));
    cosine = ts_four_plus(most, cosine);

    // The quadrant is -2, -1, 0, 1 or 2: an even one is 1 or -1 times the same function, an odd one the other.
    ts_four quadrant = ts_four_minus(n, ts_four_times(4.0, ts_sine_round(ts_four_times(0.25, n))));
    ts_four square = ts_four_product(quadrant, quadrant), even = ts_four_minus(one, ts_four_product(half, square));
    ts_four odd = ts_four_product(ts_four_minus(square, half), ts_four_minus(ts_four_all(2.0), square));
    *out_sine = ts_four_where(odd, ts_four_product(quadrant, cosine), ts_four_product(even, sine));
    *out_cosine = ts_four_where(odd, ts_four_product(ts_four_minus(ts_four_zero(), quadrant), sine),
                                ts_four_product(even, cosine));
    if (ts_four_any(ts_four_minus(ts_four_size(x), ts_four_all(limit)))) ts_sine_far(x, limit, out_sine, out_cosine);
}

/// The same of one angle: the same bits.
static inline void ts_sine_of(double x, double* out_sine, double* out_cosine) {
    ts_four sine, cosine;
    double s[4], c[4];
    ts_sine_four(ts_four_all(x), &sine, &cosine);
    ts_four_store(sine, s);
    ts_four_store(cosine, c);
    *out_sine = s[0];
    *out_cosine = c[0];
}

#endif
