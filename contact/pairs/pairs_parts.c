// Passes over pairs by several threads.
//
// Problem: a sweep over one pile is one long chain of updates; cut into pieces that do not know of each other it is another sweep, with other bits. Rule:
// a part is some domains of pairs_order.c, and a group waits for those that touched its bodies before it, in this pass or in the one before. Where
// loads run to and fro between two parts, threads would wait for each other at every level of the pile, longer than a group takes; so a thread
// that cannot go on in a pass goes on with the next ones, behind it, up to four at once. Several passes go through without a halt.
// A part is walked through by one thread at a time, which leaves it where it would have to wait long: on a busy machine the
// thread of the part that it waits for may not be running at all, and then it goes on with that part itself.
// Source: data flow in place of barriers, as in sparse triangular solves by levels (Park and others 2014); passes behind each other as in
// wavefront schemes for stencils (Wellein and others 2009); the order is that of pairs_order.c.
// Guaranteed: every body sees the same updates in the same order as with one thread: the same bits. The first group of the first pass that is not
// over waits for nothing, so it ends, with however few of the threads.
// Known to fail: a heap too small for two domains (pairs_order.c, count_domains) is swept by one thread. Where a line of cache takes 250 ns from core to core, as between
// sockets, two threads are slower than one.
#include "contact/pairs/pairs_parts_internal.h"

#include <sched.h>
#include <stdatomic.h>
#include <string.h>

enum { SPINS = 400 };  // looks before a thread turns to another part

// Alone on its cache lines.
struct ts_pair_progress {
    atomic_int done[TS_PAIR_FLIGHT];  // as of a walk
    atomic_int taken;                 // nonzero: a thread is at the part
    char room[128 - (TS_PAIR_FLIGHT + 1) * sizeof(atomic_int)];
};

static int size_of(const struct ts_pair_parts* parts, int part) { return parts->first[part + 1] - parts->first[part]; }

// Groups of every part in order, and where each group stands in its own.
static void list_groups(const ts_pairs* pairs, const ts_pair_order* order, struct ts_pair_parts* parts, int* out_part,
                        int* out_at) {
    int next[TS_PAIR_PARTS_MOST] = {0};
    memset(parts->first, 0, ((size_t)parts->count + 1) * sizeof(int));
    for (int g = 0; g < pairs->group_count; ++g) {
        out_part[g] = order->domain[g] * parts->count / order->domain_count;
        ++parts->first[out_part[g] + 1];
    }
    for (int p = 0; p < parts->count; ++p) parts->first[p + 1] += parts->first[p];
    for (int g = 0; g < pairs->group_count; ++g) {
        int part = out_part[g], n = parts->first[part] + next[part];
        out_at[g] = next[part]++;
        parts->group[n] = g;
    }
}

static int touches(const ts_pair_group* group, const int* mark, int of) {
    for (int side = 0; side < 2; ++side)
        for (int k = 0; k < TS_PAIR_LANES; ++k)
            if (group->body[side][k] && mark[group->body[side][k]] == of) return 1;
    return 0;
}

// How many neighbours share no body. `mark` (body_count) is zero.
static void find_abreast(const ts_pairs* pairs, int* mark) {
    const struct ts_pair_parts* parts = pairs->parts;
    for (int n = 0, count; n < pairs->group_count; n += count) {
        for (count = 0; count < TS_PAIR_ABREAST && n + count < pairs->group_count; ++count) {
            const ts_pair_group* group = &pairs->group[parts->group[n + count]];
            if (touches(group, mark, n + 1)) break;
            for (int side = 0; side < 2; ++side)
                for (int k = 0; k < TS_PAIR_LANES; ++k) mark[group->body[side][k]] = n + 1;
        }
        parts->abreast[n] = (char)count;
    }
}

// What touched a body last: a group of a part, in this pass or the one before.
typedef struct last_touch {
    int part, at, is_now;
} last_touch;

// A group waits for the last one on each of its bodies.
static void follow(const ts_pair_group* group, last_touch own, last_touch* last, struct ts_pair_parts* parts,
                   ts_pair_need* need) {
    for (int side = 0; side < 2; ++side)
        for (int k = 0; k < TS_PAIR_LANES; ++k) {
            int b = group->body[side][k];
            if (b == 0) continue;
            if (need) {
                ts_pair_need* of = &need[last[b].part];
                int* most = last[b].is_now ? &of->now : &of->before;
                if (last[b].at + 1 > *most) *most = last[b].at + 1;
                if (last[b].part != own.part) parts->tells[parts->first[last[b].part] + last[b].at] = 1;
            }
            last[b] = own;
        }
}

static void find_needs(const ts_pairs* pairs, const int* part, const int* at, last_touch* last) {
    struct ts_pair_parts* parts = pairs->parts;
    // The pass before: whatever was last there.
    for (int g = 0; g < pairs->group_count; ++g)
        follow(&pairs->group[g], (last_touch){part[g], at[g], 0}, last, parts, NULL);
    for (int g = 0; g < pairs->group_count; ++g)
        follow(&pairs->group[g], (last_touch){part[g], at[g], 1}, last, parts,
               parts->need + (size_t)g * (size_t)parts->count);
}

