// The Delassus operator in velocity form, for piles.
//
// Problem: row blocks of G lambda for a G that is never formed. With V = M^-1 J^T lambda kept up to date, block b of
// G lambda is J_b V, and a change d of lambda_b costs V += Y_b^T d with the cached Y_b = (M^-1 J_b^T)^T. A block
// between two free bodies touches two runs of six columns, so both cost 36 multiply-adds whatever the size of the pile.
// Source: the classical sequential-impulse form of projected Gauss-Seidel (docs/contact.md).
//
// A sweep over a large pile is bound by memory, so the caller had better put the segments into one buffer in block
// order: J then Y of a block side by side and the next block behind them. Where J and Y are the same array (coordinates
// in which M is the identity), the traffic halves.
// V drifts by rounding in a long solve; `set_impulse` computes it afresh.
#include <string.h>

#include "base/linear/dense.h"
#include "base/linear/four.h"
#include "contact/operator/delassus_velocity_internal.h"
#include "contact/operator/stiffness_internal.h"
#include "contact/sweep_order_internal.h"

// Blocks a thread reads at a time: some ten microseconds of work.
enum { READ_GRAIN = 512 };

// Apart from the kernels of six columns, which piles live on: inlined, registers saved for these would cost those.
#if defined(__GNUC__)
#define RARE __attribute__((noinline))
#else
#define RARE
#endif

// One row times v: in sums that do not wait for each other.
static inline double read_one(const double* J, int count, const double* v) {
    ts_four sums = ts_four_zero();
    int j = 0;
    for (; j + 4 <= count; j += 4) sums = ts_four_plus(sums, ts_four_product(ts_four_load(J + j), ts_four_load(v + j)));
    double sum = ts_four_sum(sums);
    for (; j < count; ++j) sum += J[j] * v[j];
    return sum;
}

// Three rows, `count` apart, times v, added to sums.
static inline void read_three(const double* J, int count, const double* v, double* io_sum) {
    const double *J1 = J + count, *J2 = J1 + count;
    ts_four a = ts_four_zero(), b = a, c = a;
    int j = 0;
    for (; j + 4 <= count; j += 4) {
        ts_four x = ts_four_load(v + j);
        a = ts_four_plus(a, ts_four_product(ts_four_load(J + j), x));
        b = ts_four_plus(b, ts_four_product(ts_four_load(J1 + j), x));
        c = ts_four_plus(c, ts_four_product(ts_four_load(J2 + j), x));
    }
    double s0 = ts_four_sum(a), s1 = ts_four_sum(b), s2 = ts_four_sum(c);
    for (; j < count; ++j) {
        s0 += J[j] * v[j];
        s1 += J1[j] * v[j];
        s2 += J2[j] * v[j];
    }
    io_sum[0] += s0;
    io_sum[1] += s1;
    io_sum[2] += s2;
}

RARE static void read_any(const ts_velocity_form* self, int b, const double* V, double* out_velocity) {
    const ts_velocity_block* block = &self->block[b];
    int r = 0;
    for (; r + 3 <= block->rows; r += 3) {
        out_velocity[r] = out_velocity[r + 1] = out_velocity[r + 2] = 0.0;
        for (int s = self->segment_start[b]; s < self->segment_start[b + 1]; ++s) {
            const ts_delassus_segment* segment = &self->segment[s];
            read_three(segment->J + (size_t)r * (size_t)segment->count, segment->count, V + segment->column,
                       out_velocity + r);
        }
    }
    for (; r < block->rows; ++r) {
        double sum = 0.0;
        for (int s = self->segment_start[b]; s < self->segment_start[b + 1]; ++s) {
            const ts_delassus_segment* segment = &self->segment[s];
            const double* row = segment->J + (size_t)r * (size_t)segment->count;
            sum += read_one(row, segment->count, V + segment->column);
        }
        out_velocity[r] = sum;
    }
}

static void read_block(const ts_velocity_form* self, int b, const double* V, double* out_velocity) {
    if (self->block[b].kernel != TS_VELOCITY_ANY)
        ts_velocity_read_six(&self->block[b], V, out_velocity);
    else
        read_any(self, b, V, out_velocity);
}

