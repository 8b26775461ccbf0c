// One line of a batch of distance queries: a JSON object such as {"a": "box:1,1,1", "b": "chair.obj", "pose_b": [0,0,1]}.
#ifndef TS_CLI_PAIR_LINE_INTERNAL_H
#define TS_CLI_PAIR_LINE_INTERNAL_H

#include "base/status.h"

#include <stddef.h>

/// What a line asks for. The texts live in the line's own memory, which is overwritten.
typedef struct ts_pair_line {
    const char* a;  // as for ts_shape_store_get
    const char* b;
    double pose_a[7];
    double pose_b[7];
    int pose_a_count;  // numbers given, 0 when there is no such key
    int pose_b_count;
} ts_pair_line;

/// Reads [line, line + length); the byte behind must be writable. TS_ERROR_PARSE says what is wrong: no JSON, unknown or
/// repeated keys, a missing shape. Blank lines are the caller's business.
ts_code ts_pair_line_parse(char* line, size_t length, ts_pair_line* out_line, ts_status* out_status);

#endif
