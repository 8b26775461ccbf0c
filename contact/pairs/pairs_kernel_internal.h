// The passes over groups of pairs (pairs_frame_internal.h) as they are compiled: for every machine, for AVX2 and for AVX-512 where there is that. Not for
// use outside contact/pairs/ and its tests.
#ifndef TS_CONTACT_PAIRS_KERNEL_INTERNAL_H
#define TS_CONTACT_PAIRS_KERNEL_INTERNAL_H

#include "base/scalar.h"
#include "contact/judge/residual.h"
#include "contact/pairs/pairs.h"
#include "contact/pairs/pairs_parts_internal.h"

#ifdef __cplusplus
extern "C" {
#endif

/// What a pass is given and what it finds, slice by slice, or of a walk place by place (pairs_parts_internal.h).
typedef struct ts_pair_pass {
    ts_pairs* pairs;
    ts_pair_turns turns;                       // begin, sweep
    const double* velocity;                    // read: of bodies
    int count;                                 // refer: nonzero, gaps move; sweep: how many sweeps
    int judges;                                // sweep: nonzero, one pass more judges them
    double deepest[TS_PAIR_PARTS_MOST];        // refer: m
    ts_residual residual[TS_PAIR_PARTS_MOST];  // sweep, where it judges; zero at first
} ts_pair_pass;

/// The worst of both, number by number; a NaN stays.
static inline void ts_pair_residual_join(ts_residual* all, const ts_residual* part) {
    double* to = (double*)all;
    const double* from = (const double*)part;
    for (size_t i = 0; i < sizeof *all / sizeof(double); ++i) to[i] = ts_worse(to[i], from[i]);
}

/// A pass over a part.
typedef void (*ts_pairs_kernel)(ts_pair_pass* pass, int part);

/// Makes of group g, as its units and their source have left it, what ts_pairs_make says; out_steps (TS_PAIR_LANES): how large the
/// steps of the natural map are, kg.
typedef void (*ts_pairs_seat_kernel)(const ts_pairs* pairs, int g, double most_approach, double* out_steps);
void ts_pairs_seat_plain(const ts_pairs* pairs, int g, double most_approach, double* out_steps);
void ts_pairs_seat_wide(const ts_pairs* pairs, int g, double most_approach, double* out_steps);
void ts_pairs_seat_many(const ts_pairs* pairs, int g, double most_approach, double* out_steps);

/// Velocities of the surfaces in the points of group g, for those of bodies given.
void ts_pairs_look_plain(const ts_pairs* pairs, int g, const double* velocity, ts_pair_vector out[TS_PAIR_POINTS]);
void ts_pairs_look_wide(const ts_pairs* pairs, int g, const double* velocity, ts_pair_vector out[TS_PAIR_POINTS]);
void ts_pairs_look_many(const ts_pairs* pairs, int g, const double* velocity, ts_pair_vector out[TS_PAIR_POINTS]);

/// ts_pairs_make by one of these.
ts_pairs* ts_pairs_make_by(ts_arena* arena, const ts_pairs_input* input, ts_pairs_seat_kernel kernel);

/// The functions of that name in pairs.h; what islands make of what is found comes after.
void ts_pairs_read_plain(ts_pair_pass* pass, int part);
void ts_pairs_refer_plain(ts_pair_pass* pass, int part);
void ts_pairs_begin_plain(ts_pair_pass* pass, int part);
void ts_pairs_sweep_plain(ts_pair_pass* pass, int part);

/// The same.
void ts_pairs_read_wide(ts_pair_pass* pass, int part);
void ts_pairs_refer_wide(ts_pair_pass* pass, int part);
void ts_pairs_begin_wide(ts_pair_pass* pass, int part);
void ts_pairs_sweep_wide(ts_pair_pass* pass, int part);

/// The same.
void ts_pairs_read_many(ts_pair_pass* pass, int part);
void ts_pairs_refer_many(ts_pair_pass* pass, int part);
void ts_pairs_begin_many(ts_pair_pass* pass, int part);
void ts_pairs_sweep_many(ts_pair_pass* pass, int part);

#ifdef __cplusplus
}
#endif
#endif
