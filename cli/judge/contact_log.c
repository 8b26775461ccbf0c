// Reading a log of contacts: lines of one step stand together, each is checked as it comes.
#include "cli/judge/log_format_internal.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

static const ts_log_column_info columns[TS_LOG_COLUMNS] = {
    [TS_LOG_STEP] = {"step", "1", 0}, [TS_LOG_TIME] = {"time", "s", 1}, [TS_LOG_DT] = {"dt", "s", 1},
    [TS_LOG_A] = {"a", "", 0},        [TS_LOG_B] = {"b", "", 0},        [TS_LOG_X] = {"x", "m", 0},
    [TS_LOG_Y] = {"y", "m", 0},       [TS_LOG_Z] = {"z", "m", 0},       [TS_LOG_TX] = {"tx", "1", 0},
    [TS_LOG_TY] = {"ty", "1", 0},     [TS_LOG_TZ] = {"tz", "1", 0},     [TS_LOG_NX] = {"nx", "1", 1},
    [TS_LOG_NY] = {"ny", "1", 1},     [TS_LOG_NZ] = {"nz", "1", 1},     [TS_LOG_GAP] = {"gap", "m", 1},
    [TS_LOG_MU] = {"mu", "1", 1},     [TS_LOG_JX] = {"jx", "N s", 1},   [TS_LOG_JY] = {"jy", "N s", 1},
    [TS_LOG_JZ] = {"jz", "N s", 1},   [TS_LOG_VX] = {"vx", "m/s", 1},   [TS_LOG_VY] = {"vy", "m/s", 1},
    [TS_LOG_VZ] = {"vz", "m/s", 1},
};

const ts_log_column_info* ts_log_column_at(ts_log_column column) { return &columns[column]; }

int ts_log_column_is_name(ts_log_column column) { return column == TS_LOG_A || column == TS_LOG_B; }

int ts_log_is_hdf5_name(const char* file) {
    const char* name = strrchr(file, '/');
    const char* extension = strrchr(name ? name : file, '.');
    return extension && (strcasecmp(extension, ".h5") == 0 || strcasecmp(extension, ".hdf5") == 0);
}

struct ts_contact_log {
    ts_log_reader reader;
    long long steps;   // seen, where the file does not count them
    ts_log_line line;  // that was read ahead
    int is_ahead;
};

static ts_code refuse(const ts_contact_log* log, ts_status* out_status, const char* what, const char* which) {
    const ts_log_line* at = &log->line;
    char where[48] = "";
    if (at->line == 0) snprintf(where, sizeof where, "entry %lld: ", at->entry);
    return ts_status_set(out_status, TS_ERROR_VALUE, log->reader.file, at->line, "%s%s%s", where, which, what);
}

static ts_code check_line(const ts_contact_log* log, ts_status* out_status) {
    const double* v = log->line.number;
    double length = sqrt(v[TS_LOG_NX] * v[TS_LOG_NX] + v[TS_LOG_NY] * v[TS_LOG_NY] + v[TS_LOG_NZ] * v[TS_LOG_NZ]);
    for (int k = 0; k < TS_LOG_COLUMNS; ++k)
        if (!isfinite(v[k])) return refuse(log, out_status, " is not a finite number", columns[k].name);
    if (!(v[TS_LOG_DT] > 0.0)) return refuse(log, out_status, " must be more than 0", "dt");
    if (!(v[TS_LOG_MU] >= 0.0)) return refuse(log, out_status, " must not be negative", "mu");
    if (log->reader.has[TS_LOG_STEP] && !(v[TS_LOG_STEP] == floor(v[TS_LOG_STEP]) && fabs(v[TS_LOG_STEP]) <= 1e15))
        return refuse(log, out_status, " must be a whole number", "step");
    if (!(fabs(length - 1.0) < 1e-3)) return refuse(log, out_status, " is no unit vector", "nx, ny, nz");
    return TS_OK;
}

// Reads a line ahead; log->is_ahead says whether there was one.
static ts_code read_line(ts_contact_log* log, ts_status* out_status) {
    memset(&log->line, 0, sizeof log->line);
    log->is_ahead = 0;
    ts_code code = log->reader.format->next(log->reader.handle, &log->line, &log->is_ahead, out_status);
    return code || !log->is_ahead ? code : check_line(log, out_status);
}

