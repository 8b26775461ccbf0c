// One column of an HDF5 recording: a dataset that grows by rows, which collect in memory chunk by chunk.
#ifndef TS_ENGINE_RECORD_COLUMN_INTERNAL_H
#define TS_ENGINE_RECORD_COLUMN_INTERNAL_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/// Of the HDF5 format: 1 had texts of variable length.
enum { TS_RECORD_FORMAT_VERSION = 2 };

/// What the numbers of a column are.
typedef enum ts_record_type {
    TS_RECORD_DOUBLE,
    TS_RECORD_INT32,
    TS_RECORD_INT64,
    TS_RECORD_UINT64,
    TS_RECORD_UINT8
} ts_record_type;

/// A column. HDF5's own types (hid_t, hsize_t) stand here as whole numbers: their header need not be there.
typedef struct ts_record_column {
    int64_t dataset;  // -1: none
    ts_record_type type;
    int rank;            // 1 (time) + that of a row
    uint64_t extent[3];  // extent[0]: rows before the chunk in `buffer`
    size_t row_bytes;
    int capacity;  // rows the buffer holds: one chunk
    int buffered;
    int stored;  // nonzero when a flush has put the unfinished chunk into the file
    unsigned char* buffer;
} ts_record_column;

/// How strings are stored: `bytes` of them, the terminator among them. Never of variable length: reading those, HDF5 1.10
/// trusts lengths in the file, and crashes where it is damaged. A type of HDF5 to be closed, or negative.
int64_t ts_record_text_type(size_t bytes);

/// Gives an object of the file an attribute of text. Nonzero when it worked.
int ts_record_text_attribute(int64_t object, const char* name, const char* text);

/// Makes the dataset `path` of an open file, without rows; a row has `rank` dimensions (0: one number) of row[0] x
/// row[1] numbers (1 where there is no dimension, 0 where it is empty). Nonzero when it worked; ts_record_column_close
/// either way.
int ts_record_column_create(ts_record_column* self, int64_t file, const char* path, const char* unit,
                            ts_record_type type, int rank, const uint64_t row[2]);

/// Room for one more row, row_bytes long. *out_failed is set to 1 when the rows before it could not be written; they
/// are lost then.
void* ts_record_column_row(ts_record_column* self, int* out_failed);

/// Puts the buffered rows into the file; they stay in the buffer until their chunk is full. `last` says that no rows
/// follow. Nonzero when it worked.
int ts_record_column_flush(ts_record_column* self, int last);

/// Closes and frees, without flushing. Nonzero when it worked.
int ts_record_column_close(ts_record_column* self);

#ifdef __cplusplus
}
#endif
#endif
