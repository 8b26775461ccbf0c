// Triangle meshes from Wavefront OBJ, STL, and MSH, MuJoCo's own from before it read the others.
//
// OBJ: `v`, `vt` and `f` lines count, all other statements (normals, groups, materials) are passed over. Indices may
// be negative (counted back from the last vertex) and must name a vertex that came before. Polygons are cut into a fan. Places on textures count from
// below; a corner that names none which came before leaves the mesh without.
// STL: a file is binary exactly when its size is 84 + 50 n for the n it states, whatever its first word; else it must be
// the text form. Triangles come as loose corners; corners with the same coordinates, bit by bit, become one vertex.
// MSH: four 32-bit numbers (vertices, normals, texture coordinates, triangles), the numbers of those as floats, and the corners
// of the triangles, of which there may be none. Texture coordinates are of vertices and count from above.
// Normals in the files are not used: the order of the corners says where outside is.
// Known to fail: OBJ line continuations (a backslash at the end of a line) are refused as no number.
#include "collision/shape/mesh_file_internal.h"

#include "base/array.h"
#include "base/hash.h"
#include "base/number.h"
#include "base/text.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

// Largest file, bytes: a hundred times what a collision mesh needs, and still far from exhausting a machine.
#define MESH_FILE_LIMIT ((size_t)256 << 20)

TS_ARRAY_DECLARE(vertex_array, ts_vec3);
TS_ARRAY_DECLARE(index_array, int);
TS_ARRAY_DECLARE(place_array, float);

// What is being read, and what came out so far.
typedef struct mesh_reader {
    const char* path;
    ts_status* status;
    vertex_array vertex;
    index_array triangle;
    place_array place;  // two of each place on a texture
    index_array dress;  // of every corner in `triangle` the number of its place, or -1; or empty
    int* slot;          // hash table over vertices, entries are index + 1; only for STL
    int slot_count;
} mesh_reader;

static ts_code short_memory(mesh_reader* r) {
    return ts_status_set(r->status, TS_ERROR_MEMORY, r->path, 0, "out of memory");
}

static ts_code malformed(mesh_reader* r, int line, const char* why) {
    return ts_status_set(r->status, TS_ERROR_PARSE, r->path, line, "%s", why);
}

// A line of text, without its end, and the words in it.
typedef struct line_cursor {
    const char* at;
    const char* end;
    int number;
} line_cursor;

// Moves to the next line of [*text, end). Returns 0 at the end of the text.
static int next_line(const char** text, const char* end, line_cursor* line) {
    if (*text >= end) return 0;
    const char* stop = (const char*)memchr(*text, '\n', (size_t)(end - *text));
    line->at = *text;
    line->end = stop ? stop : end;
    *text = stop ? stop + 1 : end;
    ++line->number;
    return 1;
}

