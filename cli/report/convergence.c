// The engine notes the share itself (contact/trace.h), so that a curve is of the very solve that a step would do. Every solve has
// a process and a time limit of its own: on a large problem some solvers would take hours.
#include "cli/report/convergence_internal.h"

#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "cli/report/comparison_internal.h"
#include "cli/signals.h"
#include "cli/watch_internal.h"
#include "contact/trace.h"
#include "engine/step/step.h"
#include "scenes/run.h"

// After longer runs of the reference the report comes without these plots.
static const double repeat_seconds = 10.0;

// s: for one solve, and for all of them together.
static const double solve_seconds = 0.5;
static const double total_seconds = 5.0;

enum { MOST_ENTRIES = 30000 };

// What a child leaves behind, in memory that both see.
typedef struct notes {
    int done;
    ts_solve_report report;
    ts_trace trace;
    ts_trace_entry entry[MOST_ENTRIES];
} notes;

typedef struct trial {
    const ts_comparison* comparison;
    const ts_snapshot* state;
    int run;
    int warm;
    notes* out;
} trial;

// The step up to its contact problem. Returns 0 when that failed.
static int assemble(ts_sim* sim) {
    ts_pair* pairs = NULL;
    int pair_count = 0;
    ts_step_kinematics(sim);
    return ts_step_broad_phase(sim, &pairs, &pair_count) == TS_OK &&
           ts_step_narrow_phase(sim, pairs, pair_count) == TS_OK && ts_step_dynamics(sim) == TS_OK &&
           ts_step_assemble(sim) == TS_OK;
}

// One step of one solver from the state, in the child.
static void solve(void* context) {
    const trial* t = (const trial*)context;
    ts_sim* sim = NULL;
    if (ts_comparison_start(t->comparison, t->run, &sim, NULL) == TS_OK &&
        ts_sim_restore(sim, t->state, NULL) == TS_OK) {
        sim->options.warm_start = t->warm;
        sim->options = ts_options_of_substep(&sim->options);  // of substeps the first
        ts_controller_act(&t->comparison->scene->control, sim);
        t->out->trace.entry = t->out->entry;
        t->out->trace.capacity = MOST_ENTRIES;
        sim->trace = &t->out->trace;
        if (assemble(sim) && ts_step_solve(sim) == TS_OK) {
            t->out->report = sim->info.solve;
            t->out->done = 1;
        }
    }
    ts_sim_free(sim);
}

// --- curves ----------------------------------------------------------------------------------------------------------

static void draw(const notes* from, ts_convergence_curve* curve) {
    const ts_trace* trace = &from->trace;
    curve->count = ts_trace_curve(trace, TS_CONVERGENCE_POINTS, curve->iteration, curve->unmet);
    curve->status = from->report.status;
    curve->iterations =
        from->done || curve->count == 0 ? from->report.iterations : (int)curve->iteration[curve->count - 1];
    curve->cut = !from->done;
}

// --- problems --------------------------------------------------------------------------------------------------------

// A step of the reference, and what it cost all solvers of its law together.
typedef struct candidate {
    const ts_sample* sample;
    long long iterations;
} candidate;

static int by_iterations(const void* a, const void* b) {
    const candidate *x = (const candidate*)a, *y = (const candidate*)b;
    if (x->iterations != y->iterations) return x->iterations < y->iterations ? -1 : 1;
    if (x->sample->contacts != y->sample->contacts) return x->sample->contacts - y->sample->contacts;
    return x->sample->step < y->sample->step ? 1 : -1;
}

// One solver alone may find every step alike: hard is what costs those of the same law much together.
static long long cost_of(const ts_comparison* comparison, const ts_series* reference, int k) {
    long long iterations = 0;
    for (int i = 0; i < comparison->count; ++i) {
        const ts_series* other = &comparison->series[i];
        if (other->law != reference->law || k >= other->sample.count) continue;
        if (other->sample.data[k].step == reference->sample.data[k].step)
            iterations += other->sample.data[k].iterations;
    }
    return iterations;
}

// The steps of the reference that cost most and a middling number of iterations; 0 where none has contacts.
static int choose_steps(const ts_comparison* comparison, const ts_series* reference, const ts_sample* out_chosen[2]) {
    candidate* order = (candidate*)malloc((size_t)(reference->sample.count + 1) * sizeof *order);
    int count = 0;
    for (int k = 0; order && k < reference->sample.count; ++k) {
        const ts_sample* sample = &reference->sample.data[k];
        if (sample->step > 0 && sample->contacts > 0)
            order[count++] = (candidate){sample, cost_of(comparison, reference, k)};
    }
    if (count > 0) {
        qsort(order, (size_t)count, sizeof *order, by_iterations);
        out_chosen[0] = order[count - 1].sample;
        out_chosen[1] = order[count / 2].sample;
    }
    free(order);
    return count == 0 ? 0 : out_chosen[0] == out_chosen[1] ? 1 : 2;
}

