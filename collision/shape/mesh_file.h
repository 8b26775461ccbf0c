// Triangle meshes from files: Wavefront OBJ, STL (binary and text), and MSH (MuJoCo's).
#ifndef TS_COLLISION_MESH_FILE_H
#define TS_COLLISION_MESH_FILE_H

#include "base/status.h"
#include "base/vec.h"

#ifdef __cplusplus
extern "C" {
#endif

/// A triangle soup with shared vertices. Free with ts_mesh_free.
typedef struct ts_mesh {
    ts_vec3* vertex;
    int vertex_count;
    int* triangle;  // (3 triangle_count) vertex indices
    int triangle_count;
    // (6 triangle_count) where each triangle's corners lie on a picture: x from the left, y from the top, 1 its width and height; NULL where not every
    // corner has a place, or the format knows none (STL)
    float* place;
} ts_mesh;

/// Reads a mesh; the format follows the extension (.obj, .stl, .msh, any case). Polygons are fanned. Refuses broken or
/// not-finite input with `file:line: why` (byte offset in place of the line for binary files).
ts_code ts_mesh_load(const char* path, ts_mesh* out_mesh, ts_status* out_status);

/// The same once more. Free with ts_mesh_free.
ts_code ts_mesh_copy(const ts_mesh* mesh, ts_mesh* out_mesh, ts_status* out_status);

/// Releases the memory; the mesh is empty afterwards. NULL is ignored.
void ts_mesh_free(ts_mesh* mesh);

#ifdef __cplusplus
}
#endif
#endif
