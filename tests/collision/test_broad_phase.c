// The broad phase against all pairs tried.
#include "tests/collision/collision_fixture.h"

#include "collision/broad_phase.h"

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
    ts_pair* pairs = 0;
    int pair_count = 0, invalid = -1;
    cr_assert_eq(ts_broad_phase_pairs(b, count, &arena, &pairs, &pair_count, &invalid), TS_OK);
    cr_assert_eq(invalid, expected_invalid);
    cr_assert_eq(pair_count, expected_count, "%d pairs, not %d", pair_count, expected_count);
    for (int i = 0; i < pair_count; ++i)
        cr_assert(pairs[i].first == expected[i].first && pairs[i].second == expected[i].second, "pair %d", i);
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
    ts_pair *p = 0, *q = 0;
    int np = 0, nq = 0;
    cr_assert_eq(ts_broad_phase_pairs(b, N, &arena, &p, &np, 0), TS_OK);
    cr_assert_eq(ts_broad_phase_pairs(reversed, N, &arena, &q, &nq, 0), TS_OK);
    cr_assert_eq(np, nq);
    for (int i = 0; i < np; ++i) {
        int found = 0;
        for (int j = 0; j < nq; ++j) found |= q[j].first == N - 1 - p[i].second && q[j].second == N - 1 - p[i].first;
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
