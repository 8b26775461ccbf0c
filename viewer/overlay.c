// Problem: readable text without a font library. Rule: every character is a rectangle that shows a whole number of pixels
// per dot of the built-in typeface, placed on whole pixels. Guaranteed: crisp, the same everywhere. Known to fail: only
// printable ASCII; other bytes show as '?'.
#include "viewer/overlay.h"

#include "viewer/font_internal.h"

#include <math.h>
#include <string.h>

void ts_overlay_begin(ts_overlay* overlay, int height) {
    ts_overlay_quads_clear(&overlay->quads);
    overlay->failed = 0;
    overlay->scale = height < 640 ? 1 : (height < 1200 ? 2 : (height + 300) / 600);
}

static void add_quad(ts_overlay* overlay, double x, double y, double width, double height, int character,
                     const float color[4]) {
    ts_overlay_quad quad;
    quad.x = (float)floor(x);
    quad.y = (float)floor(y);
    quad.width = (float)width;
    quad.height = (float)height;
    quad.character = character;
    memcpy(quad.color, color, sizeof quad.color);
    if (!ts_overlay_quads_push(&overlay->quads, quad)) overlay->failed = 1;
}

void ts_overlay_add_rectangle(ts_overlay* overlay, double x, double y, double width, double height,
                              const float color[4]) {
    add_quad(overlay, x, y, width, height, 0, color);
}

double ts_overlay_add_text(ts_overlay* overlay, double x, double y, const char* text, const float color[4]) {
    double scale = (double)overlay->scale;
    for (size_t i = 0; text[i]; ++i) {
        int c = (unsigned char)text[i];
        if (c == ' ') continue;
        if (c < TS_FONT_FIRST || c >= TS_FONT_FIRST + TS_FONT_COUNT) c = '?';
        add_quad(overlay, x + (double)i * TS_FONT_ADVANCE * scale, y, TS_FONT_COLUMNS * scale, TS_FONT_ROWS * scale, c,
                 color);
    }
    return ts_overlay_text_width(overlay, text);
}

double ts_overlay_text_width(const ts_overlay* overlay, const char* text) {
    return (double)strlen(text) * (double)(TS_FONT_ADVANCE * overlay->scale);
}

double ts_overlay_line_height(const ts_overlay* overlay) { return (double)(TS_FONT_LINE * overlay->scale); }

void ts_overlay_free(ts_overlay* overlay) {
    ts_overlay_quads_free(&overlay->quads);
    memset(overlay, 0, sizeof *overlay);
}
