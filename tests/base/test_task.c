// base/task.h: every index exactly once, by a worker of its own, with the caller seeing all of it; the same bits for any
// number of workers; counts below the number of workers; many tiny loops, and pauses long enough for workers to sleep.
#include <criterion/criterion.h>

#include <limits.h>
#include <math.h>
#include <signal.h>
#include <stdatomic.h>
#include <string.h>
#include <time.h>

#include "base/hash.h"
#include "base/rng.h"
#include "base/task.h"

enum { LARGEST = 5000, WORKERS = 8 };

typedef struct tally {
    int hits[LARGEST];
    int count;
    int grain;
    int workers;
    int fixed_edges;  // ranges must begin at multiples of the grain
    atomic_int wrong;
    atomic_int inside[WORKERS];  // how many threads use this worker number now
} tally;

static void count_hits(void* context, int begin, int end, int worker) {
    tally* t = (tally*)context;
    if (begin < 0 || end > t->count || begin >= end || end - begin > t->grain) atomic_fetch_add(&t->wrong, 1);
    if (worker < 0 || worker >= t->workers) {
        atomic_fetch_add(&t->wrong, 1);
        return;
    }
    if (atomic_fetch_add(&t->inside[worker], 1) != 0) atomic_fetch_add(&t->wrong, 1);
    for (int i = begin; i < end; ++i) t->hits[i] += 1;  // plain writes: the pool must order them
    atomic_fetch_sub(&t->inside[worker], 1);
}

static void check_loop(ts_task_pool* pool, int count, int grain) {
    static tally t;
    memset(&t, 0, sizeof t);
    t.count = count;
    t.grain = grain;
    t.workers = ts_task_pool_workers(pool);
    ts_task_parallel_for(pool, count, grain, count_hits, &t);
    cr_assert_eq(atomic_load(&t.wrong), 0);
    for (int i = 0; i < LARGEST; ++i)
        cr_assert_eq(t.hits[i], i < count, "count %d grain %d index %d hit %d times", count, grain, i, t.hits[i]);
}

Test(task, each_index_runs_exactly_once) {
    for (int workers = 1; workers <= WORKERS; ++workers) {
        ts_task_pool* pool = ts_task_pool_create(workers);
        cr_assert_eq(pool == NULL, workers == 1);
        cr_assert_eq(ts_task_pool_workers(pool), workers);
        const int counts[] = {0, 1, 2, 3, 7, 8, 9, 100, LARGEST};
        const int grains[] = {1, 2, 3, 64, LARGEST, INT_MAX};
        for (int c = 0; c < 9; ++c)
            for (int g = 0; g < 6; ++g) check_loop(pool, counts[c], grains[g]);
        ts_task_pool_destroy(pool);
    }
}

Test(task, null_pool_is_one_worker) {
    cr_assert_eq(ts_task_pool_workers(NULL), 1);
    check_loop(NULL, 100, 7);
    check_loop(NULL, 0, 7);
    ts_task_pool_destroy(NULL);
}

static void count_nothing(void* context, int begin, int end, int worker) {
    (void)worker;
    atomic_fetch_add((atomic_int*)context, end - begin);
}

Test(task, negative_and_zero_counts_run_nothing) {
    ts_task_pool* pool = ts_task_pool_create(3);
    atomic_int ran = 0;
    ts_task_parallel_for(pool, 0, 1, count_nothing, &ran);
    ts_task_parallel_for(pool, -5, 1, count_nothing, &ran);
    cr_assert_eq(atomic_load(&ran), 0);
    ts_task_pool_destroy(pool);
}

Test(task, many_tiny_loops) {
    for (int workers = 2; workers <= 5; ++workers) {
        ts_task_pool* pool = ts_task_pool_create(workers);
        atomic_int ran = 0;
        const int loops = 5000;
        for (int k = 0; k < loops; ++k) ts_task_parallel_for(pool, 1 + k % 5, 1, count_nothing, &ran);
        cr_assert_eq(atomic_load(&ran), loops / 5 * (1 + 2 + 3 + 4 + 5));
        ts_task_pool_destroy(pool);
    }
}

Test(task, sleeping_workers_wake_up) {
    ts_task_pool* pool = ts_task_pool_create(4);
    struct timespec pause = {0, 3000000};
    for (int k = 0; k < 30; ++k) {
        nanosleep(&pause, NULL);
        check_loop(pool, 100, 1);
    }
    ts_task_pool_destroy(pool);
}

