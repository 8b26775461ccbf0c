// Block-sparse LU: the numbers.
//
// Problem: factor and solve along the fronts of base/linear/block_lu.c.
// Rule: multifrontal. A front takes the matrix entries of its own rows and columns and what its children left,
// eliminates its own rows by dense LU (base/linear/front.c; front_definite.c), and leaves a dense Schur complement to its parent.
// Source: multifrontal method: Duff and Reid 1983.
// Guaranteed: the same input gives the same bits on any machine with IEEE doubles.
// Known to fail: rows of different fronts are never exchanged, so a matrix far from diagonal dominance can grow without
// bound; callers check the residual.
#include <string.h>

#include "base/linear/block_lu_internal.h"
#include "base/linear/dense.h"
#include "base/linear/front_internal.h"

enum { SHORT = 4 };  // numbers that are added one by one

// Empties the panels of front number f and writes the matrix's entries to them.
static void load(ts_block_lu* lu, int f, const size_t* at, const double* value) {
    const ts_lu_front* front = &lu->front[f];
    size_t end = f + 1 < lu->front_count ? front[1].tall : lu->value_count;
    memset(lu->value + front->tall, 0, (end - front->tall) * sizeof(double));
    for (const ts_lu_load* l = lu->load + front->load; l < lu->load + front->load_end; ++l) {
        double* to = lu->value + l->to;
        const double* from = value + at[l->entry];
        size_t by_row = l->turned ? 1 : (size_t)l->ld, by_column = l->turned ? (size_t)l->ld : 1;
        for (int r = 0; r < l->rows; ++r, to += by_row, from += l->columns)
            for (int c = 0; c < l->columns; ++c) to[(size_t)c * by_column] = from[c];
    }
}

// to += from.
static inline void add(int count, const double* from, double* to) {
    static const double one = 1.0;
    if (count > SHORT)
        ts_lines_add(count, 1, 1.0, &one, 1, from, 0, to);
    else
        for (int c = 0; c < count; ++c) to[c] += from[c];
}

// Adds what a child left to the parent's panels and to what the parent will leave; of a definite matrix what lies on and right of the diagonal:
// positions rise in child and parent alike, so right of the diagonal stays right of it.
static void take_in(ts_block_lu* lu, const ts_lu_front* child, const double* left, const ts_lu_front* front,
                    double* rest) {
    const ts_lu_run* run = lu->run + child->run;
    double *tall = lu->value + front->tall, *wide = lu->value + front->wide;
    int is_definite = lu->kind == TS_BLOCK_LU_DEFINITE;
    for (int a = 0; a < child->run_count; ++a) {
        for (int r = 0; r < run[a].length; ++r) {
            const double* source = left + (size_t)(run[a].from + r) * (size_t)child->wide_ld;
            int row = run[a].to + r;
            double* in_tall = tall + (size_t)row * (size_t)front->tall_ld;
            double* in_wide = row < front->own ? wide + (size_t)row * (size_t)front->wide_ld
                                               : rest + (size_t)(row - front->own) * (size_t)front->wide_ld;
            for (int b = is_definite ? a : 0; b < child->run_count; ++b) {
                int skip = is_definite && b == a ? r : 0, column = run[b].to + skip;
                double* to = column < front->own ? in_tall + column : in_wide + (column - front->own);
                add(run[b].length - skip, source + run[b].from + skip, to);
            }
        }
    }
}

static int eliminate(const ts_block_lu* lu, const ts_lu_front* front, double* rest) {
    ts_front dense = {front->own,     front->beside, lu->value + front->tall, front->tall_ld, lu->value + front->wide,
                      front->wide_ld, NULL};
    if (lu->kind == TS_BLOCK_LU_DEFINITE) return ts_front_eliminate_definite(&dense, rest);
    dense.swap = lu->swap + lu->pivot_row[front->begin];
    return ts_front_eliminate(&dense, rest);
}

