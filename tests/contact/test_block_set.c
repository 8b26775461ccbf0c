// The sets of impulses: projections against brute-force minimisation in long double and against what every projection must
// obey, derivatives against differences, and what a set admits.
#include "contact/block_set_internal.h"

#include <criterion/criterion.h>
#include <string.h>

#include "base/rng.h"

static const double frictions[] = {0.0, 1e-6, 0.05, 0.4, 1.0, 3.0, 1e3};
enum { FRICTION_COUNT = sizeof(frictions) / sizeof(frictions[0]), SAMPLE_COUNT = 400 };

static double tangent(ts_vec3 x) { return hypot(x.x, x.y); }

static ts_block cone_of(int rows, double mu) { return (ts_block){TS_SET_CONE, 0, rows, mu, 0.0, 0.0}; }

static ts_vec3 project(ts_vec3 x, double mu) {
    ts_block block = cone_of(3, mu);
    double y[3];
    ts_vec3_store(x, y);
    ts_block_set_project(&block, y, y);
    return ts_vec3_load(y);
}

// What the cone is to impulses the dual is to velocities: P_K*(x) = x + P_K(-x).
static ts_vec3 project_dual(ts_vec3 x, double mu) { return ts_vec3_add(x, project(ts_vec3_neg(x), mu)); }

static double distance(ts_vec3 x, double mu) {
    double tt = x.x * x.x + x.y * x.y;
    return ts_block_set_cone_distance(tt, sqrt(tt), x.z, mu);
}

static double distance_dual(ts_vec3 x, double mu) {
    double tt = x.x * x.x + x.y * x.y;
    return ts_block_set_dual_distance(tt, sqrt(tt), x.z, mu);
}

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
            double mu = frictions[m], nearest_distance;
            ts_vec3 x = sample(&rng, mu, k), expected;
            long double length = sqrtl(1.0L + (long double)mu * mu);
            nearest(x, mu / length, 1.0L / length, x.z >= 0.0 && tangent(x) <= mu * x.z, &expected, &nearest_distance);
            // A ternary search on a parabola resolves the square root of the precision, 1e-9 or so.
            expect_near(project(x, mu), expected, 2e-9 * (1.0 + ts_vec3_norm(x)), "primal", mu);
            cr_expect_float_eq(distance(x, mu), nearest_distance, 1e-14 * (1.0 + nearest_distance) + 1e-15, "mu %g",
                               mu);
            nearest(x, 1.0L / length, mu / length, x.z >= 0.0 && mu * tangent(x) <= x.z, &expected, &nearest_distance);
            expect_near(project_dual(x, mu), expected, 2e-9 * (1.0 + ts_vec3_norm(x)), "dual", mu);
            cr_expect_float_eq(distance_dual(x, mu), nearest_distance, 1e-14 * (1.0 + nearest_distance) + 1e-15,
                               "mu %g", mu);
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
            ts_vec3 p = project(x, mu), d = project_dual(ts_vec3_neg(x), mu);
            expect_near(ts_vec3_sub(p, d), x, 4e-16 * (2.0 + size), "sum", mu);
            ts_vec3 inlined = ts_block_set_project_cone(x, mu);
            cr_expect_eq(memcmp(&inlined, &p, sizeof p), 0, "mu %g", mu);
            cr_expect_float_eq(ts_vec3_dot(p, d), 0.0, 1e-15 * (1.0 + size * size), "mu %g", mu);
            cr_expect_float_eq(distance(x, mu), ts_vec3_norm(d), 4e-16 * (2.0 + size), "mu %g", mu);
        }
}

Test(projection, is_idempotent_and_never_expands) {
    ts_rng rng = ts_rng_make(3, 0);
    for (int m = 0; m < FRICTION_COUNT; ++m)
        for (int k = 0; k < SAMPLE_COUNT; ++k) {
            double mu = frictions[m];
            ts_vec3 x = sample(&rng, mu, k), y = sample(&rng, mu, k / 8);
            ts_vec3 px = project(x, mu), py = project(y, mu);
            ts_vec3 dx = project_dual(x, mu), dy = project_dual(y, mu);
            expect_near(project(px, mu), px, 4e-16 * (1.0 + ts_vec3_norm(x)), "primal twice", mu);
            expect_near(project_dual(dx, mu), dx, 4e-16 * (1.0 + ts_vec3_norm(x)), "dual twice", mu);
            double apart = ts_vec3_distance(x, y) * (1.0 + 1e-15) + 1e-15;
            cr_expect_leq(ts_vec3_distance(px, py), apart);
            cr_expect_leq(ts_vec3_distance(dx, dy), apart);
            cr_expect_leq(distance(px, mu), 4e-16 * (1.0 + ts_vec3_norm(x)));
            cr_expect_leq(distance_dual(dx, mu), 4e-16 * (1.0 + ts_vec3_norm(x)));
        }
}

