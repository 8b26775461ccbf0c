// Columns side by side through the factor of a tree.
//
// Problem: the same as for rows (tree_factor_rows.c) for many right-hand sides that lie side by side, as Jacobians of a step do.
// Rule: a step of the elimination is the same for all columns, so that whole lines are taken from each other.
// Source: Featherstone (2008), section 6.5.
// Guarantee: the same bits with vectors of two lanes and of four.
// Known failure: none.
#include <stddef.h>

#include "engine/dynamics/tree_factor_internal.h"

#if defined(__GNUC__)

// x -= l v. By address: four numbers by value are passed in different ways with and without AVX, and clang refuses that.
TS_LINE_INLINED void take_four(const double* l, const ts_four_columns* v, ts_four_columns* x) {
    ts_four_columns line;
    memcpy(&line, l, sizeof line);
    *x -= line * *v;
}

// What take_lines does, on sixteen columns.
TS_LINE_INLINED void take_sixteen(int n, int count, const double* value, int stride, const double* line, double scale,
                                  double* x) {
    const ts_four_columns s = {scale, scale, scale, scale};
    ts_four_columns a, b, c, d;
    memcpy(&a, x, sizeof a);
    memcpy(&b, x + 4, sizeof b);
    memcpy(&c, x + 8, sizeof c);
    memcpy(&d, x + 12, sizeof d);
    value += (ptrdiff_t)(count - 1) * stride;
    line += (ptrdiff_t)(count - 1) * n;
    for (int r = count; r > 0; --r, line -= n, value -= stride) {
        const ts_four_columns v = {*value, *value, *value, *value};
        take_four(line, &v, &a);
        take_four(line + 4, &v, &b);
        take_four(line + 8, &v, &c);
        take_four(line + 12, &v, &d);
    }
    a *= s;
    b *= s;
    c *= s;
    d *= s;
    memcpy(x, &a, sizeof a);
    memcpy(x + 4, &b, sizeof b);
    memcpy(x + 8, &c, sizeof c);
    memcpy(x + 12, &d, sizeof d);
}

// And on four.
TS_LINE_INLINED void take_few(int n, int count, const double* value, int stride, const double* line, double scale,
                              double* x) {
    const ts_four_columns s = {scale, scale, scale, scale};
    ts_four_columns a;
    memcpy(&a, x, sizeof a);
    value += (ptrdiff_t)(count - 1) * stride;
    line += (ptrdiff_t)(count - 1) * n;
    for (int r = count; r > 0; --r, line -= n, value -= stride) {
        const ts_four_columns v = {*value, *value, *value, *value};
        take_four(line, &v, &a);
    }
    a *= s;
    memcpy(x, &a, sizeof a);
}

#endif

// x = scale (x - sum over `count` lines, the last first, of its value times the line), n numbers; lines are n apart, values `stride`.
TS_LINE_INLINED void take_lines(int n, int count, const double* value, int stride, const double* line, double scale,
                                double* x) {
    int j = 0;
#if defined(__GNUC__)
    for (; j + 16 <= n; j += 16) take_sixteen(n, count, value, stride, line + j, scale, x + j);
    for (; j + 4 <= n; j += 4) take_few(n, count, value, stride, line + j, scale, x + j);
#endif
    for (; j < n; ++j) {
        double left = x[j];
        for (int r = count - 1; r >= 0; --r) left -= line[(ptrdiff_t)r * n + j] * value[r * stride];
        x[j] = left * scale;
    }
}

// What is done to columns side by side; both is M^-1.
enum { WHITEN = 1, UNWHITEN = 2 };

