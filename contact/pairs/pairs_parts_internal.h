// Who of several threads passes over which groups of pairs, and what they wait for. Not for use outside contact/pairs/ and its tests.
#ifndef TS_CONTACT_PAIRS_PARTS_INTERNAL_H
#define TS_CONTACT_PAIRS_PARTS_INTERNAL_H

#include <limits.h>

#include "contact/pairs/pairs.h"

enum {
    TS_PAIR_PARTS_MOST = 16,
    TS_PAIR_STRIPS = 256  // of equal width, from which parts are made
};

/// How many groups a part has passed over in the present passes, and whether a thread is at it (pairs_parts.c).
typedef struct ts_pair_progress ts_pair_progress;

/// Parts of the groups. A part's groups stand in the order of all groups.
struct ts_pair_parts {
    int count;
    int* first;  // (count + 1) into group
    int* group;  // (group_count)
    // (group_count) by place in that list; nonzero: the group there and the next are of one part, share no body, and neither waits for what waits for
    // the other
    char* apart;
    // (group_count x count) how many groups of that part must be done before this one: in the present pass, or where it is not above zero, less all
    // of the part's groups, in the one before; INT_MIN: any
    int* need;
    ts_pair_progress* progress;  // (count)
};

/// Strips along which pairs lie.
typedef struct ts_pair_strips {
    double from, scale;  // m, m^-1
} ts_pair_strips;

/// The strips of all units, and the one of a unit.
ts_pair_strips ts_pair_strips_of(const ts_pair_unit* unit, int unit_count);

static inline int ts_pair_strip(const ts_pair_strips* strips, const ts_pair_unit* unit) {
    double at = (unit->place - strips->from) * strips->scale;
    return at < TS_PAIR_STRIPS - 1 ? (int)at : TS_PAIR_STRIPS - 1;
}

/// Divides the groups of pairs into at most so many parts; `place` as ts_pairs_order says. Returns 0 when memory is short.
int ts_pair_parts_make(ts_pairs* pairs, ts_arena* arena, const ts_pair_unit* unit, int unit_count, const int* place,
                       int most);

/// One thread on its way through a part, pass by pass, from where the part was left.
typedef struct ts_pair_walk {
    const struct ts_pair_parts* parts;
    int part, pass, done;
    int seen[TS_PAIR_PARTS_MOST];  // of the other parts' progress
} ts_pair_walk;

/// Nobody has begun: to be called before the threads are.
void ts_pair_parts_rewind(const ts_pairs* pairs);

/// The only part has gone so many passes.
void ts_pair_parts_end(const ts_pairs* pairs, int passes);

/// Walks through all parts until each has gone so many passes, or another thread is at what is left and ends it: a thread begins with `part`, and where
/// that can't go on it looks for another part that nobody is at. `walk` goes through a part as far as it gets.
void ts_pair_parts_walk(const struct ts_pair_parts* parts, int passes, int part, void (*walk)(void* context, int part),
                        void* context);

/// Goes on with a part.
ts_pair_walk ts_pair_walk_begin(const struct ts_pair_parts* parts, int part);

/// Where in its pass the walk is: index of the next group in `group` of the parts.
static inline int ts_pair_walk_at(ts_pair_walk* walk) {
    int first = walk->parts->first[walk->part], size = walk->parts->first[walk->part + 1] - first;
    walk->pass = size > 0 ? walk->done / size : 0;
    return size > 0 ? first + walk->done % size : first;
}

/// Looks for a while whether that part has done so many. Returns 0 when it has not.
int ts_pair_walk_wait(ts_pair_walk* walk, int part, int need);

/// Waits for a while until everything that the group follows is done, of the pass that the walk is in. Returns 0 when it is not.
static inline int ts_pair_walk_enter(ts_pair_walk* walk, int group) {
    const struct ts_pair_parts* parts = walk->parts;
    const int* need = parts->need + (size_t)group * (size_t)parts->count;
    for (int p = 0; p < parts->count; ++p) {
        if (need[p] == INT_MIN) continue;
        int wanted = need[p] + walk->pass * (parts->first[p + 1] - parts->first[p]);
        if (wanted > walk->seen[p] && !ts_pair_walk_wait(walk, p, wanted)) return 0;
    }
    return 1;
}

/// The group is done, and others may see it.
void ts_pair_walk_leave(ts_pair_walk* walk);

#endif
