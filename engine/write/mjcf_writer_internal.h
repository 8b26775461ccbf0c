// What the files mjcf_writer*.c share.
#ifndef TS_ENGINE_MJCF_WRITER_INTERNAL_H
#define TS_ENGINE_MJCF_WRITER_INTERNAL_H

#include "engine/write/mjcf_writer.h"

#ifdef __cplusplus
extern "C" {
#endif

/// What others refer to by name.
typedef enum ts_mjcf_named {
    TS_MJCF_NAMED_BODY,
    TS_MJCF_NAMED_JOINT,
    TS_MJCF_NAMED_GEOM,
    TS_MJCF_NAMED_SITE,
    TS_MJCF_NAMED_TENDON,
    TS_MJCF_NAMED_ACTUATOR,
    TS_MJCF_NAMED_COUNT
} ts_mjcf_named;

/// A text under construction.
typedef struct ts_mjcf_writer {
    const ts_model* model;
    const char* folder;  // where the file is to be, or NULL
    ts_text* text;
    int depth;                         // of the open element
    char* named[TS_MJCF_NAMED_COUNT];  // of each thing: nonzero when something refers to it, so that it needs a name
    ts_code code;                      // first failure
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

/// An attribute that names a thing: its name, or the one that it is given because something refers to it.
void ts_mjcf_writer_name(ts_mjcf_writer* w, const char* attribute, ts_mjcf_named kind, int index);

/// What an actuator pulls at; TS_MJCF_NAMED_COUNT: something that MJCF does not know here.
ts_mjcf_named ts_mjcf_writer_target_kind(const ts_actuator* actuator);

/// solref and solimp `of` something ("", "limit", "friction"), each when it is not the usual one.
void ts_mjcf_writer_softness(ts_mjcf_writer* w, const char* of, const ts_mujoco_softness* softness);

/// Softness and margin of limits and dry friction, where they differ from the usual one.
void ts_mjcf_writer_stop_softness(ts_mjcf_writer* w, const ts_stop_softness* softness);

/// Margin and gap of a surface, where it has any.
void ts_mjcf_writer_margins(ts_mjcf_writer* w, const ts_surface* surface);

/// An attribute of a linear coefficient and of two more (`curve`, a ts_curve's), when there are any.
void ts_mjcf_writer_coefficients(ts_mjcf_writer* w, const char* name, double linear, const double* curve);

/// The two sites that stand for the frames of a connection that no anchor can say; `side` 0 or 1.
void ts_mjcf_writer_equality_site(ts_mjcf_writer* w, const char* name, int equality, int side);

/// The site that stands for the frame of object `side` of a sensor, where that is the frame of nothing else that is written.
void ts_mjcf_writer_sensor_site(ts_mjcf_writer* w, const char* name, int sensor, int side);

/// Nonzero when there is such a site.
int ts_mjcf_writer_has_sensor_site(const ts_sensor* sensor, int side);

/// What an object of a sensor is called by; TS_MJCF_NAMED_COUNT where it has no name.
ts_mjcf_named ts_mjcf_writer_object_kind(ts_sensor_object_type type);

/// Nonzero when a connection's frames meet while all joints are at their references, so that an anchor says them.
int ts_mjcf_writer_is_aligned(const ts_model* model, const ts_equality* equality);

/// <compiler>, <option> and <custom>.
void ts_mjcf_writer_settings(ts_mjcf_writer* w);

/// Whether MuJoCo's way, 0..1 times a height in single precision, says a height field's heights exactly; `out_most` is that height, m.
int ts_mjcf_writer_is_plain_field(const ts_height_field* field, double* out_most);

/// The name of a height field in the file.
void ts_mjcf_writer_field_name(int field, char out_name[32]);

/// The way from the file to be to a file that is there, or where that is where no folder is known, as an attribute. Returns 0 when it is
/// not there.
int ts_mjcf_writer_file(ts_mjcf_writer* w, const char* attribute, const char* file);

/// The name of a material in the file.
void ts_mjcf_writer_material_name(int material, char out_name[32]);

/// The textures and materials of <asset>.
void ts_mjcf_writer_looks(ts_mjcf_writer* w);

/// <asset>.
void ts_mjcf_writer_assets(ts_mjcf_writer* w);

/// <worldbody>.
void ts_mjcf_writer_world(ts_mjcf_writer* w);

/// <contact>, <tendon>, <equality>, <actuator>, <sensor> and <keyframe>.
void ts_mjcf_writer_relations(ts_mjcf_writer* w);

/// One element of <sensor>.
void ts_mjcf_writer_sensor(ts_mjcf_writer* w, int index);

#ifdef __cplusplus
}
#endif
#endif
