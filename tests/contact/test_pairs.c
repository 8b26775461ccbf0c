// Pairs of bodies, four side by side: held to one contact after the other over dense rows, to the yardstick, and to the same bits with other vectors.
#include "contact/pairs/pairs.h"

#include <criterion/criterion.h>

#include "base/rng.h"
#include "base/scalar.h"
#include "contact/pairs/pairs_kernel_internal.h"
#include "contact/pairs/pairs_order_internal.h"

enum { BODIES = 42, UNITS = 82, CONTACTS = 4 * UNITS };

// What a unit is made of, in world axes.
typedef struct content {
    ts_vec3 normal, tangent, offset;
    double friction;
} content;

// Of all units, for whoever lays them out.
typedef struct contents {
    const ts_pair_unit* unit;
    const content* of_unit;
    const ts_vec3 *lever, *impulse;  // of contacts; no impulse: none
    const double* gap;
    ts_vec3* seen;  // velocities that were told
} contents;

static void fill(void* context, int u, const ts_pair_seat* seat) {
    const contents* all = (const contents*)context;
    const content* one = &all->of_unit[u];
    ts_pair_vector_put(&seat->group->normal, seat->lane, one->normal);
    ts_pair_vector_put(&seat->group->tangent, seat->lane, one->tangent);
    ts_pair_vector_put(&seat->group->offset, seat->lane, one->offset);
    seat->group->friction[seat->lane] = one->friction;
    for (int k = 0, i = all->unit[u].first; k < all->unit[u].count; ++k, ++i) {
        ts_pair_vector_put(&seat->point[k].lever, seat->lane, all->lever[i]);
        if (all->impulse) ts_pair_vector_put(&seat->point[k].lambda, seat->lane, all->impulse[i]);
        if (all->gap) seat->track[k].gap[seat->lane] = all->gap[i];
    }
}

static void tell(void* context, int u, const ts_pair_seat* seat) {
    const contents* all = (const contents*)context;
    for (int k = 0, i = all->unit[u].first; all->seen && k < all->unit[u].count; ++k, ++i)
        all->seen[i] = ts_pair_vector_get(&seat->track[k].velocity, seat->lane);
}

