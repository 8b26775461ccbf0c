// Surfaces: what two of them make of a contact, by the documented rules, and which numbers are refused.
#include "engine/model/surface.h"

#include "base/rng.h"

#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

static ts_surface soft(const double numbers[4], int priority) {
    ts_surface surface = ts_surface_default();
    surface.softness.solref[0] = numbers[0];
    surface.softness.solref[1] = numbers[1];
    surface.softness.solimp[0] = numbers[2];
    surface.solmix = numbers[3];
    surface.priority = priority;
    return surface;
}

Test(surface, softness_is_mixed_as_documented) {
    static const struct {
        double a[4], b[4];  // solref, d0, solmix
        int priority;       // of a over b
        double solref[2], d0;
    } cases[] = {
        {{0.02, 1.0, 0.9, 1.0}, {0.04, 0.5, 0.7, 1.0}, 0, {0.03, 0.75}, 0.8},
        {{0.02, 1.0, 0.9, 3.0}, {0.04, 0.5, 0.7, 1.0}, 0, {0.025, 0.875}, 0.85},
        {{0.02, 1.0, 0.9, 0.0}, {0.04, 0.5, 0.7, 1.0}, 0, {0.04, 0.5}, 0.7},
        {{0.02, 1.0, 0.9, 2.0}, {0.04, 0.5, 0.7, 0.0}, 0, {0.02, 1.0}, 0.9},
        {{0.02, 1.0, 0.9, 0.0}, {0.04, 0.5, 0.7, 0.0}, 0, {0.03, 0.75}, 0.8},
        {{0.02, 1.0, 0.9, 1.0}, {0.04, 0.5, 0.7, 9.0}, 1, {0.02, 1.0}, 0.9},
        {{0.02, 1.0, 0.9, 1.0}, {0.04, 0.5, 0.7, 9.0}, -1, {0.04, 0.5}, 0.7},
        {{-100.0, -5.0, 0.9, 1.0}, {-300.0, -1.0, 0.7, 1.0}, 0, {-300.0, -5.0}, 0.8},
        {{-100.0, -5.0, 0.9, 1.0}, {0.04, 0.5, 0.7, 1.0}, 0, {-100.0, -5.0}, 0.8},
        {{-100.0, 0.5, 0.9, 1.0}, {0.04, 0.5, 0.7, 1.0}, 0, {0.02, 1.0}, 0.8},  // mixed signs: the default
        {{-100.0, -5.0, 0.9, 1.0}, {0.04, 0.5, 0.7, 1.0}, -1, {0.04, 0.5}, 0.7},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
        ts_surface a = soft(cases[i].a, cases[i].priority), b = soft(cases[i].b, 0);
        ts_mujoco_softness s = ts_surface_combine(&a, &b).softness, t = ts_surface_combine(&b, &a).softness;
        for (int k = 0; k < 2; ++k) {
            cr_expect_float_eq(s.solref[k], cases[i].solref[k], 1e-15, "case %zu: %g", i, s.solref[k]);
            cr_expect_float_eq(t.solref[k], cases[i].solref[k], 1e-15, "case %zu, turned: %g", i, t.solref[k]);
        }
        cr_expect_float_eq(s.solimp[0], cases[i].d0, 1e-15, "case %zu: %g", i, s.solimp[0]);
        cr_expect_float_eq(t.solimp[0], cases[i].d0, 1e-15, "case %zu, turned: %g", i, t.solimp[0]);
        cr_expect_float_eq(s.solimp[1], 0.95, 1e-15);
    }
}

static ts_surface resisting(int dimension, int priority, double mu, double spin, double roll, double restitution) {
    ts_surface surface = ts_surface_default();
    surface.dimension = dimension;
    surface.priority = priority;
    surface.friction = mu;
    surface.friction_spin = spin;
    surface.friction_roll = roll;
    surface.restitution = restitution;
    return surface;
}

// The larger of each, or the surface of higher priority; restitution always the larger; then rows that resist nothing go.
static double choice(ts_rng* rng, double a, double b) { return ts_rng_uniform(rng) < 0.5 ? a : b; }

static ts_surface any_softness(ts_rng* rng) {
    double numbers[4] = {choice(rng, 0.02, -500.0), choice(rng, 1.0, -30.0), choice(rng, 0.9, 0.7),
                         choice(rng, 1.0, 0.3)};
    ts_surface surface = soft(numbers, (int)choice(rng, 0.0, 1.0));
    surface.friction_solref[0] = choice(rng, 0.0, 0.05);
    surface.friction_solref[1] = choice(rng, 0.0, 0.5);
    return surface;
}

