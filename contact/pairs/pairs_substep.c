// What is done to pairs between sweeps: velocities of surfaces, gaps, and impulses to begin with.
//
// Problem: a sweep begins with velocities to which the impulses so far are added already, and its normals aim at velocities that gaps ask for. Rule:
// `read` finds the velocities of the surfaces. `refer` moves gaps on by them; with a gap left c* = -gap / h, which closes it in the substep, else a share
// of what is deeper than the slop, up to a most (ts_pair_law). `begin` adds the impulses of all groups to their bodies, in the order of sweeps.
// Source: engine/step/substep.c, which does the same for any rows.
// Guaranteed: what a body is given is added in the same order by any number of threads.
// Known to fail: levers and normals are those of the step's beginning, so a gap is wrong by what its bodies turn since.
#include "contact/pairs/pairs_frame_internal.h"

void TS_PAIR_KERNEL(look)(const ts_pairs* pairs, int g, const double* velocity, ts_pair_vector out[TS_PAIR_POINTS]) {
    const ts_pair_group* group = &pairs->group[g];
    shared s;
    share(group, &s);
    view seen = view_of(&s, velocity);
    for (int k = 0; k < group->count; ++k) store3(read_there(&seen, &pairs->point[group->first + k]), &out[k]);
}

void TS_PAIR_KERNEL(read)(ts_pair_pass* pass, int slice) {
    const ts_pairs* pairs = pass->pairs;
    int end = ts_pair_slice_begin(pairs->parts, slice + 1);
    for (int g = ts_pair_slice_begin(pairs->parts, slice); g < end; ++g) {
        const ts_pair_group* group = &pairs->group[g];
        ts_pair_vector seen[TS_PAIR_POINTS];
        TS_PAIR_KERNEL(look)(pairs, g, pass->velocity, seen);
        for (int k = 0; k < group->count; ++k) pairs->track[group->first + k].velocity = seen[k];
    }
}

TS_PAIR_INLINE ts_four refer_point(const ts_pair_law* law, int moves, ts_pair_point* point, ts_pair_track* track) {
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

void TS_PAIR_KERNEL(refer)(ts_pair_pass* pass, int slice) {
    const ts_pairs* pairs = pass->pairs;
    ts_four deepest = ts_four_zero();
    int end = ts_pair_slice_begin(pairs->parts, slice + 1);
    for (int g = ts_pair_slice_begin(pairs->parts, slice); g < end; ++g) {
        const ts_pair_group* group = &pairs->group[g];
        for (int i = group->first; i < group->first + group->count; ++i)
            deepest = ts_four_most(refer_point(&pairs->law, pass->count, &pairs->point[i], &pairs->track[i]), deepest);
    }
    pass->deepest[slice] = most_of(deepest);
}

TS_PAIR_INLINE void begin_points(const ts_pairs* pairs, const ts_pair_group* group, int is_round) {
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
void TS_PAIR_KERNEL(begin)(ts_pair_pass* pass, int place) {
    const ts_pairs* pairs = pass->pairs;
    ts_pair_walk walk = ts_pair_walk_begin(pairs->parts, &pass->turns, place);
    for (int piece, at, end; (piece = ts_pair_walk_next(&walk, &at)) >= 0; ts_pair_walk_tell(&walk, at))
        for (int g = ts_pair_piece_begin(&walk, piece, &end); g < end; ++g) begin_group(pairs, &pairs->group[g]);
}
