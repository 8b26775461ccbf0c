// Passes over pairs, one behind the other, by one thread or several.
//
// Problem: a sweep over one pile is one long chain of updates; cut into pieces that do not know of each other it is another sweep, with other bits. And a
// large pile is not in the near caches any more when the next sweep begins: it came from memory as often as it was swept. Rule:
// a part is some domains of pairs_order.c, gone through piece by piece, some groups one after the other. A piece waits for those that touched its bodies
// before it, in this pass or in the one before, and of all that can be done the last pass comes first, up to eight at once: passes go down a pile close
// behind each other, and what one has read the next ones find near. Where loads run to and fro between two parts, threads would wait for each other at
// every level of the pile, longer than a group takes; they do what other passes have for them.
// A part is walked through by one thread at a time, which leaves it where it would have to wait long: on a busy machine the
// thread of the part that it waits for may not be running at all, and then it goes on with that part itself.
// Source: data flow in place of barriers, as in sparse triangular solves by levels (Park and others 2014); passes behind each other as in
// wavefront schemes for stencils (Wellein and others 2009); the order is that of pairs_order.c.
// Guaranteed: every body sees the same updates in the same order as with one thread: the same bits. The first piece of the first pass that is not
// over waits for nothing, so it ends, with however few of the threads.
// Known to fail: a heap too small for two domains (pairs_order.c, count_domains) is swept by one thread. Where a line of cache takes 250 ns from core to core, as between
// sockets, two threads are slower than one.
#include "contact/pairs/pairs_parts_internal.h"

#include <sched.h>
#include <stdatomic.h>
#include <string.h>

enum {
    SPINS = 400,  // looks before a thread turns to another part
    NEAR = 256    // groups that one thread has in its near cache: all of them are one piece
};

// Alone on its cache lines.
struct ts_pair_progress {
    atomic_int done[TS_PAIR_FLIGHT];  // as of a walk
    atomic_int taken;                 // nonzero: a thread is at the part
    char room[128 - (TS_PAIR_FLIGHT + 1) * sizeof(atomic_int)];
};

// Pieces of a part.
static int size_of(const struct ts_pair_parts* parts, int part) {
    return parts->first_piece[part + 1] - parts->first_piece[part];
}

// What a piece waits for in a part.
static ts_pair_need* need_of(const struct ts_pair_parts* parts, int piece, int part) {
    return &parts->need[(size_t)piece * (size_t)parts->kin + (size_t)(parts->kin > 1 ? part : 0)];
}

// What touched a body last: a piece of a part, in this pass or the one before.
typedef struct last_touch {
    int part;   // one more than it; 0: nothing did
    int piece;  // of the part
    int is_now;
    int abreast;  // the group that is swept at once with it and comes first, one more than its place
} last_touch;

// Where a group is.
typedef struct group_place {
    int part;
    int at;     // in `group` of the parts
    int piece;  // of the part
} group_place;

// Groups of every part in order.
static void list_groups(const ts_pairs* pairs, const ts_pair_order* order, struct ts_pair_parts* parts,
                        group_place* out_place) {
    int next[TS_PAIR_PARTS_MOST] = {0};
    memset(parts->first, 0, ((size_t)parts->count + 1) * sizeof(int));
    for (int g = 0; g < pairs->group_count; ++g) {
        out_place[g].part = order->domain[g] * parts->count / order->domain_count;
        ++parts->first[out_place[g].part + 1];
    }
    for (int p = 0; p < parts->count; ++p) parts->first[p + 1] += parts->first[p];
    for (int g = 0; g < pairs->group_count; ++g) {
        int part = out_place[g].part, n = parts->first[part] + next[part]++;
        out_place[g].at = n;
        parts->group[n] = g;
    }
}

// Whether another part has touched a body of the group in this pass.
static int is_foreign(const ts_pair_group* group, int part, const last_touch* last) {
    for (int side = 0; side < 2; ++side)
        for (int k = 0; k < TS_PAIR_LANES; ++k) {
            int of = last[group->body[side][k]].part;
            if (of != 0 && of != part) return 1;
        }
    return 0;
}

// What does not move is nobody's.
static void touch(const ts_pair_group* group, last_touch own, last_touch* last) {
    for (int side = 0; side < 2; ++side)
        for (int k = 0; k < TS_PAIR_LANES; ++k)
            if (group->body[side][k]) last[group->body[side][k]] = own;
}

