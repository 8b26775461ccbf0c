// The graph of bodies.
//
// Problem: the matrix of a pile over its bodies is sparse and small, but an operator in velocity form knows columns,
// not bodies: a segment may be a free body's six, a robot's thirty, or a part of them.
// Rule: columns are cut at both ends of every segment and after six; a group is then used by a block as a whole or not
// at all. Two groups meet where a block has both: who uses a group is listed first, then what its users use.
// Source: the pattern of a product of sparse matrices found before its numbers, George and Liu 1981.
// Guaranteed: groups in the order of their columns, entries ascending, a symmetric pattern; time and memory linear in
// the blocks' pairs of groups.
// Known limit: a block with very many columns makes all its groups meet.
#include "contact/operator/body_graph_internal.h"

#include <string.h>

#include "base/linear/block_lu.h"
#include "base/sort.h"

enum { GROUP = TS_BLOCK_LU_MAX };

// The blocks that count.
typedef struct chosen {
    const ts_velocity_form* form;
    const int* list;  // NULL: all
    int count;
    unsigned char* repeats;  // (count) whether it adds nothing to the graph
} chosen;

static int block_at(const chosen* c, int i) { return c->list ? c->list[i] : i; }

// Whether the i-th block has the columns of the one before, as the points of a manifold have: it adds nothing to the graph.
static int is_repeated(const chosen* c, int i) {
    const ts_velocity_form* form = c->form;
    if (i == 0) return 0;
    int b = block_at(c, i), before = block_at(c, i - 1), count = form->segment_start[b + 1] - form->segment_start[b];
    if (form->segment_start[before + 1] - form->segment_start[before] != count) return 0;
    const ts_delassus_segment *s = form->segment + form->segment_start[b],
                              *t = form->segment + form->segment_start[before];
    for (int k = 0; k < count; ++k)
        if (s[k].column != t[k].column || s[k].count != t[k].count) return 0;
    return 1;
}

// Returns 0 when memory is short.
static int make_groups(ts_body_graph* f, const chosen* c, ts_arena* arena) {
    const ts_velocity_form* form = c->form;
    int n = form->velocity_count;
    f->group_of = TS_ARENA_ARRAY(arena, int, n);
    unsigned char* cut = (unsigned char*)ts_arena_alloc_zeroed(arena, (size_t)n + 1, 1);
    unsigned char* used = (unsigned char*)ts_arena_alloc_zeroed(arena, (size_t)n + 1, 1);
    if (!f->group_of || !cut || !used) return 0;
    for (int i = 0; i < c->count; ++i) {
        int b = block_at(c, i);
        if (c->repeats[i]) continue;
        for (int s = form->segment_start[b]; s < form->segment_start[b + 1]; ++s) {
            const ts_delassus_segment* segment = &form->segment[s];
            cut[segment->column] = cut[segment->column + segment->count] = 1;
            memset(used + segment->column, 1, (size_t)segment->count);
        }
    }
    int length = 0;
    f->groups = 0;
    for (int j = 0; j < n; ++j) {
        f->group_of[j] = -1;
        if (!used[j]) continue;
        if (j == 0 || cut[j] || !used[j - 1] || length == GROUP) {
            ++f->groups;
            length = 0;
        }
        ++length;
        f->group_of[j] = f->groups - 1;
    }
    f->first = TS_ARENA_ARRAY(arena, int, f->groups);
    f->size = (int*)ts_arena_alloc_zeroed(arena, (size_t)f->groups, sizeof(int));
    f->place = TS_ARENA_ARRAY(arena, int, f->groups + 1);
    if (!f->first || !f->size || !f->place) return 0;
    for (int j = n - 1; j >= 0; --j) {
        if (f->group_of[j] < 0) continue;
        f->first[f->group_of[j]] = j;
        ++f->size[f->group_of[j]];
    }
    f->place[0] = 0;
    for (int g = 0; g < f->groups; ++g) f->place[g + 1] = f->place[g] + f->size[g];
    return 1;
}

// The groups of block b, in any order; there are at most as many as groups.
static int groups_of_block(const ts_body_graph* f, const ts_velocity_form* form, int b, int* out_group) {
    int count = 0;
    for (int s = form->segment_start[b]; s < form->segment_start[b + 1]; ++s) {
        const ts_delassus_segment* segment = &form->segment[s];
        for (int j = 0; j < segment->count && count < f->groups;) {
            int g = f->group_of[segment->column + j];
            out_group[count++] = g;
            j += f->size[g];
        }
    }
    return count;
}

