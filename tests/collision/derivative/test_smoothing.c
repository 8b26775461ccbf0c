// The smoothed estimates against what they estimate, by quadrature or in closed form, and the rate at which they get there.
#include "tests/collision/collision_fixture.h"

#include "collision/derivative/smoothing_internal.h"

#include <string.h>

static const double spread = 0.1;

// A rod (half length 1, radius 0.2) over the ground, its z axis along the world's x turned about y by `tilt`: B's frame.
static ts_transform rod_pose(double tilt) {
    ts_transform pose = at(0.0, 0.0, 1.0);
    pose.R = turn(1, 1.5707963267948966 - tilt);
    return pose;
}

// The rod's height over the ground after a turn by the vector w in its own axes, by Rodrigues' formula.
static double rod_height(const ts_mat3* R, double wx, double wy, double wz) {
    double angle = sqrt(wx * wx + wy * wy + wz * wz);
    double s = angle > 0.0 ? sin(angle) / angle : 1.0, c = angle > 0.0 ? (1.0 - cos(angle)) / (angle * angle) : 0.5;
    // The turned z axis.
    double x = s * wy + c * wx * wz, y = -s * wx + c * wy * wz, z = 1.0 - c * (wx * wx + wy * wy);
    return 1.0 - fabs(R->m[2][0] * x + R->m[2][1] * y + R->m[2][2] * z) - 0.2;
}

// E[height(e z) z_y] / e over three normal numbers: a midpoint rule out to six deviations.
static double smoothed_by_quadrature(const ts_mat3* R) {
    enum { HALF = 60 };
    double sum = 0.0, weights = 0.0, step = 6.0 / HALF;
    for (int i = -HALF; i < HALF; ++i)
        for (int j = -HALF; j < HALF; ++j)
            for (int k = -HALF; k < HALF; ++k) {
                double x = (i + 0.5) * step, y = (j + 0.5) * step, z = (k + 0.5) * step;
                double weight = exp(-0.5 * (x * x + y * y + z * z));
                weights += weight;
                sum += weight * y * rod_height(R, spread * x, spread * y, spread * z);
            }
    return sum / (weights * spread);
}

// The estimate of that number by so many queries.
static double estimate(const ts_transform* pose, int samples, ts_derivative_variance variance, uint64_t seed) {
    ts_shape ground = ts_shape_plane(), rod = ts_shape_capsule(0.2, 1.0);
    ts_transform here = ts_transform_identity();
    ts_derivative_options options = ts_derivative_options_default();
    options.method = TS_DERIVATIVE_GAUSSIAN_0;
    options.samples = samples;
    options.spread = spread;
    options.variance = variance;
    options.seed = seed;
    ts_proximity p;
    ts_proximity_derivative d;
    ts_proximity_query(&ground, &here, &rod, pose, 0, 0, &p);
    ts_proximity_differentiate(&ground, &here, &rod, pose, &p, &options, &d);
    cr_assert(d.certificate.flags & TS_DERIVATIVE_SMOOTHED);
    return d.distance[4];
}

// Mean and standard deviation of `runs` estimates.
static void spread_of(const ts_transform* pose, int samples, ts_derivative_variance variance, int runs, double out[2]) {
    double sum = 0.0, squares = 0.0;
    for (int k = 0; k < runs; ++k) {
        double x = estimate(pose, samples, variance, (uint64_t)(1000 * samples + k));
        sum += x;
        squares += x * x;
    }
    out[0] = sum / runs;
    out[1] = sqrt(fmax(squares / runs - out[0] * out[0], 0.0) * runs / (runs - 1));
}

Test(smoothing, scattered_poses_reach_the_smoothed_derivative_at_their_rate) {
    ts_transform pose = rod_pose(0.05);
    double exact = smoothed_by_quadrature(&pose.R);
    cr_assert(fabs(exact) > 0.1 && fabs(exact) < 0.9);  // between the derivatives of both ends, -1 and 1
    for (int variance = 0; variance < 2; ++variance) {
        double found[3][2];
        for (int k = 0; k < 3; ++k) {
            const int samples[3] = {64, 256, 1024};
            enum { RUNS = 400 };
            spread_of(&pose, samples[k], (ts_derivative_variance)variance, RUNS, found[k]);
            // The mean of 400 runs, to five of its own deviations.
            cr_assert_float_eq(found[k][0], exact, 5.0 * found[k][1] / sqrt(RUNS), "%d samples: %g, quadrature %g",
                               samples[k], found[k][0], exact);
        }
        // Four times the samples, half the scatter: within 5 deviations of 400 runs, which are 3.5 % each.
        for (int k = 1; k < 3; ++k) cr_assert_float_eq(found[k - 1][1] / found[k][1], 2.0, 0.5);
    }
}

