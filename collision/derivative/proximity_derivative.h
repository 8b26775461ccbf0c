// How the answer about a pair of shapes changes when one of them moves: derivatives of signed distance, normal, witness
// points and contact frame, and of every point of a manifold, exact or smoothed, with a certificate that says where they
// hold.
#ifndef TS_COLLISION_PROXIMITY_DERIVATIVE_H
#define TS_COLLISION_PROXIMITY_DERIVATIVE_H

#include "collision/distance/proximity.h"
#include "collision/manifold/manifold.h"

#include <stdint.h>

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
    double
        room;  // m: how far the points may move along the surfaces before one leaves its feature, or the shapes before
               // another way out of an overlap is as good; infinite if never
    double turn;  // rad: how far the normal may turn before it leaves a feature's normals; infinite if never
} ts_derivative_certificate;

/// How to differentiate the answer about a pair. The smoothed ones have a use where the exact one has none: between corners, where it
/// is zero, and at the ends of features.
typedef enum ts_derivative_method {
    TS_DERIVATIVE_EXACT,       // first order, with the features as they are
    TS_DERIVATIVE_DIFFERENCE,  // central differences of the query, 12 of them
    TS_DERIVATIVE_GAUSSIAN_0,  // of the answer averaged over poses scattered about this one: queries only
    TS_DERIVATIVE_GAUSSIAN_1,  // first order, the support functions averaged over directions scattered about the normal
    TS_DERIVATIVE_GUMBEL,      // first order, the corners around the support point weighed by how far out they are
    TS_DERIVATIVE_METHOD_COUNT
} ts_derivative_method;

/// How GAUSSIAN_0 keeps its scatter down.
typedef enum ts_derivative_variance {
    TS_DERIVATIVE_ANTITHETIC,  // poses in pairs, one on either side of this one
    TS_DERIVATIVE_BASELINE,    // the answer at this pose is subtracted
    TS_DERIVATIVE_PLAIN        // not at all, as the paper prints it: hundreds of times the scatter
} ts_derivative_variance;

/// Options; see ts_derivative_options_default.
typedef struct ts_derivative_options {
    ts_derivative_method method;
    double increment;  // of DIFFERENCE: m and rad
    int samples;       // of the Gaussians: queries, or support points of each shape
    double spread;     // of the Gaussians: standard deviation, m and rad (0), or of a unit normal's numbers (1)
    ts_derivative_variance variance;  // of GAUSSIAN_0
    uint64_t seed;                    // of the Gaussians: the same seed, the same numbers
    int rings;           // of GUMBEL: corners up to so many edges away count; of hulls, other kinds have few
    double temperature;  // of GUMBEL: how much less far out still counts, as a share of half the shape's diagonal
    ts_vec3
        tangent;  // in A's frame: the first tangent of the contact frame is this one's part across the normal; zero: the axis
                  // of A's frame that is least along the normal
} ts_derivative_options;

/// The derivative of an answer with respect to the pose of B in A's frame: T -> T Exp(xi), column j by number j of xi = (velocity of
/// B's origin, angular velocity), both in B's own axes. Everything else is in A's frame.
typedef struct ts_proximity_derivative {
    double distance[6];
    double normal[3][6];
    double point_a[3][6];
    double point_b[3][6];
    double tangent[2][3][6];  // of the contact frame's other axes, the second normal x first
    ts_derivative_certificate certificate;
} ts_proximity_derivative;

/// Exact; differences by 1e-6; 50 samples spread by 1e-2, antithetic; one ring at a temperature of 1e-2; seed 1; no tangent.
ts_derivative_options ts_derivative_options_default(void);

/// "exact", "difference", "gaussian-0", "gaussian-1", "gumbel"; never NULL.
const char* ts_derivative_method_name(ts_derivative_method method);

/// The method of that name, or TS_DERIVATIVE_METHOD_COUNT.
ts_derivative_method ts_derivative_method_find(const char* name);

/// The derivative of what ts_proximity_query has just found, with the distance as goal, for these shapes at these poses. `options`
/// may be NULL. In an overlap of cores EXACT asks once more for other ways out, unless the query was asked for `rivals`. Methods
/// that ask further queries ask them without a cache. Of an answer without a distance (INVALID_INPUT, an early end) nothing is
/// known: UNKNOWN. Of shapes made of parts it is that of the part that has the point, BORDER where several have it; the room there
/// is also how near another pair of parts is to being the nearest, as far as a tenth of the smaller shape. GUMBEL and GAUSSIAN_1 do
/// not exist for half-spaces: they are exact there.
void ts_proximity_differentiate(const ts_shape* a, const ts_transform* pose_a, const ts_shape* b,
                                const ts_transform* pose_b, const ts_proximity* found,
                                const ts_derivative_options* options, ts_proximity_derivative* out_derivative);

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
