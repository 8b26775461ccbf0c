// Which blocks of the velocity form act on each other, and by how much.
//
// Problem: blocks act on each other where they move a common column, and a solver that wants G itself, or islands, asks for those pairs alone.
// Rule: each column lists the blocks that use it. The neighbours of a block are those of its columns, and their block of G is the sum over common
// columns of J Y^T, one row of blocks after the other. Joining needs no list: a column remembers its first user.
// Source: compressed rows; the sums are those of G = J M^-1 J^T.
// Guarantee: columns ascend within a row of blocks, so every sum has its order from the problem alone.
// Known failure: none; an arena without room, or more numbers than the caller wants, make it return 0.
#include "base/sort.h"
#include "contact/operator/delassus_velocity_internal.h"

// Segment s of block a against segment t of block b: J_s Y_t^T on the columns they share, added to the block at out.
static void add_shared(const ts_delassus_segment* s, const ts_delassus_segment* t, int rows_a, int rows_b, double* out,
                       size_t ld) {
    int first = s->column > t->column ? s->column : t->column;
    int end_s = s->column + s->count, end_t = t->column + t->count;
    int end = end_s < end_t ? end_s : end_t;
    for (int i = 0; i < rows_a && first < end; ++i) {
        const double* J = s->J + (size_t)i * (size_t)s->count - s->column;
        for (int k = 0; k < rows_b; ++k) {
            const double* Y = t->Y + (size_t)k * (size_t)t->count - t->column;
            double sum = 0.0;
            for (int j = first; j < end; ++j) sum += J[j] * Y[j];
            out[(size_t)i * ld + (size_t)k] += sum;
        }
    }
}

static void add_pair(const ts_velocity_form* self, int a, int b, double* out, size_t ld) {
    for (int s = self->segment_start[a]; s < self->segment_start[a + 1]; ++s)
        for (int t = self->segment_start[b]; t < self->segment_start[b + 1]; ++t)
            add_shared(&self->segment[s], &self->segment[t], self->block[a].rows, self->block[b].rows, out, ld);
}

// Which blocks use each column, in compressed rows by column.
typedef struct column_users {
    int* start;  // (velocity_count + 1)
    int* user;   // ascending within a column
    int* stamp;  // (block_count): the last block that was shown this one
} column_users;

static int list_users(const ts_velocity_form* self, ts_arena* arena, column_users* out) {
    int n = self->velocity_count;
    out->start = (int*)ts_arena_alloc_zeroed(arena, (size_t)n + 1, sizeof(int));
    out->stamp = TS_ARENA_ARRAY(arena, int, self->base.block_count);
    int* next = TS_ARENA_ARRAY(arena, int, n);
    if (!out->start || !out->stamp || !next) return 0;
    for (int b = 0; b < self->base.block_count; ++b) {
        out->stamp[b] = -1;
        for (int s = self->segment_start[b]; s < self->segment_start[b + 1]; ++s)
            for (int j = 0; j < self->segment[s].count; ++j) ++out->start[self->segment[s].column + j + 1];
    }
    for (int j = 0; j < n; ++j) {
        out->start[j + 1] += out->start[j];
        next[j] = out->start[j];
    }
    out->user = TS_ARENA_ARRAY(arena, int, out->start[n]);
    if (!out->user) return 0;
    for (int b = 0; b < self->base.block_count; ++b)
        for (int s = self->segment_start[b]; s < self->segment_start[b + 1]; ++s)
            for (int j = 0; j < self->segment[s].count; ++j) out->user[next[self->segment[s].column + j]++] = b;
    return 1;
}

// The blocks that share a column with block a, itself included, in no order; `list` may be NULL to count only.
static int neighbours(const ts_velocity_form* self, column_users* users, int a, int mark, int* list) {
    int count = 0;
    users->stamp[a] = mark;
    if (list) list[count] = a;
    ++count;
    for (int s = self->segment_start[a]; s < self->segment_start[a + 1]; ++s) {
        int first = self->segment[s].column;
        for (int i = users->start[first]; i < users->start[first + self->segment[s].count]; ++i) {
            int b = users->user[i];
            if (users->stamp[b] == mark) continue;
            users->stamp[b] = mark;
            if (list) list[count] = b;
            ++count;
        }
    }
    return count;
}

