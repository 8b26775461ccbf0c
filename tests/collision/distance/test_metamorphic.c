// Relations between answers that hold whatever the answers are: swapping, moving, mirroring, scaling, sliding, growing,
// relabelling, splitting; and brute force in long double for polytopes. All pairs of convex kinds, rounded ones too.
#include "tests/collision/distance/query_fuzz.h"

static ts_hull* rock;

static void open_suite(void) {
    ts_rng rng = ts_rng_make(51, 0);
    rock = random_hull(&rng, 30, ts_vec3_make(0.5, 0.7, 0.9));
}

static void close_suite(void) { ts_hull_free(rock); }

TestSuite(metamorphic, .init = open_suite, .fini = close_suite);

typedef struct couple {
    ts_shape a, b;
    ts_transform pa, pb;
    double slack;  // m: rounding, and what the bounds of curved pairs in an overlap leave open
    ts_proximity p;
    const char *na, *nb;
} couple;

static ts_proximity ask(const ts_shape* a, ts_transform pa, const ts_shape* b, ts_transform pb) {
    ts_proximity p;
    ts_proximity_query(a, &pa, b, &pb, 0, 0, &p);
    return p;
}

static double slack_of(const ts_proximity* p) { return 4e-12 + 1.01 * (p->found.upper - p->found.lower); }

// Runs through all pairs of convex kinds; every third is rounded. Returns 0 at the end.
static int next_couple(ts_rng* rng, int* at, int rounds, couple* c) {
    int kinds = TS_SHAPE_CONVEX_COUNT - TS_SHAPE_SPHERE, i = (*at)++;
    if (i >= kinds * kinds * rounds) return 0;
    c->a = random_shape(rng, (ts_shape_kind)(TS_SHAPE_SPHERE + i % kinds), 1.0, rock);
    c->b = random_shape(rng, (ts_shape_kind)(TS_SHAPE_SPHERE + i / kinds % kinds), 1.0, rock);
    if (i % 3 == 0) c->a = ts_shape_rounded(c->a, ts_rng_uniform_in(rng, 0.0, 0.3));
    if (i % 5 == 0) c->b = ts_shape_rounded(c->b, ts_rng_uniform_in(rng, 0.0, 0.3));
    c->pa = random_pose(rng, 1.0);
    c->pb = random_pose(rng, 1.0);
    c->p = ask(&c->a, c->pa, &c->b, c->pb);
    c->slack = slack_of(&c->p);
    c->na = ts_shape_kind_name(c->a.kind);
    c->nb = ts_shape_kind_name(c->b.kind);
    return 1;
}

Test(metamorphic, swapping_the_two) {
    ts_rng rng = ts_rng_make(52, 0);
    couple c;
    for (int at_pair = 0; next_couple(&rng, &at_pair, 60, &c);) {
        ts_proximity q = ask(&c.b, c.pb, &c.a, c.pa);
        cr_assert_float_eq(q.distance, c.p.distance, c.slack, "%s-%s: %.17g, %.17g", c.na, c.nb, c.p.distance,
                           q.distance);
        // Apart, normal and witnesses are unique but for features that face each other in parallel.
        if (c.p.distance > 1e-3) cr_assert_leq(ts_vec3_distance(c.p.found.normal, ts_vec3_neg(q.found.normal)), 1e-5);
    }
}

Test(metamorphic, moving_both_by_the_same) {
    ts_rng rng = ts_rng_make(53, 0);
    couple c;
    for (int at_pair = 0; next_couple(&rng, &at_pair, 60, &c);) {
        ts_transform m = random_pose(&rng, 5.0);
        ts_proximity q = ask(&c.a, ts_transform_mul(&m, &c.pa), &c.b, ts_transform_mul(&m, &c.pb));
        cr_assert_float_eq(q.distance, c.p.distance, c.slack, "%s-%s: %.17g, %.17g", c.na, c.nb, c.p.distance,
                           q.distance);
        if (c.p.distance > 1e-3)
            cr_assert_leq(ts_vec3_distance(ts_transform_direction(&m, c.p.found.normal), q.found.normal), 1e-5);
    }
}

