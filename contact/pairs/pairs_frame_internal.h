// Groups of pairs in their frames: what all passes over pairs share.
//
// Problem: a pass over a contact costs what its rows and its loads cost. Rule: a group of four pairs, one a lane, loads the velocities of its eight
// bodies once, turned into the frames of the pairs, and adds what became of them once. In these frames a row is an entry of a cross product, and of the
// centres only how they move against each other matters. Where inertias are numbers, levers begin where pushes and turns have nothing to do with
// each other (ts_pair_round): then one cross product reads a point, one pushes it, and what impulses make of the rest is found from their sum. Lanes
// share no body (pairs_order.c), so a pass over a group is what four passes over pairs are.
// Passes are pairs_seat.c (once a step), pairs_substep.c, pairs_sweep.c and pairs_judge.c. Each is compiled for every machine, and all again for AVX2
// (pairs_kernel_wide.c) and for AVX-512 (pairs_kernel_many.c).
// Source: pairs as units with shared frames, and wide solving by graph colouring, Catto, Box2D 3 (2024).
// Guaranteed: however it is compiled the same sums in the same order, so the same bits. A lane without a pair and a point that a pair lacks have steps of
// zero and stay zero.
// Known to fail: a lane takes as long as the pair with most points in its group, with or without points of its own.
// Not for use outside contact/pairs/.
#ifndef TS_CONTACT_PAIRS_FRAME_INTERNAL_H
#define TS_CONTACT_PAIRS_FRAME_INTERNAL_H

#include "base/linear/four.h"
#include "contact/pairs/pairs_kernel_internal.h"

// A pass by its name in pairs_kernel_internal.h, as it is compiled here.
#if TS_MANY && defined(__AVX512VL__)
#define TS_PAIR_KERNEL(name) ts_pairs_##name##_many
#elif TS_WIDE && defined(__AVX2__)
#define TS_PAIR_KERNEL(name) ts_pairs_##name##_wide
#else
#define TS_PAIR_KERNEL(name) ts_pairs_##name##_plain
#endif

// Calls would put vectors into memory.
#if defined(__GNUC__)
#define TS_PAIR_INLINE static inline __attribute__((always_inline))
#else
#define TS_PAIR_INLINE static inline
#endif

typedef struct four3 {
    ts_four x, y, z;
} four3;

TS_PAIR_INLINE four3 load3(const ts_pair_vector* from) {
    four3 v = {ts_four_load(from->at[0]), ts_four_load(from->at[1]), ts_four_load(from->at[2])};
    return v;
}

TS_PAIR_INLINE void store3(four3 v, ts_pair_vector* to) {
    ts_four_store(v.x, to->at[0]);
    ts_four_store(v.y, to->at[1]);
    ts_four_store(v.z, to->at[2]);
}

TS_PAIR_INLINE four3 zero3(void) {
    four3 v = {ts_four_zero(), ts_four_zero(), ts_four_zero()};
    return v;
}

TS_PAIR_INLINE four3 plus3(four3 a, four3 b) {
    four3 v = {ts_four_plus(a.x, b.x), ts_four_plus(a.y, b.y), ts_four_plus(a.z, b.z)};
    return v;
}

TS_PAIR_INLINE four3 minus3(four3 a, four3 b) {
    four3 v = {ts_four_minus(a.x, b.x), ts_four_minus(a.y, b.y), ts_four_minus(a.z, b.z)};
    return v;
}

TS_PAIR_INLINE four3 times3(ts_four s, four3 a) {
    four3 v = {ts_four_product(s, a.x), ts_four_product(s, a.y), ts_four_product(s, a.z)};
    return v;
}

TS_PAIR_INLINE ts_four dot3(four3 a, four3 b) {
    return ts_four_plus(ts_four_plus(ts_four_product(a.x, b.x), ts_four_product(a.y, b.y)), ts_four_product(a.z, b.z));
}

TS_PAIR_INLINE four3 cross3(four3 a, four3 b) {
    four3 v = {ts_four_minus(ts_four_product(a.y, b.z), ts_four_product(a.z, b.y)),
               ts_four_minus(ts_four_product(a.z, b.x), ts_four_product(a.x, b.z)),
               ts_four_minus(ts_four_product(a.x, b.y), ts_four_product(a.y, b.x))};
    return v;
}

