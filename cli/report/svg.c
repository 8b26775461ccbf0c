// Line plots, on whatever canvas.
//
// Curves over time are reduced to the first, lowest, highest and last value per half pixel, paths to points half a
// pixel apart: the picture is the same and the page stays small. Colours: Okabe and Ito's set, made to be told apart by
// colour-blind readers; a second round through the colours is dashed. Axes: cli/report/svg_axis.c.
#include "cli/report/svg_internal.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/report/canvas_internal.h"
#include "cli/report/svg_axis_internal.h"

enum { COLOURS = 8, MARKS = 7 };

void ts_svg_escape(ts_text* text, const char* plain) {
    for (const char* c = plain; *c; ++c) {
        switch (*c) {
        case '<': ts_text_add(text, "&lt;"); break;
        case '>': ts_text_add(text, "&gt;"); break;
        case '&': ts_text_add(text, "&amp;"); break;
        case '"': ts_text_add(text, "&quot;"); break;
        default: ts_text_add_bytes(text, c, 1);
        }
    }
}

static void add_power_of_ten(ts_text* text, int exponent) {
    static const char* const digits[] = {"\xE2\x81\xB0", "\xC2\xB9",     "\xC2\xB2",     "\xC2\xB3",
                                         "\xE2\x81\xB4", "\xE2\x81\xB5", "\xE2\x81\xB6", "\xE2\x81\xB7",
                                         "\xE2\x81\xB8", "\xE2\x81\xB9"};
    char plain[16];
    snprintf(plain, sizeof plain, "%d", exponent);
    ts_text_add(text, "10");
    for (const char* c = plain; *c; ++c) ts_text_add(text, "%s", *c == '-' ? "\xE2\x81\xBB" : digits[*c - '0']);
}

static void add_tick_label(ts_text* text, const ts_svg_axis* self, double value) {
    if (self->kind == TS_SVG_SIGNED_LOG) {
        int exponent = (int)floor(log10(self->floor) + fabs(value) + 0.5);
        if (value < 0.0) ts_text_add(text, "\xE2\x88\x92");
        if (fabs(value) < 0.5)
            ts_text_add(text, "0");
        else if (exponent >= -3 && exponent <= 4)
            ts_text_add(text, "%g", pow(10.0, exponent));
        else
            add_power_of_ten(text, exponent);
        return;
    }
    if (self->kind == TS_SVG_LOG) {
        double whole = floor(value + 1e-9);
        // Powers far from one are written as powers, the others as people write them.
        if (self->low > -3.5 && self->high < 5.5) {
            ts_text_add(text, "%g", floor(pow(10.0, value - whole) + 0.5) * pow(10.0, whole));
            return;
        }
        if (value - whole > 0.1) ts_text_add(text, "%.0f\xC2\xB7", pow(10.0, value - whole));
        add_power_of_ten(text, (int)whole);
    } else
        ts_text_add(text, "%s%.*f", value < 0.0 ? "\xE2\x88\x92" : "", self->decimals, fabs(value));
}

// "height [mm]"
static void draw_label(const char* words, const char* unit, double x, double y, ts_anchor anchor, ts_canvas* canvas) {
    ts_text label = {0};
    ts_text_add(&label, unit[0] ? "%s [%s]" : "%s", words, unit);
    ts_canvas_words(canvas, TS_PART_LABEL, x, y, anchor, ts_text_get(&label));
    ts_text_free(&label);
}

