// The report that a benchmark fills: lists of tables, figures and sentences.
#include "bench/bench.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

ts_bench_table* ts_bench_add_table(ts_bench_report* report, const char* stem, const char* title) {
    ts_bench_table* table = (ts_bench_table*)calloc(1, sizeof *table);
    if (!table) {
        report->out_of_memory = 1;
        return NULL;
    }
    snprintf(table->stem, sizeof table->stem, "%s", stem);
    snprintf(table->title, sizeof table->title, "%s", title);
    table->report = report;
    ts_bench_table** last = &report->table;
    while (*last) last = &(*last)->next;
    *last = table;
    return table;
}

void ts_bench_add_column(ts_bench_table* table, const char* name, const char* unit) {
    if (!table || table->column_count == TS_BENCH_COLUMNS || table->row_count > 0) return;
    ts_bench_column* column = &table->column[table->column_count++];
    snprintf(column->name, sizeof column->name, "%s", name);
    snprintf(column->unit, sizeof column->unit, "%s", unit);
}

void ts_bench_row(ts_bench_table* table) {
    if (!table) return;
    int wanted = (table->row_count + 1) * table->column_count;
    if (wanted > table->room) {
        int room = 2 * wanted;
        ts_bench_cell* cell = (ts_bench_cell*)realloc(table->cell, (size_t)room * sizeof *cell);
        if (!cell) {
            table->report->out_of_memory = 1;
            return;
        }
        table->cell = cell;
        table->room = room;
    }
    for (int i = table->row_count * table->column_count; i < wanted; ++i)
        table->cell[i] = (ts_bench_cell){(double)NAN, NULL};
    ++table->row_count;
    table->filled = 0;
}

static ts_bench_cell* next_cell(ts_bench_table* table) {
    if (!table || table->row_count == 0 || table->filled == table->column_count) return NULL;
    return &table->cell[(table->row_count - 1) * table->column_count + table->filled++];
}

void ts_bench_text(ts_bench_table* table, const char* format, ...) {
    ts_bench_cell* cell = next_cell(table);
    if (!cell) return;
    char line[200];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(line, sizeof line, format, arguments);
    va_end(arguments);
    size_t size = strlen(line) + 1;
    cell->text = (char*)malloc(size);
    if (cell->text)
        memcpy(cell->text, line, size);
    else
        table->report->out_of_memory = 1;
}

void ts_bench_number(ts_bench_table* table, double value) {
    ts_bench_cell* cell = next_cell(table);
    if (cell) cell->number = value;
}

void ts_bench_add_timing_columns(ts_bench_table* table) {
    static const char* const name[] = {"median", "10 %", "90 %", "query p50", "query p99", "query max"};
    for (int i = 0; i < 6; ++i) ts_bench_add_column(table, name[i], "ns");
}

void ts_bench_timing_cells(ts_bench_table* table, const ts_bench_timing* timing) {
    ts_bench_number(table, timing->median);
    ts_bench_number(table, timing->p10);
    ts_bench_number(table, timing->p90);
    ts_bench_number(table, timing->query_p50);
    ts_bench_number(table, timing->query_p99);
    ts_bench_number(table, timing->query_most);
}

ts_bench_figure* ts_bench_add_figure(ts_bench_report* report, const char* stem, const char* title, ts_bench_axis x,
                                     ts_bench_axis y) {
    ts_bench_figure* figure = (ts_bench_figure*)calloc(1, sizeof *figure);
    if (!figure) {
        report->out_of_memory = 1;
        return NULL;
    }
    snprintf(figure->stem, sizeof figure->stem, "%s", stem);
    snprintf(figure->title, sizeof figure->title, "%s", title);
    figure->x = x;
    figure->y = y;
    figure->report = report;
    ts_bench_figure** last = &report->figure;
    while (*last) last = &(*last)->next;
    *last = figure;
    return figure;
}

