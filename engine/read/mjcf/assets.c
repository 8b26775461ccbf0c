// <asset>, and of it meshes. A mesh is read when the first geom wants it, so that files which only serve
// unused or unreadable looks cost nothing and may be missing.
#include "engine/read/mjcf/assets_internal.h"
#include "engine/read/mesh_asset_internal.h"
#include "engine/read/mjcf/compose_internal.h"
#include "engine/read/mjcf/mesh_internal.h"

#include <stdlib.h>
#include <stdio.h>
#include <string.h>

// "a/b/name.ext" -> "name"
static const char* stem_of(ts_mjcf_reader* reader, const char* file) {
    const char* slash = strrchr(file, '/');
    const char* begin = slash ? slash + 1 : file;
    const char* dot = strrchr(begin, '.');
    return ts_xml_copy(&reader->xml, begin, dot ? (size_t)(dot - begin) : strlen(begin));
}

const char* ts_mjcf_asset_name(ts_mjcf_reader* reader, const ts_xml_node* node) {
    const char* name = ts_xml_value(node, "name");
    const char* file = ts_xml_value(node, "file");
    if (!name && file) name = stem_of(reader, file);
    if (name && name[0]) return name;
    ts_mjcf_fail(reader, node, TS_ERROR_PARSE, "%s needs a name or a file", node->name);
    return NULL;
}

const char* ts_mjcf_asset_path(ts_mjcf_reader* reader, const ts_xml_node* node, const char* folder, const char* file) {
    const ts_mjcf_document* d = ts_mjcf_document_of(reader, node);
    const char* slash = d->compiler.strip_path ? strrchr(file, '/') : NULL;
    if (!d->directory) {
        ts_mjcf_fail(reader, node, TS_ERROR_UNSUPPORTED, "'%.200s' cannot be read: the model is not read from a file",
                     file);
        return NULL;
    }
    return ts_xml_path(&reader->xml, d->directory, folder[0] ? folder : d->compiler.asset_directory,
                       slash ? slash + 1 : file);
}

static void add_mesh(ts_mjcf_reader* reader, const ts_xml_node* node) {
    ts_mjcf_check(reader, node, "mesh");
    const char* name = ts_mjcf_asset_name(reader, node);
    if (!name) return;
    ts_name_table* names = &ts_mjcf_document_of(reader, node)->mesh_name;
    if (ts_name_table_find(names, name) >= 0) {
        ts_mjcf_fail(reader, node, TS_ERROR_VALUE, "another mesh is named '%.80s'", name);
        return;
    }
    for (const ts_xml_node* child = node->child; child; child = child->next)
        if (!ts_mjcf_report_element(reader, child, "mesh")) ts_mjcf_unknown_element(reader, child);
    ts_mjcf_mesh mesh;
    memset(&mesh, 0, sizeof mesh);
    mesh.node = node;
    if (!ts_mjcf_mesh_array_push(&reader->meshes, mesh) || !ts_name_table_put(names, name, reader->meshes.count - 1))
        ts_mjcf_fail(reader, node, TS_ERROR_MEMORY, "out of memory");
}

void ts_mjcf_read_asset(ts_mjcf_reader* reader, const ts_xml_node* node) {
    ts_mjcf_check(reader, node, "asset");
    for (const ts_xml_node* child = node->child; child && !reader->xml.code; child = child->next) {
        if (strcmp(child->name, "mesh") == 0)
            add_mesh(reader, child);
        else if (strcmp(child->name, "hfield") == 0)
            ts_mjcf_add_height_field(reader, child);
        else if (strcmp(child->name, "material") == 0)
            ts_mjcf_add_material(reader, child);
        else if (strcmp(child->name, "texture") == 0)
            ts_mjcf_add_texture(reader, child);
        else if (strcmp(child->name, "model") == 0)
            ts_mjcf_read_model_asset(reader, child);
        else if (!ts_mjcf_report_element(reader, child, "asset"))
            ts_mjcf_unknown_element(reader, child);
    }
}

// *out_path is where the file is.
static ts_code file_mesh(ts_mjcf_reader* reader, const ts_xml_node* node, const char* file, const char** out_path,
                         ts_mesh* out_mesh, ts_status* out_status) {
    if (!ts_mjcf_document_of(reader, node)->directory)
        return ts_status_set(out_status, TS_ERROR_UNSUPPORTED, NULL, 0,
                             "'%.200s' cannot be read: the model is not read from a file", file);
    *out_path = ts_mjcf_asset_path(reader, node, ts_mjcf_compiler_of(reader, node)->mesh_directory, file);
    return *out_path ? ts_mesh_asset_load(*out_path, out_mesh, out_status) : reader->xml.code;
}

