// Charts of past steps, drawn by a pen: on a panel, into an SVG, or as a picture.
#ifndef TS_VIEWER_SESSION_CHART_INTERNAL_H
#define TS_VIEWER_SESSION_CHART_INTERNAL_H

#include "base/text.h"
#include "viewer/overlay.h"
#include "viewer/session/strip_internal.h"
#include "viewer/session/theme_internal.h"

#ifdef __cplusplus
extern "C" {
#endif

/// What draws. Pixels from the top left corner.
typedef struct ts_pen {
    void* user;
    void (*line)(void* user, const float* xy, int count, const float color[4]);
    void (*box)(void* user, const double rectangle[4], const float color[4]);
    void (*text)(void* user, double x, double y, const char* text, const float color[4]);
    double size;    // pixels, of a line of text
    double letter;  // pixels, of a letter on average, rather too wide than too narrow
} ts_pen;

/// A chart in its place.
typedef struct ts_chart {
    const ts_strips* strips;
    const ts_theme* theme;
    int first;            // its first number (ts_quantity)
    int count;            // and how many
    double rectangle[4];  // x, y, width, height
    long long cursor;     // step that is marked, and whose values are named
} ts_chart;

/// What all charts show.
typedef struct ts_charted {
    ts_strips strips;
    long long cursor;  // step that is marked
    const ts_theme* theme;
    const struct ts_shadow* shadow;  // whose last solve's convergence is shown below them, or NULL
} ts_charted;

/// How many charts there are, and which numbers are in chart i.
int ts_chart_count(void);
/// See ts_chart_count.
void ts_chart_numbers(int i, int* out_first, int* out_count);

/// A bit for each chart that is shown unless somebody chose others.
unsigned ts_chart_usual(void);

/// Whether there is anything to see in it.
int ts_chart_has_values(const ts_chart* chart);

/// Words at a place, on a shade of the paper, so that they are read on curves.
void ts_chart_text(const ts_theme* theme, const ts_pen* pen, const double at[2], const char* text,
                   const float color[4]);

/// Draws it.
void ts_chart_draw(const ts_chart* chart, const ts_pen* pen);

/// The step at that place of a chart.
long long ts_chart_step_at(const ts_chart* chart, double x);

/// All charts that have values, below each other, as one SVG of that width, pixels. TS_ERROR_FILE, TS_ERROR_MEMORY.
ts_code ts_chart_write_svg(const ts_charted* what, int width, const char* path, ts_status* out_status);

/// The same as words and boxes of an overlay, whose picture has that size.
void ts_chart_fill_overlay(const ts_charted* what, int width, int height, ts_overlay* overlay);

#ifdef __cplusplus
}
#endif
#endif
