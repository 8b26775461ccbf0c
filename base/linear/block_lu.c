// Block-sparse LU: analysis.
//
// Problem: A x = b for a matrix of small blocks whose pattern is symmetric and whose numbers need not be. Here: in
// which order to eliminate, what fills in, and how to do it in dense pieces.
// Rule: order by minimum degree (base/linear/minimum_degree.c). The elimination tree says which position first meets which; in
// postorder, a position whose structure is its child's less itself joins the child's front. A front that is short of
// fitting its parent by a few zeros is merged with it too, as one larger dense piece is quicker than two small ones.
// Source: elimination tree: Liu 1990. Supernodes and their relaxed merging: Ashcraft and Grimes 1989.
// Guaranteed: one fixed order that depends on the pattern alone; memory linear in the factor.
// The numbers, and what is known to fail: base/linear/block_lu_factor.c.
#include <string.h>

#include "base/linear/block_lu_internal.h"
#include "base/linear/minimum_degree_internal.h"
#include "base/linear/panel.h"
#include "base/sort.h"

// Zeros that merging may add, as a part of the merged front; and rows up to which a front is always too small to be
// worth its own.
static const double merge_share = 0.06;
enum { MERGE_ROWS = 12 };

// The elimination tree of the order in lu->position: parent[p] is the first position behind p that p reaches, or -1.
static void find_tree(const ts_block_lu* lu, const int* start, const int* column, int* parent, int* ancestor) {
    for (int p = 0; p < lu->count; ++p) {
        int i = lu->node[p];
        parent[p] = ancestor[p] = -1;
        for (int e = start[i]; e < start[i + 1]; ++e) {
            for (int q = lu->position[column[e]], next; q >= 0 && q < p; q = next) {
                next = ancestor[q];
                ancestor[q] = p;
                if (next < 0) parent[q] = p;
                if (next == p) break;
            }
        }
    }
}

static void list_children(int count, const int* parent, int* child, int* sibling) {
    for (int p = 0; p < count; ++p) child[p] = sibling[p] = -1;
    for (int p = count - 1; p >= 0; --p) {
        if (parent[p] < 0) continue;
        sibling[p] = child[parent[p]];
        child[parent[p]] = p;
    }
}

// Renumbers positions so that every subtree is one interval. child, sibling, stack: scratch (count).
static void postorder(ts_block_lu* lu, int* parent, int* child, int* sibling, int* stack) {
    int n = lu->count, top = 0, next = 0;
    list_children(n, parent, child, sibling);
    for (int root = 0; root < n; ++root) {
        if (parent[root] >= 0) continue;
        stack[top++] = root;
        while (top > 0) {
            int p = stack[top - 1];
            if (child[p] >= 0) {
                stack[top++] = child[p];
                child[p] = sibling[child[p]];
                continue;
            }
            lu->position[lu->node[p]] = next++;
            --top;
        }
    }
    // Old position p is now position[node[p]]; child holds the new parents.
    for (int p = 0; p < n; ++p)
        child[lu->position[lu->node[p]]] = parent[p] < 0 ? -1 : lu->position[lu->node[parent[p]]];
    memcpy(parent, child, (size_t)n * sizeof(int));
    for (int i = 0; i < n; ++i) lu->node[lu->position[i]] = i;
    list_children(n, parent, child, sibling);
}

// Rows of block i.
static int size_of(const ts_block_lu* lu, int i) { return lu->row[i + 1] - lu->row[i]; }

// A list of positions while structures are found.
typedef struct structure {
    int* list;
    int count;
    int rows;
} structure;

// The matrix's pattern, the tree of eliminations, and scratch (count each) while fronts are found.
typedef struct analysis {
    const int* start;   // as given
    const int* column;  // as given
    int* parent;        // of each position, -1 for a root
    int* child;         // first of each position, -1 for none
    int* sibling;       // next of each position, -1 for none
    int* mark;          // scratch
    int* draft;         // scratch
    structure* below;   // of each front's last position
} analysis;

