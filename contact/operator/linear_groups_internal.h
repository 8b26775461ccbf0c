// Contacts between the same bodies taken together: four contacts of two boxes have twelve rows, but what they do to the
// world is one wrench of six.
#ifndef TS_CONTACT_LINEAR_GROUPS_INTERNAL_H
#define TS_CONTACT_LINEAR_GROUPS_INTERNAL_H

#include "contact/operator/linear_ways_internal.h"

enum {
    TS_LINEAR_GROUP_ROWS = 48,              // in a group at most
    TS_LINEAR_GROUP_RANK = TS_BLOCK_LU_MAX  // of a group at most
};

/// Blocks whose rows of A - T (see linear_groups.c) span few dimensions.
typedef struct ts_linear_group {
    int first;  // of its blocks in ts_linear_groups.member
    int count;
    int rows;
    int rank;   // as many as rows where nothing is saved: N is then the identity
    double* Q;  // (rows x ts_panel_padded(rows)) an orthogonal matrix, [null | range]; NULL for the identity
    double* N;  // (rows x ts_panel_padded(rank)) its range columns
} ts_linear_group;

/// Groups of blocks and the matrix between them. Memory belongs to the arena it came from.
typedef struct ts_linear_groups {
    int count;
    ts_linear_group* group;
    int* member;  // (blocks) by group
    int* of;      // (blocks) group
    int* within;  // (blocks) first row within the group
    int* start;   // (count + 1) rows of Z's pattern
    int* column;  // groups, ascending
    size_t* at;   // of an entry in Z
    double* Z;    // rank x ts_panel_padded(rank) of each entry
} ts_linear_groups;

/// Rows of N of block b, ts_panel_padded(rank) apart; NULL for the identity.
static inline const double* ts_linear_range_rows(const ts_linear_groups* q, int b) {
    const ts_linear_group* g = &q->group[q->of[b]];
    return g->N ? g->N + q->within[b] * ts_panel_padded(g->rank) : NULL;
}

/// v = Z w; the w and v of groups are TS_LINEAR_GROUP_RANK numbers apart.
void ts_linear_groups_apply(const ts_linear_groups* q, const double* w, double* out_v);

/// Makes Q = [null | range] (rows x ts_panel_padded(rows)) and an upper triangular T with M = [range columns of Q] T, M
/// rows x columns, by columns, columns < rows; T takes the place of M's upper triangle.
void ts_linear_groups_range(double* M, int rows, int columns, double* Q);

/// Looks for groups in A. NULL when there is little to gain, when A does not keep to them to twelve digits, or when
/// memory is short.
ts_linear_groups* ts_linear_groups_make(const ts_linear_matrix* A, ts_arena* arena);

#endif
