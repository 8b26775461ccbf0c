// The broad phase against all pairs tried.
#include "tests/collision/collision_fixture.h"

#include "collision/broad/broad_phase.h"

static int brute_force(const ts_bounds* b, int count, ts_pair* out, int capacity) {
    int made = 0;
    for (int i = 0; i < count; ++i)
        for (int j = i + 1; j < count; ++j) {
            int meet = 1;
            for (int k = 0; k < 3; ++k) {
                double al = ts_vec3_get(b[i].min, k), ah = ts_vec3_get(b[i].max, k);
                double bl = ts_vec3_get(b[j].min, k), bh = ts_vec3_get(b[j].max, k);
                if (!(al <= ah) || !(bl <= bh) || al > bh || bl > ah) meet = 0;
            }
            int wanted = (b[i].category & b[j].mask) != 0 || (b[j].category & b[i].mask) != 0;
            if (!meet || b[i].group == b[j].group || !wanted) continue;
            cr_assert_lt(made, capacity);
            out[made].first = i;
            out[made++].second = j;
        }
    return made;
}

static void compare(const ts_bounds* b, int count, int expected_invalid) {
    enum { CAPACITY = 1 << 19 };
    ts_pair* expected = (ts_pair*)malloc(sizeof(ts_pair) * CAPACITY);
    int expected_count = brute_force(b, count, expected, CAPACITY);
    ts_arena arena;
    memset(&arena, 0, sizeof arena);
    ts_pair_list pairs;
    int invalid = -1;
    cr_assert_eq(ts_broad_phase_pairs(b, count, &arena, &pairs, &invalid), TS_OK);
    cr_assert_eq(invalid, expected_invalid);
    cr_assert_eq(pairs.count, expected_count, "%d pairs, not %d", pairs.count, expected_count);
    for (int i = 0; i < pairs.count; ++i)
        cr_assert(pairs.pair[i].first == expected[i].first && pairs.pair[i].second == expected[i].second, "pair %d", i);
    ts_arena_free(&arena);
    free(expected);
}

static ts_bounds box_at(ts_vec3 centre, ts_vec3 half, int group) {
    ts_bounds b = {ts_vec3_sub(centre, half), ts_vec3_add(centre, half), group, 1u, 1u};
    return b;
}

Test(broad_phase, random_scenes_of_many_shapes_and_sizes) {
    ts_rng rng = ts_rng_make(81, 0);
    enum { N = 700 };
    static ts_bounds b[N];
    for (int trial = 0; trial < 40; ++trial) {
        int count = trial < 4 ? trial : N;
        double reach = exp(ts_rng_uniform_in(&rng, -1.0, 3.0));
        ts_vec3 stretch = ts_vec3_make(exp(ts_rng_uniform_in(&rng, -3.0, 0.0)), exp(ts_rng_uniform_in(&rng, -3.0, 0.0)),
                                       exp(ts_rng_uniform_in(&rng, -3.0, 0.0)));
        ts_vec3 shift = random_vector(&rng, 1e6);
        for (int i = 0; i < count; ++i) {
            double size = trial % 3 ? 0.3 : exp(ts_rng_uniform_in(&rng, -4.0, 1.0));
            ts_vec3 half =
                ts_vec3_scale(size, ts_vec3_make(ts_rng_uniform(&rng), ts_rng_uniform(&rng), ts_rng_uniform(&rng)));
            ts_vec3 centre = ts_vec3_mul(random_vector(&rng, reach), stretch);
            if (trial % 5 == 0) centre = ts_vec3_add(centre, shift);
            b[i] = box_at(centre, half, trial % 2 ? i : i / 3);
            b[i].category = trial % 4 ? 1u : (unsigned)(1 << (i % 3));
            b[i].mask = trial % 4 ? 1u : (unsigned)(ts_rng_uniform(&rng) * 8.0);
        }
        compare(b, count, 0);
    }
}

