// <mesh>: a file, found by its URI, at a scale; its convex hull stands in for it. Every file is read once per scale.
#include "engine/read/mesh_asset_internal.h"
#include "engine/read/urdf/urdf_internal.h"

#include <stdio.h>
#include <string.h>

static ts_vec3 read_scale(ts_urdf_reader* reader, const ts_xml_node* node) {
    double scale[3] = {1.0, 1.0, 1.0};
    ts_urdf_reals(reader, node, "scale", scale, 3);
    for (int i = 0; i < 3; ++i)
        if (scale[i] == 0.0) ts_urdf_fail(reader, node, TS_ERROR_VALUE, "scale of mesh is zero");
    return ts_vec3_load(scale);
}

static void load(ts_urdf_reader* reader, const char* path, ts_vec3 scale, ts_urdf_mesh* mesh) {
    ts_mesh triangles;
    memset(&triangles, 0, sizeof triangles);
    ts_mesh_placing placing = ts_mesh_placing_none();
    placing.scale = scale;
    if (ts_mesh_asset_load(path, &triangles, &mesh->problem) == TS_OK) {
        ts_mesh_asset_place(&triangles, &placing);
        ts_mesh_asset_hull(reader->builder, &triangles, path, &placing, &mesh->hull, &mesh->problem);
    }
    ts_mesh_free(&triangles);
}

const ts_hull* ts_urdf_mesh_hull(ts_urdf_reader* reader, const ts_xml_node* node, ts_status* out_problem) {
    const char* uri = ts_xml_value(node, "filename");
    if (!uri || !uri[0]) {
        ts_urdf_fail(reader, node, TS_ERROR_PARSE, "mesh needs the attribute 'filename'");
        return NULL;
    }
    ts_vec3 scale = read_scale(reader, node);
    const char* path = reader->xml.code ? NULL : ts_urdf_resolve(reader, node, uri, out_problem);
    if (!path) return NULL;
    char numbers[100];
    ts_text key = {0};
    snprintf(numbers, sizeof numbers, " %.17g %.17g %.17g", scale.x, scale.y, scale.z);
    ts_text_add_bytes(&key, path, strlen(path));
    ts_text_add_bytes(&key, numbers, strlen(numbers));
    int index = key.failed ? -1 : ts_name_table_find(&reader->mesh_name, ts_text_get(&key));
    if (index < 0) {
        ts_urdf_mesh mesh;
        memset(&mesh, 0, sizeof mesh);
        load(reader, path, scale, &mesh);
        index = reader->mesh.count;
        const char* name = ts_xml_copy(&reader->xml, ts_text_get(&key), key.length);
        if (key.failed || !ts_urdf_mesh_array_push(&reader->mesh, mesh) ||
            !ts_name_table_put(&reader->mesh_name, name, index))
            ts_urdf_fail(reader, node, TS_ERROR_MEMORY, "out of memory");
    }
    ts_text_free(&key);
    if (reader->xml.code) return NULL;
    *out_problem = reader->mesh.data[index].problem;
    return reader->mesh.data[index].hull;
}