// Adds a row times d.
static inline void change_one(const double* Y, int count, double d, double* to) {
    int j = 0;
    for (; j + 4 <= count; j += 4)
        ts_four_store(ts_four_plus(ts_four_load(to + j), ts_four_times(d, ts_four_load(Y + j))), to + j);
    for (; j < count; ++j) to[j] += d * Y[j];
}

// Adds three rows, `count` apart, times d.
static inline void change_three(const double* Y, int count, const double* d, double* to) {
    const double *Y1 = Y + count, *Y2 = Y1 + count;
    int j = 0;
    for (; j + 4 <= count; j += 4) {
        ts_four v = ts_four_plus(ts_four_load(to + j), ts_four_times(d[0], ts_four_load(Y + j)));
        v = ts_four_plus(v, ts_four_times(d[1], ts_four_load(Y1 + j)));
        ts_four_store(ts_four_plus(v, ts_four_times(d[2], ts_four_load(Y2 + j))), to + j);
    }
    for (; j < count; ++j) to[j] = ((to[j] + d[0] * Y[j]) + d[1] * Y1[j]) + d[2] * Y2[j];
}

RARE static void change_any(const ts_velocity_form* self, int b, const double* delta, double* V) {
    const ts_velocity_block* block = &self->block[b];
    for (int s = self->segment_start[b]; s < self->segment_start[b + 1]; ++s) {
        const ts_delassus_segment* segment = &self->segment[s];
        double* target = V + segment->column;
        const double* Y = segment->Y;
        int r = 0;
        for (; r + 3 <= block->rows; r += 3, Y += 3 * (size_t)segment->count)
            if (delta[r] != 0.0 || delta[r + 1] != 0.0 || delta[r + 2] != 0.0)
                change_three(Y, segment->count, delta + r, target);
        for (; r < block->rows; ++r, Y += segment->count)
            if (delta[r] != 0.0) change_one(Y, segment->count, delta[r], target);
    }
}

static void change_block(const ts_velocity_form* self, int b, const double* delta, double* V) {
    if (self->block[b].kernel != TS_VELOCITY_ANY)
        ts_velocity_change_six(&self->block[b], delta[0], delta[1], delta[2], V);
    else
        change_any(self, b, delta, V);
}

// A product in progress.
typedef struct product {
    const ts_velocity_form* form;
    const double* impulse;
    double* V;
    double* out;
} product;

static void change_places(void* context, int begin, int end, int piece) {
    const product* p = (const product*)context;
    (void)piece;
    for (int b = begin; b < end; ++b) change_block(p->form, b, p->impulse + p->form->base.block_row[b], p->V);
}

static void read_range(void* context, int begin, int end, int worker) {
    const product* p = (const product*)context;
    (void)worker;
    for (int b = begin; b < end; ++b) read_block(p->form, b, p->V, p->out + p->form->base.block_row[b]);
}

// The pieces of a sweep touch no common column, so they may be summed at once too.
static void load_impulse(const ts_velocity_form* self, const double* impulse, double* V) {
    memset(V, 0, (size_t)self->velocity_count * sizeof(double));
    if (self->order) {
        product p = {self, impulse, V, NULL};
        ts_sweep_order_run(self->order, self->tasks, 0, change_places, &p);
        return;
    }
    for (int b = 0; b < self->base.block_count; ++b) change_block(self, b, impulse + self->base.block_row[b], V);
}

// Whether the known impulse is this one, to the bit.
static int is_of(const ts_velocity_form* self, const double* impulse) {
    return memcmp(self->known, impulse, (size_t)self->base.row_count * sizeof(double)) == 0;
}

static void set_impulse(ts_delassus* base, const double* impulse) {
    ts_velocity_form* self = (ts_velocity_form*)base;
    int is_known = self->is_known && is_of(self, impulse);
    self->is_known = 0;
    if (!is_known) load_impulse(self, impulse, self->V);
}

void ts_velocity_form_set(ts_velocity_form* form, const double* impulse) {
    load_impulse(form, impulse, form->V);
    form->is_known = form->known != NULL;
    form->are_rows_known = 0;
    if (form->known) memcpy(form->known, impulse, (size_t)form->base.row_count * sizeof(double));
}

void ts_velocity_form_keep(ts_velocity_form* form, const double* x) {
    if (!form->known) return;
    memcpy(form->known, x, (size_t)form->base.row_count * sizeof(double));
    memcpy(form->V, form->V_apply, (size_t)form->velocity_count * sizeof(double));
    form->is_known = 1;
    form->are_rows_known = 0;
}

