// OBJ and STL: the same cube in every dialect, and broken files, each refused with a place.
#include "collision/shape/mesh_file.h"

#include "tests/engine/read/mjcf_sample.h"

#include <stdint.h>

static char directory[256];

static void make_directory(void) { scratch_make(directory); }
static void remove_directory(void) { rmdir(directory); }

TestSuite(mesh_file, .init = make_directory, .fini = remove_directory);

static ts_code load(const char* name, const void* bytes, size_t size, ts_mesh* out_mesh, ts_status* out_status) {
    char path[512];
    scratch_write(directory, name, bytes, size);
    snprintf(path, sizeof path, "%s/%s", directory, name);
    memset(out_status, 0, sizeof *out_status);
    ts_code code = ts_mesh_load(path, out_mesh, out_status);
    scratch_remove(directory, name);
    return code;
}

static void refuse(const char* name, const void* bytes, size_t size, int line, const char* wanted) {
    ts_mesh mesh;
    ts_status status;
    ts_code code = load(name, bytes, size, &mesh, &status);
    cr_assert_neq(code, TS_OK, "taken, but wanted '%s'", wanted);
    cr_assert(strstr(status.message, wanted), "'%s' is not in '%s'", wanted, status.message);
    cr_assert_eq(status.line, line, "line %d, not %d: %s", status.line, line, status.message);
    cr_assert(strstr(status.file, name));
    cr_assert_null(mesh.vertex);
    cr_assert_null(mesh.triangle);
}

static void refuse_text(const char* name, const char* text, int line, const char* wanted) {
    refuse(name, text, strlen(text), line, wanted);
}

// Six times the signed volume by the divergence theorem.
static double six_volumes(const ts_mesh* mesh) {
    double sum = 0.0;
    for (int t = 0; t < mesh->triangle_count; ++t) {
        const int* k = mesh->triangle + 3 * t;
        sum += ts_vec3_dot(mesh->vertex[k[0]], ts_vec3_cross(mesh->vertex[k[1]], mesh->vertex[k[2]]));
    }
    return sum;
}

static void expect_unit_cube(const char* name, const void* bytes, size_t size) {
    ts_mesh mesh;
    ts_status status;
    cr_assert_eq(load(name, bytes, size, &mesh, &status), TS_OK, "%d: %s", status.line, status.message);
    cr_assert_eq(mesh.vertex_count, 8);
    cr_assert_eq(mesh.triangle_count, 12);
    cr_assert_float_eq(six_volumes(&mesh), 6.0, 1e-12);
    ts_mesh_free(&mesh);
    cr_assert_null(mesh.vertex);
}

static const int quad[6][4] = {{0, 2, 3, 1}, {4, 5, 7, 6}, {0, 1, 5, 4}, {2, 6, 7, 3}, {0, 4, 6, 2}, {1, 3, 7, 5}};

static ts_vec3 corner_at(int i) { return ts_vec3_make(i & 1, (i >> 1) & 1, (i >> 2) & 1); }

Test(mesh_file, obj_dialects) {
    for (int dialect = 0; dialect < 5; ++dialect) {
        char text[2000];
        // A mark before UTF-8 is no part of the first line.
        const char* head = dialect == 3 ? "\xEF\xBB\xBF" : "# cube\r\nmtllib x.mtl\no cube\n";
        size_t used = (size_t)snprintf(text, sizeof text, "%s", head);
        for (int i = 0; i < 8; ++i) {
            ts_vec3 v = corner_at(i);
            used += (size_t)snprintf(text + used, sizeof text - used,
                                     dialect == 4 ? "\tv  %.1e +%g\t%g 1.0 0.5 \r\n" : "v %g %g %g\n", v.x, v.y, v.z);
        }
        used += (size_t)snprintf(text + used, sizeof text - used, "vn 0 0 1\nvt 0 0\nusemtl m\ns off\n\n");
        for (int f = 0; f < 6; ++f) {
            used += (size_t)snprintf(text + used, sizeof text - used, "f");
            for (int c = 0; c < 4; ++c) {
                static const char* const form[] = {" %d", " %d/1", " %d//1", " %d/1/1", " %d"};
                int index = dialect == 4 ? quad[f][c] - 8 : quad[f][c] + 1;
                used += (size_t)snprintf(text + used, sizeof text - used, form[dialect], index);
            }
            used += (size_t)snprintf(text + used, sizeof text - used, "\n");
        }
        // The last line may lack its end.
        expect_unit_cube("cube.OBJ", text, used - (dialect == 2));
    }
}

static size_t put_u32(unsigned char* at, uint32_t value) {
    for (int i = 0; i < 4; ++i) at[i] = (unsigned char)(value >> (8 * i));
    return 4;
}

static size_t put_f32(unsigned char* at, double value) {
    float f = (float)value;
    uint32_t bits;
    memcpy(&bits, &f, sizeof bits);
    return put_u32(at, bits);
}

