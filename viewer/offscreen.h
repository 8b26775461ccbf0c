// An OpenGL context without a window or a display, for pictures from a command line or a test.
#ifndef TS_VIEWER_OFFSCREEN_H
#define TS_VIEWER_OFFSCREEN_H

#include "base/status.h"
#include "viewer/device_gl.h"

#ifdef __cplusplus
extern "C" {
#endif

/// A context.
typedef struct ts_offscreen ts_offscreen;

/// Makes a context and leaves it current: by EGL without a surface (Mesa's extension), else by OSMesa. Both libraries are
/// looked for at run time, so neither need be there. TS_ERROR_UNSUPPORTED names what each of them answered.
ts_code ts_offscreen_create(ts_offscreen** out_offscreen, ts_status* out_status);

/// Finds OpenGL functions in the context.
ts_device_gl_loader ts_offscreen_loader(const ts_offscreen* offscreen);

/// Releases the context; NULL is ignored. Devices on it must be gone.
void ts_offscreen_destroy(ts_offscreen* offscreen);

#ifdef __cplusplus
}
#endif
#endif
