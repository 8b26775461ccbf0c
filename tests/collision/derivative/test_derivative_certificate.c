// How far the certificate of a derivative says that it reaches, against where on a path the answer jumps or its derivative does.
#include "tests/collision/derivative/moved_pair.h"

#include "collision/derivative/proximity_derivative.h"

// A pair whose B moves along a screw in its own axes.
typedef struct path {
    moved_pair pair;
    ts_vec3 v, w;
} path;

// What is known at a place of it.
typedef struct place {
    ts_vec3 normal;  // in A's frame
    ts_proximity_derivative d;
} place;

static place look(const path* on, double t) {
    moved_pair pair = on->pair;
    place at;
    ts_proximity p;
    ts_proximity_options options = ts_proximity_options_default();
    options.rivals = 1;
    pair.pose_b.p = ts_vec3_add(pair.pose_b.p, ts_mat3_mul_vec(&on->pair.pose_b.R, ts_vec3_scale(t, on->v)));
    pair.pose_b.R = ts_mat3_mul(on->pair.pose_b.R, rotation_by(ts_vec3_scale(t, on->w)));
    ts_proximity_query(&pair.a, &pair.pose_a, &pair.b, &pair.pose_b, &options, 0, &p);
    ts_proximity_differentiate(&pair.a, &pair.pose_a, &pair.b, &pair.pose_b, &p, 0, &at.d);
    at.normal = ts_transform_direction_inverse(&pair.pose_a, p.found.normal);
    return at;
}

// How different two places are: their normals and, where `kinks` count, their derivatives.
static double difference(const place* a, const place* b, int kinks) {
    double off = 0.0, size = 1.0, turned = ts_vec3_distance(a->normal, b->normal);
    for (int i = 0; i < 3 && kinks; ++i)
        for (int j = 0; j < 6; ++j) {
            size = fmax(size, fmax(fabs(a->d.normal[i][j]), fabs(a->d.point_a[i][j])));
            off = fmax(off, fabs(a->d.normal[i][j] - b->d.normal[i][j]));
            off = fmax(off, fabs(a->d.point_a[i][j] - b->d.point_a[i][j]));
            off = fmax(off, fabs(a->d.point_b[i][j] - b->d.point_b[i][j]));
        }
    return fmax(turned, off / size);
}

// How much farther than `away` along the path the derivative at a place claims to reach: at most 1 if it is right, a little more as rates
// change on the way. Zero where it claims nothing.
static double overreach(const path* on, const place* at, double away) {
    const ts_derivative_certificate* c = &at->d.certificate;
    const double xi[6] = {on->v.x, on->v.y, on->v.z, on->w.x, on->w.y, on->w.z};
    double sliding = 0.0, turning = 0.0;
    if (c->flags) return 0.0;
    for (int i = 0; i < 3; ++i) {
        double a = 0.0, b = 0.0, n = 0.0;
        for (int j = 0; j < 6; ++j) {
            a += at->d.point_a[i][j] * xi[j];
            b += at->d.point_b[i][j] * xi[j];
            n += at->d.normal[i][j] * xi[j];
        }
        sliding = fmax(sliding, fmax(fabs(a), fabs(b)));
        turning = fmax(turning, fabs(n));
    }
    // Shapes of a metre move up to 3 m and 2 rad for a unit of the path.
    double by_points = c->room / (away * (sliding + 3.0)), by_normal = c->turn / (away * (turning + 2.0));
    return fmin(fmin(by_points, by_normal), fmin(c->curvature, c->crossing) / (3.0 * away));
}

typedef struct tally {
    int changes, checks, late;  // late: claimed to reach three times farther than to the change
    double worst;
} tally;

// A place where the answer changes between two others, by bisection; 0: it only changes fast there.
static int find_change(const path* on, int kinks, double io_t[2], place io_at[2]) {
    while (io_t[1] - io_t[0] > 1e-11) {
        double t = 0.5 * (io_t[0] + io_t[1]);
        place middle = look(on, t);
        int side = difference(&io_at[0], &middle, kinks) > difference(&middle, &io_at[1], kinks);
        io_t[side] = t;
        io_at[side] = middle;
    }
    return difference(&io_at[0], &io_at[1], kinks) >= 0.02;
}

static void check_change(const path* on, int kinks, const double t[2], const place at[2], double nearest, tally* io) {
    double jump = difference(&at[0], &at[1], kinks);
    ++io->changes;
    for (int side = 0; side < 2; ++side) {
        double away = 1e-3;
        for (int k = 0; k < 5 && away > nearest; ++k, away *= 0.1) {
            place before = look(on, side ? t[1] + away : t[0] - away);
            // Something else may lie between.
            if (difference(&before, &at[side], kinks) > 0.3 * jump) continue;
            double claimed = overreach(on, &before, away);
            ++io->checks;
            io->late += claimed > 3.0;
            io->worst = fmax(io->worst, claimed);
        }
    }
}

