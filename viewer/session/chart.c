// Problem: what happened over thousands of steps in a few hundred pixels. Rule: one curve per number, from the least to the largest value of
// its column of pixels, so that a spike of one step is seen; powers of ten where a number has them. Guaranteed: what a curve does not
// know (NaN) is a gap. Known to fail: a logarithmic chart cannot show zero; it is at the bottom.
#include "viewer/session/chart_internal.h"

#include "viewer/session/convergence_internal.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { MOST_COLUMNS = 1024 };

int ts_chart_count(void) {
    int count = 0;
    for (int q = 0; q < TS_QUANTITY_COUNT; ++q)
        count += q == 0 || strcmp(ts_quantity_at(q)->chart, ts_quantity_at(q - 1)->chart) != 0;
    return count;
}

void ts_chart_numbers(int i, int* out_first, int* out_count) {
    *out_first = *out_count = 0;
    for (int q = 0, chart = -1; q < TS_QUANTITY_COUNT; ++q) {
        if (q == 0 || strcmp(ts_quantity_at(q)->chart, ts_quantity_at(q - 1)->chart) != 0) {
            if (++chart == i) *out_first = q;
        }
        if (chart == i) ++*out_count;
    }
}

unsigned ts_chart_usual(void) {
    unsigned bits = 0;
    for (int i = 0, first, count; i < ts_chart_count(); ++i) {
        ts_chart_numbers(i, &first, &count);
        // Of those that are watched all: they are there because somebody asked.
        if (first != TS_QUANTITY_ITERATIONS && first != TS_QUANTITY_CONTACTS && first != TS_QUANTITY_HEIGHT)
            bits |= 1u << i;
    }
    return bits;
}

// As it is drawn: powers of ten as their exponents, bounded.
static double drawn_value(int logarithmic, float value) {
    if (isnan(value) || !logarithmic) return (double)value;
    return fmin(2.0, fmax(-16.0, value > 0.0f ? log10((double)value) : -16.0));
}

static int is_watched(const ts_chart* chart) { return chart->first >= TS_QUANTITY_WATCHED; }

// Curves of a chart: one of each of its numbers, or of one that is watched one of each simulation.
static int curve_count(const ts_chart* chart) { return is_watched(chart) ? chart->strips->count : chart->count; }

static int quantity_of(const ts_chart* chart, int curve) {
    return is_watched(chart) ? chart->first : chart->first + curve;
}

static float value_at(const ts_chart* chart, int curve, int at) {
    int strip = is_watched(chart) ? curve : chart->strips->chosen;
    return ts_strips_value(chart->strips, strip, at, quantity_of(chart, curve));
}

static void ink_of(const ts_chart* chart, int curve, float out_color[4]) {
    int own = (int)ts_quantity_at(quantity_of(chart, curve))->color;
    ts_theme_ink(chart->theme, is_watched(chart) && chart->strips->count > 1 ? curve : own, out_color);
}

static int range_of(const ts_chart* chart, double* out_low, double* out_high) {
    const ts_strip* strip = ts_strips_chosen(chart->strips);
    double low = HUGE_VAL, high = -HUGE_VAL;
    if (!strip) return 0;
    int logarithmic = ts_strip_is_logarithmic(strip, chart->first);
    for (int c = 0; c < curve_count(chart); ++c)
        for (int i = 0; i < strip->count; ++i) {
            double v = drawn_value(logarithmic, value_at(chart, c, i));
            if (!isfinite(v)) continue;
            low = fmin(low, v);
            high = fmax(high, v);
        }
    if (low > high) return 0;
    // What anybody watches may stray little around something far from zero.
    if (!is_watched(chart) && !logarithmic) low = fmin(low, 0.0);
    // What is constant but for rounding is a level line.
    double least = fmax(1e-12, 1e-6 * fmax(fabs(low), fabs(high)));
    if (high - low < least) {
        high += 0.5 * least;
        low -= 0.5 * least;
    }
    *out_low = low;
    *out_high = high + 0.05 * (high - low);
    return 1;
}

int ts_chart_has_values(const ts_chart* chart) {
    double low, high;
    return range_of(chart, &low, &high);
}

static void span_of(const ts_strip* strip, double* out_first, double* out_last) {
    *out_first = (double)ts_strip_at(strip, 0)->step;
    *out_last = (double)ts_strip_at(strip, strip->count - 1)->step;
    if (*out_last <= *out_first) *out_last = *out_first + 1.0;
}

