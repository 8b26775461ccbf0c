// The plan of a study, its runs, and what they leave on the disk so that an interrupted one goes on where it was.
#include "cli/study/study_internal.h"

#include "base/clock.h"
#include "base/number.h"
#include "base/task.h"
#include "cli/progress.h"
#include "cli/setup.h"
#include "cli/signals.h"
#include "engine/step/step.h"
#include "scenes/run.h"

#include <float.h>
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// How much finer a reference is than the finest that varies.
static const double finer_step = 8.0, finer_tolerance = 1e-3, finest_tolerance = 1e-14, more_iterations = 10.0;

enum { RUNS_MOST = 100000, SAMPLES_MOST = 1000000 };

int ts_study_key_of(const ts_study* study, const char* name) {
    for (int k = 0; k < study->key_count; ++k)
        if (strcmp(study->key[k].name, name) == 0) return k;
    return -1;
}

// --- plan --------------------------------------------------------------------------------------------------------------

static ts_code add_value(ts_study_key* key, const char* text, size_t length, ts_status* out_status) {
    if (length == 0 || length >= TS_STUDY_VALUE)
        return ts_status_set(out_status, TS_ERROR_VALUE, NULL, 0, "--vary %s: '%.*s' is no value", key->name,
                             (int)(length > 60 ? 60 : length), text);
    if (key->count == TS_STUDY_VALUES)
        return ts_status_set(out_status, TS_ERROR_VALUE, NULL, 0, "--vary %s has more than %d values", key->name,
                             (int)TS_STUDY_VALUES);
    snprintf(key->value[key->count], TS_STUDY_VALUE, "%.*s", (int)length, text);
    for (int i = 0; i < key->count; ++i)
        if (strcmp(key->value[i], key->value[key->count]) == 0)
            return ts_status_set(out_status, TS_ERROR_VALUE, NULL, 0, "--vary %s names %s twice", key->name,
                                 key->value[i]);
    key->count++;
    return TS_OK;
}

// Keys that a reference overrides: they do not tell references apart, and their values are numbers.
static int is_refined(const ts_study_key* key) {
    return strcmp(key->name, "dt") == 0 || strcmp(key->name, "tolerance") == 0 || strcmp(key->name, "iterations") == 0;
}

// "KEY=A,B,C"; "solver=all".
static ts_code add_key(ts_study* study, const char* text, ts_status* out_status) {
    size_t length = strcspn(text, "=");
    if (study->key_count == TS_STUDY_KEYS)
        return ts_status_set(out_status, TS_ERROR_VALUE, NULL, 0, "more than %d times --vary", (int)TS_STUDY_KEYS);
    ts_study_key* key = &study->key[study->key_count];
    if (length >= TS_STUDY_VALUE)
        return ts_status_set(out_status, TS_ERROR_VALUE, NULL, 0, "--vary: there is no setting '%.60s'", text);
    snprintf(key->name, sizeof key->name, "%.*s", (int)length, text);
    if (strcmp(key->name, "time_step") == 0) snprintf(key->name, sizeof key->name, "dt");
    if (ts_study_key_of(study, key->name) >= 0)
        return ts_status_set(out_status, TS_ERROR_VALUE, NULL, 0, "--vary %s twice: give all values at once",
                             key->name);
    study->key_count++;
    if (strcmp(text, "solver=all") == 0) {
        for (int i = 0; i < ts_solver_count(); ++i) {
            const char* name = ts_solver_at(i)->name;
            ts_code code = add_value(key, name, strlen(name), out_status);
            if (code) return code;
        }
        return TS_OK;
    }
    for (const char* at = text + length; *at;) {
        size_t value = strcspn(++at, ",");
        double number;
        ts_code code = add_value(key, at, value, out_status);
        if (code) return code;
        if (is_refined(key) && !ts_args_number(key->value[key->count - 1], &number))
            return ts_status_set(out_status, TS_ERROR_VALUE, NULL, 0, "--vary %s takes numbers, not '%s'", key->name,
                                 key->value[key->count - 1]);
        at += value;
    }
    return TS_OK;
}

