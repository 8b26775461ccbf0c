// The audit: a gradient backward and forward, differences of whole runs by each input over a range of increments, to both sides, and the loss along
// the gradient.
//
// Inputs are measured in units of their scales (1; a mass in itself, a time step likewise). The line goes along the steepest ascent in those units, of
// unit speed; where the gradient is zero or there is none, along the first input.
#include "cli/gradient/gradient_internal.h"

#include "base/clock.h"
#include "cli/setup.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Of the scale of an input: the longest increment, and what one is shorter than the one before.
static const double longest = 0.1, shorter = 0.31622776601683794;

// In scales: how far the line goes where nobody says.
static const double usual_span = 0.1;

enum { MOST_STEPS = 1000000 };

const char* ts_gradient_verdict_name(ts_gradient_verdict verdict) {
    static const char* const names[TS_GRADIENT_VERDICTS] = {"exact", "one-sided", "smoothed", "useless"};
    return names[verdict];
}

static ts_code no_memory(ts_status* out_status) {
    return ts_status_set(out_status, TS_ERROR_MEMORY, NULL, 0, "out of memory");
}

// --- what is asked ---

static ts_code find_method(ts_gradient* self, ts_status* out_status) {
    char list[128] = "";
    self->method = TS_STEP_IMPLICIT;
    if (!self->args->method) return TS_OK;
    for (int m = 0; strcmp(ts_step_method_name((ts_step_method)m), "unknown") != 0; ++m) {
        const char* name = ts_step_method_name((ts_step_method)m);
        self->method = (ts_step_method)m;
        if (strcmp(self->args->method, name) == 0) return TS_OK;
        size_t length = strlen(list);
        snprintf(list + length, sizeof list - length, "%s%s", length ? ", " : "", name);
    }
    return ts_status_set(out_status, TS_ERROR_VALUE, NULL, 0, "--method is one of %s, not '%.40s'", list,
                         self->args->method);
}

// Neighbours of a kind are one range.
static ts_code list_parameters(ts_gradient* self, ts_status* out_status) {
    enum { MOST = 48 };
    self->parameter_count = 0;
    for (int i = 0; i < self->inputs.count; ++i) {
        const ts_input* in = &self->inputs.input[i];
        if (ts_input_is_start(in)) continue;
        ts_step_input* last = self->parameter_count > 0 ? &self->parameter[self->parameter_count - 1] : NULL;
        if (last && last->kind == in->kind && last->first + last->count == in->index)
            ++last->count;
        else
            self->parameter[self->parameter_count++] = (ts_step_input){in->kind, in->index, 1};
    }
    if (self->parameter_count <= MOST) return TS_OK;
    return ts_status_set(out_status, TS_ERROR_VALUE, NULL, 0, "--wrt: more than %d ranges", (int)MOST);
}

static ts_code read_all(ts_gradient* self, const ts_sim* sim, ts_status* out_status) {
    ts_code code = ts_expression_read(self->args->of, self->scene->model, self->time_step, self->steps,
                                      &self->expression, out_status);
    if (!code) code = ts_inputs_read(self->args->wrt, sim, &self->inputs, out_status);
    if (!code) code = list_parameters(self, out_status);
    for (int i = 0; !code && i < self->inputs.count; ++i)
        for (int q = 0; q < self->expression.quantity_count; ++q)
            if (self->inputs.input[i].kind == TS_STEP_BY_INERTIA &&
                ts_quantity_is_energy(&self->expression.quantity[q]))
                return ts_status_set(out_status, TS_ERROR_VALUE, NULL, 0,
                                     "energies have no derivative by inertia here: differentiate by mass");
    return code;
}

ts_code ts_gradient_plan(ts_gradient* self, ts_status* out_status) {
    const ts_args* args = self->args;
    ts_sim* sim = NULL;
    if (!args->of || !args->wrt)
        return ts_status_set(out_status, TS_ERROR_VALUE, NULL, 0,
                             "a gradient is --of EXPRESSION --wrt LIST: %s is missing", args->of ? "--wrt" : "--of");
    if (self->scene->control.controller)
        return ts_status_set(out_status, TS_ERROR_VALUE, NULL, 0,
                             "'%s' is driven by the controller '%s', which has no derivative: --controller none is "
                             "without it",
                             self->scene->name, self->scene->control.controller->name);
    ts_code code = find_method(self, out_status);
    if (!code) code = ts_sim_create(self->scene->model, 1, &sim, out_status);
    if (!code) code = ts_setup_configure(sim, args, args->solver, 1, out_status);
    if (!code) {
        self->duration = isnan(args->time) ? self->scene->duration : args->time;
        self->time_step = sim->options.time_step;
        double steps = floor(self->duration / self->time_step + 0.5);
        self->steps = steps >= 1.0 && steps <= MOST_STEPS ? (int)steps : 0;
        self->span = isnan(args->span) ? usual_span : args->span;
        snprintf(self->solver, sizeof self->solver, "%s", sim->solver->name);
        if (self->steps == 0)
            code = ts_status_set(out_status, TS_ERROR_VALUE, NULL, 0, "%g s are %g steps of %g s: from 1 to %d of them",
                                 self->duration, steps, self->time_step, (int)MOST_STEPS);
    }
    if (!code) code = read_all(self, sim, out_status);
    ts_sim_free(sim);
    if (code) return code;
    self->entry = (ts_gradient_entry*)calloc((size_t)self->inputs.count, sizeof *self->entry);
    self->direction = (double*)calloc((size_t)self->inputs.count, sizeof *self->direction);
    return self->entry && self->direction ? TS_OK : no_memory(out_status);
}