// The image in the plane z = 0: R becomes S R S with S = diag(1, 1, -1), which suits shapes that are their own image.
Test(metamorphic, mirror_images) {
    ts_rng rng = ts_rng_make(54, 0);
    couple c;
    for (int at_pair = 0; next_couple(&rng, &at_pair, 60, &c);) {
        if (c.a.kind == TS_SHAPE_HULL || c.b.kind == TS_SHAPE_HULL || c.a.kind == TS_SHAPE_TRIANGLE ||
            c.b.kind == TS_SHAPE_TRIANGLE || c.a.kind == TS_SHAPE_CONE || c.b.kind == TS_SHAPE_CONE)
            continue;
        ts_transform ma = c.pa, mb = c.pb;
        ma.p.z = -ma.p.z;
        mb.p.z = -mb.p.z;
        for (int i = 0; i < 3; ++i)
            for (int j = 0; j < 3; ++j) {
                double sign = (i == 2) != (j == 2) ? -1.0 : 1.0;
                ma.R.m[i][j] *= sign;
                mb.R.m[i][j] *= sign;
            }
        ts_proximity q = ask(&c.a, ma, &c.b, mb);
        cr_assert_float_eq(q.distance, c.p.distance, c.slack, "%s-%s: %.17g, %.17g", c.na, c.nb, c.p.distance,
                           q.distance);
    }
}

Test(metamorphic, sliding_apart_along_the_normal) {
    ts_rng rng = ts_rng_make(55, 0);
    couple c;
    for (int at_pair = 0; next_couple(&rng, &at_pair, 60, &c);) {
        double shift = ts_rng_uniform_in(&rng, 0.0, 1.0);
        ts_transform slid = c.pb;
        slid.p = ts_vec3_add_scaled(c.pb.p, shift, c.p.found.normal);
        ts_proximity q = ask(&c.a, c.pa, &c.b, slid);
        // Apart: by exactly the shift. In an overlap the normal stays the best, so the same holds.
        double slack = c.slack + slack_of(&q);
        cr_assert(q.distance <= c.p.distance + shift + slack && q.distance >= c.p.distance + shift - slack,
                  "%s-%s: %.17g after %.17g and a shift of %.17g", c.na, c.nb, q.distance, c.p.distance, shift);
        // Any shift moves the distance by no more than its length.
        slid.p = ts_vec3_add_scaled(c.pb.p, shift, random_unit(&rng));
        q = ask(&c.a, c.pa, &c.b, slid);
        cr_assert_leq(fabs(q.distance - c.p.distance), shift + c.slack + slack_of(&q), "%s-%s", c.na, c.nb);
    }
}

// From GJK's side to EPA's along the normal: no jump.
Test(metamorphic, through_the_touch_without_a_jump) {
    static const double step[9] = {1e-3, 1e-6, 1e-9, 1e-12, 0.0, -1e-12, -1e-9, -1e-6, -1e-3};
    ts_rng rng = ts_rng_make(56, 0);
    couple c;
    for (int at_pair = 0; next_couple(&rng, &at_pair, 25, &c);) {
        // From outside, so that the normal is that of the touch.
        if (!(c.p.distance > 1e-2)) continue;
        for (int k = 0; k < 9; ++k) {
            ts_transform slid = c.pb;
            slid.p = ts_vec3_add_scaled(c.pb.p, step[k] - c.p.distance, c.p.found.normal);
            ts_proximity q = ask(&c.a, c.pa, &c.b, slid);
            double slack = c.slack + slack_of(&q) + 1e-11;
            if (step[k] >= 0.0)
                cr_assert_float_eq(q.distance, step[k], slack, "%s-%s at %g: %.17g", c.na, c.nb, step[k], q.distance);
            else  // a corner may have better normals, or pass by another corner
                cr_assert_leq(fabs(q.distance), slack - step[k], "%s-%s at %g: %.17g", c.na, c.nb, step[k], q.distance);
        }
    }
}

