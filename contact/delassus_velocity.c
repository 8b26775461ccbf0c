// The Delassus operator in velocity form, for piles.
//
// Problem: row blocks of G lambda for a G that is never formed. With V = M^-1 J^T lambda kept up to date, block b of
// G lambda is J_b V, and a change d of lambda_b costs V += Y_b^T d with the cached Y_b = (M^-1 J_b^T)^T. A block
// between two free bodies touches two runs of six columns, so both cost 36 multiply-adds whatever the size of the pile.
// Source: the classical sequential-impulse form of projected Gauss-Seidel (docs/contact.md).
//
// A sweep over a large pile is bound by memory, so the segments are copied once into one buffer in block order:
// J then Y of a block lie side by side and the next block follows. Where the caller gives the same array for J and Y
// (coordinates in which M is the identity), it is stored once and the traffic halves.
// V drifts by rounding in a long solve; `set_impulse` computes it afresh.
#include <string.h>

#include "contact/delassus.h"

// Which code reads and changes a block.
typedef enum block_kernel {
    KERNEL_PAIR,  // 3 rows, two segments of 6 columns: contact between two free bodies
    KERNEL_ONE,   // 3 rows, one segment of 6 columns: free body on something fixed
    KERNEL_ANY    // everything else, also no segments at all
} block_kernel;

typedef struct packed_segment {
    int column;
    int count;
    const double* J;
    const double* Y;
} packed_segment;

typedef struct packed_block {
    const double* J;  // first segment's J; for KERNEL_PAIR the second's follows
    const double* Y;  // likewise
    int column[2];    // first column of the first two segments
    int rows;
    int kernel;
} packed_block;

typedef struct velocity_delassus {
    ts_delassus base;
    int velocity_count;
    double* V;            // (velocity_count) M^-1 J^T lambda
    double* V_apply;      // (velocity_count) the same for `apply`'s x
    packed_block* block;  // (block_count)
    packed_segment* segment;
    int* segment_start;      // (block_count + 1)
    double* diagonal;        // blocks G_bb one after another
    size_t* diagonal_start;  // (block_count)
} velocity_delassus;

// Six columns of one row times six velocities. Pairs first: contacts of one body follow each other, so a sweep waits
// for this sum, and a tree of additions is shorter than a chain.
static inline double dot6(const double* J, const double* V) {
    return ((J[0] * V[0] + J[1] * V[1]) + (J[2] * V[2] + J[3] * V[3])) + (J[4] * V[4] + J[5] * V[5]);
}

// V += Y^T delta on six columns. Solvers know the normal part first, so it is added first.
static inline void add6(const double* Y, const double* delta, double* V) {
    double d0 = delta[0], d1 = delta[1], d2 = delta[2];
    double v0 = (V[0] + Y[12] * d2) + (Y[0] * d0 + Y[6] * d1);
    double v1 = (V[1] + Y[13] * d2) + (Y[1] * d0 + Y[7] * d1);
    double v2 = (V[2] + Y[14] * d2) + (Y[2] * d0 + Y[8] * d1);
    double v3 = (V[3] + Y[15] * d2) + (Y[3] * d0 + Y[9] * d1);
    double v4 = (V[4] + Y[16] * d2) + (Y[4] * d0 + Y[10] * d1);
    double v5 = (V[5] + Y[17] * d2) + (Y[5] * d0 + Y[11] * d1);
    V[0] = v0;
    V[1] = v1;
    V[2] = v2;
    V[3] = v3;
    V[4] = v4;
    V[5] = v5;
}

static void read_block(const velocity_delassus* self, int b, const double* V, double* out_velocity) {
    const packed_block* block = &self->block[b];
    const double* J = block->J;
    if (block->kernel == KERNEL_PAIR) {
        const double* V0 = V + block->column[0];
        const double* V1 = V + block->column[1];
        out_velocity[0] = dot6(J, V0) + dot6(J + 18, V1);
        out_velocity[1] = dot6(J + 6, V0) + dot6(J + 24, V1);
        out_velocity[2] = dot6(J + 12, V0) + dot6(J + 30, V1);
        return;
    }
    if (block->kernel == KERNEL_ONE) {
        const double* V0 = V + block->column[0];
        out_velocity[0] = dot6(J, V0);
        out_velocity[1] = dot6(J + 6, V0);
        out_velocity[2] = dot6(J + 12, V0);
        return;
    }
    for (int r = 0; r < block->rows; ++r) {
        double sum = 0.0;
        for (int s = self->segment_start[b]; s < self->segment_start[b + 1]; ++s) {
            const packed_segment* segment = &self->segment[s];
            const double* row = segment->J + (size_t)r * (size_t)segment->count;
            for (int j = 0; j < segment->count; ++j) sum += row[j] * V[segment->column + j];
        }
        out_velocity[r] = sum;
    }
}

