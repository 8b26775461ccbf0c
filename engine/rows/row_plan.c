// Listing the blocks of a step: which rows they take, which runs of degrees of freedom they touch, and what they go on
// from.
//
// What stands and slides has the contacts of the last step: blocks are not listed again while they are those of the last plan, from its first on up to the
// first that is another. Nothing beyond that is taken for known, as it may have been written over.
//
// A chain of dofs, from one down to its tree's root, is a few runs of consecutive dofs: one segment each. Two chains of one
// tree share their lower part, and columns of a block's segments must not overlap: then the whole tree is one segment.
#include "engine/rows/row_plan_internal.h"

#include "engine/sim_internal.h"

// Makes room for more blocks: half as many again.
static int grow_blocks(ts_row_plan* plan) {
    int wanted = plan->block_capacity + plan->block_capacity / 2 + 8, capacity[4];
    void* data[4] = {plan->owner, plan->block, plan->block_row, plan->segment_start};
    const size_t size[4] = {sizeof *plan->owner, sizeof *plan->block, sizeof(int), sizeof(int)};
    for (int k = 0; k < 4; ++k) {
        capacity[k] = plan->block_capacity;
        plan->failed |= !ts_array_grow(&data[k], &capacity[k], size[k], wanted);
    }
    plan->owner = (ts_row_block*)data[0];
    plan->block = (ts_block*)data[1];
    plan->block_row = (int*)data[2];
    plan->segment_start = (int*)data[3];
    if (!plan->failed) plan->block_capacity = wanted;
    return !plan->failed;
}

// Makes room for so many segments.
static int grow_segments(ts_row_plan* plan, int wanted) {
    void* data = plan->segment;
    plan->failed |= !ts_array_grow(&data, &plan->segment_capacity, sizeof *plan->segment, wanted);
    plan->segment = (ts_delassus_segment*)data;
    return !plan->failed;
}

static inline void add_segment(ts_row_plan* plan, int column, int count, int rows) {
    if (plan->segment_count == plan->segment_capacity && !grow_segments(plan, plan->segment_count + 1)) return;
    ts_delassus_segment segment = {column, count, NULL, NULL};
    plan->segment[plan->segment_count++] = segment;
    plan->number_count += (size_t)rows * (size_t)count;
}

// Whether another chain ends in the same tree as chain k: 0, or 1 when the first of them is k itself, else 2.
static inline int shares_tree(const ts_dof* dof, const int* chain, int count, int k) {
    int shared = 0;
    for (int i = count - 1; i >= 0; --i)
        if (i != k && chain[i] >= 0 && dof[chain[i]].tree == dof[chain[k]].tree) shared = i < k ? 2 : 1;
    return shared;
}

// The segments of a block that moves nothing but lone free bodies, each six columns of its own. Returns 0, with nothing done, where it is no such block.
static int add_free_bodies(ts_row_plan* plan, const int* chain, int count, int rows) {
    const ts_dof* dof = plan->sim->model->dof;
    const ts_kinematic_tree* tree = plan->sim->model->tree;
    int moved = 0, last = -1;
    if (count > 2) return 0;
    for (int k = 0; k < count; ++k) {
        if (chain[k] < 0) continue;
        int t = dof[chain[k]].tree;
        if (tree[t].kind == TS_TREE_GENERAL || t == last) return 0;
        last = t;
        ++moved;
    }
    for (int k = 0; k < count; ++k)
        if (chain[k] >= 0) add_segment(plan, tree[dof[chain[k]].tree].dof_first, 6, rows);
    if (moved > plan->tree_most) plan->tree_most = moved;
    return 1;
}

// The segments of a block.
static void add_segments(ts_row_plan* plan, const int* chain, int count, int rows) {
    const ts_dof* dof = plan->sim->model->dof;
    int trees = 0;
    size_t wide = 0;
    if (add_free_bodies(plan, chain, count, rows)) return;
    for (int k = 0; k < count; ++k) {
        int shared = chain[k] < 0 ? 2 : shares_tree(dof, chain, count, k);
        if (shared == 2) continue;
        const ts_kinematic_tree* tree = &plan->sim->model->tree[dof[chain[k]].tree];
        wide += ts_row_lanes_size(rows, tree->dof_count);
        ++trees;
        if (shared) {
            add_segment(plan, tree->dof_first, tree->dof_count, rows);
            continue;
        }
        for (int d = chain[k], first; d >= 0; d = dof[first].parent) {
            first = dof[d].run;
            add_segment(plan, first, d - first + 1, rows);
        }
    }
    if (trees > plan->tree_most) plan->tree_most = trees;
    if (wide > plan->wide_most) plan->wide_most = wide;
}

