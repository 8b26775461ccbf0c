// Problem: what keys, panels and the mouse ask for has to happen to a simulation that somebody else steps. Rule: every ask is one function here,
// done by the stepping thread between two steps; a change of state is made to all simulations that run beside each other, one of solver or
// setting to the chosen one. Guaranteed: an ask that fails says why and leaves things as they were. Known to fail: loading a large scene keeps
// the steps waiting, not the window.
#include "viewer/session/worker_parts_internal.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Bytes kept for going back.
static const unsigned long history_bytes = 64ul << 20;

// Another state than the last step's, by hand: what one function does to all simulations.
static void edit_all(ts_worker* w, int (*change)(ts_sim* sim, const void* what, ts_status* status), const void* what) {
    for (int i = 0; i < w->runs.count; ++i) {
        ts_status status;
        ts_status_ok(&status);
        ts_run* run = &w->runs.run[i];
        if (ts_runs_settle(&w->runs, i, &status)) {
            ts_worker_say_status(w, &status);
            continue;
        }
        if (!change(run->sim, what, &status)) {
            if (status.code) ts_worker_say_status(w, &status);
            continue;
        }
        ts_history_edit(&run->history, run->sim);
        if (ts_sim_forward(run->sim, &status)) ts_worker_say_status(w, &status);
    }
}

static void begin_anew(ts_worker* w) {
    w->playback.owed = 0.0;
    w->grab.kind = TS_GRAB_NONE;
    w->rate_since = -1.0;
}

static void forget_strip(ts_worker* w) {
    pthread_mutex_lock(&w->lock);
    for (int i = 0; i < w->runs.count; ++i) w->runs.run[i].strip->count = 0;
    pthread_mutex_unlock(&w->lock);
    ts_recall_begin(&w->recall);
}

static void watch_numbers(ts_worker* w, const char* words) {
    pthread_mutex_lock(&w->lock);
    for (int i = 0; i < w->runs.count; ++i) ts_strip_watch(w->runs.run[i].strip, words);
    pthread_mutex_unlock(&w->lock);
    ts_recall_begin(&w->recall);
}

static void watch_body(ts_worker* w, int body) {
    w->watched = body;
    pthread_mutex_lock(&w->lock);
    for (int i = 0; i < w->runs.count; ++i) ts_strip_forget_body(w->runs.run[i].strip);
    pthread_mutex_unlock(&w->lock);
    ts_recall_begin(&w->recall);
}

static void reset(ts_worker* w) {
    ts_status status;
    ts_runs_reset(&w->runs);
    begin_anew(w);
    forget_strip(w);
    for (int i = 0; i < w->runs.count; ++i) {
        ts_recording* recording = w->runs.run[i].history.recording;
        ts_sim* sim = w->runs.run[i].sim;
        if (recording ? ts_recording_take(recording, 0, sim, &status) : ts_sim_forward(sim, &status))
            ts_worker_say_status(w, &status);
    }
}

// The simulations of another world: its own and, of those that ran beside the old one, one under each of their solvers.
static ts_code runs_of_world(const ts_world* world, const ts_runs* before, ts_runs* out_runs, ts_status* out_status) {
    memset(out_runs, 0, sizeof *out_runs);
    ts_code code = ts_runs_add(out_runs, world->sim, 0, history_bytes, out_status);
    if (!code) out_runs->run[0].history.recording = world->scene->recording;
    for (int i = 1; before && i < before->count && !code && !world->scene->recording; ++i) {
        ts_sim* sim = NULL;
        code = ts_sim_create(world->scene->model, ts_task_pool_workers(world->sim->tasks), &sim, out_status);
        if (!code) code = ts_sim_set_solver(sim, before->run[i].sim->solver->name, out_status);
        if (!code) code = ts_sim_forward(sim, out_status);
        if (code)
            ts_sim_free(sim);
        else
            code = ts_runs_add(out_runs, sim, 1, history_bytes, out_status);
    }
    if (code) ts_runs_free(out_runs);
    return code;
}

static void load(ts_worker* w, const char* subject, int keep) {
    ts_status status;
    ts_world* world = NULL;
    ts_runs runs;
    char text[sizeof w->message];
    int lost = 0;
    memset(&runs, 0, sizeof runs);
    if (!subject[0]) {
        ts_worker_say(w, "this scene did not come from a file or a name: it cannot be loaded again");
        return;
    }
    ts_code code = ts_world_load(subject, ts_task_pool_workers(w->world->sim->tasks), &world, &status);
    if (!code && keep) lost = ts_world_carry_over(w->world, world);
    if (!code && keep) code = ts_sim_forward(world->sim, &status);
    if (!code)
        code = runs_of_world(world, keep || strcmp(subject, w->world->subject) == 0 ? &w->runs : NULL, &runs, &status);
    if (!code) code = ts_runs_trace(&runs, w->runs.traced, &status);
    for (int i = 1; i < runs.count && keep && !code; ++i) code = ts_runs_follow(&runs, i, &status);
    if (code) {
        ts_runs_free(&runs);
        ts_world_free(world);
        ts_worker_say_status(w, &status);
        return;
    }
    world->number = ++w->worlds;
    // `subject` may be the old world's own, and the sessions looks at charts.
    ts_recall_end(&w->recall);
    ts_runs before = w->runs;
    pthread_mutex_lock(&w->lock);
    w->runs = runs;
    pthread_mutex_unlock(&w->lock);
    ts_runs_free(&before);
    ts_worker_let_go(w, w->world);
    w->world = world;
    w->watched = -1;
    begin_anew(w);
    forget_strip(w);
    if (lost)
        snprintf(text, sizeof text, "loaded %.120s; %d joint%s did not fit", world->subject, lost,
                 lost == 1 ? "" : "s");
    else
        snprintf(text, sizeof text, "loaded %.150s%s", world->subject, keep ? ", at the same state" : "");
    ts_worker_say(w, text);
}

