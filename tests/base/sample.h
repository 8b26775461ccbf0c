// Random material for tests of base/. Every draw comes from a ts_rng, so a failing case can be repeated.
#ifndef TS_TESTS_BASE_SAMPLE_H
#define TS_TESTS_BASE_SAMPLE_H

#include "base/pose.h"
#include "base/rng.h"
#include "base/spatial.h"

/// A vector with components in [-size, size).
static inline ts_vec3 sample_vec3(ts_rng* rng, double size) {
    double x = ts_rng_uniform_in(rng, -size, size), y = ts_rng_uniform_in(rng, -size, size);
    return ts_vec3_make(x, y, ts_rng_uniform_in(rng, -size, size));
}

/// A direction, evenly spread over the sphere.
static inline ts_vec3 sample_unit(ts_rng* rng) {
    double x = ts_rng_normal(rng), y = ts_rng_normal(rng);
    return ts_vec3_unit_or(ts_vec3_make(x, y, ts_rng_normal(rng)), ts_vec3_axis(2));
}

/// A rotation, evenly spread.
static inline ts_quat sample_quat(ts_rng* rng) {
    double w = ts_rng_normal(rng), x = ts_rng_normal(rng), y = ts_rng_normal(rng);
    return ts_quat_normalize(ts_quat_make(w, x, y, ts_rng_normal(rng)));
}

/// A matrix with entries in [-size, size).
static inline ts_mat3 sample_mat3(ts_rng* rng, double size) {
    ts_vec3 r0 = sample_vec3(rng, size), r1 = sample_vec3(rng, size);
    return ts_mat3_from_rows(r0, r1, sample_vec3(rng, size));
}

/// A pose with its position in a cube of half width `size`.
static inline ts_pose sample_pose(ts_rng* rng, double size) {
    ts_pose pose = {sample_vec3(rng, size), sample_quat(rng)};
    return pose;
}

/// A symmetric matrix with the given eigenvalues and random axes.
static inline ts_mat3 sample_symmetric(ts_rng* rng, ts_vec3 values) {
    ts_mat3 a = ts_mat3_rotate_tensor(ts_quat_to_mat3(sample_quat(rng)), ts_mat3_diagonal(values));
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < i; ++j) a.m[i][j] = a.m[j][i];
    return a;
}

/// The largest difference of two matrices' entries.
static inline double sample_mat3_gap(ts_mat3 a, ts_mat3 b) {
    double gap = 0.0;
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j) {
            double d = fabs(a.m[i][j] - b.m[i][j]);
            if (!(d <= gap)) gap = d;
        }
    return gap;
}

/// The largest difference of two vectors' components.
static inline double sample_vec3_gap(ts_vec3 a, ts_vec3 b) { return ts_vec3_max_abs(ts_vec3_sub(a, b)); }

#endif