// Structures front by front. Returns the numbers of the factor without merging, or 0 when memory is short or they are more
// than `most`.
static size_t find_fronts(ts_block_lu* lu, ts_arena* arena, const analysis* a, size_t most) {
    int *mark = a->mark, *draft = a->draft;
    structure* below = a->below;
    size_t numbers = 0;
    lu->front_count = 0;
    for (int p = 0; p < lu->count; ++p) {
        int i = lu->node[p], found = 0, rows = 0;
        mark[p] = p;
        for (int e = a->start[i]; e < a->start[i + 1]; ++e) {
            int q = lu->position[a->column[e]];
            if (q < p || mark[q] == p) continue;
            mark[q] = p;
            draft[found++] = q;
        }
        for (int c = a->child[p]; c >= 0; c = a->sibling[c]) {
            const structure* s = &below[lu->front_of[c]];
            for (int k = 0; k < s->count; ++k) {
                if (mark[s->list[k]] == p) continue;
                mark[s->list[k]] = p;
                draft[found++] = s->list[k];
            }
        }
        for (int k = 0; k < found; ++k) rows += size_of(lu, lu->node[draft[k]]);
        numbers +=
            (size_t)size_of(lu, i) * (size_t)(size_of(lu, i) + (lu->kind == TS_BLOCK_LU_DEFINITE ? 1 : 2) * rows);
        if (numbers > most) return 0;
        int f = lu->front_count - 1;
        if (p > 0 && a->parent[p - 1] == p && below[f].count == found + 1) {
            // The structure of p - 1 is p and then p's own.
            ++below[f].list;
            below[f].count = found;
            below[f].rows = rows;
        } else {
            ++f;
            ++lu->front_count;
            lu->front[f].begin = p;
            below[f].list = TS_ARENA_ARRAY(arena, int, found);
            if (!below[f].list) return 0;
            memcpy(below[f].list, draft, (size_t)found * sizeof(int));
            ts_sort_ints(below[f].list, found);
            below[f].count = found;
            below[f].rows = rows;
        }
        lu->front[f].end = p + 1;
        lu->front_of[p] = f;
    }
    return numbers;
}

// Merges fronts with their parents where that adds few zeros. Only the child right before a parent can be merged.
static void merge_fronts(ts_block_lu* lu, structure* below) {
    int kept = 0;
    double* zeros = lu->x;  // not in use yet, and there are no more fronts than rows
    for (int f = 0; f < lu->front_count; ++f) {
        ts_lu_front now = lu->front[f];
        structure under = below[f];
        double added = 0.0;
        while (kept > 0) {
            const ts_lu_front* child = &lu->front[kept - 1];
            const structure* s = &below[kept - 1];
            if (child->end != now.begin || s->count == 0 || s->list[0] >= now.end) break;
            double child_own = lu->pivot_row[child->end] - lu->pivot_row[child->begin];
            double own = lu->pivot_row[now.end] - lu->pivot_row[now.begin];
            double more = zeros[kept - 1] + added + 2.0 * child_own * (own + under.rows - s->rows);
            double all = (child_own + own) * (child_own + own + 2.0 * under.rows);
            if (child_own + own > MERGE_ROWS && more > merge_share * all) break;
            added = more;
            now.begin = child->begin;
            --kept;
        }
        lu->front[kept] = now;
        below[kept] = under;
        zeros[kept++] = added;
    }
    lu->front_count = kept;
}

// Lists, sizes and parents of the fronts, and where their panels are. Returns 0 when memory is short.
static int place_fronts(ts_block_lu* lu, ts_arena* arena, const structure* below) {
    size_t listed = 0, runs = 0;
    for (int f = 0; f < lu->front_count; ++f) listed += (size_t)below[f].count;
    lu->beside = TS_ARENA_ARRAY(arena, int, listed);
    lu->beside_row = TS_ARENA_ARRAY(arena, int, listed);
    lu->run = TS_ARENA_ARRAY(arena, ts_lu_run, listed);
    if (!lu->beside || !lu->beside_row || !lu->run) return 0;
    int at = 0;
    for (int f = 0; f < lu->front_count; ++f) {
        ts_lu_front* front = &lu->front[f];
        front->own = lu->pivot_row[front->end] - lu->pivot_row[front->begin];
        front->list = at;
        front->list_count = below[f].count;
        front->beside = 0;
        front->children = 0;
        for (int k = 0; k < below[f].count; ++k, ++at) {
            int q = below[f].list[k];
            lu->beside[at] = q;
            lu->beside_row[at] = front->own + front->beside;
            front->beside += lu->pivot_row[q + 1] - lu->pivot_row[q];
        }
        front->tall_ld = ts_panel_padded(front->own);
        front->wide_ld = ts_panel_padded(front->beside);
        front->tall = lu->value_count;
        int definite = lu->kind == TS_BLOCK_LU_DEFINITE, rows = definite ? ts_lu_even(front->own) : front->own;
        lu->value_count += (size_t)(definite ? rows : rows + front->beside) * (size_t)front->tall_ld;
        front->wide = lu->value_count;
        lu->value_count += (size_t)rows * (size_t)front->wide_ld;
        double own = front->own, beside = front->beside;
        lu->work += own * (own * (own / 3.0 + beside) + beside * beside) * (definite ? 0.5 : 1.0);
        for (int p = front->begin; p < front->end; ++p) lu->front_of[p] = f;
    }
    for (int f = 0; f < lu->front_count; ++f) {
        ts_lu_front* front = &lu->front[f];
        front->run = (int)runs;
        front->parent = front->list_count > 0 ? lu->front_of[lu->beside[front->list]] : -1;
        if (front->parent < 0) {
            front->run_count = 0;
            continue;
        }
        const ts_lu_front* parent = &lu->front[front->parent];
        ++lu->front[front->parent].children;
        ts_lu_run* run = NULL;
        for (int k = front->list, behind = parent->list; k < front->list + front->list_count; ++k) {
            int q = lu->beside[k], to = lu->pivot_row[q] - lu->pivot_row[parent->begin];
            if (q >= parent->end) {
                while (lu->beside[behind] < q) ++behind;
                to = lu->beside_row[behind];
            }
            int from = lu->beside_row[k] - front->own, length = lu->pivot_row[q + 1] - lu->pivot_row[q];
            // A run does not cross from the parent's own rows to those beside it.
            if (run && run->to + run->length == to && to != parent->own) {
                run->length += length;
            } else {
                run = &lu->run[runs++];
                run->from = from;
                run->to = to;
                run->length = length;
            }
        }
        front->run_count = (int)runs - front->run;
    }
    return 1;
}

