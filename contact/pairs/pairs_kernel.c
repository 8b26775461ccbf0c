// Passes over pairs of free bodies, four side by side.
//
// Problem: a pass over a contact costs what its rows and its loads cost, and the points of a pair wait for each other. Rule: a group of four pairs
// loads the velocities of its eight bodies once, turned into the frames of the pairs, goes through its up to four points, one after the other, and
// adds what became of them once. In these frames a row is an entry of a cross product, and of the centres only how they move against each other
// matters. Of a point a sweep reads a lever arm, its impulse and four numbers of its stiffness. Lanes are pairs, which share no body (pairs_order.c), so
// a pass over a group is what four passes over pairs are. Where inertias are numbers, levers begin where pushes and turns have nothing to do with each
// other (ts_pair_round): then one cross product reads a point, one pushes it, and what impulses make of the rest is found from their sum.
// A point is updated as ncp_pgs.c does it: the normal, and then, with what that changed, friction in its disc. Points of a group wait for each other, and for
// a root and a quotient each, so up to three groups that share no body go through theirs at once, step by step.
// Source: pairs as units with shared frames, and wide solving by graph colouring, Catto, Box2D 3 (2024).
// Guaranteed: compiled for AVX2 (pairs_kernel_wide.c), for AVX-512 (pairs_kernel_many.c) and for every machine the same sums in the same order, so the same bits. A lane without a pair
// and a point that a pair lacks have steps of zero and stay zero.
// Known to fail: what ncp_pgs.c fails at.
#include "contact/pairs/pairs_kernel_internal.h"

#include "base/linear/four.h"
#include "base/scalar.h"

// Calls would put vectors into memory.
#if defined(__GNUC__)
#define INLINE static inline __attribute__((always_inline))
#else
#define INLINE static inline
#endif

typedef struct four3 {
    ts_four x, y, z;
} four3;

INLINE four3 load3(const ts_pair_vector* from) {
    four3 v = {ts_four_load(from->at[0]), ts_four_load(from->at[1]), ts_four_load(from->at[2])};
    return v;
}

INLINE void store3(four3 v, ts_pair_vector* to) {
    ts_four_store(v.x, to->at[0]);
    ts_four_store(v.y, to->at[1]);
    ts_four_store(v.z, to->at[2]);
}

INLINE four3 zero3(void) {
    four3 v = {ts_four_zero(), ts_four_zero(), ts_four_zero()};
    return v;
}

INLINE four3 plus3(four3 a, four3 b) {
    four3 v = {ts_four_plus(a.x, b.x), ts_four_plus(a.y, b.y), ts_four_plus(a.z, b.z)};
    return v;
}

INLINE four3 minus3(four3 a, four3 b) {
    four3 v = {ts_four_minus(a.x, b.x), ts_four_minus(a.y, b.y), ts_four_minus(a.z, b.z)};
    return v;
}

INLINE four3 times3(ts_four s, four3 a) {
    four3 v = {ts_four_product(s, a.x), ts_four_product(s, a.y), ts_four_product(s, a.z)};
    return v;
}

INLINE ts_four dot3(four3 a, four3 b) {
    return ts_four_plus(ts_four_plus(ts_four_product(a.x, b.x), ts_four_product(a.y, b.y)), ts_four_product(a.z, b.z));
}

INLINE four3 cross3(four3 a, four3 b) {
    four3 v = {ts_four_minus(ts_four_product(a.y, b.z), ts_four_product(a.z, b.y)),
               ts_four_minus(ts_four_product(a.z, b.x), ts_four_product(a.x, b.z)),
               ts_four_minus(ts_four_product(a.x, b.y), ts_four_product(a.y, b.x))};
    return v;
}

