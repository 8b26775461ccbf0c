// Newton's linear system with contacts between the same bodies taken together: four contacts of two boxes have twelve
// rows, but what they do to the world is one wrench of six.
#ifndef TS_CONTACT_SOLVERS_NEWTON_GROUPS_INTERNAL_H
#define TS_CONTACT_SOLVERS_NEWTON_GROUPS_INTERNAL_H

#include "contact/solvers/newton_system_internal.h"

/// Groups of blocks and the matrix between them. Memory belongs to the arena it came from.
typedef struct ts_newton_groups ts_newton_groups;

/// Looks for groups in A. NULL when there is little to gain, when A does not keep to them to twelve digits, or when memory
/// is short.
ts_newton_groups* ts_newton_groups_make(const ts_newton_matrix* A, ts_arena* arena);

/// Solves for the active blocks of a system over the same matrix, whose place and list are up to date. `right` has the
/// rows of the active blocks, ascending, on entry and their steps on return. Returns 0 when the system is singular, its
/// factor would hold more than TS_SCALED_LARGEST_FACTOR numbers, or memory is short; and, with *out_dear set and nothing
/// done, when its factorisation would take more than `most_work` multiplications.
int ts_newton_groups_solve(const ts_newton_groups* groups, const ts_newton_system* system, ts_arena* scratch,
                           double most_work, double* right, int* out_dear);

#endif
