// The system that the witness points of a pair solve, differentiated. Not for use outside collision/ and its tests.
#ifndef TS_COLLISION_WITNESS_RATES_INTERNAL_H
#define TS_COLLISION_WITNESS_RATES_INTERNAL_H

#include "collision/derivative/proximity_derivative.h"
#include "collision/derivative/row_internal.h"
#include "collision/shape/shape_traits_internal.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Two placed convex shapes in common axes whose origin is that of B's frame (b_at.p is zero but for a part of B). Column j of a derivative is
/// what a unit of the j-th number of B's twist (velocity along the axes, angular velocity about them) does; A is at rest.
typedef struct ts_moving_pair {
    const ts_shape* a;
    const ts_shape* b;
    ts_transform a_at;
    ts_transform b_at;
} ts_moving_pair;

/// The answer about the cores, in the pair's axes.
typedef struct ts_core_witness {
    ts_vec3 normal;  // unit, from A to B
    ts_vec3 core_a;  // the point of A's core; core_b - core_a runs along the normal
    ts_vec3 core_b;
} ts_core_witness;

/// A core's witness point with its outward normal, and the contact's tangents (n x u = v, n from A to B), in some axes.
typedef struct ts_witness_side {
    ts_surface_point at;
    ts_vec3 u, v;
} ts_witness_side;

/// The same answer, in the axes in which each thing about it is known.
typedef struct ts_witness_view {
    const ts_shape* a;
    const ts_shape* b;
    ts_witness_side in_a;  // A's own, with A's point
    ts_witness_side in_b;  // B's own, with B's point
    double gap;            // m: of the cores along n
    ts_row push, push_u,
        push_v;  // what the twist does to B's point along n, u and v: <n, v + w x point> by the numbers of the twist
} ts_witness_view;

/// What a twist does to a point fixed to B along a direction.
static inline ts_row ts_row_of_point(ts_vec3 point, ts_vec3 direction) {
    return ts_row_make(direction, ts_vec3_cross(point, direction));
}

/// Its derivative on two tangents u and v: rows of six, one number to a column of the twist.
typedef struct ts_witness_rates {
    ts_vec3 n, u, v;     // right-handed: n x u = v
    double gap;          // m: of the cores along n
    double distance[6];  // of that gap
    double turn[2][6];   // of the normal, along u and v
    double slide[2][6];  // of core_a, along u and v; it does not move along n
    int turns, slides;   // zero where all of turn, of slide are
    ts_derivative_certificate certificate;
} ts_witness_rates;

/// Column j of the normal's derivative.
static inline ts_vec3 ts_witness_rates_normal(const ts_witness_rates* r, int j) {
    return ts_vec3_add(ts_vec3_scale(r->turn[0][j], r->u), ts_vec3_scale(r->turn[1][j], r->v));
}

/// Column j of core_a's.
static inline ts_vec3 ts_witness_rates_core_a(const ts_witness_rates* r, int j) {
    return ts_vec3_add(ts_vec3_scale(r->slide[0][j], r->u), ts_vec3_scale(r->slide[1][j], r->v));
}

/// Column j of core_b's, which is core_a + gap * n.
static inline ts_vec3 ts_witness_rates_core_b(const ts_witness_rates* r, int j) {
    ts_vec3 with_a = ts_vec3_add_scaled(ts_witness_rates_core_a(r, j), r->distance[j], r->n);
    return ts_vec3_add_scaled(with_a, r->gap, ts_witness_rates_normal(r, j));
}

/// A certificate that says nothing against anything.
static inline ts_derivative_certificate ts_derivative_certificate_fine(void) {
    ts_derivative_certificate fine = {0, (double)INFINITY, 1.0, (double)INFINITY, (double)INFINITY};
    return fine;
}

/// The smaller of two certificates, number by number.
ts_derivative_certificate ts_derivative_certificate_least(ts_derivative_certificate a, ts_derivative_certificate b);

/// Sets BORDER where room or turn are too small for anything to hold; `size` is a length of the pair, m.
void ts_derivative_certificate_judge(double size, ts_derivative_certificate* io_certificate);

/// The pair of shapes with B's origin as the origin.
ts_moving_pair ts_moving_pair_make(const ts_shape* a, const ts_transform* pose_a, const ts_shape* b,
                                   const ts_transform* pose_b);

/// What column j does to a point that is fixed to B.
static inline ts_vec3 ts_rate_of_point(int j, ts_vec3 x) {
    switch (j) {
    case 0: return ts_vec3_make(1.0, 0.0, 0.0);
    case 1: return ts_vec3_make(0.0, 1.0, 0.0);
    case 2: return ts_vec3_make(0.0, 0.0, 1.0);
    case 3: return ts_vec3_make(0.0, -x.z, x.y);
    case 4: return ts_vec3_make(x.z, 0.0, -x.x);
    default: return ts_vec3_make(-x.y, x.x, 0.0);
    }
}

/// What column j does to a direction that is fixed to B.
static inline ts_vec3 ts_rate_of_direction(int j, ts_vec3 d) { return j < 3 ? ts_vec3_zero() : ts_rate_of_point(j, d); }

/// A witness seen by its pair. `axes`: the twist's axes as columns; NULL: the pair's. Returns A's side in the pair's axes.
ts_witness_side ts_witness_view_make(const ts_moving_pair* pair, const ts_core_witness* witness, ts_vec3 u,
                                     const ts_mat3* axes, ts_witness_view* out_view);

/// The rates of a witness on the frame's tangents; their n, u and v are left to the caller. `bend`: NULL for what the features say
/// (exact), or two Hessians of the support functions of A and B on the two tangents, as of smooth surfaces.
void ts_witness_rates_solve(const ts_witness_view* view, const ts_tangent_form* bend, ts_witness_rates* out_rates);

/// The exact rates of a witness for a twist in the pair's axes, on the tangents u (unit, across the normal) and normal x u.
void ts_witness_rates_find(const ts_moving_pair* pair, const ts_core_witness* witness, ts_vec3 u,
                           ts_witness_rates* out_rates);

/// How the support point c (in common axes) of a core glides over it when the direction `d` (unit, in the shape's frame) turns by
/// `turning` (in common axes, seen from the shape): Hessian times turning. Smooth kinds by add_hessian, others as turned about z.
ts_vec3 ts_bend_along(const ts_shape* shape, const ts_transform* at, ts_vec3 d, ts_vec3 c, ts_vec3 turning);

/// The tangent directions in which those Hessians are meant.
static inline void ts_rates_tangents(ts_vec3 n, ts_vec3* out_u, ts_vec3* out_v) {
    *out_u = ts_vec3_orthogonal(n);
    *out_v = ts_vec3_cross(n, *out_u);
}

#ifdef __cplusplus
}
#endif
#endif
