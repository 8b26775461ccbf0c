// Pairs of bodies, four side by side: held to one contact after the other over dense rows, to the yardstick, and to the same bits with other vectors.
#include "contact/pairs/pairs.h"

#include <criterion/criterion.h>

#include "base/rng.h"
#include "base/scalar.h"
#include "contact/pairs/pairs_kernel_internal.h"

enum { BODIES = 12, UNITS = 30, CONTACTS = 4 * UNITS };

// A heap of numbers: bodies of any mass and inertia, pairs with any frame, one in four with what does not move.
typedef struct heap {
    ts_arena arena;
    ts_pair_body body[BODIES];
    ts_pair_unit unit[UNITS];
    ts_vec3 lever[CONTACTS];
    int unit_of[CONTACTS];
    int contacts;
    ts_pairs* pairs;
} heap;

static void store_tensor(ts_mat3 I, double* out) {
    const double e[6] = {I.m[0][0], I.m[0][1], I.m[0][2], I.m[1][1], I.m[1][2], I.m[2][2]};
    memcpy(out, e, sizeof e);
}

static ts_vec3 any_vector(ts_rng* rng) {
    double x = ts_rng_normal(rng), y = ts_rng_normal(rng), z = ts_rng_normal(rng);
    return ts_vec3_make(x, y, z);
}

static void make_body(ts_rng* rng, ts_pair_body* body) {
    body->mass = exp(ts_rng_normal(rng));
    body->inverse_mass = 1.0 / body->mass;
    ts_vec3 a = any_vector(rng), b = any_vector(rng);
    ts_mat3 I = ts_mat3_add(ts_mat3_identity(), ts_mat3_add(ts_mat3_outer(a, a), ts_mat3_outer(b, b)));
    I = ts_mat3_scale(0.1 * body->mass, I);
    ts_mat3 inverse = ts_mat3_from_columns(ts_mat3_solve(&I, ts_vec3_axis(0)), ts_mat3_solve(&I, ts_vec3_axis(1)),
                                           ts_mat3_solve(&I, ts_vec3_axis(2)));
    store_tensor(I, body->inertia);
    store_tensor(inverse, body->inverse_inertia);
}

static void make_unit(ts_rng* rng, heap* h, int u) {
    ts_pair_unit* unit = &h->unit[u];
    // A ring holds all together.
    int a = u % 4 == 0 ? 0 : 1 + u % (BODIES - 1), b = 1 + (u + 1) % (BODIES - 1);
    unit->body[0] = u % 8 == 4 ? b : a;
    unit->body[1] = u % 8 == 4 ? a : b;
    unit->first = h->contacts;
    unit->count = 1 + u % TS_PAIR_POINTS;
    unit->normal = ts_vec3_unit_or(any_vector(rng), ts_vec3_axis(2));
    unit->tangent = ts_vec3_unit_or(ts_vec3_cross(unit->normal, any_vector(rng)), ts_vec3_axis(0));
    unit->offset = any_vector(rng);
    unit->friction = u == 5 ? 0.0 : ts_rng_uniform_in(rng, 0.1, 1.0);
    for (int k = 0; k < unit->count; ++k) {
        h->unit_of[h->contacts] = u;
        h->lever[h->contacts++] = any_vector(rng);
    }
}

static void make(heap* h, int seed) {
    ts_rng rng = ts_rng_make((uint64_t)seed, 0);
    memset(h, 0, sizeof *h);
    for (int b = 1; b < BODIES; ++b) make_body(&rng, &h->body[b]);
    for (int u = 0; u < UNITS; ++u) make_unit(&rng, h, u);
    h->pairs = ts_pairs_make(&h->arena, h->body, BODIES, h->unit, UNITS, h->lever, h->contacts);
    cr_assert_not_null(h->pairs);
    h->pairs->law = (ts_pair_law){1e-3, 1e-5, 50.0, 1.0};
    for (int b = 1; b < BODIES; ++b) {
        ts_vec3_store(any_vector(&rng), h->pairs->free + TS_PAIR_SPEEDS * b);
        ts_vec3_store(any_vector(&rng), h->pairs->free + TS_PAIR_SPEEDS * b + 3);
    }
    for (int i = 0; i < h->contacts; ++i) {
        int lane;
        ts_pairs_track(h->pairs, i, &lane)->gap[lane] = 1e-4 * ts_rng_normal(&rng);
        ts_pairs_start(h->pairs, i, h->unit[h->unit_of[i]].friction, any_vector(&rng));
    }
    ts_pairs_refer(h->pairs, 0);
}

static void drop(heap* h) { ts_arena_free(&h->arena); }

