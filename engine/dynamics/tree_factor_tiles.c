// The factor of the inertia of a tree of up to 64 dofs, in tiles of four by four, and a row through it.
//
// Problem, rule and source: tree_factor.c, tree_factor_rows.c; tiles: base/linear/tiles.c. M is copied into tiles, those that some chain crosses, factored there as
// L^T D L with unit L, and comes back with the roots of D.
// Guaranteed: same bits with and without AVX2; what is off the chains is zero, and stays so. Known failure: a pivot that is not positive, which is told.
#include "engine/dynamics/tree_factor_internal.h"

enum { N = TS_TILE };

static inline int rows_of(int n, int k) { return n - N * k < N ? n - N * k : N; }

// Which tiles chains cross.
static inline void couple(const ts_dof_chains* chains, int n, ts_tiles* H) {
    ts_tiles_begin(H, (n + N - 1) / N);
    for (int k = 0; k < H->count; ++k) H->below[k] = ts_dof_tiles_above(chains, k);
    ts_tiles_close(H);
}

// Rows [N k, N k + rows) of M; behind them the identity.
static inline void load(ts_tiles* H, int n, int k, int rows, const double* M) {
    const double* row = M + (ptrdiff_t)(N * k) * n;
    double* own = ts_tiles_at(H, k, k);
    for (uint32_t left = H->below[k]; left; left &= left - 1) {
        int j = ts_tiles_first(left);
        const double* from = row + N * j;
        double* to = ts_tiles_at(H, k, j);
        for (int r = 0; r < N; ++r) ts_four_store(r < rows ? ts_four_load(from + r * n) : ts_four_zero(), to + N * r);
    }
    // Above the diagonal may stand anything.
    for (int r = 0; r < N && rows == N; ++r) ts_four_store(ts_four_load(row + r * n + N * k), own + N * r);
    for (int r = 0; r < N && rows < N; ++r)
        for (int i = 0; i <= r; ++i) own[N * r + i] = r < rows ? row[r * n + N * k + i] : (double)(i == r);
}

// The same rows of L, whose unit rows stand in H, from the roots of their pivots.
static inline void store(ts_tiles* H, int n, int k, int rows, const double* root, double* L) {
    double* row = L + (ptrdiff_t)(N * k) * n;
    const double* own = ts_tiles_at(H, k, k);
    for (uint32_t left = H->below[k]; left; left &= left - 1) {
        int j = ts_tiles_first(left);
        const double* from = ts_tiles_at(H, k, j);
        double* to = row + N * j;
        for (int r = 0; r < rows; ++r) ts_four_store(ts_four_times(root[r], ts_four_load(from + N * r)), to + r * n);
    }
    if (rows == N) {
        // Rows of the unit tile, and zeros above its diagonal.
        static const double lower[N][N] = {{0, 0, 0, 0}, {1, 0, 0, 0}, {1, 1, 0, 0}, {1, 1, 1, 0}};
        static const double one[N][N] = {{1, 0, 0, 0}, {0, 1, 0, 0}, {0, 0, 1, 0}, {0, 0, 0, 1}};
        for (int r = 0; r < N; ++r) {
            ts_four unit = ts_four_where(ts_four_load(lower[r]), ts_four_load(own + N * r), ts_four_load(one[r]));
            ts_four_store(ts_four_times(root[r], unit), row + r * n + N * k);
        }
        return;
    }
    for (int r = 0; r < rows; ++r) {
        for (int i = 0; i < r; ++i) row[r * n + N * k + i] = root[r] * own[N * r + i];
        row[r * n + N * k + r] = root[r];
    }
}

static inline int make(const ts_dof_chains* chains, int n, const double* M, double* L, double* inverse) {
    _Alignas(64) ts_tiles H;
    couple(chains, n, &H);
    for (int k = 0; k < H.count; ++k) {
        if (N * k + N <= n)
            load(&H, n, k, N, M);
        else
            load(&H, n, k, rows_of(n, k), M);
    }
    if (!ts_tiles_factor(&H)) return 0;
    // A pivot beyond all numbers is none, nor is one whose inverse is.
    ts_four least = ts_four_all(1.0);
    for (int k = 0; k < H.count; ++k) {
        int rows = rows_of(n, k);
        double root[N], share[N];
        ts_four of_share = ts_four_root(ts_four_load(H.inverse[k])),
                of_root = ts_four_quotient(ts_four_all(1.0), of_share);
        least = ts_four_where(of_share, ts_four_where(of_root, least, ts_four_zero()), ts_four_zero());
        ts_four_store(of_root, root);
        ts_four_store(of_share, share);
        if (rows == N) {
            ts_four_store(of_share, inverse + N * k);
            store(&H, n, k, N, root, L);
        } else {
            for (int r = 0; r < rows; ++r) inverse[N * k + r] = share[r];
            store(&H, n, k, rows, root, L);
        }
    }
    double all[N];
    ts_four_store(least, all);
    if (!(all[0] > 0.0 && all[1] > 0.0 && all[2] > 0.0 && all[3] > 0.0)) return 0;
    return 1;
}

