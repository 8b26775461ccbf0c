// Problem: text that reads well at any size, without a font file. Rule: every character is a few strokes of one thickness with round
// ends, as a draughtsman's pen writes; a field of distances to the strokes' middles is made once, and a stroke of any thickness at any
// size, with smooth edges, is where that distance is less than half the thickness. Guaranteed: a sampled distance changes by
// no more than the way between samples, so edges stay smooth and straight from half the field's size to several times it. Known to
// fail: very large letters show that a quarter ellipse is a few straight pieces.
//
// A character is a text of commands, each a letter and a point:
//   m  put the pen there           l  a straight stroke to there
//   h  a quarter ellipse to there, leaving horizontally and arriving vertically
//   v  the same, leaving vertically and arriving horizontally
//   d  a dot there
#include "viewer/font_internal.h"

#include "base/scalar.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct glyph {
    double width;  // units, between the middles of its outermost strokes
    const char* strokes;
} glyph;

// clang-format off
static const glyph glyphs[TS_FONT_COUNT] = {
    {1.4, ""},                                                                           // space
    {0.2, "m.1 7l.1 2.2d.1 .1"},                                                         // !
    {1.6, "m0 7l0 5m1.6 7l1.6 5"},                                                       // "
    {4.6, "m1 0l1.7 7m2.9 0l3.6 7m.1 2.2l4.2 2.2m.4 4.8l4.5 4.8"},                       // #
    {4.2, "m4 5.6v2.1 7h.2 5.35v2.1 3.6h4.2 1.8v2.1 0h0 1.5m2.1 8l2.1 -1"},              // $
    {5.8, "m1.3 7h2.6 5.5v1.3 4h0 5.5v1.3 7m4.5 3h5.8 1.5v4.5 0h3.2 1.5v4.5 3m4.9 7l.9 0"},  // %
    {4.8, "m4.8 0l1 4.8l.8 5.6v1.95 7h3.1 5.7l2.7 4.7l1.1 3.5l.3 2.7l0 1.8v1.8 0h4.5 2.9"},  // &
    {0.0, "m0 7l0 5"},                                                                   // '
    {1.5, "m1.5 8l.9 7l.4 5.8l.1 4.5l0 3.2l.1 1.9l.4 .6l.9 -.6l1.5 -1.6"},               // (
    {1.5, "m0 8l.6 7l1.1 5.8l1.4 4.5l1.5 3.2l1.4 1.9l1.1 .6l.6 -.6l0 -1.6"},             // )
    {3.2, "m1.6 7l1.6 3.6m0 6.15l3.2 4.45m0 4.45l3.2 6.15"},                             // *
    {4.0, "m2 1.2l2 5.2m0 3.2l4 3.2"},                                                   // +
    {0.4, "m.4 .3l.3 -.5l0 -1.3"},                                                       // ,
    {2.4, "m0 3l2.4 3"},                                                                 // -
    {0.2, "d.1 .1"},                                                                     // .
    {3.0, "m0 -.8l3 7.6"},                                                               // /
    {4.0, "m2 7h4 3.5v2 0h0 3.5v2 7"},                                                   // 0
    {4.0, "m.7 5.5l2.4 7l2.4 0"},                                                        // 1
    {4.0, "m.1 5.2v2 7h3.8 5.2l3.6 4.2l0 0l4 0"},                                        // 2
    {4.0, "m.2 5.5v2 7h3.8 5.35v2 3.7l1.4 3.7m2 3.7h4 1.85v2 0h0 1.5"},                  // 3
    {4.2, "m3.1 0l3.1 7l0 1.9l4.2 1.9"},                                                 // 4
    {4.0, "m3.7 7l.6 7l.3 3.5l1 4.2l2 4.5h4 2.25v2 0h0 1.4"},                            // 5
    {4.0, "m3.7 5.8v2.2 7h0 3.4l0 2.2v2 0h4 2.2v2 4.4h0 2.2"},                           // 6
    {4.0, "m0 7l4 7l1.5 0"},                                                             // 7
    {4.0, "m2 7h3.8 5.35v2 3.7h.2 5.35v2 7m2 3.7h4 1.85v2 0h0 1.85v2 3.7"},              // 8
    {4.0, "m.3 1.2v1.8 0h4 3.6l4 4.8v2 7h0 4.8v2 2.6h4 4.8"},                            // 9
    {0.2, "d.1 .1d.1 4.6"},                                                              // :
    {0.4, "d.3 4.6m.4 .3l.3 -.5l0 -1.3"},                                                // ;
    {3.6, "m3.6 5.4l0 3.2l3.6 1"},                                                       // <
    {4.0, "m0 4.2l4 4.2m0 2.2l4 2.2"},                                                   // =
    {3.6, "m0 5.4l3.6 3.2l0 1"},                                                         // >
    {3.6, "m0 5.3v1.8 7h3.6 5.3l3.3 4.4l1.8 3.1l1.8 2.2d1.8 .1"},                        // ?
    {6.2, "m3 4.9h4.6 3.3v3 1.7h1.4 3.3v3 4.9m4.6 4.9l4.6 2.5v5.4 1.7h6.2 3.4v3.1 6.7h0 2.9v3.1 -.8l4.8 -.5"},  // @
    {5.0, "m0 0l2.5 7l5 0m.9 2.4l4.1 2.4"},                                              // A
    {4.2, "m0 0l0 7l2.2 7h3.9 5.4v2.2 3.8l0 3.8m2.2 3.8h4.2 1.9v2.2 0l0 0"},             // B
    {4.7, "m4.7 5.2v2.6 7h0 3.5v2.6 0h4.7 1.8"},                                         // C
    {4.7, "m0 0l0 7l1.8 7h4.7 3.5v1.8 0l0 0"},                                           // D
    {3.7, "m3.7 7l0 7l0 0l3.7 0m0 3.7l3.2 3.7"},                                         // E
    {3.6, "m3.6 7l0 7l0 0m0 3.5l3.1 3.5"},                                               // F
    {4.9, "m4.7 5.2v2.6 7h0 3.5v2.6 0h4.9 2l4.9 3.1l2.9 3.1"},                           // G
    {4.6, "m0 0l0 7m4.6 0l4.6 7m0 3.7l4.6 3.7"},                                         // H
    {0.0, "m0 0l0 7"},                                                                   // I
    {3.0, "m3 7l3 1.9v1.5 0h0 1.6"},                                                     // J
    {4.5, "m0 0l0 7m4.2 7l0 2.6m1.5 4.1l4.5 0"},                                         // K
    {3.5, "m0 7l0 0l3.5 0"},                                                             // L
    {5.6, "m0 0l0 7l2.8 2.2l5.6 7l5.6 0"},                                               // M
    {4.7, "m0 0l0 7l4.7 0l4.7 7"},                                                       // N
    {5.2, "m2.6 7h5.2 3.5v2.6 0h0 3.5v2.6 7"},                                           // O
    {4.1, "m0 0l0 7l2.1 7h4.1 5v2.1 3l0 3"},                                             // P
    {5.4, "m2.6 7h5.2 3.5v2.6 0h0 3.5v2.6 7m3.4 1.6l5.4 -.6"},                           // Q
    {4.4, "m0 0l0 7l2.1 7h4.1 5v2.1 3l0 3m2.3 3l4.4 0"},                                 // R
    {4.2, "m4 5.6v2.1 7h.2 5.35v2.1 3.65h4.2 1.85v2.1 0h0 1.5"},                         // S
    {4.6, "m0 7l4.6 7m2.3 7l2.3 0"},                                                     // T
    {4.6, "m0 7l0 2.3v2.3 0h4.6 2.3l4.6 7"},                                             // U
    {4.8, "m0 7l2.4 0l4.8 7"},                                                           // V
    {7.0, "m0 7l1.8 0l3.5 6.4l5.2 0l7 7"},                                               // W
    {4.4, "m0 0l4.4 7m0 7l4.4 0"},                                                       // X
    {4.6, "m0 7l2.3 3.3l4.6 7m2.3 3.3l2.3 0"},                                           // Y
    {4.4, "m0 7l4.4 7l0 0l4.4 0"},                                                       // Z
    {1.4, "m1.4 8l0 8l0 -1.6l1.4 -1.6"},                                                 // [
    {3.0, "m0 6.8l3 -.8"},                                                               // backslash
    {1.4, "m0 8l1.4 8l1.4 -1.6l0 -1.6"},                                                 // ]
    {3.4, "m0 4.4l1.7 7l3.4 4.4"},                                                       // ^
    {4.2, "m0 -1.2l4.2 -1.2"},                                                           // _
    {1.0, "m0 7.2l1 6"},                                                                 // `
    {3.6, "m.3 4v1.9 5h3.6 3.3l3.6 0m3.6 2.9l1.7 2.9h0 1.45v1.5 0h3.6 1.6"},             // a
    {4.0, "m0 7l0 0m0 2.5v2 5h4 2.5v2 0h0 2.5"},                                         // b
    {3.6, "m3.6 3.7v2 5h0 2.5v2 0h3.6 1.3"},                                             // c
    {4.0, "m4 7l4 0m4 2.5v2 5h0 2.5v2 0h4 2.5"},                                         // d
    {4.0, "m0 2.6l4 2.6v2 5h0 2.5v2.1 0h3.8 1.1"},                                       // e
    {2.6, "m2.6 7l2.4 7h.9 5.5l.9 0m0 5l2.4 5"},                                         // f
    {4.0, "m4 5l4 -.2v2 -2h.2 -1m4 2.5v2 5h0 2.5v2 0h4 2.5"},                            // g
    {3.8, "m0 7l0 0m0 3v2 5h3.8 3.1l3.8 0"},                                             // h
    {0.2, "m.1 5l.1 0d.1 6.9"},                                                          // i
    {1.2, "m1.2 5l1.2 -.6v0 -2d1.2 6.9"},                                                // j
    {3.6, "m0 7l0 0m3.3 5l0 1.8m1.3 3l3.6 0"},                                           // k
    {1.0, "m0 7l0 1.1v1 0"},                                                             // l
    {6.2, "m0 5l0 0m0 3.2v1.7 5h3.1 3.4l3.1 0m3.1 3.2v4.8 5h6.2 3.4l6.2 0"},             // m
    {3.8, "m0 5l0 0m0 3v2 5h3.8 3.1l3.8 0"},                                             // n
    {4.2, "m2.1 5h4.2 2.5v2.1 0h0 2.5v2.1 5"},                                           // o
    {4.0, "m0 5l0 -2m0 2.5v2 5h4 2.5v2 0h0 2.5"},                                        // p
    {4.0, "m4 5l4 -2m4 2.5v2 5h0 2.5v2 0h4 2.5"},                                        // q
    {2.2, "m0 5l0 0m0 2.9v1.8 5l2.2 5"},                                                 // r
    {3.4, "m3.2 4v1.7 5h.1 3.75v1.7 2.55h3.4 1.25v1.7 0h0 1"},                           // s
    {2.4, "m.9 6.6l.9 1.3v2.1 0l2.4 0m0 5l2.4 5"},                                       // t
    {3.8, "m0 5l0 1.9v1.8 0h3.8 2m3.8 5l3.8 0"},                                         // u
    {4.0, "m0 5l2 0l4 5"},                                                               // v
    {6.0, "m0 5l1.5 0l3 4.6l4.5 0l6 5"},                                                 // w
    {3.8, "m0 0l3.8 5m0 5l3.8 0"},                                                       // x
    {4.0, "m0 5l2 .2m4 5l1.6 -1l1 -1.8l0 -2"},                                           // y
    {3.6, "m0 5l3.6 5l0 0l3.6 0"},                                                       // z
    {1.9, "m1.9 8h.9 7l.9 4.3v0 3.2h.9 2.1l.9 -.6v1.9 -1.6"},                            // {
    {0.0, "m0 8l0 -1.6"},                                                                // |
    {1.9, "m0 8h1 7l1 4.3v1.9 3.2h1 2.1l1 -.6v0 -1.6"},                                  // }
    {4.0, "m0 2.7l.5 3.4l1.2 3.6l2 3.2l2.8 2.8l3.5 3l4 3.7"},                            // ~
    {2.4, "m1.2 7.2h2.4 6v1.2 4.8h0 6v1.2 7.2"},                                         // degree
    {3.8, "m0 5l0 -2m0 1.9v1.8 0h3.8 2m3.8 5l3.8 0"},                                    // micro
    {3.4, "m.1 1.6l3.3 4.8m.1 4.8l3.3 1.6"},                                             // times
};
// clang-format on

