// Who of several threads passes over which groups of pairs, and what they wait for. Not for use outside contact/pairs/ and its tests.
#ifndef TS_CONTACT_PAIRS_PARTS_INTERNAL_H
#define TS_CONTACT_PAIRS_PARTS_INTERNAL_H

#include <limits.h>

#include "contact/pairs/pairs_order_internal.h"

enum {
    TS_PAIR_PARTS_MOST = TS_PAIR_DOMAINS_MOST,
    TS_PAIR_FLIGHT = 8,  // passes in which a thread may be at once
    TS_PAIR_PIECE = 12,  // most groups of a piece
    TS_PAIR_ABREAST = 3  // groups that are swept at once
};

/// How far a part is in the present passes, and whether a thread is at it (pairs_parts.c).
typedef struct ts_pair_progress ts_pair_progress;

/// What a piece waits for in a part, in this pass and in the one before: so many of the part's pieces must be done.
typedef struct ts_pair_need {
    int now, before;
} ts_pair_need;

/// Parts of the groups. A part's groups stand in the order of all groups, and are gone through piece by piece.
struct ts_pair_parts {
    int count;
    int kin;           // parts that a piece may wait for: all, or 1, its own, where no part waits for another
    int* first;        // (count + 1) into group
    int* group;        // (group_count)
    int* first_piece;  // (count + 1) into piece
    int* piece;        // (pieces + 1) into group
    // (group_count) by place in that list: how many groups are swept at once there, if the one before ended the last ones. They share no body, and are of
    // one piece.
    char* abreast;
    char* tells;                 // (pieces) nonzero: another part waits for it
    ts_pair_need* need;          // (pieces x kin)
    ts_pair_progress* progress;  // (count)
};

/// Divides the groups of pairs into at most so many parts. `brief` is for what nobody needs then. Returns 0 when memory is short.
int ts_pair_parts_make(ts_pairs* pairs, ts_arena* arena, ts_arena* brief, const ts_pair_order* order, int most);

/// Nobody has begun: to be called before the threads are.
void ts_pair_parts_rewind(const ts_pairs* pairs);

/// Walks through all parts until each has gone so many passes, or another thread is at what is left and ends it: a thread begins with `part`, and where
/// that can't go on it looks for another part that nobody is at. `walk` goes through a part as far as it gets.
void ts_pair_parts_walk(const struct ts_pair_parts* parts, int passes, int part, void (*walk)(void* context, int part),
                        void* context);

/// One thread on its way through a part, from where it was left, in up to TS_PAIR_FLIGHT passes at once.
typedef struct ts_pair_walk {
    const struct ts_pair_parts* parts;
    int part, passes;
    int pass;  // the first that is not over
    // Of every part: pieces done, of all passes with that remainder by TS_PAIR_FLIGHT together. Of others as last seen.
    int done[TS_PAIR_PARTS_MOST][TS_PAIR_FLIGHT];
} ts_pair_walk;

/// Goes on with a part.
ts_pair_walk ts_pair_walk_begin(const struct ts_pair_parts* parts, int part, int passes);

/// A piece that can be done now, of the last pass that has one. Waits for a while until there is one. -1: the part is through, or somebody else is slow.
int ts_pair_walk_next(ts_pair_walk* walk, int* out_pass);

/// That piece is done in that pass, and others may see it.
void ts_pair_walk_tell(ts_pair_walk* walk, int piece, int pass);

/// Leaves the part to whoever comes.
void ts_pair_walk_end(const ts_pair_walk* walk);

#endif
