// Meshes that are made from parameters: <mesh builtin="..." params="..."/>.
//
// Problem: the vertices of MuJoCo 4's forms (XML reference, asset/mesh/builtin) to single precision, since hulls and masses follow from them.
// Rule: every form is a grid of rows around an axis, or an icosahedron that is divided; each says in which parameters its vertices are regular. Vertices
// are rounded to float, as MuJoCo keeps them. Cones and wedges are points without triangles: their hulls are what they weigh.
// Source: MuJoCo's XML reference; superellipsoid and supertoroid after Barr (1981), "Superquadrics and Angle-Preserving Transformations".
// Known limit: a plate is flat, and flat meshes cannot touch, here as in MuJoCo.
#include "engine/read/mjcf/mesh_internal.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { PARAMETERS_MOST = 5, VERTICES_MOST = 1 << 20 };

static const double pi = 3.14159265358979323846;

// Room for so many.
static int take_room(ts_mesh* mesh, int vertices, int triangles) {
    mesh->vertex = (ts_vec3*)calloc((size_t)vertices, sizeof(ts_vec3));
    mesh->triangle = (int*)calloc((size_t)(3 * triangles) + 1, sizeof(int));
    return mesh->vertex && mesh->triangle;
}

static void put(ts_mesh* mesh, double x, double y, double z) {
    mesh->vertex[mesh->vertex_count++] = ts_vec3_make((double)(float)x, (double)(float)y, (double)(float)z);
}

static void put_triangle(ts_mesh* mesh, int a, int b, int c) {
    int* at = mesh->triangle + (size_t)(3 * mesh->triangle_count++);
    at[0] = a;
    at[1] = b;
    at[2] = c;
}

// |x|^m with the sign of x.
static double signed_power(double x, double m) { return copysign(pow(fabs(x), m), x); }

// --- balls ---

// Three golden rectangles, in the planes xy, yz, zx; neighbours are less than a right angle apart.
static void put_icosahedron(ts_mesh* mesh) {
    const float golden = (float)((1.0 + sqrt(5.0)) / 2.0);
    double norm = sqrt(1.0 + (double)(golden * golden)), one = (double)(float)(1.0 / norm), far = (double)golden / norm;
    for (int plane = 0; plane < 3; ++plane)
        for (int i = 0; i < 4; ++i) {
            double u = i % 2 ? one : -one, v = i < 2 ? far : -far;
            if (plane == 0) put(mesh, u, v, 0.0);
            if (plane == 1) put(mesh, 0.0, u, v);
            if (plane == 2) put(mesh, v, 0.0, u);
        }
    const ts_vec3* v = mesh->vertex;
    for (int a = 0; a < 12; ++a)
        for (int b = a + 1; b < 12; ++b)
            for (int c = b + 1; c < 12; ++c) {
                if (ts_vec3_dot(v[a], v[b]) < 0.1 || ts_vec3_dot(v[b], v[c]) < 0.1 || ts_vec3_dot(v[c], v[a]) < 0.1)
                    continue;
                int outwards = ts_vec3_dot(v[a], ts_vec3_cross(v[b], v[c])) > 0.0;
                put_triangle(mesh, a, outwards ? b : c, outwards ? c : b);
            }
}

// The vertex on the ball above the middle of an edge; `known` (vertices x vertices of before) remembers it.
static int middle_of(ts_mesh* mesh, int a, int b, int before, int* known) {
    int* at = &known[(size_t)(a < b ? a : b) * (size_t)before + (size_t)(a < b ? b : a)];
    if (*at > 0) return *at;
    float m[3], p[3], q[3], square = 0.0F;
    for (int i = 0; i < 3; ++i) {
        p[i] = (float)ts_vec3_get(mesh->vertex[a], i);
        q[i] = (float)ts_vec3_get(mesh->vertex[b], i);
        m[i] = (p[i] + q[i]) / 2.0F;
        square += m[i] * m[i];
    }
    float norm = sqrtf(square);
    *at = mesh->vertex_count;
    put(mesh, (double)(m[0] / norm), (double)(m[1] / norm), (double)(m[2] / norm));
    return *at;
}