Test(broad_phase, lattices_of_touching_boxes) {
    // Faces exactly in contact count; so do coincident boxes.
    enum { SIDE = 8 };
    static ts_bounds b[SIDE * SIDE * SIDE];
    for (int i = 0; i < SIDE * SIDE * SIDE; ++i)
        b[i] = box_at(ts_vec3_make(i % SIDE, i / SIDE % SIDE, i / SIDE / SIDE), ts_vec3_make(0.5, 0.5, 0.5), i);
    compare(b, SIDE * SIDE * SIDE, 0);
    for (int i = 0; i < 100; ++i) b[i] = b[0];
    for (int i = 0; i < 100; ++i) b[i].group = i;
    compare(b, 150, 0);
}

Test(broad_phase, unbounded_and_invalid_boxes) {
    ts_rng rng = ts_rng_make(82, 0);
    enum { N = 300 };
    static ts_bounds b[N];
    const double inf = (double)INFINITY, nan_value = (double)NAN;
    int invalid = 0;
    for (int i = 0; i < N; ++i) {
        b[i] = box_at(random_vector(&rng, 3.0), ts_vec3_make(0.3, 0.3, 0.3), i);
        if (i % 50 == 7) b[i].min = ts_vec3_make(-inf, -inf, -inf);
        if (i % 50 == 7) b[i].max = ts_vec3_make(inf, inf, inf);
        if (i % 50 == 8) b[i].min.z = -inf;
        if (i % 50 == 9) b[i].max.x = inf;
        if (i % 50 == 10) {
            b[i].max.y = nan_value;
            ++invalid;
        }
        if (i % 50 == 11) {
            b[i].min.x = nan_value;
            ++invalid;
        }
        if (i % 50 == 12) {
            b[i].min.z = b[i].max.z + 1.0;
            ++invalid;
        }
        if (i % 50 == 13) b[i].min = b[i].max = ts_vec3_make(inf, inf, inf);
    }
    compare(b, N, invalid);
}

Test(broad_phase, order_of_the_boxes_does_not_matter_to_the_set) {
    ts_rng rng = ts_rng_make(83, 0);
    enum { N = 200 };
    static ts_bounds b[N], reversed[N];
    for (int i = 0; i < N; ++i) b[i] = box_at(random_vector(&rng, 2.0), ts_vec3_make(0.4, 0.3, 0.2), i);
    for (int i = 0; i < N; ++i) reversed[i] = b[N - 1 - i];
    ts_arena arena;
    memset(&arena, 0, sizeof arena);
    ts_pair_list p, q;
    cr_assert_eq(ts_broad_phase_pairs(b, N, &arena, &p, 0), TS_OK);
    cr_assert_eq(ts_broad_phase_pairs(reversed, N, &arena, &q, 0), TS_OK);
    cr_assert_eq(p.count, q.count);
    for (int i = 0; i < p.count; ++i) {
        int found = 0;
        for (int j = 0; j < q.count; ++j)
            found |= q.pair[j].first == N - 1 - p.pair[i].second && q.pair[j].second == N - 1 - p.pair[i].first;
        cr_assert(found);
    }
    ts_arena_free(&arena);
}

Test(broad_phase, extreme_coordinates) {
    static ts_bounds b[64];
    for (int i = 0; i < 64; ++i) {
        double x = i % 2 ? 1e300 : -1e300;
        b[i] = box_at(ts_vec3_make(x * (i % 4 < 2), 0.0, 1e-300 * i), ts_vec3_make(1e299, 1e-310, 1e-300), i);
    }
    compare(b, 64, 0);
}

// Boxes that move, spin (change their extents), vanish and return; every update against all pairs tried.
typedef struct crowd {
    ts_bounds* bounds;
    ts_vec3* centre;
    ts_vec3* half;
    ts_vec3* velocity;
    int count;
    double reach;
} crowd;

static crowd crowd_make(ts_rng* rng, int count, double reach, double size) {
    crowd c = {(ts_bounds*)calloc((size_t)count, sizeof(ts_bounds)),
               (ts_vec3*)calloc((size_t)count, sizeof(ts_vec3)),
               (ts_vec3*)calloc((size_t)count, sizeof(ts_vec3)),
               (ts_vec3*)calloc((size_t)count, sizeof(ts_vec3)),
               count,
               reach};
    for (int i = 0; i < count; ++i) {
        double s = i % 50 ? size : 8.0 * size;
        c.half[i] = ts_vec3_scale(
            s, ts_vec3_make(0.2 + ts_rng_uniform(rng), 0.2 + ts_rng_uniform(rng), 0.2 + ts_rng_uniform(rng)));
        c.centre[i] = random_vector(rng, reach);
        c.velocity[i] = i % 4 ? random_vector(rng, 0.2 * size) : ts_vec3_zero();
    }
    return c;
}

