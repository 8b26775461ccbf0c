// Two boxes by separating axes: signed distance with witnesses. Not for use outside collision/ and its tests.
#ifndef TS_COLLISION_BOX_PAIR_INTERNAL_H
#define TS_COLLISION_BOX_PAIR_INTERNAL_H

#include "collision/distance/proximity_internal.h"

#ifdef __cplusplus
extern "C" {
#endif

/// What the axes have to say.
typedef enum ts_box_pair_outcome {
    TS_BOX_PAIR_SETTLED,  // the signed distance is known: lower = upper, up to rounding
    TS_BOX_PAIR_EARLY,    // farther apart than asked for: lower and normal are certified, the rest is not set
    TS_BOX_PAIR_OPEN  // no witnesses on the best axis: lower and normal are certified, GJK (lower > 0) or EPA must go on
} ts_box_pair_outcome;

/// Signed distance of two boxes' cores (a capsule's is a box without width), in A's frame. OPEN is rare: ties between axes that rounding
/// cannot break, boxes that touch to the last bits.
ts_box_pair_outcome ts_box_pair_solve(const ts_shape_pair* pair, double give_up_distance, ts_separation* out_found);

/// The same as an answer. Returns 0, with nothing in *out, where that stays open, and where the normal remembered is as good
/// as the one found: it stays then, and EPA gives its witnesses.
int ts_box_pair_query(const ts_shape_pair* pair, ts_vec3 previous, double give_up_distance, ts_proximity* out,
                      double* out_scale);

/// Whether two boxes are farther apart than `reach` (m, >= 0), or overlap; unless OPEN, leaves bounds of the signed distance
/// and a normal, no points. `previous` is of no use.
ts_pair_verdict ts_box_pair_verdict(const ts_shape_pair* pair, ts_vec3 previous, double reach,
                                    ts_separation* out_found);

#ifdef __cplusplus
}
#endif
#endif
