// Cutting a large island for several threads.
//
// Problem: a Gauss-Seidel sweep visits one contact after the other, each seeing what the ones before it did. Two
// contacts may be visited at once only when they share no body; and the order must not depend on who is free to do the
// work.
// Rule: breadth-first search from a body at the far end of the island gives every body a level, and a contact joins
// bodies of one level or of two neighbouring ones. Runs of two or more levels make a slab. Contacts within a slab keep
// their order, and slabs do not touch each other: first phase. Contacts across a cut between two slabs touch the last
// level of one and the first of the next, so the cuts do not touch each other either: second phase. Bodies with a large
// part of all contacts (a tray under a heap) would put everything on one level; they are left out of the search, and
// their contacts come last, one after the other: third phase.
//     The problem is then rewritten in this order (contact/operator/delassus_reorder.c), so that memory is read from front to back.
// Source: level structures, Cuthill and McKee 1969; the far end by repeated search, George and Liu 1979. Against
// colouring contact by contact this needs two waits a sweep instead of a dozen, keeps the neighbours of a contact in
// the cache, and lets the weight of a stack travel through a slab within one sweep.
// Guaranteed: linear time and memory; each block exactly once; the order is a function of the problem alone.
// Known to fail: islands of small diameter (everything touches everything within a few steps) have few levels, and
// little to cut; one hub's contacts are swept by one thread.
#include "contact/sweep_order_internal.h"

#include <string.h>

// Slabs by size: more of them feed more threads, but the weight of a pile has more cuts to cross. On walls of 4000
// contacts eight slabs cost 15 % more sweeps than none, sixteen 45 %.
enum { SLABS_MAX = 16, SLABS_FEW = 4, BLOCKS_FOR_EIGHT = 2048, BLOCKS_FOR_SIXTEEN = 16384 };

// A body with more than this share of the blocks is a hub.
enum { HUB_SHARE = 8 };

// Bodies a block may join; one with more is swept with the hubs.
enum { NODES_MAX = 4 };

enum { UNSEEN = -1, HUB = -2 };

// Groups of columns that blocks use together (bodies), and which of them meet in a block.
typedef struct node_graph {
    const ts_velocity_form* form;
    int nodes;
    int* node_of;    // (velocity_count)
    int* start;      // (nodes + 1)
    int* neighbour;  // of a node; those that follow each other differ, but the same one may come again
    int* level;      // (nodes), or UNSEEN or HUB
    int* queue;      // (nodes)
} node_graph;

// Neighbouring columns belong together where a segment covers both.
static void number_nodes(node_graph* graph) {
    const ts_velocity_form* form = graph->form;
    int n = form->velocity_count, *node_of = graph->node_of;
    memset(node_of, 0, (size_t)n * sizeof(int));
    for (int s = 0; s < form->segment_start[form->base.block_count]; ++s) {
        const ts_delassus_segment* segment = &form->segment[s];
        if (segment->count < 2) continue;
        ++node_of[segment->column];
        --node_of[segment->column + segment->count - 1];
    }
    graph->nodes = 0;
    for (int j = 0, covering = 0; j < n; ++j) {
        covering += node_of[j];
        node_of[j] = graph->nodes;
        graph->nodes += covering == 0;
    }
}

// The nodes of a block. Returns how many, NODES_MAX + 1 when there are more than that.
static inline int nodes_of(const node_graph* graph, int b, int out_node[NODES_MAX]) {
    const ts_velocity_form* form = graph->form;
    int count = 0;
    for (int s = form->segment_start[b]; s < form->segment_start[b + 1]; ++s) {
        if (form->segment[s].count == 0) continue;
        int node = graph->node_of[form->segment[s].column], known = 0;
        for (int k = 0; k < count; ++k) known |= out_node[k] == node;
        if (known) continue;
        if (count == NODES_MAX) return NODES_MAX + 1;
        out_node[count++] = node;
    }
    return count;
}

// Counts every block for its nodes: those with too many are hubs, the others have room for that many neighbours.
// Returns the room in all.
static size_t count_blocks(node_graph* graph) {
    int *start = graph->start, hub = graph->form->base.block_count / HUB_SHARE, node[NODES_MAX];
    for (int i = 0; i < graph->nodes; ++i) start[i] = graph->level[i] = 0;
    for (int b = 0; b < graph->form->base.block_count; ++b) {
        int count = nodes_of(graph, b, node);
        for (int k = 0; k < count && count <= NODES_MAX; ++k) {
            ++graph->level[node[k]];
            start[node[k]] += count - 1;
        }
    }
    size_t total = 0;
    for (int i = 0; i < graph->nodes; ++i) {
        int room = start[i];
        start[i] = (int)total;
        total += (size_t)room;
        graph->level[i] = graph->level[i] > hub ? HUB : UNSEEN;
    }
    return total;
}

