// The columns of an HDF5 recording, all of them together.
#ifndef TS_ENGINE_RECORD_TABLE_INTERNAL_H
#define TS_ENGINE_RECORD_TABLE_INTERNAL_H

#include "engine/record/record_column_internal.h"
#include "engine/record/record_internal.h"

#include "base/arena.h"

#ifdef __cplusplus
extern "C" {
#endif

/// The columns of a recording in progress. Zero-initialised is empty.
typedef struct ts_record_table {
    ts_record_column* column;
    long long contacts;  // recorded so far
    long long rows;      // likewise, of blocks that nobody else tells of
    int failed;          // nonzero: rows could not be written and are lost
    ts_arena arena;      // of a certificate
} ts_record_table;

/// The groups that columns lie in besides "/solver", by number; NULL after the last.
const char* ts_record_table_group(int i);

/// A dataset whose numbers stand in ts_step_info: a double, or an int where `type` is TS_RECORD_INT32.
typedef struct ts_record_info_column {
    const char* path;
    ts_record_type type;
    size_t offset;  // in ts_step_info
} ts_record_info_column;

/// Number i of them. Returns 0 after the last.
int ts_record_table_info(int i, ts_record_info_column* out_column);

/// Makes all datasets in an open file that has their groups. Nonzero when it worked; ts_record_table_close either way.
int ts_record_table_create(ts_record_table* self, int64_t file, const ts_model* model);

/// Appends the simulation as it stands, with its energy.
void ts_record_table_append(ts_record_table* self, const ts_sim* sim, ts_energy energy);

/// Puts what is buffered into the file, as ts_record_column_flush. Nonzero when it worked.
int ts_record_table_flush(ts_record_table* self, int last);

/// Closes and frees, without flushing. Nonzero when it worked.
int ts_record_table_close(ts_record_table* self);

#ifdef __cplusplus
}
#endif
#endif