// Grid lines or the numbers beside them, of one axis.
static void draw_ticks(const ts_svg_plot* plot, const ts_svg_axis* axis, int is_y, int numbers, ts_canvas* canvas) {
    double bottom = plot->height - TS_SVG_BOTTOM, right = plot->width - TS_SVG_RIGHT;
    for (int i = 0; i < axis->tick_count; ++i) {
        double at = axis->from + (axis->tick[i] - axis->low) / (axis->high - axis->low) * (axis->to - axis->from);
        ts_text words = {0};
        if (numbers)
            add_tick_label(&words, axis, axis->tick[i]);
        else
            ts_text_add(&words, is_y ? "M%.0f %.1fH%.1f" : "M%.1f %.0fV%.1f", is_y ? (double)TS_SVG_LEFT : at,
                        is_y ? at : (double)TS_SVG_TOP, is_y ? right : bottom);
        if (!numbers)
            ts_canvas_path(canvas,
                           is_y && axis->kind == TS_SVG_LINEAR && axis->tick[i] == 0.0 ? TS_PART_ZERO : TS_PART_GRID,
                           0.0, 0, ts_text_get(&words));
        else if (is_y)
            ts_canvas_words(canvas, TS_PART_TICK, TS_SVG_LEFT - 7, at + 3.8, TS_ANCHOR_END, ts_text_get(&words));
        else
            ts_canvas_words(canvas, TS_PART_TICK, at, bottom + 19.0, TS_ANCHOR_MIDDLE, ts_text_get(&words));
        ts_text_free(&words);
    }
}

static void draw_frame(const ts_svg_plot* plot, const ts_svg_axis* x, const ts_svg_axis* y, ts_canvas* canvas) {
    static const char* const css[] = {"grid", "tick"};
    for (int numbers = 0; numbers < 2; ++numbers) {
        ts_canvas_begin(canvas, &(ts_canvas_group){.css = css[numbers]});
        draw_ticks(plot, x, 0, numbers, canvas);
        draw_ticks(plot, y, 1, numbers, canvas);
        ts_canvas_end(canvas);
    }
    draw_label(plot->x_label, x->unit, 0.5 * (TS_SVG_LEFT + plot->width - TS_SVG_RIGHT), plot->height - 8.0,
               TS_ANCHOR_MIDDLE, canvas);
    draw_label(plot->y_label, y->unit, 8.0, TS_SVG_TOP - 14, TS_ANCHOR_START, canvas);
}

typedef struct pen {
    ts_text* text;
    int down;
    double x;  // px, last point put on paper
    double y;
} pen;

static void pen_to(pen* self, double x, double y) {
    if (self->down && fabs(x - self->x) < 0.05 && fabs(y - self->y) < 0.05) return;
    ts_text_add(self->text, self->down ? " %.1f %.1f" : "M%.1f %.1f", x, y);
    self->down = 1;
    self->x = x;
    self->y = y;
}

// A curve over time: first, lowest, highest and last point of every half pixel.
static void draw_series(const ts_svg_curve* curve, const ts_svg_axis* x, const ts_svg_axis* y, pen* tip) {
    int i = 0;
    while (i < curve->count) {
        if (!isfinite(curve->y[i]) || !isfinite(curve->x[i])) {
            tip->down = 0;
            ++i;
            continue;
        }
        double column = floor(2.0 * ts_svg_place(x, curve->x[i]));
        int low = i;
        int high = i;
        int last = i;
        for (int k = i;
             k < curve->count && isfinite(curve->y[k]) && floor(2.0 * ts_svg_place(x, curve->x[k])) <= column; ++k) {
            if (curve->y[k] < curve->y[low]) low = k;
            if (curve->y[k] > curve->y[high]) high = k;
            last = k;
        }
        int order[4] = {i, low < high ? low : high, low < high ? high : low, last};
        for (int k = 0; k < 4; ++k)
            pen_to(tip, ts_svg_place(x, curve->x[order[k]]), ts_svg_place(y, curve->y[order[k]]));
        i = last + 1;
    }
}

static void draw_path(const ts_svg_curve* curve, const ts_svg_axis* x, const ts_svg_axis* y, pen* tip) {
    for (int i = 0; i < curve->count; ++i) {
        if (!isfinite(curve->y[i]) || !isfinite(curve->x[i])) {
            tip->down = 0;
            continue;
        }
        double at_x = ts_svg_place(x, curve->x[i]);
        double at_y = ts_svg_place(y, curve->y[i]);
        if (tip->down && i + 1 < curve->count && hypot(at_x - tip->x, at_y - tip->y) < 0.5) continue;
        pen_to(tip, at_x, at_y);
    }
}

