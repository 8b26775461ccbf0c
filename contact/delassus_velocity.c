// The Delassus operator in velocity form, for piles.
//
// Problem: row blocks of G lambda for a G that is never formed. With V = M^-1 J^T lambda kept up to date, block b of
// G lambda is J_b V, and a change d of lambda_b costs V += Y_b^T d with the cached Y_b = (M^-1 J_b^T)^T. A block
// between two free bodies touches two runs of six columns, so both cost 36 multiply-adds whatever the size of the pile.
// Source: the classical sequential-impulse form of projected Gauss-Seidel (docs/contact.md).
//
// A sweep over a large pile is bound by memory, so the segments lie in one buffer in block order: J then Y of a block side
// by side and the next block behind them. Where the caller gives the same array for J and Y (coordinates in which M is
// the identity), it is stored once and the traffic halves.
// V drifts by rounding in a long solve; `set_impulse` computes it afresh.
#include <string.h>

#include "contact/delassus_velocity_internal.h"

static void read_block(const ts_velocity_form* self, int b, const double* V, double* out_velocity) {
    const ts_velocity_block* block = &self->block[b];
    if (block->kernel != TS_VELOCITY_ANY) {
        ts_velocity_read_six(block, V, out_velocity);
        return;
    }
    for (int r = 0; r < block->rows; ++r) {
        double sum = 0.0;
        for (int s = self->segment_start[b]; s < self->segment_start[b + 1]; ++s) {
            const ts_delassus_segment* segment = &self->segment[s];
            const double* row = segment->J + (size_t)r * (size_t)segment->count;
            for (int j = 0; j < segment->count; ++j) sum += row[j] * V[segment->column + j];
        }
        out_velocity[r] = sum;
    }
}

static void change_block(const ts_velocity_form* self, int b, const double* delta, double* V) {
    const ts_velocity_block* block = &self->block[b];
    if (block->kernel != TS_VELOCITY_ANY) {
        ts_velocity_change_six(block, delta[0], delta[1], delta[2], V);
        return;
    }
    for (int s = self->segment_start[b]; s < self->segment_start[b + 1]; ++s) {
        const ts_delassus_segment* segment = &self->segment[s];
        double* target = V + segment->column;
        const double* Y = segment->Y;
        for (int r = 0; r < block->rows; ++r, Y += segment->count) {
            double d = delta[r];
            if (d == 0.0) continue;
            for (int j = 0; j < segment->count; ++j) target[j] += d * Y[j];
        }
    }
}

static void load_impulse(const ts_velocity_form* self, const double* impulse, double* V) {
    memset(V, 0, (size_t)self->velocity_count * sizeof(double));
    for (int b = 0; b < self->base.block_count; ++b) change_block(self, b, impulse + self->base.block_row[b], V);
}