// The cube as binary STL; the header says "solid" to mislead.
static size_t binary_cube(unsigned char* bytes) {
    memset(bytes, 0, 84);
    memcpy(bytes, "solid cube", 10);
    put_u32(bytes + 80, 12);
    size_t at = 84;
    for (int f = 0; f < 6; ++f)
        for (int half = 0; half < 2; ++half) {
            for (int i = 0; i < 3; ++i) at += put_f32(bytes + at, (double)NAN);  // normals may be anything
            const int k[3] = {quad[f][0], quad[f][1 + half], quad[f][2 + half]};
            for (int c = 0; c < 3; ++c) {
                ts_vec3 v = corner_at(k[c]);
                // -0 is the same place as 0.
                at += put_f32(bytes + at, half && v.x == 0.0 ? -0.0 : v.x);
                at += put_f32(bytes + at, v.y);
                at += put_f32(bytes + at, v.z);
            }
            bytes[at++] = 7;
            bytes[at++] = 7;
        }
    return at;
}

Test(mesh_file, stl_binary) {
    unsigned char bytes[1000];
    size_t size = binary_cube(bytes);
    cr_assert_eq(size, 684);
    expect_unit_cube("cube.stl", bytes, size);
    bytes[0] = 'x';
    refuse("cut.stl", bytes, size - 1, 80, "12 triangles");
    refuse("long.stl", bytes, size + 1, 80, "12 triangles");
    refuse("head.stl", bytes, 50, 50, "STL header");
    put_u32(bytes + 80, 0xffffffffu);
    refuse("huge.stl", bytes, size, 80, "4294967295 triangles");
    binary_cube(bytes);
    put_f32(bytes + 84 + 50 + 12 + 12, (double)INFINITY);
    refuse("inf.stl", bytes, size, 84 + 50 + 12 + 12, "not finite");
    put_u32(bytes + 80, 0);
    refuse("none.stl", bytes, 84, 0, "no triangles");
}

// The cube with normals and texture coordinates in between, which do not count.
static size_t msh_cube(unsigned char* bytes) {
    size_t at = put_u32(bytes, 8);
    at += put_u32(bytes + at, 8);
    at += put_u32(bytes + at, 8);
    at += put_u32(bytes + at, 12);
    for (int i = 0; i < 8; ++i) {
        ts_vec3 v = corner_at(i);
        at += put_f32(bytes + at, v.x);
        at += put_f32(bytes + at, v.y);
        at += put_f32(bytes + at, v.z);
    }
    for (int i = 0; i < 8 * 5; ++i) at += put_f32(bytes + at, (double)NAN);
    for (int f = 0; f < 6; ++f)
        for (int half = 0; half < 2; ++half) {
            at += put_u32(bytes + at, (uint32_t)quad[f][0]);
            at += put_u32(bytes + at, (uint32_t)quad[f][1 + half]);
            at += put_u32(bytes + at, (uint32_t)quad[f][2 + half]);
        }
    return at;
}

Test(mesh_file, msh) {
    unsigned char bytes[1000];
    size_t size = msh_cube(bytes);
    expect_unit_cube("cube.msh", bytes, size);
    refuse("cut.msh", bytes, size - 1, 0, "but the file has");
    refuse("head.msh", bytes, 15, 15, "MSH header");
    put_u32(bytes + size - 4, 8);
    refuse("corner.msh", bytes, size, 0, "triangle 11 is no vertex");
    put_f32(bytes + 20, (double)INFINITY);
    refuse("inf.msh", bytes, size, 0, "vertex 0 is not finite");
    memset(bytes, 0xff, 16);
    refuse("huge.msh", bytes, size, 0, "but the file has");
    memset(bytes, 0, 16);
    refuse("none.msh", bytes, 16, 0, "no vertices");
}

Test(mesh_file, stl_text) {
    char text[6000] = "solid cube\n";
    size_t used = strlen(text);
    for (int f = 0; f < 6; ++f)
        for (int half = 0; half < 2; ++half) {
            const int k[3] = {quad[f][0], quad[f][1 + half], quad[f][2 + half]};
            used += (size_t)snprintf(text + used, sizeof text - used, " facet normal 0 0 nan\n  outer loop\n");
            for (int c = 0; c < 3; ++c) {
                ts_vec3 v = corner_at(k[c]);
                used +=
                    (size_t)snprintf(text + used, sizeof text - used, "   vertex %.6e %.6e %.6e\r\n", v.x, v.y, v.z);
            }
            used += (size_t)snprintf(text + used, sizeof text - used, "  endloop\n endfacet\n");
        }
    used += (size_t)snprintf(text + used, sizeof text - used, "endsolid cube\n");
    expect_unit_cube("cube.Stl", text, used);
    char marked[6100];
    int length = snprintf(marked, sizeof marked, "\xEF\xBB\xBF%s", text);
    expect_unit_cube("marked.stl", marked, (size_t)length);
    refuse_text("a.stl", "solid\nfacet normal 0 0 1\nouter loop\nvertex 0 0\n", 4, "three coordinates");
    refuse_text("b.stl", "solid\nfacet\nvertex 0 0 nan\n", 3, "not finite");
    refuse_text("c.stl", "solid\nvertex 0 0 0\n", 2, "outside");
    refuse_text("d.stl", "solid\nfacet\nvertex 0 0 0\nvertex 0 0 1\nendfacet\n", 5, "without three corners");
    refuse_text("e.stl", "solid\nfacet\nfacet\n", 3, "inside of another");
    refuse_text("f.stl", "solid\nfacet\nvertex 0 0 0\n", 3, "ends inside");
    refuse_text("g.stl", "solid\ngarbage\n", 2, "neither");
    refuse_text("h.stl", "solid\nendsolid\n", 0, "no triangles");
}

