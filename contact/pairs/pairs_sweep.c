// Sweeps over pairs, and a look at what they came to behind the last one.
//
// Problem: the points of a pair wait for each other, and each for a root and a quotient. Rule: a group goes through its up to four points one after the
// other, each updated as ncp_pgs.c does it: the normal, and then, with what that changed, friction in its disc. Up to three groups that share no body
// go through theirs at once, step by step.
// Source: ncp_pgs.c; the groups are pairs_frame_internal.h's, who waits for whom pairs_parts.c's.
// Guaranteed: three at once give the bits of one after the other. A lane without a pair stays zero.
// Known to fail: what ncp_pgs.c fails at.
#include <string.h>

#include "contact/pairs/pairs_frame_internal.h"

// A group on its way through its points.
typedef struct sweeper {
    shared s;
    motion before, now;
    four3 impulse;  // of all points so far
    // Of the point at hand: its new impulse before friction stays in its disc, what is left of friction, what the normal changes by.
    ts_pair_point* point;
    four3 next;
    ts_four part, change;
} sweeper;

TS_PAIR_INLINE void sweep_begin(const ts_pairs* pairs, const ts_pair_group* group, int is_round, sweeper* w) {
    share(group, &w->s);
    motion_of(&w->s, is_round, pairs->velocity, &w->before);
    w->now.apart = w->before.apart;
    w->now.turn[0] = w->before.turn[0];
    w->now.turn[1] = w->before.turn[1];
    w->impulse = zero3();
}

// The normal, and then friction with what that changed.
TS_PAIR_INLINE void sweep_push(sweeper* w, int is_round, ts_pair_point* p) {
    four3 old = load3(&p->lambda), c = read_point(&w->s, is_round, &w->now, w->impulse, load3(&p->lever));
    ts_four tangent = ts_four_load(p->step[0]), normal = ts_four_load(p->step[1]);
    // Without c first: who waits for it waits for less.
    ts_four kept = ts_four_plus(old.z, ts_four_product(normal, ts_four_load(p->reference)));
    four3 next = {ts_four_minus(old.x, ts_four_product(tangent, c.x)),
                  ts_four_minus(old.y, ts_four_product(tangent, c.y)),
                  ts_four_minus(kept, ts_four_product(normal, c.z))};
    next.z = ts_four_most(next.z, ts_four_zero());
    w->change = ts_four_minus(next.z, old.z);
    next.x = ts_four_minus(next.x, ts_four_product(ts_four_load(p->coupling[0]), w->change));
    next.y = ts_four_minus(next.y, ts_four_product(ts_four_load(p->coupling[1]), w->change));
    w->point = p;
    w->next = next;
}

// Whether friction is beyond its disc is anyone's guess, and a wrong guess costs more than the root, but where nobody else uses the time. `guesses`: a
// constant.
TS_PAIR_INLINE void sweep_bound(sweeper* w, int guesses) {
    ts_four x = w->next.x, y = w->next.y, reach = ts_four_product(w->s.friction, w->next.z);
    ts_four squared = ts_four_plus(ts_four_product(x, x), ts_four_product(y, y));
    ts_four beyond = ts_four_minus(squared, ts_four_product(reach, reach));
    w->part = ts_four_all(1.0);
    if (guesses && !ts_four_any(beyond)) return;
    w->part = ts_four_where(beyond, ts_four_quotient(reach, ts_four_root(squared)), ts_four_all(1.0));
}

TS_PAIR_INLINE void sweep_give(sweeper* w, int is_round) {
    ts_pair_vector* lambda = &w->point->lambda;
    four3 next = {ts_four_product(w->part, w->next.x), ts_four_product(w->part, w->next.y), w->next.z};
    four3 change = {ts_four_minus(next.x, ts_four_load(lambda->at[0])),
                    ts_four_minus(next.y, ts_four_load(lambda->at[1])), w->change};
    store3(next, lambda);
    push_point(&w->s, is_round, &w->now, load3(&w->point->lever), change);
    w->impulse = plus3(w->impulse, change);
}

TS_PAIR_INLINE void sweep_end(const ts_pairs* pairs, int is_round, const sweeper* w) {
    move_bodies(&w->s, is_round, pairs->velocity, &w->before, &w->now, w->impulse);
}