// The symmetric matrix xx xy xz yy yz zz times a.
INLINE four3 tensor3(const ts_pair_tensor* I, four3 a) {
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

INLINE void share(const ts_pair_group* group, shared* s) {
    s->group = group;
    s->axis[0] = load3(&group->tangent);
    s->axis[2] = load3(&group->normal);
    s->axis[1] = cross3(s->axis[2], s->axis[0]);
    s->offset = load3(&group->offset);
    for (int side = 0; side < 2; ++side) s->mass[side] = ts_four_load(group->inverse_mass[side]);
    s->both = ts_four_plus(s->mass[0], s->mass[1]);
    s->friction = ts_four_load(group->friction);
}

INLINE four3 to_frame(const shared* s, four3 a) {
    four3 v = {dot3(s->axis[0], a), dot3(s->axis[1], a), dot3(s->axis[2], a)};
    return v;
}

INLINE four3 to_world(const shared* s, four3 a) {
    return plus3(plus3(times3(a.x, s->axis[0]), times3(a.y, s->axis[1])), times3(a.z, s->axis[2]));
}

// The velocities of four bodies, in world axes.
typedef struct speeds {
    four3 linear, angular;
} speeds;

INLINE speeds load_speeds(const double* velocity, const int body[TS_PAIR_LANES]) {
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

INLINE void add_speeds(const speeds* s, double* velocity, const int body[TS_PAIR_LANES]) {
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
INLINE void motion_of(const shared* s, int is_round, const double* velocity, motion* m) {
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
INLINE void move_bodies(const shared* s, int is_round, double* velocity, const motion* before, const motion* after,
                        four3 impulse) {
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
INLINE four3 read_point(const shared* s, int is_round, const motion* m, four3 impulse, four3 lever) {
    if (is_round) {
        four3 apart = plus3(m->apart, tensor3(&s->group->round.yield, impulse));
        return plus3(apart, cross3(m->turn[0], lever));
    }
    four3 of_b = cross3(m->turn[1], plus3(lever, s->offset));
    return plus3(m->apart, minus3(of_b, cross3(m->turn[0], lever)));
}

// Adds impulse d: a round group reads that it pushes from the sum of impulses.
INLINE void push_point(const shared* s, int is_round, motion* m, four3 lever, four3 d) {
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

INLINE view view_of(const shared* s, const double* velocity) {
    motion m;
    if (s->group->is_round) {
        motion_of(s, 1, velocity, &m);
        return (view){m.apart, m.turn[0]};
    }
    motion_of(s, 0, velocity, &m);
    return (view){plus3(m.apart, cross3(m.turn[1], s->offset)), minus3(m.turn[1], m.turn[0])};
}

// c, and zero where there is no point: another pair's body may move there.
INLINE four3 read_there(const view* from, const ts_pair_point* p) {
    ts_four there = ts_four_load(p->natural), zero = ts_four_zero();
    four3 c = plus3(from->along, cross3(from->turn, load3(&p->lever)));
    four3 v = {ts_four_where(there, c.x, zero), ts_four_where(there, c.y, zero), ts_four_where(there, c.z, zero)};
    return v;
}

// The largest of all lanes.
static double most_of(ts_four x) {
    double v[TS_PAIR_LANES];
    ts_four_store(x, v);
    return fmax(fmax(v[0], v[1]), fmax(v[2], v[3]));
}

// --- once a step -----------------------------------------------------------------------------------------------------

// What a pair's inertias are in its frame; the group has them in world axes.
INLINE void turn_tensor(const shared* s, ts_pair_tensor* I) {
    four3 column[3];
    for (int k = 0; k < 3; ++k) column[k] = tensor3(I, s->axis[k]);
    ts_four_store(dot3(s->axis[0], column[0]), I->at[0]);
    ts_four_store(dot3(s->axis[0], column[1]), I->at[1]);
    ts_four_store(dot3(s->axis[0], column[2]), I->at[2]);
    ts_four_store(dot3(s->axis[1], column[1]), I->at[3]);
    ts_four_store(dot3(s->axis[1], column[2]), I->at[4]);
    ts_four_store(dot3(s->axis[2], column[2]), I->at[5]);
}

// D = J M^-1 J^T of a point: the diagonal, and of both tangents, of the first one and the normal, of the second one and the normal.
typedef struct stiffness {
    four3 diagonal, beside;
} stiffness;

// What turning makes of D: a unit impulse along an axis has a couple of two entries.
INLINE void add_turn(const ts_pair_tensor* I, four3 r, stiffness* D) {
    ts_four xx = ts_four_load(I->at[0]), xy = ts_four_load(I->at[1]), xz = ts_four_load(I->at[2]);
    ts_four yy = ts_four_load(I->at[3]), yz = ts_four_load(I->at[4]), zz = ts_four_load(I->at[5]);
    four3 x = {xx, xy, xz}, y = {xy, yy, yz}, z = {xz, yz, zz};
    four3 first = minus3(times3(r.z, y), times3(r.y, z)), second = minus3(times3(r.x, z), times3(r.z, x)),
          third = minus3(times3(r.y, x), times3(r.x, y));
    four3 own = {ts_four_minus(ts_four_product(r.z, first.y), ts_four_product(r.y, first.z)),
                 ts_four_minus(ts_four_product(r.x, second.z), ts_four_product(r.z, second.x)),
                 ts_four_minus(ts_four_product(r.y, third.x), ts_four_product(r.x, third.y))};
    four3 beside = {ts_four_minus(ts_four_product(r.x, first.z), ts_four_product(r.z, first.x)),
                    ts_four_minus(ts_four_product(r.y, first.x), ts_four_product(r.x, first.y)),
                    ts_four_minus(ts_four_product(r.y, second.x), ts_four_product(r.x, second.y))};
    D->diagonal = plus3(D->diagonal, own);
    D->beside = plus3(D->beside, beside);
}

INLINE stiffness stiffness_of(const shared* s, four3 lever) {
    stiffness D = {{s->both, s->both, s->both}, zero3()};
    add_turn(&s->group->inverse_inertia[0], lever, &D);
    add_turn(&s->group->inverse_inertia[1], plus3(lever, s->offset), &D);
    return D;
}

// Of a round group, by its own levers.
INLINE stiffness stiffness_of_round(const ts_pair_tensor* Y, four3 r) {
    ts_four xx = ts_four_product(r.x, r.x), yy = ts_four_product(r.y, r.y), zz = ts_four_product(r.z, r.z);
    four3 own = {ts_four_load(Y->at[0]), ts_four_load(Y->at[3]), ts_four_load(Y->at[5])};
    four3 beside = {ts_four_load(Y->at[1]), ts_four_load(Y->at[2]), ts_four_load(Y->at[4])};
    four3 turned = {ts_four_plus(yy, zz), ts_four_plus(xx, zz), ts_four_plus(xx, yy)};
    four3 across = {ts_four_product(r.x, r.y), ts_four_product(r.x, r.z), ts_four_product(r.y, r.z)};
    stiffness D = {plus3(own, turned), minus3(beside, across)};
    return D;
}

// Makes a round group of one whose inverse inertias are numbers, in its frames. Returns the root of their sum.
INLINE ts_four round_off(const shared* s, four3 world_offset, ts_pair_group* group) {
    ts_pair_round* round = &group->round;
    ts_four a = ts_four_load(group->inverse_inertia[0].at[0]), b = ts_four_load(group->inverse_inertia[1].at[0]);
    ts_four sum = ts_four_plus(a, b), root = ts_four_root(sum), zero = ts_four_zero();
    ts_four shrink = ts_four_where(sum, ts_four_quotient(ts_four_all(1.0), root), zero);
    ts_four ease[2] = {ts_four_product(a, shrink), ts_four_product(b, shrink)};
    ts_four both = ts_four_product(ease[0], ease[1]);
    four3 o = s->offset, stiff = times3(both, o);
    ts_four about = ts_four_plus(s->both, dot3(stiff, o));
    store3(times3(shrink, world_offset), &round->arm);
    ts_four_store(ts_four_minus(about, ts_four_product(stiff.x, o.x)), round->yield.at[0]);
    ts_four_store(ts_four_minus(zero, ts_four_product(stiff.x, o.y)), round->yield.at[1]);
    ts_four_store(ts_four_minus(zero, ts_four_product(stiff.x, o.z)), round->yield.at[2]);
    ts_four_store(ts_four_minus(about, ts_four_product(stiff.y, o.y)), round->yield.at[3]);
    ts_four_store(ts_four_minus(zero, ts_four_product(stiff.y, o.z)), round->yield.at[4]);
    ts_four_store(ts_four_minus(about, ts_four_product(stiff.z, o.z)), round->yield.at[5]);
    ts_four_store(shrink, round->shrink);
    ts_four_store(ease[0], round->ease[0]);
    ts_four_store(ease[1], round->ease[1]);
    ts_four_store(ts_four_product(ts_four_product(a, b), shrink), round->twist);
    return root;
}

// The bound of ts_stiffness_bound_3x3.
INLINE ts_four stiffness_bound(four3 diagonal, ts_four squares) {
    ts_four sum = ts_four_plus(ts_four_plus(diagonal.x, diagonal.y), diagonal.z), m = ts_four_times(1.0 / 3.0, sum);
    four3 rest = minus3(diagonal, (four3){m, m, m});
    ts_four J = ts_four_plus(ts_four_times(0.5, dot3(rest, rest)), squares);
    return ts_four_plus(m, ts_four_root(ts_four_times(4.0 / 3.0, J)));
}

// Steps, where there are points: what is there has a step of the natural map (pairs.c).
INLINE ts_four weigh_point(ts_pair_point* p, double omega, const stiffness* D) {
    ts_four there = ts_four_load(p->natural), zero = ts_four_zero(), relaxed = ts_four_all(omega);
    ts_four half = ts_four_times(0.5, ts_four_minus(D->diagonal.x, D->diagonal.y));
    ts_four shear = ts_four_product(D->beside.x, D->beside.x);
    ts_four spread = ts_four_root(ts_four_plus(ts_four_product(half, half), shear));
    ts_four most = ts_four_plus(ts_four_times(0.5, ts_four_plus(D->diagonal.x, D->diagonal.y)), spread);
    ts_four tangent = ts_four_where(there, ts_four_quotient(relaxed, most), zero);
    ts_four bound = stiffness_bound(D->diagonal, dot3(D->beside, D->beside));
    ts_four natural = ts_four_where(there, ts_four_quotient(ts_four_all(1.0), bound), zero);
    ts_four_store(tangent, p->step[0]);
    ts_four_store(ts_four_where(there, ts_four_quotient(relaxed, D->diagonal.z), zero), p->step[1]);
    ts_four_store(ts_four_product(tangent, D->beside.y), p->coupling[0]);
    ts_four_store(ts_four_product(tangent, D->beside.z), p->coupling[1]);
    ts_four_store(natural, p->natural);
    return natural;
}

// ts_block_set_admit_cone; nothing where c closes faster than `most`.
INLINE four3 admit(const shared* s, four3 impulse, four3 c, ts_four most) {
    ts_four zero = ts_four_zero(), fast = ts_four_minus(ts_four_minus(zero, c.z), most);
    ts_four z = ts_four_most(impulse.z, zero), reach = ts_four_product(s->friction, z);
    ts_four squared = ts_four_plus(ts_four_product(impulse.x, impulse.x), ts_four_product(impulse.y, impulse.y));
    ts_four beyond = ts_four_minus(squared, ts_four_product(reach, reach)), part = ts_four_all(1.0);
    if (ts_four_any(beyond)) part = ts_four_where(beyond, ts_four_quotient(reach, ts_four_root(squared)), part);
    four3 v = {ts_four_where(fast, zero, ts_four_product(part, impulse.x)),
               ts_four_where(fast, zero, ts_four_product(part, impulse.y)), ts_four_where(fast, zero, z)};
    return v;
}

// What a round group makes of levers that begin in the centres of A.
typedef struct rounding {
    ts_four root;
    four3 begin;
} rounding;

static void seat(const ts_pairs* pairs, int g, double most_approach) {
    ts_pair_group* group = &pairs->group[g];
    ts_four all = ts_four_zero(), most = ts_four_all(most_approach);
    rounding to = {all, zero3()};
    shared s;
    share(group, &s);
    four3 offset = s.offset;
    s.offset = to_frame(&s, offset);
    store3(s.offset, &group->offset);
    if (group->is_round) {
        to.root = round_off(&s, offset, group);
        to.begin = times3(ts_four_load(group->round.ease[1]), s.offset);
    } else
        for (int side = 0; side < 2; ++side) turn_tensor(&s, &group->inverse_inertia[side]);
    view seen = view_of(&s, pairs->velocity);
    for (int i = group->first; i < group->first + group->count; ++i) {
        ts_pair_point* p = &pairs->point[i];
        four3 lever = to_frame(&s, load3(&p->lever)), impulse = load3(&p->lambda);
        if (group->is_round) lever = plus3(times3(to.root, lever), to.begin);
        store3(lever, &p->lever);
        four3 c = read_there(&seen, p);
        stiffness D = group->is_round ? stiffness_of_round(&group->round.yield, lever) : stiffness_of(&s, lever);
        store3(c, &pairs->track[i].velocity);
        store3(admit(&s, impulse, c, most), &p->lambda);
        all = ts_four_plus(all, weigh_point(p, pairs->omega, &D));
    }
    ts_four_store(all, pairs->sums[g].natural);
}

static void read(const ts_pair_pass* pass, int part) {
    const ts_pairs* pairs = pass->pairs;
    const struct ts_pair_parts* parts = pairs->parts;
    for (int n = parts->first[part]; n < parts->first[part + 1]; ++n) {
        const ts_pair_group* group = &pairs->group[parts->group[n]];
        shared s;
        share(group, &s);
        view seen = view_of(&s, pass->velocity);
        for (int i = group->first; i < group->first + group->count; ++i)
            store3(read_there(&seen, &pairs->point[i]), &pairs->track[i].velocity);
    }
}

// --- once a substep ----------------------------------------------------------------------------------------------------

INLINE ts_four refer_point(const ts_pair_law* law, int moves, ts_pair_point* point, ts_pair_track* track) {
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

INLINE void begin_points(const ts_pairs* pairs, const ts_pair_group* group, int is_round) {
    shared s;
    motion m = {zero3(), {zero3(), zero3()}}, still = m;
    four3 all = zero3();
    share(group, &s);
    for (int i = group->first; i < group->first + group->count; ++i) {
        const ts_pair_point* p = &pairs->point[i];
        four3 impulse = load3(&p->lambda);
        push_point(&s, is_round, &m, load3(&p->lever), impulse);
        all = plus3(all, impulse);
    }
    move_bodies(&s, is_round, pairs->velocity, &still, &m, all);
}

static void begin_group(const ts_pairs* pairs, const ts_pair_group* group) {
    if (group->is_round)
        begin_points(pairs, group, 1);
    else
        begin_points(pairs, group, 0);
}

// Velocities are the free ones when it begins.
static void begin(const ts_pair_pass* pass, int part) {
    const struct ts_pair_parts* parts = pass->pairs->parts;
    ts_pair_walk walk = ts_pair_walk_begin(parts, part, 1);
    int at[TS_PAIR_ABREAST], of[TS_PAIR_ABREAST];
    for (int count; (count = ts_pair_walk_next(&walk, at, of)) > 0;)
        for (int k = 0; k < count; ++k) {
            begin_group(pass->pairs, &pass->pairs->group[parts->group[at[k]]]);
            ts_pair_walk_tell(&walk, at[k], of[k]);
        }
    ts_pair_walk_end(&walk);
}

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

INLINE void sweep_begin(const ts_pairs* pairs, const ts_pair_group* group, int is_round, sweeper* w) {
    share(group, &w->s);
    motion_of(&w->s, is_round, pairs->velocity, &w->before);
    w->now.apart = w->before.apart;
    w->now.turn[0] = w->before.turn[0];
    w->now.turn[1] = w->before.turn[1];
    w->impulse = zero3();
}

// The normal, and then friction with what that changed.
INLINE void sweep_push(sweeper* w, int is_round, ts_pair_point* p) {
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
INLINE void sweep_bound(sweeper* w, int guesses) {
    ts_four x = w->next.x, y = w->next.y, reach = ts_four_product(w->s.friction, w->next.z);
    ts_four squared = ts_four_plus(ts_four_product(x, x), ts_four_product(y, y));
    ts_four beyond = ts_four_minus(squared, ts_four_product(reach, reach));
    w->part = ts_four_all(1.0);
    if (guesses && !ts_four_any(beyond)) return;
    w->part = ts_four_where(beyond, ts_four_quotient(reach, ts_four_root(squared)), ts_four_all(1.0));
}

INLINE void sweep_give(sweeper* w, int is_round) {
    ts_pair_vector* lambda = &w->point->lambda;
    four3 next = {ts_four_product(w->part, w->next.x), ts_four_product(w->part, w->next.y), w->next.z};
    four3 change = {ts_four_minus(next.x, ts_four_load(lambda->at[0])),
                    ts_four_minus(next.y, ts_four_load(lambda->at[1])), w->change};
    store3(next, lambda);
    push_point(&w->s, is_round, &w->now, load3(&w->point->lever), change);
    w->impulse = plus3(w->impulse, change);
}

INLINE void sweep_end(const ts_pairs* pairs, int is_round, const sweeper* w) {
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

INLINE void sweep_point(sweeper* w, int is_round, ts_pair_point* p) {
    sweep_push(w, is_round, p);
    sweep_bound(w, 1);
    sweep_give(w, is_round);
}

// So many groups that share no body at once, step by step: while a point of one waits for its root, or for the point before it, those of others go on.
INLINE void sweep_abreast(const ts_pairs* pairs, const ts_pair_group* const* group, int count, int is_round) {
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

// The only part: there is nobody to wait for.
static void sweep_alone(const ts_pairs* pairs, int count) {
    const struct ts_pair_parts* parts = pairs->parts;
    const ts_pair_group* group[TS_PAIR_ABREAST];
    for (int pass = 0; pass < count; ++pass)
        for (int n = 0; n < pairs->group_count; n += parts->abreast[n]) {
            for (int k = 0; k < parts->abreast[n]; ++k) group[k] = &pairs->group[parts->group[n + k]];
            sweep_groups(pairs, group, parts->abreast[n]);
        }
}

static void sweep(const ts_pair_pass* pass, int part) {
    const ts_pairs* pairs = pass->pairs;
    const struct ts_pair_parts* parts = pairs->parts;
    if (parts->count == 1) {
        sweep_alone(pairs, pass->count);
        return;
    }
    ts_pair_walk walk = ts_pair_walk_begin(parts, part, pass->count);
    int at[TS_PAIR_ABREAST], of[TS_PAIR_ABREAST];
    const ts_pair_group* group[TS_PAIR_ABREAST];
    for (int count; (count = ts_pair_walk_next(&walk, at, of)) > 0;) {
        for (int k = 0; k < count; ++k) group[k] = &pairs->group[parts->group[at[k]]];
        sweep_groups(pairs, group, count);
        for (int k = 0; k < count; ++k) ts_pair_walk_tell(&walk, at[k], of[k]);
    }
    ts_pair_walk_end(&walk);
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
    ts_four velocity, asked, made;
} island_part;

INLINE void worsen(ts_four* worst, ts_four x) { *worst = ts_four_most(x, *worst); }

// Distance to the dual cone mu t <= z.
INLINE ts_four dual_distance(ts_four slip, ts_four squared, ts_four z, ts_four mu, ts_four slant) {
    ts_four short_of = ts_four_minus(ts_four_product(mu, slip), z), zero = ts_four_zero();
    if (!ts_four_any(short_of)) return zero;
    ts_four side = ts_four_product(short_of, slant);
    ts_four below = ts_four_minus(ts_four_minus(zero, ts_four_product(mu, z)), slip);  // > 0: nearest is the tip
    if (!ts_four_any(below)) return ts_four_where(short_of, side, zero);
    ts_four tip = ts_four_root(ts_four_plus(squared, ts_four_product(z, z)));
    return ts_four_where(short_of, ts_four_where(below, tip, side), zero);
}

// |lambda - P_K(lambda - step w)|^2, w with De Saxce's shift; `slant` is 1 / sqrt(1 + mu^2).
INLINE ts_four natural_squared(four3 l, four3 w, ts_four step, ts_four mu, ts_four slant) {
    four3 x = minus3(l, times3(step, w));
    ts_four zero = ts_four_zero(), height = ts_four_most(x.z, zero), reach = ts_four_product(mu, height);
    ts_four squared = ts_four_plus(ts_four_product(x.x, x.x), ts_four_product(x.y, x.y));
    ts_four beyond = ts_four_minus(squared, ts_four_product(reach, reach));
    four3 inside = minus3(l, (four3){x.x, x.y, height});
    if (!ts_four_any(beyond)) return dot3(inside, inside);
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
INLINE ts_four axis_work(ts_four l, ts_four v, ts_four bound) {
    ts_four zero = ts_four_zero(), forth = ts_four_product(ts_four_most(v, zero), ts_four_plus(l, bound));
    ts_four back = ts_four_product(ts_four_most(ts_four_minus(zero, v), zero), ts_four_minus(bound, l));
    return ts_four_most(ts_four_size(forth), ts_four_size(back));
}

// Laws and figures of a point with impulse l and velocity u.
INLINE void judge_point(ts_four mu, ts_four slant, ts_four step, four3 l, four3 u, figures* f, island_part* part) {
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
INLINE void note_free(four3 l, four3 u, four3 g, island_part* part) {
    worsen(&part->velocity, ts_four_most(ts_four_most(ts_four_size(g.x), ts_four_size(g.y)), ts_four_size(g.z)));
    part->asked = ts_four_plus(part->asked, dot3(l, g));
    part->made = ts_four_plus(part->made, dot3(l, minus3(u, g)));
}

static void keep_part(const island_part* part, ts_pair_sums* out) {
    ts_four_store(part->velocity, out->velocity);
    ts_four_store(part->asked, out->asked);
    ts_four_store(part->made, out->made);
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
        shared s;
        share(group, &s);
        view now = view_of(&s, pairs->velocity), free = view_of(&s, pairs->free);
        island_part sums = {zero, zero, zero, zero, zero, zero, zero, zero};
        ts_four slant = ts_four_plus(one, ts_four_product(s.friction, s.friction));
        slant = ts_four_quotient(one, ts_four_root(slant));
        for (int i = group->first; i < group->first + group->count; ++i) {
            const ts_pair_point* p = &pairs->point[i];
            ts_pair_track* track = &pairs->track[i];
            four3 c = read_there(&now, p), l = load3(&p->lambda), g = read_there(&free, p);
            ts_four reference = ts_four_load(p->reference);
            store3(c, &track->velocity);
            c.z = ts_four_minus(c.z, reference);
            g.z = ts_four_minus(g.z, reference);
            note_free(l, c, g, &sums);
            judge_point(s.friction, slant, ts_four_load(p->natural), l, c, &f, &sums);
        }
        keep_part(&sums, &pairs->sums[parts->group[n]]);
    }
    show_figures(&f, &pass->residual[part]);
}

#if TS_MANY && defined(__AVX512VL__)
#define KERNEL(name) ts_pairs_##name##_many
#elif TS_WIDE && defined(__AVX2__)
#define KERNEL(name) ts_pairs_##name##_wide
#else
#define KERNEL(name) ts_pairs_##name##_plain
#endif

void KERNEL(seat)(const ts_pairs* pairs, int g, double most_approach) { seat(pairs, g, most_approach); }
void KERNEL(read)(ts_pair_pass* pass, int part) { read(pass, part); }
void KERNEL(refer)(ts_pair_pass* pass, int part) { refer(pass, part); }
void KERNEL(begin)(ts_pair_pass* pass, int part) { begin(pass, part); }
void KERNEL(sweep)(ts_pair_pass* pass, int part) { sweep(pass, part); }
void KERNEL(judge)(ts_pair_pass* pass, int part) { judge(pass, part); }
