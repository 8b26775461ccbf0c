// The one table of commands: keys, help on the picture, menus and the table of docs/viewer.md are made from it or compared with it.
#ifndef TS_VIEWER_SESSION_COMMAND_INTERNAL_H
#define TS_VIEWER_SESSION_COMMAND_INTERNAL_H

#include "viewer/session/session_internal.h"

#ifdef __cplusplus
extern "C" {
#endif

/// A command.
typedef struct ts_command {
    const char* group;  // "Run", "Camera", "Show", ...; those of a group follow each other
    const char* name;   // "pause"; in menus
    int key;            // TS_KEY_NONE: has none
    unsigned mods;
    int argument;
    int repeats;       // nonzero: again while the key is down
    const char* help;  // a few words on what it does
    void (*run)(ts_session* session, int argument);
    /// Whether what it switches is on; NULL: it switches nothing.
    int (*is_on)(const ts_session* session, int argument);
} ts_command;

/// What the mouse does, for people to read.
typedef struct ts_gesture {
    const char* what;  // "left drag"
    const char* help;
} ts_gesture;

/// How many commands there are.
int ts_command_count(void);

/// Command number i.
const ts_command* ts_command_at(int i);

/// The command of a key with these modifiers, or NULL.
const ts_command* ts_command_of_key(int key, unsigned mods);

/// Does what it says, whoever asks; the picture is drawn again.
void ts_command_run(ts_session* session, const ts_command* command);

/// Its key as people write it: "ctrl + P", "space"; "" where it has none.
void ts_command_key_text(const ts_command* command, char* out_text, size_t size);

/// How many gestures there are.
int ts_gesture_count(void);

/// Gesture number i.
const ts_gesture* ts_gesture_at(int i);

/// How many pages of a picture of that size, pixels, all of it takes; words are measured by the overlay.
int ts_command_help_pages(double width, double height, ts_overlay* overlay);

/// Puts such a page, from 1, on the picture.
void ts_command_help(double width, double height, int page, ts_overlay* overlay);

#ifdef __cplusplus
}
#endif
#endif
