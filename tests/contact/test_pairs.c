// Pairs of bodies, four side by side: held to one contact after the other over dense rows, to the yardstick, and to the same bits with other vectors.
#include "contact/pairs/pairs.h"

#include "base/scalar.h"
#include "contact/pairs/pairs_kernel_internal.h"
#include "tests/contact/pairs_content.h"

enum { BODIES = 42, UNITS = 82, CONTACTS = 4 * UNITS };

// A heap of numbers: bodies of any mass and inertia, pairs with any frame, one in four with what does not move.
typedef struct heap {
    ts_arena arena, brief;
    ts_pair_body body[BODIES];
    double velocity[BODIES * TS_PAIR_SPEEDS];
    ts_pair_unit unit[UNITS];
    content of_unit[UNITS];
    ts_vec3 lever[CONTACTS], impulse[CONTACTS];
    double gap[CONTACTS];
    int unit_of[CONTACTS];
    int contacts;
    ts_pairs* pairs;
} heap;

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
    char told[UNITS] = {0};
    contents all = {h->unit, h->of_unit, h->lever, h->impulse, h->gap, told};
    ts_pairs_input input = {.body = h->body,
                            .velocity = h->velocity,
                            .unit = h->unit,
                            .source = {&all, fill, expect, NULL},
                            .body_count = BODIES,
                            .unit_count = UNITS,
                            .contact_count = h->contacts,
                            .brief = &h->brief,
                            .omega = 1.0 + 0.1 * (seed % 5),
                            .most_approach = most};
    h->pairs = kernel ? ts_pairs_make_by(&h->arena, &input, kernel) : ts_pairs_make(&h->arena, &input);
    cr_assert_not_null(h->pairs);
    cr_expect_not_null(memchr(told, 7, UNITS), "nobody was told from afar and from near");
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

Test(pairs, order_keeps_what_shares_a_body) {
    for (int seed = 0; seed < 20; ++seed) {
        heap h;
        ts_pair_order order;
        make(&h, 100 + seed);
        ts_pairs_input input = {.unit = h.unit, .unit_count = UNITS, .body_count = BODIES};
        cr_assert(ts_pair_order_make(&h.arena, &input, bodies_of(h.pairs), &order));
        cr_assert_lt(order.group_count, UNITS, "something must be side by side");
        expect_order(&order, h.unit, UNITS);
        drop(&h);
    }
}

