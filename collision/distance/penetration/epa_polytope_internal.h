// The polytope that EPA grows, and how it starts. Not for use outside collision/ and its tests.
#ifndef TS_COLLISION_EPA_POLYTOPE_INTERNAL_H
#define TS_COLLISION_EPA_POLYTOPE_INTERNAL_H

#include "collision/distance/penetration/epa_internal.h"

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/// Room of a polytope. Each iteration adds one vertex and, by Euler's formula, two faces.
enum { TS_EPA_ITERATIONS = 256, TS_EPA_VERTICES = 264, TS_EPA_FACES = 528 };

/// A triangle of the polytope. Its plane is not normalised: choosing and hiding faces needs no root.
typedef struct ts_epa_face {
    ts_vec3 normal;  // outward, of any length; zero on a face too thin to have one
    double offset;   // <normal, x> on the plane
    double size;     // |normal| in the sum norm, what rounding in <normal, x> is relative to; negative on a thin face
    uint16_t vertex[3];  // counter-clockwise from outside
    uint16_t across[3];  // the half-edge opposite to edge vertex[k], vertex[k + 1]: 4 * face + edge
    int32_t stamp;       // iteration in which it was found visible
} ts_epa_face;

/// The polytope, inscribed in D = A - B. Some 65 KiB, of which only what is used is ever touched.
typedef struct ts_epa_polytope {
    const ts_shape_pair* pair;
    double scale;  // m: largest |w| seen
    int support_calls;
    int vertex_count;
    int face_count;            // slots in use or free
    int free_face;             // head of the list of dead slots, linked through across[0]; -1 when empty
    double key[TS_EPA_FACES];  // order of the faces by signed distance from the origin: its square with its sign;
                               // infinite on thin and dead faces
    ts_epa_face face[TS_EPA_FACES];
    ts_gjk_vertex vertex[TS_EPA_VERTICES];
} ts_epa_polytope;

/// An empty polytope. Initialises nothing that counts do not cover.
void ts_epa_polytope_init(ts_epa_polytope* p, const ts_shape_pair* pair, double scale);

/// The point of D farthest along n (unit). The hints are vertex numbers as for ts_support_core.
ts_gjk_vertex ts_epa_polytope_support(ts_epa_polytope* p, ts_vec3 n, int hint_a, int hint_b);

/// The same along the unit normal of a face, hinted by what its corners know.
ts_gjk_vertex ts_epa_polytope_support_of_face(ts_epa_polytope* p, int face, ts_vec3 n);

/// Adds a face without neighbours. For start polytopes; there is always room.
void ts_epa_polytope_add_face(ts_epa_polytope* p, int i, int j, int k);

/// Connects the faces of a start polytope (closed, at most 8 vertices).
void ts_epa_polytope_link(ts_epa_polytope* p);

/// The face whose plane is nearest the origin, lowest number among equals; -1 when all are thin.
int ts_epa_polytope_nearest(const ts_epa_polytope* p);

/// Unit normal and signed distance of a face that is not thin.
ts_vec3 ts_epa_polytope_plane(const ts_epa_polytope* p, int face, double* out_distance);

/// Replaces everything that w sees, beginning with `face`, by a fan around w. CONVERGED means done; else the polytope is
/// as it was.
ts_epa_status ts_epa_polytope_expand(ts_epa_polytope* p, int face, const ts_gjk_vertex* w, int stamp);

/// Fills an empty polytope from GJK's simplex: a tetrahedron or, where D reaches out on both sides of a triangle, a
/// double pyramid. Returns the rank of D found: 4 when there is a polytope to expand.
int ts_epa_start_simplex(ts_epa_polytope* p, const ts_gjk_result* start);

/// Fills an empty polytope from support points around a unit normal; see ts_epa_penetration_near. Returns 0 when they do
/// not span a surface.
int ts_epa_start_around(ts_epa_polytope* p, ts_vec3 n, const ts_gjk_vertex* touch);

/// Fills an empty polytope from three points of D whose outside is along `normal` (unit), and a support point behind them; see
/// ts_epa_penetration_from. Returns 0 when there are no such vertices, or they span nothing.
int ts_epa_start_face(ts_epa_polytope* p, ts_vec3 normal, const ts_epa_corners* corners);

#ifdef __cplusplus
}
#endif
#endif
