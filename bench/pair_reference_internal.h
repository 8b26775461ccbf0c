// The derivative of a pair's query against differences of the query, for the benchmark and the test of collision derivatives.
//
// A column is compared with sixth-order central differences by the increment that agrees best with the one before, among those that keep to the features as far as the
// certificate knows, whatever the exact derivative says. What the two leave open says how much the reference is worth.
#ifndef TS_BENCH_PAIR_REFERENCE_INTERNAL_H
#define TS_BENCH_PAIR_REFERENCE_INTERNAL_H

#include <math.h>
#include <string.h>

#include "collision/derivative/proximity_derivative.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Distance, and normal and both points in A's frame.
enum { TS_PAIR_NUMBERS = 10 };

/// A pair of placed shapes.
typedef struct ts_pair_placed {
    const ts_shape *a, *b;
    const ts_transform *pose_a, *pose_b;
} ts_pair_placed;

/// The numbers with B at `pose_b`.
static inline void ts_pair_numbers(const ts_pair_placed* p, const ts_transform* pose_b, double out[TS_PAIR_NUMBERS]) {
    ts_proximity found;
    ts_proximity_query(p->a, p->pose_a, p->b, pose_b, NULL, NULL, &found);
    out[0] = found.distance;
    ts_vec3_store(ts_transform_direction_inverse(p->pose_a, found.found.normal), out + 1);
    ts_vec3_store(ts_transform_point_inverse(p->pose_a, found.found.point_a), out + 4);
    ts_vec3_store(ts_transform_point_inverse(p->pose_a, found.found.point_b), out + 7);
}

/// Column j, of a twist in B's own axes, by central differences of the increment h.
static inline void ts_pair_difference(const ts_pair_placed* p, int j, double h, double out[TS_PAIR_NUMBERS]) {
    static const double weight[6] = {-1.0, 9.0, -45.0, 45.0, -9.0, 1.0};
    static const int at[6] = {-3, -2, -1, 1, 2, 3};
    for (int i = 0; i < TS_PAIR_NUMBERS; ++i) out[i] = 0.0;
    for (int k = 0; k < 6; ++k) {
        double f[TS_PAIR_NUMBERS], t = at[k] * h;
        ts_transform to = *p->pose_b;
        if (j < 3)
            to.p = ts_transform_point(&to, ts_vec3_scale(t, ts_vec3_axis(j)));
        else
            to.R = ts_mat3_mul(to.R, ts_quat_to_mat3(ts_quat_from_axis_angle(ts_vec3_axis(j - 3), t)));
        ts_pair_numbers(p, &to, f);
        for (int i = 0; i < TS_PAIR_NUMBERS; ++i) out[i] += weight[k] * f[i] / (60.0 * h);
    }
}

/// The reference of column j by increments below `most`, or the smallest two. Returns what it leaves open, relative to the column's largest number and 1.
static inline double ts_pair_reference(const ts_pair_placed* p, int j, double most, double out[TS_PAIR_NUMBERS]) {
    double before[TS_PAIR_NUMBERS], d[TS_PAIR_NUMBERS], best = (double)INFINITY;
    int tried = 0;
    for (double h = 3e-2; h > 1e-8 && best > 1e-9; h *= 0.3) {
        double apart = 0.0, size = 1.0;
        if (!(h < most) && h > 1e-7) continue;
        ts_pair_difference(p, j, h, d);
        for (int i = 0; i < TS_PAIR_NUMBERS; ++i) size = fmax(size, fabs(d[i]));
        for (int i = 0; i < TS_PAIR_NUMBERS && tried; ++i) apart = fmax(apart, fabs(d[i] - before[i]) / size);
        if (tried++ && apart < best) {
            best = apart;
            memcpy(out, d, sizeof d);
        }
        memcpy(before, d, sizeof d);
    }
    return best;
}

/// The largest error of a derivative, relative likewise; *out_open is what the references leave open at most.
static inline double ts_pair_error(const ts_pair_placed* p, const ts_proximity_derivative* d, double* out_open) {
    double worst = 0.0;
    *out_open = 0.0;
    for (int j = 0; j < 6; ++j) {
        double exact[TS_PAIR_NUMBERS] = {d->distance[j]}, wanted[TS_PAIR_NUMBERS] = {0.0};
        double size = 1.0, sliding = 1.0, turning = 1.0;
        for (int i = 0; i < 3; ++i) {
            exact[1 + i] = d->normal[i][j];
            exact[4 + i] = d->point_a[i][j];
            exact[7 + i] = d->point_b[i][j];
        }
        for (int i = 1; i < 4; ++i) turning = fmax(turning, fabs(exact[i]));
        for (int i = 4; i < TS_PAIR_NUMBERS; ++i) sliding = fmax(sliding, fabs(exact[i]));
        // Three increments to either side stay on the features, as far as the certificate knows.
        double most = fmin(d->certificate.room / sliding, d->certificate.turn / turning) / 6.0;
        *out_open = fmax(*out_open, ts_pair_reference(p, j, most, wanted));
        for (int i = 0; i < TS_PAIR_NUMBERS; ++i) size = fmax(size, fabs(exact[i]));
        for (int i = 0; i < TS_PAIR_NUMBERS; ++i) worst = fmax(worst, fabs(exact[i] - wanted[i]) / size);
    }
    return worst;
}

#ifdef __cplusplus
}
#endif
#endif
