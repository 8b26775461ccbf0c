// Factorisation along a tree.
//
// Problem: M = L^T L for the inertia of a tree, and systems with it. Rule: from the leaves to the root, L_kk = sqrt(M_kk), L_ki = M_ki /
// L_kk for i on the chain of k, M_ij -= L_ki L_kj for i, j on that chain (as M_ki M_kj / M_kk, so that nothing waits for a root). That makes no fill: L_ki is nonzero only for i on the
// chain of dofs from k to the root. A row of a Jacobian that moves one body keeps its support, that body's chain, when it is
// whitened with L^-T; a plain L L^T would spread it over the whole tree. So G = J M^-1 J^T is sums over chains that rows share.
// Source: Featherstone (2008), section 6.5 (branch-induced sparsity); docs/contact.md.
// Cost: half the sum of the squares of the depths for the factor, of the depths for a row. Backward stable, as Cholesky is.
// Known failure: none that a pivot does not tell; a tree as deep as it has dofs is dense.
// Trees of few dofs: tree_factor_tiles.c. What is done with a factor: rows in tree_factor_rows.c, columns in tree_factor_columns.c.
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

int ts_tree_factor_make(const ts_model* model, int tree, const double* M, double* out_L, double* out_inverse) {
    if (model->tree[tree].kind == TS_TREE_CENTRED) {
        memcpy(out_L, M, 36 * sizeof(double));
        return ts_free_body_factor_centred(out_L, out_inverse);
    }
    ts_dof_chains chains = ts_dof_chains_of(model, tree);
    int n = model->tree[tree].dof_count;
    return n <= TS_TREE_TILES ? ts_tree_factor_tiles(&chains, n, M, out_L, out_inverse)
                              : factor_large(&chains, n, M, out_L, out_inverse);
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
