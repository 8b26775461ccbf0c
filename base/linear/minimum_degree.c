// Approximate minimum degree.
//
// Problem: an order of elimination that leaves a sparse factor little fill, in memory linear in the pattern.
// Rule: eliminate the node that would join the fewest rows, and note the clique this makes as one "element" instead of
// writing out its edges. A node's neighbours are then some nodes and the members of some elements. Its degree is bounded
// from above by the sum of |element minus newest element|, which one pass over the newest element's members yields for
// all of them. Nodes with the same neighbours are merged and eliminated together; elements swallowed by a newer one
// vanish.
// Source: quotient graphs: George and Liu 1989; approximate degree, merging by hash: Amestoy, Davis and Duff 1996.
// Guaranteed: the order depends on the pattern alone; a node's lists never grow beyond its row of the pattern, elements
// together never beyond the whole pattern, so memory is linear in it.
// Known limit: a heuristic; a grid of n nodes costs more fill than nested dissection would.
#include "base/linear/minimum_degree_internal.h"

#include <string.h>

enum { NONE = -1 };

typedef struct quotient {
    int count;
    // Node i owns list[start[i]] on: first its elements, then its nodes.
    const int* start;
    int* list;
    int* elements;  // (count) how many of node i's list are elements
    int* nodes;     // (count) how many are nodes
    int*
        weight;  // (count) rows of node i and what was merged into it; 0: merged or eliminated; < 0: in the new element
    int* degree;  // (count) bound on the rows beside node i
    // Element e (named after the node eliminated) owns member[first[e]] on.
    int* member;
    size_t member_room, member_end;
    size_t* first;       // (count)
    int* members;        // (count) 0: no element, or swallowed
    int* rows;           // (count) rows of its members
    long long* outside;  // (count) stamp plus rows of element e outside the newest element
    long long stamp;
    long long all_rows;
    // Nodes by degree, doubly linked.
    int* head;  // (rows + 1)
    int* next;  // (count)
    int* last;  // (count)
    int lowest;
    // Merging: nodes by hash, and who was merged into whom.
    int* bucket;     // (count)
    int* sibling;    // (count) next in the bucket
    int* parent;     // (count) merged into, or NONE
    unsigned* hash;  // (count)
    int* draft;      // (count)
    int* mark;       // (count)
    int marked;
} quotient;

static void enter(quotient* q, int i) {
    int d = q->degree[i];
    q->last[i] = NONE;
    q->next[i] = q->head[d];
    if (q->head[d] != NONE) q->last[q->head[d]] = i;
    q->head[d] = i;
    if (d < q->lowest) q->lowest = d;
}

static void leave(quotient* q, int i) {
    if (q->next[i] != NONE) q->last[q->next[i]] = q->last[i];
    if (q->last[i] != NONE)
        q->next[q->last[i]] = q->next[i];
    else
        q->head[q->degree[i]] = q->next[i];
}

// Moves live elements to the front of their room. They lie in the order in which they were made: `order` lists them.
static void compact(quotient* q, const int* order, int made) {
    size_t end = 0;
    for (int k = 0; k < made; ++k) {
        int e = order[k];
        if (q->members[e] == 0) continue;
        memmove(q->member + end, q->member + q->first[e], (size_t)q->members[e] * sizeof(int));
        q->first[e] = end;
        end += (size_t)q->members[e];
    }
    q->member_end = end;
}

// A node that is still there joins the new element. Its weight turns negative to say so.
static void join(quotient* q, int i) {
    if (q->weight[i] <= 0) return;
    q->weight[i] = -q->weight[i];
    q->member[q->member_end++] = i;
    leave(q, i);
}

// The element that eliminating node p makes: all its nodes and the members of all its elements, which are swallowed.
static void make_element(quotient* q, int p, const int* order, int made) {
    size_t most = (size_t)q->nodes[p];
    const int* list = q->list + q->start[p];
    for (int k = 0; k < q->elements[p]; ++k) most += (size_t)q->members[list[k]];
    if (q->member_end + most > q->member_room) compact(q, order, made);
    size_t first = q->member_end;
    for (int k = 0; k < q->elements[p]; ++k) {
        int e = list[k];
        for (int m = 0; m < q->members[e]; ++m) join(q, q->member[q->first[e] + (size_t)m]);
        q->members[e] = 0;
    }
    for (int k = q->elements[p]; k < q->elements[p] + q->nodes[p]; ++k) join(q, list[k]);
    q->first[p] = first;
    q->members[p] = (int)(q->member_end - first);
    q->rows[p] = 0;
    for (int m = 0; m < q->members[p]; ++m) q->rows[p] -= q->weight[q->member[first + (size_t)m]];
}

