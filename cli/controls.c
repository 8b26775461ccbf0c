// Controls from the command line. A table over time, whose first column is time, is looked up at each step by halving;
// --ctrl is a table of one row.
#include "cli/controls.h"

#include "cli/csv_internal.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// Bytes of a control file; more is a mistake.
enum { FILE_LIMIT = 1 << 28 };

static const char* actuator_name(const void* context, int i) { return ((const ts_model*)context)->actuator[i].name; }

// By name, else by number. -1 with a message when there is none.
static int find_actuator(const ts_model* model, const char* name, const char* file, ts_status* out_status) {
    int index = ts_model_find_actuator(model, name);
    double number = 0.0;
    char room[TS_ARGS_HINT];
    if (index >= 0) return index;
    if (ts_args_number(name, &number) && number >= 0.0 && number < model->actuator_count && number == floor(number))
        return (int)number;
    ts_status_set(out_status, TS_ERROR_VALUE, file, file ? 1 : 0, "no actuator is called '%.60s'%s", name,
                  ts_args_hint(name, actuator_name, model, model->actuator_count,
                               model->actuator_count ? " ('touchstone check' lists them)" : ": the model has none",
                               room));
    return -1;
}

static int has_actuator(const ts_controls* controls, int actuator) {
    for (int k = 0; k < controls->count; ++k)
        if (controls->actuator[k] == actuator) return 1;
    return 0;
}

static ts_code short_memory(ts_status* out_status) {
    return ts_status_set(out_status, TS_ERROR_MEMORY, NULL, 0, "out of memory");
}

// Room for `rows` rows of `count` columns beside time.
static ts_code make_room(ts_controls* controls, int count, int rows, ts_status* out_status) {
    controls->actuator = (int*)calloc((size_t)count + 1, sizeof *controls->actuator);
    controls->number = (double*)calloc(((size_t)count + 1) * (size_t)rows + 1, sizeof *controls->number);
    return controls->actuator && controls->number ? TS_OK : short_memory(out_status);
}

// --- --ctrl ---

static ts_code read_pairs(const ts_args* args, const ts_model* model, ts_controls* controls, ts_status* out_status) {
    ts_code code = make_room(controls, args->ctrl_count, 1, out_status);
    if (code) return code;
    controls->rows = 1;
    controls->number[0] = -HUGE_VAL;
    for (int i = 0; i < args->ctrl_count; ++i) {
        const char* equals = strrchr(args->ctrl[i], '=');
        char name[128];
        size_t length = (size_t)(equals - args->ctrl[i]);
        if (length >= sizeof name) length = sizeof name - 1;
        memcpy(name, args->ctrl[i], length);
        name[length] = '\0';
        double value = 0.0;
        int actuator = find_actuator(model, name, NULL, out_status);
        if (actuator < 0) return TS_ERROR_VALUE;
        if (!ts_args_number(equals + 1, &value))
            return ts_status_set(out_status, TS_ERROR_VALUE, NULL, 0, "--ctrl takes NAME=NUMBER, not '%.100s'",
                                 args->ctrl[i]);
        if (has_actuator(controls, actuator))
            return ts_status_set(out_status, TS_ERROR_VALUE, NULL, 0, "--ctrl names '%.60s' twice", name);
        controls->actuator[controls->count++] = actuator;
        controls->number[controls->count] = value;
    }
    return TS_OK;
}

// --- --ctrl-file ---

static int count_of(const char* text, char c) {
    int count = 0;
    for (; *text; ++text) count += *text == c;
    return count;
}

static ts_code read_header(const ts_model* model, char* line, const char* file, ts_controls* controls,
                           ts_status* out_status) {
    char* cursor = line;
    if (strcmp(ts_csv_field(&cursor), "time") != 0 || !cursor)
        return ts_status_set(out_status, TS_ERROR_VALUE, file, 1,
                             "the first line must be 'time' and the names of actuators, with commas between");
    while (cursor) {
        const char* name = ts_csv_field(&cursor);
        int actuator = find_actuator(model, name, file, out_status);
        if (actuator < 0) return TS_ERROR_VALUE;
        if (has_actuator(controls, actuator))
            return ts_status_set(out_status, TS_ERROR_VALUE, file, 1, "two columns are of '%.60s'", name);
        controls->actuator[controls->count++] = actuator;
    }
    return TS_OK;
}

