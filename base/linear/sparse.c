// Block-compressed-row matrices of 3x3 blocks.
//
// Built by two stable counting sorts, by column and then by row, so the time is linear in entries, rows and columns and
// entries at the same place are added in the order they were given: the same entries give the same bits. Blocks take
// room for every entry, duplicates included; the sort's own scratch is given back to the arena.
#include "base/linear/sparse.h"

#include <string.h>

#include "base/assert.h"

// Stable counting sort: writes to out_order the indices of `order` (NULL: 0, 1, 2, ...) sorted by the entry's row
// (by_row) or column. `start` has buckets + 1 places of scratch.
static void sort_by(const ts_block_entry* entries, int count, int by_row, int buckets, const int* order, int* start,
                    int* out_order) {
    memset(start, 0, ((size_t)buckets + 1) * sizeof *start);
    for (int k = 0; k < count; ++k) start[(by_row ? entries[k].row : entries[k].column) + 1] += 1;
    for (int i = 0; i < buckets; ++i) start[i + 1] += start[i];
    for (int k = 0; k < count; ++k) {
        int entry = order ? order[k] : k;
        out_order[start[by_row ? entries[entry].row : entries[entry].column]++] = entry;
    }
}

// Copies sorted entries into A, adding those that share a place.
static void merge_sorted(const ts_block_entry* entries, int count, const int* order, ts_block_sparse* A) {
    int stored = 0, previous_row = -1;
    memset(A->row_start, 0, ((size_t)A->rows + 1) * sizeof *A->row_start);
    for (int k = 0; k < count; ++k) {
        const ts_block_entry* entry = &entries[order[k]];
        const double* value = &entry->value.m[0][0];
        if (entry->row == previous_row && A->column[stored - 1] == entry->column) {
            double* sum = A->block + 9 * (size_t)(stored - 1);
            for (int c = 0; c < 9; ++c) sum[c] += value[c];
            continue;
        }
        memcpy(A->block + 9 * (size_t)stored, value, 9 * sizeof *value);
        A->column[stored++] = entry->column;
        A->row_start[entry->row + 1] += 1;
        previous_row = entry->row;
    }
    for (int i = 0; i < A->rows; ++i) A->row_start[i + 1] += A->row_start[i];
    A->block_count = stored;
}

int ts_block_sparse_build(ts_arena* arena, int rows, int columns, const ts_block_entry* entries, int count,
                          ts_block_sparse* out_matrix) {
    TS_ASSERT(rows >= 0 && columns >= 0 && count >= 0);
    for (int k = 0; k < count; ++k)
        if (entries[k].row < 0 || entries[k].row >= rows || entries[k].column < 0 || entries[k].column >= columns)
            return 0;
    ts_arena_scope all = ts_arena_scope_begin(arena);
    ts_block_sparse A;
    A.rows = rows;
    A.columns = columns;
    A.block_count = 0;
    A.row_start = TS_ARENA_ARRAY(arena, int, (size_t)rows + 1);
    A.column = TS_ARENA_ARRAY(arena, int, count);
    A.block = TS_ARENA_ARRAY(arena, double, 9 * (size_t)count);
    ts_arena_scope scratch = ts_arena_scope_begin(arena);
    int buckets = rows > columns ? rows : columns;
    int* start = TS_ARENA_ARRAY(arena, int, (size_t)buckets + 1);
    int* by_column = TS_ARENA_ARRAY(arena, int, count);
    int* by_both = TS_ARENA_ARRAY(arena, int, count);
    if (!A.row_start || !A.column || !A.block || !start || !by_column || !by_both) {
        ts_arena_scope_end(arena, all);
        return 0;
    }
    sort_by(entries, count, 0, columns, NULL, start, by_column);
    sort_by(entries, count, 1, rows, by_column, start, by_both);
    merge_sorted(entries, count, by_both, &A);
    ts_arena_scope_end(arena, scratch);
    *out_matrix = A;
    return 1;
}

void ts_block_sparse_apply(const ts_block_sparse* A, const double* x, double* out_y) {
    for (int i = 0; i < A->rows; ++i) {
        double y0 = 0.0, y1 = 0.0, y2 = 0.0;
        for (int k = A->row_start[i]; k < A->row_start[i + 1]; ++k) {
            const double* b = A->block + 9 * (size_t)k;
            const double* v = x + 3 * (size_t)A->column[k];
            y0 += b[0] * v[0] + b[1] * v[1] + b[2] * v[2];
            y1 += b[3] * v[0] + b[4] * v[1] + b[5] * v[2];
            y2 += b[6] * v[0] + b[7] * v[1] + b[8] * v[2];
        }
        out_y[3 * (size_t)i] = y0;
        out_y[3 * (size_t)i + 1] = y1;
        out_y[3 * (size_t)i + 2] = y2;
    }
}

const double* ts_block_sparse_find(const ts_block_sparse* A, int row, int column) {
    int low = A->row_start[row], high = A->row_start[row + 1];
    while (low < high) {
        int middle = low + (high - low) / 2;
        if (A->column[middle] < column)
            low = middle + 1;
        else
            high = middle;
    }
    return low < A->row_start[row + 1] && A->column[low] == column ? A->block + 9 * (size_t)low : NULL;
}

void ts_block_sparse_to_dense(const ts_block_sparse* A, double* out_dense) {
    size_t width = 3 * (size_t)A->columns;
    for (size_t k = 0; k < 3 * (size_t)A->rows * width; ++k) out_dense[k] = 0.0;
    for (int i = 0; i < A->rows; ++i)
        for (int k = A->row_start[i]; k < A->row_start[i + 1]; ++k)
            for (size_t c = 0; c < 9; ++c)
                out_dense[(3 * (size_t)i + c / 3) * width + 3 * (size_t)A->column[k] + c % 3] =
                    A->block[9 * (size_t)k + c];
}
