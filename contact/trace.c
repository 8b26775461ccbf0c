// Convergence within a solve, as it is noted.
//
// Problem: curves of different methods that can be compared. Rule: every one is judged by the yardstick of its own law, with the
// velocity recomputed from the impulse alone, whatever the method itself looks at. Guaranteed: notes change no number of a solve.
// Known to fail: an operator that cannot apply leaves no entry.
#include "contact/trace.h"

void ts_trace_note(const ts_yardstick* yardstick, int iteration, const double* impulse) {
    const ts_contact_problem* problem = yardstick->problem;
    ts_trace* trace = problem->trace;
    if (!trace || !trace->room) return;
    if (trace->count >= trace->capacity) {
        trace->missed += 1;
        return;
    }
    // As if a tolerance of one was asked for, the excess is the share itself.
    ts_yardstick share = *yardstick;
    share.goal = (ts_goal){1.0, 0.0};
    double* u = trace->room + 2 * (size_t)problem->row_count;
    ts_contact_problem_velocity(problem, impulse, u);
    trace->entry[trace->count++] = (ts_trace_entry){trace->island, trace->stage, trace->iteration + iteration,
                                                    ts_yardstick_excess(&share, impulse, u)};
}

void ts_trace_end(const ts_yardstick* yardstick, int iterations, const double* impulse) {
    ts_trace* trace = yardstick->problem->trace;
    if (trace->count > 0) {
        const ts_trace_entry* last = &trace->entry[trace->count - 1];
        int same = last->island == trace->island && last->iteration == iterations && iterations > 0;
        if (same || trace->count == trace->capacity) trace->count -= 1;
    }
    ts_trace_note(yardstick, iterations, impulse);
}