// One mark, about 7 px across, as path data.
static void add_mark(int style, double x, double y, ts_text* text) {
    switch (style % MARKS) {
    case 0: ts_text_add(text, "M%.1f %.1fa3.5 3.5 0 1 0 7 0a3.5 3.5 0 1 0 -7 0z", x - 3.5, y); break;
    case 1: ts_text_add(text, "M%.1f %.1fh6.4v6.4h-6.4z", x - 3.2, y - 3.2); break;
    case 2: ts_text_add(text, "M%.1f %.1fl4 7h-8z", x, y - 4.2); break;
    case 3: ts_text_add(text, "M%.1f %.1fl4.2 4.2l-4.2 4.2l-4.2 -4.2z", x, y - 4.2); break;
    case 4: ts_text_add(text, "M%.1f %.1fl4 -7h-8z", x, y + 4.2); break;
    case 5: ts_text_add(text, "M%.1f %.1fh2.4v2.6h2.6v2.4h-2.6v2.6h-2.4v-2.6h-2.6v-2.4h2.6z", x - 1.2, y - 3.8); break;
    default: ts_text_add(text, "M%.1f %.1fl3.9 2.8l-1.5 4.6h-4.8l-1.5 -4.6z", x, y - 4.1); break;
    }
}

static void draw_mark_as(ts_part part, int style, double x, double y, ts_canvas* canvas) {
    ts_text data = {0};
    add_mark(style, x, y, &data);
    ts_canvas_path(canvas, part, 0.0, 0, ts_text_get(&data));
    ts_text_free(&data);
}

// The second round through the colours has hollow marks.
static void draw_mark(int style, double x, double y, ts_canvas* canvas) {
    draw_mark_as((style / COLOURS) % 2 ? TS_PART_HOLLOW : TS_PART_MARK, style, x, y, canvas);
}

void ts_svg_mark(int style, double x, double y, ts_text* text) {
    ts_canvas canvas = ts_canvas_svg(text);
    draw_mark(style, x, y, &canvas);
}

// Logarithmic plots show noise, which wide strokes would turn into blocks: there widths are halved.
static double stroke_width(ts_svg_scale scale, int style, int style_count) {
    if (style_count < 0) return 1.8;
    if (scale == TS_SVG_LOG) return 0.5 * stroke_width(TS_SVG_LINEAR, style, style_count) + 0.3;
    if (style_count < 2) return 2.2;
    return 1.6 + 3.0 * (double)(style_count - 1 - style) / (double)(style_count - 1);
}

// Marks at places of the curve's own, so that curves on top of each other show different marks side by side.
static void draw_marks(const ts_svg_plot* plot, const ts_svg_curve* curve, const ts_svg_axis* x, const ts_svg_axis* y,
                       ts_canvas* canvas) {
    enum { MARKS_PER_CURVE = 5, FEW = 24 };
    if (curve->count == 0) return;
    if (plot->points && curve->count <= FEW) {
        for (int i = 0; i < curve->count; ++i)
            if (isfinite(curve->x[i]) && isfinite(curve->y[i]))
                draw_mark(curve->style, ts_svg_place(x, curve->x[i]), ts_svg_place(y, curve->y[i]), canvas);
        return;
    }
    double own = ((double)curve->style + 0.5) / (double)(plot->style_count > 0 ? plot->style_count : 1);
    for (int k = 0; k < MARKS_PER_CURVE; ++k) {
        int i = (int)((double)(curve->count - 1) * ((double)k + own) / MARKS_PER_CURVE);
        if (i < curve->count && isfinite(curve->x[i]) && isfinite(curve->y[i]))
            draw_mark(curve->style, ts_svg_place(x, curve->x[i]), ts_svg_place(y, curve->y[i]), canvas);
    }
}