// Dofs of tile k among themselves, the last first; x is theirs. What waits for the one before does so for a product and a difference alone.
static inline ts_four whiten_tile(int n, const double* own, const double* inverse, const double* x) {
    const double *o1 = own + n, *o2 = o1 + n, *o3 = o2 + n;
    double a = x[0], b = x[1], c = x[2], d = x[3];
    a -= (o3[0] * inverse[3]) * d, b -= (o3[1] * inverse[3]) * d, c -= (o3[2] * inverse[3]) * d;
    a -= (o2[0] * inverse[2]) * c, b -= (o2[1] * inverse[2]) * c;
    a -= (o1[0] * inverse[1]) * b;
    return ts_four_product(ts_four_make(a, b, c, d), ts_four_load(inverse));
}

// The same of the last tile, where it is not full, and what it gives to the tiles that it hangs on.
static inline void whiten_last(const ts_dof_chains* chains, int n, int k, int rows, const double* L,
                               const double* inverse, double* x) {
    const double *row = L + (ptrdiff_t)(N * k) * n, *own = row + N * k;
    double* y = x + N * k;
    inverse += N * k;
    for (int r = rows - 1; r > 0; --r)
        for (int i = 0; i < r; ++i) y[i] -= (own[r * n + i] * inverse[r]) * y[r];
    for (int r = 0; r < rows; ++r) y[r] *= inverse[r];
    for (uint32_t above = ts_dof_tiles_above(chains, k); above; above &= above - 1) {
        int j = ts_tiles_first(above);
        const double* from = row + N * j;
        ts_four sum = ts_four_times(y[0], ts_four_load(from));
        for (int r = 1; r < rows; ++r) sum = ts_four_plus(sum, ts_four_times(y[r], ts_four_load(from + r * n)));
        ts_four_store(ts_four_minus(ts_four_load(x + N * j), sum), x + N * j);
    }
}

static inline void whiten_row(const ts_dof_chains* chains, int n, const double* L, const double* inverse, double* x) {
    if (n % N > 0) whiten_last(chains, n, n / N, n % N, L, inverse, x);
    for (int k = n / N - 1; k >= 0; --k) {
        const double* row = L + (ptrdiff_t)(N * k) * n;
        double* y = x + N * k;
        // Off a row's chain everything is zero and stays so.
        if (y[0] == 0.0 && y[1] == 0.0 && y[2] == 0.0 && y[3] == 0.0) continue;
        ts_four value = whiten_tile(n, row + N * k, inverse + N * k, y);
        ts_four a = ts_four_lane(value, 0), b = ts_four_lane(value, 1), c = ts_four_lane(value, 2),
                d = ts_four_lane(value, 3);
        ts_four_store(value, y);
        for (uint32_t above = ts_dof_tiles_above(chains, k); above; above &= above - 1) {
            int j = ts_tiles_first(above);
            const double* from = row + N * j;
            ts_four sum = ts_four_product(a, ts_four_load(from)), odd = ts_four_product(b, ts_four_load(from + n));
            sum = ts_four_plus(sum, ts_four_product(c, ts_four_load(from + 2 * n)));
            odd = ts_four_plus(odd, ts_four_product(d, ts_four_load(from + 3 * n)));
            ts_four_store(ts_four_minus(ts_four_load(x + N * j), ts_four_plus(sum, odd)), x + N * j);
        }
    }
}

