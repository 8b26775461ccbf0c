// Linear systems over the blocks of a problem: block-sparse LU.
//
// Problem: (C + E A) x = r, or (A + s 1) x = r, in the pattern of A.
// Rule: blocks C_b + E_b A_bb on the diagonal and E_b A_bc beside it, for unknown b and c, factorised along fronts
// (base/linear/block_lu.h).
// Guaranteed: the order and the fill are found once per set of unknown blocks; same input, same bits.
// Known to fail: rows are exchanged within fronts only, so a nearly singular system can give a poor answer; whoever takes
// it checks that it helps.
#include <string.h>

#include "contact/operator/linear_ways_internal.h"

typedef struct blocks {
    const ts_linear* s;
    int* start;  // (unknown blocks + 1)
    int* column;
    int* entry;  // of A
    size_t* at;
    double* value;
    size_t numbers;  // in it
    ts_block_lu* lu;
} blocks;

static void* analyse(const ts_linear* s, ts_arena* arena, size_t most) {
    const ts_linear_matrix* A = s->A;
    const ts_linear_room* room = s->room;
    int entries = 0, all = A->start[A->blocks];
    size_t numbers = 0;
    blocks* q = TS_ARENA_ARRAY(arena, blocks, 1);
    int* size = TS_ARENA_ARRAY(arena, int, room->count);
    if (!q || !size) return NULL;
    q->s = s;
    q->start = TS_ARENA_ARRAY(arena, int, room->count + 1);
    q->column = TS_ARENA_ARRAY(arena, int, all);
    q->entry = TS_ARENA_ARRAY(arena, int, all);
    q->at = TS_ARENA_ARRAY(arena, size_t, all);
    if (!q->start || !q->column || !q->entry || !q->at) return NULL;
    for (int a = 0; a < room->count; ++a) {
        int b = room->list[a];
        size[a] = ts_linear_rows_of(s, b);
        q->start[a] = entries;
        for (int e = A->start[b]; e < A->start[b + 1]; ++e) {
            if (room->place[A->column[e]] < 0) continue;
            q->column[entries] = room->place[A->column[e]];
            q->entry[entries] = e;
            q->at[entries++] = numbers;
            numbers += (size_t)size[a] * (size_t)ts_linear_rows_of(s, A->column[e]);
        }
    }
    q->start[room->count] = entries;
    q->numbers = numbers;
    q->lu = ts_block_lu_analyse(arena, TS_BLOCK_LU_ANY, room->count, size, q->start, q->column, most);
    q->value = q->lu ? TS_ARENA_ARRAY(arena, double, numbers) : NULL;
    return q->value ? q : NULL;
}

static ts_linear_cost cost_of(const void* analysed) {
    const blocks* q = (const blocks*)analysed;
    return (ts_linear_cost){ts_block_lu_work(q->lu), (double)ts_block_lu_numbers(q->lu), 0.0};
}

// A + s 1: every block is unknown, so that A's numbers lie as they do here.
static void fill_shifted(blocks* q) {
    const ts_linear_room* room = q->s->room;
    memcpy(q->value, q->s->A->value, q->numbers * sizeof(double));
    for (int a = 0; a < room->count; ++a) {
        int e = q->start[a], rows = ts_linear_rows_of(q->s, a);
        while (q->column[e] != a) ++e;
        for (int r = 0; r < rows; ++r) q->value[q->at[e] + (size_t)(r * (rows + 1))] += room->shift;
    }
}

static void fill(blocks* q) {
    const ts_linear_room* room = q->s->room;
    for (int a = 0; a < room->count; ++a)
        for (int e = q->start[a]; e < q->start[a + 1]; ++e)
            ts_linear_form_entry(q->s, room->list[a], q->entry[e], q->value + q->at[e],
                                 ts_linear_rows_of(q->s, room->list[q->column[e]]));
}

static int change(void* analysed) {
    blocks* q = (blocks*)analysed;
    if (q->s->C)
        fill(q);
    else
        fill_shifted(q);
    return ts_block_lu_factor(q->lu, q->start, q->column, q->at, q->value);
}

static int solve(void* analysed, const double* guess, double accuracy, double* x) {
    (void)guess;
    (void)accuracy;
    ts_block_lu_solve(((const blocks*)analysed)->lu, x);
    return 1;
}

const ts_linear_way ts_linear_blocks_way = {"blocks", 1, analyse, cost_of, change, solve};
