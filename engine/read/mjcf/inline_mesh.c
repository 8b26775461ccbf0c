// A mesh that is written in the model file itself: vertices, triangles, and places on a texture.
//
// Places are of vertices and count from above, as in MuJoCo. Without triangles those of the vertices' hull are taken where they are wanted, which is for
// places alone: what has none is drawn as its hull anyway.
#include "engine/read/mjcf/assets_internal.h"

#include <math.h>
#include <stdlib.h>

static ts_code short_memory(const ts_mjcf_element* e) {
    return ts_mjcf_fail(e->reader, e->node, TS_ERROR_MEMORY, "out of memory");
}

static ts_code take_vertices(const ts_mjcf_element* e, const ts_builder_number_array* vertex, ts_mesh* out_mesh) {
    if (vertex->count % 3)
        return ts_mjcf_fail(e->reader, e->node, TS_ERROR_PARSE, "vertex and face of a mesh come in threes");
    out_mesh->vertex = (ts_vec3*)calloc((size_t)vertex->count / 3 + 1, sizeof(ts_vec3));
    if (!out_mesh->vertex) return short_memory(e);
    out_mesh->vertex_count = vertex->count / 3;
    for (int i = 0; i < out_mesh->vertex_count; ++i) out_mesh->vertex[i] = ts_vec3_load(vertex->data + 3 * i);
    return TS_OK;
}

static ts_code take_faces(const ts_mjcf_element* e, const ts_builder_number_array* face, ts_mesh* out_mesh) {
    if (face->count % 3)
        return ts_mjcf_fail(e->reader, e->node, TS_ERROR_PARSE, "vertex and face of a mesh come in threes");
    out_mesh->triangle = (int*)calloc((size_t)face->count + 1, sizeof(int));
    if (!out_mesh->triangle) return short_memory(e);
    for (int i = 0; i < face->count; ++i) {
        double number = face->data[i];
        if (number != floor(number) || number < 0.0 || number >= (double)out_mesh->vertex_count)
            return ts_mjcf_fail(e->reader, e->node, TS_ERROR_VALUE, "face names vertex %g, but there are %d", number,
                                out_mesh->vertex_count);
        out_mesh->triangle[i] = (int)number;
    }
    out_mesh->triangle_count = face->count / 3;
    return TS_OK;
}

static int nearest_vertex(const ts_mesh* mesh, ts_vec3 to) {
    int best = 0;
    for (int i = 1; i < mesh->vertex_count; ++i)
        if (ts_vec3_distance(mesh->vertex[i], to) < ts_vec3_distance(mesh->vertex[best], to)) best = i;
    return best;
}

// The faces of the hull, cut into triangles.
static ts_code take_hull(const ts_mjcf_element* e, ts_mesh* out_mesh, ts_status* out_status) {
    ts_hull* hull = NULL;
    ts_code code = ts_hull_build(out_mesh->vertex, out_mesh->vertex_count, &hull, out_status);
    if (code) return code;
    int* number = (int*)calloc((size_t)hull->vertex_count + 1, sizeof *number);
    int* triangle = (int*)calloc(3 * (size_t)hull->corner_count + 1, sizeof *triangle);
    int count = 0;
    for (int v = 0; number && v < hull->vertex_count; ++v) number[v] = nearest_vertex(out_mesh, hull->vertex[v]);
    for (int f = 0; number && triangle && f < hull->face_count; ++f)
        for (int k = hull->face_start[f] + 2; k < hull->face_start[f + 1]; ++k) {
            triangle[count++] = number[hull->face_corner[hull->face_start[f]]];
            triangle[count++] = number[hull->face_corner[k - 1]];
            triangle[count++] = number[hull->face_corner[k]];
        }
    code = number && triangle ? TS_OK : short_memory(e);
    free(number);
    ts_hull_free(hull);
    free(out_mesh->triangle);
    out_mesh->triangle = triangle;
    out_mesh->triangle_count = count / 3;
    return code;
}

// Two numbers of every vertex, handed to the corners.
static ts_code take_places(const ts_mjcf_element* e, const ts_builder_number_array* place, ts_mesh* out_mesh) {
    if (place->count != 2 * out_mesh->vertex_count)
        return ts_mjcf_fail(e->reader, e->node, TS_ERROR_VALUE,
                            "texcoord of a mesh needs two numbers for each of its %d vertices, and has %d",
                            out_mesh->vertex_count, place->count);
    int corners = 3 * out_mesh->triangle_count;
    out_mesh->place = (float*)calloc(2 * (size_t)corners + 1, sizeof(float));
    if (!out_mesh->place) return short_memory(e);
    for (int i = 0; i < 2 * corners; ++i)
        out_mesh->place[i] = (float)place->data[2 * out_mesh->triangle[i / 2] + i % 2];
    return TS_OK;
}

ts_code ts_mjcf_inline_mesh(const ts_mjcf_element* element, ts_mesh* out_mesh, ts_status* out_status) {
    ts_mjcf_reader* reader = element->reader;
    ts_builder_number_array vertex = {NULL, 0, 0}, face = {NULL, 0, 0}, place = {NULL, 0, 0};
    ts_code code = TS_OK;
    if (!ts_mjcf_real_array(element, "vertex", &vertex))
        code = reader->xml.code ? reader->xml.code
                                : ts_status_set(out_status, TS_ERROR_VALUE, element->node->file, element->node->line,
                                                "it has neither file nor vertices");
    ts_mjcf_real_array(element, "face", &face);
    int has_places = ts_mjcf_real_array(element, "texcoord", &place);
    if (!code) code = reader->xml.code;
    if (!code) code = take_vertices(element, &vertex, out_mesh);
    if (!code) code = take_faces(element, &face, out_mesh);
    if (!code && has_places && !out_mesh->triangle_count) code = take_hull(element, out_mesh, out_status);
    if (!code && has_places) code = take_places(element, &place, out_mesh);
    ts_builder_number_array_free(&vertex);
    ts_builder_number_array_free(&face);
    ts_builder_number_array_free(&place);
    return code;
}
