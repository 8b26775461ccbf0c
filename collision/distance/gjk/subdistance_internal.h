// The closest point to the origin of a point, segment, triangle or tetrahedron: the step inside GJK.
#ifndef TS_COLLISION_SUBDISTANCE_INTERNAL_H
#define TS_COLLISION_SUBDISTANCE_INTERNAL_H

#include "base/vec.h"

#ifdef __cplusplus
extern "C" {
#endif

/// The smallest face of the simplex that holds its closest point to the origin.
typedef struct ts_subdistance {
    int count;                // vertices that carry weight, 1 to 4; 4 means the origin is inside
    int index[4];             // which of the given vertices
    double lambda[4];         // their weights: positive, sum 1
    ts_vec3 point;            // the closest point
    double distance_squared;  // |point|^2
} ts_subdistance;

/// Solves for `count` (1 to 4) vertices; degenerate simplices (equal, collinear or coplanar vertices) are fine.
void ts_subdistance_solve(const ts_vec3* vertex, int count, ts_subdistance* out_result);

#ifdef __cplusplus
}
#endif
#endif