Test(metamorphic, balls_add_their_radius) {
    ts_rng rng = ts_rng_make(57, 0);
    couple c;
    for (int at_pair = 0; next_couple(&rng, &at_pair, 60, &c);) {
        double r = ts_rng_uniform_in(&rng, 0.0, 1.0);
        ts_shape grown = at_pair % 2 ? ts_shape_rounded(c.a, r) : ts_shape_rounded(c.b, r);
        ts_proximity q = at_pair % 2 ? ask(&grown, c.pa, &c.b, c.pb) : ask(&c.a, c.pa, &grown, c.pb);
        cr_assert_float_eq(q.distance, c.p.distance - r, c.slack + slack_of(&q), "%s-%s: %.17g, grown %.17g", c.na,
                           c.nb, c.p.distance, q.distance);
    }
}

Test(metamorphic, whatever_contains_is_nearer) {
    ts_rng rng = ts_rng_make(58, 0);
    couple c;
    for (int at_pair = 0; next_couple(&rng, &at_pair, 60, &c);) {
        ts_shape larger = c.a;
        larger.half = ts_vec3_scale(1.3, c.a.half);
        if (c.a.kind == TS_SHAPE_HULL || c.a.kind == TS_SHAPE_TRIANGLE || c.a.kind == TS_SHAPE_SPHERE) continue;
        ts_proximity q = ask(&larger, c.pa, &c.b, c.pb);
        cr_assert_leq(q.found.lower, c.p.found.upper + 1e-12, "%s-%s: %.17g, contained %.17g", c.na, c.nb, q.distance,
                      c.p.distance);
        // A ball about a shape contains it.
        ts_shape ball = ts_shape_sphere(ts_shape_bounding_radius(&c.a));
        q = ask(&ball, c.pa, &c.b, c.pb);
        cr_assert_leq(q.found.lower, c.p.found.upper + 1e-12, "%s-%s in a ball", c.na, c.nb);
    }
}

Test(metamorphic, vertices_in_another_order_and_more_of_them) {
    ts_rng rng = ts_rng_make(59, 0);
    for (int trial = 0; trial < 60; ++trial) {
        ts_vec3 points[80], other[80];
        int count = 8 + trial % 40;
        for (int i = 0; i < count; ++i) points[i] = random_vector(&rng, 0.6);
        for (int i = 0; i < count; ++i) other[count - 1 - i] = points[i];
        // Points inside and on edges, and the same ones again, change nothing.
        for (int i = count; i < 80; ++i)
            other[i] = ts_vec3_lerp(points[i % count], points[i * 7 % count], 0.25 * (i % 5));
        ts_hull *first = 0, *second = 0;
        cr_assert_eq(ts_hull_build(points, count, &first, 0), TS_OK);
        cr_assert_eq(ts_hull_build(other, 80, &second, 0), TS_OK);
        ts_shape one = ts_shape_hull(first), two = ts_shape_hull(second);
        for (int k = 0; k < 40; ++k) {
            ts_shape b = random_shape(&rng, (ts_shape_kind)(TS_SHAPE_SPHERE + k % 8), 0.7, rock);
            ts_transform pa = random_pose(&rng, 0.8), pb = random_pose(&rng, 0.8);
            ts_proximity p = ask(&one, pa, &b, pb), q = ask(&two, pa, &b, pb);
            cr_assert_float_eq(p.distance, q.distance, slack_of(&p) + slack_of(&q), "hull-%s: %.17g, %.17g",
                               ts_shape_kind_name(b.kind), p.distance, q.distance);
        }
        ts_hull_free(first);
        ts_hull_free(second);
    }
}