// A heap of numbers: bodies of any mass and inertia, pairs with any frame, one in four with what does not move.
typedef struct heap {
    ts_arena arena, brief;
    ts_pair_body body[BODIES];
    double velocity[BODIES * TS_PAIR_SPEEDS];
    ts_pair_unit unit[UNITS];
    content of_unit[UNITS];
    ts_vec3 lever[CONTACTS], impulse[CONTACTS], seen[CONTACTS];
    double gap[CONTACTS];
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

// One in two heaps is of bodies without axes of their own.
static void make_body(ts_rng* rng, int is_round, ts_pair_body* body) {
    body->mass = exp(ts_rng_normal(rng));
    body->inverse_mass = 1.0 / body->mass;
    ts_vec3 a = any_vector(rng), b = any_vector(rng);
    ts_mat3 I = ts_mat3_add(ts_mat3_identity(), ts_mat3_add(ts_mat3_outer(a, a), ts_mat3_outer(b, b)));
    if (is_round) I = ts_mat3_scale(1.0 + ts_vec3_norm_squared(a), ts_mat3_identity());
    I = ts_mat3_scale(0.1 * body->mass, I);
    ts_mat3 inverse = ts_mat3_from_columns(ts_mat3_solve(&I, ts_vec3_axis(0)), ts_mat3_solve(&I, ts_vec3_axis(1)),
                                           ts_mat3_solve(&I, ts_vec3_axis(2)));
    store_tensor(I, body->inertia);
    store_tensor(inverse, body->inverse_inertia);
}

static void make_unit(ts_rng* rng, heap* h, int u) {
    ts_pair_unit* unit = &h->unit[u];
    // A ring holds all together; every second of its links, and then the others: many are side by side.
    int a = u % 4 == 0 ? 0 : 1 + 2 * u % (BODIES - 1), b = 1 + (2 * u + 1) % (BODIES - 1);
    unit->body[0] = u % 8 == 4 ? b : a;
    unit->body[1] = u % 8 == 4 ? a : b;
    unit->first = h->contacts;
    unit->count = 1 + u % TS_PAIR_POINTS;
    content* one = &h->of_unit[u];
    one->normal = ts_vec3_unit_or(any_vector(rng), ts_vec3_axis(2));
    one->tangent = ts_vec3_unit_or(ts_vec3_cross(one->normal, any_vector(rng)), ts_vec3_axis(0));
    one->offset = any_vector(rng);
    one->friction = u == 5 ? 0.0 : ts_rng_uniform_in(rng, 0.1, 1.0);
    unit->place = u * 7 % UNITS;
    for (int k = 0; k < unit->count; ++k) {
        h->unit_of[h->contacts] = u;
        h->gap[h->contacts] = 1e-4 * ts_rng_normal(rng);
        h->impulse[h->contacts] = any_vector(rng);
        h->lever[h->contacts++] = any_vector(rng);
    }
}

static void make_speeds(ts_rng* rng, double* out) {
    for (int b = 1; b < BODIES; ++b) {
        ts_vec3_store(any_vector(rng), out + TS_PAIR_SPEEDS * b);
        ts_vec3_store(any_vector(rng), out + TS_PAIR_SPEEDS * b + 3);
    }
}

// By the passes of the kernel given; what closes faster than `most` begins without impulse.
static void make_by(heap* h, int seed, double most, ts_pairs_seat_kernel kernel) {
    ts_rng rng = ts_rng_make((uint64_t)seed, 0);
    memset(h, 0, sizeof *h);
    for (int b = 1; b < BODIES; ++b) make_body(&rng, seed % 2, &h->body[b]);
    for (int u = 0; u < UNITS; ++u) make_unit(&rng, h, u);
    make_speeds(&rng, h->velocity);
    contents all = {h->unit, h->of_unit, h->lever, h->impulse, h->gap, h->seen};
    ts_pairs_input input = {.body = h->body,
                            .velocity = h->velocity,
                            .unit = h->unit,
                            .source = {&all, fill, tell},
                            .body_count = BODIES,
                            .unit_count = UNITS,
                            .contact_count = h->contacts,
                            .brief = &h->brief,
                            .omega = 1.0 + 0.1 * (seed % 5),
                            .most_approach = most};
    h->pairs = kernel ? ts_pairs_make_by(&h->arena, &input, kernel) : ts_pairs_make(&h->arena, &input);
    cr_assert_not_null(h->pairs);
    cr_assert_eq(h->brief.used, 0u);
    cr_assert(ts_pairs_take_sums(h->pairs, &h->brief));
    h->pairs->law = (ts_pair_law){1e-3, 1e-5, 50.0, 1.0};
    make_speeds(&rng, h->pairs->free);
    ts_pairs_refer(h->pairs, 0);
}

static void make(heap* h, int seed) { make_by(h, seed, 1e300, NULL); }

static void drop(heap* h) {
    ts_arena_free(&h->arena);
    ts_arena_free(&h->brief);
}

// Row k of contact i over the velocities of all bodies, by the definition.
static void dense_row(const heap* h, int i, int k, double* row) {
    const ts_pair_unit* unit = &h->unit[h->unit_of[i]];
    const content* one = &h->of_unit[h->unit_of[i]];
    ts_vec3 second = ts_vec3_cross(one->normal, one->tangent);
    ts_vec3 axis = k == 0 ? one->tangent : (k == 1 ? second : one->normal);
    memset(row, 0, 6 * BODIES * sizeof *row);
    for (int side = 0; side < 2; ++side) {
        ts_vec3 lever = side ? ts_vec3_add(h->lever[i], one->offset) : h->lever[i];
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
    double omega = h->pairs->omega;
    for (int i = 0; i < h->contacts; ++i) {
        double u[3], D[3][3], next[3], *lambda = d->lambda + 3 * i;
        int lane;
        const ts_pair_point* point = ts_pairs_point(h->pairs, i, &lane);
        for (int k = 0; k < 3; ++k) {
            u[k] = dot(d->J[3 * i + k], d->v) - (k == 2 ? point->reference[lane] : 0.0);
            for (int m = 0; m < 3; ++m) D[k][m] = dot(d->J[3 * i + k], d->Y[3 * i + m]);
        }
        next[2] = fmax(0.0, lambda[2] - omega * u[2] / D[2][2]);
        double half = 0.5 * (D[0][0] - D[1][1]),
               stiffness = 0.5 * (D[0][0] + D[1][1]) + sqrt(half * half + D[0][1] * D[0][1]);
        for (int k = 0; k < 2; ++k) next[k] = lambda[k] - omega * (u[k] + D[k][2] * (next[2] - lambda[2])) / stiffness;
        double length = hypot(next[0], next[1]), reach = h->of_unit[h->unit_of[i]].friction * next[2];
        for (int k = 0; k < 2 && length > reach; ++k) next[k] *= reach / length;
        for (int k = 0; k < 3; ++k) {
            for (int c = 0; c < 6 * BODIES; ++c) d->v[c] += d->Y[3 * i + k][c] * (next[k] - lambda[k]);
            lambda[k] = next[k];
        }
    }
}

static int share_a_body(const ts_pair_unit* u, const ts_pair_unit* w) {
    for (int k = 0; k < 4; ++k)
        if (u->body[k / 2] && u->body[k / 2] == w->body[k % 2]) return 1;
    return 0;
}

// Units that share a body are swept as they come.
static void expect_order(const ts_pair_order* order, const ts_pair_unit* unit, int units) {
    for (int u = 0; u < units; ++u)
        for (int w = 0; w < u; ++w) {
            cr_assert_neq(order->place[u], order->place[w]);
            if (!share_a_body(&unit[u], &unit[w])) continue;
            int first = order->place[w] / TS_PAIR_LANES, second = order->place[u] / TS_PAIR_LANES;
            cr_assert_lt(first, second, "units %d and %d", w, u);
        }
}

Test(pairs, order_keeps_what_shares_a_body) {
    for (int seed = 0; seed < 20; ++seed) {
        heap h;
        ts_pair_order order;
        make(&h, 100 + seed);
        ts_pairs_input input = {.unit = h.unit, .unit_count = UNITS, .body_count = BODIES};
        cr_assert(ts_pair_order_make(&h.arena, &input, TS_PAIR_DOMAINS_MOST, &order));
        cr_assert_lt(order.group_count, UNITS, "something must be side by side");
        expect_order(&order, h.unit, UNITS);
        drop(&h);
    }
}

// Impulses begin as what friction admits of the given ones, and not at all where a contact closes fast; and it is told how
// surfaces move.
Test(pairs, begins_as_it_is_filled) {
    static dense d;
    int without = 0;
    for (int seed = 0; seed < 10; ++seed) {
        const double most = 2.0;
        heap h;
        make_by(&h, 150 + seed, most, NULL);
        make_dense(&h, &d);
        for (int i = 0; i < h.contacts; ++i) {
            double c[3], speed[6 * BODIES] = {0.0}, wanted[3] = {h.impulse[i].x, h.impulse[i].y, h.impulse[i].z};
            const content* one = &h.of_unit[h.unit_of[i]];
            // They are still those of the beginning.
            for (int b = 1; b < BODIES; ++b) memcpy(speed + 6 * b, h.velocity + TS_PAIR_SPEEDS * b, 6 * sizeof(double));
            for (int k = 0; k < 3; ++k) c[k] = dot(d.J[3 * i + k], speed);
            const double seen[3] = {h.seen[i].x, h.seen[i].y, h.seen[i].z};
            double length = hypot(wanted[0], wanted[1]), reach = one->friction * fmax(wanted[2], 0.0);
            double part = c[2] < -most ? 0.0 : 1.0, friction = length > reach ? part * reach / length : part;
            without += part == 0.0;
            int lane;
            const ts_pair_point* point = ts_pairs_point(h.pairs, i, &lane);
            cr_expect_float_eq(point->lambda.at[0][lane], friction * wanted[0], 1e-12);
            cr_expect_float_eq(point->lambda.at[1][lane], friction * wanted[1], 1e-12);
            cr_expect_float_eq(point->lambda.at[2][lane], part * fmax(wanted[2], 0.0), 1e-12);
            for (int k = 0; k < 3; ++k) cr_expect_float_eq(seen[k], c[k], 1e-12);
        }
        drop(&h);
    }
    cr_expect_gt(without, 100, "the test shows nothing");
}

Test(pairs, sweep_is_one_contact_after_the_other) {
    static dense d;
    for (int seed = 0; seed < 10; ++seed) {
        heap h;
        make(&h, 200 + seed);
        make_dense(&h, &d);
        ts_pairs_begin(h.pairs);
        for (int n = 0; n < 5; ++n) {
            ts_pairs_sweep(h.pairs, 1);
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
        block[i] = (ts_block){TS_SET_CONE, 3 * i, 3, h->of_unit[h->unit_of[i]].friction, 0.0, 0.0};
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

// lambda . g and lambda . G lambda of the only island.
static void expect_work(const heap* h, const ts_contact_problem* problem, const dense* d) {
    static double u[3 * CONTACTS];
    double asked = 0.0, made = 0.0;
    ts_contact_problem_velocity(problem, d->lambda, u);
    for (int r = 0; r < 3 * h->contacts; ++r) {
        asked += d->lambda[r] * d->g[r];
        made += d->lambda[r] * (u[r] - d->g[r]);
    }
    expect_close(h->pairs->island[0].asked, asked, "lambda . g");
    expect_close(h->pairs->island[0].made, made, "lambda . G lambda");
}

// Impulses that stay do to other free velocities what they did to those before.
Test(pairs, goes_on_from_the_last_substep) {
    static dense d;
    for (int seed = 0; seed < 10; ++seed) {
        heap h;
        ts_rng rng = ts_rng_make(700 + (uint64_t)seed, 0);
        double free[BODIES * TS_PAIR_SPEEDS] = {0.0};
        make(&h, 700 + seed);
        ts_pairs_begin(h.pairs);
        ts_pairs_sweep(h.pairs, 2);
        for (int k = TS_PAIR_SPEEDS; k < BODIES * TS_PAIR_SPEEDS; ++k)
            if (k % TS_PAIR_SPEEDS < 6) free[k] = ts_rng_normal(&rng);
        for (int b = 1; b < BODIES; ++b) ts_pairs_free_again(h.pairs, b, free + (ptrdiff_t)TS_PAIR_SPEEDS * b);
        make_dense(&h, &d);
        for (int b = 1; b < BODIES; ++b)
            for (int c = 0; c < 6; ++c) {
                cr_expect_eq(h.pairs->free[TS_PAIR_SPEEDS * b + c], free[TS_PAIR_SPEEDS * b + c]);
                cr_expect_float_eq(h.pairs->velocity[TS_PAIR_SPEEDS * b + c], d.v[6 * b + c], 1e-10);
            }
        drop(&h);
    }
}

Test(pairs, judgement_is_the_yardsticks) {
    static dense d;
    static ts_block block[CONTACTS];
    for (int seed = 0; seed < 20; ++seed) {
        heap h;
        make(&h, 300 + seed);
        ts_pairs_begin(h.pairs);
        for (int n = 0; n < seed % 7; ++n) ts_pairs_sweep(h.pairs, 1);
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
        expect_work(&h, &problem, &d);
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
        ts_pairs_find_work(h.pairs);
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

// A wall: every stone on two below it, rows from the top.
enum { WIDE = 48, HIGH = 12, STONES = 1 + WIDE * HIGH, JOINTS = 2 * WIDE * HIGH };

typedef struct wall {
    ts_arena arena, brief;
    ts_pair_body body[STONES];
    double velocity[STONES * TS_PAIR_SPEEDS];
    ts_pair_unit unit[JOINTS];
    content of_unit[JOINTS];
    ts_vec3 lever[4 * JOINTS];
    int units, contacts;
    ts_pairs* pairs;
} wall;

static void add_joint(ts_rng* rng, wall* w, int above, int below, double place) {
    content* one = &w->of_unit[w->units];
    ts_pair_unit* unit = &w->unit[w->units++];
    *unit = (ts_pair_unit){{above, below}, w->contacts, 1 + w->units % 4, place};
    *one = (content){
        .normal = ts_vec3_unit_or(any_vector(rng), ts_vec3_axis(2)), .offset = any_vector(rng), .friction = 0.5};
    one->tangent = ts_vec3_unit_or(ts_vec3_cross(one->normal, any_vector(rng)), ts_vec3_axis(0));
    for (int k = 0; k < unit->count; ++k) w->lever[w->contacts++] = any_vector(rng);
}

// Every second stone and the next, then the others: whoever is last on a stone in a pass is waited for in the next one only.
static void add_row(ts_rng* rng, wall* w) {
    for (int odd = 0; odd < 2; ++odd)
        for (int b = 1 + odd; b + 1 < STONES; b += 2) add_joint(rng, w, b, b + 1, b);
}

static void add_rows(ts_rng* rng, wall* w) {
    for (int row = 0; row < HIGH; ++row)
        for (int i = 0; i < WIDE; ++i) {
            int stone = 1 + row * WIDE + i, floor = row == HIGH - 1;
            add_joint(rng, w, stone, floor ? 0 : stone + WIDE, i);
            if (i + 1 < WIDE) add_joint(rng, w, stone, floor ? 0 : stone + WIDE + 1, i + 0.5);
        }
}

static wall* build(ts_task_pool* tasks, int is_row) {
    wall* w = (wall*)calloc(1, sizeof *w);
    ts_rng rng = ts_rng_make(7, 0);
    cr_assert_not_null(w);
    for (int b = 1; b < STONES; ++b) make_body(&rng, 0, &w->body[b]);
    if (is_row)
        add_row(&rng, w);
    else
        add_rows(&rng, w);
    contents all = {.unit = w->unit, .of_unit = w->of_unit, .lever = w->lever};
    ts_pairs_input input = {.body = w->body,
                            .velocity = w->velocity,
                            .unit = w->unit,
                            .source = {&all, fill, NULL},
                            .body_count = STONES,
                            .unit_count = w->units,
                            .contact_count = w->contacts,
                            .brief = &w->brief,
                            .tasks = tasks,
                            .omega = 1.0};
    w->pairs = ts_pairs_make(&w->arena, &input);
    cr_assert_not_null(w->pairs);
    cr_assert(ts_pairs_take_sums(w->pairs, &w->brief));
    w->pairs->law = (ts_pair_law){1e-3, 1e-5, 50.0, 1.0};
    for (int k = TS_PAIR_SPEEDS; k < STONES * TS_PAIR_SPEEDS; ++k)
        if (k % TS_PAIR_SPEEDS < 6) w->pairs->free[k] = ts_rng_normal(&rng);
    for (int i = 0; i < w->contacts; ++i) ts_pairs_start(w->pairs, i, 0.5, any_vector(&rng));
    return w;
}

static void tear_down(wall* w) {
    ts_arena_free(&w->arena);
    ts_arena_free(&w->brief);
    free(w);
}

static int domain_of(const ts_pair_order* order, int unit) { return order->domain[order->place[unit] / TS_PAIR_LANES]; }

// Domains of a wall have about as many points, full lanes, and few stones in common.
static void expect_domains(int is_row, int domains) {
    wall* w = build(NULL, is_row);
    ts_pair_order order;
    int points[TS_PAIR_DOMAINS_MOST] = {0}, of[STONES], shared = 0;
    ts_pairs_input input = {.unit = w->unit, .unit_count = w->units, .body_count = STONES};
    cr_assert(ts_pair_order_make(&w->arena, &input, TS_PAIR_DOMAINS_MOST, &order));
    cr_assert_eq(order.domain_count, domains);
    memset(of, -1, sizeof of);
    for (int u = 0; u < w->units; ++u) {
        int domain = domain_of(&order, u);
        points[domain] += w->unit[u].count;
        for (int side = 0; side < 2; ++side) {
            int* last = &of[w->unit[u].body[side]];
            shared += w->unit[u].body[side] && *last >= 0 && *last != domain;
            *last = domain;
        }
    }
    for (int d = 0; d < domains; ++d) cr_expect_gt(2 * points[d] * domains, w->contacts, "domain %d", d);
    cr_expect_lt(shared, w->units, "by chance it would be half as much again");
    cr_expect_lt(order.group_count, w->units / 4 + w->units / 10);
    expect_order(&order, w->unit, w->units);
    tear_down(w);
}

Test(pairs, domains_of_a_wall) {
    expect_domains(0, 16);
    expect_domains(1, 8);
}

// Of two passes, which pieces of every part are surely done when a piece begins: what its part did before, what it waits for, and what that
// has waited for.
enum { MOST_GROUPS = JOINTS };

typedef struct clocks {
    int part[MOST_GROUPS];                             // of every piece
    int piece_of[MOST_GROUPS];                         // of every group
    int done[2 * MOST_GROUPS][2][TS_PAIR_PARTS_MOST];  // of both passes, by every piece in both
} clocks;

static int pieces_of(const ts_pairs* pairs) { return pairs->parts->first_piece[pairs->parts->count]; }

static int raise(int* done, int to) {
    if (*done >= to) return 0;
    *done = to;
    return 1;
}

// That piece n of part q is done in a pass, and what that knows, is known to `done`, too.
static int learn(const ts_pairs* pairs, const clocks* c, int q, int n, int pass, int done[2][TS_PAIR_PARTS_MOST]) {
    const struct ts_pair_parts* parts = pairs->parts;
    int changed = raise(&done[pass][q], n + 1);
    int node = parts->first_piece[q] + n + pass * pieces_of(pairs);
    for (int k = 0; k < 2 * parts->count; ++k)
        changed |= raise(&done[k / parts->count][k % parts->count], c->done[node][k / parts->count][k % parts->count]);
    return changed;
}

static int find_clocks(const ts_pairs* pairs, clocks* c) {
    const struct ts_pair_parts* parts = pairs->parts;
    int changed = 0, pieces = pieces_of(pairs);
    for (int pass = 0; pass < 2; ++pass)
        for (int i = 0; i < pieces; ++i) {
            int(*done)[TS_PAIR_PARTS_MOST] = c->done[pass * pieces + i], at = i - parts->first_piece[c->part[i]];
            // Within a pass a part goes from piece to piece.
            if (at > 0) changed |= learn(pairs, c, c->part[i], at - 1, pass, done);
            for (int q = 0; q < parts->count; ++q) {
                const ts_pair_need* need = &parts->need[i * parts->count + q];
                if (need->now > 0) changed |= learn(pairs, c, q, need->now - 1, pass, done);
                if (need->before > 0 && pass > 0) changed |= learn(pairs, c, q, need->before - 1, pass - 1, done);
            }
        }
    return changed;
}

static void find_pieces(const ts_pairs* pairs, clocks* c) {
    const struct ts_pair_parts* parts = pairs->parts;
    cr_assert_eq(parts->piece[pieces_of(pairs)], pairs->group_count);
    for (int p = 0; p < parts->count; ++p) {
        cr_assert_eq(parts->piece[parts->first_piece[p]], parts->first[p]);
        for (int i = parts->first_piece[p]; i < parts->first_piece[p + 1]; ++i) {
            int size = parts->piece[i + 1] - parts->piece[i];
            cr_assert(size >= 1 && (size <= TS_PAIR_PIECE || pieces_of(pairs) == 1));
            c->part[i] = p;
            for (int n = parts->piece[i]; n < parts->piece[i + 1]; ++n) {
                cr_assert(n == parts->piece[i] || parts->group[n] > parts->group[n - 1]);
                c->piece_of[parts->group[n]] = i;
            }
        }
    }
}

// Whoever touches a body comes after who touched it before, in this pass and the one before.
static void expect_waits(const ts_pairs* pairs) {
    static clocks c;
    static int last[STONES];
    const struct ts_pair_parts* parts = pairs->parts;
    int groups = pairs->group_count;
    memset(&c, 0, sizeof c);
    memset(last, -1, sizeof last);
    find_pieces(pairs, &c);
    while (find_clocks(pairs, &c)) continue;
    for (int i = 0; i < pieces_of(pairs); ++i)
        cr_assert_eq(c.done[i][0][c.part[i]], i - parts->first_piece[c.part[i]], "piece %d waits for itself", i);
    for (int node = 0; node < 2 * groups; ++node) {
        const int* body = pairs->group[node % groups].body[0];
        int piece = c.piece_of[node % groups], pass = node / groups;
        for (int k = 0; k < 2 * TS_PAIR_LANES; ++k) {
            int before = body[k] ? last[body[k]] : -1;
            if (before < 0) continue;
            int other = c.piece_of[before % groups], p = c.part[other], at = other - parts->first_piece[p];
            // Groups of a piece follow each other.
            if (other == piece && before / groups == pass) continue;
            cr_assert_gt(c.done[piece + pass * pieces_of(pairs)][before / groups][p], at,
                         "group %d does not wait for %d", node, before);
            // Who is waited for tells it.
            if (p != c.part[piece]) cr_assert(parts->tells[other]);
        }
        for (int k = 0; k < 2 * TS_PAIR_LANES; ++k) last[body[k]] = node;
    }
}

// What is swept at once shares no stone, and all groups are swept once each.
static void expect_apart(const ts_pairs* pairs) {
    const struct ts_pair_parts* parts = pairs->parts;
    int most = 0, n = 0, piece = 0;
    for (int count; n < pairs->group_count; n += count) {
        count = parts->abreast[n];
        while (parts->piece[piece + 1] <= n) ++piece;
        cr_assert(count >= 1 && count <= TS_PAIR_ABREAST && n + count <= parts->piece[piece + 1]);
        if (count > most) most = count;
        for (int k = 0; k < count * count; ++k) {
            if (k % count == k / count) continue;
            const int *a = pairs->group[parts->group[n + k % count]].body[0],
                      *b = pairs->group[parts->group[n + k / count]].body[0];
            for (int i = 0; i < 4 * TS_PAIR_LANES * TS_PAIR_LANES; ++i)
                cr_assert(a[i % 8] == 0 || a[i % 8] != b[i / 8], "groups of stone %d", a[i % 8]);
        }
    }
    cr_expect_eq(n, pairs->group_count);
    cr_expect_eq(most, TS_PAIR_ABREAST);
}

static void walk(wall* w, ts_residual* out_residual) {
    ts_pairs* pairs = w->pairs;
    for (int n = 0; n < 40; ++n) {
        ts_pairs_refer(pairs, n > 0);
        ts_pairs_begin(pairs);
        ts_pairs_find_work(pairs);
        (void)ts_pairs_hold_back(pairs);
        ts_pairs_sweep(pairs, 1 + n % 5);
        ts_pairs_judge(pairs, 0.0, out_residual);
    }
}

static void share(int is_row) {
    ts_residual judged[3];
    wall* w[3];
    for (int t = 0; t < 3; ++t) {
        ts_task_pool* tasks = ts_task_pool_create(1 << t);
        ts_pairs* pairs = (w[t] = build(tasks, is_row))->pairs;
        cr_expect_eq(pairs->parts->count, 1 << t);
        cr_expect(is_row || pieces_of(pairs) > pairs->parts->count);
        expect_waits(pairs);
        expect_apart(pairs);
        walk(w[t], &judged[t]);
        pairs->tasks = NULL;
        ts_task_pool_destroy(tasks);
    }
    for (int t = 1; t < 3; ++t) {
        size_t points = (size_t)w[0]->pairs->point_count;
        cr_expect_eq(memcmp(w[t]->pairs->point, w[0]->pairs->point, points * sizeof(ts_pair_point)), 0);
        cr_expect_eq(memcmp(w[t]->pairs->track, w[0]->pairs->track, points * sizeof(ts_pair_track)), 0);
        cr_expect_eq(memcmp(w[t]->pairs->velocity, w[0]->pairs->velocity, STONES * TS_PAIR_SPEEDS * sizeof(double)), 0);
        cr_expect_eq(memcmp(&judged[t], &judged[0], sizeof judged[0]), 0);
    }
    for (int t = 0; t < 3; ++t) tear_down(w[t]);
}

Test(pairs, threads_give_the_same_bits) {
    share(0);
    share(1);
}

// As on a machine whose other processors do something else: nobody may wait for a thread that never comes.
Test(pairs, one_thread_goes_through_the_parts_of_all, .timeout = 60) {
    ts_residual judged[2];
    ts_task_pool* tasks = ts_task_pool_create(4);
    wall *alone = build(NULL, 0), *left = build(tasks, 0);
    cr_expect_eq(left->pairs->parts->count, 4);
    left->pairs->tasks = NULL;
    walk(alone, &judged[0]);
    walk(left, &judged[1]);
    cr_expect_eq(memcmp(left->pairs->velocity, alone->pairs->velocity, STONES * TS_PAIR_SPEEDS * sizeof(double)), 0);
    cr_expect_eq(memcmp(&judged[1], &judged[0], sizeof judged[0]), 0);
    ts_task_pool_destroy(tasks);
    tear_down(left);
    tear_down(alone);
}

#if defined(__x86_64__) && defined(__GNUC__)
// The passes as they are compiled for some machine.
typedef struct kernels {
    ts_pairs_seat_kernel seat;
    ts_pairs_kernel refer, begin, sweep, judge;
} kernels;

static void substep(const kernels* k, ts_pair_pass* pass, int moves) {
    const ts_pairs* pairs = pass->pairs;
    pass->count = moves;
    k->refer(pass, 0);
    memcpy(pairs->velocity, pairs->free, BODIES * TS_PAIR_SPEEDS * sizeof(double));
    ts_pair_parts_rewind(pairs);
    k->begin(pass, 0);
    pass->count = 1;
    ts_pair_parts_rewind(pairs);
    k->sweep(pass, 0);
    k->judge(pass, 0);
}

static void expect_same_bits(const kernels* k) {
    const kernels plain = {ts_pairs_seat_plain, ts_pairs_refer_plain, ts_pairs_begin_plain, ts_pairs_sweep_plain,
                           ts_pairs_judge_plain};
    for (int seed = 0; seed < 10; ++seed) {
        heap a, b;
        make_by(&a, 600 + seed, 2.0, plain.seat);
        make_by(&b, 600 + seed, 2.0, k->seat);
        cr_assert_eq(memcmp(a.seen, b.seen, sizeof a.seen), 0);
        ts_pair_pass of_a = {.pairs = a.pairs}, of_b = {.pairs = b.pairs};
        for (int n = 0; n < 3; ++n) {
            substep(&plain, &of_a, n > 0);
            substep(k, &of_b, n > 0);
        }
        size_t points = (size_t)a.pairs->point_count;
        cr_assert_eq(memcmp(a.pairs->point, b.pairs->point, points * sizeof(ts_pair_point)), 0);
        cr_assert_eq(memcmp(a.pairs->track, b.pairs->track, points * sizeof(ts_pair_track)), 0);
        cr_assert_eq(memcmp(a.pairs->velocity, b.pairs->velocity, BODIES * TS_PAIR_SPEEDS * sizeof(double)), 0);
        cr_assert_eq(of_a.deepest[0], of_b.deepest[0]);
        cr_assert_eq(memcmp(&of_a.residual[0], &of_b.residual[0], sizeof of_a.residual[0]), 0);
        cr_assert_eq(memcmp(a.pairs->sums, b.pairs->sums, (size_t)a.pairs->group_count * sizeof(ts_pair_sums)), 0);
        drop(&a);
        drop(&b);
    }
}

Test(pairs, wide_code_gives_the_same_bits) {
    const kernels wide = {ts_pairs_seat_wide, ts_pairs_refer_wide, ts_pairs_begin_wide, ts_pairs_sweep_wide,
                          ts_pairs_judge_wide};
    if (!__builtin_cpu_supports("avx2")) cr_skip_test("no AVX2 here");
    expect_same_bits(&wide);
}

Test(pairs, code_of_many_registers_gives_the_same_bits) {
    const kernels many = {ts_pairs_seat_many, ts_pairs_refer_many, ts_pairs_begin_many, ts_pairs_sweep_many,
                          ts_pairs_judge_many};
    if (!__builtin_cpu_supports("avx512vl") || !__builtin_cpu_supports("avx512dq")) cr_skip_test("no AVX-512 here");
    expect_same_bits(&many);
}
#endif
