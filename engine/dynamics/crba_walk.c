// Composite rigid bodies, the walk: in along the tree for inertias of all that hangs on a body, and what moves them at each dof; then four by four
// entries of M at a time.
//
// Problem, rule and source: crba.c. Which tiles of M hold anything is known beforehand (tree_scratch.c). Axes are laid out number by number, so that
// four dofs are asked for their power at once; entries of a tile that are off the chains are set to zero, which they are.
// Guaranteed: same bits with and without AVX2, since every entry is its own sum.
#include "engine/dynamics/crba_walk_internal.h"

#include "engine/dynamics/spatial_four_internal.h"

enum { N = 4, NUMBERS = 6, LANES = N * NUMBERS, ROW = 8, MASS = 0, MOMENT = 4, COLUMN = 8, SIZE = 32 };

// What has been left for a body by others that hang on it.
_Static_assert((int)SIZE == (int)TS_TREE_WALK_NUMBERS, "room in the scratch");

static inline double* known(const ts_crba_walk* walk, int b) { return ts_tree_scratch_walk(walk->scratch, b); }

static inline ts_inertia_four load(const double* from) {
    ts_inertia_four I = {
        from[MASS],
        ts_four_load(from + MOMENT),
        {ts_four_load(from + COLUMN), ts_four_load(from + COLUMN + N), ts_four_load(from + COLUMN + 2 * N)}};
    return I;
}

static inline void store(ts_inertia_four I, double* to) {
    to[MASS] = I.mass;
    ts_four_store(I.moment, to + MOMENT);
    for (int c = 0; c < 3; ++c) ts_four_store(I.column[c], to + COLUMN + c * N);
}

static inline ts_inertia_four plus(ts_inertia_four a, ts_inertia_four b) {
    ts_inertia_four I = {a.mass + b.mass,
                         ts_four_plus(a.moment, b.moment),
                         {ts_four_plus(a.column[0], b.column[0]), ts_four_plus(a.column[1], b.column[1]),
                          ts_four_plus(a.column[2], b.column[2])}};
    return I;
}

// Number i of the axis of dof d of the tree at lane[LANES * (d / N) + N * i + d % N].
static inline void lay_out(const ts_motion* axis, int count, double* lane) {
    int d = 0;
    for (; d + N <= count; d += N, lane += LANES) {
        const double* S = (const double*)&axis[d];
        ts_four a[N], b[N];
        for (int k = 0; k < N; ++k) a[k] = ts_four_load(S + NUMBERS * k), b[k] = ts_four_load(S + NUMBERS * k + 2);
        ts_four_transpose(&a[0], &a[1], &a[2], &a[3]);
        ts_four_transpose(&b[0], &b[1], &b[2], &b[3]);
        for (int i = 0; i < N; ++i) ts_four_store(a[i], lane + N * i);
        for (int i = N; i < NUMBERS; ++i) ts_four_store(b[i - 2], lane + N * i);
    }
    for (int k = 0; d + k < count; ++k)
        for (int i = 0; i < NUMBERS; ++i) lane[N * i + k] = ((const double*)&axis[d + k])[i];
}

// The power of a force on four axes.
static inline ts_four power(const ts_four S[NUMBERS], const double* f) {
    ts_four turn = ts_four_plus(ts_four_times(f[0], S[0]), ts_four_times(f[1], S[1]));
    ts_four move = ts_four_plus(ts_four_times(f[4], S[3]), ts_four_times(f[5], S[4]));
    turn = ts_four_plus(turn, ts_four_times(f[2], S[2]));
    move = ts_four_plus(move, ts_four_times(f[6], S[5]));
    return ts_four_plus(turn, move);
}

// What moves all that each dof carries, from the leaves on.
static inline void find_forces(const ts_crba_walk* walk, double* row) {
    const ts_model* model = walk->model;
    const ts_kinematics* k = walk->kinematics;
    const ts_kinematic_tree* tree = &model->tree[walk->tree];
    const int* body = model->tree_body + tree->body_first;
    const char* link = walk->scratch->body_link;
    const ts_motion* axis = k->own_axis;
    const ts_inertia* inertia = k->body_inertia;
    ts_inertia_four I = {0};
    int follows = 0;
    row -= (ptrdiff_t)ROW * tree->dof_first;
    for (int i = tree->body_count - 1; i >= 0; --i) {
        int b = body[i];
        const ts_body* own = &model->body[b];
        I = follows ? plus(ts_inertia_four_of(&inertia[b]), I) : ts_inertia_four_of(&inertia[b]);
        if (link[b] & TS_TREE_WAITS) I = plus(I, load(known(walk, b)));
        for (int d = own->dof_first, end = d + own->dof_count; d < end; ++d)
            ts_spatial_four_store(ts_inertia_four_mul(&I, ts_spatial_four_of(&axis[d])), row + (ptrdiff_t)ROW * d);
        follows = link[b] & TS_TREE_FOLLOWS;
        if (follows || model->body[own->parent].tree < 0) continue;
        double* left = known(walk, own->parent);
        store(link[b] & TS_TREE_OPENS ? I : plus(load(left), I), left);
    }
}

