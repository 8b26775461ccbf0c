// The audit in words, as JSON and as CSV.
#include "cli/gradient/gradient_internal.h"

#include "cli/console.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static void add_entries(const ts_gradient* self, ts_text* text) {
    ts_text_add(text, "%-28s %14s %14s %14s %9s %14s %14s  %s\n", "", "gradient", "forward", "differences", "apart",
                "left", "right", "verdict");
    for (int i = 0; i < self->inputs.count; ++i) {
        const ts_input* in = &self->inputs.input[i];
        const ts_gradient_entry* e = &self->entry[i];
        char name[160];
        snprintf(name, sizeof name, "%s %s", in->label, in->of);
        ts_console_pad(text, name, 28);
        ts_text_add(text, " %14.8g %14.8g %14.8g %9.1e %14.8g %14.8g  %s\n", e->backward, e->forward,
                    e->centre_limit.value, e->apart, e->left_limit.value, e->right_limit.value,
                    ts_gradient_verdict_name(e->verdict));
    }
}

static void add_kinks(const ts_gradient* self, ts_text* text) {
    int felt = 0;
    for (int k = 0; k < self->kink_count; ++k) felt += self->kink[k].felt;
    ts_text_add(text, "\nalong the gradient (%.4g to either side, slope %.6g): ", self->span, self->slope);
    if (felt == 0) ts_text_add(text, "no kink that the loss feels");
    if (felt > 0) ts_text_add(text, "%d kink%s that the loss feels", felt, felt > 1 ? "s" : "");
    if (self->kink_count > felt) ts_text_add(text, ", %d that it does not", self->kink_count - felt);
    ts_text_add(text, "%s\n", self->kink_count == TS_GRADIENT_KINKS ? "; there may be more" : "");
    for (int k = 0; k < self->kink_count; ++k) {
        const ts_gradient_kink* kink = &self->kink[k];
        if (!kink->felt) continue;
        ts_text_add(text, "  at %+.10g", kink->at);
        if (kink->step >= 0) ts_text_add(text, ", step %d (t = %.6g s)", kink->step, kink->step * self->time_step);
        ts_text_add(text, ": %s", kink->what);
        if (kink->also > 0) ts_text_add(text, " (and %d more)", kink->also);
        ts_text_add(text, "; slope %.6g -> %.6g", kink->slope[0], kink->slope[1]);
        if (kink->jump != 0.0) ts_text_add(text, ", jumps by %.3g", kink->jump);
        ts_text_add(text, "\n");
    }
}

// Whether an input before this one is of its kind.
static int kind_is_told(const ts_gradient* self, int i) {
    for (int k = 0; k < i; ++k)
        if (self->inputs.input[k].kind == self->inputs.input[i].kind) return 1;
    return 0;
}

// What columns of a kind are worth at worst in any step; those of the state are asked for in every one.
static const char* worth_of(const ts_gradient* self, ts_step_input_kind kind) {
    const unsigned char* worst = self->report.input_verdict;
    unsigned char all = worst[kind];
    for (int k = 0; kind <= TS_STEP_BY_VELOCITY && k <= (int)TS_STEP_BY_ACTIVATION; ++k)
        if (k != (int)TS_STEP_BY_CONTROL && worst[k] > all) all = worst[k];
    return ts_step_column_verdict_name((ts_step_column_verdict)all);
}

static void add_worth(const ts_gradient* self, ts_text* text) {
    ts_text_add(text, "columns of steps: state %s", worth_of(self, TS_STEP_BY_POSITION));
    for (int i = 0; i < self->inputs.count; ++i) {
        ts_step_input_kind kind = self->inputs.input[i].kind;
        if (kind > TS_STEP_BY_VELOCITY && kind != TS_STEP_BY_ACTIVATION && !kind_is_told(self, i))
            ts_text_add(text, ", %s %s", ts_step_input_name(kind), worth_of(self, kind));
    }
    ts_text_add(text, "\n");
}

static void add_near(const ts_gradient* self, ts_text* text) {
    const ts_rollout_report* r = &self->report;
    if (self->gradient.code) return;
    ts_text_add(text, "\nsteps:");
    for (int v = 0; v <= (int)TS_STEP_UNSUPPORTED; ++v)
        if (r->count[v] > 0) ts_text_add(text, " %d %s,", r->count[v], ts_step_verdict_name((ts_step_verdict)v));
    ts_text_add(text, " contacts unmet %.1e at most\n", r->unmet);
    add_worth(self, text);
    if (self->near_count > 0) ts_text_add(text, "within 10 roundings of a change:\n");
    for (int i = 0; i < self->near_count; ++i)
        ts_text_add(text, "  step %d (t = %.6g s)%s: %s, %.2g roundings\n", self->near[i].step,
                    self->near[i].step * self->time_step, self->near[i].steps > 1 ? " and more" : "",
                    self->near[i].what, self->near[i].roundings);
}

void ts_gradient_text(const ts_gradient* self, ts_text* text) {
    ts_text_add(text, "%s under %s, %d steps of %g s: loss %.10g = %s\n\n", self->scene->name, self->solver,
                self->steps, self->time_step, self->loss, self->args->of);
    add_entries(self, text);
    add_kinks(self, text);
    add_near(self, text);
    ts_text_add(text, "\nverdict: %s: %s\n", ts_gradient_verdict_name(self->verdict), self->reason);
    ts_text_add(text, "%lld runs in %.2f s; gradient %s %.3g ms, a run %.3g ms\n", self->runs, self->seconds,
                ts_step_method_name(self->method), 1e3 * self->seconds_backward, 1e3 * self->seconds_run);
}

static void add_numbers(ts_json* json, const char* key, const double* number, int count) {
    ts_json_add_array(json, key);
    for (int i = 0; i < count; ++i) ts_json_number(json, number[i]);
    ts_json_array_end(json);
}