// The same along a path, by its length: bodies that have come to rest would gather marks placed by time.
static void draw_path_marks(const ts_svg_plot* plot, const ts_svg_curve* curve, const ts_svg_axis* x,
                            const ts_svg_axis* y, ts_canvas* canvas) {
    enum { MARKS_PER_PATH = 2 };
    double own = ((double)curve->style + 0.5) / (double)(plot->style_count > 0 ? plot->style_count : 1);
    double length[2] = {0.0, 0.0};  // px: of the whole path, then up to the present point
    int marks = 0;
    for (int pass = 0; pass < 2; ++pass) {
        for (int i = 1; i < curve->count; ++i) {
            double part = hypot(ts_svg_place(x, curve->x[i]) - ts_svg_place(x, curve->x[i - 1]),
                                ts_svg_place(y, curve->y[i]) - ts_svg_place(y, curve->y[i - 1]));
            if (!isfinite(part)) continue;
            length[pass] += part;
            if (pass == 0 || marks == MARKS_PER_PATH) continue;
            if (length[1] < length[0] * ((double)marks + own) / MARKS_PER_PATH) continue;
            draw_mark(curve->style, ts_svg_place(x, curve->x[i]), ts_svg_place(y, curve->y[i]), canvas);
            marks++;
        }
        if (length[0] < 40.0) return;
    }
}

static const char* const light_ink[COLOURS] = {"#0072b2", "#d55e00", "#009e73", "#b5569b",
                                               "#c98a00", "#3a9bdc", "#7a5230", "#5a5f66"};
static const char* const dark_ink[COLOURS] = {"#4aa8e0", "#ff8a3d", "#2fc796", "#e09ccb",
                                              "#f0b93a", "#8fd0ff", "#c79b74", "#aab2bd"};

// Colours of clouds, by their class.
static const struct tone {
    const char* css;
    const char* light;
    const char* dark;
    ts_part mark;
} tones[] = {{"open", "#7d8691", "#9aa3ae", TS_PART_HOLLOW},
             {"stick", "#009e73", "#2fc796", TS_PART_MARK},
             {"slide", "#c98a00", "#f0b93a", TS_PART_MARK},
             {"violated", "#d1342f", "#ff7a70", TS_PART_MARK}};

enum { TONES = sizeof tones / sizeof tones[0] };

static const struct tone* tone_of(const ts_svg_plot* plot, int c) {
    for (int i = 0; i < TONES; ++i)
        if (strcmp(tones[i].css, plot->cloud[c]) == 0) return &tones[i];
    return &tones[0];
}

static const char* ink_of(const ts_svg_plot* plot, int c) {
    return plot->cloud ? tone_of(plot, c)->light : light_ink[plot->curve[c].style % COLOURS];
}

// The numbers of a curve stand in a page, by which its script works.
static void begin_curve(const ts_svg_plot* plot, int c, int in_page, ts_canvas* canvas) {
    char css[64];
    ts_text numbers = {0};
    int style = plot->curve[c].style;
    if (plot->cloud)
        snprintf(css, sizeof css, "cloud %s", plot->cloud[c]);
    else
        snprintf(css, sizeof css, "c s%d k%d", style, style % COLOURS);
    if (in_page) ts_svg_add_numbers(plot, c, &numbers);
    ts_canvas_begin(canvas,
                    &(ts_canvas_group){.css = css, .attributes = ts_text_get(&numbers), .ink = ink_of(plot, c)});
    ts_text_free(&numbers);
}

static void draw_cloud(const ts_svg_plot* plot, int c, const ts_svg_axis* x, const ts_svg_axis* y, int in_page,
                       ts_canvas* canvas) {
    const ts_svg_curve* curve = &plot->curve[c];
    begin_curve(plot, c, in_page, canvas);
    for (int i = 0; i < curve->count; ++i)
        if (isfinite(curve->x[i]) && isfinite(curve->y[i]))
            draw_mark_as(tone_of(plot, c)->mark, curve->style, ts_svg_place(x, curve->x[i]),
                         ts_svg_place(y, curve->y[i]), canvas);
    ts_canvas_end(canvas);
}

