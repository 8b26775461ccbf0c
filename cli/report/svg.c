// Line plots as SVG.
//
// Curves over time are reduced to the first, lowest, highest and last value per half pixel, paths to points half a
// pixel apart: the picture is the same and the page stays small. Colours: Okabe and Ito's set, made to be told apart by
// colour-blind readers; a second round through the colours is dashed. Axes: cli/report/svg_axis.c.
#include "cli/report/svg_internal.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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

static void draw_frame(const ts_svg_plot* plot, const ts_svg_axis* x, const ts_svg_axis* y, ts_text* text) {
    double bottom = plot->height - TS_SVG_BOTTOM;
    double right = plot->width - TS_SVG_RIGHT;
    ts_text_add(text, "<g class=\"grid\">");
    for (int i = 0; i < x->tick_count; ++i) {
        double at = x->from + (x->tick[i] - x->low) / (x->high - x->low) * (x->to - x->from);
        ts_text_add(text, "<path d=\"M%.1f %dV%.1f\"/>", at, TS_SVG_TOP, bottom);
    }
    for (int i = 0; i < y->tick_count; ++i) {
        double at = y->from + (y->tick[i] - y->low) / (y->high - y->low) * (y->to - y->from);
        int zero = y->kind == TS_SVG_LINEAR && y->tick[i] == 0.0;
        ts_text_add(text, "<path%s d=\"M%d %.1fH%.1f\"/>", zero ? " class=\"zero\"" : "", TS_SVG_LEFT, at, right);
    }
    ts_text_add(text, "</g><g class=\"tick\">");
    for (int i = 0; i < x->tick_count; ++i) {
        double at = x->from + (x->tick[i] - x->low) / (x->high - x->low) * (x->to - x->from);
        ts_text_add(text, "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"middle\">", at, bottom + 19.0);
        add_tick_label(text, x, x->tick[i]);
        ts_text_add(text, "</text>");
    }
    for (int i = 0; i < y->tick_count; ++i) {
        double at = y->from + (y->tick[i] - y->low) / (y->high - y->low) * (y->to - y->from);
        ts_text_add(text, "<text x=\"%d\" y=\"%.1f\" text-anchor=\"end\">", TS_SVG_LEFT - 7, at + 3.8);
        add_tick_label(text, y, y->tick[i]);
        ts_text_add(text, "</text>");
    }
    ts_text_add(text, "</g><text class=\"label\" x=\"%.1f\" y=\"%.1f\" text-anchor=\"middle\">",
                0.5 * (TS_SVG_LEFT + right), plot->height - 8.0);
    ts_svg_escape(text, plot->x_label);
    ts_text_add(text, x->unit[0] ? " [%s]</text>" : "%s</text>", x->unit);
    ts_text_add(text, "<text class=\"label\" x=\"%d\" y=\"%d\">", 8, TS_SVG_TOP - 14);
    ts_svg_escape(text, plot->y_label);
    ts_text_add(text, y->unit[0] ? " [%s]</text>" : "%s</text>", y->unit);
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

// One mark, about 7 px across. The second round through the colours has hollow marks.
void ts_svg_mark(int style, double x, double y, ts_text* text) {
    ts_text_add(text, "<path class=\"m%s\" d=\"", (style / COLOURS) % 2 ? " hollow" : "");
    switch (style % MARKS) {
    case 0: ts_text_add(text, "M%.1f %.1fa3.5 3.5 0 1 0 7 0a3.5 3.5 0 1 0 -7 0z", x - 3.5, y); break;
    case 1: ts_text_add(text, "M%.1f %.1fh6.4v6.4h-6.4z", x - 3.2, y - 3.2); break;
    case 2: ts_text_add(text, "M%.1f %.1fl4 7h-8z", x, y - 4.2); break;
    case 3: ts_text_add(text, "M%.1f %.1fl4.2 4.2l-4.2 4.2l-4.2 -4.2z", x, y - 4.2); break;
    case 4: ts_text_add(text, "M%.1f %.1fl4 -7h-8z", x, y + 4.2); break;
    case 5: ts_text_add(text, "M%.1f %.1fh2.4v2.6h2.6v2.4h-2.6v2.6h-2.4v-2.6h-2.6v-2.4h2.6z", x - 1.2, y - 3.8); break;
    default: ts_text_add(text, "M%.1f %.1fl3.9 2.8l-1.5 4.6h-4.8l-1.5 -4.6z", x, y - 4.1); break;
    }
    ts_text_add(text, "\"/>");
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
                       ts_text* text) {
    enum { MARKS_PER_CURVE = 5, FEW = 24 };
    if (curve->count == 0) return;
    if (plot->points && curve->count <= FEW) {
        for (int i = 0; i < curve->count; ++i)
            if (isfinite(curve->x[i]) && isfinite(curve->y[i]))
                ts_svg_mark(curve->style, ts_svg_place(x, curve->x[i]), ts_svg_place(y, curve->y[i]), text);
        return;
    }
    double own = ((double)curve->style + 0.5) / (double)(plot->style_count > 0 ? plot->style_count : 1);
    for (int k = 0; k < MARKS_PER_CURVE; ++k) {
        int i = (int)((double)(curve->count - 1) * ((double)k + own) / MARKS_PER_CURVE);
        if (i < curve->count && isfinite(curve->x[i]) && isfinite(curve->y[i]))
            ts_svg_mark(curve->style, ts_svg_place(x, curve->x[i]), ts_svg_place(y, curve->y[i]), text);
    }
}

// The same along a path, by its length: bodies that have come to rest would gather marks placed by time.
static void draw_path_marks(const ts_svg_plot* plot, const ts_svg_curve* curve, const ts_svg_axis* x,
                            const ts_svg_axis* y, ts_text* text) {
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
            ts_svg_mark(curve->style, ts_svg_place(x, curve->x[i]), ts_svg_place(y, curve->y[i]), text);
            marks++;
        }
        if (length[0] < 40.0) return;
    }
}

