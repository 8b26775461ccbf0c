// The factor of the inertia of a tree of up to 64 dofs, in tiles of four by four.
//
// Problem, rule and source: tree_factor.c; tiles: base/linear/tiles.c. M is copied into tiles, those that some chain crosses, factored there as
// L^T D L with unit L, and comes back with the roots of D.
// Guaranteed: same bits with and without AVX2; what is off the chains is zero, and stays so. Known failure: a pivot that is not positive, which is told.
#include "engine/dynamics/tree_factor_internal.h"

enum { N = TS_TILE };

// The tiles from that of dof `from` to that before dof `to`'s, a bit each.
static inline uint32_t tiles_between(int from, int to) { return (1u << (unsigned)to / N) - (1u << (unsigned)from / N); }

// Which tiles chains cross, run by run.
static inline void couple(const ts_dof_chains* chains, int n, ts_tiles* H) {
    const ts_dof* dof = chains->dof + chains->first;
    uint32_t above[TS_TREE_TILES];  // of each run's first dof, the tiles of those that it hangs on
    ts_tiles_begin(H, (n + N - 1) / N);
    for (int start = 0, stop; start < n; start = stop) {
        int parent = ts_dof_above(chains, start), run = start + chains->first;
        for (stop = start + 1; stop < n && dof[stop].run == run;) ++stop;
        above[start] = 0;
        if (parent >= 0) {
            int root = dof[parent].run - chains->first;
            above[start] = above[root] | tiles_between(root, parent) | 1u << (unsigned)parent / N;
        }
        for (unsigned k = (unsigned)start / N; k <= (unsigned)(stop - 1) / N; ++k)
            H->below[k] |= (above[start] | tiles_between(start, N * (int)k)) & ((1u << k) - 1);
    }
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

static inline int rows_of(int n, int k) { return n - N * k < N ? n - N * k : N; }

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
    for (int k = 0; k < H.count; ++k) {
        int rows = rows_of(n, k);
        double root[N], share[N];
        ts_four of_share = ts_four_root(ts_four_load(H.inverse[k]));
        ts_four_store(of_share, share);
        ts_four_store(ts_four_quotient(ts_four_all(1.0), of_share), root);
        for (int r = 0; r < rows; ++r) {
            // A pivot beyond all numbers, or one whose inverse is.
            if (!(share[r] > 0.0 && root[r] > 0.0)) return 0;
            inverse[N * k + r] = share[r];
        }
        if (rows == N)
            store(&H, n, k, N, root, L);
        else
            store(&H, n, k, rows, root, L);
    }
    return 1;
}

#if TS_WIDE

int ts_tree_factor_tiles_wide(const ts_dof_chains* chains, int n, const double* M, double* L, double* inverse) {
    return make(chains, n, M, L, inverse);
}

#else

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
