// What meshes weigh, and primitives that stand for them.
#ifndef TS_ENGINE_MJCF_MESH_INTERNAL_H
#define TS_ENGINE_MJCF_MESH_INTERNAL_H

#include "engine/read/mjcf/assets_internal.h"

#ifdef __cplusplus
extern "C" {
#endif

// --- mesh.c ---

/// Mass properties of triangles at density 1 (of the area, for a shell); returns 0 when they have no volume (area).
int ts_mjcf_mesh_solid(const ts_mesh* mesh, ts_mjcf_mesh_inertia kind, ts_mass_properties* out_solid);

// --- mesh_form.c ---

/// The vertices and triangles of a mesh that is made from parameters (`builtin`, `params`); *out_shell becomes nonzero where it is a surface whatever
/// its `inertia` says. Frees nothing that was in *out_mesh. Returns the reader's code.
ts_code ts_mjcf_mesh_form(const ts_mjcf_element* element, ts_mesh* out_mesh, int* out_shell);

// --- fitted.c ---

/// A primitive of that kind fitted to a mesh whose asset is had (`solid` and `hull`): by the box of its inertia, or by the box around it.
/// *io_pose, where the mesh is, becomes where the primitive is.
ts_shape ts_mjcf_fit(const ts_mjcf_mesh* mesh, ts_shape_kind kind, int by_box, double scale, ts_pose* io_pose);

#ifdef __cplusplus
}
#endif
#endif