// Cuts parts into pieces, and finds which of them touches bodies last. A group that waits for another part begins a piece: what a piece waits for is then
// before its first group, and no two pieces wait for each other. `last` (body_count) is zero.
static void cut_parts(const ts_pairs* pairs, struct ts_pair_parts* parts, group_place* place, last_touch* last) {
    int pieces[TS_PAIR_PARTS_MOST] = {0}, begin[TS_PAIR_PARTS_MOST];
    for (int g = 0; g < pairs->group_count; ++g) {
        const ts_pair_group* group = &pairs->group[g];
        int p = place[g].part, n = place[g].at;
        if (pieces[p] == 0 || n - begin[p] == TS_PAIR_PIECE || (parts->count > 1 && is_foreign(group, p + 1, last))) {
            begin[p] = n;
            ++pieces[p];
        }
        place[g].piece = pieces[p] - 1;
        touch(group, (last_touch){.part = p + 1, .piece = place[g].piece}, last);
    }
    parts->first_piece[0] = 0;
    for (int p = 0; p < parts->count; ++p) parts->first_piece[p + 1] = parts->first_piece[p] + pieces[p];
    for (int g = pairs->group_count - 1; g >= 0; --g)
        parts->piece[parts->first_piece[place[g].part] + place[g].piece] = place[g].at;
    parts->piece[parts->first_piece[parts->count]] = pairs->group_count;
}

// All groups are one piece.
static void keep_whole(const ts_pairs* pairs, struct ts_pair_parts* parts) {
    parts->first_piece[0] = parts->piece[0] = 0;
    parts->first_piece[1] = 1;
    parts->piece[1] = pairs->group_count;
}

// A piece waits for the last ones on each of its bodies. Returns nonzero where one of the groups abreast that begin with `first` touched one.
static int follow(const ts_pair_group* group, int part, int first, const last_touch* last, struct ts_pair_parts* parts,
                  int piece) {
    int joins = 0;
    for (int side = 0; side < 2; ++side)
        for (int k = 0; k < TS_PAIR_LANES; ++k) {
            const last_touch* by = &last[group->body[side][k]];
            int of = by->part - 1;
            joins |= by->abreast == first + 1;
            // Within a pass a part goes from piece to piece.
            if (of < 0 || (by->is_now && of == part)) continue;
            ts_pair_need* need = need_of(parts, piece, of);
            int* most = by->is_now ? &need->now : &need->before;
            if (by->piece + 1 > *most) *most = by->piece + 1;
            if (of != part) parts->tells[parts->first_piece[of] + by->piece] = 1;
        }
    return joins;
}

// What pieces wait for, and which of their groups share no body. `last` is what the pass before left.
static void find_needs(const ts_pairs* pairs, struct ts_pair_parts* parts, const group_place* place, last_touch* last) {
    int first[TS_PAIR_PARTS_MOST] = {0};  // of the groups abreast
    for (int g = 0; g < pairs->group_count; ++g) {
        const ts_pair_group* group = &pairs->group[g];
        int p = place[g].part, n = place[g].at, piece = parts->first_piece[p] + place[g].piece;
        int joins = follow(group, p, first[p], last, parts, piece);
        if (joins || n == parts->piece[piece] || n - first[p] == TS_PAIR_ABREAST) first[p] = n;
        parts->abreast[first[p]] = (char)(n - first[p] + 1);
        touch(group, (last_touch){p + 1, place[g].piece, 1, first[p] + 1}, last);
    }
}

// The same where all groups are one piece, which waits for itself. `last` (body_count) is zero: one more than the first of the groups abreast that touched
// a body last.
static void find_abreast(const ts_pairs* pairs, struct ts_pair_parts* parts, int* last) {
    for (int g = 0, first = 0; g < pairs->group_count; ++g) {
        const int* body = pairs->group[g].body[0];
        int joins = 0;
        for (int k = 0; k < 2 * TS_PAIR_LANES; ++k) joins |= last[body[k]] == first + 1;
        if (joins || g - first == TS_PAIR_ABREAST) first = g;
        parts->abreast[first] = (char)(g - first + 1);
        for (int k = 0; k < 2 * TS_PAIR_LANES; ++k) last[body[k]] = first + 1;
        // What does not move is nobody's.
        last[0] = 0;
    }
    parts->need[0].before = 1;
}

