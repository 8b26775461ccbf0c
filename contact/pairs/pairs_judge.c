// Judging pairs: the figures of all laws, and what islands are told.
//
// Problem: every substep is judged, of each point some twenty numbers. Rule: the sums and comparisons of contact/judge/residual.c in lanes; cases are
// choices between results, and the root or quotient of a case is found only where some lane is in it. Islands are told group by group, each by one
// thread. It is the last pass of a walk, close behind the last sweep (pairs_sweep.c), and waits as a sweep would: bodies are then
// as all sweeps left them.
// Source: contact/judge/residual.c.
// Guaranteed: worst figures and sums of lanes do not depend on how many threads judge. What is not finite is found in all figures.
// Known to fail: what is so large that its square is not finite is judged as that.
#include "contact/pairs/pairs_frame_internal.h"

// Of a group: what its islands are told.
typedef struct island_part {
    ts_four natural, impulse, across, opposed, work;
    ts_four velocity, asked, made;
} island_part;

TS_PAIR_INLINE void worsen(ts_four* worst, ts_four x) { *worst = ts_four_most(x, *worst); }

// Distance to the dual cone mu t <= z, the worst so far: to its side, and squared to its tip, whose root is found at last. Roots of what is larger are.
TS_PAIR_INLINE void worsen_dual(ts_four slip, ts_four squared, ts_four z, ts_four mu, ts_four slant, ts_four* side,
                                ts_four* tip) {
    ts_four short_of = ts_four_minus(ts_four_product(mu, slip), z), zero = ts_four_zero();
    ts_four below = ts_four_minus(ts_four_minus(zero, ts_four_product(mu, z)), slip);  // > 0: nearest is the tip
    ts_four to_side = ts_four_where(below, zero, ts_four_product(short_of, slant));
    ts_four to_tip = ts_four_plus(squared, ts_four_product(z, z));
    worsen(side, to_side);
    worsen(tip, ts_four_where(ts_four_least(short_of, below), to_tip, zero));
}

// |lambda - P_K(lambda - step w)|^2, w with De Saxce's shift; `slant` is 1 / sqrt(1 + mu^2).
TS_PAIR_INLINE ts_four natural_squared(four3 l, four3 w, ts_four step, ts_four mu, ts_four slant) {
    four3 x = minus3(l, times3(step, w));
    ts_four zero = ts_four_zero(), height = ts_four_most(x.z, zero), reach = ts_four_product(mu, height);
    ts_four squared = ts_four_plus(ts_four_product(x.x, x.x), ts_four_product(x.y, x.y));
    ts_four beyond = ts_four_minus(squared, ts_four_product(reach, reach));
    four3 inside = minus3(l, (four3){x.x, x.y, height});
    ts_four tangent = ts_four_root(squared);
    ts_four side = ts_four_product(ts_four_plus(ts_four_product(mu, tangent), x.z), ts_four_product(slant, slant));
    side = ts_four_most(side, zero);  // else the nearest point is the tip
    ts_four part = ts_four_quotient(ts_four_product(mu, side), ts_four_most(tangent, ts_four_all(1e-300)));
    four3 at = {ts_four_product(part, x.x), ts_four_product(part, x.y), side};
    four3 outside = minus3(l, at);
    four3 gap = {ts_four_where(beyond, outside.x, inside.x), ts_four_where(beyond, outside.y, inside.y),
                 ts_four_where(beyond, outside.z, inside.z)};
    return dot3(gap, gap);
}

// The pyramid's complementarity along one axis.
TS_PAIR_INLINE ts_four axis_work(ts_four l, ts_four v, ts_four bound) {
    ts_four zero = ts_four_zero(), forth = ts_four_product(ts_four_most(v, zero), ts_four_plus(l, bound));
    ts_four back = ts_four_product(ts_four_most(ts_four_minus(zero, v), zero), ts_four_minus(bound, l));
    return ts_four_most(ts_four_size(forth), ts_four_size(back));
}