// Units between the outermost strokes of two neighbours, middle to middle.
static const double bearing = 2.0;

// Units: thickness of a stroke, a seventh of a capital's height.
static const double thickness = 1.0;

enum { PIECES = 8 };  // of a quarter ellipse

double ts_font_advance(const ts_typeface* face, int character) {
    int c = character - TS_FONT_FIRST;
    if (c < 0 || c >= TS_FONT_COUNT) c = '?' - TS_FONT_FIRST;
    return face ? face->advance[c] : glyphs[c].width + bearing;
}

void ts_font_add_stroke(ts_font_cell* cell, const double from[2], const double to[2]) {
    double along[2] = {to[0] - from[0], to[1] - from[1]};
    double square = along[0] * along[0] + along[1] * along[1];
    for (int row = 0; row < TS_FONT_CELL_ROWS; ++row) {
        double y = (TS_FONT_CELL_ROWS - row - 0.5) / TS_FONT_TEXELS - TS_FONT_CELL_BELOW;
        if (y < fmin(from[1], to[1]) - ts_font_reach || y > fmax(from[1], to[1]) + ts_font_reach) continue;
        double low = fmin(from[0], to[0]) - ts_font_reach + TS_FONT_CELL_LEFT;
        double high = fmax(from[0], to[0]) + ts_font_reach + TS_FONT_CELL_LEFT;
        int first = (int)fmax(0.0, floor(low * TS_FONT_TEXELS));
        int last = (int)fmin(TS_FONT_CELL_COLUMNS - 1, ceil(high * TS_FONT_TEXELS));
        for (int column = first; column <= last; ++column) {
            double x = (column + 0.5) / TS_FONT_TEXELS - TS_FONT_CELL_LEFT;
            double dot = (x - from[0]) * along[0] + (y - from[1]) * along[1];
            double t = square > 0.0 ? ts_clamp(dot / square, 0.0, 1.0) : 0.0;
            double dx = x - from[0] - t * along[0], dy = y - from[1] - t * along[1];
            double* here = &cell->square[row][column];
            if (dx * dx + dy * dy < *here) *here = dx * dx + dy * dy;
        }
    }
}

