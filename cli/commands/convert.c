// touchstone convert: a model file as clean MJCF.
#include "cli/commands/commands.h"

#include "cli/console.h"
#include "cli/setup.h"
#include "engine/write/mjcf_writer.h"

#include <string.h>

static int convert(const ts_args* args, ts_import_report* report, ts_loaded_scene* scene, ts_status* status) {
    if (!args->second) {
        ts_status_set(status, TS_ERROR_VALUE, NULL, 0,
                      "convert needs two files: the one to read, and the one to write");
        return TS_EXIT_USAGE;
    }
    if (ts_setup_same_file(args->subject, args->second)) {
        ts_status_set(status, TS_ERROR_VALUE, args->second, 0, "this is the file to read");
        return TS_EXIT_USAGE;
    }
    int exit_code = ts_setup_load(args, args->subject, report, scene, status);
    if (exit_code) return exit_code;
    if (ts_setup_strict(args, report, args->subject, status)) return TS_EXIT_FAILED;
    return ts_mjcf_writer_save(scene->model, args->second, status) ? TS_EXIT_FAILED : TS_EXIT_DONE;
}

int ts_cmd_convert(const ts_args* args) {
    ts_import_report report;
    ts_loaded_scene scene;
    ts_status status;
    memset(&report, 0, sizeof report);
    memset(&scene, 0, sizeof scene);
    ts_status_ok(&status);
    int exit_code = convert(args, &report, &scene, &status);
    if (!exit_code) ts_setup_note_report(args->subject, &report);
    ts_loaded_scene_free(&scene);
    ts_import_report_free(&report);
    return exit_code ? ts_console_error("convert", 0, exit_code, &status) : TS_EXIT_DONE;
}
