// `touchstone compare`: the same scene under several solvers, side by side.
#include "cli/commands.h"

#include "base/clock.h"
#include "cli/comparison.h"
#include "cli/console.h"
#include "cli/picture.h"
#include "cli/pictures.h"
#include "cli/progress.h"
#include "cli/setup.h"
#include "cli/signals.h"
#include "engine/step.h"
#include "scenes/run.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MOST_SOLVERS = 64 };

typedef struct compare_job {
    const ts_args* args;
    const char* solvers;  // comma-separated names, or "all"
    ts_import_report report;
    ts_loaded_scene scene;
    const ts_solver* solver[MOST_SOLVERS];
    ts_comparison comparison;
    ts_progress progress;
    ts_series* current;
    int out_of_memory;
    int made_directory;
} compare_job;

// --- what was asked --------------------------------------------------------------------------------------------------

static ts_code add_solver(compare_job* job, const ts_solver* solver, ts_status* status) {
    int* planned = &job->comparison.planned;
    for (int i = 0; i < *planned; ++i)
        if (job->solver[i] == solver)
            return ts_status_set(status, TS_ERROR_VALUE, NULL, 0, "--solvers names '%s' twice", solver->name);
    if (*planned == MOST_SOLVERS)
        return ts_status_set(status, TS_ERROR_VALUE, NULL, 0, "more than %d solvers", (int)MOST_SOLVERS);
    job->solver[(*planned)++] = solver;
    return TS_OK;
}

static ts_code choose_solvers(compare_job* job, ts_status* status) {
    if (strcmp(job->solvers, "all") == 0) {
        for (int i = 0; i < ts_solver_count(); ++i) {
            ts_code code = add_solver(job, ts_solver_at(i), status);
            if (code) return code;
        }
        return TS_OK;
    }
    for (const char* c = job->solvers; *c;) {
        char name[64];
        size_t length = strcspn(c, ",");
        snprintf(name, sizeof name, "%.*s", (int)(length < 63 ? length : 63), c);
        if (length > 0) {
            const ts_solver* solver = ts_setup_solver(name, status);
            if (!solver) return status->code;
            ts_code code = add_solver(job, solver, status);
            if (code) return code;
        }
        c += length + (c[length] == ',');
    }
    if (job->comparison.planned == 0)
        return ts_status_set(status, TS_ERROR_VALUE, NULL, 0, "--solvers names no solver");
    return TS_OK;
}

// A body on fixed surfaces that all face upwards with one friction coefficient, pushed along them and left alone, obeys
// v = v0 - mu g t until it stops (as long as it does not tip over).
static ts_sliding_law sliding_law(const ts_loaded_scene* scene, const ts_sim* sim) {
    ts_sliding_law law = {0, 0.0, 0.0, 0.0};
    const ts_model* model = scene->model;
    int focus = scene->focus;
    double g = ts_vec3_norm(sim->options.gravity);
    if (focus < 0 || scene->control || !(g > 0.0) || model->body[focus].joint_count != 1) return law;
    if (model->joint[model->body[focus].joint_first].type != TS_JOINT_FREE) return law;
    ts_vec3 up = ts_vec3_scale(-1.0 / g, sim->options.gravity);
    int found = 0;
    for (int i = 0; i < sim->contact_count; ++i) {
        const ts_contact* contact = &sim->contact[i];
        if (contact->body_a != focus && contact->body_b != focus) continue;
        int other = contact->body_a == focus ? contact->body_b : contact->body_a;
        ts_vec3 normal = ts_mat3_column(&contact->frame, 2);
        if (model->body[other].tree >= 0 || fabs(ts_vec3_dot(normal, up)) < 1.0 - 1e-9) return law;
        if (found && contact->friction != law.mu) return law;
        law.mu = contact->friction;
        found = 1;
    }
    ts_motion motion = ts_sim_body_velocity(sim, focus);
    double speed = ts_vec3_norm(motion.linear);
    if (!found || !(law.mu > 0.0) || !(speed > 1e-3) || ts_vec3_norm(motion.angular) > 0.0 ||
        fabs(ts_vec3_dot(motion.linear, up)) > 1e-9 * speed)
        return law;
    law.known = 1;
    law.initial_speed = speed;
    law.deceleration = law.mu * g;
    return law;
}

