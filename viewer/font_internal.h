// The typeface of the overlay: round strokes along lines and quarter ellipses, drawn for this viewer.
//
// Lengths are in units of a seventh of a capital's height: capitals are 7 high, small letters 5, tails end at -2. The
// origin is on the base line, where the pen is.
#ifndef TS_VIEWER_FONT_INTERNAL_H
#define TS_VIEWER_FONT_INTERNAL_H

#ifdef __cplusplus
extern "C" {
#endif

enum {
    TS_FONT_FIRST = 32,        // first character
    TS_FONT_COUNT = 95 + 3,    // printable ASCII, then degree, micro and times
    TS_FONT_DEGREE = 127,      // the characters beyond ASCII
    TS_FONT_MICRO,             //
    TS_FONT_TIMES,             //
    TS_FONT_LINE = 12,         // units from line to line
    TS_FONT_CELL_WIDTH = 9,    // units, of a character's place in the field
    TS_FONT_CELL_HEIGHT = 12,  // units
    TS_FONT_CELL_LEFT = 1,     // units from the place's left edge to the pen
    TS_FONT_CELL_BELOW = 3,    // units from the place's lower edge to the base line
    TS_FONT_TEXELS = 6,        // per unit
    TS_FONT_CELLS = 14,        // places in a row of the field
    TS_FONT_FIELD_WIDTH = TS_FONT_CELLS * TS_FONT_CELL_WIDTH * TS_FONT_TEXELS,
    TS_FONT_FIELD_HEIGHT = (TS_FONT_COUNT + TS_FONT_CELLS - 1) / TS_FONT_CELLS * TS_FONT_CELL_HEIGHT * TS_FONT_TEXELS
};

/// Units: the distance from the middle of a stroke at which the field says 255; it says 0 on the stroke.
static const double ts_font_reach = 1.5;

/// Units: thickness of a stroke, a seventh of a capital's height.
static const double ts_font_stroke = 1.0;

/// Units from where this character starts to where the next one does. Unknown characters have that of '?'.
double ts_font_advance(int character);

/// Fills TS_FONT_FIELD_WIDTH x TS_FONT_FIELD_HEIGHT bytes, rows from top to bottom: how far each texel's middle is from the nearest
/// stroke of the character whose place it lies in. Places follow each other as the characters do.
void ts_font_fill(unsigned char* out_field);

#ifdef __cplusplus
}
#endif
#endif