static void draw_cloud(const ts_svg_plot* plot, int c, const ts_svg_axis* x, const ts_svg_axis* y, int in_page,
                       ts_text* text) {
    const ts_svg_curve* curve = &plot->curve[c];
    ts_text_add(text, "<g class=\"cloud %s\"", plot->cloud[c]);
    if (in_page) ts_svg_add_numbers(plot, c, text);
    ts_text_add(text, ">");
    for (int i = 0; i < curve->count; ++i)
        if (isfinite(curve->x[i]) && isfinite(curve->y[i]))
            ts_svg_mark(curve->style, ts_svg_place(x, curve->x[i]), ts_svg_place(y, curve->y[i]), text);
    ts_text_add(text, "</g>");
}

static void draw_curve(const ts_svg_plot* plot, int c, const ts_svg_axis* x, const ts_svg_axis* y, int in_page,
                       ts_text* text) {
    const ts_svg_curve* curve = &plot->curve[c];
    ts_text_add(text, "<g class=\"c s%d k%d\"", curve->style, curve->style % COLOURS);
    if (in_page) ts_svg_add_numbers(plot, c, text);
    ts_text_add(text, "><path class=\"l\" stroke-width=\"%.1f\"%s d=\"",
                stroke_width(plot->y_scale, curve->style, plot->points ? -1 : plot->style_count),
                curve->style >= COLOURS ? " stroke-dasharray=\"9 4\"" : "");
    pen tip = {text, 0, 0.0, 0.0};
    if (plot->path)
        draw_path(curve, x, y, &tip);
    else
        draw_series(curve, x, y, &tip);
    ts_text_add(text, "\"/>");
    if (plot->path) {
        draw_path_marks(plot, curve, x, y, text);
        // Where it ended says most.
        for (int i = curve->count - 1; i >= 0; --i) {
            if (!isfinite(curve->x[i]) || !isfinite(curve->y[i])) continue;
            ts_svg_mark(curve->style, ts_svg_place(x, curve->x[i]), ts_svg_place(y, curve->y[i]), text);
            break;
        }
    } else {
        draw_marks(plot, curve, x, y, text);
    }
    ts_text_add(text, "</g>");
}

