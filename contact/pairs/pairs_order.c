// The order of pairs in a sweep.
//
// Problem: a sweep sees what the ones before it did, so pairs side by side must not share a body that moves; and loads should run down a pile within
// one sweep, which an order by colours forgets. Rule: units come in the order in which loads run (engine/rows/contact_order.c). Of those for which
// all is done that comes before them on their bodies, the first dozen makes a level: they share no body, and go side by side, four at a time, with others of
// as many points. So a body's units stay close to each other, and sweeps can go close behind each other (pairs_parts.c). Done so, sweeps over many
// small islands would read all of them as often as they sweep: such islands come in batches that stay in a core's near cache. There a unit's level
// is one above the highest of those before it in its batch that share a body with it, and a part is some batches.
// Source: list scheduling; by levels, as for sparse triangular solves (Anderson and Saad 1989).
// Guaranteed: a sweep does what a sweep over the units one after the other does, to the bit; linear time.
// Known to fail: a body with very many contacts leaves lanes empty.
// Tried: pairs within domains first, those between them last, as in contact/sweep_order.c, so that threads wait twice a sweep. Loads cross a seam once a
// sweep then: with two domains the natural map of a square pyramid of 1240 after four sweeps was 4.6 times as far from zero, with eight 8.8 times.
// Tried: levels as in batches for heaps, too. Where a row of a pile waits for its neighbour a level is many rows high in one place and few in another, and
// a body that both touch is waited for five times as long: sweeps of a pyramid of 10,011 took a twelfth longer.
#include "contact/pairs/pairs_order_internal.h"

#include <stdint.h>
#include <string.h>

#include "base/sort.h"

enum {
    STRIPS = 256,      // of equal width, by which units of a level are sorted
    DOZEN = 12,        // most units of a heap's level: three groups, which are swept at once
    BATCH = 200,       // units: 50 groups, with four points each a quarter of a near cache of half a megabyte
    SMALL = BATCH / 4  // most units of an island in a batch with others
};

static int strip_of(const ts_strips* strips, const ts_pair_unit* unit) { return ts_strips_at(strips, unit->place); }

// Islands that come one after the other.
typedef struct batches {
    int count;
    int* of;     // (island_count) NULL: there is one
    int* first;  // (count + 1) its levels, of those of all
} batches;

static int island_of(const ts_pair_bodies* bodies, const ts_pair_unit* unit) {
    return bodies->island_of[unit->body[0] ? unit->body[0] : unit->body[1]];
}

static int batch_of(const batches* b, const ts_pair_bodies* bodies, const ts_pair_unit* unit) {
    return b->of ? b->of[island_of(bodies, unit)] : 0;
}

// Deals islands to batches as they come. Islands that are alike fill all lanes: so many at once.
static int fill_batches(const int* size, int island_count, int* out_batch) {
    int count = 0, units = 0;
    for (int i = 0; i < island_count; ++i) {
        if (units >= BATCH && i % TS_PAIR_LANES == 0) {
            ++count;
            units = 0;
        }
        out_batch[i] = count;
        units += size[i];
    }
    return count + 1;
}

// Batches, where all islands are small and there is more than one batch of them. Returns 0 when memory is short.
static int find_batches(ts_arena* arena, const ts_pairs_input* input, const ts_pair_bodies* bodies, batches* out) {
    int most = 0;
    *out = (batches){1, NULL, NULL};
    if (input->unit_count >= 2 * BATCH && bodies->island_count > input->unit_count / SMALL) {
        int *size = (int*)ts_arena_alloc_zeroed(arena, (size_t)bodies->island_count, sizeof(int)),
            *of = TS_ARENA_ARRAY(arena, int, bodies->island_count);
        if (!size || !of) return 0;
        for (int u = 0; u < input->unit_count; ++u) {
            int island = island_of(bodies, &input->unit[u]);
            if (++size[island] > most) most = size[island];
        }
        if (most <= SMALL) *out = (batches){fill_batches(size, bodies->island_count, of), of, NULL};
    }
    out->first = (int*)ts_arena_alloc_zeroed(arena, (size_t)out->count + 1, sizeof(int));
    return out->first != NULL;
}

// Levels of all units into out_level, batch by batch, and how many units each has. `above` (body_count) is zero. Returns how many levels.
static int find_levels(const ts_pairs_input* input, const ts_pair_bodies* bodies, const batches* in, int* above,
                       int* out_level, int* out_size) {
    for (int u = 0; u < input->unit_count; ++u) {
        int a = input->unit[u].body[0], b = input->unit[u].body[1], batch = batch_of(in, bodies, &input->unit[u]);
        int level = above[a] > above[b] ? above[a] : above[b];
        out_level[u] = level;
        if (a) above[a] = level + 1;
        if (b) above[b] = level + 1;
        if (level >= in->first[batch + 1]) in->first[batch + 1] = level + 1;
    }
    for (int b = 0; b < in->count; ++b) in->first[b + 1] += in->first[b];
    for (int u = 0; u < input->unit_count; ++u) {
        out_level[u] += in->first[batch_of(in, bodies, &input->unit[u])];
        ++out_size[out_level[u]];
    }
    return in->first[in->count];
}

// Units that wait for nothing any more, a bit each.
typedef struct ready_units {
    uint64_t* word;
    int low;  // nothing is ready before this word
} ready_units;

static void add_ready(ready_units* ready, int u) {
    ready->word[u / 64] |= (uint64_t)1 << u % 64;
    if (u / 64 < ready->low) ready->low = u / 64;
}

