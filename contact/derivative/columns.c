// The derivative of a contact problem on many changes at once.
//
// Problem: as of derivative.c, of many columns: (P^T (G + R) E + D) x = -P^T du - W dmu. Rule: with rows J' over coordinates in which the mass matrix is one, G = J' J'^T,
// and what moves bodies at frozen impulse is in dz already. Then rows are not asked for one by one: of each block only P^T J' and E^T J' count, and
//     dz += (L^T J')^T dmu,   b = -P^T du - (P^T J') dz - (P^T R L - lift) dmu,   x = A^-1 b,   dz += (E^T J')^T x.
// Neighbours over the same coordinates are taken together, and so many columns at a time as stay close to the processor. What x leaves of its
// equations is b with (P^T R E + D) x taken off, dz being what it is then: the next round asks for that.
// Source: derived here. Guaranteed: ts_contact_derivative_forward to rounding. Known to fail: nothing.
#include <string.h>

#include "base/assert.h"
#include "base/linear/dense.h"
#include "base/scalar.h"
#include "contact/derivative/derivative_internal.h"

// Columns at a time: lines of z, b and x of some forty rows each fit the first cache.
enum { TILE = 32 };

// Unknowns over the same coordinates.
typedef struct group {
    int first;  // unknown
    int count;
    int column;
    int dofs;
    double* ask;  // (count x dofs) P^T J'
    double* add;  // (count x dofs) E^T J'
} group;

// Columns that are being pushed.
typedef struct work {
    const ts_contact_derivative* d;
    const ts_contact_runs* runs;
    int columns;
    const double* asked;
    const double* dmu;
    double* z;
    int group_count;
    group* group;
    double* b;       // (unknowns x TILE)
    double* x;       // (unknowns x TILE) what was found last
    double* answer;  // (unknowns x TILE) all of it; only where there are rounds
    double* one;     // (6 unknowns) a column alone
} work;