static void crowd_step(crowd* c, ts_rng* rng, int step, ts_vec3 shift) {
    for (int i = 0; i < c->count; ++i) {
        double jitter = i % 4 ? 1.0 + 0.02 * ts_rng_uniform(rng) : 1.0;
        if (step > 0) c->centre[i] = ts_vec3_add(c->centre[i], c->velocity[i]);
        if (ts_vec3_max_abs(c->centre[i]) > c->reach) c->velocity[i] = ts_vec3_scale(-0.2, c->centre[i]);
        if (ts_vec3_max_abs(c->centre[i]) < 0.5 * c->reach && ts_vec3_norm(c->velocity[i]) > 0.1 * c->reach)
            c->velocity[i] = random_vector(rng, 0.05);
        ts_vec3 centre = ts_vec3_add(c->centre[i], shift), half = ts_vec3_scale(jitter, c->half[i]);
        c->bounds[i] = box_at(centre, half, i % 7 ? i : i / 14);
        c->bounds[i].category = i % 5 == 1 ? 2u : 1u;
        c->bounds[i].mask = i % 5 == 2 ? 2u : 1u;
    }
}

static void crowd_free(crowd* c) {
    free(c->bounds);
    free(c->centre);
    free(c->half);
    free(c->velocity);
}

static ts_pair* brute_pairs(const ts_bounds* b, int count, int* out_count) {
    enum { CAPACITY = 1 << 19 };
    ts_pair* pair = (ts_pair*)malloc(sizeof(ts_pair) * CAPACITY);
    *out_count = brute_force(b, count, pair, CAPACITY);
    return pair;
}

static void check_update(ts_broad_phase* broad, const ts_bounds* b, int count, ts_task_pool* pool, ts_arena* arena,
                         const char* what) {
    ts_pair_list pairs;
    int expected_count = 0;
    ts_arena_reset(arena);
    cr_assert_eq(ts_broad_phase_update(broad, b, count, NULL, pool, arena, &pairs, NULL), TS_OK);
    ts_pair* expected = brute_pairs(b, count, &expected_count);
    cr_assert_eq(pairs.count, expected_count, "%s: %d pairs, not %d", what, pairs.count, expected_count);
    for (int i = 0; i < pairs.count; ++i)
        cr_assert(pairs.pair[i].first == expected[i].first && pairs.pair[i].second == expected[i].second, "%s: pair %d",
                  what, i);
    free(expected);
}

Test(broad_phase, updates_give_the_pairs_of_brute_force) {
    const int counts[8] = {2, 20, 50, 64, 65, 90, 300, 900};
    ts_arena arena;
    memset(&arena, 0, sizeof arena);
    for (int k = 0; k < 8; ++k)
        for (int fast = 0; fast < 3; ++fast) {
            ts_rng rng = ts_rng_make(84, (uint64_t)(3 * k + fast));
            crowd c = crowd_make(&rng, counts[k], 0.35 * cbrt((double)counts[k]), 0.2);
            for (int i = 0; i < c.count; ++i)
                c.velocity[i] = ts_vec3_scale(fast == 0 ? 0.02 : 2.0 * fast, c.velocity[i]);
            ts_broad_phase* broad = ts_broad_phase_create();
            for (int step = 0; step < 60; ++step) {
                ts_vec3 shift = step < 40 ? ts_vec3_zero() : ts_vec3_make(1e7, -2e6, 0.0);
                crowd_step(&c, &rng, step, shift);
                int count = step % 17 == 11 ? c.count / 2 : c.count;
                // Some vanish for a while, as a NaN, upside down or without ends.
                for (int i = step % 10; i < count && step % 3; i += 29) {
                    if (i % 4 == 0) c.bounds[i].min.x = (double)NAN;
                    if (i % 4 == 1) c.bounds[i].max.y = c.bounds[i].min.y - 1.0;
                    if (i % 4 == 2) c.bounds[i].min.z = -(double)INFINITY;
                    if (i % 4 == 3) c.bounds[i].group = i + 1;
                }
                check_update(broad, c.bounds, count, NULL, &arena, "one worker");
            }
            ts_broad_phase_destroy(broad);
            crowd_free(&c);
        }
    ts_arena_free(&arena);
}

