// Widgets, as a table of functions behind which a library of panels hides, or a script (for tests). All are immediate: called once per
// picture, they draw themselves and say what was done to them since the last one.
#ifndef TS_VIEWER_SESSION_KIT_INTERNAL_H
#define TS_VIEWER_SESSION_KIT_INTERNAL_H

#include <stddef.h>

#include "viewer/session/event_internal.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct ts_kit ts_kit;

/// A piece of a panel to draw on, and the mouse over it.
typedef struct ts_canvas {
    double x, y, width, height;  // pixels, of the picture
    int hovered;                 // nonzero: the mouse is over it
    int pressed;                 // nonzero: and its left button is down since it was there
    double mouse_x, mouse_y;     // pixels, of the picture
} ts_canvas;

/// A number to be changed.
typedef struct ts_knob {
    const char* label;
    const char* hint;  // shown while the mouse rests; or NULL
    double low, high;  // not finite: no bound, and it is dragged without a scale
    int whole;         // nonzero: whole numbers
    int logarithmic;   // nonzero: over powers of ten
    int marked;        // nonzero: it is not what it was in the file
} ts_knob;

/// A picture.
typedef struct ts_image {
    int number;                   // tells it from others, from 0
    int version;                  // of its pixels, from 0: another one, and they have changed
    const unsigned char* pixels;  // rows from top to bottom, sRGB in three bytes each; NULL: an empty place
    int width, height;            // pixels
    double lines;                 // how high it is shown, in lines of text
} ts_image;

/// What a kit can do. Labels with "##" show what stands before it, and are told apart by all.
typedef struct ts_kit_ops {
    void (*begin)(ts_kit* kit, int width, int height, int dark, double seconds);
    void (*end)(ts_kit* kit);                          // puts all of it on the window
    int (*event)(ts_kit* kit, const ts_event* event);  // nonzero: it seems to be for a widget
    int (*menu_begin)(ts_kit* kit, const char* label);
    int (*menu_item)(ts_kit* kit, const char* label, const char* key, int on);  // on < 0: it switches nothing
    void (*menu_end)(ts_kit* kit);
    int (*panel_begin)(ts_kit* kit, const char* title, const double rectangle[4]);  // x, y, width, height
    void (*panel_end)(ts_kit* kit);
    int (*section)(ts_kit* kit, const char* label, int open);
    void (*text)(ts_kit* kit, const char* text, const float* color);  // NULL: as usual
    int (*button)(ts_kit* kit, const char* label, const char* hint);
    int (*item)(ts_kit* kit, const char* label, const char* below, int chosen);  // `below`: a dimmed sentence, or NULL
    int (*check)(ts_kit* kit, const char* label, int on, const char* hint);      // nonzero: change it
    int (*knob)(ts_kit* kit, const ts_knob* knob, double* io_value);             // nonzero: changed
    int (*field)(ts_kit* kit, const char* label, char* io_text, size_t size);    // nonzero: changed
    int (*choose)(ts_kit* kit, const char* label, int now, int count, const char* (*name)(int i),
                  const char* (*hint)(int i));         // the chosen one
    int (*image)(ts_kit* kit, const ts_image* image);  // nonzero: its place is seen
    void (*bar)(ts_kit* kit, const char* label, double value, double low, double high);
    void (*beside)(ts_kit* kit);  // the next widget stands on the same line
    ts_canvas (*canvas)(ts_kit* kit, const char* label, double width, double height);
    void (*line)(ts_kit* kit, const float* xy, int count, const float color[4]);
    void (*box)(ts_kit* kit, const double rectangle[4], const float color[4]);
    void (*mark)(ts_kit* kit, double x, double y, const char* text, const float color[4]);
    double (*size)(ts_kit* kit);  // pixels, of a line of text
    void (*destroy)(ts_kit* kit);
} ts_kit_ops;

/// A kit. Concrete kits have this as their first member.
struct ts_kit {
    const ts_kit_ops* ops;
};

#ifdef __cplusplus
}
#endif
#endif
