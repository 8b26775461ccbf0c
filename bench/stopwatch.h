// Seconds of work, fair on a machine that others use too: wall clock, or processor time of all threads where that is less
// because somebody else was given the processor.
#ifndef TS_BENCH_STOPWATCH_H
#define TS_BENCH_STOPWATCH_H

#include <time.h>

#include "base/clock.h"

/// When it was started.
typedef struct ts_stopwatch {
    double wall;
    double processor;
} ts_stopwatch;

/// Processor seconds of the process.
static inline double ts_stopwatch_processor(void) {
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/// Starts one.
static inline ts_stopwatch ts_stopwatch_begin(void) {
    ts_stopwatch watch;
    // Asking for processor time takes long, so it is asked outside of what is measured.
    watch.processor = ts_stopwatch_processor();
    watch.wall = ts_clock_seconds();
    return watch;
}

/// Seconds since.
static inline double ts_stopwatch_seconds(ts_stopwatch watch) {
    double wall = ts_clock_seconds() - watch.wall;
    double processor = ts_stopwatch_processor() - watch.processor;
    return processor < wall ? processor : wall;
}

#endif
