// The window: GLFW, input, and the loop that steps and draws.
#ifndef TS_VIEWER_WINDOW_INTERNAL_H
#define TS_VIEWER_WINDOW_INTERNAL_H

#include "viewer/viewer.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Runs the scene in a window until it is closed. Main thread only, as windowing systems ask.
ts_code ts_window_run(const ts_view_request* request, ts_status* out_status);

#ifdef __cplusplus
}
#endif
#endif
