#include "collision/distance/shape_pair.h"

double ts_shape_pair_gap(const ts_shape_pair* pair, ts_vec3 n, ts_vec3* out_a, ts_vec3* out_b) {
    ts_vec3 against = ts_transform_direction_inverse(&pair->b_in_a, ts_vec3_neg(n));
    *out_a = ts_support_core(pair->a, n, -1).point;
    *out_b = ts_transform_point(&pair->b_in_a, ts_support_core(pair->b, against, -1).point);
    return ts_vec3_dot(n, ts_vec3_sub(*out_b, *out_a));
}
