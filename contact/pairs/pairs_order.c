// The order of pairs in a sweep.
//
// Problem: a sweep sees what the ones before it did, so pairs side by side must not share a body that moves; and loads should run down a pile within
// one sweep, which an order by colours forgets. Rule: units come in the order in which loads run (engine/rows/contact_order.c). A unit's level
// is one above the highest of those before it that share a body with it; units of one level share none, and go side by side, four at a time, with
// others of as many points, strip by strip along the pile. Strips are dealt to domains, so that all have about as many points; how many there are
// and where they end follows from the pile, never from the threads. Level by level, sweeps over many small islands would read all of them as often as
// they sweep: such islands come in batches that stay in a core's near cache, level by level only within a batch, and a domain is
// some batches.
// Source: level scheduling, as for sparse triangular solves (Anderson and Saad 1989).
// Guaranteed: a sweep does what a sweep over the units one after the other does, to the bit; linear time.
// Known to fail: a body with very many contacts leaves lanes empty.
// Tried: pairs within domains first, those between them last, as in contact/sweep_order.c, so that threads wait twice a sweep. Loads cross a seam once a
// sweep then: with two domains the natural map of a square pyramid of 1240 after four sweeps was 4.6 times as far from zero, with eight 8.8 times.
// Tried: groups from whatever is ready, first come first served: on one thread a twentieth less of the solve stage of pyramids, but groups of different
// places follow each other, and on two near cores an eighth more of that of a square pyramid of 1240 (3.26 ms in place of 2.9).
#include "contact/pairs/pairs_order_internal.h"

#include <string.h>

#include "base/sort.h"

enum {
    STRIPS = 256,       // of equal width, from which domains are made
    GROUPS_LEAST = 12,  // groups of a domain: fewer are not worth a thread
    HEAP_MOST = 16,     // domains of what is not apart
    BATCH = 200,        // units: 50 groups, with four points each a quarter of a near cache of half a megabyte
    SMALL = BATCH / 4   // most units of an island in a batch with others
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

// Domains of the strips, by the points of the units that lie in them.
static void cut_strips(const ts_pairs_input* input, const ts_strips* s, int domains, int* out_domain) {
    int points[STRIPS] = {0}, total = 0, before = 0;
    for (int u = 0; u < input->unit_count; ++u) {
        points[strip_of(s, &input->unit[u])] += input->unit[u].count;
        total += input->unit[u].count;
    }
    for (int k = 0; k < STRIPS; ++k) {
        // Where the strip's middle lies among all points.
        double part = total > 0 ? (before + 0.5 * points[k]) * domains / total : 0.0;
        out_domain[k] = part < domains - 1 ? (int)part : domains - 1;
        before += points[k];
    }
}

// Some batches each.
static void give_batches(const batches* in, const int* first_group, int most, ts_pair_order* order) {
    order->domain_count = in->count < most ? in->count : most;
    order->is_apart = 1;
    for (int b = 0; b < in->count; ++b)
        memset(order->domain + first_group[b], b * order->domain_count / in->count,
               (size_t)(first_group[b + 1] - first_group[b]));
}

static int count_domains(int groups, int most) {
    int domains = 1;
    while (domains < most && groups >= 2 * domains * GROUPS_LEAST) domains *= 2;
    return domains;
}

// The domain of every group: that of its middle.
static void give_groups(const ts_pairs_input* input, const ts_strips* s, const int* list, int most,
                        ts_pair_order* order) {
    int domain_of[STRIPS];
    order->domain_count = count_domains(order->group_count, most < HEAP_MOST ? most : HEAP_MOST);
    memset(order->domain, 0, (size_t)order->group_count);
    if (order->domain_count == 1) return;
    cut_strips(input, s, order->domain_count, domain_of);
    // In this order lanes are filled from the first, so the last of these to write is in the middle.
    for (int k = 0; k < input->unit_count; ++k) {
        int place = order->place[list[k]];
        if (place % TS_PAIR_LANES <= TS_PAIR_LANES / 2)
            order->domain[place / TS_PAIR_LANES] = (unsigned char)domain_of[strip_of(s, &input->unit[list[k]])];
    }
}

int ts_pair_order_make(ts_arena* arena, const ts_pairs_input* input, ts_pair_bodies bodies, int most_domains,
                       ts_pair_order* out) {
    size_t units = (size_t)input->unit_count;
    *out = (ts_pair_order){.place = TS_ARENA_ARRAY(arena, int, units),
                           .domain = TS_ARENA_ARRAY(arena, unsigned char, units)};
    if (arena->failed) return 0;
    ts_arena_scope scope = ts_arena_scope_begin(arena);
    int* above = (int*)ts_arena_alloc_zeroed(arena, (size_t)input->body_count, sizeof(int));
    int* next = (int*)ts_arena_alloc_zeroed(arena, units, sizeof(int));
    int* list = TS_ARENA_ARRAY(arena, int, units);
    ts_strips s = ts_strips_over(&input->unit->place, sizeof *input->unit, input->unit_count, STRIPS);
    batches in;
    int enough = above && next && list && find_batches(arena, input, &bodies, &in);
    if (enough) {
        int levels = find_levels(input, &bodies, &in, above, out->place, next);
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
        if (in.of)
            give_batches(&in, in.first, most_domains, out);
        else
            give_groups(input, &s, list, most_domains, out);
    }
    ts_arena_scope_end(arena, scope);
    return enough;
}