// Ones where bits of a mask are set.
static const double chosen[16][N] = {{0, 0, 0, 0}, {1, 0, 0, 0}, {0, 1, 0, 0}, {1, 1, 0, 0}, {0, 0, 1, 0}, {1, 0, 1, 0},
                                     {0, 1, 1, 0}, {1, 1, 1, 0}, {0, 0, 0, 1}, {1, 0, 0, 1}, {0, 1, 0, 1}, {1, 1, 0, 1},
                                     {0, 0, 1, 1}, {1, 0, 1, 1}, {0, 1, 1, 1}, {1, 1, 1, 1}};

// Of row r of a tile what couples two dofs of one chain.
static inline ts_four keep_chained(const ts_tree_tile* tile, int r, ts_four row) {
    return ts_four_where(ts_four_load(chosen[tile->chained >> N * r & 15]), row, ts_four_zero());
}

// A tile, `rows` by four, of M and its mirror image.
static inline void fill_tile(const ts_tree_tile* tile, int rows, const double* lane, const double* row, int ld,
                             double* M) {
    ts_four S[NUMBERS];
    for (int i = 0; i < NUMBERS; ++i) S[i] = ts_four_load(lane + LANES * tile->column + N * i);
    row += N * ROW * tile->row;
    ts_four a = power(S, row), b = rows > 1 ? power(S, row + ROW) : ts_four_zero(),
            c = rows > 2 ? power(S, row + 2 * ROW) : ts_four_zero(),
            d = rows > 3 ? power(S, row + 3 * ROW) : ts_four_zero();
    // Row by row by name: an array would be kept in memory.
    if (tile->chained != 0xffff) {
        a = keep_chained(tile, 0, a), b = keep_chained(tile, 1, b);
        c = keep_chained(tile, 2, c), d = keep_chained(tile, 3, d);
    }
    ts_four e = a, f = b, g = c, h = d;
    ts_four_transpose(&e, &f, &g, &h);
    double *across = M + (ptrdiff_t)(N * tile->row) * ld + N * tile->column,
           *down = M + (ptrdiff_t)(N * tile->column) * ld + N * tile->row;
    if (tile->row == tile->column) {
        a = e = ts_four_where(ts_four_load(chosen[1]), a, e), b = f = ts_four_where(ts_four_load(chosen[3]), b, f);
        c = g = ts_four_where(ts_four_load(chosen[7]), c, g), d = h = ts_four_where(ts_four_load(chosen[15]), d, h);
    }
    if (rows == N) {
        ts_four_store(a, across), ts_four_store(b, across + ld);
        ts_four_store(c, across + (ptrdiff_t)2 * ld), ts_four_store(d, across + (ptrdiff_t)3 * ld);
        ts_four_store(e, down), ts_four_store(f, down + ld);
        ts_four_store(g, down + (ptrdiff_t)2 * ld), ts_four_store(h, down + (ptrdiff_t)3 * ld);
        return;
    }
    double value[N][N];
    int columns = tile->row == tile->column ? rows : N;
    ts_four_store(a, value[0]), ts_four_store(b, value[1]), ts_four_store(c, value[2]), ts_four_store(d, value[3]);
    for (int r = 0; r < rows; ++r)
        for (int k = 0; k < columns; ++k) across[(ptrdiff_t)r * ld + k] = down[(ptrdiff_t)k * ld + r] = value[r][k];
}

static inline void run(const ts_crba_walk* walk, double* M) {
    const ts_model* model = walk->model;
    const ts_kinematic_tree* tree = &model->tree[walk->tree];
    const ts_tree_tile* tile = walk->scratch->tile;
    int first = tree->dof_first, n = tree->dof_count, whole = n / N;
    int at = walk->scratch->tile_start[walk->tree], end = walk->scratch->tile_start[walk->tree + 1];
    // Behind the last dof of a tree are zeros.
    ptrdiff_t place = ts_tree_scratch_place(walk->scratch, model, walk->tree);
    double *lane = walk->scratch->dof_lane + NUMBERS * place, *row = walk->scratch->dof_row + ROW * place;
    lay_out(walk->kinematics->own_axis + first, n, lane);
    find_forces(walk, row);
    for (; at < end && tile[at].row < whole; ++at) fill_tile(&tile[at], N, lane, row, walk->ld, M);
    for (; at < end; ++at) fill_tile(&tile[at], n - N * whole, lane, row, walk->ld, M);
    for (int d = 0; d < n; ++d) M[(ptrdiff_t)d * (walk->ld + 1)] += model->dof[first + d].armature;
}

#if TS_WIDE

void ts_crba_walk_wide(const ts_crba_walk* walk, double* M) { run(walk, M); }

#else

void ts_crba_walk_narrow(const ts_crba_walk* walk, double* M) { run(walk, M); }

void ts_crba_walk_run(const ts_crba_walk* walk, double* M) {
#if TS_HAVE_WIDE
    if (__builtin_cpu_supports("avx2")) {
        ts_crba_walk_wide(walk, M);
        return;
    }
#endif
    run(walk, M);
}

#endif
