// What both formats of a log of contacts have: its columns, a line of them, and a reader that gives one line after the other.
#ifndef TS_CLI_LOG_FORMAT_INTERNAL_H
#define TS_CLI_LOG_FORMAT_INTERNAL_H

#include "cli/judge/judge_internal.h"

/// The columns that are known.
typedef enum ts_log_column {
    TS_LOG_STEP,
    TS_LOG_TIME,
    TS_LOG_DT,
    TS_LOG_A,
    TS_LOG_B,
    TS_LOG_X,
    TS_LOG_Y,
    TS_LOG_Z,
    TS_LOG_TX,
    TS_LOG_TY,
    TS_LOG_TZ,
    TS_LOG_NX,
    TS_LOG_NY,
    TS_LOG_NZ,
    TS_LOG_GAP,
    TS_LOG_MU,
    TS_LOG_JX,
    TS_LOG_JY,
    TS_LOG_JZ,
    TS_LOG_VX,
    TS_LOG_VY,
    TS_LOG_VZ,
    TS_LOG_COLUMNS
} ts_log_column;

/// What a column is called, its unit ("" for names), and whether a log must have it.
typedef struct ts_log_column_info {
    const char* name;
    const char* unit;
    int needed;
} ts_log_column_info;

/// Of that column.
const ts_log_column_info* ts_log_column_at(ts_log_column column);

/// Whether a column holds names.
int ts_log_column_is_name(ts_log_column column);

/// A contact as it stands in the file.
typedef struct ts_log_line {
    double number[TS_LOG_COLUMNS];
    char a[TS_LOG_NAME];
    char b[TS_LOG_NAME];
    int line;         // of a text, from 1; 0: this is none
    long long entry;  // of a list, from 0
} ts_log_line;

/// One format, reading.
typedef struct ts_log_format {
    ts_code (*next)(void* handle, ts_log_line* out_line, int* out_more, ts_status* out_status);
    void (*close)(void* handle);
} ts_log_format;

/// A file in one of them.
typedef struct ts_log_reader {
    const char* file;  // borrowed
    int has[TS_LOG_COLUMNS];
    const ts_log_format* format;
    void* handle;
} ts_log_reader;

/// Opens a log as CSV: reads its headings. On failure nothing is to be closed.
ts_code ts_log_csv_open(const char* file, ts_log_reader* out_reader, ts_status* out_status);

/// Opens a log as HDF5: finds its columns. On failure nothing is to be closed.
ts_code ts_log_hdf5_open(const char* file, ts_log_reader* out_reader, ts_status* out_status);

/// Whether a name ends in .h5 or .hdf5.
int ts_log_is_hdf5_name(const char* file);

// --- writing one in HDF5 -----------------------------------------------------------------------------------------------

/// One column of a log that is written.
typedef struct ts_sheet_column {
    const char* name;
    const char* unit;
    int is_text;
} ts_sheet_column;

/// The values of a line in the order of their columns: text of up to TS_LOG_NAME bytes, terminated, or a number.
typedef struct ts_sheet_value {
    const char* text;
    double number;
} ts_sheet_value;

/// Begins a log of such columns in memory.
ts_code ts_sheet_hdf5_open(const char* file, const ts_sheet_column* column, int count,
                           ts_contact_sheet_hdf5** out_sheet, ts_status* out_status);

/// Adds a line.
ts_code ts_sheet_hdf5_add(ts_contact_sheet_hdf5* sheet, const ts_sheet_value* value, ts_status* out_status);

/// Writes the file, in one piece, and releases the memory.
ts_code ts_sheet_hdf5_close(ts_contact_sheet_hdf5* sheet, ts_status* out_status);

#endif