// Every triangle becomes four. Returns 0 when memory is short.
static int divide(ts_mesh* mesh) {
    int before = mesh->vertex_count, count = mesh->triangle_count;
    int* known = (int*)calloc((size_t)before * (size_t)before, sizeof *known);
    int* old = (int*)malloc((size_t)(3 * count) * sizeof *old);
    if (known && old) {
        memcpy(old, mesh->triangle, (size_t)(3 * count) * sizeof *old);
        mesh->triangle_count = 0;
        for (int f = 0; f < count; ++f) {
            const int* v = old + (size_t)(3 * f);
            int m[3];
            for (int k = 0; k < 3; ++k) m[k] = middle_of(mesh, v[k], v[(k + 1) % 3], before, known);
            for (int k = 0; k < 3; ++k) put_triangle(mesh, v[k], m[k], m[(k + 2) % 3]);
            put_triangle(mesh, m[0], m[1], m[2]);
        }
    }
    int fine = known && old;
    free(known);
    free(old);
    return fine;
}

static int make_sphere(const double* p, ts_mesh* mesh) {
    int times = (int)p[0], quarter = 1 << (2 * times);
    if (!take_room(mesh, 2 + 10 * quarter, 20 * quarter)) return 0;
    put_icosahedron(mesh);
    for (int i = 0; i < times; ++i)
        if (!divide(mesh)) return 0;
    return 1;
}

// Rows of an octahedron's upper half, pushed out to the ball, and a bottom.
static int make_hemisphere(const double* p, ts_mesh* mesh) {
    int rows = (int)p[0] + 1;
    static const double corner[4][2] = {{1.0, 0.0}, {0.0, 1.0}, {-1.0, 0.0}, {0.0, -1.0}};
    if (!take_room(mesh, 2 + 2 * rows * (rows + 1), 4 * rows * (rows + 1))) return 0;
    put(mesh, 0.0, 0.0, 1.0);
    for (int row = 1; row <= rows; ++row)
        for (int k = 0; k < 4 * row; ++k) {
            const double *from = corner[k / row], *to = corner[(k / row + 1) % 4];
            double out = (double)row / rows, along = (double)(k % row) / row;
            double x = out * (from[0] + along * (to[0] - from[0])), y = out * (from[1] + along * (to[1] - from[1]));
            double z = 1.0 - out, norm = sqrt(x * x + y * y + z * z);
            put(mesh, x / norm, y / norm, z / norm);
        }
    put(mesh, 0.0, 0.0, 0.0);
    for (int k = 0; k < 4; ++k) put_triangle(mesh, 0, 1 + k, 1 + (k + 1) % 4);
    for (int row = 1, first = 1; row < rows; first += 4 * row++) {
        int next = first + 4 * row;
        for (int side = 0; side < 4; ++side)
            for (int i = 0; i <= row; ++i) {
                int a = first + (i + row * side) % (4 * row), b = i + (row + 1) * side;
                int c = next + (b + 1) % (4 * row + 4);
                put_triangle(mesh, a, next + b % (4 * row + 4), c);
                if (i < row) put_triangle(mesh, a, c, first + (i + 1 + row * side) % (4 * row));
            }
    }
    int last = mesh->vertex_count - 1, rim = last - 4 * rows;
    for (int k = 0; k < 4 * rows; ++k) put_triangle(mesh, rim + k, last, rim + (k + 1) % (4 * rows));
    return 1;
}

// --- superquadrics ---

