// Passes over pairs of free bodies, four side by side.
//
// Problem: a pass over a contact costs what its rows and its loads cost. Rule: a group of four pairs loads the velocities of its eight bodies once,
// goes through its up to four points, one after the other, and stores them once. Of a point it reads a lever arm, its impulse and four
// numbers of its stiffness; rows are cross products. Lanes are pairs, which share no body (pairs.c), so a pass over a group is what
// four passes over pairs are.
// A point is updated as ncp_pgs.c does it: the normal, and then, with what that changed, friction in its disc.
// Source: pairs as units with shared frames, and wide solving by graph colouring, Catto, Box2D 3 (2024).
// Guaranteed: compiled for AVX2 (pairs_kernel_wide.c) and for every machine the same sums in the same order, so the same bits. A lane without a pair
// and a point that a pair lacks have steps of zero and stay zero.
// Known to fail: what ncp_pgs.c fails at.
#include "contact/pairs/pairs_kernel_internal.h"

#include "base/linear/four.h"
#include "base/scalar.h"
#include "contact/operator/stiffness_internal.h"

typedef struct four3 {
    ts_four x, y, z;
} four3;

static inline four3 load3(const ts_pair_vector* from) {
    four3 v = {ts_four_load(from->at[0]), ts_four_load(from->at[1]), ts_four_load(from->at[2])};
    return v;
}

static inline void store3(four3 v, ts_pair_vector* to) {
    ts_four_store(v.x, to->at[0]);
    ts_four_store(v.y, to->at[1]);
    ts_four_store(v.z, to->at[2]);
}

static inline four3 plus3(four3 a, four3 b) {
    four3 v = {ts_four_plus(a.x, b.x), ts_four_plus(a.y, b.y), ts_four_plus(a.z, b.z)};
    return v;
}

static inline four3 minus3(four3 a, four3 b) {
    four3 v = {ts_four_minus(a.x, b.x), ts_four_minus(a.y, b.y), ts_four_minus(a.z, b.z)};
    return v;
}

static inline four3 times3(ts_four s, four3 a) {
    four3 v = {ts_four_product(s, a.x), ts_four_product(s, a.y), ts_four_product(s, a.z)};
    return v;
}

static inline ts_four dot3(four3 a, four3 b) {
    return ts_four_plus(ts_four_plus(ts_four_product(a.x, b.x), ts_four_product(a.y, b.y)), ts_four_product(a.z, b.z));
}

static inline four3 cross3(four3 a, four3 b) {
    four3 v = {ts_four_minus(ts_four_product(a.y, b.z), ts_four_product(a.z, b.y)),
               ts_four_minus(ts_four_product(a.z, b.x), ts_four_product(a.x, b.z)),
               ts_four_minus(ts_four_product(a.x, b.y), ts_four_product(a.y, b.x))};
    return v;
}

// The symmetric matrix xx xy xz yy yz zz times a.
static inline four3 tensor3(const ts_pair_tensor* I, four3 a) {
    ts_four xx = ts_four_load(I->at[0]), xy = ts_four_load(I->at[1]), xz = ts_four_load(I->at[2]);
    ts_four yy = ts_four_load(I->at[3]), yz = ts_four_load(I->at[4]), zz = ts_four_load(I->at[5]);
    four3 v = {
        ts_four_plus(ts_four_plus(ts_four_product(xx, a.x), ts_four_product(xy, a.y)), ts_four_product(xz, a.z)),
        ts_four_plus(ts_four_plus(ts_four_product(xy, a.x), ts_four_product(yy, a.y)), ts_four_product(yz, a.z)),
        ts_four_plus(ts_four_plus(ts_four_product(xz, a.x), ts_four_product(yz, a.y)), ts_four_product(zz, a.z))};
    return v;
}

// The velocities of four bodies.
typedef struct speeds {
    four3 linear, angular;
} speeds;

static inline speeds load_speeds(const double* velocity, const int body[TS_PAIR_LANES]) {
    const double* at[TS_PAIR_LANES];
    for (int k = 0; k < TS_PAIR_LANES; ++k) at[k] = velocity + (size_t)TS_PAIR_SPEEDS * (size_t)body[k];
    ts_four a = ts_four_load(at[0]), b = ts_four_load(at[1]), c = ts_four_load(at[2]), d = ts_four_load(at[3]);
    ts_four e = ts_four_load(at[0] + 4), f = ts_four_load(at[1] + 4), g = ts_four_load(at[2] + 4),
            h = ts_four_load(at[3] + 4);
    ts_four_transpose(&a, &b, &c, &d);
    ts_four_transpose(&e, &f, &g, &h);
    speeds s = {{a, b, c}, {d, e, f}};
    return s;
}

