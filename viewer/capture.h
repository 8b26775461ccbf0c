// Pictures to PNG files.
#ifndef TS_VIEWER_CAPTURE_H
#define TS_VIEWER_CAPTURE_H

#include "base/text.h"
#include "viewer/device.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Rows from top to bottom, sRGB.
typedef struct ts_capture_pixels {
    int width;
    int height;
    int channels;  // bytes per pixel: 3, or 4 with alpha
    const unsigned char* data;
} ts_capture_pixels;

/// Appends pixels as a PNG. TS_ERROR_FILE with the reason.
ts_code ts_capture_encode_png(ts_capture_pixels pixels, ts_text* png, ts_status* out_status);

/// Writes pixels as a PNG. A file appears whole or not at all; a device, a pipe or the end of a link is written into.
/// TS_ERROR_FILE with the reason.
ts_code ts_capture_write_png(const char* path, ts_capture_pixels pixels, ts_status* out_status);

/// The last picture of a device, which is of that size, as a PNG.
ts_code ts_capture_device(ts_device* device, int width, int height, const char* path, ts_status* out_status);

#ifdef __cplusplus
}
#endif
#endif
