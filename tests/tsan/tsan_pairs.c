// Pairs of a wall swept by several threads under the thread sanitizer: two that touch a body without one waiting for the other are a report.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "contact/pairs/pairs.h"

enum { WIDE = 40, HIGH = 12, STONES = 1 + WIDE * HIGH, JOINTS = 2 * WIDE * HIGH };

typedef struct wall {
    ts_arena arena, brief;
    ts_pair_body body[STONES];
    double velocity[STONES * TS_PAIR_SPEEDS];
    ts_pair_unit unit[JOINTS];
    int units;
    ts_pairs* pairs;
} wall;

static void add_joint(wall* w, int above, int below, double place) {
    w->unit[w->units] = (ts_pair_unit){{above, below}, 2 * w->units, 2, place};
    ++w->units;
}

// All joints are alike.
static void fill(void* context, int unit, const ts_pair_seat* seat) {
    (void)context;
    (void)unit;
    ts_pair_vector_put(&seat->group->normal, seat->lane, ts_vec3_make(0.0, 0.0, -1.0));
    ts_pair_vector_put(&seat->group->tangent, seat->lane, ts_vec3_axis(0));
    ts_pair_vector_put(&seat->group->offset, seat->lane, ts_vec3_axis(2));
    seat->group->friction[seat->lane] = 0.5;
    for (int k = 0; k < 2; ++k)
        ts_pair_vector_put(&seat->point[k].lever, seat->lane, ts_vec3_make(0.2, k ? -0.4 : 0.4, -0.5));
}

static int build(wall* w, ts_task_pool* tasks) {
    const ts_pair_body stone = {1.0, 1.0, {0.1, 0.0, 0.0, 0.1, 0.0, 0.1}, {10.0, 0.0, 0.0, 10.0, 0.0, 10.0}};
    for (int b = 1; b < STONES; ++b) w->body[b] = stone;
    for (int row = 0; row < HIGH; ++row)
        for (int i = 0; i < WIDE; ++i) {
            int b = 1 + row * WIDE + i, floor = row == HIGH - 1;
            add_joint(w, b, floor ? 0 : b + WIDE, i);
            if (i + 1 < WIDE) add_joint(w, b, floor ? 0 : b + WIDE + 1, i + 0.5);
        }
    ts_pairs_input input = {.body = w->body,
                            .velocity = w->velocity,
                            .unit = w->unit,
                            .source = {NULL, fill, NULL, NULL},
                            .body_count = STONES,
                            .unit_count = w->units,
                            .contact_count = 2 * w->units,
                            .brief = &w->brief,
                            .tasks = tasks,
                            .omega = 1.0};
    w->pairs = ts_pairs_make(&w->arena, &input);
    if (!w->pairs || !ts_pairs_take_sums(w->pairs, &w->brief)) return 0;
    w->pairs->law = (ts_pair_law){1e-3, 1e-5, 50.0, 1.0};
    for (int b = 1; b < STONES; ++b) w->pairs->free[TS_PAIR_SPEEDS * b + 2] = -1e-2 * (b % 5);
    return 1;
}

// Returns the velocities' sum, 0 when memory is short.
static double run(int threads) {
    wall* w = (wall*)calloc(1, sizeof *w);
    ts_task_pool* tasks = ts_task_pool_create(threads);
    double sum = 0.0;
    if (w && build(w, tasks)) {
        ts_residual residual;
        for (int n = 0; n < 10; ++n) {
            ts_pairs_refer(w->pairs, n > 0);
            ts_pairs_begin(w->pairs);
            ts_pairs_find_work(w->pairs);
            (void)ts_pairs_hold_back(w->pairs);
            ts_pairs_sweep(w->pairs, 5, 0.0, &residual);
        }
        for (int k = 0; k < STONES * TS_PAIR_SPEEDS; ++k) sum += (k % 7 + 1) * w->pairs->velocity[k];
    }
    ts_task_pool_destroy(tasks);
    if (w) ts_arena_free(&w->arena);
    if (w) ts_arena_free(&w->brief);
    free(w);
    return sum;
}

int main(void) {
    double one = run(1), two = run(2), four = run(4);
    if (one == 0.0 || one != two || one != four) {
        printf("pairs: %.17g, %.17g, %.17g\n", one, two, four);
        return 1;
    }
    return 0;
}
