// `touchstone gradient`: a gradient of a run, and whether to trust it.
#include "cli/commands/commands.h"

#include "cli/console.h"
#include "cli/gradient/gradient_internal.h"
#include "cli/report/replay_internal.h"
#include "cli/setup.h"
#include "cli/signals.h"

#include <stdlib.h>
#include <unistd.h>

static ts_code write_files(const ts_gradient* self, ts_status* status) {
    ts_page_files files = {.directory = self->args->out};
    ts_text text = {0}, command = {0};
    ts_replay_command("gradient", self->args, &command);
    ts_gradient_csv(self, &text);
    ts_page_files_write(&files, "gradient.csv", &text);
    ts_gradient_json(self, &text);
    ts_page_files_write(&files, "gradient.json", &text);
    ts_gradient_html(self, ts_text_get(&command), &files, &text);
    ts_page_files_write(&files, "gradient.html", &text);
    ts_text_free(&command);
    *status = files.status;
    return status->code;
}

static int audit(ts_gradient* self, ts_import_report* report, ts_status* status) {
    const ts_args* args = self->args;
    int created = 0;
    int exit_code = ts_setup_load(args, args->subject, report, self->scene, status);
    if (exit_code) return exit_code;
    if (args->solver && !ts_setup_solver(args->solver, status)) return TS_EXIT_USAGE;
    ts_code code = ts_gradient_plan(self, status);
    if (code) return code == TS_ERROR_VALUE ? TS_EXIT_USAGE : TS_EXIT_FAILED;
    if (args->out && ts_setup_directory(args->out, &created, status)) return TS_EXIT_FAILED;
    ts_setup_note_report(args->subject, report);
    long cores = sysconf(_SC_NPROCESSORS_ONLN);
    ts_signals_begin();
    code = ts_gradient_make(self, args->threads > 0 ? args->threads : cores > 0 ? (int)cores : 1, status);
    if (ts_signals_caught()) return ts_signals_exit_code();
    if (code == TS_ERROR_VALUE) return TS_EXIT_USAGE;
    if (code) return TS_EXIT_FAILED;
    return args->out && write_files(self, status) ? TS_EXIT_FAILED : TS_EXIT_DONE;
}

int ts_cmd_gradient(const ts_args* args) {
    ts_gradient* self = (ts_gradient*)calloc(1, sizeof *self);
    ts_loaded_scene scene = {0};
    ts_import_report report = {0};
    ts_status status;
    ts_text text = {0};
    int exit_code = TS_EXIT_FAILED;
    ts_status_ok(&status);
    if (self) {
        self->args = args;
        self->scene = &scene;
        exit_code = audit(self, &report, &status);
    } else {
        ts_status_set(&status, TS_ERROR_MEMORY, NULL, 0, "out of memory");
    }
    if (exit_code) {
        exit_code = ts_console_error("gradient", args->json, exit_code, &status);
    } else {
        if (args->json)
            ts_gradient_json(self, &text);
        else
            ts_gradient_text(self, &text);
        if (!args->json && args->out) ts_text_add(&text, "page: %s/gradient.html\n", args->out);
        exit_code = ts_console_print(&text, exit_code);
    }
    if (self) ts_gradient_free(self);
    free(self);
    ts_loaded_scene_free(&scene);
    ts_import_report_free(&report);
    return exit_code;
}