Test(broad_phase, any_number_of_workers_gives_the_same_pairs) {
    enum { COUNT = 4000, STEPS = 12 };
    ts_arena arena, arena_one;
    memset(&arena, 0, sizeof arena);
    memset(&arena_one, 0, sizeof arena_one);
    for (int workers = 1; workers <= 8; ++workers) {
        ts_task_pool* pool = ts_task_pool_create(workers);
        ts_rng rng = ts_rng_make(85, 0);
        crowd c = crowd_make(&rng, COUNT, 4.5, 0.2);
        ts_broad_phase* broad = ts_broad_phase_create();
        for (int step = 0; step < STEPS; ++step) {
            crowd_step(&c, &rng, step, ts_vec3_zero());
            ts_pair_list p, q;
            ts_arena_reset(&arena);
            ts_arena_reset(&arena_one);
            cr_assert_eq(ts_broad_phase_update(broad, c.bounds, COUNT, NULL, pool, &arena, &p, NULL), TS_OK);
            cr_assert_eq(ts_broad_phase_pairs(c.bounds, COUNT, &arena_one, &q, NULL), TS_OK);
            cr_assert_eq(p.count, q.count);
            cr_assert_gt(p.count, COUNT);
            cr_assert_arr_eq(p.pair, q.pair, sizeof(ts_pair) * (size_t)p.count);
        }
        ts_broad_phase_destroy(broad);
        crowd_free(&c);
        ts_task_pool_destroy(pool);
    }
    ts_arena_free(&arena);
    ts_arena_free(&arena_one);
}

Test(broad_phase, every_method_of_the_table_agrees) {
    ts_rng rng = ts_rng_make(86, 0);
    enum { N = 500 };
    static ts_bounds b[N];
    for (int i = 0; i < N; ++i) b[i] = box_at(random_vector(&rng, 2.0), ts_vec3_make(0.3, 0.2, 0.1), i / 2);
    b[7].min.x = (double)NAN;
    b[8].max.z = (double)INFINITY;
    int expected_count = 0;
    ts_pair* expected = brute_pairs(b, N, &expected_count);
    ts_arena arena;
    memset(&arena, 0, sizeof arena);
    for (int m = 0; m < ts_broad_phase_method_count(); ++m) {
        const ts_broad_phase_method* method = ts_broad_phase_method_at(m);
        ts_pair_list pairs;
        int invalid = 0;
        cr_assert_eq(method->pairs(b, N, &arena, &pairs, &invalid), TS_OK);
        cr_assert_eq(invalid, 1, "%s", method->name);
        cr_assert_eq(pairs.count, expected_count, "%s: %d, not %d", method->name, pairs.count, expected_count);
        cr_assert_arr_eq(pairs.pair, expected, sizeof(ts_pair) * (size_t)pairs.count);
    }
    ts_arena_free(&arena);
    free(expected);
}

Test(broad_phase, a_crowd_in_one_place_is_refused_early) {
    enum { COUNT = 20000 };
    ts_bounds* b = (ts_bounds*)calloc(COUNT, sizeof *b);
    for (int i = 0; i < COUNT; ++i) b[i] = box_at(ts_vec3_zero(), ts_vec3_make(0.5, 0.5, 0.5), i);
    ts_arena arena;
    memset(&arena, 0, sizeof arena);
    ts_pair_list pairs;
    ts_broad_phase_info info;
    ts_broad_phase* broad = ts_broad_phase_create();
    cr_assert_eq(ts_broad_phase_update(broad, b, COUNT, NULL, NULL, &arena, &pairs, &info), TS_ERROR_MEMORY);
    cr_assert(info.limit_reached);
    cr_assert_eq(pairs.count, 0);
    // 2^22 pairs and the room they were sought in, not the gigabytes of 2 * 10^8.
    cr_assert_lt(arena.peak, 200u << 20);
    cr_assert_eq(ts_broad_phase_pairs(b, COUNT, &arena, &pairs, NULL), TS_ERROR_MEMORY);
    cr_assert_lt(arena.peak, 200u << 20);
    // Once they are apart all is well again.
    for (int i = 0; i < COUNT; ++i) b[i] = box_at(ts_vec3_make(i % 150, i / 150, 0.0), ts_vec3_make(0.5, 0.4, 0.5), i);
    cr_assert_eq(ts_broad_phase_update(broad, b, COUNT, NULL, NULL, &arena, &pairs, &info), TS_OK);
    cr_assert_eq(pairs.count, 149 * 133 + 49);
    // The caller may set the limit.
    ts_broad_phase_settings settings = ts_broad_phase_settings_default();
    settings.pair_limit = pairs.count - 1;
    cr_assert_eq(ts_broad_phase_update(broad, b, COUNT, &settings, NULL, &arena, &pairs, &info), TS_ERROR_MEMORY);
    cr_assert(info.limit_reached);
    ts_broad_phase_destroy(broad);
    ts_arena_free(&arena);
    free(b);
}