// A step of the elimination is the same for all columns, so that whole lines are taken from each other, a few neighbours on one chain at a time.
TS_LINE_INLINED void whiten_columns(const ts_dof_chains* chains, int n, const double* L, const double* inverse,
                                    int columns, double* X) {
    size_t ld = (size_t)columns;
    for (int last = n - 1, low; last >= 0; last = low - 1) {
        for (low = last; last - low + 1 < TS_DOF_CHUNK && low > 0 && ts_dof_above(chains, low) == low - 1;) --low;
        for (int k = last; k >= low; --k) {
            double* x = X + (size_t)k * ld;
            take_lines(columns, last - k, L + (k + 1) * n + k, n, x + ld, inverse[k], x);
        }
        for (int i = ts_dof_above(chains, low); i >= 0; i = ts_dof_above(chains, i))
            take_lines(columns, last - low + 1, L + low * n + i, n, X + (size_t)low * ld, 1.0, X + (size_t)i * ld);
    }
}

TS_LINE_INLINED void unwhiten_columns(const ts_dof_chains* chains, int n, const double* L, const double* inverse,
                                      int columns, double* X) {
    size_t ld = (size_t)columns;
    for (int k = 0; k < n; ++k) {
        double* x = X + (size_t)k * ld;
        int i = ts_dof_above(chains, k), from, next;
        if (i < 0) ts_line_copy_scaled(columns, inverse[k], x, x);
        for (; i >= 0; i = next) {
            from = chains->dof[chains->first + i].run - chains->first;
            next = ts_dof_above(chains, from);
            take_lines(columns, i - from + 1, L + k * n + from, 1, X + (size_t)from * ld, next < 0 ? inverse[k] : 1.0,
                       x);
        }
    }
}

TS_LINE_INLINED void change_columns(const ts_dof_chains* chains, int n, const double* L, const double* inverse,
                                    int columns, int what, double* X) {
    if (what & WHITEN) whiten_columns(chains, n, L, inverse, columns, X);
    if (what & UNWHITEN) unwhiten_columns(chains, n, L, inverse, columns, X);
}

#if defined(__GNUC__) && (defined(__x86_64__) || defined(__i386__))

__attribute__((target("avx2"))) static void change_columns_wide(const ts_dof_chains* chains, int n, const double* L,
                                                                const double* inverse, int columns, int what,
                                                                double* X) {
    change_columns(chains, n, L, inverse, columns, what, X);
}

#endif

static void change_tree_columns(const ts_model* model, int tree, const double* L, const double* inverse, int columns,
                                int what, double* X) {
    if (model->tree[tree].kind == TS_TREE_CENTRED) {
        for (int j = 0; j < columns; ++j) {
            double x[6];
            for (int i = 0; i < 6; ++i) x[i] = X[i * columns + j];
            if (what & WHITEN) ts_tree_factor_whiten(model, tree, L, inverse, 1, x);
            if (what & UNWHITEN) ts_tree_factor_unwhiten(model, tree, L, inverse, 1, x);
            for (int i = 0; i < 6; ++i) X[i * columns + j] = x[i];
        }
        return;
    }
    ts_dof_chains chains = ts_dof_chains_of(model, tree);
#if defined(__GNUC__) && (defined(__x86_64__) || defined(__i386__))
    if (__builtin_cpu_supports("avx2")) {
        change_columns_wide(&chains, model->tree[tree].dof_count, L, inverse, columns, what, X);
        return;
    }
#endif
    change_columns(&chains, model->tree[tree].dof_count, L, inverse, columns, what, X);
}

void ts_tree_factor_solve_columns(const ts_model* model, int tree, const double* L, const double* inverse, int columns,
                                  double* X) {
    change_tree_columns(model, tree, L, inverse, columns, WHITEN | UNWHITEN, X);
}

void ts_tree_factor_whiten_columns(const ts_model* model, int tree, const double* L, const double* inverse, int columns,
                                   double* X) {
    change_tree_columns(model, tree, L, inverse, columns, WHITEN, X);
}

void ts_tree_factor_unwhiten_columns(const ts_model* model, int tree, const double* L, const double* inverse,
                                     int columns, double* X) {
    change_tree_columns(model, tree, L, inverse, columns, UNWHITEN, X);
}
