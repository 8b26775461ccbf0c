// Boxes against two oracles in extended precision: overlapping, all 15 axes normalised; apart, corners against boxes and
// edges against edges. Families: scales, aspect ratios of a million, aligned, concentric, nearly parallel, exact touch.
#include "tests/collision/collision_fixture.h"

#include "collision/distance/box_pair_internal.h"

typedef struct wide_pair {
    long double a[3], b[3], R[3][3], t[3];
} wide_pair;

static wide_pair widen(ts_vec3 a, ts_vec3 b, const ts_transform* pose) {
    wide_pair w = {{a.x, a.y, a.z}, {b.x, b.y, b.z}, {{0}}, {pose->p.x, pose->p.y, pose->p.z}};
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j) w.R[i][j] = pose->R.m[i][j];
    return w;
}

static long double wide_gap(const wide_pair* w, const long double n[3]) {
    long double gap = fabsl(n[0] * w->t[0] + n[1] * w->t[1] + n[2] * w->t[2]);
    for (int k = 0; k < 3; ++k)
        gap -= w->a[k] * fabsl(n[k]) + w->b[k] * fabsl(n[0] * w->R[0][k] + n[1] * w->R[1][k] + n[2] * w->R[2][k]);
    return gap;
}

static long double sat(const wide_pair* w) {
    long double best = -1e300L;
    for (int kind = 0; kind < 15; ++kind) {
        long double n[3] = {0.0L, 0.0L, 0.0L};
        if (kind < 3)
            n[kind] = 1.0L;
        else if (kind < 6)
            for (int r = 0; r < 3; ++r) n[r] = w->R[r][kind - 3];
        else {
            int i = (kind - 6) / 3, j = (kind - 6) % 3;
            n[(i + 1) % 3] = -w->R[(i + 2) % 3][j];
            n[(i + 2) % 3] = w->R[(i + 1) % 3][j];
        }
        long double length = sqrtl(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]);
        if (length < 1e-15L) continue;
        for (int r = 0; r < 3; ++r) n[r] /= length;
        long double gap = wide_gap(w, n);
        best = gap > best ? gap : best;
    }
    return best;
}

static long double wide_limit(long double x, long double h) { return x < -h ? -h : (x > h ? h : x); }

// Distance of the segments p + s u, q + t v with |s| <= hs, |t| <= ht (unit directions), by trying both ends of each and,
// unless parallel, the crossing.
static long double segments(const long double p[3], const long double u[3], long double hs, const long double q[3],
                            const long double v[3], long double ht) {
    long double best = 1e300L, c = 0.0L, d = 0.0L, e = 0.0L;
    for (int r = 0; r < 3; ++r) {
        c += u[r] * v[r];
        d += u[r] * (q[r] - p[r]);
        e += v[r] * (q[r] - p[r]);
    }
    for (int k = 0; k < 5; ++k) {
        long double s, t;
        if (k < 2) {
            s = k ? hs : -hs;
            t = wide_limit(c * s - e, ht);
        } else if (k < 4) {
            t = k == 3 ? ht : -ht;
            s = wide_limit(c * t + d, hs);
        } else {
            if (1.0L - c * c < 1e-12L) continue;
            s = wide_limit((d - c * e) / (1.0L - c * c), hs);
            t = wide_limit(c * s - e, ht);
        }
        long double squared = 0.0L;
        for (int r = 0; r < 3; ++r) {
            long double x = q[r] + t * v[r] - p[r] - s * u[r];
            squared += x * x;
        }
        best = squared < best ? squared : best;
    }
    return best;
}

static long double apart(const wide_pair* w) {
    long double best = 1e300L;
    for (int corner = 0; corner < 8; ++corner) {
        long double of_a = 0.0L, of_b = 0.0L;
        for (int k = 0; k < 3; ++k) {
            long double in_b = 0.0L, in_a = w->t[k];
            for (int r = 0; r < 3; ++r) {
                in_b += w->R[r][k] * ((corner >> r & 1 ? w->a[r] : -w->a[r]) - w->t[r]);
                in_a += w->R[k][r] * (corner >> r & 1 ? w->b[r] : -w->b[r]);
            }
            long double x = in_b - wide_limit(in_b, w->b[k]), y = in_a - wide_limit(in_a, w->a[k]);
            of_a += x * x;
            of_b += y * y;
        }
        best = of_a < best ? of_a : best;
        best = of_b < best ? of_b : best;
    }
    for (int i = 0; i < 12; ++i) {
        for (int j = 0; j < 12; ++j) {
            int x = i / 4, y = j / 4;
            long double p[3], u[3] = {0.0L, 0.0L, 0.0L}, q[3], v[3];
            u[x] = 1.0L;
            p[x] = 0.0L;
            p[(x + 1) % 3] = i & 1 ? w->a[(x + 1) % 3] : -w->a[(x + 1) % 3];
            p[(x + 2) % 3] = i & 2 ? w->a[(x + 2) % 3] : -w->a[(x + 2) % 3];
            for (int r = 0; r < 3; ++r) {
                v[r] = w->R[r][y];
                q[r] = w->t[r] + (j & 1 ? 1.0L : -1.0L) * w->b[(y + 1) % 3] * w->R[r][(y + 1) % 3] +
                       (j & 2 ? 1.0L : -1.0L) * w->b[(y + 2) % 3] * w->R[r][(y + 2) % 3];
            }
            long double squared = segments(p, u, w->a[x], q, v, w->b[y]);
            best = squared < best ? squared : best;
        }
    }
    return sqrtl(best);
}

