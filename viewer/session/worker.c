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
    ts_history history;
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
    ts_strip* strip;

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

static ts_sim* sim_of(ts_worker* w) { return w->world->sim; }

// Another state than the last step's, by hand.
static void edited(ts_worker* w) {
    ts_status status;
    ts_history_edit(&w->history, sim_of(w));
    if (ts_sim_forward(sim_of(w), &status)) say_status(w, &status);
}

static void begin_anew(ts_worker* w) {
    w->playback.owed = 0.0;
    w->grab.kind = TS_GRAB_NONE;
    w->rate_since = -1.0;
}

static void forget_strip(ts_worker* w) {
    pthread_mutex_lock(&w->lock);
    w->strip->count = 0;
    pthread_mutex_unlock(&w->lock);
}

static void reset(ts_worker* w) {
    ts_status status;
    ts_sim_reset(sim_of(w));
    ts_history_clear(&w->history);
    begin_anew(w);
    forget_strip(w);
    ts_recording* recording = w->history.recording;
    ts_code code = recording ? ts_recording_take(recording, 0, sim_of(w), &status) : ts_sim_forward(sim_of(w), &status);
    if (code) say_status(w, &status);
}

static void load(ts_worker* w, const char* subject, int keep) {
    ts_status status;
    ts_world* world = NULL;
    ts_history history;
    char text[sizeof w->message];
    int lost = 0;
    memset(&history, 0, sizeof history);
    if (!subject[0]) {
        say(w, "this scene did not come from a file or a name: it cannot be loaded again");
        return;
    }
    ts_code code = ts_world_load(subject, &world, &status);
    if (!code && keep) lost = ts_world_carry_over(w->world, world);
    if (!code && keep) code = ts_sim_forward(world->sim, &status);
    if (!code) code = ts_history_open(&history, world->sim, history_bytes, &status);
    if (!code) history.recording = world->scene->recording;
    if (code) {
        ts_world_free(world);
        say_status(w, &status);
        return;
    }
    world->number = ++w->worlds;
    // `subject` may be the old world's own.
    let_go(w, w->world);
    w->world = world;
    ts_history_free(&w->history);
    w->history = history;
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

static void keyframe(ts_worker* w, int index) {
    ts_status status;
    if (ts_sim_set_keyframe(sim_of(w), index, &status)) {
        say_status(w, &status);
        return;
    }
    edited(w);
}

static void set(ts_worker* w, const char* text) {
    ts_status status;
    char name[128];
    const char* equals = strchr(text, '=');
    if (!equals || (size_t)(equals - text) >= sizeof name) return;
    memcpy(name, text, (size_t)(equals - text));
    name[equals - text] = '\0';
    if (ts_sim_set(sim_of(w), name, equals + 1, &status)) say_status(w, &status);
    ts_history_branch(&w->history, sim_of(w));
}

static void choose_solver(ts_worker* w, const char* name) {
    ts_status status;
    if (ts_sim_set_solver(sim_of(w), name, &status)) {
        say_status(w, &status);
        return;
    }
    ts_history_branch(&w->history, sim_of(w));
    say(w, sim_of(w)->solver->summary);
}

static void seek(ts_worker* w, long long step) {
    ts_status status;
    w->playback.paused = 1;
    if (ts_history_seek(&w->history, w->world->scene, sim_of(w), step, &status)) say_status(w, &status);
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
    if (w->playback.paused && ts_grab_place(sim_of(w), &w->grab)) edited(w);
}

static void change_number(ts_worker* w, const ts_ask* ask) {
    ts_sim* sim = sim_of(w);
    if (ask->kind == TS_ASK_CONTROL && ask->index < sim->model->actuator_count) {
        sim->ctrl[ask->index] = ask->value;
        ts_history_branch(&w->history, sim);
    }
    if (ask->kind == TS_ASK_POSITION && ask->index < sim->model->nq) {
        sim->qpos[ask->index] = ask->value;
        edited(w);
    }
}

static void clear_forces(ts_worker* w) {
    ts_sim* sim = sim_of(w);
    for (int i = 0; i < sim->model->actuator_count; ++i) sim->ctrl[i] = 0.0;
    for (int i = 0; i < sim->model->nv; ++i) sim->force_applied[i] = 0.0;
    memset(sim->wrench_applied, 0, (size_t)sim->model->body_count * sizeof *sim->wrench_applied);
    ts_history_branch(&w->history, sim);
}

static void step_by(ts_worker* w, long long steps) {
    long long first, last;
    ts_history_range(&w->history, sim_of(w), &first, &last);
    w->playback.paused = 1;
    if (steps < 0 || sim_of(w)->step_count + steps <= last)
        seek(w, sim_of(w)->step_count + steps);
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
    case TS_ASK_KEYFRAME: keyframe(w, (int)ask->index); break;
    case TS_ASK_SOLVER: choose_solver(w, ask->text); break;
    case TS_ASK_SET: set(w, ask->text); break;
    case TS_ASK_CONTROL:
    case TS_ASK_POSITION: change_number(w, ask); break;
    case TS_ASK_CLEAR: clear_forces(w); break;
    case TS_ASK_GRAB: grab(w, &ask->grab); break;
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

static void step(ts_worker* w, int due) {
    ts_status status;
    double start = ts_clock_seconds();
    ts_sim* sim = sim_of(w);
    while (due > 0) {
        if (w->grab.kind != TS_GRAB_NONE) ts_sim_update_kinematics(sim);
        ts_push push = ts_grab_push(sim, &w->grab, &w->load);
        --due;
        w->stale = 1;
        if (ts_history_step(&w->history, w->world->scene, sim, push, &status)) {
            w->playback.paused = 1;
            w->playback.single_steps = 0;
            say_status(w, &status);
            return;
        }
        ts_sample sample = ts_strip_measure(sim, w->watched);
        pthread_mutex_lock(&w->lock);
        ts_strip_add(w->strip, sample);
        pthread_mutex_unlock(&w->lock);
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
    ts_code code = ts_shadow_take(s, sim_of(w), out_status);
    if (code) return code;
    s->world = w->world;
    s->paused = w->playback.paused;
    s->grabbed = w->grab.kind != TS_GRAB_NONE ? w->grab.body : -1;
    s->speed = w->playback.speed;
    s->rate = w->rate;
    ts_history_range(&w->history, sim_of(w), &s->first, &s->last);
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
    double h = w->world->sim->options.time_step;
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
    *out_strip = *worker->strip;
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

ts_code ts_worker_create(ts_world* world, double speed, int paused, int threaded, ts_worker** out_worker,
                         ts_status* out_status) {
    ts_worker* w = calloc(1, sizeof *w);
    *out_worker = NULL;
    if (!w) {
        ts_world_free(world);
        return ts_status_set(out_status, TS_ERROR_MEMORY, NULL, 0, "no memory for a simulation in a window");
    }
    make_locks(w);
    w->world = world;
    w->playback.speed = speed > 0.0 ? speed : 1.0;
    w->playback.paused = paused;
    w->last = w->rate_since = -1.0;
    w->newest = 1;
    w->spare = 2;
    w->watched = -1;
    w->strip = calloc(1, sizeof *w->strip);
    ts_code code = ts_history_open(&w->history, world->sim, history_bytes, out_status);
    if (!code) w->history.recording = world->scene->recording;
    if (!code && !w->strip) code = ts_status_set(out_status, TS_ERROR_MEMORY, NULL, 0, "no memory for charts");
    if (!code) code = publish(w, out_status);
    if (!code && threaded) {
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
    let_go(worker, worker->world);
    ts_history_free(&worker->history);
    ts_arena_free(&worker->arena);
    ask_array_free(&worker->asked);
    ask_array_free(&worker->taken);
    free(worker->strip);
    pthread_cond_destroy(&worker->wake);
    pthread_mutex_destroy(&worker->lock);
    free(worker);
}