typedef struct filter_log {
    int calls[64][64];
    int new_note[64][64];
} filter_log;

// Keeps pairs with an even sum, and leaves a mark on every pair it sees.
static int even_sum(void* context, int first, int second, unsigned char* note) {
    filter_log* log = (filter_log*)context;
    cr_assert_lt(first, second);
    ++log->calls[first][second];
    log->new_note[first][second] += *note == 0;
    *note = 77;
    return (first + second) % 2 == 0;
}

Test(broad_phase, a_filter_sees_every_pair_once_and_its_note_lives_on) {
    for (int n = 16; n <= 64; n *= 2) {
        static filter_log log;
        static ts_bounds b[64];
        ts_rng rng = ts_rng_make(87, 0);
        memset(&log, 0, sizeof log);
        ts_broad_phase* broad = ts_broad_phase_create();
        ts_broad_phase_settings settings = ts_broad_phase_settings_default();
        settings.filter = even_sum;
        settings.filter_context = &log;
        ts_arena arena;
        memset(&arena, 0, sizeof arena);
        for (int i = 0; i < n; ++i) b[i] = box_at(random_vector(&rng, 1.0), ts_vec3_make(0.4, 0.4, 0.4), i);
        enum { STEPS = 9 };
        for (int step = 0; step < STEPS; ++step) {
            ts_pair_list pairs;
            ts_pair* expected = NULL;
            int expected_count = 0, even = 0;
            cr_assert_eq(ts_broad_phase_update(broad, b, n, &settings, NULL, &arena, &pairs, NULL), TS_OK);
            expected = brute_pairs(b, n, &expected_count);
            for (int i = 0; i < expected_count; ++i) {
                cr_assert_eq(log.calls[expected[i].first][expected[i].second], step + 1);
                cr_assert_eq(log.new_note[expected[i].first][expected[i].second], 1);
                if ((expected[i].first + expected[i].second) % 2) continue;
                cr_assert(pairs.pair[even].first == expected[i].first && pairs.pair[even].second == expected[i].second);
                ++even;
            }
            cr_assert_eq(even, pairs.count);
            free(expected);
        }
        ts_broad_phase_destroy(broad);
        ts_arena_free(&arena);
    }
}

// Two boxes that creep towards each other and past, along one axis at a time and either way, pair exactly while they
// meet. A third one, the second time, is barely upside down and pairs with nobody.
Test(broad_phase, boxes_that_creep_pair_when_they_meet) {
    for (int way = 0; way < 12; ++way) {
        ts_broad_phase* broad = ts_broad_phase_create();
        ts_arena arena;
        memset(&arena, 0, sizeof arena);
        int met = 0;
        for (int step = 0; step < 400; ++step) {
            ts_vec3 along = ts_vec3_scale(way % 2 ? -1.0 : 1.0, ts_vec3_axis(way / 2 % 3)), half = {0.5, 0.5, 0.5};
            ts_bounds b[3] = {box_at(ts_vec3_zero(), half, 0),
                              box_at(ts_vec3_scale(-2.0 + 0.01 * step, along), half, 1),
                              box_at(ts_vec3_zero(), half, 2)};
            b[2].min.y = b[2].max.y + 1e-4;
            check_update(broad, b, way < 6 ? 2 : 3, NULL, &arena, "creeping");
            met += ts_vec3_max_abs(ts_vec3_sub(b[1].min, b[0].min)) <= 1.0;
        }
        cr_expect_geq(met, 199);
        ts_arena_free(&arena);
        ts_broad_phase_destroy(broad);
    }
}