// outside[e] - stamp becomes the rows of e outside the new element p, for every element that touches it.
static void measure_outside(quotient* q, int p) {
    for (int m = 0; m < q->members[p]; ++m) {
        int i = q->member[q->first[p] + (size_t)m];
        const int* list = q->list + q->start[i];
        for (int k = 0; k < q->elements[i]; ++k) {
            int e = list[k];
            if (q->members[e] == 0) continue;
            if (q->outside[e] < q->stamp) q->outside[e] = q->stamp + q->rows[e];
            q->outside[e] += q->weight[i];  // negative
        }
    }
}

// Rewrites member i's lists with p as its first element, bounds its degree, and returns a hash of its lists. Elements
// inside p are dropped: p says all they say. At least one entry led to p, so the lists do not grow.
static unsigned rewrite(quotient* q, int i, int p, int rows_left) {
    int* list = q->list + q->start[i];
    int own = -q->weight[i], beside = q->rows[p] - own, degree = beside, end = 0;
    unsigned hash = (unsigned)p;
    q->draft[end++] = p;
    for (int k = 0; k < q->elements[i]; ++k) {
        int e = list[k];
        int outside = q->members[e] > 0 ? (int)(q->outside[e] - q->stamp) : 0;
        if (outside <= 0) {
            q->members[e] = 0;
            continue;
        }
        degree += outside;
        hash += (unsigned)e;
        q->draft[end++] = e;
    }
    int old = q->elements[i] + q->nodes[i], elements = end;
    for (int k = q->elements[i]; k < old; ++k) {
        int j = list[k];
        if (q->weight[j] <= 0) continue;  // gone, or in p as well
        degree += q->weight[j];
        hash += (unsigned)j;
        q->draft[end++] = j;
    }
    memcpy(list, q->draft, (size_t)end * sizeof(int));
    q->elements[i] = elements;
    q->nodes[i] = end - elements;
    if (q->degree[i] + beside < degree) degree = q->degree[i] + beside;
    if (rows_left - own < degree) degree = rows_left - own;
    q->degree[i] = degree;
    return hash;
}

static int same_lists(const quotient* q, int i, int j) {
    if (q->hash[i] != q->hash[j] || q->elements[i] != q->elements[j] || q->nodes[i] != q->nodes[j]) return 0;
    const int* list = q->list + q->start[j];
    for (int k = 0; k < q->elements[j] + q->nodes[j]; ++k)
        if (q->mark[list[k]] != q->marked) return 0;
    return 1;
}

// Merges members of p that have the same neighbours. Only nodes of one bucket are compared.
static void merge_equals(quotient* q, int p) {
    const int* member = q->member + q->first[p];
    for (int m = 0; m < q->members[p]; ++m) {
        if (q->weight[member[m]] == 0) continue;
        int* bucket = &q->bucket[q->hash[member[m]] % (unsigned)q->count];
        for (int i = *bucket; i != NONE; i = q->sibling[i]) {
            if (q->weight[i] == 0) continue;
            const int* list = q->list + q->start[i];
            ++q->marked;
            for (int k = 0; k < q->elements[i] + q->nodes[i]; ++k) q->mark[list[k]] = q->marked;
            for (int j = q->sibling[i]; j != NONE; j = q->sibling[j]) {
                if (q->weight[j] == 0 || !same_lists(q, i, j)) continue;
                q->degree[i] += q->weight[j];  // negative
                q->weight[i] += q->weight[j];
                q->weight[j] = 0;
                q->parent[j] = i;
            }
        }
        *bucket = NONE;
    }
}

// Everything that eliminating p changes. Returns the rows that are left.
static int update_members(quotient* q, int p, int rows_left) {
    int* member = q->member + q->first[p];
    q->stamp += q->all_rows + 1;
    measure_outside(q, p);
    for (int m = 0; m < q->members[p]; ++m) {
        int i = member[m];
        q->hash[i] = rewrite(q, i, p, rows_left);
    }
    for (int m = 0; m < q->members[p]; ++m) {
        int i = member[m];
        if (q->elements[i] == 1 && q->nodes[i] == 0) {
            // Beside nothing but p: it can go with p and costs no fill.
            rows_left += q->weight[i];
            q->rows[p] += q->weight[i];
            q->weight[i] = 0;
            q->parent[i] = p;
            continue;
        }
        int* bucket = &q->bucket[q->hash[i] % (unsigned)q->count];
        q->sibling[i] = *bucket;
        *bucket = i;
    }
    merge_equals(q, p);
    int kept = 0;
    for (int m = 0; m < q->members[p]; ++m) {
        int i = member[m];
        if (q->weight[i] == 0) continue;
        q->weight[i] = -q->weight[i];
        if (q->degree[i] > rows_left - q->weight[i]) q->degree[i] = rows_left - q->weight[i];
        enter(q, i);
        member[kept++] = i;
    }
    q->members[p] = kept;
    q->member_end = q->first[p] + (size_t)kept;
    return rows_left;
}