// A box cut in two: apart, the distance to the whole is the least of the distances to the parts.
Test(metamorphic, halves_of_a_box) {
    ts_rng rng = ts_rng_make(60, 0);
    for (int trial = 0; trial < 4000; ++trial) {
        ts_shape b = random_shape(&rng, (ts_shape_kind)(TS_SHAPE_SPHERE + trial % 8), 0.5, rock);
        ts_shape whole = ts_shape_box(ts_vec3_make(0.8, 0.5, 0.4));
        double cut = ts_rng_uniform_in(&rng, -0.7, 0.7);
        ts_shape left = ts_shape_box(ts_vec3_make(0.5 * (cut + 0.8), 0.5, 0.4));
        ts_shape right = ts_shape_box(ts_vec3_make(0.5 * (0.8 - cut), 0.5, 0.4));
        ts_transform pa = random_pose(&rng, 1.0), pb = random_pose(&rng, 1.5), pl = pa, pr = pa;
        pl.p = ts_transform_point(&pa, ts_vec3_make(0.5 * (cut - 0.8), 0.0, 0.0));
        pr.p = ts_transform_point(&pa, ts_vec3_make(0.5 * (cut + 0.8), 0.0, 0.0));
        ts_proximity p = ask(&whole, pa, &b, pb), l = ask(&left, pl, &b, pb), r = ask(&right, pr, &b, pb);
        double least = l.distance < r.distance ? l.distance : r.distance;
        if (p.distance > 0.0)
            cr_assert_float_eq(p.distance, least, 1e-11, "%s: %.17g, halves %.17g", ts_shape_kind_name(b.kind),
                               p.distance, least);
        else
            cr_assert(least <= 1e-11);
    }
}

// The same solid as two kinds.
Test(metamorphic, one_solid_in_two_kinds) {
    ts_rng rng = ts_rng_make(61, 0);
    ts_hull* cube = box_hull(ts_vec3_make(0.5, 0.3, 0.7));
    for (int trial = 0; trial < 8000; ++trial) {
        ts_shape other = random_shape(&rng, (ts_shape_kind)(TS_SHAPE_SPHERE + trial % 8), 0.7, rock), one, two;
        switch (trial / 8 % 4) {
        case 0:
            one = ts_shape_sphere(0.4);
            two = ts_shape_ellipsoid(ts_vec3_make(0.4, 0.4, 0.4));
            break;
        case 1:
            one = ts_shape_box(ts_vec3_make(0.5, 0.3, 0.7));
            two = ts_shape_hull(cube);
            break;
        case 2:
            one = ts_shape_rounded(ts_shape_hull(cube), 0.1);
            two = ts_shape_rounded(ts_shape_box(ts_vec3_make(0.5, 0.3, 0.7)), 0.1);
            break;
        default:
            one = ts_shape_capsule(0.3, 0.5);
            two = ts_shape_rounded(ts_shape_capsule(0.1, 0.5), 0.2);
            break;
        }
        ts_transform pa = random_pose(&rng, 0.8), pb = random_pose(&rng, 0.8);
        ts_proximity p = ask(&one, pa, &other, pb), q = ask(&two, pa, &other, pb);
        cr_assert_float_eq(p.distance, q.distance, slack_of(&p) + slack_of(&q), "%s as %s: %.17g, %.17g",
                           ts_shape_kind_name(one.kind), ts_shape_kind_name(two.kind), p.distance, q.distance);
    }
    ts_hull_free(cube);
}

// --- brute force in long double --------------------------------------------------------------------------------------

static long double segment_segment(wide3 p, wide3 q, wide3 r, wide3 s) {
    wide3 u = wide_sub(q, p), v = wide_sub(s, r), w = wide_sub(p, r);
    long double a = wide_dot(u, u), b = wide_dot(u, v), c = wide_dot(v, v), d = wide_dot(u, w), e = wide_dot(v, w);
    long double det = a * c - b * b, best = INFINITY;
    // The inside and the four borders of the square of parameters.
    for (int k = 0; k < 5; ++k) {
        long double x, y;
        if (k == 4) {
            if (!(det > 1e-15L * a * c)) continue;
            x = (b * e - c * d) / det;
            y = (a * e - b * d) / det;
            if (x < 0.0L || x > 1.0L || y < 0.0L || y > 1.0L) continue;
        } else if (k < 2) {
            x = k;
            y = (b * x + e) / c;
        } else {
            y = k - 2;
            x = (b * y - d) / a;
        }
        x = x < 0.0L ? 0.0L : (x > 1.0L ? 1.0L : x);
        y = y < 0.0L ? 0.0L : (y > 1.0L ? 1.0L : y);
        wide3 g = {w.x + x * u.x - y * v.x, w.y + x * u.y - y * v.y, w.z + x * u.z - y * v.z};
        long double length = wide_norm(g);
        best = length < best ? length : best;
    }
    return best;
}

