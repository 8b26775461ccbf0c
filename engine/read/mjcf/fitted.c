// Primitives fitted to meshes: a geom that is a box and names a mesh is the box that stands for the mesh.
//
// Problem: size and pose of a sphere, capsule, cylinder, ellipsoid or box that is like a mesh.
// Rule: axes are the principal ones of the mesh, the largest moment first, so that the last is along its length. The sizes are those of the
// box of the same mass and moments, a_i^2 = 3 / 2 (I_j + I_k - I_i) / m; or of the box around the mesh along these axes, whose centre then counts,
// too. Round shapes take means (or, around the mesh, the larger) of what must be equal.
// Source: MuJoCo's documentation (geom mesh, compiler fitaabb), and its answers.
// Known to differ: where two moments are equal any axes across the third will do, and MuJoCo may take others.
#include "engine/read/mjcf/mesh_internal.h"

#include <math.h>

// Principal axes as columns, right-handed, the largest moment first; moments likewise.
static ts_mat3 long_last(const ts_mat3* inertia, ts_vec3* out_moments) {
    ts_vec3 m;
    ts_mat3 axes;
    ts_mat3_eigen_symmetric(inertia, &m, &axes);
    *out_moments = ts_vec3_make(m.z, m.y, m.x);
    ts_vec3 x = ts_mat3_column(&axes, 2), y = ts_mat3_column(&axes, 1);
    return ts_mat3_from_columns(x, y, ts_vec3_cross(x, y));
}

static double half_length(double a, double b, double c, double mass) {
    return sqrt(fmax(0.0, 1.5 * (b + c - a) / mass));
}

// Half lengths of the box around the hull, along the axes of R about the centre; *out_middle is its middle there.
static ts_vec3 box_around(const ts_hull* hull, const ts_mat3* R, ts_vec3 centre, ts_vec3* out_middle) {
    ts_vec3 low = ts_vec3_make((double)INFINITY, (double)INFINITY, (double)INFINITY), high = ts_vec3_scale(-1.0, low);
    for (int i = 0; i < hull->vertex_count; ++i) {
        ts_vec3 v = ts_mat3_mul_vec_transposed(R, ts_vec3_sub(hull->vertex[i], centre));
        low = ts_vec3_make(fmin(low.x, v.x), fmin(low.y, v.y), fmin(low.z, v.z));
        high = ts_vec3_make(fmax(high.x, v.x), fmax(high.y, v.y), fmax(high.z, v.z));
    }
    *out_middle = ts_vec3_lerp(low, high, 0.5);
    return ts_vec3_scale(0.5, ts_vec3_sub(high, low));
}

// What a shape's numbers are for a box of these half lengths.
static void sizes_of(ts_shape_kind kind, int by_box, ts_vec3 h, double out_size[3]) {
    double across = by_box ? fmax(h.x, h.y) : 0.5 * (h.x + h.y);
    ts_vec3_store(h, out_size);
    if (kind == TS_SHAPE_SPHERE) out_size[0] = by_box ? fmax(across, h.z) : (h.x + h.y + h.z) / 3.0;
    if (kind != TS_SHAPE_CAPSULE && kind != TS_SHAPE_CYLINDER) return;
    out_size[0] = across;
    out_size[1] = h.z;
    // A cap is round; by inertia half of it counts.
    if (kind == TS_SHAPE_CAPSULE) out_size[1] = by_box ? h.z - across : fmax(0.0, h.z - 0.5 * across);
}

ts_shape ts_mjcf_fit(const ts_mjcf_mesh* mesh, ts_shape_kind kind, int by_box, double scale, ts_pose* io_pose) {
    ts_vec3 m, middle = ts_vec3_zero();
    ts_mat3 R = long_last(&mesh->solid.inertia, &m);
    double mass = mesh->solid.volume, size[3];
    ts_vec3 h = ts_vec3_make(half_length(m.x, m.y, m.z, mass), half_length(m.y, m.z, m.x, mass),
                             half_length(m.z, m.x, m.y, mass));
    if (by_box) h = box_around(mesh->hull, &R, mesh->solid.centre, &middle);
    sizes_of(kind, by_box, h, size);
    for (int i = 0; i < 3; ++i) size[i] *= scale;
    ts_pose fitted = {ts_vec3_add(mesh->solid.centre, ts_mat3_mul_vec(&R, middle)),
                      ts_quat_normalize(ts_quat_from_mat3(&R))};
    *io_pose = ts_pose_mul(*io_pose, fitted);
    return ts_shape_make(kind, size);
}
