// The built-in typeface of the overlay: five by seven dots plus two rows below the line.
#ifndef TS_VIEWER_FONT_INTERNAL_H
#define TS_VIEWER_FONT_INTERNAL_H

#ifdef __cplusplus
extern "C" {
#endif

enum {
    TS_FONT_FIRST = 32,   // first character
    TS_FONT_COUNT = 95,   // printable ASCII
    TS_FONT_COLUMNS = 5,  // dots
    TS_FONT_ROWS = 9,     // dots, the last two below the line
    TS_FONT_ADVANCE = 6,  // dots from character to character
    TS_FONT_LINE = 12     // dots from line to line
};

/// Rows of a character from top to bottom, bit 4 is the leftmost dot. Unknown characters give those of '?'.
const unsigned char* ts_font_rows(int character);

#ifdef __cplusplus
}
#endif
#endif