// Impulses begin as what friction admits of the given ones, and not at all where a contact closes fast; surfaces are seen to move.
Test(pairs, begins_as_it_is_filled) {
    static dense d;
    int without = 0;
    for (int seed = 0; seed < 10; ++seed) {
        heap h;
        make_by(&h, 150 + seed, 2.0, NULL);
        make_dense(&h, &d);
        for (int i = 0; i < h.contacts; ++i) {
            double c[3], speed[6 * BODIES] = {0.0}, wanted[3] = {h.impulse[i].x, h.impulse[i].y, h.impulse[i].z};
            for (int b = 1; b < BODIES; ++b) memcpy(speed + 6 * b, h.velocity + TS_PAIR_SPEEDS * b, 6 * sizeof(double));
            for (int k = 0; k < 3; ++k) c[k] = dot(d.J[3 * i + k], speed);
            double length = hypot(wanted[0], wanted[1]), mu = h.of_unit[h.unit_of[i]].friction;
            double part = c[2] < -2.0 ? 0.0 : 1.0, reach = mu * fmax(wanted[2], 0.0);
            double friction = length > reach ? part * reach / length : part;
            without += part == 0.0;
            const double begun[3] = {friction * wanted[0], friction * wanted[1], part * fmax(wanted[2], 0.0)};
            int at = h.pairs->slot[i] / TS_PAIR_LANES, lane = h.pairs->slot[i] % TS_PAIR_LANES;
            ts_vec3 lambda = ts_pair_vector_get(&h.pairs->point[at].lambda, lane);
            cr_expect_leq(ts_vec3_distance(lambda, ts_vec3_load(begun)), 1e-12);
            ts_vec3 seen = ts_pair_vector_get(&h.pairs->track[at].velocity, lane);
            cr_expect_leq(ts_vec3_distance(seen, ts_vec3_load(c)), 1e-12);
            cr_expect_eq(ts_vec3_distance(seen, ts_pairs_velocity(h.pairs, i, h.velocity)), 0.0);
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
            ts_pairs_sweep(h.pairs, 1, 0.0, NULL);
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
        ts_pairs_sweep(h.pairs, 2, 0.0, NULL);
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

// What is judged behind sweeps is what they have left, to the bit, and it changes nothing.
Test(pairs, judges_behind_the_last_sweep) {
    for (int seed = 0; seed < 10; ++seed) {
        heap one, other;
        ts_residual behind, after;
        make(&one, 350 + seed);
        make(&other, 350 + seed);
        ts_pairs_begin(one.pairs);
        ts_pairs_begin(other.pairs);
        ts_pairs_sweep(one.pairs, 3, 0.0, &behind);
        ts_pairs_sweep(other.pairs, 3, 0.0, NULL);
        ts_pairs_sweep(other.pairs, 0, 0.0, &after);
        size_t points = (size_t)one.pairs->point_count;
        cr_assert_gt(behind.natural, 0.0);
        cr_assert_eq(memcmp(&behind, &after, sizeof after), 0);
        // Once more, it says the same of every island.
        ts_pairs_sweep(other.pairs, 0, 0.0, &after);
        cr_assert_eq(memcmp(&behind, &after, sizeof after), 0);
        for (int i = 0; i < one.pairs->island_count; ++i)
            cr_assert_eq(memcmp(&one.pairs->island[i], &other.pairs->island[i], sizeof(ts_pair_island)), 0);
        cr_assert_eq(memcmp(one.pairs->point, other.pairs->point, points * sizeof(ts_pair_point)), 0);
        cr_assert_eq(memcmp(one.pairs->track, other.pairs->track, points * sizeof(ts_pair_track)), 0);
        drop(&one);
        drop(&other);
    }
}

Test(pairs, judgement_is_the_yardsticks) {
    static dense d;
    static ts_block block[CONTACTS];
    for (int seed = 0; seed < 20; ++seed) {
        heap h;
        make(&h, 300 + seed);
        ts_pairs_begin(h.pairs);
        for (int n = 0; n < seed % 7; ++n) ts_pairs_sweep(h.pairs, 1, 0.0, NULL);
        ts_residual ours, theirs;
        ts_pairs_sweep(h.pairs, 0, 0.0, &ours);
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

#if defined(__x86_64__) && defined(__GNUC__)
// The passes as they are compiled for some machine.
typedef struct kernels {
    ts_pairs_seat_kernel seat;
    ts_pairs_kernel refer, begin, sweep;
} kernels;

static void substep(const kernels* k, ts_pair_pass* pass, int moves) {
    const ts_pairs* pairs = pass->pairs;
    pass->count = moves;
    k->refer(pass, 0);
    memcpy(pairs->velocity, pairs->free, BODIES * TS_PAIR_SPEEDS * sizeof(double));
    pass->turns = ts_pair_turns_of(pairs->parts, 1, 1);
    k->begin(pass, 0);
    pass->count = 1;
    pass->judges = 1;
    for (int i = 0; i < pairs->island_count; ++i) pairs->island[i] = (ts_pair_island){.contacts = 1};
    pass->turns = ts_pair_turns_of(pairs->parts, 2, 1);
    k->sweep(pass, 0);
}

static void expect_same_bits(const kernels* k) {
    const kernels plain = {ts_pairs_seat_plain, ts_pairs_refer_plain, ts_pairs_begin_plain, ts_pairs_sweep_plain};
    for (int seed = 0; seed < 10; ++seed) {
        heap a, b;
        make_by(&a, 600 + seed, 2.0, plain.seat);
        make_by(&b, 600 + seed, 2.0, k->seat);
        size_t points = (size_t)a.pairs->point_count;
        cr_assert_eq(memcmp(a.pairs->track, b.pairs->track, points * sizeof(ts_pair_track)), 0);
        ts_pair_pass of_a = {.pairs = a.pairs}, of_b = {.pairs = b.pairs};
        for (int n = 0; n < 3; ++n) {
            substep(&plain, &of_a, n > 0);
            substep(k, &of_b, n > 0);
        }
        cr_assert_eq(memcmp(a.pairs->point, b.pairs->point, points * sizeof(ts_pair_point)), 0);
        cr_assert_eq(memcmp(a.pairs->track, b.pairs->track, points * sizeof(ts_pair_track)), 0);
        cr_assert_eq(memcmp(a.pairs->velocity, b.pairs->velocity, BODIES * TS_PAIR_SPEEDS * sizeof(double)), 0);
        cr_assert_eq(of_a.deepest[0], of_b.deepest[0]);
        cr_assert_eq(memcmp(&of_a.residual[0], &of_b.residual[0], sizeof of_a.residual[0]), 0);
        size_t islands = (size_t)a.pairs->island_count;
        cr_assert_eq(memcmp(a.pairs->island, b.pairs->island, islands * sizeof *a.pairs->island), 0);
        drop(&a);
        drop(&b);
    }
}

Test(pairs, wide_code_gives_the_same_bits) {
    const kernels wide = {ts_pairs_seat_wide, ts_pairs_refer_wide, ts_pairs_begin_wide, ts_pairs_sweep_wide};
    if (!__builtin_cpu_supports("avx2")) cr_skip_test("no AVX2 here");
    expect_same_bits(&wide);
}

Test(pairs, code_of_many_registers_gives_the_same_bits) {
    const kernels many = {ts_pairs_seat_many, ts_pairs_refer_many, ts_pairs_begin_many, ts_pairs_sweep_many};
    if (!__builtin_cpu_supports("avx512vl") || !__builtin_cpu_supports("avx512dq")) cr_skip_test("no AVX-512 here");
    expect_same_bits(&many);
}
#endif
