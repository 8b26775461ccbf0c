// `touchstone run --batch N`: many simulations of one scene at once, each from its own velocity, and how they went together.
#include "cli/commands/commands.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/clock.h"
#include "base/rng.h"
#include "base/scalar.h"
#include "cli/console.h"
#include "cli/controls.h"
#include "cli/progress.h"
#include "cli/report/stats_internal.h"
#include "cli/setup.h"
#include "cli/signals.h"
#include "engine/batch.h"
#include "scenes/run.h"

// What one simulation leaves behind.
typedef struct batch_tally {
    long long steps;
    long long converged;
    double natural;      // 1: worst share of the exact law unmet
    double penetration;  // m, worst
} batch_tally;

typedef struct batch_job {
    const ts_args* args;
    ts_import_report report;
    ts_loaded_scene scene;
    ts_controls controls;
    ts_batch* batch;
    batch_tally* tally;  // (batch->count)
    double duration;     // s
    double wall;         // s
    int failed;          // simulations
} batch_job;

static int control(void* user, ts_sim* sim, int index) {
    const batch_job* job = (const batch_job*)user;
    (void)index;
    ts_controller_act(&job->scene.control, sim);
    return 0;
}

static int observe(void* user, ts_sim* sim, int index) {
    batch_tally* tally = &((const batch_job*)user)->tally[index];
    tally->steps++;
    tally->converged += sim->info.solve.status == TS_SOLVE_CONVERGED;
    tally->natural = ts_worse(tally->natural, sim->info.residual.natural);
    tally->penetration = ts_worse(tally->penetration, sim->info.worst_penetration);
    return ts_signals_caught();
}

// Each simulation has a stream of random numbers of its own, so that the first hundred of a thousand are those of a hundred.
static void spread(ts_batch* batch, uint64_t seed, double deviation) {
    for (int i = 0; i < batch->count; ++i) {
        ts_rng rng = ts_rng_make(seed, (uint64_t)i);
        for (int d = 0; d < batch->nv; ++d) batch->sim[i]->qvel[d] += deviation * ts_rng_normal(&rng);
    }
}

static int refuse_single(const ts_args* args, ts_status* status) {
    const char* flag = args->out            ? "--out"
                       : args->dump         ? "--dump-problem"
                       : args->certificate  ? "--certificate"
                       : args->certificates ? "--certificates"
                       : args->ledger       ? "--ledger"
                                            : NULL;
    if (!flag) return TS_EXIT_DONE;
    ts_status_set(status, TS_ERROR_VALUE, NULL, 0, "%s is of one simulation: run it without --batch", flag);
    return TS_EXIT_USAGE;
}

static int prepare(batch_job* job, ts_status* status) {
    const ts_args* args = job->args;
    int exit_code = refuse_single(args, status);
    if (exit_code) return exit_code;
    if (args->solver && !ts_setup_solver(args->solver, status)) return TS_EXIT_USAGE;
    exit_code = ts_setup_load(args, args->subject, &job->report, &job->scene, status);
    if (exit_code) return exit_code;
    if (ts_setup_strict(args, &job->report, args->subject, status)) return TS_EXIT_FAILED;
    const ts_model* model = job->scene.model;
    ts_code code = ts_controls_read(args, model, &job->controls, status);
    if (code) return code == TS_ERROR_VALUE ? TS_EXIT_USAGE : TS_EXIT_FAILED;
    if (ts_batch_create(&model, 1, args->copies, args->threads > 0 ? args->threads : 1, &job->batch, status))
        return TS_EXIT_FAILED;
    job->tally = (batch_tally*)calloc((size_t)args->copies, sizeof *job->tally);
    if (!job->tally) {
        ts_status_set(status, TS_ERROR_MEMORY, NULL, 0, "out of memory");
        return TS_EXIT_FAILED;
    }
    for (int i = 0; i < args->copies; ++i) {
        char recording[4096];
        code = ts_setup_configure(job->batch->sim[i], args, args->solver, 0, status);
        if (!code) code = ts_setup_from(args, job->batch->sim[i], recording, sizeof recording, status);
        if (code) return code == TS_ERROR_VALUE ? TS_EXIT_USAGE : TS_EXIT_FAILED;
        ts_controls_follow(&job->controls, job->batch->sim[i]);
    }
    spread(job->batch, (uint64_t)(args->seed >= 0 ? args->seed : 1), isnan(args->spread) ? 0.0 : args->spread);
    job->duration = isnan(args->time) ? job->scene.duration : args->time;
    return TS_EXIT_DONE;
}

// A hundred pieces: for the progress bar, and so that Ctrl-C ends the run with all simulations about as far.
static void execute(batch_job* job) {
    long long steps = ts_run_steps(job->duration, job->batch->sim[0]->options.time_step), done = 0;
    ts_progress progress = ts_progress_begin(job->scene.name);
    double start = ts_clock_seconds();
    while (done < steps && !ts_signals_caught()) {
        long long piece = steps / 100 < 1 ? 1 : steps / 100 > 1000000 ? 1000000 : steps / 100;
        if (piece > steps - done) piece = steps - done;
        job->failed = ts_batch_step(job->batch, (int)piece, control, observe, job);
        done += piece;
        ts_progress_update(&progress, (double)done / (double)steps);
    }
    job->wall = ts_clock_seconds() - start;
    ts_progress_end(&progress);
}

