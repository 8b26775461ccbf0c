// Helpers of the MJCF tests: reading from a string, expecting success or a message, and a scratch directory.
#ifndef TS_TESTS_MJCF_SAMPLE_H
#define TS_TESTS_MJCF_SAMPLE_H

#include "engine/read/mjcf/mjcf.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/// Reads a model from text that must be fine. Free with ts_model_free.
static inline ts_model* mjcf_read(const char* text) {
    ts_model* model = NULL;
    ts_status status;
    memset(&status, 0, sizeof status);
    ts_code code = ts_mjcf_parse(text, strlen(text), "t.xml", NULL, NULL, &model, &status);
    cr_assert_eq(code, TS_OK, "%s:%d: %s", status.file, status.line, status.message);
    cr_assert_not_null(model);
    return model;
}

/// Text that must be refused at `line`, with `wanted` in the message.
static inline void mjcf_refuse(const char* text, int line, const char* wanted) {
    ts_model* model = NULL;
    ts_status status;
    memset(&status, 0, sizeof status);
    ts_code code = ts_mjcf_parse(text, strlen(text), "t.xml", NULL, NULL, &model, &status);
    cr_assert_neq(code, TS_OK, "taken, but wanted '%s' for: %.200s", wanted, text);
    cr_assert_null(model);
    cr_assert(strstr(status.message, wanted), "'%s' is not in '%s'", wanted, status.message);
    cr_assert_str_eq(status.file, "t.xml");
    cr_assert_eq(status.line, line, "line %d, not %d: %s", status.line, line, status.message);
    cr_assert_eq(status.code, code);
}

/// Reads and returns the report; the model is thrown away. Free with ts_import_report_free.
static inline ts_import_report mjcf_report(const char* text) {
    ts_model* model = NULL;
    ts_status status;
    ts_import_report report;
    memset(&report, 0, sizeof report);
    memset(&status, 0, sizeof status);
    ts_code code = ts_mjcf_parse(text, strlen(text), "t.xml", NULL, &report, &model, &status);
    cr_assert_eq(code, TS_OK, "%d: %s", status.line, status.message);
    ts_model_free(model);
    return report;
}

/// The finding about `what`, or NULL.
static inline const ts_import_item* mjcf_finding(const ts_import_report* report, const char* what) {
    for (int i = 0; i < report->count; ++i)
        if (strcmp(report->item[i].what, what) == 0) return &report->item[i];
    return NULL;
}

/// A new directory under the system's temporary one, in `out_path` (256 bytes).
static inline void scratch_make(char* out_path) {
    const char* base = getenv("TMPDIR");
    snprintf(out_path, 256, "%.200s/touchstone-mjcf-XXXXXX", base && base[0] ? base : "/tmp");
    cr_assert_not_null(mkdtemp(out_path));
}

/// Writes bytes to directory/name.
static inline void scratch_write(const char* directory, const char* name, const void* bytes, size_t size) {
    char path[512];
    snprintf(path, sizeof path, "%s/%s", directory, name);
    FILE* file = fopen(path, "wb");
    cr_assert_not_null(file, "%s", path);
    cr_assert_eq(fwrite(bytes, 1, size, file), size);
    fclose(file);
}

/// Removes directory/name.
static inline void scratch_remove(const char* directory, const char* name) {
    char path[512];
    snprintf(path, sizeof path, "%s/%s", directory, name);
    remove(path);
}

/// Removes a directory with everything in it.
static inline void scratch_clear(const char* directory) {
    char command[400];
    snprintf(command, sizeof command, "rm -rf '%s'", directory);
    cr_assert_eq(system(command), 0);
}

#endif