static double size_of(ts_vec3 a, ts_vec3 b, const ts_transform* pose) {
    return ts_vec3_norm(a) + ts_vec3_norm(b) + ts_vec3_norm(pose->p);
}

static ts_box_pair_outcome ask(ts_vec3 a, ts_vec3 b, const ts_transform* pose, double give_up_distance,
                               ts_separation* out) {
    ts_shape box_a = ts_shape_box(a), box_b = ts_shape_box(b);
    return ts_box_pair_solve(&(ts_shape_pair){&box_a, &box_b, *pose}, give_up_distance, out);
}

// Returns 1 when settled and right.
static int check(ts_vec3 a, ts_vec3 b, const ts_transform* pose, const char* what) {
    ts_separation s;
    ts_box_pair_outcome outcome = ask(a, b, pose, (double)INFINITY, &s);
    wide_pair w = widen(a, b, pose);
    long double expected = sat(&w);
    double size = size_of(a, b, pose);
    // Even an open answer has a certified lower bound along its normal.
    long double n[3] = {s.normal.x, s.normal.y, s.normal.z};
    cr_assert_float_eq(ts_vec3_norm(s.normal), 1.0, 1e-14);
    cr_assert_leq(fabsl(wide_gap(&w, n) - s.lower), 1e-14L * size, "%s", what);
    if (outcome == TS_BOX_PAIR_OPEN) return 0;
    cr_assert_eq(outcome, TS_BOX_PAIR_SETTLED);
    if (expected > 0.0L) expected = apart(&w);
    cr_assert_leq(s.lower, expected + 1e-14L * size, "%s: %.17g above %.17Lg", what, s.lower, expected);
    cr_assert_geq(s.upper, expected - 1e-14L * size, "%s: %.17g below %.17Lg", what, s.upper, expected);
    cr_assert_leq(s.upper - s.lower, (expected > -1e-12L * size ? 1e-13 : 0.0) * size, "%s: %g", what,
                  s.upper - s.lower);
    ts_shape box_a = ts_shape_box(a), box_b = ts_shape_box(b);
    cr_assert_leq(outside(&box_a, s.point_a), 1e-12 * size, "%s", what);
    cr_assert_leq(outside(&box_b, ts_transform_point_inverse(pose, s.point_b)), 1e-12 * size, "%s", what);
    ts_vec3 miss = ts_vec3_sub(ts_vec3_sub(s.point_b, s.point_a), ts_vec3_scale(s.lower, s.normal));
    cr_assert_leq(ts_vec3_norm(miss), 4e-13 * size, "%s", what);
    return 1;
}

static ts_vec3 random_half(ts_rng* rng, double low) {
    double x = ts_rng_uniform_in(rng, low, 1.0), y = ts_rng_uniform_in(rng, low, 1.0);
    return ts_vec3_make(x, y, ts_rng_uniform_in(rng, low, 1.0));
}

Test(box_pair, random_boxes_at_three_scales) {
    ts_rng rng = ts_rng_make(801, 0);
    const double scales[3] = {1.0, 1e-6, 1e6};
    int settled = 0, trials = 30000;
    for (int trial = 0; trial < trials; ++trial) {
        double s = scales[trial % 3];
        ts_vec3 a = ts_vec3_scale(s, random_half(&rng, 0.1)), b = ts_vec3_scale(s, random_half(&rng, 0.1));
        ts_transform pose = random_pose(&rng, s * (trial % 2 ? 1.0 : 2.5));
        settled += check(a, b, &pose, "random");
    }
    cr_expect_geq(settled, trials - 3);
}

