// `touchstone run`: one scene, one solver, a summary, and a recording when asked for.
#include "cli/commands/commands.h"

#include "base/clock.h"
#include "cli/console.h"
#include "cli/controls.h"
#include "cli/progress.h"
#include "cli/setup.h"
#include "cli/signals.h"
#include "cli/report/replay_internal.h"
#include "cli/report/stats_internal.h"
#include "cli/judge/judge_internal.h"
#include "cli/ledger_sheet_internal.h"
#include "cli/step_certificate_internal.h"
#include "engine/step/certify.h"
#include "engine/record/record.h"
#include "scenes/run.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

typedef struct run_job {
    const ts_args* args;
    ts_import_report report;
    ts_loaded_scene scene;
    ts_controls controls;
    ts_sim* sim;
    ts_record* record;
    ts_stats stats;
    ts_progress progress;
    char from[4096];  // recording it starts from, "" for none
    double begin;     // s, and the step count of that moment
    long long first_step;
    double duration;      // s, from there
    double wall;          // s
    long long rows;       // recorded
    long long dump_step;  // whose problem is written; 0: none
    const char* dump_file;
    int dumped;
    ts_step_certificate certificate;
    ts_contact_sheet sheet;  // certificates of all steps
    ts_logged_step step;
    ts_findings findings;
    ts_ledger_sheet ledger;
    ts_code code;  // of the run itself
    ts_status status;
    ts_status recording;  // of the recording
} run_job;

// With --certificates: certifies all contacts of the step just done.
static ts_code certify(run_job* job, const ts_sim* sim) {
    if (!job->sheet.open || sim->step_count == job->first_step) return TS_OK;
    ts_code code = ts_logged_step_take(&job->step, sim, &job->recording);
    if (!code) code = ts_findings_add(&job->findings, &job->step, &job->recording);
    return code ? code : ts_contact_sheet_add(&job->sheet, &job->step, &job->recording);
}

static int observe(void* user, ts_sim* sim) {
    run_job* job = (run_job*)user;
    ts_stats_add(&job->stats, sim);
    if (job->record) {
        if (ts_record_append(job->record, sim, &job->recording)) return 1;
        job->rows++;
    }
    if (job->dump_step > 0 && sim->step_count == job->dump_step) {
        if (ts_problem_dump(sim, job->scene.name, job->dump_file, &job->recording)) return 1;
        job->dumped = 1;
    }
    if (ts_step_certificate_see(&job->certificate, sim, &job->recording)) return 1;
    if (certify(job, sim)) return 1;
    ts_ledger_sheet_add(&job->ledger, sim);
    ts_progress_update(&job->progress, job->duration > 0.0 ? (sim->time - job->begin) / job->duration : 1.0);
    return ts_signals_caught();
}

// A step that will never come is found before the run, not after it.
static int check_step(const run_job* job, const char* flag, long long step, ts_status* status) {
    long long steps = job->first_step + ts_run_steps(job->duration, job->sim->options.time_step);
    if (step == 0 || (step > job->first_step && step <= steps)) return TS_EXIT_DONE;
    if (job->first_step > 0)
        ts_status_set(status, TS_ERROR_VALUE, NULL, 0, "%s asks for step %lld of a run from step %lld to %lld", flag,
                      step, job->first_step + 1, steps);
    else
        ts_status_set(status, TS_ERROR_VALUE, NULL, 0, "%s asks for step %lld of a run of %lld steps", flag, step,
                      steps);
    return TS_EXIT_USAGE;
}

// "STEP:FILE".
static int parse_dump(run_job* job, const char* text, ts_status* status) {
    const char* colon = strchr(text, ':');
    char number[32];
    double step = 0.0;
    snprintf(number, sizeof number, "%.*s", colon && colon - text < 31 ? (int)(colon - text) : 0, text);
    if (!colon || !colon[1] || !ts_args_number(number, &step) || step != floor(step) || step < 1.0 || step > 1e15) {
        ts_status_set(status, TS_ERROR_VALUE, NULL, 0,
                      "--dump-problem takes STEP:FILE, such as 100:problem.hdf5, not '%s'", text);
        return TS_EXIT_USAGE;
    }
    job->dump_step = (long long)step;
    job->dump_file = colon + 1;
    int exit_code = check_step(job, "--dump-problem", job->dump_step, status);
    if (exit_code) return exit_code;
    return ts_setup_writable(job->dump_file, status) ? TS_EXIT_FAILED : TS_EXIT_DONE;
}

