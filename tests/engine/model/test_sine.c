// engine/model/joint/sine_internal.h: against long double, also beside multiples of pi/2, where what is left of an angle is small; symmetric; the same for one angle as for four.
#include "engine/model/joint/sine_internal.h"

#include <criterion/criterion.h>
#include <float.h>
#include <stdint.h>

#include "base/rng.h"

// Units in the last place of the exact answer that another is off.
static double units_off(double answer, long double exact) {
    int exponent;
    if (fabsl(exact) < (long double)DBL_MIN) return answer == (double)exact ? 0.0 : HUGE_VAL;
    frexpl(exact, &exponent);
    return (double)(fabsl((long double)answer - exact) / ldexpl(1.0L, exponent - DBL_MANT_DIG));
}

// The worse of the two at an angle; one angle alone has the same bits as four with others beside it.
static double worst_at(double angle, int lane) {
    double x[4] = {0.3, -2.0, 7.0, 1e3}, s[4], c[4], sine, cosine;
    ts_four of_sine, of_cosine;
    x[lane] = angle;
    ts_sine_four(ts_four_load(x), &of_sine, &of_cosine);
    ts_four_store(of_sine, s);
    ts_four_store(of_cosine, c);
    ts_sine_of(angle, &sine, &cosine);
    cr_assert(sine == s[lane] && cosine == c[lane], "%a alone", angle);
    ts_sine_of(-angle, &x[0], &x[1]);
    cr_assert(x[0] == -sine && x[1] == cosine, "%a turned round", angle);
    return fmax(units_off(sine, sinl((long double)angle)), units_off(cosine, cosl((long double)angle)));
}

static void assert_near(double angle, int i) {
    double worst = worst_at(angle, i & 3);
    cr_assert(worst <= 0.85, "%a: off by %g units in the last place", angle, worst);
}

Test(sine, is_right_to_a_unit_in_the_last_place) {
    ts_rng rng = ts_rng_make(5, 0);
    for (int i = 0; i < 300000; ++i) {
        assert_near(ts_rng_uniform_in(&rng, 0.0, 7.0), i);
        // All sizes, from 2^-40 to 2^19.
        assert_near(ldexp(ts_rng_uniform_in(&rng, 0.5, 1.0), (int)floor(ts_rng_uniform_in(&rng, -39.0, 20.0))), i);
    }
}

Test(sine, is_right_beside_multiples_of_a_right_angle) {
    const long double right = acosl(-1.0L) / 2.0L;
    for (int n = 1; n < 600000; n += n < 20000 ? 1 : 7) {
        double angle = (double)(n * right);
        assert_near(angle, n);
        assert_near(nextafter(angle, HUGE_VAL), n);
        assert_near(nextafter((double)((n + 0.5L) * right), 0.0), n);
    }
}

Test(sine, takes_what_is_none_or_too_large) {
    double s, c;
    ts_sine_of(0.0, &s, &c);
    cr_assert(s == 0.0 && c == 1.0);
    static const double far[] = {1e6, 1.0000001e6, 3e9, 1e300};
    for (int i = 0; i < 4; ++i) assert_near(far[i], i);
    static const double none[] = {(double)NAN, HUGE_VAL, -HUGE_VAL};
    for (int i = 0; i < 3; ++i) {
        ts_sine_of(none[i], &s, &c);
        cr_assert(isnan(s) && isnan(c));
    }
}
