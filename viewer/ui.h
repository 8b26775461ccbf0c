// The words on top of a picture: what runs, how far, how well the contacts are solved, and which keys there are.
#ifndef TS_VIEWER_UI_H
#define TS_VIEWER_UI_H

#include "engine/sim.h"
#include "viewer/overlay.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Steps the chart shows.
enum { TS_UI_HISTORY = 160 };

/// What the overlay shows beside the simulation itself. Zero-initialised plus scene and speed is a start.
typedef struct ts_ui {
    const char* scene;  // name, borrowed
    int window;         // nonzero: show speed, frames per second and the hint at the help
    int help;           // nonzero: list the keys
    int legend;         // nonzero: name the colours of contacts
    int paused;
    double speed;  // wanted
    double frames_per_second;
    char message[160];           // a line at the bottom, "" for none
    float own[TS_UI_HISTORY];    // log10 of the solver's own residual, N, of past steps (ring)
    float exact[TS_UI_HISTORY];  // the same of the exact law
    int history_next;
    int history_count;
} ts_ui;

/// Notes the residuals of the last step for the chart.
void ts_ui_note_step(ts_ui* ui, const ts_sim* sim);

/// Forgets the chart.
void ts_ui_clear(ts_ui* ui);

/// Fills the overlay for a picture of that size.
void ts_ui_fill(const ts_ui* ui, const ts_sim* sim, int width, int height, ts_overlay* overlay);

#ifdef __cplusplus
}
#endif
#endif