// Distance of a point to a face when it lies over its inside, else infinity.
static long double point_face(wide3 p, const wide3* corner, int count) {
    wide3 n = wide_cross(wide_sub(corner[1], corner[0]), wide_sub(corner[2], corner[0]));
    for (int i = 0; i < count; ++i) {
        wide3 inward = wide_cross(n, wide_sub(corner[(i + 1) % count], corner[i]));
        if (wide_dot(inward, wide_sub(p, corner[i])) < 0.0L) return INFINITY;
    }
    return fabsl(wide_dot(n, wide_sub(p, corner[0]))) / wide_norm(n);
}

static wide3 placed(const ts_transform* t, ts_vec3 v) {
    wide3 r = {t->p.x, t->p.y, t->p.z};
    r.x += (long double)t->R.m[0][0] * v.x + (long double)t->R.m[0][1] * v.y + (long double)t->R.m[0][2] * v.z;
    r.y += (long double)t->R.m[1][0] * v.x + (long double)t->R.m[1][1] * v.y + (long double)t->R.m[1][2] * v.z;
    r.z += (long double)t->R.m[2][0] * v.x + (long double)t->R.m[2][1] * v.y + (long double)t->R.m[2][2] * v.z;
    return r;
}

static int face_corners(const ts_hull* h, int f, const ts_transform* t, wide3* out) {
    int count = h->face_start[f + 1] - h->face_start[f];
    for (int i = 0; i < count; ++i) out[i] = placed(t, h->vertex[h->face_corner[h->face_start[f] + i]]);
    return count;
}

// Every vertex against every face both ways, every edge against every edge.
static long double brute_distance(const ts_hull* a, const ts_transform* pa, const ts_hull* b, const ts_transform* pb) {
    long double best = INFINITY;
    wide3 first[64], second[64];
    for (int side = 0; side < 2; ++side) {
        const ts_hull *h = side ? b : a, *o = side ? a : b;
        const ts_transform *ph = side ? pb : pa, *po = side ? pa : pb;
        for (int f = 0; f < h->face_count; ++f) {
            int count = face_corners(h, f, ph, first);
            for (int v = 0; v < o->vertex_count; ++v) {
                long double d = point_face(placed(po, o->vertex[v]), first, count);
                best = d < best ? d : best;
            }
        }
    }
    for (int f = 0; f < a->face_count; ++f)
        for (int g = 0; g < b->face_count; ++g) {
            int n = face_corners(a, f, pa, first), m = face_corners(b, g, pb, second);
            for (int i = 0; i < n; ++i)
                for (int j = 0; j < m; ++j) {
                    long double d = segment_segment(first[i], first[(i + 1) % n], second[j], second[(j + 1) % m]);
                    best = d < best ? d : best;
                }
        }
    return best;
}

// The least support value of the difference over its own face normals: faces of both, and crosses of their edges.
static long double brute_gap(const fuzz_case* c) {
    long double best = -INFINITY;
    const ts_hull *a = c->a.hull, *b = c->b.hull;
    for (int f = 0; f < a->face_count + b->face_count; ++f) {
        ts_vec3 n = f < a->face_count ? ts_transform_direction(&c->pa, a->face_normal[f])
                                      : ts_transform_direction(&c->pb, ts_vec3_neg(b->face_normal[f - a->face_count]));
        long double length = wide_norm(wide(n));
        wide3 w = {n.x / length, n.y / length, n.z / length};
        long double gap = wide_gap(c, w);
        best = gap > best ? gap : best;
    }
    wide3 first[64], second[64];
    for (int f = 0; f < a->face_count; ++f)
        for (int g = 0; g < b->face_count; ++g) {
            int n = face_corners(a, f, &c->pa, first), m = face_corners(b, g, &c->pb, second);
            for (int i = 0; i < n; ++i)
                for (int j = 0; j < m; ++j) {
                    wide3 w =
                        wide_cross(wide_sub(first[(i + 1) % n], first[i]), wide_sub(second[(j + 1) % m], second[j]));
                    long double length = wide_norm(w);
                    if (!(length > 1e-9L)) continue;
                    for (int sign = -1; sign <= 1; sign += 2) {
                        wide3 u = {sign * w.x / length, sign * w.y / length, sign * w.z / length};
                        long double gap = wide_gap(c, u);
                        best = gap > best ? gap : best;
                    }
                }
        }
    return best;
}

