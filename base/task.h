// A deterministic task pool: parallel-for by index. Which worker runs which index never influences a result, because
// every index writes only to its own place; so one, two or sixty-four workers give the same bits.
#ifndef TS_BASE_TASK_H
#define TS_BASE_TASK_H

#ifdef __cplusplus
extern "C" {
#endif

/// A pool of worker threads. NULL is a valid pool with one worker: the caller.
typedef struct ts_task_pool ts_task_pool;

/// Work on indices [begin, end). `worker` is in [0, ts_task_pool_workers) and names scratch that no one else uses now.
typedef void (*ts_task_range)(void* context, int begin, int end, int worker);

/// A pool with `workers` >= 1 workers, the calling thread included. Returns NULL when threads cannot be had (and for
/// workers == 1, where NULL is exactly what is wanted). Free with ts_task_pool_destroy.
ts_task_pool* ts_task_pool_create(int workers);

/// Joins the workers and frees the pool. NULL is ignored.
void ts_task_pool_destroy(ts_task_pool* pool);

/// How many workers, at least 1.
int ts_task_pool_workers(const ts_task_pool* pool);

/// What ts_task_parallel_for does with a pool, or with several ranges.
void ts_task_run_ranges(ts_task_pool* pool, int count, int grain, ts_task_range run, void* context);

/// Calls `on_range` over [0, count) in ranges of at most `grain` (>= 1) indices, on all workers, and returns when all are
/// done. Where all keep up, a worker has the same part of [0, count) in every loop: what it wrote there is still near it. No heap. Must not be nested.
static inline void ts_task_parallel_for(ts_task_pool* pool, int count, int grain, ts_task_range on_range,
                                        void* context) {
    if (pool || count > grain)
        ts_task_run_ranges(pool, count, grain, on_range, context);
    else if (count > 0)
        on_range(context, 0, count, 0);
}

#ifdef __cplusplus
}
#endif
#endif
