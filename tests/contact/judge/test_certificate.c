// The certificate of a solve: modes, laws and amounts of answers written down by hand; the internal part of an answer.
#include "contact/judge/certificate.h"

#include "contact/judge/internal_force.h"
#include "tests/contact/contact_fixture.h"

typedef struct sample {
    ts_arena arena;
    int block_row[FIXTURE_BLOCKS + 1];
    ts_contact_problem problem;
} sample;

static void make_sample(sample* s, int blocks, const ts_block* block, const double* G, const double* g) {
    memset(s, 0, sizeof(*s));
    for (int b = 0; b < blocks; ++b) s->block_row[b + 1] = block[b].row + block[b].rows;
    s->problem.block_count = blocks;
    s->problem.row_count = s->block_row[blocks];
    s->problem.block = block;
    s->problem.delassus = dense_operator(&s->arena, blocks, s->block_row, G);
    s->problem.g = g;
    s->problem.time_step = TIME_STEP;
    ts_status status;
    cr_assert_eq(ts_contact_problem_validate(&s->problem, &status), TS_OK, "%s", status.message);
}

// Eight blocks on unit masses, u = lambda + g, each doing something else; lambda chosen, g = u - lambda.
enum { BLOCKS = 8, ROWS = 16 };

static const ts_block blocks[BLOCKS] = {
    {TS_SET_CONE, 0, 3, 0.5, 0, 0},    {TS_SET_CONE, 3, 3, 0.5, 0, 0},     {TS_SET_CONE, 6, 3, 0.5, 0, 0},
    {TS_SET_CONE, 9, 3, 0.5, 0, 0},    {TS_SET_HALF_LINE, 12, 1, 0, 0, 0}, {TS_SET_BOX, 13, 1, 0, -0.1, 0.1},
    {TS_SET_BOX, 14, 1, 0, -0.1, 0.1}, {TS_SET_FREE, 15, 1, 0, 0, 0},
};
static const double lambda[ROWS] = {0, 0, 0, 0.1, 0.2, 1, -0.3, 0.4, 1, 0, -0.5, 1, 2, 0.05, -0.1, 7};
// Open and leaving; sticking; sliding against its friction at 0.2 m/s; sliding beside it, and sinking at 0.01 m/s; a
// limit that carries; dry friction that holds; dry friction that slides; a bilateral row.
static const double velocity[ROWS] = {0.3, 0, 0.1, 0, 0, 0, 0.12, -0.16, 0, 0.3, 0, -0.01, 0, 0, 0.7, 0};

static void eight(sample* s, double g[ROWS], double G[ROWS * ROWS]) {
    memset(G, 0, ROWS * ROWS * sizeof(double));
    for (int r = 0; r < ROWS; ++r) {
        G[(ROWS + 1) * r] = 1.0;
        g[r] = velocity[r] - lambda[r];
    }
    make_sample(s, BLOCKS, blocks, G, g);
}

Test(certificate, names_what_every_block_does) {
    sample s;
    double g[ROWS], G[ROWS * ROWS];
    eight(&s, g, G);
    ts_contact_certificate c;
    cr_assert_eq(ts_certificate_make(&s.problem, NULL, lambda, 1e-6, TS_CERTIFICATE_FULL, &s.arena, &c), TS_OK);
    const ts_contact_mode mode[BLOCKS] = {TS_MODE_OPEN,  TS_MODE_STICK, TS_MODE_SLIDE, TS_MODE_VIOLATED,
                                          TS_MODE_STICK, TS_MODE_STICK, TS_MODE_SLIDE, TS_MODE_STICK};
    for (int b = 0; b < BLOCKS; ++b)
        cr_expect_eq(c.verdict[b].mode, mode[b], "block %d: %s", b, ts_contact_mode_name(c.verdict[b].mode));
    cr_expect_eq(c.count[TS_MODE_OPEN], 1);
    cr_expect_eq(c.count[TS_MODE_STICK], 4);
    cr_expect_eq(c.count[TS_MODE_SLIDE], 2);
    cr_expect_eq(c.count[TS_MODE_VIOLATED], 1);
    cr_expect_eq(c.holds, 0u);
    // Block 0 slides away with u outside K*? 0.5 * 0.3 = 0.15 > 0.1: the relaxation would want an impulse, the others
    // not.
    cr_expect_eq(c.verdict[0].holds, (unsigned)(TS_HOLDS_LCP | TS_HOLDS_NCP));
    cr_expect_eq(c.verdict[1].holds, (unsigned)(TS_HOLDS_LCP | TS_HOLDS_CCP | TS_HOLDS_NCP));
    // Friction (-0.3, 0.4) is inside the square of 0.5 while it slides, which the box law forbids; the relaxation wants
    // lift.
    cr_expect_eq(c.verdict[2].holds, (unsigned)TS_HOLDS_NCP);
    cr_expect_float_eq(c.verdict[2].slip, 0.2, 1e-15);
    cr_expect_float_eq(c.verdict[2].friction, 0.5, 1e-15);
    cr_expect_lt(c.verdict[2].slip_angle, 1e-15);
    // Block 3: friction across the slip: half a turn short of a quarter; power mu N |u| + 0; Signorini 1 * 0.01.
    cr_expect_float_eq(c.verdict[3].slip_angle, acos(0.0), 1e-15);
    cr_expect_float_eq(c.verdict[3].residual.dissipation, 0.15, 1e-15);
    cr_expect_float_eq(c.verdict[3].residual.signorini, 0.01, 1e-15);
    cr_expect_float_eq(c.verdict[3].residual.closing, 0.01, 1e-15);
    cr_expect_eq(c.verdict[3].residual.coulomb, 0.0);
    cr_expect_float_eq(c.verdict[3].residual.ncp.complementarity, 0.14, 1e-15);
    // The whole is the worst of its parts.
    cr_expect_float_eq(c.residual.dissipation, 0.15, 1e-15);
    double natural = 0.0;
    for (int b = 0; b < BLOCKS; ++b) natural = fmax(natural, c.verdict[b].residual.natural);
    cr_expect_float_eq(c.residual.natural, natural, 1e-15);
    cr_expect_eq(c.internal_force, 0.0);  // G = I has no null space
    ts_arena_free(&s.arena);
}

