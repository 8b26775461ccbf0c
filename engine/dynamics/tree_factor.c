// Factorisation along a tree.
//
// Problem: M = L^T L for the inertia of a tree, and systems with it. Rule: from the leaves to the root, L_kk = sqrt(M_kk), L_ki = M_ki /
// L_kk for i on the chain of k, M_ij -= L_ki L_kj for i, j on that chain (as M_ki M_kj / M_kk, so that nothing waits for a root). That makes no fill: L_ki is nonzero only for i on the
// chain of dofs from k to the root. A row of a Jacobian that moves one body keeps its support, that body's chain, when it is
// whitened with L^-T; a plain L L^T would spread it over the whole tree. So G = J M^-1 J^T is sums over chains that rows share.
// Source: Featherstone (2008), section 6.5 (branch-induced sparsity); docs/contact.md.
// Cost: half the sum of the squares of the depths for the factor, of the depths for a row. Backward stable, as Cholesky is.
// Known failure: none that a pivot does not tell; a tree as deep as it has dofs is dense.
// What is done with a factor: rows in tree_factor_rows.c, columns in tree_factor_columns.c.
#include "engine/dynamics/tree_factor_internal.h"

#include <math.h>

#include "base/scalar.h"
#include "engine/dynamics/free_body_internal.h"

static inline int is_pivot(double x) { return x > 0.0 && isfinite(x); }

// M = L^T L row by row, L_k^T L_k = row_k^T row_k / pivot, so that no row waits for the root of another. Returns 0 when a pivot is not positive.
static int factor_large(const ts_dof_chains* chains, int n, const double* M, double* L, double* inverse) {
    size_t ld = (size_t)n;
    for (size_t k = 0; k < ld; ++k) memcpy(L + k * ld, M + k * ld, (k + 1) * sizeof(double));
    for (int k = n - 1; k >= 0; --k) {
        double* row = L + (size_t)k * ld;
        if (!is_pivot(row[k])) return 0;
        double share = 1.0 / row[k];
        for (int i = ts_dof_above(chains, k); i >= 0; i = ts_dof_above(chains, i)) {
            double value = row[i] * share;
            for (int end = i, start; end >= 0; end = ts_dof_above(chains, start)) {
                start = chains->dof[chains->first + end].run - chains->first;
                ts_line_subtract(end - start + 1, value, row + start, L + (size_t)i * ld + start);
            }
        }
        inverse[k] = sqrt(share);
        for (int i = k; i >= 0; i = ts_dof_above(chains, i)) row[i] *= inverse[k];
    }
    return 1;
}

// The same for trees of up to so many dofs, aside, on the stack: of every row its entries on its own chain, closed up, entry i at the depth of
// i, so that a row takes from another the same numbers from its beginning on; and runs in blocks, which are done among themselves before
// they are taken from what they hang on. Rows have room for whole vectors; what comes behind their numbers means nothing.
enum { ASIDE = 64, LANES = 4, BLOCK = 8 };

static inline int whole(int n) { return (n + LANES - 1) & ~(LANES - 1); }

// A run of dofs and the chain that it hangs on.
typedef struct chain_map {
    int ld;
    int start[ASIDE];  // runs of the chain from this one up: first dof
    int depth[ASIDE];  // its depth
    int count[ASIDE];  // its dofs that lie on the chain; of this run those up to the dof looked at
    int runs;
} chain_map;

// The run that ends with `last`.
TS_LINE_INLINED void follow(const ts_dof_chains* chains, int last, chain_map* c) {
    const ts_dof* dof = chains->dof + chains->first;
    c->runs = 0;
    for (int end = last, start; end >= 0; end = ts_dof_above(chains, start)) {
        start = dof[end].run - chains->first;
        c->start[c->runs] = start;
        c->depth[c->runs] = dof[start].depth;
        c->count[c->runs++] = end - start + 1;
    }
}

// x -= sum over `count` lines, the last first, of value times columns [0, n) of the line, n whole vectors; lines and values are `ld` apart.
TS_LINE_INLINED void subtract_lines_of(const double* line, int ld, int count, int n, const double* value, double* x) {
    for (int j = 0; j < n; j += LANES) {
#if defined(__GNUC__)
        ts_four_columns sum;
        memcpy(&sum, x + j, sizeof sum);
        for (int k = (count - 1) * ld; k >= 0; k -= ld) {
            ts_four_columns l;
            memcpy(&l, line + k + j, sizeof l);
            sum -= l * (ts_four_columns){value[k], value[k], value[k], value[k]};
        }
        memcpy(x + j, &sum, sizeof sum);
#else
        for (int k = (count - 1) * ld; k >= 0; k -= ld) ts_line_subtract(LANES, value[k], line + k + j, x + j);
#endif
    }
}