static void change_block(const velocity_delassus* self, int b, const double* delta, double* V) {
    const packed_block* block = &self->block[b];
    if (block->kernel == KERNEL_PAIR) {
        add6(block->Y, delta, V + block->column[0]);
        add6(block->Y + 18, delta, V + block->column[1]);
        return;
    }
    if (block->kernel == KERNEL_ONE) {
        add6(block->Y, delta, V + block->column[0]);
        return;
    }
    for (int s = self->segment_start[b]; s < self->segment_start[b + 1]; ++s) {
        const packed_segment* segment = &self->segment[s];
        double* target = V + segment->column;
        const double* Y = segment->Y;
        for (int r = 0; r < block->rows; ++r, Y += segment->count) {
            double d = delta[r];
            if (d == 0.0) continue;
            for (int j = 0; j < segment->count; ++j) target[j] += d * Y[j];
        }
    }
}

static void load_impulse(const velocity_delassus* self, const double* impulse, double* V) {
    memset(V, 0, (size_t)self->velocity_count * sizeof(double));
    for (int b = 0; b < self->base.block_count; ++b) change_block(self, b, impulse + self->base.block_row[b], V);
}

static void set_impulse(ts_delassus* base, const double* impulse) {
    velocity_delassus* self = (velocity_delassus*)base;
    load_impulse(self, impulse, self->V);
}

static void add_impulse(ts_delassus* base, int b, const double* delta) {
    velocity_delassus* self = (velocity_delassus*)base;
    change_block(self, b, delta, self->V);
}

static void velocity(const ts_delassus* base, int b, double* out_velocity) {
    const velocity_delassus* self = (const velocity_delassus*)base;
    read_block(self, b, self->V, out_velocity);
}

static const double* diagonal(const ts_delassus* base, int b) {
    const velocity_delassus* self = (const velocity_delassus*)base;
    return self->diagonal + self->diagonal_start[b];
}

static void apply(ts_delassus* base, const double* x, double* out_y) {
    velocity_delassus* self = (velocity_delassus*)base;
    load_impulse(self, x, self->V_apply);
    for (int b = 0; b < base->block_count; ++b) read_block(self, b, self->V_apply, out_y + base->block_row[b]);
}

static const ts_delassus_ops velocity_ops = {
    .name = "velocity",
    .abilities = TS_DELASSUS_ROWS | TS_DELASSUS_APPLY,
    .set_impulse = set_impulse,
    .add_impulse = add_impulse,
    .velocity = velocity,
    .diagonal = diagonal,
    .apply = apply,
    .factorise = NULL,
    .solve = NULL,
};

// Copies J and Y of block b behind `data`, fills its packed segments and returns the new end of the data.
static double* pack_block(velocity_delassus* self, int b, const int* segment_start, const ts_delassus_segment* segments,
                          double* data) {
    packed_block* block = &self->block[b];
    int first = segment_start[b], last = segment_start[b + 1];
    int rows = self->base.block_row[b + 1] - self->base.block_row[b];
    // All of a block's J first, then all of its Y: the sweep reads them in this order.
    for (int pass = 0; pass < 2; ++pass) {
        for (int s = first; s < last; ++s) {
            packed_segment* target = &self->segment[s];
            const ts_delassus_segment* source = &segments[s];
            size_t size = (size_t)rows * (size_t)source->count;
            target->column = source->column;
            target->count = source->count;
            if (pass == 1 && source->Y == source->J) {
                target->Y = target->J;
                continue;
            }
            memcpy(data, pass == 0 ? source->J : source->Y, size * sizeof(double));
            if (pass == 0)
                target->J = data;
            else
                target->Y = data;
            data += size;
        }
    }
    block->rows = rows;
    block->kernel = KERNEL_ANY;
    block->J = first < last ? self->segment[first].J : NULL;
    block->Y = first < last ? self->segment[first].Y : NULL;
    block->column[0] = first < last ? segments[first].column : 0;
    block->column[1] = first + 1 < last ? segments[first + 1].column : 0;
    if (rows == 3 && last - first == 1 && segments[first].count == 6) block->kernel = KERNEL_ONE;
    if (rows == 3 && last - first == 2 && segments[first].count == 6 && segments[first + 1].count == 6 &&
        (segments[first].Y == segments[first].J) == (segments[first + 1].Y == segments[first + 1].J))
        block->kernel = KERNEL_PAIR;
    return data;
}