// Row k of contact i over the velocities of all bodies, by the definition.
static void dense_row(const heap* h, int i, int k, double* row) {
    const ts_pair_unit* unit = &h->unit[h->unit_of[i]];
    ts_vec3 second = ts_vec3_cross(unit->normal, unit->tangent);
    ts_vec3 axis = k == 0 ? unit->tangent : (k == 1 ? second : unit->normal);
    memset(row, 0, 6 * BODIES * sizeof *row);
    for (int side = 0; side < 2; ++side) {
        ts_vec3 lever = side ? ts_vec3_add(h->lever[i], unit->offset) : h->lever[i];
        if (!unit->body[side]) continue;
        ts_vec3 d = ts_vec3_scale(side ? 1.0 : -1.0, axis), turn = ts_vec3_cross(lever, d);
        const double numbers[6] = {d.x, d.y, d.z, turn.x, turn.y, turn.z};
        for (int c = 0; c < 6; ++c) row[6 * unit->body[side] + c] += numbers[c];
    }
}

// M^-1 row^T.
static void dense_weigh(const heap* h, const double* row, double* out) {
    for (int b = 0; b < BODIES; ++b) {
        const double *r = row + 6 * b, *I = h->body[b].inverse_inertia;
        for (int c = 0; c < 3; ++c) out[6 * b + c] = h->body[b].inverse_mass * r[c];
        out[6 * b + 3] = I[0] * r[3] + I[1] * r[4] + I[2] * r[5];
        out[6 * b + 4] = I[1] * r[3] + I[3] * r[4] + I[4] * r[5];
        out[6 * b + 5] = I[2] * r[3] + I[4] * r[4] + I[5] * r[5];
    }
}

static double dot(const double* a, const double* b) {
    double sum = 0.0;
    for (int c = 0; c < 6 * BODIES; ++c) sum += a[c] * b[c];
    return sum;
}

// The problem as rows: J and M^-1 J^T of all contacts, g, and impulses.
typedef struct dense {
    double J[3 * CONTACTS][6 * BODIES], Y[3 * CONTACTS][6 * BODIES];
    double g[3 * CONTACTS], lambda[3 * CONTACTS], v[6 * BODIES];
} dense;

static void make_dense(const heap* h, dense* d) {
    memset(d->v, 0, sizeof d->v);
    for (int b = 1; b < BODIES; ++b) memcpy(d->v + 6 * b, h->pairs->free + TS_PAIR_SPEEDS * b, 6 * sizeof(double));
    for (int i = 0; i < h->contacts; ++i)
        for (int k = 0; k < 3; ++k) {
            int r = 3 * i + k, lane;
            const ts_pair_point* point = ts_pairs_point(h->pairs, i, &lane);
            dense_row(h, i, k, d->J[r]);
            dense_weigh(h, d->J[r], d->Y[r]);
            d->g[r] = dot(d->J[r], d->v) - (k == 2 ? point->reference[lane] : 0.0);
            d->lambda[r] = point->lambda.at[k][lane];
        }
    for (int r = 0; r < 3 * h->contacts; ++r)
        for (int c = 0; c < 6 * BODIES; ++c) d->v[c] += d->Y[r][c] * d->lambda[r];
}

// One sweep over contacts as they come, by the rule of ncp_pgs.c.
static void dense_sweep(const heap* h, dense* d) {
    for (int i = 0; i < h->contacts; ++i) {
        double u[3], D[3][3], next[3], *lambda = d->lambda + 3 * i;
        int lane;
        const ts_pair_point* point = ts_pairs_point(h->pairs, i, &lane);
        for (int k = 0; k < 3; ++k) {
            u[k] = dot(d->J[3 * i + k], d->v) - (k == 2 ? point->reference[lane] : 0.0);
            for (int m = 0; m < 3; ++m) D[k][m] = dot(d->J[3 * i + k], d->Y[3 * i + m]);
        }
        next[2] = fmax(0.0, lambda[2] - u[2] / D[2][2]);
        double half = 0.5 * (D[0][0] - D[1][1]),
               stiffness = 0.5 * (D[0][0] + D[1][1]) + sqrt(half * half + D[0][1] * D[0][1]);
        for (int k = 0; k < 2; ++k) next[k] = lambda[k] - (u[k] + D[k][2] * (next[2] - lambda[2])) / stiffness;
        double length = hypot(next[0], next[1]), reach = h->unit[h->unit_of[i]].friction * next[2];
        for (int k = 0; k < 2 && length > reach; ++k) next[k] *= reach / length;
        for (int k = 0; k < 3; ++k) {
            for (int c = 0; c < 6 * BODIES; ++c) d->v[c] += d->Y[3 * i + k][c] * (next[k] - lambda[k]);
            lambda[k] = next[k];
        }
    }
}

