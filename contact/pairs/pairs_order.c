// The order of pairs in a sweep.
//
// Problem: a sweep sees what the ones before it did, so pairs side by side must not share a body that moves; loads should run down a pile within
// one sweep, which an order by colours forgets; and threads that share a pile should seldom touch what the other wrote: a line of cache takes 50 to
// 250 ns from core to core, a group of pairs 250 ns. Rule: units come in the order in which loads run (engine/rows/contact_order.c). A unit is ready
// when those before it that share a body with it are done. Of what is ready up to eight are taken at once, two groups of four, which are gone through
// together; those with most points together, since lanes side by side wait for the one with most; and as far as there are enough of one domain.
// Domains are dealt bodies along the pile; how many there are and where they end follows from the pile, never from the threads. A small island has one.
// Source: list scheduling, Graham 1966.
// Guaranteed: a sweep does what a sweep over the units one after the other does, to the bit; linear time.
// Known to fail: a body with very many contacts leaves lanes empty.
// Tried: pairs within domains first, those between them last, as in contact/sweep_order.c, so that threads wait twice a sweep. Loads cross a seam once a
// sweep then: with two domains the natural map of a square pyramid of 1240 after four sweeps was 4.6 times as far from zero, with eight 8.8 times.
#include "contact/pairs/pairs_order_internal.h"

enum {
    DOMAIN_LEAST = 256,  // units of a domain, else lanes stay empty at its upper end
    STRIPS = 256,        // of equal width, from which domains are made
    BLOCK = 2 * TS_PAIR_LANES,
    WHOLE = 4  // an island of less than one in so many units of a domain is not cut
};

static int count_domains(int unit_count) {
    int domains = 1;
    while (domains < TS_PAIR_DOMAINS_MOST && unit_count >= 2 * domains * DOMAIN_LEAST) domains *= 2;
    return domains;
}

// --- domains -----------------------------------------------------------------------------------------------------------

// Bodies that are in one domain: a small island, or one of a large one.
typedef struct clan {
    double sum;  // m: of its units' places; units are counted for each of their bodies
    int units;
    int domain;  // -1: none yet
} clan;

static double middle_of(const clan* c) { return c->units > 0 ? c->sum / c->units : 0.0; }

// Strips along which bodies lie.
typedef struct strips {
    double from, scale;  // m, m^-1
} strips;

static strips strips_of(const ts_pair_unit* unit, int unit_count) {
    double least = unit_count > 0 ? unit[0].place : 0.0, most = least;
    for (int u = 1; u < unit_count; ++u) {
        if (unit[u].place < least) least = unit[u].place;
        if (unit[u].place > most) most = unit[u].place;
    }
    return (strips){least, most > least ? STRIPS / (most - least) : 0.0};
}

static int strip_at(const strips* s, double place) {
    double at = (place - s->from) * s->scale;
    return at < STRIPS - 1 ? (at > 0.0 ? (int)at : 0) : STRIPS - 1;
}

// What domains are made of.
typedef struct survey {
    const ts_pairs_input* input;
    const int* island_of;
    clan* body;    // (body_count)
    clan* island;  // (island_count)
    strips strips;
    int small;  // an island of fewer units is not cut
} survey;

static clan* clan_of(const survey* s, int body) {
    clan* island = &s->island[s->island_of[body]];
    return island->units < s->small ? island : &s->body[body];
}

static void see_units(const survey* s) {
    const ts_pairs_input* input = s->input;
    for (int u = 0; u < input->unit_count; ++u)
        for (int side = 0; side < 2; ++side) {
            clan* c = &s->body[input->unit[u].body[side]];
            c->sum += input->unit[u].place;
            ++c->units;
        }
    for (int b = 1; b < input->body_count; ++b) {
        if (s->body[b].units == 0) continue;
        clan* island = &s->island[s->island_of[b]];
        island->sum += s->body[b].sum;
        island->units += s->body[b].units;
        island->domain = s->body[b].domain = -1;
    }
}

