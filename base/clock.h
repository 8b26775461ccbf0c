// Wall-clock time for measurement only; no result of a simulation may depend on it.
#ifndef TS_BASE_CLOCK_H
#define TS_BASE_CLOCK_H

#ifdef __cplusplus
extern "C" {
#endif

/// Seconds since an arbitrary fixed moment, monotonic.
double ts_clock_seconds(void);

#ifdef __cplusplus
}
#endif
#endif