static void draw_curve(const ts_svg_plot* plot, int c, const ts_svg_axis* x, const ts_svg_axis* y, int in_page,
                       ts_canvas* canvas) {
    const ts_svg_curve* curve = &plot->curve[c];
    ts_text data = {0};
    pen tip = {&data, 0, 0.0, 0.0};
    begin_curve(plot, c, in_page, canvas);
    if (plot->path)
        draw_path(curve, x, y, &tip);
    else
        draw_series(curve, x, y, &tip);
    ts_canvas_path(canvas, TS_PART_CURVE,
                   stroke_width(plot->y_scale, curve->style, plot->points ? -1 : plot->style_count),
                   curve->style >= COLOURS, ts_text_get(&data));
    ts_text_free(&data);
    if (plot->path) {
        draw_path_marks(plot, curve, x, y, canvas);
        // Where it ended says most.
        for (int i = curve->count - 1; i >= 0; --i) {
            if (!isfinite(curve->x[i]) || !isfinite(curve->y[i])) continue;
            draw_mark(curve->style, ts_svg_place(x, curve->x[i]), ts_svg_place(y, curve->y[i]), canvas);
            break;
        }
    } else {
        draw_marks(plot, curve, x, y, canvas);
    }
    ts_canvas_end(canvas);
}

// The dashed curve, and where paths start.
static void draw_guide(const ts_svg_plot* plot, const ts_svg_axis* x, const ts_svg_axis* y, ts_canvas* canvas) {
    ts_text data = {0};
    pen tip = {&data, 0, 0.0, 0.0};
    if (!plot->guide) return;
    draw_path(plot->guide, x, y, &tip);
    ts_canvas_path(canvas, TS_PART_GUIDE, 0.0, 0, ts_text_get(&data));
    ts_text_free(&data);
}

static void draw_start(const ts_svg_plot* plot, const ts_svg_axis* x, const ts_svg_axis* y, ts_canvas* canvas) {
    char circle[96];
    if (!plot->path || plot->cloud || plot->curve_count == 0 || plot->curve[0].count == 0) return;
    snprintf(circle, sizeof circle, "M%.1f %.1fa5 5 0 1 0 10 0a5 5 0 1 0 -10 0z",
             ts_svg_place(x, plot->curve[0].x[0]) - 5.0, ts_svg_place(y, plot->curve[0].y[0]));
    ts_canvas_path(canvas, TS_PART_START, 0.0, 0, circle);
}

static void find_axes(const ts_svg_plot* plot, ts_svg_axis* x, ts_svg_axis* y) {
    *x = ts_svg_x_axis(plot);
    *y = ts_svg_y_axis(plot);
    if (plot->path) {
        ts_svg_pad(x, 0.04);
        ts_svg_pad(y, 0.08);
        ts_svg_equalise(x, y);
    }
    if (x->kind == TS_SVG_LINEAR) ts_svg_linear_ticks(x, 56.0, 0, 0);
    if (y->kind == TS_SVG_LINEAR) ts_svg_linear_ticks(y, 34.0, plot->y_whole, !plot->path);
}

static void draw_plot(const ts_svg_plot* plot, const ts_svg_axis* x, const ts_svg_axis* y, int in_page,
                      ts_canvas* canvas) {
    draw_frame(plot, x, y, canvas);
    for (int c = 0; c < plot->curve_count && !plot->cloud; ++c) draw_curve(plot, c, x, y, in_page, canvas);
    draw_guide(plot, x, y, canvas);
    for (int c = 0; c < plot->curve_count && plot->cloud; ++c) draw_cloud(plot, c, x, y, in_page, canvas);
    draw_start(plot, x, y, canvas);
}

void ts_svg_plot_add(const ts_svg_plot* plot, ts_text* text) {
    ts_svg_axis x, y;
    ts_canvas canvas = ts_canvas_svg(text);
    find_axes(plot, &x, &y);
    ts_text_add(text, "<svg class=\"plot\" viewBox=\"0 0 %d %d\" role=\"img\" aria-label=\"", plot->width,
                plot->height);
    ts_svg_escape(text, plot->title);
    ts_text_add(text, "\"");
    ts_svg_add_axes(plot, &x, &y, text);
    ts_text_add(text, ">");
    draw_plot(plot, &x, &y, 1, &canvas);
    ts_text_add(text, "</svg>\n");
}

