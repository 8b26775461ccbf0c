// A log of contacts in CSV: columns by their names, in any order; those that are not known are passed over.
#include "cli/judge/log_format_internal.h"

#include "cli/args.h"
#include "cli/csv_internal.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Columns of a line.
enum { COLUMNS = 128 };

// Bytes of a file; more is a mistake.
static const size_t file_limit = (size_t)1 << 32;

typedef struct csv_log {
    char* text;
    char* at;
    const char* file;  // borrowed
    int line;
    int count;          // of columns
    int kind[COLUMNS];  // TS_LOG_COLUMNS: passed over
} csv_log;

static ts_code refuse(const csv_log* log, ts_status* out_status, const char* what, const char* which) {
    return ts_status_set(out_status, TS_ERROR_VALUE, log->file, log->line, what, which);
}

static ts_code read_headings(csv_log* log, int has[TS_LOG_COLUMNS], ts_status* out_status) {
    char* cursor = ts_csv_line(&log->at);
    log->line = 1;
    if (!cursor) return refuse(log, out_status, "the file is empty%s", "");
    while (cursor) {
        const char* name = ts_csv_field(&cursor);
        int kind = 0;
        while (kind < TS_LOG_COLUMNS && strcmp(ts_log_column_at((ts_log_column)kind)->name, name) != 0) ++kind;
        if (log->count == COLUMNS) return refuse(log, out_status, "more than 128 columns%s", "");
        if (kind < TS_LOG_COLUMNS && has[kind]) return refuse(log, out_status, "two columns are called '%.40s'", name);
        if (kind < TS_LOG_COLUMNS) has[kind] = 1;
        log->kind[log->count++] = kind;
    }
    for (int k = 0; k < TS_LOG_COLUMNS; ++k)
        if (ts_log_column_at((ts_log_column)k)->needed && !has[k])
            return refuse(log, out_status, "no column is called '%s'; 'touchstone judge --help' tells what a log needs",
                          ts_log_column_at((ts_log_column)k)->name);
    return TS_OK;
}

static ts_code csv_next(void* handle, ts_log_line* line, int* out_more, ts_status* out_status) {
    csv_log* log = (csv_log*)handle;
    char* cursor = NULL;
    *out_more = 0;
    do {
        cursor = ts_csv_line(&log->at);
        line->line = ++log->line;
        if (!cursor) return TS_OK;
    } while (!cursor[strspn(cursor, " \t\r")]);
    for (int k = 0; k < log->count; ++k) {
        const char* field = cursor ? ts_csv_field(&cursor) : NULL;
        int kind = log->kind[k];
        if (!field)
            return refuse(log, out_status, "the line ends before '%s'",
                          kind < TS_LOG_COLUMNS ? ts_log_column_at((ts_log_column)kind)->name : "its last column");
        if (kind == TS_LOG_COLUMNS) continue;
        if (ts_log_column_is_name((ts_log_column)kind))
            ts_logged_contact_name(kind == TS_LOG_A ? line->a : line->b, field);
        else if (!ts_args_number(field, &line->number[kind]) || !isfinite(line->number[kind]))
            return ts_status_set(out_status, TS_ERROR_VALUE, log->file, log->line, "%s: '%.60s' is not a number",
                                 ts_log_column_at((ts_log_column)kind)->name, field);
    }
    if (cursor) return refuse(log, out_status, "the line has more fields than the first%s", "");
    *out_more = 1;
    return TS_OK;
}

static void csv_close(void* handle) {
    csv_log* log = (csv_log*)handle;
    free(log->text);
    free(log);
}

// The text of a file in a log of its own; NULL, with the reason, where it cannot be read.
static csv_log* read_file(const char* file, ts_status* out_status) {
    ts_text text = {0};
    if (ts_text_read_file(file, file_limit, &text, out_status)) return NULL;
    csv_log* log = (csv_log*)calloc(1, sizeof *log);
    char* copy = (char*)malloc(text.length + 1);
    if (log && copy) {
        memcpy(copy, ts_text_get(&text), text.length + 1);
        log->text = copy;
        log->at = copy + ts_text_mark(copy, text.length);
        log->file = file;
        if (strlen(copy) == text.length) {
            ts_text_free(&text);
            return log;
        }
        ts_status_set(out_status, TS_ERROR_VALUE, file, 1, "this is no text file");
    } else {
        ts_status_set(out_status, TS_ERROR_MEMORY, file, 0, "out of memory");
    }
    ts_text_free(&text);
    free(copy);
    free(log);
    return NULL;
}

ts_code ts_log_csv_open(const char* file, ts_log_reader* reader, ts_status* out_status) {
    static const ts_log_format format = {csv_next, csv_close};
    csv_log* log = read_file(file, out_status);
    if (!log) return out_status->code;
    ts_code code = read_headings(log, reader->has, out_status);
    if (code) {
        csv_close(log);
        return code;
    }
    reader->file = file;
    reader->format = &format;
    reader->handle = log;
    return TS_OK;
}
