// Plots on SVG: every part is a tag, its look is the style sheet's. And the way to other kinds of canvas.
#include "cli/report/canvas_internal.h"

#include "base/assert.h"
#include "cli/report/svg_internal.h"

#include <stdio.h>
#include <string.h>

const char* ts_canvas_ink(const ts_canvas* canvas) {
    for (int i = canvas->depth - 1; i >= 0; --i)
        if (canvas->ink[i]) return canvas->ink[i];
    return "#000000";
}

void ts_canvas_begin(ts_canvas* canvas, const ts_canvas_group* group) {
    TS_ASSERT(canvas->depth < TS_CANVAS_DEPTH);
    canvas->ink[canvas->depth++] = group->ink;
    canvas->kind->begin(canvas, group);
}

void ts_canvas_end(ts_canvas* canvas) {
    canvas->kind->end(canvas);
    canvas->depth--;
}

void ts_canvas_path(ts_canvas* canvas, ts_part part, double width, int dashed, const char* data) {
    canvas->kind->path(canvas, part, width, dashed, data);
}

void ts_canvas_words(ts_canvas* canvas, ts_part part, double x, double y, ts_anchor anchor, const char* words) {
    canvas->kind->words(canvas, part, x, y, anchor, words);
}

// --- SVG -------------------------------------------------------------------------------------------------------------

static const char* const css[TS_PART_COUNT] = {
    [TS_PART_ZERO] = "zero",       [TS_PART_CURVE] = "l",     [TS_PART_MARK] = "m",
    [TS_PART_HOLLOW] = "m hollow", [TS_PART_START] = "start", [TS_PART_GUIDE] = "guide",
    [TS_PART_LABEL] = "label",     [TS_PART_TITLE] = "title", [TS_PART_KEY] = "key"};

static void svg_begin(ts_canvas* canvas, const ts_canvas_group* group) {
    ts_text_add(canvas->text, "<g");
    if (group->css) ts_text_add(canvas->text, " class=\"%s\"", group->css);
    if (group->x != 0.0 || group->y != 0.0)
        ts_text_add(canvas->text, " transform=\"translate(%.1f %.1f)\"", group->x, group->y);
    ts_text_add(canvas->text, "%s>", group->attributes ? group->attributes : "");
}

static void svg_end(ts_canvas* canvas) { ts_text_add(canvas->text, "</g>"); }

static void add_class(ts_canvas* canvas, const char* tag, ts_part part) {
    ts_text_add(canvas->text, css[part] ? "<%s class=\"%s\"" : "<%s", tag, css[part]);
}

static void svg_path(ts_canvas* canvas, ts_part part, double width, int dashed, const char* data) {
    add_class(canvas, "path", part);
    if (width > 0.0) ts_text_add(canvas->text, " stroke-width=\"%.1f\"", width);
    if (dashed) ts_text_add(canvas->text, " stroke-dasharray=\"9 4\"");
    ts_text_add(canvas->text, " d=\"");
    ts_text_add_bytes(canvas->text, data, strlen(data));
    ts_text_add(canvas->text, "\"/>");
}

static void svg_words(ts_canvas* canvas, ts_part part, double x, double y, ts_anchor anchor, const char* words) {
    static const char* const anchors[] = {"", " text-anchor=\"middle\"", " text-anchor=\"end\""};
    add_class(canvas, "text", part);
    ts_text_add(canvas->text, " x=\"%.1f\" y=\"%.1f\"%s>", x, y, anchors[anchor]);
    ts_svg_escape(canvas->text, words);
    ts_text_add(canvas->text, "</text>");
}

static const ts_canvas_kind svg = {svg_begin, svg_end, svg_path, svg_words};

ts_canvas ts_canvas_svg(ts_text* text) {
    ts_canvas canvas = {.kind = &svg, .text = text};
    return canvas;
}
