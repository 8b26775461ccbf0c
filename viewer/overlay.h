// Text and rectangles on top of a picture, in pixels from its top left corner. Plain data, like a draw list.
//
//     ts_overlay overlay = {0};            // its text is in the viewer's own typeface
//     overlay.typeface = typeface;         // or in that of ts_typeface_open
//     ts_overlay_begin(&overlay, height);
//     ts_overlay_add_text(&overlay, x, y, "text", color);
#ifndef TS_VIEWER_OVERLAY_H
#define TS_VIEWER_OVERLAY_H

#include "base/array.h"
#include "base/status.h"

#ifdef __cplusplus
extern "C" {
#endif

/// How letters look; NULL is the viewer's own typeface, the same everywhere.
typedef struct ts_typeface ts_typeface;

/// Where DejaVu Sans is installed on this machine, or NULL.
const char* ts_typeface_installed(void);

/// The typeface of a font file (what FreeType reads: TrueType, OpenType...). TS_ERROR_FILE when it cannot be read, TS_ERROR_PARSE when it is no
/// font or one without letters, TS_ERROR_UNSUPPORTED in a build without FreeType. Release it with ts_typeface_free, after overlays and
/// devices that use it.
ts_code ts_typeface_open(const char* path, ts_typeface** out_typeface, ts_status* out_status);

/// The typeface that is installed, or NULL, which is the viewer's own, where there is none or it cannot be read.
ts_typeface* ts_typeface_usual(void);

/// Releases a typeface; NULL is ignored.
void ts_typeface_free(ts_typeface* typeface);

/// A rectangle: filled, or one character.
typedef struct ts_overlay_quad {
    float x, y, width, height;  // pixels
    int character;              // 0: filled
    float color[4];             // sRGB, alpha
} ts_overlay_quad;

TS_ARRAY_DECLARE(ts_overlay_quads, ts_overlay_quad);

/// An overlay. Zero-initialised is empty.
typedef struct ts_overlay {
    ts_overlay_quads quads;
    const ts_typeface* typeface;  // of its characters (borrowed); NULL: the viewer's own
    double unit;                  // pixels: a seventh of the height of capitals
    int failed;                   // nonzero once memory ran out; what did not fit is missing
} ts_overlay;

/// Empties the overlay; the typeface's size suits a picture of that height.
void ts_overlay_begin(ts_overlay* overlay, int height);

/// Sets the size of the text that follows: pixels of a capital's height (in the viewer's own typeface from the middle of its lowest stroke to
/// that of its highest), at least 7, rounded up to a height that falls on pixels well.
void ts_overlay_set_size(ts_overlay* overlay, double capital);

/// A filled rectangle.
void ts_overlay_add_rectangle(ts_overlay* overlay, double x, double y, double width, double height,
                              const float color[4]);

/// One line of UTF-8 text with its top left corner at (x, y). Returns its width in pixels.
double ts_overlay_add_text(ts_overlay* overlay, double x, double y, const char* text, const float color[4]);

/// Width of a text, pixels.
double ts_overlay_text_width(const ts_overlay* overlay, const char* text);

/// Distance between lines, pixels.
double ts_overlay_line_height(const ts_overlay* overlay);

/// A colour of that hue (NULL: grey) that can be read on light and on dark pages.
void ts_overlay_readable(const float rgb[3], float out_color[4]);

/// Releases the memory.
void ts_overlay_free(ts_overlay* overlay);

#ifdef __cplusplus
}
#endif
#endif
