// From a recorded matrix, entry by entry, to blocks, and back.
//
// Problem: a file lists single numbers of W by columns, by rows or in any order; solvers want 3 x 3 blocks, compressed by
// rows, with a symmetric pattern. And a file may hold anything. Rule: list the pairs of contacts that entries couple, and
// their mirror images and the diagonal; sort them in two stable passes of counting; strike doubles; then put every number
// in its block. All passes are linear in the entries, and W never exists densely.
// Checked on the way: indices, doubles, finite numbers, friction, symmetry to symmetry_limit, the sign of the diagonal.
// Recorded matrices come out of single precision and of iterations: errors of 1e-3 of their norm are normal, and so are
// slightly negative eigenvalues. What is far from symmetric is no Delassus matrix of anything.
#include "contact/file/fclib.h"

#include <limits.h>
#include <math.h>
#include <stdint.h>
#include <string.h>

#include "contact/operator/delassus_block.h"
#include "contact/file/fclib_internal.h"

// |W - W^T| / |W| from where on a file is refused. Recorded problems are known up to 1e-3.
static const double symmetry_limit = 1e-2;
// A diagonal entry this far below zero, relative to the largest number of its row, is no rounding.
static const double diagonal_limit = 1e-6;
// Numbers in the largest matrix that is written (2 GiB).
enum { WRITE_MOST = 1 << 28 };

#define W_PATH "/fclib_local/W"

// Place of a file's component (normal, tangent 1, tangent 2) among ours. A cyclic shift, so frames stay right-handed.
static int place_of(int component) { return (component + 2) % 3; }

static ts_code refuse(ts_status* out_status, const char* path, const char* dataset, const char* what) {
    return ts_status_set(out_status, TS_ERROR_VALUE, path, 0, "%s: %s", dataset, what);
}

static ts_code no_memory(ts_status* out_status, const char* path) {
    return ts_status_set(out_status, TS_ERROR_MEMORY, path, 0, "out of memory");
}

// --- entries -----------------------------------------------------------------------------------------------------------

// Walks over the entries in the order of the file. Zero-initialise but for `raw`.
typedef struct walk {
    const ts_fclib_raw* raw;
    int line;  // the present column or row of a compressed form
    int next;  // entry
} walk;

// The next entry; 0 at the end. Indices must have been checked.
static int next_entry(walk* w, int* row, int* column, double* value) {
    const ts_fclib_raw* raw = w->raw;
    int form = raw->form, count = form >= 0 ? form : raw->p[raw->rows];
    if (w->next >= count) return 0;
    int e = w->next++;
    *value = raw->x[e];
    if (form >= 0) {
        *row = raw->p[e];
        *column = raw->i[e];
        return 1;
    }
    while (e >= raw->p[w->line + 1]) ++w->line;
    *row = form == TS_FCLIB_COLUMNS ? raw->i[e] : w->line;
    *column = form == TS_FCLIB_COLUMNS ? w->line : raw->i[e];
    return 1;
}

static ts_code out_of_range(ts_status* out_status, const char* path, const char* dataset, int at, int value, int most) {
    return ts_status_set(out_status, TS_ERROR_VALUE, path, 0, W_PATH "/%s: entry %d is %d, not between 0 and %d",
                         dataset, at, value, most);
}

static ts_code check_indices(const ts_fclib_raw* raw, const char* path, ts_status* out_status) {
    int count = raw->form, most = raw->rows - 1;
    if (raw->form < 0) {
        for (int c = 0; c <= raw->rows; ++c) {
            int low = c > 0 ? raw->p[c - 1] : 0, high = c > 0 ? raw->entries : 0;
            if (raw->p[c] < low || raw->p[c] > high)
                return ts_status_set(out_status, TS_ERROR_VALUE, path, 0,
                                     W_PATH "/p: entry %d is %d, not between %d and %d", c, raw->p[c], low, high);
        }
        count = raw->p[raw->rows];
    }
    for (int e = 0; e < count; ++e) {
        if (raw->form >= 0 && (raw->p[e] < 0 || raw->p[e] > most))
            return out_of_range(out_status, path, "p", e, raw->p[e], most);
        if (raw->i[e] < 0 || raw->i[e] > most) return out_of_range(out_status, path, "i", e, raw->i[e], most);
        if (!isfinite(raw->x[e]))
            return ts_status_set(out_status, TS_ERROR_VALUE, path, 0, W_PATH "/x: entry %d is %g", e, raw->x[e]);
    }
    return TS_OK;
}