// All tallies as one: sums, and the worst.
static batch_tally total(const batch_job* job) {
    batch_tally all = {0};
    for (int i = 0; i < job->batch->count; ++i) {
        all.steps += job->tally[i].steps;
        all.converged += job->tally[i].converged;
        all.natural = ts_worse(all.natural, job->tally[i].natural);
        all.penetration = ts_worse(all.penetration, job->tally[i].penetration);
    }
    return all;
}

static void add_summary(ts_text* text, const batch_job* job) {
    batch_tally all = total(job);
    const ts_sim* sim = job->batch->sim[0];
    ts_text_add(text, "%d simulations of %s under %s, time step %g s, %d thread%s\n", job->batch->count,
                job->scene.name, sim->solver->name, sim->options.time_step, ts_task_pool_workers(job->batch->tasks),
                job->batch->tasks ? "s" : "");
    ts_text_add(text, "  time         %lld steps in %.3g s of wall clock: %.3g steps a second\n", all.steps, job->wall,
                job->wall > 0.0 ? (double)all.steps / job->wall : 0.0);
    ts_text_add(text, "  solves       %lld of %lld converged; exact law unmet by %.2e at worst\n", all.converged,
                all.steps, all.natural);
    ts_text_add(text, "  contacts     penetration at worst ");
    ts_stats_add_quantity(text, all.penetration, "m");
    ts_text_add(text, "\n");
    int listed = 0;
    for (int i = 0; i < job->batch->count && listed < 5; ++i) {
        const ts_status* status = &job->batch->status[i];
        if (status->code == TS_OK) continue;
        ts_text_add(text, "  simulation %d ended: %s\n", i, status->message);
        ++listed;
    }
    if (job->failed > listed) ts_text_add(text, "  ... and %d more\n", job->failed - listed);
}

static void add_one(ts_json* json, const batch_job* job, int i) {
    const ts_sim* sim = job->batch->sim[i];
    char hash[20];
    snprintf(hash, sizeof hash, "%016llx", (unsigned long long)ts_sim_hash(sim));
    ts_json_object(json);
    ts_json_add_number(json, "time", sim->time);
    ts_json_add_integer(json, "steps", job->tally[i].steps);
    ts_json_add_integer(json, "converged", job->tally[i].converged);
    ts_json_add_number(json, "worst_natural", job->tally[i].natural);
    ts_json_add_number(json, "worst_penetration", job->tally[i].penetration);
    ts_json_add_string(json, "hash", hash);
    ts_json_add_string(json, "error", job->batch->status[i].code ? job->batch->status[i].message : NULL);
    ts_json_object_end(json);
}

static void add_json(ts_text* text, const batch_job* job) {
    batch_tally all = total(job);
    ts_json json = ts_json_begin(text);
    ts_json_object(&json);
    ts_json_add_string(&json, "touchstone", TS_VERSION);
    ts_json_add_string(&json, "scene", job->scene.name);
    ts_json_add_string(&json, "solver", job->batch->sim[0]->solver->name);
    ts_json_add_number(&json, "time_step", job->batch->sim[0]->options.time_step);
    ts_json_add_number(&json, "duration", job->duration);
    ts_json_add_integer(&json, "threads", ts_task_pool_workers(job->batch->tasks));
    ts_json_add_integer(&json, "steps", all.steps);
    ts_json_add_integer(&json, "converged", all.converged);
    ts_json_add_integer(&json, "failed", job->failed);
    ts_json_add_number(&json, "wall_seconds", job->wall);
    ts_json_add_number(&json, "worst_natural", all.natural);
    ts_json_add_number(&json, "worst_penetration", all.penetration);
    ts_json_key(&json, "simulations");
    ts_json_array(&json);
    for (int i = 0; i < job->batch->count; ++i) add_one(&json, job, i);
    ts_json_array_end(&json);
    ts_json_object_end(&json);
    ts_text_add(text, "\n");
}

static void free_job(batch_job* job) {
    ts_batch_free(job->batch);
    free(job->tally);
    ts_loaded_scene_free(&job->scene);
    ts_controls_free(&job->controls);
    ts_import_report_free(&job->report);
}

int ts_cmd_run_batch(const ts_args* args) {
    batch_job job = {.args = args};
    ts_status status;
    ts_status_ok(&status);
    int exit_code = prepare(&job, &status);
    if (exit_code) {
        free_job(&job);
        return ts_console_error("run", args->json, exit_code, &status);
    }
    ts_setup_note_report(args->subject, &job.report);
    ts_signals_begin();
    execute(&job);
    exit_code = ts_signals_caught() ? ts_signals_exit_code() : job.failed ? TS_EXIT_FAILED : TS_EXIT_DONE;
    ts_text text = {0};
    if (args->json)
        add_json(&text, &job);
    else
        add_summary(&text, &job);
    free_job(&job);
    return ts_console_print(&text, exit_code);
}
