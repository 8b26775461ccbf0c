// What is timed: the solve, from the problem in memory to impulses, including what it does to the problem first (units
// of its own, a list of the matrix, islands), attempts with smaller tolerances included. Reading and judging are not.
// The first solve also pays for memory that later ones find; a benchmark would call it cold. So a short one is
// repeated, from nothing each time, and the shortest is told.
#include "cli/attempt_internal.h"

#include "base/clock.h"
#include "contact/judge/obstacle.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { REPEATS = 20 };

// Solves are repeated for about this long, s.
static const double timing_seconds = 0.25;

// Both sides of the fork.
typedef struct shared_work {
    const ts_attempt* attempt;
    ts_attempt_result* result;
} shared_work;

static void explain(ts_attempt_result* result, const char* text) {
    snprintf(result->reason, sizeof result->reason, "%s", text);
}

// Why that is all there is. Nothing is said where the status says it all.
static void find_reason(const ts_attempt* attempt, const ts_contact_problem* problem, ts_arena* arena,
                        ts_attempt_result* result) {
    const ts_relative_report* report = &result->report;
    const char* obstacle = ts_obstacle_of(attempt->solver, problem, attempt->settings, arena);
    if (obstacle)
        explain(result, obstacle);
    else if (report->status == TS_SOLVE_FAILED)
        explain(result, "numbers that are not finite came up, or a matrix was too large, or memory short");
    else if (report->status == TS_SOLVE_STALLED && report->attempts > 1)
        explain(result, "meets its own test, but not the error asked for");
}

// One solve with all that belongs to it.
static void solve_once(const ts_attempt* attempt, ts_task_pool* pool, ts_arena* scratch, ts_arena* arena,
                       ts_attempt_result* result) {
    result->report = ts_relative_solve(attempt->solver, attempt->problem, attempt->settings, attempt->tolerance, pool,
                                       scratch, result->impulse);
    result->seconds = fmin(result->seconds, result->report.seconds);
    if (!result->ready) find_reason(attempt, attempt->problem, arena, result);
}

static void work(void* context) {
    shared_work* shared = (shared_work*)context;
    const ts_attempt* attempt = shared->attempt;
    ts_attempt_result* result = shared->result;
    ts_task_pool* pool = ts_task_pool_create(attempt->threads);
    int workers = ts_task_pool_workers(pool);
    ts_arena* scratch = (ts_arena*)calloc((size_t)workers, sizeof *scratch);
    ts_arena arena;
    memset(&arena, 0, sizeof arena);
    if (!scratch) {
        explain(result, "out of memory");
        ts_task_pool_destroy(pool);
        return;
    }
    double begin = ts_clock_seconds();
    result->seconds = HUGE_VAL;
    for (int k = 0; k < REPEATS; ++k) {
        solve_once(attempt, pool, scratch, &arena, result);
        result->answered = result->ready = 1;
        for (int w = 0; w < workers; ++w) ts_arena_reset(&scratch[w]);
        ts_arena_reset(&arena);
        if (ts_clock_seconds() - begin + result->seconds > timing_seconds) break;
    }
    for (int w = 0; w < workers; ++w) ts_arena_free(&scratch[w]);
    free(scratch);
    ts_arena_free(&arena);
    ts_task_pool_destroy(pool);
}

ts_attempt_result* ts_attempt_run(const ts_attempt* attempt) {
    size_t bytes = sizeof(ts_attempt_result) + (size_t)attempt->problem->row_count * sizeof(double);
    ts_attempt_result* result = (ts_attempt_result*)ts_watch_memory(bytes);
    if (!result) return NULL;
    result->bytes = bytes;
    result->impulse = (double*)(result + 1);  // the struct's size is a multiple of its alignment, a double's
    shared_work shared = {attempt, result};
    ts_watched watched = {work, &shared, attempt->limit, &result->ready, attempt->tick, attempt->user};
    int ended_by = 0;
    result->end = ts_watch_run(&watched, &ended_by);
    if (result->end == TS_WATCH_DONE) return result;
    // What was being written when it ended cannot be trusted.
    result->answered = 0;
    result->reason[0] = '\0';
    if (result->end == TS_WATCH_TIME_LIMIT)
        snprintf(result->reason, sizeof result->reason, "stopped after %g s", attempt->limit);
    if (result->end == TS_WATCH_NOT_STARTED)
        snprintf(result->reason, sizeof result->reason, "no process for it: %s", strerror(errno));
    if (result->end == TS_WATCH_CRASHED && ended_by)
        snprintf(result->reason, sizeof result->reason, "ended by signal %d: out of memory, or a mistake in the solver",
                 ended_by);
    if (result->end == TS_WATCH_CRASHED && !ended_by) explain(result, "ended in the middle of it");
    return result;
}

const char* ts_attempt_status(const ts_attempt_result* result) {
    if (result->end == TS_WATCH_TIME_LIMIT) return "time limit";
    return result->answered ? ts_solve_status_name(result->report.status) : "failed";
}

void ts_attempt_free(ts_attempt_result* result) {
    if (result) ts_watch_release(result, result->bytes);
}
