// One solver at one contact problem from a file, in a process of its own (cli/watch_internal.h), timed and judged.
#ifndef TS_CLI_ATTEMPT_INTERNAL_H
#define TS_CLI_ATTEMPT_INTERNAL_H

#include "cli/watch_internal.h"
#include "contact/judge/relative.h"

/// What is to be done. Everything is borrowed.
typedef struct ts_attempt {
    const ts_contact_problem* problem;
    const ts_solver* solver;
    const void* settings;
    double tolerance;          // relative, see contact/judge/relative.h
    double limit;              // s of wall clock, infinite for none
    int threads;               // at least 1
    void (*tick)(void* user);  // called now and then meanwhile
    void* user;
} ts_attempt;

/// How it went. Lives in shared memory; free with ts_attempt_free.
typedef struct ts_attempt_result {
    ts_watch_end end;           // TS_WATCH_SIGNAL: there is no result
    int answered;               // nonzero: report, seconds and impulse hold
    ts_relative_report report;  // as from ts_relative_solve
    double seconds;             // of one solve: the shortest of several, where it is short (docs/solve.md)
    char reason[192];           // why there is no answer, or none of this solver; "" when there is nothing to tell
    size_t bytes;               // of all this
    volatile int ready;         // the child's sign that it has an answer
    double* impulse;            // (row_count) N s
} ts_attempt_result;

/// Solves. NULL when memory is short.
ts_attempt_result* ts_attempt_run(const ts_attempt* attempt);

/// "converged", "stalled", "iteration limit", "time limit" or "failed".
const char* ts_attempt_status(const ts_attempt_result* result);

/// Gives the memory back; NULL is ignored.
void ts_attempt_free(ts_attempt_result* result);

#endif