static void draw_swatch(int style, double width, ts_canvas* canvas) {
    ts_canvas_path(canvas, TS_PART_CURVE, width, style >= COLOURS, "M1 7H33");
    draw_mark(style, 17.0, 7.0, canvas);
}

void ts_svg_swatch(int style, int style_count, ts_text* text) {
    ts_canvas canvas = ts_canvas_svg(text);
    ts_text_add(text,
                "<svg class=\"swatch k%d\" viewBox=\"0 0 34 14\" width=\"34\" height=\"14\" aria-hidden=\"true\">",
                style % COLOURS);
    draw_swatch(style, stroke_width(TS_SVG_LINEAR, style, style_count), &canvas);
    ts_text_add(text, "</svg>");
}

void ts_svg_color(int style, float out_rgb[3]) {
    // A colour that comes again is lighter: what the dashes are to a curve.
    const char* ink = style % (2 * COLOURS) < COLOURS ? light_ink[style % COLOURS] : dark_ink[style % COLOURS];
    unsigned long rgb = strtoul(ink + 1, NULL, 16);
    for (int c = 0; c < 3; ++c) out_rgb[c] = (float)(rgb >> (16 - 8 * c) & 255u) / 255.0f;
}

// What both pages and files need.
static void add_part_css(ts_text* text) {
    for (int i = 0; i < COLOURS; ++i) ts_text_add(text, ".k%d{--ink:%s}", i, light_ink[i]);
    for (int i = 0; i < TONES; ++i) ts_text_add(text, ".%s{--ink:%s}", tones[i].css, tones[i].light);
    ts_text_add(text, "\n@media (prefers-color-scheme:dark){");
    for (int i = 0; i < COLOURS; ++i) ts_text_add(text, ".k%d{--ink:%s}", i, dark_ink[i]);
    for (int i = 0; i < TONES; ++i) ts_text_add(text, ".%s{--ink:%s}", tones[i].css, tones[i].dark);
    ts_text_add(text,
                "}\n"
                ".grid path{stroke:var(--line);stroke-width:1;fill:none}.grid .zero{stroke:var(--soft)}"
                ".tick text{font-size:11px;fill:var(--soft);font-variant-numeric:tabular-nums}"
                ".label{font-size:12px;fill:var(--soft)}"
                ".l{fill:none;stroke:var(--ink);stroke-linejoin:round;stroke-linecap:round}"
                ".m{fill:var(--ink);stroke:var(--card);stroke-width:1}.m.hollow{fill:var(--card);stroke:var(--ink)}"
                ".start{fill:none;stroke:var(--text);stroke-width:1.5}"
                ".guide{fill:none;stroke:var(--text);stroke-width:1.1;stroke-dasharray:3 5}"
                ".cloud.open .m{fill:var(--card);stroke:var(--ink)}\n");
}

void ts_svg_css(ts_text* text) {
    add_part_css(text);
    // Plots are shrunk to fit columns and phones: their words are larger there.
    ts_text_add(text, ".plot{width:100%%;height:auto;display:block}.plot .tick text,.plot .label{font-size:13px}"
                      "@media (max-width:480px){.plot .tick text,.plot .label{font-size:17px}}\n");
}

// --- files -----------------------------------------------------------------------------------------------------------

// A plot with its title above and its legend below, in pixels.
typedef struct sheet {
    const ts_svg_plot* plot;
    int width;
    int height;
    int columns;  // of the legend
    double column;
} sheet;

enum { HEAD = 30, LINE = 20, FOOT = 12, SWATCH = 40, KEY = 12 };

