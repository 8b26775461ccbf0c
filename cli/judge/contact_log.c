// Reading a log of contacts: columns by their names, in any order; those that are not known are passed over. Lines of one step stand together.
#include "cli/judge/judge_internal.h"

#include "cli/args.h"
#include "cli/csv_internal.h"

#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Columns of a line.
enum { COLUMNS = 128 };

// Bytes of a file; more is a mistake.
static const size_t file_limit = (size_t)1 << 32;

typedef enum column {
    STEP,
    TIME,
    DT,
    A,
    B,
    X,
    Y,
    Z,
    TX,
    TY,
    TZ,
    NX,
    NY,
    NZ,
    GAP,
    MU,
    JX,
    JY,
    JZ,
    VX,
    VY,
    VZ,
    KNOWN,
    PASSED_OVER = KNOWN
} column;

static const struct {
    const char* name;
    int needed;
} columns[KNOWN] = {
    [STEP] = {"step", 0}, [TIME] = {"time", 1}, [DT] = {"dt", 1}, [A] = {"a", 0},   [B] = {"b", 0},
    [X] = {"x", 0},       [Y] = {"y", 0},       [Z] = {"z", 0},   [TX] = {"tx", 0}, [TY] = {"ty", 0},
    [TZ] = {"tz", 0},     [NX] = {"nx", 1},     [NY] = {"ny", 1}, [NZ] = {"nz", 1}, [GAP] = {"gap", 1},
    [MU] = {"mu", 1},     [JX] = {"jx", 1},     [JY] = {"jy", 1}, [JZ] = {"jz", 1}, [VX] = {"vx", 1},
    [VY] = {"vy", 1},     [VZ] = {"vz", 1},
};

struct ts_contact_log {
    char* text;
    char* at;
    const char* file;  // borrowed
    int line;
    int count;  // of columns
    column kind[COLUMNS];
    int has[KNOWN];
    long long steps;  // seen, where the file does not count them
    // the line that was read ahead
    int is_ahead;
    double number[KNOWN];
    char a[TS_LOG_NAME];
    char b[TS_LOG_NAME];
};

static ts_code refuse(const ts_contact_log* log, ts_status* out_status, const char* what, const char* which) {
    return ts_status_set(out_status, TS_ERROR_VALUE, log->file, log->line, what, which);
}

static ts_code read_headings(ts_contact_log* log, ts_status* out_status) {
    char* cursor = ts_csv_line(&log->at);
    log->line = 1;
    if (!cursor) return refuse(log, out_status, "the file is empty%s", "");
    while (cursor) {
        const char* name = ts_csv_field(&cursor);
        int kind = 0;
        while (kind < KNOWN && strcmp(columns[kind].name, name) != 0) ++kind;
        if (log->count == COLUMNS) return refuse(log, out_status, "more than 128 columns%s", "");
        if (kind < KNOWN && log->has[kind]) return refuse(log, out_status, "two columns are called '%.40s'", name);
        if (kind < KNOWN) log->has[kind] = 1;
        log->kind[log->count++] = (column)kind;
    }
    for (int k = 0; k < KNOWN; ++k)
        if (columns[k].needed && !log->has[k])
            return refuse(log, out_status, "no column is called '%s'; 'touchstone judge --help' tells what a log needs",
                          columns[k].name);
    return TS_OK;
}

static ts_code check_line(const ts_contact_log* log, ts_status* out_status) {
    const double* v = log->number;
    double length = sqrt(v[NX] * v[NX] + v[NY] * v[NY] + v[NZ] * v[NZ]);
    if (!(v[DT] > 0.0)) return refuse(log, out_status, "%s must be more than 0", "dt");
    if (!(v[MU] >= 0.0)) return refuse(log, out_status, "%s must not be negative", "mu");
    if (log->has[STEP] && !(v[STEP] == floor(v[STEP]) && fabs(v[STEP]) <= 1e15))
        return refuse(log, out_status, "%s must be a whole number", "step");
    if (!(fabs(length - 1.0) < 1e-3)) return refuse(log, out_status, "%s is no unit vector", "nx, ny, nz");
    return TS_OK;
}

