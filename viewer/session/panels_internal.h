// The panels of a session, by whatever kit there is.
#ifndef TS_VIEWER_SESSION_PANELS_INTERNAL_H
#define TS_VIEWER_SESSION_PANELS_INTERNAL_H

#include "viewer/session/session_internal.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Scenes, how they run, solver, integrator, options: what is in the left panel.
void ts_panel_settings(ts_session* session);

/// The selected body, joints, controls, sensors, what is shown: what is in the right panel.
void ts_panel_body(ts_session* session);

/// The timeline and the charts.
void ts_panel_charts(ts_session* session);

/// Height of that panel, pixels.
double ts_panel_charts_height(const ts_session* session);

/// What of options and settings differs from the file, as a command line that has it all.
void ts_panel_command_line(const ts_session* session, ts_text* out_text);

#ifdef __cplusplus
}
#endif
#endif
