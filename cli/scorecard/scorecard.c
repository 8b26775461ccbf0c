// Making the runs of a scorecard, and counting them.
#include "cli/scorecard/scorecard_internal.h"

#include "base/clock.h"
#include "base/task.h"

#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// 1: what of the energy that a step turns over its books may leave over.
static const double most_ledger_share = 1e-9;

typedef struct work {
    ts_scorecard* card;
    int (*stop)(void* user);
    void (*progress)(void* user, double share);
    void* user;
    int total;
    int done;
    pthread_mutex_t lock;
} work;

// The experiment that run number i is of.
static int experiment_of(const ts_scorecard* card, int i) {
    int e = 0;
    while (card->first[e + 1] <= i) ++e;
    return e;
}

// A run, and how much more of the processor it may have.
typedef struct watch {
    const work* job;
    double end;  // s, by the clock of its thread
    int late;
} watch;

static int stop_run(void* user) {
    watch* self = (watch*)user;
    if (self->job->stop && self->job->stop(self->job->user)) return 1;
    self->late = ts_clock_thread_seconds() > self->end;
    return self->late;
}

static void run_one(const work* job, int i) {
    ts_scorecard* card = job->card;
    int e = experiment_of(card, i), k = (i - card->first[e]) % card->entrant_count;
    double value = ts_experiment_value(card->experiment[e], (i - card->first[e]) / card->entrant_count);
    watch watched = {job, ts_clock_thread_seconds() + card->limit, 0};
    ts_lab_run* run = &card->run[i];
    ts_lab_run_one(card->experiment[e], value, &card->entrant[k], stop_run, &watched, run);
    if (run->code != TS_ERROR_INTERRUPTED || !watched.late) return;
    card->late[i] = 1;
    run->code = ts_status_set(&run->status, TS_ERROR_MEMORY, NULL, 0,
                              "broken off after %g s of processor time, %lld steps", card->limit, run->steps);
}

static void run_range(void* context, int begin, int end, int worker) {
    work* job = (work*)context;
    (void)worker;
    for (int i = begin; i < end; ++i) {
        run_one(job, i);
        pthread_mutex_lock(&job->lock);
        job->done++;
        if (job->progress) job->progress(job->user, (double)job->done / (double)job->total);
        pthread_mutex_unlock(&job->lock);
    }
}

ts_code ts_scorecard_make(ts_scorecard* card, int threads, int (*stop)(void* user),
                          void (*progress)(void* user, double share), void* user, ts_status* out_status) {
    int total = 0;
    for (int e = 0; e < card->experiment_count; ++e) {
        card->first[e] = total;
        total += ts_experiment_runs(card->experiment[e]) * card->entrant_count;
    }
    card->first[card->experiment_count] = total;
    card->run = (ts_lab_run*)calloc((size_t)total + 1, sizeof *card->run);
    card->late = (unsigned char*)calloc((size_t)total + 1, 1);
    if (!card->run || !card->late)
        return ts_status_set(out_status, TS_ERROR_MEMORY, NULL, 0, "out of memory for %d runs", total);
    work job = {card, stop, progress, user, total, 0, PTHREAD_MUTEX_INITIALIZER};
    ts_task_pool* pool = ts_task_pool_create(threads);
    double start = ts_clock_seconds();
    ts_task_parallel_for(pool, total, 1, run_range, &job);
    card->seconds = ts_clock_seconds() - start;
    ts_task_pool_destroy(pool);
    for (int i = 0; i < total; ++i) card->interrupted |= card->run[i].code == TS_ERROR_INTERRUPTED;
    return ts_status_ok(out_status);
}

void ts_scorecard_free(ts_scorecard* card) {
    free(card->run);
    free(card->late);
    card->run = NULL;
    card->late = NULL;
}

const ts_lab_run* ts_scorecard_run(const ts_scorecard* card, int e, int v, int k) {
    return &card->run[card->first[e] + v * card->entrant_count + k];
}

ts_measured ts_scorecard_reference(const ts_scorecard* card, int e, int v, int m) {
    ts_measured should = {0};
    for (int k = 0; k < card->entrant_count && !should.told; ++k) should = ts_scorecard_run(card, e, v, k)->measured[m];
    should.value = should.reference;
    return should;
}

// The first run of experiment e under entrant k that was over the limit; NULL where none was.
static const ts_lab_run* first_cut_short(const ts_scorecard* card, int e, int k) {
    for (int v = 0; v < ts_experiment_runs(card->experiment[e]); ++v)
        if (card->late[card->first[e] + v * card->entrant_count + k]) return ts_scorecard_run(card, e, v, k);
    return NULL;
}