// What moves a sleeper has the others of its island in it, or nothing else.
static int is_asleep(const ts_sim* sim, const int* chain, int count) {
    if (ts_sim_storage_of(sim)->asleep_count == 0) return 0;
    for (int k = 0; k < count; ++k)
        if (chain[k] >= 0 && ts_sim_tree_sleeps(sim, sim->model->dof[chain[k]].tree)) return 1;
    return 0;
}

// Lists a block whose segments are there.
static void close_block(ts_row_plan* plan, const ts_row_block* owner, const ts_block* block) {
    plan->known = 0;
    int b = plan->block_count++;
    plan->owner[b] = *owner;
    plan->owner[b].source = plan->source;
    plan->block[b] = *block;
    plan->block[b].row = plan->row_count;
    plan->row_count += block->rows;
    plan->block_row[b + 1] = plan->row_count;
    plan->segment_start[b + 1] = plan->segment_count;
}

int ts_row_plan_add_matched(ts_row_plan* plan, const ts_row_block* owner, const ts_block* block, const int* chain,
                            int chain_count) {
    if (is_asleep(plan->sim, chain, chain_count)) return 0;
    if (plan->block_count + 2 > plan->block_capacity && !grow_blocks(plan)) return 0;
    add_segments(plan, chain, chain_count, block->rows);
    close_block(plan, owner, block);
    return 1;
}

int ts_row_plan_add_alike(ts_row_plan* plan, int count) {
    int last = plan->block_count - 1, first = plan->segment_start[last], segments = plan->segment_count - first;
    while (plan->block_count + count + 1 > plan->block_capacity)
        if (!grow_blocks(plan)) return 0;
    if (plan->segment_count + count * segments > plan->segment_capacity &&
        !grow_segments(plan, plan->segment_count + count * segments))
        return 0;
    const ts_row_block owner = plan->owner[last];
    ts_block block = plan->block[last];
    ts_delassus_segment* to = plan->segment + plan->segment_count;
    size_t columns = 0;
    for (int s = 0; s < segments; ++s) columns += (size_t)plan->segment[first + s].count;
    for (int b = last + 1; b <= last + count; ++b) {
        for (int s = 0; s < segments; ++s) *to++ = plan->segment[first + s];
        block.row += block.rows;
        plan->owner[b] = owner;
        plan->block[b] = block;
        plan->block_row[b + 1] = block.row + block.rows;
        plan->segment_start[b + 1] = (int)(to - plan->segment);
    }
    plan->block_count += count;
    plan->row_count = plan->block_row[plan->block_count];
    plan->segment_count += count * segments;
    plan->number_count += (size_t)count * (size_t)block.rows * columns;
    return 1;
}

int ts_row_plan_keep(ts_row_plan* plan, uint64_t whole, int rows, int count) {
    int first = plan->block_count, end = first + count, segment = plan->segment_count;
    if (end > plan->known || ts_sim_storage_of(plan->sim)->asleep_count > 0) return 0;
    // Blocks of one source and whole lie together.
    const ts_row_block *from = &plan->owner[first], *to = &plan->owner[end - 1];
    if (from->source != plan->source || from->key.whole != whole || to->source != plan->source ||
        to->key.whole != whole || plan->block[first].rows != rows)
        return 0;
    const ts_model* model = plan->sim->model;
    int moved = plan->segment_start[first + 1] - segment;
    for (int s = segment; s < segment + moved; ++s)
        if (model->tree[model->dof[plan->segment[s].column].tree].kind == TS_TREE_GENERAL) return 0;
    if (moved > plan->tree_most) plan->tree_most = moved;
    plan->block_count = end;
    plan->row_count = plan->block_row[end];
    plan->segment_count = plan->segment_start[end];
    plan->number_count += (size_t)count * (size_t)rows * (size_t)(6 * moved);
    return 1;
}