static void add_entry_json(const ts_input* in, const ts_gradient_entry* e, const char* worth, ts_json* json) {
    ts_json_object(json);
    ts_json_add_string(json, "input", in->label);
    ts_json_add_string(json, "of", in->of);
    ts_json_add_number(json, "scale", in->scale);
    ts_json_add_number(json, "gradient", e->backward);
    ts_json_add_number(json, "forward", e->forward);
    ts_json_add_number(json, "differences", e->centre_limit.value);
    ts_json_add_number(json, "differences_error", e->centre_limit.error);
    ts_json_add_number(json, "apart", e->apart);
    ts_json_add_number(json, "left", e->left_limit.value);
    ts_json_add_number(json, "right", e->right_limit.value);
    ts_json_add_string(json, "verdict", ts_gradient_verdict_name(e->verdict));
    ts_json_add_string(json, "reason", e->reason);
    ts_json_add_string(json, "columns", worth);
    add_numbers(json, "increments", e->increment, TS_GRADIENT_INCREMENTS);
    add_numbers(json, "central", e->central, TS_GRADIENT_INCREMENTS);
    add_numbers(json, "left_differences", e->left, TS_GRADIENT_INCREMENTS);
    add_numbers(json, "right_differences", e->right, TS_GRADIENT_INCREMENTS);
    ts_json_object_end(json);
}

static void add_line_json(const ts_gradient* self, ts_json* json) {
    ts_json_add_object(json, "line");
    add_numbers(json, "direction", self->direction, self->inputs.count);
    ts_json_add_number(json, "slope", self->slope);
    add_numbers(json, "place", self->place, TS_GRADIENT_PLACES);
    add_numbers(json, "loss", self->course, TS_GRADIENT_PLACES);
    ts_json_add_array(json, "kinks");
    for (int k = 0; k < self->kink_count; ++k) {
        const ts_gradient_kink* kink = &self->kink[k];
        ts_json_object(json);
        ts_json_add_number(json, "at", kink->at);
        ts_json_add_integer(json, "step", kink->step);
        ts_json_add_number(json, "time", kink->step < 0 ? (double)NAN : kink->step * self->time_step);
        ts_json_add_string(json, "what", kink->what);
        ts_json_add_integer(json, "also", kink->also);
        ts_json_add_bool(json, "felt", kink->felt);
        ts_json_add_number(json, "slope_before", kink->slope[0]);
        ts_json_add_number(json, "slope_after", kink->slope[1]);
        ts_json_add_number(json, "jump", kink->jump);
        ts_json_object_end(json);
    }
    ts_json_array_end(json);
    ts_json_object_end(json);
}

static void add_steps_json(const ts_gradient* self, ts_json* json) {
    ts_json_add_object(json, "steps_by_verdict");
    for (int v = 0; v <= (int)TS_STEP_UNSUPPORTED; ++v)
        ts_json_add_integer(json, ts_step_verdict_name((ts_step_verdict)v), self->report.count[v]);
    ts_json_object_end(json);
    ts_json_add_number(json, "open", self->open);
    ts_json_add_array(json, "near");
    for (int i = 0; i < self->near_count; ++i) {
        ts_json_object(json);
        ts_json_add_string(json, "what", self->near[i].what);
        ts_json_add_integer(json, "step", self->near[i].step);
        ts_json_add_integer(json, "steps", self->near[i].steps);
        ts_json_add_number(json, "roundings", self->near[i].roundings);
        ts_json_object_end(json);
    }
    ts_json_array_end(json);
}

void ts_gradient_json(const ts_gradient* self, ts_text* text) {
    ts_json json = ts_json_begin(text);
    ts_json_object(&json);
    ts_json_add_string(&json, "scene", self->scene->name);
    ts_json_add_string(&json, "of", self->args->of);
    ts_json_add_string(&json, "solver", self->solver);
    ts_json_add_string(&json, "method", ts_step_method_name(self->method));
    ts_json_add_integer(&json, "steps", self->steps);
    ts_json_add_number(&json, "time_step", self->time_step);
    ts_json_add_number(&json, "loss", self->loss);
    ts_json_add_string(&json, "verdict", ts_gradient_verdict_name(self->verdict));
    ts_json_add_string(&json, "reason", self->reason);
    ts_json_add_number(&json, "mismatch", self->mismatch);
    ts_json_add_array(&json, "inputs");
    for (int i = 0; i < self->inputs.count; ++i)
        add_entry_json(&self->inputs.input[i], &self->entry[i], worth_of(self, self->inputs.input[i].kind), &json);
    ts_json_array_end(&json);
    add_line_json(self, &json);
    add_steps_json(self, &json);
    ts_json_add_integer(&json, "runs", self->runs);
    ts_json_add_number(&json, "seconds_gradient", self->seconds_backward);
    ts_json_add_number(&json, "seconds_run", self->seconds_run);
    ts_json_add_number(&json, "seconds", self->seconds);
    ts_json_object_end(&json);
    ts_text_add(text, "\n");
}

void ts_gradient_csv(const ts_gradient* self, ts_text* text) {
    ts_text_add(text, "input,increment,central,left,right,gradient\n");
    for (int i = 0; i < self->inputs.count; ++i)
        for (int j = 0; j < TS_GRADIENT_INCREMENTS; ++j) {
            const ts_gradient_entry* e = &self->entry[i];
            const double row[] = {e->increment[j], e->central[j], e->left[j], e->right[j], e->backward};
            ts_text_add(text, "%s", self->inputs.input[i].label);
            for (int k = 0; k < 5; ++k) {
                ts_text_add(text, ",");
                ts_text_add_number(text, row[k]);
            }
            ts_text_add(text, "\n");
        }
}