// Two small numbers whose product is within the tolerance: the one that would outlast the other by stiffness decides. 1
// uN s under a gap that opens at 1 mm/s is open (a unit mass would need 1 mN s to stop); the other way round it
// carries.
Test(certificate, the_larger_of_two_small_numbers_decides) {
    const ts_block block = fixture_cone(0, 0.5);
    const double G[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
    const double lambda_n[2] = {1e-6, 1e-3}, u_n[2] = {1e-3, 1e-6};
    const ts_contact_mode expected[2] = {TS_MODE_OPEN, TS_MODE_STICK};
    for (int k = 0; k < 2; ++k) {
        const double l[3] = {0, 0, lambda_n[k]}, g[3] = {0, 0, u_n[k] - lambda_n[k]};
        sample s;
        make_sample(&s, 1, &block, G, g);
        ts_contact_certificate c;
        // The smaller is a thousandth of the larger; the floors are a 500th of it and decide nothing here.
        cr_assert_eq(ts_certificate_make(&s.problem, NULL, l, 2e-3, TS_CERTIFICATE_FAST, &s.arena, &c), TS_OK);
        cr_expect_eq(c.verdict[0].mode, expected[k], "%d: %s", k, ts_contact_mode_name(c.verdict[0].mode));
        ts_arena_free(&s.arena);
        // A joint's limit likewise.
        const ts_block limit = {TS_SET_HALF_LINE, 0, 1, 0, 0, 0};
        make_sample(&s, 1, &limit, G, g + 2);
        cr_assert_eq(ts_certificate_make(&s.problem, NULL, l + 2, 2e-3, TS_CERTIFICATE_FAST, &s.arena, &c), TS_OK);
        cr_expect_eq(c.verdict[0].mode, expected[k], "limit, %d: %s", k, ts_contact_mode_name(c.verdict[0].mode));
        ts_arena_free(&s.arena);
    }
}

// A block that meets the law is not excused by a tolerance of nothing, and a NaN is never anything but a violation.
Test(certificate, a_nan_is_a_violation) {
    sample s;
    double g[ROWS], G[ROWS * ROWS], broken[ROWS];
    eight(&s, g, G);
    memcpy(broken, lambda, sizeof(broken));
    broken[4] = (double)NAN;
    ts_contact_certificate c;
    cr_assert_eq(ts_certificate_make(&s.problem, NULL, broken, 1e9, TS_CERTIFICATE_FAST, &s.arena, &c), TS_OK);
    cr_expect_eq(c.verdict[1].mode, TS_MODE_VIOLATED);
    cr_expect_eq(c.holds, 0u);
    cr_expect(isnan(c.internal_force));
    cr_expect_eq(ts_certificate_make(&s.problem, NULL, lambda, -1.0, TS_CERTIFICATE_FAST, &s.arena, &c),
                 TS_ERROR_VALUE);
    ts_arena_free(&s.arena);
}

Test(certificate, a_nan_is_the_largest_of_a_block) {
    const ts_block pair = {TS_SET_FREE, 0, 2, 0, 0, 0};
    const double G[4] = {1, 0, 0, 1}, g[2] = {0, 0}, broken[2] = {(double)NAN, 1e6};
    sample s;
    make_sample(&s, 1, &pair, G, g);
    ts_contact_certificate c;
    cr_assert_eq(ts_certificate_make(&s.problem, NULL, broken, 1e9, TS_CERTIFICATE_FAST, &s.arena, &c), TS_OK);
    cr_expect(isnan(c.verdict[0].normal_impulse), "%g", c.verdict[0].normal_impulse);
    cr_expect_eq(c.verdict[0].mode, TS_MODE_VIOLATED);
    ts_arena_free(&s.arena);
}

Test(certificate, writes_json) {
    sample s;
    double g[ROWS], G[ROWS * ROWS];
    eight(&s, g, G);
    ts_contact_certificate c;
    cr_assert_eq(ts_certificate_make(&s.problem, NULL, lambda, 1e-6, TS_CERTIFICATE_FAST, &s.arena, &c), TS_OK);
    ts_text text = {0};
    ts_json json = ts_json_begin(&text);
    ts_certificate_write(&c, &json);
    const char* out = ts_text_get(&text);
    const char* keys[] = {"\"lcp\"",      "\"ccp\"",    "\"ncp\"",       "\"signorini\"", "\"internal_force\": null",
                          "\"violated\"", "\"blocks\"", "\"half-line\"", "\"open\"",      "\"slip\""};
    for (size_t k = 0; k < sizeof(keys) / sizeof(keys[0]); ++k)
        cr_expect_not_null(strstr(out, keys[k]), "%s is missing in %s", keys[k], k == 0 ? out : "");
    int depth = 0;
    for (const char* p = out; *p; ++p) depth += (*p == '{' || *p == '[') - (*p == '}' || *p == ']');
    cr_expect_eq(depth, 0);
    ts_text_free(&text);
    ts_arena_free(&s.arena);
}

// Cube on four corners: six degrees of freedom under twelve rows. What moves nothing has J^T x = 0; what is in the
// range of G = J Y^T is J times anything.
Test(internal_force, is_what_moves_nothing) {
    double J[12][6], Y[12][6], G[144], g[12] = {0}, x[12], part[12];
    fixture_cube(J, Y, G);
    ts_block block[4];
    for (int c = 0; c < 4; ++c) block[c] = fixture_cone(3 * c, 0.9);
    sample s;
    make_sample(&s, 4, block, G, g);
    // Squeezing two feet along x moves nothing. Of unit size each: |x| = sqrt 2.
    memset(x, 0, sizeof(x));
    x[0] = 1.0;
    x[3] = -1.0;
    size_t used = s.arena.used;
    cr_expect_float_eq(ts_internal_force(&s.problem, x, &s.arena, part), sqrt(2.0), 1e-12);
    cr_expect_eq(s.arena.used, used);
    fixture_expect_vector(part, 1.0, 0.0, 0.0, 1e-12, "squeeze");
    // Something of the range has none; both together, the first.
    for (int r = 0; r < 12; ++r) x[r] = J[r][0] - 2.0 * J[r][2] + 3.0 * J[r][4] + J[r][5];
    cr_expect_lt(ts_internal_force(&s.problem, x, &s.arena, NULL), 1e-12);
    x[0] += 1.0;
    x[3] -= 1.0;
    cr_expect_float_eq(ts_internal_force(&s.problem, x, &s.arena, NULL), sqrt(2.0), 1e-12);
    // Of any vector: the part moves nothing, and the rest is orthogonal to it.
    ts_rng rng = ts_rng_make(5, 0);
    for (int k = 0; k < 50; ++k) {
        for (int r = 0; r < 12; ++r) x[r] = ts_rng_normal(&rng);
        double norm = ts_internal_force(&s.problem, x, &s.arena, part), product = 0.0, squared = 0.0;
        for (int r = 0; r < 12; ++r) {
            squared += part[r] * part[r];
            product += part[r] * (x[r] - part[r]);
        }
        cr_expect_float_eq(norm * norm, squared, 1e-12);
        cr_expect_float_eq(product, 0.0, 1e-12);
        for (int j = 0; j < 6; ++j) {
            double moved = 0.0;
            for (int r = 0; r < 12; ++r) moved += J[r][j] * part[r];
            cr_expect_float_eq(moved, 0.0, 1e-12);
        }
    }
    x[3] = (double)NAN;
    cr_expect(isnan(ts_internal_force(&s.problem, x, &s.arena, NULL)));
    ts_arena_free(&s.arena);
}
