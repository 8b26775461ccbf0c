// The linear system of ADMM, G + R + shift I, for shifts that change.
//
// Problem: the same matrix is solved with for many right-hand sides and a few shifts. Rule: small or full systems are
// factorised densely, Cholesky's way when symmetric, else LU with pivoting; others by blocks with the order and pattern
// of the factor found once. Which one is the cheaper follows from the work of the block factor. Where shifts turn out
// to change every few solves, small symmetric systems are brought to tridiagonal form once, which serves every shift:
// at 96 rows a change costs 0.8 us where a Cholesky factor costs 28, the form as much as four to six of them, and a
// solve 7 us where it was 2. (To keep G and refactor the corner of a constrained Cholesky is that Cholesky factor:
// nothing gained.) A velocity form with more rows than degrees of freedom is solved through its bodies (admm_bodies.c),
// its matrix never made.
// Source: Cholesky, LU: Golub and Van Loan; tridiagonal form for many shifts: base/linear/tridiagonal.c.
// Guaranteed: no dense matrix beyond DENSE_ROWS_MAX rows. Known limit: a factor by blocks of more than
// TS_SCALED_LARGEST_FACTOR numbers is refused.
#include <float.h>
#include <math.h>
#include <string.h>

#include "base/linear/dense.h"
#include "base/linear/panel.h"
#include "contact/solvers/splitting/admm_internal.h"

// From so many shifts on, with fewer than so many solves to each, the tridiagonal form is the cheaper.
// When a shift is still the same after RESTED solves, it is a Cholesky factor again.
enum { REDUCE_SHIFTS = 8, REDUCE_SOLVES = 4, RESTED = 12 };

enum { DENSE_ROWS = 96, DENSE_ROWS_MAX = 3000 };

// Multiply-adds of a dense factor take this part of the time of those of a factor by blocks.
#define DENSE_SPEED 0.25

// But for what scaling rounds differently on both sides.
static int is_symmetric(const double* A, size_t n, size_t ld) {
    for (size_t i = 0; i < n; ++i)
        for (size_t j = 0; j < i; ++j)
            if (!(fabs(A[i * ld + j] - A[j * ld + i]) <= 4.0 * DBL_EPSILON * fabs(A[i * ld + j]))) return 0;
    return 1;
}

static int make_dense(const ts_scaled* system, ts_arena* arena, ts_admm_factor* out) {
    size_t n = (size_t)system->rows, ld = (size_t)ts_panel_padded(system->rows);
    const ts_block* block = system->problem->block;
    out->matrix = (double*)ts_arena_alloc_zeroed(arena, n * ld, sizeof(double));
    out->dense = TS_ARENA_ARRAY(arena, double, n* ld);
    out->pivot = TS_ARENA_ARRAY(arena, int, n);
    double** vector[] = {&out->form.weight, &out->form.diagonal, &out->form.off, &out->form.pivot, &out->form.lower};
    if (!out->matrix || !out->dense || !out->pivot) return 0;
    for (size_t i = 0; i < sizeof(vector) / sizeof(vector[0]); ++i) {
        *vector[i] = TS_ARENA_ARRAY(arena, double, n);
        if (!*vector[i]) return 0;
    }
    out->form.n = out->rows;
    out->form.ld = out->ld = (int)ld;
    out->form.A = out->dense;
    for (int b = 0; b < system->blocks; ++b)
        for (int e = system->G.start[b]; e < system->G.start[b + 1]; ++e) {
            const ts_block* other = &block[system->G.column[e]];
            const double* from = system->value + system->G.at[e];
            for (int r = 0; r < block[b].rows; ++r)
                memcpy(out->matrix + (size_t)(block[b].row + r) * ld + other->row, from + r * other->rows,
                       (size_t)other->rows * sizeof(double));
        }
    out->symmetric = is_symmetric(out->matrix, n, ld);
    return 1;
}

int ts_admm_factor_prefers_bodies(const ts_contact_problem* problem, ts_arena* scratch) {
    const ts_velocity_form* form = ts_velocity_form_of(problem->delassus);
    return form && problem->row_count > DENSE_ROWS && ts_velocity_factor_prefers_bodies(form, scratch);
}