// Laws and figures of a point with impulse l and velocity u.
TS_PAIR_INLINE void judge_point(ts_four mu, ts_four slant, ts_four step, four3 l, four3 u, figures* f,
                                island_part* part) {
    ts_four zero = ts_four_zero(), slip_squared = ts_four_plus(ts_four_product(u.x, u.x), ts_four_product(u.y, u.y));
    ts_four friction = ts_four_root(ts_four_plus(ts_four_product(l.x, l.x), ts_four_product(l.y, l.y)));
    ts_four slip = ts_four_root(slip_squared), bound = ts_four_product(mu, l.z), shift = ts_four_product(mu, slip);
    ts_four along = ts_four_plus(ts_four_product(l.x, u.x), ts_four_product(l.y, u.y));
    ts_four normal_work = ts_four_product(l.z, u.z), work = ts_four_plus(along, normal_work);
    four3 w = {u.x, u.y, ts_four_plus(u.z, shift)};
    worsen(&f->primal, ts_four_product(ts_four_minus(friction, bound), slant));
    worsen(&f->lcp_primal, ts_four_minus(ts_four_most(ts_four_size(l.x), ts_four_size(l.y)), bound));
    worsen(&f->lcp_complementarity, ts_four_most(axis_work(l.x, u.x, bound), axis_work(l.y, u.y, bound)));
    worsen(&f->signorini, ts_four_size(normal_work));
    worsen_dual(slip, slip_squared, u.z, mu, slant, &f->ccp_dual, &f->ccp_tip);
    worsen(&f->ccp_complementarity, ts_four_size(work));
    worsen_dual(slip, slip_squared, w.z, mu, slant, &f->ncp_dual, &f->ncp_tip);
    worsen(&f->ncp_complementarity, ts_four_size(ts_four_plus(along, ts_four_product(l.z, w.z))));
    worsen(&f->created, work);
    worsen(&f->dissipation, ts_four_plus(ts_four_product(bound, slip), along));
    worsen(&f->closing, ts_four_minus(zero, u.z));
    worsen(&f->coulomb, ts_four_minus(friction, bound));
    worsen(&part->natural, natural_squared(l, w, step, mu, slant));
    worsen(&part->impulse, ts_four_most(ts_four_most(ts_four_size(l.x), ts_four_size(l.y)), ts_four_size(l.z)));
    part->across =
        ts_four_plus(part->across, ts_four_size(ts_four_minus(ts_four_product(l.x, u.y), ts_four_product(l.y, u.x))));
    part->opposed = ts_four_minus(part->opposed, along);
    part->work = ts_four_plus(part->work, ts_four_product(friction, slip));
    // Zero times anything finite is zero.
    ts_four sum = ts_four_plus(ts_four_plus(ts_four_plus(l.x, l.y), l.z), ts_four_plus(ts_four_plus(u.x, u.y), u.z));
    f->finite = ts_four_plus(f->finite, ts_four_product(zero, sum));
}

// What a point with impulse l and velocity u has to do with its velocity without impulses, g.
TS_PAIR_INLINE void note_free(four3 l, four3 u, four3 g, island_part* part) {
    worsen(&part->velocity, ts_four_most(ts_four_most(ts_four_size(g.x), ts_four_size(g.y)), ts_four_size(g.z)));
    part->asked = ts_four_plus(part->asked, dot3(l, g));
    part->made = ts_four_plus(part->made, dot3(l, minus3(u, g)));
}

