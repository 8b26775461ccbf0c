// The readers of meshes, on bytes in memory.
#ifndef TS_COLLISION_MESH_FILE_INTERNAL_H
#define TS_COLLISION_MESH_FILE_INTERNAL_H

#include "collision/shape/mesh_file.h"

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/// What ts_mesh_load does, for the `size` bytes at `text` that came from `path`, whose extension names the format.
ts_code ts_mesh_parse(const char* text, size_t size, const char* path, ts_mesh* out_mesh, ts_status* out_status);

#ifdef __cplusplus
}
#endif
#endif