// Softness alone is that of the whole, whoever speaks, whatever is mixed or mended; and friction has its own where it is given.
Test(surface, softness_alone_is_that_of_the_whole) {
    enum { SURFACES = 2000 };
    ts_rng rng = ts_rng_make(11, 1);
    int own = 0;
    for (int i = 0; i < SURFACES; ++i) {
        ts_surface a = any_softness(&rng), b = any_softness(&rng), both = ts_surface_combine(&a, &b);
        ts_surface_softness whole = ts_surface_softness_of(&both), alone = ts_surface_softness_between(&a, &b);
        cr_assert_eq(memcmp(&whole, &alone, sizeof whole), 0, "surfaces %d", i);
        cr_assert_eq(memcmp(&alone.normal, &both.softness, sizeof both.softness), 0, "surfaces %d", i);
        int has_own = both.friction_solref[0] != 0.0 || both.friction_solref[1] != 0.0;
        const double* solref = has_own ? both.friction_solref : both.softness.solref;
        cr_assert_eq(memcmp(alone.friction_solref, solref, sizeof alone.friction_solref), 0, "surfaces %d", i);
        own += has_own;
    }
    cr_expect(own > SURFACES / 4 && own < SURFACES, "%d", own);
}

Test(surface, resistance_is_combined_as_documented) {
    static const struct {
        double a[5], b[5];  // dimension, mu, spin, roll, restitution
        int priority;       // of a over b
        double both[5];
    } cases[] = {
        {{3, 0.3, 0.1, 0.2, 0.4}, {3, 0.7, 0.2, 0.1, 0.2}, 0, {3, 0.7, 0.0, 0.0, 0.4}},
        {{6, 0.3, 0.1, 0.2, 0.0}, {1, 0.7, 0.2, 0.1, 0.2}, 0, {6, 0.7, 0.2, 0.2, 0.2}},
        {{4, 0.3, 0.1, 0.2, 0.0}, {3, 0.7, 0.2, 0.1, 0.0}, 0, {4, 0.7, 0.2, 0.0, 0.0}},
        {{4, 0.3, 0.1, 0.2, 0.0}, {6, 0.7, 0.2, 0.1, 1.0}, 1, {4, 0.3, 0.1, 0.0, 1.0}},
        {{1, 0.3, 0.1, 0.2, 0.5}, {6, 0.7, 0.2, 0.1, 0.0}, 1, {1, 0.0, 0.0, 0.0, 0.5}},
        {{1, 0.3, 0.1, 0.2, 0.0}, {1, 0.7, 0.2, 0.1, 0.0}, 0, {1, 0.0, 0.0, 0.0, 0.0}},
        {{6, 0.6, 0.1, 0.0, 0.0}, {6, 0.5, 0.0, 0.0, 0.0}, 0, {4, 0.6, 0.1, 0.0, 0.0}},
        {{6, 0.6, 0.0, 0.0, 0.0}, {6, 0.5, 0.0, 0.0, 0.0}, 0, {3, 0.6, 0.0, 0.0, 0.0}},
        {{6, 0.6, 0.0, 0.2, 0.0}, {3, 0.5, 0.0, 0.0, 0.0}, 0, {6, 0.6, 0.0, 0.2, 0.0}},
        {{6, 0.0, 0.1, 0.2, 0.0}, {6, 0.0, 0.1, 0.2, 0.0}, 0, {3, 0.0, 0.0, 0.0, 0.0}},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
        const double *p = cases[i].a, *q = cases[i].b;
        ts_surface a = resisting((int)p[0], cases[i].priority, p[1], p[2], p[3], p[4]);
        ts_surface b = resisting((int)q[0], 0, q[1], q[2], q[3], q[4]);
        for (int turned = 0; turned < 2; ++turned) {
            ts_surface s = turned ? ts_surface_combine(&b, &a) : ts_surface_combine(&a, &b);
            double got[5] = {s.dimension, s.friction, s.friction_spin, s.friction_roll, s.restitution};
            for (int k = 0; k < 5; ++k)
                cr_expect_eq(got[k], cases[i].both[k], "case %zu, number %d: %g, turned %d", i, k, got[k], turned);
        }
    }
}

Test(surface, faults_are_named) {
    static const struct {
        const char* why;
        size_t at;
        double value;
    } bad[] = {{"friction", offsetof(ts_surface, friction), -0.1},
               {"friction", offsetof(ts_surface, friction), (double)INFINITY},
               {"spinning", offsetof(ts_surface, friction_spin), -1.0},
               {"rolling", offsetof(ts_surface, friction_roll), (double)NAN},
               {"restitution", offsetof(ts_surface, restitution), 1.1},
               {"solref", offsetof(ts_surface, softness.solref), (double)NAN},
               {"solimp", offsetof(ts_surface, softness.solimp), (double)INFINITY},
               {"solmix", offsetof(ts_surface, solmix), -1.0}};
    ts_surface surface = ts_surface_default();
    cr_assert_null(ts_surface_fault(&surface));
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; ++i) {
        surface = ts_surface_default();
        memcpy((char*)&surface + bad[i].at, &bad[i].value, sizeof(double));
        const char* why = ts_surface_fault(&surface);
        cr_assert(why && strstr(why, bad[i].why), "%s: %s", bad[i].why, why);
    }
    for (int dimension = -1; dimension < 9; ++dimension) {
        surface = ts_surface_default();
        surface.dimension = dimension;
        int known = dimension == 1 || dimension == 3 || dimension == 4 || dimension == 6;
        cr_assert_eq(ts_surface_fault(&surface) == NULL, known, "%d", dimension);
    }
}
