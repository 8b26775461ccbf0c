// A study as a page: error against the step, and against the time that it took.
#include "cli/study/study_internal.h"

#include "cli/report/report_internal.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// One curve for each combination of the keys but dt (or tolerance, or iterations, whichever varies first).
typedef struct curves {
    int count;
    ts_svg_curve* curve;
    ts_text* label;
    double* number;
} curves;

// The key along which a curve goes.
static int along(const ts_study* study) {
    static const char* const names[] = {"dt", "tolerance", "iterations"};
    for (int i = 0; i < 3; ++i)
        if (ts_study_key_of(study, names[i]) >= 0 && study->key[ts_study_key_of(study, names[i])].count > 1)
            return ts_study_key_of(study, names[i]);
    return -1;
}

// `by_time` nonzero: x is the time taken, else the value of the key.
static int make_curves(const ts_study* study, int key, int by_time, curves* out) {
    int points = study->key[key].count, runs = study->run_count - study->reference_count;
    out->count = 0;
    out->curve = (ts_svg_curve*)calloc((size_t)(runs / points) + 1, sizeof *out->curve);
    out->label = (ts_text*)calloc((size_t)(runs / points) + 1, sizeof *out->label);
    out->number = (double*)calloc(2 * (size_t)runs + 2, sizeof *out->number);
    if (!out->curve || !out->label || !out->number) return 0;
    double* next = out->number;
    for (int i = study->reference_count; i < study->run_count; ++i) {
        if (study->run[i].choice[key] != 0) continue;
        double *x = next, *y = next + points;
        next += 2 * points;
        for (int j = study->reference_count; j < study->run_count; ++j) {
            int same = 1;
            for (int k = 0; k < study->key_count; ++k)
                same &= k == key || study->run[i].choice[k] == study->run[j].choice[k];
            if (!same) continue;
            int p = study->run[j].choice[key];
            x[p] = by_time ? study->run[j].seconds : strtod(study->key[key].value[p], NULL);
            y[p] = study->run[j].error;
        }
        for (int k = 0; k < study->key_count; ++k)
            if (k != key)
                ts_text_add(&out->label[out->count], "%s%s", out->label[out->count].length ? " " : "",
                            study->key[k].value[study->run[i].choice[k]]);
        ts_svg_curve curve = {x, y, points, out->count};
        out->curve[out->count++] = curve;
    }
    return 1;
}

static void free_curves(curves* c) {
    for (int i = 0; c->label && i < c->count; ++i) ts_text_free(&c->label[i]);
    free(c->curve);
    free(c->label);
    free(c->number);
}

static void add_plot(const ts_study* study, int key, int by_time, ts_page_files* files, ts_text* text) {
    curves all = {0};
    const char** label = (const char**)calloc((size_t)study->run_count + 1, sizeof *label);
    if (label && make_curves(study, key, by_time, &all)) {
        for (int i = 0; i < all.count; ++i)
            label[i] = all.label[i].length ? ts_text_get(&all.label[i]) : study->scene->name;
        int is_step = strcmp(study->key[key].name, "dt") == 0;
        ts_svg_plot plot = {.title = by_time ? "error against the time taken" : "error",
                            .x_label = by_time ? "time of the steps" : study->key[key].name,
                            .x_unit = by_time || is_step ? "s" : "",
                            .y_label = "integral of the distance",
                            .y_unit = "m s",
                            .width = 520,
                            .height = 340,
                            .x_scale = TS_SVG_LOG,
                            .y_scale = TS_SVG_LOG,
                            .points = 1,
                            .curve = all.curve,
                            .curve_count = all.count,
                            .style_count = all.count,
                            .label = label};
        if (!by_time) {
            ts_text_add(text, "<div class=\"legend\">");
            for (int i = 0; i < all.count; ++i) ts_report_legend_entry(i, all.count, label[i], text);
            ts_text_add(text, "</div><div class=\"plots two\">\n");
        }
        ts_page_plot_add(&(ts_page_plot){.plot = &plot}, files, text);
        if (by_time) ts_text_add(text, "</div>\n");
    } else {
        text->failed = 1;
    }
    free_curves(&all);
    free(label);
}

void ts_study_html(const ts_study* study, ts_page_files* files, ts_text* text) {
    ts_text table = {0};
    int key = along(study);
    ts_study_text(study, &table);
    ts_text_add(text, "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>Study</title><style>");
    ts_report_add_style(text);
    ts_svg_css(text);
    ts_text_add(text, "</style></head><body><main>");
    ts_report_escaped(text, "<h1>Study of ", study->scene->name, "</h1>\n");
    ts_report_command(study->command, text);
    if (key >= 0 && study->reference_count > 0) {
        add_plot(study, key, 0, files, text);
        add_plot(study, key, 1, files, text);
    }
    ts_report_escaped(text, "<pre>", ts_text_get(&table), "</pre></main>\n");
    ts_report_add_script(text);
    ts_text_add(text, "</body></html>\n");
    ts_text_free(&table);
}
