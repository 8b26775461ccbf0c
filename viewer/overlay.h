// Text and rectangles on top of a picture, in pixels from its top left corner. Plain data, like a draw list.
#ifndef TS_VIEWER_OVERLAY_H
#define TS_VIEWER_OVERLAY_H

#include "base/array.h"

#ifdef __cplusplus
extern "C" {
#endif

/// A rectangle: filled, or one character of the viewer's own typeface.
typedef struct ts_overlay_quad {
    float x, y, width, height;  // pixels
    int character;              // 0: filled
    float color[4];             // sRGB, alpha
} ts_overlay_quad;

TS_ARRAY_DECLARE(ts_overlay_quads, ts_overlay_quad);

/// An overlay. Zero-initialised is empty.
typedef struct ts_overlay {
    ts_overlay_quads quads;
    double unit;  // pixels: a seventh of the height of capitals
    int failed;   // nonzero once memory ran out; what did not fit is missing
} ts_overlay;

/// Empties the overlay; the typeface's size suits a picture of that height.
void ts_overlay_begin(ts_overlay* overlay, int height);

/// Sets the size of the text that follows: pixels from the middle of a capital's lowest stroke to that of its highest, at least 7,
/// rounded up to a height that falls on pixels well.
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
