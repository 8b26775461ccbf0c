// Problem: readable text at any size. Rule: every character is a rectangle over its place in the typeface's field of
// distances; the heights of capitals are chosen so that those of small letters are whole pixels too, nearly, and base lines
// are placed so that level strokes fill whole rows of pixels. Guaranteed: smooth at any size, and the same everywhere in one typeface. Known to
// fail: printable ASCII, degree, micro and times only; anything else shows as '?'.
#include "viewer/overlay.h"

#include "viewer/font_internal.h"

#include <math.h>
#include <string.h>

void ts_overlay_begin(ts_overlay* overlay, int height) {
    ts_overlay_quads_clear(&overlay->quads);
    overlay->failed = 0;
    ts_overlay_set_size(overlay, (double)height / 65.0);
}

void ts_overlay_set_size(ts_overlay* overlay, double capital) {
    // Heights of capitals are whole pixels; of them those are taken for which small letters are whole pixels, too, nearly.
    const double fair = 0.26, small = ts_font_small(overlay->typeface);
    double pixels = floor(fmax(capital, 7.0) + 0.5);
    while (fabs(small * pixels - floor(small * pixels + 0.5)) > fair) pixels += 1.0;
    overlay->unit = pixels / 7.0;
}

static void add_quad(ts_overlay* overlay, double x, double y, double width, double height, int character,
                     const float color[4]) {
    ts_overlay_quad quad;
    quad.x = (float)x;
    quad.y = (float)y;
    quad.width = (float)width;
    quad.height = (float)height;
    quad.character = character;
    memcpy(quad.color, color, sizeof quad.color);
    if (!ts_overlay_quads_push(&overlay->quads, quad)) overlay->failed = 1;
}

void ts_overlay_add_rectangle(ts_overlay* overlay, double x, double y, double width, double height,
                              const float color[4]) {
    add_quad(overlay, floor(x), floor(y), width, height, 0, color);
}

// The next character of UTF-8 text, as the typeface counts them; moves on.
static int next_character(const char** text) {
    static const struct {
        unsigned char bytes[2];
        int character;
    } beyond[] = {{{0xC2, 0xB0}, TS_FONT_DEGREE}, {{0xC2, 0xB5}, TS_FONT_MICRO}, {{0xC3, 0x97}, TS_FONT_TIMES}};
    const unsigned char* at = (const unsigned char*)*text;
    for (int i = 0; i < 3; ++i)
        if (at[0] == beyond[i].bytes[0] && at[1] == beyond[i].bytes[1]) {
            *text += 2;
            return beyond[i].character;
        }
    *text += 1;
    while (at[0] >= 0x80 && (*(const unsigned char*)*text & 0xC0) == 0x80) *text += 1;
    return at[0] >= TS_FONT_FIRST && at[0] < TS_FONT_DEGREE ? at[0] : '?';
}

double ts_overlay_add_text(ts_overlay* overlay, double x, double y, const char* text, const float color[4]) {
    const ts_typeface* face = overlay->typeface;
    double unit = overlay->unit, lead = ts_font_lead(face) * unit, base = floor(y + 7.5 * unit), pen = x + lead;
    // Strokes whose middles lie on the base line: odd thicknesses are centred on rows of pixels, even ones between them. Outlines stand on it,
    // and may reach into their neighbours' places.
    int strokes = ts_font_is_strokes(face);
    if (strokes && (int)floor(2.0 * lead + 0.5) % 2) base += 0.5;
    double beyond = strokes ? 0.0 : 2.0 * TS_FONT_CELL_LEFT * unit;
    while (*text) {
        int c = next_character(&text);
        double advance = ts_font_advance(face, c) * unit;
        if (c != ' ')
            add_quad(overlay, pen - TS_FONT_CELL_LEFT * unit, base - (TS_FONT_CELL_HEIGHT - TS_FONT_CELL_BELOW) * unit,
                     advance + beyond, TS_FONT_CELL_HEIGHT * unit, c, color);
        pen += advance;
    }
    return pen - x - lead;
}

double ts_overlay_text_width(const ts_overlay* overlay, const char* text) {
    double units = 0.0;
    while (*text) units += ts_font_advance(overlay->typeface, next_character(&text));
    return units * overlay->unit;
}

double ts_overlay_line_height(const ts_overlay* overlay) { return ceil(TS_FONT_LINE * overlay->unit); }

void ts_overlay_readable(const float rgb[3], float out_color[4]) {
    // In linear light a fifth of white has a contrast above 4 to white and above 3 to a dark page.
    static const double wanted = 0.19, share[3] = {0.2126, 0.7152, 0.0722};
    double linear[3], light = 0.0;
    for (int c = 0; c < 3; ++c) {
        linear[c] = rgb ? pow((double)rgb[c], 2.2) : 1.0;
        light += share[c] * linear[c];
    }
    double reached = 0.0;
    for (int c = 0; c < 3; ++c) {
        linear[c] = light > 0.0 ? fmin(linear[c] * wanted / light, 1.0) : wanted;
        reached += share[c] * linear[c];
    }
    // What a pure colour cannot reach at its brightest, white gives.
    for (int c = 0; c < 3; ++c)
        out_color[c] = (float)pow(linear[c] + (1.0 - linear[c]) * (wanted - reached) / (1.0 - reached), 1.0 / 2.2);
    out_color[3] = 1.0f;
}

void ts_overlay_free(ts_overlay* overlay) {
    ts_overlay_quads_free(&overlay->quads);
    memset(overlay, 0, sizeof *overlay);
}
