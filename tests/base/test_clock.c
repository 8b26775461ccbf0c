// base/clock.h: the clock never goes back, and a pause shows.
#include <criterion/criterion.h>

#include <time.h>

#include "base/clock.h"

Test(clock, is_monotonic_and_counts_seconds) {
    double start = ts_clock_seconds(), previous = start;
    for (int k = 0; k < 10000; ++k) {
        double now = ts_clock_seconds();
        cr_assert_geq(now, previous);
        previous = now;
    }
    struct timespec pause = {0, 20000000};
    double before = ts_clock_seconds();
    nanosleep(&pause, NULL);
    // A sleep lasts at least as long as asked (20 ms); only the unit is at stake here, not the scheduler.
    cr_assert_geq(ts_clock_seconds() - before, 0.019);
    cr_assert_lt(ts_clock_seconds() - start, 3600.0);
}
