// Derivatives of manifolds against central differences of ts_manifold_collide itself, for every pair of convex kinds.
#include "tests/collision/derivative/moved_pair.h"

#include "collision/derivative/proximity_derivative.h"

#include <stdio.h>
#include <string.h>

enum { NUMBERS = 7 };

// Gaps far above the pairs' own are reported as well, so that moving does not lose points.
static const ts_manifold_settings settings = {0.25, 8, 0.0};

// Position, normal and gap of the point with that label after B moved, or of the only one; 0 when it is not there.
static int numbers_at(const moved_pair* pair, const ts_manifold_cache* before, int j, double t, uint32_t feature,
                      double out[NUMBERS]) {
    ts_transform moved = moved_in_world(&pair->pose_b, j, t);
    ts_manifold_cache cache = *before;
    ts_manifold m;
    ts_manifold_collide(&pair->a, &pair->pose_a, &pair->b, &moved, &settings, &cache, &m);
    for (int k = 0; k < m.count; ++k) {
        // Of two edges the label says whether axes or the query found them, which depends on the sign of the gap.
        if (m.point[k].feature != feature && !(before->kept_count == 1 && m.count == 1)) continue;
        ts_vec3_store(m.point[k].position, out);
        ts_vec3_store(m.point[k].normal, out + 3);
        out[6] = m.point[k].gap;
        return 1;
    }
    return 0;
}

// Fourth-order central differences of column j over increments; the least largest error against `exact`, relative to the larger of
// it and 1 (lengths are about 1 m). Infinite where the point is never there.
static double least_error(const moved_pair* pair, const ts_manifold_cache* before, int j, uint32_t feature,
                          const double* exact) {
    double least = (double)INFINITY;
    for (double h = 3e-2; h > 1e-6; h *= 0.3) {
        double f[4][NUMBERS];
        const double at[4] = {-2.0 * h, -h, h, 2.0 * h};
        int there = 1;
        for (int k = 0; k < 4 && there; ++k) there = numbers_at(pair, before, j, at[k], feature, f[k]);
        if (!there) continue;
        double worst = 0.0;
        for (int i = 0; i < NUMBERS; ++i) {
            double d = (8.0 * (f[2][i] - f[1][i]) - (f[3][i] - f[0][i])) / (12.0 * h);
            worst = fmax(worst, fabs(d - exact[i]) / fmax(1.0, fabs(exact[i])));
        }
        least = fmin(least, worst);
    }
    return least;
}

static double point_error(const moved_pair* pair, const ts_manifold_cache* before, uint32_t feature,
                          const ts_manifold_derivative_point* d) {
    double worst = 0.0;
    for (int j = 0; j < 6; ++j) {
        double exact[NUMBERS];
        for (int i = 0; i < 3; ++i) {
            exact[i] = d->position[i][j];
            exact[3 + i] = d->normal[i][j];
        }
        exact[6] = d->gap[j];
        worst = fmax(worst, least_error(pair, before, j, feature, exact));
    }
    return worst;
}

typedef struct tally {
    int points, regular, good, unknown;
    int lost;  // points that are not there any more after the least motion: of parts others count as well
} tally;

static void check_pair(const moved_pair* pair, tally* t, const char* what) {
    ts_manifold_cache cache;
    memset(&cache, 0, sizeof cache);
    ts_manifold m;
    ts_manifold_collide(&pair->a, &pair->pose_a, &pair->b, &pair->pose_b, &settings, &cache, &m);
    ts_manifold_derivative_point d[TS_MANIFOLD_CAPACITY];
    int regular = ts_manifold_derivative(&pair->a, &pair->pose_a, &pair->b, &pair->pose_b, &m, &cache, d), counted = 0;
    for (int k = 0; k < m.count; ++k) {
        const ts_derivative_certificate* c = &d[k].certificate;
        ++t->points;
        t->unknown += (c->flags & TS_DERIVATIVE_UNKNOWN) != 0;
        if (c->flags) continue;
        ++counted;
        // Nearer to the end of a feature increments are too small for the differences.
        if (c->room < 2e-3 || c->turn < 2e-3 || c->curvature < 5e-3 || c->crossing < 1e-2) continue;
        double worst = point_error(pair, &cache, m.point[k].feature, &d[k]);
        if (!isfinite(worst) && !(ts_shape_is_convex(&pair->a) && ts_shape_is_convex(&pair->b))) {
            ++t->lost;
            continue;
        }
        ++t->regular;
        // A field's neighbouring triangle may take the contact over at once, which no feature of this one foresees.
        if (worst > 1e-3 && (pair->a.kind == TS_SHAPE_HEIGHT_FIELD || pair->b.kind == TS_SHAPE_HEIGHT_FIELD)) continue;
        cr_assert_leq(worst, 1e-3, "%s point %d of %d: error %g, gap %g, room %g, turn %g, curvature %g, crossing %g",
                      what, k, m.count, worst, m.point[k].gap, c->room, c->turn, c->curvature, c->crossing);
        t->good += worst <= 1e-7;
    }
    cr_assert_eq(counted, regular, "%s", what);
}

