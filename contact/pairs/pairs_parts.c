// Passes over pairs, one behind the other, by one thread or several.
//
// Problem: a sweep over one pile is one long chain of updates; cut into pieces that do not know of each other it is another sweep, with other bits. And a
// large pile is not in the near caches any more when the next sweep begins: it came from memory as often as it was swept. Rule:
// a part is gone through piece by piece, some groups one after the other, and a piece waits for those that touched its bodies
// in the pass before. Parts share no body, and go to threads as a whole: of all that can be done in one the last pass comes first, up to eight
// at once, so that passes go down a pile close behind each other, and what one has read the next ones find near. Where there is only one part threads share its
// passes: each goes through one, close behind whoever has the one before, and then takes the next that nobody has.
// Source: data flow in place of barriers, as in sparse triangular solves by levels (Park and others 2014); passes behind each other as in
// wavefront schemes for stencils, and shared so by threads (Wellein and others 2009); the order is that of pairs_order.c.
// Guaranteed: every body sees the same updates in the same order as with one thread: the same bits. A pass waits for nothing but the ones before it, which
// somebody has, so all end, with however few of the threads.
// Known to fail: more threads than passes have nothing to do. One pass is one thread's, and so are more than 64.
// Tried: parts along the pile, one a thread, which wait for each other where they touch. Where loads run to and fro between two parts that is at every
// level of the pile: on two near cores steps of a pyramid of 10,011 took a sixth longer, of a square one of 6930 a twelfth.
// Tried: two and more passes at once for each thread, so that less goes from core to core. The second thread begins the later: steps of the pyramid took as long,
// of a square one of 1240 a tenth longer.
#include "contact/pairs/pairs_parts_internal.h"

#include <sched.h>
#include <stdatomic.h>
#include <string.h>

enum {
    SPINS = 400,       // looks before a thread lets others have its processor
    NEAR = 256,        // groups that one thread has in its near cache: all of them are one piece
    SLICES = 32,       // of the only part
    SLICE_LEAST = 16,  // groups of one of several slices
    PIECES_LEAST = 8   // pieces of a part whose passes are worth several threads
};

// Alone on its cache lines.
struct ts_pair_progress {
    atomic_int done;   // pieces
    atomic_int taken;  // of the first one: passes that are somebody's
    char room[128 - 2 * sizeof(atomic_int)];
};

// What touched a body last.
typedef struct last_touch {
    int piece;    // one more than it; 0: nothing did
    int abreast;  // the group that is swept at once with it and comes first, one more than its number
} last_touch;

static int slices_of(int groups) {
    int slices = groups / SLICE_LEAST;
    return slices < 1 ? 1 : slices < SLICES ? slices : SLICES;
}

static struct ts_pair_parts* take_parts(ts_arena* arena, const ts_pairs* pairs, const ts_pair_order* order) {
    struct ts_pair_parts* parts = TS_ARENA_ARRAY(arena, struct ts_pair_parts, 1);
    if (!parts) return NULL;
    int threads = ts_task_pool_workers(pairs->tasks), groups = pairs->group_count;
    int is_shared = order->part_count > 1 || (threads > 1 && groups >= PIECES_LEAST * TS_PAIR_PIECE);
    parts->count = order->part_count;
    parts->slices = parts->count > 1 ? parts->count : slices_of(groups);
    parts->size = groups <= NEAR && !is_shared ? NEAR : TS_PAIR_PIECE;
    parts->first = TS_ARENA_ARRAY(arena, int, parts->count + 1);
    parts->first_piece = TS_ARENA_ARRAY(arena, int, parts->count + 1);
    if (arena->failed) return NULL;
    memcpy(parts->first, order->first, ((size_t)parts->count + 1) * sizeof(int));
    parts->first_piece[0] = 0;
    for (int p = 0; p < parts->count; ++p) {
        int size = parts->first[p + 1] - parts->first[p];
        parts->first_piece[p + 1] = parts->first_piece[p] + (size + parts->size - 1) / parts->size;
    }
    parts->abreast = TS_ARENA_ARRAY(arena, char, groups);
    parts->need = (int*)ts_arena_alloc_zeroed(arena, (size_t)parts->first_piece[parts->count], sizeof(int));
    parts->progress = TS_ARENA_ARRAY(arena, ts_pair_progress, TS_PAIR_PARTS_MOST);
    return arena->failed ? NULL : parts;
}

// Whether one of the groups abreast that begin with `first` touches a body of the group.
static int joins_those(const ts_pair_group* group, int first, const last_touch* last) {
    int joins = 0;
    for (int side = 0; side < 2; ++side)
        for (int k = 0; k < TS_PAIR_LANES; ++k) joins |= last[group->body[side][k]].abreast == first + 1;
    return joins;
}

// What does not move is nobody's.
static void mark(const ts_pair_group* group, last_touch now, last_touch* last) {
    for (int side = 0; side < 2; ++side)
        for (int k = 0; k < TS_PAIR_LANES; ++k)
            if (group->body[side][k]) last[group->body[side][k]] = now;
}

// Which groups of a part share no body with those before them, and what touches bodies last.
static void find_abreast(const ts_pairs* pairs, struct ts_pair_parts* parts, int part, last_touch* last) {
    int begin = parts->first[part], first = begin;
    for (int g = begin; g < parts->first[part + 1]; ++g) {
        int piece = (g - begin) / parts->size, begins = (g - begin) % parts->size == 0;
        if (begins || g - first == TS_PAIR_ABREAST || joins_those(&pairs->group[g], first, last)) first = g;
        parts->abreast[first] = (char)(g - first + 1);
        mark(&pairs->group[g], (last_touch){piece + 1, first + 1}, last);
    }
}