// The value of a key that a run has: a reference's is finer than all.
static void value_of(const ts_study* study, const ts_study_run* run, int k, char out[TS_STUDY_VALUE]) {
    const ts_study_key* key = &study->key[k];
    snprintf(out, TS_STUDY_VALUE, "%s", key->value[run->choice[k]]);
    if (!run->is_reference) return;
    int is_step = strcmp(key->name, "dt") == 0, is_tolerance = strcmp(key->name, "tolerance") == 0;
    if (!is_step && !is_tolerance && strcmp(key->name, "iterations") != 0) return;
    double extreme = strtod(key->value[0], NULL);
    for (int i = 1; i < key->count; ++i) {
        double value = strtod(key->value[i], NULL);
        extreme = is_step || is_tolerance ? fmin(extreme, value) : fmax(extreme, value);
    }
    double value = is_step        ? extreme / finer_step
                   : is_tolerance ? fmax(extreme * finer_tolerance, finest_tolerance)
                                  : extreme * more_iterations;
    ts_number_print(value, out, TS_STUDY_VALUE);
}

static ts_code list_runs(ts_study* study, ts_status* out_status) {
    double runs = 1.0, references = 1.0;
    int any = 0;
    for (int k = 0; k < study->key_count; ++k) {
        runs *= study->key[k].count;
        if (is_refined(&study->key[k]))
            any = 1;
        else
            references *= study->key[k].count;
    }
    // Where nothing is refined, everything is measured against the first combination.
    if (!any) references = 1.0;
    if (runs + references > RUNS_MOST)
        return ts_status_set(out_status, TS_ERROR_VALUE, NULL, 0, "%.0f runs are more than %d", runs, (int)RUNS_MOST);
    study->reference_count = any ? (int)references : 0;
    study->run_count = (int)runs + study->reference_count;
    study->run = (ts_study_run*)calloc((size_t)study->run_count, sizeof *study->run);
    if (!study->run) return ts_status_set(out_status, TS_ERROR_MEMORY, NULL, 0, "out of memory");
    for (int i = 0; i < study->run_count; ++i) {
        ts_study_run* run = &study->run[i];
        run->is_reference = i < study->reference_count;
        run->reference = run->is_reference ? -1 : 0;
        int rest = run->is_reference ? i : i - study->reference_count, place = 0, factor = 1;
        for (int k = study->key_count - 1; k >= 0; --k) {
            if (run->is_reference && is_refined(&study->key[k])) continue;
            run->choice[k] = rest % study->key[k].count;
            rest /= study->key[k].count;
            if (is_refined(&study->key[k])) continue;
            place += factor * run->choice[k];
            factor *= study->key[k].count;
        }
        if (!run->is_reference && any) run->reference = place;
    }
    if (!any) study->run[0].reference = -1;
    return TS_OK;
}

// A simulation set up as a run says. `pairs` holds the texts that its options are made of.
static ts_code configure(const ts_study* study, const ts_study_run* run, ts_sim** out_sim, ts_status* out_status) {
    ts_args args = *study->args;
    char pair[TS_STUDY_KEYS][2 * TS_STUDY_VALUE + 2], value[TS_STUDY_VALUE];
    const char* solver = NULL;
    char chosen[TS_STUDY_VALUE];
    for (int k = 0; k < study->key_count; ++k) {
        value_of(study, run, k, value);
        if (strcmp(study->key[k].name, "solver") == 0) {
            snprintf(chosen, sizeof chosen, "%s", value);
            solver = chosen;
            if (!ts_setup_solver(solver, out_status)) return TS_ERROR_VALUE;
        } else if (strcmp(study->key[k].name, "dt") == 0) {
            args.dt = strtod(value, NULL);
        } else {
            if (args.pair_count == TS_ARGS_PAIRS)
                return ts_status_set(out_status, TS_ERROR_VALUE, NULL, 0, "too many settings");
            snprintf(pair[k], sizeof pair[k], "%s=%s", study->key[k].name, value);
            args.pair[args.pair_count++] = pair[k];
        }
    }
    ts_code code = ts_sim_create(study->scene->model, 1, out_sim, out_status);
    return code ? code : ts_setup_configure(*out_sim, &args, solver, 1, out_status);
}

static ts_code rehearse(ts_study* study, ts_status* out_status) {
    study->interval = 0.0;
    for (int i = 0; i < study->run_count; ++i) {
        ts_sim* sim = NULL;
        ts_code code = configure(study, &study->run[i], &sim, out_status);
        if (code == TS_OK) study->interval = fmax(study->interval, sim->options.time_step);
        ts_sim_free(sim);
        if (code) return code;
    }
    double samples = floor(study->duration / study->interval + 1e-9);
    if (samples < 1.0 || samples > SAMPLES_MOST)
        return ts_status_set(out_status, TS_ERROR_VALUE, NULL, 0,
                             "%g s hold %.0f of the longest steps, %g s: 1 to %d would do", study->duration, samples,
                             study->interval, (int)SAMPLES_MOST);
    study->samples = (int)samples;
    return ts_status_ok(out_status);
}