// The others must truly run at the same time: every range waits until all workers have arrived.
typedef struct meeting {
    atomic_int arrived;
    int expected;
} meeting;

static void meet(void* context, int begin, int end, int worker) {
    (void)begin, (void)end, (void)worker;
    meeting* m = (meeting*)context;
    atomic_fetch_add(&m->arrived, 1);
    struct timespec pause = {0, 100000};
    while (atomic_load(&m->arrived) < m->expected) nanosleep(&pause, NULL);
}

Test(task, all_workers_take_part, .timeout = 60) {
    ts_task_pool* pool = ts_task_pool_create(4);
    for (int k = 0; k < 20; ++k) {
        meeting m = {0, 4};
        ts_task_parallel_for(pool, 4, 1, meet, &m);
        cr_assert_eq(atomic_load(&m.arrived), 4);
    }
    ts_task_pool_destroy(pool);
}

// Who ran which range, while nobody is done before all have begun.
typedef struct roll {
    meeting m;
    int worker[4];
} roll;

static void sign(void* context, int begin, int end, int worker) {
    roll* r = (roll*)context;
    r->worker[begin] = worker;
    meet(&r->m, begin, end, worker);
}

Test(task, a_worker_has_the_same_share_of_every_loop, .timeout = 60) {
    ts_task_pool* pool = ts_task_pool_create(4);
    for (int k = 0; k < 20; ++k) {
        roll r = {.m = {0, 4}};
        ts_task_parallel_for(pool, 4, 1, sign, &r);
        for (int i = 0; i < 4; ++i) cr_assert_eq(r.worker[i], i, "range %d by worker %d", i, r.worker[i]);
    }
    ts_task_pool_destroy(pool);
}

static void sleep_in_worker(void* context, int begin, int end, int worker) {
    (void)worker;
    struct timespec pause = {0, 20000000};
    // The caller finishes first and has to sleep until the slow range is done.
    for (int i = begin; i < end; ++i) {
        if (i > 0) nanosleep(&pause, NULL);
        ((int*)context)[i] = i + 1;
    }
}

Test(task, caller_waits_for_slow_ranges) {
    ts_task_pool* pool = ts_task_pool_create(2);
    for (int k = 0; k < 5; ++k) {
        int done[3] = {0, 0, 0};
        ts_task_parallel_for(pool, 3, 1, sleep_in_worker, done);
        cr_assert(done[0] == 1 && done[1] == 2 && done[2] == 3);
    }
    ts_task_pool_destroy(pool);
}

Test(task, pools_come_and_go) {
    for (int k = 0; k < 200; ++k) {
        ts_task_pool* pool = ts_task_pool_create(2 + k % 4);
        cr_assert_not_null(pool);
        atomic_int ran = 0;
        if (k % 2) ts_task_parallel_for(pool, 10, 1, count_nothing, &ran);
        cr_assert_eq(atomic_load(&ran), k % 2 ? 10 : 0);
        ts_task_pool_destroy(pool);
    }
}

static void chaotic_row(void* context, int begin, int end, int worker) {
    (void)worker;
    double* out = (double*)context;
    for (int i = begin; i < end; ++i) {
        ts_rng rng = ts_rng_make(1234, (uint64_t)i);
        double x = ts_rng_uniform(&rng);
        for (int k = 0; k < 200 + i % 300; ++k) x = 3.99 * x * (1.0 - x);
        out[i] = x;
    }
}

Test(task, same_bits_for_any_number_of_workers) {
    static double values[LARGEST];
    uint64_t expected = 0;
    for (int workers = 1; workers <= WORKERS; ++workers) {
        ts_task_pool* pool = ts_task_pool_create(workers);
        memset(values, 0, sizeof values);
        ts_task_parallel_for(pool, LARGEST, 16, chaotic_row, values);
        uint64_t hash = ts_hash_bytes(TS_HASH_START, values, sizeof values);
        if (workers == 1) expected = hash;
        cr_assert_eq(hash, expected, "%d workers", workers);
        ts_task_pool_destroy(pool);
    }
}

#ifndef NDEBUG
static void nest(void* context, int begin, int end, int worker) {
    (void)begin, (void)end, (void)worker;
    atomic_int ran = 0;
    ts_task_parallel_for((ts_task_pool*)context, 4, 1, count_nothing, &ran);
}

Test(task, nesting_is_a_programmers_mistake, .signal = SIGABRT) {
    ts_task_pool* pool = ts_task_pool_create(2);
    ts_task_parallel_for(pool, 4, 1, nest, pool);
}
#endif
