// Composite rigid bodies, the walk: in along the tree for inertias of all that hangs on a body, and from each dof along its chain.
//
// Problem, rule and source: crba.c. Axes are laid out number by number first, so that four dofs of a run are asked for their power at once.
// Guaranteed: same bits with and without AVX2, since every entry is its own sum.
#include "engine/dynamics/crba_walk_internal.h"

#include "engine/dynamics/spatial_four_internal.h"

enum { N = 4, NUMBERS = 6, MASS = 0, MOMENT = 4, COLUMN = 8, SIZE = 32 };

// What is known of a body and all that hangs on it.
static inline double* known(const ts_crba_walk* walk, int b) { return walk->scratch->walk + (ptrdiff_t)SIZE * b; }

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

// Number i of the axis of dof d of the tree at lane[i * stride + d].
static inline void lay_out(const ts_motion* axis, int count, int stride, double* lane) {
    int d = 0;
    for (; d + N <= count; d += N) {
        const double* S = (const double*)&axis[d];
        ts_four a[N], b[N];
        for (int k = 0; k < N; ++k) a[k] = ts_four_load(S + NUMBERS * k), b[k] = ts_four_load(S + NUMBERS * k + 2);
        ts_four_transpose(&a[0], &a[1], &a[2], &a[3]);
        ts_four_transpose(&b[0], &b[1], &b[2], &b[3]);
        for (int i = 0; i < N; ++i) ts_four_store(a[i], lane + i * stride + d);
        for (int i = N; i < NUMBERS; ++i) ts_four_store(b[i - 2], lane + i * stride + d);
    }
    for (; d < count; ++d)
        for (int i = 0; i < NUMBERS; ++i) lane[i * stride + d] = ((const double*)&axis[d])[i];
}

// The power of a force, each number four times, on four axes.
static inline ts_four power(const double* lane, int stride, const ts_four f[NUMBERS]) {
    ts_four turn =
        ts_four_plus(ts_four_product(f[0], ts_four_load(lane)), ts_four_product(f[1], ts_four_load(lane + stride)));
    ts_four move = ts_four_plus(ts_four_product(f[3], ts_four_load(lane + 3 * stride)),
                                ts_four_product(f[4], ts_four_load(lane + 4 * stride)));
    turn = ts_four_plus(turn, ts_four_product(f[2], ts_four_load(lane + 2 * stride)));
    move = ts_four_plus(move, ts_four_product(f[5], ts_four_load(lane + 5 * stride)));
    return ts_four_plus(turn, move);
}

// Row and column d of M, run by run of its chain: what moves all that d carries, on the dofs that d hangs on.
static inline void fill_row(const ts_crba_walk* walk, int d, const double* lane, int stride, const ts_four* f,
                            double* M) {
    const ts_dof* dof = walk->model->dof;
    int first = walk->model->tree[walk->tree].dof_first;
    double *row = M + (ptrdiff_t)d * walk->ld, *column = M + d;
    for (int end = d, start; end >= 0; end = dof[first + start].parent - first) {
        start = dof[first + end].run - first;
        for (int e = start; e <= end; e += N) {
            double value[N];
            ts_four four = power(lane + e, stride, f);
            ts_four_store(four, value);
            if (e + N <= end + 1) {
                ts_four_store(four, row + e);
                for (int i = 0; i < N; ++i) column[(ptrdiff_t)(e + i) * walk->ld] = value[i];
                continue;
            }
            for (int i = 0; e + i <= end; ++i) row[e + i] = column[(ptrdiff_t)(e + i) * walk->ld] = value[i];
        }
    }
    row[d] += dof[first + d].armature;
}

static inline void run(const ts_crba_walk* walk, double* M) {
    const ts_model* model = walk->model;
    const ts_kinematics* k = walk->kinematics;
    const ts_kinematic_tree* tree = &model->tree[walk->tree];
    const int* body = model->tree_body + tree->body_first;
    // A chain's last vector reads up to three numbers behind it, which mean nothing.
    int first = tree->dof_first, stride = tree->dof_count + N;
    double* lane = walk->scratch->dof_lane + (ptrdiff_t)NUMBERS * (first + N * walk->tree);
    lay_out(k->dof_axis + first, tree->dof_count, stride, lane);
    for (int i = 0; i < tree->body_count; ++i)
        store(ts_inertia_four_of(&k->body_inertia[body[i]]), known(walk, body[i]));
    for (int i = tree->body_count - 1; i >= 0; --i) {
        const ts_body* own = &model->body[body[i]];
        ts_inertia_four I = load(known(walk, body[i]));
        for (int d = own->dof_first; d < own->dof_first + own->dof_count; ++d) {
            ts_spatial_four force = ts_inertia_four_mul(&I, ts_spatial_four_of(&k->dof_axis[d]));
            ts_four f[NUMBERS];
            for (int c = 0; c < 3; ++c) f[c] = ts_four_lane(force.angular, c), f[3 + c] = ts_four_lane(force.linear, c);
            fill_row(walk, d - first, lane, stride, f, M);
        }
        if (model->body[own->parent].tree >= 0)
            store(plus(load(known(walk, own->parent)), I), known(walk, own->parent));
    }
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
