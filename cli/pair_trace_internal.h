// The steps of a distance query for people: a table, JSON, and a strip of pictures of A - B with the simplex, portal or polytope in it.
#ifndef TS_CLI_PAIR_TRACE_INTERNAL_H
#define TS_CLI_PAIR_TRACE_INTERNAL_H

#include "base/text.h"
#include "collision/distance/proximity.h"

/// Room of a trace: steps of any query there is, and polytopes of a few dozen of them.
enum { TS_PAIR_TRACE_STEPS = 1024, TS_PAIR_TRACE_TRIANGLES = 65536 };

/// Most steps that one picture shows.
enum { TS_PAIR_TRACE_PANELS = 12 };

/// A query and what was seen of it.
typedef struct ts_pair_trace {
    const ts_shape* a;
    const ts_shape* b;
    const ts_transform* pose_a;
    const ts_transform* pose_b;
    const ts_proximity_trace* trace;
    const ts_proximity* answer;
} ts_pair_trace;

/// Arrays for a trace, empty; TS_ERROR_MEMORY. Free with ts_pair_trace_close, which takes one that was never opened, too.
ts_code ts_pair_trace_open(ts_proximity_trace* out_trace, ts_status* out_status);

/// See ts_pair_trace_open.
void ts_pair_trace_close(ts_proximity_trace* trace);

/// The table.
void ts_pair_trace_words(const ts_pair_trace* pair, ts_text* text);

/// The same as the members of an object: "steps", "lost", "balls".
void ts_pair_trace_json(const ts_pair_trace* pair, ts_json* json);

/// The strip, a PNG. TS_ERROR_UNSUPPORTED, with the reason, when this build or machine cannot draw.
ts_code ts_pair_trace_png(const ts_pair_trace* pair, int width, int height, const char* path, ts_status* out_status);

#endif
