// The Delassus operator as a full matrix.
//
// Keeps y = G lambda: reading a block is a copy and changing a block adds its columns to y, in long unit-stride loops,
// so one Gauss-Seidel sweep costs row_count^2 multiply-adds. y drifts by rounding; `set_impulse` computes it afresh.
// A G that is symmetric to the last bit serves as its own transpose; any other keeps a transposed copy, because the
// answer is judged with the matrix as it stands. Factors are Cholesky's where G is symmetric, else LU with pivoting.
// For a few hundred rows: memory is 2 row_count^2 doubles (G and its factor), or 3. Recorded matrices are mostly zeros: which
// blocks are not is found out once, and where they are under half, changes and products skip the rest.
#include <string.h>

#include "base/linear/dense.h"
#include "contact/operator/delassus.h"

typedef struct dense_delassus {
    ts_delassus base;
    double* G;               // (row_count x row_count)
    double* transposed;      // the same of its transpose; G itself when symmetric
    double* factor;          // (row_count x row_count), Cholesky's lower triangle, or LU
    int* pivot;              // (row_count), of LU; NULL when symmetric
    double* y;               // (row_count), G times the current impulse
    double* diagonal;        // blocks G_bb one after another
    size_t* diagonal_start;  // (block_count)
    unsigned char* touches;  // (block_count x block_count) nonzero: G_ab or G_ba is not zero, or a == b
    int* run_start;          // (block_count + 1) runs of columns that row of blocks b may not skip; NULL: skip nothing
    int* run;                // first column and the one behind the last of every run
} dense_delassus;

// y = G x where most of G is zero.
static void apply_runs(const dense_delassus* self, const double* x, double* y) {
    for (int b = 0; b < self->base.block_count; ++b)
        for (int i = self->base.block_row[b]; i < self->base.block_row[b + 1]; ++i) {
            const double* row = self->G + (size_t)i * (size_t)self->base.row_count;
            double even = 0.0, odd = 0.0;  // two sums wait for each other less
            for (int k = self->run_start[b]; k < self->run_start[b + 1]; ++k) {
                int c = self->run[2 * k], end = self->run[2 * k + 1];
                for (; c + 1 < end; c += 2) {
                    even += row[c] * x[c];
                    odd += row[c + 1] * x[c + 1];
                }
                if (c < end) even += row[c] * x[c];
            }
            y[i] = even + odd;
        }
}

static void multiply(const dense_delassus* self, const double* x, double* y) {
    int n = self->base.row_count;
    if (self->run_start)
        apply_runs(self, x, y);
    else
        ts_dense_apply(self->G, n, n, n, x, y);
}

static void set_impulse(ts_delassus* base, const double* impulse) {
    dense_delassus* self = (dense_delassus*)base;
    multiply(self, impulse, self->y);
}

// y[begin..end) += rows of the transpose times delta.
static void add_rows(const double* g, size_t n, int rows, const double* delta, int begin, int end, double* y) {
    if (rows == 3) {
        const double *g1 = g + n, *g2 = g1 + n;
        double d0 = delta[0], d1 = delta[1], d2 = delta[2];
        for (int i = begin; i < end; ++i) y[i] += d0 * g[i] + d1 * g1[i] + d2 * g2[i];
        return;
    }
    for (int r = 0; r < rows; ++r, g += n) {
        double d = delta[r];
        if (d == 0.0) continue;
        for (int i = begin; i < end; ++i) y[i] += d * g[i];
    }
}

static void add_impulse(ts_delassus* base, int b, const double* delta) {
    dense_delassus* self = (dense_delassus*)base;
    size_t n = (size_t)base->row_count;
    int rows = base->block_row[b + 1] - base->block_row[b];
    const double* g = self->transposed + (size_t)base->block_row[b] * n;
    if (!self->run_start) {
        add_rows(g, n, rows, delta, 0, base->row_count, self->y);
        return;
    }
    // The pattern is symmetric: column b of blocks is where row b is.
    for (int k = self->run_start[b]; k < self->run_start[b + 1]; ++k)
        add_rows(g, n, rows, delta, self->run[2 * k], self->run[2 * k + 1], self->y);
}

static void velocity(const ts_delassus* base, int b, double* out_velocity) {
    const dense_delassus* self = (const dense_delassus*)base;
    int first = base->block_row[b];
    int rows = base->block_row[b + 1] - first;
    for (int r = 0; r < rows; ++r) out_velocity[r] = self->y[first + r];
}

static const double* diagonal(const ts_delassus* base, int b) {
    const dense_delassus* self = (const dense_delassus*)base;
    return self->diagonal + self->diagonal_start[b];
}

static void apply(ts_delassus* base, const double* x, double* out_y) { multiply((dense_delassus*)base, x, out_y); }

