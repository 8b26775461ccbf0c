// Wall-clock time for measurement only; no result of a simulation may depend on it.
#ifndef TS_BASE_CLOCK_H
#define TS_BASE_CLOCK_H

#ifdef __cplusplus
extern "C" {
#endif

/// Seconds since an arbitrary fixed moment, monotonic.
double ts_clock_seconds(void);

/// Seconds of processor time that the calling thread has used: other work on the machine does not count.
double ts_clock_thread_seconds(void);

#ifdef __cplusplus
}
#endif
#endif
