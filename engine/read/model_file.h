// A model from a file, whatever its format: the first element of the text decides, not the file's name.
#ifndef TS_ENGINE_MODEL_FILE_H
#define TS_ENGINE_MODEL_FILE_H

#include "collision/shape/mesh_file.h"
#include "engine/model/model.h"
#include "engine/read/import_report.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Whether the root link of a URDF file moves.
typedef enum ts_root_choice {
    TS_ROOT_BY_FILE,  // floats when its SRDF says so, or when nothing else moves and it has mass; else fixed
    TS_ROOT_FIXED,
    TS_ROOT_FLOATING
} ts_root_choice;

/// What a file does not say itself. Zero-initialised is the default; all text is borrowed.
typedef struct ts_model_file_options {
    const char* package_path;  // folders to find packages in, separated by colons; NULL: none
    const char* srdf;          // the semantic file of a URDF; NULL: one for the same robot beside it
    ts_root_choice root;       // of a URDF
    int overlaps_touch;  // nonzero: links of a URDF without an SRDF touch though they overlap while all joints are at zero
} ts_model_file_options;

/// Reads MJCF (<mujoco>) or URDF (<robot>). `options` (NULL: the default) concern URDF; `report` (may be NULL) collects what
/// was not taken over exactly and is filled even when reading fails.
ts_code ts_model_file_load(const char* path, const ts_model_file_options* options, ts_import_report* report,
                           ts_model** out_model, ts_status* out_status);

/// The mesh that hull number `hull` of a model came from, placed as its hull is: that of the model file, or the mesh file read again. TS_ERROR_VALUE when
/// it came from neither; what the file says otherwise when it is gone or changed for the worse. Free with ts_mesh_free.
ts_code ts_model_hull_mesh(const ts_model* model, int hull, ts_mesh* out_mesh, ts_status* out_status);

#ifdef __cplusplus
}
#endif
#endif