ts_code ts_study_plan(ts_study* study, ts_status* out_status) {
    for (int i = 0; i < study->args->vary_count; ++i) {
        ts_code code = add_key(study, study->args->vary[i], out_status);
        if (code) return code;
    }
    if (study->key_count == 0)
        return ts_status_set(out_status, TS_ERROR_VALUE, NULL, 0,
                             "nothing varies: give --vary KEY=A,B,..., such as --vary dt=1e-3,2e-3");
    if (study->scene->focus < 0)
        return ts_status_set(out_status, TS_ERROR_VALUE, NULL, 0, "nothing moves in '%s'", study->scene->name);
    ts_code code = list_runs(study, out_status);
    return code ? code : rehearse(study, out_status);
}

void ts_study_free(ts_study* study) {
    for (int i = 0; study->run && i < study->run_count; ++i) free(study->run[i].path);
    free(study->run);
    study->run = NULL;
}

// --- runs --------------------------------------------------------------------------------------------------------------

// The crew at work on the runs of this rank.
typedef struct crew {
    ts_study* study;
    ts_ranks* ranks;
    const char* part;
    const int* todo;
    int todo_count;
    int done;
    ts_progress progress;
    ts_code code;  // of writing the part
    ts_status status;
    pthread_mutex_t lock;
} crew;

// One run at work.
typedef struct course {
    crew* all;
    ts_study_run* run;
    int next;        // instant
    double time;     // s, of `before`
    ts_vec3 before;  // m
} course;

static int observe(void* user, ts_sim* sim) {
    course* at = (course*)user;
    const ts_study* study = at->all->study;
    ts_study_run* run = at->run;
    ts_sim_update_kinematics(sim);
    ts_vec3 now = sim->kinematics.body_centre[study->scene->focus];
    // Between two steps the way is taken to be straight.
    while (at->next < study->samples && sim->step_count > 0) {
        double instant = (at->next + 1) * study->interval, step = sim->time - at->time;
        // Times of many steps are sums, each rounded.
        double rounding = step > 0.0 ? DBL_EPSILON * instant * (instant / step) : 0.0;
        if (sim->time < instant - 1e-9 * study->interval - rounding) break;
        double part = step > 0.0 ? fmin(1.0, (instant - at->time) / step) : 1.0;
        ts_vec3 there = part > 1.0 - 1e-9 ? now : ts_vec3_add_scaled(at->before, part, ts_vec3_sub(now, at->before));
        ts_vec3_store(there, run->path + 3 * (size_t)at->next++);
    }
    at->before = now;
    at->time = sim->time;
    if (sim->step_count > 0) {
        run->steps++;
        run->unsolved += sim->info.row_count > 0 && sim->info.solve.status != TS_SOLVE_CONVERGED;
        run->natural = fmax(run->natural, sim->info.residual.natural);
        run->penetration = fmax(run->penetration, sim->info.worst_penetration);
        run->seconds += sim->info.seconds_total;
    }
    return ts_signals_caught();
}

static ts_code make_run(crew* all, int index, ts_status* out_status) {
    ts_study* study = all->study;
    ts_study_run* run = &study->run[index];
    ts_sim* sim = NULL;
    run->path = (double*)calloc(3 * (size_t)study->samples, sizeof(double));
    if (!run->path) return ts_status_set(out_status, TS_ERROR_MEMORY, NULL, 0, "out of memory");
    ts_code code = configure(study, run, &sim, out_status);
    course at = {all, run, 0, 0.0, ts_vec3_zero()};
    ts_status ended;
    ts_status_ok(&ended);
    if (code == TS_OK) {
        ts_code end = ts_run_scene(study->scene, sim, study->duration, observe, &at, &ended);
        if (end == TS_ERROR_INTERRUPTED) code = ts_status_set(out_status, end, NULL, 0, "%s", ended.message);
        run->failed = end != TS_OK;
        snprintf(run->reason, sizeof run->reason, "%.150s", end ? ended.message : "");
    }
    ts_sim_free(sim);
    run->done = code == TS_OK;
    return code;
}

