// How a call says that the world, not the programmer, was wrong: a code, and for people a message with a place.
#ifndef TS_BASE_STATUS_H
#define TS_BASE_STATUS_H

#ifdef __cplusplus
extern "C" {
#endif

/// What kind of thing went wrong. TS_OK is zero, so `if (code)` reads as "if it failed".
typedef enum ts_code {
    TS_OK = 0,
    TS_ERROR_FILE,         // cannot be opened, read or written
    TS_ERROR_PARSE,        // not the format it should be
    TS_ERROR_VALUE,        // a number, name or combination that makes no sense
    TS_ERROR_MEMORY,       // out of memory, or over a stated limit
    TS_ERROR_UNSUPPORTED,  // understood, but this build or version cannot do it
    TS_ERROR_NUMERIC,      // the computation left the finite numbers
    TS_ERROR_INTERRUPTED   // stopped by the caller
} ts_code;

/// A code with its message. `file` is empty and `line` 0 when there is no place to name. Plain data: copy freely.
typedef struct ts_status {
    ts_code code;
    int line;
    char file[256];
    char message[512];
} ts_status;

/// Fills *out_status (may be NULL) with code, place and a printf-style message; returns the code so that callers can
/// write `return ts_status_set(...)`. `file` may be NULL. Over-long text is cut.
ts_code ts_status_set(ts_status* out_status, ts_code code, const char* file, int line, const char* format, ...)
#if defined(__GNUC__)
    __attribute__((format(printf, 5, 6)))
#endif
    ;

/// Marks *out_status (may be NULL) as success and returns TS_OK.
ts_code ts_status_ok(ts_status* out_status);

/// The name of a code in plain words, e.g. "bad value". Never NULL.
const char* ts_code_name(ts_code code);

/// Writes "file:line: message", "file: message" or "message" into text (size bytes, always terminated).
void ts_status_format(const ts_status* status, char* out_text, unsigned long size);

#ifdef __cplusplus
}
#endif
#endif
