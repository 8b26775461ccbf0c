// What became of a file's contents: every element and attribute a reader did not take over exactly, and what that means
// for the physics. Nothing is dropped silently.
#ifndef TS_ENGINE_IMPORT_REPORT_H
#define TS_ENGINE_IMPORT_REPORT_H

#include "base/status.h"

#ifdef __cplusplus
extern "C" {
#endif

/// How faithfully something was taken over.
typedef enum ts_import_level {
    TS_IMPORT_HONOURED,  // exactly
    TS_IMPORT_KEPT,  // in the model, and honoured by the laws that know it; the chosen one may do otherwise by design
    TS_IMPORT_APPROXIMATED,  // by something near it
    TS_IMPORT_IGNORED        // not at all
} ts_import_level;

/// One kind of finding; equal findings are counted, not repeated.
typedef struct ts_import_item {
    ts_import_level level;
    int affects_physics;  // nonzero when something that the file says about motion or contact is lost; zero for looks, names, and what
                          // is honoured or kept
    int count;          // how often it occurred
    char what[96];      // e.g. "geom@solref"
    char meaning[192];  // what it means for the physics
    char file[256];     // first place
    int line;
} ts_import_item;

/// The findings of one import. Zero-initialised is empty; free with ts_import_report_free.
typedef struct ts_import_report {
    ts_import_item* item;
    int count;
    int capacity;
} ts_import_report;

/// Adds a finding or counts it up when level, what and meaning equal an earlier one. NULL report is ignored.
void ts_import_report_add(ts_import_report* report, ts_import_level level, int affects_physics, const char* what,
                          const char* meaning, const char* file, int line);

/// How many findings of that level affect the physics (or all of that level when `physics_only` is 0).
int ts_import_report_count(const ts_import_report* report, ts_import_level level, int physics_only);

/// "honoured", "kept", "approximated", "ignored".
const char* ts_import_level_name(ts_import_level level);

/// Releases the memory.
void ts_import_report_free(ts_import_report* report);

#ifdef __cplusplus
}
#endif
#endif