// The symmetric matrix xx xy xz yy yz zz times a.
TS_PAIR_INLINE four3 tensor3(const ts_pair_tensor* I, four3 a) {
    ts_four xx = ts_four_load(I->at[0]), xy = ts_four_load(I->at[1]), xz = ts_four_load(I->at[2]);
    ts_four yy = ts_four_load(I->at[3]), yz = ts_four_load(I->at[4]), zz = ts_four_load(I->at[5]);
    four3 v = {
        ts_four_plus(ts_four_plus(ts_four_product(xx, a.x), ts_four_product(xy, a.y)), ts_four_product(xz, a.z)),
        ts_four_plus(ts_four_plus(ts_four_product(xy, a.x), ts_four_product(yy, a.y)), ts_four_product(yz, a.z)),
        ts_four_plus(ts_four_plus(ts_four_product(xz, a.x), ts_four_product(yz, a.y)), ts_four_product(zz, a.z))};
    return v;
}

// What the points of a group share. Vectors without a word are in the frames of the pairs: tangent, second tangent, normal.
typedef struct shared {
    const ts_pair_group* group;
    four3 axis[3];  // of the frames, in world axes
    four3 offset;
    ts_four mass[2], both;  // inverse: of A and B, and their sum
    ts_four friction;
} shared;

TS_PAIR_INLINE void share(const ts_pair_group* group, shared* s) {
    s->group = group;
    s->axis[0] = load3(&group->tangent);
    s->axis[2] = load3(&group->normal);
    s->axis[1] = cross3(s->axis[2], s->axis[0]);
    s->offset = load3(&group->offset);
    for (int side = 0; side < 2; ++side) s->mass[side] = ts_four_load(group->inverse_mass[side]);
    s->both = ts_four_plus(s->mass[0], s->mass[1]);
    s->friction = ts_four_load(group->friction);
}

TS_PAIR_INLINE four3 to_frame(const shared* s, four3 a) {
    four3 v = {dot3(s->axis[0], a), dot3(s->axis[1], a), dot3(s->axis[2], a)};
    return v;
}

TS_PAIR_INLINE four3 to_world(const shared* s, four3 a) {
    return plus3(plus3(times3(a.x, s->axis[0]), times3(a.y, s->axis[1])), times3(a.z, s->axis[2]));
}

// The velocities of four bodies, in world axes.
typedef struct speeds {
    four3 linear, angular;
} speeds;

