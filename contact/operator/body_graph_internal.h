// The bodies behind a velocity form, as a graph: which columns belong together, and which groups of them meet.
#ifndef TS_CONTACT_BODY_GRAPH_INTERNAL_H
#define TS_CONTACT_BODY_GRAPH_INTERNAL_H

#include "contact/operator/delassus_velocity_internal.h"

/// Columns of a velocity form in groups of at most TS_BLOCK_LU_MAX that its blocks use as a whole, and the pattern of
/// Y^T S J for a block diagonal S: two groups meet where a block has both. Every group meets itself.
typedef struct ts_body_graph {
    int groups;
    int* group_of;  // (velocity_count) group of a column, or -1 where no block uses it
    int* first;     // (groups) first column
    int* size;      // (groups)
    int* place;     // (groups + 1) first row of a group in the matrix over used columns
    int* start;     // (groups + 1) compressed rows of that matrix
    int* column;    // ascending within a row
    size_t* at;     // where an entry's numbers begin, row-major
    size_t numbers;
} ts_body_graph;

/// Finds it for the blocks list[0 .. count), all of them when list is NULL; memory from `arena`. Returns 0 when that is
/// short.
int ts_body_graph_make(const ts_velocity_form* form, int count, const int* list, ts_arena* arena, ts_body_graph* out);

/// The numbers of entry (g, h), which must be in the pattern.
double* ts_body_graph_entry(const ts_body_graph* graph, double* value, int g, int h);

#endif