// Lists which chosen blocks use a group, of those that repeat each other the first. group: scratch (groups). Returns 0 when memory is short.
static int list_users(const ts_body_graph* f, const chosen* c, ts_arena* arena, int* group, int** out_start,
                      int** out_user) {
    int groups = f->groups, total = 0;
    int* start = (int*)ts_arena_alloc_zeroed(arena, (size_t)groups + 1, sizeof(int));
    int* next = TS_ARENA_ARRAY(arena, int, groups);
    if (!start || !next) return 0;
    for (int i = 0; i < c->count; ++i) {
        if (c->repeats[i]) continue;
        int count = groups_of_block(f, c->form, block_at(c, i), group);
        for (int k = 0; k < count; ++k) ++start[group[k] + 1];
        total += count;
    }
    for (int g = 0; g < groups; ++g) start[g + 1] += start[g];
    int* user = TS_ARENA_ARRAY(arena, int, total);
    if (!user) return 0;
    memcpy(next, start, (size_t)groups * sizeof(int));
    for (int i = 0; i < c->count; ++i) {
        if (c->repeats[i]) continue;
        int b = block_at(c, i), count = groups_of_block(f, c->form, b, group);
        for (int k = 0; k < count; ++k) user[next[group[k]]++] = b;
    }
    *out_start = start;
    *out_user = user;
    return 1;
}

static int make_pattern(ts_body_graph* f, const chosen* c, ts_arena* arena) {
    int groups = f->groups;
    int *user_start, *user;
    f->start = TS_ARENA_ARRAY(arena, int, groups + 1);
    f->column = NULL;
    int* mark = TS_ARENA_ARRAY(arena, int, groups);
    int* group = TS_ARENA_ARRAY(arena, int, groups);
    if (!f->start || !mark || !group || !list_users(f, c, arena, group, &user_start, &user)) return 0;
    for (int g = 0; g < groups; ++g) mark[g] = -1;
    // Twice over: to count, and to list.
    for (int pass = 0; pass < 2; ++pass) {
        size_t entries = 0;
        for (int g = 0; g < groups; ++g) {
            int stamp = pass * groups + g;
            size_t row = entries;
            f->start[g] = (int)entries;
            for (int u = user_start[g]; u < user_start[g + 1]; ++u) {
                int count = groups_of_block(f, c->form, user[u], group);
                for (int k = 0; k < count; ++k) {
                    if (mark[group[k]] == stamp) continue;
                    mark[group[k]] = stamp;
                    if (pass == 1) f->column[entries] = group[k];
                    ++entries;
                }
            }
            if (pass == 1) ts_sort_ints(f->column + row, (int)(entries - row));
        }
        f->start[groups] = (int)entries;
        if (pass == 0) f->column = TS_ARENA_ARRAY(arena, int, entries);
        if (!f->column) return 0;
    }
    f->at = TS_ARENA_ARRAY(arena, size_t, f->start[groups]);
    if (!f->at) return 0;
    f->numbers = 0;
    for (int g = 0; g < groups; ++g)
        for (int e = f->start[g]; e < f->start[g + 1]; ++e) {
            f->at[e] = f->numbers;
            f->numbers += (size_t)f->size[g] * (size_t)f->size[f->column[e]];
        }
    return 1;
}

int ts_body_graph_make(const ts_velocity_form* form, int count, const int* list, ts_arena* arena, ts_body_graph* out) {
    chosen c = {form, list, list ? count : form->base.block_count, NULL};
    c.repeats = TS_ARENA_ARRAY(arena, unsigned char, c.count);
    for (int i = 0; i < c.count && c.repeats; ++i) c.repeats[i] = (unsigned char)is_repeated(&c, i);
    return c.repeats && make_groups(out, &c, arena) && make_pattern(out, &c, arena);
}

double* ts_body_graph_entry(const ts_body_graph* graph, double* value, int g, int h) {
    int low = graph->start[g], high = graph->start[g + 1] - 1;
    while (low < high) {
        int middle = low + (high - low) / 2;
        if (graph->column[middle] < h)
            low = middle + 1;
        else
            high = middle;
    }
    return value + graph->at[low];
}
