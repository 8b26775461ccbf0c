// Panels by Dear ImGui, where it was found at build time.
#ifndef TS_VIEWER_PANEL_IMGUI_INTERNAL_H
#define TS_VIEWER_PANEL_IMGUI_INTERNAL_H

#include "viewer/session/kit_internal.h"

#ifdef __cplusplus
extern "C" {
#endif

/// A kit that draws with the current OpenGL context; NULL when it cannot. `scale`: pixels per point, over those of a plain screen.
ts_kit* ts_panel_imgui_create(double scale);

#ifdef __cplusplus
}
#endif
#endif