// Domains have about as many units: where a strip is cut, by the numbers of its bodies.
static void find_domains(const survey* s, int domains, int* out_domain) {
    int bodies = s->input->body_count, units[STRIPS] = {0};
    long long before = 0;
    see_units(s);
    for (int b = 1; b < bodies; ++b)
        if (s->body[b].units > 0) units[strip_at(&s->strips, middle_of(clan_of(s, b)))] += s->body[b].units;
    for (int k = 0; k < STRIPS; ++k) {
        int here = units[k];
        units[k] = (int)before;
        before += here;
    }
    for (int b = 1; b < bodies; ++b) {
        if (s->body[b].units == 0) continue;
        clan* c = clan_of(s, b);
        if (c->domain < 0) {
            int* at = &units[strip_at(&s->strips, middle_of(c))];
            c->domain = (int)((2LL * *at + c->units) * domains / (2 * before));
            *at += c->units;
        }
        out_domain[b] = c->domain;
    }
}

// --- what is ready -------------------------------------------------------------------------------------------------------

// Units of a domain that are ready, by the number of their points, first come first served.
typedef struct queue {
    int head[TS_PAIR_POINTS + 1], tail[TS_PAIR_POINTS + 1], size[TS_PAIR_POINTS + 1];
    int ready;
} queue;

// Units on their way into groups.
typedef struct scheduler {
    int domains;
    unsigned char* points;  // (unit_count)
    unsigned char* domain;  // (unit_count)
    unsigned char* before;  // (unit_count) how many of those before it on its bodies are not done
    int* next;              // (unit_count) behind it in its queue
    int* after;             // (2 x unit_count) the next unit on its body A, and on B; -1: none
    queue of[TS_PAIR_DOMAINS_MOST];
    int ready;
} scheduler;

static void push(scheduler* s, int u) {
    queue* q = &s->of[s->domain[u]];
    int points = s->points[u];
    if (q->size[points]++ == 0)
        q->head[points] = u;
    else
        s->next[q->tail[points]] = u;
    q->tail[points] = u;
    ++q->ready;
    ++s->ready;
}

static int pop(scheduler* s, queue* q, int points) {
    int u = q->head[points];
    q->head[points] = s->next[u];
    --q->size[points];
    --q->ready;
    --s->ready;
    return u;
}

// A unit after those before it. `last` (body_count): of every body, place in `after` that waits for the next unit on it; -1: none.
static void open_unit(scheduler* s, const ts_pair_unit* unit, int u, const int* domain, int* last) {
    // By turns that of A and that of B, so that what lies between two domains is shared.
    const int* body = unit[u].body;
    s->domain[u] = (unsigned char)domain[body[u % 2] ? body[u % 2] : body[1 - u % 2]];
    s->points[u] = (unsigned char)unit[u].count;
    s->before[u] = 0;
    for (int side = 0; side < 2; ++side) {
        int* at = &last[body[side]];
        s->after[2 * u + side] = -1;
        if (!body[side]) continue;
        if (*at >= 0) {
            s->after[*at] = u;
            ++s->before[u];
        }
        *at = 2 * u + side;
    }
    if (s->before[u] == 0) push(s, u);
}

// Of what is all taken now the most points, else what came first.
static int choose_points(const queue* q) {
    int first = 0;
    for (int points = TS_PAIR_POINTS; points > 0; --points) {
        if (q->size[points] == 0) continue;
        if (q->ready <= BLOCK) return points;
        if (first == 0 || q->head[points] < q->head[first]) first = points;
    }
    return first;
}

// Behind the `count` that are there: units of as many points, those with fewer, those with more. Returns how many there are.
static int take_from(scheduler* s, queue* q, int count, int* out_unit) {
    int first = choose_points(q);
    for (int points = first; points > 0; --points)
        while (count < BLOCK && q->size[points] > 0) out_unit[count++] = pop(s, q, points);
    for (int points = TS_PAIR_POINTS; points > first; --points)
        while (count < BLOCK && q->size[points] > 0) out_unit[count++] = pop(s, q, points);
    return count;
}

// Those with most points first; of as many as they come.
static void sort_block(const scheduler* s, int count, int* block) {
    for (int k = 1; k < count; ++k) {
        int u = block[k], at = k;
        for (; at > 0 && s->points[block[at - 1]] < s->points[u]; --at) block[at] = block[at - 1];
        block[at] = u;
    }
}