// Whether a file that can be read begins as HDF5 files do: at its start, or after a user's block of 512 bytes or twice as many, ...
static int begins_as_hdf5(const char* file) {
    static const unsigned char signature[8] = {0x89, 'H', 'D', 'F', '\r', '\n', 0x1a, '\n'};
    unsigned char bytes[sizeof signature];
    FILE* stream = fopen(file, "rb");
    int found = 0;
    for (long at = 0; stream && !found && at < 1L << 30; at = at ? 2 * at : 512) {
        if (fseek(stream, at, SEEK_SET) != 0 || fread(bytes, 1, sizeof bytes, stream) != sizeof bytes) break;
        found = memcmp(bytes, signature, sizeof signature) == 0;
    }
    if (stream) fclose(stream);
    return found;
}

ts_code ts_contact_log_open(const char* file, ts_contact_log** out_log, ts_status* out_status) {
    *out_log = NULL;
    ts_contact_log* log = (ts_contact_log*)calloc(1, sizeof *log);
    if (!log) return ts_status_set(out_status, TS_ERROR_MEMORY, file, 0, "out of memory");
    ts_code code = ts_log_is_hdf5_name(file) || begins_as_hdf5(file) ? ts_log_hdf5_open(file, &log->reader, out_status)
                                                                     : ts_log_csv_open(file, &log->reader, out_status);
    if (!code) code = read_line(log, out_status);
    if (!code && !log->is_ahead)
        code = ts_status_set(out_status, TS_ERROR_VALUE, file, log->line.line, "there are no contacts");
    if (code)
        ts_contact_log_close(log);
    else
        *out_log = log;
    return code;
}

static int take_line(ts_contact_log* log, ts_logged_step* step) {
    const double* v = log->line.number;
    if (!ts_logged_contact_array_resize(&step->contact, step->contact.count + 1)) return 0;
    ts_logged_contact* c = &step->contact.data[step->contact.count - 1];
    memset(c, 0, sizeof *c);
    memcpy(c->a, log->line.a, sizeof c->a);
    memcpy(c->b, log->line.b, sizeof c->b);
    c->position = ts_vec3_make(v[TS_LOG_X], v[TS_LOG_Y], v[TS_LOG_Z]);
    c->tangent = ts_vec3_make(v[TS_LOG_TX], v[TS_LOG_TY], v[TS_LOG_TZ]);
    c->normal = ts_vec3_make(v[TS_LOG_NX], v[TS_LOG_NY], v[TS_LOG_NZ]);
    c->gap = v[TS_LOG_GAP];
    c->mu = v[TS_LOG_MU];
    c->impulse = ts_vec3_make(v[TS_LOG_JX], v[TS_LOG_JY], v[TS_LOG_JZ]);
    c->velocity = ts_vec3_make(v[TS_LOG_VX], v[TS_LOG_VY], v[TS_LOG_VZ]);
    return 1;
}

// Whether the line read ahead is of the step.
static int belongs(const ts_contact_log* log, const ts_logged_step* step, double number) {
    if (!log->is_ahead) return 0;
    return log->reader.has[TS_LOG_STEP] ? log->line.number[TS_LOG_STEP] == number
                                        : log->line.number[TS_LOG_TIME] == step->time;
}

ts_code ts_contact_log_next(ts_contact_log* log, ts_logged_step* step, int* out_more, ts_status* out_status) {
    ts_code code = TS_OK;
    step->contact.count = 0;
    *out_more = log->is_ahead;
    if (!log->is_ahead) return TS_OK;
    double number = log->line.number[TS_LOG_STEP], before = step->time;
    if (log->steps > 0 && !(log->line.number[TS_LOG_TIME] >= before))
        return refuse(log, out_status, " goes back", "time");
    log->steps++;
    step->step = log->reader.has[TS_LOG_STEP] ? (long long)number : log->steps;
    step->time = log->line.number[TS_LOG_TIME];
    step->dt = log->line.number[TS_LOG_DT];
    while (!code && belongs(log, step, number)) {
        if (!take_line(log, step))
            return ts_status_set(out_status, TS_ERROR_MEMORY, log->reader.file, 0, "out of memory");
        code = read_line(log, out_status);
    }
    return code;
}

void ts_contact_log_close(ts_contact_log* log) {
    if (!log) return;
    if (log->reader.handle) log->reader.format->close(log->reader.handle);
    free(log);
}
