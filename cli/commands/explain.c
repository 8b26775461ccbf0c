// `touchstone explain`: what a run owes its difference from the exact one to, or from another.
#include "cli/commands/commands.h"

#include "cli/console.h"
#include "cli/explain/explain_internal.h"
#include "cli/setup.h"
#include "cli/signals.h"

#include <math.h>
#include <stdlib.h>
#include <unistd.h>

// m in mm, J as they are.
static double shown(ts_effect effect, double value) { return effect == TS_EFFECT_ENERGY ? value : 1e3 * value; }

static const char* shown_unit(ts_effect effect) { return effect == TS_EFFECT_ENERGY ? "J" : "mm"; }

static void add_text(const ts_explanation* self, ts_text* text) {
    int all = (1 << self->active_count) - 1;
    const ts_args* args = self->args;
    ts_text_add(text, "%s under %s, %g s, against ", self->scene->name, self->run.solver->name, self->duration);
    for (int i = 0; i < args->vary_count; ++i) ts_text_add(text, "%s%s", i ? ", " : "the same with ", args->vary[i]);
    if (args->vary_count == 0) ts_text_add(text, "the exact law under %s", self->solver_of[all]);
    ts_text_add(text, ": %d runs\n\n", self->runs);
    ts_text_add(text, "%-16s", "");
    for (int e = 0; e < TS_EFFECT_COUNT; ++e) ts_text_add(text, " %14s", ts_effect_name((ts_effect)e));
    ts_text_add(text, "\n%-16s", "");
    for (int e = 0; e < TS_EFFECT_COUNT; ++e) ts_text_add(text, " %12s%2s", "", shown_unit((ts_effect)e));
    ts_text_add(text, "\n");
    for (int row = 0; row < 3; ++row) {
        const char* const names[] = {"this run", args->vary_count ? "the other" : "the exact one", "difference"};
        ts_text_add(text, "%-16s", names[row]);
        for (int e = 0; e < TS_EFFECT_COUNT; ++e) {
            double own = self->value[0][e], exact = self->value[all][e];
            ts_text_add(text, " %14.6g", shown((ts_effect)e, row == 0 ? own : row == 1 ? exact : own - exact));
        }
        ts_text_add(text, "\n");
    }
    ts_text_add(text, "of it:\n");
    for (int i = 0; i < self->active_count; ++i) {
        ts_ingredient k = self->active[i];
        ts_text_add(text, "  %-14s", ts_ingredient_name(k));
        for (int e = 0; e < TS_EFFECT_COUNT; ++e) ts_text_add(text, " %14.6g", shown((ts_effect)e, self->share[k][e]));
        ts_text_add(text, "   %s -> %s\n", self->own[k], self->exchanged[k]);
    }
    if (self->failed > 0)
        ts_text_add(text, "\n%d of %d combinations did not reach their end: shares that need them are not numbers.\n",
                    self->failed, all + 1);
    ts_text_add(text, "\nA share is the mean of what an exchange changes, over all orders of exchanging; shares add up "
                      "to the difference.\n");
}

static void add_json(const ts_explanation* self, ts_text* text) {
    int all = (1 << self->active_count) - 1;
    ts_json json = ts_json_begin(text);
    ts_json_object(&json);
    ts_json_add_string(&json, "scene", self->scene->name);
    ts_json_add_string(&json, "solver", self->run.solver->name);
    ts_json_add_array(&json, "against");
    for (int i = 0; i < self->args->vary_count; ++i) ts_json_string(&json, self->args->vary[i]);
    ts_json_array_end(&json);
    ts_json_add_number(&json, "duration", self->duration);
    ts_json_add_integer(&json, "runs", self->runs);
    ts_json_add_integer(&json, "failed", self->failed);
    ts_json_add_array(&json, "effects");
    for (int e = 0; e < TS_EFFECT_COUNT; ++e) {
        ts_json_object(&json);
        ts_json_add_string(&json, "name", ts_effect_name((ts_effect)e));
        ts_json_add_string(&json, "unit", ts_effect_unit((ts_effect)e));
        ts_json_add_number(&json, "run", self->value[0][e]);
        ts_json_add_number(&json, self->args->vary_count ? "other" : "exact", self->value[all][e]);
        ts_json_add_object(&json, "shares");
        for (int i = 0; i < self->active_count; ++i)
            ts_json_add_number(&json, ts_ingredient_name(self->active[i]), self->share[self->active[i]][e]);
        ts_json_object_end(&json);
        ts_json_object_end(&json);
    }
    ts_json_array_end(&json);
    ts_json_add_array(&json, "combinations");
    for (int mask = 0; mask <= all; ++mask) {
        ts_json_object(&json);
        ts_json_add_string(&json, "solver", self->solver_of[mask]);
        ts_json_add_array(&json, "exchanged");
        for (int i = 0; i < self->active_count; ++i)
            if (mask >> i & 1) ts_json_string(&json, ts_ingredient_name(self->active[i]));
        ts_json_array_end(&json);
        for (int e = 0; e < TS_EFFECT_COUNT; ++e)
            ts_json_add_number(&json, ts_effect_name((ts_effect)e), self->value[mask][e]);
        ts_json_object_end(&json);
    }
    ts_json_array_end(&json);
    ts_json_object_end(&json);
    ts_text_add(text, "\n");
}

static int explain(const ts_args* args, ts_explanation* self, ts_import_report* report, ts_status* status) {
    int exit_code = ts_setup_load(args, args->subject, report, self->scene, status);
    if (exit_code) return exit_code;
    if (args->solver && !ts_setup_solver(args->solver, status)) return TS_EXIT_USAGE;
    self->duration = isnan(args->time) ? self->scene->duration : args->time;
    ts_code code = ts_explanation_plan(self, status);
    if (code) return code == TS_ERROR_VALUE ? TS_EXIT_USAGE : TS_EXIT_FAILED;
    long cores = sysconf(_SC_NPROCESSORS_ONLN);
    ts_signals_begin();
    code = ts_explanation_make(self, args->threads > 0 ? args->threads : cores > 0 ? (int)cores : 1, status);
    if (ts_signals_caught()) return ts_signals_exit_code();
    return code ? TS_EXIT_FAILED : TS_EXIT_DONE;
}

int ts_cmd_explain(const ts_args* args) {
    ts_explanation* self = (ts_explanation*)calloc(1, sizeof *self);
    ts_loaded_scene scene = {0};
    ts_import_report report = {0};
    ts_status status;
    ts_text text = {0};
    ts_status_ok(&status);
    int exit_code = TS_EXIT_FAILED;
    if (self) {
        self->args = args;
        self->scene = &scene;
        exit_code = explain(args, self, &report, &status);
    } else {
        ts_status_set(&status, TS_ERROR_MEMORY, NULL, 0, "out of memory");
    }
    if (exit_code) {
        exit_code = ts_console_error("explain", args->json, exit_code, &status);
    } else {
        if (args->json)
            add_json(self, &text);
        else
            add_text(self, &text);
        exit_code = ts_console_print(&text, exit_code);
    }
    if (self) ts_explanation_free(self);
    free(self);
    ts_loaded_scene_free(&scene);
    ts_import_report_free(&report);
    return exit_code;
}
