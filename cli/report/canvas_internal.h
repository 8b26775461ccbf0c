// What plots are drawn on: paths and words, each a named part of a plot, which become SVG or a page of PDF.
#ifndef TS_CLI_CANVAS_INTERNAL_H
#define TS_CLI_CANVAS_INTERNAL_H

#include "base/text.h"

#ifdef __cplusplus
extern "C" {
#endif

/// What is drawn: it says colours, widths and sizes of letters. The first ones are paths, the others words.
typedef enum ts_part {
    TS_PART_GRID,
    TS_PART_ZERO,
    TS_PART_CURVE,
    TS_PART_MARK,
    TS_PART_HOLLOW,
    TS_PART_START,
    TS_PART_GUIDE,
    TS_PART_TICK,
    TS_PART_LABEL,
    TS_PART_TITLE,
    TS_PART_KEY,
    TS_PART_COUNT
} ts_part;

/// Where words stand, seen from their place.
typedef enum ts_anchor { TS_ANCHOR_START, TS_ANCHOR_MIDDLE, TS_ANCHOR_END } ts_anchor;

/// Parts that belong together. Zero-initialised plus what is needed.
typedef struct ts_canvas_group {
    const char* css;         // classes in SVG, or NULL
    const char* attributes;  // more of its tag in SVG, or NULL
    const char* ink;         // "#rrggbb" of curves and marks in a PDF (borrowed until its end), or NULL: as around it
    double x;                // px: its origin, seen from that of what is around it
    double y;
} ts_canvas_group;

/// Most groups that are open at once.
enum { TS_CANVAS_DEPTH = 4 };

/// A drawing in the making, to be filled by functions of this header only.
typedef struct ts_canvas {
    const struct ts_canvas_kind* kind;
    ts_text* text;                     // borrowed
    const char* ink[TS_CANVAS_DEPTH];  // of the groups that are open, innermost last
    int depth;
} ts_canvas;

/// Draws into an SVG that is open: its tags are the caller's.
ts_canvas ts_canvas_svg(ts_text* text);

/// Draws into the content of a PDF page of that height; see ts_canvas_pdf_file.
ts_canvas ts_canvas_pdf(double height, ts_text* text);

/// Begins a group.
void ts_canvas_begin(ts_canvas* canvas, const ts_canvas_group* group);

/// Ends it.
void ts_canvas_end(ts_canvas* canvas);

/// The colour of curves and marks in the groups that are open.
const char* ts_canvas_ink(const ts_canvas* canvas);

/// A path: data as SVG has it, of M, H, V, m, l, h, v, a (half circles), z and pairs of numbers that follow M. Pixels, y downwards.
/// `width`, px, and `dashed` are of curves; other parts have their own.
void ts_canvas_path(ts_canvas* canvas, ts_part part, double width, int dashed, const char* data);

/// Words in UTF-8, on a line at y.
void ts_canvas_words(ts_canvas* canvas, ts_part part, double x, double y, ts_anchor anchor, const char* words);

/// Appends a PDF file of one page, of that size in pixels of 3/4 point, with that content.
void ts_canvas_pdf_file(const char* title, double width, double height, const ts_text* content, ts_text* text);

/// How wide words are in a PDF, in parts of the size of their letters.
double ts_canvas_pdf_width(const char* words);

/// The kinds. For the files that define them.
typedef struct ts_canvas_kind {
    void (*begin)(ts_canvas* canvas, const ts_canvas_group* group);
    void (*end)(ts_canvas* canvas);
    void (*path)(ts_canvas* canvas, ts_part part, double width, int dashed, const char* data);
    void (*words)(ts_canvas* canvas, ts_part part, double x, double y, ts_anchor anchor, const char* words);
} ts_canvas_kind;

#ifdef __cplusplus
}
#endif
#endif
