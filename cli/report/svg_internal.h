// A small plot library: line plots as inline SVG, styled by the page's CSS so that they follow light and dark, or as files
// that stand alone.
// Curves that coincide stay visible: earlier curves are drawn wider, and every curve carries its own marks at its own
// places.
#ifndef TS_CLI_SVG_INTERNAL_H
#define TS_CLI_SVG_INTERNAL_H

#include "base/text.h"

/// Linear, logarithmic, or logarithmic to both sides of zero (x only).
typedef enum ts_svg_scale { TS_SVG_LINEAR, TS_SVG_LOG, TS_SVG_SIGNED_LOG } ts_svg_scale;

/// One curve. Points that are not finite interrupt it; on a logarithmic axis values below the floor lie on the floor.
typedef struct ts_svg_curve {
    const double* x;
    const double* y;
    int count;
    int style;  // 0, 1, 2, ...: colour, mark and dash; the same number is the same solver in all plots
} ts_svg_curve;

/// A plot. Units get an SI prefix that fits the numbers ("m" becomes "mm").
typedef struct ts_svg_plot {
    const char* title;
    const char* x_label;
    const char* x_unit;
    const char* y_label;
    const char* y_unit;
    int width;   // px
    int height;  // px
    ts_svg_scale x_scale;
    ts_svg_scale y_scale;
    double y_floor;   // smallest value shown on a logarithmic axis; 0: the smallest positive one there is
    double y_span;    // least extent of a linear y axis: noise below it looks flat
    int y_from_zero;  // nonzero: a linear y axis includes zero
    int y_reversed;   // nonzero: y grows downwards
    int y_whole;      // nonzero: ticks at whole numbers only
    int path;         // nonzero: x is not time; the ends get a mark and equal aspect is used when sensible
    int points;  // nonzero: few measured points rather than a course over time; lines are of one width, points marked
    const ts_svg_curve* curve;
    int curve_count;
    int style_count;            // styles on the page, for the widths
    const ts_svg_curve* guide;  // a thin dashed curve over the others, or NULL
    const char* const* cloud;  // (curve_count) not NULL: marks without lines, each curve's of that CSS class; the guide
                               // is in sight then, and with `path` both axes have one scale
    const char* const* label;  // (curve_count) names of the curves, or NULL
    const double* const* time;  // (curve_count) of a path: when each of its points was, s; or NULL
} ts_svg_plot;

/// Appends <svg>...</svg> for a page. It carries its numbers, by which the script of the page zooms and tells values.
void ts_svg_plot_add(const ts_svg_plot* plot, ts_text* text);

/// Appends a whole SVG file: title, plot, and a legend with the label of every curve. It brings its own style and background,
/// for light and dark.
void ts_svg_file(const ts_svg_plot* plot, ts_text* text);

/// Appends the same as a PDF file of one page, in the colours of a light one.
void ts_svg_pdf(const ts_svg_plot* plot, ts_text* text);

/// Appends all points of all curves as a table, in the units of the plot without prefixes: curve, [time,] x, y.
void ts_svg_csv(const ts_svg_plot* plot, ts_text* text);

/// Appends a short piece of a curve of that style, for legends and tables.
void ts_svg_swatch(int style, int style_count, ts_text* text);

/// Appends the mark of a style, about 7 px across.
void ts_svg_mark(int style, double x, double y, ts_text* text);

/// The colour of a style on a light page, sRGB, for pictures beside the plots.
void ts_svg_color(int style, float out_rgb[3]);

/// Appends the CSS that plots need: colours of the styles for light and dark, axes, grid.
void ts_svg_css(ts_text* text);

/// Appends text with <, >, & and quotes escaped.
void ts_svg_escape(ts_text* text, const char* plain);

#endif