static ts_code check_vectors(const ts_fclib_raw* raw, const char* path, ts_status* out_status) {
    for (int i = 0; i < raw->rows; ++i)
        if (!isfinite(raw->q[i]))
            return ts_status_set(out_status, TS_ERROR_VALUE, path, 0, "/fclib_local/vectors/q: entry %d is %g", i,
                                 raw->q[i]);
    for (int c = 0; c < raw->contacts; ++c)
        if (!isfinite(raw->mu[c]) || raw->mu[c] < 0.0)
            return ts_status_set(out_status, TS_ERROR_VALUE, path, 0,
                                 "/fclib_local/vectors/mu: friction must be finite and not negative; contact %d has %g",
                                 c, raw->mu[c]);
    return TS_OK;
}

// --- the pattern -------------------------------------------------------------------------------------------------------

typedef struct pairs {
    int* row;
    int* column;
    size_t count;
} pairs;

static void add_pair(pairs* list, int row, int column) {
    list->row[list->count] = row;
    list->column[list->count++] = column;
}

// Pairs of contacts that any entry couples, both ways, and the diagonal; doubles are left in, but for those next to each
// other, which are most. With NULL arrays they are only counted.
static void list_pairs(const ts_fclib_raw* raw, pairs* list) {
    walk w = {raw, 0, 0};
    int row, column, last_row = -1, last_column = -1;
    double value;
    list->count = 0;
    while (next_entry(&w, &row, &column, &value)) {
        row /= 3;
        column /= 3;
        if (row == column || (row == last_row && column == last_column)) continue;
        last_row = row;
        last_column = column;
        if (list->row) {
            add_pair(list, row, column);
            add_pair(list, column, row);
        } else {
            list->count += 2;
        }
    }
    for (int c = 0; c < raw->contacts && list->row; ++c) add_pair(list, c, c);
    if (!list->row) list->count += (size_t)raw->contacts;
}

// One stable pass of counting: `from` by key into `to`. `start` has contacts + 1 places.
static void sort_by(const pairs* from, const int* key, int contacts, size_t* start, pairs* to) {
    memset(start, 0, ((size_t)contacts + 1) * sizeof *start);
    for (size_t k = 0; k < from->count; ++k) ++start[key[k] + 1];
    for (int c = 0; c < contacts; ++c) start[c + 1] += start[c];
    to->count = from->count;
    for (size_t k = 0; k < from->count; ++k) {
        size_t at = start[key[k]]++;
        to->row[at] = from->row[k];
        to->column[at] = from->column[k];
    }
}

static int allocate_pairs(ts_arena* arena, size_t count, pairs* out) {
    out->row = TS_ARENA_ARRAY(arena, int, count);
    out->column = TS_ARENA_ARRAY(arena, int, count);
    return out->row && out->column;
}

// What is being built: the same arrays as ts_delassus_blocks, writable.
typedef struct matrix {
    int* start;
    int* column;
    size_t* at;
    double* value;
} matrix;

// The pattern, compressed by rows; values zero. Scratch is given back. 0 when memory is short.
static int make_pattern(const ts_fclib_raw* raw, ts_arena* arena, ts_arena* scratch, matrix* out) {
    ts_arena_scope scope = ts_arena_scope_begin(scratch);
    pairs first = {NULL, NULL, 0}, second = {NULL, NULL, 0};
    list_pairs(raw, &first);
    size_t most = first.count, entries = 0;
    size_t* count = TS_ARENA_ARRAY(scratch, size_t, (size_t)raw->contacts + 1);
    int ok = count && allocate_pairs(scratch, most, &first) && allocate_pairs(scratch, most, &second);
    if (ok) {
        list_pairs(raw, &first);
        sort_by(&first, first.column, raw->contacts, count, &second);
        sort_by(&second, second.row, raw->contacts, count, &first);
        for (size_t k = 0; k < first.count; ++k)
            if (k == 0 || first.row[k] != first.row[k - 1] || first.column[k] != first.column[k - 1]) {
                first.row[entries] = first.row[k];
                first.column[entries++] = first.column[k];
            }
        ok = entries <= INT_MAX;
    }
    out->start = (int*)ts_arena_alloc_zeroed(arena, (size_t)raw->contacts + 1, sizeof(int));
    out->column = ok ? TS_ARENA_ARRAY(arena, int, entries) : NULL;
    out->at = ok ? TS_ARENA_ARRAY(arena, size_t, entries) : NULL;
    out->value = ok ? (double*)ts_arena_alloc_zeroed(arena, 9 * entries, sizeof(double)) : NULL;
    ok = out->start && out->column && out->at && out->value;
    for (size_t k = 0; k < entries && ok; ++k) {
        ++out->start[first.row[k] + 1];
        out->column[k] = first.column[k];
        out->at[k] = 9 * k;
    }
    for (int c = 0; c < raw->contacts && ok; ++c) out->start[c + 1] += out->start[c];
    ts_arena_scope_end(scratch, scope);
    return ok;
}

