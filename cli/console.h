// What the program says: results on standard output, everything else on standard error.
#ifndef TS_CLI_CONSOLE_H
#define TS_CLI_CONSOLE_H

#include "base/text.h"
#include "cli/args.h"

/// Writes a result to standard output and frees it. Returns `exit_code`, or TS_EXIT_FAILED (and says so) when it cannot be
/// written or memory was short.
int ts_console_print(ts_text* text, int exit_code);

/// Says on standard error what went wrong ("touchstone: file:line: message"), and with `json` also as an object on
/// standard output. TS_EXIT_USAGE adds how to get help about `command` (may be NULL). Returns `exit_code`.
int ts_console_error(const char* command, int json, int exit_code, const ts_status* status);

/// The value of an "error" key: an object with kind, message, file, line and exit_code, or null when status is NULL.
void ts_console_json_error(ts_json* json, const ts_status* status, int exit_code);

/// One line on standard error: "touchstone: ...".
void ts_console_note(const char* format, ...)
#if defined(__GNUC__)
    __attribute__((format(printf, 1, 2)))
#endif
    ;

/// Appends `text` padded with blanks to `width` characters of UTF-8.
void ts_console_pad(ts_text* out_text, const char* text, int width);

#endif
