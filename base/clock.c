// The monotonic clock of the system, in seconds: unaffected by anyone setting the time of day.
#include "base/clock.h"

#include <time.h>

static double seconds_of(clockid_t clock) {
    struct timespec now;
    if (clock_gettime(clock, &now) != 0) return 0.0;
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

double ts_clock_seconds(void) { return seconds_of(CLOCK_MONOTONIC); }

double ts_clock_thread_seconds(void) { return seconds_of(CLOCK_THREAD_CPUTIME_ID); }