TS_PAIR_INLINE speeds load_speeds(const double* velocity, const int body[TS_PAIR_LANES]) {
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

TS_PAIR_INLINE void add_speeds(const speeds* s, double* velocity, const int body[TS_PAIR_LANES]) {
    ts_four a = s->linear.x, b = s->linear.y, c = s->linear.z, d = s->angular.x, e = s->angular.y, f = s->angular.z,
            g = ts_four_zero(), h = g;
    ts_four_transpose(&a, &b, &c, &d);
    ts_four_transpose(&e, &f, &g, &h);
    const ts_four low[TS_PAIR_LANES] = {a, b, c, d}, high[TS_PAIR_LANES] = {e, f, g, h};
    for (int k = 0; k < TS_PAIR_LANES; ++k) {
        double* at = velocity + (size_t)TS_PAIR_SPEEDS * (size_t)body[k];
        if (body[k] == 0) continue;
        ts_four_store(ts_four_plus(ts_four_load(at), low[k]), at);
        ts_four_store(ts_four_plus(ts_four_load(at + 4), high[k]), at + 4);
    }
}

// How the bodies of a group move: B's centre against A's, and the turning of both. Of a round group how B moves against A where levers begin, and in
// turn[0] how it turns against A, over the root of a + b.
typedef struct motion {
    four3 apart, turn[2];
} motion;

// `is_round` as the group says, here and below: a constant where it is worth a loop of its own.
TS_PAIR_INLINE void motion_of(const shared* s, int is_round, const double* velocity, motion* m) {
    speeds a = load_speeds(velocity, s->group->body[0]), b = load_speeds(velocity, s->group->body[1]);
    four3 apart = minus3(b.linear, a.linear);
    if (is_round) {
        const ts_pair_round* round = &s->group->round;
        four3 shared_turn =
            plus3(times3(ts_four_load(round->ease[0]), b.angular), times3(ts_four_load(round->ease[1]), a.angular));
        m->apart = to_frame(s, plus3(apart, cross3(shared_turn, load3(&round->arm))));
        m->turn[0] = to_frame(s, times3(ts_four_load(round->shrink), minus3(b.angular, a.angular)));
        m->turn[1] = zero3();
        return;
    }
    m->apart = to_frame(s, apart);
    m->turn[0] = to_frame(s, a.angular);
    m->turn[1] = to_frame(s, b.angular);
}

// What an impulse adds, and the turning that it makes of it: nothing changes by nothing, to the bit.
TS_PAIR_INLINE void move_bodies(const shared* s, int is_round, double* velocity, const motion* before,
                                const motion* after, four3 impulse) {
    const int(*body)[TS_PAIR_LANES] = s->group->body;
    four3 push = to_world(s, impulse), turn = to_world(s, minus3(after->turn[0], before->turn[0]));
    speeds a = {times3(s->mass[0], minus3(zero3(), push)), turn}, b = {times3(s->mass[1], push), turn};
    if (is_round) {
        const ts_pair_round* round = &s->group->round;
        four3 shared_turn = times3(ts_four_load(round->twist), cross3(load3(&round->arm), push));
        a.angular = minus3(shared_turn, times3(ts_four_load(round->ease[0]), turn));
        b.angular = plus3(shared_turn, times3(ts_four_load(round->ease[1]), turn));
    } else
        b.angular = to_world(s, minus3(after->turn[1], before->turn[1]));
    add_speeds(&a, velocity, body[0]);
    add_speeds(&b, velocity, body[1]);
}

// Velocity of B's surface against A's in a point, c. What `impulse` has made of the turning is in the motion, of a round group not yet what it has made
// of the rest.
TS_PAIR_INLINE four3 read_point(const shared* s, int is_round, const motion* m, four3 impulse, four3 lever) {
    if (is_round) {
        four3 apart = plus3(m->apart, tensor3(&s->group->round.yield, impulse));
        return plus3(apart, cross3(m->turn[0], lever));
    }
    four3 of_b = cross3(m->turn[1], plus3(lever, s->offset));
    return plus3(m->apart, minus3(of_b, cross3(m->turn[0], lever)));
}

// Adds impulse d: a round group reads that it pushes from the sum of impulses.
TS_PAIR_INLINE void push_point(const shared* s, int is_round, motion* m, four3 lever, four3 d) {
    if (is_round) {
        m->turn[0] = plus3(m->turn[0], cross3(lever, d));
        return;
    }
    const ts_pair_tensor* I = s->group->inverse_inertia;
    m->apart = plus3(m->apart, times3(s->both, d));
    m->turn[0] = minus3(m->turn[0], tensor3(&I[0], cross3(lever, d)));
    m->turn[1] = plus3(m->turn[1], tensor3(&I[1], cross3(plus3(lever, s->offset), d)));
}

// The same for who only reads: the velocity where levers begin, and the turning that levers are multiplied by.
typedef struct view {
    four3 along, turn;
} view;

TS_PAIR_INLINE view view_of(const shared* s, const double* velocity) {
    motion m;
    if (s->group->is_round) {
        motion_of(s, 1, velocity, &m);
        view seen = {m.apart, m.turn[0]};
        return seen;
    }
    motion_of(s, 0, velocity, &m);
    view seen = {plus3(m.apart, cross3(m.turn[1], s->offset)), minus3(m.turn[1], m.turn[0])};
    return seen;
}

// c, and zero where there is no point: another pair's body may move there.
TS_PAIR_INLINE four3 read_there(const view* from, const ts_pair_point* p) {
    ts_four there = ts_four_load(p->natural), zero = ts_four_zero();
    four3 c = plus3(from->along, cross3(from->turn, load3(&p->lever)));
    four3 v = {ts_four_where(there, c.x, zero), ts_four_where(there, c.y, zero), ts_four_where(there, c.z, zero)};
    return v;
}

// What judging finds, the worst so far, of each lane (pairs_judge.c); the names are those of ts_residual.
typedef struct figures {
    ts_four primal, lcp_primal, lcp_complementarity, ccp_dual, ccp_complementarity, ncp_dual, ncp_complementarity;
    ts_four ccp_tip, ncp_tip;  // squared (pairs_judge.c)
    ts_four signorini, created, dissipation, closing, coulomb;
    ts_four finite;  // zero while everything is finite, else no number
} figures;

// Judges the groups of a piece.
void TS_PAIR_KERNEL(judge_groups)(const ts_pairs* pairs, int begin, int end, figures* f);

// Adds figures to those of a place.
void TS_PAIR_KERNEL(keep_figures)(const figures* f, ts_residual* io_part);

// The largest of all lanes.
static inline double most_of(ts_four x) {
    double v[TS_PAIR_LANES];
    ts_four_store(x, v);
    return fmax(fmax(v[0], v[1]), fmax(v[2], v[3]));
}

#endif