// A piece waits for the last ones on each of its bodies.
static void find_needs(const ts_pairs* pairs, struct ts_pair_parts* parts, int part, const last_touch* last) {
    int begin = parts->first[part];
    for (int g = begin; g < parts->first[part + 1]; ++g) {
        const ts_pair_group* group = &pairs->group[g];
        int* need = &parts->need[parts->first_piece[part] + (g - begin) / parts->size];
        for (int side = 0; side < 2; ++side)
            for (int k = 0; k < TS_PAIR_LANES; ++k) {
                int piece = last[group->body[side][k]].piece;
                if (piece > *need) *need = piece;
            }
    }
}

int ts_pair_parts_make(ts_pairs* pairs, ts_arena* arena, ts_arena* brief, const ts_pair_order* order) {
    struct ts_pair_parts* parts = pairs->parts = take_parts(arena, pairs, order);
    last_touch* last = (last_touch*)ts_arena_alloc_zeroed(brief, (size_t)pairs->body_count, sizeof(last_touch));
    if (!parts || !last) return 0;
    for (int p = 0; p < parts->count; ++p) {
        find_abreast(pairs, parts, p, last);
        // One piece waits for itself.
        if (parts->first_piece[p + 1] - parts->first_piece[p] == 1)
            parts->need[parts->first_piece[p]] = 1;
        else
            find_needs(pairs, parts, p, last);
    }
    return 1;
}

// --- turns -------------------------------------------------------------------------------------------------------------

ts_pair_turns ts_pair_turns_of(const struct ts_pair_parts* parts, int passes, int threads) {
    int is_long = parts->count == 1 && parts->first_piece[1] >= PIECES_LEAST;
    return (ts_pair_turns){passes, is_long && threads > 1 && passes > 1 && passes <= TS_PAIR_PARTS_MOST};
}

void ts_pair_parts_rewind(const struct ts_pair_parts* parts) {
    atomic_store_explicit(&parts->progress[0].taken, 0, memory_order_relaxed);
    for (int t = 0; t < TS_PAIR_PARTS_MOST; ++t)
        atomic_store_explicit(&parts->progress[t].done, 0, memory_order_relaxed);
}

int ts_pair_turns_take(const struct ts_pair_parts* parts, const ts_pair_turns* turns) {
    int pass = atomic_fetch_add_explicit(&parts->progress[0].taken, 1, memory_order_relaxed);
    return pass < turns->passes ? pass : turns->passes;
}

// --- a walk ------------------------------------------------------------------------------------------------------------

ts_pair_walk ts_pair_walk_begin(const struct ts_pair_parts* parts, const ts_pair_turns* turns, int place) {
    int is_pass = turns->are_shared, part = is_pass ? 0 : place, first = is_pass ? place : 0;
    return (ts_pair_walk){.parts = parts,
                          .first_piece = parts->first_piece[part],
                          .size = parts->first_piece[part + 1] - parts->first_piece[part],
                          .first_group = parts->first[part],
                          .end_group = parts->first[part + 1],
                          .first = first,
                          .pass = first,
                          .end = is_pass ? first + 1 : turns->passes,
                          .before = first > 0 ? &parts->progress[first - 1] : NULL,
                          .own = is_pass && first + 1 < turns->passes ? &parts->progress[first] : NULL};
}

// Whether so many pieces are done in the pass before that one.
static int has_done(ts_pair_walk* walk, int pass, int wanted) {
    if (pass > walk->pass) return walk->done[(pass - 1) % TS_PAIR_FLIGHT] >= wanted;
    // One's own is over.
    if (pass > walk->first || !walk->before || walk->seen >= wanted) return 1;
    walk->seen = atomic_load_explicit(&walk->before->done, memory_order_acquire);
    return walk->seen >= wanted;
}

// Of the passes in flight the last ones first: what they read was read by the one before.
int ts_pair_walk_look(ts_pair_walk* walk, int* out_pass) {
    int last = walk->pass + TS_PAIR_FLIGHT;
    for (int pass = last < walk->end ? last - 1 : walk->end - 1; pass >= walk->pass; --pass) {
        int at = walk->done[pass % TS_PAIR_FLIGHT], piece = walk->first_piece + at;
        if (at == walk->size || !has_done(walk, pass, walk->parts->need[piece])) continue;
        *out_pass = pass;
        return piece;
    }
    return -1;
}

int ts_pair_walk_next(ts_pair_walk* walk, int* out_pass) {
    for (int spin = 0; walk->pass < walk->end; ++spin) {
        int piece = ts_pair_walk_look(walk, out_pass);
        if (piece >= 0) return piece;
        if (spin > SPINS) (void)sched_yield();
    }
    return -1;
}

void ts_pair_walk_tell(ts_pair_walk* walk, int pass) {
    int done = ++walk->done[pass % TS_PAIR_FLIGHT];
    if (walk->own && pass + 1 == walk->end) atomic_store_explicit(&walk->own->done, done, memory_order_release);
    for (; walk->pass < walk->end && walk->done[walk->pass % TS_PAIR_FLIGHT] == walk->size; ++walk->pass)
        walk->done[walk->pass % TS_PAIR_FLIGHT] = 0;
}