long long ts_chart_step_at(const ts_chart* chart, double x) {
    double first, last;
    if (!ts_strips_chosen(chart->strips)->count) return 0;
    span_of(ts_strips_chosen(chart->strips), &first, &last);
    double at = (x - chart->rectangle[0]) / chart->rectangle[2];
    return (long long)(first + fmin(1.0, fmax(0.0, at)) * (last - first) + 0.5);
}

// Points of a curve while it is drawn; a gap ends it.
typedef struct stroke {
    const ts_pen* pen;
    float color[4];
    float xy[4 * MOST_COLUMNS];
    int count;
} stroke;

static void end_stroke(stroke* s) {
    if (s->count > 1) s->pen->line(s->pen->user, s->xy, s->count, s->color);
    s->count = 0;
}

static void add_point(stroke* s, double x, double y) {
    if (s->count == 2 * MOST_COLUMNS) end_stroke(s);
    s->xy[2 * s->count] = (float)x;
    s->xy[2 * s->count + 1] = (float)y;
    ++s->count;
}

static void draw_curve(const ts_chart* chart, int curve, double low, double high, const ts_pen* pen) {
    const double* r = chart->rectangle;
    const ts_strip* strip = ts_strips_chosen(chart->strips);
    double first, last;
    int logarithmic = ts_strip_is_logarithmic(strip, chart->first);
    stroke s = {.pen = pen};
    ink_of(chart, curve, s.color);
    span_of(strip, &first, &last);
    int columns = (int)fmin(r[2], (double)MOST_COLUMNS);
    for (int i = 0; i < strip->count;) {
        // All samples of one column of pixels: from the least to the largest of them.
        int column = (int)(((double)ts_strip_at(strip, i)->step - first) / (last - first) * (double)columns);
        double least = HUGE_VAL, most = -HUGE_VAL, x = 0.0;
        for (; i < strip->count; ++i) {
            double at = ((double)ts_strip_at(strip, i)->step - first) / (last - first);
            if ((int)(at * (double)columns) != column) break;
            double v = drawn_value(logarithmic, value_at(chart, curve, i));
            x = r[0] + at * r[2];
            if (!isfinite(v)) continue;
            least = fmin(least, v);
            most = fmax(most, v);
        }
        if (least > most) {
            end_stroke(&s);
            continue;
        }
        add_point(&s, x, r[1] + r[3] * (high - least) / (high - low));
        if (most > least) add_point(&s, x, r[1] + r[3] * (high - most) / (high - low));
    }
    end_stroke(&s);
}

void ts_chart_text(const ts_theme* theme, const ts_pen* pen, const double at[2], const char* text,
                   const float color[4]) {
    const double behind[4] = {at[0] - 2.0, at[1], pen->letter * (double)strlen(text) + 4.0, pen->size};
    pen->box(pen->user, behind, theme->shade);
    pen->text(pen->user, at[0], at[1], text, color);
}

// Of words that are wider than the chart the end: of what is watched it says the number.
static const char* fitting(const ts_chart* chart, const ts_pen* pen, const char* text) {
    size_t room = (size_t)fmax(8.0, (chart->rectangle[2] - 8.0) / pen->letter), length = strlen(text);
    return length > room ? text + (length - room) : text;
}

// An end of the scale as text, and where it begins so that it ends with the chart.
static double end_of_scale(const ts_chart* chart, const ts_pen* pen, double end, double low, double high,
                           char text[32]) {
    int logarithmic = ts_strip_is_logarithmic(ts_strips_chosen(chart->strips), chart->first);
    // Powers of ten as such, unless both ends were the same one.
    if (logarithmic && high - low < 2.0)
        snprintf(text, 32, "%.2g", pow(10.0, end));
    else
        snprintf(text, 32, logarithmic ? "1e%.0f" : "%.3g", end);
    return chart->rectangle[0] + chart->rectangle[2] - pen->letter * (double)strlen(text);
}

// Words of a chart, line by line, and the first line that leaves room on its right.
typedef struct words {
    double at[2];
    double right;  // where the room has to begin
    double room;   // y of that line; negative: none yet
} words;

