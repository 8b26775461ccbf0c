// Several simulations in one picture: panes beside each other under one camera, or one look over the other, each with a card that says what it is.
#ifndef TS_VIEWER_PANES_INTERNAL_H
#define TS_VIEWER_PANES_INTERNAL_H

#include "viewer/view.h"

#ifdef __cplusplus
extern "C" {
#endif

/// A picture cut into equal panes, row by row.
typedef struct ts_panes {
    int count;
    int columns;
    int rows;
    int width;   // pixels, of a pane
    int height;  // pixels
    int whole_width;
    int whole_height;
} ts_panes;

/// Cuts a picture so that panes are as large as may be. One pane is all of it.
ts_panes ts_panes_cut(int count, int width, int height);

/// Where pane i goes; the first one begins the picture.
ts_device_place ts_panes_place(const ts_panes* panes, int i);

/// The pane at a place of the picture, pixels, or -1 between them.
int ts_panes_at(const ts_panes* panes, double x, double y);

/// One of the simulations.
typedef struct ts_panes_look {
    const ts_sim* sim;              // borrowed
    const ts_contact_facts* facts;  // as in ts_view_layer
    const char* name;               // borrowed
    const char* fault;              // why it went no further (borrowed); NULL: it goes on
} ts_panes_look;

/// What is drawn.
typedef struct ts_panes_picture {
    const ts_panes_look* look;  // (count)
    int count;
    int chosen;  // the one whose contacts ghosts leave room for, and whose card is marked
    int ghosts;  // nonzero: all in one pane, those that are not chosen see-through
    int cards;   // nonzero: with names and figures
    int width;   // pixels
    int height;  // pixels
    /// Adds words of the caller's to a pane's overlay, after its card; or NULL. `pane` is the number of its look.
    void (*words)(void* user, int pane, ts_overlay* overlay);
    void* user;
} ts_panes_picture;

/// Draws them all through the view, with its camera. The view's layers are used and left as the chosen look alone.
ts_code ts_panes_draw(const ts_panes_picture* picture, ts_view* view, ts_overlay* overlay, ts_status* out_status);

/// How far the most displaced body is from where it is in the other simulation of the same model, m.
double ts_panes_distance(const ts_sim* sim, const ts_sim* other);

/// The colour of simulation i: told apart by people who see fewer colours, too (Okabe and Ito), sRGB.
const float* ts_panes_color(int i);

#ifdef __cplusplus
}
#endif
#endif