// Without a baseline the height itself, 0.75 m, is scattered over 1 / e.
Test(smoothing, a_baseline_is_what_keeps_the_scatter_down) {
    ts_transform pose = rod_pose(0.05);
    double plain[2], baseline[2];
    spread_of(&pose, 64, TS_DERIVATIVE_PLAIN, 400, plain);
    spread_of(&pose, 64, TS_DERIVATIVE_BASELINE, 400, baseline);
    double height = rod_height(&pose.R, 0.0, 0.0, 0.0);
    cr_assert_float_eq(plain[1], height / spread / sqrt(64.0), 0.3 * plain[1]);
    cr_assert_lt(baseline[1], 0.5 * plain[1]);  // what is left is of the derivatives, not of the height
}

Test(smoothing, the_same_seed_gives_the_same_bits) {
    ts_transform pose = rod_pose(0.05);
    cr_assert_eq(estimate(&pose, 64, TS_DERIVATIVE_ANTITHETIC, 5), estimate(&pose, 64, TS_DERIVATIVE_ANTITHETIC, 5));
    cr_assert_neq(estimate(&pose, 64, TS_DERIVATIVE_ANTITHETIC, 5), estimate(&pose, 64, TS_DERIVATIVE_ANTITHETIC, 6));
}

static void frame_of(ts_vec3 n, ts_vec3 out[3]) {
    out[0] = n;
    ts_rates_tangents(n, &out[1], &out[2]);
}

static double form_entry(const ts_mat3* H, ts_vec3 a, ts_vec3 b) { return ts_vec3_dot(a, ts_mat3_mul_vec(H, b)); }

// Of a box the smoothed Hessian is diagonal: E[h sign(n + e z) z] / e = 2 h phi(n / e) / e.
Test(smoothing, scattered_directions_reach_the_smoothed_hessian_at_their_rate) {
    ts_shape box = ts_shape_box(ts_vec3_make(0.5, 0.7, 0.9));
    ts_vec3 n = ts_vec3_unit_or(ts_vec3_make(0.1, -0.15, 1.0), ts_vec3_axis(2)), nuv[3], diagonal;
    double e = 0.1, norm = 1.0 / sqrt(6.283185307179586);
    diagonal.x = 2.0 * 0.5 * norm * exp(-0.5 * n.x * n.x / (e * e)) / e;
    diagonal.y = 2.0 * 0.7 * norm * exp(-0.5 * n.y * n.y / (e * e)) / e;
    diagonal.z = 2.0 * 0.9 * norm * exp(-0.5 * n.z * n.z / (e * e)) / e;
    ts_mat3 H = ts_mat3_diagonal(diagonal);
    frame_of(n, nuv);
    const double exact[3] = {form_entry(&H, nuv[1], nuv[1]), form_entry(&H, nuv[1], nuv[2]),
                             form_entry(&H, nuv[2], nuv[2])};
    double scatter[3];
    enum { RUNS = 400 };
    for (int k = 0; k < 3; ++k) {
        int samples = 200 << 2 * k;
        double sum[3] = {0.0, 0.0, 0.0}, squares = 0.0;
        for (int run = 0; run < RUNS; ++run) {
            ts_rng rng = ts_rng_make((uint64_t)samples, (uint64_t)run);
            ts_tangent_form form;
            ts_gaussian_hessian(&box, nuv, samples, e, &rng, &form);
            const double got[3] = {form.uu, form.uv, form.vv};
            for (int i = 0; i < 3; ++i) sum[i] += got[i] / RUNS;
            squares += (got[0] - exact[0]) * (got[0] - exact[0]) / RUNS;
            cr_assert(got[0] >= 0.0 && got[2] >= 0.0 && got[0] * got[2] - got[1] * got[1] >= -1e-9);
        }
        scatter[k] = sqrt(squares);
        for (int i = 0; i < 3; ++i)
            cr_assert_float_eq(sum[i], exact[i], 6.0 * scatter[k] / sqrt(RUNS), "%d samples: %g, exact %g", samples,
                               sum[i], exact[i]);
    }
    for (int k = 1; k < 3; ++k) cr_assert_float_eq(scatter[k - 1] / scatter[k], 2.0, 0.5);
}

