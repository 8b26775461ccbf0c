// The pair cache against a table of all pairs.
#include "tests/collision/collision_fixture.h"

#include "collision/broad/pair_cache.h"

enum { N = 40 };

typedef struct record {
    int first;  // update in which the pair began
    int touches;
} record;

typedef struct model {
    int known[N][N];
    record value[N][N];
    int ended[N][N];
    unsigned generation[N];
} model;

static void note_end(void* context, const ts_pair_entry* pair, void* value) {
    model* m = (model*)context;
    const record* r = (const record*)value;
    cr_assert_lt(pair->a.index, pair->b.index);
    cr_assert_eq(r->first, m->value[pair->a.index][pair->b.index].first);
    ++m->ended[pair->a.index][pair->b.index];
}

Test(pair_cache, follows_a_table_of_all_pairs) {
    ts_rng rng = ts_rng_make(321, 0);
    static model m;
    ts_pair_cache cache;
    ts_pair_cache_init(&cache, sizeof(record));
    for (int update = 1; update <= 300; ++update) {
        static int touched[N][N];
        memset(touched, 0, sizeof touched);
        memset(m.ended, 0, sizeof m.ended);
        ts_pair_cache_begin(&cache);
        int dying = update % 7 == 0 ? (int)(ts_rng_uniform(&rng) * N) : -1, expected_ends = 0;
        if (dying >= 0) {
            // Someone else takes this number: pairs known under it must not pass anything on.
            ++m.generation[dying];
            for (int k = 0; k < N; ++k) m.value[dying < k ? dying : k][dying < k ? k : dying].touches = 0;
        }
        double density = update % 50 < 25 ? 0.3 : 0.02;
        for (int i = 0; i < N; ++i)
            for (int j = i + 1; j < N; ++j) {
                if (ts_rng_uniform(&rng) > (m.known[i][j] ? 0.8 : density)) continue;
                ts_pair_end a = {i, m.generation[i]}, b = {j, m.generation[j]};
                int fresh = !m.known[i][j] || i == dying || j == dying;
                ts_pair_event event;
                int swap = ts_rng_uniform(&rng) < 0.5;
                record* r = (record*)(swap ? ts_pair_cache_touch(&cache, b, a, &event)
                                           : ts_pair_cache_touch(&cache, a, b, &event));
                cr_assert_eq(event, fresh ? TS_PAIR_BEGAN : TS_PAIR_PERSISTED);
                if (fresh) {
                    cr_assert(r->first == 0 && r->touches == 0);
                    r->first = update;
                    m.value[i][j].first = update;
                    m.value[i][j].touches = 0;
                }
                ++r->touches;
                ++m.value[i][j].touches;
                cr_assert_eq(r->first, m.value[i][j].first);
                cr_assert_eq(r->touches, m.value[i][j].touches);
                m.known[i][j] = touched[i][j] = 1;
            }
        for (int i = 0; i < N; ++i)
            for (int j = i + 1; j < N; ++j) expected_ends += m.known[i][j] && !touched[i][j];
        cr_assert_eq(ts_pair_cache_end(&cache, note_end, &m), expected_ends);
        int count = 0;
        for (int i = 0; i < N; ++i)
            for (int j = i + 1; j < N; ++j) {
                cr_assert_eq(m.ended[i][j], m.known[i][j] && !touched[i][j]);
                m.known[i][j] = touched[i][j];
                count += m.known[i][j];
                ts_pair_end a = {i, m.generation[i]}, b = {j, m.generation[j]}, older = {j, m.generation[j] - 1};
                const record* r = (const record*)ts_pair_cache_find(&cache, b, a);
                cr_assert_eq(r != NULL, m.known[i][j]);
                if (r) cr_assert_eq(r->touches, m.value[i][j].touches);
                cr_assert_null(ts_pair_cache_find(&cache, a, older));
            }
        cr_assert_eq(cache.count, count);
    }
    ts_pair_cache_clear(&cache);
    cr_assert_eq(cache.count, 0);
    ts_pair_end a = {0, m.generation[0]}, b = {1, m.generation[1]};
    cr_assert_null(ts_pair_cache_find(&cache, a, b));
    ts_pair_cache_free(&cache);
}

Test(pair_cache, entries_keep_the_order_in_which_they_began) {
    ts_pair_cache cache;
    ts_pair_cache_init(&cache, 0);
    for (int round = 0; round < 3; ++round) {
        ts_pair_cache_begin(&cache);
        for (int i = 0; i < 1000; ++i) {
            if (round > 0 && i % 3 == round - 1) continue;
            int k = 999 - i;
            ts_pair_end a = {k, 0}, b = {k + 1, 0};
            cr_assert_not_null(ts_pair_cache_touch(&cache, a, b, NULL));
        }
        ts_pair_cache_end(&cache, NULL, NULL);
    }
    // Those of i % 3 == 0 left in the second round and began again in the third, behind the others.
    int at = 0;
    for (int i = 0; i < 1000; ++i)
        if (i % 3 == 2) cr_assert_eq(cache.entry[at++].a.index, 999 - i);
    for (int i = 0; i < 1000; ++i)
        if (i % 3 == 0) cr_assert_eq(cache.entry[at++].a.index, 999 - i);
    cr_assert_eq(at, cache.count);
    ts_pair_cache_free(&cache);
}
