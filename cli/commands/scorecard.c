// `touchstone scorecard`: every experiment under every solver, in one table.
#include "cli/commands/commands.h"

#include "bench/bench.h"
#include "cli/console.h"
#include "cli/progress.h"
#include "cli/report/replay_internal.h"
#include "cli/scorecard/scorecard_internal.h"
#include "cli/setup.h"
#include "cli/signals.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

// s of processor time for a run where nobody says: far more than any takes but those of methods that are known to be slow.
static const double usual_limit = 60.0;

static int stop(void* user) {
    (void)user;
    return ts_signals_caught();
}

static void show(void* user, double share) { ts_progress_update((ts_progress*)user, share); }

static const char* experiment_name(const void* context, int i) {
    (void)context;
    return ts_experiment_at(i)->name;
}

// Experiments that --only names, or all; --quick leaves out the slow ones.
static ts_code choose_experiments(const ts_args* args, ts_scorecard* card, ts_status* out_status) {
    for (int i = 0; i < ts_experiment_count() && card->experiment_count < TS_SCORECARD_EXPERIMENTS; ++i) {
        const ts_experiment* experiment = ts_experiment_at(i);
        if (args->only && !strstr(experiment->name, args->only)) continue;
        if (experiment->measure_count == 0 || (args->quick && experiment->slow)) continue;
        card->experiment[card->experiment_count++] = experiment;
    }
    if (card->experiment_count > 0) return TS_OK;
    char room[TS_ARGS_HINT];
    return ts_status_set(out_status, TS_ERROR_VALUE, NULL, 0,
                         "no experiment that measures something has '%s' in its name%s", args->only,
                         ts_args_hint(args->only, experiment_name, NULL, ts_experiment_count(),
                                      "; 'touchstone list experiments' names all", room));
}

static ts_code choose(const ts_args* args, ts_scorecard* card, ts_status* out_status) {
    ts_solver_choice solvers;
    ts_code code = ts_setup_solvers(args->solvers ? args->solvers : "all", &solvers, out_status);
    if (code) return code;
    for (int i = 0; i < solvers.count; ++i) card->entrant[card->entrant_count++].solver = solvers.solver[i];
    if (args->peers && !ts_bench_lab_engine(0))
        return ts_status_set(out_status, TS_ERROR_UNSUPPORTED, NULL, 0,
                             "--peers: this build has none; configure with -DTS_PEERS=ON (docs/laboratory.md)");
    for (int i = 0; args->peers && ts_bench_lab_engine(i) && card->entrant_count < TS_SCORECARD_ENTRANTS; ++i)
        card->entrant[card->entrant_count++].engine = ts_bench_lab_engine(i);
    return choose_experiments(args, card, out_status);
}

static ts_code write_files(const ts_scorecard* card, const char* directory, ts_status* out_status) {
    ts_page_files files = {.directory = directory};
    ts_text text = {0};
    ts_scorecard_markdown(card, &text);
    ts_page_files_write(&files, "scorecard.md", &text);
    ts_json json = ts_json_begin(&text);
    ts_scorecard_json(card, &json);
    ts_text_add(&text, "\n");
    ts_page_files_write(&files, "scorecard.json", &text);
    ts_scorecard_html(card, &files, &text);
    ts_page_files_write(&files, "scorecard.html", &text);
    *out_status = files.status;
    return out_status->code;
}

static int threads_of(const ts_args* args) {
    if (args->threads > 0) return args->threads;
    long cores = sysconf(_SC_NPROCESSORS_ONLN);
    return cores > 0 ? (int)cores : 1;
}

// Prints, and writes where --out says so. Returns the exit code.
static int conclude(const ts_args* args, const ts_scorecard* card) {
    ts_status status;
    ts_text text = {0};
    int exit_code = card->interrupted ? ts_signals_exit_code() : TS_EXIT_DONE;
    ts_status_ok(&status);
    if (args->out && write_files(card, args->out, &status))
        return ts_console_error("scorecard", args->json, TS_EXIT_FAILED, &status);
    if (args->json) {
        ts_json json = ts_json_begin(&text);
        ts_scorecard_json(card, &json);
        ts_text_add(&text, "\n");
    } else {
        ts_scorecard_markdown(card, &text);
        if (args->out)
            ts_text_add(&text, "page: %s/scorecard.html\n", args->out);
        else
            ts_text_add(&text, "Add --out DIR for a page with plots.\n");
    }
    return ts_console_print(&text, exit_code);
}

int ts_cmd_scorecard(const ts_args* args) {
    ts_scorecard card;
    ts_status status;
    ts_text command = {0};
    int created = 0;
    memset(&card, 0, sizeof card);
    ts_status_ok(&status);
    if (choose(args, &card, &status)) return ts_console_error("scorecard", args->json, TS_EXIT_USAGE, &status);
    if (args->out && ts_setup_directory(args->out, &created, &status))
        return ts_console_error("scorecard", args->json, TS_EXIT_FAILED, &status);
    ts_replay_command("scorecard", args, &command);
    card.command = ts_text_get(&command);
    card.limit = isnan(args->time_limit) ? usual_limit : args->time_limit;
    ts_signals_begin();
    ts_progress progress = ts_progress_begin("experiments");
    ts_code code = ts_scorecard_make(&card, threads_of(args), stop, show, &progress, &status);
    ts_progress_end(&progress);
    int exit_code = code ? ts_console_error("scorecard", args->json, TS_EXIT_FAILED, &status) : conclude(args, &card);
    ts_scorecard_free(&card);
    ts_text_free(&command);
    return exit_code;
}