static int put_keyframe(ts_sim* sim, const void* what, ts_status* status) {
    return !ts_sim_set_keyframe(sim, *(const int*)what, status);
}

static void set(ts_worker* w, const char* text) {
    ts_status status;
    char name[128];
    const char* equals = strchr(text, '=');
    if (!equals || (size_t)(equals - text) >= sizeof name) return;
    memcpy(name, text, (size_t)(equals - text));
    name[equals - text] = '\0';
    if (ts_sim_set(ts_worker_sim(w), name, equals + 1, &status))
        ts_worker_say_status(w, &status);
    else
        ts_runs_note(&w->runs, text);
    ts_runs_changed(&w->runs);
}

static void choose_solver(ts_worker* w, const char* name) {
    ts_status status;
    if (ts_sim_set_solver(ts_worker_sim(w), name, &status)) {
        ts_worker_say_status(w, &status);
        return;
    }
    ts_runs_changed(&w->runs);
    ts_worker_say(w, ts_worker_sim(w)->solver->summary);
}

static void seek(ts_worker* w, long long step) {
    ts_status status;
    w->playback.paused = 1;
    if (ts_runs_seek(&w->runs, w->world->scene, step, &status)) ts_worker_say_status(w, &status);
}

// Who asks while a moment is looked at wants to know of the step that led to it, which is made again, unless the state was changed by hand since.
static void trace(ts_worker* w, int on) {
    ts_status status;
    int edited = 0;
    if (ts_runs_trace(&w->runs, on, &status)) {
        ts_worker_say_status(w, &status);
        return;
    }
    for (int i = 0; i < w->runs.count; ++i) edited |= w->runs.run[i].history.edit || !w->runs.run[i].history.count;
    if (on && w->playback.paused && !edited) seek(w, ts_runs_seen(&w->runs, w->runs.chosen)->sim->step_count);
}

static int put_grab(ts_sim* sim, const void* what, ts_status* status) {
    (void)status;
    return ts_grab_place(sim, what);
}

static int put_position(ts_sim* sim, const void* what, ts_status* status) {
    const ts_ask* ask = what;
    (void)status;
    if (ask->index >= sim->model->nq) return 0;
    sim->qpos[ask->index] = ask->value;
    return 1;
}

// A simulation parts from the chosen one, or is taken away. Others are looked at while this happens.
static void part(ts_worker* w) {
    ts_status status;
    pthread_mutex_lock(&w->lock);
    ts_code code = ts_runs_part(&w->runs, history_bytes, &status);
    pthread_mutex_unlock(&w->lock);
    if (code)
        ts_worker_say_status(w, &status);
    else
        ts_worker_say(w, "a second future: what is changed now is changed in it alone");
}

static void leave(ts_worker* w) {
    ts_status status;
    pthread_mutex_lock(&w->lock);
    ts_code code = ts_runs_remove(&w->runs, &status);
    pthread_mutex_unlock(&w->lock);
    // Those behind it have other numbers now.
    if (w->recall.busy) ts_recall_begin(&w->recall);
    if (code) ts_worker_say_status(w, &status);
}

static void choose_run(ts_worker* w, long long index) {
    if (index < 0 || index >= w->runs.count) return;
    pthread_mutex_lock(&w->lock);
    w->runs.chosen = (int)index;
    pthread_mutex_unlock(&w->lock);
}

static void grab(ts_worker* w, const ts_grab* wanted) {
    int new = wanted->kind != TS_GRAB_NONE && (w->grab.kind == TS_GRAB_NONE || w->grab.body != wanted->body);
    w->grab = *wanted;
    if (w->grab.kind == TS_GRAB_NONE || w->grab.body >= ts_worker_sim(w)->model->body_count) {
        w->grab.kind = TS_GRAB_NONE;
        return;
    }
    if (new) {
        ts_arena_reset(&w->arena);
        w->load = ts_grab_weigh(ts_worker_sim(w), &w->grab, &w->arena);
    }
    if (w->playback.paused) edit_all(w, put_grab, &w->grab);
}