// As many columns as the longest label allows, a label longer than the plot makes the sheet wider. Letters of a screen may be wider
// than those of a PDF.
static sheet lay_out(const ts_svg_plot* plot) {
    double longest = 0.0;
    for (int c = 0; c < plot->curve_count; ++c) longest = fmax(longest, ts_canvas_pdf_width(plot->label[c]));
    double wanted = SWATCH + 1.15 * KEY * longest + 18.0, room = plot->width - TS_SVG_LEFT - TS_SVG_RIGHT;
    sheet s = {plot, plot->width, 0, wanted < room ? (int)(room / wanted) : 1, 0.0};
    if (wanted > room) s.width += (int)(wanted - room);
    s.column = room / s.columns;
    s.height = HEAD + plot->height + (plot->curve_count + s.columns - 1) / s.columns * LINE + FOOT;
    return s;
}

static void draw_key(const sheet* s, int c, ts_canvas* canvas) {
    const ts_svg_plot* plot = s->plot;
    int style = plot->curve[c].style, line = c / s->columns;
    double x = TS_SVG_LEFT + (c % s->columns) * s->column, y = HEAD + plot->height + line * LINE;
    char css[64];
    if (plot->cloud)
        snprintf(css, sizeof css, "cloud %s", plot->cloud[c]);
    else
        snprintf(css, sizeof css, "k%d", style % COLOURS);
    ts_canvas_begin(canvas, &(ts_canvas_group){.css = css, .ink = ink_of(plot, c), .x = x, .y = y + 3.0});
    if (plot->cloud)
        draw_mark_as(tone_of(plot, c)->mark, style, 17.0, 7.0, canvas);
    else
        draw_swatch(style, stroke_width(TS_SVG_LINEAR, style, -1), canvas);
    ts_canvas_end(canvas);
    ts_canvas_words(canvas, TS_PART_KEY, x + SWATCH, y + 14.0, TS_ANCHOR_START, plot->label[c]);
}

static void draw_sheet(const sheet* s, ts_canvas* canvas) {
    ts_svg_axis x, y;
    find_axes(s->plot, &x, &y);
    ts_canvas_words(canvas, TS_PART_TITLE, 8.0, 22.0, TS_ANCHOR_START, s->plot->title);
    ts_canvas_begin(canvas, &(ts_canvas_group){.css = "plot", .y = HEAD});
    draw_plot(s->plot, &x, &y, 0, canvas);
    ts_canvas_end(canvas);
    for (int c = 0; c < s->plot->curve_count; ++c) draw_key(s, c, canvas);
}

void ts_svg_file(const ts_svg_plot* plot, ts_text* text) {
    sheet s = lay_out(plot);
    ts_canvas canvas = ts_canvas_svg(text);
    ts_text_add(text,
                "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" viewBox=\"0 0 %d %d\">\n<title>",
                s.width, s.height, s.width, s.height);
    ts_svg_escape(text, plot->title);
    ts_text_add(text, "</title>\n<style>\n"
                      "svg{--card:#ffffff;--text:#1f2328;--soft:#59636e;--line:#d8dee4;"
                      "font-family:system-ui,-apple-system,'Segoe UI',sans-serif}\n"
                      "@media (prefers-color-scheme:dark){svg{--card:#0d1117;--text:#f0f6fc;--soft:#9198a1;"
                      "--line:#30363d}}\n"
                      ".paper{fill:var(--card)}.title{font-size:15px;font-weight:600;fill:var(--text)}"
                      ".key{font-size:12px;fill:var(--text)}\n");
    add_part_css(text);
    ts_text_add(text, "</style>\n<rect class=\"paper\" width=\"100%%\" height=\"100%%\" rx=\"6\"/>\n");
    draw_sheet(&s, &canvas);
    ts_text_add(text, "</svg>\n");
}

void ts_svg_pdf(const ts_svg_plot* plot, ts_text* text) {
    sheet s = lay_out(plot);
    ts_text content = {0};
    ts_canvas canvas = ts_canvas_pdf(s.height, &content);
    draw_sheet(&s, &canvas);
    ts_canvas_pdf_file(plot->title, s.width, s.height, &content, text);
    ts_text_free(&content);
}