// Pivots in order, each followed by what was merged into it.
static void write_order(quotient* q, const int* pivot, int made, int* out_node) {
    int *begin = q->head, *number = q->degree;  // no longer needed
    for (int k = 0; k < made; ++k) number[pivot[k]] = k;
    memset(begin, 0, ((size_t)made + 1) * sizeof(int));
    for (int i = 0; i < q->count; ++i) {
        int root = i;
        while (q->parent[root] != NONE) root = q->parent[root];
        for (int k = i, up; q->parent[k] != NONE && q->parent[k] != root; k = up) {
            up = q->parent[k];
            q->parent[k] = root;
        }
        ++begin[number[root] + 1];
    }
    for (int k = 0; k < made; ++k) begin[k + 1] += begin[k];
    for (int k = 0; k < made; ++k) out_node[begin[k]++] = pivot[k];
    for (int i = 0; i < q->count; ++i)
        if (q->parent[i] != NONE) out_node[begin[number[q->parent[i]]]++] = i;
}

// Returns 0 when memory is short.
static int take_memory(quotient* q, ts_arena* scratch, int entries) {
    size_t n = (size_t)q->count;
    int** array[] = {&q->elements, &q->nodes, &q->degree, &q->members, &q->rows,   &q->next,
                     &q->last,     &q->draft, &q->bucket, &q->sibling, &q->parent, &q->mark};
    for (size_t k = 0; k < sizeof(array) / sizeof(array[0]); ++k) {
        *array[k] = (int*)ts_arena_alloc_zeroed(scratch, n, sizeof(int));
        if (!*array[k]) return 0;
    }
    q->weight = TS_ARENA_ARRAY(scratch, int, n);
    q->list = TS_ARENA_ARRAY(scratch, int, entries);
    q->member_room = 2 * (size_t)entries + n;
    q->member = TS_ARENA_ARRAY(scratch, int, q->member_room);
    q->first = TS_ARENA_ARRAY(scratch, size_t, n);
    q->hash = TS_ARENA_ARRAY(scratch, unsigned, n);
    q->outside = (long long*)ts_arena_alloc_zeroed(scratch, n, sizeof(long long));
    q->head = TS_ARENA_ARRAY(scratch, int, q->all_rows + 1);
    return q->weight && q->list && q->member && q->first && q->hash && q->outside && q->head;
}

static void fill(quotient* q, const int* weight, const int* column) {
    q->lowest = (int)q->all_rows;
    for (long long d = 0; d <= q->all_rows; ++d) q->head[d] = NONE;
    for (int i = 0; i < q->count; ++i) {
        q->weight[i] = weight[i];
        q->bucket[i] = q->parent[i] = NONE;
        for (int e = q->start[i]; e < q->start[i + 1]; ++e) {
            if (column[e] == i) continue;
            q->list[q->start[i] + q->nodes[i]++] = column[e];
            q->degree[i] += weight[column[e]];
        }
    }
    // The smallest number of a degree comes out first.
    for (int i = q->count - 1; i >= 0; --i) enter(q, i);
}

int ts_minimum_degree(ts_arena* scratch, int count, const int* weight, const int* start, const int* column,
                      int* out_node) {
    ts_arena_scope scope = ts_arena_scope_begin(scratch);
    quotient q = {.count = count, .start = start};
    for (int i = 0; i < count; ++i) q.all_rows += weight[i];
    int* pivot = TS_ARENA_ARRAY(scratch, int, count);
    int taken = pivot && take_memory(&q, scratch, start[count]);
    if (taken) {
        fill(&q, weight, column);
        int made = 0, rows_left = (int)q.all_rows;
        while (rows_left > 0) {
            while (q.head[q.lowest] == NONE) ++q.lowest;
            int p = q.head[q.lowest];
            leave(&q, p);
            rows_left -= q.weight[p];
            q.weight[p] = 0;
            make_element(&q, p, pivot, made);
            pivot[made++] = p;
            rows_left = update_members(&q, p, rows_left);
        }
        write_order(&q, pivot, made, out_node);
    }
    ts_arena_scope_end(scratch, scope);
    return taken;
}