static ts_code read_row(char* line, const char* file, int line_number, ts_controls* controls, ts_status* out_status) {
    double* row = controls->number + (size_t)controls->rows * ((size_t)controls->count + 1);
    char* cursor = line;
    for (int k = 0; k <= controls->count; ++k) {
        const char* field = cursor ? ts_csv_field(&cursor) : NULL;
        if (!field || (k == controls->count && cursor))
            return ts_status_set(out_status, TS_ERROR_VALUE, file, line_number, "a row needs %d numbers",
                                 controls->count + 1);
        if (!ts_args_number(field, &row[k]))
            return ts_status_set(out_status, TS_ERROR_VALUE, file, line_number, "'%.60s' is not a number", field);
    }
    if (controls->rows > 0 && !(row[0] > row[-controls->count - 1]))
        return ts_status_set(out_status, TS_ERROR_VALUE, file, line_number, "times must ascend");
    ++controls->rows;
    return TS_OK;
}

static ts_code read_table(const ts_model* model, char* text, const char* file, ts_controls* controls,
                          ts_status* out_status) {
    int lines = count_of(text, '\n') + 1, line_number = 1;
    char* line = ts_csv_line(&text);
    ts_code code = TS_OK;
    if (line) code = make_room(controls, count_of(line, ',') + 1, lines, out_status);
    if (!code) code = read_header(model, line ? line : (char[]){""}, file, controls, out_status);
    while (!code && (line = ts_csv_line(&text))) {
        ++line_number;
        if (line[strspn(line, " \t\r")]) code = read_row(line, file, line_number, controls, out_status);
    }
    if (code || controls->rows > 0) return code;
    return ts_status_set(out_status, TS_ERROR_VALUE, file, 0, "there are no rows");
}

static ts_code read_file(const char* file, const ts_model* model, ts_controls* controls, ts_status* out_status) {
    ts_text text = {0};
    ts_code code = ts_text_read_file(file, FILE_LIMIT, &text, out_status);
    char* copy = code ? NULL : (char*)malloc(text.length + 1);
    if (!code && !copy) code = short_memory(out_status);
    if (!code) {
        memcpy(copy, ts_text_get(&text), text.length + 1);
        code = read_table(model, copy + ts_text_mark(copy, text.length), file, controls, out_status);
    }
    free(copy);
    ts_text_free(&text);
    return code;
}

ts_code ts_controls_read(const ts_args* args, const ts_model* model, ts_controls* out_controls, ts_status* out_status) {
    memset(out_controls, 0, sizeof *out_controls);
    ts_status_ok(out_status);
    if (args->ctrl_count > 0 && args->ctrl_file)
        return ts_status_set(out_status, TS_ERROR_VALUE, NULL, 0, "--ctrl contradicts --ctrl-file");
    if (args->ctrl_count > 0) return read_pairs(args, model, out_controls, out_status);
    return args->ctrl_file ? read_file(args->ctrl_file, model, out_controls, out_status) : TS_OK;
}

static void act(ts_sim* sim, void* user) {
    const ts_controls* controls = (const ts_controls*)user;
    size_t width = (size_t)controls->count + 1;
    // The rows before `low` have begun. A step that begins at a row's time up to rounding is in it.
    double now = sim->time + 1e-9 * sim->options.time_step;
    int low = 0, high = controls->rows;
    while (low < high) {
        int middle = low + (high - low) / 2;
        if (controls->number[(size_t)middle * width] <= now)
            low = middle + 1;
        else
            high = middle;
    }
    for (int k = 0; low > 0 && k < controls->count; ++k)
        sim->ctrl[controls->actuator[k]] = controls->number[(size_t)(low - 1) * width + (size_t)k + 1];
}

void ts_controls_follow(const ts_controls* controls, ts_sim* sim) {
    if (controls->count > 0) ts_sim_set_control(sim, act, (void*)(size_t)controls);
}

void ts_controls_free(ts_controls* controls) {
    free(controls->actuator);
    free(controls->number);
    memset(controls, 0, sizeof *controls);
}
