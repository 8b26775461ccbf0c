// Words beside things in a picture.
#ifndef TS_VIEWER_SCENE_LABELS_INTERNAL_H
#define TS_VIEWER_SCENE_LABELS_INTERNAL_H

#include "viewer/viewer.h"

#ifdef __cplusplus
extern "C" {
#endif

/// A picture that words are put on.
typedef struct ts_scene_paper {
    const ts_camera* camera;
    int width, height;  // pixels
    int dark;           // nonzero: a dark theme
    ts_overlay* overlay;
} ts_scene_paper;

/// Adds a word where a point of the world is, unless it is out of the picture.
void ts_scene_label(const ts_scene_paper* paper, ts_vec3 at, const char* text);

/// Adds those that are wanted (TS_LABEL_ bits) of a simulation: names of what has one, numbers of what has none, and how large contact forces are.
void ts_scene_labels(const ts_scene_paper* paper, const ts_sim* sim, unsigned wanted);

#ifdef __cplusplus
}
#endif
#endif