void ts_velocity_form_tell(ts_velocity_form* form, const double* impulse, const double* V) {
    if (!form->is_summed || !form->known) return;
    memcpy(form->known, impulse, (size_t)form->base.row_count * sizeof(double));
    memcpy(form->V, V, (size_t)form->velocity_count * sizeof(double));
    form->is_known = 1;
    form->are_rows_known = 0;
}

static void add_impulse(ts_delassus* base, int b, const double* delta) {
    ts_velocity_form* self = (ts_velocity_form*)base;
    change_block(self, b, delta, self->V);
}

static void velocity(const ts_delassus* base, int b, double* out_velocity) {
    const ts_velocity_form* self = (const ts_velocity_form*)base;
    read_block(self, b, self->V, out_velocity);
}

static const double* diagonal(const ts_delassus* base, int b) {
    const ts_velocity_form* self = (const ts_velocity_form*)base;
    return self->diagonal + self->diagonal_start[b];
}

static void apply(ts_delassus* base, const double* x, double* out_y) {
    ts_velocity_form* self = (ts_velocity_form*)base;
    product p = {self, x, self->V_apply, NULL};
    p.out = out_y;
    load_impulse(self, x, self->V_apply);
    ts_task_parallel_for(self->order ? self->tasks : NULL, base->block_count, READ_GRAIN, read_range, &p);
}

// sum of `rows` rows, `count` apart, times their numbers.
static void combine_rows(int rows, int count, const double* value, const double* J, double* out) {
    memset(out, 0, (size_t)count * sizeof(double));
    for (int r = 0; r < rows; ++r, J += count)
        if (value[r] != 0.0) change_one(J, count, value[r], out);
}

// V = M^-1 J^T of the right, side by side, is read by the left.
static int between(const ts_delassus* base, const ts_delassus_vectors* left, const ts_delassus_vectors* right,
                   ts_arena* scratch, double* out) {
    const ts_velocity_form* self = (const ts_velocity_form*)base;
    size_t ld = (size_t)right->count;
    ts_arena_scope scope = ts_arena_scope_begin(scratch);
    double* V = (double*)ts_arena_alloc_zeroed(scratch, (size_t)self->velocity_count * ld, sizeof(double));
    double* row = TS_ARENA_ARRAY(scratch, double, self->velocity_count);
    int fine = V && row;
    for (int k = 0; fine && k < right->count; ++k) {
        int b = right->block[k];
        for (int s = self->segment_start[b]; s < self->segment_start[b + 1]; ++s) {
            const ts_delassus_segment* g = &self->segment[s];
            double* to = V + (size_t)g->column * ld + (size_t)k;
            combine_rows(self->block[b].rows, g->count, right->value + (size_t)k * TS_BLOCK_ROWS_MAX, g->Y, row);
            for (int j = 0; j < g->count; ++j) to[(size_t)j * ld] += row[j];
        }
    }
    if (fine) memset(out, 0, (size_t)left->count * ld * sizeof(double));
    for (int i = 0; fine && i < left->count; ++i) {
        int b = left->block[i];
        for (int s = self->segment_start[b]; s < self->segment_start[b + 1]; ++s) {
            const ts_delassus_segment* g = &self->segment[s];
            combine_rows(self->block[b].rows, g->count, left->value + (size_t)i * TS_BLOCK_ROWS_MAX, g->J, row);
            ts_lines_add(right->count, g->count, 1.0, row, 1, V + (size_t)g->column * ld, right->count,
                         out + (size_t)i * ld);
        }
    }
    ts_arena_scope_end(scratch, scope);
    return fine;
}

static const ts_delassus_ops velocity_ops = {
    .name = "velocity",
    .abilities = TS_DELASSUS_ROWS | TS_DELASSUS_APPLY | TS_DELASSUS_BLOCKS,
    .set_impulse = set_impulse,
    .add_impulse = add_impulse,
    .velocity = velocity,
    .diagonal = diagonal,
    .apply = apply,
    .between = between,
    .blocks = ts_velocity_form_blocks,
    .join = ts_velocity_form_join,
    .split = ts_velocity_form_split,
};