static int key_order(ts_row_key a, ts_row_key b) {
    if (a.whole != b.whole) return a.whole < b.whole ? -1 : 1;
    return (a.part > b.part) - (a.part < b.part);
}

void ts_row_plan_add(ts_row_plan* plan, ts_row_key key, const ts_block* block, const int* chain, int chain_count) {
    const ts_row_memory_array* memory = &plan->sim->row_memory;
    ts_row_block owner = {key, plan->source, plan->block_count - plan->source_first, -1, 0};
    int* at = &plan->memory_at;
    while (*at < plan->memory_end && key_order(memory->data[*at].key, key) < 0) ++*at;
    if (*at < plan->memory_end && key_order(memory->data[*at].key, key) == 0) owner.memory = *at;
    (void)ts_row_plan_add_matched(plan, &owner, block, chain, chain_count);
}

void ts_row_plan_fail(ts_row_plan* plan) { plan->failed = 1; }

int ts_row_next_equality(const ts_row_plan* plan, int e) {
    const ts_model* model = plan->sim->model;
    for (++e; e < model->equality_count; ++e)
        if (model->equality[e].source == plan->source && plan->sim->equality_active[e]) return e;
    return -1;
}

// The first entry of a source's number or a larger one, from `low` on.
static int memory_from(const ts_row_memory_array* memory, int source, int low) {
    int high = memory->count;
    // Most sources have nothing to remember.
    if (low == high || memory->data[low].source >= source) return low;
    if (memory->data[high - 1].source < source) return high;
    while (low < high) {
        int middle = low + (high - low) / 2;
        if (memory->data[middle].source < source)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

void ts_row_memory_range(const ts_sim* sim, int source, int* out_first, int* out_last) {
    *out_first = memory_from(&sim->row_memory, source, 0);
    *out_last = memory_from(&sim->row_memory, source + 1, *out_first);
}

static int has_equality_of(const ts_model* model, int source) {
    for (int e = 0; e < model->equality_count; ++e)
        if (model->equality[e].source == source) return 1;
    return 0;
}

void ts_row_plan_open(ts_row_plan* plan, const ts_model* model) {
    for (int i = 0; i < ts_row_source_count(); ++i) {
        const ts_row_source* source = ts_row_source_at(i);
        int fits = source->fits ? source->fits(model) : !source->fault || has_equality_of(model, i);
        if (!fits) plan->idle |= 1u << i;
        if (fits) plan->source_end = i + 1;
    }
}

const ts_row_plan* ts_row_plan_make(ts_sim* sim) {
    ts_row_plan* plan = ts_sim_storage_of(sim)->row_plan;
    plan->sim = sim;
    plan->known = plan->failed ? 0 : plan->block_count;
    plan->failed = plan->drives = 0;
    plan->block_count = plan->row_count = plan->segment_count = plan->tree_most = 0;
    plan->number_count = plan->wide_most = 0;
    if (plan->block_capacity == 0 && !grow_blocks(plan)) return NULL;
    plan->block_row[0] = plan->segment_start[0] = 0;
    plan->memory_end = 0;
    plan->keeper = ts_sim_keeper(sim);
    for (plan->source = 0; plan->source < plan->source_end; ++plan->source) {
        if (plan->idle >> plan->source & 1u) continue;
        plan->source_first = plan->block_count;
        // The memory is in the order of sources.
        plan->memory_at = plan->memory_end;
        plan->memory_end = memory_from(&sim->row_memory, plan->source + 1, plan->memory_at);
        const ts_row_source* source = ts_row_source_at(plan->source);
        source->plan(sim, plan);
        if (source->drives && plan->block_count > plan->source_first) plan->drives = 1;
    }
    return plan->failed ? NULL : plan;
}

size_t ts_row_plan_memory(const ts_row_plan* plan) {
    size_t of_block = sizeof *plan->owner + sizeof *plan->block + sizeof *plan->block_row + sizeof *plan->segment_start;
    return (size_t)plan->block_capacity * of_block + (size_t)plan->segment_capacity * sizeof *plan->segment;
}

void ts_row_plan_free(ts_row_plan* plan) {
    ts_array_release(plan->owner);
    ts_array_release(plan->block);
    ts_array_release(plan->block_row);
    ts_array_release(plan->segment_start);
    ts_array_release(plan->segment);
}