// The first unknown of the block with this first row, or of the next one that has any.
static int first_unknown(const struct ts_contact_derivative_parts* p, int row) {
    int low = 0, high = p->A.n;
    while (low < high) {
        int middle = low + (high - low) / 2;
        if (p->x[middle].row < row)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

void ts_contact_derivative_ask(const ts_contact_derivative* derivative, int row, int count, const double* du,
                               const int* column, int columns, double* io_asked) {
    const struct ts_contact_derivative_parts* p = derivative->parts;
    TS_ASSERT(p);
    for (int i = first_unknown(p, row); i < p->A.n && p->x[i].row == row; ++i) {
        const ts_contact_unknown* x = &p->x[i];
        double* line = io_asked + (size_t)i * (size_t)columns;
        for (int k = 0; k < count; ++k) {
            if (column[k] < 0) continue;
            double sum = 0.0;
            for (int r = 0; r < x->rows; ++r) sum += x->P[r] * du[r * count + k];
            line[column[k]] -= sum;
        }
    }
}

// out (count) = v^T J'.
static void combine(const ts_contact_run* run, const double* v, double* out) {
    memset(out, 0, (size_t)run->count * sizeof(double));
    for (int r = 0; r < run->rows; ++r)
        for (int j = 0; v[r] != 0.0 && j < run->count; ++j) out[j] += v[r] * run->J[r * run->count + j];
}

static int find_groups(work* w, ts_arena* scratch) {
    const struct ts_contact_derivative_parts* p = w->d->parts;
    size_t numbers = 0;
    for (int s = 0; s < w->runs->count; ++s) numbers += (size_t)w->runs->run[s].rows * (size_t)w->runs->run[s].count;
    w->group = TS_ARENA_ARRAY(scratch, group, w->runs->count);
    double* ask = TS_ARENA_ARRAY(scratch, double, 2 * numbers);
    if (!w->group || !ask) return 0;
    double* add = ask + numbers;
    for (int s = 0, i = 0; s < w->runs->count; ++s) {
        const ts_contact_run* run = &w->runs->run[s];
        group* last = w->group_count > 0 ? &w->group[w->group_count - 1] : NULL;
        while (i < p->A.n && p->x[i].row < run->row) ++i;
        if (!last || last->first + last->count != i || last->column != run->column || last->dofs != run->count) {
            last = &w->group[w->group_count++];
            *last = (group){i, 0, run->column, run->count, ask, add};
        }
        for (int k = i; k < p->A.n && p->x[k].row == run->row; ++k, ask += run->count, add += run->count) {
            combine(run, p->x[k].P, ask);
            combine(run, p->x[k].E, add);
            ++last->count;
        }
    }
    return 1;
}

// dz of friction by itself.
static void push_friction(const work* w) {
    const struct ts_contact_derivative_parts* p = w->d->parts;
    size_t ld = (size_t)w->columns;
    for (int s = 0, k = 0; w->dmu && s < w->runs->count; ++s) {
        const ts_contact_run* run = &w->runs->run[s];
        while (k < p->slide_count && p->slide[k].row < run->row) ++k;
        if (k == p->slide_count || p->slide[k].row != run->row) continue;
        const double* dmu = w->dmu + (size_t)p->slide[k].block * ld;
        for (int j = 0; j < run->count; ++j) {
            double share = 0.0;
            for (int r = 0; r < run->rows; ++r) share += p->slide[k].L[r] * run->J[r * run->count + j];
            ts_lines_add(w->columns, 1, 1.0, &share, 1, dmu, w->columns, w->z + (size_t)(run->column + j) * ld);
        }
    }
}

// x^T R y of the rows of a block.
static double soften(const struct ts_contact_derivative_parts* p, const ts_contact_unknown* of, const double* x,
                     const double* y) {
    double sum = 0.0;
    for (int r = 0; p->R && r < of->rows; ++r) sum += x[r] * p->R[of->row + r] * y[r];
    return sum;
}

// b -= (P^T R L - lift) dmu.
static void take_friction(const work* w, int c, int width) {
    const struct ts_contact_derivative_parts* p = w->d->parts;
    for (int i = 0, k = 0; w->dmu && i < p->A.n; ++i) {
        const ts_contact_unknown* x = &p->x[i];
        while (k < p->slide_count && p->slide[k].row < x->row) ++k;
        if (k == p->slide_count || p->slide[k].row != x->row) continue;
        double share = soften(p, x, x->P, p->slide[k].L) - x->lift;
        ts_lines_add(width, 1, -1.0, &share, 1, w->dmu + (size_t)x->block * (size_t)w->columns + (size_t)c, w->columns,
                     w->b + (size_t)i * (size_t)width);
    }
}

// b -= (P^T R E + D) x.
static void take_law(const work* w, int width) {
    const struct ts_contact_derivative_parts* p = w->d->parts;
    for (int i = 0, first = 0; i < p->A.n; ++i) {
        if (p->x[i].row != p->x[first].row) first = i;
        for (int k = first; k < p->A.n && p->x[k].row == p->x[i].row; ++k) {
            double share = soften(p, &p->x[i], p->x[i].P, p->x[k].E) + (k == i ? p->x[i].curvature : 0.0);
            ts_lines_add(width, 1, -1.0, &share, 1, w->answer + (size_t)k * (size_t)width, width,
                         w->b + (size_t)i * (size_t)width);
        }
    }
}

static void ask_tile(const work* w, int c, int width) {
    size_t ld = (size_t)w->columns, line = (size_t)width;
    for (int i = 0; i < w->d->unknowns; ++i)
        memcpy(w->b + (size_t)i * line, w->asked + (size_t)i * ld + (size_t)c, line * sizeof(double));
    for (int g = 0; g < w->group_count; ++g) {
        const group* of = &w->group[g];
        for (int i = 0; i < of->count; ++i)
            ts_lines_add(width, of->dofs, -1.0, of->ask + i * of->dofs, 1, w->z + (size_t)of->column * ld + c,
                         w->columns, w->b + (size_t)(of->first + i) * line);
    }
    take_friction(w, c, width);
}

// x = A^-1 b; a cascade takes columns one by one.
static void solve_tile(const work* w, int width) {
    const struct ts_contact_derivative_parts* p = w->d->parts;
    int n = p->A.n;
    if (!p->cascade) {
        ts_linear_orthogonal_solve_columns(&p->A, width, w->b, w->x);
        return;
    }
    for (int c = 0; c < width; ++c) {
        double *b = w->one, *x = b + n, *room = x + n;
        for (int i = 0; i < n; ++i) b[i] = w->b[i * width + c];
        ts_cascade_solve(p->cascade, 0, b, room, x, NULL);
        for (int i = 0; i < n; ++i) w->x[i * width + c] = x[i];
    }
}

// dz += (E^T J')^T x.
static void push_tile(const work* w, int c, int width) {
    size_t ld = (size_t)w->columns;
    for (int g = 0; g < w->group_count; ++g) {
        const group* of = &w->group[g];
        for (int j = 0; j < of->dofs; ++j)
            ts_lines_add(width, of->count, 1.0, of->add + j, of->dofs, w->x + (size_t)of->first * (size_t)width, width,
                         w->z + (size_t)(of->column + j) * ld + c);
    }
}

ts_code ts_contact_derivative_push(const ts_contact_derivative* derivative, const ts_contact_runs* runs, int columns,
                                   const double* asked, const double* dmu, int rounds, ts_arena* scratch,
                                   double* io_z) {  // NOLINT(readability-non-const-parameter): by w.z
    work w = {.d = derivative, .runs = runs, .columns = columns, .asked = asked, .dmu = dmu, .z = io_z};
    TS_ASSERT(derivative->parts);
    size_t size = (size_t)derivative->unknowns * TILE;
    ts_arena_scope scope = ts_arena_scope_begin(scratch);
    w.b = TS_ARENA_ARRAY(scratch, double, 3 * size + 6 * (size_t)derivative->unknowns);
    ts_code code = w.b && find_groups(&w, scratch) ? TS_OK : TS_ERROR_MEMORY;
    if (!code) {
        w.x = w.b + size;
        w.answer = w.x + size;
        w.one = w.answer + size;
        push_friction(&w);
    }
    for (int c = 0; !code && c < columns; c += TILE) {
        int width = columns - c < TILE ? columns - c : TILE;
        size_t numbers = (size_t)derivative->unknowns * (size_t)width;
        ask_tile(&w, c, width);
        solve_tile(&w, width);
        push_tile(&w, c, width);
        if (rounds > 0) memcpy(w.answer, w.x, numbers * sizeof(double));
        for (int k = 0; k < rounds; ++k) {
            ask_tile(&w, c, width);
            take_law(&w, width);
            solve_tile(&w, width);
            push_tile(&w, c, width);
            for (size_t i = 0; i < numbers; ++i) w.answer[i] += w.x[i];
        }
    }
    ts_arena_scope_end(scratch, scope);
    return code;
}