// `where` says where it lies within another drawing; "" when it stands in a page.
static void add_plot(const ts_svg_plot* plot, const char* where, ts_text* text) {
    ts_svg_axis x = ts_svg_x_axis(plot);
    ts_svg_axis y = ts_svg_y_axis(plot);
    if (plot->path) {
        ts_svg_pad(&x, 0.04);
        ts_svg_pad(&y, 0.08);
        ts_svg_equalise(&x, &y);
    }
    if (x.kind == TS_SVG_LINEAR) ts_svg_linear_ticks(&x, 56.0, 0, 0);
    if (y.kind == TS_SVG_LINEAR) ts_svg_linear_ticks(&y, 34.0, plot->y_whole, !plot->path);
    ts_text_add(text, "<svg class=\"plot\"%s viewBox=\"0 0 %d %d\" role=\"img\" aria-label=\"", where, plot->width,
                plot->height);
    ts_svg_escape(text, plot->title);
    ts_text_add(text, "\"");
    int in_page = !where[0];
    if (in_page) ts_svg_add_axes(plot, &x, &y, text);
    ts_text_add(text, ">");
    draw_frame(plot, &x, &y, text);
    for (int c = 0; c < plot->curve_count && !plot->cloud; ++c) draw_curve(plot, c, &x, &y, in_page, text);
    if (plot->guide) {
        ts_text_add(text, "<path class=\"guide\" d=\"");
        pen tip = {text, 0, 0.0, 0.0};
        draw_path(plot->guide, &x, &y, &tip);
        ts_text_add(text, "\"/>");
    }
    for (int c = 0; c < plot->curve_count && plot->cloud; ++c) draw_cloud(plot, c, &x, &y, in_page, text);
    if (plot->path && !plot->cloud && plot->curve_count > 0 && plot->curve[0].count > 0)
        ts_text_add(text, "<circle class=\"start\" cx=\"%.1f\" cy=\"%.1f\" r=\"5\"/>",
                    ts_svg_place(&x, plot->curve[0].x[0]), ts_svg_place(&y, plot->curve[0].y[0]));
    ts_text_add(text, "</svg>\n");
}

void ts_svg_plot_add(const ts_svg_plot* plot, ts_text* text) { add_plot(plot, "", text); }

static void add_swatch(int style, int style_count, const char* where, ts_text* text) {
    ts_text_add(text,
                "<svg class=\"swatch k%d\"%s viewBox=\"0 0 34 14\" width=\"34\" height=\"14\" aria-hidden=\"true\">"
                "<path class=\"l\" stroke-width=\"%.1f\"%s d=\"M1 7H33\"/>",
                style % COLOURS, where, stroke_width(TS_SVG_LINEAR, style, style_count),
                style >= COLOURS ? " stroke-dasharray=\"9 4\"" : "");
    ts_svg_mark(style, 17.0, 7.0, text);
    ts_text_add(text, "</svg>");
}

void ts_svg_swatch(int style, int style_count, ts_text* text) { add_swatch(style, style_count, "", text); }

static const char* const light_ink[COLOURS] = {"#0072b2", "#d55e00", "#009e73", "#b5569b",
                                               "#c98a00", "#3a9bdc", "#7a5230", "#5a5f66"};
static const char* const dark_ink[COLOURS] = {"#4aa8e0", "#ff8a3d", "#2fc796", "#e09ccb",
                                              "#f0b93a", "#8fd0ff", "#c79b74", "#aab2bd"};

void ts_svg_color(int style, float out_rgb[3]) {
    // A colour that comes again is lighter: what the dashes are to a curve.
    const char* ink = style % (2 * COLOURS) < COLOURS ? light_ink[style % COLOURS] : dark_ink[style % COLOURS];
    unsigned long rgb = strtoul(ink + 1, NULL, 16);
    for (int c = 0; c < 3; ++c) out_rgb[c] = (float)(rgb >> (16 - 8 * c) & 255u) / 255.0f;
}

