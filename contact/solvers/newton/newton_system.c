// Newton's linear system over the blocks of a contact problem.
//
// Problem: C_b d_b + E_b (A d)_b = r_b for active blocks b, with d known in all others.
// Rule: known steps go to the right-hand side. What is left, a matrix of blocks C_b + E_b A_bb on the diagonal and
// E_b A_bc beside it, is factorised: by dense LU with pivoting when it is small, else by block-sparse LU
// (base/linear/block_lu.c), or through the bodies (newton_bodies.c), whichever takes fewer multiplications.
// Source: elimination of known unknowns, textbook linear algebra.
// Guaranteed: same input, same bits; 0 rather than a step that is not finite.
// Known to fail: block-sparse LU exchanges rows within fronts only, so a nearly singular system can give a poor step;
// whoever takes it checks that it helps.
#include "contact/solvers/newton/newton_system_internal.h"

#include <math.h>
#include <string.h>

#include "base/linear/block_lu.h"
#include "base/linear/dense.h"
#include "base/linear/panel.h"
#include "contact/solvers/newton/newton_groups_internal.h"
#include "contact/solvers/newton/newton_bodies_internal.h"
#include "contact/solvers/newton/scaled_internal.h"

enum {
    DENSE_ROWS = 96,  // up to here one dense factor is quicker than a sparse one
    MAX = TS_BLOCK_ROWS_MAX,
    RECOMPARE = 5,    // the ways are compared again when the active rows have changed by more than this part of them
    CLEARLY_MORE = 3  // active rows to a body's degree of freedom from which nothing needs to be compared
};

#define BODIES_LEFT 1e-9  // of the right-hand side: a Newton step gains fewer digits
#define BODIES_RATE 0.7   // a multiplication through the bodies is worth this one by contacts: more is done beside it

int ts_newton_system_make(const ts_newton_matrix* A, ts_arena* arena, ts_newton_system* out_system) {
    const ts_contact_problem* problem = A->problem;
    int blocks = problem->block_count;
    ts_newton_system s = {.A = *A};
    int* square = TS_ARENA_ARRAY(arena, int, blocks + 1);
    if (!square) return 0;
    square[0] = 0;
    for (int b = 0; b < blocks; ++b) square[b + 1] = square[b] + problem->block[b].rows * problem->block[b].rows;
    s.square = square;
    s.bodies = ts_newton_bodies_make(A, arena, TS_SCALED_LARGEST_FACTOR, BODIES_LEFT);
    s.C = TS_ARENA_ARRAY(arena, double, square[blocks]);
    s.E = TS_ARENA_ARRAY(arena, double, square[blocks]);
    s.active = TS_ARENA_ARRAY(arena, int, blocks);
    s.place = TS_ARENA_ARRAY(arena, int, blocks);
    s.list = TS_ARENA_ARRAY(arena, int, blocks);
    if (!s.C || !s.E || !s.active || !s.place || !s.list) return 0;
    if (!s.bodies || problem->row_count < CLEARLY_MORE * ts_newton_bodies_columns(s.bodies))
        s.groups = ts_newton_groups_make(A, arena);
    *out_system = s;
    return 1;
}

// C and E A of one entry of row b, put together.
static void transform_entry(const ts_newton_system* s, int b, int e, double* out) {
    const ts_block* block = s->A.problem->block;
    int rows = block[b].rows, other = s->A.G->column[e], columns = block[other].rows;
    const double* A = s->A.value + s->A.G->at[e];
    const double* E = s->E + s->square[b];
    for (int i = 0; i < rows; ++i)
        for (int c = 0; c < columns; ++c) {
            double sum = 0.0;
            for (int k = 0; k < rows; ++k) sum += E[i * rows + k] * A[k * columns + c];
            out[i * columns + c] = sum;
        }
    const double* C = s->C + s->square[b];
    if (other != b) return;
    for (int i = 0; i < rows; ++i)
        for (int c = 0; c < columns; ++c) out[i * columns + c] += C[i * columns + c];
}

