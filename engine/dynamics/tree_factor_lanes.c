// Up to four rows at once through the second half of M^-1.
//
// Problem: w <- L^-1 w of a few rows (tree_factor_rows.c has one).
// Rule: rows lie entry by entry, so that what all of them take from an entry of L is one product of vectors; four neighbours of a run take
// from the dofs above them at a time, so that sums do not wait for each other.
// Source: Featherstone (2008), section 6.5. Guaranteed: same bits with and without AVX2; backward stable. Known failure: none.
#include "engine/dynamics/tree_factor_internal.h"

enum { N = TS_TREE_LANES };

static inline ts_four load(const double* X, int d) { return ts_four_load(X + N * d); }

static inline void store(ts_four x, double* X, int d) { ts_four_store(x, X + N * d); }

// x less an entry of L times row d of X.
static inline ts_four less(ts_four x, double entry, ts_four at_d) {
    return ts_four_minus(x, ts_four_times(entry, at_d));
}

// Entries k to k + 3 of one run.
static inline void find_four(const ts_dof_chains* chains, int n, const double* L, const double* inverse, int k,
                             int above, double* X) {
    const double *l0 = L + k * n, *l1 = l0 + n, *l2 = l1 + n, *l3 = l2 + n;
    ts_four a = load(X, k), b = load(X, k + 1), c = load(X, k + 2), d = load(X, k + 3);
    for (int to = above, from; to >= 0; to = ts_dof_above(chains, from)) {
        from = chains->dof[chains->first + to].run - chains->first;
        for (int i = from; i <= to; ++i) {
            ts_four x = load(X, i);
            a = less(a, l0[i], x);
            b = less(b, l1[i], x);
            c = less(c, l2[i], x);
            d = less(d, l3[i], x);
        }
    }
    a = ts_four_times(inverse[k], a);
    b = ts_four_times(inverse[k + 1], less(b, l1[k], a));
    c = ts_four_times(inverse[k + 2], less(less(c, l2[k], a), l2[k + 1], b));
    d = ts_four_times(inverse[k + 3], less(less(less(d, l3[k], a), l3[k + 1], b), l3[k + 2], c));
    store(a, X, k);
    store(b, X, k + 1);
    store(c, X, k + 2);
    store(d, X, k + 3);
}

static inline void find_one(const ts_dof_chains* chains, int n, const double* L, const double* inverse, int k,
                            int above, double* X) {
    ts_four even = load(X, k), odd = ts_four_zero();
    for (int to = above, from; to >= 0; to = ts_dof_above(chains, from)) {
        from = chains->dof[chains->first + to].run - chains->first;
        int i = from;
        for (; i < to; i += 2) {
            even = less(even, L[k * n + i], load(X, i));
            odd = less(odd, L[k * n + i + 1], load(X, i + 1));
        }
        if (i == to) even = less(even, L[k * n + i], load(X, i));
    }
    store(ts_four_times(inverse[k], ts_four_plus(even, odd)), X, k);
}

static inline void unwhiten(const ts_dof_chains* chains, int n, const double* L, const double* inverse, int rows,
                            double* w) {
    double X[N * TS_TREE_TILES];
    for (int d = 0; d < n; ++d)
        store(ts_four_make(w[d], w[n + d], rows > 2 ? w[2 * n + d] : 0.0, rows > 3 ? w[3 * n + d] : 0.0), X, d);
    for (int start = 0, stop; start < n; start = stop) {
        int above = ts_dof_above(chains, start), k = start;
        for (stop = start + 1; stop < n && chains->dof[chains->first + stop].run - chains->first == start;) ++stop;
        for (; k + N <= stop; k += N) find_four(chains, n, L, inverse, k, k > start ? k - 1 : above, X);
        for (; k < stop; ++k) find_one(chains, n, L, inverse, k, k > start ? k - 1 : above, X);
    }
    for (int r = 0; r < rows; ++r)
        for (int d = 0; d < n; ++d) w[r * n + d] = X[N * d + r];
}

#if TS_WIDE

void ts_tree_factor_unwhiten_wide(const ts_dof_chains* chains, int n, const double* L, const double* inverse, int rows,
                                  double* w) {
    unwhiten(chains, n, L, inverse, rows, w);
}

#else

void ts_tree_factor_unwhiten_narrow(const ts_dof_chains* chains, int n, const double* L, const double* inverse,
                                    int rows, double* w) {
    unwhiten(chains, n, L, inverse, rows, w);
}

void ts_tree_factor_unwhiten_few(const ts_dof_chains* chains, int n, const double* L, const double* inverse, int rows,
                                 double* w) {
#if TS_HAVE_WIDE
    if (__builtin_cpu_supports("avx2")) {
        ts_tree_factor_unwhiten_wide(chains, n, L, inverse, rows, w);
        return;
    }
#endif
    unwhiten(chains, n, L, inverse, rows, w);
}

#endif
