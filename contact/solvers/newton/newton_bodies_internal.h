// Newton's linear system solved through the bodies: where contacts outnumber the bodies' degrees of freedom, a factor
// in velocities is far smaller than one in impulses.
//
// With A = S (J Y^T) S + T, S and T diagonal (ts_newton_matrix), and V = Y^T S d for all d, active or known:
//     (C_b + E_b T_b) d_b = r_b - E_b S_b J_b V            for active b,
// so one small factor per block, then a system in V with the sparsity of the bodies, then d_b from V.
#ifndef TS_CONTACT_SOLVERS_NEWTON_BODIES_INTERNAL_H
#define TS_CONTACT_SOLVERS_NEWTON_BODIES_INTERNAL_H

#include "contact/solvers/newton/newton_system_internal.h"

/// The bodies behind a system. Memory belongs to the arena it came from.
typedef struct ts_newton_bodies ts_newton_bodies;

/// Looks at the operator behind A. NULL when it is no velocity form or when memory is short. Solving is refused where a
/// factor would hold more than `most` numbers. Solving is refined until no more than the part `good` of the right-hand
/// side is left, if rounding lets it.
ts_newton_bodies* ts_newton_bodies_make(const ts_newton_matrix* A, ts_arena* arena, size_t most, double good);

/// Degrees of freedom that the blocks of the problem use.
int ts_newton_bodies_columns(const ts_newton_bodies* bodies);

/// Multiplications of one factorisation with the system's active blocks, to compare with ts_block_lu_work; HUGE_VAL
/// where solving would be refused. Analyses, which takes a small part of the time that solving does.
double ts_newton_bodies_work(const ts_newton_bodies* bodies, const ts_newton_system* system, ts_arena* scratch);

/// What ts_newton_system_solve promises, known steps included; uses system->A, square, C, E, place, list, list_count
/// and list_rows, which are up to date. system->A.G and A.value may be NULL. Also 0, with `d` as it was, when more than
/// a thousandth of the right-hand side is left: then the digits did not suffice.
int ts_newton_bodies_solve(const ts_newton_bodies* bodies, const ts_newton_system* system, ts_arena* scratch,
                           double* d);

#endif