static int make_supersphere(const double* p, ts_mesh* mesh) {
    int n = (int)p[0], top = 1 + (n - 1) * n;
    if (!take_room(mesh, 2 + n * (n - 1), 2 * n * (n - 1))) return 0;
    put(mesh, 0.0, 0.0, -1.0);
    for (int i = 1; i < n; ++i)
        for (int j = 0; j < n; ++j) {
            double v = -pi / 2.0 + i * pi / n, u = -pi + j * 2.0 * pi / n, wide = signed_power(cos(v), p[2]);
            put(mesh, wide * signed_power(cos(u), p[1]), wide * signed_power(sin(u), p[1]), signed_power(sin(v), p[2]));
        }
    put(mesh, 0.0, 0.0, 1.0);
    for (int j = 0; j < n; ++j) put_triangle(mesh, 0, 1 + (j + 1) % n, 1 + j);
    for (int i = 0; i < n - 2; ++i)
        for (int j = 0; j < n; ++j) {
            int a = 1 + i * n, b = a + n, next = (j + 1) % n;
            put_triangle(mesh, a + j, a + next, b + j);
            put_triangle(mesh, a + next, b + next, b + j);
        }
    for (int j = 0; j < n; ++j) put_triangle(mesh, top - n + j, top - n + (j + 1) % n, top);
    return 1;
}

static int make_supertorus(const double* p, ts_mesh* mesh) {
    int n = (int)p[0];
    if (!take_room(mesh, n * n, 2 * n * n)) return 0;
    for (int i = 0; i < n; ++i)
        for (int j = 0; j < n; ++j) {
            double u = 2.0 * pi * i / n, v = 2.0 * pi * j / n, wide = 1.0 + p[1] * signed_power(cos(v), p[2]);
            put(mesh, wide * signed_power(cos(u), p[3]), wide * signed_power(sin(u), p[3]),
                p[1] * signed_power(sin(v), p[2]));
        }
    for (int i = 0; i < n; ++i)
        for (int j = 0; j < n; ++j) {
            int a = i * n, b = (i + 1) % n * n, next = (j + 1) % n;
            put_triangle(mesh, a + j, b + j, a + next);
            put_triangle(mesh, b + j, b + next, a + next);
        }
    return 1;
}

// --- points and surfaces ---

static int make_cone(const double* p, ts_mesh* mesh) {
    int n = (int)p[0], above = p[1] > 0.0 ? n : 1;
    if (!take_room(mesh, n + above, 0)) return 0;
    for (int i = 0; i < n; ++i) put(mesh, cos(2 * i * pi / n), sin(2 * i * pi / n), -1.0);
    for (int i = above > 1 ? n : 2 * n; i < 2 * n; ++i)
        put(mesh, p[1] * cos(2 * i * pi / n), p[1] * sin(2 * i * pi / n), 1.0);
    if (above == 1) put(mesh, 0.0, 0.0, 1.0);
    return 1;
}

// The middle of cell i of n between -1 and 1, where what lies outside is drawn out by `fovea`.
static double cell(int i, int n, double fovea) {
    double edge[2];
    for (int k = 0; k < 2; ++k) {
        double x = -1.0 + 2.0 * (i + k) / n;
        edge[k] = fovea * pow(x, 5.0) + (1.0 - fovea) * x;
    }
    return 0.5 * (edge[0] + edge[1]);
}

static int make_wedge(const double* p, ts_mesh* mesh) {
    int across = (int)p[0], up = (int)p[1];
    if (!take_room(mesh, across * up, 0)) return 0;
    for (int i = 0; i < across; ++i)
        for (int j = 0; j < up; ++j) {
            double a = p[2] * pi / 180.0 * cell(i, across, p[4]), e = p[3] * pi / 180.0 * cell(j, up, p[4]);
            put(mesh, cos(e) * sin(a), sin(e), -cos(e) * cos(a));
        }
    return 1;
}

static int make_plate(const double* p, ts_mesh* mesh) {
    int nx = (int)p[0], ny = (int)p[1];
    if (!take_room(mesh, nx * ny, 2 * (nx - 1) * (ny - 1))) return 0;
    for (int i = 0; i < nx; ++i)
        for (int j = 0; j < ny; ++j) put(mesh, -1.0 + (i + 0.5) * 2.0 / nx, -1.0 + (j + 0.5) * 2.0 / ny, -1.0);
    for (int i = 1; i < nx; ++i)
        for (int j = 1; j < ny; ++j) {
            int a = (i - 1) * ny + j - 1, b = a + ny;
            put_triangle(mesh, a, b, a + 1);
            put_triangle(mesh, b + 1, a + 1, b);
        }
    return 1;
}

