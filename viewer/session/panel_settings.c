// The left panel. What differs from the file is marked; options can be saved as a file (MJCF), settings of a solver only as a command line.
#include "viewer/session/panels_internal.h"

#include "viewer/session/theme_internal.h"

#include "base/number.h"
#include "engine/step/integrate/integrator.h"
#include "engine/write/mjcf_writer.h"
#include "scenes/experiments/experiment.h"
#include "viewer/session/command_internal.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// --- scenes --------------------------------------------------------------------------------------------------------

// Whether every word of the search stands in one of the texts, capitals or not.
static int contains(const char* text, const char* word, size_t length) {
    for (; *text; ++text) {
        size_t k = 0;
        while (k < length && text[k] && tolower((unsigned char)text[k]) == tolower((unsigned char)word[k])) ++k;
        if (k == length) return 1;
    }
    return 0;
}

static int is_found(const char* search, const char* name, const char* summary) {
    while (*search) {
        size_t length = strcspn(search, " ");
        if (length && !contains(name, search, length) && !contains(summary, search, length)) return 0;
        search += length + (search[length] == ' ');
    }
    return 1;
}

// Entry number i of the list: its picture, which is asked for when its place is seen, its name and its sentence.
static void offer(ts_session* s, int i, const char* name, const char* shown, const char* summary) {
    if (!is_found(s->search, shown, summary)) return;
    if (s->thumbs) {
        ts_image image = {i, 0, ts_thumbs_at(s->thumbs, i), TS_THUMB_WIDTH, TS_THUMB_HEIGHT, 3.0};
        if (s->kit->ops->image(s->kit, &image) && !image.pixels) ts_thumbs_ask(s->thumbs, i, name);
        s->kit->ops->beside(s->kit);
    }
    if (!s->kit->ops->item(s->kit, shown, summary, strcmp(name, s->subject) == 0)) return;
    ts_session_say(s, "loading");
    ts_session_ask(s, TS_ASK_LOAD, 0, 0.0, name);
}

static void scenes(ts_session* s) {
    const ts_kit_ops* ops = s->kit->ops;
    if (!ops->section(s->kit, "Scenes and experiments", s->request->browse)) return;
    ops->text(s->kit, "A click loads a scene. A model file (MJCF, URDF) can be dropped on the window.",
              ts_theme_of(s->view.dark)->dim);
    (void)ops->field(s->kit, "##search", s->search, sizeof s->search);
    for (int i = 0; i < ts_scene_count(); ++i)
        offer(s, i, ts_scene_at(i)->name, ts_scene_at(i)->name, ts_scene_at(i)->summary);
    ops->text(s->kit, "Experiments", NULL);
    for (int i = 0; i < ts_experiment_count(); ++i) {
        const ts_experiment* e = ts_experiment_at(i);
        offer(s, ts_scene_count() + i, ts_experiment_scene(e), e->name, e->summary);
    }
}

// --- running -------------------------------------------------------------------------------------------------------

static void running(ts_session* s) {
    const ts_kit_ops* ops = s->kit->ops;
    const ts_shadow* shadow = s->shadow;
    if (!ops->section(s->kit, "Run", 1)) return;
    if (ops->button(s->kit, shadow->paused ? "run" : "pause", "space")) ts_session_ask(s, TS_ASK_RUN, -1, 0.0, NULL);
    ops->beside(s->kit);
    if (ops->button(s->kit, "<", "one step back (left arrow)")) ts_session_ask(s, TS_ASK_STEP, -1, 0.0, NULL);
    ops->beside(s->kit);
    if (ops->button(s->kit, ">", "one step (right arrow)")) ts_session_ask(s, TS_ASK_STEP, 1, 0.0, NULL);
    ops->beside(s->kit);
    if (ops->button(s->kit, "start again", "backspace")) ts_session_ask(s, TS_ASK_RESET, 0, 0.0, NULL);
    ops->beside(s->kit);
    if (ops->button(s->kit, "load again", "the scene again from its file (ctrl + L)"))
        ts_session_ask(s, TS_ASK_RELOAD, 0, 0.0, NULL);
    double speed = shadow->speed;
    const ts_knob knob = {"speed", "simulated seconds per second", 1.0 / 64.0, 64.0, 0, 1, 0};
    if (ops->knob(s->kit, &knob, &speed)) ts_session_ask(s, TS_ASK_SPEED, 0, speed, NULL);
    char text[96];
    snprintf(text, sizeof text, "reached: %.3g of real time", shadow->rate);
    ops->text(s->kit, text, ts_theme_of(s->view.dark)->dim);
    const ts_model* model = shadow->sim.model;
    for (int k = 0; k < model->keyframe_count; ++k) {
        snprintf(text, sizeof text, "%.60s##keyframe %d",
                 model->keyframe[k].name[0] ? model->keyframe[k].name : "keyframe", k);
        if (ops->button(s->kit, text, "load this keyframe")) ts_session_ask(s, TS_ASK_KEYFRAME, k, 0.0, NULL);
        if (k % 3 != 2 && k + 1 < model->keyframe_count) ops->beside(s->kit);
    }
}

