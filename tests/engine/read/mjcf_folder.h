// MJCF over several files: a folder of its own for every test (TestSuite(name, .init = make_directory, .fini = remove_directory)), and reading from it.
#ifndef TS_TESTS_MJCF_FOLDER_H
#define TS_TESTS_MJCF_FOLDER_H

#include "tests/engine/read/mjcf_sample.h"

static char directory[256];

static inline void make_directory(void) { scratch_make(directory); }

static inline void remove_directory(void) { scratch_clear(directory); }

static inline void put(const char* name, const char* text) { scratch_write(directory, name, text, strlen(text)); }

static inline ts_code load(const char* name, ts_import_report* report, ts_model** out_model, ts_status* out_status) {
    char path[512];
    snprintf(path, sizeof path, "%s/%s", directory, name);
    memset(out_status, 0, sizeof *out_status);
    return ts_mjcf_load(path, report, out_model, out_status);
}

static inline ts_model* load_fine(const char* name) {
    ts_model* model = NULL;
    ts_status status;
    cr_assert_eq(load(name, NULL, &model, &status), TS_OK, "%s:%d: %s", status.file, status.line, status.message);
    return model;
}

// Loading must fail at file:line with `wanted` in the message.
static inline void load_refused(const char* name, const char* file, int line, const char* wanted) {
    ts_model* model = NULL;
    ts_status status;
    cr_assert_neq(load(name, NULL, &model, &status), TS_OK, "taken, but wanted '%s'", wanted);
    cr_assert_null(model);
    cr_assert(strstr(status.message, wanted), "'%s' is not in '%s'", wanted, status.message);
    size_t n = strlen(status.file), k = strlen(file);
    cr_assert(n >= k && strcmp(status.file + n - k, file) == 0, "file is %s: %s", status.file, status.message);
    cr_assert_eq(status.line, line, "line %d: %s", status.line, status.message);
}

#endif