static void write_line(const ts_chart* chart, const ts_pen* pen, const char* text, const float color[4], words* w) {
    ts_chart_text(chart->theme, pen, w->at, text, color);
    if (w->room < 0.0 && w->at[0] + pen->letter * (double)(strlen(text) + 1) <= w->right) w->room = w->at[1];
    w->at[1] += pen->size;
}

// The chart, and in the colour of each curve what it is and its value at the cursor; the ends of the scale on the right.
static void draw_words(const ts_chart* chart, double low, double high, const ts_pen* pen) {
    const double* r = chart->rectangle;
    const ts_theme* theme = chart->theme;
    const ts_strip* strip = ts_strips_chosen(chart->strips);
    const ts_quantity_row* row = ts_quantity_at(chart->first);
    int alone = is_watched(chart) && chart->strips->count == 1, here = ts_strip_find(strip, chart->cursor);
    char text[TS_GAUGE_WORD + 64], name[TS_GAUGE_WORD], top[32], bottom[32];
    words w = {{r[0] + 4.0, r[1] + 2.0}, end_of_scale(chart, pen, high, low, high, top), -1.0};
    double left = end_of_scale(chart, pen, low, low, high, bottom);
    if (here >= 0 && ts_strip_at(strip, here)->step != chart->cursor) here = -1;
    ts_strip_name(strip, chart->first, name);
    snprintf(text, sizeof text, row->unit[0] ? "%s [%s]" : "%s", is_watched(chart) ? name : row->chart, row->unit);
    if (!alone) write_line(chart, pen, is_watched(chart) ? fitting(chart, pen, text) : text, theme->plain, &w);
    for (int c = 0; c < curve_count(chart); ++c) {
        float color[4], value = here >= 0 ? value_at(chart, c, here) : NAN;
        if (!is_watched(chart)) ts_strip_name(strip, quantity_of(chart, c), name);
        const char* what = is_watched(chart) && !alone ? chart->strips->name[c] : name;
        if (isfinite(value))
            snprintf(text, sizeof text, "%.*s %.4g", TS_GAUGE_WORD, what, (double)value);
        else
            snprintf(text, sizeof text, "%.*s", TS_GAUGE_WORD, what);
        ink_of(chart, c, color);
        write_line(chart, pen, alone ? fitting(chart, pen, text) : text, color, &w);
    }
    const double above[2] = {w.right, w.room >= 0.0 ? w.room : w.at[1]}, below[2] = {left, r[1] + r[3] - pen->size};
    ts_chart_text(theme, pen, above, top, theme->dim);
    ts_chart_text(theme, pen, below, bottom, theme->dim);
}

void ts_chart_draw(const ts_chart* chart, const ts_pen* pen) {
    const double* r = chart->rectangle;
    double low, high, first, last;
    pen->box(pen->user, r, chart->theme->paper);
    if (!range_of(chart, &low, &high)) {
        low = 0.0;
        high = 1.0;
    } else {
        for (int k = 1; k < 4; ++k) {
            const double line[4] = {r[0], r[1] + 0.25 * (double)k * r[3], r[2], 1.0};
            pen->box(pen->user, line, chart->theme->rule);
        }
        for (int c = 0; c < curve_count(chart); ++c) draw_curve(chart, c, low, high, pen);
        span_of(ts_strips_chosen(chart->strips), &first, &last);
        double at = ((double)chart->cursor - first) / (last - first);
        const double mark[4] = {r[0] + at * r[2], r[1], 1.0, r[3]};
        if (at >= 0.0 && at <= 1.0) pen->box(pen->user, mark, chart->theme->marked);
    }
    draw_words(chart, low, high, pen);
}

// --- files ---------------------------------------------------------------------------------------------------------

static void svg_color(ts_text* svg, const char* what, const float c[4]) {
    ts_text_add(svg, " %s=\"#%02x%02x%02x\" %s-opacity=\"%.2f\"", what, (unsigned)(255.0f * c[0]),
                (unsigned)(255.0f * c[1]), (unsigned)(255.0f * c[2]), what, (double)c[3]);
}

static void svg_line(void* user, const float* xy, int count, const float color[4]) {
    ts_text* svg = user;
    ts_text_add(svg, "<polyline fill=\"none\" stroke-width=\"1.5\"");
    svg_color(svg, "stroke", color);
    ts_text_add(svg, " points=\"");
    for (int i = 0; i < count; ++i)
        ts_text_add(svg, i ? " %.1f,%.1f" : "%.1f,%.1f", (double)xy[2 * i], (double)xy[2 * i + 1]);
    ts_text_add(svg, "\"/>\n");
}

