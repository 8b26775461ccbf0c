// Common questions for the narrow phase: random pairs of shapes, each at a known signed distance.
#ifndef TS_BENCH_WORKLOAD_H
#define TS_BENCH_WORKLOAD_H

#include "collision/distance/proximity.h"

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/// What the pairs are made of. Poses are random throughout.
typedef enum ts_bench_family {
    TS_BENCH_ELLIPSOIDS,        // semi-axes uniform in 0.02 to 0.5 m
    TS_BENCH_ELLIPSOIDS_PAPER,  // semi-axes normal, 0.1 m +- 0.025 m (GJK++, Fig. 7)
    TS_BENCH_HULLS,             // hulls of random points on such ellipsoids (0.02 to 0.5 m)
    TS_BENCH_BOXES,             // half extents uniform in 0.05 to 0.5 m
    TS_BENCH_CAPSULES,          // radius 0.02 to 0.2 m, half length 0.05 to 0.5 m
    TS_BENCH_SPHERE_CAPSULE,    // a ball of 0.02 to 0.3 m and such a capsule
    TS_BENCH_SPHERES,           // balls of 0.02 to 0.3 m
    TS_BENCH_BOX_ELLIPSOID,     // a box and an ellipsoid as above
    TS_BENCH_FAMILY_COUNT
} ts_bench_family;

/// A question: two placed shapes, and what is known of their signed distance.
typedef struct ts_bench_pair {
    ts_shape a;
    ts_shape b;
    ts_transform pose_a;
    ts_transform pose_b;
    ts_transform b_in_a;
    ts_vec3 axis;     // unit, world, A to B: along it the pair was brought together
    ts_vec3 touch;    // m, where B's frame lies when the shapes just touch
    double distance;  // m, asked for: exact when >= 0, else nominal
    double lower;     // m, certified bounds of the signed distance
    double upper;
} ts_bench_pair;

/// Pairs and the hulls they use (owned). Zero-initialised is empty.
typedef struct ts_bench_workload {
    ts_bench_pair* pair;
    int count;
    ts_hull** hull;
    int hull_count;
    double worst_gap;    // m, widest certified bounds after ts_bench_workload_place
    double worst_place;  // m, how far the bounds are from the distance asked for, where that is >= 0
    int contradictions;  // pairs for which two of our ways certify bounds that exclude each other: must be 0
} ts_bench_workload;

/// "ellipsoids", "hulls", ...
const char* ts_bench_family_name(ts_bench_family family);

/// Makes `count` random pairs. `vertices` is for hulls. Returns 0 when memory is short or qhull refuses, else 1. Free
/// with ts_bench_workload_free.
int ts_bench_workload_make(ts_bench_family family, int vertices, int count, uint64_t seed,
                           ts_bench_workload* out_workload);

/// Makes pairs of given hulls (borrowed): hull first[i % first_count] against second[...], poses random.
int ts_bench_workload_of_hulls(const ts_hull* const* first, int first_count, const ts_hull* const* second,
                               int second_count, int count, uint64_t seed, ts_bench_workload* out_workload);

/// Slides every pair along its axis to the signed distance (m) and certifies what it then is. Closest points of shapes
/// that are apart stay closest while they slide along their own axis, so a distance >= 0 is exact; a negative one is
/// nominal, since the least depth may lie along another axis.
void ts_bench_workload_place(ts_bench_workload* workload, double distance);

/// As ts_bench_workload_place, each pair at its own distance.
void ts_bench_workload_place_each(ts_bench_workload* workload, const double* distance);

/// Frees pairs and hulls.
void ts_bench_workload_free(ts_bench_workload* workload);

/// How far an answer lies outside certified bounds, m; infinite when it is not finite.
double ts_bench_error(const ts_bench_pair* pair, double answer);

/// A hull of `vertices` random points on an ellipsoid with these semi-axes; NULL when it cannot be made.
ts_hull* ts_bench_hull_on_ellipsoid(ts_vec3 semi_axes, int vertices, uint64_t seed, uint64_t stream);

/// The YCB hulls in FOLDER/ycb_hulls (the data folder of the options), by name; at most `room`. Returns how many were read;
/// 0 when the folder is not there or `data_folder` is NULL. Free each with ts_hull_free.
int ts_bench_ycb_hulls(const char* data_folder, ts_hull** out_hull, int room);

#ifdef __cplusplus
}
#endif
#endif
