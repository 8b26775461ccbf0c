// Seating pairs: once a step, a group becomes what sweeps read.
//
// Problem: a sweep reads of a point a lever arm, its impulse and four numbers of its stiffness, in the frame of its pair, but units and their source
// leave world axes. Rule: tensors and levers are turned into the frame (pairs_frame_internal.h); levers of a round group begin where ts_pair_round says.
// D = J M^-1 J^T of a point gives its steps: one over its normal entry, one over the largest eigenvalue of its tangents, both times omega, one over a
// bound of all three eigenvalues for the natural map; and what a change of the normal impulse does to the tangents. The impulse to begin with
// is what friction admits of the one that was given, or nothing where the point closes too fast.
// Source: the steps of ncp_pgs.c, the bound of contact/operator/stiffness_internal.h, ts_block_set_admit_cone.
// Guaranteed: in lanes and points that a group lacks all steps are zero.
// Known to fail: a round group is one to the bit (pairs.c), so a cube with a rounded inertia costs as much as any body.
#include <float.h>

#include "contact/pairs/pairs_frame_internal.h"

// Four numbers of each of four bodies, turned over: a becomes the first of each.
TS_PAIR_INLINE void take_numbers(const double* const from[TS_PAIR_LANES], ts_four out[TS_PAIR_LANES]) {
    for (int k = 0; k < TS_PAIR_LANES; ++k) out[k] = ts_four_load(from[k]);
    ts_four_transpose(&out[0], &out[1], &out[2], &out[3]);
}

// Whether tensors are numbers. What is round stays so to the bit.
TS_PAIR_INLINE int are_round(const ts_four I[6]) {
    ts_four beside = ts_four_plus(ts_four_plus(ts_four_size(I[1]), ts_four_size(I[2])), ts_four_size(I[4]));
    ts_four apart = ts_four_plus(ts_four_size(ts_four_minus(I[3], I[0])), ts_four_size(ts_four_minus(I[5], I[0])));
    // What is less than the least there is is nothing.
    return ts_four_every(ts_four_minus(ts_four_all(DBL_TRUE_MIN), ts_four_plus(beside, apart)));
}

// Masses and inertias of the bodies of a group, in world axes.
TS_PAIR_INLINE void weigh_bodies(const ts_pair_body* body, ts_pair_group* group) {
    group->is_round = 1;
    for (int side = 0; side < 2; ++side) {
        const double *mass[TS_PAIR_LANES], *first[TS_PAIR_LANES], *last[TS_PAIR_LANES];
        for (int k = 0; k < TS_PAIR_LANES; ++k) {
            const ts_pair_body* of = &body[group->body[side][k]];
            mass[k] = &of->mass;
            first[k] = of->inverse_inertia;
            last[k] = of->inverse_inertia + 2;
        }
        ts_four masses[TS_PAIR_LANES], low[TS_PAIR_LANES], high[TS_PAIR_LANES];
        take_numbers(mass, masses);
        take_numbers(first, low);
        take_numbers(last, high);
        const ts_four I[6] = {low[0], low[1], low[2], low[3], high[2], high[3]};
        ts_four_store(masses[1], group->inverse_mass[side]);
        for (int i = 0; i < 6; ++i) ts_four_store(I[i], group->inverse_inertia[side].at[i]);
        group->is_round &= are_round(I);
    }
}

// What a pair's inertias are in its frame; the group has them in world axes.
TS_PAIR_INLINE void turn_tensor(const shared* s, ts_pair_tensor* I) {
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
TS_PAIR_INLINE void add_turn(const ts_pair_tensor* I, four3 r, stiffness* D) {
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

TS_PAIR_INLINE stiffness stiffness_of(const shared* s, four3 lever) {
    stiffness D = {{s->both, s->both, s->both}, zero3()};
    add_turn(&s->group->inverse_inertia[0], lever, &D);
    add_turn(&s->group->inverse_inertia[1], plus3(lever, s->offset), &D);
    return D;
}

// Of a round group, by its own levers.
TS_PAIR_INLINE stiffness stiffness_of_round(const ts_pair_tensor* Y, four3 r) {
    ts_four xx = ts_four_product(r.x, r.x), yy = ts_four_product(r.y, r.y), zz = ts_four_product(r.z, r.z);
    four3 own = {ts_four_load(Y->at[0]), ts_four_load(Y->at[3]), ts_four_load(Y->at[5])};
    four3 beside = {ts_four_load(Y->at[1]), ts_four_load(Y->at[2]), ts_four_load(Y->at[4])};
    four3 turned = {ts_four_plus(yy, zz), ts_four_plus(xx, zz), ts_four_plus(xx, yy)};
    four3 across = {ts_four_product(r.x, r.y), ts_four_product(r.x, r.z), ts_four_product(r.y, r.z)};
    stiffness D = {plus3(own, turned), minus3(beside, across)};
    return D;
}

// Makes a round group of one whose inverse inertias are numbers, in its frames. Returns the root of their sum.
TS_PAIR_INLINE ts_four round_off(const shared* s, four3 world_offset, ts_pair_group* group) {
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
TS_PAIR_INLINE ts_four stiffness_bound(four3 diagonal, ts_four squares) {
    ts_four sum = ts_four_plus(ts_four_plus(diagonal.x, diagonal.y), diagonal.z), m = ts_four_times(1.0 / 3.0, sum);
    four3 rest = minus3(diagonal, (four3){m, m, m});
    ts_four J = ts_four_plus(ts_four_times(0.5, dot3(rest, rest)), squares);
    return ts_four_plus(m, ts_four_root(ts_four_times(4.0 / 3.0, J)));
}

// Steps, where there are points: what is there has a step of the natural map (pairs.c).
TS_PAIR_INLINE ts_four weigh_point(ts_pair_point* p, double omega, const stiffness* D) {
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
TS_PAIR_INLINE four3 admit(const shared* s, four3 impulse, four3 c, ts_four most) {
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

void TS_PAIR_KERNEL(seat)(const ts_pairs* pairs, int g, double most_approach, double* out_steps) {
    ts_pair_group* group = &pairs->group[g];
    ts_four all = ts_four_zero(), most = ts_four_all(most_approach);
    rounding to = {all, zero3()};
    shared s;
    weigh_bodies(pairs->body, group);
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
    ts_four_store(all, out_steps);
}
