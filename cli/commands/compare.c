// `touchstone compare`: the same scene under several solvers, side by side.
#include "cli/commands/commands.h"

#include "base/clock.h"
#include "cli/report/comparison_internal.h"
#include "cli/console.h"
#include "cli/report/picture_internal.h"
#include "cli/report/pictures_internal.h"
#include "cli/report/replay_internal.h"
#include "cli/progress.h"
#include "cli/ranks.h"
#include "cli/setup.h"
#include "cli/signals.h"
#include "cli/video/video_internal.h"
#include "cli/step_certificate_internal.h"
#include "engine/step/step.h"
#include "scenes/run.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef struct compare_job {
    const ts_args* args;
    ts_import_report report;
    ts_loaded_scene scene;
    ts_controls controls;
    ts_solver_choice chosen;
    ts_integrator_choice integrators;  // none: the scene's
    ts_comparison comparison;
    ts_scene_scale scale;
    ts_progress progress;
    ts_ranks ranks;
    ts_series* current;
    int begun;  // solvers of this rank
    int out_of_memory;
    int made_directory;
} compare_job;

// --- what was asked --------------------------------------------------------------------------------------------------

// A body on fixed surfaces that all face upwards with one friction coefficient, pushed along them and left alone, obeys
// v = v0 - mu g t until it stops (as long as it does not tip over).
static ts_sliding_law sliding_law(const ts_loaded_scene* scene, const ts_sim* sim) {
    ts_sliding_law law = {0, 0.0, 0.0, 0.0};
    const ts_model* model = scene->model;
    int focus = scene->focus;
    double g = ts_vec3_norm(sim->options.gravity);
    if (focus < 0 || scene->control.controller || !(g > 0.0) || model->body[focus].joint_count != 1) return law;
    if (model->joint[model->body[focus].joint_first].type != TS_JOINT_FREE) return law;
    ts_vec3 up = ts_vec3_scale(-1.0 / g, sim->options.gravity);
    int found = 0;
    for (int i = 0; i < sim->contact_count; ++i) {
        const ts_contact contact = ts_sim_contact(sim, i);
        if (contact.body_a != focus && contact.body_b != focus) continue;
        int other = contact.body_a == focus ? contact.body_b : contact.body_a;
        ts_vec3 normal = ts_mat3_column(&contact.frame, 2);
        if (model->body[other].tree >= 0 || fabs(ts_vec3_dot(normal, up)) < 1.0 - 1e-9) return law;
        if (found && contact.surface.friction != law.mu) return law;
        law.mu = contact.surface.friction;
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

// Run i is solver i / k under integrator i % k of the k that are compared; without any, under the scene's.
static const ts_solver* solver_of(const compare_job* job, int i) {
    return job->chosen.solver[job->integrators.count > 0 ? i / job->integrators.count : i];
}

static const char* integrator_of(const compare_job* job, int i) {
    return job->integrators.count > 0 ? job->integrators.name[i % job->integrators.count] : "";
}

static ts_code configure(const compare_job* job, int i, ts_sim* sim, ts_status* status) {
    ts_code code = ts_setup_configure(sim, job->args, solver_of(job, i)->name, 1, status);
    if (code == TS_OK) ts_controls_follow(&job->controls, sim);
    const char* integrator = integrator_of(job, i);
    return code == TS_OK && integrator[0] ? ts_sim_set(sim, "integrator", integrator, status) : code;
}

// The diagonal of a body's box, m; 0 where it has none that is finite.
static double body_size(const ts_sim* sim, int body) {
    const ts_model* model = sim->model;
    ts_vec3 low = {HUGE_VAL, HUGE_VAL, HUGE_VAL}, high = {-HUGE_VAL, -HUGE_VAL, -HUGE_VAL};
    for (int g = 0; g < model->geom_count; ++g) {
        ts_vec3 a, b;
        if (model->geom[g].body != body) continue;
        ts_shape_bounds(&model->geom[g].shape, ts_kinematics_geom(&sim->kinematics, g), &a, &b);
        low = ts_vec3_min(low, a);
        high = ts_vec3_max(high, b);
    }
    double size = ts_vec3_distance(low, high);
    return isfinite(size) ? size : 0.0;
}

// What is large and small in the scene, as it is at the start.
static void take_scale(compare_job* job, const ts_sim* sim) {
    int focus = job->scene.focus;
    double smallest = HUGE_VAL;
    for (int b = 1; focus < 0 && b < sim->model->body_count; ++b) {
        double size = sim->model->body[b].tree >= 0 ? body_size(sim, b) : 0.0;
        if (size > 0.0) smallest = fmin(smallest, size);
    }
    job->comparison.sliding = sliding_law(&job->scene, sim);
    job->scale.gravity = sim->options.gravity;
    job->scale.mass = ts_model_total_mass(sim->model);
    job->scale.size = focus >= 0 ? body_size(sim, focus) : isfinite(smallest) ? smallest : 0.0;
    job->scale.time_step = sim->options.time_step;
    job->scale.on_floor = job->comparison.sliding.known;
}

// Configures a simulation for every run and throws it away again: all settings are checked before anything is written.
static ts_code rehearse(compare_job* job, ts_status* status) {
    for (int i = 0; i < job->comparison.planned; ++i) {
        ts_sim* sim = NULL;
        ts_code code = ts_sim_create(job->scene.model, 1, &sim, status);
        if (code == TS_OK) code = configure(job, i, sim, status);
        if (code == TS_OK && i == 0) {
            job->comparison.options = sim->options;
            code = ts_sim_forward(sim, status);
            if (code == TS_OK) take_scale(job, sim);
        }
        ts_sim_free(sim);
        if (code) return code;
    }
    return TS_OK;
}

static int prepare(compare_job* job, ts_status* status) {
    const ts_args* args = job->args;
    ts_comparison* comparison = &job->comparison;
    comparison->experiment = ts_experiment_find(args->subject);
    const char* scene = comparison->experiment ? ts_experiment_scene(comparison->experiment) : args->subject;
    const char* solvers = comparison->experiment ? comparison->experiment->solvers : "all";
    if (args->solvers) solvers = args->solvers;
    for (int i = 0; i < args->pair_count; ++i) {
        if (strncmp(args->pair[i], "solver=", 7) != 0) continue;
        ts_status_set(status, TS_ERROR_VALUE, NULL, 0, "compare chooses solvers with --solvers, not --set %s",
                      args->pair[i]);
        return TS_EXIT_USAGE;
    }
    if (!isnan(args->png_time) && !args->png && !args->out) {
        ts_status_set(status, TS_ERROR_VALUE, NULL, 0,
                      "--png-time is when pictures are taken: give --png FILE or --out DIR");
        return TS_EXIT_USAGE;
    }
    if (ts_setup_solvers(solvers, &job->chosen, status)) return TS_EXIT_USAGE;
    if (args->integrators && ts_setup_integrators(args->integrators, &job->integrators, status)) return TS_EXIT_USAGE;
    comparison->planned = job->chosen.count * (job->integrators.count > 0 ? job->integrators.count : 1);
    int exit_code = ts_setup_load(job->args, scene, &job->report, &job->scene, status);
    if (exit_code) return exit_code;
    if (ts_setup_strict(args, &job->report, scene, status)) return TS_EXIT_FAILED;
    ts_code code = ts_controls_read(args, job->scene.model, &job->controls, status);
    if (!code) code = rehearse(job, status);
    if (code) return code == TS_ERROR_VALUE ? TS_EXIT_USAGE : TS_EXIT_FAILED;
    comparison->scene = &job->scene;
    comparison->controls = &job->controls;
    comparison->duration = comparison->experiment ? comparison->experiment->duration : job->scene.duration;
    if (!isnan(args->time)) comparison->duration = args->time;
    job->scale.duration = comparison->duration;
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
    comparison->args = args;
    ts_replay_command("compare", args, &comparison->command);
    if (!isnan(args->png_time) && args->png_time > comparison->duration) {
        ts_status_set(status, TS_ERROR_VALUE, NULL, 0, "--png-time %g s is after the end of the run, %g s",
                      args->png_time, comparison->duration);
        return TS_EXIT_USAGE;
    }
    if (job->ranks.rank > 0) return TS_EXIT_DONE;
    if ((args->png || args->video) && ts_picture_available(status)) return TS_EXIT_FAILED;
    if (args->video && (ts_video_check(args->video, status) || ts_setup_writable(args->video, status)))
        return TS_EXIT_FAILED;
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
    int share = (job->comparison.planned + job->ranks.count - 1) / job->ranks.count;
    ts_progress_update(&job->progress, ((double)job->begun - 1.0 + part) / (double)share);
    if (ts_signals_caught()) ts_ranks_tell(&job->ranks, ts_signals_caught());
    return ts_ranks_reason(&job->ranks);
}

static ts_code run_solver(compare_job* job, int index, ts_status* status) {
    const ts_solver* solver = solver_of(job, index);
    ts_series* series = &job->comparison.series[index];
    job->begun++;
    job->current = series;
    char label[TS_SERIES_LABEL];
    snprintf(series->solver, sizeof series->solver, "%s", solver->name);
    snprintf(series->integrator, sizeof series->integrator, "%s", integrator_of(job, index));
    ts_series_label(series, label);
    series->law = solver->law;
    series->focus = job->scene.focus;
    snprintf(job->progress.label, sizeof job->progress.label, "%-16.40s", label);
    ts_sim* sim = NULL;
    ts_code code = ts_sim_create(job->scene.model, job->args->threads > 0 ? job->args->threads : 1, &sim, status);
    if (code == TS_OK) code = configure(job, index, sim, status);
    if (code) {
        ts_sim_free(sim);
        return code;
    }
    double start = ts_clock_seconds();
    series->code = ts_run_scene(&job->scene, sim, job->comparison.duration, observe, job, &series->status);
    series->wall = ts_clock_seconds() - start;
    ts_step_certificate_blame(sim, &series->status);
    ts_sim_free(sim);
    if (!ts_series_finish(series) || job->out_of_memory)
        return ts_status_set(status, TS_ERROR_MEMORY, NULL, 0, "out of memory while keeping the series of %s",
                             solver->name);
    return TS_OK;
}

// Every rank runs its share of the solvers: rank r those with the numbers r, r + count, r + 2 count, ...
static int run_share(compare_job* job, ts_status* status) {
    job->progress = ts_progress_begin("");
    if (job->ranks.rank > 0) job->progress.enabled = 0;
    ts_code code = TS_OK;
    for (int i = job->ranks.rank; i < job->comparison.planned; i += job->ranks.count) {
        code = run_solver(job, i, status);
        if (code) ts_ranks_tell(&job->ranks, code);
        if (code || ts_ranks_reason(&job->ranks)) break;
    }
    ts_progress_end(&job->progress);
    return code ? TS_EXIT_FAILED : TS_EXIT_DONE;
}

// Brings all series to rank 0, where each finds its place by the name of its solver.
static ts_code gather(compare_job* job, ts_status* status) {
    ts_comparison* comparison = &job->comparison;
    const ts_ranks* ranks = &job->ranks;
    if (ranks->count == 1) return TS_OK;
    ts_text own = {0};
    ts_text* packed = (ts_text*)calloc((size_t)ranks->count, sizeof *packed);
    for (int i = ranks->rank; i < comparison->planned && ranks->rank > 0; i += ranks->count)
        ts_series_pack(&comparison->series[i], &own);
    int exit_code = TS_EXIT_DONE;
    if (!packed || own.failed) {
        ts_status_set(status, TS_ERROR_MEMORY, NULL, 0, "out of memory while gathering the series");
        exit_code = TS_EXIT_FAILED;
    }
    exit_code = ts_ranks_agree(ranks, exit_code, status);
    if (exit_code == TS_EXIT_DONE) ts_ranks_gather(ranks, &own, packed);
    ts_code code = exit_code ? status->code : TS_OK;
    for (int r = 1; packed && r < ranks->count && ranks->rank == 0 && code == TS_OK; ++r) {
        size_t at = 0;
        for (int i = r; i < comparison->planned && code == TS_OK; i += ranks->count) {
            size_t used = ts_series_unpack(packed[r].data + at, packed[r].length - at, &comparison->series[i]);
            at += used;
            if (used == 0 || packed[r].failed)
                code = ts_status_set(status, TS_ERROR_MEMORY, NULL, 0, "the series of rank %d did not arrive whole", r);
        }
    }
    for (int r = 0; r < ranks->count && packed; ++r) ts_text_free(&packed[r]);
    free(packed);
    ts_text_free(&own);
    return code;
}

// What was begun moves up to where the runs that a signal prevented would be, and is measured.
static void measure(compare_job* job) {
    ts_comparison* comparison = &job->comparison;
    for (int i = 0; i < comparison->planned; ++i) {
        ts_series* series = &comparison->series[i];
        if (!series->solver[0]) continue;
        comparison->interrupted |= series->code == TS_ERROR_INTERRUPTED;
        ts_series* place = &comparison->series[comparison->count++];
        if (place == series) continue;
        *place = *series;
        memset(series, 0, sizeof *series);
    }
    comparison->interrupted |= comparison->count < comparison->planned;
    comparison->frame = ts_findings_frame(comparison->series, comparison->count, &job->scale);
    for (int i = 0; i < comparison->count; ++i)
        comparison->finding[i] = ts_findings_measure(comparison->series, &comparison->frame, i);
    comparison->groups =
        ts_findings_group(comparison->series, &comparison->frame, comparison->count, comparison->finding);
}

// --- results ---------------------------------------------------------------------------------------------------------

static ts_code write_files(ts_comparison* comparison, const char* directory, ts_status* status) {
    ts_page_files files = {.directory = directory};
    ts_text text = {0};
    ts_series_csv(comparison->series, comparison->count, &text);
    ts_page_files_write(&files, "data.csv", &text);
    ts_comparison_json(comparison, &text);
    ts_page_files_write(&files, "summary.json", &text);
    ts_report_html(comparison, &files, &text);
    ts_page_files_write(&files, "report.html", &text);
    if (comparison->replay.length > 0) {
        text = comparison->replay;  // which goes with it
        memset(&comparison->replay, 0, sizeof comparison->replay);
        ts_page_files_write(&files, "replay.html", &text);
    }
    *status = files.status;
    return status->code;
}

static void free_job(compare_job* job) {
    ts_comparison* comparison = &job->comparison;
    for (int i = 0; comparison->series && i < comparison->planned; ++i) ts_series_free(&comparison->series[i]);
    for (int i = 0; comparison->picture && i < comparison->planned; ++i) ts_text_free(&comparison->picture[i]);
    free(comparison->picture);
    free(comparison->series);
    free(comparison->finding);
    ts_convergence_free(comparison);
    ts_text_free(&comparison->row_picture);
    ts_text_free(&comparison->loop);
    ts_text_free(&comparison->replay);
    ts_text_free(&comparison->command);
    ts_loaded_scene_free(&job->scene);
    ts_controls_free(&job->controls);
    ts_import_report_free(&job->report);
}

static int conclude(compare_job* job) {
    const ts_args* args = job->args;
    ts_comparison* comparison = &job->comparison;
    int exit_code = TS_EXIT_DONE;
    ts_status status;
    ts_status_ok(&status);
    if (comparison->interrupted) {
        exit_code = 128 + ts_ranks_reason(&job->ranks);
        ts_status_set(&status, TS_ERROR_INTERRUPTED, NULL, 0, "stopped before all solvers were begun");
        for (int i = 0; i < comparison->count; ++i)
            if (comparison->series[i].code == TS_ERROR_INTERRUPTED) status = comparison->series[i].status;
    } else if (ts_comparison_finished(comparison) == 0) {
        // Blowing up is a result like any other, as long as somebody did not.
        exit_code = TS_EXIT_FAILED;
        status = comparison->series[0].status;
    }
    if (status.code) ts_console_error("compare", 0, exit_code, &status);
    if (args->out && !comparison->interrupted) {
        ts_convergence_measure(comparison);
        ts_comparison_take_replay(comparison);
    }
    int pictured = !comparison->interrupted && ts_pictures_take(args, comparison, &status) == TS_OK;
    if (!comparison->interrupted && !pictured) {
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
        else if (!args->png && !args->video)
            ts_text_add(&text, "\nAdd --out DIR for a report with plots.\n");
        if (args->png && pictured)
            ts_text_add(&text, "\npicture: %s (t = %.4g s)\n", args->png, comparison->picture_time);
        if (args->video && pictured) ts_text_add(&text, "\nfilm: %s\n", args->video);
    }
    return ts_console_print(&text, exit_code);
}

// Everything up to the point where rank 0 has all series. Returns an exit code that all ranks share.
static int run(compare_job* job, ts_status* status) {
    int own = prepare(job, status);
    int exit_code = ts_ranks_agree(&job->ranks, own, status);
    if (own || exit_code) return exit_code;
    if (job->ranks.rank == 0) ts_setup_note_report(job->args->subject, &job->report);
    ts_signals_begin();
    exit_code = run_share(job, status);
    ts_ranks_meet(&job->ranks);
    exit_code = ts_ranks_agree(&job->ranks, exit_code, status);
    if (exit_code) return exit_code;
    return gather(job, status) ? TS_EXIT_FAILED : TS_EXIT_DONE;
}

int ts_cmd_compare(const ts_args* args) {
    compare_job job;
    memset(&job, 0, sizeof job);
    job.args = args;
    job.ranks = ts_ranks_here();
    ts_status status;
    ts_status_ok(&status);
    int exit_code = run(&job, &status);
    if (job.ranks.rank == 0 && exit_code) {
        if (job.made_directory) rmdir(args->out);
        exit_code = ts_console_error("compare", args->json, exit_code, &status);
    } else if (job.ranks.rank == 0) {
        measure(&job);
        exit_code = conclude(&job);
    }
    exit_code = ts_ranks_share(&job.ranks, exit_code);
    free_job(&job);
    return exit_code;
}
