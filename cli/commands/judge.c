// `touchstone judge`: certifies the contacts that another engine, or an earlier run, has told of.
#include "cli/commands/commands.h"

#include "cli/console.h"
#include "cli/judge/judge_internal.h"
#include "cli/setup.h"
#include "cli/signals.h"

#include <string.h>

typedef struct judge_job {
    const ts_args* args;
    ts_contact_log* log;
    ts_logged_step step;
    ts_contact_sheet sheet;
    ts_findings findings;
} judge_job;

// All steps, or those until Ctrl-C.
static ts_code judge_all(judge_job* job, ts_status* status) {
    ts_code code = ts_status_ok(status);
    int more = 1;
    while (!code && more && !ts_signals_caught()) {
        code = ts_contact_log_next(job->log, &job->step, &more, status);
        if (!code && more) code = ts_logged_step_certify(&job->step, status);
        if (!code && more) code = ts_findings_add(&job->findings, &job->step, status);
        if (!code && more && job->sheet.open) code = ts_contact_sheet_add(&job->sheet, &job->step, status);
    }
    return code;
}

static int conclude(judge_job* job) {
    const ts_args* args = job->args;
    ts_text text = {0};
    int exit_code = ts_signals_caught() ? ts_signals_exit_code() : TS_EXIT_DONE;
    if (!exit_code && args->strict && ts_findings_first(&job->findings) > 0) exit_code = TS_EXIT_FAILED;
    if (args->json) {
        ts_json json = ts_json_begin(&text);
        ts_json_object(&json);
        ts_json_add_string(&json, "file", args->subject);
        ts_json_add_bool(&json, "finished", !ts_signals_caught());
        ts_json_key(&json, "judged");
        ts_findings_json(&job->findings, &json);
        ts_json_object_end(&json);
        ts_text_add(&text, "\n");
    } else {
        ts_text_add(&text, "%s%s\n", args->subject, ts_signals_caught() ? ": INTERRUPTED, judged as far as this" : "");
        ts_findings_text(&job->findings, "  ", &text);
        if (args->out) ts_text_add(&text, "  certificates %s, %lld lines\n", args->out, job->sheet.lines);
    }
    return ts_console_print(&text, exit_code);
}

static ts_code prepare(judge_job* job, ts_status* status) {
    const ts_args* args = job->args;
    ts_code code = ts_contact_log_open(args->subject, &job->log, status);
    if (code || !args->out) return code;
    if (ts_setup_same_file(args->subject, args->out))
        return ts_status_set(status, TS_ERROR_VALUE, NULL, 0, "%s is the file to judge", args->out);
    return ts_contact_sheet_open(&job->sheet, args->out, status);
}

int ts_cmd_judge(const ts_args* args) {
    judge_job job;
    ts_status status, closing;
    memset(&job, 0, sizeof job);
    job.args = args;
    ts_signals_begin();
    ts_code code = prepare(&job, &status);
    if (!code) code = judge_all(&job, &status);
    if (ts_contact_sheet_close(&job.sheet, &closing) && !code) {
        code = closing.code;
        status = closing;
    }
    int exit_code = code ? ts_console_error("judge", args->json, TS_EXIT_FAILED, &status) : conclude(&job);
    ts_contact_log_close(job.log);
    ts_logged_step_free(&job.step);
    ts_findings_free(&job.findings);
    return exit_code;
}