// What a group's islands are told. Lanes without a pair are of none.
TS_PAIR_INLINE void tell_islands(const ts_pairs* pairs, const ts_pair_group* group, const island_part* part) {
    double velocity[TS_PAIR_LANES], asked[TS_PAIR_LANES], made[TS_PAIR_LANES], natural[TS_PAIR_LANES],
        impulse[TS_PAIR_LANES], across[TS_PAIR_LANES], opposed[TS_PAIR_LANES], work[TS_PAIR_LANES];
    ts_four_store(part->velocity, velocity);
    ts_four_store(part->asked, asked);
    ts_four_store(part->made, made);
    ts_four_store(part->natural, natural);
    ts_four_store(part->impulse, impulse);
    ts_four_store(part->across, across);
    ts_four_store(part->opposed, opposed);
    ts_four_store(part->work, work);
    for (int k = 0; k < TS_PAIR_LANES; ++k) {
        if (group->island[k] == pairs->island_count) continue;
        ts_pair_island* island = &pairs->island[group->island[k]];
        if (natural[k] > island->natural) island->natural = natural[k];
        if (impulse[k] > island->impulse) island->impulse = impulse[k];
        island->velocity = ts_worse(island->velocity, velocity[k]);
        island->asked += asked[k];
        island->made += made[k];
        island->across += across[k];
        island->opposed += opposed[k];
        island->work += work[k];
    }
}

// What is not finite is found in all figures.
static void show_figures(const figures* f, ts_residual* out) {
    static const ts_residual zero;
    *out = zero;
    double nothing = ts_four_sum(f->finite), signorini = most_of(f->signorini);
    out->lcp = (ts_law_residual){nothing + most_of(f->lcp_primal), nothing + most_of(f->closing),
                                 nothing + fmax(signorini, most_of(f->lcp_complementarity))};
    out->ccp =
        (ts_law_residual){nothing + most_of(f->primal), nothing + fmax(most_of(f->ccp_dual), sqrt(most_of(f->ccp_tip))),
                          nothing + most_of(f->ccp_complementarity)};
    out->ncp =
        (ts_law_residual){nothing + most_of(f->primal), nothing + fmax(most_of(f->ncp_dual), sqrt(most_of(f->ncp_tip))),
                          nothing + most_of(f->ncp_complementarity)};
    out->signorini = nothing + signorini;
    out->created = nothing + most_of(f->created);
    out->dissipation = nothing + most_of(f->dissipation);
    out->closing = nothing + most_of(f->closing);
    out->coulomb = nothing + most_of(f->coulomb);
    out->natural = nothing;
}

// The figures of all laws, and what is wrong in every island, in no unit of its own yet.
static void judge_group(const ts_pairs* pairs, int g, figures* f) {
    const ts_pair_group* group = &pairs->group[g];
    ts_four zero = ts_four_zero(), one = ts_four_all(1.0);
    shared s;
    share(group, &s);
    view now = view_of(&s, pairs->velocity), free = view_of(&s, pairs->free);
    island_part sums = {zero, zero, zero, zero, zero, zero, zero, zero};
    ts_four slant = ts_four_plus(one, ts_four_product(s.friction, s.friction));
    slant = ts_four_quotient(one, ts_four_root(slant));
    for (int i = group->first; i < group->first + group->count; ++i) {
        const ts_pair_point* p = &pairs->point[i];
        ts_pair_track* track = &pairs->track[i];
        four3 c = read_there(&now, p), l = load3(&p->lambda), g_here = read_there(&free, p);
        ts_four reference = ts_four_load(p->reference);
        store3(c, &track->velocity);
        c.z = ts_four_minus(c.z, reference);
        g_here.z = ts_four_minus(g_here.z, reference);
        note_free(l, c, g_here, &sums);
        judge_point(s.friction, slant, ts_four_load(p->natural), l, c, f, &sums);
    }
    tell_islands(pairs, group, &sums);
}

void TS_PAIR_KERNEL(judge_groups)(const ts_pairs* pairs, int begin, int end, figures* f) {
    figures here = *f;
    for (int g = begin; g < end; ++g) judge_group(pairs, g, &here);
    *f = here;
}

void TS_PAIR_KERNEL(keep_figures)(const figures* f, ts_residual* io_part) {
    ts_residual here;
    show_figures(f, &here);
    ts_pair_residual_join(io_part, &here);
}