static inline void store_speeds(const speeds* s, double* velocity, const int body[TS_PAIR_LANES]) {
    ts_four a = s->linear.x, b = s->linear.y, c = s->linear.z, d = s->angular.x, e = s->angular.y, f = s->angular.z,
            g = ts_four_zero(), h = g;
    ts_four_transpose(&a, &b, &c, &d);
    ts_four_transpose(&e, &f, &g, &h);
    const ts_four low[TS_PAIR_LANES] = {a, b, c, d}, high[TS_PAIR_LANES] = {e, f, g, h};
    for (int k = 0; k < TS_PAIR_LANES; ++k) {
        double* at = velocity + (size_t)TS_PAIR_SPEEDS * (size_t)body[k];
        if (body[k] == 0) continue;
        ts_four_store(low[k], at);
        ts_four_store(high[k], at + 4);
    }
}

// What the points of a group share.
typedef struct shared {
    const ts_pair_group* group;
    four3 normal, tangent[2], offset;
    ts_four mass[2];  // inverse
    ts_four friction;
} shared;

static inline shared share(const ts_pair_group* group) {
    shared s = {group,
                load3(&group->normal),
                {load3(&group->tangent), load3(&group->tangent)},
                load3(&group->offset),
                {ts_four_load(group->inverse_mass[0]), ts_four_load(group->inverse_mass[1])},
                ts_four_load(group->friction)};
    s.tangent[1] = cross3(s.normal, s.tangent[0]);
    return s;
}

// Velocity of B's surface against A's in the frame of a point, c.
static inline four3 read_point(const shared* s, const speeds* a, const speeds* b, four3 lever) {
    four3 of_a = plus3(a->linear, cross3(a->angular, lever));
    four3 of_b = plus3(b->linear, cross3(b->angular, plus3(lever, s->offset)));
    four3 apart = minus3(of_b, of_a);
    four3 c = {dot3(s->tangent[0], apart), dot3(s->tangent[1], apart), dot3(s->normal, apart)};
    return c;
}

// The same, zero where there is no point: another pair's body may move there.
static inline four3 read_there(const shared* s, const speeds* a, const speeds* b, const ts_pair_point* p) {
    ts_four there = ts_four_load(p->natural), zero = ts_four_zero();
    four3 c = read_point(s, a, b, load3(&p->lever));
    four3 v = {ts_four_where(there, c.x, zero), ts_four_where(there, c.y, zero), ts_four_where(there, c.z, zero)};
    return v;
}

// What the inverse inertias of a side make of couples.
static inline four3 turn_by(const shared* s, int side, int is_round, four3 couple) {
    const ts_pair_tensor* I = &s->group->inverse_inertia[side];
    return is_round ? times3(ts_four_load(I->at[0]), couple) : tensor3(I, couple);
}

// Adds impulse d, in the frame of a point, to the velocities. `is_round` as the group says, a constant where it is worth a loop of its own.
static inline void push_point(const shared* s, int is_round, speeds* a, speeds* b, four3 lever, four3 d) {
    four3 push = plus3(plus3(times3(d.x, s->tangent[0]), times3(d.y, s->tangent[1])), times3(d.z, s->normal));
    four3 turn_a = turn_by(s, 0, is_round, cross3(lever, push));
    four3 turn_b = turn_by(s, 1, is_round, cross3(plus3(lever, s->offset), push));
    a->linear = minus3(a->linear, times3(s->mass[0], push));
    b->linear = plus3(b->linear, times3(s->mass[1], push));
    a->angular = minus3(a->angular, turn_a);
    b->angular = plus3(b->angular, turn_b);
}

// The largest of all lanes.
static double most_of(ts_four x) {
    double v[TS_PAIR_LANES];
    ts_four_store(x, v);
    return fmax(fmax(v[0], v[1]), fmax(v[2], v[3]));
}

// --- once a step -----------------------------------------------------------------------------------------------------

// c of a unit impulse along one direction of the frame: a column of D.
static inline four3 column_of(const shared* s, four3 lever, int k) {
    speeds a = {{ts_four_zero(), ts_four_zero(), ts_four_zero()}, {ts_four_zero(), ts_four_zero(), ts_four_zero()}};
    speeds b = a;
    four3 d = {ts_four_all(k == 0), ts_four_all(k == 1), ts_four_all(k == 2)};
    push_point(s, s->group->is_round, &a, &b, lever, d);
    return read_point(s, &a, &b, lever);
}