// Fills block b's entry from its segments. The six-column kernels want the second segment's rows right behind the
// first's.
static void place_block(ts_velocity_form* self, int b) {
    ts_velocity_block* block = &self->block[b];
    int first = self->segment_start[b], count = self->segment_start[b + 1] - first;
    const ts_delassus_segment* segment = &self->segment[first];
    block->rows = self->base.block_row[b + 1] - self->base.block_row[b];
    block->kernel = TS_VELOCITY_ANY;
    block->J = count > 0 ? segment[0].J : NULL;
    block->Y = count > 0 ? segment[0].Y : NULL;
    block->column[0] = count > 0 ? segment[0].column : 0;
    block->column[1] = count > 1 ? segment[1].column : 0;
    if (block->rows != 3 || count < 1 || count > 2 || segment[0].count != 6) return;
    if (count == 1) block->kernel = TS_VELOCITY_ONE;
    if (count == 2 && segment[1].count == 6 && segment[1].J == segment[0].J + 18 && segment[1].Y == segment[0].Y + 18)
        block->kernel = TS_VELOCITY_PAIR;
}

// The products of three rows, `count` apart, with each other, added to the lower half of a block.
static inline void add_products(const double* J, int count, double* io_block) {
    const double *J1 = J + count, *J2 = J1 + count;
    ts_four s00 = ts_four_zero(), s10 = s00, s11 = s00, s20 = s00, s21 = s00, s22 = s00;
    int j = 0;
    for (; j + 4 <= count; j += 4) {
        ts_four a = ts_four_load(J + j), b = ts_four_load(J1 + j), c = ts_four_load(J2 + j);
        s00 = ts_four_plus(s00, ts_four_product(a, a));
        s10 = ts_four_plus(s10, ts_four_product(b, a));
        s11 = ts_four_plus(s11, ts_four_product(b, b));
        s20 = ts_four_plus(s20, ts_four_product(c, a));
        s21 = ts_four_plus(s21, ts_four_product(c, b));
        s22 = ts_four_plus(s22, ts_four_product(c, c));
    }
    double sum[6] = {ts_four_sum(s00), ts_four_sum(s10), ts_four_sum(s11),
                     ts_four_sum(s20), ts_four_sum(s21), ts_four_sum(s22)};
    for (; j < count; ++j) {
        sum[0] += J[j] * J[j];
        sum[1] += J1[j] * J[j];
        sum[2] += J1[j] * J1[j];
        sum[3] += J2[j] * J[j];
        sum[4] += J2[j] * J1[j];
        sum[5] += J2[j] * J2[j];
    }
    io_block[0] += sum[0];
    io_block[3] += sum[1];
    io_block[4] += sum[2];
    io_block[6] += sum[3];
    io_block[7] += sum[4];
    io_block[8] += sum[5];
}

// The same of other numbers of rows, known where it is called: column by column, so that no sum waits for itself.
static inline void add_all_products(const double* J, int rows, int count, double* io_block) {
    double sum[TS_BLOCK_ROWS_MAX][TS_BLOCK_ROWS_MAX] = {{0.0}};
    for (int j = 0; j < count; ++j)
        for (int i = 0; i < rows; ++i)
            for (int k = 0; k <= i; ++k) sum[i][k] += J[i * count + j] * J[k * count + j];
    for (int i = 0; i < rows; ++i)
        for (int k = 0; k <= i; ++k) io_block[i * rows + k] += sum[i][k];
}

// The same of six, sums of four side by side: rows that spin and roll take most of what a foot's diagonal costs.
static inline void add_six_products(const double* J, int count, double* io_block) {
    enum { ROWS = 6, LANES = 4 };
    ts_four low[ROWS], high[ROWS - LANES];
    double sum[LANES];
    for (int i = 0; i < ROWS; ++i) low[i] = ts_four_zero();
    for (int i = LANES; i < ROWS; ++i) high[i - LANES] = ts_four_zero();
    for (int j = 0; j < count; ++j) {
        double column[ROWS];
        for (int i = 0; i < ROWS; ++i) column[i] = J[i * count + j];
        ts_four first = ts_four_load(column), rest = ts_four_make(column[4], column[5], 0.0, 0.0);
        for (int i = 0; i < ROWS; ++i) low[i] = ts_four_plus(low[i], ts_four_times(column[i], first));
        for (int i = LANES; i < ROWS; ++i)
            high[i - LANES] = ts_four_plus(high[i - LANES], ts_four_times(column[i], rest));
    }
    for (int i = 0; i < ROWS; ++i) {
        ts_four_store(low[i], sum);
        for (int k = 0; k <= i && k < LANES; ++k) io_block[ROWS * i + k] += sum[k];
    }
    for (int i = LANES; i < ROWS; ++i) {
        ts_four_store(high[i - LANES], sum);
        for (int k = LANES; k <= i; ++k) io_block[ROWS * i + k] += sum[k - LANES];
    }
}