// --- table ---

typedef struct form_range {
    const char* name;
    int whole;  // nonzero: it is cut to a whole number
    double low, high;
    int above;  // nonzero: it must exceed `low`
} form_range;

typedef struct form {
    const char* name;
    int count;
    form_range parameter[PARAMETERS_MOST];
    int (*make)(const double* p, ts_mesh* mesh);  // returns 0 when memory is short
    int shell;
} form;

#define ANY 1e300

static const form form_table[] = {
    {"sphere", 1, {{"subdivision", 1, 0.0, 4.0, 0}}, make_sphere, 0},
    {"hemisphere", 1, {{"resolution", 1, 0.0, 10.0, 0}}, make_hemisphere, 0},
    {"cone", 2, {{"nvert", 1, 3.0, VERTICES_MOST / 2.0, 0}, {"radius", 0, 0.0, 1.0, 0}}, make_cone, 0},
    {"supersphere",
     3,
     {{"resolution", 1, 3.0, 1024.0, 0}, {"e", 0, 0.0, ANY, 0}, {"n", 0, 0.0, ANY, 0}},
     make_supersphere,
     0},
    {"supertorus",
     4,
     {{"resolution", 1, 3.0, 1024.0, 0}, {"radius", 0, 0.0, 1.0, 1}, {"s", 0, 0.0, ANY, 1}, {"t", 0, 0.0, ANY, 1}},
     make_supertorus,
     0},
    {"wedge",
     5,
     {{"res_phi", 1, 1.0, 1024.0, 0},
      {"res_theta", 1, 1.0, 1024.0, 0},
      {"fov_phi", 0, 0.0, 180.0, 1},
      {"fov_theta", 0, 0.0, 90.0, 1},
      {"gamma", 0, 0.0, 1.0, 0}},
     make_wedge,
     0},
    {"plate", 2, {{"res_x", 1, 1.0, 1024.0, 0}, {"res_y", 1, 1.0, 1024.0, 0}}, make_plate, 1},
};

enum { FORMS = sizeof form_table / sizeof form_table[0] };

static ts_code check(const ts_mjcf_element* element, const form* f, double* p, int count) {
    if (count != f->count)
        return ts_mjcf_fail(element->reader, element->node, TS_ERROR_VALUE, "a mesh '%s' takes %d params, not %d",
                            f->name, f->count, count);
    for (int i = 0; i < count; ++i) {
        const form_range* range = &f->parameter[i];
        if (range->whole) p[i] = trunc(p[i]);
        if (!(p[i] >= range->low && p[i] <= range->high) || (range->above && p[i] <= range->low))
            return ts_mjcf_fail(element->reader, element->node, TS_ERROR_VALUE,
                                "params of mesh '%s': %s is %g, but must be %s %g and at most %g", f->name, range->name,
                                p[i], range->above ? "above" : "at least", range->low, range->high);
    }
    return TS_OK;
}

ts_code ts_mjcf_mesh_form(const ts_mjcf_element* element, ts_mesh* out_mesh, int* out_shell) {
    const char* names[FORMS];
    double p[PARAMETERS_MOST] = {0.0};
    for (int i = 0; i < FORMS; ++i) names[i] = form_table[i].name;
    int which = ts_mjcf_word(element, "builtin", names, FORMS, 0);
    if (element->reader->xml.code) return element->reader->xml.code;
    const form* f = &form_table[which];
    if (!ts_xml_value(element->node, "params"))
        return ts_mjcf_fail(element->reader, element->node, TS_ERROR_VALUE, "a mesh '%s' needs params", f->name);
    int count = ts_mjcf_reals(element, "params", p, 1, PARAMETERS_MOST);
    if (element->reader->xml.code) return element->reader->xml.code;
    ts_code code = check(element, f, p, count);
    if (code) return code;
    *out_shell = f->shell;
    if (f->make(p, out_mesh)) return TS_OK;
    return ts_mjcf_fail(element->reader, element->node, TS_ERROR_MEMORY, "out of memory");
}