Test(box_pair, aspect_ratios_of_a_million) {
    ts_rng rng = ts_rng_make(802, 0);
    int settled = 0, trials = 20000;
    for (int trial = 0; trial < trials; ++trial) {
        ts_vec3 a = random_half(&rng, 0.1), b = random_half(&rng, 0.1);
        a.x *= 1e-6;
        if (trial % 2) a.y *= 1e-6;
        if (trial % 3) b.z *= 1e-6;
        ts_transform pose = random_pose(&rng, trial % 2 ? 0.6 : 2.0);
        settled += check(a, b, &pose, "thin");
    }
    cr_expect_geq(settled, trials * 99 / 100);
}

Test(box_pair, aligned_concentric_and_nearly_parallel) {
    ts_rng rng = ts_rng_make(803, 0);
    const double tilts[6] = {0.0, 1e-15, 1e-12, 1e-9, 1e-6, 1e-3};
    int settled = 0, trials = 24000;
    for (int trial = 0; trial < trials; ++trial) {
        ts_vec3 a = random_half(&rng, 0.1), b = random_half(&rng, 0.1);
        ts_transform pose = at(0.0, 0.0, 0.0);
        if (trial % 4) pose.p = random_vector(&rng, trial % 4 == 1 ? 0.5 : 1.5);
        if (trial % 5 == 0) pose.R = turn(trial % 3, 1.5707963267948966);
        ts_mat3 tilt = ts_quat_to_mat3(ts_quat_from_axis_angle(random_unit(&rng), tilts[trial % 6]));
        pose.R = ts_mat3_mul(tilt, pose.R);
        settled += check(a, b, &pose, "aligned");
    }
    cr_expect_geq(settled, trials * 98 / 100, "%d", settled);
}

// Cubes stacked so that they touch exactly: the family at which a generic penetration routine returns the largest
// number there is (coal, after an accelerated start), or a wrong depth (Bullet), since the simplex it starts from is
// flat.
Test(box_pair, stacked_cubes_touching_exactly_as_break_coal_and_bullet) {
    for (int trial = 0; trial < 20000; ++trial) {
        // Sizes and offsets on a grid of powers of two, so that the touch is exact.
        ts_vec3 a = ts_vec3_make(0.25 + (double)(trial % 3) * 0.25, 0.5, 0.5);
        ts_vec3 b = ts_vec3_make(0.5, 0.25 + (double)(trial % 5) * 0.125, 0.5);
        double da[3], db[3], p[3];
        ts_vec3_store(a, da);
        ts_vec3_store(b, db);
        int up = trial % 3;
        for (int r = 0; r < 3; ++r) p[r] = 0.0625 * (double)((trial / (3 + r) * 7 + r) % 17 - 8);
        p[up] = (trial % 2 ? 1.0 : -1.0) * (da[up] + db[up]);
        ts_transform pose = at(p[0], p[1], p[2]);
        ts_separation s;
        cr_assert_eq(ask(a, b, &pose, (double)INFINITY, &s), TS_BOX_PAIR_SETTLED, "trial %d", trial);
        cr_assert_eq(s.lower, 0.0);
        cr_assert_eq(s.upper, 0.0);
        cr_assert_float_eq(ts_vec3_get(s.normal, up), trial % 2 ? 1.0 : -1.0, 0.0);
        check(a, b, &pose, "touching");
    }
}

Test(box_pair, touching_within_rounding_at_any_angle) {
    ts_rng rng = ts_rng_make(805, 0);
    const double offsets[7] = {0.0, 1e-16, -1e-16, 1e-13, -1e-13, 1e-9, -1e-9};
    int settled = 0, trials = 14000;
    for (int trial = 0; trial < trials; ++trial) {
        ts_vec3 a = random_half(&rng, 0.1), b = random_half(&rng, 0.1);
        ts_transform pose = random_pose(&rng, 2.0);
        ts_separation s;
        if (ask(a, b, &pose, (double)INFINITY, &s) != TS_BOX_PAIR_SETTLED) continue;
        pose.p = ts_vec3_add_scaled(pose.p, offsets[trial % 7] - s.lower, s.normal);
        settled += check(a, b, &pose, "touch");
    }
    cr_expect_geq(settled, trials * 98 / 100, "%d", settled);
}

// A segment is a box without width: what a capsule is around.
Test(box_pair, segments_are_boxes_without_width) {
    ts_rng rng = ts_rng_make(807, 0);
    int settled = 0, trials = 20000;
    for (int trial = 0; trial < trials; ++trial) {
        ts_vec3 a = random_half(&rng, 0.1), b = random_half(&rng, 0.1);
        a.x = a.y = 0.0;
        ts_transform pose = random_pose(&rng, trial % 2 ? 0.8 : 2.0);
        if (trial % 7 == 0) pose.R = turn(trial % 3, 1.5707963267948966);
        if (trial % 11 == 0) pose.p = ts_vec3_zero();
        settled += trial % 3 ? check(a, b, &pose, "segment-box") : check(b, a, &pose, "box-segment");
    }
    cr_expect_geq(settled, trials * 99 / 100, "%d", settled);
}

