// The device for OpenGL 3.3 core.
#ifndef TS_VIEWER_DEVICE_GL_H
#define TS_VIEWER_DEVICE_GL_H

#include "viewer/device.h"

#ifdef __cplusplus
extern "C" {
#endif

/// A function that finds an OpenGL function by name.
typedef void (*ts_device_gl_function)(void);
/// A function that finds OpenGL functions by name in the current context.
typedef ts_device_gl_function (*ts_device_gl_loader)(const char* name);

/// Pictures or speed.
typedef enum ts_device_gl_quality {
    TS_DEVICE_GL_FINE,    // for pictures that stay
    TS_DEVICE_GL_FAST,    // one sample per pixel, coarse shadows
    TS_DEVICE_GL_FITTING  // fast when OpenGL turns out to be a software rasteriser, else fine
} ts_device_gl_quality;

/// A device on the current OpenGL context, which must stay current while the device is used. `samples` per pixel as far
/// as the context offers them. TS_ERROR_UNSUPPORTED when the context is older than 3.3 or its compiler refuses a shader.
/// One such device at a time per process: OpenGL function pointers are process-wide.
ts_code ts_device_gl_create(ts_device_gl_loader loader, int samples, ts_device_gl_quality quality,
                            ts_device** out_device, ts_status* out_status);

#ifdef __cplusplus
}
#endif
#endif
