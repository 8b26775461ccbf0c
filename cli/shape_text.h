// Shapes as people write them on a command line: `box:1,2,3`, `capsule:0.1,0.5+0.02`, `chair.obj`.
#ifndef TS_CLI_SHAPE_TEXT_H
#define TS_CLI_SHAPE_TEXT_H

#include "base/text.h"
#include "collision/shape/shape.h"

/// A shape that was written, with what it borrows.
typedef struct ts_written_shape {
    char* text;         // as it was written
    ts_shape shape;     // borrows the two below
    ts_hull* hull;      // of a mesh file, else NULL
    ts_vec3 corner[3];  // of a triangle, m
    int points_read;    // vertices in the mesh file
} ts_written_shape;

/// Shapes by their text, each made once. Zero-initialised is empty; shapes stay where they are until it is freed.
typedef struct ts_shape_store {
    ts_written_shape** slot;  // hash table, NULL where empty
    int slot_count;
    int count;
} ts_shape_store;

/// Appends the forms a shape may be written in, a line each, for help pages.
void ts_shape_text_add_help(ts_text* text);

/// The shape of a text, read and built the first time it is asked for. TS_ERROR_VALUE: the text makes no sense, or names
/// impossible dimensions; TS_ERROR_FILE, TS_ERROR_PARSE: its mesh file is missing or bad.
ts_code ts_shape_store_get(ts_shape_store* store, const char* text, const ts_written_shape** out_shape,
                           ts_status* out_status);

/// Releases all shapes; the store is empty afterwards.
void ts_shape_store_free(ts_shape_store* store);

/// Appends what a shape is, in words: "box, half extents 1, 2, 3 m".
void ts_shape_text_describe(const ts_written_shape* shape, ts_text* text);

/// Reads `x,y,z` or `x,y,z,qw,qx,qy,qz`. A quaternion whose length is off by less than half a percent is made a unit (and
/// *out_mended set when anybody should know); one that is no rotation is refused with the reason.
ts_code ts_pose_text_parse(const char* text, ts_transform* out_placed, int* out_mended, ts_status* out_status);

/// The same for numbers that are already read: 3 or 7 of them.
ts_code ts_pose_numbers(const double* number, int count, ts_transform* out_placed, int* out_mended,
                        ts_status* out_status);

#endif
