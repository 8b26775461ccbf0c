// Passes over pairs by several threads.
//
// Problem: a sweep over one pile is one long chain of updates; cut into pieces that do not know of each other it is another sweep, with other bits. Rule:
// groups are in parts, and a group waits for those that touched its bodies before it, in this pass or in the one before. Parts are strips of the pile,
// across the way that loads run, so that few groups wait for others; several passes go through without a halt. Strips are cut so that every part
// has about as many points. A part is walked through by one thread at a time, which leaves it where it would have to wait long: on a busy machine the
// thread of the part that it waits for may not be running at all, and then it goes on with that part itself.
// Source: data flow in place of barriers, as in sparse triangular solves by levels (Park and others 2014); the order is that of pairs.c.
// Guaranteed: every body sees the same updates in the same order as with one thread: the same bits. Nobody waits for what comes later, so it
// ends, with however few of the threads.
// Known to fail: a heap that is no wider than a few bodies is swept by hardly more than one thread at a time.
#include "contact/pairs/pairs_parts_internal.h"

#include <sched.h>
#include <stdatomic.h>
#include <string.h>

enum {
    GROUPS_LEAST = 12,  // groups of a part: fewer are not worth a thread
    SPINS = 400         // looks before a thread turns to another part
};

// Alone on its cache lines.
struct ts_pair_progress {
    atomic_int done;
    atomic_int taken;  // nonzero: a thread is at the part
    char room[128 - 2 * sizeof(atomic_int)];
};

ts_pair_strips ts_pair_strips_of(const ts_pair_unit* unit, int unit_count) {
    double least = unit_count > 0 ? unit[0].place : 0.0, most = least;
    for (int u = 1; u < unit_count; ++u) {
        if (unit[u].place < least) least = unit[u].place;
        if (unit[u].place > most) most = unit[u].place;
    }
    ts_pair_strips strips = {least, most > least ? TS_PAIR_STRIPS / (most - least) : 0.0};
    return strips;
}

// Parts of the strips, by the points of the groups that lie in them. `most` > 0.
static void cut_strips(const ts_pairs* pairs, const int* strip, int most, int* out_part) {
    int points[TS_PAIR_STRIPS] = {0}, total = 0, before = 0;
    for (int g = 0; g < pairs->group_count; ++g) {
        points[strip[g]] += pairs->group[g].count;
        total += pairs->group[g].count;
    }
    for (int s = 0; s < TS_PAIR_STRIPS; ++s) {
        // Where the strip's middle lies among all points.
        double part = total > 0 ? (before + 0.5 * points[s]) * most / total : 0.0;
        out_part[s] = part < most - 1 ? (int)part : most - 1;
        before += points[s];
    }
}

// The part of every group: that of the strip of its middle.
static void give_groups(const ts_pairs* pairs, const ts_pair_unit* unit, int unit_count, const int* place, int most,
                        int* io_part) {
    int part_of[TS_PAIR_STRIPS];
    ts_pair_strips strips = ts_pair_strips_of(unit, unit_count);
    // Lanes are filled from the first, so the last of these to write is in the middle.
    for (int lane = 0; lane <= TS_PAIR_LANES / 2; ++lane)
        for (int u = 0; u < unit_count; ++u)
            if (place[u] % TS_PAIR_LANES == lane) io_part[place[u] / TS_PAIR_LANES] = ts_pair_strip(&strips, &unit[u]);
    cut_strips(pairs, io_part, most, part_of);
    for (int g = 0; g < pairs->group_count; ++g) io_part[g] = part_of[io_part[g]];
}

// Levels of the groups, as pairs.c has them. `above` (body_count) is zero.
static void find_levels(const ts_pairs* pairs, int* above, int* out_level) {
    for (int g = 0; g < pairs->group_count; ++g) {
        const int* body = pairs->group[g].body[0];
        int level = 0;
        for (int k = 0; k < 2 * TS_PAIR_LANES; ++k)
            if (body[k] && above[body[k]] > level) level = above[body[k]];
        for (int k = 0; k < 2 * TS_PAIR_LANES; ++k)
            if (body[k]) above[body[k]] = level + 1;
        out_level[g] = level;
    }
}