Test(metamorphic, hulls_against_all_features_in_long_double) {
    ts_rng rng = ts_rng_make(62, 0);
    int apart = 0, overlapping = 0;
    for (int trial = 0; trial < 400; ++trial) {
        ts_hull* a = random_hull(&rng, 6 + trial % 10, ts_vec3_make(0.5, 0.4, 0.3));
        ts_hull* b = trial % 4 ? random_hull(&rng, 5 + trial % 9, ts_vec3_make(0.3, 0.5, 0.4))
                               : box_hull(ts_vec3_make(0.3, 0.2, 0.4));
        fuzz_case c;
        memset(&c, 0, sizeof c);
        c.a = ts_shape_hull(a);
        c.b = ts_shape_hull(b);
        c.pa = random_pose(&rng, 0.4);
        c.pb = random_pose(&rng, 0.5);
        if (trial % 7 == 0) c.pb.R = c.pa.R;
        ts_proximity p = ask(&c.a, c.pa, &c.b, c.pb);
        long double gap = brute_gap(&c);
        if (gap > 0.0L) {
            long double d = brute_distance(a, &c.pa, b, &c.pb);
            cr_assert_float_eq((long double)p.distance, d, 1e-13L, "trial %d: %.17g, not %.17Lg", trial, p.distance, d);
            ++apart;
        } else {
            cr_assert_float_eq((long double)p.distance, gap, 1e-13L, "trial %d: %.17g, not %.17Lg", trial, p.distance,
                               gap);
            ++overlapping;
        }
        ts_hull_free(a);
        ts_hull_free(b);
    }
    cr_expect(apart > 50 && overlapping > 50, "%d apart, %d overlapping", apart, overlapping);
}

// Directions spread over the sphere and then a climb: no plane does better than the answer's.
Test(metamorphic, no_direction_beats_the_answer) {
    ts_rng rng = ts_rng_make(63, 0);
    couple c;
    for (int at_pair = 0; next_couple(&rng, &at_pair, 2, &c);) {
        fuzz_case f;
        memset(&f, 0, sizeof f);
        f.a = c.a;
        f.b = c.b;
        f.pa = c.pa;
        f.pb = c.pb;
        long double best = -INFINITY;
        ts_vec3 at_best = ts_vec3_axis(0);
        for (int k = 0; k < 1500; ++k) {
            // The last thousand near the best so far, nearer and nearer.
            ts_vec3 d = random_unit(&rng);
            if (k >= 500) d = ts_vec3_add_scaled(at_best, pow(0.99, k - 500), d);
            long double length = wide_norm(wide(d));
            wide3 n = {d.x / length, d.y / length, d.z / length};
            long double gap = wide_gap(&f, n);
            if (gap > best) {
                best = gap;
                at_best = ts_vec3_make((double)n.x, (double)n.y, (double)n.z);
            }
        }
        cr_assert_leq(best, c.p.found.upper + 1e-12L, "%s-%s: %.17g, another plane %.17Lg", c.na, c.nb, c.p.found.upper,
                      best);
        cr_assert_geq(best, c.p.found.lower - 0.05L, "%s-%s: lower %.17g, the best of many planes %.17Lg", c.na, c.nb,
                      c.p.found.lower, best);
    }
}
