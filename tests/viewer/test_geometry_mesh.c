// Claims: meshes are closed, have Euler's number, outward normals, and the volume of their polyhedra in closed form.
#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>

#include "base/rng.h"
#include "collision/shape/height_field.h"
#include "viewer/geometry_mesh.h"

static const double pi = 3.14159265358979323846;

static ts_vec3 place(const ts_geometry_vertex* v, ts_vec3 scale, double stretch) {
    return ts_vec3_make(scale.x * (double)v->position[0], scale.y * (double)v->position[1],
                        scale.z * (double)v->position[2] + stretch * (double)v->lift);
}

static ts_vec3 corner(const ts_geometry_mesh* mesh, int i, ts_vec3 scale, double stretch) {
    return place(&mesh->vertex[mesh->index[i]], scale, stretch);
}

// By the divergence theorem.
static double volume(const ts_geometry_mesh* mesh, ts_vec3 scale, double stretch) {
    double six = 0.0;
    for (int i = 0; i < mesh->index_count; i += 3)
        six += ts_vec3_dot(corner(mesh, i, scale, stretch),
                           ts_vec3_cross(corner(mesh, i + 1, scale, stretch), corner(mesh, i + 2, scale, stretch)));
    return six / 6.0;
}

// Vertices at the same place get the same number: seams and sharp edges have several.
static int* weld(const ts_geometry_mesh* mesh, ts_vec3 scale, double stretch, int* out_distinct) {
    int* number = malloc((size_t)mesh->vertex_count * sizeof *number);
    *out_distinct = 0;
    for (int i = 0; i < mesh->vertex_count; ++i) {
        number[i] = i;
        for (int j = 0; j < i; ++j)
            if (ts_vec3_distance(place(&mesh->vertex[i], scale, stretch), place(&mesh->vertex[j], scale, stretch)) <
                1e-6) {
                number[i] = number[j];
                break;
            }
        *out_distinct += number[i] == i;
    }
    return number;
}

// Every directed edge has its opposite exactly once, and V - E + F = 2.
static void check_closed(const ts_geometry_mesh* mesh, ts_vec3 scale, double stretch) {
    int vertices = 0;
    int* number = weld(mesh, scale, stretch, &vertices);
    int edges = 0;
    for (int i = 0; i < mesh->index_count; ++i) {
        int a = number[mesh->index[i]];
        int b = number[mesh->index[i / 3 * 3 + (i + 1) % 3]];
        cr_assert(a != b, "degenerate triangle %d", i / 3);
        int same = 0, opposite = 0;
        for (int k = 0; k < mesh->index_count; ++k) {
            int c = number[mesh->index[k]];
            int d = number[mesh->index[k / 3 * 3 + (k + 1) % 3]];
            same += a == c && b == d;
            opposite += a == d && b == c;
        }
        cr_assert(same == 1 && opposite == 1, "edge %d-%d: %d times, %d times back", a, b, same, opposite);
        edges += a < b;
    }
    cr_assert(vertices - edges + mesh->index_count / 3 == 2, "V - E + F = %d",
              vertices - edges + mesh->index_count / 3);
    free(number);
}

// Vertex normals are unit, agree with their triangle's, and point away from `inside`.
static void check_normals(const ts_geometry_mesh* mesh, ts_vec3 inside) {
    ts_vec3 one = ts_vec3_make(1.0, 1.0, 1.0);
    for (int i = 0; i < mesh->index_count; i += 3) {
        ts_vec3 a = corner(mesh, i, one, 0.5), b = corner(mesh, i + 1, one, 0.5), c = corner(mesh, i + 2, one, 0.5);
        ts_vec3 n = ts_vec3_unit_or(ts_vec3_cross(ts_vec3_sub(b, a), ts_vec3_sub(c, a)), ts_vec3_zero());
        cr_assert(ts_vec3_dot(n, ts_vec3_sub(a, inside)) > 0.0, "triangle %d faces inwards", i / 3);
        for (int k = 0; k < 3; ++k) {
            const ts_geometry_vertex* v = &mesh->vertex[mesh->index[i + k]];
            ts_vec3 m = ts_vec3_make((double)v->normal[0], (double)v->normal[1], (double)v->normal[2]);
            cr_assert(fabs(ts_vec3_norm(m) - 1.0) < 1e-6);
            cr_assert(ts_vec3_dot(m, n) > 0.5, "triangle %d corner %d", i / 3, k);
        }
    }
}

// The area of a regular polygon in the unit circle.
static double polygon_area(int segments) { return 0.5 * segments * sin(2.0 * pi / segments); }