// Normal first: the nearest point of a disc whose radius the normal sets beforehand.
Test(admit, clamps_the_normal_and_pulls_friction_radially) {
    ts_rng rng = ts_rng_make(4, 0);
    for (int m = 0; m < FRICTION_COUNT; ++m)
        for (int k = 0; k < SAMPLE_COUNT; ++k) {
            double mu = frictions[m], row[3];
            ts_vec3 x = sample(&rng, mu, k), p = ts_block_set_admit_cone(x, mu);
            double z = fmax(0.0, x.z), t = tangent(x), radius = mu * z;
            cr_expect_eq(p.z, z);
            cr_expect_float_eq(tangent(p), fmin(t, radius), 4e-16 * (t + radius), "mu %g", mu);
            cr_expect_float_eq(p.x * x.y - p.y * x.x, 0.0, 4e-16 * t * t);
            cr_expect_geq(p.x * x.x + p.y * x.y, 0.0);
            ts_block block = cone_of(3, mu);
            ts_vec3_store(x, row);
            ts_block_set_admit(&block, TS_FRICTION_DISC, row);
            cr_expect(row[0] == p.x && row[1] == p.y && row[2] == p.z, "mu %g", mu);
        }
}

Test(admit, cuts_every_tangent_row_to_the_pyramid) {
    ts_block block = cone_of(6, 0.5);
    double x[6] = {3.0, -0.5, 2.0, -3.0, 1.0, 0.25}, open[6] = {1.0, 1.0, -2.0, 1.0, -1.0, 1.0};
    const double cut[6] = {1.0, -0.5, 2.0, -1.0, 1.0, 0.25};
    cr_expect_neq(ts_block_set_limit_friction(&block, TS_FRICTION_SQUARE, x), 0);
    for (int r = 0; r < 6; ++r) cr_expect_eq(x[r], cut[r], "row %d", r);
    cr_expect_eq(ts_block_set_limit_friction(&block, TS_FRICTION_SQUARE, x), 0);
    ts_block_set_admit(&block, TS_FRICTION_SQUARE, open);
    for (int r = 0; r < 6; ++r) cr_expect_eq(open[r], 0.0, "row %d", r);
}

// A turn among the tangent rows changes nothing, so 4 and 6 rows must do what 3 rows do in the plane of |x_T|.
Test(projection, of_more_rows_is_that_of_their_length) {
    ts_rng rng = ts_rng_make(5, 0);
    for (int rows = 4; rows <= 6; rows += 2)
        for (int m = 0; m < FRICTION_COUNT; ++m)
            for (int k = 0; k < SAMPLE_COUNT; ++k) {
                double mu = frictions[m], x[6], p[6], direction[6], length = 0.0;
                ts_vec3 flat = sample(&rng, mu, k);
                for (int r = 0; r < rows; ++r) direction[r] = r == 2 ? 0.0 : ts_rng_normal(&rng);
                for (int r = 0; r < rows; ++r) length += direction[r] * direction[r];
                for (int r = 0; r < rows; ++r) x[r] = r == 2 ? flat.z : tangent(flat) * direction[r] / sqrt(length);
                ts_block block = cone_of(rows, mu);
                ts_block_set_project(&block, x, p);
                ts_vec3 expected = project(ts_vec3_make(tangent(flat), 0.0, flat.z), mu);
                double size = 1e-15 * (1.0 + ts_vec3_norm(flat));
                for (int r = 0; r < rows; ++r)
                    cr_expect_float_eq(p[r], r == 2 ? expected.z : expected.x * direction[r] / sqrt(length), 4.0 * size,
                                       "%d rows, mu %g", rows, mu);
            }
}

// Intervals: the nearest number, by hand; what a set holds is left alone, and NaN is not lost.
Test(projection, of_intervals_and_free_rows) {
    const ts_block half = {TS_SET_HALF_LINE, 0, 1, 0.0, 0.0, 0.0}, box = {TS_SET_BOX, 0, 1, 0.0, -2.0, 3.0};
    const ts_block open = {TS_SET_BOX, 0, 1, 0.0, 1.0, HUGE_VAL}, all = {TS_SET_FREE, 0, 2, 0.0, 0.0, 0.0};
    const double x[5] = {-5.0, -1.0, 0.0, 2.5, 7.0};
    const double in_half[5] = {0.0, 0.0, 0.0, 2.5, 7.0}, in_box[5] = {-2.0, -1.0, 0.0, 2.5, 3.0};
    const double in_open[5] = {1.0, 1.0, 1.0, 2.5, 7.0};
    const ts_block* set[3] = {&half, &box, &open};
    const double* expected[3] = {in_half, in_box, in_open};
    for (int s = 0; s < 3; ++s) {
        double p, least;
        for (int k = 0; k < 5; ++k) {
            ts_block_set_project(set[s], &x[k], &p);
            cr_expect_eq(p, expected[s][k], "set %d, %g", s, x[k]);
        }
        ts_block_set_least(set[s], &least);
        cr_expect_eq(least, expected[s][2]);
        const double nothing = NAN;
        ts_block_set_project(set[s], &nothing, &p);
        cr_expect(isnan(p), "set %d", s);
    }
    double free_rows[2] = {-4.0, NAN};
    ts_block_set_project(&all, free_rows, free_rows);
    cr_expect_eq(free_rows[0], -4.0);
    cr_expect(isnan(free_rows[1]));
}

