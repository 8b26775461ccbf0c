// Islands: blocks that act on each other, directly or through others, solved one island at a time. Each is a smaller
// problem with a condition of its own, and several threads can work at once with the same bits as one.
#ifndef TS_CONTACT_ISLAND_H
#define TS_CONTACT_ISLAND_H

#include "base/task.h"
#include "contact/solver.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Finds the islands of a problem: islands in the order of their first block, blocks ascending. Memory from `arena`.
/// TS_ERROR_MEMORY when it is short. Needs TS_DELASSUS_BLOCKS of the operator.
ts_code ts_islands_find(const ts_contact_problem* problem, ts_arena* arena, ts_islands* out_islands);

/// What a solve by islands reports besides the whole.
typedef struct ts_island_report {
    int islands;        // how many there were
    int largest;        // blocks in the largest
    int not_converged;  // islands that did not converge
} ts_island_report;

/// Solves island by island (`islands` of the problem, or NULL: they are found here) on the pool (NULL: the caller alone). `scratch` holds one arena per worker of the pool;
/// scratch[0] also holds the parts while it runs and gives everything back. The report is that of the worst island:
/// the worst status, the most iterations. The impulses are the same for any number of workers.
/// Falls back to the whole problem at once when there is one island or the operator cannot be split. `out_islands` may
/// be NULL.
ts_solve_report ts_island_solve(const ts_solver* solver, const ts_contact_problem* problem, const ts_islands* islands,
                                const void* settings, ts_task_pool* pool, ts_arena* scratch, double* impulse,
                                ts_island_report* out_islands);

#ifdef __cplusplus
}
#endif
#endif
