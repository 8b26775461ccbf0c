// Triangle meshes from Collada (.dae).
#ifndef TS_ENGINE_COLLADA_INTERNAL_H
#define TS_ENGINE_COLLADA_INTERNAL_H

#include "collision/shape/mesh_file.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Reads the triangles of the scene of a Collada 1.4 or 1.5 file, in metres and with z up. Free with ts_mesh_free.
ts_code ts_collada_load(const char* path, ts_mesh* out_mesh, ts_status* out_status);

/// The same from memory; `name` stands for the file in messages.
ts_code ts_collada_parse(const char* text, unsigned long size, const char* name, ts_mesh* out_mesh,
                         ts_status* out_status);

#ifdef __cplusplus
}
#endif
#endif