// L of dofs [first, last] of the run, in the place of what M's rows have become. Returns 0 when a pivot is not positive.
TS_LINE_INLINED int factor_block(const chain_map* c, int first, int last, double* rows, double* inverse) {
    int ld = c->ld, depth = c->depth[0] + first - c->start[0];
    double* block = rows + first * ld;
    for (int k = last - first; k >= 0; --k) {
        const double* row = block + k * ld;
        if (!is_pivot(row[depth + k])) return 0;
        inverse[first + k] = 1.0 / row[depth + k];
        for (int i = k - 1; i >= 0; --i)
            ts_line_subtract(whole(depth + i + 1), row[depth + i] * inverse[first + k], row, block + i * ld);
    }
    for (int k = 0; k <= last - first; ++k) {
        inverse[first + k] = sqrt(inverse[first + k]);
        ts_line_copy_scaled(whole(depth + k + 1), inverse[first + k], block + k * ld, block + k * ld);
    }
    for (int r = 0; r < c->runs; ++r) {
        for (int i = r == 0 ? first - 1 : c->start[r] + c->count[r] - 1; i >= c->start[r]; --i) {
            int column = c->depth[r] + i - c->start[r];
            subtract_lines_of(block, ld, last - first + 1, whole(column + 1), block + column, rows + i * ld);
        }
    }
    return 1;
}

TS_LINE_INLINED int factor_small(const ts_dof_chains* chains, int n, const double* M, double* L, double* inverse) {
    // Vectors that lie across lines of the cache would cost twice.
    _Alignas(64) double rows[ASIDE * ASIDE];
    chain_map c;
    c.ld = whole(n);
    // One, but no constant: to copy a handful of numbers compilers would call memcpy.
    double one = n > 0;
    for (int last = n - 1; last >= 0; last = c.start[0] - 1) {
        follow(chains, last, &c);
        for (int k = last; k >= c.start[0]; --k) {
            c.count[0] = k - c.start[0] + 1;
            for (int i = c.depth[0] + c.count[0]; i & (LANES - 1); ++i) rows[k * c.ld + i] = 0.0;
            for (int r = 0; r < c.runs; ++r)
                ts_line_copy_scaled(c.count[r], one, M + k * n + c.start[r], rows + k * c.ld + c.depth[r]);
        }
    }
    for (int last = n - 1; last >= 0; last = c.start[0] - 1) {
        follow(chains, last, &c);
        for (int end = last, first; end >= c.start[0]; end = first - 1) {
            first = end - BLOCK + 1 > c.start[0] ? end - BLOCK + 1 : c.start[0];
            if (!factor_block(&c, first, end, rows, inverse)) return 0;
        }
        for (int k = last; k >= c.start[0]; --k) {
            c.count[0] = k - c.start[0] + 1;
            for (int r = 0; r < c.runs; ++r)
                ts_line_copy_scaled(c.count[r], one, rows + k * c.ld + c.depth[r], L + k * n + c.start[r]);
        }
    }
    return 1;
}

#if defined(__GNUC__) && (defined(__x86_64__) || defined(__i386__))

__attribute__((target("avx2"))) static int factor_small_wide(const ts_dof_chains* chains, int n, const double* M,
                                                             double* L, double* inverse) {
    return factor_small(chains, n, M, L, inverse);
}

#endif

static int factor_tree(const ts_dof_chains* chains, int n, const double* M, double* L, double* inverse) {
    if (n > ASIDE) return factor_large(chains, n, M, L, inverse);
#if defined(__GNUC__) && (defined(__x86_64__) || defined(__i386__))
    if (__builtin_cpu_supports("avx2")) return factor_small_wide(chains, n, M, L, inverse);
#endif
    return factor_small(chains, n, M, L, inverse);
}

int ts_tree_factor_make(const ts_model* model, int tree, const double* M, double* out_L, double* out_inverse) {
    if (model->tree[tree].kind == TS_TREE_CENTRED) {
        memcpy(out_L, M, 36 * sizeof(double));
        return ts_free_body_factor_centred(out_L, out_inverse);
    }
    ts_dof_chains chains = ts_dof_chains_of(model, tree);
    return factor_tree(&chains, model->tree[tree].dof_count, M, out_L, out_inverse);
}

// The deepest dof on both chains. There is one: all chains of a tree begin at its first dof.
static int common_dof(const ts_dof_chains* chains, int a, int b) {
    while (a != b) {
        if (a > b)
            a = ts_dof_above(chains, a);
        else
            b = ts_dof_above(chains, b);
    }
    return a;
}

// Sum of x_i y_i from dof i to the root.
static double chain_dot(const ts_dof_chains* chains, int i, const double* x, const double* y) {
    double sum = 0.0;
    while (i >= 0) {
        int start = chains->dof[chains->first + i].run - chains->first;
        for (int j = start; j <= i; ++j) sum += x[j] * y[j];
        i = ts_dof_above(chains, start);
    }
    return sum;
}

void ts_tree_factor_delassus(const ts_model* model, int tree, int rows, const double* Y, const int* last,
                             double* out_G) {
    int n = model->tree[tree].dof_count;
    ts_dof_chains chains = ts_dof_chains_of(model, tree);
    for (int a = 0; a < rows; ++a) {
        for (int b = 0; b <= a; ++b) {
            const double *x = Y + (size_t)a * (size_t)n, *y = Y + (size_t)b * (size_t)n;
            double sum = 0.0;
            if (last && last[a] >= 0 && last[b] >= 0)
                sum = chain_dot(&chains, common_dof(&chains, last[a], last[b]), x, y);
            else if (last && (last[a] >= 0 || last[b] >= 0))
                sum = chain_dot(&chains, last[a] >= 0 ? last[a] : last[b], x, y);
            else
                for (int i = 0; i < n; ++i) sum += x[i] * y[i];
            out_G[(size_t)a * (size_t)rows + (size_t)b] = out_G[(size_t)b * (size_t)rows + (size_t)a] = sum;
        }
    }
}
