// Factors of G + S, S = diag(shift) > 0, for the velocity form.
//
// Problem: a pile has more contact rows than degrees of freedom, and one heavy body couples all its contacts: G by blocks
// is then nearly dense, and what it is made of, G = J Y^T with Y = J M^-1, is not.
// Rule: where rows outnumber columns, through the bodies (Woodbury):
//     (S + J Y^T)^-1 = S^-1 - S^-1 J W^-1 Y^T S^-1,   W = I + Y^T S^-1 J,
// with W block-sparse over groups of at most six columns: two groups meet where a contact has both. Else G is listed by
// blocks of rows. Either way block LU (base/block_lu.h), whose order and pattern are kept when the shift changes.
// Source: Woodbury 1950; Hager 1989.
// Guaranteed: memory is linear in contacts plus the factor of W.
// Known to fail: with a shift far below the stiffness, S^-1 b - S^-1 J y is a difference of large numbers, and digits of
// about the ratio are lost. Rounds of refinement with the operator itself win them back until the ratio nears 1e-14; a
// caller who needs to know looks at the residual.
#include "contact/delassus_factor_internal.h"

#include <math.h>
#include <string.h>

#include "base/block_lu.h"

enum { GROUP = TS_BLOCK_LU_MAX, REFINEMENTS = 2 };

struct ts_velocity_factor {
    int through_bodies;
    ts_block_lu* lu;
    ts_delassus_blocks matrix;  // W, or G: pattern, and for G its numbers
    double* value;              // what is factorised
    size_t numbers;
    double* shift;  // (rows)
    double* right;  // (rows)
    double* asked;  // (rows)
    // through the bodies
    int groups;
    int* group_of;    // (velocity_count) group of a column, or -1
    int* first;       // (groups) first column
    int* size;        // (groups)
    int* place;       // (groups + 1) first row in W
    double* reduced;  // (rows of W)
};

static int by_rows(ts_velocity_factor* f, const ts_velocity_form* form, ts_arena* arena, size_t most) {
    const ts_delassus* G = &form->base;
    int* size = TS_ARENA_ARRAY(arena, int, G->block_count);
    if (!size || !G->ops->blocks(G, arena, most, &f->matrix)) return 0;
    for (int a = 0; a < G->block_count; ++a) {
        size[a] = form->block[a].rows;
        for (int e = f->matrix.start[a]; e < f->matrix.start[a + 1]; ++e)
            f->numbers += (size_t)size[a] * (size_t)form->block[f->matrix.column[e]].rows;
    }
    f->value = TS_ARENA_ARRAY(arena, double, f->numbers);
    f->lu = ts_block_lu_analyse(arena, G->block_count, size, f->matrix.start, f->matrix.column, most);
    return f->value && f->lu;
}

// Cuts the used columns into groups: at both ends of every segment, and after six. Returns 0 when memory is short.
static int make_groups(ts_velocity_factor* f, const ts_velocity_form* form, ts_arena* arena) {
    int n = form->velocity_count, segments = form->segment_start[form->base.block_count];
    f->group_of = TS_ARENA_ARRAY(arena, int, n);
    unsigned char* cut = (unsigned char*)ts_arena_alloc_zeroed(arena, (size_t)n + 1, 1);
    unsigned char* used = (unsigned char*)ts_arena_alloc_zeroed(arena, (size_t)n + 1, 1);
    if (!f->group_of || !cut || !used) return 0;
    for (int s = 0; s < segments; ++s) {
        const ts_delassus_segment* segment = &form->segment[s];
        cut[segment->column] = cut[segment->column + segment->count] = 1;
        memset(used + segment->column, 1, (size_t)segment->count);
    }
    int length = 0;
    for (int j = 0; j < n; ++j) {
        f->group_of[j] = -1;
        if (!used[j]) continue;
        if (j == 0 || cut[j] || !used[j - 1] || length == GROUP) {
            ++f->groups;
            length = 0;
        }
        ++length;
        f->group_of[j] = f->groups - 1;
    }
    f->first = TS_ARENA_ARRAY(arena, int, f->groups);
    f->size = (int*)ts_arena_alloc_zeroed(arena, (size_t)f->groups, sizeof(int));
    f->place = TS_ARENA_ARRAY(arena, int, f->groups + 1);
    if (!f->first || !f->size || !f->place) return 0;
    for (int j = n - 1; j >= 0; --j) {
        if (f->group_of[j] < 0) continue;
        f->first[f->group_of[j]] = j;
        ++f->size[f->group_of[j]];
    }
    f->place[0] = 0;
    for (int g = 0; g < f->groups; ++g) f->place[g + 1] = f->place[g] + f->size[g];
    return 1;
}

static void sort_ascending(int* value, int count) {
    for (int gap = count / 2; gap > 0; gap /= 2) {
        for (int i = gap; i < count; ++i) {
            int v = value[i], j = i;
            for (; j >= gap && value[j - gap] > v; j -= gap) value[j] = value[j - gap];
            value[j] = v;
        }
    }
}