// --- solver --------------------------------------------------------------------------------------------------------

static const char* solver_name(int i) { return ts_solver_at(i)->name; }
static const char* solver_hint(int i) { return ts_solver_at(i)->summary; }
static const char* integrator_name(int i) { return ts_integrator_at(i)->name; }
static const char* integrator_hint(int i) { return ts_integrator_at(i)->summary; }

// What a setting is when nobody has changed it.
static double usual_setting(const ts_sim* sim, const char* name) {
    if (strcmp(name, "tolerance") == 0 && sim->options.tolerance > 0.0) return sim->options.tolerance;
    if (strcmp(name, "iteration_limit") == 0 && sim->options.iterations > 0) return (double)sim->options.iterations;
    return ts_solver_get(sim->solver, sim->solver->defaults, name);
}

static int differs(double a, double b) { return a < b || a > b; }

static void settings(ts_session* s) {
    const ts_sim* sim = &s->shadow->sim;
    char text[160];
    for (int i = 0; i < ts_solver_setting_count(sim->solver); ++i) {
        const ts_setting* setting = ts_solver_setting_at(sim->solver, i);
        double value = ts_solver_get(sim->solver, sim->solver_settings, setting->name);
        int small = setting->high > 0.0 && setting->low >= 0.0 && value < 1e-3 && setting->type == TS_SETTING_DOUBLE;
        ts_knob knob = {setting->name,
                        setting->summary,
                        setting->low,
                        setting->high,
                        setting->type == TS_SETTING_INT,
                        small,
                        differs(value, usual_setting(sim, setting->name))};
        if (!s->kit->ops->knob(s->kit, &knob, &value)) continue;
        snprintf(text, sizeof text, "solver.%s=%.17g", setting->name, value);
        ts_session_ask(s, TS_ASK_SET, 0, 0.0, text);
    }
}

static const char* const accuracy_names[] = {"exact", "balanced", "fast"};

static const char* accuracy_name(int i) { return accuracy_names[i]; }
static const char* accuracy_hint(int i) {
    return i ? "less work for an answer that is less good, where the solver knows how" : "as good as the solver can";
}

static void accuracy(ts_session* s) {
    enum { ACCURACIES = sizeof accuracy_names / sizeof accuracy_names[0] };
    char text[64];
    int now = -1;
    for (int i = 0; i < ACCURACIES; ++i)
        if (strcmp(accuracy_names[i], s->shadow->sim.options.accuracy) == 0) now = i;
    int chosen = s->kit->ops->choose(s->kit, "accuracy", now, ACCURACIES, accuracy_name, accuracy_hint);
    if (chosen == now) return;
    snprintf(text, sizeof text, "accuracy=%s", accuracy_names[chosen]);
    ts_session_ask(s, TS_ASK_SET, 0, 0.0, text);
}

static void solver(ts_session* s) {
    const ts_kit_ops* ops = s->kit->ops;
    const ts_sim* sim = &s->shadow->sim;
    if (!ops->section(s->kit, "Solver", 1)) return;
    int now = -1;
    for (int i = 0; i < ts_solver_count(); ++i)
        if (ts_solver_at(i) == sim->solver) now = i;
    int chosen = ops->choose(s->kit, "contact model##solver", now, ts_solver_count(), solver_name, solver_hint);
    if (chosen != now) ts_session_ask(s, TS_ASK_SOLVER, 0, 0.0, ts_solver_at(chosen)->name);
    if (!sim->solver) return;
    ops->text(s->kit, sim->solver->summary, ts_theme_of(s->view.dark)->dim);
    if (sim->solver->accuracy_count > 0) accuracy(s);
    settings(s);
    for (int i = 0; i < ts_integrator_count(); ++i)
        if (ts_integrator_at(i) == sim->integrator) now = i;
    chosen = ops->choose(s->kit, "integrator", now, ts_integrator_count(), integrator_name, integrator_hint);
    if (chosen == now) return;
    char text[96];
    snprintf(text, sizeof text, "integrator=%s", ts_integrator_at(chosen)->name);
    ts_session_ask(s, TS_ASK_SET, 0, 0.0, text);
}

// --- options -------------------------------------------------------------------------------------------------------

// Options do not say whether they are whole numbers; setting one to a half tells.
static int is_whole(const ts_options* options, const ts_option* option) {
    ts_options copy = *options;
    char text[48];
    snprintf(text, sizeof text, "%.17g", option->low > -1e15 ? option->low + 0.5 : 0.5);
    return ts_options_set(&copy, option->name, text, NULL) != TS_OK;
}

