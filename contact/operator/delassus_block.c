// The Delassus operator as a block-sparse matrix.
//
// Problem: recorded problems give G entry by entry, and ten thousand contacts have room for a few dozen blocks a row, not
// for all of them. Rule: compressed rows of blocks. Like the dense operator it keeps y = G lambda: reading a block is a
// copy, changing block b adds column b of G times the change. Column b is found through row b, because the pattern is
// symmetric: every entry (b, a) knows where (a, b) is. Numbers need not be symmetric, and are used as they stand.
// Guaranteed: memory and the cost of a sweep are linear in the entries. Known limit: y drifts by rounding in a long solve;
// `set_impulse` computes it afresh.
#include "contact/operator/delassus_block.h"

#include <string.h>

#include "base/scalar.h"

typedef struct block_delassus {
    ts_delassus base;
    ts_delassus_blocks blocks;
    size_t numbers;  // in blocks.value
    size_t* mirror;  // of entry (b, a): where the numbers of (a, b) begin
    int* diagonal;   // (block_count) the entry (b, b)
    double* y;       // (row_count) G times the current impulse
} block_delassus;

// out += A x of a rows x columns block.
static inline void add_product(const double* A, int rows, int columns, const double* x, double* out) {
    if (rows == 3 && columns == 3) {
        double x0 = x[0], x1 = x[1], x2 = x[2];
        out[0] += A[0] * x0 + A[1] * x1 + A[2] * x2;
        out[1] += A[3] * x0 + A[4] * x1 + A[5] * x2;
        out[2] += A[6] * x0 + A[7] * x1 + A[8] * x2;
        return;
    }
    for (int r = 0; r < rows; ++r)
        for (int c = 0; c < columns; ++c) out[r] += A[r * columns + c] * x[c];
}

static void multiply(const block_delassus* self, const double* x, double* y) {
    const int* row = self->base.block_row;
    const ts_delassus_blocks* G = &self->blocks;
    for (int a = 0; a < self->base.block_count; ++a) {
        int rows = row[a + 1] - row[a];
        double sum[TS_BLOCK_ROWS_MAX] = {0.0};
        for (int e = G->start[a]; e < G->start[a + 1]; ++e) {
            int b = G->column[e];
            add_product(G->value + G->at[e], rows, row[b + 1] - row[b], x + row[b], sum);
        }
        memcpy(y + row[a], sum, (size_t)rows * sizeof(double));
    }
}

static void set_impulse(ts_delassus* base, const double* impulse) {
    block_delassus* self = (block_delassus*)base;
    multiply(self, impulse, self->y);
}

static void add_impulse(ts_delassus* base, int b, const double* delta) {
    block_delassus* self = (block_delassus*)base;
    const int* row = base->block_row;
    const ts_delassus_blocks* G = &self->blocks;
    int columns = row[b + 1] - row[b];
    for (int e = G->start[b]; e < G->start[b + 1]; ++e) {
        int a = G->column[e];
        add_product(G->value + self->mirror[e], row[a + 1] - row[a], columns, delta, self->y + row[a]);
    }
}

static void velocity(const ts_delassus* base, int b, double* out_velocity) {
    const block_delassus* self = (const block_delassus*)base;
    for (int r = base->block_row[b]; r < base->block_row[b + 1]; ++r) *out_velocity++ = self->y[r];
}

static const double* diagonal(const ts_delassus* base, int b) {
    const block_delassus* self = (const block_delassus*)base;
    return self->blocks.value + self->blocks.at[self->diagonal[b]];
}

static void apply(ts_delassus* base, const double* x, double* out_y) { multiply((block_delassus*)base, x, out_y); }

