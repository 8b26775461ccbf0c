// What every reader of meshes must answer, whatever comes in: a mesh whose triangles name its vertices, all finite, or a message.
#ifndef TS_TESTS_FUZZ_MESH_H
#define TS_TESTS_FUZZ_MESH_H

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "collision/shape/mesh_file_internal.h"

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

typedef ts_code mesh_reader(const char* text, size_t size, const char* name, ts_mesh* out_mesh, ts_status* out_status);

/// Aborts unless the reader of files with that name answers so. `points`: nonzero where a cloud of points, without triangles, is a mesh, too.
static inline int fuzz_mesh(mesh_reader* read, const char* name, int points, const uint8_t* data, size_t size) {
    ts_status status;
    ts_mesh mesh;
    memset(&status, 0, sizeof status);
    ts_code code = read((const char*)data, size, name, &mesh, &status);
    int least = points ? mesh.vertex_count : mesh.triangle_count;
    if (code == TS_OK ? least <= 0 : mesh.vertex != NULL || status.message[0] == '\0') abort();
    for (int i = 0; i < 3 * mesh.triangle_count; ++i)
        if (mesh.triangle[i] < 0 || mesh.triangle[i] >= mesh.vertex_count) abort();
    for (int i = 0; i < mesh.vertex_count; ++i)
        if (!ts_vec3_is_finite(mesh.vertex[i])) abort();
    ts_mesh_free(&mesh);
    return 0;
}

#endif
