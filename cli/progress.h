// A progress bar on standard error: only on a terminal, and only when the work lasts.
#ifndef TS_CLI_PROGRESS_H
#define TS_CLI_PROGRESS_H

/// A bar. Plain data; see ts_progress_begin.
typedef struct ts_progress {
    char label[64];
    int enabled;   // standard error is a terminal
    int visible;   // something is on the line now
    double start;  // s
    double shown;  // s, when it was last drawn
} ts_progress;

/// Starts the clock. Nothing is drawn in a pipe, nor before half a second has passed.
ts_progress ts_progress_begin(const char* label);

/// Draws the bar, a few times a second at most; `fraction` is in 0..1.
void ts_progress_update(ts_progress* progress, double fraction);

/// Clears the line.
void ts_progress_end(ts_progress* progress);

#endif
