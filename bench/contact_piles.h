// Generated piles as contact problems, without a simulation around them: all at rest under gravity for one step.
#ifndef TS_BENCH_CONTACT_PILES_H
#define TS_BENCH_CONTACT_PILES_H

#include "contact/problem.h"

#ifdef __cplusplus
extern "C" {
#endif

/// A pile and its problem.
typedef struct ts_bench_pile {
    int bodies, contacts, room;
    ts_block* block;
    int* block_row;
    int* segment_start;
    ts_delassus_segment* segment;
    double* J;  // 36 per contact
    double* g;
    double* impulse;  // 3 per contact, zero
    ts_arena arena;
    ts_contact_problem problem;
} ts_bench_pile;

/// The kinds of piles.
typedef enum ts_bench_pile_kind {
    TS_BENCH_PILE_COLUMNS,  // ten boxes each, which do not touch each other: islands of 40 contacts
    TS_BENCH_PILE_WALL,     // of bricks: one island
    TS_BENCH_PILE_HEAP,     // of spheres on a cubic grid: one island
    TS_BENCH_PILE_BOXES,    // side by side on the ground: islands of 4 contacts
    TS_BENCH_PILE_UNEVEN    // columns of one to a hundred boxes, few of them high
} ts_bench_pile_kind;

enum { TS_BENCH_PILE_KINDS = 5 };

/// Duration of the step, s.
static const double ts_bench_pile_step = 1e-3;

/// "columns", "wall", ...
const char* ts_bench_pile_name(ts_bench_pile_kind kind);

/// A pile of at least so many contacts: it ends with the first column, layer or cube that has enough. Returns 0 when
/// memory is short. ts_bench_pile_free in either case.
int ts_bench_pile_make(ts_bench_pile* out_pile, ts_bench_pile_kind kind, int contacts);

/// Frees everything and leaves zeros.
void ts_bench_pile_free(ts_bench_pile* pile);

#ifdef __cplusplus
}
#endif
#endif
