// The narrow phase of one contact, step by step: the query for its two geoms is made again where they were, watched, and any of its steps drawn small.
#ifndef TS_VIEWER_SESSION_STEPPER_INTERNAL_H
#define TS_VIEWER_SESSION_STEPPER_INTERNAL_H

#include "engine/sim.h"
#include "viewer/pair_drawing.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { TS_STEPPER_WIDTH = 480, TS_STEPPER_HEIGHT = 360 };  // pixels

/// A stepper; open with ts_stepper_open.
typedef struct ts_stepper {
    ts_proximity_trace trace;
    ts_proximity answer;
    ts_pair_drawing drawing;
    char title[128];        // the two geoms
    char method[32];        // the search that was watched
    int step;               // that is shown
    double turn, tilt;      // rad, beside the camera that is aimed by itself
    int dark;               // theme of the picture
    unsigned char* pixels;  // TS_STEPPER_WIDTH x TS_STEPPER_HEIGHT, rows from top to bottom, three bytes each
    int version;            // of the pixels: grows when they change
    int stale;              // nonzero: to be drawn again
} ts_stepper;

/// Watches the query for contact number `contact` of a simulation: by GJK and EPA, or, with `portals` nonzero, by incremental depth where they overlap. The
/// device's meshes become its own. NULL with a reason (TS_ERROR_UNSUPPORTED) where there are no steps to see: planes, height fields, compounds. Close it
/// before the device is used for anything else.
ts_stepper* ts_stepper_open(const ts_sim* sim, int contact, int portals, ts_device* device, const ts_typeface* typeface,
                            ts_status* out_status);

/// Draws what is to be drawn again; nonzero: there is a new picture.
int ts_stepper_draw(ts_stepper* stepper);

/// What the step that is shown knows, as lines of text.
void ts_stepper_words(const ts_stepper* stepper, char* out_text, size_t size);

/// Closes; NULL is ignored.
void ts_stepper_close(ts_stepper* stepper);

#ifdef __cplusplus
}
#endif
#endif
