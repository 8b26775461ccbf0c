// Work in a process of its own, so that it can be stopped at any moment: by Ctrl-C, or when its time is up. What a
// solver is doing cannot be interrupted from within, since it looks at no clock; and a crash takes nobody else along.
#ifndef TS_CLI_WATCH_INTERNAL_H
#define TS_CLI_WATCH_INTERNAL_H

#include <stddef.h>

/// How the work ended.
typedef enum ts_watch_end {
    TS_WATCH_DONE,         // it returned
    TS_WATCH_TIME_LIMIT,   // stopped: its time was up
    TS_WATCH_SIGNAL,       // stopped: ts_signals_caught()
    TS_WATCH_CRASHED,      // ended by a signal of its own
    TS_WATCH_NOT_STARTED,  // no process could be made; errno says why
} ts_watch_end;

/// Work to be watched. `run` sees the caller's memory as it is now, but what it writes is lost, apart from memory of
/// ts_watch_memory. It must not use the caller's threads nor print.
typedef struct ts_watched {
    void (*run)(void* context);
    void* context;
    double limit;               // s; infinite: none
    const volatile int* ready;  // in shared memory: once nonzero, the limit no longer applies
    void (*tick)(void* user);   // called now and then while waiting; may be NULL
    void* user;
} ts_watched;

/// Runs it and waits. *out_signal (may be NULL) is what a crash was ended by.
ts_watch_end ts_watch_run(const ts_watched* work, int* out_signal);

/// Zeroed memory that the watched process shares; NULL when there is none.
void* ts_watch_memory(size_t size);

/// Gives it back; NULL is ignored.
void ts_watch_release(void* memory, size_t size);

#endif