static int parse_certificate(run_job* job, const char* text, ts_status* status) {
    if (ts_step_certificate_parse(text, &job->certificate, status)) return TS_EXIT_USAGE;
    job->certificate.scene = job->scene.name;
    int exit_code = check_step(job, "--certificate", job->certificate.step, status);
    if (exit_code) return exit_code;
    return ts_setup_writable(job->certificate.file, status) ? TS_EXIT_FAILED : TS_EXIT_DONE;
}

// No output may take the place of another one, nor of the model. Devices are nobody's place.
static int check_outputs(const run_job* job, ts_status* status) {
    const ts_args* args = job->args;
    enum { FILES = 7, INPUTS = 2 };
    const char* name[FILES] = {args->subject,  job->from[0] ? job->from : NULL, args->out,
                               job->dump_file, job->certificate.file,           args->certificates,
                               args->ledger};
    for (int i = 0; i < FILES; ++i)
        for (int k = i < INPUTS ? INPUTS : i + 1; k < FILES; ++k) {
            struct stat info;
            if (!name[i] || !name[k] || !ts_setup_same_file(name[i], name[k])) continue;
            if (stat(name[k], &info) == 0 && !S_ISREG(info.st_mode)) continue;
            ts_status_set(status, TS_ERROR_VALUE, NULL, 0,
                          i == 0   ? "%s is the model"
                          : i == 1 ? "%s is the recording to start from"
                                   : "two outputs would go to %s",
                          name[k]);
            return TS_EXIT_USAGE;
        }
    return TS_EXIT_DONE;
}

// Everything that can be wrong is found here, and nothing has been written when it is.
static int prepare(run_job* job, ts_status* status) {
    const ts_args* args = job->args;
    if (args->solver && !ts_setup_solver(args->solver, status)) return TS_EXIT_USAGE;
    int exit_code = ts_setup_load(args, args->subject, &job->report, &job->scene, status);
    if (exit_code) return exit_code;
    if (ts_setup_strict(args, &job->report, args->subject, status)) return TS_EXIT_FAILED;
    ts_code code = ts_controls_read(args, job->scene.model, &job->controls, status);
    if (code) return code == TS_ERROR_VALUE ? TS_EXIT_USAGE : TS_EXIT_FAILED;
    if (ts_sim_create(job->scene.model, args->threads > 0 ? args->threads : 1, &job->sim, status))
        return TS_EXIT_FAILED;
    code = ts_setup_configure(job->sim, args, args->solver, 0, status);
    if (code) return code == TS_ERROR_VALUE ? TS_EXIT_USAGE : TS_EXIT_FAILED;
    ts_controls_follow(&job->controls, job->sim);
    code = ts_setup_from(args, job->sim, job->from, sizeof job->from, status);
    if (code) return code == TS_ERROR_VALUE ? TS_EXIT_USAGE : TS_EXIT_FAILED;
    job->begin = job->sim->time;
    job->first_step = job->sim->step_count;
    job->duration = isnan(args->time) ? job->scene.duration : args->time;
    if (args->dump) exit_code = parse_dump(job, args->dump, status);
    if (!exit_code && args->certificate) exit_code = parse_certificate(job, args->certificate, status);
    if (!exit_code) exit_code = check_outputs(job, status);
    if (!exit_code && args->ledger && ts_setup_writable(args->ledger, status)) exit_code = TS_EXIT_FAILED;
    if (!exit_code && args->ledger) ts_ledger_sheet_keep(&job->ledger, args->ledger, job->sim);
    if (!exit_code && args->certificates && ts_contact_sheet_open(&job->sheet, args->certificates, status))
        exit_code = TS_EXIT_FAILED;
    if (exit_code || !args->out) return exit_code;
    job->sim->times = TS_STEP_TIMES_STAGES;
    code = ts_record_open(args->out, job->scene.name, job->sim, &job->record, status);
    if (!code && job->scene.file[0]) code = ts_record_note(job->record, "model_file", job->scene.file, status);
    if (code) return code == TS_ERROR_VALUE ? TS_EXIT_USAGE : TS_EXIT_FAILED;
    return TS_EXIT_DONE;
}

static int ended_well(const run_job* job) { return job->code == TS_OK || job->code == TS_ERROR_INTERRUPTED; }