static int between(const ts_delassus* base, const ts_delassus_vectors* left, const ts_delassus_vectors* right,
                   ts_arena* scratch, double* out) {
    const ts_delassus_blocks* G = &((const block_delassus*)base)->blocks;
    const int* row = base->block_row;
    size_t ld = (size_t)right->count;
    ts_arena_scope scope = ts_arena_scope_begin(scratch);
    // Every left vector's row of G.
    double* line = TS_ARENA_ARRAY(scratch, double, base->row_count);
    for (int i = 0; line && i < left->count; ++i) {
        int a = left->block[i];
        memset(line, 0, (size_t)base->row_count * sizeof(double));
        for (int e = G->start[a]; e < G->start[a + 1]; ++e) {
            int b = G->column[e], columns = row[b + 1] - row[b];
            for (int r = 0; r < row[a + 1] - row[a]; ++r)
                for (int c = 0; c < columns; ++c)
                    line[row[b] + c] +=
                        left->value[i * TS_BLOCK_ROWS_MAX + r] * G->value[G->at[e] + (size_t)(r * columns + c)];
        }
        for (int k = 0; k < right->count; ++k) {
            int b = right->block[k];
            out[(size_t)i * ld + (size_t)k] =
                ts_dot(line + row[b], right->value + (size_t)k * TS_BLOCK_ROWS_MAX, row[b + 1] - row[b]);
        }
    }
    ts_arena_scope_end(scratch, scope);
    return line != NULL;
}

// The entry (a, b), or -1.
static int find_entry(const ts_delassus_blocks* G, int a, int b) {
    int low = G->start[a], high = G->start[a + 1] - 1;
    while (low <= high) {
        int middle = low + (high - low) / 2;
        if (G->column[middle] == b) return middle;
        if (G->column[middle] < b)
            low = middle + 1;
        else
            high = middle - 1;
    }
    return -1;
}

static int list_blocks(const ts_delassus* base, ts_arena* arena, size_t most, ts_delassus_blocks* out) {
    const block_delassus* self = (const block_delassus*)base;
    (void)arena;
    if (self->numbers > most) return 0;
    *out = self->blocks;
    return 1;
}

static void join_blocks(const ts_delassus* base, ts_arena* scratch, void (*join)(void* context, int a, int b),
                        void* context) {
    const block_delassus* self = (const block_delassus*)base;
    const ts_delassus_blocks* G = &self->blocks;
    (void)scratch;
    for (int a = 0; a < base->block_count; ++a) {
        for (int e = G->start[a]; e < G->start[a + 1]; ++e) {
            int b = G->column[e],
                size = (base->block_row[a + 1] - base->block_row[a]) * (base->block_row[b + 1] - base->block_row[b]);
            int zero = 1;
            for (int i = 0; i < size && zero; ++i) zero = G->value[G->at[e] + (size_t)i] == 0.0;
            if (!zero && a != b) join(context, a, b);
        }
    }
}

// Copies the rows of an island, renumbered, so that its blocks lie together. place[b] is b's number in its island and
// owner[b] that island: entries to other islands hold zeros only, and are left out.
static int copy_island(const block_delassus* self, ts_arena* arena, const int* list, int count, int island,
                       const int* place, const int* owner, ts_delassus** out_part) {
    const int* row = self->base.block_row;
    const ts_delassus_blocks* G = &self->blocks;
    size_t entries = 0, numbers = 0;
    for (int k = 0; k < count; ++k) entries += (size_t)(G->start[list[k] + 1] - G->start[list[k]]);
    int* block_row = TS_ARENA_ARRAY(arena, int, count + 1);
    int* start = TS_ARENA_ARRAY(arena, int, count + 1);
    int* column = TS_ARENA_ARRAY(arena, int, entries);
    size_t* at = TS_ARENA_ARRAY(arena, size_t, entries);
    if (!block_row || !start || !column || !at) return 0;
    entries = 0;
    block_row[0] = 0;
    for (int k = 0; k < count; ++k) {
        int a = list[k], rows = row[a + 1] - row[a];
        block_row[k + 1] = block_row[k] + rows;
        start[k] = (int)entries;
        for (int e = G->start[a]; e < G->start[a + 1]; ++e) {
            int b = G->column[e];
            if (owner[b] != island) continue;
            column[entries] = place[b];
            at[entries++] = numbers;
            numbers += (size_t)rows * (size_t)(row[b + 1] - row[b]);
        }
    }
    start[count] = (int)entries;
    double* value = TS_ARENA_ARRAY(arena, double, numbers);
    if (!value) return 0;
    double* next = value;
    for (int k = 0; k < count; ++k) {
        int a = list[k], rows = row[a + 1] - row[a];
        for (int e = G->start[a]; e < G->start[a + 1]; ++e) {
            int b = G->column[e];
            if (owner[b] != island) continue;
            size_t size = (size_t)rows * (size_t)(row[b + 1] - row[b]);
            memcpy(next, G->value + G->at[e], size * sizeof(double));
            next += size;
        }
    }
    ts_delassus_blocks part = {start, column, at, value};
    *out_part = ts_delassus_block_sparse(arena, count, block_row, &part);
    return *out_part != NULL;
}

