// How far a point lies outside of simple cores, for shapes that need it.
#include "collision/shape/shape_traits_internal.h"

double ts_excess_of_box(ts_vec3 low, ts_vec3 high, ts_vec3 p) {
    ts_vec3 below = ts_vec3_sub(low, p), above = ts_vec3_sub(p, high);
    return fmax(fmax(fmax(below.x, above.x), fmax(below.y, above.y)), fmax(below.z, above.z));
}

double ts_excess_of_polygon(const ts_vec3* corner, const int* index, int count, ts_vec3 normal, ts_vec3 p) {
    double most = 0.0;
    for (int k = 0; k < count; ++k) {
        ts_vec3 from = corner[index[k]], to = corner[index[k + 1 < count ? k + 1 : 0]];
        ts_vec3 r = ts_vec3_sub(p, from), out = ts_vec3_unit_or(ts_vec3_cross(ts_vec3_sub(to, from), normal), normal);
        most = fmax(most, fmax(fabs(ts_vec3_dot(normal, r)), ts_vec3_dot(out, r)));
    }
    return most;
}

ts_vec3 ts_nearest_on_segment(ts_vec3 a, ts_vec3 b, ts_vec3 p) {
    ts_vec3 e = ts_vec3_sub(b, a);
    double t = ts_vec3_dot(ts_vec3_sub(p, a), e) / ts_vec3_norm_squared(e);
    return ts_vec3_add_scaled(a, t < 0.0 ? 0.0 : (t > 1.0 ? 1.0 : t), e);
}
