// Volume, centre and inertia of a triangle mesh, in the four ways MJCF knows.
//
// exact   Divergence theorem: signed tetrahedra between each triangle and an apex; right for closed, oriented meshes.
// legacy  The same with the absolute volume of every tetrahedron, the apex being the centroid of the surface (and, for the
//         inertia, the centre of mass): MuJoCo's old default, right for meshes that are star-shaped about it, too heavy
//         for others, but never negative for open or badly oriented ones.
// shell   The surface itself with unit density per area.
// convex  From the hull; done by the caller.
// Integrals over a tetrahedron (apex 0, corners a b c, volume V): of x: V (a + b + c) / 4; of x x^T:
// V / 20 (a a^T + b b^T + c c^T + s s^T) with s = a + b + c. Over a triangle of area A: A s / 3 and
// A / 12 (a a^T + b b^T + c c^T + s s^T).
#include "engine/read/mjcf/mesh_internal.h"

#include <math.h>
#include <string.h>

// A triangle relative to some origin.
typedef struct corners {
    ts_vec3 a, b, c;
} corners;

static corners corners_of(const ts_mesh* mesh, int t, ts_vec3 origin) {
    const int* index = mesh->triangle + 3 * t;
    corners k = {ts_vec3_sub(mesh->vertex[index[0]], origin), ts_vec3_sub(mesh->vertex[index[1]], origin),
                 ts_vec3_sub(mesh->vertex[index[2]], origin)};
    return k;
}

static double area_of(corners k) {
    return 0.5 * ts_vec3_norm(ts_vec3_cross(ts_vec3_sub(k.b, k.a), ts_vec3_sub(k.c, k.a)));
}

static double volume_of(corners k, ts_mjcf_mesh_inertia kind) {
    double volume = ts_vec3_dot(k.a, ts_vec3_cross(k.b, k.c)) / 6.0;
    return kind == TS_MJCF_MESH_LEGACY ? fabs(volume) : volume;
}

static ts_vec3 sum_of(corners k) { return ts_vec3_add(k.a, ts_vec3_add(k.b, k.c)); }

// The second moment of a triangle up to its factor.
static ts_mat3 moment_of(corners k) {
    ts_vec3 s = sum_of(k);
    return ts_mat3_add(ts_mat3_add(ts_mat3_outer(k.a, k.a), ts_mat3_outer(k.b, k.b)),
                       ts_mat3_add(ts_mat3_outer(k.c, k.c), ts_mat3_outer(s, s)));
}

// Rotational inertia of a second moment: trace minus the matrix.
static ts_mat3 inertia_of(const ts_mat3* moment) {
    double trace = ts_mat3_trace(moment);
    return ts_mat3_sub(ts_mat3_diagonal(ts_vec3_make(trace, trace, trace)), *moment);
}

static ts_vec3 surface_centroid(const ts_mesh* mesh, double* out_area) {
    double area = 0.0;
    ts_vec3 sum = ts_vec3_zero();
    // About the first vertex, so that a mesh far from its origin loses no digits.
    ts_vec3 origin = mesh->vertex[mesh->triangle[0]];
    for (int t = 0; t < mesh->triangle_count; ++t) {
        corners k = corners_of(mesh, t, origin);
        double a = area_of(k);
        area += a;
        sum = ts_vec3_add_scaled(sum, a / 3.0, sum_of(k));
    }
    *out_area = area;
    return area > 0.0 ? ts_vec3_add_scaled(origin, 1.0 / area, sum) : origin;
}

int ts_mjcf_mesh_solid(const ts_mesh* mesh, ts_mjcf_mesh_inertia kind, ts_mass_properties* out_solid) {
    memset(out_solid, 0, sizeof *out_solid);
    if (mesh->triangle_count == 0) return 0;
    double total = 0.0, area;
    ts_vec3 centre = surface_centroid(mesh, &area);
    if (kind == TS_MJCF_MESH_SHELL) {
        total = area;
    } else {
        ts_vec3 sum = ts_vec3_zero();
        for (int t = 0; t < mesh->triangle_count; ++t) {
            corners k = corners_of(mesh, t, centre);
            double v = volume_of(k, kind);
            total += v;
            sum = ts_vec3_add_scaled(sum, v / 4.0, sum_of(k));
        }
        if (!(total > 0.0)) return 0;
        centre = ts_vec3_add_scaled(centre, 1.0 / total, sum);
    }
    // Thinner than this in proportion to its surface, a mesh is a sheet whose volume is rounding.
    if (!(total > 0.0) || (kind != TS_MJCF_MESH_SHELL && total < 1e-12 * area * sqrt(area))) return 0;
    // The apex is now the centre; for meshes that are open or not star-shaped this changes the volume, and MuJoCo takes the
    // one that belongs to the inertia.
    ts_mat3 moment = ts_mat3_zero();
    double weights = 0.0;
    for (int t = 0; t < mesh->triangle_count; ++t) {
        corners k = corners_of(mesh, t, centre);
        double weight = kind == TS_MJCF_MESH_SHELL ? area_of(k) : volume_of(k, kind);
        weights += weight;
        moment = ts_mat3_add(moment, ts_mat3_scale(weight / (kind == TS_MJCF_MESH_SHELL ? 12.0 : 20.0), moment_of(k)));
    }
    if (!(weights > 0.0)) return 0;
    out_solid->volume = weights;
    out_solid->centre = centre;
    out_solid->inertia = inertia_of(&moment);
    return isfinite(weights) && ts_vec3_is_finite(centre);
}