// A control, or a position by hand; of all simulations.
static void change_number(ts_worker* w, const ts_ask* ask) {
    if (ask->kind == TS_ASK_POSITION) edit_all(w, put_position, ask);
    for (int i = 0; i < w->runs.count && ask->kind != TS_ASK_POSITION; ++i) {
        ts_sim* sim = w->runs.run[i].sim;
        int is_control = ask->kind == TS_ASK_CONTROL;
        if (ask->index >= (is_control ? sim->model->actuator_count : sim->model->equality_count)) return;
        if (is_control)
            sim->ctrl[ask->index] = ask->value;
        else
            sim->equality_active[ask->index] = ask->value != 0.0;
        ts_history_branch(&w->runs.run[i].history, sim);
    }
}

static void clear_forces(ts_worker* w) {
    for (int k = 0; k < w->runs.count; ++k) {
        ts_sim* sim = w->runs.run[k].sim;
        for (int i = 0; i < sim->model->actuator_count; ++i) sim->ctrl[i] = 0.0;
        for (int i = 0; i < sim->model->nv; ++i) sim->force_applied[i] = 0.0;
        memset(sim->wrench_applied, 0, (size_t)sim->model->body_count * sizeof *sim->wrench_applied);
        ts_history_branch(&w->runs.run[k].history, sim);
    }
}

static void step_by(ts_worker* w, long long steps) {
    long long first, last, now = ts_runs_seen(&w->runs, w->runs.chosen)->sim->step_count;
    ts_runs_range(&w->runs, &first, &last);
    w->playback.paused = 1;
    if (steps < 0 || now + steps <= last)
        seek(w, now + steps);
    else
        w->playback.single_steps += (int)steps;
}

static void obey(ts_worker* w, const ts_ask* ask) {
    w->stale = 1;
    switch (ask->kind) {
    case TS_ASK_RUN: w->playback.paused = ask->index < 0 ? !w->playback.paused : !ask->index; break;
    case TS_ASK_STEP: step_by(w, ask->index); break;
    case TS_ASK_SEEK: seek(w, ask->index); break;
    case TS_ASK_SPEED:
        if (ask->value > 0.0)
            w->playback.speed = fmin(64.0, fmax(1.0 / 64.0, ask->value));
        else
            ts_playback_change_speed(&w->playback, ask->index > 0);
        break;
    case TS_ASK_RESET: reset(w); break;
    case TS_ASK_RELOAD: load(w, w->world->subject, ask->index != 0); break;
    case TS_ASK_LOAD: load(w, ask->text, 0); break;
    case TS_ASK_KEYFRAME: {
        int index = (int)ask->index;
        edit_all(w, put_keyframe, &index);
        break;
    }
    case TS_ASK_SOLVER: choose_solver(w, ask->text); break;
    case TS_ASK_SET: set(w, ask->text); break;
    case TS_ASK_CONTROL:
    case TS_ASK_EQUALITY:
    case TS_ASK_POSITION: change_number(w, ask); break;
    case TS_ASK_CLEAR: clear_forces(w); break;
    case TS_ASK_GRAB: grab(w, &ask->grab); break;
    case TS_ASK_PART: part(w); break;
    case TS_ASK_LEAVE: leave(w); break;
    case TS_ASK_CHOOSE: choose_run(w, ask->index); break;
    case TS_ASK_NUMBERS: watch_numbers(w, ask->text); break;
    case TS_ASK_TRACE: trace(w, ask->index != 0); break;
    case TS_ASK_WATCH: watch_body(w, (int)ask->index); break;
    default: break;
    }
}

void ts_worker_obey(ts_worker* w) {
    pthread_mutex_lock(&w->lock);
    ask_array taken = w->asked;
    w->asked = w->taken;
    w->asked.count = 0;
    pthread_mutex_unlock(&w->lock);
    for (int i = 0; i < taken.count; ++i) {
        // Of a drag that went on meanwhile only its end counts.
        const ts_ask* next = i + 1 < taken.count ? &taken.data[i + 1] : NULL;
        int drag = taken.data[i].kind == TS_ASK_SEEK || (taken.data[i].kind == TS_ASK_GRAB && taken.data[i].grab.kind);
        int goes_on = next && next->kind == taken.data[i].kind && (next->kind == TS_ASK_SEEK || next->grab.kind);
        if (!drag || !goes_on) obey(w, &taken.data[i]);
    }
    w->taken = taken;
}

// Those that somebody brought stand beside the world's own.
ts_code ts_worker_open_runs(ts_worker* w, const ts_world* world, const ts_worker_start* start, ts_status* out_status) {
    ts_code code = runs_of_world(world, NULL, &w->runs, out_status);
    for (int i = 0; i < start->count && !code; ++i) {
        code = ts_runs_add(&w->runs, start->beside[i], 0, history_bytes, out_status);
        if (code || !start->beside_scene) continue;
        ts_run* run = &w->runs.run[w->runs.count - 1];
        run->scene = start->beside_scene[i];
        run->history.recording = run->scene->recording;
    }
    for (int i = 0; i < w->runs.count && start->title && !code; ++i)
        if (start->title[i]) snprintf(w->runs.run[i].title, sizeof w->runs.run[i].title, "%s", start->title[i]);
    return code;
}
