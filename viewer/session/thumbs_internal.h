// Small pictures of scenes, for the browser: made when somebody looks at their place, one after the other.
#ifndef TS_VIEWER_SESSION_THUMBS_INTERNAL_H
#define TS_VIEWER_SESSION_THUMBS_INTERNAL_H

#include "viewer/device.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { TS_THUMB_WIDTH = 160, TS_THUMB_HEIGHT = 100 };  // pixels

/// Pictures of scenes by their number in the list of the browser.
typedef struct ts_thumbs ts_thumbs;

/// `count` pictures to be drawn by a device of their own (borrowed), whose meshes are theirs. NULL without memory or without a thread; a NULL
/// is a browser without pictures.
ts_thumbs* ts_thumbs_create(ts_device* device, int count);

/// Asks for picture number i, of the scene of that name; what was asked for before stays asked for. Ignored when it is there or on its way.
void ts_thumbs_ask(ts_thumbs* thumbs, int i, const char* subject);

/// Pixels of picture number i, rows from top to bottom, sRGB in three bytes each; NULL while there are none. They stay as they are.
const unsigned char* ts_thumbs_at(const ts_thumbs* thumbs, int i);

/// Draws the scene that was loaded meanwhile, if there is one. Nonzero: there is a new picture. The device's context must be current.
int ts_thumbs_draw(ts_thumbs* thumbs);

/// Ends the loading, after the scene that it is at; NULL is ignored.
void ts_thumbs_destroy(ts_thumbs* thumbs);

#ifdef __cplusplus
}
#endif
#endif