// Of the domain where most is ready, and where that is too little of those behind it.
static int take_block(scheduler* s, int* out_unit) {
    int best = 0, count = 0;
    for (int d = 1; d < s->domains; ++d)
        if (s->of[d].ready > s->of[best].ready) best = d;
    for (int k = 0; k < s->domains && count < BLOCK; ++k)
        count = take_from(s, &s->of[(best + k) % s->domains], count, out_unit);
    sort_block(s, count, out_unit);
    return count;
}

// The one that most of the units are of.
static int domain_of_group(const scheduler* s, const int* unit, int count) {
    int best = 0, most = 0;
    for (int k = 0; k < count; ++k) {
        int domain = s->domain[unit[k]], same = 0;
        for (int i = 0; i < count; ++i) same += s->domain[unit[i]] == domain;
        if (same > most) best = domain;
        if (same > most) most = same;
    }
    return best;
}

static void finish(scheduler* s, int u) {
    for (int side = 0; side < 2; ++side) {
        int next = s->after[2 * u + side];
        if (next >= 0 && --s->before[next] == 0) push(s, next);
    }
}

static void make_groups(scheduler* s, ts_pair_order* order) {
    int block[BLOCK];
    while (s->ready > 0) {
        int taken = take_block(s, block), begin = 0;
        for (int k = 0; k < taken; ++k) order->place[block[k]] = TS_PAIR_LANES * order->group_count + k;
        for (; begin < taken; begin += TS_PAIR_LANES) {
            int count = taken - begin < TS_PAIR_LANES ? taken - begin : TS_PAIR_LANES;
            order->domain[order->group_count] = (unsigned char)domain_of_group(s, block + begin, count);
            order->is_twin[order->group_count++] = (unsigned char)(begin + TS_PAIR_LANES < taken);
        }
        for (int k = 0; k < taken; ++k) finish(s, block[k]);
    }
}

// -------------------------------------------------------------------------------------------------------------------------

static int make(ts_arena* arena, const survey* all, ts_pair_order* order) {
    const ts_pairs_input* input = all->input;
    int units = input->unit_count, bodies = input->body_count;
    int* domain = (int*)ts_arena_alloc_zeroed(arena, (size_t)bodies, sizeof(int));
    int* last = TS_ARENA_ARRAY(arena, int, bodies);
    scheduler s = {.domains = order->domain_count,
                   .points = TS_ARENA_ARRAY(arena, unsigned char, units),
                   .domain = TS_ARENA_ARRAY(arena, unsigned char, units),
                   .before = TS_ARENA_ARRAY(arena, unsigned char, units),
                   .next = TS_ARENA_ARRAY(arena, int, units),
                   .after = TS_ARENA_ARRAY(arena, int, 2 * (size_t)units)};
    if (arena->failed) return 0;
    if (s.domains > 1) find_domains(all, s.domains, domain);
    for (int b = 0; b < bodies; ++b) last[b] = -1;
    for (int u = 0; u < units; ++u) open_unit(&s, input->unit, u, domain, last);
    make_groups(&s, order);
    return 1;
}

int ts_pair_order_make(ts_arena* arena, const ts_pairs_input* input, const int* island_of, int island_count,
                       ts_pair_order* out) {
    size_t units = (size_t)input->unit_count;
    *out = (ts_pair_order){.domain_count = count_domains(input->unit_count)};
    out->place = TS_ARENA_ARRAY(arena, int, units);
    out->domain = TS_ARENA_ARRAY(arena, unsigned char, units);
    out->is_twin = TS_ARENA_ARRAY(arena, unsigned char, units);
    if (arena->failed) return 0;
    ts_arena_scope scope = ts_arena_scope_begin(arena);
    survey s = {.input = input,
                .island_of = island_of,
                .body = (clan*)ts_arena_alloc_zeroed(arena, (size_t)input->body_count, sizeof(clan)),
                .island = (clan*)ts_arena_alloc_zeroed(arena, (size_t)island_count, sizeof(clan)),
                .strips = strips_of(input->unit, input->unit_count),
                .small = 2 * input->unit_count / (WHOLE * out->domain_count)};
    int enough = !arena->failed && make(arena, &s, out);
    ts_arena_scope_end(arena, scope);
    return enough;
}