Test(pairs, order_keeps_what_shares_a_body) {
    for (int seed = 0; seed < 20; ++seed) {
        heap h;
        int place[UNITS];
        make(&h, 100 + seed);
        int groups = ts_pairs_order(&h.arena, BODIES, h.unit, UNITS, place);
        cr_assert_leq(groups, UNITS);
        for (int u = 0; u < UNITS; ++u)
            for (int w = 0; w < u; ++w) {
                cr_assert_neq(place[u], place[w]);
                for (int k = 0; k < 4; ++k) {
                    int a = h.unit[u].body[k / 2], b = h.unit[w].body[k % 2];
                    if (a && a == b) cr_assert_lt(place[w] / TS_PAIR_LANES, place[u] / TS_PAIR_LANES);
                }
            }
        cr_assert_lt(groups, UNITS, "something must be side by side");
        drop(&h);
    }
}

Test(pairs, sweep_is_one_contact_after_the_other) {
    static dense d;
    for (int seed = 0; seed < 10; ++seed) {
        heap h;
        make(&h, 200 + seed);
        make_dense(&h, &d);
        ts_pairs_begin(h.pairs);
        for (int n = 0; n < 5; ++n) {
            ts_pairs_sweep(h.pairs);
            dense_sweep(&h, &d);
        }
        for (int i = 0; i < h.contacts; ++i)
            for (int k = 0; k < 3; ++k) {
                int lane;
                const ts_pair_point* point = ts_pairs_point(h.pairs, i, &lane);
                cr_assert_float_eq(point->lambda.at[k][lane], d.lambda[3 * i + k], 1e-10, "%d: contact %d, %d", seed, i,
                                   k);
            }
        for (int b = 1; b < BODIES; ++b)
            for (int c = 0; c < 6; ++c)
                cr_assert_float_eq(h.pairs->velocity[TS_PAIR_SPEEDS * b + c], d.v[6 * b + c], 1e-10);
        drop(&h);
    }
}

// The same problem as an operator in velocity form, for the yardstick.
static ts_contact_problem problem_of(heap* h, const dense* d, ts_block* block) {
    static int block_row[CONTACTS + 1], segment_start[CONTACTS + 1];
    static ts_delassus_segment segment[CONTACTS];
    for (int i = 0; i < h->contacts; ++i) {
        block[i] = (ts_block){TS_SET_CONE, 3 * i, 3, h->unit[h->unit_of[i]].friction, 0.0, 0.0};
        block_row[i + 1] = 3 * (i + 1);
        segment_start[i + 1] = i + 1;
        segment[i] = (ts_delassus_segment){0, 6 * BODIES, d->J[3 * i], d->Y[3 * i]};
    }
    ts_contact_problem problem = {.block_count = h->contacts, .row_count = 3 * h->contacts, .block = block, .g = d->g};
    problem.delassus = ts_delassus_velocity_form(&h->arena, 6 * BODIES, h->contacts, block_row, segment_start, segment);
    problem.time_step = 1e-3;
    cr_assert_not_null(problem.delassus);
    return problem;
}

static void expect_close(double a, double b, const char* what) {
    cr_expect_float_eq(a, b, 1e-9 * fmax(1.0, fabs(b)), "%s: %.17g, %.17g", what, a, b);
}

static void expect_law(ts_law_residual a, ts_law_residual b, const char* what) {
    expect_close(a.primal, b.primal, what);
    expect_close(a.dual, b.dual, what);
    expect_close(a.complementarity, b.complementarity, what);
}

// Where there is no point nothing moves, and no gap opens or closes.
static void expect_nothing_elsewhere(ts_pairs* pairs) {
    ts_pairs_refer(pairs, 1);
    for (int i = 0; i < pairs->point_count; ++i)
        for (int k = 0; k < TS_PAIR_LANES; ++k) {
            if (pairs->point[i].natural[k] > 0.0) continue;
            cr_expect_eq(pairs->track[i].gap[k], 0.0);
            for (int r = 0; r < 3; ++r) cr_expect_eq(pairs->track[i].velocity.at[r][k], 0.0);
        }
}

