// A report as plain text for people and as JSON for programs.
#include "bench/bench.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#ifndef TS_VERSION
#define TS_VERSION "unknown"
#endif
#ifndef TS_BENCH_FLAGS
#define TS_BENCH_FLAGS "unknown"
#endif

// Four digits that count, plain where plain is short.
static void format_number(double value, char out_text[32]) {
    double size = fabs(value);
    if (!isfinite(value))
        snprintf(out_text, 32, "-");
    else if (size < 1e9 && value == floor(value))
        snprintf(out_text, 32, "%.0f", value);
    else if (size >= 1e6 || size < 1e-3)
        snprintf(out_text, 32, "%.2e", value);
    else if (size >= 1000.0)
        snprintf(out_text, 32, "%.0f", value);
    else if (size >= 100.0)
        snprintf(out_text, 32, "%.1f", value);
    else if (size >= 10.0)
        snprintf(out_text, 32, "%.2f", value);
    else
        snprintf(out_text, 32, "%.3f", value);
}

static const char* cell_text(const ts_bench_cell* cell, char buffer[32]) {
    if (cell->text) return cell->text;
    format_number(cell->number, buffer);
    return buffer;
}

// Characters, not bytes, of UTF-8.
static int letters(const char* text) {
    int count = 0;
    for (const char* c = text; *c; ++c) count += ((unsigned char)*c & 0xC0) != 0x80;
    return count;
}

static void add_padded(ts_text* text, const char* piece, int width, int to_the_right) {
    int room = width - letters(piece);
    if (to_the_right) ts_text_add(text, "%*s", room > 0 ? room : 0, "");
    ts_text_add(text, "%s", piece);
    if (!to_the_right) ts_text_add(text, "%*s", room > 0 ? room : 0, "");
}

static void head_of(const ts_bench_column* column, char out_head[80]) {
    if (column->unit[0])
        snprintf(out_head, 80, "%s [%s]", column->name, column->unit);
    else
        snprintf(out_head, 80, "%s", column->name);
}

static void add_table(const ts_bench_table* table, ts_text* text) {
    int width[TS_BENCH_COLUMNS] = {0};
    int words[TS_BENCH_COLUMNS] = {0};  // columns with text are set to the left
    char buffer[32];
    char head[80];
    for (int c = 0; c < table->column_count; ++c) {
        head_of(&table->column[c], head);
        width[c] = letters(head);
        words[c] = 0;
        for (int r = 0; r < table->row_count; ++r) {
            const ts_bench_cell* cell = &table->cell[r * table->column_count + c];
            int length = letters(cell_text(cell, buffer));
            if (length > width[c]) width[c] = length;
            words[c] |= cell->text != NULL;
        }
    }
    ts_text_add(text, "\n%s\n", table->title);
    for (int r = -1; r < table->row_count; ++r) {
        for (int c = 0; c < table->column_count; ++c) {
            head_of(&table->column[c], head);
            const char* piece = r < 0 ? head : cell_text(&table->cell[r * table->column_count + c], buffer);
            ts_text_add(text, "  ");
            int last = c + 1 == table->column_count;
            add_padded(text, piece, last && words[c] ? 0 : width[c], !words[c]);
        }
        ts_text_add(text, "\n");
    }
}

void ts_bench_report_text(const ts_bench_report* report, ts_text* text) {
    for (const ts_bench_table* table = report->table; table; table = table->next) add_table(table, text);
    if (report->note) ts_text_add(text, "\n");
    for (const ts_bench_sentence* note = report->note; note; note = note->next) ts_text_add(text, "%s\n", note->text);
}

// The processor's name as the system tells it.
static void processor(char out_name[128]) {
    snprintf(out_name, 128, "unknown");
    FILE* file = fopen("/proc/cpuinfo", "r");
    if (!file) return;
    char line[256];
    while (fgets(line, sizeof line, file)) {
        char* colon = strchr(line, ':');
        if (strncmp(line, "model name", 10) != 0 || !colon) continue;
        colon[strcspn(colon, "\n")] = '\0';
        snprintf(out_name, 128, "%.120s", colon + (colon[1] == ' ' ? 2 : 1));
        break;
    }
    fclose(file);
}

static void add_machine(ts_json* json) {
    char name[128];
    struct utsname system;
    processor(name);
    ts_json_add_object(json, "machine");
    ts_json_add_string(json, "processor", name);
    ts_json_add_integer(json, "cores", sysconf(_SC_NPROCESSORS_ONLN));
    if (uname(&system) == 0) {
        ts_json_add_string(json, "system", system.sysname);
        ts_json_add_string(json, "release", system.release);
        ts_json_add_string(json, "architecture", system.machine);
    }
#if defined(__GNUC__) && defined(__x86_64__)
    ts_json_add_array(json, "vector_units");
    ts_json_string(json, "sse2");
    if (__builtin_cpu_supports("avx2")) ts_json_string(json, "avx2");
    if (__builtin_cpu_supports("avx512f")) ts_json_string(json, "avx512f");
    ts_json_array_end(json);
#endif
    ts_json_add_number(json, "empty_call_ns", ts_bench_floor());
    ts_json_object_end(json);
}