// Steps of one lane's point from the columns of its D.
static void weigh_lane(ts_pair_point* p, int k, const ts_pair_vector* D) {
    double d00 = D[0].at[0][k], d11 = D[1].at[1][k], d22 = D[2].at[2][k], d01 = D[1].at[0][k], d02 = D[2].at[0][k],
           d12 = D[2].at[1][k];
    double half = 0.5 * (d00 - d11), stiffness = 0.5 * (d00 + d11) + sqrt(half * half + d01 * d01);
    p->step[0][k] = 1.0 / stiffness;
    p->step[1][k] = 1.0 / d22;
    p->coupling[0][k] = d02;
    p->coupling[1][k] = d12;
    p->natural[k] = 1.0 / ts_stiffness_bound_3x3(d00, d11, d22, d01, d02, d12);
}

static void weigh(const ts_pair_pass* pass, int part) {
    const ts_pairs* pairs = pass->pairs;
    ts_pair_vector D[3];
    const struct ts_pair_parts* parts = pairs->parts;
    for (int n = parts->first[part]; n < parts->first[part + 1]; ++n) {
        const ts_pair_group* group = &pairs->group[parts->group[n]];
        shared s = share(group);
        for (int i = group->first; i < group->first + group->count; ++i) {
            ts_pair_point* p = &pairs->point[i];
            four3 lever = load3(&p->lever);
            for (int k = 0; k < 3; ++k) store3(column_of(&s, lever, k), &D[k]);
            for (int k = 0; k < TS_PAIR_LANES; ++k) {
                if (!(p->natural[k] > 0.0)) continue;  // no point: see pairs.c
                weigh_lane(p, k, D);
            }
        }
    }
}

static void read(const ts_pair_pass* pass, int part) {
    const ts_pairs* pairs = pass->pairs;
    const double* velocity = pass->velocity;
    const struct ts_pair_parts* parts = pairs->parts;
    for (int n = parts->first[part]; n < parts->first[part + 1]; ++n) {
        const ts_pair_group* group = &pairs->group[parts->group[n]];
        shared s = share(group);
        speeds a = load_speeds(velocity, group->body[0]), b = load_speeds(velocity, group->body[1]);
        for (int i = group->first; i < group->first + group->count; ++i)
            store3(read_there(&s, &a, &b, &pairs->point[i]), &pairs->track[i].velocity);
    }
}

// --- once a substep ----------------------------------------------------------------------------------------------------

static inline ts_four refer_point(const ts_pair_law* law, int moves, ts_pair_point* point, ts_pair_track* track) {
    ts_four zero = ts_four_zero(), slop = ts_four_all(law->slop), mend = ts_four_all(law->mend),
            most = ts_four_all(law->most), rate = ts_four_all(1.0 / law->time_step);
    ts_four step = ts_four_all(moves ? law->time_step : 0.0), gap = ts_four_load(track->gap);
    if (moves) store3(plus3(load3(&track->total), load3(&point->lambda)), &track->total);
    gap = ts_four_plus(gap, ts_four_product(step, ts_four_load(track->velocity.at[2])));
    ts_four depth = ts_four_minus(zero, gap);
    ts_four push = ts_four_most(ts_four_product(mend, ts_four_minus(depth, slop)), zero);
    ts_four close = ts_four_product(depth, rate);
    ts_four_store(gap, track->gap);
    ts_four_store(ts_four_where(gap, close, ts_four_least(push, most)), point->reference);
    return depth;
}

static void refer(ts_pair_pass* pass, int part) {
    const ts_pairs* pairs = pass->pairs;
    ts_four deepest = ts_four_zero();
    const struct ts_pair_parts* parts = pairs->parts;
    for (int n = parts->first[part]; n < parts->first[part + 1]; ++n) {
        const ts_pair_group* group = &pairs->group[parts->group[n]];
        for (int i = group->first; i < group->first + group->count; ++i)
            deepest = ts_four_most(refer_point(&pairs->law, pass->count, &pairs->point[i], &pairs->track[i]), deepest);
    }
    pass->deepest[part] = most_of(deepest);
}