Test(mesh_file, broken_obj) {
    refuse_text("a.obj", "v 0 0\n", 1, "three coordinates");
    refuse_text("b.obj", "v 0 0 0\nv 0 0 x\n", 2, "not a number");
    refuse_text("c.obj", "v 0 0 1e999\n", 1, "not finite");
    refuse_text("d.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2\n", 4, "three corners");
    refuse_text("e.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\n\nf 1 2 4\n", 5, "vertex 4");
    refuse_text("f.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 0\n", 4, "vertex 0");
    refuse_text("g.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 -4\n", 4, "vertex -4");
    refuse_text("h.obj", "v 0 0 0\nf 1 1 a\n", 2, "not a vertex number");
    refuse_text("i.obj", "v 0 0 0\nf 1 1 99999999999999999999\n", 2, "not a vertex number");
    refuse_text("j.obj", "# nothing\n", 1, "no vertices");
    refuse("k.obj", "v 0 0 0\na\0b\n", 12, 2, "zero byte");
}

// Places of corners on a texture: fanned with the polygon, counted from above, and there for all corners or for none.
Test(mesh_file, places_on_a_texture) {
    static const char head[] = "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nvt 0 0\nvt 1 0.25\nvt 2 1 7\nvt 0.5\n";
    static const char* const faces[] = {"f 1/1 2/2 3/3 4/4\n", "f 1/1/5 -3/-3/5 3/3 4/-1\n", "f 1/1 2/2 3/3 4\n",
                                        "f 1/1 2/2 3/3 4/5\n", "f 1//1 2//2 3//3 4//4\n"};
    static const float wanted[12] = {0.0f, 1.0f, 1.0f, 0.75f, 2.0f, 0.0f, 0.0f, 1.0f, 2.0f, 0.0f, 0.5f, 1.0f};
    ts_mesh mesh;
    ts_status status;
    for (size_t i = 0; i < sizeof faces / sizeof faces[0]; ++i) {
        char text[400];
        int length = snprintf(text, sizeof text, "%s%s", head, faces[i]);
        cr_assert_eq(load("t.obj", text, (size_t)length, &mesh, &status), TS_OK, "%s", status.message);
        cr_assert_eq(mesh.triangle_count, 2);
        cr_expect_eq(mesh.place != NULL, i < 2, "%zu", i);
        for (int k = 0; k < 12 && mesh.place; ++k) cr_expect_eq(mesh.place[k], wanted[k], "%zu, %d", i, k);
        ts_mesh_free(&mesh);
        cr_assert_null(mesh.place);
    }
    refuse_text("u.obj", "v 0 0 0\nvt 0 x\n", 2, "place on a texture");
    refuse_text("w.obj", "v 0 0 0\nvt\n", 2, "place on a texture");
    // MSH: of vertices, from above.
    const uint32_t counts[4] = {3, 0, 3, 1}, corner[3] = {2, 0, 1};
    const float numbers[15] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0.1f, 0.2f, 0.3f, 0.4f, 0.5f, 0.6f};
    unsigned char bytes[16 + sizeof numbers + 12];
    memcpy(bytes, counts, 16);
    memcpy(bytes + 16, numbers, sizeof numbers);
    memcpy(bytes + 16 + sizeof numbers, corner, 12);
    cr_assert_eq(load("t.msh", bytes, sizeof bytes, &mesh, &status), TS_OK, "%s", status.message);
    const float there[6] = {0.5f, 0.6f, 0.1f, 0.2f, 0.3f, 0.4f};
    cr_assert(mesh.place);
    for (int k = 0; k < 6; ++k) cr_expect_eq(mesh.place[k], there[k]);
    ts_mesh_free(&mesh);
}

Test(mesh_file, files_that_are_none) {
    ts_mesh mesh;
    ts_status status;
    cr_assert_eq(ts_mesh_load("/nowhere/at/all.obj", &mesh, &status), TS_ERROR_FILE);
    cr_assert_eq(ts_mesh_load("/tmp/picture.png", &mesh, &status), TS_ERROR_UNSUPPORTED);
    cr_assert_eq(ts_mesh_load("obj", &mesh, &status), TS_ERROR_UNSUPPORTED);
    // A device would never end.
    char path[512];
    snprintf(path, sizeof path, "%s/zero.stl", directory);
    cr_assert_eq(symlink("/dev/zero", path), 0);
    cr_assert_eq(ts_mesh_load(path, &mesh, &status), TS_ERROR_FILE);
    remove(path);
}