// Groups of a part and of one level, which lie strip by strip: those next to other parts last, so that who follows them has something to do
// meanwhile.
static void turn_run(int part, int parts, int count, int* group) {
    int old[64];
    if (part == 0 || count > (int)(sizeof old / sizeof old[0])) return;
    memcpy(old, group, (size_t)count * sizeof(int));
    for (int k = 0; k < count; ++k) {
        int inner = (count - 1) / 2 + (k % 2 ? (k + 1) / 2 : -(k / 2));
        group[k] = old[part == parts - 1 ? count - 1 - k : inner];
    }
}

// Groups of every part in order, and where each group stands in its own.
static void list_groups(const ts_pairs* pairs, const int* part, const int* level, struct ts_pair_parts* parts,
                        int* out_at) {
    int next[TS_PAIR_PARTS_MOST] = {0};
    memset(parts->first, 0, ((size_t)parts->count + 1) * sizeof(int));
    for (int g = 0; g < pairs->group_count; ++g) ++parts->first[part[g] + 1];
    for (int p = 0; p < parts->count; ++p) parts->first[p + 1] += parts->first[p];
    for (int g = 0; g < pairs->group_count; ++g) parts->group[parts->first[part[g]] + next[part[g]]++] = g;
    for (int p = 0; p < parts->count; ++p) {
        int *group = parts->group + parts->first[p], count = next[p];
        for (int begin = 0, end; begin < count; begin = end) {
            for (end = begin + 1; end < count && level[group[end]] == level[group[begin]];) ++end;
            turn_run(p, parts->count, end - begin, group + begin);
        }
        for (int n = 0; n < count; ++n) {
            out_at[group[n]] = n;
            parts->apart[parts->first[p] + n] = n + 1 < count && level[group[n]] == level[group[n + 1]];
        }
    }
}

// What touched a body last.
typedef struct last_touch {
    int part, need;
} last_touch;

// A group waits for the last one on each of its bodies, where another part has that.
static void follow(const ts_pair_group* group, int part, last_touch* last, int own, int* need) {
    for (int side = 0; side < 2; ++side)
        for (int k = 0; k < TS_PAIR_LANES; ++k) {
            int b = group->body[side][k];
            if (b == 0) continue;
            if (need && last[b].part != part && last[b].need > need[last[b].part]) need[last[b].part] = last[b].need;
            last[b] = (last_touch){part, own};
        }
}

static void find_needs(const ts_pairs* pairs, const int* part, const int* at, last_touch* last) {
    struct ts_pair_parts* parts = pairs->parts;
    for (size_t i = 0; i < (size_t)pairs->group_count * (size_t)parts->count; ++i) parts->need[i] = INT_MIN;
    // The pass before: whatever was last there.
    for (int g = 0; g < pairs->group_count; ++g) {
        int groups = parts->first[part[g] + 1] - parts->first[part[g]];
        follow(&pairs->group[g], part[g], last, at[g] + 1 - groups, NULL);
    }
    for (int g = 0; g < pairs->group_count; ++g)
        follow(&pairs->group[g], part[g], last, at[g] + 1, parts->need + (size_t)g * (size_t)parts->count);
}

static struct ts_pair_parts* take_parts(ts_arena* arena, int groups, int count) {
    struct ts_pair_parts* parts = TS_ARENA_ARRAY(arena, struct ts_pair_parts, 1);
    if (!parts) return NULL;
    parts->count = count;
    parts->first = TS_ARENA_ARRAY(arena, int, count + 1);
    parts->group = TS_ARENA_ARRAY(arena, int, groups);
    parts->apart = TS_ARENA_ARRAY(arena, char, groups);
    parts->need = TS_ARENA_ARRAY(arena, int, groups* count);
    parts->progress = TS_ARENA_ARRAY(arena, ts_pair_progress, count);
    return arena->failed ? NULL : parts;
}