static void add_peers(ts_json* json) {
    ts_json_add_array(json, "peers");
    for (int i = 0; i < ts_bench_peer_count(); ++i) {
        ts_json_object(json);
        ts_json_add_string(json, "name", ts_bench_peer_at(i)->name);
        ts_json_add_bool(json, "found", ts_bench_peer_at(i)->version != NULL);
        ts_json_add_string(json, "version", ts_bench_peer_at(i)->version);
        ts_json_object_end(json);
    }
    ts_json_array_end(json);
}

static void add_json_table(const ts_bench_table* table, ts_json* json) {
    ts_json_object(json);
    ts_json_add_string(json, "stem", table->stem);
    ts_json_add_string(json, "title", table->title);
    ts_json_add_array(json, "columns");
    for (int c = 0; c < table->column_count; ++c) {
        ts_json_object(json);
        ts_json_add_string(json, "name", table->column[c].name);
        ts_json_add_string(json, "unit", table->column[c].unit);
        ts_json_object_end(json);
    }
    ts_json_array_end(json);
    ts_json_add_array(json, "rows");
    for (int r = 0; r < table->row_count; ++r) {
        ts_json_array(json);
        for (int c = 0; c < table->column_count; ++c) {
            const ts_bench_cell* cell = &table->cell[r * table->column_count + c];
            if (cell->text)
                ts_json_string(json, cell->text);
            else
                ts_json_number(json, cell->number);
        }
        ts_json_array_end(json);
    }
    ts_json_array_end(json);
    ts_json_object_end(json);
}

static void add_numbers(ts_json* json, const char* key, const double* value, int count) {
    ts_json_add_array(json, key);
    for (int i = 0; i < count; ++i) ts_json_number(json, value[i]);
    ts_json_array_end(json);
}

static const char* scale_name(ts_bench_scale scale) {
    return scale == TS_BENCH_LINEAR ? "linear" : (scale == TS_BENCH_LOG ? "log" : "signed-log");
}

static void add_json_figure(const ts_bench_figure* figure, ts_json* json) {
    ts_json_object(json);
    ts_json_add_string(json, "stem", figure->stem);
    ts_json_add_string(json, "title", figure->title);
    ts_json_add_string(json, "x_label", figure->x.label);
    ts_json_add_string(json, "x_unit", figure->x.unit);
    ts_json_add_string(json, "x_scale", scale_name(figure->x.scale));
    ts_json_add_string(json, "y_label", figure->y.label);
    ts_json_add_string(json, "y_unit", figure->y.unit);
    ts_json_add_string(json, "y_scale", scale_name(figure->y.scale));
    ts_json_add_array(json, "curves");
    for (int i = 0; i < figure->curve_count; ++i) {
        ts_json_object(json);
        ts_json_add_string(json, "label", figure->curve[i].label);
        add_numbers(json, "x", figure->curve[i].x, figure->curve[i].count);
        add_numbers(json, "y", figure->curve[i].y, figure->curve[i].count);
        ts_json_object_end(json);
    }
    ts_json_array_end(json);
    ts_json_object_end(json);
}

void ts_bench_report_json(const ts_bench* bench, const ts_bench_options* options, const ts_bench_report* report,
                          ts_text* text) {
    ts_json json = ts_json_begin(text);
    ts_json_object(&json);
    ts_json_add_string(&json, "benchmark", bench->name);
    ts_json_add_string(&json, "summary", bench->summary);
    ts_json_add_string(&json, "touchstone", TS_VERSION);
    ts_json_add_string(&json, "compiler",
#if defined(__clang__)
                       __VERSION__
#elif defined(__GNUC__)
                       "gcc " __VERSION__
#else
                       "unknown"
#endif
    );
    ts_json_add_string(&json, "flags", TS_BENCH_FLAGS);
    ts_json_add_integer(&json, "seed", (long long)options->seed);
    ts_json_add_bool(&json, "quick", options->quick);
    ts_json_add_string(&json, "only", options->only);
    ts_json_add_bool(&json, "data", options->data_folder != NULL);
    ts_json_add_bool(&json, "finished", report->finished);
    add_machine(&json);
    add_peers(&json);
    ts_json_add_array(&json, "tables");
    for (const ts_bench_table* table = report->table; table; table = table->next) add_json_table(table, &json);
    ts_json_array_end(&json);
    ts_json_add_array(&json, "figures");
    for (const ts_bench_figure* figure = report->figure; figure; figure = figure->next) add_json_figure(figure, &json);
    ts_json_array_end(&json);
    ts_json_add_array(&json, "notes");
    for (const ts_bench_sentence* note = report->note; note; note = note->next) ts_json_string(&json, note->text);
    ts_json_array_end(&json);
    ts_json_object_end(&json);
    ts_text_add(text, "\n");
}
