// PNG files.
#ifndef TS_ENGINE_PNG_FILE_INTERNAL_H
#define TS_ENGINE_PNG_FILE_INTERNAL_H

#include "base/status.h"
#include "base/text.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Most pixels of a picture: 4096 by 4096.
enum { TS_PNG_PIXEL_LIMIT = 1 << 24 };

/// A picture of 8 bits per channel.
typedef struct ts_png {
    int width;
    int height;
    int channels;          // 1 grey, 3 colour
    unsigned char* pixel;  // (height x width x channels) owned, rows from the top
} ts_png;

/// Decodes a file's bytes. TS_ERROR_PARSE with the reason, TS_ERROR_UNSUPPORTED without libpng.
ts_code ts_png_decode(const ts_text* bytes, ts_png* out_png, ts_status* out_status);

/// Releases the pixels.
void ts_png_free(ts_png* png);

#ifdef __cplusplus
}
#endif
#endif