// Column by column, by central differences in long steps of a projection that is linear along rays; points near a kink are
// left out, where no derivative exists.
static void expect_derivative(const ts_block* block, const double* x) {
    const double h = 1e-6;
    double D[36] = {0.0}, low[6], high[6], moved[6];
    int rows = block->rows, any = ts_block_set_derivative(block, x, D);
    for (int c = 0; c < rows; ++c) {
        memcpy(moved, x, sizeof moved);
        moved[c] = x[c] + h;
        ts_block_set_project(block, moved, high);
        moved[c] = x[c] - h;
        ts_block_set_project(block, moved, low);
        for (int r = 0; r < rows; ++r)
            cr_expect_float_eq(any ? D[r * rows + c] : 0.0, (high[r] - low[r]) / (2.0 * h), 1e-5,
                               "set %d, mu %g, entry %d %d: %g", (int)block->set, block->mu, r, c, D[r * rows + c]);
    }
}

Test(derivative, is_that_of_the_projection) {
    ts_rng rng = ts_rng_make(6, 0);
    const int shape[3] = {3, 4, 6};
    const double slope[4] = {0.0, 0.05, 0.7, 3.0};
    for (int k = 0; k < 4 * SAMPLE_COUNT; ++k) {
        ts_block block = cone_of(shape[k % 3], slope[k % 4]);
        double x[6] = {0.0};
        for (int r = 0; r < block.rows; ++r) x[r] = ts_rng_normal(&rng);
        double t = ts_block_set_tangent_length(x, block.rows);
        if (fabs(t - block.mu * x[2]) < 1e-2 || fabs(block.mu * t + x[2]) < 1e-2 || t < 0.1) continue;
        expect_derivative(&block, x);
    }
    const ts_block half = {TS_SET_HALF_LINE, 0, 1, 0.0, 0.0, 0.0}, box = {TS_SET_BOX, 0, 1, 0.0, -2.0, 3.0};
    const ts_block all = {TS_SET_FREE, 0, 6, 0.0, 0.0, 0.0};
    const double x[6] = {-5.0, -1.0, 0.5, 2.5, 7.0, 1.0};
    for (int k = 0; k < 5; ++k) {
        double one[6] = {x[k]};
        expect_derivative(&half, one);
        expect_derivative(&box, one);
    }
    expect_derivative(&all, x);
}

Test(shift, raises_the_normal_by_friction_times_slip) {
    double u[4] = {3.0, -4.0, 7.0, 12.0}, x[4] = {1.0, 1.0, 1.0, 1.0}, one = 2.0;
    ts_block block = cone_of(4, 0.5), half = {TS_SET_HALF_LINE, 0, 1, 0.0, 0.0, 0.0};
    cr_expect_eq(ts_block_set_add_shift(&block, u, -1.0, x), 13.0);
    cr_expect(x[0] == 1.0 && x[1] == 1.0 && x[2] == -5.5 && x[3] == 1.0);
    cr_expect_eq(ts_block_set_add_shift(&half, &one, 1.0, &one), 0.0);
    cr_expect_eq(one, 2.0);
}

Test(part, says_what_a_set_amounts_to) {
    const ts_block box = {TS_SET_BOX, 0, 1, 0.0, -2.0, 3.0}, half = {TS_SET_HALF_LINE, 0, 1, 0.0, 0.0, 0.0};
    const ts_block open = {TS_SET_BOX, 0, 1, 0.0, -HUGE_VAL, HUGE_VAL}, all = {TS_SET_FREE, 0, 2, 0.0, 0.0, 0.0};
    ts_block cone = cone_of(3, 0.5), needle = cone_of(3, 1e-9);
    cr_expect_eq(ts_block_set_part(&cone, 1.0), TS_PART_CONE);
    cr_expect_eq(ts_block_set_part(&needle, 1.0), TS_PART_LINE);
    cr_expect_eq(ts_block_set_part(&half, 1.0), TS_PART_LINE);
    cr_expect_eq(ts_block_set_part(&box, 1.0), TS_PART_BOX);
    cr_expect_eq(ts_block_set_part(&box, 5.0), TS_PART_FIXED);
    cr_expect_eq(ts_block_set_part(&open, 5.0), TS_PART_FREE);
    cr_expect_eq(ts_block_set_part(&all, 5.0), TS_PART_FREE);
    ts_block larger = ts_block_set_in_units(&box, 0.5, 0.5), steeper = ts_block_set_in_units(&cone, 4.0, 2.0);
    cr_expect(larger.low == -4.0 && larger.high == 6.0);
    cr_expect_eq(steeper.mu, 1.0);
    cr_expect_eq(ts_block_set_normal_row(&cone), 2);
    cr_expect_eq(ts_block_set_normal_row(&half), 0);
    cr_expect_eq(ts_block_set_normal_row(&box), -1);
}

