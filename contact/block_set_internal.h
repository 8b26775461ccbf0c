// What solvers and judges ask of a block's set, next to its projection (contact/block_set.h). Inline where a call costs as much
// as the arithmetic. Not for use outside contact/ and its tests.
//
// Order of a cone's rows: tangent 1, tangent 2, normal, then spin and roll. "Tangent rows" are all but row 2.
#ifndef TS_CONTACT_BLOCK_SET_INTERNAL_H
#define TS_CONTACT_BLOCK_SET_INTERNAL_H

#include <math.h>

#include "base/vec.h"
#include "contact/block_set.h"

#ifdef __cplusplus
extern "C" {
#endif

/// The row that must not pull: a cone's normal, a half-line's only row; -1 in other sets.
static inline int ts_block_set_normal_row(const ts_block* block) {
    return block->set == TS_SET_CONE ? 2 : (block->set == TS_SET_HALF_LINE ? 0 : -1);
}

/// The squared length of a cone's tangent rows.
static inline double ts_block_set_tangent_squared(const double* x, int rows) {
    double sum = 0.0;
    for (int r = 0; r < rows; ++r)
        if (r != 2) sum += x[r] * x[r];
    return sum;
}

/// The length of a cone's tangent rows: of a velocity the slip, of an impulse the friction.
static inline double ts_block_set_tangent_length(const double* x, int rows) {
    return sqrt(ts_block_set_tangent_squared(x, rows));
}

/// Adds `factor` times De Saxce's shift mu |u_T| of the velocity u to a cone's normal row of x. The exact law shifts the
/// velocity by it (factor 1, x = u). Returns |u_T|; other sets have none and stay as they are.
static inline double ts_block_set_add_shift(const ts_block* block, const double* u, double factor, double* x) {
    if (block->set != TS_SET_CONE) return 0.0;
    double slip = ts_block_set_tangent_length(u, block->rows);
    x[2] += factor * block->mu * slip;
    return slip;
}

/// The nearest admissible number to x for one row of a set that is no cone. A NaN stays.
static inline double ts_block_set_clamp(const ts_block* block, double x) {
    if (block->set == TS_SET_HALF_LINE) return x <= 0.0 ? 0.0 : x;
    if (block->set == TS_SET_BOX) {
        if (x < block->low) return block->low;
        if (x > block->high) return block->high;
    }
    return x;
}

/// The interval of every row of a set that is no cone; ends may be infinite.
static inline void ts_block_set_interval(const ts_block* block, double* out_low, double* out_high) {
    *out_low = block->set == TS_SET_HALF_LINE ? 0.0 : (block->set == TS_SET_BOX ? block->low : -HUGE_VAL);
    *out_high = block->set == TS_SET_BOX ? block->high : HUGE_VAL;
}

/// Projects a point with tangential part t (tt = t^2) and normal part z on the cone t <= mu z: returns the factor of the
/// tangential part and leaves the new normal part in *out_z.
static inline double ts_block_set_project_lengths(double tt, double z, double mu, double* out_z) {
    // Squares are compared, so that the common cases wait for no square root. The order of the tests matters at the
    // cone's tip only, where all three answers agree.
    double reach = mu * z;
    if (z >= 0.0 && tt <= reach * reach) {
        *out_z = z;
        return 1.0;
    }
    if (z <= 0.0 && mu * mu * tt <= z * z) {
        *out_z = 0.0;
        return 0.0;
    }
    // Here tt > 0: tt = 0 would have taken one of the returns above.
    double t = sqrt(tt), normal = (mu * t + z) / (1.0 + mu * mu);
    *out_z = normal;
    return mu * normal / t;
}

/// ts_block_set_project of a cone with three rows.
static inline ts_vec3 ts_block_set_project_cone(ts_vec3 x, double mu) {
    double z, s = ts_block_set_project_lengths(x.x * x.x + x.y * x.y, x.z, mu, &z);
    if (s == 0.0) return ts_vec3_make(0.0, 0.0, z);
    return ts_vec3_make(s * x.x, s * x.y, z);
}

/// What pulls a tangential part t (tt = t^2) back to a disc of that radius: the factor.
static inline double ts_block_set_disc(double tt, double radius) {
    return tt > radius * radius ? radius / sqrt(tt) : 1.0;
}

/// A cone with three rows, normal first: clamped to >= 0, then friction pulled to the disc of radius mu z.
static inline ts_vec3 ts_block_set_admit_cone(ts_vec3 x, double mu) {
    double z = x.z > 0.0 ? x.z : 0.0, s = ts_block_set_disc(x.x * x.x + x.y * x.y, mu * z);
    return ts_vec3_make(s * x.x, s * x.y, z);
}

/// Distance to the cone t <= mu z of a point with tangential part t (tt = t^2) and normal part z.
static inline double ts_block_set_cone_distance(double tt, double t, double z, double mu) {
    // With mu = 0 the product forgets the sign of z, so it is asked for.
    if (z >= 0.0 && t <= mu * z) return 0.0;
    if (mu * t <= -z) return sqrt(tt + z * z);
    return (t - mu * z) / sqrt(1.0 + mu * mu);
}

/// The same to the dual cone mu t <= z, which velocities live in.
static inline double ts_block_set_dual_distance(double tt, double t, double z, double mu) {
    if (mu * t <= z) return 0.0;
    if (t <= -mu * z) return sqrt(tt + z * z);
    return (mu * t - z) / sqrt(1.0 + mu * mu);
}

/// How far friction may go when the normal is given.
typedef enum ts_friction_shape {
    TS_FRICTION_DISC,        // |x_T| <= mu x_N: the cone's own section
    TS_FRICTION_SQUARE,      // every tangent row in [-mu x_N, mu x_N]: the pyramid
    TS_FRICTION_OCTAGON,     // of the two tangents a regular polygon around the disc, every other row as in a square
    TS_FRICTION_HEXADECAGON  // the same with sixteen sides
} ts_friction_shape;

/// The shape with so many facets: 4, 8, 16; 0: the disc.
static inline ts_friction_shape ts_friction_shape_of(int facets) {
    return facets == 4    ? TS_FRICTION_SQUARE
           : facets == 8  ? TS_FRICTION_OCTAGON
           : facets == 16 ? TS_FRICTION_HEXADECAGON
                          : TS_FRICTION_DISC;
}

/// The point of a regular polygon of so many sides around the disc of that radius, side 0 across the first axis, that is nearest to
/// (*x, *y), into both. Returns nonzero when it moved.
int ts_block_set_polygon(int sides, double radius, double* x, double* y);

/// Brings the tangent rows of a cone within what its normal row carries, without moving that. Returns nonzero when they
/// moved; other sets stay as they are.
int ts_block_set_limit_friction(const ts_block* block, ts_friction_shape shape, double* x);

/// Makes x admissible, a cone's normal first and then friction within what that carries; other sets are projected on.
void ts_block_set_admit(const ts_block* block, ts_friction_shape shape, double* x);

/// The smallest admissible impulse: what a block carries that nothing can move.
void ts_block_set_least(const ts_block* block, double* out_x);

/// What a block pushes that knows of nothing but itself: each row x = -g / stiffness, brought into its interval; a cone's friction as a
/// pyramid within it, of two facets for every tangent row r, along the normal plus and minus mu times r. Each of the n of them takes the
/// n-th part of what would stop its own approach g_N +- mu g_r with the stiffness k_N + mu^2 k_r. `stiffness` (rows) is that of
/// every row alone; where nothing moves, nothing pushes.
void ts_block_set_push_alone(const ts_block* block, const double* g, const double* stiffness, double* out_x);

/// The derivative of the projection at x (rows x rows, row-major). Returns 0, and leaves it alone, where it is all zero:
/// open contacts, saturated limits.
int ts_block_set_derivative(const ts_block* block, const double* x, double* out_derivative);

/// Which rows move while the others stay where they are.
typedef enum ts_block_moving {
    TS_MOVING_ALL,     // every row; cones as they are
    TS_MOVING_NORMAL,  // all but the friction of cones, whose normals are half-lines then
    TS_MOVING_DISC,    // the friction of cones, in the disc of radius mu x_N
    TS_MOVING_SQUARE   // the same, each row in [-mu x_N, mu x_N]
} ts_block_moving;

/// The point nearest to y whose rows that stay are those of x.
void ts_block_set_project_moving(const ts_block* block, ts_block_moving moving, const double* x, const double* y,
                                 double* out);

/// Its derivative by y, as ts_block_set_derivative: rows that stay are zero.
int ts_block_set_derivative_moving(const ts_block* block, ts_block_moving moving, const double* x, const double* y,
                                   double* out_derivative);

/// The same set in impulses of `normal` N s, a cone's tangent rows in those of `tangent` N s.
ts_block ts_block_set_in_units(const ts_block* block, double normal, double tangent);

/// What a set amounts to for methods that need an interior.
typedef enum ts_block_part {
    TS_PART_CONE,  // with friction worth the name
    TS_PART_LINE,  // the normal row alone, >= 0; the other rows stay zero
    TS_PART_BOX,   // wider than `thin`, at least one side closed
    TS_PART_FREE,
    TS_PART_FIXED  // a box that is thinner
} ts_block_part;

/// Which of them; `thin` is an impulse in the units of the block.
ts_block_part ts_block_set_part(const ts_block* block, double thin);

#ifdef __cplusplus
}
#endif
#endif