// An output that could not be written is what went wrong where nothing else did.
static void close_output(run_job* job, ts_code code, const ts_status* status) {
    if (!code || !ended_well(job)) return;
    job->code = code;
    job->status = *status;
}

static void close_outputs(run_job* job) {
    ts_status status;
    // What was seen of a run before its numbers ceased to be finite is worth more than any other.
    int burst = job->code == TS_ERROR_NUMERIC;
    if (job->certificate.when && (ended_well(job) || (burst && job->certificate.found)))
        close_output(job, ts_step_certificate_write(&job->certificate, job->sim, &status), &status);
    if (ended_well(job) || burst) close_output(job, ts_ledger_sheet_write(&job->ledger, &status), &status);
    close_output(job, ts_contact_sheet_close(&job->sheet, &status), &status);
    if (job->record) close_output(job, ts_record_close(job->record, job->code == TS_OK, &status), &status);
    job->record = NULL;
}

static void execute(run_job* job) {
    char label[64];
    snprintf(label, sizeof label, "%.40s", job->scene.name);
    job->progress = ts_progress_begin(label);
    double start = ts_clock_seconds();
    job->code = ts_run_scene(&job->scene, job->sim, job->duration, observe, job, &job->status);
    job->wall = ts_clock_seconds() - start;
    ts_progress_end(&job->progress);
    ts_step_certificate_blame(job->sim, &job->status);
    if (job->recording.code) {
        job->status = job->recording;
        job->code = job->recording.code;
    }
    close_outputs(job);
}

static void add_energy(ts_text* text, const ts_stats* stats) {
    double first = stats->energy_first.kinetic + stats->energy_first.potential;
    double last = stats->energy_last.kinetic + stats->energy_last.potential;
    ts_text_add(text, "  energy       ");
    ts_stats_add_quantity(text, first, "J");
    ts_text_add(text, " at the start, ");
    ts_stats_add_quantity(text, last, "J");
    ts_text_add(text, " at the end (");
    ts_stats_add_quantity(text, stats->energy_last.kinetic, "J");
    ts_text_add(text, " kinetic)\n");
}

// The command that shows where the run stopped: out of its recording where that can be read again.
static void add_replay(ts_text* text, const run_job* job) {
    const char* out = job->args->out;
    const char* extension = out ? strrchr(out, '.') : NULL;
    int readable = extension && strcasecmp(extension, ".csv") != 0;
    ts_replay_view(job->args, job->args->subject, job->sim->solver->name, NULL, text);
    if (readable) {
        ts_replay_from(out, text);
        return;
    }
    if (job->args->from) ts_replay_from(job->args->from, text);
    ts_replay_time(job->stats.time_last, text);
}

static void add_controller(ts_text* text, const ts_controller_choice* choice) {
    const ts_controller* controller = choice->controller;
    if (!controller) return;
    ts_text_add(text, "  controller   %s", controller->name);
    for (int i = 0; i < controller->setting_count; ++i)
        ts_text_add(text, "%s %s=%g", i > 0 ? "," : ":", controller->setting[i].name, choice->value[i]);
    ts_text_add(text, "\n");
}

// What --certificates found, and the command that shows the first of it.
static void add_findings(ts_text* text, const run_job* job) {
    long long first = ts_findings_first(&job->findings);
    ts_text_add(text, "  certificates %s, %lld lines\n", job->args->certificates, job->sheet.lines);
    ts_findings_text(&job->findings, "               ", text);
    if (first == 0) return;
    ts_text replay = {0};
    ts_replay_run(job->args, &replay);
    ts_text_add(text, "               first: %s --certificate %lld:why.json\n", ts_text_get(&replay), first);
    ts_text_free(&replay);
}

static void add_title(ts_text* text, const run_job* job) {
    const ts_sim* sim = job->sim;
    ts_text_add(text, "%s under %s (%s), time step %g s", job->scene.name, sim->solver->name,
                ts_contact_law_name(sim->solver->law), sim->options.time_step);
    if (sim->solver->accuracy_count > 0 && strcmp(sim->options.accuracy, "exact") != 0)
        ts_text_add(text, ", accuracy %s", sim->options.accuracy);
    if (sim->options.substeps > 1) ts_text_add(text, " in %d substeps; verdicts are the worst", sim->options.substeps);
    ts_text_add(text, "\n");
}

