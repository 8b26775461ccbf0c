// Mesh files as assets: see the header.
#include "engine/read/mesh_asset_internal.h"

#include "engine/read/collada_internal.h"

#include <string.h>

ts_code ts_mesh_asset_load(const char* path, ts_mesh* out_mesh, ts_status* out_status) {
    const char* dot = strrchr(path, '.');
    int collada = dot && strlen(dot) == 4 && strspn(dot, ".dDaAeE") == 4;
    return collada ? ts_collada_load(path, out_mesh, out_status) : ts_mesh_load(path, out_mesh, out_status);
}

void ts_mesh_asset_place(ts_mesh* mesh, const ts_mesh_placing* placing) {
    ts_quat back = ts_quat_conjugate(ts_quat_normalize(placing->rotation));
    ts_vec3 scale = placing->scale;
    for (int i = 0; i < mesh->vertex_count; ++i) {
        ts_vec3 v = ts_quat_rotate(back, ts_vec3_sub(mesh->vertex[i], placing->position));
        mesh->vertex[i] = ts_vec3_mul(v, scale);
    }
    if (scale.x * scale.y * scale.z >= 0.0) return;
    for (int t = 0; t < mesh->triangle_count; ++t) {
        int swap = mesh->triangle[3 * t + 1];
        mesh->triangle[3 * t + 1] = mesh->triangle[3 * t + 2];
        mesh->triangle[3 * t + 2] = swap;
        for (int k = 0; k < 2 && mesh->place; ++k) {
            float moved = mesh->place[6 * t + 2 + k];
            mesh->place[6 * t + 2 + k] = mesh->place[6 * t + 4 + k];
            mesh->place[6 * t + 4 + k] = moved;
        }
    }
}

ts_code ts_mesh_asset_hull(ts_builder* builder, const ts_mesh* mesh, const char* path, const ts_mesh_placing* placing,
                           const ts_hull** out_hull, ts_status* out_status) {
    ts_hull* hull = NULL;
    *out_hull = NULL;
    ts_code code = ts_hull_build(mesh->vertex, mesh->vertex_count, &hull, out_status);
    if (code) return code;
    if (!ts_builder_add_hull(builder, hull) || !ts_builder_set_hull_source(builder, path, placing)) {
        // A hull that was taken is freed with the builder.
        if (builder->hull.count == 0 || builder->hull.data[builder->hull.count - 1] != hull) ts_hull_free(hull);
        return ts_status_set(out_status, TS_ERROR_MEMORY, path, 0, "out of memory");
    }
    *out_hull = hull;
    return TS_OK;
}
