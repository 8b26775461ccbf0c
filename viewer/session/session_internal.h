// Everything behind the window but the window: what is shown, what is asked of the simulation, what keys and mouse do. Events go in as plain
// data and pictures come out of a device, so that a test can do what a person does.
#ifndef TS_VIEWER_SESSION_SESSION_INTERNAL_H
#define TS_VIEWER_SESSION_SESSION_INTERNAL_H

#include "base/text.h"
#include "viewer/session/chart_internal.h"
#include "viewer/session/event_internal.h"
#include "viewer/session/kit_internal.h"
#include "viewer/session/stepper_internal.h"
#include "viewer/session/thumbs_internal.h"
#include "viewer/session/worker_internal.h"
#include "viewer/panes_internal.h"
#include "viewer/ui_internal.h"
#include "viewer/viewer.h"

#ifdef __cplusplus
extern "C" {
#endif

/// What a drag of the mouse does.
typedef enum ts_drag { TS_DRAG_NONE, TS_DRAG_TURN, TS_DRAG_MOVE, TS_DRAG_ZOOM, TS_DRAG_GRAB } ts_drag;

/// What the camera does by itself.
typedef enum ts_camera_mode { TS_CAMERA_FREE, TS_CAMERA_TRACK } ts_camera_mode;

/// The mouse.
typedef struct ts_mouse {
    double x, y;  // pixels
    ts_drag drag;
    int button;         // that is down, or -1
    int pane;           // it is in, or where it went down
    int inside;         // nonzero: it is over the picture
    int flat;           // nonzero: moves along the ground
    double click_time;  // s, of the last press
    int click_button;   //
    double click_x;     //
    double click_y;     //
} ts_mouse;

/// What a session wants of the window that it has no hands for; the window does it and sets it back.
typedef struct ts_wishes {
    int over;              // close
    int full_screen;       // change between window and screen
    char clipboard[8192];  // text to put there, "" for none
} ts_wishes;

/// A file that is watched.
typedef struct ts_watch {
    double next;      // s, when to look again
    long long stamp;  // of its last change, 0: unknown
    int world;        // whose file it is
} ts_watch;

/// Which panels are there.
typedef struct ts_panels {
    int left, right;  // settings; what moves
    int info;         // words on the picture
    int charts;
    int sensors;
    int help;         // page, from 1
    unsigned labels;  // TS_LABEL_ bits
    int held;         // outline of the selected body and spring
} ts_panels;

/// What is to be drawn again.
typedef enum ts_redraw {
    TS_REDRAW_NOTHING,
    TS_REDRAW_PANELS,  // the picture is as it was
    TS_REDRAW_ALL
} ts_redraw;

/// Points that are measured between, on the bodies they were put on.
typedef struct ts_ruler {
    int count;         // 0, 1, 2
    int body[2];       // 0: in the world
    ts_vec3 local[2];  // m, in the body's frame
} ts_ruler;

/// A session. Open with ts_session_open.
typedef struct ts_session {
    const ts_view_request* request;  // borrowed
    ts_device* device;               // borrowed
    ts_kit* kit;                     // borrowed, or NULL: no panels
    ts_thumbs* thumbs;               // of the scenes to choose from, or NULL; closed with the session
    ts_device* stepper_device;       // borrowed, or NULL: no stepper
    ts_stepper* stepper;             // or NULL
    ts_worker* worker;
    const ts_shadow* shadow;  // what is shown
    int shown_world;          // number of the world that `view` is open for; -1: none
    char subject[1024];       // of that world
    ts_view view;
    ts_ui ui;
    ts_overlay overlay;
    ts_panels panels;
    ts_strip*
        strip[TS_RUNS];    // copies of what is known of past steps; of others than the chosen one where they are shown
    ts_strips strips;      // those that are there
    long long strip_step;  // and up to which step
    int strip_of;          // which simulation was chosen
    int strip_partial;     // nonzero: past numbers were still being found
    int window_width, window_height;  // pixels
    int left, top;                    // where the picture begins in the window, pixels
    int width, height;                // of the picture, pixels
    int pane_width, pane_height;      // of one of its panes, pixels
    int ghosts;                       // nonzero: simulations lie over each other, not in panes
    double scale;                     // pixels per point, over those of a plain screen
    double now;                       // s
    ts_mouse mouse;
    int selected;       // body, or -1
    int clicked_body;   // the body that was clicked last, or 0 ...
    ts_vec3 clicked;    // m, ... and where, in its frame
    double arrows;      // length of force arrows, 1: as the scene suggests
    int only_selected;  // nonzero: only contacts of the selected body are shown
    ts_grab grab;
    double grab_depth;  // m, of the point that is held
    ts_camera_mode camera_mode;
    int tracked;           // body
    ts_vec3 tracked_at;    // m, where its centre was
    double message_until;  // s
    int message_number;
    ts_ruler ruler;
    int keyframe;  // that was loaded last
    int want_picture;
    int want_charts;               // as a picture
    long long pointed;             // step under the mouse in the charts, -1: none
    int panels_offered;            // nonzero: the right panel has been opened by itself
    unsigned charts;               // bit i: chart i is shown
    int traced;                    // nonzero: the worker was asked to note how solves converge
    char search[64];               // what is looked for among the scenes
    char watched[TS_GAUGE_WORDS];  // numbers that are watched, separated by spaces
    char charted[TS_GAUGE_WORDS];  // those that the worker was told to note
    int charted_world;             // and of which world's strips
    int dirty;                     // nonzero: something changed that no shadow tells
    unsigned kit_held;             // mouse buttons that went down over a panel
    int panels_dirty;              // times that the panels have to be drawn again
    ts_watch watch;
    ts_wishes wishes;
} ts_session;

/// A session of what the request says, in a picture of that size. `threaded`: see ts_worker_create. On errors *out_session is NULL.
ts_code ts_session_open(const ts_view_request* request, ts_device* device, ts_kit* kit, int threaded,
                        ts_session** out_session, ts_status* out_status);

/// Something happened.
void ts_session_event(ts_session* session, const ts_event* event);

/// Does what is due at `now`, s: takes the newest shadow, follows what the camera tracks, looks whether the file changed.
/// Says what is to be drawn again.
ts_redraw ts_session_tick(ts_session* session, double now);

/// Draws. A picture without area draws nothing and is no mistake.
ts_code ts_session_draw(ts_session* session, ts_status* out_status);

/// Draws the panels onto the window, after the picture; nothing without a kit. `seconds` since the last time.
void ts_session_panels(ts_session* session, double seconds);

/// Closes; NULL is ignored. Waits for the step that is being made.
void ts_session_close(ts_session* session);

// --- within the room

/// Asks the worker, by index, number and text (NULL: none).
void ts_session_ask(ts_session* session, ts_ask_kind kind, long long index, double value, const char* text);

/// Shows a line for a while.
void ts_session_say(ts_session* session, const char* text);

/// Selects a body, -1: none.
void ts_session_select(ts_session* session, int body);

/// The camera follows nothing, and is none of the model's, from now on.
void ts_session_free_camera(ts_session* session);

/// Has the camera follow a body from now on.
void ts_session_track(ts_session* session, int body);

/// Puts text on the clipboard and says so; NULL, or text that is too long, says that instead.
void ts_session_copy(ts_session* session, const char* text, const char* said);

/// The scene's name, fit for the name of a file.
void ts_session_file_name(const ts_session* session, const char* ending, char* out_name, size_t size);

/// Pages of help in the present picture.
int ts_session_help_pages(const ts_session* session);

/// Copies what is known of past steps again where it is not that of the step that is shown; with `again`, in any case.
void ts_session_take_strips(ts_session* session, int again);

/// What is charted.
ts_charted ts_session_charted(const ts_session* session);

/// Writes the charts' numbers as SCENE-STEP.csv, and of a solve that is charted SCENE-STEP-convergence.csv; says what came of it.
void ts_session_write_csv(ts_session* session);

/// Where in the window the picture goes beside the panels that are open.
void ts_session_layout(ts_session* session);

/// How the picture is cut into panes.
ts_panes ts_session_cut(const ts_session* session);

/// Mouse events, in pixels of the picture.
void ts_session_mouse(ts_session* session, const ts_event* event);

/// The contact under the mouse, of the simulation in its pane, or -1.
int ts_session_hovered(const ts_session* session);

/// Walks through the narrow phase of a contact of the chosen simulation, with `portals` nonzero by portals; -1 ends it.
void ts_session_step_through(ts_session* session, int contact, int portals);

/// Adds the cards of the contact under the mouse and of the one that is pinned, in a pane.
void ts_session_cards(ts_session* session, int pane, ts_overlay* overlay);

/// Adds the words beside things that are asked for, of a simulation in a picture of a pane's size.
void ts_session_labels(ts_session* session, const ts_sim* sim, ts_overlay* overlay);

/// Puts a point of the ruler on what is under the mouse, and a third time takes the ruler away.
void ts_session_measure(ts_session* session);

/// The ends of the ruler in a simulation, m; of one that has one point only both are that. Returns how many points there are.
int ts_session_ruler(const ts_session* session, const ts_sim* sim, ts_vec3 out_end[2]);

/// Lets go of what is held.
void ts_session_let_go(ts_session* session);

#ifdef __cplusplus
}
#endif
#endif
