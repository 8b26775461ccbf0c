// Status values: a code, a place and a message in one plain struct.
//
// The message is formatted into a local buffer first, so a caller may build a new message out of the old one
// (`ts_status_set(s, ..., "while loading: %s", s->message)`) without reading what it overwrites.
#include "base/status.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

ts_code ts_status_set(ts_status* out_status, ts_code code, const char* file, int line, const char* format, ...) {
    if (!out_status) return code;
    ts_status fresh;
    memset(&fresh, 0, sizeof fresh);
    fresh.code = code;
    fresh.line = line;
    if (file) snprintf(fresh.file, sizeof fresh.file, "%s", file);
    va_list arguments;
    va_start(arguments, format);
    if (vsnprintf(fresh.message, sizeof fresh.message, format, arguments) < 0) fresh.message[0] = '\0';
    va_end(arguments);
    *out_status = fresh;
    return code;
}

ts_code ts_status_ok(ts_status* out_status) {
    if (!out_status) return TS_OK;
    // Not all of its text: a step of a small scene ends here, too.
    out_status->code = TS_OK;
    out_status->line = 0;
    out_status->file[0] = out_status->message[0] = '\0';
    return TS_OK;
}

const char* ts_code_name(ts_code code) {
    switch (code) {
    case TS_OK: return "ok";
    case TS_ERROR_FILE: return "file error";
    case TS_ERROR_PARSE: return "parse error";
    case TS_ERROR_VALUE: return "bad value";
    case TS_ERROR_MEMORY: return "out of memory";
    case TS_ERROR_UNSUPPORTED: return "unsupported";
    case TS_ERROR_NUMERIC: return "numerical failure";
    case TS_ERROR_INTERRUPTED: return "interrupted";
    }
    return "unknown error";
}

void ts_status_format(const ts_status* status, char* out_text, unsigned long size) {
    if (size == 0) return;
    if (status->file[0] && status->line > 0)
        snprintf(out_text, size, "%s:%d: %s", status->file, status->line, status->message);
    else if (status->file[0])
        snprintf(out_text, size, "%s: %s", status->file, status->message);
    else
        snprintf(out_text, size, "%s", status->message);
}