// refpos, refquat and scale: the vertices as the geoms see them.
static ts_mesh_placing read_placing(const ts_mjcf_element* element) {
    double position[3] = {0.0, 0.0, 0.0}, rotation[4] = {1.0, 0.0, 0.0, 0.0}, scale[3] = {1.0, 1.0, 1.0};
    ts_mjcf_reals(element, "refpos", position, 3, 3);
    ts_mjcf_reals(element, "refquat", rotation, 4, 4);
    ts_mjcf_reals(element, "scale", scale, 3, 3);
    ts_mesh_placing placing = {ts_vec3_load(position), ts_quat_load(rotation), ts_vec3_load(scale)};
    if (ts_quat_norm(placing.rotation) < 1e-10)
        ts_mjcf_fail(element->reader, element->node, TS_ERROR_VALUE, "refquat of mesh is zero");
    return placing;
}

// A mesh of points alone is the surface of its hull. Returns 0 when memory is short.
static int take_surface(const ts_hull* hull, ts_mesh* io_mesh) {
    int* triangle = (int*)realloc(io_mesh->triangle, (size_t)(3 * hull->corner_count) * sizeof(int));
    if (triangle) io_mesh->triangle = triangle;
    ts_vec3* vertex = (ts_vec3*)realloc(io_mesh->vertex, (size_t)hull->vertex_count * sizeof(ts_vec3));
    if (vertex) io_mesh->vertex = vertex;
    if (!vertex || !triangle) return 0;
    memcpy(vertex, hull->vertex, (size_t)hull->vertex_count * sizeof(ts_vec3));
    io_mesh->vertex_count = hull->vertex_count;
    io_mesh->triangle_count = 0;
    for (int f = 0; f < hull->face_count; ++f)
        for (int c = hull->face_start[f] + 1; c + 1 < hull->face_start[f + 1]; ++c) {
            const int corner[3] = {hull->face_corner[hull->face_start[f]], hull->face_corner[c],
                                   hull->face_corner[c + 1]};
            memcpy(triangle + (size_t)(3 * io_mesh->triangle_count++), corner, sizeof corner);
        }
    return 1;
}

static ts_code load(ts_mjcf_reader* reader, ts_mjcf_mesh* mesh, ts_status* out_status) {
    static const char* const words[] = {"legacy", "exact", "convex", "shell"};
    ts_mjcf_element element = ts_mjcf_element_make(reader, mesh->node, TS_MJCF_MESH, 0);
    const char* file = ts_xml_value(mesh->node, "file");
    const char* path = NULL;
    ts_mesh triangles;
    memset(&triangles, 0, sizeof triangles);
    int shell = 0;
    ts_code code = ts_xml_value(mesh->node, "builtin") ? ts_mjcf_mesh_form(&element, &triangles, &shell)
                   : file ? file_mesh(reader, mesh->node, file, &path, &triangles, out_status)
                          : ts_mjcf_inline_mesh(&element, &triangles, out_status);
    if (file && ts_xml_value(mesh->node, "texcoord"))
        ts_mjcf_report(reader, mesh->node, TS_IMPORT_IGNORED, 0, "mesh@texcoord (of a file)", "the file's own count");
    int usual = ts_mjcf_compiler_of(reader, mesh->node)->exact_mesh ? TS_MJCF_MESH_EXACT : TS_MJCF_MESH_LEGACY;
    int kind = shell ? TS_MJCF_MESH_SHELL : ts_mjcf_word(&element, "inertia", words, 4, usual);
    ts_mesh_placing placing = read_placing(&element);
    if (!code) code = reader->xml.code;
    if (!code) ts_mesh_asset_place(&triangles, &placing);
    if (!code) code = ts_mesh_asset_hull(reader->builder, &triangles, path, &placing, &mesh->hull, out_status);
    if (!code && triangles.triangle_count == 0 && mesh->hull->rank == 3 && !take_surface(mesh->hull, &triangles))
        code = ts_mjcf_fail(reader, mesh->node, TS_ERROR_MEMORY, "out of memory");
    if (!code &&
        (kind == TS_MJCF_MESH_CONVEX || !ts_mjcf_mesh_solid(&triangles, (ts_mjcf_mesh_inertia)kind, &mesh->solid))) {
        ts_shape shape = ts_shape_hull(mesh->hull);
        mesh->solid = ts_shape_mass_properties(&shape);
    }
    if (!code && !file && triangles.triangle_count > 0 && !ts_builder_keep_mesh(reader->builder, &triangles))
        code = ts_mjcf_fail(reader, mesh->node, TS_ERROR_MEMORY, "out of memory");
    ts_mesh_free(&triangles);
    return code;
}

const ts_mjcf_mesh* ts_mjcf_load_mesh(ts_mjcf_reader* reader, const ts_xml_node* node, const char* name) {
    int index = ts_name_table_find(&ts_mjcf_document_of(reader, node)->mesh_name, name);
    if (index < 0) {
        ts_mjcf_fail(reader, node, TS_ERROR_VALUE, "geom: there is no mesh '%.80s'", name);
        return NULL;
    }
    ts_mjcf_mesh* mesh = &reader->meshes.data[index];
    if (!mesh->tried) {
        mesh->tried = 1;
        ts_status status;
        memset(&status, 0, sizeof status);
        ts_code code = load(reader, mesh, &status);
        if (code) mesh->problem = status;
        if (code && !mesh->problem.code) mesh->problem = reader->xml.problem;
    }
    return reader->xml.code ? NULL : mesh;
}