// The softened maximum over the corners of a box, in long double, differentiated twice by differences.
static long double softened(ts_vec3 h, const long double n[3], long double length) {
    long double sum = 0.0L;
    for (int i = 0; i < 3; ++i) {
        long double x = (long double)ts_vec3_get(h, i) * n[i] / length;
        sum += length * (fabsl(x) + log1pl(expl(-2.0L * fabsl(x))));
    }
    return sum;
}

Test(smoothing, softened_corners_are_the_hessian_of_log_sum_exp) {
    ts_rng rng = ts_rng_make(31, 0);
    for (int trial = 0; trial < 100; ++trial) {
        ts_vec3 h = ts_vec3_make(0.5, 0.7, 0.9), n = random_unit(&rng), nuv[3];
        ts_shape box = ts_shape_box(h);
        ts_tangent_form form;
        double temperature = ts_rng_uniform_in(&rng, 0.02, 0.5);
        long double length = (long double)(temperature * ts_vec3_norm(h)), step = 1e-4L;
        frame_of(n, nuv);
        ts_gumbel_hessian(&box, nuv, 1, temperature, &form);
        const double got[3] = {form.uu, form.uv, form.vv};
        for (int k = 0; k < 3; ++k) {
            ts_vec3 a = nuv[k == 2 ? 2 : 1], b = nuv[k == 0 ? 1 : 2];
            long double second = 0.0L;
            for (int corner = 0; corner < 4; ++corner) {
                long double sa = corner & 1 ? step : -step, sb = corner & 2 ? step : -step, at_n[3];
                for (int i = 0; i < 3; ++i)
                    at_n[i] = (long double)ts_vec3_get(n, i) + sa * (long double)ts_vec3_get(a, i) +
                              sb * (long double)ts_vec3_get(b, i);
                second += (sa * sb > 0.0L ? 1.0L : -1.0L) * softened(h, at_n, length);
            }
            cr_assert_float_eq(got[k], (double)(second / (4.0L * step * step)), 1e-5, "trial %d", trial);
        }
    }
}

// A maximum with standard Gumbel noise on every corner is softened by that temperature: the mean chosen corner is the softmax', so that
// its derivative is the Hessian.
Test(smoothing, softened_corners_are_a_mean_over_gumbel_noise) {
    ts_vec3 h = ts_vec3_make(0.5, 0.7, 0.9), n = ts_vec3_unit_or(ts_vec3_make(0.2, -0.1, 0.9), ts_vec3_axis(2)),
            mean = {0.0, 0.0, 0.0};
    double length = 0.3;
    enum { SAMPLES = 200000 };
    ts_rng rng = ts_rng_make(32, 0);
    for (int k = 0; k < SAMPLES; ++k) {
        double best = -1e9;
        ts_vec3 chosen = h;
        for (int i = 0; i < 8; ++i) {
            ts_vec3 v = ts_vec3_make(i & 1 ? h.x : -h.x, i & 2 ? h.y : -h.y, i & 4 ? h.z : -h.z);
            double value = ts_vec3_dot(v, n) - length * log(-log(ts_rng_uniform_in(&rng, 1e-12, 1.0)));
            if (value > best) {
                best = value;
                chosen = v;
            }
        }
        mean = ts_vec3_add_scaled(mean, 1.0 / SAMPLES, chosen);
    }
    cr_assert_float_eq(mean.x, h.x * tanh(h.x * n.x / length), 0.01);
    cr_assert_float_eq(mean.y, h.y * tanh(h.y * n.y / length), 0.01);
    cr_assert_float_eq(mean.z, h.z * tanh(h.z * n.z / length), 0.01);
}

