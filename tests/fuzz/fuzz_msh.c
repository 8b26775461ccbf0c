// Fuzz target: any bytes as MSH. Whatever comes in, the reader must answer with a mesh whose triangles name its
// vertices, or with a message.
#include "collision/shape/mesh_file_internal.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    ts_status status;
    ts_mesh mesh;
    memset(&status, 0, sizeof status);
    ts_code code = ts_mesh_parse((const char*)data, size, "fuzz.msh", &mesh, &status);
    if (code == TS_OK ? mesh.vertex_count <= 0 : mesh.vertex != NULL || status.message[0] == '\0') abort();
    for (int i = 0; i < 3 * mesh.triangle_count; ++i)
        if (mesh.triangle[i] < 0 || mesh.triangle[i] >= mesh.vertex_count) abort();
    for (int i = 0; i < mesh.vertex_count; ++i)
        if (!ts_vec3_is_finite(mesh.vertex[i])) abort();
    ts_mesh_free(&mesh);
    return 0;
}