int ts_admm_factor_make(const ts_scaled* system, ts_arena* arena, ts_admm_factor* out) {
    double n = (double)system->rows;
    memset(out, 0, sizeof(*out));
    out->rows = system->rows;
    out->system = system;
    if (!system->G.start) {
        out->bodies = ts_admm_bodies_make(system, arena);
        return out->bodies != NULL;
    }
    if (system->rows <= DENSE_ROWS) return make_dense(system, arena, out);
    int* size = TS_ARENA_ARRAY(arena, int, system->blocks);
    if (!size) return 0;
    size_t numbers = 0;
    for (int b = 0; b < system->blocks; ++b) {
        size[b] = system->problem->block[b].rows;
        for (int e = system->G.start[b]; e < system->G.start[b + 1]; ++e)
            numbers += (size_t)size[b] * (size_t)system->problem->block[system->G.column[e]].rows;
    }
    ts_arena_scope scope = ts_arena_scope_begin(arena);
    out->lu =
        ts_block_lu_analyse(arena, system->blocks, size, system->G.start, system->G.column, TS_SCALED_LARGEST_FACTOR);
    if (out->lu && (system->rows > DENSE_ROWS_MAX || ts_block_lu_work(out->lu) < DENSE_SPEED * n * n * n / 3.0)) {
        out->value = TS_ARENA_ARRAY(arena, double, numbers);
        return out->value != NULL;
    }
    out->lu = NULL;
    ts_arena_scope_end(arena, scope);
    return system->rows <= DENSE_ROWS_MAX && make_dense(system, arena, out);
}

static int shift_dense(ts_admm_factor* f, double shift) {
    size_t n = (size_t)f->rows, ld = (size_t)f->ld;
    if (n == 0) return 1;
    f->shift = shift;
    f->rested = 0;
    if (f->symmetric && !f->reduced && ++f->shifts > REDUCE_SHIFTS && f->solves < REDUCE_SOLVES * f->shifts) {
        memcpy(f->dense, f->matrix, n * ld * sizeof(double));
        ts_tridiagonal_reduce(&f->form);
        f->reduced = 1;
    }
    if (f->reduced && ts_tridiagonal_shift(&f->form, shift)) return 1;
    // Recorded matrices can be slightly indefinite; then LU takes over for good.
    if (f->reduced) f->reduced = f->symmetric = 0;
    memcpy(f->dense, f->matrix, n * ld * sizeof(double));
    for (size_t i = 0; i < n; ++i) f->dense[i * ld + i] += shift;
    if (!f->symmetric) return ts_lu_factor(f->dense, f->rows, f->ld, f->pivot);
    if (ts_cholesky_factor(f->dense, f->rows, f->ld)) return 1;
    f->symmetric = 0;
    return shift_dense(f, shift);
}

int ts_admm_factor_shift(ts_admm_factor* f, double shift) {
    if (f->bodies) return ts_admm_bodies_shift(f->bodies, shift);
    if (!f->lu) return shift_dense(f, shift);
    const ts_scaled* system = f->system;
    size_t at = 0;
    for (int b = 0; b < system->blocks; ++b) {
        int rows = system->problem->block[b].rows;
        for (int e = system->G.start[b]; e < system->G.start[b + 1]; ++e) {
            size_t count = (size_t)rows * (size_t)system->problem->block[system->G.column[e]].rows;
            at = system->G.at[e];
            memcpy(f->value + at, system->value + at, count * sizeof(double));
            for (int r = 0; r < rows && system->G.column[e] == b; ++r) f->value[at + (size_t)(r * rows + r)] += shift;
        }
    }
    return ts_block_lu_factor(f->lu, system->G.start, system->G.column, system->G.at, f->value);
}

void ts_admm_factor_solve(ts_admm_factor* f, const double* guess, double accuracy, double* x) {
    ++f->solves;
    if (f->reduced && ++f->rested > RESTED) {
        f->reduced = f->shifts = f->solves = 0;
        shift_dense(f, f->shift);  // positive before, and so it is now
    }
    if (f->bodies)
        ts_admm_bodies_solve(f->bodies, guess, accuracy, x);
    else if (f->lu)
        ts_block_lu_solve(f->lu, x);
    else if (f->reduced)
        ts_tridiagonal_solve(&f->form, x);
    else if (f->symmetric)
        ts_cholesky_solve(f->dense, f->rows, f->ld, x);
    else
        ts_lu_solve(f->dense, f->rows, f->ld, f->pivot, x);
}
