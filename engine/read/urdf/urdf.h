// Reads URDF, the robot description of ROS, into a model, with the SRDF beside it. Untrusted input: no network, no entity
// expansion, bounded depth, size and number of elements, no file outside of the folders that the user named; whatever is
// wrong ends in `file:line: what and why`.
#ifndef TS_ENGINE_URDF_H
#define TS_ENGINE_URDF_H

#include "engine/read/model_file.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Reads a file; see ts_model_file_load.
ts_code ts_urdf_load(const char* path, const ts_model_file_options* options, ts_import_report* report,
                     ts_model** out_model, ts_status* out_status);

/// Reads URDF from memory. `name` stands for the file in messages, and is the path that packages and the SRDF are looked up
/// from when `directory` (the folder of the file) is not NULL; NULL forbids other files. `options` and `report` as for
/// ts_model_file_load.
ts_code ts_urdf_parse(const char* text, unsigned long size, const char* name, const char* directory,
                      const ts_model_file_options* options, ts_import_report* report, ts_model** out_model,
                      ts_status* out_status);

#ifdef __cplusplus
}
#endif
#endif