// g of a point is what its free velocity is short of the reference.
static inline ts_four size_of_free(four3 c, ts_four reference) {
    c.z = ts_four_minus(c.z, reference);
    return ts_four_most(ts_four_most(ts_four_size(c.x), ts_four_size(c.y)), ts_four_size(c.z));
}

static void begin_group(const ts_pairs* pairs, int g) {
    const ts_pair_group* group = &pairs->group[g];
    shared s = share(group);
    speeds free_a = load_speeds(pairs->free, group->body[0]), free_b = load_speeds(pairs->free, group->body[1]);
    speeds a = load_speeds(pairs->velocity, group->body[0]), b = load_speeds(pairs->velocity, group->body[1]);
    ts_four largest = ts_four_zero();
    for (int i = group->first; i < group->first + group->count; ++i) {
        const ts_pair_point* p = &pairs->point[i];
        four3 lever = load3(&p->lever), c = read_there(&s, &free_a, &free_b, p);
        largest = ts_four_most(size_of_free(c, ts_four_load(p->reference)), largest);
        push_point(&s, group->is_round, &a, &b, lever, load3(&p->lambda));
    }
    store_speeds(&a, pairs->velocity, group->body[0]);
    store_speeds(&b, pairs->velocity, group->body[1]);
    ts_four_store(largest, pairs->sums[g].velocity);
}

// Velocities are the free ones when it begins.
static void begin(const ts_pair_pass* pass, int part) {
    const struct ts_pair_parts* parts = pass->pairs->parts;
    ts_pair_walk walk = ts_pair_walk_begin(parts, part);
    for (int n = parts->first[part]; n < parts->first[part + 1]; ++n) {
        ts_pair_walk_enter(&walk, parts->group[n]);
        begin_group(pass->pairs, parts->group[n]);
        ts_pair_walk_leave(&walk);
    }
}

// The point's new impulse, for c as it is.
static inline four3 update(const shared* s, const ts_pair_point* p, four3 c, four3 old) {
    ts_four tangent = ts_four_load(p->step[0]), zero = ts_four_zero();
    ts_four approach = ts_four_minus(c.z, ts_four_load(p->reference));
    four3 next = {zero, zero, ts_four_minus(old.z, ts_four_product(ts_four_load(p->step[1]), approach))};
    next.z = ts_four_most(next.z, zero);
    ts_four change = ts_four_minus(next.z, old.z);
    ts_four x = ts_four_plus(c.x, ts_four_product(ts_four_load(p->coupling[0]), change));
    ts_four y = ts_four_plus(c.y, ts_four_product(ts_four_load(p->coupling[1]), change));
    next.x = ts_four_minus(old.x, ts_four_product(tangent, x));
    next.y = ts_four_minus(old.y, ts_four_product(tangent, y));
    ts_four squared = ts_four_plus(ts_four_product(next.x, next.x), ts_four_product(next.y, next.y));
    ts_four reach = ts_four_product(s->friction, next.z),
            beyond = ts_four_minus(squared, ts_four_product(reach, reach));
    if (!ts_four_any(beyond)) return next;
    ts_four part = ts_four_quotient(reach, ts_four_root(squared));
    next.x = ts_four_where(beyond, ts_four_product(part, next.x), next.x);
    next.y = ts_four_where(beyond, ts_four_product(part, next.y), next.y);
    return next;
}

static inline void sweep_points(const ts_pairs* pairs, const ts_pair_group* group, int is_round) {
    shared s = share(group);
    speeds a = load_speeds(pairs->velocity, group->body[0]), b = load_speeds(pairs->velocity, group->body[1]);
    for (int i = group->first; i < group->first + group->count; ++i) {
        ts_pair_point* p = &pairs->point[i];
        four3 lever = load3(&p->lever), old = load3(&p->lambda);
        four3 next = update(&s, p, read_point(&s, &a, &b, lever), old);
        store3(next, &p->lambda);
        push_point(&s, is_round, &a, &b, lever, minus3(next, old));
    }
    store_speeds(&a, pairs->velocity, group->body[0]);
    store_speeds(&b, pairs->velocity, group->body[1]);
}

static void sweep_group(const ts_pairs* pairs, const ts_pair_group* group) {
    if (group->is_round)
        sweep_points(pairs, group, 1);
    else
        sweep_points(pairs, group, 0);
}

