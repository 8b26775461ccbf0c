// Random contact problems that are known to have solutions: what the tests of `ncp` and the benchmark of its stages ask.
#ifndef TS_BENCH_CONTACT_RANDOM_H
#define TS_BENCH_CONTACT_RANDOM_H

#include "base/rng.h"
#include "contact/problem.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Most contacts of a heap.
enum { TS_RANDOM_HEAP_MOST = 200 };

/// A heap of up to TS_RANDOM_HEAP_MOST contacts among free bodies, operator in velocity form, time step 1 ms: mass
/// ratios up to 1e6, friction up to 2, groups of contacts of one pair of bodies, half-lines and boxes among the cones,
/// compliance. Has a solution whatever the friction. All memory from `arena`; 0 when it is short.
int ts_random_heap(ts_rng* rng, ts_arena* arena, ts_contact_problem* out_problem);

/// A problem whose answer was chosen first.
typedef struct ts_random_known {
    ts_contact_problem problem;  // dense operator, time step 1 s
    double* impulse;             // (row_count) one answer
    double* velocity;            // (row_count) and the velocity that belongs to it
} ts_random_known;

/// Up to `most` blocks of every set and size, G = J M^-1 J^T with J random and not of full rank, masses over six decades.
/// All memory from `arena`; 0 when it is short.
int ts_random_known_make(ts_rng* rng, int most, ts_arena* arena, ts_random_known* out_known);

#ifdef __cplusplus
}
#endif
#endif