void ts_bench_add_curve(ts_bench_figure* figure, const char* label, const double* x, const double* y, int count) {
    if (!figure || figure->curve_count == TS_BENCH_CURVES || count < 1) return;
    ts_bench_curve* curve = &figure->curve[figure->curve_count];
    size_t bytes = (size_t)count * sizeof(double);
    curve->x = (double*)malloc(bytes);
    curve->y = (double*)malloc(bytes);
    if (!curve->x || !curve->y) {
        free(curve->x);
        free(curve->y);
        curve->x = curve->y = NULL;
        figure->report->out_of_memory = 1;
        return;
    }
    snprintf(curve->label, sizeof curve->label, "%s", label);
    memcpy(curve->x, x, bytes);
    memcpy(curve->y, y, bytes);
    curve->count = count;
    ++figure->curve_count;
}

static int ascending(const void* a, const void* b) {
    double x = *(const double*)a;
    double y = *(const double*)b;
    return (x > y) - (x < y);
}

void ts_bench_add_distribution(ts_bench_figure* figure, const char* label, double* value, int count) {
    enum { POINTS = 200 };
    double x[POINTS];
    double y[POINTS];
    if (count < 1) return;
    qsort(value, (size_t)count, sizeof *value, ascending);
    int points = count < POINTS ? count : POINTS;
    for (int k = 0; k < points; ++k) {
        int i = points > 1 ? (int)((long long)k * (count - 1) / (points - 1)) : 0;
        x[k] = value[i];
        y[k] = (double)(i + 1) / count;
    }
    ts_bench_add_curve(figure, label, x, y, points);
}

void ts_bench_note(ts_bench_report* report, const char* format, ...) {
    ts_bench_sentence* note = (ts_bench_sentence*)calloc(1, sizeof *note);
    if (!note) {
        report->out_of_memory = 1;
        return;
    }
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(note->text, sizeof note->text, format, arguments);
    va_end(arguments);
    ts_bench_sentence** last = &report->note;
    while (*last) last = &(*last)->next;
    *last = note;
}

int ts_bench_fail(ts_bench_report* report, const char* format, ...) {
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(report->error, sizeof report->error, format, arguments);
    va_end(arguments);
    return TS_BENCH_FAILED;
}

int ts_bench_progress(ts_bench_report* report, double done, double total) {
    if (report->progress && !report->stopped)
        report->stopped = report->progress(report->watcher, total > 0.0 ? done / total : 1.0) != 0;
    return report->stopped;
}

// Whether `name` is one of the words of `list`, which ", " separates.
static int is_listed(const ts_text* list, const char* name) {
    size_t length = strlen(name);
    for (const char* at = ts_text_get(list); (at = strstr(at, name)) != NULL; ++at)
        if ((at == ts_text_get(list) || (at[-1] == ' ' && at[-2] == ',')) && (at[length] == 0 || at[length] == ','))
            return 1;
    return 0;
}

int ts_bench_wanted(ts_bench_report* report, const ts_bench_options* options, const char* name) {
    int wanted = !options->only || strstr(name, options->only) != NULL;
    if (!is_listed(&report->parts, name)) {
        ts_text_add(&report->parts, "%s%s", report->parts.length > 0 ? ", " : "", name);
        report->parts_wanted += wanted;
    }
    return wanted;
}

void ts_bench_report_free(ts_bench_report* report) {
    for (ts_bench_table* table = report->table; table;) {
        ts_bench_table* next = table->next;
        for (int i = 0; i < table->row_count * table->column_count; ++i) free(table->cell[i].text);
        free(table->cell);
        free(table);
        table = next;
    }
    for (ts_bench_figure* figure = report->figure; figure;) {
        ts_bench_figure* next = figure->next;
        for (int i = 0; i < figure->curve_count; ++i) {
            free(figure->curve[i].x);
            free(figure->curve[i].y);
        }
        free(figure);
        figure = next;
    }
    for (ts_bench_sentence* note = report->note; note;) {
        ts_bench_sentence* next = note->next;
        free(note);
        note = next;
    }
    ts_text_free(&report->parts);
    memset(report, 0, sizeof *report);
}
