// Problem: a window that answers at once while steps take as long as they take, and steps that never wait for a picture. Rule: the thread
// alone touches the simulation; asks come in through a queue and are done between two steps; of three shadows one is shown, one is the
// newest, and one is being filled, so that nobody waits for the other longer than it takes to swap two numbers. Guaranteed: stepping is
// that of the headless runner, bit by bit, as long as nobody interferes; ending waits for one step at most. Known to fail: a step that
// takes a minute ends a minute late.
#include "viewer/session/worker_internal.h"

#include "base/array.h"
#include "base/clock.h"

#include <errno.h>
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

// s: after so long the queue is looked at again while steps are due.
static const double turn_time = 0.010;
// s: the reached speed is an average over so long.
static const double rate_time = 0.5;
// Bytes kept for going back.
static const unsigned long history_bytes = 64ul << 20;

TS_ARRAY_DECLARE(ask_array, ts_ask);

struct ts_worker {
    // of the stepping thread
    ts_world* world;
    ts_playback playback;
    ts_runs runs;
    ts_grab grab;
    ts_grab_load load;
    ts_arena arena;
    double last;  // s, of the last turn; < 0: none yet
    double rate, rate_since, rate_from;
    char message[200];
    int message_number;
    int worlds;   // so far
    int stale;    // the newest shadow is not of the present state
    int watched;  // body that charts show, or -1
    ask_array taken;

    // of both, under the lock
    pthread_mutex_t lock;
    pthread_cond_t wake;
    ask_array asked;
    ts_shadow shadow[3];
    int shown, newest, spare;
    int fresh;   // newest was not shown yet
    int wanted;  // shown is the newest: another one is welcome
    int quit;

    int threaded;
    pthread_t thread;
};

static void say(ts_worker* w, const char* text) {
    snprintf(w->message, sizeof w->message, "%s", text);
    ++w->message_number;
    w->stale = 1;
}

static void say_status(ts_worker* w, const ts_status* status) {
    char text[sizeof w->message];
    ts_status_format(status, text, sizeof text);
    say(w, text);
}

static void let_go(ts_worker* w, ts_world* world) {
    if (!world) return;
    pthread_mutex_lock(&w->lock);
    int last = ts_world_release(world);
    pthread_mutex_unlock(&w->lock);
    if (last) ts_world_free(world);
}

// --- what is asked -------------------------------------------------------------------------------------------------

static ts_sim* sim_of(ts_worker* w) { return ts_runs_sim(&w->runs); }
static ts_history* history_of(ts_worker* w) { return &w->runs.run[w->runs.chosen].history; }

