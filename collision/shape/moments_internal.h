// Sums of 1, x and x x^T over solids of density 1, and what mass properties follow. Not for use outside collision/.
#ifndef TS_COLLISION_MOMENTS_INTERNAL_H
#define TS_COLLISION_MOMENTS_INTERNAL_H

#include "collision/shape/shape.h"

#ifdef __cplusplus
extern "C" {
#endif

/// The integrals of 1 (m^3), x (m^4) and x x^T (m^5).
typedef struct ts_moments {
    double volume;
    ts_vec3 first;
    ts_mat3 second;
} ts_moments;

static inline ts_moments ts_moments_none(void) {
    ts_moments sum = {0.0, ts_vec3_zero(), ts_mat3_zero()};
    return sum;
}

/// a b^T + b a^T.
static inline ts_mat3 ts_moments_mixed(ts_vec3 a, ts_vec3 b) {
    return ts_mat3_add(ts_mat3_outer(a, b), ts_mat3_outer(b, a));
}

/// Adds a part with known mass properties, placed.
static inline void ts_moments_add(ts_moments* sum, const ts_mass_properties* part, const ts_transform* placed) {
    ts_vec3 c = ts_transform_point(placed, part->centre);
    double half = 0.5 * ts_mat3_trace(&part->inertia);
    ts_mat3 local = ts_mat3_sub(ts_mat3_diagonal(ts_vec3_make(half, half, half)), part->inertia);
    ts_mat3 about = ts_mat3_rotate_tensor(placed->R, local);
    sum->volume += part->volume;
    sum->first = ts_vec3_add_scaled(sum->first, part->volume, c);
    sum->second = ts_mat3_add(sum->second, ts_mat3_add(about, ts_mat3_scale(part->volume, ts_mat3_outer(c, c))));
}

/// Adds the tetrahedron of four points; signed by their order.
static inline void ts_moments_add_tetrahedron(ts_moments* sum, ts_vec3 o, ts_vec3 p, ts_vec3 q, ts_vec3 r) {
    ts_vec3 a = ts_vec3_sub(p, o), b = ts_vec3_sub(q, o), c = ts_vec3_sub(r, o);
    double volume = ts_vec3_dot(a, ts_vec3_cross(b, c)) / 6.0;
    ts_vec3 total = ts_vec3_add(ts_vec3_add(o, p), ts_vec3_add(q, r));
    ts_mat3 squares = ts_mat3_add(ts_mat3_add(ts_mat3_outer(o, o), ts_mat3_outer(p, p)),
                                  ts_mat3_add(ts_mat3_outer(q, q), ts_mat3_outer(r, r)));
    squares = ts_mat3_add(squares, ts_mat3_outer(total, total));
    sum->volume += volume;
    sum->first = ts_vec3_add_scaled(sum->first, 0.25 * volume, total);
    sum->second = ts_mat3_add(sum->second, ts_mat3_scale(volume / 20.0, squares));
}

/// Volume, centre, and inertia about it.
static inline ts_mass_properties ts_moments_mass(const ts_moments* sum) {
    ts_mass_properties mass = {sum->volume, ts_vec3_zero(), ts_mat3_zero()};
    if (!(sum->volume > 0.0)) return mass;
    mass.centre = ts_vec3_scale(1.0 / sum->volume, sum->first);
    ts_mat3 second = ts_mat3_sub(sum->second, ts_mat3_scale(sum->volume, ts_mat3_outer(mass.centre, mass.centre)));
    double trace = ts_mat3_trace(&second);
    mass.inertia = ts_mat3_sub(ts_mat3_diagonal(ts_vec3_make(trace, trace, trace)), second);
    return mass;
}

#ifdef __cplusplus
}
#endif
#endif