static ts_code factorise(ts_delassus* base, const double* shift) {
    dense_delassus* self = (dense_delassus*)base;
    size_t n = (size_t)base->row_count;
    memcpy(self->factor, self->G, n * n * sizeof(double));
    for (size_t i = 0; i < n; ++i) self->factor[i * n + i] += shift[i];
    if (self->pivot)
        return ts_lu_factor(self->factor, base->row_count, base->row_count, self->pivot) ? TS_OK : TS_ERROR_NUMERIC;
    return ts_cholesky_factor(self->factor, base->row_count, base->row_count) ? TS_OK : TS_ERROR_NUMERIC;
}

static void solve(ts_delassus* base, double* x) {
    dense_delassus* self = (dense_delassus*)base;
    if (self->pivot)
        ts_lu_solve(self->factor, base->row_count, base->row_count, self->pivot, x);
    else
        ts_cholesky_solve(self->factor, base->row_count, base->row_count, x);
}

static void gather(const ts_delassus* base, int count, const int* list, double* out) {
    const dense_delassus* self = (const dense_delassus*)base;
    size_t n = (size_t)base->row_count;
    for (int i = 0; i < count; ++i) {
        for (int r = base->block_row[list[i]]; r < base->block_row[list[i] + 1]; ++r) {
            const double* row = self->G + (size_t)r * n;
            for (int j = 0; j < count; ++j) {
                int first = base->block_row[list[j]];
                int columns = base->block_row[list[j] + 1] - first;
                memcpy(out, row + first, (size_t)columns * sizeof(double));
                out += columns;
            }
        }
    }
}

static int is_zero(const dense_delassus* self, int a, int b) {
    return !self->touches[(size_t)a * (size_t)self->base.block_count + (size_t)b];
}

static int list_blocks(const ts_delassus* base, ts_arena* arena, size_t most, ts_delassus_blocks* out) {
    const dense_delassus* self = (const dense_delassus*)base;
    int n = base->block_count;
    const int* row = base->block_row;
    int* start = TS_ARENA_ARRAY(arena, int, n + 1);
    if (!start) return 0;
    size_t entries = 0, numbers = 0;
    for (int a = 0; a < n; ++a)
        for (int b = 0; b < n; ++b)
            if (a == b || !is_zero(self, a, b)) {
                ++entries;
                numbers += (size_t)(row[a + 1] - row[a]) * (size_t)(row[b + 1] - row[b]);
            }
    if (numbers > most) return 0;
    int* column = TS_ARENA_ARRAY(arena, int, entries);
    size_t* at = TS_ARENA_ARRAY(arena, size_t, entries);
    double* value = TS_ARENA_ARRAY(arena, double, numbers);
    if (!column || !at || !value) return 0;
    entries = numbers = 0;
    for (int a = 0; a < n; ++a) {
        start[a] = (int)entries;
        for (int b = 0; b < n; ++b) {
            if (a != b && is_zero(self, a, b)) continue;
            column[entries] = b;
            at[entries++] = numbers;
            for (int r = row[a]; r < row[a + 1]; ++r)
                for (int c = row[b]; c < row[b + 1]; ++c)
                    value[numbers++] = self->G[(size_t)r * (size_t)base->row_count + (size_t)c];
        }
    }
    start[n] = (int)entries;
    out->start = start;
    out->column = column;
    out->at = at;
    out->value = value;
    return 1;
}

static void join_blocks(const ts_delassus* base, ts_arena* scratch, void (*join)(void* context, int a, int b),
                        void* context) {
    const dense_delassus* self = (const dense_delassus*)base;
    (void)scratch;
    for (int a = 0; a < base->block_count; ++a)
        for (int b = 0; b < base->block_count; ++b)
            if (a != b && !is_zero(self, a, b)) join(context, a, b);
}

static int split(ts_delassus* base, ts_arena* arena, const ts_islands* islands, ts_delassus** out_part) {
    for (int i = 0; i < islands->count; ++i) {
        const int* list = islands->block + islands->start[i];
        int count = islands->start[i + 1] - islands->start[i], rows = 0;
        int* block_row = TS_ARENA_ARRAY(arena, int, count + 1);
        if (!block_row) return 0;
        for (int k = 0; k < count; ++k) {
            block_row[k] = rows;
            rows += base->block_row[list[k] + 1] - base->block_row[list[k]];
        }
        block_row[count] = rows;
        double* matrix = TS_ARENA_ARRAY(arena, double, (size_t)rows*(size_t)rows);
        if (!matrix) return 0;
        gather(base, count, list, matrix);
        out_part[i] = ts_delassus_dense(arena, count, block_row, matrix);
        if (!out_part[i]) return 0;
    }
    return 1;
}

static int is_symmetric(const double* G, size_t n) {
    for (size_t i = 0; i < n; ++i)
        for (size_t j = 0; j < i; ++j)
            if (G[i * n + j] != G[j * n + i]) return 0;
    return 1;
}