Test(geometry_mesh, box_is_the_cube) {
    ts_geometry_mesh mesh;
    cr_assert(ts_geometry_mesh_box(&mesh, NULL) == TS_OK);
    ts_vec3 scale = ts_vec3_make(0.5, 2.0, 3.0);
    check_closed(&mesh, scale, 0.0);
    check_normals(&mesh, ts_vec3_zero());
    cr_assert(fabs(volume(&mesh, scale, 0.0) - 24.0) < 1e-5);
    ts_geometry_mesh_free(&mesh);
    cr_assert(mesh.vertex == NULL && mesh.index_count == 0);
}

Test(geometry_mesh, cylinder_is_a_prism) {
    for (int segments = 3; segments <= 24; segments += 7) {
        ts_geometry_mesh mesh;
        cr_assert(ts_geometry_mesh_cylinder(segments, &mesh, NULL) == TS_OK);
        check_closed(&mesh, ts_vec3_make(1.0, 1.0, 1.0), 0.0);
        if (segments > 3) check_normals(&mesh, ts_vec3_zero());
        double expected = 0.09 * polygon_area(segments) * 1.4;
        cr_assert(fabs(volume(&mesh, ts_vec3_make(0.3, 0.3, 0.7), 0.0) - expected) < 1e-6);
        ts_geometry_mesh_free(&mesh);
    }
}

Test(geometry_mesh, cone_is_a_pyramid) {
    ts_geometry_mesh mesh;
    cr_assert(ts_geometry_mesh_cone(12, &mesh, NULL) == TS_OK);
    check_closed(&mesh, ts_vec3_make(1.0, 1.0, 1.0), 0.0);
    check_normals(&mesh, ts_vec3_make(0.0, 0.0, 0.2));
    cr_assert(fabs(volume(&mesh, ts_vec3_make(1.0, 1.0, 2.0), 0.0) - polygon_area(12) * 2.0 / 3.0) < 1e-5);
    ts_geometry_mesh_free(&mesh);
}

Test(geometry_mesh, sphere_closes_and_converges) {
    double last = 1e9;
    for (int segments = 8; segments <= 32; segments *= 2) {
        ts_geometry_mesh mesh;
        cr_assert(ts_geometry_mesh_sphere(segments, &mesh, NULL) == TS_OK);
        check_closed(&mesh, ts_vec3_make(1.0, 1.0, 1.0), 0.0);
        check_normals(&mesh, ts_vec3_zero());
        // Every vertex is on the sphere, so the volume is below the ball's and the gap shrinks with the square.
        for (int i = 0; i < mesh.vertex_count; ++i)
            cr_assert(fabs(ts_vec3_norm(place(&mesh.vertex[i], ts_vec3_make(1.0, 1.0, 1.0), 0.0)) - 1.0) < 1e-6);
        double gap = 4.0 / 3.0 * pi - volume(&mesh, ts_vec3_make(1.0, 1.0, 1.0), 0.0);
        cr_assert(gap > 0.0 && gap < 0.35 * last);
        last = gap;
        ts_geometry_mesh_free(&mesh);
    }
}

Test(geometry_mesh, capsule_is_a_sphere_pulled_apart) {
    ts_geometry_mesh sphere, capsule;
    cr_assert(ts_geometry_mesh_sphere(16, &sphere, NULL) == TS_OK);
    cr_assert(ts_geometry_mesh_capsule(16, &capsule, NULL) == TS_OK);
    ts_vec3 scale = ts_vec3_make(0.5, 0.5, 0.5);
    check_closed(&capsule, scale, 0.8);
    check_normals(&capsule, ts_vec3_zero());
    double expected = volume(&sphere, scale, 0.0) + 0.25 * polygon_area(16) * 1.6;
    cr_assert(fabs(volume(&capsule, scale, 0.8) - expected) < 1e-6);
    ts_geometry_mesh_free(&sphere);
    ts_geometry_mesh_free(&capsule);
}

Test(geometry_mesh, hull_keeps_its_volume) {
    ts_vec3 points[24];
    ts_rng rng = ts_rng_make(7, 0);
    for (int i = 0; i < 24; ++i)
        points[i] = ts_vec3_make(ts_rng_uniform(&rng), ts_rng_uniform(&rng), ts_rng_uniform(&rng));
    ts_hull* hull = NULL;
    cr_assert(ts_hull_build(points, 24, &hull, NULL) == TS_OK);
    ts_geometry_mesh mesh;
    cr_assert(ts_geometry_mesh_hull(hull, &mesh, NULL) == TS_OK);
    check_closed(&mesh, ts_vec3_make(1.0, 1.0, 1.0), 0.0);
    check_normals(&mesh, hull->centroid);
    cr_assert(fabs(volume(&mesh, ts_vec3_make(1.0, 1.0, 1.0), 0.0) - hull->volume) < 1e-6);
    ts_geometry_mesh_free(&mesh);
    ts_hull_free(hull);
}