static void add_products_of(const ts_delassus_segment* s, int rows, double* io_block) {
    switch (rows) {
    case 1: io_block[0] += read_one(s->J, s->count, s->J); break;
    case 6: add_six_products(s->J, s->count, io_block); break;
    default: add_all_products(s->J, rows, s->count, io_block); break;
    }
}

// G_bb of a block that is not whitened six columns: the sum over its segments of J Y^T; they do not overlap, so no cross terms. Symmetric, as M is.
RARE static void fill_any_diagonal(const ts_velocity_form* self, int b, double* out_block) {
    const ts_velocity_block* block = &self->block[b];
    if (block->kernel != TS_VELOCITY_ANY) {
        // Column k of the block is the rows times row k.
        double column[3];
        for (int k = 0; k < 3; ++k) {
            const double* Y = block->Y + 6 * k;
            if (block->kernel == TS_VELOCITY_PAIR)
                TS_SIX(read_pair)(block->J, Y, Y + 18, column);
            else
                TS_SIX(read)(block->J, Y, column);
            for (int i = k; i < 3; ++i) out_block[3 * i + k] = out_block[3 * k + i] = column[i];
        }
        return;
    }
    // Where Y is J both halves are the same numbers, to the bit.
    int rows = block->rows, is_white = block->J == block->Y;
    if (is_white && rows == 3) {
        double lower[9] = {0.0};
        for (int s = self->segment_start[b]; s < self->segment_start[b + 1]; ++s)
            add_products(self->segment[s].J, self->segment[s].count, lower);
        for (int i = 0; i < 3; ++i)
            for (int k = 0; k < 3; ++k) out_block[3 * i + k] = i < k ? lower[3 * k + i] : lower[3 * i + k];
        return;
    }
    if (is_white) {
        memset(out_block, 0, (size_t)(rows * rows) * sizeof(double));
        for (int s = self->segment_start[b]; s < self->segment_start[b + 1]; ++s)
            add_products_of(&self->segment[s], rows, out_block);
        for (int i = 0; i < rows; ++i)
            for (int k = 0; k < i; ++k) out_block[k * rows + i] = out_block[i * rows + k];
        return;
    }
    for (int i = 0; i < rows; ++i) {
        for (int k = 0; k < rows; ++k) {
            double sum = 0.0;
            for (int s = self->segment_start[b]; s < self->segment_start[b + 1]; ++s) {
                const ts_delassus_segment* segment = &self->segment[s];
                const double* J = segment->J + (size_t)i * (size_t)segment->count;
                const double* Y = segment->Y + (size_t)k * (size_t)segment->count;
                for (int j = 0; j < segment->count; ++j) sum += J[j] * Y[j];
            }
            out_block[i * rows + k] = sum;
        }
    }
}

// Row sums are asked for again and again; of one to three rows they cost no more than a look here.
static int find_row_sums(ts_velocity_form* self, ts_arena* arena) {
    int most = 0;
    for (int b = 0; b < self->base.block_count; ++b) most = self->block[b].rows > most ? self->block[b].rows : most;
    if (most <= 3) return 1;
    double* sum = TS_ARENA_ARRAY(arena, double, self->base.block_count);
    for (int b = 0; sum && b < self->base.block_count; ++b)
        if (self->block[b].rows > 3)
            sum[b] = ts_delassus_row_sum(self->block[b].rows, self->diagonal + self->diagonal_start[b], NULL);
    self->base.row_sum = sum;
    return sum != NULL;
}

