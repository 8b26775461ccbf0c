// Convergence within a solve, as it is noted.
//
// Problem: curves of different methods that can be compared. Rule: every one is judged by the yardstick of its own law, with the
// velocity recomputed from the impulse alone, whatever the method itself looks at. Guaranteed: notes change no number of a solve.
// Known to fail: an operator that cannot apply leaves no entry.
#include "contact/trace.h"

#include <math.h>

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

void ts_trace_restart(ts_trace* trace) {
    if (trace) trace->count = trace->missed = 0;
}

// --- curves --------------------------------------------------------------------------------------------------------

// The iteration after `last` of which a point is kept: some twenty for every power of ten.
static int next_iteration(int last) {
    int next = (int)ceil(1.12 * last);
    return next > last ? next : last + 1;
}

// Islands lie one after the other.
static double unmet_after(const ts_trace* trace, int iteration) {
    double worst = 0.0, of_island = 0.0;
    for (int i = 0; i < trace->count; ++i) {
        const ts_trace_entry* e = &trace->entry[i];
        if (i > 0 && e->island != trace->entry[i - 1].island) worst = fmax(worst, of_island);
        if (e->iteration == 0 || e->iteration <= iteration) of_island = e->unmet;
    }
    return fmax(worst, of_island);
}

int ts_trace_curve(const ts_trace* trace, int room, double* out_iteration, double* out_unmet) {
    int last = 0, count = 0;
    for (int i = 0; i < trace->count; ++i)
        if (trace->entry[i].iteration > last) last = trace->entry[i].iteration;
    // Without anything between start and end there is nothing to join them by.
    int direct = trace->count == 2 && last > 1;
    for (int k = 0; trace->count > 0 && count < room;) {
        out_iteration[count] = k;
        out_unmet[count++] = unmet_after(trace, k);
        if (k == last) break;
        k = direct ? last : next_iteration(k);
        if (k > last || count == room - 1) k = last;
    }
    return count;
}
