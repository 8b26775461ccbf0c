// How a scene is shown, whoever shows it: the colours of geoms and of what contacts do, and which of a body's shapes are for looks.
#ifndef TS_SCENES_SCENE_LOOK_H
#define TS_SCENES_SCENE_LOOK_H

#include "contact/judge/certificate.h"
#include "engine/model/model.h"

#ifdef __cplusplus
extern "C" {
#endif

/// The colour of what a contact does, sRGB and alpha 1.
const float* ts_scene_look_mode_color(ts_contact_mode mode);

/// The colour of a geom, sRGB and alpha: its own, or one by body where the model chose none.
void ts_scene_look_geom_color(const ts_model* model, int geom, float out_color[4]);

/// Colour number i, round and round, of those that bodies without one get: well apart in hue.
const float* ts_scene_look_palette(int i);

/// Nonzero when a geom is not to be seen. Where a body has uncoloured shapes for contacts beside shapes for looks, the former are left
/// out, or the latter where `contacts` is nonzero; what has no opacity never shows.
int ts_scene_look_is_hidden(const ts_model* model, int geom, int contacts);

/// 1 where a contact's force is shown on the second of its bodies, -1 on the first: on the one that moves, where only one does.
double ts_scene_look_side(const ts_model* model, int body_a, int body_b);

#ifdef __cplusplus
}
#endif
#endif