static void svg_box(void* user, const double r[4], const float color[4]) {
    ts_text* svg = user;
    ts_text_add(svg, "<rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\"", r[0], r[1], r[2], r[3]);
    svg_color(svg, "fill", color);
    ts_text_add(svg, "/>\n");
}

static void svg_text(void* user, double x, double y, const char* text, const float color[4]) {
    ts_text* svg = user;
    ts_text_add(svg, "<text x=\"%.1f\" y=\"%.1f\"", x, y + 12.0);
    svg_color(svg, "fill", color);
    ts_text_add(svg, ">");
    for (const char* c = text; *c; ++c)
        ts_text_add(svg, *c == '<' ? "&lt;" : *c == '>' ? "&gt;" : *c == '&' ? "&amp;" : "%c", *c);
    ts_text_add(svg, "</text>\n");
}

// Below each other; returns the height that was used.
static double draw_all(const ts_charted* what, double width, double each, const ts_pen* pen) {
    double y = 0.0;
    for (int i = 0; i < ts_chart_count(); ++i) {
        ts_chart chart = {&what->strips, what->theme, 0, 0, {0.0, y, width, each - 6.0}, what->cursor};
        ts_chart_numbers(i, &chart.first, &chart.count);
        if (!ts_chart_has_values(&chart)) continue;
        if (pen) ts_chart_draw(&chart, pen);
        y += each;
    }
    if (!what->shadow || !ts_convergence_has_values(what->shadow)) return y;
    ts_convergence_chart last = {what->shadow, what->theme, {0.0, y, width, each - 6.0}, -1.0};
    if (pen) ts_convergence_draw(&last, pen);
    return y + each;
}

ts_code ts_chart_write_svg(const ts_charted* what, int width, const char* path, ts_status* out_status) {
    const double each = 140.0;
    ts_text svg = {0};
    ts_pen pen = {&svg, svg_line, svg_box, svg_text, 15.0, 6.5};
    double height = fmax(each, draw_all(what, (double)width, each, NULL));
    ts_text_add(&svg,
                "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%.0f\" font-family=\"sans-serif\" "
                "font-size=\"12\">\n",
                width, height);
    (void)draw_all(what, (double)width, each, &pen);
    ts_text_add(&svg, "</svg>\n");
    ts_code code = ts_text_write_file(&svg, path, out_status);
    ts_text_free(&svg);
    return code;
}

static void overlay_line(void* user, const float* xy, int count, const float color[4]) {
    // Columns of pixels, which is what the curves are made of anyway.
    for (int i = 0; i + 1 < count; ++i) {
        double x0 = (double)xy[2 * i], y0 = (double)xy[2 * i + 1], x1 = (double)xy[2 * i + 2],
               y1 = (double)xy[2 * i + 3];
        int columns = (int)fmax(1.0, ceil(fabs(x1 - x0)));
        for (int k = 0; k < columns; ++k) {
            double a = y0 + (y1 - y0) * (double)k / (double)columns,
                   b = y0 + (y1 - y0) * (double)(k + 1) / (double)columns;
            double x = x0 + (x1 - x0) * (double)k / (double)columns;
            ts_overlay_add_rectangle(user, x, floor(fmin(a, b)), 1.5, fmax(1.5, fabs(b - a)), color);
        }
    }
}

static void overlay_box(void* user, const double r[4], const float color[4]) {
    ts_overlay_add_rectangle(user, r[0], r[1], r[2], r[3], color);
}

static void overlay_text(void* user, double x, double y, const char* text, const float color[4]) {
    (void)ts_overlay_add_text(user, x, y, text, color);
}

void ts_chart_fill_overlay(const ts_charted* what, int width, int height, ts_overlay* overlay) {
    ts_overlay_begin(overlay, height);
    ts_overlay_set_size(overlay, 8.0);
    ts_overlay_add_rectangle(overlay, 0.0, 0.0, (double)width, (double)height, what->theme->page);
    double count = fmax(1.0, draw_all(what, (double)width, 1.0, NULL));
    double line = ts_overlay_line_height(overlay);
    ts_pen pen = {overlay, overlay_line, overlay_box, overlay_text, line, 0.52 * line};
    (void)draw_all(what, (double)width, (double)height / count, &pen);
}
