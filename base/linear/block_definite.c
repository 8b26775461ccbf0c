// Cholesky's factor of a block-sparse matrix that is symmetric and positive definite: the numbers.
//
// Problem: as block_lu_factor.c, for half the work and half the memory.
// Rule: the same fronts. Of each only what lies on and right of the diagonal is kept: its children's rests add to that part alone
// (positions rise in child and parent alike, so right of the diagonal stays right of it), and base/linear/front_definite.c eliminates its rows.
// Source: multifrontal method: Duff and Reid 1983; Liu 1992.
// Guaranteed: backward stable for what is positive definite; the same input gives the same bits on any machine with IEEE doubles.
// Known to fail: a matrix that is not positive definite is refused.
#include <string.h>

#include "base/linear/block_lu_internal.h"
#include "base/linear/dense.h"
#include "base/linear/front_internal.h"

enum { STRIP = 4 };

// Adds what a child left to the parent's panels and to what the parent will leave.
static void take_in(ts_block_lu* lu, const ts_lu_front* child, const double* left, const ts_lu_front* front,
                    double* rest) {
    static const double one = 1.0;
    const ts_lu_run* run = lu->run + child->run;
    double *tall = lu->value + front->tall, *wide = lu->value + front->wide;
    for (int a = 0; a < child->run_count; ++a) {
        for (int r = 0; r < run[a].length; ++r) {
            const double* source = left + (size_t)(run[a].from + r) * (size_t)child->wide_ld;
            int row = run[a].to + r;
            double* in_tall = tall + (size_t)row * (size_t)front->tall_ld;
            double* in_wide = row < front->own ? wide + (size_t)row * (size_t)front->wide_ld
                                               : rest + (size_t)(row - front->own) * (size_t)front->wide_ld;
            for (int b = a; b < child->run_count; ++b) {
                int skip = b == a ? r : 0, length = run[b].length - skip, column = run[b].to + skip;
                const double* from = source + run[b].from + skip;
                double* to = column < front->own ? in_tall + column : in_wide + (column - front->own);
                if (length > STRIP)
                    ts_lines_add(length, 1, 1.0, &one, 1, from, 0, to);
                else
                    for (int c = 0; c < length; ++c) to[c] += from[c];
            }
        }
    }
}

int ts_block_definite_factor(ts_block_lu* lu, const size_t* at, const double* value) {
    double* top[2] = {lu->left[0], lu->left[1]};
    int* waiting = lu->waiting;
    int count = 0;
    for (int f = 0; f < lu->front_count; ++f) {
        const ts_lu_front* front = &lu->front[f];
        size_t size = ts_lu_left_size(lu, front);
        double *rest = top[front->side], **children = &top[1 - front->side];
        ts_block_lu_load(lu, f, at, value);
        memset(rest, 0, size * sizeof(double));
        for (int c = 0; c < front->children; ++c) {
            const ts_lu_front* child = &lu->front[waiting[--count]];
            *children -= ts_lu_left_size(lu, child);
            take_in(lu, child, *children, front, rest);
        }
        const ts_front dense = {
            front->own,     front->beside, lu->value + front->tall, front->tall_ld, lu->value + front->wide,
            front->wide_ld, NULL};
        if (!ts_front_eliminate_definite(&dense, rest)) return 0;
        top[front->side] = rest + size;
        waiting[count++] = f;
    }
    return 1;
}

// Strips of four: what a strip leaves to the rows behind it goes in one pass.
static void forward(const ts_block_lu* lu, const ts_lu_front* front) {
    int own = front->own, ld = front->tall_ld;
    double *x = lu->x + lu->pivot_row[front->begin], *to = lu->gathered;
    for (int k = 0; k < own; k += STRIP) {
        const double* U = lu->value + front->tall + (size_t)k * (size_t)ld;
        int width = own - k < STRIP ? own - k : STRIP;
        for (int r = 0; r < width; ++r) {
            const double* row = U + (size_t)r * (size_t)ld + k;
            x[k + r] *= row[r];
            for (int c = r + 1; c < width; ++c) x[k + c] -= row[c] * x[k + r];
        }
        if (own > k + STRIP) ts_lines_add(own - k - STRIP, width, -1.0, x + k, 1, U + k + STRIP, ld, x + k + STRIP);
    }
    memset(to, 0, (size_t)front->beside * sizeof(double));
    ts_lines_add(front->beside, own, 1.0, x, 1, lu->value + front->wide, front->wide_ld, to);
    for (int k = front->list; k < front->list + front->list_count; ++k) {
        int q = lu->beside[k];
        for (int r = lu->pivot_row[q]; r < lu->pivot_row[q + 1]; ++r) lu->x[r] -= *to++;
    }
}

static void backward(const ts_block_lu* lu, const ts_lu_front* front) {
    int own = front->own, ld = front->tall_ld;
    double *x = lu->x + lu->pivot_row[front->begin], *from = lu->gathered;
    for (int k = front->list; k < front->list + front->list_count; ++k) {
        int q = lu->beside[k];
        for (int r = lu->pivot_row[q]; r < lu->pivot_row[q + 1]; ++r) *from++ = lu->x[r];
    }
    for (int k = (own - 1) / STRIP * STRIP; k >= 0; k -= STRIP) {
        const double* U = lu->value + front->tall + (size_t)k * (size_t)ld;
        int width = own - k < STRIP ? own - k : STRIP;
        double beside[STRIP] = {0.0}, behind[STRIP] = {0.0};
        ts_dense_apply(lu->value + front->wide + (size_t)k * (size_t)front->wide_ld, width, front->beside,
                       front->wide_ld, lu->gathered, beside);
        if (own > k + STRIP) ts_dense_apply(U + k + STRIP, width, own - k - STRIP, ld, x + k + STRIP, behind);
        for (int r = width - 1; r >= 0; --r) {
            const double* row = U + (size_t)r * (size_t)ld + k;
            double sum = x[k + r] - (beside[r] + behind[r]);
            for (int c = r + 1; c < width; ++c) sum -= row[c] * x[k + c];
            x[k + r] = sum * row[r];
        }
    }
}

void ts_block_definite_solve(const ts_block_lu* lu) {
    for (int f = 0; f < lu->front_count; ++f) forward(lu, &lu->front[f]);
    for (int f = lu->front_count - 1; f >= 0; --f) backward(lu, &lu->front[f]);
}
