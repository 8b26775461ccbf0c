// Materials on what is drawn.
#ifndef TS_VIEWER_SCENE_TEXTURE_INTERNAL_H
#define TS_VIEWER_SCENE_TEXTURE_INTERNAL_H

#include "viewer/scene_draw.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Gives the device the textures that materials wear, and the first one of a sky. *out_sky is 1 + its number, 0 when there is none.
ts_code ts_scene_texture_upload(ts_device* device, const ts_model* model, int* out_sky, ts_status* out_status);

/// Gives an item, which shows that shape of the geom, the surface of the geom's material; with `plain` nonzero without its texture. `has_places`: its mesh has
/// places of its own on a texture.
void ts_scene_texture_dress(const ts_model* model, int geom, const ts_shape* shape, int has_places, int plain,
                            ts_draw_item* item);

/// The same of a square that shows the part of a plane around (x, y) in the plane's frame, m.
void ts_scene_texture_dress_plane(const ts_model* model, int geom, const double centre[2], int plain,
                                  ts_draw_item* item);

#ifdef __cplusplus
}
#endif
#endif