Test(box_pair, swapped_boxes_say_the_same) {
    ts_rng rng = ts_rng_make(806, 0);
    for (int trial = 0; trial < 10000; ++trial) {
        ts_vec3 a = random_half(&rng, 0.1), b = random_half(&rng, 0.1);
        ts_transform pose = random_pose(&rng, trial % 2 ? 0.8 : 2.0), same = ts_transform_identity();
        ts_transform back = ts_transform_relative(&pose, &same);
        ts_separation s, r;
        if (ask(a, b, &pose, (double)INFINITY, &s) != TS_BOX_PAIR_SETTLED) continue;
        if (ask(b, a, &back, (double)INFINITY, &r) != TS_BOX_PAIR_SETTLED) continue;
        cr_assert_float_eq(s.lower, r.lower, 1e-14);
    }
}

Test(box_pair, far_boxes_answer_early) {
    ts_vec3 h = ts_vec3_make(0.5, 0.5, 0.5);
    ts_transform pose = at(0.0, -4.0, 0.0);
    ts_separation s;
    cr_expect_eq(ask(h, h, &pose, 1.0, &s), TS_BOX_PAIR_EARLY);
    cr_expect_eq(s.lower, 3.0);
    cr_expect_eq(s.normal.y, -1.0);
    cr_expect_eq(ask(h, h, &pose, 3.5, &s), TS_BOX_PAIR_SETTLED);
    cr_expect_eq(s.upper, 3.0);
}

// Verdicts on boxes set against each other with a known gap, and on segments as boxes without width.
Test(box_pair, verdicts_agree_with_the_distance) {
    ts_rng rng = ts_rng_make(141, 7);
    int open = 0, trials = 20000;
    for (int trial = 0; trial < trials; ++trial) {
        ts_vec3 a = ts_vec3_make(0.5, 0.2, 0.3), b = ts_vec3_make(0.1, 0.4, 0.3);
        if (trial % 3 == 0) b = ts_vec3_make(0.0, 0.0, 0.4);
        ts_transform pose = {trial % 4 ? random_rotation(&rng) : ts_mat3_identity(), random_vector(&rng, 0.8)};
        ts_separation state, exact;
        double reach = trial % 5 ? 0.0 : 0.1;
        ts_shape box_a = ts_shape_box(a), box_b = ts_shape_box(b);
        ts_pair_verdict verdict =
            ts_box_pair_verdict(&(ts_shape_pair){&box_a, &box_b, pose}, ts_vec3_zero(), reach, &state);
        if (ask(a, b, &pose, (double)INFINITY, &exact) != TS_BOX_PAIR_SETTLED) continue;
        if (verdict == TS_PAIR_OPEN) {
            // By axes alone nothing is known of boxes whose corners are what is nearest.
            open += exact.lower < -1e-9 || exact.lower > 1.0;
            continue;
        }
        cr_assert_eq(verdict == TS_PAIR_APART, exact.lower > reach, "trial %d: %g", trial, exact.lower);
        cr_assert(state.lower <= exact.upper + 1e-14 && state.upper >= exact.lower - 1e-14);
        cr_assert_float_eq(ts_vec3_norm(state.normal), 1.0, 1e-14);
    }
    cr_assert_eq(open, 0);
}

// A pair whose nearest corner's way is barred by a bound at once: the plain step must take over. (By GJK's proof.)
Test(box_pair, steps_that_a_bound_stops_do_not_go_on_for_ever) {
    ts_rng rng = ts_rng_make(142, 3);
    int open = 0;
    for (int trial = 0; trial < 20000; ++trial) {
        ts_vec3 a = ts_vec3_make(ts_rng_uniform_in(&rng, 0.05, 0.5), ts_rng_uniform_in(&rng, 0.05, 0.5),
                                 ts_rng_uniform_in(&rng, 0.05, 0.5));
        ts_vec3 b = ts_vec3_make(ts_rng_uniform_in(&rng, 0.05, 0.5), ts_rng_uniform_in(&rng, 0.05, 0.5),
                                 ts_rng_uniform_in(&rng, 0.05, 0.5));
        ts_transform pose = {random_rotation(&rng), random_vector(&rng, 0.9)};
        ts_separation state;
        ts_box_pair_outcome outcome = ask(a, b, &pose, (double)INFINITY, &state);
        open += outcome == TS_BOX_PAIR_OPEN;
        if (outcome == TS_BOX_PAIR_SETTLED) cr_assert_leq(state.upper - state.lower, 1e-13);
    }
    // Random boxes have no ties: every one of them is settled without GJK.
    cr_expect_eq(open, 0, "%d open", open);
}