// Reads the next line that is not empty; log->is_ahead says whether there was one.
static ts_code read_line(ts_contact_log* log, ts_status* out_status) {
    char* cursor = NULL;
    log->is_ahead = 0;
    do {
        cursor = ts_csv_line(&log->at);
        ++log->line;
        if (!cursor) return TS_OK;
    } while (!cursor[strspn(cursor, " \t\r")]);
    for (int k = 0; k < log->count; ++k) {
        const char* field = cursor ? ts_csv_field(&cursor) : NULL;
        column kind = log->kind[k];
        if (!field)
            return refuse(log, out_status, "the line ends before '%s'",
                          kind < KNOWN ? columns[kind].name : "its last column");
        if (kind == A || kind == B)
            snprintf(kind == A ? log->a : log->b, TS_LOG_NAME, "%.63s", field);
        else if (kind < KNOWN && (!ts_args_number(field, &log->number[kind]) || !isfinite(log->number[kind])))
            return refuse(log, out_status, "'%.60s' is not a number", field);
    }
    if (cursor) return refuse(log, out_status, "the line has more fields than the first%s", "");
    log->is_ahead = 1;
    return check_line(log, out_status);
}

ts_code ts_contact_log_open(const char* file, ts_contact_log** out_log, ts_status* out_status) {
    ts_text text = {0};
    *out_log = NULL;
    ts_code code = ts_text_read_file(file, file_limit, &text, out_status);
    ts_contact_log* log = code ? NULL : (ts_contact_log*)calloc(1, sizeof *log);
    if (log) log->text = (char*)malloc(text.length + 1);
    if (!code && (!log || !log->text)) code = ts_status_set(out_status, TS_ERROR_MEMORY, file, 0, "out of memory");
    if (!code) {
        memcpy(log->text, ts_text_get(&text), text.length + 1);
        log->at = log->text;
        log->file = file;
        code = strlen(log->text) < text.length
                   ? ts_status_set(out_status, TS_ERROR_VALUE, file, 1, "this is no text file")
                   : read_headings(log, out_status);
    }
    ts_text_free(&text);
    if (!code) code = read_line(log, out_status);
    if (!code && !log->is_ahead) code = refuse(log, out_status, "there are no contacts%s", "");
    if (code)
        ts_contact_log_close(log);
    else
        *out_log = log;
    return code;
}

static int take_line(ts_contact_log* log, ts_logged_step* step) {
    const double* v = log->number;
    if (!ts_logged_contact_array_resize(&step->contact, step->contact.count + 1)) return 0;
    ts_logged_contact* c = &step->contact.data[step->contact.count - 1];
    memset(c, 0, sizeof *c);
    memcpy(c->a, log->a, sizeof c->a);
    memcpy(c->b, log->b, sizeof c->b);
    c->position = ts_vec3_make(v[X], v[Y], v[Z]);
    c->tangent = ts_vec3_make(v[TX], v[TY], v[TZ]);
    c->normal = ts_vec3_make(v[NX], v[NY], v[NZ]);
    c->gap = v[GAP];
    c->mu = v[MU];
    c->impulse = ts_vec3_make(v[JX], v[JY], v[JZ]);
    c->velocity = ts_vec3_make(v[VX], v[VY], v[VZ]);
    return 1;
}

// Whether the line read ahead is of the step.
static int belongs(const ts_contact_log* log, const ts_logged_step* step, double number) {
    if (!log->is_ahead) return 0;
    return log->has[STEP] ? log->number[STEP] == number : log->number[TIME] == step->time;
}

ts_code ts_contact_log_next(ts_contact_log* log, ts_logged_step* step, int* out_more, ts_status* out_status) {
    ts_code code = TS_OK;
    step->contact.count = 0;
    *out_more = log->is_ahead;
    if (!log->is_ahead) return TS_OK;
    double number = log->number[STEP], before = step->time;
    if (log->steps > 0 && !(log->number[TIME] >= before)) return refuse(log, out_status, "%s goes back", "time");
    log->steps++;
    step->step = log->has[STEP] ? (long long)number : log->steps;
    step->time = log->number[TIME];
    step->dt = log->number[DT];
    while (!code && belongs(log, step, number)) {
        if (!take_line(log, step)) return ts_status_set(out_status, TS_ERROR_MEMORY, log->file, 0, "out of memory");
        code = read_line(log, out_status);
    }
    return code;
}

void ts_contact_log_close(ts_contact_log* log) {
    if (!log) return;
    free(log->text);
    free(log);
}
