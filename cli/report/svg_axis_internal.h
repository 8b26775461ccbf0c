// What lies between numbers and pixels of a plot: the scale of an axis and its ticks.
#ifndef TS_CLI_SVG_AXIS_INTERNAL_H
#define TS_CLI_SVG_AXIS_INTERNAL_H

#include "cli/report/svg_internal.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Space around a plot's frame, in pixels.
enum { TS_SVG_LEFT = 64, TS_SVG_RIGHT = 20, TS_SVG_TOP = 34, TS_SVG_BOTTOM = 46 };

/// Most ticks of an axis.
enum { TS_SVG_MOST_TICKS = 64 };

/// One axis: from what to what, in which unit, and where its ticks are.
typedef struct ts_svg_axis {
    double low;  // in shown units (after `scale`); exponent of ten when logarithmic
    double high;
    double scale;  // shown = value * scale
    double from;   // px
    double to;     // px
    ts_svg_scale kind;
    double floor;
    int tick_count;
    int decimals;
    double tick[TS_SVG_MOST_TICKS];
    char unit[16];
} ts_svg_axis;

/// The horizontal axis of a plot: as wide as its curves.
ts_svg_axis ts_svg_x_axis(const ts_svg_plot* plot);

/// The vertical axis of a plot: as high as its curves, and at least what the plot asks for.
ts_svg_axis ts_svg_y_axis(const ts_svg_plot* plot);

/// Where a value lies, in pixels.
double ts_svg_place(const ts_svg_axis* self, double value);

/// Gives both axes of a path the same metres per pixel, unless that would leave one of them with next to nothing.
void ts_svg_equalise(ts_svg_axis* x, ts_svg_axis* y);

/// Widens an axis by `part` of its length at both ends.
void ts_svg_pad(ts_svg_axis* self, double part);

/// Appends what the page's script needs to know of a plot: its axes as attributes of <svg>.
void ts_svg_add_axes(const ts_svg_plot* plot, const ts_svg_axis* x, const ts_svg_axis* y, ts_text* text);

/// And of a curve, as attributes of its <g>: its name and its numbers.
void ts_svg_add_numbers(const ts_svg_plot* plot, int curve, ts_text* text);

/// Puts ticks on a linear axis that has its range: at least `pixels_per_tick` apart; `whole` numbers only; with `widen`
/// the axis then begins and ends at a tick.
void ts_svg_linear_ticks(ts_svg_axis* self, double pixels_per_tick, int whole, int widen);

#ifdef __cplusplus
}
#endif
#endif