Test(pairs, judgement_is_the_yardsticks) {
    static dense d;
    static ts_block block[CONTACTS];
    for (int seed = 0; seed < 20; ++seed) {
        heap h;
        make(&h, 300 + seed);
        ts_pairs_begin(h.pairs);
        for (int n = 0; n < seed % 7; ++n) ts_pairs_sweep(h.pairs);
        ts_residual ours, theirs;
        ts_pairs_judge(h.pairs, 0.0, &ours);
        make_dense(&h, &d);
        ts_contact_problem problem = problem_of(&h, &d, block);
        cr_assert_eq(h.pairs->island_count, 1, "the test is of one island");
        ts_residual_evaluate(&problem, d.lambda, &h.arena, NULL, &theirs);
        expect_law(ours.lcp, theirs.lcp, "lcp");
        expect_law(ours.ccp, theirs.ccp, "ccp");
        expect_law(ours.ncp, theirs.ncp, "ncp");
        expect_close(ours.signorini, theirs.signorini, "signorini");
        expect_close(ours.created, theirs.created, "created");
        expect_close(ours.dissipation, theirs.dissipation, "dissipation");
        expect_close(ours.natural, theirs.natural, "natural");
        expect_close(ours.closing, theirs.closing, "closing");
        expect_close(ours.slip_angle, theirs.slip_angle, "slip_angle");
        expect_close(ours.coulomb, theirs.coulomb, "coulomb");
        expect_close(ours.pulling, theirs.pulling, "pulling");
        expect_close(h.pairs->island[0].velocity, ts_largest(d.g, 3 * h.contacts), "largest free velocity");
        expect_nothing_elsewhere(h.pairs);
        drop(&h);
    }
}

// Whatever the impulses are, they are then no worse than none: 1/2 lambda . G lambda + lambda . g <= 0.
Test(pairs, what_is_worse_than_nothing_is_shortened) {
    static dense d;
    int held = 0;
    for (int seed = 0; seed < 20; ++seed) {
        heap h;
        make(&h, 400 + seed);
        ts_pairs_begin(h.pairs);
        held += ts_pairs_hold_back(h.pairs);
        make_dense(&h, &d);
        double cost = 0.0;
        for (int r = 0; r < 3 * h.contacts; ++r) cost += 0.5 * d.lambda[r] * (dot(d.J[r], d.v) + d.g[r]);
        for (int i = 0; i < h.contacts; ++i) {
            int lane;
            cost -= 0.5 * d.lambda[3 * i + 2] * ts_pairs_point(h.pairs, i, &lane)->reference[lane];
        }
        cr_expect_leq(cost, 1e-9, "%d: %g", seed, cost);
        for (int b = 1; b < BODIES; ++b)
            for (int c = 0; c < 6; ++c)
                cr_expect_float_eq(h.pairs->velocity[TS_PAIR_SPEEDS * b + c], d.v[6 * b + c], 1e-9);
        drop(&h);
    }
    cr_expect_gt(held, 10, "the test shows nothing");
}

// Gaps that close are references, penetrations are pushed out, no faster than is asked.
Test(pairs, reference_velocities) {
    heap h;
    make(&h, 500);
    const double gap[4] = {2e-3, -1e-3, -1.0, -5e-6}, wanted[4] = {-2.0, 50.0 * (1e-3 - 1e-5), 1.0, 0.0};
    for (int i = 0; i < 4; ++i) {
        int lane;
        ts_pair_track* track = ts_pairs_track(h.pairs, i, &lane);
        track->gap[lane] = gap[i];
    }
    cr_expect_eq(ts_pairs_refer(h.pairs, 0), 1.0);
    for (int i = 0; i < 4; ++i) {
        int lane;
        cr_expect_float_eq(ts_pairs_point(h.pairs, i, &lane)->reference[lane], wanted[i], 1e-12);
    }
    drop(&h);
}

#if defined(__x86_64__) && defined(__GNUC__)
Test(pairs, wide_code_gives_the_same_bits) {
    if (!__builtin_cpu_supports("avx2")) cr_skip_test("no AVX2 here");
    for (int seed = 0; seed < 10; ++seed) {
        heap a, b;
        ts_residual of_a, of_b;
        make(&a, 600 + seed);
        make(&b, 600 + seed);
        ts_pairs_weigh_plain(a.pairs);
        ts_pairs_weigh_wide(b.pairs);
        for (int n = 0; n < 3; ++n) {
            cr_assert_eq(ts_pairs_refer_plain(a.pairs, n > 0), ts_pairs_refer_wide(b.pairs, n > 0));
            ts_pairs_begin_plain(a.pairs);
            ts_pairs_begin_wide(b.pairs);
            ts_pairs_sweep_plain(a.pairs);
            ts_pairs_sweep_wide(b.pairs);
            ts_pairs_judge_plain(a.pairs, &of_a);
            ts_pairs_judge_wide(b.pairs, &of_b);
        }
        size_t points = (size_t)a.pairs->point_count;
        cr_assert_eq(memcmp(a.pairs->point, b.pairs->point, points * sizeof(ts_pair_point)), 0);
        cr_assert_eq(memcmp(a.pairs->track, b.pairs->track, points * sizeof(ts_pair_track)), 0);
        cr_assert_eq(memcmp(a.pairs->velocity, b.pairs->velocity, BODIES * TS_PAIR_SPEEDS * sizeof(double)), 0);
        cr_assert_eq(memcmp(&of_a, &of_b, sizeof of_a), 0);
        drop(&a);
        drop(&b);
    }
}
#endif