static void add_summary(ts_text* text, const run_job* job) {
    const ts_stats* stats = &job->stats;
    const ts_sim* sim = job->sim;
    add_title(text, job);
    if (job->from[0])
        ts_text_add(text, "  start        %s, t = %g s\n", job->from, job->begin);
    else if (sim->start_keyframe >= 0)
        ts_text_add(text, "  start        keyframe '%s'\n", sim->model->keyframe[sim->start_keyframe].name);
    add_controller(text, &job->scene.control);
    ts_text_add(text, "  time         %g s of %g s: %lld steps in %.3g s of wall clock\n", stats->time_last,
                job->begin + job->duration, stats->steps, job->wall);
    ts_text_add(text, "  solves       ");
    ts_stats_statuses(stats, text);
    ts_text_add(text, "; iterations %.3g on average, %d at most\n", ts_stats_iterations_mean(stats),
                stats->iterations_most);
    ts_stats_stages(stats, sim->solver, text);
    ts_stats_verdicts(stats, text);
    ts_text_add(text, "  contacts     %d at most, penetration at worst ", stats->contacts_most);
    ts_stats_add_quantity(text, stats->worst_penetration, "m");
    ts_text_add(text, "\n");
    add_energy(text, stats);
    ts_stats_sleep(sim, text);
    if (job->scene.focus >= 0 && stats->started) {
        ts_vec3 p = sim->kinematics.body_pose[job->scene.focus].p;
        const char* name = sim->model->body[job->scene.focus].name;
        ts_text_add(text, "  %-12s at (%.6g, %.6g, %.6g) m\n", name[0] ? name : "focus body", p.x, p.y, p.z);
    }
    ts_text_add(text, "  step         %.3g us (median)\n", 1e6 * ts_stats_seconds_median(stats));
    if (job->args->out) ts_text_add(text, "  recording    %s, %lld rows\n", job->args->out, job->rows);
    if (job->dumped) ts_text_add(text, "  problem      %s, of step %lld\n", job->dump_file, job->dump_step);
    if (job->certificate.found)
        ts_text_add(text, "  certificate  %s, of step %lld\n", job->certificate.file, job->certificate.step);
    if (job->args->certificates) add_findings(text, job);
    if (job->args->ledger) ts_ledger_sheet_summary(&job->ledger, text);
    if (stats->narrow_failures > 0)
        ts_text_add(text, "  %lld collision queries did not end well: contacts may be missing or inexact.\n",
                    stats->narrow_failures);
    if (stats->unsolved_rotations > 0)
        ts_text_add(text, "  %lld times something turned too fast for the step: its gyroscopic force was left out.\n",
                    stats->unsolved_rotations);
    ts_stats_left_out(stats, "  ", "\n", text);
    long long bad = ts_stats_unconverged(stats);
    if (bad > 0)
        ts_text_add(text, "  %lld of %lld steps did not converge: their forces are not the law's answer.\n", bad,
                    stats->steps);
    if (stats->held_back_steps > 0)
        ts_text_add(text, "  In %lld of them forces were shortened, because they would have added energy.\n",
                    stats->held_back_steps);
    ts_text words = {0};
    ts_stats_limit(stats, &words);
    if (words.length > 0) ts_text_add(text, "  The solver was %s.\n", ts_text_get(&words));
    ts_text_free(&words);
    ts_stats_alarm(stats, &words);
    if (words.length > 0) ts_text_add(text, "  Alarm: %s.\n", ts_text_get(&words));
    ts_text_free(&words);
    if (job->code)
        ts_text_add(text, "  The run did not reach its end; the numbers are those up to t = %g s.\n", stats->time_last);
    if (job->code == TS_ERROR_NUMERIC) {
        ts_text replay = {0};
        add_replay(&replay, job);
        ts_text_add(text, "  Its last good state, in the viewer:\n    %s\n", ts_text_get(&replay));
        ts_text_free(&replay);
    }
}

