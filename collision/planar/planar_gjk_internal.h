// What the kernels of planar GJK share: the query in A's frame, the simplex they end with, and their names.
#ifndef TS_COLLISION_PLANAR_PLANAR_GJK_INTERNAL_H
#define TS_COLLISION_PLANAR_PLANAR_GJK_INTERNAL_H

#include <stddef.h>

#include "collision/planar/planar_distance.h"
#include "collision/planar/planar_support_internal.h"

enum { PLANAR_ITERATION_LIMIT = 128, PLANAR_STALL_LIMIT = 4 };

enum { PLANAR_AXES_MAX = 144 };  // up to this product of counts a verdict tries all axes

// A query in a frame at A's centre, turned as A: a point b of B, relative to B's centre, is at rotation b + t.
typedef struct planar_query {
    const ts_planar_polygon* a;
    const ts_planar_polygon* b;
    double c, s;                   // rotation
    double tx, ty;                 // B's centre
    double limit;                  // m, of the cores: give-up distance, or the margin of a verdict
    double limit_squared;          // m^2
    const ts_planar_cache* cache;  // NULL: cold
} planar_query;

// How a kernel ended.
typedef enum planar_ending {
    PLANAR_CLOSEST,  // the simplex holds the point closest to the origin
    PLANAR_INSIDE,   // the origin lies in the simplex
    PLANAR_BEYOND,   // farther than the limit
    PLANAR_STALLED,  // rounding stops progress; the simplex is as near as PLANAR_CLOSEST, the direction may be poor
    PLANAR_RAN_OUT
} planar_ending;

// Vertex pairs, each with its point a - b.
typedef struct planar_simplex {
    planar_ending ending;
    int rank;
    int ia[3], ib[3];
    double wx[3], wy[3];
    double dx, dy;  // last support direction, towards B
    double dw;      // product of that direction with its support point: lower bound of the distance is -dw / |d|
    int iterations;
    int support_calls;
} planar_simplex;

// Vertex k of the simplex.
static inline void planar_put(planar_simplex* simplex, int k, int i, int j, double x, double y) {
    simplex->ia[k] = i;
    simplex->ib[k] = j;
    simplex->wx[k] = x;
    simplex->wy[k] = y;
}

// Vertices 0 and 1 change places.
static inline void planar_swap(planar_simplex* simplex) {
    int i = simplex->ia[0], j = simplex->ib[0];
    double x = simplex->wx[0], y = simplex->wy[0];
    planar_put(simplex, 0, simplex->ia[1], simplex->ib[1], simplex->wx[1], simplex->wy[1]);
    planar_put(simplex, 1, i, j, x, y);
}

// How a walk ended. UNSURE: rounding could have misled it, ask GJK.
typedef enum planar_walk_end {
    PLANAR_WALK_UNSURE,
    PLANAR_WALK_VERTEX,  // vertex i of A and vertex j of B are nearest
    PLANAR_WALK_EDGE_A,  // the edge of A that starts at i, and vertex j
    PLANAR_WALK_EDGE_B,  // vertex i, and the edge of B that starts at j
    PLANAR_WALK_INSIDE,  // the origin is inside A - B
    PLANAR_WALK_OUTSIDE  // outside, which is all that was asked
} planar_walk_end;

// Where a walk ended.
typedef struct planar_walk {
    int i, j;
    int steps;      // vertices of A - B that were passed
    double wx, wy;  // a_i - b_j, query frame
} planar_walk;

// One way to find support vertices, and what is built on it. The scans (scalar, SSE2, AVX2) answer with the same bits; they
// take up to TS_PLANAR_SCAN_MAX vertices per polygon.
typedef struct planar_kernels {
    // The loop of planar_kernel_internal.h: to the end, or until it is known whether the cores come within query->limit
    // (BEYOND, or INSIDE or CLOSEST).
    void (*distance)(const planar_query* query, planar_simplex* out);
    void (*overlap)(const planar_query* query, planar_simplex* out);
    // The walk along the boundary of A - B, planar_walk_internal.h. A distance is complete unless the end is UNSURE (also
    // when a pose needs tidying) or INSIDE; of a verdict only INSIDE, OUTSIDE or UNSURE comes back. NULL when climbing.
    planar_walk_end (*walk_distance)(const ts_planar_polygon* a, const ts_planar_pose* pose_a,
                                     const ts_planar_polygon* b, const ts_planar_pose* pose_b, ts_planar_depth depth,
                                     ts_planar_result* out);
    planar_walk_end (*walk_overlap)(const ts_planar_polygon* a, const ts_planar_pose* pose_a,
                                    const ts_planar_polygon* b, const ts_planar_pose* pose_b);
} planar_kernels;

extern const planar_kernels planar_kernels_scalar, planar_kernels_sse2, planar_kernels_avx2, planar_kernels_climb;

// The best scan that this processor can do.
static inline const planar_kernels* planar_kernels_here(void) {
#if defined(__x86_64__)
    return __builtin_cpu_supports("avx2") ? &planar_kernels_avx2 : &planar_kernels_sse2;
#else
    return &planar_kernels_scalar;
#endif
}

// Nonzero when both rotations are unit to rounding and both positions within bounds.
static inline int planar_poses_are_tidy(const ts_planar_pose* a, const ts_planar_pose* b) {
    double off_a = a->rotation.x * a->rotation.x + a->rotation.y * a->rotation.y - 1.0;
    double off_b = b->rotation.x * b->rotation.x + b->rotation.y * b->rotation.y - 1.0;
    double far = (fabs(a->position.x) + fabs(a->position.y)) + (fabs(b->position.x) + fabs(b->position.y));
    return fabs(off_a) + fabs(off_b) <= 8.0 * DBL_EPSILON && far <= 1e30;
}

// Penetration of overlapping cores by the separating axis with the least depth.
typedef struct planar_depth_result {
    double distance;  // m: -depth, or the greatest separation along an edge normal
    double nx, ny;    // unit, from A to B, query frame
    double ax, ay;    // deepest point of A's core, query frame
} planar_depth_result;

void planar_depth(const planar_query* query, planar_depth_result* out);

#endif
