// The bar: "sliding-cube ncp-pgs  [#########-----------]  45%  3 s left".
#include "cli/progress.h"

#include "base/clock.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { BAR_WIDTH = 30 };

static const double show_after_seconds = 0.5;
static const double redraw_seconds = 0.1;

ts_progress ts_progress_begin(const char* label) {
    ts_progress progress;
    memset(&progress, 0, sizeof progress);
    snprintf(progress.label, sizeof progress.label, "%s", label);
    progress.enabled = isatty(STDERR_FILENO) == 1;
    progress.start = progress.shown = ts_clock_seconds();
    return progress;
}

static void format_seconds(double seconds, char out_text[32]) {
    if (seconds < 90.0)
        snprintf(out_text, 32, "%.0f s", seconds);
    else if (seconds < 5400.0)
        snprintf(out_text, 32, "%.0f min", seconds / 60.0);
    else
        snprintf(out_text, 32, "%.1f h", seconds / 3600.0);
}

void ts_progress_update(ts_progress* progress, double fraction) {
    if (!progress->enabled) return;
    double now = ts_clock_seconds();
    if (now - progress->start < show_after_seconds || now - progress->shown < redraw_seconds) return;
    progress->shown = now;
    if (fraction < 0.0) fraction = 0.0;
    if (fraction > 1.0) fraction = 1.0;
    char bar[BAR_WIDTH + 1];
    for (int i = 0; i < BAR_WIDTH; ++i) bar[i] = i < (int)(fraction * BAR_WIDTH) ? '#' : '-';
    bar[BAR_WIDTH] = '\0';
    char left[32] = "...";
    // The first hundredth tells little about the rest.
    if (fraction > 0.01) format_seconds((now - progress->start) * (1.0 - fraction) / fraction, left);
    fprintf(stderr, "\r%s  [%s] %3.0f%%  %s left\033[K", progress->label, bar, 100.0 * fraction, left);
    fflush(stderr);
    progress->visible = 1;
}

void ts_progress_end(ts_progress* progress) {
    if (progress->visible) fputs("\r\033[K", stderr);
    progress->visible = 0;
}
