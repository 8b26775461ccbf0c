// A pool of threads that share the ranges of one loop at a time.
//
// Problem: who works on what another thread has written last waits for every line of it, some 200 ns between distant cores, and loops over the same bodies
// follow each other by the dozen in a step. Rule: every worker has a share of the ranges of a loop, the same part of the whole in every loop, so that
// what a body has stays with one core. It begins with its own share and takes from those of others when that is done.
//
// A share of r ranges is published by storing r into its `unclaimed`. Whoever lowers it by one from u owns the share's range `end - u`.
// A successful claim proves that the loop is still running, since it cannot end before the claimed
// range is done; so the loop's description, which lies beside the number, is read after the claim, needs no atomics of its own and can never be the
// previous loop's. Who has found all shares empty lowers `unfinished` by the ranges that it did; the caller returns when it is zero.
//
// Waiting is a short spin, many yields, then sleep on a condition variable. Both "publish, then look for sleepers" and
// "count myself as a sleeper, then look for work" are sequentially consistent, so one of the two sides sees the other
// and no wake-up is lost; the sleeper counts itself with the mutex held, the waker signals with it held. A share of a worker that does not wake in
// time is done by the others.
//
// Guaranteed: each index runs exactly once; all writes of the loop are visible to the caller when the call returns.
// Which worker runs a range depends on timing and must not matter to the result.
#include "base/task.h"

#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "base/assert.h"

// A serial stretch between two loops of one step lasts some microseconds, of a large step up to a millisecond; who falls asleep meanwhile comes 70 us late.
// Yields, since on a busy machine somebody else has use for the processor.
enum { SPINS = 1000, YIELDS = 1000 };

typedef struct worker_thread {
    ts_task_pool* pool;
    pthread_t thread;
    int worker;
} worker_thread;

// A worker's part of the running loop, alone on its cache lines: one look brings all that it needs. All but `unclaimed` is written while nothing here is
// claimable, read by whoever has claimed a range.
typedef struct share {
    _Alignas(128) atomic_int unclaimed;  // ranges that nobody owns yet
    int end;                             // the range behind the last
    int count, grain;
    ts_task_range run;
    void* context;
} share;

struct ts_task_pool {
    _Alignas(128) atomic_int unfinished;  // ranges not yet done, or done and not yet told of
    _Alignas(128) atomic_int sleepers;    // workers asleep, or about to be
    atomic_int caller_sleeps;
    atomic_int busy;  // a loop is running: catches nesting
    atomic_int quit;
    pthread_mutex_t mutex;
    pthread_cond_t work_published;
    pthread_cond_t loop_done;

    int workers;
    worker_thread* threads;  // workers - 1 of them; the caller is worker 0
    share* shares;           // (workers)
};

static inline void spin_pause(void) {
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    __asm__ volatile("yield");
#endif
}

static void run_range(const share* of, int range, int worker) {
    int begin = range * of->grain;  // no overflow: begin < count
    int end = of->count - begin > of->grain ? begin + of->grain : of->count;
    of->run(of->context, begin, end, worker);
}

// Claims and runs ranges of a share until none is left. Returns how many.
static int empty_share(share* from, int worker) {
    int done = 0, unclaimed = atomic_load(&from->unclaimed);
    while (unclaimed > 0) {
        if (!atomic_compare_exchange_weak(&from->unclaimed, &unclaimed, unclaimed - 1)) continue;
        run_range(from, from->end - unclaimed, worker);
        ++done;
        unclaimed = atomic_load(&from->unclaimed);
    }
    return done;
}

// All that can be claimed, the own share first.
static void work(ts_task_pool* pool, int worker) {
    int done = 0;
    for (int k = 0; k < pool->workers; ++k) done += empty_share(&pool->shares[(worker + k) % pool->workers], worker);
    if (done == 0) return;
    if (atomic_fetch_sub(&pool->unfinished, done) == done && atomic_load(&pool->caller_sleeps)) {
        pthread_mutex_lock(&pool->mutex);
        pthread_cond_signal(&pool->loop_done);
        pthread_mutex_unlock(&pool->mutex);
    }
}

static int has_news(ts_task_pool* pool, int worker) {
    return atomic_load(&pool->shares[worker].unclaimed) > 0 || atomic_load(&pool->quit);
}

// Waits a little for a share or the end of the pool; 0 when neither came.
static int spin_for_work(ts_task_pool* pool, int worker) {
    for (int spin = 0; spin < SPINS + YIELDS; ++spin) {
        if (has_news(pool, worker)) return 1;
        if (spin < SPINS)
            spin_pause();
        else
            sched_yield();
    }
    return 0;
}

static void sleep_for_work(ts_task_pool* pool, int worker) {
    pthread_mutex_lock(&pool->mutex);
    atomic_fetch_add(&pool->sleepers, 1);
    while (!has_news(pool, worker)) pthread_cond_wait(&pool->work_published, &pool->mutex);
    atomic_fetch_sub(&pool->sleepers, 1);
    pthread_mutex_unlock(&pool->mutex);
}

static void* worker_main(void* argument) {
    worker_thread* self = (worker_thread*)argument;
    ts_task_pool* pool = self->pool;
    while (!atomic_load(&pool->quit)) {
        work(pool, self->worker);
        if (!spin_for_work(pool, self->worker)) sleep_for_work(pool, self->worker);
    }
    return NULL;
}

