// What keeps a solver from a problem: for the one who wonders why another solver's answer, or none, came back.
#ifndef TS_CONTACT_OBSTACLE_H
#define TS_CONTACT_OBSTACLE_H

#include "contact/solver.h"

#ifdef __cplusplus
extern "C" {
#endif

/// In a few words, why the solver cannot do what its name says on the problem or one of its islands (the operator lacks
/// an ability, an island is too large); NULL when nothing is known to stand in the way. Takes memory from `arena`,
/// which keeps it; where that is short, islands are not looked at.
const char* ts_obstacle_of(const ts_solver* solver, const ts_contact_problem* problem, const void* settings,
                           ts_arena* arena);

#ifdef __cplusplus
}
#endif
#endif