static void sweep(const ts_pair_pass* pass, int part) {
    const ts_pairs* pairs = pass->pairs;
    const struct ts_pair_parts* parts = pairs->parts;
    ts_pair_walk walk = ts_pair_walk_begin(parts, part);
    for (walk.pass = 0; walk.pass < pass->count; ++walk.pass)
        for (int n = parts->first[part]; n < parts->first[part + 1]; ++n) {
            ts_pair_walk_enter(&walk, parts->group[n]);
            sweep_group(pairs, &pairs->group[parts->group[n]]);
            ts_pair_walk_leave(&walk);
        }
}

// --- judging -----------------------------------------------------------------------------------------------------------

// The worst so far, of each lane; the names are those of ts_residual.
typedef struct figures {
    ts_four primal, lcp_primal, lcp_complementarity, ccp_dual, ccp_complementarity, ncp_dual, ncp_complementarity;
    ts_four signorini, created, dissipation, closing, coulomb;
    ts_four finite;  // zero while everything is finite, else no number
} figures;

// Of a group: what its islands are told.
typedef struct island_part {
    ts_four natural, impulse, across, opposed, work;
} island_part;

static inline void worsen(ts_four* worst, ts_four x) { *worst = ts_four_most(x, *worst); }

// Distance to the dual cone mu t <= z.
static inline ts_four dual_distance(ts_four slip, ts_four squared, ts_four z, ts_four mu, ts_four slant) {
    ts_four short_of = ts_four_minus(ts_four_product(mu, slip), z), zero = ts_four_zero();
    if (!ts_four_any(short_of)) return zero;
    ts_four side = ts_four_product(short_of, slant);
    ts_four tip = ts_four_root(ts_four_plus(squared, ts_four_product(z, z)));
    ts_four below = ts_four_minus(ts_four_minus(zero, ts_four_product(mu, z)), slip);  // > 0: nearest is the tip
    return ts_four_where(short_of, ts_four_where(below, tip, side), zero);
}

// |lambda - P_K(lambda - step w)|^2, w with De Saxce's shift.
static inline ts_four natural_squared(four3 l, four3 w, ts_four step, ts_four mu) {
    four3 x = minus3(l, times3(step, w));
    ts_four zero = ts_four_zero(), one = ts_four_all(1.0),
            squared = ts_four_plus(ts_four_product(x.x, x.x), ts_four_product(x.y, x.y));
    ts_four tangent = ts_four_root(squared), beyond = ts_four_minus(tangent, ts_four_product(mu, x.z));
    ts_four side =
        ts_four_quotient(ts_four_plus(ts_four_product(mu, tangent), x.z), ts_four_plus(one, ts_four_product(mu, mu)));
    side = ts_four_most(side, zero);  // else the nearest point is the tip
    ts_four part = ts_four_quotient(ts_four_product(mu, side), ts_four_most(tangent, ts_four_all(1e-300)));
    four3 at = {ts_four_product(part, x.x), ts_four_product(part, x.y), side};
    four3 gap = {ts_four_minus(l.x, ts_four_where(beyond, at.x, x.x)),
                 ts_four_minus(l.y, ts_four_where(beyond, at.y, x.y)),
                 ts_four_minus(l.z, ts_four_where(beyond, at.z, ts_four_most(x.z, zero)))};
    return dot3(gap, gap);
}

// The pyramid's complementarity along one axis.
static inline ts_four axis_work(ts_four l, ts_four v, ts_four bound) {
    ts_four zero = ts_four_zero(), forth = ts_four_product(ts_four_most(v, zero), ts_four_plus(l, bound));
    ts_four back = ts_four_product(ts_four_most(ts_four_minus(zero, v), zero), ts_four_minus(bound, l));
    return ts_four_most(ts_four_size(forth), ts_four_size(back));
}

// Laws and figures of a point with impulse l and velocity u.
static inline void judge_point(ts_four mu, ts_four slant, ts_four step, four3 l, four3 u, figures* f,
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
    worsen(&f->ccp_dual, dual_distance(slip, slip_squared, u.z, mu, slant));
    worsen(&f->ccp_complementarity, ts_four_size(work));
    worsen(&f->ncp_dual, dual_distance(slip, slip_squared, w.z, mu, slant));
    worsen(&f->ncp_complementarity, ts_four_size(ts_four_plus(along, ts_four_product(l.z, w.z))));
    worsen(&f->created, work);
    worsen(&f->dissipation, ts_four_plus(ts_four_product(bound, slip), along));
    worsen(&f->closing, ts_four_minus(zero, u.z));
    worsen(&f->coulomb, ts_four_minus(friction, bound));
    worsen(&part->natural, natural_squared(l, w, step, mu));
    worsen(&part->impulse, ts_four_most(ts_four_most(ts_four_size(l.x), ts_four_size(l.y)), ts_four_size(l.z)));
    part->across =
        ts_four_plus(part->across, ts_four_size(ts_four_minus(ts_four_product(l.x, u.y), ts_four_product(l.y, u.x))));
    part->opposed = ts_four_minus(part->opposed, along);
    part->work = ts_four_plus(part->work, ts_four_product(friction, slip));
    // Zero times anything finite is zero.
    ts_four sum = ts_four_plus(ts_four_plus(ts_four_plus(l.x, l.y), l.z), ts_four_plus(ts_four_plus(u.x, u.y), u.z));
    f->finite = ts_four_plus(f->finite, ts_four_product(zero, sum));
}

