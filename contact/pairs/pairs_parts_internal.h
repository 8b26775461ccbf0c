// Who of several threads passes over which groups of pairs, and what they wait for. Not for use outside contact/pairs/ and its tests.
#ifndef TS_CONTACT_PAIRS_PARTS_INTERNAL_H
#define TS_CONTACT_PAIRS_PARTS_INTERNAL_H

#include <limits.h>

#include "contact/pairs/pairs_order_internal.h"

enum {
    TS_PAIR_FLIGHT = 8,  // passes in which a thread may be at once
    TS_PAIR_PIECE = 12,  // groups of a piece
    TS_PAIR_ABREAST = 3  // groups that are swept at once
};

/// How far a pass is in a part, for the thread that has the next one (pairs_parts.c).
typedef struct ts_pair_progress ts_pair_progress;

/// Parts of the groups, which share no body that moves, and their pieces.
struct ts_pair_parts {
    int count;
    int slices;        // of all groups, at most TS_PAIR_PARTS_MOST (ts_pair_slice_begin)
    int* first;        // (count + 1) groups
    int size;          // groups of a piece; the last one of a part may have less
    int* first_piece;  // (count + 1)
    int* need;         // (pieces) so many of the part's must be done in the pass before
    // (group_count) how many groups are swept at once there, if the one before ended the last ones. They share no body, and are of one piece.
    char* abreast;
    ts_pair_progress* progress;  // (TS_PAIR_PARTS_MOST) of shared passes
};

/// So many passes over all parts. Where they are shared there is one part, and a place is one of the passes, for one thread; else it is a part, through which
/// one thread goes in all passes.
typedef struct ts_pair_turns {
    int passes;
    int are_shared;
} ts_pair_turns;

/// Divides the groups of pairs into parts and pieces. `brief` is for what nobody needs then. Returns 0 when memory is short.
int ts_pair_parts_make(ts_pairs* pairs, ts_arena* arena, ts_arena* brief, const ts_pair_order* order);

/// So many passes, shared where that is worth it for so many threads.
ts_pair_turns ts_pair_turns_of(const struct ts_pair_parts* parts, int passes, int threads);

/// Nobody has begun: to be called before the threads are.
void ts_pair_parts_rewind(const struct ts_pair_parts* parts);

/// The first of the shared passes that nobody has, which is the caller's from now on; the number of passes when there is none.
int ts_pair_turns_take(const struct ts_pair_parts* parts, const ts_pair_turns* turns);

/// One thread on its way through a part, in up to TS_PAIR_FLIGHT passes at once.
typedef struct ts_pair_walk {
    const struct ts_pair_parts* parts;
    int first_piece, size;           // of the part
    int first_group, end_group;      // likewise
    int first, pass, end;            // passes: the first one, the first that is not over, the one behind the last
    int done[TS_PAIR_FLIGHT];        // pieces of passes in flight, by their remainder
    const ts_pair_progress* before;  // of who has the pass before the first; NULL: nobody else
    int seen;                        // how many of its pieces were done
    ts_pair_progress* own;           // NULL: nobody else waits for the last pass
} ts_pair_walk;

/// Begins with a place.
ts_pair_walk ts_pair_walk_begin(const struct ts_pair_parts* parts, const ts_pair_turns* turns, int place);

/// A piece that can be done now, of the last pass that has one. -1: there is none.
int ts_pair_walk_look(ts_pair_walk* walk, int* out_pass);

/// The same, waited for. -1: the walk is over.
int ts_pair_walk_next(ts_pair_walk* walk, int* out_pass);

/// That piece is done in that pass, and others may see it.
void ts_pair_walk_tell(ts_pair_walk* walk, int pass);

/// The groups of a piece that the walk has given: [return value, out_end).
static inline int ts_pair_piece_begin(const ts_pair_walk* walk, int piece, int* out_end) {
    int begin = walk->first_group + (piece - walk->first_piece) * walk->parts->size, end = begin + walk->parts->size;
    *out_end = end < walk->end_group ? end : walk->end_group;
    return begin;
}

/// Where the groups of slice k begin: of parts, or of the only one in slices of about as many groups, for passes that go through groups one by one.
static inline int ts_pair_slice_begin(const struct ts_pair_parts* parts, int k) {
    return parts->count > 1 ? parts->first[k] : (int)((long long)parts->first[1] * k / parts->slices);
}

#endif