// An L of three cubes of half a metre, as a file would have it: twelve corners that triangles share, and one triangle without an area.
static ts_mesh ell(ts_vec3 vertex[12], int triangle[63]) {
    static const double outline[6][2] = {{0, 0}, {1, 0}, {1, 0.5}, {0.5, 0.5}, {0.5, 1}, {0, 1}};
    static const int top[4][3] = {{0, 1, 2}, {0, 2, 3}, {0, 3, 4}, {0, 4, 5}};
    int n = 0;
    for (int k = 0; k < 12; ++k) vertex[k] = ts_vec3_make(outline[k % 6][0], outline[k % 6][1], k < 6 ? 0.0 : 0.5);
    for (int t = 0; t < 4; ++t)
        for (int side = 0; side < 2; ++side)
            for (int k = 0; k < 3; ++k) triangle[n++] = side ? 6 + top[t][k] : top[t][2 - k];
    for (int k = 0; k < 6; ++k) {
        int a = k, b = (k + 1) % 6, wall[6] = {a, b, 6 + b, a, 6 + b, 6 + a};
        for (int i = 0; i < 6; ++i) triangle[n++] = wall[i];
    }
    triangle[n++] = 3;
    triangle[n++] = 3;
    triangle[n++] = 9;
    return (ts_mesh){vertex, 12, triangle, n / 3, NULL};
}

Test(geometry_mesh, file_keeps_its_hollows) {
    ts_vec3 vertex[12];
    int triangle[63];
    ts_mesh file = ell(vertex, triangle);
    ts_geometry_mesh mesh;
    ts_status status;
    cr_assert_eq(ts_geometry_mesh_triangles(&file, &mesh, &status), TS_OK, "%s", status.message);
    cr_assert_eq(mesh.index_count, 60);
    ts_vec3 one = ts_vec3_make(1.0, 1.0, 1.0);
    cr_expect_float_eq(volume(&mesh, one, 0.0), 3.0 * 0.125, 1e-7, "not its hull's");
    check_closed(&mesh, one, 0.0);
    // Edges are sharp: each corner has the normal of its triangle, along an axis.
    for (int i = 0; i < mesh.index_count; i += 3) {
        ts_vec3 a = corner(&mesh, i, one, 0.0);
        ts_vec3 n = ts_vec3_cross(ts_vec3_sub(corner(&mesh, i + 1, one, 0.0), a),
                                  ts_vec3_sub(corner(&mesh, i + 2, one, 0.0), a));
        n = ts_vec3_unit_or(n, one);
        for (int k = 0; k < 3; ++k) {
            const float* own = mesh.vertex[mesh.index[i + k]].normal;
            cr_expect_lt(ts_vec3_distance(n, ts_vec3_make((double)own[0], (double)own[1], (double)own[2])), 1e-6);
        }
    }
    ts_geometry_mesh_free(&mesh);
    file.triangle += 60;
    file.triangle_count = 1;
    cr_assert_eq(ts_geometry_mesh_triangles(&file, &mesh, &status), TS_ERROR_VALUE);
    cr_assert_null(mesh.vertex);
}

// A prism of 32 sides is shaded as the round thing it stands for, and its ends are flat.
Test(geometry_mesh, file_is_smooth_where_it_bends_little) {
    enum { SIDES = 32 };
    ts_vec3 vertex[2 * SIDES + 2];
    int triangle[12 * SIDES], n = 0;
    for (int k = 0; k < SIDES; ++k) {
        double angle = 2.0 * pi * k / SIDES;
        vertex[k] = ts_vec3_make(cos(angle), sin(angle), 0.0);
        vertex[SIDES + k] = ts_vec3_make(cos(angle), sin(angle), 1.0);
        int a = k, b = (k + 1) % SIDES;
        const int corner_number[12] = {a, b, SIDES + b, a,         SIDES + b, SIDES + a,
                                       b, a, 2 * SIDES, SIDES + a, SIDES + b, 2 * SIDES + 1};
        for (int i = 0; i < 12; ++i) triangle[n++] = corner_number[i];
    }
    vertex[2 * SIDES] = ts_vec3_zero();
    vertex[2 * SIDES + 1] = ts_vec3_axis(2);
    ts_mesh file = {vertex, 2 * SIDES + 2, triangle, n / 3, NULL};
    ts_geometry_mesh mesh;
    cr_assert_eq(ts_geometry_mesh_triangles(&file, &mesh, NULL), TS_OK);
    for (int i = 0; i < mesh.vertex_count; ++i) {
        const ts_geometry_vertex* v = &mesh.vertex[i];
        double flat = fabs((double)v->normal[2]);
        cr_expect(flat < 1e-6 || flat > 1.0 - 1e-6, "an end is bent: %g", flat);
        // Triangles of one side weigh alike, so that a corner's normal is a third of the way from the middle of its two sides to one of them.
        double along = (double)v->normal[0] * (double)v->position[0] + (double)v->normal[1] * (double)v->position[1];
        if (flat < 0.5) cr_expect_gt(along, cos(atan(tan(pi / SIDES) / 3.0)) - 1e-6, "vertex %d: %g", i, along);
    }
    ts_geometry_mesh_free(&mesh);
}

