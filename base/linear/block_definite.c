// Solving with Cholesky's factor of a block-sparse matrix that is symmetric and positive definite.
//
// Problem: as block_lu_factor.c, for half the work and half the memory. Rule: the same fronts, of each of which only what lies on and right of the
// diagonal is kept; U^T first, from the leaves up, then U.
// Source: multifrontal method: Duff and Reid 1983; Liu 1992.
// Guaranteed: backward stable for what is positive definite; the same input gives the same bits on any machine with IEEE doubles.
// Known to fail: a matrix that is not positive definite is refused, by the factor.
#include <string.h>

#include "base/linear/block_lu_internal.h"
#include "base/linear/dense.h"

enum { STRIP = 4 };

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
