// In which order pairs are swept, and which of them lie side by side. Not for use outside contact/pairs/ and its tests.
#ifndef TS_CONTACT_PAIRS_ORDER_INTERNAL_H
#define TS_CONTACT_PAIRS_ORDER_INTERNAL_H

#include "contact/pairs/pairs.h"

enum { TS_PAIR_PARTS_MOST = 64 };

/// Bodies that act on each other, whatever does not move between them.
typedef struct ts_pair_bodies {
    int island_count;
    const int* island_of;  // (body_count) -1: of none
} ts_pair_bodies;

/// The order. It follows from the units alone.
typedef struct ts_pair_order {
    int group_count, part_count;
    int* place;                         // (unit_count) TS_PAIR_LANES times the group, plus the lane
    int first[TS_PAIR_PARTS_MOST + 1];  // (part_count + 1) groups of parts, of which no two share a body that moves
} ts_pair_order;

/// Orders units: those that share a moving body stay in their order. Returns 0 when memory is short.
int ts_pair_order_make(ts_arena* arena, const ts_pairs_input* input, ts_pair_bodies bodies, ts_pair_order* out);

#endif
