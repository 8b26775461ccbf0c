// Newton's linear system with contacts between the same bodies taken together: four contacts of two boxes have twelve
// rows, but what they do to the world is one wrench of six.
#ifndef TS_CONTACT_SOLVERS_NEWTON_GROUPS_INTERNAL_H
#define TS_CONTACT_SOLVERS_NEWTON_GROUPS_INTERNAL_H

#include "base/linear/block_lu.h"
#include "base/linear/panel.h"
#include "contact/solvers/newton/newton_system_internal.h"

enum {
    TS_NEWTON_GROUP_ROWS = 48,              // in a group at most
    TS_NEWTON_GROUP_RANK = TS_BLOCK_LU_MAX  // of a group at most
};

/// Blocks whose rows of A - T (see newton_groups.c) span few dimensions.
typedef struct ts_newton_group {
    int first;  // of its blocks in ts_newton_groups.member
    int count;
    int rows;
    int rank;   // as many as rows where nothing is saved: N is then the identity
    double* Q;  // (rows x ts_panel_padded(rows)) an orthogonal matrix, [null | range]; NULL for the identity
    double* N;  // (rows x ts_panel_padded(rank)) its range columns
} ts_newton_group;

/// Groups of blocks and the matrix between them. Memory belongs to the arena it came from.
typedef struct ts_newton_groups {
    int count;
    ts_newton_group* group;
    int* member;  // (blocks) by group
    int* of;      // (blocks) group
    int* within;  // (blocks) first row within the group
    int* start;   // (count + 1) rows of Z's pattern
    int* column;  // groups, ascending
    size_t* at;   // of an entry in Z
    double* Z;    // rank x ts_panel_padded(rank) of each entry
} ts_newton_groups;

/// Rows of N of block b, ts_panel_padded(rank) apart; NULL for the identity.
static inline const double* ts_newton_range_rows(const ts_newton_groups* q, int b) {
    const ts_newton_group* g = &q->group[q->of[b]];
    return g->N ? g->N + q->within[b] * ts_panel_padded(g->rank) : NULL;
}

/// v = Z w; the w and v of groups are TS_NEWTON_GROUP_RANK numbers apart.
void ts_newton_groups_apply(const ts_newton_groups* q, const double* w, double* out_v);

/// Makes Q (rows x ts_panel_padded(rows)) and T so that M = [range columns of Q] T, M rows x columns, columns < rows;
/// M becomes T, Q [null | range].
void ts_newton_groups_range(double* M, int rows, int columns, double* Q);

/// Looks for groups in A. NULL when there is little to gain, when A does not keep to them to twelve digits, or when
/// memory is short.
ts_newton_groups* ts_newton_groups_make(const ts_newton_matrix* A, ts_arena* arena);

/// Solves for the active blocks of a system over the same matrix, whose place and list are up to date. `right` has the
/// rows of the active blocks, ascending, on entry and their steps on return. Returns 0 when the system is singular, its
/// factor would hold more than TS_SCALED_LARGEST_FACTOR numbers, or memory is short; and, with *out_dear set and
/// nothing done, when its factorisation would take more than `most_work` multiplications.
int ts_newton_groups_solve(const ts_newton_groups* groups, const ts_newton_system* system, ts_arena* scratch,
                           double most_work, double* right, int* out_dear);

#endif
