// Frank-Wolfe on the configuration-space difference.
//
// Problem: min |x|^2 over D = A - B. Rule (Frank and Wolfe, Naval Research Logistics Quarterly 1956; as the baseline of
// Montaut et al., "GJK++"): s = support point of D along -x; x moves towards s. Guaranteed: 2 <x, x - s> bounds
// |x|^2 - |x*|^2. Known limit: it zigzags; near a flat face the error falls like 1/k, so polytopes take thousands of
// steps where GJK, which keeps the last few support points, takes six.
#include "bench/frank_wolfe.h"

#include "collision/shape/support.h"

static ts_vec3 support(const ts_bench_pair* pair, ts_vec3 direction) {
    ts_vec3 a = ts_support_core(&pair->a, direction, -1).point;
    ts_vec3 against = ts_transform_direction_inverse(&pair->b_in_a, ts_vec3_neg(direction));
    ts_vec3 b = ts_support_core(&pair->b, against, -1).point;
    return ts_vec3_sub(a, ts_transform_point(&pair->b_in_a, b));
}

ts_frank_wolfe_result ts_frank_wolfe(const ts_bench_pair* pair, ts_frank_wolfe_step step, double gap, int limit) {
    // The difference of the centres, a point of D: the shapes of the benchmark hold theirs.
    ts_frank_wolfe_result r = {ts_vec3_neg(pair->b_in_a.p), 0, 0};
    for (; r.iterations < limit; ++r.iterations) {
        ts_vec3 s = support(pair, ts_vec3_neg(r.x));
        ts_vec3 e = ts_vec3_sub(s, r.x);
        if (-2.0 * ts_vec3_dot(r.x, e) <= gap) {
            r.converged = 1;
            return r;
        }
        double part = 1.0 / (r.iterations + 2.0);
        if (step == TS_FRANK_WOLFE_LINE_SEARCH) {
            part = -ts_vec3_dot(r.x, e) / ts_vec3_norm_squared(e);
            if (part > 1.0) part = 1.0;
        }
        r.x = ts_vec3_add_scaled(r.x, part, e);
    }
    return r;
}
