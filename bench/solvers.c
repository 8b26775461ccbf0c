// All solvers of this build in one list.
#include "bench/peer.h"

#include <stddef.h>

typedef int (*source)(const ts_bench_solver** out_solvers);

static const source sources[] = {
    ts_bench_solvers_touchstone,
#ifdef TS_PEER_COAL
    ts_bench_solvers_coal,
#endif
#ifdef TS_PEER_FCL
    ts_bench_solvers_fcl,
#endif
#ifdef TS_PEER_CCD
    ts_bench_solvers_ccd,
#endif
#ifdef TS_PEER_BULLET
    ts_bench_solvers_bullet,
#endif
};

enum { SOURCES = sizeof sources / sizeof sources[0] };

int ts_bench_solver_count(void) {
    int count = 0;
    const ts_bench_solver* rows = NULL;
    for (int i = 0; i < SOURCES; ++i) count += sources[i](&rows);
    return count;
}

const ts_bench_solver* ts_bench_solver_at(int i) {
    const ts_bench_solver* rows = NULL;
    for (int s = 0; s < SOURCES; ++s) {
        int count = sources[s](&rows);
        if (i < count) return &rows[i];
        i -= count;
    }
    return NULL;
}

int ts_bench_solver_takes(const ts_bench_solver* solver, ts_bench_question question, const ts_bench_pair* pair) {
    unsigned needed = 1u << pair->a.kind | 1u << pair->b.kind;
    return (solver->questions & (int)question) != 0 && (solver->kinds & needed) == needed;
}
