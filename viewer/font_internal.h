// Typefaces of the overlay: an outline font from a file, or round strokes along lines and quarter ellipses, drawn for this viewer.
//
// Lengths are in units of a seventh of a capital's height: capitals are 7 high, tails end at -3. The origin is on the base line, where the
// pen is.
#ifndef TS_VIEWER_FONT_INTERNAL_H
#define TS_VIEWER_FONT_INTERNAL_H

#include "viewer/overlay.h"

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
    TS_FONT_CELL_WIDTH = 12,   // units, of a character's place in the field
    TS_FONT_CELL_HEIGHT = 12,  // units
    TS_FONT_CELL_LEFT = 1,     // units from the place's left edge to the pen
    TS_FONT_CELL_BELOW = 3,    // units from the place's lower edge to the base line
    TS_FONT_TEXELS = 6,        // per unit
    TS_FONT_CELLS = 14,        // places in a row of the field
    TS_FONT_CELL_COLUMNS = TS_FONT_CELL_WIDTH * TS_FONT_TEXELS,
    TS_FONT_CELL_ROWS = TS_FONT_CELL_HEIGHT * TS_FONT_TEXELS,
    TS_FONT_FIELD_WIDTH = TS_FONT_CELLS * TS_FONT_CELL_COLUMNS,
    TS_FONT_FIELD_HEIGHT = (TS_FONT_COUNT + TS_FONT_CELLS - 1) / TS_FONT_CELLS * TS_FONT_CELL_ROWS
};

/// A typeface.
struct ts_typeface {
    double advance[TS_FONT_COUNT];  // units from where a character starts to where the next one does
    double stem;                    // units: how thick upright strokes are
    double lead;                    // units from where text begins to its first pen
    double small;                   // height of small letters over that of capitals
    int centred;  // nonzero: level strokes have their middles on the base line and on the heights of letters
    unsigned char field[(size_t)TS_FONT_FIELD_HEIGHT * TS_FONT_FIELD_WIDTH];
};

/// Units: the field says 0 that deep inside the ink, or deeper.
static const double ts_font_inside = 0.5;

/// Units from where the field says 0 to where it says 255.
static const double ts_font_range = 1.5;

/// Units from a stroke within which distances to it are of interest.
static const double ts_font_reach = 1.5;

/// A character in the making: the square of the distance from the middle of each texel, rows from top to bottom, to the nearest stroke, units^2.
typedef struct ts_font_cell {
    double square[TS_FONT_CELL_ROWS][TS_FONT_CELL_COLUMNS];
} ts_font_cell;

/// Empties it.
void ts_font_begin(ts_font_cell* cell);

/// Adds a straight stroke without thickness; points in units from the pen.
void ts_font_add_stroke(ts_font_cell* cell, const double from[2], const double to[2]);

/// What the field says where the edge of the ink is so far, units; negative inside.
unsigned char ts_font_byte(double edge);

/// Where character number `c` begins in a typeface's field, whose rows go from top to bottom. It says how far the middle of each texel is from
/// the edge of the ink. Places follow each other as the characters do.
static inline unsigned char* ts_font_place(ts_typeface* face, int c) {
    return face->field + (size_t)(c / TS_FONT_CELLS) * TS_FONT_CELL_ROWS * TS_FONT_FIELD_WIDTH +
           (size_t)(c % TS_FONT_CELLS) * TS_FONT_CELL_COLUMNS;
}

/// Units from where this character of a typeface (NULL: the viewer's own) starts to where the next one does. Unknown characters have that of
/// '?'.
double ts_font_advance(const ts_typeface* face, int character);

/// The height of small letters over that of capitals.
static inline double ts_font_small(const ts_typeface* face) { return face ? face->small : 5.0 / 7.0; }

/// Units from where text begins to its first pen; of strokes, half their thickness.
static inline double ts_font_lead(const ts_typeface* face) { return face ? face->lead : 0.5; }

/// Nonzero: letters are strokes whose middles lie on the base line and on the heights of letters.
static inline int ts_font_is_strokes(const ts_typeface* face) { return !face || face->centred; }

/// Fills in the viewer's own typeface.
void ts_font_draw(ts_typeface* out_face);

#ifdef __cplusplus
}
#endif
#endif