// Where position q lies among the rows of a front that reaches it.
static int row_in_front(const ts_block_lu* lu, const ts_lu_front* front, int q) {
    if (q < front->end) return lu->pivot_row[q] - lu->pivot_row[front->begin];
    int low = front->list, high = low + front->list_count - 1;
    while (low < high) {
        int middle = low + (high - low) / 2;
        if (lu->beside[middle] < q)
            low = middle + 1;
        else
            high = middle;
    }
    return lu->beside_row[low];
}

// Whether an entry of row i is read.
static int is_read(const ts_block_lu* lu, int i, int column) { return lu->kind != TS_BLOCK_LU_DEFINITE || column >= i; }

// Says for every entry of the matrix that is read where in which front it goes. Returns 0 when memory is short.
static int place_entries(ts_block_lu* lu, ts_arena* arena, const int* start, const int* column) {
    lu->load = TS_ARENA_ARRAY(arena, ts_lu_load, start[lu->count]);
    int* next = (int*)ts_arena_alloc_zeroed(arena, (size_t)lu->front_count, sizeof(int));
    if (!lu->load || !next) return 0;
    for (int i = 0; i < lu->count; ++i)
        for (int e = start[i]; e < start[i + 1]; ++e) {
            int p = lu->position[i], q = lu->position[column[e]];
            if (!is_read(lu, i, column[e])) continue;
            ++next[lu->front_of[p < q ? p : q]];
        }
    for (int f = 0, at = 0; f < lu->front_count; ++f) {
        lu->front[f].load = at;
        at += next[f];
        next[f] = lu->front[f].load;
        lu->front[f].load_end = at;
    }
    for (int i = 0; i < lu->count; ++i)
        for (int e = start[i]; e < start[i + 1]; ++e) {
            int p = lu->position[i], q = lu->position[column[e]], f = lu->front_of[p < q ? p : q];
            if (!is_read(lu, i, column[e])) continue;
            int turned = lu->kind == TS_BLOCK_LU_DEFINITE && p > q;
            if (turned) {
                int later = p;
                p = q;
                q = later;
            }
            const ts_lu_front* front = &lu->front[f];
            int r = row_in_front(lu, front, p), c = row_in_front(lu, front, q), wide = c >= front->own;
            ts_lu_load* load = &lu->load[next[f]++];
            load->ld = wide ? front->wide_ld : front->tall_ld;
            load->to =
                (wide ? front->wide - (size_t)front->own : front->tall) + (size_t)r * (size_t)load->ld + (size_t)c;
            load->entry = e;
            load->rows = size_of(lu, i);
            load->columns = size_of(lu, column[e]);
            load->turned = turned;
        }
    return 1;
}