// Which blocks are not zero.
static void find_pattern(dense_delassus* self) {
    size_t count = (size_t)self->base.block_count, n = (size_t)self->base.row_count;
    const int* row = self->base.block_row;
    memset(self->touches, 0, count * count);
    for (size_t a = 0; a < count; ++a) {
        for (size_t b = 0; b < count; ++b) {
            int zero = a != b;
            for (int r = row[a]; r < row[a + 1] && zero; ++r)
                for (int c = row[b]; c < row[b + 1] && zero; ++c) zero = self->G[(size_t)r * n + (size_t)c] == 0.0;
            if (!zero) self->touches[a * count + b] = self->touches[b * count + a] = 1;
        }
    }
}

// The runs, where that pays. Returns 0 when memory is short.
static int find_runs(dense_delassus* self, ts_arena* arena) {
    size_t count = (size_t)self->base.block_count, listed = 0;
    const int* row = self->base.block_row;
    size_t covered = 0, n = (size_t)self->base.row_count;
    for (size_t a = 0; a < count; ++a)
        for (size_t b = 0; b < count; ++b) {
            if (!self->touches[a * count + b]) continue;
            covered += (size_t)(row[a + 1] - row[a]) * (size_t)(row[b + 1] - row[b]);
            if (b == 0 || !self->touches[a * count + b - 1]) ++listed;
        }
    if (2 * covered > n * n) return 1;
    self->run_start = TS_ARENA_ARRAY(arena, int, count + 1);
    self->run = TS_ARENA_ARRAY(arena, int, 2 * listed);
    if (!self->run_start || !self->run) return 0;
    int* next = self->run;
    for (size_t a = 0; a < count; ++a) {
        self->run_start[a] = (int)((next - self->run) / 2);
        for (size_t b = 0; b < count; ++b) {
            if (!self->touches[a * count + b]) continue;
            if (b == 0 || !self->touches[a * count + b - 1]) {
                *next = row[b];
                next += 2;
            }
            next[-1] = row[b + 1];
        }
    }
    self->run_start[count] = (int)((next - self->run) / 2);
    return 1;
}

static const ts_delassus_ops dense_ops = {
    .name = "dense",
    .abilities = TS_DELASSUS_ROWS | TS_DELASSUS_APPLY | TS_DELASSUS_FACTOR | TS_DELASSUS_BLOCKS,
    .set_impulse = set_impulse,
    .add_impulse = add_impulse,
    .velocity = velocity,
    .diagonal = diagonal,
    .apply = apply,
    .factorise = factorise,
    .solve = solve,
    .gather = gather,
    .blocks = list_blocks,
    .join = join_blocks,
    .split = split,
};

ts_delassus* ts_delassus_dense(ts_arena* arena, int block_count, const int* block_row, const double* G) {
    size_t n = (size_t)block_row[block_count];
    size_t diagonal_total = 0;
    for (int b = 0; b < block_count; ++b) {
        size_t rows = (size_t)(block_row[b + 1] - block_row[b]);
        diagonal_total += rows * rows;
    }
    dense_delassus* self = TS_ARENA_ARRAY(arena, dense_delassus, 1);
    int* rows_copy = TS_ARENA_ARRAY(arena, int, block_count + 1);
    double* G_copy = TS_ARENA_ARRAY(arena, double, n* n);
    double* factor = TS_ARENA_ARRAY(arena, double, n* n);
    double* y = (double*)ts_arena_alloc_zeroed(arena, n, sizeof(double));
    double* blocks = TS_ARENA_ARRAY(arena, double, diagonal_total);
    size_t* start = TS_ARENA_ARRAY(arena, size_t, block_count);
    int symmetric = is_symmetric(G, n);
    double* transposed = symmetric ? G_copy : TS_ARENA_ARRAY(arena, double, n* n);
    int* pivot = symmetric ? NULL : TS_ARENA_ARRAY(arena, int, n);
    if (!transposed || (!symmetric && !pivot)) return NULL;
    if (!self || !rows_copy || !G_copy || !factor || !y || !blocks || !start) return NULL;

    memcpy(rows_copy, block_row, ((size_t)block_count + 1) * sizeof(int));
    if (n > 0) memcpy(G_copy, G, n * n * sizeof(double));
    for (size_t i = 0; !symmetric && i < n; ++i)
        for (size_t j = 0; j < n; ++j) transposed[j * n + i] = G[i * n + j];
    size_t at = 0;
    for (int b = 0; b < block_count; ++b) {
        start[b] = at;
        for (int i = block_row[b]; i < block_row[b + 1]; ++i)
            for (int j = block_row[b]; j < block_row[b + 1]; ++j) blocks[at++] = G[(size_t)i * n + (size_t)j];
    }
    self->base.ops = &dense_ops;
    self->base.row_count = (int)n;
    self->base.block_count = block_count;
    self->base.block_row = rows_copy;
    self->G = G_copy;
    self->transposed = transposed;
    self->pivot = pivot;
    self->factor = factor;
    self->y = y;
    self->diagonal = blocks;
    self->diagonal_start = start;
    self->run_start = NULL;
    self->touches = (unsigned char*)ts_arena_alloc(arena, (size_t)block_count * (size_t)block_count);
    if (!self->touches) return NULL;
    find_pattern(self);
    return find_runs(self, arena) ? &self->base : NULL;
}