// The first ones are ready no more. Returns how many.
static int take_ready(ready_units* ready, int words, int* out_unit) {
    int count = 0;
    for (int w = ready->low; w < words && count < DOZEN; ++w) {
        for (; ready->word[w] && count < DOZEN; ready->word[w] &= ready->word[w] - 1)
            out_unit[count++] = 64 * w + __builtin_ctzll(ready->word[w]);
        if (count == 0) ready->low = w + 1;
    }
    return count;
}

// What follows a unit on its two bodies, -1: nothing; and for how many it waits. `last` (body_count) is zero.
static void find_followers(const ts_pairs_input* input, int* last, int* out_next, unsigned char* out_waits) {
    for (int u = 0; u < input->unit_count; ++u) {
        out_waits[u] = 0;
        for (int side = 0; side < 2; ++side) {
            int b = input->unit[u].body[side];
            out_next[2 * u + side] = -1;
            if (b == 0) continue;
            if (last[b]) {
                out_next[last[b] - 1] = u;
                ++out_waits[u];
            }
            last[b] = 2 * u + side + 1;
        }
    }
}

// Levels of the units of a heap, and how many each has. `last` (body_count) and out_size are zero. Returns how many levels, -1 when memory is short.
static int list_levels(ts_arena* arena, const ts_pairs_input* input, int* last, int* out_level, int* out_size) {
    int units = input->unit_count, words = (units + 63) / 64, level = 0, take[DOZEN];
    ready_units ready = {(uint64_t*)ts_arena_alloc_zeroed(arena, (size_t)words, sizeof(uint64_t)), 0};
    int* next = TS_ARENA_ARRAY(arena, int, 2 * (size_t)units);
    unsigned char* waits = TS_ARENA_ARRAY(arena, unsigned char, units);
    if (!ready.word || !next || !waits) return -1;
    find_followers(input, last, next, waits);
    for (int u = 0; u < units; ++u)
        if (waits[u] == 0) add_ready(&ready, u);
    for (ready.low = 0; (out_size[level] = take_ready(&ready, words, take)) > 0; ++level)
        for (int k = 0; k < out_size[level]; ++k) {
            out_level[take[k]] = level;
            for (int side = 0; side < 2; ++side) {
                int u = next[2 * take[k] + side];
                if (u >= 0 && --waits[u] == 0) add_ready(&ready, u);
            }
        }
    return level;
}

// Units of most points first, and of those of as many strip by strip: lanes side by side wait for the one with most points.
static void list_units(const ts_pairs_input* input, const ts_strips* s, int* out_list) {
    enum { CLASSES = (TS_PAIR_POINTS + 1) * STRIPS };
    int next[CLASSES + 1] = {0};
    for (int u = 0; u < input->unit_count; ++u) {
        const ts_pair_unit* unit = &input->unit[u];
        ++next[(TS_PAIR_POINTS - unit->count) * STRIPS + strip_of(s, unit) + 1];
    }
    for (int c = 0; c < CLASSES; ++c) next[c + 1] += next[c];
    for (int u = 0; u < input->unit_count; ++u) {
        const ts_pair_unit* unit = &input->unit[u];
        out_list[next[(TS_PAIR_POINTS - unit->count) * STRIPS + strip_of(s, unit)]++] = u;
    }
}

// Some batches each, or all.
static void give_parts(const batches* in, const int* first_group, ts_pair_order* order) {
    int parts = order->part_count = in->count < TS_PAIR_PARTS_MOST ? in->count : TS_PAIR_PARTS_MOST;
    for (int p = 0; p <= parts; ++p) {
        // The first batch of the part.
        int batch = (int)(((long long)p * in->count + parts - 1) / parts);
        order->first[p] = first_group[batch];
    }
}

int ts_pair_order_make(ts_arena* arena, const ts_pairs_input* input, ts_pair_bodies bodies, ts_pair_order* out) {
    size_t units = (size_t)input->unit_count;
    *out = (ts_pair_order){.place = TS_ARENA_ARRAY(arena, int, units)};
    if (!out->place) return 0;
    ts_arena_scope scope = ts_arena_scope_begin(arena);
    int* above = (int*)ts_arena_alloc_zeroed(arena, (size_t)input->body_count, sizeof(int));
    int* next = (int*)ts_arena_alloc_zeroed(arena, units + 1, sizeof(int));
    int* list = TS_ARENA_ARRAY(arena, int, units);
    ts_strips s = ts_strips_over(&input->unit->place, sizeof *input->unit, input->unit_count, STRIPS);
    batches in;
    int enough = above && next && list && find_batches(arena, input, &bodies, &in), levels = 0;
    if (enough && in.of) levels = find_levels(input, &bodies, &in, above, out->place, next);
    if (enough && !in.of) levels = in.first[1] = list_levels(arena, input, above, out->place, next);
    enough = enough && levels >= 0;
    if (enough) {
        for (int l = 0, b = 0; l < levels; ++l) {
            int size = next[l];
            // From here on where the groups of a batch begin.
            if (l == in.first[b]) in.first[b++] = out->group_count;
            next[l] = TS_PAIR_LANES * out->group_count;
            out->group_count += (size + TS_PAIR_LANES - 1) / TS_PAIR_LANES;
        }
        in.first[in.count] = out->group_count;
        list_units(input, &s, list);
        for (int k = 0; k < input->unit_count; ++k) out->place[list[k]] = next[out->place[list[k]]]++;
        give_parts(&in, in.first, out);
    }
    ts_arena_scope_end(arena, scope);
    return enough;
}