int ts_velocity_form_blocks(const ts_delassus* base, ts_arena* arena, size_t most, ts_delassus_blocks* out) {
    const ts_velocity_form* self = (const ts_velocity_form*)base;
    int n = base->block_count;
    column_users users;
    int* start = TS_ARENA_ARRAY(arena, int, n + 1);
    if (!start || !list_users(self, arena, &users)) return 0;
    // Three times over: to count entries, to list them, to fill them. Marks of the two walks must differ.
    size_t entries = 0;
    for (int a = 0; a < n; ++a) {
        start[a] = (int)entries;
        entries += (size_t)neighbours(self, &users, a, a, NULL);
        if (entries > most) return 0;
    }
    start[n] = (int)entries;
    int* column = TS_ARENA_ARRAY(arena, int, entries);
    size_t* at = TS_ARENA_ARRAY(arena, size_t, entries);
    if (!column || !at) return 0;
    size_t numbers = 0;
    for (int a = 0; a < n; ++a) {
        int count = neighbours(self, &users, a, n + a, column + start[a]);
        ts_sort_ints(column + start[a], count);
        for (int e = start[a]; e < start[a + 1]; ++e) {
            at[e] = numbers;
            numbers += (size_t)self->block[a].rows * (size_t)self->block[column[e]].rows;
        }
        if (numbers > most) return 0;
    }
    double* value = (double*)ts_arena_alloc_zeroed(arena, numbers, sizeof(double));
    if (!value) return 0;
    for (int a = 0; a < n; ++a)
        for (int e = start[a]; e < start[a + 1]; ++e)
            add_pair(self, a, column[e], value + at[e], (size_t)self->block[column[e]].rows);
    out->start = start;
    out->column = column;
    out->at = at;
    out->value = value;
    return 1;
}

static int has_columns_of(const ts_velocity_block* a, const ts_velocity_block* b) {
    if (a->kernel == TS_VELOCITY_ANY || a->kernel != b->kernel || a->column[0] != b->column[0]) return 0;
    return a->kernel == TS_VELOCITY_ONE || a->column[1] == b->column[1];
}

// Blocks that share a column act on each other. A column remembers the first block that used it, and where a segment
// begins the longest one that has been joined there: the same body again costs one call, not one per column.
void ts_velocity_form_join(const ts_delassus* base, ts_arena* scratch, void (*join)(void* context, int a, int b),
                           void* context) {
    const ts_velocity_form* self = (const ts_velocity_form*)base;
    ts_arena_scope scope = ts_arena_scope_begin(scratch);
    int* first_user = TS_ARENA_ARRAY(scratch, int, self->velocity_count);
    int* joined = (int*)ts_arena_alloc_zeroed(scratch, (size_t)self->velocity_count, sizeof(int));
    int usable = first_user && joined;
    for (int j = 0; usable && j < self->velocity_count; ++j) first_user[j] = -1;
    for (int s = 0, b = 0; usable && b < base->block_count; ++b) {
        // Contacts of a pair of bodies lie together.
        if (b > 0 && has_columns_of(&self->block[b], &self->block[b - 1])) {
            join(context, b - 1, b);
            s = self->segment_start[b + 1];
            continue;
        }
        for (; s < self->segment_start[b + 1]; ++s) {
            int first = self->segment[s].column, count = self->segment[s].count;
            if (count > 0 && joined[first] >= count) {
                join(context, first_user[first], b);
                continue;
            }
            for (int j = first; j < first + count; ++j) {
                if (first_user[j] < 0) first_user[j] = b;
                if (first_user[j] != b) join(context, first_user[j], b);
            }
            if (count > 0) joined[first] = count;
        }
    }
    ts_arena_scope_end(scratch, scope);
}