static int find_block(const matrix* W, int a, int b) {
    int low = W->start[a], high = W->start[a + 1] - 1;
    while (low < high) {
        int middle = low + (high - low) / 2;
        if (W->column[middle] < b)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

// Puts the numbers in their blocks, our order of components. In a compressed form no place may come twice.
static ts_code fill(const ts_fclib_raw* raw, const char* path, ts_arena* scratch, matrix* W, ts_status* out_status) {
    walk w = {raw, 0, 0};
    int row, column, block = 0, block_row = -1, block_column = -1;
    double value;
    size_t places = 9 * (size_t)W->start[raw->contacts];
    unsigned char* seen = (unsigned char*)ts_arena_alloc_zeroed(scratch, places, 1);
    if (!seen) return no_memory(out_status, path);
    while (next_entry(&w, &row, &column, &value)) {
        if (row / 3 != block_row || column / 3 != block_column) {
            block_row = row / 3;
            block_column = column / 3;
            block = find_block(W, block_row, block_column);
        }
        size_t at = W->at[block] + (size_t)(3 * place_of(row % 3) + place_of(column % 3));
        if (seen[at] && raw->form < 0)
            return ts_status_set(out_status, TS_ERROR_VALUE, path, 0,
                                 W_PATH "/i: the entry in row %d, column %d is stored twice", row, column);
        seen[at] = 1;
        W->value[at] += value;
        if (!isfinite(W->value[at]))
            return ts_status_set(out_status, TS_ERROR_VALUE, path, 0,
                                 W_PATH "/x: the entries in row %d, column %d do not sum to a finite number", row,
                                 column);
    }
    return TS_OK;
}

// --- the numbers -------------------------------------------------------------------------------------------------------

// |W - W^T| / |W|, each number relative to the largest, so that no square overflows.
static double asymmetry_of(const matrix* W, int contacts, double largest) {
    double difference = 0.0, sum = 0.0;
    for (int a = 0; a < contacts && largest > 0.0; ++a)
        for (int e = W->start[a]; e < W->start[a + 1]; ++e) {
            const double* A = W->value + W->at[e];
            const double* B = W->value + W->at[find_block(W, W->column[e], a)];
            for (int r = 0; r < 3; ++r)
                for (int c = 0; c < 3; ++c) {
                    double x = A[3 * r + c] / largest, d = x - B[3 * c + r] / largest;
                    sum += x * x;
                    difference += d * d;
                }
        }
    return sum > 0.0 ? sqrt(difference / sum) : 0.0;
}

static ts_code check_matrix(const matrix* W, int contacts, const char* path, double* out_asymmetry,
                            ts_status* out_status) {
    double largest = 0.0;
    for (int a = 0; a < contacts; ++a) {
        double row_largest[3] = {0.0, 0.0, 0.0};
        const double* D = NULL;
        for (int e = W->start[a]; e < W->start[a + 1]; ++e) {
            // fill() fails where it has not written `at`.
            // NOLINTNEXTLINE(clang-analyzer-core.NullDereference)
            const double* A = W->value + W->at[e];
            if (W->column[e] == a) D = A;
            for (int k = 0; k < 9; ++k) row_largest[k / 3] = fmax(row_largest[k / 3], fabs(A[k]));
        }
        for (int r = 0; r < 3; ++r) {
            largest = fmax(largest, row_largest[r]);
            if (D && D[4 * r] < -diagonal_limit * row_largest[r])
                return ts_status_set(out_status, TS_ERROR_VALUE, path, 0,
                                     W_PATH ": the diagonal of a Delassus matrix is not negative; row %d has %g",
                                     3 * a + (r + 1) % 3, D[4 * r]);
        }
    }
    *out_asymmetry = asymmetry_of(W, contacts, largest);
    if (*out_asymmetry > symmetry_limit)
        return ts_status_set(out_status, TS_ERROR_VALUE, path, 0,
                             W_PATH ": the matrix is far from symmetric: |W - W^T| is %.3g of |W|, more than %g",
                             *out_asymmetry, symmetry_limit);
    return TS_OK;
}

// --- reading -----------------------------------------------------------------------------------------------------------

static ts_code build_problem(const ts_fclib_raw* raw, const char* path, const matrix* W, ts_fclib_problem* out,
                             ts_status* out_status) {
    ts_arena* arena = &out->arena;
    int contacts = raw->contacts;
    ts_block* block = TS_ARENA_ARRAY(arena, ts_block, contacts);
    int* block_row = TS_ARENA_ARRAY(arena, int, contacts + 1);
    double* g = TS_ARENA_ARRAY(arena, double, raw->rows);
    if (!block || !block_row || !g) return no_memory(out_status, path);
    for (int c = 0; c < contacts; ++c) {
        ts_block cone = {TS_SET_CONE, 3 * c, 3, raw->mu[c], 0.0, 0.0};
        block[c] = cone;
        block_row[c] = 3 * c;
        for (int r = 0; r < 3; ++r) g[3 * c + place_of(r)] = raw->q[3 * c + r];
    }
    block_row[contacts] = raw->rows;
    ts_delassus_blocks blocks = {W->start, W->column, W->at, W->value};
    out->problem.block_count = contacts;
    out->problem.row_count = raw->rows;
    out->problem.block = block;
    out->problem.g = g;
    out->problem.time_step = 1.0;
    out->problem.delassus = ts_delassus_block_sparse(arena, contacts, block_row, &blocks);
    return out->problem.delassus ? ts_status_ok(out_status) : no_memory(out_status, path);
}

static ts_code read_into(const char* path, ts_arena* scratch, ts_fclib_problem* out, ts_status* out_status) {
    ts_fclib_raw raw;
    matrix W;
    ts_code code = ts_fclib_load(path, scratch, &raw, out_status);
    if (!code) code = check_indices(&raw, path, out_status);
    if (!code) code = check_vectors(&raw, path, out_status);
    if (!code && !make_pattern(&raw, &out->arena, scratch, &W)) code = no_memory(out_status, path);
    if (!code) code = fill(&raw, path, scratch, &W, out_status);
    if (!code) code = check_matrix(&W, raw.contacts, path, &out->asymmetry, out_status);
    if (!code) code = build_problem(&raw, path, &W, out, out_status);
    return code;
}

ts_code ts_fclib_read(const char* path, ts_fclib_problem* out_problem, ts_status* out_status) {
    memset(out_problem, 0, sizeof *out_problem);
    ts_arena scratch;
    memset(&scratch, 0, sizeof scratch);
    ts_code code = read_into(path, &scratch, out_problem, out_status);
    ts_arena_free(&scratch);
    if (code) ts_fclib_free(out_problem);
    return code;
}

void ts_fclib_free(ts_fclib_problem* problem) {
    ts_arena_free(&problem->arena);
    memset(problem, 0, sizeof *problem);
}

// --- writing -----------------------------------------------------------------------------------------------------------

static ts_code check_writable(const char* path, const ts_contact_problem* problem, ts_status* out_status) {
    static const char* const set_name[] = {"a cone", "a half-line", "a box", "a free block"};
    if (problem->block_count == 0) return refuse(out_status, path, "the problem", "there are no contacts to write");
    for (int b = 0; b < problem->block_count; ++b) {
        const ts_block* block = &problem->block[b];
        if (block->set == TS_SET_CONE && block->rows == 3) {
            if (isfinite(block->mu) && block->mu >= 0.0) continue;
            return ts_status_set(out_status, TS_ERROR_VALUE, path, 0, "block %d: friction %g", b, block->mu);
        }
        return ts_status_set(
            out_status, TS_ERROR_UNSUPPORTED, path, 0,
            "block %d of %d is %s of %d rows; the local form of FCLIB knows only frictional contacts "
            "of 3 rows (a joint limit, a frictionless contact or dry joint friction cannot be written)",
            b, problem->block_count, set_name[block->set], block->rows);
    }
    if (!(problem->delassus->ops->abilities & TS_DELASSUS_BLOCKS))
        return ts_status_set(out_status, TS_ERROR_UNSUPPORTED, path, 0, "the operator '%s' cannot list its blocks",
                             problem->delassus->ops->name);
    return TS_OK;
}

// The entry of W = G + R of block e in row a, our order of components.
static double entry_of(const ts_contact_problem* problem, const ts_delassus_blocks* G, int a, int e, int r, int c) {
    double value = G->value[G->at[e] + (size_t)(3 * r + c)];
    if (problem->R && G->column[e] == a && r == c) value += problem->R[3 * a + r];
    return value;
}

// Zeros are left out, but never from the diagonal: no column shall be empty.
static int is_written(double value, int row, int column) { return value != 0.0 || row == column; }

// Counts (raw->i NULL) or writes the entries by columns: rows come ascending, so columns fill in order.
static void scatter(const ts_contact_problem* problem, const ts_delassus_blocks* G, int* next, ts_fclib_raw* raw) {
    for (int a = 0; a < problem->block_count; ++a)
        for (int k = 0; k < 3; ++k)
            for (int e = G->start[a]; e < G->start[a + 1]; ++e)
                for (int m = 0; m < 3; ++m) {
                    double value = entry_of(problem, G, a, e, place_of(k), place_of(m));
                    int row = 3 * a + k, column = 3 * G->column[e] + m;
                    if (!is_written(value, row, column)) continue;
                    int at = next[column]++;
                    if (!raw->i) continue;
                    raw->i[at] = row;
                    raw->x[at] = value;
                }
}

static ts_code make_columns(const char* path, const ts_contact_problem* problem, ts_arena* arena, ts_fclib_raw* raw,
                            ts_status* out_status) {
    ts_delassus_blocks G;
    int rows = problem->row_count;
    if (!problem->delassus->ops->blocks(problem->delassus, arena, WRITE_MOST, &G)) {
        if (arena->failed) return no_memory(out_status, path);
        return refuse(out_status, path, "the problem", "its matrix is too large to be listed");
    }
    int* next = (int*)ts_arena_alloc_zeroed(arena, (size_t)rows + 1, sizeof(int));
    raw->p = (int*)ts_arena_alloc_zeroed(arena, (size_t)rows + 1, sizeof(int));
    if (!next || !raw->p) return no_memory(out_status, path);
    scatter(problem, &G, next, raw);
    for (int c = 0; c < rows; ++c) {
        raw->p[c + 1] = raw->p[c] + next[c];
        next[c] = raw->p[c];
    }
    raw->entries = raw->p[rows];
    raw->i = TS_ARENA_ARRAY(arena, int, raw->entries);
    raw->x = TS_ARENA_ARRAY(arena, double, raw->entries);
    if (!raw->i || !raw->x) return no_memory(out_status, path);
    scatter(problem, &G, next, raw);
    for (int e = 0; e < raw->entries; ++e)
        if (!isfinite(raw->x[e])) return refuse(out_status, path, "the problem", "its operator is not finite");
    return TS_OK;
}

static ts_code make_raw(const char* path, const ts_contact_problem* problem, ts_arena* arena, ts_fclib_raw* raw,
                        ts_status* out_status) {
    memset(raw, 0, sizeof *raw);
    raw->spacedim = 3;
    raw->rows = problem->row_count;
    raw->contacts = problem->block_count;
    raw->form = TS_FCLIB_COLUMNS;
    ts_code code = make_columns(path, problem, arena, raw, out_status);
    if (code) return code;
    raw->q = TS_ARENA_ARRAY(arena, double, raw->rows);
    raw->mu = TS_ARENA_ARRAY(arena, double, raw->contacts);
    if (!raw->q || !raw->mu) return no_memory(out_status, path);
    for (int i = 0; i < raw->rows; ++i) {
        raw->q[i] = problem->g[i - i % 3 + place_of(i % 3)];
        if (!isfinite(raw->q[i])) return refuse(out_status, path, "the problem", "its free velocity is not finite");
    }
    for (int c = 0; c < raw->contacts; ++c) raw->mu[c] = problem->block[c].mu;
    return TS_OK;
}

ts_code ts_fclib_write(const char* path, const char* title, const ts_contact_problem* problem, ts_status* out_status) {
    ts_fclib_raw raw;
    ts_arena arena;
    memset(&arena, 0, sizeof arena);
    ts_code code = check_writable(path, problem, out_status);
    if (!code) code = make_raw(path, problem, &arena, &raw, out_status);
    if (!code) code = ts_fclib_save(path, title, &raw, out_status);
    ts_arena_free(&arena);
    return code;
}