// What tile k of w is given by the tiles that it hangs on.
static inline ts_four given(const ts_dof_chains* chains, int n, int rows, const double* L, int k, const double* w) {
    const double* row = L + (ptrdiff_t)(N * k) * n;
    ts_four a = ts_four_zero(), b = a, c = a, d = a;
    for (uint32_t above = ts_dof_tiles_above(chains, k); above; above &= above - 1) {
        int j = ts_tiles_first(above);
        const double* from = row + N * j;
        ts_four v = ts_four_load(w + N * j);
        a = ts_four_plus(a, ts_four_product(ts_four_load(from), v));
        if (rows > 1) b = ts_four_plus(b, ts_four_product(ts_four_load(from + n), v));
        if (rows > 2) c = ts_four_plus(c, ts_four_product(ts_four_load(from + 2 * n), v));
        if (rows > 3) d = ts_four_plus(d, ts_four_product(ts_four_load(from + 3 * n), v));
    }
    ts_four_transpose(&a, &b, &c, &d);
    return ts_four_plus(ts_four_plus(a, c), ts_four_plus(b, d));
}

// The same from the first on; what they have been given by others goes off before.
static inline void unwhiten_tile(int n, int rows, const double* own, const double* inverse, ts_four given, double* w) {
    double x[N];
    if (rows == N) given = ts_four_product(ts_four_load(inverse), ts_four_minus(ts_four_load(w), given));
    ts_four_store(given, x);
    for (int r = 0; r < rows && rows < N; ++r) x[r] = (w[r] - x[r]) * inverse[r];
    for (int r = 1; r < rows; ++r)
        for (int i = 0; i < r; ++i) x[r] -= (own[r * n + i] * inverse[r]) * x[i];
    // In one piece, as it is read.
    if (rows == N) ts_four_store(ts_four_make(x[0], x[1], x[2], x[3]), w);
    for (int r = 0; r < N - 1 && rows < N; ++r)
        if (r < rows) w[r] = x[r];
}

static inline void unwhiten_row(const ts_dof_chains* chains, int n, const double* L, const double* inverse, double* w) {
    int k = 0;
    for (; N * k + N <= n; ++k)
        unwhiten_tile(n, N, L + (ptrdiff_t)(N * k) * (n + 1), inverse + N * k, given(chains, n, N, L, k, w), w + N * k);
    int rows = n - N * k;
    if (rows > 0)
        unwhiten_tile(n, rows, L + (ptrdiff_t)(N * k) * (n + 1), inverse + N * k, given(chains, n, rows, L, k, w),
                      w + N * k);
}

#if TS_WIDE

int ts_tree_factor_tiles_wide(const ts_dof_chains* chains, int n, const double* M, double* L, double* inverse) {
    return make(chains, n, M, L, inverse);
}

void ts_tree_factor_whiten_one_wide(const ts_dof_chains* chains, int n, const double* L, const double* inverse,
                                    double* x) {
    whiten_row(chains, n, L, inverse, x);
}

void ts_tree_factor_unwhiten_one_wide(const ts_dof_chains* chains, int n, const double* L, const double* inverse,
                                      double* w) {
    unwhiten_row(chains, n, L, inverse, w);
}

#else

void ts_tree_factor_whiten_one_narrow(const ts_dof_chains* chains, int n, const double* L, const double* inverse,
                                      double* x) {
    whiten_row(chains, n, L, inverse, x);
}

void ts_tree_factor_unwhiten_one_narrow(const ts_dof_chains* chains, int n, const double* L, const double* inverse,
                                        double* w) {
    unwhiten_row(chains, n, L, inverse, w);
}

void ts_tree_factor_whiten_one(const ts_dof_chains* chains, int n, const double* L, const double* inverse, double* x) {
#if TS_HAVE_WIDE
    if (__builtin_cpu_supports("avx2")) {
        ts_tree_factor_whiten_one_wide(chains, n, L, inverse, x);
        return;
    }
#endif
    whiten_row(chains, n, L, inverse, x);
}

void ts_tree_factor_unwhiten_one(const ts_dof_chains* chains, int n, const double* L, const double* inverse,
                                 double* w) {
#if TS_HAVE_WIDE
    if (__builtin_cpu_supports("avx2")) {
        ts_tree_factor_unwhiten_one_wide(chains, n, L, inverse, w);
        return;
    }
#endif
    unwhiten_row(chains, n, L, inverse, w);
}

int ts_tree_factor_tiles_narrow(const ts_dof_chains* chains, int n, const double* M, double* L, double* inverse) {
    return make(chains, n, M, L, inverse);
}

int ts_tree_factor_tiles(const ts_dof_chains* chains, int n, const double* M, double* L, double* inverse) {
#if TS_HAVE_WIDE
    if (__builtin_cpu_supports("avx2")) return ts_tree_factor_tiles_wide(chains, n, M, L, inverse);
#endif
    return make(chains, n, M, L, inverse);
}

#endif