static void list_neighbours(node_graph* graph) {
    int *next = graph->queue, node[NODES_MAX];
    memcpy(next, graph->start, (size_t)graph->nodes * sizeof(int));
    for (int b = 0; b < graph->form->base.block_count; ++b) {
        int count = nodes_of(graph, b, node);
        for (int i = 0; i < count && count <= NODES_MAX; ++i) {
            for (int k = 0; k < count; ++k) {
                int at = next[node[i]];
                if (k == i || (at > graph->start[node[i]] && graph->neighbour[at - 1] == node[k])) continue;
                graph->neighbour[at] = node[k];
                next[node[i]] = at + 1;
            }
        }
    }
    // What was not needed of the room stays behind the last neighbour.
    for (int i = 0; i < graph->nodes; ++i) {
        int end = i + 1 < graph->nodes ? graph->start[i + 1] : graph->start[graph->nodes];
        if (next[i] < end) graph->neighbour[next[i]] = UNSEEN;
    }
}

// Levels of everything that `from` reaches, beginning with `base`. Returns how many nodes those are; they are in the
// queue.
static int search(node_graph* graph, int from, int base) {
    int reached = 1;
    graph->queue[0] = from;
    graph->level[from] = base;
    for (int q = 0; q < reached; ++q) {
        int node = graph->queue[q], above = graph->level[node] + 1;
        for (int i = graph->start[node]; i < graph->start[node + 1]; ++i) {
            int other = graph->neighbour[i];
            if (other == UNSEEN) break;
            if (graph->level[other] != UNSEEN) continue;
            graph->level[other] = above;
            graph->queue[reached++] = other;
        }
    }
    return reached;
}

// Gives every node its level, one connected part above the other. Returns the number of levels.
static int find_levels(node_graph* graph) {
    int levels = 0;
    for (int node = 0; node < graph->nodes; ++node) {
        if (graph->level[node] != UNSEEN) continue;
        // The last one found is far away; from there the levels are many and thin.
        int reached = search(graph, node, levels), far = graph->queue[reached - 1];
        for (int q = 0; q < reached; ++q) graph->level[graph->queue[q]] = UNSEEN;
        reached = search(graph, far, levels);
        levels = graph->level[graph->queue[reached - 1]] + 1;
    }
    return levels;
}

// Least and largest level of a block's nodes, hubs apart; least > most where there are none.
typedef struct level_range {
    int least, most, hub;
} level_range;

static level_range range_of(const node_graph* graph, int b) {
    int node[NODES_MAX], count = nodes_of(graph, b, node);
    level_range range = {1, 0, count > NODES_MAX};
    for (int k = 0; k < count && count <= NODES_MAX; ++k) {
        int level = graph->level[node[k]], first = range.least > range.most;
        range.hub |= level == HUB;
        if (level == HUB) continue;
        if (first || level < range.least) range.least = level;
        if (first || level > range.most) range.most = level;
    }
    return range;
}

// Cuts the levels into slabs of about equally many blocks. weight: blocks of each level, becomes its slab. Returns the
// number of slabs. The cuts above and below a slab must not meet, so it has two levels at least.
static int cut_levels(int levels, int blocks, int* weight) {
    int wanted = blocks >= BLOCKS_FOR_SIXTEEN ? SLABS_MAX : (blocks >= BLOCKS_FOR_EIGHT ? SLABS_MAX / 2 : SLABS_FEW);
    int slab = 0, begin = 0;
    long long seen = 0;
    for (int level = 0; level < levels; ++level) {
        seen += weight[level];
        weight[level] = slab;
        int full = seen * wanted >= (long long)blocks * (slab + 1);
        if (full && level - begin >= 1 && levels - level > 2 && slab + 1 < wanted) {
            ++slab;
            begin = level + 1;
        }
    }
    return slab + 1;
}

// The piece of every block: slabs first, then seams, then hubs.
static void choose_pieces(const node_graph* graph, int slabs, const int* slab_of, int* out_piece) {
    int blocks = graph->form->base.block_count;
    for (int b = 0; b < blocks; ++b) {
        level_range range = range_of(graph, b);
        int nothing = range.least > range.most;  // moves it: anywhere will do
        int least = nothing ? 0 : slab_of[range.least], most = nothing ? 0 : slab_of[range.most];
        out_piece[b] = range.hub       ? 2 * slabs - 1
                       : nothing       ? (int)((long long)b * slabs / blocks)
                       : least == most ? least
                                       : slabs + least;
    }
}

