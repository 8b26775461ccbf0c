// A page that shows motions again: one file that any browser opens without a network, with its own script and shapes.
#ifndef TS_CLI_REPLAY_PAGE_INTERNAL_H
#define TS_CLI_REPLAY_PAGE_INTERNAL_H

#include "cli/replay/reel_internal.h"
#include "scenes/scene_table.h"

/// Most runs on a page; bytes of a page that its motions may take.
enum { TS_REPLAY_RUNS = 9, TS_REPLAY_BYTES = 24 << 20 };

/// How a page looks when it is opened; everything can be changed there.
typedef struct ts_replay_look {
    int is_turned;                      // nonzero: from the direction below, else from the front right
    double azimuth, elevation;          // rad, as those of the viewer's camera
    double distance;                    // m, from what it looks at; 0: everything is in the picture
    ts_vec3 target;                     // m
    int contacts, forces, glass, grid;  // nonzero: shown
    int ghosts;                         // nonzero: runs lie over each other
    int dark;                           // nonzero: dark, whatever the browser prefers
} ts_replay_look;

/// What a page is made of. All is borrowed.
typedef struct ts_replay_page {
    const ts_loaded_scene* scene;
    const ts_reel* reel;  // (count) of the same model
    int count;
    const char* command;         // how to make the page again
    double mark;                 // s, a moment worth a mark; NAN: none
    const char* mark_text;       // what is there
    const char* note;            // a sentence about what is not on the page, or NULL
    const ts_replay_look* look;  // or NULL: contacts, forces and grid, side by side
} ts_replay_page;

/// Appends the page. When the motions would take more bytes than they may, every second frame is left out until they fit, and the page says so.
ts_code ts_replay_page_html(const ts_replay_page* replay, ts_text* html, ts_status* out_status);

/// How a reel is wished for.
typedef struct ts_reel_wish {
    const char* name;  // of the run
    double rate;       // frames a second
    /// Called now and then with the share that is done; nonzero stops with TS_ERROR_INTERRUPTED. May be NULL.
    int (*watch)(void* user, double done);
    void* user;
} ts_reel_wish;

/// Takes the motion of a fresh simulation while it runs for `duration` s. Whatever ends it, the reel has what came before; free it with
/// ts_reel_free.
ts_code ts_reel_of_run(const ts_loaded_scene* scene, ts_sim* sim, double duration, const ts_reel_wish* wish,
                       ts_reel* out_reel, ts_status* out_status);

/// The same of a recording, shown in a simulation of its model.
ts_code ts_reel_of_recording(ts_recording* recording, ts_sim* sim, const ts_reel_wish* wish, ts_reel* out_reel,
                             ts_status* out_status);

/// Appends the members "bodies", "meshes" and "parts" of an object: what a model looks like.
ts_code ts_replay_page_geometry(const ts_model* model, ts_json* json, ts_status* out_status);

#endif