// What both pages and files need.
static void add_part_css(ts_text* text) {
    for (int i = 0; i < COLOURS; ++i) ts_text_add(text, ".k%d{--ink:%s}", i, light_ink[i]);
    ts_text_add(text, "\n@media (prefers-color-scheme:dark){");
    for (int i = 0; i < COLOURS; ++i) ts_text_add(text, ".k%d{--ink:%s}", i, dark_ink[i]);
    ts_text_add(text,
                "}\n"
                ".grid path{stroke:var(--line);stroke-width:1;fill:none}.grid .zero{stroke:var(--soft)}"
                ".tick text{font-size:11px;fill:var(--soft);font-variant-numeric:tabular-nums}"
                ".label{font-size:12px;fill:var(--soft)}"
                ".l{fill:none;stroke:var(--ink);stroke-linejoin:round;stroke-linecap:round}"
                ".m{fill:var(--ink);stroke:var(--card);stroke-width:1}.m.hollow{fill:var(--card);stroke:var(--ink)}"
                ".start{fill:none;stroke:var(--text);stroke-width:1.5}"
                ".guide{fill:none;stroke:var(--text);stroke-width:1.1;stroke-dasharray:3 5}\n");
}

void ts_svg_css(ts_text* text) {
    add_part_css(text);
    // Plots are shrunk to fit columns and phones: their words are larger there.
    ts_text_add(text, ".plot{width:100%%;height:auto;display:block}.plot .tick text,.plot .label{font-size:13px}"
                      "@media (max-width:480px){.plot .tick text,.plot .label{font-size:17px}}\n");
}

void ts_svg_file(const ts_svg_plot* plot, ts_text* text) {
    enum { HEAD = 30, LINE = 20, FOOT = 12, SWATCH = 40 };
    // As many columns as the longest label allows; a letter is about 6.6 px.
    size_t longest = 0;
    for (int c = 0; c < plot->curve_count; ++c)
        if (strlen(plot->label[c]) > longest) longest = strlen(plot->label[c]);
    double wanted = SWATCH + 6.6 * (double)longest + 18.0;
    double room = plot->width - TS_SVG_LEFT - TS_SVG_RIGHT;
    int columns = wanted < room ? (int)(room / wanted) : 1;
    int lines = (plot->curve_count + columns - 1) / columns;
    int height = HEAD + plot->height + lines * LINE + FOOT;
    ts_text_add(text,
                "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" viewBox=\"0 0 %d %d\">\n<title>",
                plot->width, height, plot->width, height);
    ts_svg_escape(text, plot->title);
    ts_text_add(text, "</title>\n<style>\n"
                      "svg{--card:#ffffff;--text:#1f2328;--soft:#59636e;--line:#d8dee4;"
                      "font-family:system-ui,-apple-system,'Segoe UI',sans-serif}\n"
                      "@media (prefers-color-scheme:dark){svg{--card:#0d1117;--text:#f0f6fc;--soft:#9198a1;"
                      "--line:#30363d}}\n"
                      ".paper{fill:var(--card)}.title{font-size:15px;font-weight:600;fill:var(--text)}"
                      ".key{font-size:12px;fill:var(--text)}\n");
    add_part_css(text);
    ts_text_add(text, "</style>\n<rect class=\"paper\" width=\"100%%\" height=\"100%%\" rx=\"6\"/>\n"
                      "<text class=\"title\" x=\"8\" y=\"22\">");
    ts_svg_escape(text, plot->title);
    ts_text_add(text, "</text>\n");
    char where[96];
    snprintf(where, sizeof where, " x=\"0\" y=\"%d\" width=\"%d\" height=\"%d\"", HEAD, plot->width, plot->height);
    add_plot(plot, where, text);
    for (int c = 0; c < plot->curve_count; ++c) {
        double x = TS_SVG_LEFT + (c % columns) * (room / columns);
        int line = c / columns;
        double y = HEAD + plot->height + line * LINE;
        snprintf(where, sizeof where, " x=\"%.1f\" y=\"%.1f\"", x, y + 3.0);
        add_swatch(plot->curve[c].style, -1, where, text);
        ts_text_add(text, "<text class=\"key\" x=\"%.1f\" y=\"%.1f\">", x + SWATCH, y + 14.0);
        ts_svg_escape(text, plot->label[c]);
        ts_text_add(text, "</text>\n");
    }
    ts_text_add(text, "</svg>\n");
}
