// Problem: a window that answers at once while steps take as long as they take, and steps that never wait for a picture. Rule: the thread
// alone touches the simulation; asks come in through a queue and are done between two steps; of three shadows one is shown, one is the
// newest, and one is being filled, so that nobody waits for the other longer than it takes to swap two numbers. Guaranteed: stepping is
// that of the headless runner, bit by bit, as long as nobody interferes; ending waits for one step at most. Known to fail: a step that
// takes a minute ends a minute late.
#include "viewer/session/worker_parts_internal.h"

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
// s: what a turn may spend on the past while the simulation runs.
static const double spare_time = 0.002;
// s: the reached speed is an average over so long.
static const double rate_time = 0.5;

void ts_worker_say(ts_worker* w, const char* text) {
    snprintf(w->message, sizeof w->message, "%s", text);
    ++w->message_number;
    w->stale = 1;
}

void ts_worker_say_status(ts_worker* w, const ts_status* status) {
    char text[sizeof w->message];
    ts_status_format(status, text, sizeof text);
    ts_worker_say(w, text);
}

void ts_worker_let_go(ts_worker* w, ts_world* world) {
    if (!world) return;
    pthread_mutex_lock(&w->lock);
    int last = ts_world_release(world);
    pthread_mutex_unlock(&w->lock);
    if (last) ts_world_free(world);
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
        // Recordings have all of theirs, see recall.h.
        if (!run->advanced || run->history.recording) continue;
        ts_sample sample = ts_strip_measure(run->sim, w->watched, run->strip->watched);
        pthread_mutex_lock(&w->lock);
        ts_strip_add(run->strip, sample);
        pthread_mutex_unlock(&w->lock);
    }
}

static void note_clock(ts_worker* w, double since) {
    pthread_mutex_lock(&w->lock);
    w->step_since = since;
    pthread_mutex_unlock(&w->lock);
}

static void step(ts_worker* w, int due) {
    ts_status status;
    double start = ts_clock_seconds();
    const ts_sim* sim = ts_worker_sim(w);
    while (due > 0) {
        --due;
        w->stale = 1;
        note_clock(w, ts_clock_seconds());
        ts_code code = ts_runs_step(&w->runs, w->world->scene, &w->grab, &w->load, &status);
        note_clock(w, -1.0);
        if (code) {
            w->playback.paused = 1;
            w->playback.single_steps = 0;
            ts_worker_say_status(w, &status);
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

// Past numbers that are newly asked for, while there is time.
static void recall(ts_worker* w) {
    ts_recalled found;
    int was_busy = w->recall.busy;
    double start = ts_clock_seconds(), limit = w->playback.paused ? turn_time : spare_time;
    while (w->recall.busy && ts_recall_next(&w->recall, &w->runs, w->world->scene, w->watched, &found)) {
        pthread_mutex_lock(&w->lock);
        ts_recall_note(&found, &w->runs);
        pthread_mutex_unlock(&w->lock);
        if (w->threaded && (ts_clock_seconds() - start > limit || is_asked(w))) break;
    }
    w->stale |= was_busy;
}

static void measure_rate(ts_worker* w, double now) {
    double time = ts_worker_sim(w)->time;
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
    s->recalling = w->recall.busy;
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
    ts_worker_let_go(w, before);
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
    ts_worker_obey(w);
    double elapsed = w->last >= 0.0 ? now - w->last : 0.0;
    w->last = now;
    step(w, ts_playback_due(&w->playback, elapsed, ts_worker_sim(w)->options.time_step));
    recall(w);
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
        double wait = w->recall.busy ? 0.0 : time_to_next(w);
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

double ts_worker_step_time(ts_worker* worker) {
    pthread_mutex_lock(&worker->lock);
    double since = worker->step_since;
    pthread_mutex_unlock(&worker->lock);
    return since < 0.0 ? 0.0 : fmax(ts_clock_seconds() - since, 0.0);
}

int ts_worker_has_news(ts_worker* worker) {
    pthread_mutex_lock(&worker->lock);
    int fresh = worker->fresh;
    pthread_mutex_unlock(&worker->lock);
    return fresh;
}

int ts_worker_strip(ts_worker* worker, int run, ts_strip* out_strip) {
    pthread_mutex_lock(&worker->lock);
    int there = run < worker->runs.count;
    if (there) *out_strip = *worker->runs.run[run].strip;
    pthread_mutex_unlock(&worker->lock);
    return there;
}

static void make_locks(ts_worker* w) {
    pthread_condattr_t monotonic;
    pthread_condattr_init(&monotonic);
    pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
    pthread_cond_init(&w->wake, &monotonic);
    pthread_condattr_destroy(&monotonic);
    pthread_mutex_init(&w->lock, NULL);
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
    w->last = w->rate_since = w->step_since = -1.0;
    w->newest = 1;
    w->spare = 2;
    w->watched = -1;
    ts_code code = ts_worker_open_runs(w, world, start, out_status);
    ts_recall_begin(&w->recall);
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
        ts_worker_let_go(worker, worker->shadow[i].world);
        ts_shadow_free(&worker->shadow[i]);
    }
    ts_recall_end(&worker->recall);
    ts_runs_free(&worker->runs);
    ts_worker_let_go(worker, worker->world);
    ts_arena_free(&worker->arena);
    ask_array_free(&worker->asked);
    ask_array_free(&worker->taken);
    pthread_cond_destroy(&worker->wake);
    pthread_mutex_destroy(&worker->lock);
    free(worker);
}