static struct ts_pair_parts* take_parts(ts_arena* arena, int groups, int count) {
    struct ts_pair_parts* parts = TS_ARENA_ARRAY(arena, struct ts_pair_parts, 1);
    if (!parts) return NULL;
    parts->count = count;
    parts->first = TS_ARENA_ARRAY(arena, int, count + 1);
    parts->group = TS_ARENA_ARRAY(arena, int, groups);
    parts->first_piece = TS_ARENA_ARRAY(arena, int, count + 1);
    parts->piece = TS_ARENA_ARRAY(arena, int, groups + 1);
    parts->abreast = TS_ARENA_ARRAY(arena, char, groups);
    parts->progress = TS_ARENA_ARRAY(arena, ts_pair_progress, count);
    return arena->failed ? NULL : parts;
}

// What pieces have, once it is known how many there are. Returns 0 when memory is short.
static int take_pieces(struct ts_pair_parts* parts, ts_arena* arena) {
    size_t pieces = (size_t)parts->first_piece[parts->count];
    parts->tells = (char*)ts_arena_alloc_zeroed(arena, pieces, 1);
    parts->need = (ts_pair_need*)ts_arena_alloc_zeroed(arena, pieces * (size_t)parts->kin, sizeof(ts_pair_need));
    return parts->tells && parts->need;
}

int ts_pair_parts_make(ts_pairs* pairs, ts_arena* arena, ts_arena* brief, const ts_pair_order* order, int most) {
    // What waits for nobody is dealt out more finely than threads are.
    int groups = pairs->group_count, count = order->domain_count < most || order->is_apart ? order->domain_count : most;
    int is_whole = count == 1 && groups <= NEAR;
    struct ts_pair_parts* parts = pairs->parts = take_parts(arena, groups, count);
    group_place* place = TS_ARENA_ARRAY(brief, group_place, groups);
    last_touch* last = (last_touch*)ts_arena_alloc_zeroed(brief, (size_t)pairs->body_count, sizeof(last_touch));
    if (!parts || !place || !last) return 0;
    parts->kin = order->is_apart ? 1 : count;
    list_groups(pairs, order, parts, place);
    if (is_whole)
        keep_whole(pairs, parts);
    else
        cut_parts(pairs, parts, place, last);
    if (!take_pieces(parts, arena)) return 0;
    if (is_whole)
        find_abreast(pairs, parts, (int*)last);
    else
        find_needs(pairs, parts, place, last);
    return 1;
}

void ts_pair_parts_rewind(const ts_pairs* pairs) {
    for (int p = 0; p < pairs->parts->count; ++p) {
        ts_pair_progress* progress = &pairs->parts->progress[p];
        for (int k = 0; k < TS_PAIR_FLIGHT; ++k) atomic_store_explicit(&progress->done[k], 0, memory_order_relaxed);
        atomic_store_explicit(&progress->taken, 0, memory_order_relaxed);
    }
}

// How many pieces of a part are done when so many passes are over, of those that the first passes of a flight, the second ones, ... have together.
static int done_by(const struct ts_pair_parts* parts, int part, int passes, int k) {
    return (passes + TS_PAIR_FLIGHT - 1 - k) / TS_PAIR_FLIGHT * size_of(parts, part);
}

static int is_ended(const struct ts_pair_parts* parts, int passes, int part) {
    // The last pass is over when all are.
    int k = (passes - 1) % TS_PAIR_FLIGHT;
    return passes < 1 || atomic_load_explicit(&parts->progress[part].done[k], memory_order_acquire) >=
                             done_by(parts, part, passes, k);
}

// The first part behind this one that is not at its end; count when there is none.
static int next_part(const struct ts_pair_parts* parts, int passes, int part) {
    for (int k = 1; k <= parts->count; ++k) {
        int next = (part + k) % parts->count;
        if (!is_ended(parts, passes, next)) return next;
    }
    return parts->count;
}

static int progress_of(const ts_pair_progress* progress) {
    int sum = 0;
    for (int k = 0; k < TS_PAIR_FLIGHT; ++k) sum += atomic_load_explicit(&progress->done[k], memory_order_relaxed);
    return sum;
}

