// What the analysis of a block-sparse LU leaves for the factorisation.
#ifndef TS_BASE_BLOCK_LU_INTERNAL_H
#define TS_BASE_BLOCK_LU_INTERNAL_H

#include "base/linear/block_lu.h"

/// Columns that have the same rows below them, eliminated together. "Position" is the place in the order of
/// elimination. Its front is a dense matrix of `own` rows, eliminated here, and `beside` rows that are reached from
/// here.
typedef struct ts_lu_front {
    int begin;   // first position
    int end;     // behind the last
    int own;     // rows
    int beside;  // rows
    int list;    // of its positions beside in ts_block_lu.beside, ascending
    int list_count;
    int parent;    // front that takes what is left, or -1
    int children;  // fronts whose parent this is
    int side;      // which of two stacks takes what is left: a front and its children never share one
    int load;      // first of its entries of the matrix in ts_block_lu.load
    int load_end;  // behind the last
    int run;       // first of its runs
    int run_count;
    int tall_ld;  // of the tall panel: (own + beside) x own, of a definite matrix own x own
    int wide_ld;  // of the wide panel, own x beside, and of what is left, beside x beside
    size_t tall;  // in ts_block_lu.value
    size_t wide;  // likewise
} ts_lu_front;

/// Rows beside a front that lie together in its parent's front as well.
typedef struct ts_lu_run {
    int from;  // among the rows beside
    int to;    // among all rows of the parent's front
    int length;
} ts_lu_run;

/// Where an entry of the matrix begins.
typedef struct ts_lu_load {
    size_t to;  // in ts_block_lu.value
    int ld;
    int entry;
    int rows;
    int columns;
    int turned;  // nonzero: its transpose goes there
} ts_lu_load;

struct ts_block_lu {
    ts_block_lu_kind kind;
    int count;
    int rows;
    int* position;   // (count) of a node
    int* node;       // (count) at a position
    int* row;        // (count + 1) first row of a node
    int* pivot_row;  // (count + 1) first row of a position
    int* front_of;   // (count) front of a position
    ts_lu_front* front;
    int front_count;
    int* beside;      // positions, see ts_lu_front
    int* beside_row;  // row of that position within its front
    ts_lu_run* run;
    int* swap;  // (rows) row that changed places with a row of its front
    double* value;
    size_t value_count;
    ts_lu_load* load;  // front by front
    double* left[2];   // stacks of what is left of fronts, waiting for their parents
    int* waiting;      // (front_count) the fronts on those stacks, in order
    double* x;         // (rows) right-hand side by position
    double* gathered;  // (most rows beside a front)
    double work;
};

/// Rows that a front of a definite matrix has room for: an even number.
static inline int ts_lu_even(int rows) { return rows + rows % 2; }

/// Numbers in what a front leaves.
static inline size_t ts_lu_left_size(const ts_block_lu* lu, const ts_lu_front* front) {
    int rows = lu->kind == TS_BLOCK_LU_DEFINITE ? ts_lu_even(front->beside) : front->beside;
    return (size_t)rows * (size_t)front->wide_ld;
}

/// ts_block_lu_solve on lu->x, of a definite matrix.
void ts_block_definite_solve(const ts_block_lu* lu);

#endif