int ts_block_lu_factor(ts_block_lu* lu, const int* start, const int* column, const size_t* at, const double* value) {
    double* top[2] = {lu->left[0], lu->left[1]};
    int* waiting = lu->waiting;
    int count = 0;
    (void)start;
    (void)column;
    for (int f = 0; f < lu->front_count; ++f) {
        const ts_lu_front* front = &lu->front[f];
        size_t size = ts_lu_left_size(lu, front);
        double *rest = top[front->side], **children = &top[1 - front->side];
        load(lu, f, at, value);
        memset(rest, 0, size * sizeof(double));
        for (int c = 0; c < front->children; ++c) {
            const ts_lu_front* child = &lu->front[waiting[--count]];
            *children -= ts_lu_left_size(lu, child);
            take_in(lu, child, *children, front, rest);
        }
        if (!eliminate(lu, front, rest)) return 0;
        top[front->side] = rest + size;
        waiting[count++] = f;
    }
    return 1;
}

// Right-hand sides of rows beside a front.
static void gather(const ts_block_lu* lu, const ts_lu_front* front) {
    for (int k = front->list, at = 0; k < front->list + front->list_count; ++k) {
        int q = lu->beside[k];
        for (int r = lu->pivot_row[q]; r < lu->pivot_row[q + 1]; ++r) lu->gathered[at++] = lu->x[r];
    }
}

static void forward(const ts_block_lu* lu, const ts_lu_front* front) {
    const double* tall = lu->value + front->tall;
    int first = lu->pivot_row[front->begin], own = front->own, ld = front->tall_ld;
    double* x = lu->x + first;
    for (int r = 0; r < own; ++r) {
        int other = lu->swap[first + r];
        double moved = x[other];
        x[other] = x[r];
        x[r] = moved;
    }
    for (int r = 1; r < own; ++r)
        for (int c = 0; c < r; ++c) x[r] -= tall[(size_t)r * (size_t)ld + (size_t)c] * x[c];
    const double* L = tall + (size_t)own * (size_t)ld;
    for (int k = front->list; k < front->list + front->list_count; ++k) {
        int q = lu->beside[k];
        for (int r = lu->pivot_row[q]; r < lu->pivot_row[q + 1]; ++r, L += ld) {
            double sum = 0.0;
            for (int c = 0; c < own; ++c) sum += L[c] * x[c];
            lu->x[r] -= sum;
        }
    }
}

static void backward(const ts_block_lu* lu, const ts_lu_front* front) {
    const double* tall = lu->value + front->tall;
    const double* wide = lu->value + front->wide;
    int own = front->own, ld = front->tall_ld;
    double* x = lu->x + lu->pivot_row[front->begin];
    gather(lu, front);
    for (int r = own - 1; r >= 0; --r) {
        const double* U = wide + (size_t)r * (size_t)front->wide_ld;
        const double* row = tall + (size_t)r * (size_t)ld;
        double even = 0.0, odd = 0.0;
        int c = 0;
        for (; c + 1 < front->beside; c += 2) {
            even += U[c] * lu->gathered[c];
            odd += U[c + 1] * lu->gathered[c + 1];
        }
        if (c < front->beside) even += U[c] * lu->gathered[c];
        double sum = x[r] - (even + odd);
        for (int j = r + 1; j < own; ++j) sum -= row[j] * x[j];
        x[r] = sum / row[r];
    }
}

void ts_block_lu_solve(const ts_block_lu* lu, double* x) {
    for (int i = 0; i < lu->count; ++i)
        memcpy(lu->x + lu->pivot_row[lu->position[i]], x + lu->row[i],
               (size_t)(lu->row[i + 1] - lu->row[i]) * sizeof(double));
    if (lu->kind == TS_BLOCK_LU_DEFINITE) {
        ts_block_definite_solve(lu);
    } else {
        for (int f = 0; f < lu->front_count; ++f) forward(lu, &lu->front[f]);
        for (int f = lu->front_count - 1; f >= 0; --f) backward(lu, &lu->front[f]);
    }
    for (int i = 0; i < lu->count; ++i)
        memcpy(x + lu->row[i], lu->x + lu->pivot_row[lu->position[i]],
               (size_t)(lu->row[i + 1] - lu->row[i]) * sizeof(double));
}