static int split(ts_delassus* base, ts_arena* arena, const ts_islands* islands, ts_delassus** out_part) {
    const block_delassus* self = (const block_delassus*)base;
    int* place = TS_ARENA_ARRAY(arena, int, base->block_count);
    int* owner = TS_ARENA_ARRAY(arena, int, base->block_count);
    if (!place || !owner) return 0;
    for (int b = 0; b < base->block_count; ++b) owner[b] = -1;  // some may be in none
    for (int i = 0; i < islands->count; ++i)
        for (int k = islands->start[i]; k < islands->start[i + 1]; ++k) {
            place[islands->block[k]] = k - islands->start[i];
            owner[islands->block[k]] = i;
        }
    for (int i = 0; i < islands->count; ++i)
        if (!copy_island(self, arena, islands->block + islands->start[i], islands->start[i + 1] - islands->start[i], i,
                         place, owner, &out_part[i]))
            return 0;
    return 1;
}

static const ts_delassus_ops block_ops = {
    .name = "block-sparse",
    .abilities = TS_DELASSUS_ROWS | TS_DELASSUS_APPLY | TS_DELASSUS_BLOCKS,
    .set_impulse = set_impulse,
    .add_impulse = add_impulse,
    .velocity = velocity,
    .diagonal = diagonal,
    .apply = apply,
    .between = between,
    .blocks = list_blocks,
    .join = join_blocks,
    .split = split,
};

// Finds diagonals and mirrors. Returns 0 when the pattern is not symmetric, not ascending or without a diagonal.
static int index_pattern(block_delassus* self) {
    const ts_delassus_blocks* G = &self->blocks;
    const int* row = self->base.block_row;
    for (int a = 0; a < self->base.block_count; ++a) {
        self->diagonal[a] = -1;
        for (int e = G->start[a]; e < G->start[a + 1]; ++e) {
            int b = G->column[e];
            if (b < 0 || b >= self->base.block_count || (e > G->start[a] && b <= G->column[e - 1])) return 0;
            if (G->at[e] != self->numbers) return 0;
            self->numbers += (size_t)(row[a + 1] - row[a]) * (size_t)(row[b + 1] - row[b]);
            if (a == b) self->diagonal[a] = e;
            // Rows above have been checked: an entry of theirs in column a must be here.
            int twin = find_entry(G, b, a);
            if (twin < 0) return 0;
            self->mirror[e] = G->at[twin];
        }
        if (self->diagonal[a] < 0) return 0;
    }
    return 1;
}

ts_delassus* ts_delassus_block_sparse(ts_arena* arena, int block_count, const int* block_row,
                                      const ts_delassus_blocks* blocks) {
    int entries = blocks->start[block_count];
    block_delassus* self = (block_delassus*)ts_arena_alloc_zeroed(arena, 1, sizeof(block_delassus));
    size_t* mirror = TS_ARENA_ARRAY(arena, size_t, entries);
    int* diagonal_entry = TS_ARENA_ARRAY(arena, int, block_count);
    double* y = (double*)ts_arena_alloc_zeroed(arena, (size_t)block_row[block_count], sizeof(double));
    if (!self || !mirror || !diagonal_entry || !y) return NULL;
    self->base.ops = &block_ops;
    self->base.row_sum = self->base.bound = NULL;
    self->base.row_count = block_row[block_count];
    self->base.block_count = block_count;
    self->base.block_row = block_row;
    self->blocks = *blocks;
    self->mirror = mirror;
    self->diagonal = diagonal_entry;
    self->y = y;
    return index_pattern(self) ? &self->base : NULL;
}
