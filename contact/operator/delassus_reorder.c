// The velocity form rewritten in the order of a sweep.
//
// Problem: a sweep over a large island is bound by memory, and the order that several threads can share (sweep_order.c)
// jumps about in the island's own. Rule: blocks are renumbered by their place in the sweep, bodies by the first contact
// that touches them, and the Jacobian's rows are copied in that order; every array of a sweep is then read from front
// to back. The copy costs about as much as two sweeps, and threads share it. Diagonal blocks are read once a solve and
// stay where they are.
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

// Where everything goes, in the order of the sweep.
typedef struct places {
    int* block_row;      // (blocks + 1)
    int* segment_start;  // (blocks + 1)
    size_t* at;          // (blocks)
    int* moved;          // (nodes)
    size_t numbers;
    int columns;
} places;

static int take_places(const ts_velocity_form* form, const ts_sweep_order* order, ts_arena* arena, places* p) {
    int blocks = form->base.block_count;
    p->block_row = TS_ARENA_ARRAY(arena, int, blocks + 1);
    p->segment_start = TS_ARENA_ARRAY(arena, int, blocks + 1);
    p->at = TS_ARENA_ARRAY(arena, size_t, blocks);
    p->moved = TS_ARENA_ARRAY(arena, int, order->nodes);
    p->numbers = 0;
    p->columns = 0;
    return p->block_row && p->segment_start && p->at && p->moved;
}

// Nodes are numbered as the sweep meets them. Returns 0 when memory is short.
static int find_places(const ts_velocity_form* form, const ts_sweep_order* order, ts_arena* arena, places* p) {
    enum { UNSEEN = -1 };
    if (!take_places(form, order, arena, p)) return 0;
    ts_arena_scope scope = ts_arena_scope_begin(arena);
    int* first = TS_ARENA_ARRAY(arena, int, order->nodes + 1);
    if (!first) return 0;
    for (int j = form->velocity_count - 1; j >= 0; --j) first[order->node_of[j]] = j;
    first[order->nodes] = form->velocity_count;
    for (int n = 0; n < order->nodes; ++n) p->moved[n] = UNSEEN;
    p->block_row[0] = p->segment_start[0] = 0;
    for (int i = 0; i < form->base.block_count; ++i) {
        int b = order->block[i], rows = form->block[b].rows;
        p->at[i] = p->numbers;
        for (int s = form->segment_start[b]; s < form->segment_start[b + 1]; ++s) {
            const ts_delassus_segment* segment = &form->segment[s];
            if (segment->count == 0) continue;
            p->numbers += (size_t)(rows * segment->count) * (segment->Y == segment->J ? 1 : 2);
            int node = order->node_of[segment->column];
            if (p->moved[node] != UNSEEN) continue;
            p->moved[node] = p->columns;
            p->columns += first[node + 1] - first[node];
        }
        p->block_row[i + 1] = p->block_row[i] + rows;
        p->segment_start[i + 1] = p->segment_start[i] + form->segment_start[b + 1] - form->segment_start[b];
    }
    for (int n = 0; n < order->nodes; ++n) p->moved[n] -= first[n];
    ts_arena_scope_end(arena, scope);
    return 1;
}

ts_delassus* ts_velocity_form_reorder(const ts_velocity_form* form, const ts_sweep_order* order, ts_task_pool* tasks,
                                      ts_arena* arena) {
    int blocks = form->base.block_count;
    places p;
    if (!find_places(form, order, arena, &p)) return NULL;
    ts_velocity_form* to = TS_ARENA_ARRAY(arena, ts_velocity_form, 1);
    ts_delassus_segment* segment = TS_ARENA_ARRAY(arena, ts_delassus_segment, form->segment_start[blocks]);
    double* data = TS_ARENA_ARRAY(arena, double, p.numbers);
    if (!to || !segment || (p.numbers > 0 && !data)) return NULL;
    *to = *form;
    to->base.block_row = p.block_row;
    to->base.row_sum = to->base.bound = NULL;
    to->velocity_count = p.columns;
    to->V = (double*)ts_arena_alloc_zeroed(arena, (size_t)p.columns, sizeof(double));
    to->V_apply = TS_ARENA_ARRAY(arena, double, p.columns);
    to->known = to->known_rows = NULL;
    to->is_known = to->are_rows_known = 0;
    to->block = TS_ARENA_ARRAY(arena, ts_velocity_block, blocks);
    to->diagonal_start = TS_ARENA_ARRAY(arena, size_t, blocks);
    to->segment = segment;
    to->segment_start = p.segment_start;
    to->order = order;
    to->tasks = tasks;
    if (!to->V || !to->V_apply || !to->block || !to->diagonal_start) return NULL;
    reordering r = {form, to, order, p.moved, segment, data, p.at};
    ts_task_parallel_for(tasks, blocks, COPY_GRAIN, copy_range, &r);
    return &to->base;
}