void ts_pair_parts_walk(const struct ts_pair_parts* parts, int passes, int part, void (*walk)(void* context, int part),
                        void* context) {
    // Looks at parts, one after the other, that led to nothing.
    int vain = 0;
    for (; part < parts->count; part = next_part(parts, passes, part)) {
        ts_pair_progress* progress = &parts->progress[part];
        if (!atomic_exchange_explicit(&progress->taken, 1, memory_order_acquire)) {
            int before = progress_of(progress);
            walk(context, part);
            if (progress_of(progress) > before) vain = 0;
            atomic_store_explicit(&progress->taken, 0, memory_order_release);
        }
        if (++vain > 2 * parts->count) (void)sched_yield();
    }
}

// --- a walk ------------------------------------------------------------------------------------------------------------

ts_pair_walk ts_pair_walk_begin(const struct ts_pair_parts* parts, int part, int passes) {
    ts_pair_walk walk;
    walk.parts = parts;
    walk.part = part;
    walk.passes = passes;
    walk.pass = 0;
    memset(walk.done, 0, (size_t)parts->count * sizeof walk.done[0]);
    for (int k = 0; k < TS_PAIR_FLIGHT; ++k)
        walk.done[part][k] = atomic_load_explicit(&parts->progress[part].done[k], memory_order_relaxed);
    return walk;
}

// How many pieces of the part are done in that pass.
static int done_in(const ts_pair_walk* walk, int pass) {
    return walk->done[walk->part][pass % TS_PAIR_FLIGHT] - pass / TS_PAIR_FLIGHT * size_of(walk->parts, walk->part);
}

// Whether so many pieces of a part are done in a pass.
static int has_done(ts_pair_walk* walk, int part, int pass, int wanted) {
    int k = pass % TS_PAIR_FLIGHT;
    if (wanted == 0 || pass < 0) return 1;
    wanted += pass / TS_PAIR_FLIGHT * size_of(walk->parts, part);
    if (walk->done[part][k] >= wanted) return 1;
    if (part == walk->part) return 0;
    walk->done[part][k] = atomic_load_explicit(&walk->parts->progress[part].done[k], memory_order_acquire);
    return walk->done[part][k] >= wanted;
}

// Whether a piece can be done in that pass.
static int is_ready(ts_pair_walk* walk, int piece, int pass) {
    const struct ts_pair_parts* parts = walk->parts;
    const ts_pair_need* need = need_of(parts, piece, 0);
    if (!has_done(walk, walk->part, pass - 1, need_of(parts, piece, walk->part)->before)) return 0;
    for (int p = 0; p < parts->kin && parts->kin > 1; ++p)
        if (!has_done(walk, p, pass, need[p].now) || !has_done(walk, p, pass - 1, need[p].before)) return 0;
    return 1;
}

// What can be done now, of the passes in flight, the last ones first: what they read was read by the one before.
static int look(ts_pair_walk* walk, int* out_pass) {
    int size = size_of(walk->parts, walk->part), last = walk->pass + TS_PAIR_FLIGHT;
    for (int pass = last < walk->passes ? last - 1 : walk->passes - 1; pass >= walk->pass; --pass) {
        int at = done_in(walk, pass), piece = walk->parts->first_piece[walk->part] + at;
        if (at == size || !is_ready(walk, piece, pass)) continue;
        *out_pass = pass;
        return piece;
    }
    return -1;
}

int ts_pair_walk_next(ts_pair_walk* walk, int* out_pass) {
    int size = size_of(walk->parts, walk->part);
    while (walk->pass < walk->passes && done_in(walk, walk->pass) >= size) ++walk->pass;
    for (int spin = 0; spin < SPINS && walk->pass < walk->passes; ++spin) {
        int piece = look(walk, out_pass);
        if (piece >= 0) return piece;
    }
    return -1;
}

void ts_pair_walk_tell(ts_pair_walk* walk, int piece, int pass) {
    int k = pass % TS_PAIR_FLIGHT, done = ++walk->done[walk->part][k];
    if (walk->parts->tells[piece])
        atomic_store_explicit(&walk->parts->progress[walk->part].done[k], done, memory_order_release);
}

void ts_pair_walk_end(const ts_pair_walk* walk) {
    for (int k = 0; k < TS_PAIR_FLIGHT; ++k)
        atomic_store_explicit(&walk->parts->progress[walk->part].done[k], walk->done[walk->part][k],
                              memory_order_release);
}
