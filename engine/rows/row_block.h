// Blocks of rows as the outside sees them: whose each block of a step's problem is, and what is remembered of it from
// step to step. How rows come about is in engine/rows/row_source_internal.h.
#ifndef TS_ENGINE_ROW_BLOCK_H
#define TS_ENGINE_ROW_BLOCK_H

#include <stdint.h>

#include "base/array.h"
#include "contact/block_set.h"

#ifdef __cplusplus
extern "C" {
#endif

/// What a block is remembered by within its source: what it belongs to (a pair of geoms, a joint, an equality), and
/// which part of that it is (a feature, a side).
typedef struct ts_row_key {
    uint64_t whole;
    uint64_t part;
} ts_row_key;

/// What of a block's demands was left out.
typedef enum ts_row_blocked {
    TS_ROW_FREE,          // nothing
    TS_ROW_BLOCKED,       // joints block all that it asks for (then its impulse is zero) or part of it
    TS_ROW_CONTRADICTED,  // it and others ask to be pushed out in ways that contradict each other
    TS_ROW_SLOWED  // it is asked for more slowly: at its speed it and others would take more energy than all that they move has there
} ts_row_blocked;

/// Whose a block of the step's problem is.
typedef struct ts_row_block {
    ts_row_key key;
    int source;   // see ts_row_source_name
    int item;     // its number among the blocks of its source in this step, in the order in which they are remembered
    int memory;   // the entry of sim->row_memory that it goes on from, or -1
    int blocked;  // ts_row_blocked
} ts_row_block;

/// The keeper of what a pile remembers (engine/step/pile_start_internal.h).
enum { TS_ROW_KEEPER_PILE = 255 };

/// What a block is remembered with, as small as most are: piles have many. Sorted by source and item; part of a snapshot.
typedef struct ts_row_memory {
    ts_row_key key;
    double impulse[3];  // N s or N m s: of its first rows, or what the source makes of them; else zero
    double solver;      // what that remembers (ts_solver.remembers; a pile: N s, a mean of normal impulses); else zero
    double time_step;   // s, that the impulse belongs to
    float place[6];  // as the source says (a contact: where it was, which nothing but nearness is asked of); else zero
    int tree;        // the first that it moves, or -1: follows from the key
    unsigned more : 29;         // the first of its entries of sim->row_more, which others may share
    unsigned more_count : 2;    // how many it has there
    unsigned valid : 1;         // 0 after a solve that did not end well: known, but no warm start
    unsigned short pause;       // steps for which its push-out stays away, see TS_ROW_CONTRADICTED
    unsigned short last_pause;  // how long it stayed away the last time
    unsigned short steps;       // of a pile: how many steps its mean is of; else zero
    unsigned char source;
    unsigned char keeper;  // who remembers: 1 + the solver's place in the table; TS_ROW_KEEPER_PILE; 0: none
} ts_row_memory;

/// What few need, or what several blocks have in common. In any order.
typedef struct ts_row_more {
    double
        number[6];  // impulses of the rows behind the third, or as the source says (a contact: how it lay); else zero
} ts_row_more;

TS_ARRAY_DECLARE(ts_row_memory_array, ts_row_memory);
TS_ARRAY_DECLARE(ts_row_more_array, ts_row_more);

/// How many sources of rows there are.
int ts_row_source_count(void);

/// The name of source i: "contact", "joint-limit", ...
const char* ts_row_source_name(int i);

/// The index of the source of that name, or -1.
int ts_row_source_find(const char* name);

#ifdef __cplusplus
}
#endif
#endif
