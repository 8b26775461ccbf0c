// The exact solution of one contact: the law itself in long double on random blocks, and closed forms.
#include "contact/coulomb_internal.h"
#include "tests/contact/contact_fixture.h"

typedef struct block3 {
    double d[3][3];
    double b[3];
    double mu;
} block3;

// How badly lambda breaks the law, relative to the size of what is in it. All in long double.
static long double violation(const block3* p, ts_vec3 lambda) {
    const long double l[3] = {(long double)lambda.x, (long double)lambda.y, (long double)lambda.z};
    long double u[3], size = 0.0L, stiffness = 0.0L;
    for (int i = 0; i < 3; ++i) {
        u[i] = (long double)p->b[i];
        size = fmaxl(size, fabsl(u[i]));
        for (int j = 0; j < 3; ++j) {
            u[i] += (long double)p->d[i][j] * l[j];
            stiffness = fmaxl(stiffness, fabsl((long double)p->d[i][j]));
        }
    }
    long double largest = fmaxl(fmaxl(fabsl(l[0]), fabsl(l[1])), l[2]);
    size = fmaxl(size, stiffness * largest);
    long double friction = hypotl(l[0], l[1]), slip = hypotl(u[0], u[1]), mu = (long double)p->mu;
    long double worst = fmaxl(0.0L, -l[2]) * stiffness;
    worst = fmaxl(worst, (friction - mu * l[2]) * stiffness);
    worst = fmaxl(worst, -u[2]);
    if (l[2] > 0.0L) {
        worst = fmaxl(worst, fabsl(u[2]));
        // Slip only against friction at its limit: mu l_N |u_T| + l_T . u_T = 0, as a velocity.
        worst = fmaxl(worst, (mu * l[2] * slip + l[0] * u[0] + l[1] * u[1]) / largest);
    }
    return worst / size;
}

static ts_vec3 solve(const block3* p) {
    return ts_coulomb_solve(p->d[0][0], p->d[0][1], p->d[1][1], p->d[0][2], p->d[1][2], p->d[2][2],
                            ts_vec3_make(p->b[0], p->b[1], p->b[2]), p->mu);
}

// D = X X^T of a random 3 x 4 X whose rows are scaled apart.
static void make_block(block3* p, ts_rng* rng, double spread) {
    double X[3][4], scale[3];
    for (int i = 0; i < 3; ++i) scale[i] = pow(10.0, ts_rng_uniform_in(rng, -spread, spread));
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 4; ++j) X[i][j] = scale[i] * ts_rng_normal(rng);
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j) {
            p->d[i][j] = 0.0;
            for (int k = 0; k < 4; ++k) p->d[i][j] += X[i][k] * X[j][k];
        }
    for (int i = 0; i < 3; ++i) p->b[i] = ts_rng_normal(rng);
    p->mu = 2.0 * ts_rng_uniform(rng);
}

Test(coulomb, random_blocks_meet_the_law) {
    ts_rng rng = ts_rng_make(31, 0);
    int open = 0, slide = 0, stick = 0;
    for (int k = 0; k < 200000; ++k) {
        block3 p;
        make_block(&p, &rng, k % 2 ? 0.0 : 1.5);
        ts_vec3 lambda = solve(&p);
        long double wrong = violation(&p, lambda);
        cr_assert(wrong < 1e-10L, "case %d: the law is broken by %Lg", k, wrong);
        if (lambda.z == 0.0)
            ++open;
        else if (hypot(lambda.x, lambda.y) > p.mu * lambda.z * (1.0 - 1e-9))
            ++slide;
        else
            ++stick;
    }
    cr_expect(open > 50000 && slide > 20000 && stick > 5000, "%d open, %d slide, %d stick", open, slide, stick);
}

Test(coulomb, edges) {
    block3 p = {{{2.0, 0.0, 0.5}, {0.0, 2.0, 0.0}, {0.5, 0.0, 1.0}}, {0.0, 3.0, -1.0}, 0.5};
    // docs/contact.md: the coupled block, whose root was found independently as a quartic.
    fixture_expect_vector((double[3]){solve(&p).x, solve(&p).y, solve(&p).z}, -0.089620396, -0.514660346, 1.044810198,
                          1e-8, "coupled block");
    p.mu = 0.0;
    cr_expect_float_eq(solve(&p).z, 1.0, 1e-15);
    cr_expect_eq(solve(&p).x, 0.0);
    p.b[2] = 0.0;
    cr_expect_eq(solve(&p).z, 0.0);
    // No slip asked for: pure normal.
    block3 rest = {{{1.0, 0.0, 0.0}, {0.0, 1.0, 0.0}, {0.0, 0.0, 2.0}}, {0.0, 0.0, -1.0}, 0.3};
    fixture_expect_vector((double[3]){solve(&rest).x, solve(&rest).y, solve(&rest).z}, 0.0, 0.0, 0.5, 0.0, "rest");
    // Tangents that nothing can move, and one direction that nothing can move.
    block3 stiff = {{{0.0, 0.0, 0.0}, {0.0, 0.0, 0.0}, {0.0, 0.0, 2.0}}, {1.0, 0.0, -1.0}, 0.3};
    cr_expect_eq(solve(&stiff).z, 0.5);
    block3 line = {{{1.0, 0.0, 0.0}, {0.0, 0.0, 0.0}, {0.0, 0.0, 2.0}}, {1.0, 0.0, -1.0}, 0.3};
    fixture_expect_vector((double[3]){solve(&line).x, solve(&line).y, solve(&line).z}, -0.15, 0.0, 0.5, 1e-14, "line");
}
