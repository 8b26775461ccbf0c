// What the files mjcf_writer*.c share.
#ifndef TS_ENGINE_MJCF_WRITER_INTERNAL_H
#define TS_ENGINE_MJCF_WRITER_INTERNAL_H

#include "engine/write/mjcf_writer.h"

#ifdef __cplusplus
extern "C" {
#endif

/// A text under construction.
typedef struct ts_mjcf_writer {
    const ts_model* model;
    const char* folder;  // where the file is to be, or NULL
    ts_text* text;
    int depth;         // of the open element
    char* body_named;  // (body_count) nonzero: something refers to the body, so that it needs a name
    char* joint_named;
    char* site_named;
    ts_code code;  // first failure
    ts_status* status;
} ts_mjcf_writer;

/// Takes the first failure: MJCF cannot say this.
void ts_mjcf_writer_refuse(ts_mjcf_writer* w, const char* format, ...)
#if defined(__GNUC__)
    __attribute__((format(printf, 2, 3)))
#endif
    ;

/// "<name" on a line of its own; attributes follow.
void ts_mjcf_writer_open(ts_mjcf_writer* w, const char* name);

/// ">": elements inside follow.
void ts_mjcf_writer_inside(ts_mjcf_writer* w);

/// "/>": there are none.
void ts_mjcf_writer_end(ts_mjcf_writer* w);

/// "</name>".
void ts_mjcf_writer_close(ts_mjcf_writer* w, const char* name);

/// An attribute of text, escaped.
void ts_mjcf_writer_string(ts_mjcf_writer* w, const char* name, const char* value);

/// An attribute of numbers that read back to the same bits.
void ts_mjcf_writer_numbers(ts_mjcf_writer* w, const char* name, const double* values, int count);

/// An attribute of one whole number.
void ts_mjcf_writer_whole(ts_mjcf_writer* w, const char* name, int value);

/// pos and quat, each when it says something.
void ts_mjcf_writer_pose(ts_mjcf_writer* w, ts_pose pose);

/// NAMElimited and NAMErange, when they hold.
void ts_mjcf_writer_limits(ts_mjcf_writer* w, const char* name, const ts_limits* limits);

/// An attribute that names a body, joint or site: its name, or the one that it is given because something refers to it.
void ts_mjcf_writer_body(ts_mjcf_writer* w, const char* name, int body);
/// See ts_mjcf_writer_body.
void ts_mjcf_writer_joint(ts_mjcf_writer* w, const char* name, int joint);
/// See ts_mjcf_writer_body.
void ts_mjcf_writer_site(ts_mjcf_writer* w, const char* name, int site);

/// The two sites that stand for the frames of a connection that no anchor can say; `side` 0 or 1.
void ts_mjcf_writer_equality_site(ts_mjcf_writer* w, const char* name, int equality, int side);

/// Nonzero when a connection's frames meet while all joints are at their references, so that an anchor says them.
int ts_mjcf_writer_is_aligned(const ts_model* model, const ts_equality* equality);

/// <compiler>, <option> and <custom>.
void ts_mjcf_writer_settings(ts_mjcf_writer* w);

/// <asset>.
void ts_mjcf_writer_assets(ts_mjcf_writer* w);

/// <worldbody>.
void ts_mjcf_writer_world(ts_mjcf_writer* w);

/// <contact>, <equality>, <actuator> and <keyframe>.
void ts_mjcf_writer_relations(ts_mjcf_writer* w);

#ifdef __cplusplus
}
#endif
#endif
