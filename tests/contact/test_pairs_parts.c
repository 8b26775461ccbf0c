// Who of several threads passes over which pairs, in which order: what shares a body waits, whatever the number of threads, and bits are those of one.
#include "contact/pairs/pairs_parts_internal.h"

#include <stdlib.h>

#include "tests/contact/pairs_content.h"

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

// Columns beside each other that do not touch.
static void add_columns(ts_rng* rng, wall* w) {
    for (int row = 0; row < HIGH; ++row)
        for (int i = 0; i < WIDE; ++i) {
            int stone = 1 + row * WIDE + i;
            add_joint(rng, w, stone, row == HIGH - 1 ? 0 : stone + WIDE, i);
        }
}

typedef enum wall_kind { ROWS, ROW, COLUMNS } wall_kind;

static wall* build(ts_task_pool* tasks, wall_kind kind) {
    wall* w = (wall*)calloc(1, sizeof *w);
    ts_rng rng = ts_rng_make(7, 0);
    cr_assert_not_null(w);
    for (int b = 1; b < STONES; ++b) make_body(&rng, 0, &w->body[b]);
    if (kind == COLUMNS)
        add_columns(&rng, w);
    else if (kind == ROW)
        add_row(&rng, w);
    else
        add_rows(&rng, w);
    contents all = {.unit = w->unit, .of_unit = w->of_unit, .lever = w->lever};
    ts_pairs_input input = {.body = w->body,
                            .velocity = w->velocity,
                            .unit = w->unit,
                            .source = {&all, fill, NULL, NULL},
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
static void expect_domains(wall_kind kind, int domains) {
    wall* w = build(NULL, kind);
    ts_pair_order order;
    int points[TS_PAIR_DOMAINS_MOST] = {0}, of[STONES], shared = 0;
    ts_pairs_input input = {.unit = w->unit, .unit_count = w->units, .body_count = STONES};
    cr_assert(ts_pair_order_make(&w->arena, &input, bodies_of(w->pairs), TS_PAIR_DOMAINS_MOST, &order));
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

Test(pairs_parts, domains_of_a_wall) {
    expect_domains(ROWS, 16);
    expect_domains(ROW, 8);
}

// Small islands come one batch after the other: no stone is in two of them, and lanes are full all the same.
Test(pairs_parts, small_islands_come_in_batches) {
    wall* w = build(NULL, COLUMNS);
    ts_pair_order order;
    int of[STONES];
    ts_pairs_input input = {.unit = w->unit, .unit_count = w->units, .body_count = STONES};
    cr_assert(ts_pair_order_make(&w->arena, &input, bodies_of(w->pairs), TS_PAIR_DOMAINS_MOST, &order));
    cr_assert(order.is_apart);
    cr_assert_gt(order.domain_count, 1);
    cr_expect_eq(order.domain[0], 0);
    cr_expect_eq(order.domain[order.group_count - 1], order.domain_count - 1);
    for (int g = 1; g < order.group_count; ++g) cr_assert_geq(order.domain[g], order.domain[g - 1]);
    memset(of, -1, sizeof of);
    for (int u = 0; u < w->units; ++u)
        for (int side = 0; side < 2; ++side) {
            int body = w->unit[u].body[side], domain = domain_of(&order, u);
            cr_assert(!body || of[body] < 0 || of[body] == domain);
            of[body] = domain;
        }
    cr_expect_eq(order.group_count, w->units / TS_PAIR_LANES);
    expect_order(&order, w->unit, w->units);
    tear_down(w);
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
            for (int k = 0; k < parts->kin; ++k) {
                const ts_pair_need* need = &parts->need[i * parts->kin + k];
                int q = parts->kin > 1 ? k : c->part[i];
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
        ts_pairs_sweep(pairs, 1 + n % 10, 0.0, out_residual);
    }
}

static void share(wall_kind kind) {
    ts_residual judged[3];
    wall* w[3];
    for (int t = 0; t < 3; ++t) {
        ts_task_pool* tasks = ts_task_pool_create(1 << t);
        ts_pairs* pairs = (w[t] = build(tasks, kind))->pairs;
        if (kind == COLUMNS)
            cr_expect_eq(pairs->parts->count, t > 0 ? 3 : 1);
        else
            cr_expect_eq(pairs->parts->count, 1 << t);
        cr_expect(kind == ROW || (kind == COLUMNS && t == 0) || pieces_of(pairs) > pairs->parts->count);
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

Test(pairs_parts, threads_give_the_same_bits) {
    share(ROWS);
    share(ROW);
    share(COLUMNS);
}

// As on a machine whose other processors do something else: nobody may wait for a thread that never comes.
Test(pairs_parts, one_thread_goes_through_the_parts_of_all, .timeout = 60) {
    ts_residual judged[2];
    ts_task_pool* tasks = ts_task_pool_create(4);
    wall *alone = build(NULL, ROWS), *left = build(tasks, ROWS);
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
