// The bodies behind a contact problem as systems of their own. Not for use outside contact/ and its tests.
#ifndef TS_CONTACT_SOLVERS_SUBSYSTEMS_INTERNAL_H
#define TS_CONTACT_SOLVERS_SUBSYSTEMS_INTERNAL_H

#include "contact/problem.h"

/// A block's hold on one of the systems that it touches.
typedef struct ts_subsystem_side {
    int block;
    int system;
    int column;       // first column, counted within the system
    int count;        // columns
    int ld;           // of J and Y
    int at;           // first of its rows among the rows of all sides
    const double* J;  // (rows of the block x count), row-major
    const double* Y;  // likewise: (M^-1 J^T)^T
} ts_subsystem_side;

/// All of them. G is the sum over systems of J Y^T.
typedef struct ts_subsystems {
    int systems;
    int sides;
    int rows;                       // of all sides
    const int* size;                // (systems) columns
    const int* first;               // (systems + 1) sum of sizes before
    const ts_subsystem_side* side;  // (sides) in the order of blocks
    const int* side_start;          // (blocks + 1)
    const int* list_start;          // (systems + 1)
    const int* list;                // (sides) by system, ascending
} ts_subsystems;

/// Finds them: trees of bodies where the operator knows its bodies, else one system of as many columns as the matrix has rank. Memory from
/// `arena`. Returns 0 when that is short, a number is not finite, or the operator has neither bodies nor APPLY and ROWS.
int ts_subsystems_make(const ts_contact_problem* problem, ts_arena* arena, ts_subsystems* out);

#endif