// The groups of block b, in any order.
static int groups_of_block(const ts_velocity_factor* f, const ts_velocity_form* form, int b, int* out_group, int most) {
    int count = 0;
    for (int s = form->segment_start[b]; s < form->segment_start[b + 1]; ++s) {
        const ts_delassus_segment* segment = &form->segment[s];
        for (int j = 0; j < segment->count && count < most;) {
            int g = f->group_of[segment->column + j];
            out_group[count++] = g;
            j += f->size[g];
        }
    }
    return count;
}

// The pattern of W in compressed rows: which blocks use a group, and which groups those use.
static int make_pattern(ts_velocity_factor* f, const ts_velocity_form* form, ts_arena* arena) {
    int blocks = form->base.block_count, groups = f->groups, total = 0;
    int* user_start = (int*)ts_arena_alloc_zeroed(arena, (size_t)groups + 1, sizeof(int));
    int* start = TS_ARENA_ARRAY(arena, int, groups + 1);
    int* mark = TS_ARENA_ARRAY(arena, int, groups);
    int* group = TS_ARENA_ARRAY(arena, int, groups);
    if (!user_start || !start || !mark || !group) return 0;
    for (int b = 0; b < blocks; ++b) {
        int count = groups_of_block(f, form, b, group, groups);
        for (int k = 0; k < count; ++k) ++user_start[group[k] + 1];
        total += count;
    }
    for (int g = 0; g < groups; ++g) {
        user_start[g + 1] += user_start[g];
        mark[g] = -1;
    }
    int* user = TS_ARENA_ARRAY(arena, int, total);
    int* next = TS_ARENA_ARRAY(arena, int, groups);
    if (!user || !next) return 0;
    memcpy(next, user_start, (size_t)groups * sizeof(int));
    for (int b = 0; b < blocks; ++b) {
        int count = groups_of_block(f, form, b, group, groups);
        for (int k = 0; k < count; ++k) user[next[group[k]]++] = b;
    }
    // Twice over: to count, and to list.
    int* column = NULL;
    for (int pass = 0; pass < 2; ++pass) {
        size_t entries = 0;
        for (int g = 0; g < groups; ++g) {
            int stamp = pass * groups + g;
            size_t row = entries;
            start[g] = (int)entries;
            for (int u = user_start[g]; u < user_start[g + 1]; ++u) {
                int count = groups_of_block(f, form, user[u], group, groups);
                for (int k = 0; k < count; ++k) {
                    if (mark[group[k]] == stamp) continue;
                    mark[group[k]] = stamp;
                    if (pass == 1) column[entries] = group[k];
                    ++entries;
                }
            }
            if (pass == 1) sort_ascending(column + row, (int)(entries - row));
        }
        start[groups] = (int)entries;
        if (pass == 0) column = TS_ARENA_ARRAY(arena, int, entries);
        if (!column) return 0;
    }
    size_t* at = TS_ARENA_ARRAY(arena, size_t, start[groups]);
    if (!at) return 0;
    for (int g = 0; g < groups; ++g)
        for (int e = start[g]; e < start[g + 1]; ++e) {
            at[e] = f->numbers;
            f->numbers += (size_t)f->size[g] * (size_t)f->size[column[e]];
        }
    f->matrix.start = start;
    f->matrix.column = column;
    f->matrix.at = at;
    f->matrix.value = NULL;
    return 1;
}

static int by_bodies(ts_velocity_factor* f, ts_velocity_form* form, ts_arena* arena, size_t most) {
    if (!make_groups(f, form, arena) || !make_pattern(f, form, arena)) return 0;
    f->through_bodies = 1;
    f->value = TS_ARENA_ARRAY(arena, double, f->numbers);
    f->reduced = TS_ARENA_ARRAY(arena, double, f->place[f->groups]);
    f->lu = ts_block_lu_analyse(arena, f->groups, f->size, f->matrix.start, f->matrix.column, most);
    return f->value && f->reduced && f->lu;
}

ts_velocity_factor* ts_velocity_factor_make(ts_velocity_form* form, ts_arena* arena, size_t most) {
    ts_velocity_factor* f = (ts_velocity_factor*)ts_arena_alloc_zeroed(arena, 1, sizeof(*f));
    int rows = form->base.row_count;
    if (!f) return NULL;
    f->shift = TS_ARENA_ARRAY(arena, double, rows);
    f->right = TS_ARENA_ARRAY(arena, double, rows);
    f->asked = TS_ARENA_ARRAY(arena, double, rows);
    if (!f->shift || !f->right || !f->asked) return NULL;
    int done = rows > form->velocity_count ? by_bodies(f, form, arena, most) : by_rows(f, form, arena, most);
    return done ? f : NULL;
}

