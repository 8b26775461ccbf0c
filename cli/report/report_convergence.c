// The plots of convergence within a step.
#include "cli/report/report_internal.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { WIDTH = 460, HEIGHT = 300 };

// Lower than rounding lets anything get.
static const double floor_unmet = 1e-17;

// The points of one plot: iterations are counted from one, so that the start has a place on a logarithmic axis.
typedef struct strokes {
    double x[TS_CONVERGENCE_POINTS + 1];
    double y[TS_CONVERGENCE_POINTS + 1];
} strokes;

// A solve without anything noted between its start and its end is two points, not a line.
static int take_points(const ts_convergence_curve* curve, strokes* to) {
    int direct = curve->count == 2 && curve->iteration[1] > 1.0, count = 0;
    for (int k = 0; k < curve->count; ++k) {
        if (k == 1 && direct) to->x[count] = to->y[count] = (double)NAN;
        count += k == 1 && direct;
        to->x[count] = 1.0 + curve->iteration[k];
        to->y[count++] = curve->unmet[k];
    }
    return count;
}

static void caption_of(const ts_comparison* comparison, const ts_convergence_panel* panel, ts_text* text) {
    const char* comma = "";
    ts_text_add(text, "Step %lld (from t = %.6g s), %d contact%s%s. ", panel->step, panel->time, panel->contact_count,
                panel->contact_count == 1 ? "" : "s",
                !panel->warm ? ", from nothing"
                : comparison->options.warm_start
                    ? ", from what the step before remembers"
                    : ", from what the step before remembers (which this scene does not use)");
    for (int i = 0; i < comparison->count; ++i) {
        char label[TS_SERIES_LABEL];
        if (panel->curve[i].count > 0 && !panel->curve[i].cut) continue;
        ts_series_label(&comparison->series[i], label);
        ts_text_add(text, "%s%s", comma, label);
        comma = ", ";
    }
    ts_text_add(text, "%s", comma[0] ? ": stopped, it took too long." : "");
}

static void add_panel(const ts_comparison* comparison, const ts_convergence_panel* panel, ts_page_files* files,
                      ts_text* text) {
    ts_svg_curve* curve = (ts_svg_curve*)calloc((size_t)comparison->count, sizeof *curve);
    strokes* stroke = (strokes*)malloc((size_t)comparison->count * sizeof *stroke);
    const char** label = (const char**)calloc((size_t)comparison->count, sizeof *label);
    char(*name)[TS_SERIES_LABEL] = (char(*)[TS_SERIES_LABEL])calloc((size_t)comparison->count, sizeof *name);
    ts_text caption = {0};
    double x[2] = {1.0, 1.0}, y[2] = {panel->tolerance, panel->tolerance};
    ts_svg_curve asked = {x, y, 2, 0};
    char title[96];
    snprintf(title, sizeof title, "%s step, %s start", panel->what[0] == 'h' ? "Hardest" : "Typical",
             panel->warm ? "warm" : "cold");
    for (int i = 0; curve && stroke && label && name && i < comparison->count; ++i) {
        ts_series_label(&comparison->series[i], name[i]);
        label[i] = name[i];
        curve[i] = (ts_svg_curve){stroke[i].x, stroke[i].y, take_points(&panel->curve[i], &stroke[i]), i};
        if (curve[i].count > 0) x[1] = fmax(x[1], stroke[i].x[curve[i].count - 1]);
    }
    if (curve && stroke && label && name) {
        ts_svg_plot plot = {.title = title,
                            .x_label = "iterations, the start being 1",
                            .x_unit = "",
                            .y_label = "own law unmet",
                            .y_unit = "",
                            .width = WIDTH,
                            .height = HEIGHT,
                            .x_scale = TS_SVG_LOG,
                            .y_scale = TS_SVG_LOG,
                            .y_floor = floor_unmet,
                            .points = 1,
                            .curve = curve,
                            .curve_count = comparison->count,
                            .label = label,
                            .style_count = comparison->count,
                            .guide = &asked};
        caption_of(comparison, panel, &caption);
        ts_page_plot_add(
            &(ts_page_plot){
                .plot = &plot, .name = "convergence", .css = "convergence", .caption = ts_text_get(&caption)},
            files, text);
    } else {
        text->failed = 1;
    }
    ts_text_free(&caption);
    free(name);
    free(label);
    free(curve);
    free(stroke);
}

void ts_report_convergence(const ts_comparison* comparison, ts_page_files* files, ts_text* text) {
    if (comparison->panel_count == 0) return;
    ts_text_add(
        text,
        "<h2>Convergence within a step</h2>\n<p class=\"hint\">Share of its own law that a solver leaves unmet "
        "after each iteration, by the measure that decides \"converged\" (dashed: the tolerance). All begin "
        "with the contacts of the same state of the reference's run, each softened as its solver softens them. An "
        "iteration costs differently in each; solvers that show nothing on their way are two marks.</p>\n"
        "<div class=\"legend\">");
    for (int i = 0; i < comparison->count; ++i) {
        char label[TS_SERIES_LABEL];
        ts_series_label(&comparison->series[i], label);
        ts_report_legend_entry(i, comparison->count, label, text);
    }
    ts_text_add(text, "</div>\n<div class=\"plots two\">\n");
    for (int hard = 1; hard >= 0; --hard)
        for (int p = 0; p < comparison->panel_count; ++p)
            if ((comparison->panel[p].what[0] == 'h') == hard)
                add_panel(comparison, &comparison->panel[p], files, text);
    ts_text_add(text, "</div>\n");
}