static void check_path(const path* on, int kinks, double nearest, tally* io) {
    enum { STEPS = 40 };
    place last = look(on, 0.0);
    for (int k = 0; k < STEPS; ++k) {
        double t[2] = {0.01 * k, 0.01 * (k + 1)};
        place at[2] = {last, look(on, t[1])};
        last = at[1];
        if (difference(&at[0], &at[1], kinks) < 0.05) continue;
        if (find_change(on, kinks, t, at)) check_change(on, kinks, t, at, nearest, io);
    }
}

static int is_curved(int kind) {
    return kind == TS_SHAPE_ELLIPSOID || kind == TS_SHAPE_CYLINDER || kind == TS_SHAPE_CONE;
}

// Deep overlaps have jumps, where two ways out are as good; apart there are kinks alone.
static tally check_kinds(int ka, int kb, int deep, double nearest) {
    ts_rng rng = ts_rng_make(99, (uint64_t)ka * 16 + (uint64_t)kb);
    pair_hulls hulls = pair_hulls_make(&rng);
    tally t = {0, 0, 0, 0.0};
    for (int trial = 0; trial < 20; ++trial) {
        path on = {random_pair(&rng, ka, kb, &hulls, trial), {0.0, 0.0, 0.0}, {0.0, 0.0, 0.0}};
        if (deep)
            on.pair.pose_b.p = ts_transform_point(&on.pair.pose_a, random_vector(&rng, 0.4));
        else
            bring_near(&on.pair, 0.2);
        on.v = random_unit(&rng);
        on.w = random_vector(&rng, 1.0);
        check_path(&on, !deep, nearest, &t);
    }
    pair_hulls_free(&hulls);
    return t;
}

// Of flat and round kinds none reaches too far; of ellipsoids, cylinders and cones ways out a few degrees apart may be taken for one.
static void check_all(int deep) {
    tally flat = {0, 0, 0, 0.0}, curved = {0, 0, 0, 0.0};
    for (int ka = 0; ka < TS_SHAPE_CONVEX_COUNT; ++ka) {
        for (int kb = ka > 0 ? ka : 1; kb < TS_SHAPE_CONVEX_COUNT; ++kb) {
            int bent = ka > TS_SHAPE_SPHERE && (is_curved(ka) || is_curved(kb));
            tally t = check_kinds(ka, kb, deep, bent ? 1e-6 : 1e-8), *of = bent ? &curved : &flat;
            if (!bent)
                cr_assert_eq(t.late, 0, "%s against %s: %d of %d, %g times too far",
                             ts_shape_kind_name((ts_shape_kind)ka), ts_shape_kind_name((ts_shape_kind)kb), t.late,
                             t.checks, t.worst);
            of->changes += t.changes;
            of->checks += t.checks;
            of->late += t.late;
        }
    }
    cr_assert_geq(flat.changes, 100);
    cr_assert_geq(curved.changes, 100);
    cr_assert_leq(curved.late, curved.checks / 500, "%d of %d", curved.late, curved.checks);
}

Test(derivative_certificate, tells_of_other_ways_out_of_an_overlap) { check_all(1); }

Test(derivative_certificate, tells_of_the_ends_of_features) { check_all(0); }

// Whether the query was asked for other ways out or not.
Test(derivative_certificate, asks_again_where_the_query_was_not_asked) {
    ts_shape box = ts_shape_box(ts_vec3_make(1.0, 1.0, 1.0)), small = ts_shape_box(ts_vec3_make(0.2, 0.2, 0.2));
    ts_transform here = ts_transform_identity(), there = at(0.3, 0.31, 0.1);
    there.R = rotation_by(ts_vec3_make(0.5, 0.5, 0.5));
    ts_proximity plain, asked;
    ts_proximity_derivative d, e;
    ts_proximity_options options = ts_proximity_options_default();
    ts_proximity_query(&box, &here, &small, &there, 0, 0, &plain);
    options.rivals = 1;
    ts_proximity_query(&box, &here, &small, &there, &options, 0, &asked);
    // Turned about the diagonal it is as wide along all three axes: 0.31 - 0.3 m less deep along y than along x.
    cr_assert_lt(plain.rival, 0.0);
    cr_assert_float_eq(asked.rival, 0.01, 1e-12);
    ts_proximity_differentiate(&box, &here, &small, &there, &plain, 0, &d);
    ts_proximity_differentiate(&box, &here, &small, &there, &asked, 0, &e);
    cr_assert_float_eq(d.certificate.room, 0.005, 1e-12);
    cr_assert_eq(d.certificate.room, e.certificate.room);
}
