// The cone projections against brute-force minimisation in long double, and against what every projection must obey.
#include "contact/cone.h"

#include <criterion/criterion.h>

#include "base/rng.h"

static const double frictions[] = {0.0, 1e-6, 0.05, 0.4, 1.0, 3.0, 1e3};
enum { FRICTION_COUNT = sizeof(frictions) / sizeof(frictions[0]), SAMPLE_COUNT = 400 };

static double tangent(ts_vec3 x) { return hypot(x.x, x.y); }

// A point inside, outside, on the axis, on the boundary, in the polar cone or at the tip.
static ts_vec3 sample(ts_rng* rng, double mu, int k) {
    ts_vec3 x = ts_vec3_make(ts_rng_normal(rng), ts_rng_normal(rng), ts_rng_normal(rng));
    if (k % 8 == 1) x.x = x.y = 0.0;
    if (k % 8 == 2) x.z = tangent(x) / (mu > 0.0 ? mu : 1.0);
    if (k % 8 == 3) x.z = -mu * tangent(x);
    if (k % 8 == 4) x.z = 0.0;
    if (k == 8) x = ts_vec3_zero();
    return x;
}

// Squared distance from (t, z) to the nearest point of the ray r (a, b), r >= 0, (a, b) a unit vector, by golden
// section over r; with the inside of the cone on the side of the axis. The cone is the set on or above the ray.
static long double ray_distance(long double t, long double z, long double a, long double b, long double* out_t,
                                long double* out_z) {
    long double low = 0.0L, high = 4.0L * (fabsl(t) + fabsl(z)) + 1e-30L;
    for (int k = 0; k < 300; ++k) {
        long double p = low + (high - low) / 3.0L, q = high - (high - low) / 3.0L;
        long double fp = (p * a - t) * (p * a - t) + (p * b - z) * (p * b - z);
        long double fq = (q * a - t) * (q * a - t) + (q * b - z) * (q * b - z);
        if (fp < fq)
            high = q;
        else
            low = p;
    }
    long double r = 0.5L * (low + high);
    *out_t = r * a;
    *out_z = r * b;
    return (r * a - t) * (r * a - t) + (r * b - z) * (r * b - z);
}

// The nearest point of { t <= slope z, z >= 0 } in the half-plane of x, brute force. slope < 0 stands for the
// half-space.
static void nearest(ts_vec3 x, long double a, long double b, int inside, ts_vec3* out_point, double* out_distance) {
    long double t = sqrtl((long double)x.x * x.x + (long double)x.y * x.y), nt = t, nz = x.z, squared = 0.0L;
    if (!inside) squared = ray_distance(t, x.z, a, b, &nt, &nz);
    long double scale = t > 0.0L ? nt / t : 0.0L;
    *out_point = ts_vec3_make((double)(scale * x.x), (double)(scale * x.y), (double)nz);
    *out_distance = (double)sqrtl(squared);
}

static void expect_near(ts_vec3 a, ts_vec3 b, double tolerance, const char* what, double mu) {
    cr_expect_leq(ts_vec3_distance(a, b), tolerance, "%s, mu %g: (%.17g %.17g %.17g) is not (%.17g %.17g %.17g)", what,
                  mu, a.x, a.y, a.z, b.x, b.y, b.z);
}

Test(projection, is_the_nearest_point_found_by_search) {
    ts_rng rng = ts_rng_make(1, 0);
    for (int m = 0; m < FRICTION_COUNT; ++m)
        for (int k = 0; k < SAMPLE_COUNT; ++k) {
            double mu = frictions[m], distance;
            ts_vec3 x = sample(&rng, mu, k), expected;
            long double length = sqrtl(1.0L + (long double)mu * mu);
            nearest(x, mu / length, 1.0L / length, x.z >= 0.0 && tangent(x) <= mu * x.z, &expected, &distance);
            // A ternary search on a parabola resolves the square root of the precision, 1e-9 or so.
            expect_near(ts_cone_project(x, mu), expected, 2e-9 * (1.0 + ts_vec3_norm(x)), "primal", mu);
            cr_expect_float_eq(ts_cone_distance(x, mu), distance, 1e-14 * (1.0 + distance) + 1e-15, "mu %g", mu);
            nearest(x, 1.0L / length, mu / length, x.z >= 0.0 && mu * tangent(x) <= x.z, &expected, &distance);
            expect_near(ts_cone_project_dual(x, mu), expected, 2e-9 * (1.0 + ts_vec3_norm(x)), "dual", mu);
            cr_expect_float_eq(ts_cone_distance_dual(x, mu), distance, 1e-14 * (1.0 + distance) + 1e-15, "mu %g", mu);
        }
}