static ts_code append(const char* path, const ts_text* text, ts_status* out_status) {
    FILE* file = fopen(path, "a");
    int good = file && fwrite(ts_text_get(text), 1, text->length, file) == text->length;
    if (file && fclose(file) != 0) good = 0;
    return good ? TS_OK : ts_status_set(out_status, TS_ERROR_FILE, path, 0, "cannot be written");
}

static void work_range(void* context, int begin, int end, int worker) {
    crew* all = (crew*)context;
    (void)worker;
    for (int i = begin; i < end && !ts_signals_caught(); ++i) {
        ts_status status;
        ts_text line = {0};
        ts_code code = make_run(all, all->todo[i], &status);
        pthread_mutex_lock(&all->lock);
        if (code == TS_OK && all->part) {
            ts_study_pack(all->study, all->todo[i], &line);
            code = append(all->part, &line, &status);
        }
        if (code && !all->code) {
            all->code = code;
            all->status = status;
        }
        all->done++;
        ts_progress_update(&all->progress, (double)all->done / (double)all->todo_count);
        pthread_mutex_unlock(&all->lock);
        ts_text_free(&line);
    }
}

ts_code ts_study_make(ts_study* study, ts_ranks* ranks, int threads, const char* part, ts_status* out_status) {
    int* todo = (int*)calloc((size_t)study->run_count, sizeof *todo);
    if (!todo) return ts_status_set(out_status, TS_ERROR_MEMORY, NULL, 0, "out of memory");
    int count = 0, share = 0;
    for (int i = 0; i < study->run_count; ++i)
        if (!study->run[i].done && share++ % ranks->count == ranks->rank) todo[count++] = i;
    crew all = {.study = study,
                .ranks = ranks,
                .part = part,
                .todo = todo,
                .todo_count = count,
                .lock = PTHREAD_MUTEX_INITIALIZER};
    ts_status_ok(&all.status);
    all.progress = ts_progress_begin("runs");
    if (ranks->rank > 0) all.progress.enabled = 0;
    ts_task_pool* pool = ts_task_pool_create(threads);
    double start = ts_clock_seconds();
    ts_task_parallel_for(pool, count, 1, work_range, &all);
    study->seconds = ts_clock_seconds() - start;
    ts_task_pool_destroy(pool);
    ts_progress_end(&all.progress);
    free(todo);
    study->interrupted = ts_signals_caught() != 0;
    if (all.code && all.code != TS_ERROR_INTERRUPTED) {
        *out_status = all.status;
        return all.code;
    }
    return ts_status_ok(out_status);
}

// --- keeping ---------------------------------------------------------------------------------------------------------

void ts_study_name(const ts_study* study, int run, ts_text* text) {
    char value[TS_STUDY_VALUE];
    for (int k = 0; k < study->key_count; ++k) {
        value_of(study, &study->run[run], k, value);
        ts_text_add(text, "%s%s=%s", k ? " " : "", study->key[k].name, value);
    }
    if (study->run[run].is_reference) ts_text_add(text, " (reference)");
}

// NAME|duration instants|failed steps unsolved|seconds natural penetration|path|reason, "." at the end of a whole line.
void ts_study_pack(const ts_study* study, int run, ts_text* text) {
    const ts_study_run* r = &study->run[run];
    ts_study_name(study, run, text);
    ts_text_add(text, "|%s %.17g %d|%d %lld %lld|%.17g %.17g %.17g|", study->scene->name, study->duration,
                study->samples, r->failed, r->steps, r->unsolved, r->seconds, r->natural, r->penetration);
    for (int i = 0; i < 3 * study->samples; ++i) ts_text_add(text, "%.17g ", r->path[i]);
    ts_text_add(text, "|");
    for (const char* c = r->reason; *c; ++c) ts_text_add(text, "%c", *c == '|' || *c == '\n' ? ' ' : *c);
    ts_text_add(text, "|.\n");
}

// Reads one line into the run that it is of. Returns 0 when memory is short.
static int unpack_line(ts_study* study, int index, const char* rest) {
    ts_study_run* run = &study->run[index];
    ts_study_run read = *run;
    char* end = NULL;
    int used = 0;
    if (sscanf(rest, "%d %lld %lld|%n", &read.failed, &read.steps, &read.unsolved, &used) != 3 || used == 0) return 1;
    const char* at = rest + used;
    double* number[] = {&read.seconds, &read.natural, &read.penetration};
    for (int i = 0; i < 3; ++i, at = end) {
        *number[i] = strtod(at, &end);
        if (end == at) return 1;
    }
    if (*at++ != '|') return 1;
    read.path = (double*)calloc(3 * (size_t)study->samples, sizeof(double));
    if (!read.path) return 0;
    for (int i = 0; i < 3 * study->samples; ++i, at = end) {
        read.path[i] = strtod(at, &end);
        if (end == at) {
            free(read.path);
            return 1;
        }
    }
    at += strspn(at, " ");
    if (*at == '|') snprintf(read.reason, sizeof read.reason, "%.*s", (int)strcspn(at + 1, "|"), at + 1);
    free(run->path);
    read.done = 1;
    *run = read;
    return 1;
}