static void keep_part(const island_part* part, ts_pair_sums* out) {
    ts_four_store(part->natural, out->natural);
    ts_four_store(part->impulse, out->impulse);
    ts_four_store(part->across, out->across);
    ts_four_store(part->opposed, out->opposed);
    ts_four_store(part->work, out->work);
}

// Of all lanes. What is not finite is found in all figures.
static void show_figures(const figures* f, ts_residual* out) {
    static const ts_residual zero;
    *out = zero;
    double nothing = ts_four_sum(f->finite), signorini = most_of(f->signorini);
    out->lcp = (ts_law_residual){nothing + most_of(f->lcp_primal), nothing + most_of(f->closing),
                                 nothing + fmax(signorini, most_of(f->lcp_complementarity))};
    out->ccp = (ts_law_residual){nothing + most_of(f->primal), nothing + most_of(f->ccp_dual),
                                 nothing + most_of(f->ccp_complementarity)};
    out->ncp = (ts_law_residual){nothing + most_of(f->primal), nothing + most_of(f->ncp_dual),
                                 nothing + most_of(f->ncp_complementarity)};
    out->signorini = nothing + signorini;
    out->created = nothing + most_of(f->created);
    out->dissipation = nothing + most_of(f->dissipation);
    out->closing = nothing + most_of(f->closing);
    out->coulomb = nothing + most_of(f->coulomb);
    out->natural = nothing;
}

// The figures of all laws, and what is wrong in every island, in no unit of its own yet.
static void judge(ts_pair_pass* pass, int part) {
    const ts_pairs* pairs = pass->pairs;
    ts_four zero = ts_four_zero(), one = ts_four_all(1.0);
    figures f = {zero, zero, zero, zero, zero, zero, zero, zero, zero, zero, zero, zero, zero};
    const struct ts_pair_parts* parts = pairs->parts;
    for (int n = parts->first[part]; n < parts->first[part + 1]; ++n) {
        const ts_pair_group* group = &pairs->group[parts->group[n]];
        shared s = share(group);
        speeds a = load_speeds(pairs->velocity, group->body[0]), b = load_speeds(pairs->velocity, group->body[1]);
        island_part sums = {zero, zero, zero, zero, zero};
        ts_four slant = ts_four_plus(one, ts_four_product(s.friction, s.friction));
        slant = ts_four_quotient(one, ts_four_root(slant));
        for (int i = group->first; i < group->first + group->count; ++i) {
            const ts_pair_point* p = &pairs->point[i];
            ts_pair_track* track = &pairs->track[i];
            four3 c = read_there(&s, &a, &b, p), l = load3(&p->lambda);
            store3(c, &track->velocity);
            c.z = ts_four_minus(c.z, ts_four_load(p->reference));
            judge_point(s.friction, slant, ts_four_load(p->natural), l, c, &f, &sums);
        }
        keep_part(&sums, &pairs->sums[parts->group[n]]);
    }
    show_figures(&f, &pass->residual[part]);
}

#if TS_WIDE && defined(__AVX2__)
#define KERNEL(name) ts_pairs_##name##_wide
#else
#define KERNEL(name) ts_pairs_##name##_plain
#endif

void KERNEL(weigh)(ts_pair_pass* pass, int part) { weigh(pass, part); }
void KERNEL(read)(ts_pair_pass* pass, int part) { read(pass, part); }
void KERNEL(refer)(ts_pair_pass* pass, int part) { refer(pass, part); }
void KERNEL(begin)(ts_pair_pass* pass, int part) { begin(pass, part); }
void KERNEL(sweep)(ts_pair_pass* pass, int part) { sweep(pass, part); }
void KERNEL(judge)(ts_pair_pass* pass, int part) { judge(pass, part); }
