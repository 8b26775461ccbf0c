// Standard output and standard error.
#include "cli/console.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

int ts_console_print(ts_text* text, int exit_code) {
    int ok = !text->failed;
    if (ok && text->length) ok = fwrite(text->data, 1, text->length, stdout) == text->length;
    ok = fflush(stdout) == 0 && ok;
    ts_text_free(text);
    if (ok) return exit_code;
    ts_console_note("cannot write to standard output");
    return exit_code == TS_EXIT_DONE ? TS_EXIT_FAILED : exit_code;
}

void ts_console_json_error(ts_json* json, const ts_status* status, int exit_code) {
    if (!status) {
        ts_json_string(json, NULL);
        return;
    }
    ts_json_object(json);
    ts_json_add_string(json, "kind", ts_code_name(status->code));
    ts_json_add_string(json, "message", status->message);
    ts_json_add_string(json, "file", status->file[0] ? status->file : NULL);
    ts_json_key(json, "line");
    if (status->line > 0)
        ts_json_integer(json, status->line);
    else
        ts_json_string(json, NULL);
    ts_json_add_integer(json, "exit_code", exit_code);
    ts_json_object_end(json);
}

int ts_console_error(const char* command, int json, int exit_code, const ts_status* status) {
    char line[1024];
    ts_status_format(status, line, sizeof line);
    fprintf(stderr, "touchstone: %s\n", line);
    if (exit_code == TS_EXIT_USAGE)
        fprintf(stderr, "Try 'touchstone %s%s--help'.\n", command ? command : "", command ? " " : "");
    if (!json) return exit_code;
    ts_text text = {0};
    ts_json writer = ts_json_begin(&text);
    ts_json_object(&writer);
    ts_json_key(&writer, "error");
    ts_console_json_error(&writer, status, exit_code);
    ts_json_object_end(&writer);
    ts_text_add(&text, "\n");
    return ts_console_print(&text, exit_code);
}

void ts_console_note(const char* format, ...) {
    va_list arguments;
    va_start(arguments, format);
    fputs("touchstone: ", stderr);
    vfprintf(stderr, format, arguments);
    fputc('\n', stderr);
    va_end(arguments);
}

void ts_console_pad(ts_text* out_text, const char* text, int width) {
    ts_text_add(out_text, "%s", text);
    int length = 0;
    for (const char* c = text; *c; ++c) length += ((unsigned char)*c & 0xC0) != 0x80;
    for (; length < width; ++length) ts_text_add_bytes(out_text, " ", 1);
}
