// EPA as the query runs it: to rounding for polytopes, coarsely for curved pairs, which Newton steps finish.
#ifndef TS_TESTS_COLLISION_EPA_FIXTURE_H
#define TS_TESTS_COLLISION_EPA_FIXTURE_H

#include "collision/distance/penetration/epa_internal.h"
#include "collision/shape/support.h"

static inline void epa_penetration(const ts_shape_pair* pair, const ts_gjk_result* start, ts_vec3 previous_normal,
                                   ts_epa_result* out) {
    int polytopes = ts_support_is_polytope(pair->a) && ts_support_is_polytope(pair->b);
    ts_epa_penetration_to(pair, start, previous_normal, polytopes ? 1e-12 : 1e-4, 0.0, out);
}

#endif