// Compilers take loops apart too late to keep what is in them in registers.
#if defined(__clang__)
#define UNROLL _Pragma("clang loop unroll(full)")
#elif defined(__GNUC__)
#define UNROLL _Pragma("GCC unroll 3")
#else
#define UNROLL
#endif

TS_PAIR_INLINE void sweep_point(sweeper* w, int is_round, ts_pair_point* p) {
    sweep_push(w, is_round, p);
    sweep_bound(w, 1);
    sweep_give(w, is_round);
}

// So many groups that share no body at once, step by step: while a point of one waits for its root, or for the point before it, those of others go on.
TS_PAIR_INLINE void sweep_abreast(const ts_pairs* pairs, const ts_pair_group* const* group, int count, int is_round) {
    sweeper w[TS_PAIR_ABREAST];
    int least = TS_PAIR_POINTS;
    UNROLL for (int k = 0; k < count; ++k) {
        least = group[k]->count < least ? group[k]->count : least;
        sweep_begin(pairs, group[k], is_round, &w[k]);
    }
    for (int i = 0; i < least; ++i) {
        UNROLL for (int k = 0; k < count; ++k) sweep_push(&w[k], is_round, &pairs->point[group[k]->first + i]);
        UNROLL for (int k = 0; k < count; ++k) sweep_bound(&w[k], count == 1);
        UNROLL for (int k = 0; k < count; ++k) sweep_give(&w[k], is_round);
    }
    UNROLL for (int k = 0; k < count; ++k) {
        for (int i = least; count > 1 && i < group[k]->count; ++i)
            sweep_point(&w[k], is_round, &pairs->point[group[k]->first + i]);
        sweep_end(pairs, is_round, &w[k]);
    }
}

// Constants, of which each is worth a loop of its own.
#define ABREAST(count, is_round)                                                                       \
    static void sweep_##count##_##is_round(const ts_pairs* pairs, const ts_pair_group* const* group) { \
        sweep_abreast(pairs, group, count, is_round);                                                  \
    }
ABREAST(1, 0)
ABREAST(2, 0)
ABREAST(3, 0)
ABREAST(1, 1)
ABREAST(2, 1)
ABREAST(3, 1)

static void sweep_groups(const ts_pairs* pairs, const ts_pair_group* const* group, int count) {
    static void (*const sweeps[2][TS_PAIR_ABREAST])(const ts_pairs*, const ts_pair_group* const*) = {
        {sweep_1_0, sweep_2_0, sweep_3_0}, {sweep_1_1, sweep_2_1, sweep_3_1}};
    int round = 0;
    for (int k = 0; k < count; ++k) round += group[k]->is_round != 0;
    if (round == 0 || round == count) {
        sweeps[round > 0][count - 1](pairs, group);
        return;
    }
    for (int k = 0; k < count; ++k) sweeps[group[k]->is_round != 0][0](pairs, &group[k]);
}

static void sweep_piece(const ts_pairs* pairs, int begin, int end) {
    const char* abreast = pairs->parts->abreast;
    const ts_pair_group* group[TS_PAIR_ABREAST];
    for (int g = begin; g < end; g += abreast[g]) {
        for (int k = 0; k < abreast[g]; ++k) group[k] = &pairs->group[g + k];
        sweep_groups(pairs, group, abreast[g]);
    }
}

void TS_PAIR_KERNEL(sweep)(ts_pair_pass* pass, int place) {
    ts_pair_walk walk = ts_pair_walk_begin(pass->pairs->parts, &pass->turns, place);
    figures found;
    memset(&found, 0, sizeof found);
    for (int piece, at, end; (piece = ts_pair_walk_next(&walk, &at)) >= 0; ts_pair_walk_tell(&walk, at)) {
        int begin = ts_pair_piece_begin(&walk, piece, &end);
        if (at < pass->count)
            sweep_piece(pass->pairs, begin, end);
        else
            TS_PAIR_KERNEL(judge_groups)(pass->pairs, begin, end, &found);
    }
    if (pass->judges) TS_PAIR_KERNEL(keep_figures)(&found, &pass->residual[place]);
}
