#include "collision/distance/shape_pair.h"

double ts_shape_pair_gap(const ts_shape_pair* pair, ts_vec3 n, ts_vec3* out_a, ts_vec3* out_b) {
    ts_vec3 against = ts_transform_direction_inverse(&pair->b_in_a, ts_vec3_neg(n));
    *out_a = ts_support_core(pair->a, n, -1).point;
    *out_b = ts_transform_point(&pair->b_in_a, ts_support_core(pair->b, against, -1).point);
    return ts_vec3_dot(n, ts_vec3_sub(*out_b, *out_a));
}

void ts_separation_straighten(ts_separation* io) {
    ts_vec3 middle = ts_vec3_scale(0.5, ts_vec3_add(io->point_a, io->point_b));
    io->point_a = ts_vec3_add_scaled(middle, -0.5 * io->lower, io->normal);
    io->point_b = ts_vec3_add_scaled(middle, 0.5 * io->lower, io->normal);
}