static tally check_kinds(int ka, int kb, int trials) {
    ts_rng rng = ts_rng_make(771, (uint64_t)(ka * 16 + kb));
    pair_hulls hulls = pair_hulls_make(&rng);
    static const double gaps[3] = {0.02, 1e-9, -0.03};
    tally t = {0, 0, 0, 0, 0};
    for (int trial = 0; trial < trials; ++trial) {
        moved_pair pair = random_pair(&rng, ka, kb, &hulls, trial);
        char what[80];
        snprintf(what, sizeof what, "%s against %s, trial %d", ts_shape_kind_name((ts_shape_kind)ka),
                 ts_shape_kind_name((ts_shape_kind)kb), trial);
        bring_near(&pair, gaps[trial % 3] * ts_rng_uniform_in(&rng, 0.5, 1.0));
        check_pair(&pair, &t, what);
    }
    pair_hulls_free(&hulls);
    return t;
}

Test(manifold_derivative, is_what_differences_of_the_manifold_say) {
    for (int ka = 0; ka < TS_SHAPE_CONVEX_COUNT; ++ka) {
        for (int kb = 0; kb < TS_SHAPE_CONVEX_COUNT; ++kb) {
            if (ka == TS_SHAPE_PLANE && kb == TS_SHAPE_PLANE) continue;
            tally t = check_kinds(ka, kb, 120);
            const char *a = ts_shape_kind_name((ts_shape_kind)ka), *b = ts_shape_kind_name((ts_shape_kind)kb);
            cr_assert_eq(t.unknown, 0, "%s against %s: %d points are not found again", a, b, t.unknown);
            cr_assert_geq(t.regular, t.points * 7 / 10, "%s against %s: %d of %d points", a, b, t.regular, t.points);
            cr_assert_geq(t.good, t.regular * 995 / 1000, "%s against %s: %d of %d within 1e-7", a, b, t.good,
                          t.regular);
        }
    }
}

// Shapes made of parts against convex ones and each other, both ways round.
static void check_parts(composite_kind kind, int trials, tally* t) {
    ts_rng rng = ts_rng_make(775, (uint64_t)kind);
    composite whole = composite_make(kind, &rng);
    pair_hulls hulls = pair_hulls_make(&rng);
    static const double gaps[3] = {0.02, 1e-9, -0.02};
    for (int trial = 0; trial < trials; ++trial) {
        int other = 1 + trial % (TS_SHAPE_CONVEX_COUNT - 1);
        moved_pair pair = composite_pair(&whole, &rng, other, &hulls, trial);
        char what[80];
        snprintf(what, sizeof what, "composite %d against %s, trial %d", (int)kind,
                 ts_shape_kind_name((ts_shape_kind)other), trial);
        bring_near(&pair, gaps[trial % 3] * ts_rng_uniform_in(&rng, 0.5, 1.0));
        check_pair(&pair, t, what);
    }
    pair_hulls_free(&hulls);
    composite_free(&whole);
}

Test(manifold_derivative, of_compounds_and_height_fields) {
    for (int kind = 0; kind < COMPOSITES; ++kind) {
        tally t = {0, 0, 0, 0, 0};
        check_parts((composite_kind)kind, 120, &t);
        // Ridges of hills turn normals away from those of all faces.
        cr_assert_leq(t.unknown, t.points / (kind == COMPOSITE_HILLS ? 5 : 100),
                      "composite %d: %d of %d points are not found again", kind, t.unknown, t.points);
        cr_assert_leq(t.lost, t.points / 20, "composite %d: %d of %d points are lost", kind, t.lost, t.points);
        cr_assert_geq(t.regular, t.points / 2, "composite %d: %d of %d points", kind, t.regular, t.points);
        cr_assert_geq(t.good, t.regular * 99 / 100, "composite %d: %d of %d within 1e-7", kind, t.good, t.regular);
    }
}