static void add_json(ts_text* text, const run_job* job, int exit_code) {
    const ts_sim* sim = job->sim;
    ts_json json = ts_json_begin(text);
    ts_json_object(&json);
    ts_json_add_string(&json, "touchstone", TS_VERSION);
    ts_json_add_string(&json, "scene", job->scene.name);
    ts_json_add_string(&json, "solver", sim->solver->name);
    ts_json_add_string(&json, "law", ts_contact_law_name(sim->solver->law));
    ts_json_add_string(&json, "keyframe",
                       sim->start_keyframe >= 0 ? sim->model->keyframe[sim->start_keyframe].name : NULL);
    ts_json_add_string(&json, "controller", job->scene.control.controller ? job->scene.control.controller->name : NULL);
    ts_json_add_number(&json, "time_step", sim->options.time_step);
    ts_json_add_number(&json, "duration", job->duration);
    ts_json_add_bool(&json, "finished", job->code == TS_OK);
    ts_stats_json(&job->stats, sim->solver, &json);
    ts_json_add_number(&json, "wall_seconds", job->wall);
    ts_json_add_string(&json, "recording", job->args->out);
    ts_json_add_string(&json, "from", job->from[0] ? job->from : NULL);
    ts_json_add_number(&json, "time_start", job->begin);
    ts_text replay = {0};
    if (job->code == TS_ERROR_NUMERIC) add_replay(&replay, job);
    ts_json_add_string(&json, "last_good_state", replay.length > 0 ? ts_text_get(&replay) : NULL);
    ts_text_free(&replay);
    ts_json_add_integer(&json, "recorded_rows", job->rows);
    ts_json_add_string(&json, "certificate", job->certificate.found ? job->certificate.file : NULL);
    ts_json_add_string(&json, "certificates", job->args->certificates);
    if (job->args->certificates) {
        ts_json_key(&json, "judged");
        ts_findings_json(&job->findings, &json);
    }
    if (job->args->ledger) {
        ts_json_key(&json, "ledger");
        ts_ledger_sheet_json(&job->ledger, &json);
    }
    ts_stats_sleep_json(sim, &json);
    ts_json_key(&json, "last_step");
    ts_step_certificate_summary(sim, &json);
    ts_json_add_integer(&json, "import_ignored", ts_import_report_count(&job->report, TS_IMPORT_IGNORED, 1));
    ts_json_add_integer(&json, "import_approximated", ts_import_report_count(&job->report, TS_IMPORT_APPROXIMATED, 1));
    ts_json_key(&json, "error");
    ts_console_json_error(&json, job->code ? &job->status : NULL, exit_code);
    ts_json_object_end(&json);
    ts_text_add(text, "\n");
}

static void free_job(run_job* job) {
    if (job->record) ts_record_close(job->record, 0, NULL);
    ts_sim_free(job->sim);
    ts_loaded_scene_free(&job->scene);
    ts_controls_free(&job->controls);
    ts_import_report_free(&job->report);
    ts_stats_free(&job->stats);
    ts_step_certificate_free(&job->certificate);
    ts_contact_sheet_close(&job->sheet, NULL);
    ts_logged_step_free(&job->step);
    ts_findings_free(&job->findings);
    ts_ledger_sheet_free(&job->ledger);
}

// Flags that say how a batch is spread say nothing about one simulation.
static int refuse_batch(const ts_args* args, ts_status* status) {
    if (isnan(args->spread) && args->seed < 0) return TS_EXIT_DONE;
    ts_status_set(status, TS_ERROR_VALUE, NULL, 0, "%s is of a batch: it needs --batch",
                  isnan(args->spread) ? "--seed" : "--spread");
    return TS_EXIT_USAGE;
}

int ts_cmd_run(const ts_args* args) {
    if (args->copies > 0) return ts_cmd_run_batch(args);
    run_job job;
    memset(&job, 0, sizeof job);
    job.args = args;
    ts_status status;
    ts_status_ok(&status);
    int exit_code = refuse_batch(args, &status);
    if (!exit_code) exit_code = prepare(&job, &status);
    if (exit_code) {
        free_job(&job);
        return ts_console_error("run", args->json, exit_code, &status);
    }
    ts_setup_note_report(args->subject, &job.report);
    ts_signals_begin();
    execute(&job);
    if (job.code == TS_ERROR_INTERRUPTED && ts_signals_caught())
        exit_code = ts_signals_exit_code();
    else if (job.code)
        exit_code = TS_EXIT_FAILED;
    if (job.code) ts_console_error("run", 0, exit_code, &job.status);
    ts_text text = {0};
    if (args->json)
        add_json(&text, &job, exit_code);
    else
        add_summary(&text, &job);
    free_job(&job);
    return ts_console_print(&text, exit_code);
}