static int stop(void* user, ts_sim* sim) {
    (void)user;
    (void)sim;
    return ts_signals_caught();
}

static void measure_panel(ts_comparison* comparison, trial* t, ts_convergence_panel* panel, double* left) {
    panel->curve = (ts_convergence_curve*)calloc((size_t)comparison->count, sizeof *panel->curve);
    for (int i = 0; panel->curve && i<comparison->count&& * left> 0.0; ++i) {
        memset(t->out, 0, offsetof(notes, entry));
        t->run = i;
        ts_watched work = {.run = solve, .context = t, .limit = fmin(solve_seconds, *left)};
        double start = ts_clock_seconds();
        if (ts_watch_run(&work, NULL) == TS_WATCH_SIGNAL) return;
        *left -= ts_clock_seconds() - start;
        draw(t->out, &panel->curve[i]);
    }
    comparison->panel_count += panel->curve != NULL;
}

// Both panels of a step: `sim` is where it begins.
static void measure_step(ts_comparison* comparison, ts_sim* sim, const ts_sample* sample, const char* what, notes* out,
                         double* left) {
    ts_snapshot state = {0};
    ts_solver_settings shared;
    memcpy(&shared, sim->solver_settings, sizeof shared);
    if (ts_sim_snapshot(sim, &state, NULL) == TS_OK) {
        for (int warm = 0; warm <= (sim->row_memory.count > 0); ++warm) {
            trial t = {comparison, &state, 0, warm, out};
            ts_convergence_panel* panel = &comparison->panel[comparison->panel_count];
            *panel =
                (ts_convergence_panel){what, warm, sample->step, sim->time, sample->contacts, shared.tolerance, NULL};
            measure_panel(comparison, &t, panel, left);
        }
    }
    ts_snapshot_free(&state);
}

void ts_convergence_measure(ts_comparison* comparison) {
    int reference = comparison->frame.reference;
    const ts_sample* chosen[2];
    int count = reference >= 0 ? choose_steps(comparison, &comparison->series[reference], chosen) : 0;
    if (count == 0 || comparison->series[reference].wall > repeat_seconds) return;
    double left = total_seconds;
    ts_sim* sim = NULL;
    notes* out = (notes*)ts_watch_memory(sizeof *out);
    ts_code code = out ? ts_comparison_start(comparison, reference, &sim, NULL) : TS_ERROR_MEMORY;
    int first = count == 2 && chosen[1]->step < chosen[0]->step;
    for (int k = 0; k < count && !code; ++k) {
        int which = k == 0 ? first : !first;
        double h = sim->options.time_step;
        double before = (double)(chosen[which]->step - 1 - sim->step_count) * h;
        if (before > 0.0) code = ts_run_scene(comparison->scene, sim, before, stop, NULL, NULL);
        if (!code) measure_step(comparison, sim, chosen[which], which == 0 ? "hardest" : "typical", out, &left);
    }
    ts_sim_free(sim);
    ts_watch_release(out, sizeof *out);
}

static void write_curve(const ts_comparison* comparison, int i, const ts_convergence_curve* curve, ts_json* json) {
    char label[TS_SERIES_LABEL];
    ts_series_label(&comparison->series[i], label);
    ts_json_object(json);
    ts_json_add_string(json, "name", label);
    ts_json_add_string(json, "status", curve->cut ? NULL : ts_solve_status_name(curve->status));
    ts_json_add_integer(json, "iterations", curve->iterations);
    ts_json_add_array(json, "points");
    for (int k = 0; k < curve->count; ++k) {
        ts_json_array(json);
        ts_json_number(json, curve->iteration[k]);
        ts_json_number(json, curve->unmet[k]);
        ts_json_array_end(json);
    }
    ts_json_array_end(json);
    ts_json_object_end(json);
}

void ts_convergence_json(const ts_comparison* comparison, ts_json* json) {
    ts_json_array(json);
    for (int p = 0; p < comparison->panel_count; ++p) {
        const ts_convergence_panel* panel = &comparison->panel[p];
        ts_json_object(json);
        ts_json_add_string(json, "problem", panel->what);
        ts_json_add_string(json, "start", panel->warm ? "warm" : "cold");
        ts_json_add_integer(json, "step", panel->step);
        ts_json_add_number(json, "time", panel->time);
        ts_json_add_integer(json, "contacts", panel->contact_count);
        ts_json_add_array(json, "solvers");
        for (int i = 0; i < comparison->count; ++i)
            if (panel->curve[i].count > 0) write_curve(comparison, i, &panel->curve[i], json);
        ts_json_array_end(json);
        ts_json_object_end(json);
    }
    ts_json_array_end(json);
}

void ts_convergence_free(ts_comparison* comparison) {
    for (int p = 0; p < comparison->panel_count; ++p) free(comparison->panel[p].curve);
    comparison->panel_count = 0;
}