static int is_blank(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\f' || c == '\v'; }

// The next word of the line; its length is 0 at the end.
static const char* next_word(line_cursor* line, size_t* out_length) {
    while (line->at < line->end && is_blank(*line->at)) ++line->at;
    const char* word = line->at;
    while (line->at < line->end && !is_blank(*line->at)) ++line->at;
    *out_length = (size_t)(line->at - word);
    return word;
}

static int word_is(const char* word, size_t length, const char* wanted) {
    return strlen(wanted) == length && memcmp(word, wanted, length) == 0;
}

static ts_code read_vertex(mesh_reader* r, line_cursor* line, ts_vec3* out_vertex) {
    double c[3];
    for (int i = 0; i < 3; ++i) {
        switch (ts_number_scan(&line->at, line->end, &c[i])) {
        case TS_NUMBER_OK: break;
        case TS_NUMBER_END: return malformed(r, line->number, "a vertex needs three coordinates");
        case TS_NUMBER_MALFORMED: return malformed(r, line->number, "a coordinate is not a number");
        case TS_NUMBER_NOT_FINITE: return malformed(r, line->number, "a coordinate is not finite");
        }
    }
    *out_vertex = ts_vec3_load(c);
    return TS_OK;
}

static ts_code read_place(mesh_reader* r, line_cursor* line) {
    double c[2] = {0.0, 0.0};
    for (int i = 0; i < 2; ++i) {
        ts_number_result found = ts_number_scan(&line->at, line->end, &c[i]);
        if (found == TS_NUMBER_END && i > 0) break;
        if (found != TS_NUMBER_OK) return malformed(r, line->number, "a place on a texture is no finite number");
    }
    if (!place_array_push(&r->place, (float)c[0]) || !place_array_push(&r->place, (float)(1.0 - c[1])))
        return short_memory(r);
    return TS_OK;
}

// The number of a place on a texture behind the first slash of "7/1" or "7/-1/3"; -1 where there is none, or no such place.
static int read_dress(const mesh_reader* r, const char* word, size_t length) {
    const char* slash = (const char*)memchr(word, '/', length);
    size_t i = slash ? (size_t)(slash - word) + 1 : length;
    int negative = i < length && word[i] == '-';
    long value = 0, count = r->place.count / 2;
    for (i += (size_t)negative; i < length && word[i] >= '0' && word[i] <= '9' && value < 1000000000L; ++i)
        value = value * 10 + (word[i] - '0');
    long index = negative ? count - value : value - 1;
    return index >= 0 && index < count ? (int)index : -1;
}

// The vertex index at the head of "7", "7/1", "7//3" or "-2/..."; -1 with a message when there is none.
static int read_corner(mesh_reader* r, const char* word, size_t length, int line) {
    long value = 0;
    size_t i = 0;
    int negative = length > 0 && word[0] == '-';
    for (i = (size_t)negative; i < length && word[i] >= '0' && word[i] <= '9' && value < 1000000000L; ++i)
        value = value * 10 + (word[i] - '0');
    int has_digits = i > (size_t)negative;
    if (!has_digits || (i < length && word[i] != '/')) {
        malformed(r, line, "a corner of a face is not a vertex number");
        return -1;
    }
    long index = negative ? (long)r->vertex.count - value : value - 1;
    if (index < 0 || index >= r->vertex.count) {
        ts_status_set(r->status, TS_ERROR_PARSE, r->path, line, "a face names vertex %s%ld, but there are %d so far",
                      negative ? "-" : "", value, r->vertex.count);
        return -1;
    }
    return (int)index;
}

static int add_triangle(mesh_reader* r, int a, int b, int c) {
    return index_array_push(&r->triangle, a) && index_array_push(&r->triangle, b) && index_array_push(&r->triangle, c);
}

static int dress_triangle(mesh_reader* r, int a, int b, int c) {
    return index_array_push(&r->dress, a) && index_array_push(&r->dress, b) && index_array_push(&r->dress, c);
}

static ts_code read_face(mesh_reader* r, line_cursor* line) {
    int first = -1, previous = -1, corners = 0, first_dress = -1, previous_dress = -1;
    for (;;) {
        size_t length;
        const char* word = next_word(line, &length);
        if (length == 0) break;
        int corner = read_corner(r, word, length, line->number);
        if (corner < 0) return TS_ERROR_PARSE;
        int dress = read_dress(r, word, length);
        if (corners >= 2 &&
            !(add_triangle(r, first, previous, corner) && dress_triangle(r, first_dress, previous_dress, dress)))
            return short_memory(r);
        if (corners == 0) {
            first = corner;
            first_dress = dress;
        }
        previous = corner;
        previous_dress = dress;
        ++corners;
    }
    return corners < 3 ? malformed(r, line->number, "a face needs three corners or more") : TS_OK;
}

static ts_code read_obj(mesh_reader* r, const char* text, size_t size) {
    const char* end = text + size;
    line_cursor line = {NULL, NULL, 0};
    text += ts_text_mark(text, size);
    while (next_line(&text, end, &line)) {
        size_t length;
        const char* word = next_word(&line, &length);
        ts_code code = TS_OK;
        if (word_is(word, length, "v")) {
            ts_vec3 v;
            code = read_vertex(r, &line, &v);
            if (!code && !vertex_array_push(&r->vertex, v)) code = short_memory(r);
        } else if (word_is(word, length, "vt")) {
            code = read_place(r, &line);
        } else if (word_is(word, length, "f")) {
            code = read_face(r, &line);
        } else if (memchr(word, '\0', length)) {
            code = malformed(r, line.number, "a zero byte: this is no OBJ text");
        }
        if (code) return code;
    }
    if (r->vertex.count == 0) return malformed(r, line.number, "no vertices");
    return TS_OK;
}

static int same_place(ts_vec3 a, ts_vec3 b) { return a.x == b.x && a.y == b.y && a.z == b.z; }

static int place_of(const mesh_reader* r, ts_vec3 v) {
    uint64_t hash = ts_hash_bytes(TS_HASH_START, &v, sizeof v);
    int at = (int)((hash ^ (hash >> 32)) & (uint64_t)(r->slot_count - 1));
    // Equal zeros of either sign differ in their hashes and may stay two places; the hull merges them.
    while (r->slot[at] && !same_place(r->vertex.data[r->slot[at] - 1], v)) at = (at + 1) & (r->slot_count - 1);
    return at;
}

// Doubles the hash table when it is half full.
static int grow_slots(mesh_reader* r) {
    if (r->slot && r->vertex.count < r->slot_count / 2) return 1;
    if (r->slot_count > (1 << 29)) return 0;
    int count = r->slot_count ? r->slot_count * 2 : 1024;
    int* slot = (int*)calloc((size_t)count, sizeof *slot);
    if (!slot) return 0;
    free(r->slot);
    r->slot = slot;
    r->slot_count = count;
    for (int i = 0; i < r->vertex.count; ++i) slot[place_of(r, r->vertex.data[i])] = i + 1;
    return 1;
}

// The index of a corner among the vertices, adding it when it is new; -1 on short memory.
static int share_vertex(mesh_reader* r, ts_vec3 v) {
    // 0 and -0 are the same place.
    v = ts_vec3_make(v.x + 0.0, v.y + 0.0, v.z + 0.0);
    if (!grow_slots(r)) return -1;
    int at = place_of(r, v);
    if (!r->slot[at]) {
        if (!vertex_array_push(&r->vertex, v)) return -1;
        r->slot[at] = r->vertex.count;
    }
    return r->slot[at] - 1;
}

static uint32_t read_u32(const unsigned char* p) {
    return (uint32_t)p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
}

static double read_f32(const unsigned char* p) {
    uint32_t bits = read_u32(p);
    float value;
    memcpy(&value, &bits, sizeof value);
    return (double)value;
}

static ts_code read_stl_binary(mesh_reader* r, const unsigned char* bytes, size_t count) {
    for (size_t t = 0; t < count; ++t) {
        size_t offset = 84 + 50 * t + 12;  // behind the normal
        int corner[3];
        for (int c = 0; c < 3; ++c) {
            const unsigned char* p = bytes + offset + 12 * (size_t)c;
            ts_vec3 v = ts_vec3_make(read_f32(p), read_f32(p + 4), read_f32(p + 8));
            if (!ts_vec3_is_finite(v))
                return ts_status_set(r->status, TS_ERROR_PARSE, r->path, (int)(offset + 12 * (size_t)c),
                                     "a coordinate of triangle %zu is not finite", t);
            corner[c] = share_vertex(r, v);
            if (corner[c] < 0) return short_memory(r);
        }
        if (!add_triangle(r, corner[0], corner[1], corner[2])) return short_memory(r);
    }
    return TS_OK;
}

static ts_code read_stl_text(mesh_reader* r, const char* text, size_t size) {
    const char* end = text + size;
    line_cursor line = {NULL, NULL, 0};
    int corner[3], corners = 0, inside = 0;
    text += ts_text_mark(text, size);
    while (next_line(&text, end, &line)) {
        size_t length;
        const char* word = next_word(&line, &length);
        if (word_is(word, length, "vertex")) {
            ts_vec3 v;
            if (!inside || corners == 3) return malformed(r, line.number, "a vertex outside of a three-cornered loop");
            ts_code code = read_vertex(r, &line, &v);
            if (code) return code;
            corner[corners] = share_vertex(r, v);
            if (corner[corners++] < 0) return short_memory(r);
        } else if (word_is(word, length, "facet")) {
            if (inside) return malformed(r, line.number, "a facet begins inside of another");
            inside = 1;
            corners = 0;
        } else if (word_is(word, length, "endfacet")) {
            if (!inside || corners != 3) return malformed(r, line.number, "a facet without three corners");
            inside = 0;
            if (!add_triangle(r, corner[0], corner[1], corner[2])) return short_memory(r);
        } else if (length && !word_is(word, length, "outer") && !word_is(word, length, "endloop") &&
                   !word_is(word, length, "solid") && !word_is(word, length, "endsolid")) {
            return malformed(r, line.number, "neither a binary STL of that size nor the text form");
        }
    }
    return inside ? malformed(r, line.number, "the file ends inside of a facet") : TS_OK;
}

static ts_code read_stl(mesh_reader* r, const char* text, size_t size) {
    const unsigned char* bytes = (const unsigned char*)text;
    size_t stated = size >= 84 ? read_u32(bytes + 80) : 0, mark = ts_text_mark(text, size);
    ts_code code;
    if (size >= 84 && size == 84 + 50 * stated)
        code = read_stl_binary(r, bytes, stated);
    else if (size >= mark + 5 && memcmp(text + mark, "solid", 5) == 0)
        code = read_stl_text(r, text, size);
    else if (size < 84)
        code = malformed(r, (int)size, "the file ends inside of the STL header");
    else
        code = ts_status_set(r->status, TS_ERROR_PARSE, r->path, 80,
                             "the header states %zu triangles, which take %zu bytes, but the file has %zu", stated,
                             84 + 50 * stated, size);
    if (!code && r->triangle.count == 0) code = malformed(r, 0, "no triangles");
    return code;
}

static ts_code read_msh(mesh_reader* r, const char* text, size_t size) {
    const unsigned char* bytes = (const unsigned char*)text;
    if (size < 16) return malformed(r, (int)size, "the file ends inside of the MSH header");
    size_t vertices = read_u32(bytes), normals = read_u32(bytes + 4), coordinates = read_u32(bytes + 8);
    size_t triangles = read_u32(bytes + 12), whole = 16 + 12 * (vertices + normals + triangles) + 8 * coordinates;
    if (size != whole)
        return ts_status_set(r->status, TS_ERROR_PARSE, r->path, 0,
                             "the header states data that take %zu bytes, but the file has %zu", whole, size);
    const unsigned char* corner = bytes + 16 + 12 * (vertices + normals) + 8 * coordinates;
    for (size_t i = 0; i < vertices; ++i) {
        const unsigned char* p = bytes + 16 + 12 * i;
        ts_vec3 v = ts_vec3_make(read_f32(p), read_f32(p + 4), read_f32(p + 8));
        if (!ts_vec3_is_finite(v))
            return ts_status_set(r->status, TS_ERROR_PARSE, r->path, 0, "vertex %zu is not finite", i);
        if (!vertex_array_push(&r->vertex, v)) return short_memory(r);
    }
    for (size_t i = 0; i < 2 * coordinates; ++i)
        if (!place_array_push(&r->place, (float)read_f32(corner - 8 * coordinates + 4 * i))) return short_memory(r);
    for (size_t t = 0; t < triangles; ++t, corner += 12) {
        uint32_t a = read_u32(corner), b = read_u32(corner + 4), c = read_u32(corner + 8);
        if (a >= vertices || b >= vertices || c >= vertices)
            return ts_status_set(r->status, TS_ERROR_PARSE, r->path, 0, "a corner of triangle %zu is no vertex", t);
        if (!add_triangle(r, (int)a, (int)b, (int)c)) return short_memory(r);
        if (coordinates == vertices && !dress_triangle(r, (int)a, (int)b, (int)c)) return short_memory(r);
    }
    return vertices > 0 ? TS_OK : malformed(r, 0, "no vertices");
}

// Lower-case comparison of the end of a path with an extension.
static int has_extension(const char* path, const char* extension) {
    size_t length = strlen(path), n = strlen(extension);
    if (length < n) return 0;
    for (size_t i = 0; i < n; ++i) {
        char c = path[length - n + i];
        if ((c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c) != extension[i]) return 0;
    }
    return 1;
}

typedef ts_code read_function(mesh_reader* r, const char* text, size_t size);

// The reader for a path's extension; NULL for an extension nobody reads.
static read_function* reader_for(const char* path) {
    if (has_extension(path, ".obj")) return read_obj;
    if (has_extension(path, ".stl")) return read_stl;
    if (has_extension(path, ".msh")) return read_msh;
    return NULL;
}

static ts_code unknown_extension(const char* path, ts_status* out_status) {
    return ts_status_set(out_status, TS_ERROR_UNSUPPORTED, path, 0, "meshes are read from .obj, .stl and .msh only");
}

// Places of all corners, if all have one that is finite. Returns 0 on short memory.
static int give_places(const mesh_reader* r, float** out_place) {
    int corners = r->triangle.count, known = r->dress.count == corners && corners > 0 && r->place.count > 0;
    place_array given = {0};
    for (int i = 0; i < corners && known; ++i) {
        int dress = r->dress.data[i];
        known = dress >= 0 && isfinite(r->place.data[2 * dress]) && isfinite(r->place.data[2 * dress + 1]);
    }
    for (int i = 0; i < 2 * corners && known; ++i)
        if (!place_array_push(&given, r->place.data[2 * r->dress.data[i / 2] + i % 2])) {
            place_array_free(&given);
            return 0;
        }
    *out_place = given.data;
    return 1;
}

ts_code ts_mesh_parse(const char* text, size_t size, const char* path, ts_mesh* out_mesh, ts_status* out_status) {
    memset(out_mesh, 0, sizeof *out_mesh);
    read_function* read = reader_for(path);
    if (!read) return unknown_extension(path, out_status);
    mesh_reader r;
    memset(&r, 0, sizeof r);
    r.path = path;
    r.status = out_status;
    ts_code code = read(&r, text, size);
    free(r.slot);
    if (!code && !give_places(&r, &out_mesh->place)) code = short_memory(&r);
    place_array_free(&r.place);
    index_array_free(&r.dress);
    if (code) {
        vertex_array_free(&r.vertex);
        index_array_free(&r.triangle);
        return code;
    }
    out_mesh->vertex = r.vertex.data;
    out_mesh->vertex_count = r.vertex.count;
    out_mesh->triangle = r.triangle.data;
    out_mesh->triangle_count = r.triangle.count / 3;
    return ts_status_ok(out_status);
}

ts_code ts_mesh_load(const char* path, ts_mesh* out_mesh, ts_status* out_status) {
    memset(out_mesh, 0, sizeof *out_mesh);
    if (!reader_for(path)) return unknown_extension(path, out_status);
    // A pipe or a device would never end, or block.
    struct stat info;
    if (stat(path, &info) != 0 || !S_ISREG(info.st_mode))
        return ts_status_set(out_status, TS_ERROR_FILE, path, 0, "no such file");
    ts_text text;
    memset(&text, 0, sizeof text);
    ts_code code = ts_text_read_file(path, MESH_FILE_LIMIT, &text, out_status);
    if (code == TS_OK) code = ts_mesh_parse(ts_text_get(&text), text.length, path, out_mesh, out_status);
    ts_text_free(&text);
    return code;
}

// A copy of an array, with room for one more so that it is never NULL for lack of anything.
static void* copy_of(const void* data, size_t bytes) {
    void* copy = calloc(bytes + 1, 1);
    if (copy && bytes) memcpy(copy, data, bytes);
    return copy;
}

ts_code ts_mesh_copy(const ts_mesh* mesh, ts_mesh* out_mesh, ts_status* out_status) {
    size_t vertices = (size_t)mesh->vertex_count, triangles = (size_t)mesh->triangle_count;
    *out_mesh = (ts_mesh){(ts_vec3*)copy_of(mesh->vertex, vertices * sizeof *mesh->vertex), mesh->vertex_count,
                          (int*)copy_of(mesh->triangle, 3 * triangles * sizeof *mesh->triangle), mesh->triangle_count,
                          mesh->place ? (float*)copy_of(mesh->place, 6 * triangles * sizeof *mesh->place) : NULL};
    if (out_mesh->vertex && out_mesh->triangle && (out_mesh->place || !mesh->place)) return ts_status_ok(out_status);
    ts_mesh_free(out_mesh);
    return ts_status_set(out_status, TS_ERROR_MEMORY, NULL, 0, "out of memory");
}

void ts_mesh_free(ts_mesh* mesh) {
    if (!mesh) return;
    ts_array_release(mesh->vertex);
    ts_array_release(mesh->triangle);
    ts_array_release(mesh->place);
    memset(mesh, 0, sizeof *mesh);
}
