// Reads MJCF, MuJoCo's model files, into a model. Untrusted input: no network, no entity expansion, at most 100 elements
// deep, 64 MiB, 2 million elements and 1000 files; whatever is wrong ends in `file:line: what and why`.
#ifndef TS_ENGINE_MJCF_H
#define TS_ENGINE_MJCF_H

#include "engine/read/import_report.h"
#include "engine/model/model.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Reads a file. `report` (may be NULL) collects what was not taken over exactly; it is filled even when reading fails.
ts_code ts_mjcf_load(const char* path, ts_import_report* report, ts_model** out_model, ts_status* out_status);

/// The same from memory. `name` stands for the file in messages; `directory` is where includes and meshes are looked up,
/// NULL forbids them.
ts_code ts_mjcf_parse(const char* text, unsigned long size, const char* name, const char* directory,
                      ts_import_report* report, ts_model** out_model, ts_status* out_status);

#ifdef __cplusplus
}
#endif
#endif