// --- runs ---

static ts_code interrupted(ts_status* out_status) {
    return ts_status_set(out_status, TS_ERROR_INTERRUPTED, NULL, 0, "interrupted");
}

static ts_code take_differences(ts_gradient* self, ts_crew* crew, ts_status* out_status) {
    enum { N = TS_GRADIENT_INCREMENTS };
    size_t inputs = (size_t)self->inputs.count;
    ts_trial* trial = (ts_trial*)calloc(inputs * 2 * N, sizeof *trial);
    double* change = (double*)calloc(inputs * inputs * 2 * N, sizeof *change);
    if (!trial || !change) {
        free(trial);
        free(change);
        return no_memory(out_status);
    }
    ts_code code = TS_OK;
    for (size_t t = 0; t < inputs * 2 * N; ++t) {
        size_t i = t / (2 * N), j = t % (2 * N) / 2;
        double e = self->inputs.input[i].scale * longest * pow(shorter, (double)j);
        self->entry[i].increment[j] = e;
        change[t * inputs + i] = t % 2 ? e : -e;
        trial[t].change = change + t * inputs;
    }
    if (!code && !ts_crew_run(crew, trial, (int)(inputs * 2 * N))) code = interrupted(out_status);
    for (size_t i = 0; !code && i < inputs; ++i)
        for (size_t j = 0; j < N; ++j) {
            const ts_trial *down = &trial[(i * N + j) * 2], *up = down + 1;
            ts_gradient_entry* entry = &self->entry[i];
            double e = entry->increment[j];
            entry->central[j] = (up->loss - down->loss) / (2.0 * e);
            entry->left[j] = (self->loss - down->loss) / e;
            entry->right[j] = (up->loss - self->loss) / e;
            entry->modes[0][j] = down->modes;
            entry->modes[1][j] = up->modes;
        }
    free(trial);
    free(change);
    return code;
}

static void choose_direction(ts_gradient* self) {
    double sum = 0.0;
    for (int i = 0; i < self->inputs.count; ++i) {
        double slope = self->inputs.input[i].scale * self->entry[i].backward;
        sum += slope * slope;
    }
    self->slope = sqrt(sum);
    int known = isfinite(self->slope) && self->slope > 0.0;
    for (int i = 0; i < self->inputs.count; ++i) {
        double scale = self->inputs.input[i].scale;
        self->direction[i] = known ? scale * scale * self->entry[i].backward / self->slope : i == 0 ? scale : 0.0;
    }
}

static ts_code walk_line(ts_gradient* self, ts_crew* crew, ts_status* out_status) {
    enum { N = TS_GRADIENT_PLACES };
    size_t inputs = (size_t)self->inputs.count;
    ts_trial trial[N];
    uint64_t modes[N];
    memset(trial, 0, sizeof trial);
    double* change = (double*)calloc(inputs * N, sizeof *change);
    if (!change) return no_memory(out_status);
    ts_code code = TS_OK;
    for (size_t k = 0; k < N; ++k) {
        self->place[k] = self->span * (2.0 * (double)k / (N - 1) - 1.0);
        for (size_t i = 0; i < inputs; ++i) change[k * inputs + i] = self->place[k] * self->direction[i];
        trial[k].change = change + k * inputs;
    }
    if (!ts_crew_run(crew, trial, N)) code = interrupted(out_status);
    for (size_t k = 0; k < N && !code; ++k) {
        self->course[k] = trial[k].loss;
        modes[k] = trial[k].modes;
    }
    free(change);
    return code ? code : ts_gradient_find_kinks(self, crew, modes, out_status);
}

ts_code ts_gradient_make(ts_gradient* self, int threads, ts_status* out_status) {
    ts_crew* crew = NULL;
    double start = ts_clock_seconds();
    ts_code code = ts_crew_create(self, threads, &crew, out_status);
    if (!code) code = ts_crew_differentiate(crew, out_status);
    if (!code) code = take_differences(self, crew, out_status);
    if (!code) choose_direction(self);
    if (!code) code = walk_line(self, crew, out_status);
    if (!code) ts_gradient_judge(self, crew);
    ts_crew_free(crew);
    self->seconds = ts_clock_seconds() - start;
    return code;
}

void ts_gradient_free(ts_gradient* self) {
    free(self->entry);
    free(self->direction);
}
