// The velocity form rewritten in the order of a sweep.
//
// Problem: a sweep over a large island is bound by memory, and the order that several threads can share (sweep_order.c)
// jumps about in the island's own. Rule: blocks are renumbered by their place in the sweep, bodies by the first contact
// that touches them, and the Jacobian's rows are copied in that order; every array of a sweep is then read from front to
// back. The copy costs about as much as two sweeps, and threads share it. Diagonal blocks are read once a solve and stay
// where they are.
// Guaranteed: the same numbers at other places, whatever the number of threads. Memory: another copy of the rows.
#include <string.h>

#include "contact/sweep_order_internal.h"

// Blocks that a thread copies at a time.
enum { COPY_GRAIN = 512 };

typedef struct reordering {
    const ts_velocity_form* from;
    ts_velocity_form* to;
    const ts_sweep_order* order;
    const int* moved;              // (nodes) by how much the columns of a node move
    ts_delassus_segment* segment;  // of `to`
    double* data;                  // its rows
    const size_t* at;              // (block_count) where a block's rows begin
} reordering;

// Numbers a block's rows take: J of all segments, then Y of those that have their own.
static size_t numbers_of(const ts_velocity_form* form, int b) {
    size_t numbers = 0, rows = (size_t)form->block[b].rows;
    for (int s = form->segment_start[b]; s < form->segment_start[b + 1]; ++s)
        numbers += rows * (size_t)form->segment[s].count * (form->segment[s].Y == form->segment[s].J ? 1 : 2);
    return numbers;
}

static void copy_block(const reordering* r, int i) {
    int b = r->order->block[i], first = r->from->segment_start[b], count = r->from->segment_start[b + 1] - first;
    const ts_delassus_segment* source = r->from->segment + first;
    ts_delassus_segment* target = r->segment + r->to->segment_start[i];
    ts_velocity_block* block = &r->to->block[i];
    double* data = r->data + r->at[i];
    *block = r->from->block[b];
    for (int k = 0; k < count; ++k) {
        size_t size = (size_t)block->rows * (size_t)source[k].count;
        target[k] = source[k];
        if (size == 0) continue;
        target[k].column += r->moved[r->order->node_of[source[k].column]];
        target[k].J = target[k].Y = data;
        memcpy(data, source[k].J, size * sizeof(double));
        data += size;
    }
    for (int k = 0; k < count; ++k) {
        size_t size = (size_t)block->rows * (size_t)source[k].count;
        if (source[k].Y == source[k].J) continue;
        target[k].Y = data;
        memcpy(data, source[k].Y, size * sizeof(double));
        data += size;
    }
    for (int k = 0; k < count && k < 2; ++k) block->column[k] = target[k].column;
    block->J = count > 0 ? target[0].J : NULL;
    block->Y = count > 0 ? target[0].Y : NULL;
    r->to->diagonal_start[i] = r->from->diagonal_start[b];
}

static void copy_range(void* context, int begin, int end, int worker) {
    (void)worker;
    for (int i = begin; i < end; ++i) copy_block((const reordering*)context, i);
}

// By how much the columns of every node move when nodes are numbered as the sweep meets them. Returns 0 when memory is
// short.
static int move_nodes(const ts_velocity_form* form, const ts_sweep_order* order, ts_arena* arena, int* out_moved,
                      int* out_columns) {
    enum { UNSEEN = -1 };
    int* first = TS_ARENA_ARRAY(arena, int, order->nodes + 1);
    if (!first) return 0;
    for (int j = form->velocity_count - 1; j >= 0; --j) first[order->node_of[j]] = j;
    first[order->nodes] = form->velocity_count;
    for (int n = 0; n < order->nodes; ++n) out_moved[n] = UNSEEN;
    int next = 0;
    for (int i = 0; i < form->base.block_count; ++i) {
        int b = order->block[i];
        for (int s = form->segment_start[b]; s < form->segment_start[b + 1]; ++s) {
            if (form->segment[s].count == 0) continue;
            int node = order->node_of[form->segment[s].column];
            if (out_moved[node] != UNSEEN) continue;
            out_moved[node] = next;
            next += first[node + 1] - first[node];
        }
    }
    for (int n = 0; n < order->nodes; ++n) out_moved[n] -= first[n];
    *out_columns = next;
    return 1;
}

ts_delassus* ts_velocity_form_reorder(const ts_velocity_form* form, const ts_sweep_order* order, ts_task_pool* tasks,
                                      ts_arena* arena) {
    int blocks = form->base.block_count, columns = 0;
    ts_velocity_form* to = TS_ARENA_ARRAY(arena, ts_velocity_form, 1);
    int* block_row = TS_ARENA_ARRAY(arena, int, blocks + 1);
    int* segment_start = TS_ARENA_ARRAY(arena, int, blocks + 1);
    size_t* at = TS_ARENA_ARRAY(arena, size_t, blocks);
    int* moved = TS_ARENA_ARRAY(arena, int, order->nodes);
    ts_delassus_segment* segment = TS_ARENA_ARRAY(arena, ts_delassus_segment, form->segment_start[blocks]);
    if (!to || !block_row || !segment_start || !at || !moved || !segment) return NULL;
    if (!move_nodes(form, order, arena, moved, &columns)) return NULL;
    size_t numbers = 0;
    block_row[0] = segment_start[0] = 0;
    for (int i = 0; i < blocks; ++i) {
        int b = order->block[i];
        at[i] = numbers;
        numbers += numbers_of(form, b);
        block_row[i + 1] = block_row[i] + form->block[b].rows;
        segment_start[i + 1] = segment_start[i] + form->segment_start[b + 1] - form->segment_start[b];
    }
    *to = *form;
    to->base.block_row = block_row;
    to->velocity_count = columns;
    to->V = (double*)ts_arena_alloc_zeroed(arena, (size_t)columns, sizeof(double));
    to->V_apply = TS_ARENA_ARRAY(arena, double, columns);
    to->block = TS_ARENA_ARRAY(arena, ts_velocity_block, blocks);
    to->diagonal_start = TS_ARENA_ARRAY(arena, size_t, blocks);
    to->segment = segment;
    to->segment_start = segment_start;
    to->order = order;
    to->tasks = tasks;
    double* data = TS_ARENA_ARRAY(arena, double, numbers);
    if (!to->V || !to->V_apply || !to->block || !to->diagonal_start || (numbers > 0 && !data)) return NULL;
    reordering r = {form, to, order, moved, segment, data, at};
    ts_task_parallel_for(tasks, blocks, COPY_GRAIN, copy_range, &r);
    return &to->base;
}
