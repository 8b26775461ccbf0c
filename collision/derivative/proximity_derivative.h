// How the answer about a pair of shapes changes when one of them moves: derivatives of signed distance, normal, witness
// points and contact frame, and of every point of a manifold, exact or smoothed, with a certificate that says where they
// hold.
#ifndef TS_COLLISION_PROXIMITY_DERIVATIVE_H
#define TS_COLLISION_PROXIMITY_DERIVATIVE_H

#include "collision/distance/proximity.h"
#include "collision/manifold/manifold.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Why a derivative does not hold; bits of ts_derivative_certificate.flags.
enum {
    TS_DERIVATIVE_SINGULAR =
        1,  // several pairs of points are as near, or in an overlap no normal is best: K is not positive
    TS_DERIVATIVE_BORDER = 2,   // a feature (corner, edge, face, ruling) ends here: only one-sided derivatives exist
    TS_DERIVATIVE_UNKNOWN = 4,  // nothing could be said; the derivative is zero
    TS_DERIVATIVE_SMOOTHED = 8  // of a smoothed answer, not of the answer
};

/// Where a derivative holds. The witness points lie on features of the two cores (a corner, an edge or ruling, a face, a
/// smooth side), which the answer keeps as long as neither a point leaves its feature nor the normal the normals of it.
typedef struct ts_derivative_certificate {
    unsigned flags;  // 0: regular, the derivative is that of the answer
    double
        curvature;  // m: least eigenvalue of K = H_A + H_B + distance of the cores over the directions in which the normal
                    // is free; infinite where features hold it
    double
        crossing;  // sine of the angle between two edges or rulings that hold the normal; 1 where it is held otherwise
    double room;   // m: how far the points may move along the surfaces before one leaves its feature; infinite if never
    double turn;   // rad: how far the normal may turn before it leaves a feature's normals; infinite if never
} ts_derivative_certificate;

/// The derivative of a point of a manifold for the motion of B relative to A, A at rest: column j by the j-th number of B's
/// twist in WORLD axes, (velocity of the origin of B's frame, angular velocity). Everything in world axes.
typedef struct ts_manifold_derivative_point {
    double position[3][6];  // of ts_manifold_point.position
    double gap[6];          // of .gap
    double normal[3][6];    // of .normal
    ts_derivative_certificate certificate;
} ts_manifold_derivative_point;

/// The derivatives of all points of a manifold that ts_manifold_collide has just found for these shapes at these poses: of what
/// it computes, exactly, as long as the same features touch. Where A moves as well, the picture moves rigidly with A and B moves
/// relative to it. `cache` is what that call left behind, or NULL: only where two faces are parallel to rounding does it tell
/// which of them the normal belongs to. out_points: (manifold->count). Returns how many of them are regular.
int ts_manifold_derivative(const ts_shape* a, const ts_transform* pose_a, const ts_shape* b, const ts_transform* pose_b,
                           const ts_manifold* manifold, const ts_manifold_cache* cache,
                           ts_manifold_derivative_point* out_points);

#ifdef __cplusplus
}
#endif
#endif