void ts_font_begin(ts_font_cell* cell) {
    for (int row = 0; row < TS_FONT_CELL_ROWS; ++row)
        for (int column = 0; column < TS_FONT_CELL_COLUMNS; ++column)
            cell->square[row][column] = ts_font_reach * ts_font_reach;
}

unsigned char ts_font_byte(double edge) {
    return (unsigned char)(255.0 * ts_clamp((edge + ts_font_inside) / ts_font_range, 0.0, 1.0) + 0.5);
}

static void add_quarter(ts_font_cell* cell, const double from[2], const double to[2], int leaves_vertically) {
    double last[2] = {from[0], from[1]};
    for (int i = 1; i <= PIECES; ++i) {
        double angle = 0.5 * TS_PI * i / PIECES;
        double early = sin(angle), late = 1.0 - cos(angle);
        double next[2] = {from[0] + (leaves_vertically ? late : early) * (to[0] - from[0]),
                          from[1] + (leaves_vertically ? early : late) * (to[1] - from[1])};
        ts_font_add_stroke(cell, last, next);
        memcpy(last, next, sizeof last);
    }
}

static void add_glyph(ts_font_cell* cell, const char* strokes) {
    double pen[2] = {0.0, 0.0};
    while (*strokes) {
        char command = *strokes;
        char* end;
        double to[2];
        to[0] = strtod(strokes + 1, &end);
        to[1] = strtod(end, &end);
        strokes = end;
        double left[2] = {to[0] - 0.15, to[1]}, right[2] = {to[0] + 0.15, to[1]};
        if (command == 'l') ts_font_add_stroke(cell, pen, to);
        if (command == 'h' || command == 'v') add_quarter(cell, pen, to, command == 'v');
        if (command == 'd') ts_font_add_stroke(cell, left, right);
        memcpy(pen, to, sizeof pen);
    }
}

void ts_font_draw(ts_typeface* out_face) {
    ts_font_cell cell;
    memset(out_face->field, 255, sizeof out_face->field);
    out_face->stem = thickness;
    out_face->lead = 0.5 * thickness;
    out_face->small = 5.0 / 7.0;
    out_face->centred = 1;
    for (int c = 0; c < TS_FONT_COUNT; ++c) {
        out_face->advance[c] = ts_font_advance(NULL, TS_FONT_FIRST + c);
        ts_font_begin(&cell);
        add_glyph(&cell, glyphs[c].strokes);
        unsigned char* place = ts_font_place(out_face, c);
        for (int row = 0; row < TS_FONT_CELL_ROWS; ++row)
            for (int column = 0; column < TS_FONT_CELL_COLUMNS; ++column)
                place[row * TS_FONT_FIELD_WIDTH + column] =
                    ts_font_byte(sqrt(cell.square[row][column]) - 0.5 * thickness);
    }
}
