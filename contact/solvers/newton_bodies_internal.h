// Newton's linear system solved through the bodies: where contacts outnumber the bodies' degrees of freedom, a factor in
// velocities is far smaller than one in impulses.
//
// With A = S (J Y^T) S + T, S and T diagonal (ts_newton_matrix), and V = Y^T S d for all d, active or known:
//     (C_b + E_b T_b) d_b = r_b - E_b S_b J_b V            for active b,
// so one small factor per block, then a system in V with the sparsity of the bodies, then d_b from V.
#ifndef TS_CONTACT_SOLVERS_NEWTON_BODIES_INTERNAL_H
#define TS_CONTACT_SOLVERS_NEWTON_BODIES_INTERNAL_H

#include "contact/solvers/newton_system_internal.h"

/// The bodies behind a system. Memory belongs to the arena it came from.
typedef struct ts_newton_bodies ts_newton_bodies;

/// Looks at the operator behind A. NULL when it is no velocity form or when memory is short. Solving is refused where a
/// factor would hold more than `most` numbers.
ts_newton_bodies* ts_newton_bodies_make(const ts_newton_matrix* A, ts_arena* arena, size_t most);

/// Nonzero when this way promises to be cheaper than a factor over `active_rows` rows of contacts.
int ts_newton_bodies_pay(const ts_newton_bodies* bodies, int active_rows);

/// What ts_newton_system_solve promises, known steps included; uses system->A, square, C, E, place, list, list_count and
/// list_rows, which are up to date. system->A.G and A.value may be NULL. Also 0 when more than a thousandth of the
/// right-hand side is left: then the digits did not suffice.
int ts_newton_bodies_solve(ts_newton_bodies* bodies, const ts_newton_system* system, ts_arena* scratch, double* d);

/// Bytes of both at most.
unsigned long ts_newton_bodies_bytes(const ts_contact_problem* problem);

#endif
