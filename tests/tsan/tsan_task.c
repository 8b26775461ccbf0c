// The task pool under the thread sanitizer: plain, unsynchronised writes inside a loop and plain reads after it, so any
// ordering that the pool fails to give is a report. Tiny loops, sleeping workers, a sleeping caller, short-lived pools.
#include <stdio.h>
#include <time.h>

#include "base/task.h"

enum { MOST = 1000 };

typedef struct shared {
    long value[MOST];
    long per_worker[8];
} shared;

static void add_one(void* context, int begin, int end, int worker) {
    shared* s = (shared*)context;
    s->per_worker[worker] += end - begin;
    for (int i = begin; i < end; ++i) s->value[i] += 1;
}

static void rest(long nanoseconds) {
    struct timespec pause = {0, nanoseconds};
    nanosleep(&pause, NULL);
}

static void add_slowly(void* context, int begin, int end, int worker) {
    if (worker > 0) rest(2000000);
    add_one(context, begin, end, worker);
}

// Runs `loops` loops over `count` indices; returns how many indices were not visited exactly once a loop.
static int check(ts_task_pool* pool, int loops, int count, int grain, ts_task_range run, long pause) {
    static shared s;
    for (int i = 0; i < MOST; ++i) s.value[i] = 0;
    for (int w = 0; w < 8; ++w) s.per_worker[w] = 0;
    for (int k = 0; k < loops; ++k) {
        ts_task_parallel_for(pool, count, grain, run, &s);
        if (pause) rest(pause);
    }
    int wrong = 0;
    long total = 0;
    for (int i = 0; i < MOST; ++i) wrong += s.value[i] != (i < count ? loops : 0);
    for (int w = 0; w < 8; ++w) total += s.per_worker[w];
    return wrong + (total != (long)loops * count);
}

int main(void) {
    int wrong = 0;
    for (int workers = 1; workers <= 6; ++workers) {
        ts_task_pool* pool = ts_task_pool_create(workers);
        for (int count = 1; count < 12; ++count) wrong += check(pool, 200, count, 1, add_one, 0);
        wrong += check(pool, 200, MOST, 7, add_one, 0);
        wrong += check(pool, 20, 12, 1, add_one, 2000000);
        wrong += check(pool, 10, 6, 1, add_slowly, 0);
        ts_task_pool_destroy(pool);
    }
    for (int k = 0; k < 100; ++k) {
        ts_task_pool* pool = ts_task_pool_create(2 + k % 5);
        wrong += check(pool, k % 3, 10, 1, add_one, 0);
        ts_task_pool_destroy(pool);
    }
    if (wrong) printf("%d indices were not visited exactly once\n", wrong);
    return wrong != 0;
}