// Another state than the last step's, by hand: what one function does to all simulations.
static void edit_all(ts_worker* w, int (*change)(ts_sim* sim, const void* what, ts_status* status), const void* what) {
    for (int i = 0; i < w->runs.count; ++i) {
        ts_status status;
        ts_status_ok(&status);
        ts_run* run = &w->runs.run[i];
        if (ts_runs_settle(&w->runs, i, &status)) {
            say_status(w, &status);
            continue;
        }
        if (!change(run->sim, what, &status)) {
            if (status.code) say_status(w, &status);
            continue;
        }
        ts_history_edit(&run->history, run->sim);
        if (ts_sim_forward(run->sim, &status)) say_status(w, &status);
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
}

static void reset(ts_worker* w) {
    ts_status status;
    ts_runs_reset(&w->runs);
    begin_anew(w);
    forget_strip(w);
    ts_recording* recording = history_of(w)->recording;
    for (int i = 0; i < w->runs.count; ++i) {
        ts_sim* sim = w->runs.run[i].sim;
        if (recording ? ts_recording_take(recording, 0, sim, &status) : ts_sim_forward(sim, &status))
            say_status(w, &status);
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
        say(w, "this scene did not come from a file or a name: it cannot be loaded again");
        return;
    }
    ts_code code = ts_world_load(subject, ts_task_pool_workers(w->world->sim->tasks), &world, &status);
    if (!code && keep) lost = ts_world_carry_over(w->world, world);
    if (!code && keep) code = ts_sim_forward(world->sim, &status);
    if (!code)
        code = runs_of_world(world, keep || strcmp(subject, w->world->subject) == 0 ? &w->runs : NULL, &runs, &status);
    for (int i = 1; i < runs.count && keep && !code; ++i) code = ts_runs_follow(&runs, i, &status);
    if (code) {
        ts_runs_free(&runs);
        ts_world_free(world);
        say_status(w, &status);
        return;
    }
    world->number = ++w->worlds;
    // `subject` may be the old world's own, and the sessions looks at charts.
    ts_runs before = w->runs;
    pthread_mutex_lock(&w->lock);
    w->runs = runs;
    pthread_mutex_unlock(&w->lock);
    ts_runs_free(&before);
    let_go(w, w->world);
    w->world = world;
    w->watched = -1;
    begin_anew(w);
    forget_strip(w);
    if (lost)
        snprintf(text, sizeof text, "loaded %.120s; %d joint%s did not fit", world->subject, lost,
                 lost == 1 ? "" : "s");
    else
        snprintf(text, sizeof text, "loaded %.150s%s", world->subject, keep ? ", at the same state" : "");
    say(w, text);
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
    if (ts_sim_set(sim_of(w), name, equals + 1, &status))
        say_status(w, &status);
    else
        ts_runs_note(&w->runs, text);
    ts_runs_changed(&w->runs);
}

static void choose_solver(ts_worker* w, const char* name) {
    ts_status status;
    if (ts_sim_set_solver(sim_of(w), name, &status)) {
        say_status(w, &status);
        return;
    }
    ts_runs_changed(&w->runs);
    say(w, sim_of(w)->solver->summary);
}

static void seek(ts_worker* w, long long step) {
    ts_status status;
    w->playback.paused = 1;
    if (ts_runs_seek(&w->runs, w->world->scene, step, &status)) say_status(w, &status);
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
        say_status(w, &status);
    else
        say(w, "a second future: what is changed now is changed in it alone");
}

static void leave(ts_worker* w) {
    ts_status status;
    pthread_mutex_lock(&w->lock);
    ts_code code = ts_runs_remove(&w->runs, &status);
    pthread_mutex_unlock(&w->lock);
    if (code) say_status(w, &status);
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
    if (w->grab.kind == TS_GRAB_NONE || w->grab.body >= sim_of(w)->model->body_count) {
        w->grab.kind = TS_GRAB_NONE;
        return;
    }
    if (new) {
        ts_arena_reset(&w->arena);
        w->load = ts_grab_weigh(sim_of(w), &w->grab, &w->arena);
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
    case TS_ASK_WATCH: w->watched = (int)ask->index; break;
    default: break;
    }
}

static void obey_all(ts_worker* w) {
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

// --- stepping ------------------------------------------------------------------------------------------------------

static int is_asked(ts_worker* w) {
    pthread_mutex_lock(&w->lock);
    int asked = w->asked.count > 0 || w->quit;
    pthread_mutex_unlock(&w->lock);
    return asked;
}

static void note_steps(ts_worker* w) {
    for (int i = 0; i < w->runs.count; ++i) {
        ts_run* run = &w->runs.run[i];
        if (!run->advanced) continue;
        ts_sample sample = ts_strip_measure(run->sim, w->watched);
        pthread_mutex_lock(&w->lock);
        ts_strip_add(run->strip, sample);
        pthread_mutex_unlock(&w->lock);
    }
}

static void step(ts_worker* w, int due) {
    ts_status status;
    double start = ts_clock_seconds();
    const ts_sim* sim = sim_of(w);
    while (due > 0) {
        --due;
        w->stale = 1;
        if (ts_runs_step(&w->runs, w->world->scene, &w->grab, &w->load, &status)) {
            w->playback.paused = 1;
            w->playback.single_steps = 0;
            say_status(w, &status);
            return;
        }
        note_steps(w);
        if (w->threaded && (ts_clock_seconds() - start > turn_time || is_asked(w))) break;
    }
    // What there was no time for is still owed.
    if (w->playback.paused)
        w->playback.single_steps += due;
    else
        w->playback.owed += (double)due * sim->options.time_step;
}

static void measure_rate(ts_worker* w, double now) {
    double time = sim_of(w)->time;
    if (w->playback.paused || w->rate_since < 0.0) {
        w->rate = 0.0;
        w->rate_since = w->playback.paused ? -1.0 : now;
        w->rate_from = time;
    } else if (now - w->rate_since >= rate_time) {
        w->rate = (time - w->rate_from) / (now - w->rate_since);
        w->rate_since = now;
        w->rate_from = time;
    }
}

// Fills the spare shadow and makes it the newest.
static ts_code publish(ts_worker* w, ts_status* out_status) {
    ts_shadow* s = &w->shadow[w->spare];
    ts_world* before = s->world;
    ts_shadow_begin(s);
    for (int i = 0; i < w->runs.count; ++i) {
        const ts_run* run = &w->runs.run[i];
        const ts_run* seen = ts_runs_seen(&w->runs, i);
        char name[sizeof s->look[0].name];
        ts_runs_name(run, name, sizeof name);
        ts_code code = ts_shadow_add(s, seen->sim, run->sim, name, run->fault, out_status);
        if (code) return code;
    }
    ts_shadow_choose(s, w->runs.chosen);
    s->world = w->world;
    s->paused = w->playback.paused;
    s->grabbed = w->grab.kind != TS_GRAB_NONE ? w->grab.body : -1;
    s->speed = w->playback.speed;
    s->rate = w->rate;
    ts_runs_range(&w->runs, &s->first, &s->last);
    memcpy(s->message, w->message, sizeof s->message);
    s->message_number = w->message_number;
    pthread_mutex_lock(&w->lock);
    ++w->world->holders;
    int filled = w->spare;
    w->spare = w->newest;
    w->newest = filled;
    w->fresh = 1;
    w->wanted = 0;
    pthread_mutex_unlock(&w->lock);
    let_go(w, before);
    w->stale = 0;
    return TS_OK;
}

static int is_wanted(ts_worker* w) {
    pthread_mutex_lock(&w->lock);
    int wanted = w->wanted;
    pthread_mutex_unlock(&w->lock);
    return wanted;
}

static void turn(ts_worker* w, double now) {
    ts_status status;
    obey_all(w);
    double elapsed = w->last >= 0.0 ? now - w->last : 0.0;
    w->last = now;
    step(w, ts_playback_due(&w->playback, elapsed, sim_of(w)->options.time_step));
    measure_rate(w, now);
    // Without memory for another shadow the old one stays, and the next turn tries again.
    if (w->stale && is_wanted(w)) (void)publish(w, &status);
}

void ts_worker_turn(ts_worker* worker, double now) { turn(worker, now); }

// s until the next step is due; < 0: never.
static double time_to_next(const ts_worker* w) {
    if (w->playback.paused) return w->playback.single_steps > 0 ? 0.0 : -1.0;
    double h = ts_runs_sim(&w->runs)->options.time_step;
    double wait = (h - w->playback.owed) / w->playback.speed;
    return wait > 0.0 ? fmin(wait, 0.05) : 0.0;
}

// Under the lock: until something is asked or the time has come.
static void rest(ts_worker* w, double wait) {
    struct timespec until;
    // NOLINTNEXTLINE(bugprone-unused-return-value): this clock is always there
    clock_gettime(CLOCK_MONOTONIC, &until);
    long nanoseconds = until.tv_nsec + (long)(fmod(fmax(wait, 0.0), 1.0) * 1e9);
    until.tv_sec += nanoseconds / 1000000000;
    until.tv_nsec = nanoseconds % 1000000000;
    while (!w->quit && !w->asked.count && !(w->wanted && w->stale)) {
        int timed_out = wait < 0.0 ? pthread_cond_wait(&w->wake, &w->lock)
                                   : pthread_cond_timedwait(&w->wake, &w->lock, &until) == ETIMEDOUT;
        if (timed_out) break;
    }
}

static void* run(void* argument) {
    ts_worker* w = argument;
    pthread_mutex_lock(&w->lock);
    while (!w->quit) {
        pthread_mutex_unlock(&w->lock);
        turn(w, ts_clock_seconds());
        double wait = time_to_next(w);
        pthread_mutex_lock(&w->lock);
        if (wait > 0.0 || wait < 0.0) rest(w, wait);
    }
    pthread_mutex_unlock(&w->lock);
    return NULL;
}

// --- from outside --------------------------------------------------------------------------------------------------

int ts_worker_ask(ts_worker* worker, const ts_ask* ask) {
    pthread_mutex_lock(&worker->lock);
    int there = ask_array_push(&worker->asked, *ask);
    pthread_cond_signal(&worker->wake);
    pthread_mutex_unlock(&worker->lock);
    return there;
}

const ts_shadow* ts_worker_shadow(ts_worker* worker) {
    pthread_mutex_lock(&worker->lock);
    if (worker->fresh) {
        int shown = worker->shown;
        worker->shown = worker->newest;
        worker->newest = shown;
        worker->fresh = 0;
    }
    worker->wanted = 1;
    pthread_cond_signal(&worker->wake);
    const ts_shadow* shadow = &worker->shadow[worker->shown];
    pthread_mutex_unlock(&worker->lock);
    return shadow;
}

int ts_worker_has_news(ts_worker* worker) {
    pthread_mutex_lock(&worker->lock);
    int fresh = worker->fresh;
    pthread_mutex_unlock(&worker->lock);
    return fresh;
}

void ts_worker_strip(ts_worker* worker, ts_strip* out_strip) {
    pthread_mutex_lock(&worker->lock);
    *out_strip = *worker->runs.run[worker->runs.chosen].strip;
    pthread_mutex_unlock(&worker->lock);
}

static void make_locks(ts_worker* w) {
    pthread_condattr_t monotonic;
    pthread_condattr_init(&monotonic);
    pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
    pthread_cond_init(&w->wake, &monotonic);
    pthread_condattr_destroy(&monotonic);
    pthread_mutex_init(&w->lock, NULL);
}

// Those that somebody brought stand beside the world's own.
static ts_code open_runs(ts_worker* w, const ts_world* world, ts_sim* const* beside, int count, ts_status* out_status) {
    ts_code code = runs_of_world(world, NULL, &w->runs, out_status);
    for (int i = 0; i < count && !code; ++i) code = ts_runs_add(&w->runs, beside[i], 0, history_bytes, out_status);
    return code;
}

ts_code ts_worker_create(ts_world* world, const ts_worker_start* start, ts_worker** out_worker, ts_status* out_status) {
    ts_worker* w = calloc(1, sizeof *w);
    *out_worker = NULL;
    if (!w) {
        ts_world_free(world);
        return ts_status_set(out_status, TS_ERROR_MEMORY, NULL, 0, "no memory for a simulation in a window");
    }
    make_locks(w);
    w->world = world;
    w->playback.speed = start->speed > 0.0 ? start->speed : 1.0;
    w->playback.paused = start->paused;
    w->last = w->rate_since = -1.0;
    w->newest = 1;
    w->spare = 2;
    w->watched = -1;
    ts_code code = open_runs(w, world, start->beside, start->count, out_status);
    if (!code) code = publish(w, out_status);
    if (!code && start->threaded) {
        w->threaded = 1;
        if (pthread_create(&w->thread, NULL, run, w)) w->threaded = 0;
        if (!w->threaded)
            code = ts_status_set(out_status, TS_ERROR_MEMORY, NULL, 0, "no thread for a simulation in a window");
    }
    if (code)
        ts_worker_destroy(w);
    else
        *out_worker = w;
    return code;
}

void ts_worker_destroy(ts_worker* worker) {
    if (!worker) return;
    pthread_mutex_lock(&worker->lock);
    worker->quit = 1;
    pthread_cond_signal(&worker->wake);
    pthread_mutex_unlock(&worker->lock);
    if (worker->threaded) pthread_join(worker->thread, NULL);
    for (int i = 0; i < 3; ++i) {
        let_go(worker, worker->shadow[i].world);
        ts_shadow_free(&worker->shadow[i]);
    }
    ts_runs_free(&worker->runs);
    let_go(worker, worker->world);
    ts_arena_free(&worker->arena);
    ask_array_free(&worker->asked);
    ask_array_free(&worker->taken);
    pthread_cond_destroy(&worker->wake);
    pthread_mutex_destroy(&worker->lock);
    free(worker);
}