// G_bb = sum over the block's segments of J Y^T; they do not overlap, so no cross terms. Symmetric, as M is.
static void fill_diagonal(const velocity_delassus* self, int b, double* out_block) {
    const packed_block* block = &self->block[b];
    if (block->kernel != KERNEL_ANY) {
        for (int i = 0; i < 3; ++i)
            for (int k = 0; k <= i; ++k) {
                double sum = dot6(block->J + 6 * i, block->Y + 6 * k);
                if (block->kernel == KERNEL_PAIR) sum += dot6(block->J + 18 + 6 * i, block->Y + 18 + 6 * k);
                out_block[3 * i + k] = out_block[3 * k + i] = sum;
            }
        return;
    }
    int rows = block->rows;
    for (int i = 0; i < rows; ++i) {
        for (int k = 0; k < rows; ++k) {
            double sum = 0.0;
            for (int s = self->segment_start[b]; s < self->segment_start[b + 1]; ++s) {
                const packed_segment* segment = &self->segment[s];
                const double* J = segment->J + (size_t)i * (size_t)segment->count;
                const double* Y = segment->Y + (size_t)k * (size_t)segment->count;
                for (int j = 0; j < segment->count; ++j) sum += J[j] * Y[j];
            }
            out_block[i * rows + k] = sum;
        }
    }
}

ts_delassus* ts_delassus_velocity_form(ts_arena* arena, int velocity_count, int block_count, const int* block_row,
                                       const int* segment_start, const ts_delassus_segment* segments) {
    size_t diagonal_total = 0, data_total = 0;
    for (int b = 0; b < block_count; ++b) {
        size_t rows = (size_t)(block_row[b + 1] - block_row[b]);
        diagonal_total += rows * rows;
        for (int s = segment_start[b]; s < segment_start[b + 1]; ++s)
            data_total += rows * (size_t)segments[s].count * (segments[s].Y == segments[s].J ? 1 : 2);
    }
    int segment_count = segment_start[block_count];
    velocity_delassus* self = TS_ARENA_ARRAY(arena, velocity_delassus, 1);
    if (!self) return NULL;
    int* rows_copy = TS_ARENA_ARRAY(arena, int, block_count + 1);
    int* start_copy = TS_ARENA_ARRAY(arena, int, block_count + 1);
    double* data = TS_ARENA_ARRAY(arena, double, data_total);
    self->velocity_count = velocity_count;
    self->V = (double*)ts_arena_alloc_zeroed(arena, (size_t)velocity_count, sizeof(double));
    self->V_apply = TS_ARENA_ARRAY(arena, double, velocity_count);
    self->block = TS_ARENA_ARRAY(arena, packed_block, block_count);
    self->segment = TS_ARENA_ARRAY(arena, packed_segment, segment_count);
    self->diagonal = TS_ARENA_ARRAY(arena, double, diagonal_total);
    self->diagonal_start = TS_ARENA_ARRAY(arena, size_t, block_count);
    if (!rows_copy || !start_copy || !data || !self->V || !self->V_apply || !self->block || !self->segment ||
        !self->diagonal || !self->diagonal_start)
        return NULL;

    memcpy(rows_copy, block_row, ((size_t)block_count + 1) * sizeof(int));
    memcpy(start_copy, segment_start, ((size_t)block_count + 1) * sizeof(int));
    self->base.ops = &velocity_ops;
    self->base.row_count = block_row[block_count];
    self->base.block_count = block_count;
    self->base.block_row = rows_copy;
    self->segment_start = start_copy;
    size_t at = 0;
    for (int b = 0; b < block_count; ++b) {
        data = pack_block(self, b, segment_start, segments, data);
        self->diagonal_start[b] = at;
        fill_diagonal(self, b, self->diagonal + at);
        at += (size_t)self->block[b].rows * (size_t)self->block[b].rows;
    }
    return &self->base;
}

const double* ts_delassus_velocity_change(const ts_delassus* G) {
    return G->ops == &velocity_ops ? ((const velocity_delassus*)G)->V : NULL;
}
