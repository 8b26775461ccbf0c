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

// A heap is one part, with full lanes.
Test(pairs_parts, a_wall_is_one_part) {
    for (wall_kind kind = ROWS; kind <= ROW; ++kind) {
        wall* w = build(NULL, kind);
        ts_pair_order order;
        ts_pairs_input input = {.unit = w->unit, .unit_count = w->units, .body_count = STONES};
        cr_assert(ts_pair_order_make(&w->arena, &input, bodies_of(w->pairs), &order));
        cr_expect_eq(order.part_count, 1);
        cr_expect(order.first[0] == 0 && order.first[1] == order.group_count);
        cr_expect_lt(order.group_count, w->units / 4 + w->units / 10);
        expect_order(&order, w->unit, w->units);
        tear_down(w);
    }
}

static int part_of(const ts_pair_order* order, int unit) {
    int part = 0;
    while (order->first[part + 1] <= order->place[unit] / TS_PAIR_LANES) ++part;
    return part;
}

// Small islands come one batch after the other: no stone is in two of them, and lanes are full all the same.
Test(pairs_parts, small_islands_come_in_batches) {
    wall* w = build(NULL, COLUMNS);
    ts_pair_order order;
    int of[STONES];
    ts_pairs_input input = {.unit = w->unit, .unit_count = w->units, .body_count = STONES};
    cr_assert(ts_pair_order_make(&w->arena, &input, bodies_of(w->pairs), &order));
    cr_assert_gt(order.part_count, 1);
    cr_expect(order.first[0] == 0 && order.first[order.part_count] == order.group_count);
    for (int p = 0; p < order.part_count; ++p) cr_assert_gt(order.first[p + 1], order.first[p]);
    memset(of, -1, sizeof of);
    for (int u = 0; u < w->units; ++u)
        for (int side = 0; side < 2; ++side) {
            int body = w->unit[u].body[side], part = part_of(&order, u);
            cr_assert(!body || of[body] < 0 || of[body] == part);
            of[body] = part;
        }
    cr_expect_eq(order.group_count, w->units / TS_PAIR_LANES);
    expect_order(&order, w->unit, w->units);
    tear_down(w);
}

static int pieces_of(const ts_pairs* pairs) { return pairs->parts->first_piece[pairs->parts->count]; }

// Walks through some passes, of shared ones the last first where it can go on: whoever touches a body comes after who touched it before, in this pass and
// the one before, and all groups are touched in every pass.
static void expect_waits(const ts_pairs* pairs, const ts_pair_turns* turns, int part) {
    static int next[JOINTS], last[STONES];
    const struct ts_pair_parts* parts = pairs->parts;
    ts_pair_walk walk[TS_PAIR_PARTS_MOST];
    int groups = pairs->group_count, walks = turns->are_shared ? turns->passes : 1, left;
    memset(next, 0, sizeof next);
    memset(last, 0, sizeof last);
    ts_pair_parts_rewind(parts);
    for (int t = 0; t < walks; ++t) walk[t] = ts_pair_walk_begin(parts, turns, turns->are_shared ? t : part);
    for (left = turns->passes * walk[0].size; left > 0; --left) {
        int t = walks - 1, pass, piece = -1, end;
        for (; t >= 0 && (piece = ts_pair_walk_look(&walk[t], &pass)) < 0;) --t;
        cr_assert_geq(piece, 0, "nobody can go on");
        for (int g = ts_pair_piece_begin(&walk[t], piece, &end); g < end; ++g) {
            cr_assert_eq(next[g]++, pass);
            for (int k = 0; k < 2 * TS_PAIR_LANES; ++k) {
                int body = pairs->group[g].body[k / TS_PAIR_LANES][k % TS_PAIR_LANES];
                // Touches of a stone come in the order of passes and groups.
                cr_assert(body == 0 || last[body] <= pass * groups + g, "stone %d", body);
                last[body] = pass * groups + g;
            }
        }
        ts_pair_walk_tell(&walk[t], pass);
    }
    for (int g = parts->first[part]; g < parts->first[part + 1]; ++g) cr_assert_eq(next[g], turns->passes);
}

// What is swept at once shares no stone, and all groups are swept once each.
static void expect_apart(const ts_pairs* pairs) {
    const struct ts_pair_parts* parts = pairs->parts;
    int most = 0, g = 0;
    for (int count, part = 0; g < pairs->group_count; g += count) {
        count = parts->abreast[g];
        while (parts->first[part + 1] <= g) ++part;
        int at = g - parts->first[part], end = parts->first[part + 1];
        cr_assert(count >= 1 && count <= TS_PAIR_ABREAST && g + count <= end);
        cr_assert_eq(at / parts->size, (at + count - 1) / parts->size, "of one piece");
        if (count > most) most = count;
        for (int k = 0; k < count * count; ++k) {
            if (k % count == k / count) continue;
            const int *a = pairs->group[g + k % count].body[0], *b = pairs->group[g + k / count].body[0];
            for (int i = 0; i < 4 * TS_PAIR_LANES * TS_PAIR_LANES; ++i)
                cr_assert(a[i % 8] == 0 || a[i % 8] != b[i / 8], "groups of stone %d", a[i % 8]);
        }
    }
    cr_expect_eq(g, pairs->group_count);
    cr_expect_eq(most, TS_PAIR_ABREAST);
}

// Passes over a heap are shared, those over columns are not.
Test(pairs_parts, passes_are_shared_by_threads) {
    ts_task_pool* tasks = ts_task_pool_create(2);
    wall *rows = build(tasks, ROWS), *columns = build(tasks, COLUMNS);
    for (int threads = 1; threads <= 3; ++threads)
        for (int passes = 1; passes <= TS_PAIR_PARTS_MOST + 1; ++passes) {
            ts_pair_turns turns = ts_pair_turns_of(rows->pairs->parts, passes, threads);
            cr_assert_eq(turns.passes, passes);
            cr_assert_eq(turns.are_shared, threads > 1 && passes > 1 && passes <= TS_PAIR_PARTS_MOST);
            expect_waits(rows->pairs, &turns, 0);
            for (int p = 0; p <= passes && turns.are_shared; ++p)
                cr_assert_eq(ts_pair_turns_take(rows->pairs->parts, &turns), p);
            turns = ts_pair_turns_of(columns->pairs->parts, passes, threads);
            cr_assert(!turns.are_shared);
            for (int p = 0; p < columns->pairs->parts->count; ++p) expect_waits(columns->pairs, &turns, p);
        }
    tear_down(columns);
    tear_down(rows);
    ts_task_pool_destroy(tasks);
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
        cr_expect_eq(pairs->parts->count, kind == COLUMNS ? 3 : 1);
        cr_expect(kind == ROW || t == 0 || pieces_of(pairs) > pairs->parts->count);
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
Test(pairs_parts, one_thread_goes_through_what_was_made_for_four, .timeout = 60) {
    ts_residual judged[2];
    ts_task_pool* tasks = ts_task_pool_create(4);
    wall *alone = build(NULL, ROWS), *left = build(tasks, ROWS);
    cr_expect_gt(pieces_of(left->pairs), 1);
    left->pairs->tasks = NULL;
    walk(alone, &judged[0]);
    walk(left, &judged[1]);
    cr_expect_eq(memcmp(left->pairs->velocity, alone->pairs->velocity, STONES * TS_PAIR_SPEEDS * sizeof(double)), 0);
    cr_expect_eq(memcmp(&judged[1], &judged[0], sizeof judged[0]), 0);
    ts_task_pool_destroy(tasks);
    tear_down(left);
    tear_down(alone);
}