static double* entry_of(ts_velocity_factor* f, int g, int h) {
    int low = f->matrix.start[g], high = f->matrix.start[g + 1] - 1;
    while (low < high) {
        int middle = low + (high - low) / 2;
        if (f->matrix.column[middle] < h)
            low = middle + 1;
        else
            high = middle;
    }
    return f->value + f->matrix.at[low];
}

// W += Y_s^T S^-1 J_t for one pair of segments of a block.
static void add_segments(ts_velocity_factor* f, const ts_delassus_segment* s, const ts_delassus_segment* t, int rows,
                         const double* shift) {
    for (int i = 0, g; i < s->count; i += f->size[g]) {
        g = f->group_of[s->column + i];
        for (int k = 0, h; k < t->count; k += f->size[h]) {
            h = f->group_of[t->column + k];
            double* W = entry_of(f, g, h);
            for (int r = 0; r < rows; ++r) {
                const double* Y = s->Y + (size_t)r * (size_t)s->count + i;
                const double* J = t->J + (size_t)r * (size_t)t->count + k;
                double weight = 1.0 / shift[r];
                for (int a = 0; a < f->size[g]; ++a)
                    for (int c = 0; c < f->size[h]; ++c) W[a * f->size[h] + c] += weight * Y[a] * J[c];
            }
        }
    }
}

ts_code ts_velocity_factor_update(ts_velocity_factor* f, ts_velocity_form* form, const double* shift) {
    const int* row = form->base.block_row;
    memcpy(f->shift, shift, (size_t)form->base.row_count * sizeof(double));
    if (f->through_bodies) {
        memset(f->value, 0, f->numbers * sizeof(double));
        for (int g = 0; g < f->groups; ++g) {
            double* D = entry_of(f, g, g);
            for (int a = 0; a < f->size[g]; ++a) D[a * f->size[g] + a] = 1.0;
        }
        for (int b = 0; b < form->base.block_count; ++b)
            for (int s = form->segment_start[b]; s < form->segment_start[b + 1]; ++s)
                for (int t = form->segment_start[b]; t < form->segment_start[b + 1]; ++t)
                    add_segments(f, &form->segment[s], &form->segment[t], form->block[b].rows, shift + row[b]);
    } else {
        memcpy(f->value, f->matrix.value, f->numbers * sizeof(double));
        for (int b = 0; b < form->base.block_count; ++b) {
            double* D = entry_of(f, b, b);
            for (int r = 0; r < form->block[b].rows; ++r) D[r * form->block[b].rows + r] += shift[row[b] + r];
        }
    }
    int good = ts_block_lu_factor(f->lu, f->matrix.start, f->matrix.column, f->matrix.at, f->value);
    return good ? TS_OK : TS_ERROR_NUMERIC;
}

// x = (G + S)^-1 x, once.
static void solve_once(ts_velocity_factor* f, const ts_velocity_form* form, double* x) {
    const int* row = form->base.block_row;
    if (!f->through_bodies) {
        ts_block_lu_solve(f->lu, x);
        return;
    }
    for (int i = 0; i < form->base.row_count; ++i) x[i] /= f->shift[i];
    memset(f->reduced, 0, (size_t)f->place[f->groups] * sizeof(double));
    // `reduced` holds used columns only, group by group, which is the order of the columns themselves.
    for (int pass = 0; pass < 2; ++pass) {
        for (int b = 0; b < form->base.block_count; ++b)
            for (int s = form->segment_start[b]; s < form->segment_start[b + 1]; ++s) {
                const ts_delassus_segment* segment = &form->segment[s];
                int g = f->group_of[segment->column];
                double* y = f->reduced + f->place[g] + (segment->column - f->first[g]);
                for (int r = 0; r < form->block[b].rows; ++r) {
                    const double* side = (pass == 0 ? segment->Y : segment->J) + (size_t)r * (size_t)segment->count;
                    double sum = 0.0, own = x[row[b] + r];
                    for (int j = 0; j < segment->count && pass == 0; ++j) y[j] += side[j] * own;
                    for (int j = 0; j < segment->count && pass == 1; ++j) sum += side[j] * y[j];
                    if (pass == 1) x[row[b] + r] = own - sum / f->shift[row[b] + r];
                }
            }
        if (pass == 0) ts_block_lu_solve(f->lu, f->reduced);
    }
}

void ts_velocity_factor_solve(ts_velocity_factor* f, ts_velocity_form* form, double* x) {
    int n = form->base.row_count;
    double* b = f->asked;
    memcpy(b, x, (size_t)n * sizeof(double));
    solve_once(f, form, x);
    for (int k = 0; k < REFINEMENTS && f->through_bodies; ++k) {
        form->base.ops->apply(&form->base, x, f->right);
        for (int i = 0; i < n; ++i) f->right[i] = b[i] - (f->right[i] + f->shift[i] * x[i]);
        solve_once(f, form, f->right);
        for (int i = 0; i < n; ++i) x[i] += f->right[i];
    }
}
