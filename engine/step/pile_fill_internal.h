// What a pile's pairs begin with, unit by unit or four at a time (pile_fill.c). Not for use outside engine/step/.
#ifndef TS_ENGINE_STEP_PILE_FILL_INTERNAL_H
#define TS_ENGINE_STEP_PILE_FILL_INTERNAL_H

#include "contact/pairs/pairs.h"
#include "engine/sim_internal.h"

#ifdef __cplusplus
extern "C" {
#endif

/// What pairs are filled from.
typedef struct ts_pile_fill {
    ts_sim* sim;
    const ts_vec3* centre;  // (bodies of the pairs, and room behind the last) m, where levers on them begin
    const ts_pair_unit* unit;
    const int* run_of;  // (units)
} ts_pile_fill;

/// ts_pair_source.expect, of a ts_pile_fill.
void ts_pile_fill_expect(void* context, int u, int how_far);

/// ts_pair_source.fill, likewise.
void ts_pile_fill_unit(void* context, int u, const ts_pair_seat* seat);

/// ts_pair_source.fill_four, likewise: of units that go on as they were. For every machine, and with AVX2: the same bits.
int ts_pile_fill_four_plain(void* context, const int* u, const ts_pair_seat* seat);
int ts_pile_fill_four_wide(void* context, const int* u, const ts_pair_seat* seat);

#ifdef __cplusplus
}
#endif
#endif