// Configures a simulation for every solver and throws it away again: all settings are checked before anything is written.
static ts_code rehearse(compare_job* job, ts_status* status) {
    for (int i = 0; i < job->comparison.planned; ++i) {
        ts_sim* sim = NULL;
        ts_code code = ts_sim_create(job->scene.model, 1, &sim, status);
        if (code == TS_OK) code = ts_setup_configure(sim, job->args, job->solver[i]->name, 1, status);
        if (code == TS_OK && i == 0) {
            job->comparison.options = sim->options;
            code = ts_sim_forward(sim, status);
            if (code == TS_OK) job->comparison.sliding = sliding_law(&job->scene, sim);
        }
        ts_sim_free(sim);
        if (code) return code;
    }
    return TS_OK;
}

static void quote(ts_text* text, const char* word) {
    if (word[0] &&
        strspn(word, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+=.,:/@%") == strlen(word)) {
        ts_text_add(text, " %s", word);
        return;
    }
    ts_text_add(text, " '");
    for (const char* c = word; *c; ++c) {
        if (*c == '\'')
            ts_text_add(text, "'\\''");
        else
            ts_text_add_bytes(text, c, 1);
    }
    ts_text_add(text, "'");
}

static void add_command(const ts_args* args, ts_text* text) {
    ts_text_add(text, "touchstone compare");
    quote(text, args->subject);
    if (args->solvers) {
        ts_text_add(text, " --solvers");
        quote(text, args->solvers);
    }
    if (!isnan(args->time)) ts_text_add(text, " --time %.15g", args->time);
    if (!isnan(args->dt)) ts_text_add(text, " --dt %.15g", args->dt);
    for (int i = 0; i < args->pair_count; ++i) {
        ts_text_add(text, " --set");
        quote(text, args->pair[i]);
    }
    if (args->threads > 0) ts_text_add(text, " --threads %d", args->threads);
    if (args->out) {
        ts_text_add(text, " --out");
        quote(text, args->out);
    }
    if (args->png) {
        ts_text_add(text, " --png");
        quote(text, args->png);
    }
    if (!isnan(args->png_time)) ts_text_add(text, " --png-time %.15g", args->png_time);
    if (args->width > 0) ts_text_add(text, " --size %dx%d", args->width, args->height);
}

static int prepare(compare_job* job, ts_status* status) {
    const ts_args* args = job->args;
    ts_comparison* comparison = &job->comparison;
    comparison->experiment = ts_experiment_find(args->subject);
    const char* scene = comparison->experiment ? comparison->experiment->scene : args->subject;
    job->solvers = args->solvers ? args->solvers : (comparison->experiment ? comparison->experiment->solvers : "all");
    for (int i = 0; i < args->pair_count; ++i) {
        if (strncmp(args->pair[i], "solver=", 7) != 0) continue;
        ts_status_set(status, TS_ERROR_VALUE, NULL, 0, "compare chooses solvers with --solvers, not --set %s",
                      args->pair[i]);
        return TS_EXIT_USAGE;
    }
    if (choose_solvers(job, status)) return TS_EXIT_USAGE;
    int exit_code = ts_setup_load(scene, &job->report, &job->scene, status);
    if (exit_code) return exit_code;
    if (ts_setup_strict(args, &job->report, scene, status)) return TS_EXIT_FAILED;
    ts_code code = rehearse(job, status);
    if (code) return code == TS_ERROR_VALUE ? TS_EXIT_USAGE : TS_EXIT_FAILED;
    comparison->scene = &job->scene;
    comparison->duration = comparison->experiment ? comparison->experiment->duration : job->scene.duration;
    if (!isnan(args->time)) comparison->duration = args->time;
    if (job->scene.focus >= 0) {
        const char* name = job->scene.model->body[job->scene.focus].name;
        if (name[0])
            snprintf(comparison->focus, sizeof comparison->focus, "%s", name);
        else
            snprintf(comparison->focus, sizeof comparison->focus, "body%d", job->scene.focus);
    }
    comparison->series = (ts_series*)calloc((size_t)comparison->planned, sizeof *comparison->series);
    comparison->finding = (ts_finding*)calloc((size_t)comparison->planned, sizeof *comparison->finding);
    comparison->picture = (ts_text*)calloc((size_t)comparison->planned, sizeof *comparison->picture);
    if (!comparison->series || !comparison->finding || !comparison->picture) {
        ts_status_set(status, TS_ERROR_MEMORY, NULL, 0, "out of memory");
        return TS_EXIT_FAILED;
    }
    add_command(args, &comparison->command);
    if (!isnan(args->png_time) && args->png_time > comparison->duration) {
        ts_status_set(status, TS_ERROR_VALUE, NULL, 0, "--png-time %g s is after the end of the run, %g s",
                      args->png_time, comparison->duration);
        return TS_EXIT_USAGE;
    }
    if (args->png && ts_picture_available(status)) return TS_EXIT_FAILED;
    if (args->out && ts_setup_directory(args->out, &job->made_directory, status)) return TS_EXIT_FAILED;
    if (args->png && ts_setup_writable(args->png, status)) return TS_EXIT_FAILED;
    return TS_EXIT_DONE;
}

// --- running ---------------------------------------------------------------------------------------------------------

static int observe(void* user, ts_sim* sim) {
    compare_job* job = (compare_job*)user;
    if (!ts_series_add(job->current, sim)) {
        job->out_of_memory = 1;
        return 1;
    }
    double part = job->comparison.duration > 0.0 ? sim->time / job->comparison.duration : 1.0;
    ts_progress_update(&job->progress, ((double)job->comparison.count - 1.0 + part) / (double)job->comparison.planned);
    return ts_signals_caught();
}

static ts_code run_solver(compare_job* job, const ts_solver* solver, ts_status* status) {
    ts_comparison* comparison = &job->comparison;
    ts_series* series = &comparison->series[comparison->count++];
    job->current = series;
    snprintf(series->solver, sizeof series->solver, "%s", solver->name);
    series->law = solver->law;
    series->focus = job->scene.focus;
    snprintf(job->progress.label, sizeof job->progress.label, "%-16.40s", solver->name);
    ts_sim* sim = NULL;
    ts_code code = ts_sim_create(job->scene.model, job->args->threads > 0 ? job->args->threads : 1, &sim, status);
    if (code == TS_OK) code = ts_setup_configure(sim, job->args, solver->name, 1, status);
    if (code) {
        ts_sim_free(sim);
        return code;
    }
    double start = ts_clock_seconds();
    series->code = ts_run_scene(&job->scene, sim, comparison->duration, observe, job, &series->status);
    series->wall = ts_clock_seconds() - start;
    ts_sim_free(sim);
    if (!ts_series_finish(series) || job->out_of_memory)
        return ts_status_set(status, TS_ERROR_MEMORY, NULL, 0, "out of memory while keeping the series of %s",
                             solver->name);
    comparison->interrupted = series->code == TS_ERROR_INTERRUPTED;
    return TS_OK;
}

static ts_code run_all(compare_job* job, ts_status* status) {
    ts_comparison* comparison = &job->comparison;
    job->progress = ts_progress_begin("");
    ts_code code = TS_OK;
    for (int i = 0; i < comparison->planned && code == TS_OK && !comparison->interrupted; ++i)
        code = run_solver(job, job->solver[i], status);
    ts_progress_end(&job->progress);
    comparison->frame = ts_findings_frame(comparison->series, comparison->count, comparison->options.gravity,
                                          ts_model_total_mass(job->scene.model));
    for (int i = 0; i < comparison->count; ++i)
        comparison->finding[i] = ts_findings_measure(comparison->series, &comparison->frame, i);
    return code;
}

// --- results ---------------------------------------------------------------------------------------------------------

static ts_code write_file(const char* directory, const char* name, ts_text* text, ts_status* status) {
    char path[4200];
    snprintf(path, sizeof path, "%s/%s", directory, name);
    ts_code code = ts_text_write_file(text, path, status);
    ts_text_free(text);
    return code;
}

static ts_code write_files(const ts_comparison* comparison, const char* directory, ts_status* status) {
    ts_text text = {0};
    ts_series_csv(comparison->series, comparison->count, &text);
    ts_code code = write_file(directory, "data.csv", &text, status);
    if (code) return code;
    ts_comparison_json(comparison, &text);
    code = write_file(directory, "summary.json", &text, status);
    if (code) return code;
    ts_report_html(comparison, &text);
    return write_file(directory, "report.html", &text, status);
}

// A comparison has failed when no run reached its end, whatever stopped them; blowing up is a result like any other.
static int any_finished(const ts_comparison* comparison) {
    for (int i = 0; i < comparison->count; ++i)
        if (comparison->series[i].code == TS_OK) return 1;
    return 0;
}

static void free_job(compare_job* job) {
    ts_comparison* comparison = &job->comparison;
    for (int i = 0; comparison->series && i < comparison->planned; ++i) ts_series_free(&comparison->series[i]);
    for (int i = 0; comparison->picture && i < comparison->planned; ++i) ts_text_free(&comparison->picture[i]);
    free(comparison->picture);
    free(comparison->series);
    free(comparison->finding);
    ts_text_free(&comparison->row_picture);
    ts_text_free(&comparison->command);
    ts_loaded_scene_free(&job->scene);
    ts_import_report_free(&job->report);
}

static int conclude(compare_job* job) {
    const ts_args* args = job->args;
    ts_comparison* comparison = &job->comparison;
    int exit_code = TS_EXIT_DONE;
    ts_status status;
    ts_status_ok(&status);
    if (comparison->interrupted) {
        exit_code = ts_signals_exit_code();
        status = comparison->series[comparison->count - 1].status;
    } else if (!any_finished(comparison)) {
        exit_code = TS_EXIT_FAILED;
        status = comparison->series[0].status;
    }
    if (status.code) ts_console_error("compare", 0, exit_code, &status);
    if (!status.code && ts_pictures_take(args, comparison, &status)) {
        exit_code = ts_signals_caught() ? ts_signals_exit_code() : TS_EXIT_FAILED;
        ts_console_error("compare", 0, exit_code, &status);
    }
    if (args->out && write_files(comparison, args->out, &status)) {
        exit_code = TS_EXIT_FAILED;
        ts_console_error("compare", args->json, exit_code, &status);
        return exit_code;
    }
    ts_text text = {0};
    if (args->json) {
        ts_comparison_json(comparison, &text);
    } else {
        ts_comparison_text(comparison, &text);
        if (args->out)
            ts_text_add(&text, "\nreport: %s/report.html\n", args->out);
        else if (!args->png)
            ts_text_add(&text, "\nAdd --out DIR for a report with plots.\n");
        if (args->png && !status.code)
            ts_text_add(&text, "\npicture: %s (t = %.4g s)\n", args->png, comparison->picture_time);
    }
    return ts_console_print(&text, exit_code);
}

int ts_cmd_compare(const ts_args* args) {
    compare_job job;
    memset(&job, 0, sizeof job);
    job.args = args;
    ts_status status;
    ts_status_ok(&status);
    int exit_code = prepare(&job, &status);
    if (exit_code == TS_EXIT_DONE) {
        ts_setup_note_report(args->subject, &job.report);
        ts_signals_begin();
        if (run_all(&job, &status)) exit_code = TS_EXIT_FAILED;
    }
    if (exit_code) {
        if (job.made_directory) rmdir(args->out);
        exit_code = ts_console_error("compare", args->json, exit_code, &status);
    } else {
        exit_code = conclude(&job);
    }
    free_job(&job);
    return exit_code;
}
