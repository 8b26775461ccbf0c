// Problem: all keys on the picture, to be read in any window. Rule: two columns of lines as large as lets all of it stand there; where those would be smaller
// than the picture's other words can be read, pages of lines of a readable size, in one column where two are too wide. Guaranteed: every gesture and
// command of the table stands on one page, inside the picture. Known to fail: a picture narrower than its longest line is cut.
#include "viewer/font_internal.h"
#include "viewer/session/command_internal.h"

#include <math.h>
#include <stdio.h>

// What other words' size is multiplied by: smaller than that nobody reads.
static const double least_size = 0.9;

static void line_of(int i, char* out_key, size_t size, const char** out_help) {
    if (i < ts_gesture_count()) {
        snprintf(out_key, size, "%s", ts_gesture_at(i)->what);
        *out_help = ts_gesture_at(i)->help;
    } else {
        const ts_command* command = ts_command_at(i - ts_gesture_count());
        ts_command_key_text(command, out_key, size);
        *out_help = command->help;
    }
}

// How the help is cut; lengths in units of the overlay.
typedef struct sheet {
    int count;             // lines in all
    int rows;              // of a page
    int columns;           // of a page
    int pages;             //
    double key, words;     // the widest of each
    double unit;           // pixels
    double width, height;  // of the picture, pixels
} sheet;

static double half_of(const sheet* s) { return s->key + s->words + 30.0; }

// Rows that fit, a margin above and below and a footer left free; lines are whole pixels.
static int rows_that_fit(const sheet* s) { return (int)((s->height - 34.0 * s->unit) / ceil(TS_FONT_LINE * s->unit)); }

static sheet cut(double width, double height, ts_overlay* overlay) {
    sheet s = {.count = ts_command_count() + ts_gesture_count(), .width = width, .height = height};
    double before = overlay->unit;
    const char* help;
    char key[48];
    for (int i = 0; i < s.count; ++i) {
        line_of(i, key, sizeof key, &help);
        s.key = fmax(s.key, ts_overlay_text_width(overlay, key) / before);
        s.words = fmax(s.words, ts_overlay_text_width(overlay, help) / before);
    }
    // All of it in two columns, as large as it goes.
    s.columns = 2;
    s.rows = (s.count + 1) / 2;
    s.pages = 1;
    s.unit =
        fmin(before, fmin(width / (2.0 * half_of(&s)), (height - (double)s.rows) / (12.0 * (double)s.rows + 34.0)));
    if (s.unit >= least_size * before) return s;
    // Pages.
    s.unit = fmin(before, width / (2.0 * half_of(&s)));
    if (s.unit < least_size * before) {
        s.columns = 1;
        s.unit = fmin(before, width / half_of(&s));
    }
    s.rows = rows_that_fit(&s);
    if (s.rows < 1) s.rows = 1;
    int most = s.rows * s.columns;
    s.pages = (s.count + most - 1) / most;
    // Pages of the same length.
    int each = (s.count + s.pages - 1) / s.pages;
    s.rows = (each + s.columns - 1) / s.columns;
    return s;
}

int ts_command_help_pages(double width, double height, ts_overlay* overlay) {
    return cut(width, height, overlay).pages;
}

void ts_command_help(double width, double height, int page, ts_overlay* overlay) {
    static const float dark[4] = {0.06f, 0.08f, 0.11f, 0.92f}, bright[4] = {1.0f, 1.0f, 1.0f, 1.0f},
                       plain[4] = {0.80f, 0.84f, 0.88f, 1.0f};
    double before = overlay->unit;
    sheet s = cut(width, height, overlay);
    overlay->unit = s.unit;
    double gap = 10.0 * s.unit, line = ts_overlay_line_height(overlay), half = half_of(&s) * s.unit;
    int lines = s.rows + (s.pages > 1);
    double wide = (double)s.columns * half, high = (double)lines * line + 2.0 * gap;
    double x = floor(fmax(0.0, 0.5 * (width - wide))), y = floor(fmax(0.0, 0.5 * (height - high)));
    ts_overlay_add_rectangle(overlay, x, y, fmin(wide, width - x), fmin(high, height - y), dark);
    const char* help;
    char key[48];
    int first = (page - 1) * s.rows * s.columns;
    for (int k = 0; k < s.rows * s.columns && first + k < s.count; ++k) {
        line_of(first + k, key, sizeof key, &help);
        int column = k / s.rows;
        double at_x = x + gap + (double)column * half, at_y = y + gap + (double)(k % s.rows) * line;
        ts_overlay_add_text(overlay, at_x, at_y, key, bright);
        ts_overlay_add_text(overlay, at_x + s.key * s.unit + gap, at_y, help, plain);
    }
    if (s.pages > 1) {
        snprintf(key, sizeof key, page < s.pages ? "page %d of %d: F1 for the next" : "page %d of %d: F1 ends it", page,
                 s.pages);
        ts_overlay_add_text(overlay, x + gap, y + gap + (double)s.rows * line, key, bright);
    }
    overlay->unit = before;
}