// Arrays of the form and its blocks, not yet filled. Returns NULL when memory is short.
static ts_velocity_form* allocate_form(ts_arena* arena, int velocity_count, int block_count, const int* block_row,
                                       double** out_bound) {
    size_t diagonal_total = 0, columns = (size_t)velocity_count, blocks = (size_t)block_count;
    for (int b = 0; b < block_count; ++b) {
        size_t rows = (size_t)(block_row[b + 1] - block_row[b]);
        diagonal_total += rows * rows;
    }
    ts_velocity_form* self = TS_ARENA_ARRAY(arena, ts_velocity_form, 1);
    double* number = TS_ARENA_ARRAY(arena, double, 2 * columns + diagonal_total + blocks);
    if (!self || !number) return NULL;
    self->base.ops = &velocity_ops;
    self->base.row_count = block_row[block_count];
    self->base.block_count = block_count;
    self->base.block_row = block_row;
    self->base.row_sum = NULL;
    self->base.bound = *out_bound = number + 2 * columns + diagonal_total;
    self->velocity_count = velocity_count;
    self->V = number;
    self->V_apply = number + columns;
    self->diagonal = number + 2 * columns;
    self->is_known = self->are_rows_known = 0;
    self->order = NULL;
    self->tasks = NULL;
    self->block = TS_ARENA_ARRAY(arena, ts_velocity_block, block_count);
    self->diagonal_start = TS_ARENA_ARRAY(arena, size_t, block_count);
    memset(self->V, 0, columns * sizeof(double));
    return self->block && self->diagonal_start ? self : NULL;
}

ts_delassus* ts_delassus_velocity_form(ts_arena* arena, int velocity_count, int block_count, const int* block_row,
                                       const int* segment_start, const ts_delassus_segment* segments) {
    double* bound;
    ts_velocity_form* self = allocate_form(arena, velocity_count, block_count, block_row, &bound);
    if (!self) return NULL;
    self->segment = segments;
    self->segment_start = segment_start;
    // So are bounds of contacts: here a square root need not be waited for.
    double* D = self->diagonal;
    int others = 0;
    for (int b = 0; b < block_count; ++b) {
        place_block(self, b);
        int rows = self->block[b].rows;
        others += self->block[b].kernel == TS_VELOCITY_ANY;
        self->diagonal_start[b] = (size_t)(D - self->diagonal);
        const ts_velocity_block* block = &self->block[b];
        if (block->kernel != TS_VELOCITY_ANY && block->J == block->Y)
            TS_SIX(square)(block->J, block->kernel == TS_VELOCITY_PAIR ? 2 : 1, D);
        else
            fill_any_diagonal(self, b, D);
        bound[b] = rows == 3 ? ts_stiffness_bound_3x3(D[0], D[4], D[8], D[1], D[2], D[5]) : 0.0;
        D += rows * rows;
    }
    self->is_summed = others == block_count;
    self->is_six = others == 0;
    int is_alike = self->is_summed || self->is_six;
    int rows = block_row[block_count];
    self->known = is_alike ? TS_ARENA_ARRAY(arena, double, self->is_six ? 2 * rows : rows) : NULL;
    if (is_alike && !self->known) return NULL;
    self->known_rows = self->is_six ? self->known + rows : NULL;
    return self->is_six || find_row_sums(self, arena) ? &self->base : NULL;
}

void ts_delassus_velocities(ts_delassus* G, const double* impulse, double* out_velocity) {
    const ts_velocity_form* self = (const ts_velocity_form*)G;
    int is_six = G->ops == &velocity_ops && self->is_six;
    int is_known = is_six && self->is_known && self->are_rows_known && is_of(self, impulse);
    G->ops->set_impulse(G, impulse);
    if (is_known) {
        memcpy(out_velocity, self->known_rows, (size_t)G->row_count * sizeof(double));
        return;
    }
    for (int b = 0; is_six && b < G->block_count; ++b)
        ts_velocity_read_six(&self->block[b], self->V, out_velocity + 3 * b);
    for (int b = 0; !is_six && b < G->block_count; ++b) G->ops->velocity(G, b, out_velocity + G->block_row[b]);
}

ts_velocity_form* ts_velocity_form_of(ts_delassus* G) { return G->ops == &velocity_ops ? (ts_velocity_form*)G : NULL; }

const double* ts_delassus_velocity_change(const ts_delassus* G) {
    return G->ops == &velocity_ops ? ((const ts_velocity_form*)G)->V : NULL;
}