int ts_scorecard_is_cut_short(const ts_scorecard* card, const ts_lab_run* run) { return card->late[run - card->run]; }

void ts_scorecard_cut_short(const ts_scorecard* card, ts_text* text) {
    int experiments = 0;
    for (int e = 0; e < card->experiment_count; ++e) {
        int entrants = 0;
        for (int k = 0; k < card->entrant_count; ++k) {
            const ts_lab_run* run = first_cut_short(card, e, k);
            if (!run) continue;
            if (entrants + experiments == 0)
                ts_text_add(text, "Broken off after %g s of processor time a run (--time-limit): ", card->limit);
            if (entrants == 0) ts_text_add(text, "%s%s: ", experiments > 0 ? "; " : "", card->experiment[e]->name);
            ts_text_add(text, "%s%s (", entrants++ > 0 ? ", " : "", run->engine);
            ts_lab_why_long(run, text);
            ts_text_add(text, ")");
        }
        experiments += entrants > 0;
    }
    if (experiments > 0) ts_text_add(text, ".");
}

int ts_scorecard_ledger_closes(const ts_lab_run* run) { return run->ledger_share <= most_ledger_share; }

const ts_lab_run* ts_scorecard_worst_ledger(const ts_scorecard* card, int* out_kept) {
    const ts_lab_run* worst = NULL;
    int kept = 0;
    for (int i = 0; i < card->first[card->experiment_count]; ++i) {
        const ts_lab_run* run = &card->run[i];
        if (!card->entrant[i % card->entrant_count].solver || run->steps == 0) continue;
        ++kept;
        if (!worst || isnan(run->ledger_share) || run->ledger_share > worst->ledger_share) worst = run;
    }
    if (out_kept) *out_kept = kept;
    return worst;
}

void ts_scorecard_ledger(const ts_scorecard* card, ts_text* text) {
    int kept;
    const ts_lab_run* worst = ts_scorecard_worst_ledger(card, &kept);
    if (!worst) return;
    ts_text_add(
        text, "%sEnergy: in the books of every step of %d runs at most %.1e of what the step turns over is missing (%s",
        ts_scorecard_ledger_closes(worst) ? "" : "F: ", kept, worst->ledger_share, worst->experiment->name);
    if (worst->experiment->parameter) ts_text_add(text, ":%g", worst->value);
    ts_text_add(text, " under %s, step %lld); %g may be.", worst->engine, worst->ledger_step, most_ledger_share);
}

void ts_scorecard_tally(const ts_scorecard* card, int e, int k, int out_count[TS_VERDICT_COUNT]) {
    memset(out_count, 0, TS_VERDICT_COUNT * sizeof *out_count);
    for (int v = 0; v < ts_experiment_runs(card->experiment[e]); ++v)
        for (int m = 0; m < card->experiment[e]->measure_count; ++m)
            out_count[ts_lab_verdict(ts_scorecard_run(card, e, v, k), m)]++;
}

int ts_scorecard_passed(const ts_scorecard* card, int e, int k) {
    int passed = 0;
    for (int v = 0; v < ts_experiment_runs(card->experiment[e]); ++v)
        for (int m = 0; m < card->experiment[e]->measure_count; ++m)
            passed += ts_lab_is_within(ts_scorecard_run(card, e, v, k), m);
    return passed;
}

// Puts the value in the place of "%g".
static void head_column(const ts_experiment* experiment, const ts_measure* measure, double value, char out[64]) {
    const char* at = strstr(measure->column, "%g");
    (void)experiment;
    if (at)
        snprintf(out, 64, "%.*s%g%s [%s]", (int)(at - measure->column), measure->column, value, at + 2, measure->unit);
    else
        snprintf(out, 64, "%s [%s]", measure->column, measure->unit);
}

int ts_scorecard_conjunction(const ts_scorecard* card, int room, ts_conjunct* out_column) {
    int count = 0;
    for (int e = 0; e < card->experiment_count; ++e) {
        const ts_experiment* experiment = card->experiment[e];
        for (int m = 0; m < experiment->measure_count; ++m) {
            const ts_measure* measure = &experiment->measure[m];
            for (int v = 0; v < measure->column_values && count < room; ++v) {
                ts_conjunct column = {e, v, m, ""};
                head_column(experiment, measure, ts_experiment_value(experiment, v), column.heading);
                out_column[count++] = column;
            }
        }
    }
    return count;
}

void ts_scorecard_number(const ts_measured* measured, char out_text[32]) {
    double x = measured->value;
    if (!measured->told)
        snprintf(out_text, 32, "-");
    else
        snprintf(out_text, 32, x != 0.0 && (x < 0.0 ? -x : x) < 1e-3 ? "%.1e" : "%.4g", x);
}
