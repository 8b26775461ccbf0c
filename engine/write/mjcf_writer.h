// A model as an MJCF file: what was understood of a URDF, or of an MJCF with all its classes, includes and replicas.
#ifndef TS_ENGINE_MJCF_WRITER_H
#define TS_ENGINE_MJCF_WRITER_H

#include "base/text.h"
#include "engine/model/model.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Writes the model to `path`, in one piece: after an error there is no file, or the old one. Meshes are named relative to
/// the new file; those whose files ts_mesh_load does not read stand in it as the corners of their hulls. The text is read back
/// first. TS_ERROR_UNSUPPORTED and why when MJCF cannot say what the model holds.
ts_code ts_mjcf_writer_save(const ts_model* model, const char* path, ts_status* out_status);

/// The same as text, appended. `folder` is where the file is to be; NULL writes all hulls as corners.
ts_code ts_mjcf_writer_text(const ts_model* model, const char* folder, ts_text* out_text, ts_status* out_status);

#ifdef __cplusplus
}
#endif
#endif
