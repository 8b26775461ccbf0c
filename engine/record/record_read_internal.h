// Reading what an HDF5 recording holds: datasets of numbers, and attributes of text. Whatever the file says, nothing is read
// beyond what it has.
#ifndef TS_ENGINE_RECORD_READ_INTERNAL_H
#define TS_ENGINE_RECORD_READ_INTERNAL_H

#include "base/status.h"
#include "engine/record/record_column_internal.h"

#ifdef __cplusplus
extern "C" {
#endif

/// A dataset of numbers: rows of extent[1] x extent[2].
typedef struct ts_record_numbers {
    int64_t dataset;     // -1: none, or not of this form
    uint64_t extent[3];  // extent[0]: how many rows; the others are 1 where there is no such dimension
    uint64_t piece;      // rows of a chunk; 0: all lie in a row
    uint64_t bytes;      // of a chunk that is not packed
    int filters;         // how many pack a chunk
} ts_record_numbers;

/// Opens it; close with ts_record_numbers_close, which also takes what is not there.
ts_record_numbers ts_record_numbers_open(int64_t file, const char* path);

/// See ts_record_numbers_open.
void ts_record_numbers_close(ts_record_numbers* numbers);

/// Numbers of a row.
uint64_t ts_record_numbers_width(const ts_record_numbers* numbers);

/// Rows [first, first + count) into `out`, converted to `type`. Nonzero when they are all there, `width` numbers each.
int ts_record_numbers_read(const ts_record_numbers* numbers, uint64_t first, uint64_t count, uint64_t width,
                           ts_record_type type, void* out);

/// All rows of a list, in memory of malloc; NULL when there are none or memory is short.
void* ts_record_numbers_list(const ts_record_numbers* numbers, ts_record_type type);

/// A text attribute of the object at `path` of the file, or the text of a dataset when `attribute` is NULL; memory of malloc, NULL when
/// there is none, or one of variable length, which is not read (see ts_record_text_type).
char* ts_record_read_text(int64_t file, const char* path, const char* attribute);

/// A number that is an attribute of an object. Nonzero when it is there, and one.
int ts_record_read_number(int64_t object, const char* name, ts_record_type type, void* out);

/// Opens a file for reading, with HDF5's properties of access. Negative where it cannot be opened: TS_ERROR_FILE, in the system's words where there is
/// no such file or it may not be read, else in HDF5's.
int64_t ts_record_read_open(const char* path, int64_t access, ts_status* out_status);

#ifdef __cplusplus
}
#endif
#endif