ts_code ts_study_unpack(ts_study* study, const char* text, ts_status* out_status) {
    for (const char *line = text, *end; (end = strchr(line, '\n')) != NULL; line = end + 1) {
        // A line that was cut off has no end.
        if (end - line < 2 || end[-1] != '.' || end[-2] != '|') continue;
        for (int i = 0; i < study->run_count; ++i) {
            ts_text head = {0};
            ts_study_name(study, i, &head);
            ts_text_add(&head, "|%s %.17g %d|", study->scene->name, study->duration, study->samples);
            int mine = !head.failed && strncmp(line, ts_text_get(&head), head.length) == 0;
            int good = !mine || unpack_line(study, i, line + head.length);
            ts_text_free(&head);
            if (!good) return ts_status_set(out_status, TS_ERROR_MEMORY, NULL, 0, "out of memory");
            if (mine) break;
        }
    }
    return ts_status_ok(out_status);
}

// --- measuring -------------------------------------------------------------------------------------------------------

// The run that differs from this one by the next coarser dt alone, or -1.
static int coarser(const ts_study* study, int index, int dt) {
    const ts_study_run* run = &study->run[index];
    double own = strtod(study->key[dt].value[run->choice[dt]], NULL), best = HUGE_VAL;
    int found = -1;
    for (int i = study->reference_count; i < study->run_count; ++i) {
        int same = 1;
        for (int k = 0; k < study->key_count; ++k) same &= k == dt || study->run[i].choice[k] == run->choice[k];
        double value = strtod(study->key[dt].value[study->run[i].choice[dt]], NULL);
        if (!same || value <= own || value >= best) continue;
        best = value;
        found = i;
    }
    return found;
}

void ts_study_measure(ts_study* study) {
    int dt = ts_study_key_of(study, "dt");
    for (int i = 0; i < study->run_count; ++i) {
        ts_study_run* run = &study->run[i];
        const ts_study_run* against = run->reference >= 0 ? &study->run[run->reference] : NULL;
        run->error = run->last_error = against ? 0.0 : (double)NAN;
        if (!against) continue;
        if (run->failed || against->failed || !run->done || !against->done) {
            run->error = run->last_error = (double)NAN;
            continue;
        }
        for (int s = 0; s < study->samples; ++s) {
            run->last_error = ts_vec3_distance(ts_vec3_load(run->path + 3 * s), ts_vec3_load(against->path + 3 * s));
            run->error += study->interval * run->last_error;
        }
    }
    for (int i = 0; i < study->run_count; ++i) {
        ts_study_run* run = &study->run[i];
        run->order = (double)NAN;
        int other = dt >= 0 && !run->is_reference ? coarser(study, i, dt) : -1;
        if (other < 0) continue;
        double own = strtod(study->key[dt].value[run->choice[dt]], NULL);
        double larger = strtod(study->key[dt].value[study->run[other].choice[dt]], NULL);
        run->order = log(study->run[other].error / run->error) / log(larger / own);
    }
}

double ts_study_profile(const ts_study* study, int solver, double factor, int* out_problems) {
    int key = ts_study_key_of(study, "solver"), problems = 0, within = 0;
    for (int i = study->reference_count; i < study->run_count; ++i) {
        if (study->run[i].choice[key] != solver || !study->run[i].done) continue;
        double best = HUGE_VAL, own = HUGE_VAL;
        for (int j = study->reference_count; j < study->run_count; ++j) {
            int same = 1;
            for (int k = 0; k < study->key_count; ++k)
                same &= k == key || study->run[i].choice[k] == study->run[j].choice[k];
            const ts_study_run* run = &study->run[j];
            if (!same || !run->done || run->failed || run->unsolved > 0) continue;
            best = fmin(best, run->seconds);
            if (i == j) own = run->seconds;
        }
        problems++;
        within += own < HUGE_VAL && own <= factor * best;
    }
    *out_problems = problems;
    return problems > 0 ? (double)within / problems : 0.0;
}
