// The numbers behind a plot: for the script of a page, and as a table.
//
// A page carries single precision, which shows six digits of a value, in base 64. A curve of more points than anybody can point at is
// reduced to the first, lowest, highest and last of runs of equal length, so that no peak is lost; tables have every point.
#include "cli/report/svg_axis_internal.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { MOST_POINTS = 2048, RUNS = MOST_POINTS / 4 };

// A label may bring its unit: "height [mm]".
static void add_axis(const char* name, const char* label, const ts_svg_axis* axis, ts_text* text) {
    const char *bracket = strrchr(label, '['), *unit = axis->unit;
    int length = (int)strlen(label), unit_length = (int)strlen(unit);
    if (!unit[0] && bracket > label && bracket[-1] == ' ' && label[length - 1] == ']') {
        unit = bracket + 1;
        unit_length = (int)(label + length - 1 - unit);
        length = (int)(bracket - 1 - label);
    }
    char words[256];
    ts_text_add(text, " data-%s=\"%d %.17g %.17g %.17g %.17g %g %g\" data-%s-name=\"", name, (int)axis->kind, axis->low,
                axis->high, axis->scale, axis->kind == TS_SVG_LINEAR ? 0.0 : axis->floor, axis->from, axis->to, name);
    snprintf(words, sizeof words, "%.*s", length, label);
    ts_svg_escape(text, words);
    ts_text_add(text, "\" data-%s-unit=\"", name);
    snprintf(words, sizeof words, "%.*s", unit_length, unit);
    ts_svg_escape(text, words);
    ts_text_add(text, "\"");
}

void ts_svg_add_axes(const ts_svg_plot* plot, const ts_svg_axis* x, const ts_svg_axis* y, ts_text* text) {
    ts_text_add(text, " data-kind=\"%s\"",
                plot->cloud    ? "cloud"
                : plot->path   ? "path"
                : plot->points ? "points"
                               : "course");
    add_axis("x", plot->x_label, x, text);
    add_axis("y", plot->y_label[0] ? plot->y_label : plot->title, y, text);
}

// Which points of a curve a page has, in `at`, which has room for MOST_POINTS. Returns how many.
static int choose_points(const ts_svg_curve* curve, int* at) {
    int count = 0;
    if (curve->count <= MOST_POINTS) {
        for (int i = 0; i < curve->count; ++i) at[count++] = i;
        return count;
    }
    for (int r = 0; r < RUNS; ++r) {
        int first = (int)((long long)curve->count * r / RUNS),
            last = (int)((long long)curve->count * (r + 1) / RUNS) - 1;
        int low = first, high = first;
        for (int i = first; i <= last; ++i) {
            if (curve->y[i] < curve->y[low] || isnan(curve->y[low])) low = i;
            if (curve->y[i] > curve->y[high] || isnan(curve->y[high])) high = i;
        }
        int order[4] = {first, low < high ? low : high, low < high ? high : low, last};
        for (int k = 0; k < 4; ++k)
            if (count == 0 || order[k] > at[count - 1]) at[count++] = order[k];
    }
    return count;
}

static void add_column(const char* name, const double* value, const int* at, int count, ts_text* text) {
    float column[MOST_POINTS];
    for (int i = 0; i < count; ++i) column[i] = (float)value[at[i]];
    ts_text_add(text, " data-%s=\"base64,", name);
    ts_text_add_base64(text, column, (size_t)count * sizeof *column);
    ts_text_add(text, "\"");
}

// An earlier curve of the plot with the same x, which stands in the page once; -1 without one.
static int same_x(const ts_svg_plot* plot, int curve) {
    const ts_svg_curve* own = &plot->curve[curve];
    if (own->count == 0 || own->count > MOST_POINTS) return -1;
    for (int c = 0; c < curve; ++c)
        if (plot->curve[c].count == own->count &&
            memcmp(plot->curve[c].x, own->x, (size_t)own->count * sizeof *own->x) == 0)
            return c;
    return -1;
}

void ts_svg_add_numbers(const ts_svg_plot* plot, int curve, ts_text* text) {
    const ts_svg_curve* own = &plot->curve[curve];
    int at[MOST_POINTS];
    int count = choose_points(own, at), like = same_x(plot, curve);
    if (plot->label) {
        ts_text_add(text, " data-name=\"");
        ts_svg_escape(text, plot->label[curve]);
        ts_text_add(text, "\"");
    }
    if (like >= 0)
        ts_text_add(text, " data-x=\"%d\"", like);
    else
        add_column("x", own->x, at, count, text);
    add_column("y", own->y, at, count, text);
    if (plot->time) add_column("t", plot->time[curve], at, count, text);
}

// --- as a table ------------------------------------------------------------------------------------------------------

static void add_cell(const char* words, const char* unit, ts_text* text) {
    int quoted = strpbrk(words, ",\"\n") != NULL;
    if (quoted) ts_text_add(text, "\"");
    for (const char* c = words; *c; ++c) ts_text_add_bytes(text, *c == '"' ? "\"\"" : c, *c == '"' ? 2 : 1);
    if (unit[0]) ts_text_add(text, " [%s]", unit);
    if (quoted) ts_text_add(text, "\"");
}

static void add_rows(const ts_svg_curve* curve, const char* name, const double* time, int timed, ts_text* text) {
    for (int i = 0; i < curve->count; ++i) {
        add_cell(name, "", text);
        if (timed) {
            ts_text_add(text, ",");
            if (time) ts_text_add_number(text, time[i]);
        }
        ts_text_add(text, ",");
        ts_text_add_number(text, curve->x[i]);
        ts_text_add(text, ",");
        ts_text_add_number(text, curve->y[i]);
        ts_text_add(text, "\n");
    }
}

void ts_svg_csv(const ts_svg_plot* plot, ts_text* text) {
    ts_text_add(text, plot->time ? "curve,time [s]," : "curve,");
    add_cell(plot->x_label, plot->x_unit, text);
    ts_text_add(text, ",");
    add_cell(plot->y_label[0] ? plot->y_label : plot->title, plot->y_unit, text);
    ts_text_add(text, "\n");
    for (int c = 0; c < plot->curve_count; ++c) {
        const char* name = plot->label ? plot->label[c] : plot->cloud ? plot->cloud[c] : "";
        add_rows(&plot->curve[c], name, plot->time ? plot->time[c] : NULL, plot->time != NULL, text);
    }
    if (plot->guide) add_rows(plot->guide, "dashed line", NULL, plot->time != NULL, text);
}
