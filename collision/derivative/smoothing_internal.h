// Smoothed answers and Hessians. Not for use outside collision/ and its tests.
#ifndef TS_COLLISION_SMOOTHING_INTERNAL_H
#define TS_COLLISION_SMOOTHING_INTERNAL_H

#include "base/rng.h"
#include "collision/derivative/witness_rates_internal.h"

#ifdef __cplusplus
extern "C" {
#endif

/// What a query answers, as numbers in A's frame: distance, normal, point on A, point on B.
enum { TS_ANSWER_NUMBERS = 10 };

/// Derivatives by queries alone: DIFFERENCE and GAUSSIAN_0, number i by column j of a twist of B in its own axes. Returns the flags of
/// what went wrong.
unsigned ts_answer_derivatives(const ts_shape* a, const ts_transform* pose_a, const ts_shape* b,
                               const ts_transform* pose_b, const ts_proximity* found,
                               const ts_derivative_options* options, double out_derivative[TS_ANSWER_NUMBERS][6]);

/// The Hessian of a core's support function at the unit direction n (in the shape's frame) on the tangents u and v, estimated:
/// symmetric, without negative curvature.
void ts_gaussian_hessian(const ts_shape* shape, const ts_vec3 nuv[3], int samples, double spread, ts_rng* rng,
                         ts_tangent_form* out_form);

/// The same of the maximum softened over the corners around the support point; of kinds without corners the Hessian itself.
void ts_gumbel_hessian(const ts_shape* shape, const ts_vec3 nuv[3], int rings, double temperature,
                       ts_tangent_form* out_form);

#ifdef __cplusplus
}
#endif
#endif