// Sorts the blocks by piece, in their own order within each.
static void sort_blocks(const int* piece, int blocks, int slabs, ts_sweep_order* order, int* out_block) {
    int next[2 * SLABS_MAX] = {0}, pieces = 2 * slabs;
    for (int b = 0; b < blocks; ++b) ++next[piece[b]];
    order->start[0] = 0;
    for (int k = 0; k < pieces; ++k) {
        order->start[k + 1] = order->start[k] + next[k];
        next[k] = order->start[k];
    }
    for (int b = 0; b < blocks; ++b) out_block[next[piece[b]]++] = b;
    order->phase[0] = 0;
    order->phase[1] = slabs;
    order->phase[2] = 2 * slabs - 1;
    order->phase[3] = 2 * slabs;
}

// Finds the pieces. *out_slabs is 1 where there is nothing to cut. Returns 0 when memory is short.
static int cut(const ts_velocity_form* form, ts_arena* arena, ts_sweep_order* order, int* out_node_of, int* out_block,
               int* out_slabs) {
    int blocks = form->base.block_count, columns = form->velocity_count;
    node_graph graph = {.form = form,
                        .start = TS_ARENA_ARRAY(arena, int, columns + 1),
                        .level = TS_ARENA_ARRAY(arena, int, columns),
                        .queue = TS_ARENA_ARRAY(arena, int, columns)};
    int* piece = TS_ARENA_ARRAY(arena, int, blocks);
    graph.node_of = out_node_of;
    if (!graph.start || !graph.level || !graph.queue || !piece) return 0;
    number_nodes(&graph);
    order->nodes = graph.nodes;
    size_t room = count_blocks(&graph);
    graph.neighbour = TS_ARENA_ARRAY(arena, int, room);
    if (room > 0 && !graph.neighbour) return 0;
    graph.start[graph.nodes] = (int)room;
    list_neighbours(&graph);
    int levels = find_levels(&graph);
    int* slab_of = (int*)ts_arena_alloc_zeroed(arena, (size_t)levels + 1, sizeof(int));
    if (!slab_of) return 0;
    // A block counts for the lowest of its levels.
    for (int b = 0; b < blocks; ++b) {
        level_range range = range_of(&graph, b);
        if (range.least <= range.most && !range.hub) ++slab_of[range.least];
    }
    *out_slabs = cut_levels(levels, blocks, slab_of);
    if (*out_slabs < 2) return 1;
    choose_pieces(&graph, *out_slabs, slab_of, piece);
    sort_blocks(piece, blocks, *out_slabs, order, out_block);
    return 1;
}

int ts_sweep_order_make(const ts_velocity_form* form, ts_arena* arena, const ts_sweep_order** out_order) {
    int blocks = form->base.block_count, columns = form->velocity_count, slabs = 1;
    *out_order = NULL;
    if (blocks < TS_SWEEP_BLOCKS_MIN || columns == 0) return 1;
    ts_sweep_order* order = TS_ARENA_ARRAY(arena, ts_sweep_order, 1);
    int* block = TS_ARENA_ARRAY(arena, int, blocks);
    int* node_of = TS_ARENA_ARRAY(arena, int, columns);
    if (!order || !block || !node_of) return 0;
    order->block = block;
    order->node_of = node_of;
    ts_arena_scope scope = ts_arena_scope_begin(arena);
    int enough = cut(form, arena, order, node_of, block, &slabs);
    ts_arena_scope_end(arena, scope);
    if (enough && slabs > 1) *out_order = order;
    return enough;
}

// Less than this many blocks are done before another thread has woken up.
enum { ALONE = 64 };

typedef struct run_context {
    const ts_sweep_order* order;
    ts_sweep_work work;
    void* context;
    int first;
} run_context;

static void run_pieces(void* context, int begin, int end, int worker) {
    const run_context* run = (const run_context*)context;
    (void)worker;
    for (int k = run->first + begin; k < run->first + end; ++k)
        run->work(run->context, run->order->start[k], run->order->start[k + 1], k);
}

void ts_sweep_order_run(const ts_sweep_order* order, ts_task_pool* tasks, int backward, ts_sweep_work work,
                        void* context) {
    for (int p = 0; p < TS_SWEEP_PHASES; ++p) {
        int phase = backward ? TS_SWEEP_PHASES - 1 - p : p;
        run_context run = {order, work, context, order->phase[phase]};
        int pieces = order->phase[phase + 1] - run.first;
        int places = order->start[order->phase[phase + 1]] - order->start[run.first];
        ts_task_parallel_for(places > ALONE ? tasks : NULL, pieces, 1, run_pieces, &run);
    }
}