// Right-hand sides of the active rows: r minus what the known steps do.
static void right_hand_side(const ts_newton_system* s, const double* d, double* out) {
    const ts_block* block = s->A.problem->block;
    const ts_delassus_blocks* G = s->A.G;
    for (int a = 0; a < s->list_count; ++a) {
        int b = s->list[a], rows = block[b].rows;
        double sum[MAX] = {0.0};
        for (int e = G->start[b]; e < G->start[b + 1]; ++e) {
            int other = G->column[e], columns = block[other].rows;
            if (s->place[other] >= 0) continue;
            const double* A = s->A.value + G->at[e];
            const double* known = d + block[other].row;
            for (int r = 0; r < rows; ++r)
                for (int c = 0; c < columns; ++c) sum[r] += A[r * columns + c] * known[c];
        }
        const double* E = s->E + s->square[b];
        for (int r = 0; r < rows; ++r) {
            double known = 0.0;
            for (int k = 0; k < rows; ++k) known += E[r * rows + k] * sum[k];
            *out++ = d[block[b].row + r] - known;
        }
    }
}

static int solve_dense(const ts_newton_system* s, ts_arena* scratch, double* right) {
    const ts_block* block = s->A.problem->block;
    const ts_delassus_blocks* G = s->A.G;
    int n = s->list_rows, ld = ts_panel_padded(n), row = 0;
    double* J = (double*)ts_arena_alloc_zeroed(scratch, (size_t)n * (size_t)ld, sizeof(double));
    int* pivot = TS_ARENA_ARRAY(scratch, int, n);
    int* first = TS_ARENA_ARRAY(scratch, int, s->list_count);
    if (!J || !pivot || !first) return 0;
    for (int a = 0; a < s->list_count; ++a) {
        first[a] = row;
        row += block[s->list[a]].rows;
    }
    for (int a = 0; a < s->list_count; ++a) {
        int b = s->list[a], rows = block[b].rows;
        for (int e = G->start[b]; e < G->start[b + 1]; ++e) {
            int other = G->column[e], columns = block[other].rows;
            if (s->place[other] < 0) continue;
            double entry[MAX * MAX];
            transform_entry(s, b, e, entry);
            for (int r = 0; r < rows; ++r)
                memcpy(J + (size_t)(first[a] + r) * (size_t)ld + first[s->place[other]], entry + r * columns,
                       (size_t)columns * sizeof(double));
        }
    }
    if (!ts_lu_factor(J, n, ld, pivot)) return 0;
    ts_lu_solve(J, n, ld, pivot, right);
    return 1;
}

// With more than `most_work` multiplications before it nothing is done, and *out_dear set.
static int solve_sparse(const ts_newton_system* s, ts_arena* scratch, double most_work, double* right, int* out_dear) {
    const ts_block* block = s->A.problem->block;
    const ts_delassus_blocks* G = s->A.G;
    int count = s->list_count, entries = 0, all = G->start[s->A.problem->block_count];
    size_t numbers = 0;
    int* size = TS_ARENA_ARRAY(scratch, int, count);
    int* start = TS_ARENA_ARRAY(scratch, int, count + 1);
    int* column = TS_ARENA_ARRAY(scratch, int, all);
    size_t* at = TS_ARENA_ARRAY(scratch, size_t, all);
    if (!size || !start || !column || !at) return 0;
    for (int a = 0; a < count; ++a) {
        int b = s->list[a];
        size[a] = block[b].rows;
        start[a] = entries;
        for (int e = G->start[b]; e < G->start[b + 1]; ++e) {
            if (s->place[G->column[e]] < 0) continue;
            column[entries] = s->place[G->column[e]];
            at[entries++] = numbers;
            numbers += (size_t)size[a] * (size_t)block[G->column[e]].rows;
        }
    }
    start[count] = entries;
    ts_block_lu* lu = ts_block_lu_analyse(scratch, count, size, start, column, TS_SCALED_LARGEST_FACTOR);
    *out_dear = !lu || ts_block_lu_work(lu) > most_work;
    double* value = *out_dear ? NULL : TS_ARENA_ARRAY(scratch, double, numbers);
    if (!value) return 0;
    for (int a = 0, next = 0; a < count; ++a) {
        int b = s->list[a];
        for (int e = G->start[b]; e < G->start[b + 1]; ++e)
            if (s->place[G->column[e]] >= 0) transform_entry(s, b, e, value + at[next++]);
    }
    if (!ts_block_lu_factor(lu, start, column, at, value)) return 0;
    ts_block_lu_solve(lu, right);
    return 1;
}

