// What people do to the viewer, as plain data: whoever has a window translates to this, and tests write it down themselves.
#ifndef TS_VIEWER_SESSION_EVENT_INTERNAL_H
#define TS_VIEWER_SESSION_EVENT_INTERNAL_H

#ifdef __cplusplus
extern "C" {
#endif

/// What happened.
typedef enum ts_event_kind {
    TS_EVENT_KEY,        // code, action, mods
    TS_EVENT_CHARACTER,  // code: of Unicode
    TS_EVENT_BUTTON,     // code, action, mods, x, y
    TS_EVENT_MOVE,       // x, y
    TS_EVENT_SCROLL,     // y: notches away from the person
    TS_EVENT_DROP,       // path of a file
    TS_EVENT_RESIZE,     // width, height, scale
    TS_EVENT_CLOSE
} ts_event_kind;

/// What a key or button did.
typedef enum ts_event_action { TS_ACTION_RELEASE, TS_ACTION_PRESS, TS_ACTION_REPEAT } ts_event_action;

/// Keys that were down as well, combined with |.
enum { TS_MOD_SHIFT = 1, TS_MOD_CONTROL = 2, TS_MOD_ALT = 4 };

/// Mouse buttons.
enum { TS_BUTTON_LEFT, TS_BUTTON_RIGHT, TS_BUTTON_MIDDLE };

/// Keys. Those with a printable character on an American keyboard have its code, letters as capitals.
enum {
    TS_KEY_NONE = 0,
    TS_KEY_SPACE = ' ',
    TS_KEY_ESCAPE = 256,
    TS_KEY_ENTER,
    TS_KEY_TAB,
    TS_KEY_BACKSPACE,
    TS_KEY_DELETE,
    TS_KEY_RIGHT,
    TS_KEY_LEFT,
    TS_KEY_DOWN,
    TS_KEY_UP,
    TS_KEY_PAGE_UP,
    TS_KEY_PAGE_DOWN,
    TS_KEY_HOME,
    TS_KEY_END,
    TS_KEY_F1,
    TS_KEY_F2,
    TS_KEY_F3,
    TS_KEY_F4,
    TS_KEY_F5,
    TS_KEY_F6,
    TS_KEY_F7,
    TS_KEY_F8,
    TS_KEY_F9,
    TS_KEY_F10,
    TS_KEY_F11,
    TS_KEY_F12
};

/// One thing that happened.
typedef struct ts_event {
    ts_event_kind kind;
    int code;
    ts_event_action action;
    unsigned mods;      // TS_MOD_ bits
    double x, y;        // pixels of the picture from its top left corner
    int width, height;  // pixels
    double scale;       // pixels per point of a text's size, over those of a plain screen
    const char* path;   // borrowed
    double time;        // s, of the same clock as the session's ticks
} ts_event;

#ifdef __cplusplus
}
#endif
#endif