static void set_impulse(ts_delassus* base, const double* impulse) {
    ts_velocity_form* self = (ts_velocity_form*)base;
    load_impulse(self, impulse, self->V);
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

// Fills block b's entry from its segments. The six-column kernels want the second segment's rows right behind the first's.
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

// G_bb = sum over the block's segments of J Y^T; they do not overlap, so no cross terms. Symmetric, as M is.
static void fill_diagonal(const ts_velocity_form* self, int b, double* out_block) {
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
    int rows = block->rows;
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

ts_delassus* ts_delassus_velocity_form_borrow(ts_arena* arena, int velocity_count, int block_count,
                                              const int* block_row, const int* segment_start,
                                              const ts_delassus_segment* segments) {
    size_t diagonal_total = 0;
    for (int b = 0; b < block_count; ++b) {
        size_t rows = (size_t)(block_row[b + 1] - block_row[b]);
        diagonal_total += rows * rows;
    }
    ts_velocity_form* self = TS_ARENA_ARRAY(arena, ts_velocity_form, 1);
    if (!self) return NULL;
    self->velocity_count = velocity_count;
    self->V = (double*)ts_arena_alloc_zeroed(arena, (size_t)velocity_count, sizeof(double));
    self->V_apply = TS_ARENA_ARRAY(arena, double, velocity_count);
    self->block = TS_ARENA_ARRAY(arena, ts_velocity_block, block_count);
    self->diagonal = TS_ARENA_ARRAY(arena, double, diagonal_total);
    self->diagonal_start = TS_ARENA_ARRAY(arena, size_t, block_count);
    if (!self->V || !self->V_apply || !self->block || !self->diagonal || !self->diagonal_start) return NULL;
    self->base.ops = &velocity_ops;
    self->base.row_count = block_row[block_count];
    self->base.block_count = block_count;
    self->base.block_row = block_row;
    self->segment = segments;
    self->segment_start = segment_start;
    size_t at = 0;
    for (int b = 0; b < block_count; ++b) {
        place_block(self, b);
        self->diagonal_start[b] = at;
        fill_diagonal(self, b, self->diagonal + at);
        at += (size_t)self->block[b].rows * (size_t)self->block[b].rows;
    }
    return &self->base;
}

// Copies the rows in the order in which a sweep reads them: all J of a block, then all its Y unless they are the same.
static void copy_rows(const int* block_row, int block_count, const int* segment_start,
                      const ts_delassus_segment* segments, double* data, ts_delassus_segment* out_segments) {
    for (int b = 0; b < block_count; ++b) {
        size_t rows = (size_t)(block_row[b + 1] - block_row[b]);
        for (int pass = 0; pass < 2; ++pass) {
            for (int s = segment_start[b]; s < segment_start[b + 1]; ++s) {
                size_t size = rows * (size_t)segments[s].count;
                if (pass == 0) out_segments[s] = segments[s];
                if (pass == 1 && segments[s].Y == segments[s].J) {
                    out_segments[s].Y = out_segments[s].J;
                    continue;
                }
                memcpy(data, pass == 0 ? segments[s].J : segments[s].Y, size * sizeof(double));
                if (pass == 0)
                    out_segments[s].J = data;
                else
                    out_segments[s].Y = data;
                data += size;
            }
        }
    }
}

ts_delassus* ts_delassus_velocity_form(ts_arena* arena, int velocity_count, int block_count, const int* block_row,
                                       const int* segment_start, const ts_delassus_segment* segments) {
    size_t data_total = 0, starts = ((size_t)block_count + 1) * sizeof(int);
    for (int b = 0; b < block_count; ++b) {
        size_t rows = (size_t)(block_row[b + 1] - block_row[b]);
        for (int s = segment_start[b]; s < segment_start[b + 1]; ++s)
            data_total += rows * (size_t)segments[s].count * (segments[s].Y == segments[s].J ? 1 : 2);
    }
    int* rows_copy = (int*)ts_arena_alloc(arena, starts);
    int* start_copy = (int*)ts_arena_alloc(arena, starts);
    double* data = TS_ARENA_ARRAY(arena, double, data_total);
    ts_delassus_segment* segments_copy = TS_ARENA_ARRAY(arena, ts_delassus_segment, segment_start[block_count]);
    if (!rows_copy || !start_copy || !data || !segments_copy) return NULL;
    memcpy(rows_copy, block_row, starts);
    memcpy(start_copy, segment_start, starts);
    copy_rows(block_row, block_count, segment_start, segments, data, segments_copy);
    return ts_delassus_velocity_form_borrow(arena, velocity_count, block_count, rows_copy, start_copy, segments_copy);
}

ts_velocity_form* ts_velocity_form_of(ts_delassus* G) { return G->ops == &velocity_ops ? (ts_velocity_form*)G : NULL; }

const double* ts_delassus_velocity_change(const ts_delassus* G) {
    return G->ops == &velocity_ops ? ((const ts_velocity_form*)G)->V : NULL;
}