static struct ts_pair_parts* take_parts(ts_arena* arena, int groups, int count) {
    struct ts_pair_parts* parts = TS_ARENA_ARRAY(arena, struct ts_pair_parts, 1);
    if (!parts) return NULL;
    parts->count = count;
    parts->first = TS_ARENA_ARRAY(arena, int, count + 1);
    parts->group = TS_ARENA_ARRAY(arena, int, groups);
    parts->abreast = TS_ARENA_ARRAY(arena, char, groups);
    parts->tells = (char*)ts_arena_alloc_zeroed(arena, (size_t)groups, 1);
    parts->need = (ts_pair_need*)ts_arena_alloc_zeroed(arena, (size_t)groups * (size_t)count, sizeof(ts_pair_need));
    parts->progress = TS_ARENA_ARRAY(arena, ts_pair_progress, count);
    return arena->failed ? NULL : parts;
}

int ts_pair_parts_make(ts_pairs* pairs, ts_arena* arena, ts_arena* brief, const ts_pair_order* order, int most) {
    int groups = pairs->group_count, count = order->domain_count < most ? order->domain_count : most;
    pairs->parts = take_parts(arena, groups, count);
    if (!pairs->parts) return 0;
    int* part = TS_ARENA_ARRAY(brief, int, groups);
    int* at = TS_ARENA_ARRAY(brief, int, groups);
    last_touch* last = (last_touch*)ts_arena_alloc_zeroed(brief, (size_t)pairs->body_count, sizeof(last_touch));
    int* mark = (int*)ts_arena_alloc_zeroed(brief, (size_t)pairs->body_count, sizeof(int));
    int enough = part && at && last && mark;
    if (enough) {
        list_groups(pairs, order, pairs->parts, part, at);
        if (count > 1)
            find_needs(pairs, part, at, last);
        else
            find_abreast(pairs, mark);
    }
    return enough;
}

void ts_pair_parts_rewind(const ts_pairs* pairs) {
    for (int p = 0; p < pairs->parts->count; ++p) {
        ts_pair_progress* progress = &pairs->parts->progress[p];
        for (int k = 0; k < TS_PAIR_FLIGHT; ++k) atomic_store_explicit(&progress->done[k], 0, memory_order_relaxed);
        atomic_store_explicit(&progress->taken, 0, memory_order_relaxed);
    }
}

// How many groups of a part are done when so many passes are over, of those that the first passes of a flight, the second ones, ... have together.
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
    ts_pair_walk walk = {.parts = parts, .part = part, .passes = passes};
    for (int k = 0; k < TS_PAIR_FLIGHT; ++k)
        walk.done[part][k] = atomic_load_explicit(&parts->progress[part].done[k], memory_order_relaxed);
    return walk;
}

// How many groups of the part are done in that pass.
static int done_in(const ts_pair_walk* walk, int pass) {
    return walk->done[walk->part][pass % TS_PAIR_FLIGHT] - pass / TS_PAIR_FLIGHT * size_of(walk->parts, walk->part);
}

// Whether so many groups of a part are done in a pass.
static int has_done(ts_pair_walk* walk, int part, int pass, int wanted) {
    int k = pass % TS_PAIR_FLIGHT;
    if (wanted == 0 || pass < 0) return 1;
    wanted += pass / TS_PAIR_FLIGHT * size_of(walk->parts, part);
    if (walk->done[part][k] >= wanted) return 1;
    if (part == walk->part) return 0;
    walk->done[part][k] = atomic_load_explicit(&walk->parts->progress[part].done[k], memory_order_acquire);
    return walk->done[part][k] >= wanted;
}

// Whether the group there can be done in that pass.
static int is_ready(ts_pair_walk* walk, int at, int pass) {
    const struct ts_pair_parts* parts = walk->parts;
    const ts_pair_need* need = parts->need + (size_t)parts->group[at] * (size_t)parts->count;
    for (int p = 0; p < parts->count; ++p)
        if (!has_done(walk, p, pass, need[p].now) || !has_done(walk, p, pass - 1, need[p].before)) return 0;
    return 1;
}

// What can be done now, of the passes in flight, the first ones first.
static int look(ts_pair_walk* walk, int out_at[TS_PAIR_ABREAST], int out_pass[TS_PAIR_ABREAST]) {
    const struct ts_pair_parts* parts = walk->parts;
    int count = 0, first = parts->first[walk->part], size = size_of(parts, walk->part);
    for (int k = 0; k < TS_PAIR_FLIGHT && walk->pass + k < walk->passes && count < TS_PAIR_ABREAST; ++k) {
        int pass = walk->pass + k;
        for (int n = done_in(walk, pass); n < size && count < TS_PAIR_ABREAST && is_ready(walk, first + n, pass); ++n) {
            out_at[count] = first + n;
            out_pass[count++] = pass;
        }
    }
    return count;
}

int ts_pair_walk_next(ts_pair_walk* walk, int out_at[TS_PAIR_ABREAST], int out_pass[TS_PAIR_ABREAST]) {
    int size = size_of(walk->parts, walk->part);
    while (walk->pass < walk->passes && done_in(walk, walk->pass) >= size) ++walk->pass;
    for (int spin = 0; spin < SPINS && walk->pass < walk->passes; ++spin) {
        int count = look(walk, out_at, out_pass);
        if (count > 0) return count;
    }
    return 0;
}

void ts_pair_walk_tell(ts_pair_walk* walk, int at, int pass) {
    int k = pass % TS_PAIR_FLIGHT, done = ++walk->done[walk->part][k];
    if (walk->parts->tells[at])
        atomic_store_explicit(&walk->parts->progress[walk->part].done[k], done, memory_order_release);
}

void ts_pair_walk_end(const ts_pair_walk* walk) {
    for (int k = 0; k < TS_PAIR_FLIGHT; ++k)
        atomic_store_explicit(&walk->parts->progress[walk->part].done[k], walk->done[walk->part][k],
                              memory_order_release);
}
