// Numbers: what is none stays none, and ends and shares of nothing.
#include "base/scalar.h"

#include <criterion/criterion.h>

Test(scalar, a_number_that_is_none_is_kept_wherever_it_stands) {
    for (int i = 0; i < 3; ++i) {
        double x[3] = {1.0, -4.0, 2.0};
        cr_assert(ts_largest(x, 3) == 4.0);
        x[i] = NAN;
        cr_assert(isnan(ts_largest(x, 3)), "at %d", i);
    }
    cr_assert(ts_largest(NULL, 0) == 0.0);
    cr_assert(ts_worse(-1.0, 2.0) == 2.0 && ts_worse(2.0, -1.0) == 2.0);
    cr_assert(isnan(ts_worse(NAN, 1.0)) && isnan(ts_worse(1.0, NAN)));
}

Test(scalar, a_share_of_nothing_is_nothing) {
    cr_assert(ts_share(0.0, 0.0) == 0.0 && ts_share(3.0, 4.0) == 0.75 && isinf(ts_share(1.0, 0.0)));
}

Test(scalar, clamped_numbers_lie_between_the_ends) {
    cr_assert(ts_clamp(-3.0, -1.0, 2.0) == -1.0 && ts_clamp(3.0, -1.0, 2.0) == 2.0 && ts_clamp(0.5, -1.0, 2.0) == 0.5);
}

Test(scalar, pi_and_products_are_what_they_are_called) {
    cr_assert(TS_PI == acos(-1.0));
    double a[3] = {1.0, 2.0, 3.0}, b[3] = {4.0, -5.0, 6.0};
    cr_assert(ts_dot(a, b, 3) == 12.0 && ts_dot(a, b, 0) == 0.0);
}
