// The words on top of a picture: what runs, how far, how well the contacts are solved, and which keys there are.
#ifndef TS_VIEWER_UI_INTERNAL_H
#define TS_VIEWER_UI_INTERNAL_H

#include "scenes/scene_table.h"
#include "viewer/overlay.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Steps the chart shows.
enum { TS_UI_HISTORY = 160 };

/// What the overlay shows beside the simulation itself. Zero-initialised plus title, panel and speed is a start.
typedef struct ts_ui {
    char title[160];  // see ts_ui_set_title
    int panel;        // nonzero: all of it
    int window;       // nonzero: show speeds, frames per second and the hint at the help
    int legend;       // nonzero: name the colours of contacts
    int paused;
    int waiting;   // s that the next step has taken so far, 0: less than one
    double speed;  // wanted
    double rate;   // reached
    double frames_per_second;
    double memory;               // window: bytes that the simulation holds
    char message[160];           // a line at the bottom, "" for none
    const int* mode_count;       // (TS_MODE_COUNT) contacts in each mode (borrowed); NULL: the certificate is asked
    float own[TS_UI_HISTORY];    // log10 of the share of the solver's own law that is unmet, of past steps (ring)
    float exact[TS_UI_HISTORY];  // the same of the exact law
    int history_next;
    int history_count;
} ts_ui;

/// Titles it by the scene's name; a model from a file by its own name and the file with its folder, since many robots come as
/// ROBOT/scene.xml.
void ts_ui_set_title(ts_ui* ui, const ts_loaded_scene* scene);

/// Notes the shares unmet of a step for the chart.
void ts_ui_note(ts_ui* ui, double own, double exact);

/// Notes those of the last step.
void ts_ui_note_step(ts_ui* ui, const ts_sim* sim);

/// Forgets the chart.
void ts_ui_clear(ts_ui* ui);

/// Adds the message, or where help is to be had, in the lower right corner of a picture of that size.
void ts_ui_add_note(const ts_ui* ui, int width, int height, ts_overlay* overlay);

/// Fills the overlay for a picture of that size.
void ts_ui_fill(const ts_ui* ui, const ts_sim* sim, int width, int height, ts_overlay* overlay);

#ifdef __cplusplus
}
#endif
#endif
