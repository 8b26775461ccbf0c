// The sub-distance step against enumeration in long double.
#include "tests/collision/collision_fixture.h"

#include "collision/distance/gjk/subdistance_internal.h"

// Squared distance of the origin to the segment, by clamping.
static long double segment(wide3 a, wide3 b) {
    wide3 e = wide_sub(b, a);
    long double ee = wide_dot(e, e), t = ee > 0.0L ? -wide_dot(a, e) / ee : 0.0L;
    t = t < 0.0L ? 0.0L : (t > 1.0L ? 1.0L : t);
    wide3 p = {a.x + t * e.x, a.y + t * e.y, a.z + t * e.z};
    return wide_dot(p, p);
}

// Squared distance to the triangle: its edges, and its plane where the projection falls inside all three edges.
static long double triangle(wide3 a, wide3 b, wide3 c) {
    long double best = segment(a, b), other = segment(b, c);
    best = other < best ? other : best;
    other = segment(c, a);
    best = other < best ? other : best;
    wide3 n = wide_cross(wide_sub(b, a), wide_sub(c, a));
    long double nn = wide_dot(n, n);
    if (!(nn > 0.0L)) return best;
    wide3 corner[3] = {a, b, c};
    for (int k = 0; k < 3; ++k) {
        wide3 p = corner[k], q = corner[(k + 1) % 3];
        // -p is the origin seen from p
        wide3 to_origin = {-p.x, -p.y, -p.z};
        if (wide_dot(wide_cross(wide_sub(q, p), to_origin), n) < 0.0L) return best;
    }
    long double h = wide_dot(n, a);
    other = h * h / nn;
    return other < best ? other : best;
}

static long double simplex(const ts_vec3* v, int count) {
    wide3 w[4];
    for (int i = 0; i < count; ++i) w[i] = wide(v[i]);
    if (count == 1) return wide_dot(w[0], w[0]);
    if (count == 2) return segment(w[0], w[1]);
    if (count == 3) return triangle(w[0], w[1], w[2]);
    // Inside when the origin is on the inner side of all four faces.
    int inside = 1;
    long double best = 1e30L;
    for (int k = 0; k < 4; ++k) {
        wide3 a = w[(k + 1) % 4], b = w[(k + 2) % 4], c = w[(k + 3) % 4];
        wide3 n = wide_cross(wide_sub(b, a), wide_sub(c, a));
        long double apex = wide_dot(n, wide_sub(w[k], a)), origin = -wide_dot(n, a);
        if (!(apex * origin > 0.0L)) inside = 0;
        long double d = triangle(a, b, c);
        best = d < best ? d : best;
    }
    return inside ? 0.0L : best;
}

static ts_vec3 draw(ts_rng* rng, int family, ts_vec3 previous) {
    ts_vec3 v = random_vector(rng, 1.0);
    switch (family) {
    case 1: return ts_vec3_make(floor(3.0 * v.x), floor(3.0 * v.y), floor(3.0 * v.z));
    case 2: return ts_vec3_make(v.x, v.y, 0.3 + 1e-13 * v.z);
    case 3: return ts_rng_uniform(rng) < 0.4 ? previous : v;
    case 4: return ts_vec3_make(v.x, 1e-6 * v.y, 1e6 * v.z);
    case 5: return ts_vec3_scale(1e-6, v);
    case 6: return ts_vec3_make(v.x, 2.0 * v.x, -v.x + 1.0);
    case 7: return ts_vec3_add(v, ts_vec3_make(3.0, 0.0, 0.0));
    default: return v;
    }
}

Test(subdistance, matches_enumeration_on_regular_and_degenerate_simplices) {
    ts_rng rng = ts_rng_make(41, 0);
    for (int family = 0; family < 8; ++family)
        for (int count = 1; count <= 4; ++count)
            for (int trial = 0; trial < 5000; ++trial) {
                ts_vec3 v[4] = {{0, 0, 0}, {0, 0, 0}, {0, 0, 0}, {0, 0, 0}};
                double scale = 0.0;
                for (int i = 0; i < count; ++i) {
                    v[i] = draw(&rng, family, v[i ? i - 1 : 0]);
                    double size = ts_vec3_norm(v[i]);
                    scale = size > scale ? size : scale;
                }
                ts_subdistance s;
                ts_subdistance_solve(v, count, &s);
                cr_assert(s.count >= 1 && s.count <= count);
                double sum = 0.0;
                ts_vec3 combined = ts_vec3_zero();
                for (int i = 0; i < s.count; ++i) {
                    cr_assert(s.lambda[i] > 0.0 && s.lambda[i] <= 1.0 + 1e-12);
                    sum += s.lambda[i];
                    combined = ts_vec3_add_scaled(combined, s.lambda[i], v[s.index[i]]);
                }
                cr_assert_float_eq(sum, 1.0, 1e-12);
                // In the flattest families the weights of a sliver carry few digits; the point itself does not suffer.
                cr_assert_leq(ts_vec3_distance(combined, s.point), 1e-6 * scale + 1e-300);
                double expected = (double)sqrtl(simplex(v, count));
                cr_assert_float_eq(sqrt(s.distance_squared), expected, 1e-10 * scale + 1e-300,
                                   "family %d, %d vertices: %.17g, not %.17g", family, count, sqrt(s.distance_squared),
                                   expected);
            }
}