// Drops pairs with an odd sum for good.
static int even_sum_for_ever(void* context, int first, int second, unsigned char* note) {
    (void)context;
    if ((first + second) % 2) *note = TS_BROAD_PHASE_NEVER;
    return (first + second) % 2 == 0;
}

Test(broad_phase, what_never_pairs_stays_away_and_takes_nobody_along) {
    for (int n = 20; n <= 80; n += 20) {
        ts_rng rng = ts_rng_make(88, (uint64_t)n);
        crowd c = crowd_make(&rng, n, 0.35 * cbrt((double)n), 0.2);
        ts_broad_phase* broad = ts_broad_phase_create();
        ts_broad_phase_settings settings = ts_broad_phase_settings_default();
        settings.filter = even_sum_for_ever;
        ts_arena arena;
        memset(&arena, 0, sizeof arena);
        for (int step = 0; step < 60; ++step) {
            ts_pair_list pairs;
            ts_pair* expected = NULL;
            int expected_count = 0, even = 0;
            crowd_step(&c, &rng, step, ts_vec3_zero());
            ts_arena_reset(&arena);
            cr_assert_eq(ts_broad_phase_update(broad, c.bounds, n, &settings, NULL, &arena, &pairs, NULL), TS_OK);
            expected = brute_pairs(c.bounds, n, &expected_count);
            for (int i = 0; i < expected_count; ++i) {
                if ((expected[i].first + expected[i].second) % 2) continue;
                cr_assert(even < pairs.count && pairs.pair[even].first == expected[i].first &&
                          pairs.pair[even].second == expected[i].second);
                ++even;
            }
            cr_assert_eq(even, pairs.count);
            free(expected);
        }
        ts_arena_free(&arena);
        ts_broad_phase_destroy(broad);
        crowd_free(&c);
    }
}

typedef struct seen {
    int* count;
    int total;
} seen;

static double mark_ray(void* context, int item, double enter, double limit) {
    seen* s = (seen*)context;
    cr_assert_geq(enter, 0.0);
    ++s->count[item];
    ++s->total;
    return limit;
}

Test(broad_phase, rays_see_what_they_meet) {
    for (int count = 10; count <= 1000; count *= 10) {
        ts_rng rng = ts_rng_make(88, (uint64_t)count);
        crowd c = crowd_make(&rng, count, 0.6 * cbrt((double)count), 0.2);
        ts_broad_phase* broad = ts_broad_phase_create();
        ts_arena arena;
        memset(&arena, 0, sizeof arena);
        seen s = {(int*)calloc((size_t)count, sizeof(int)), 0};
        for (int step = 0; step < 20; ++step) {
            ts_pair_list pairs;
            crowd_step(&c, &rng, step, ts_vec3_zero());
            c.bounds[3].min.y = -(double)INFINITY;
            c.bounds[4].max.y = (double)NAN;
            ts_arena_reset(&arena);
            cr_assert_eq(ts_broad_phase_update(broad, c.bounds, count, NULL, NULL, &arena, &pairs, NULL), 0);
            // A ray through the middle of a box must see it.
            for (int i = 0; i < count; i += 1 + count / 50) {
                if (i == 3 || i == 4) continue;
                ts_vec3 middle = ts_vec3_lerp(c.bounds[i].min, c.bounds[i].max, 0.5), way = random_vector(&rng, 1.0);
                memset(s.count, 0, sizeof(int) * (size_t)count);
                ts_broad_phase_ray(broad, c.bounds, ts_vec3_add_scaled(middle, -3.0, way), way, 3.0, mark_ray, &s);
                cr_assert_eq(s.count[i], 1);
                cr_assert_eq(s.count[4], 0);
            }
        }
        free(s.count);
        ts_broad_phase_destroy(broad);
        ts_arena_free(&arena);
        crowd_free(&c);
    }
}