// x = P_K(x) - P_K*(-x), the two parts orthogonal: to a few roundings, which the search above cannot see.
Test(projection, splits_every_vector_into_orthogonal_parts) {
    ts_rng rng = ts_rng_make(2, 0);
    for (int m = 0; m < FRICTION_COUNT; ++m)
        for (int k = 0; k < SAMPLE_COUNT; ++k) {
            double mu = frictions[m];
            ts_vec3 x = sample(&rng, mu, k);
            double size = ts_vec3_norm(x);
            ts_vec3 p = ts_cone_project(x, mu), d = ts_cone_project_dual(ts_vec3_neg(x), mu);
            expect_near(ts_vec3_sub(p, d), x, 4e-16 * (2.0 + size), "sum", mu);
            cr_expect_float_eq(ts_vec3_dot(p, d), 0.0, 1e-15 * (1.0 + size * size), "mu %g", mu);
            cr_expect_float_eq(ts_cone_distance(x, mu), ts_vec3_norm(d), 4e-16 * (2.0 + size), "mu %g", mu);
        }
}

Test(projection, is_idempotent_and_never_expands) {
    ts_rng rng = ts_rng_make(3, 0);
    for (int m = 0; m < FRICTION_COUNT; ++m)
        for (int k = 0; k < SAMPLE_COUNT; ++k) {
            double mu = frictions[m];
            ts_vec3 x = sample(&rng, mu, k), y = sample(&rng, mu, k / 8);
            ts_vec3 px = ts_cone_project(x, mu), py = ts_cone_project(y, mu);
            ts_vec3 dx = ts_cone_project_dual(x, mu), dy = ts_cone_project_dual(y, mu);
            expect_near(ts_cone_project(px, mu), px, 4e-16 * (1.0 + ts_vec3_norm(x)), "primal twice", mu);
            expect_near(ts_cone_project_dual(dx, mu), dx, 4e-16 * (1.0 + ts_vec3_norm(x)), "dual twice", mu);
            double apart = ts_vec3_distance(x, y) * (1.0 + 1e-15) + 1e-15;
            cr_expect_leq(ts_vec3_distance(px, py), apart);
            cr_expect_leq(ts_vec3_distance(dx, dy), apart);
            cr_expect_leq(ts_cone_distance(px, mu), 4e-16 * (1.0 + ts_vec3_norm(x)));
            cr_expect_leq(ts_cone_distance_dual(dx, mu), 4e-16 * (1.0 + ts_vec3_norm(x)));
        }
}

// The horizontal projection is the nearest point of a disc whose radius the normal sets beforehand.
Test(horizontal_projection, clamps_the_normal_and_pulls_the_tangent_radially) {
    ts_rng rng = ts_rng_make(4, 0);
    for (int m = 0; m < FRICTION_COUNT; ++m)
        for (int k = 0; k < SAMPLE_COUNT; ++k) {
            double mu = frictions[m];
            ts_vec3 x = sample(&rng, mu, k), p = ts_cone_project_horizontal(x, mu);
            double z = fmax(0.0, x.z), t = tangent(x), radius = mu * z;
            cr_expect_eq(p.z, z);
            cr_expect_float_eq(tangent(p), fmin(t, radius), 4e-16 * (t + radius), "mu %g", mu);
            cr_expect_float_eq(p.x * x.y - p.y * x.x, 0.0, 4e-16 * t * t);
            cr_expect_geq(p.x * x.x + p.y * x.y, 0.0);
        }
}

Test(shift, raises_the_normal_by_friction_times_slip) {
    ts_vec3 s = ts_cone_shift(ts_vec3_make(3.0, -4.0, 7.0), 0.5);
    cr_expect_eq(s.x, 0.0);
    cr_expect_eq(s.y, 0.0);
    cr_expect_eq(s.z, 2.5);
}

Test(projection, lets_a_nan_through) {
    ts_vec3 x = ts_vec3_make(NAN, 1.0, 1.0);
    cr_expect(!ts_vec3_is_finite(ts_cone_project(x, 0.5)));
    cr_expect(!ts_vec3_is_finite(ts_cone_project_dual(x, 0.5)));
    cr_expect(isnan(ts_cone_distance(x, 0.5)));
    cr_expect(isnan(ts_cone_distance_dual(x, 0.5)));
}