// Enough rings are all corners.
Test(smoothing, rings_reach_round_the_hull) {
    ts_rng rng = ts_rng_make(33, 0);
    ts_hull *hull = random_hull(&rng, 40, ts_vec3_make(0.5, 0.7, 0.9)),
            *corners = box_hull(ts_vec3_make(0.5, 0.7, 0.9));
    ts_shape shape = ts_shape_hull(hull), box = ts_shape_hull(corners),
             same = ts_shape_box(ts_vec3_make(0.5, 0.7, 0.9));
    ts_vec3 nuv[3];
    ts_tangent_form one, five, twenty, by_hull, by_box;
    frame_of(random_unit(&rng), nuv);
    ts_gumbel_hessian(&shape, nuv, 1, 0.3, &one);
    ts_gumbel_hessian(&shape, nuv, 5, 0.3, &five);
    ts_gumbel_hessian(&shape, nuv, 20, 0.3, &twenty);
    cr_assert_gt(fabs(one.uu - twenty.uu), 1e-6);
    cr_assert_lt(fabs(five.uu - twenty.uu), fabs(one.uu - twenty.uu));
    ts_gumbel_hessian(&box, nuv, 3, 0.3, &by_hull);
    ts_gumbel_hessian(&same, nuv, 0, 0.3, &by_box);
    cr_assert_float_eq(by_hull.uv, by_box.uv, 1e-12);
    cr_assert_float_eq(by_hull.vv, by_box.vv, 1e-12);
    ts_hull_free(hull);
    ts_hull_free(corners);
}

Test(smoothing, methods_have_names) {
    for (int k = 0; k < TS_DERIVATIVE_METHOD_COUNT; ++k)
        cr_assert_eq((int)ts_derivative_method_find(ts_derivative_method_name((ts_derivative_method)k)), k);
    cr_assert_eq((int)ts_derivative_method_find("nothing"), (int)TS_DERIVATIVE_METHOD_COUNT);
}

// Between corners the exact derivative of a polytope's witness is zero; smoothed ones know the next corner. Where nothing is
// kinked all agree.
Test(smoothing, smooth_pairs_have_the_same_derivative_by_every_method) {
    ts_rng rng = ts_rng_make(34, 0);
    for (int trial = 0; trial < 20; ++trial) {
        ts_shape a = random_shape(&rng, TS_SHAPE_ELLIPSOID, 1.0, 0), b = random_shape(&rng, TS_SHAPE_ELLIPSOID, 1.0, 0);
        ts_transform pose_a = random_pose(&rng, 1.0), pose_b = random_pose(&rng, 1.0);
        pose_b.p.x += 3.0;
        ts_proximity p;
        ts_proximity_query(&a, &pose_a, &b, &pose_b, 0, 0, &p);
        ts_proximity_derivative exact, other;
        ts_proximity_differentiate(&a, &pose_a, &b, &pose_b, &p, 0, &exact);
        for (int method = 1; method < TS_DERIVATIVE_METHOD_COUNT; ++method) {
            ts_derivative_options options = ts_derivative_options_default();
            options.method = (ts_derivative_method)method;
            options.samples = 40000;
            options.spread = method == TS_DERIVATIVE_GAUSSIAN_1 ? 1e-3 : 1e-4;
            ts_proximity_differentiate(&a, &pose_a, &b, &pose_b, &p, &options, &other);
            double tolerance =
                method == TS_DERIVATIVE_DIFFERENCE ? 1e-6 : (method == TS_DERIVATIVE_GUMBEL ? 1e-9 : 0.1);
            for (int i = 0; i < 3; ++i)
                for (int j = 0; j < 6; ++j) {
                    cr_assert_float_eq(other.normal[i][j], exact.normal[i][j], tolerance, "%s",
                                       ts_derivative_method_name(options.method));
                    cr_assert_float_eq(other.point_a[i][j], exact.point_a[i][j], tolerance, "%s",
                                       ts_derivative_method_name(options.method));
                    cr_assert_float_eq(other.tangent[1][i][j], exact.tangent[1][i][j], 3.0 * tolerance, "%s",
                                       ts_derivative_method_name(options.method));
                }
        }
    }
}