static void wait_for_end(ts_task_pool* pool) {
    for (int spin = 0; spin < SPINS + YIELDS; ++spin) {
        if (atomic_load(&pool->unfinished) == 0) return;
        if (spin < SPINS)
            spin_pause();
        else
            sched_yield();
    }
    pthread_mutex_lock(&pool->mutex);
    atomic_store(&pool->caller_sleeps, 1);
    while (atomic_load(&pool->unfinished) > 0) pthread_cond_wait(&pool->loop_done, &pool->mutex);
    atomic_store(&pool->caller_sleeps, 0);
    pthread_mutex_unlock(&pool->mutex);
}

// Starts the threads with all signals blocked, so that handlers of the program run on the program's own threads.
static int start_threads(ts_task_pool* pool) {
    sigset_t all, before;
    sigfillset(&all);
    if (pthread_sigmask(SIG_SETMASK, &all, &before) != 0) return 0;
    int started = 0;
    for (; started < pool->workers - 1; ++started) {
        worker_thread* next = &pool->threads[started];
        next->pool = pool;
        next->worker = started + 1;
        if (pthread_create(&next->thread, NULL, worker_main, next) != 0) break;
    }
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return started;
}

// Ends and joins the first `started` threads.
static void stop_threads(ts_task_pool* pool, int started) {
    pthread_mutex_lock(&pool->mutex);
    atomic_store(&pool->quit, 1);
    pthread_cond_broadcast(&pool->work_published);
    pthread_mutex_unlock(&pool->mutex);
    for (int i = 0; i < started; ++i) pthread_join(pool->threads[i].thread, NULL);
}

static void pool_release(ts_task_pool* pool) {
    pthread_cond_destroy(&pool->loop_done);
    pthread_cond_destroy(&pool->work_published);
    pthread_mutex_destroy(&pool->mutex);
    free(pool->threads);
    free(pool->shares);
    free(pool);
}

ts_task_pool* ts_task_pool_create(int workers) {
    TS_ASSERT(workers >= 1);
    if (workers <= 1) return NULL;
    ts_task_pool* pool = (ts_task_pool*)aligned_alloc(_Alignof(ts_task_pool), sizeof(ts_task_pool));
    worker_thread* threads = (worker_thread*)calloc((size_t)workers - 1, sizeof *threads);
    share* shares = (share*)aligned_alloc(_Alignof(share), (size_t)workers * sizeof(share));
    if (!pool || !threads || !shares) {
        free(pool);
        free(threads);
        free(shares);
        return NULL;
    }
    *pool = (ts_task_pool){.workers = workers, .threads = threads, .shares = shares};
    for (int w = 0; w < workers; ++w) shares[w] = (share){.end = 0};
    pthread_mutex_init(&pool->mutex, NULL);
    pthread_cond_init(&pool->work_published, NULL);
    pthread_cond_init(&pool->loop_done, NULL);
    int started = start_threads(pool);
    if (started < workers - 1) {
        stop_threads(pool, started);
        pool_release(pool);
        return NULL;
    }
    return pool;
}

void ts_task_pool_destroy(ts_task_pool* pool) {
    if (!pool) return;
    TS_ASSERT(!atomic_load(&pool->busy));
    stop_threads(pool, pool->workers - 1);
    pool_release(pool);
}

int ts_task_pool_workers(const ts_task_pool* pool) { return pool ? pool->workers : 1; }

// Deals out the ranges of a loop, and wakes whoever is asleep.
static void publish(ts_task_pool* pool, const share* all) {
    int begin = 0, workers = pool->workers;
    atomic_store(&pool->unfinished, all->end);
    for (int w = 0; w < workers; ++w) {
        share* to = &pool->shares[w];
        int end = (int)(((long long)(w + 1) * all->end + workers - 1) / workers);
        to->end = end;
        to->count = all->count;
        to->grain = all->grain;
        to->run = all->run;
        to->context = all->context;
        // In a cache line that its worker looks at.
        if (end > begin) atomic_store(&to->unclaimed, end - begin);
        begin = end;
    }
    if (atomic_load(&pool->sleepers) == 0) return;
    pthread_mutex_lock(&pool->mutex);
    pthread_cond_broadcast(&pool->work_published);
    pthread_mutex_unlock(&pool->mutex);
}

void ts_task_run_ranges(ts_task_pool* pool, int count, int grain, ts_task_range run, void* context) {
    TS_ASSERT(grain >= 1);
    if (count <= 0) return;
    if (grain < 1) grain = 1;
    if (!pool) {
        for (int begin = 0; begin < count;) {
            int end = count - begin > grain ? begin + grain : count;
            run(context, begin, end, 0);
            begin = end;
        }
        return;
    }
    int was_busy = atomic_exchange(&pool->busy, 1);
    TS_ASSERT(!was_busy);  // nested, or called from two threads at once
    (void)was_busy;
    share all = {.end = (count - 1) / grain + 1, .count = count, .grain = grain, .run = run, .context = context};
    if (all.end == 1) {
        run_range(&all, 0, 0);
    } else {
        publish(pool, &all);
        work(pool, 0);
        wait_for_end(pool);
    }
    atomic_store(&pool->busy, 0);
}