static void option(ts_session* s, int i) {
    const ts_sim* sim = &s->shadow->sim;
    const ts_option* o = ts_option_at(i);
    char now[128], usual[128], label[96], text[256], hint[256];
    double value[3] = {0.0, 0.0, 0.0};
    ts_options_get(&sim->options, i, now, sizeof now);
    ts_options_get(&sim->model->options, i, usual, sizeof usual);
    const char* at = now;
    int changed = 0;
    for (int k = 0; k < o->count && k < 3; ++k) {
        char* end;
        value[k] = strtod(at, &end);
        at = end;
    }
    snprintf(hint, sizeof hint, "%.150s%s%.20s%s", o->summary, o->unit[0] ? " [" : "", o->unit, o->unit[0] ? "]" : "");
    for (int k = 0; k < o->count && k < 3; ++k) {
        snprintf(label, sizeof label, o->count > 1 ? "%s %c" : "%s", o->name, "xyz"[k]);
        ts_knob knob = {
            label, hint, o->low, o->high, o->count == 1 && is_whole(&sim->options, o), 0, strcmp(now, usual) != 0};
        changed |= s->kit->ops->knob(s->kit, &knob, &value[k]);
    }
    if (!changed) return;
    if (o->count > 1)
        snprintf(text, sizeof text, "%s=%.17g %.17g %.17g", o->name, value[0], value[1], value[2]);
    else
        snprintf(text, sizeof text, "%s=%.17g", o->name, value[0]);
    ts_session_ask(s, TS_ASK_SET, 0, 0.0, text);
}

void ts_panel_command_line(const ts_session* session, ts_text* out_text) {
    const ts_sim* sim = &session->shadow->sim;
    char now[128], usual[128];
    ts_text_add(out_text, "touchstone view '%s'", session->subject);
    if (sim->solver) ts_text_add(out_text, " --solver %s", sim->solver->name);
    for (int i = 0; i < ts_option_count(); ++i) {
        ts_options_get(&sim->options, i, now, sizeof now);
        ts_options_get(&sim->model->options, i, usual, sizeof usual);
        if (strcmp(now, usual) != 0 && strcmp(ts_option_at(i)->name, "solver") != 0)
            ts_text_add(out_text, " --set '%s=%s'", ts_option_at(i)->name, now);
    }
    for (int i = 0; sim->solver && i < ts_solver_setting_count(sim->solver); ++i) {
        const char* name = ts_solver_setting_at(sim->solver, i)->name;
        double value = ts_solver_get(sim->solver, sim->solver_settings, name);
        if (differs(value, usual_setting(sim, name))) ts_text_add(out_text, " --set 'solver.%s=%.17g'", name, value);
    }
}

static void save(ts_session* s) {
    char path[256], text[300];
    ts_status status;
    ts_model changed = *s->shadow->sim.model;
    changed.options = s->shadow->sim.options;
    ts_session_file_name(s, ".xml", path, sizeof path);
    if (ts_mjcf_writer_save(&changed, path, &status))
        ts_status_format(&status, text, sizeof text);
    else
        snprintf(text, sizeof text, "saved %s", path);
    ts_session_say(s, text);
}

static void options(ts_session* s) {
    const ts_kit_ops* ops = s->kit->ops;
    if (!ops->section(s->kit, "Options", 0)) return;
    ops->text(s->kit, "Amber: not as in the file. A file can hold options; settings of a solver only the command line.",
              ts_theme_of(s->view.dark)->dim);
    if (ops->button(s->kit, "save as MJCF", "the model with these options, as SCENE-STEP.xml in the current folder"))
        save(s);
    ops->beside(s->kit);
    if (ops->button(s->kit, "copy command", "a command line that opens this scene with all that was changed")) {
        ts_text text = {0};
        ts_panel_command_line(s, &text);
        ts_session_copy(s, text.failed ? NULL : text.data, "command copied");
        ts_text_free(&text);
    }
    for (int i = 0; i < ts_option_count(); ++i) option(s, i);
}

// --- several simulations -------------------------------------------------------------------------------------------

static void run_command(ts_session* s, const char* name) {
    for (int i = 0; i < ts_command_count(); ++i)
        if (strcmp(ts_command_at(i)->name, name) == 0) ts_command_run(s, ts_command_at(i));
}

static void beside(ts_session* s) {
    const ts_kit_ops* ops = s->kit->ops;
    const ts_shadow* shadow = s->shadow;
    if (!ops->section(s->kit, "Side by side", 0)) return;
    if (ops->button(s->kit, "part here", "from now on two futures: what you change next is changed in the new one"))
        run_command(s, "part here");
    ops->beside(s->kit);
    if (ops->button(s->kit, "every law", "a future under every other contact law")) run_command(s, "every contact law");
    if (shadow->look_count < 2) return;
    char label[128];
    for (int i = 0; i < shadow->look_count; ++i) {
        const ts_look* look = &shadow->look[i];
        snprintf(label, sizeof label, "%d: %.90s##run", i + 1, look->name);
        if (ops->item(s->kit, label, look->fault[0] ? look->fault : NULL, i == shadow->chosen))
            ts_session_ask(s, TS_ASK_CHOOSE, i, 0.0, NULL);
    }
    if (ops->check(s->kit, "over each other", s->ghosts, "ghosts over the chosen one instead of panes"))
        run_command(s, "over each other");
    if (ops->button(s->kit, "take away", "the chosen one")) run_command(s, "take away");
}

void ts_panel_settings(ts_session* session) {
    running(session);
    scenes(session);
    beside(session);
    solver(session);
    options(session);
}
