// Convex polytopes: built from points with qhull, validated, with merged flat faces, neighbours, and mass properties.
#ifndef TS_COLLISION_HULL_H
#define TS_COLLISION_HULL_H

#include "base/pose.h"
#include "base/spatial.h"
#include "base/status.h"

#ifdef __cplusplus
extern "C" {
#endif

/// A convex polytope in its own frame. Owned by whoever built it; constant afterwards, so shared by any number of
/// shapes and threads. Faces are flat polygons, corners counter-clockwise seen from outside. A flat hull has two faces
/// back to back, a segment and a point have none; their volume and inertia are zero.
typedef struct ts_hull {
    int vertex_count;
    int face_count;
    int edge_count;    // undirected
    int corner_count;  // 2 edge_count: the sum of face sizes where there are faces
    ts_vec3* vertex;   // (vertex_count) m
    double* x;         // (padded_count) coordinates minus `centre` as arrays, padded to a multiple of 4 with vertex 0
    double* y;
    double* z;
    int padded_count;
    int* face_start;         // (face_count + 1): corners of face f are [face_start[f], face_start[f+1])
    int* face_corner;        // (corner_count): vertex indices
    ts_vec3* face_normal;    // (face_count) unit, outward
    double* face_offset;     // (face_count) m: <normal, x> = offset on the face
    double* face_hollow;     // (face_count) m: how far corners of the face lie below its plane; 0 for rounding alone
    int* neighbour_start;    // (vertex_count + 1): neighbours of vertex v, as CSR
    int* neighbour;          // (corner_count)
    int* vertex_face_start;  // (vertex_count + 1): faces around vertex v, as CSR
    int* vertex_face;        // (corner_count)
    ts_vec3 centroid;        // m
    double volume;           // m^3
    ts_mat3 second_moment;   // m^5: rotational inertia about the centroid at density 1
    ts_vec3 box_min;         // m
    ts_vec3 box_max;         // m
    ts_vec3 centre;          // m, of that box: what x, y, z are relative to, so that dots keep their digits far out
    ts_transform box;        // another box around it, turned as suits it (hull_box.c): its centre and axes ...
    ts_vec3 box_half;        // m, ... and its half extents
    double outline[27];  // how far it reaches from the middle of that box along (x, y, z), each -1, 0 or 1 of a half
                         // extent, at place 13 + x + 3 y + 9 z (hull_outline.c)
    double reach;        // m, of the vertex farthest from the frame's origin
    int extreme[14];     // support vertices along +x -x +y -y +z -z, then (+-1, +-1, +-1) in the order of
                         // ts_hull_extreme_direction
    double to_cells[6];  // upper triangle, by rows, of a map that makes the hull about as long as wide, for directions
    int cells;           // 0, or of hulls with more than TS_HULL_FEW vertices into how many parts an octant's sides go
    int* cell_start;     // (8 cells^2 + 1): the list of cell k is [cell_start[k], cell_start[k + 1])
    int* cell_vertex;  // lists: ascending, every vertex that can be farthest along a direction of the cell; or a single
                       // one, to climb from (hull_cells.c)
    int rank;          // dimension of the hull: 3 solid, 2 one flat polygon, 1 segment, 0 point
} ts_hull;

/// Hulls with more vertices number them along a curve that keeps neighbours together in memory, and know for every cell
/// of directions which vertices can be farthest; those with fewer are scanned. Measured (`gjk-meshes`): distances of
/// hulls of 48 take the same time either way, of 32 a sixth more by cells, of 96 a fifth less.
enum { TS_HULL_FEW = 48 };

/// How many support vertices a hull knows in advance.
enum { TS_HULL_EXTREME_COUNT = 14 };

/// The direction that extreme[k] is the support vertex of: axes first (sign + before -), then the diagonals with the
/// bits of k - 6 as signs (bit 0: x negative, bit 1: y, bit 2: z). Not unit.
static inline ts_vec3 ts_hull_extreme_direction(int k) {
    if (k < 6) return ts_vec3_scale(k % 2 ? -1.0 : 1.0, ts_vec3_axis(k / 2));
    int bits = k - 6;
    return ts_vec3_make(bits & 1 ? -1.0 : 1.0, bits & 2 ? -1.0 : 1.0, bits & 4 ? -1.0 : 1.0);
}

/// The convex hull of `count` points. Points closer than 1e-9 of the extent merge. Fewer than four points, all in one
/// plane, or a coordinate that is not finite is TS_ERROR_VALUE with the reason. Free with ts_hull_free.
ts_code ts_hull_build(const ts_vec3* points, int count, ts_hull** out_hull, ts_status* out_status);

/// What ts_hull_build_any made of its points.
typedef struct ts_hull_report {
    int rank;           // 3 solid, 2 flat, 1 segment, 0 point
    int duplicates;     // points given more than once, bit for bit
    int dropped;        // points that are no vertex: duplicates, inside, or on a straight edge
    double flattening;  // m: how far points lay off the plane, line or point they were taken for; 0 for rank 3
} ts_hull_report;

/// As ts_hull_build, but points of any arrangement make a hull of lower rank: one plane, one line (widths below 1e-9 of
/// the extent), one point. For queries; a body needs a volume. `out_report` may be NULL.
ts_code ts_hull_build_any(const ts_vec3* points, int count, ts_hull** out_hull, ts_hull_report* out_report,
                          ts_status* out_status);

/// Releases a hull; NULL is ignored.
void ts_hull_free(ts_hull* hull);

/// An axis-aligned box around a placed hull, from its outline and not its vertices: no larger than that around its own
/// box, and wider than the least one by 8 % on average where hulls are round. `box` is hull->box as placed in the world.
void ts_hull_bounds(const ts_hull* hull, const ts_transform* box, ts_vec3* out_min, ts_vec3* out_max);

/// Checks what ts_hull_build guarantees (Euler's formula, convexity, unit outward normals, twin edges) and says what is
/// broken. For tests and for hulls that come from elsewhere.
ts_code ts_hull_validate(const ts_hull* hull, ts_status* out_status);

#ifdef __cplusplus
}
#endif
#endif