Test(geometry_mesh, square_faces_up) {
    ts_geometry_mesh mesh;
    cr_assert(ts_geometry_mesh_square(&mesh, NULL) == TS_OK);
    cr_assert(mesh.index_count == 6);
    check_normals(&mesh, ts_vec3_make(0.0, 0.0, -1.0));
    ts_geometry_mesh_free(&mesh);
}

// The field's own triangles in its own order, its volume down to the floor, and normals that lean with the ground.
Test(geometry_mesh, height_field_is_its_triangles) {
    enum { ROWS = 5, COLUMNS = 7 };
    double height[ROWS * COLUMNS];
    ts_rng rng = ts_rng_make(11, 0);
    for (int i = 0; i < ROWS * COLUMNS; ++i) height[i] = 0.2 * ts_rng_uniform(&rng);
    ts_height_field* field = NULL;
    cr_assert(ts_height_field_build(height, ROWS, COLUMNS, 0.5, 0.7, -2.0, &field, NULL) == TS_OK);
    ts_geometry_mesh mesh;
    cr_assert(ts_geometry_mesh_height_field(field, &mesh, NULL) == TS_OK);
    ts_vec3 one = ts_vec3_make(1.0, 1.0, 1.0);
    double expected = 0.0;
    for (int t = 0; t < ts_height_field_triangle_count(field); ++t) {
        ts_vec3 p[3];
        ts_height_field_triangle(field, t, p);
        for (int k = 0; k < 3; ++k) {
            cr_assert(ts_vec3_distance(corner(&mesh, 3 * t + k, one, 0.0), p[k]) < 1e-6, "triangle %d", t);
            expected += 0.5 * 0.5 * 0.7 * (p[k].z + 2.0) / 3.0;
        }
    }
    check_normals(&mesh, ts_vec3_make(0.0, 0.0, -1.9));
    cr_assert(fabs(volume(&mesh, one, 0.0) - expected) < 1e-5, "%g, not %g", volume(&mesh, one, 0.0), expected);
    ts_geometry_mesh_free(&mesh);
    ts_height_field_free(field);
}

// A slope is shaded as one: every normal of its ground is the plane's, also where triangles meet.
Test(geometry_mesh, a_slope_is_smooth_and_a_step_is_not) {
    const double height[12] = {0.0, 0.1, 0.2, 0.3, 0.0, 0.1, 0.2, 0.3, 2.0, 2.1, 2.2, 2.3};
    ts_height_field* field = NULL;
    cr_assert(ts_height_field_build(height, 3, 4, 0.5, 0.5, -1.0, &field, NULL) == TS_OK);
    ts_geometry_mesh mesh;
    cr_assert(ts_geometry_mesh_height_field(field, &mesh, NULL) == TS_OK);
    ts_vec3 slope = ts_vec3_unit_or(ts_vec3_make(-0.2, 0.0, 1.0), ts_vec3_zero());
    for (int i = 0; i < 3 * 6; ++i) {
        const ts_geometry_vertex* v = &mesh.vertex[mesh.index[i]];
        ts_vec3 n = ts_vec3_make((double)v->normal[0], (double)v->normal[1], (double)v->normal[2]);
        cr_assert(ts_vec3_distance(n, slope) < 1e-6, "corner %d", i);
    }
    ts_geometry_mesh_free(&mesh);
    ts_height_field_free(field);
}

// Of a million cells one for several, which still reach from border to border, nearly.
Test(geometry_mesh, a_large_field_is_thinned) {
    enum { SIDE = 1100 };
    double* height = calloc((size_t)SIDE * SIDE, sizeof *height);
    ts_height_field* field = NULL;
    cr_assert(height && ts_height_field_build(height, SIDE, SIDE, 0.01, 0.01, -1.0, &field, NULL) == TS_OK);
    ts_geometry_mesh mesh;
    cr_assert(ts_geometry_mesh_height_field(field, &mesh, NULL) == TS_OK);
    cr_assert(mesh.index_count < 6 * 260000 && mesh.index_count > 6 * 60000, "%d", mesh.index_count);
    double most = 0.0;
    for (int i = 0; i < mesh.vertex_count; ++i) most = fmax(most, (double)mesh.vertex[i].position[0]);
    cr_assert(most > 0.99 * 0.5 * 0.01 * (SIDE - 1));
    ts_geometry_mesh_free(&mesh);
    ts_height_field_free(field);
    free(height);
}