int ts_pair_parts_make(ts_pairs* pairs, ts_arena* arena, const ts_pair_unit* unit, int unit_count, const int* place,
                       int most) {
    int groups = pairs->group_count, count = groups / GROUPS_LEAST;
    if (count > most) count = most;
    if (count > TS_PAIR_PARTS_MOST) count = TS_PAIR_PARTS_MOST;
    if (count < 1) count = 1;
    pairs->parts = take_parts(arena, groups, count);
    if (!pairs->parts) return 0;
    ts_arena_scope scope = ts_arena_scope_begin(arena);
    int* part = (int*)ts_arena_alloc_zeroed(arena, (size_t)groups, sizeof(int));
    int* at = TS_ARENA_ARRAY(arena, int, groups);
    int* level = TS_ARENA_ARRAY(arena, int, groups);
    int* above = (int*)ts_arena_alloc_zeroed(arena, (size_t)pairs->body_count, sizeof(int));
    last_touch* last = TS_ARENA_ARRAY(arena, last_touch, pairs->body_count);
    int enough = part && at && level && above && last;
    if (enough) {
        if (count > 1) give_groups(pairs, unit, unit_count, place, count, part);
        find_levels(pairs, above, level);
        list_groups(pairs, part, level, pairs->parts, at);
        find_needs(pairs, part, at, last);
    }
    ts_arena_scope_end(arena, scope);
    return enough;
}

void ts_pair_parts_rewind(const ts_pairs* pairs) {
    for (int p = 0; p < pairs->parts->count; ++p) {
        atomic_store_explicit(&pairs->parts->progress[p].done, 0, memory_order_relaxed);
        atomic_store_explicit(&pairs->parts->progress[p].taken, 0, memory_order_relaxed);
    }
}

void ts_pair_parts_end(const ts_pairs* pairs, int passes) {
    atomic_store_explicit(&pairs->parts->progress[0].done, passes * pairs->group_count, memory_order_release);
}

static int is_ended(const struct ts_pair_parts* parts, int passes, int part) {
    int groups = parts->first[part + 1] - parts->first[part];
    return atomic_load_explicit(&parts->progress[part].done, memory_order_acquire) >= passes * groups;
}

// The first part behind this one that is not at its end; count when there is none.
static int next_part(const struct ts_pair_parts* parts, int passes, int part) {
    for (int k = 1; k <= parts->count; ++k) {
        int next = (part + k) % parts->count;
        if (!is_ended(parts, passes, next)) return next;
    }
    return parts->count;
}

void ts_pair_parts_walk(const struct ts_pair_parts* parts, int passes, int part, void (*walk)(void* context, int part),
                        void* context) {
    // Looks at parts, one after the other, that led to nothing.
    int vain = 0;
    for (; part < parts->count; part = next_part(parts, passes, part)) {
        ts_pair_progress* progress = &parts->progress[part];
        if (!atomic_exchange_explicit(&progress->taken, 1, memory_order_acquire)) {
            int before = atomic_load_explicit(&progress->done, memory_order_relaxed);
            walk(context, part);
            int after = atomic_load_explicit(&progress->done, memory_order_relaxed);
            atomic_store_explicit(&progress->taken, 0, memory_order_release);
            if (after > before) vain = 0;
        }
        if (++vain > 2 * parts->count) (void)sched_yield();
    }
}

ts_pair_walk ts_pair_walk_begin(const struct ts_pair_parts* parts, int part) {
    ts_pair_walk walk = {.parts = parts, .part = part};
    walk.done = atomic_load_explicit(&parts->progress[part].done, memory_order_relaxed);
    return walk;
}

int ts_pair_walk_wait(ts_pair_walk* walk, int part, int need) {
    for (int look = 0; look < SPINS; ++look) {
        walk->seen[part] = atomic_load_explicit(&walk->parts->progress[part].done, memory_order_acquire);
        if (walk->seen[part] >= need) return 1;
    }
    return 0;
}

void ts_pair_walk_leave(ts_pair_walk* walk) {
    atomic_store_explicit(&walk->parts->progress[walk->part].done, ++walk->done, memory_order_release);
}
