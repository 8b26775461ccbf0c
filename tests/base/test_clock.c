// base/clock.h: the clock never goes back, and a pause shows; a thread that sleeps uses no processor.
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

Test(clock, counts_the_work_of_a_thread_alone) {
    struct timespec pause = {0, 50000000};
    double wall = ts_clock_seconds(), own = ts_clock_thread_seconds();
    nanosleep(&pause, NULL);
    double slept = ts_clock_seconds() - wall;
    cr_assert_lt(ts_clock_thread_seconds() - own, 0.5 * slept);
    volatile double x = 1.0;
    double before = ts_clock_thread_seconds();
    for (int i = 0; i < 3000000; ++i) x = x * 1.0000001 + 1e-9;
    double after = ts_clock_thread_seconds();
    cr_assert_gt(after, before);
    cr_assert_lt(after - before, 3600.0);
}
