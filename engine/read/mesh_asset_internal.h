// Mesh files as assets of a model: read by any format that is known, placed, and turned into the hull that stands in for them.
#ifndef TS_ENGINE_MESH_ASSET_INTERNAL_H
#define TS_ENGINE_MESH_ASSET_INTERNAL_H

#include "collision/shape/mesh_file.h"
#include "engine/model/builder_internal.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Reads a mesh; the format follows the file's extension: what ts_mesh_load knows, and Collada (.dae).
ts_code ts_mesh_asset_load(const char* path, ts_mesh* out_mesh, ts_status* out_status);

/// Moves the vertices: v becomes scale * R^T (v - position), components alone. A mirror turns the triangles round, so that
/// their fronts stay outside.
void ts_mesh_asset_place(ts_mesh* mesh, const ts_mesh_placing* placing);

/// The hull of a placed mesh, owned by the builder from now on, with where it came from (`path` may be NULL).
ts_code ts_mesh_asset_hull(ts_builder* builder, const ts_mesh* mesh, const char* path, const ts_mesh_placing* placing,
                           const ts_hull** out_hull, ts_status* out_status);

#ifdef __cplusplus
}
#endif
#endif