// Numbers the active blocks.
static void list_active(ts_newton_system* s) {
    const ts_contact_problem* problem = s->A.problem;
    s->list_count = s->list_rows = 0;
    for (int b = 0; b < problem->block_count; ++b) {
        s->place[b] = -1;
        if (!s->active[b]) continue;
        s->place[b] = s->list_count;
        s->list[s->list_count++] = b;
        s->list_rows += problem->block[b].rows;
    }
}

// By contacts; see solve_sparse.
static int solve_contacts(const ts_newton_system* s, ts_arena* scratch, double most_work, double* d, int* out_dear) {
    ts_arena_scope scope = ts_arena_scope_begin(scratch);
    double* right = TS_ARENA_ARRAY(scratch, double, s->list_rows);
    int solved = 0;
    *out_dear = 0;
    if (right) {
        right_hand_side(s, d, right);
        if (s->groups)
            solved = ts_newton_groups_solve(s->groups, s, scratch, most_work, right, out_dear);
        else
            solved = s->list_rows <= DENSE_ROWS ? solve_dense(s, scratch, right)
                                                : solve_sparse(s, scratch, most_work, right, out_dear);
    }
    for (int a = 0, at = 0; solved && a < s->list_count; ++a) {
        const ts_block* own = &s->A.problem->block[s->list[a]];
        for (int r = own->row; r < own->row + own->rows; ++r) {
            d[r] = right[at++];
            if (!isfinite(d[r])) solved = 0;
        }
    }
    ts_arena_scope_end(scratch, scope);
    return solved;
}

// Nonzero when the ways have to be compared, again where the number of active rows has changed much.
static int is_open(const ts_newton_system* s) {
    int change = s->list_rows - s->compared_rows;
    return s->compared_rows == 0 || RECOMPARE * (change < 0 ? -change : change) > s->compared_rows;
}

int ts_newton_system_solve(ts_newton_system* system, ts_arena* scratch, double* d) {
    list_active(system);
    if (system->list_rows == 0) return 1;
    int dear = 0, by_contacts = system->A.G != NULL;
    if (by_contacts && (system->list_rows <= DENSE_ROWS || !system->bodies))
        return solve_contacts(system, scratch, HUGE_VAL, d, &dear);
    if (!system->bodies) return 0;
    if (by_contacts && is_open(system)) {
        system->compared_rows = system->list_rows;
        system->through_bodies = 1;
        if (system->list_rows < CLEARLY_MORE * ts_newton_bodies_columns(system->bodies)) {
            double work = ts_newton_bodies_work(system->bodies, system, scratch);
            int solved = solve_contacts(system, scratch, work / BODIES_RATE, d, &dear);
            system->through_bodies = dear;
            if (!dear) return solved;
        }
    } else if (by_contacts && !system->through_bodies) {
        return solve_contacts(system, scratch, HUGE_VAL, d, &dear);
    }
    if (ts_newton_bodies_solve(system->bodies, system, scratch, d)) return 1;
    return by_contacts && solve_contacts(system, scratch, HUGE_VAL, d, &dear);
}