Test(projection, lets_a_nan_through) {
    ts_vec3 x = ts_vec3_make(NAN, 1.0, 1.0);
    cr_expect(!ts_vec3_is_finite(project(x, 0.5)));
    cr_expect(!ts_vec3_is_finite(project_dual(x, 0.5)));
    cr_expect(isnan(distance(x, 0.5)));
    cr_expect(isnan(distance_dual(x, 0.5)));
}

// --- some rows at a time ---------------------------------------------------------------------------------------------

// Rows that stay are those of x; the others are as near to y as the section of the set through x allows: no random point of
// that section is nearer. The derivative is that of differences.
static void expect_part(const ts_block* block, ts_block_moving moving, ts_rng* rng) {
    enum { MAX = TS_BLOCK_ROWS_MAX, TRIALS = 200 };
    const double step = 1e-7;
    double x[MAX], y[MAX], p[MAX], D[MAX * MAX], bound, along[MAX];
    int cone = block->set == TS_SET_CONE;
    for (int r = 0; r < block->rows; ++r) {
        x[r] = ts_rng_normal(rng);
        y[r] = 2.0 * ts_rng_normal(rng);
    }
    if (cone && moving != TS_MOVING_NORMAL) x[2] = fabs(x[2]);
    ts_block_set_project_moving(block, moving, x, y, p);
    bound = cone ? block->mu * x[2] : 0.0;
    double best = 0.0;
    for (int r = 0; r < block->rows; ++r) {
        int moves = cone ? (r == 2) == (moving == TS_MOVING_NORMAL) : moving == TS_MOVING_NORMAL;
        if (!moves) cr_expect_eq(p[r], x[r], "row %d", r);
        best += (p[r] - y[r]) * (p[r] - y[r]) * moves;
    }
    for (int k = 0; k < TRIALS && cone; ++k) {
        double other = 0.0, length = 0.0;
        if (moving == TS_MOVING_NORMAL) {
            double z = fabs(2.0 * ts_rng_normal(rng));
            other = (z - y[2]) * (z - y[2]);
        } else {
            for (int r = 0; r < block->rows; ++r) along[r] = r == 2 ? 0.0 : ts_rng_uniform_in(rng, -bound, bound);
            for (int r = 0; r < block->rows; ++r) length += along[r] * along[r];
            if (moving == TS_MOVING_DISC && length > bound * bound) continue;
            for (int r = 0; r < block->rows; ++r) other += r == 2 ? 0.0 : (along[r] - y[r]) * (along[r] - y[r]);
        }
        cr_expect_geq(other, best - 1e-12, "a nearer point, moving %d", (int)moving);
    }
    int any = ts_block_set_derivative_moving(block, moving, x, y, D);
    for (int c = 0; c < block->rows; ++c) {
        double ahead[MAX], behind[MAX], kept = y[c];
        y[c] = kept + step;
        ts_block_set_project_moving(block, moving, x, y, ahead);
        y[c] = kept - step;
        ts_block_set_project_moving(block, moving, x, y, behind);
        y[c] = kept;
        for (int r = 0; r < block->rows; ++r)
            cr_expect_float_eq(any ? D[r * block->rows + c] : 0.0, (ahead[r] - behind[r]) / (2.0 * step), 1e-5,
                               "moving %d, entry %d %d", (int)moving, r, c);
    }
}

Test(moving, rows_project_and_differentiate_in_their_section) {
    ts_rng rng = ts_rng_make(12, 0);
    for (int k = 0; k < 300; ++k)
        for (int moving = TS_MOVING_NORMAL; moving <= TS_MOVING_SQUARE; ++moving) {
            ts_block block = cone_of(k % 3 == 0 ? 3 : (k % 3 == 1 ? 4 : 6), 1.5 * ts_rng_uniform(&rng));
            ts_block half = {.set = TS_SET_HALF_LINE, .rows = 1};
            expect_part(&block, (ts_block_moving)moving, &rng);
            expect_part(&half, (ts_block_moving)moving, &rng);
        }
}
