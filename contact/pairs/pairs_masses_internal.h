// What a group of pairs takes from its bodies, four side by side. Inline, since the kernels are compiled twice.
#ifndef TS_CONTACT_PAIRS_MASSES_INTERNAL_H
#define TS_CONTACT_PAIRS_MASSES_INTERNAL_H

#include <float.h>

#include "base/linear/four.h"
#include "contact/pairs/pairs.h"

/// Masses and inertias of a group's bodies. Returns whether all inertias are numbers: what is round stays so to the bit.
static inline int ts_pair_take_masses(const ts_pairs* pairs, ts_pair_group* group) {
    ts_four off = ts_four_zero();
    for (int side = 0; side < 2; ++side) {
        const ts_pair_body* body[TS_PAIR_LANES];
        ts_four first[4], last[4];  // from xx and from xz
        for (int k = 0; k < TS_PAIR_LANES; ++k) {
            body[k] = &pairs->body[group->body[side][k]];
            first[k] = ts_four_load(body[k]->inverse_inertia);
            last[k] = ts_four_load(body[k]->inverse_inertia + 2);
        }
        ts_four_transpose(&first[0], &first[1], &first[2], &first[3]);
        ts_four_transpose(&last[0], &last[1], &last[2], &last[3]);
        double(*to)[TS_PAIR_LANES] = group->inverse_inertia[side].at;
        for (int i = 0; i < 4; ++i) ts_four_store(first[i], to[i]);
        for (int i = 2; i < 4; ++i) ts_four_store(last[i], to[2 + i]);
        ts_four_store(
            ts_four_make(body[0]->inverse_mass, body[1]->inverse_mass, body[2]->inverse_mass, body[3]->inverse_mass),
            group->inverse_mass[side]);
        off = ts_four_plus(off, ts_four_plus(ts_four_size(first[1]), ts_four_size(first[2])));
        off = ts_four_plus(off, ts_four_plus(ts_four_size(last[2]), ts_four_size(ts_four_minus(first[3], first[0]))));
        off = ts_four_plus(off, ts_four_size(ts_four_minus(last[3], first[0])));
    }
    // What is not a number is not round.
    ts_four none = ts_four_minus(ts_four_all(DBL_TRUE_MIN), off);
    return !ts_four_any(ts_four_where(none, ts_four_zero(), ts_four_all(1.0)));
}

#endif