// Room for the numbers. What fronts leave is stacked until their parent takes it in. Levels of the tree take turns with
// two stacks: when a front is reached its children lie on top of the other one, everything above them is gone, and what
// it leaves can be written to its own at once.
static int take_room(ts_block_lu* lu, ts_arena* arena) {
    size_t stacked[2] = {0, 0}, most[2] = {0, 0};
    int widest = 0, count = 0;
    lu->waiting = TS_ARENA_ARRAY(arena, int, lu->front_count);
    if (!lu->waiting) return 0;
    for (int f = lu->front_count - 1; f >= 0; --f)
        lu->front[f].side = lu->front[f].parent < 0 ? 0 : 1 - lu->front[lu->front[f].parent].side;
    for (int f = 0; f < lu->front_count; ++f) {
        const ts_lu_front* front = &lu->front[f];
        for (int c = 0; c < front->children; ++c)
            stacked[1 - front->side] -= ts_lu_left_size(lu, &lu->front[lu->waiting[--count]]);
        size_t* now = &stacked[front->side];
        *now += ts_lu_left_size(lu, front);
        if (*now > most[front->side]) most[front->side] = *now;
        lu->waiting[count++] = f;
        if (front->beside > widest) widest = front->beside;
    }
    lu->swap = TS_ARENA_ARRAY(arena, int, lu->rows);
    lu->value = TS_ARENA_ARRAY(arena, double, lu->value_count);
    for (int k = 0; k < 2; ++k) lu->left[k] = TS_ARENA_ARRAY(arena, double, most[k]);
    lu->gathered = TS_ARENA_ARRAY(arena, double, widest);
    return lu->swap && lu->value && lu->left[0] && lu->left[1] && lu->gathered;
}

static int take_tables(ts_block_lu* lu, ts_arena* arena, int count, const int* size) {
    lu->count = count;
    lu->position = TS_ARENA_ARRAY(arena, int, count);
    lu->node = TS_ARENA_ARRAY(arena, int, count);
    lu->row = TS_ARENA_ARRAY(arena, int, count + 1);
    lu->pivot_row = TS_ARENA_ARRAY(arena, int, count + 1);
    lu->front_of = TS_ARENA_ARRAY(arena, int, count);
    lu->front = TS_ARENA_ARRAY(arena, ts_lu_front, count);
    if (!lu->position || !lu->node || !lu->row || !lu->pivot_row || !lu->front_of || !lu->front) return 0;
    lu->row[0] = 0;
    for (int i = 0; i < count; ++i) lu->row[i + 1] = lu->row[i] + size[i];
    lu->rows = lu->row[count];
    lu->x = TS_ARENA_ARRAY(arena, double, lu->rows);
    return lu->x != NULL;
}

ts_block_lu* ts_block_lu_analyse(ts_arena* arena, ts_block_lu_kind kind, int count, const int* size, const int* start,
                                 const int* column, size_t most) {
    ts_block_lu* lu = (ts_block_lu*)ts_arena_alloc_zeroed(arena, 1, sizeof(*lu));
    if (!lu || !take_tables(lu, arena, count, size)) return NULL;
    lu->kind = kind;
    analysis a = {.start = start, .column = column};
    a.parent = TS_ARENA_ARRAY(arena, int, count);
    a.child = TS_ARENA_ARRAY(arena, int, count);
    a.sibling = TS_ARENA_ARRAY(arena, int, count);
    a.mark = TS_ARENA_ARRAY(arena, int, count);
    a.draft = TS_ARENA_ARRAY(arena, int, count);
    a.below = TS_ARENA_ARRAY(arena, structure, count);
    if (!a.parent || !a.child || !a.sibling || !a.mark || !a.draft || !a.below) return NULL;
    if (!ts_minimum_degree(arena, count, size, start, column, lu->node)) return NULL;
    for (int p = 0; p < count; ++p) lu->position[lu->node[p]] = p;
    find_tree(lu, start, column, a.parent, a.child);
    postorder(lu, a.parent, a.child, a.sibling, a.draft);
    lu->pivot_row[0] = 0;
    for (int p = 0; p < count; ++p) {
        a.mark[p] = -1;
        lu->pivot_row[p + 1] = lu->pivot_row[p] + size[lu->node[p]];
    }
    if (count > 0 && !find_fronts(lu, arena, &a, most)) return NULL;
    merge_fronts(lu, a.below);
    return place_fronts(lu, arena, a.below) && place_entries(lu, arena, start, column) && take_room(lu, arena) ? lu
                                                                                                               : NULL;
}

double ts_block_lu_work(const ts_block_lu* lu) { return lu->work; }

size_t ts_block_lu_numbers(const ts_block_lu* lu) { return lu->value_count; }
