// A kit without a screen: every section is open, every label is noted, and a script says what is done to one of them, once.
#ifndef TS_TESTS_KIT_SCRIPT_H
#define TS_TESTS_KIT_SCRIPT_H

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "viewer/session/kit_internal.h"

/// What was shown, and what is to be done.
typedef struct kit_script {
    ts_kit kit;
    char seen[200000];  // labels and texts of the last picture, one a line; those that are marked begin with *
    size_t length;
    char target[128];  // label that something is done to, up to "##"; "" for none
    double value;      // of a knob, or number of a choice
    char typed[64];    // into a field
    int done;          // times it was done
    ts_canvas canvas;  // what the mouse does on the canvas of that label
    int lines;         // that were drawn
} kit_script;

static kit_script* script_of(ts_kit* kit) { return (kit_script*)kit; }

static void script_note(ts_kit* kit, const char* label, int marked) {
    kit_script* k = script_of(kit);
    int n = snprintf(k->seen + k->length, sizeof k->seen - k->length, "%s%s\n", marked ? "*" : "", label);
    if (n > 0 && k->length + (size_t)n < sizeof k->seen) k->length += (size_t)n;
}

// Whether it is that one's turn.
static int script_hits(ts_kit* kit, const char* label) {
    kit_script* k = script_of(kit);
    size_t length = strcspn(label, "#");
    script_note(kit, label, 0);
    if (!k->target[0] || strlen(k->target) != length || strncmp(k->target, label, length) != 0) return 0;
    k->target[0] = '\0';
    ++k->done;
    return 1;
}

static void script_begin(ts_kit* kit, int width, int height, int dark, double seconds) {
    (void)width;
    (void)height;
    (void)dark;
    (void)seconds;
    script_of(kit)->length = 0;
    script_of(kit)->lines = 0;
}
static void script_end(ts_kit* kit) { (void)kit; }
static int script_event(ts_kit* kit, const ts_event* event) {
    (void)kit;
    (void)event;
    return 0;
}
static int script_menu_begin(ts_kit* kit, const char* label) {
    script_note(kit, label, 0);
    return 1;
}
static int script_menu_item(ts_kit* kit, const char* label, const char* key, int on) {
    (void)key;
    (void)on;
    return script_hits(kit, label);
}
static int script_panel_begin(ts_kit* kit, const char* title, const double rectangle[4]) {
    (void)rectangle;
    script_note(kit, title, 0);
    return 1;
}
static int script_section(ts_kit* kit, const char* label, int open) {
    (void)open;
    script_note(kit, label, 0);
    return 1;
}
static void script_text(ts_kit* kit, const char* text, const float* color) {
    (void)color;
    script_note(kit, text, 0);
}
static int script_button(ts_kit* kit, const char* label, const char* hint) {
    (void)hint;
    return script_hits(kit, label);
}
static int script_item(ts_kit* kit, const char* label, const char* below, int chosen) {
    (void)below;
    (void)chosen;
    return script_hits(kit, label);
}
static int script_check(ts_kit* kit, const char* label, int on, const char* hint) {
    (void)on;
    (void)hint;
    return script_hits(kit, label);
}
static int script_knob(ts_kit* kit, const ts_knob* knob, double* io_value) {
    script_note(kit, knob->label, knob->marked);
    if (!script_hits(kit, knob->label)) return 0;
    *io_value = script_of(kit)->value;
    return 1;
}
static int script_field(ts_kit* kit, const char* label, char* io_text, size_t size) {
    if (!script_hits(kit, label)) return 0;
    snprintf(io_text, size, "%s", script_of(kit)->typed);
    return 1;
}
static int script_choose(ts_kit* kit, const char* label, int now, int count, const char* (*name)(int i),
                         const char* (*hint)(int i)) {
    for (int i = 0; i < count; ++i) script_note(kit, name(i), !hint(i)[0]);
    return script_hits(kit, label) ? (int)script_of(kit)->value : now;
}
static int script_image(ts_kit* kit, const ts_image* image) {
    char label[32];
    snprintf(label, sizeof label, "image %d", image->number);
    script_note(kit, label, image->pixels != NULL);
    return 1;
}
static void script_bar(ts_kit* kit, const char* label, double value, double low, double high) {
    script_note(kit, label, !(value >= low && value <= high));
}
static void script_beside(ts_kit* kit) { (void)kit; }
static ts_canvas script_canvas(ts_kit* kit, const char* label, double width, double height) {
    ts_canvas canvas = {0.0, 0.0, width > 0.0 ? width : 500.0, height, 0, 0, 0.0, 0.0};
    if (script_hits(kit, label)) {
        canvas.hovered = canvas.pressed = 1;
        canvas.mouse_x = script_of(kit)->value * canvas.width;
    }
    return canvas;
}
static void script_line(ts_kit* kit, const float* xy, int count, const float color[4]) {
    (void)color;
    for (int i = 0; i < 2 * count; ++i)
        if (!isfinite(xy[i])) script_note(kit, "NOT FINITE", 1);
    ++script_of(kit)->lines;
}
static void script_box(ts_kit* kit, const double rectangle[4], const float color[4]) {
    (void)color;
    for (int i = 0; i < 4; ++i)
        if (!isfinite(rectangle[i])) script_note(kit, "NOT FINITE", 1);
}
static void script_mark(ts_kit* kit, double x, double y, const char* text, const float color[4]) {
    (void)x;
    (void)y;
    (void)color;
    script_note(kit, text, 0);
}
static double script_size(ts_kit* kit) {
    (void)kit;
    return 18.0;
}

static const ts_kit_ops script_ops = {
    script_begin, script_end,     script_event, script_menu_begin, script_menu_item, script_end,    script_panel_begin,
    script_end,   script_section, script_text,  script_button,     script_item,      script_check,  script_knob,
    script_field, script_choose,  script_image, script_bar,        script_beside,    script_canvas, script_line,
    script_box,   script_mark,    script_size,  script_end};

#endif
