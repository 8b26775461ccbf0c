// Pictures to PNG files.
#ifndef TS_VIEWER_CAPTURE_H
#define TS_VIEWER_CAPTURE_H

#include "viewer/device.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Writes rows from top to bottom, three sRGB bytes per pixel, as a PNG. A file appears whole or not at
/// all; a device, a pipe or the end of a link is written into. TS_ERROR_FILE with the reason.
ts_code ts_capture_write_png(const char* path, int width, int height, const unsigned char* rgb, ts_status* out_status);

/// The last picture of a device, which is of that size, as a PNG.
ts_code ts_capture_device(ts_device* device, int width, int height, const char* path, ts_status* out_status);

#ifdef __cplusplus
}
#endif
#endif
