// Rows of robots, four side by side.
//
// Problem: rows j of a block over the chains of a tree, their speeds j v, and L^-T j with M = L^T L (engine/dynamics/tree_factor.h).
// Rule: row r of a contact is wrench_r . S_d for every dof d of its body's chain, S_d the dof's axis; the lanes are the rows. From the leaves to the
// root x_k /= L_kk, then x_i -= L_ki x_k for all i that k hangs on, four dofs k at a time, so that x_i is read and written once for them.
// Several contacts of one chain are combined from its axes, whitened once: L^-T (S^T w) = (L^-T S^T) w.
// Source: Featherstone (2008), section 6.5. Guaranteed: rows keep their chains; same bits with and without AVX2, since every lane is a row's own
// sum. Known failure: none; a row without company costs as much as four.
#include "engine/rows/row_lanes_internal.h"

#include <string.h>

#include "base/linear/four.h"

enum { N = TS_ROW_LANES };

static void add_one(const ts_row_lanes_wrench* by, int last, double* J) {
    const double* w = by->wrench;
    for (int d = last; d >= 0; d = by->model->dof[d].parent) {
        const ts_motion* S = &by->axis[d];
        double turn = w[0] * S->angular.x + w[N] * S->angular.y + w[2 * N] * S->angular.z;
        J[N * (d - by->first)] += turn + (w[3 * N] * S->linear.x + w[4 * N] * S->linear.y + w[5 * N] * S->linear.z);
    }
}

static void add(const ts_row_lanes_wrench* by, int last, double* J) {
    const ts_dof* dof = by->model->dof;
    if (by->groups == 0) add_one(by, last, J);
    for (int g = 0; g < by->groups; ++g) {
        const double* w = by->wrench + 6 * N * g;
        ts_four w0 = ts_four_load(w), w1 = ts_four_load(w + N), w2 = ts_four_load(w + 2 * N),
                w3 = ts_four_load(w + 3 * N), w4 = ts_four_load(w + 4 * N), w5 = ts_four_load(w + 5 * N);
        double* X = J + (ptrdiff_t)N * g * by->count;
        for (int end = last; end >= 0; end = dof[dof[end].run].parent) {
            for (int d = end; d >= dof[end].run; --d) {
                const ts_motion* S = &by->axis[d];
                ts_four turn = ts_four_plus(ts_four_times(S->angular.x, w0), ts_four_times(S->angular.y, w1));
                ts_four move = ts_four_plus(ts_four_times(S->linear.x, w3), ts_four_times(S->linear.y, w4));
                turn = ts_four_plus(turn, ts_four_times(S->angular.z, w2));
                move = ts_four_plus(move, ts_four_times(S->linear.z, w5));
                double* x = X + N * (d - by->first);
                ts_four_store(ts_four_plus(ts_four_load(x), ts_four_plus(turn, move)), x);
            }
        }
    }
}

// Four dofs of a run, k and those behind it, among themselves; then what they leave to the dofs that they hang on.
static inline void whiten_four(const ts_row_lanes* lanes, int k, double* X) {
    const ts_dof* dof = lanes->model->dof + lanes->first;
    const double *L0 = lanes->L + (ptrdiff_t)k * lanes->count, *L1 = L0 + lanes->count, *L2 = L1 + lanes->count,
                 *L3 = L2 + lanes->count, *inverse = lanes->inverse + k;
    double* x = X + N * k;
    ts_four x3 = ts_four_times(inverse[3], ts_four_load(x + 3 * N));
    ts_four x2 = ts_four_minus(ts_four_load(x + 2 * N), ts_four_times(L3[k + 2], x3));
    x2 = ts_four_times(inverse[2], x2);
    ts_four later = ts_four_plus(ts_four_times(L3[k + 1], x3), ts_four_times(L2[k + 1], x2));
    ts_four x1 = ts_four_times(inverse[1], ts_four_minus(ts_four_load(x + N), later));
    later = ts_four_plus(ts_four_times(L3[k], x3), ts_four_times(L2[k], x2));
    later = ts_four_plus(later, ts_four_times(L1[k], x1));
    ts_four x0 = ts_four_times(inverse[0], ts_four_minus(ts_four_load(x), later));
    ts_four_store(x0, x);
    ts_four_store(x1, x + N);
    ts_four_store(x2, x + 2 * N);
    ts_four_store(x3, x + 3 * N);
    for (int from = dof[k].run - lanes->first, to = k - 1;;) {
        for (int i = from; i <= to; ++i) {
            ts_four late = ts_four_plus(ts_four_times(L3[i], x3), ts_four_times(L2[i], x2));
            ts_four early = ts_four_plus(ts_four_times(L1[i], x1), ts_four_times(L0[i], x0));
            ts_four_store(ts_four_minus(ts_four_load(X + N * i), ts_four_plus(late, early)), X + N * i);
        }
        to = dof[from].parent - lanes->first;
        if (to < 0) return;
        from = dof[to].run - lanes->first;
    }
}

// The same of one.
static inline void whiten_one(const ts_row_lanes* lanes, int k, double* X) {
    const ts_dof* dof = lanes->model->dof + lanes->first;
    const double* L = lanes->L + (ptrdiff_t)k * lanes->count;
    ts_four x = ts_four_times(lanes->inverse[k], ts_four_load(X + N * k));
    ts_four_store(x, X + N * k);
    for (int from = dof[k].run - lanes->first, to = k - 1;;) {
        for (int i = from; i <= to; ++i)
            ts_four_store(ts_four_minus(ts_four_load(X + N * i), ts_four_times(L[i], x)), X + N * i);
        to = dof[from].parent - lanes->first;
        if (to < 0) return;
        from = dof[to].run - lanes->first;
    }
}

static inline int is_zero(const double* x) { return x[0] == 0.0 && x[1] == 0.0 && x[2] == 0.0 && x[3] == 0.0; }

// Columns [first, last] and what they hang on. Off the rows' chains everything is zero and stays so.
static void whiten(const ts_row_lanes* lanes, int first, int last, double* X) {
    const ts_dof* dof = lanes->model->dof + lanes->first;
    for (int start; last >= first; last = start - 1) {
        start = dof[last].run - lanes->first;
        int end = last;
        while (end >= start && is_zero(X + N * end)) --end;
        for (; end - N + 1 >= start; end -= N) whiten_four(lanes, end - N + 1, X);
        for (; end >= start; --end) whiten_one(lanes, end, X);
    }
}

// Columns of up to four rows into rows.
static inline void store(const double* X, int count, int rows, double* out) {
    int d = 0;
    for (; d + N <= count; d += N, X += N * N) {
        ts_four row[N] = {ts_four_load(X), ts_four_load(X + N), ts_four_load(X + 2 * N), ts_four_load(X + 3 * N)};
        ts_four_transpose(&row[0], &row[1], &row[2], &row[3]);
        ts_four_store(row[0], out + d);
        if (rows > 1) ts_four_store(row[1], out + count + d);
        if (rows > 2) ts_four_store(row[2], out + 2 * count + d);
        if (rows > 3) ts_four_store(row[3], out + 3 * count + d);
    }
    for (; d < count; ++d, X += N)
        for (int r = 0; r < rows; ++r) out[r * count + d] = X[r];
}

static void close(const ts_row_lanes* lanes, double* out_now, double* out_free, double* out_rows) {
    for (int r = 0; r < lanes->rows; r += N) {
        int rows = lanes->rows - r < N ? lanes->rows - r : N;
        double *X = lanes->J + (ptrdiff_t)r * lanes->count, now[N], free[N], *out = out_rows;
        ts_four u = ts_four_zero(), v = ts_four_zero();
        for (int s = 0; s < lanes->segments; ++s) {
            int from = lanes->segment[s].column - lanes->first, to = from + lanes->segment[s].count;
            for (int d = from; d < to; ++d) {
                ts_four x = ts_four_load(X + N * d);
                u = ts_four_plus(u, ts_four_times(lanes->now[d], x));
                v = ts_four_plus(v, ts_four_times(lanes->free[d], x));
            }
        }
        ts_four_store(u, now);
        ts_four_store(v, free);
        for (int i = 0; i < rows; ++i) {
            out_now[r + i] += now[i];
            out_free[r + i] += free[i];
        }
        for (int s = 0; s < lanes->segments; ++s) {
            int from = lanes->segment[s].column - lanes->first, count = lanes->segment[s].count;
            whiten(lanes, from, from + count - 1, X);
        }
        // A segment holds all rows, the next one follows.
        for (int s = 0; out_rows && s < lanes->segments; ++s) {
            int from = lanes->segment[s].column - lanes->first, count = lanes->segment[s].count;
            store(X + N * from, count, rows, out + (ptrdiff_t)r * count);
            out += (ptrdiff_t)lanes->rows * count;
        }
    }
}

// Four columns of a row.
static inline ts_four combine_four(const double* w, const ts_four c[6]) {
    ts_four turn = ts_four_plus(ts_four_times(w[0], c[0]), ts_four_times(w[1], c[1]));
    ts_four move = ts_four_plus(ts_four_times(w[3], c[3]), ts_four_times(w[4], c[4]));
    turn = ts_four_plus(turn, ts_four_times(w[2], c[2]));
    move = ts_four_plus(move, ts_four_times(w[5], c[5]));
    return ts_four_plus(turn, move);
}

static inline double combine_one(const double* w, const double* c, int count) {
    double turn = w[0] * c[0] + w[1] * c[count] + w[2] * c[2 * count];
    return turn + (w[3] * c[3 * count] + w[4] * c[4 * count] + w[5] * c[5 * count]);
}

// The last four columns of a segment overlap with those before: every number is its own sum.
static void combine(const ts_row_lanes_mix* mix, double* out) {
    const double* component = mix->component;
    for (int s = 0; s < mix->segments; ++s) {
        int count = mix->segment[s].count;
        for (int d = 0; count >= N && d < count; d += N) {
            int at = d + N <= count ? d : count - N;
            ts_four c[6];
            for (int k = 0; k < 6; ++k) c[k] = ts_four_load(component + k * count + at);
            for (int r = 0; r < mix->rows; ++r)
                ts_four_store(combine_four(mix->wrench + 6 * r, c), out + r * count + at);
        }
        for (int d = 0; count < N && d < count; ++d)
            for (int r = 0; r < mix->rows; ++r)
                out[r * count + d] = combine_one(mix->wrench + 6 * r, component + d, count);
        component += 6 * count;
        out += (ptrdiff_t)mix->rows * count;
    }
}

// --- lone bodies ---

// Numbers of three rows over the six columns of a body, side by side: named, so that they stay in registers.
typedef struct three_rows {
    ts_four a, b, c, d, e, f;
} three_rows;

static inline void note_three(const three_rows* x, const double* v, double* io_speed) {
    ts_four first = ts_four_plus(ts_four_times(v[0], x->a), ts_four_times(v[1], x->b));
    ts_four second = ts_four_plus(ts_four_times(v[2], x->c), ts_four_times(v[3], x->d));
    ts_four last = ts_four_plus(ts_four_times(v[4], x->e), ts_four_times(v[5], x->f));
    ts_four sum = ts_four_plus(ts_four_plus(first, second), last);
    ts_four_store_three(ts_four_plus(ts_four_load(io_speed), sum), io_speed);
}

// x . turn, the column of a rotation that begins at R.
static inline ts_four along_column(const double* R, ts_four x, ts_four y, ts_four z) {
    return ts_four_plus(ts_four_plus(ts_four_times(R[0], x), ts_four_times(R[3], y)), ts_four_times(R[6], z));
}

// The rows that the columns of a frame make at the point, or their opposites. What stands in the last lane is nobody's: reads go one number further
// than a row of the frame, but not in the last.
static inline three_rows rows_along(const ts_row_lanes_lone* by) {
    const double *R = &by->pose->R.m[0][0], *axis = &by->frame->m[0][0];
    ts_vec3 l = ts_vec3_sub(by->point, by->pose->p);
    ts_four x = ts_four_times(by->sign, ts_four_load(axis)), y = ts_four_times(by->sign, ts_four_load(axis + 3));
    ts_four z = ts_four_times(by->sign, ts_four_next(ts_four_load(axis + 5)));
    ts_four u = ts_four_minus(ts_four_times(l.y, z), ts_four_times(l.z, y));
    ts_four v = ts_four_minus(ts_four_times(l.z, x), ts_four_times(l.x, z));
    ts_four w = ts_four_minus(ts_four_times(l.x, y), ts_four_times(l.y, x));
    return (three_rows){x, y, z, along_column(R, u, v, w), along_column(R + 1, u, v, w), along_column(R + 2, u, v, w)};
}

// ts_free_body_whiten_centred of each row.
static inline void whiten_three(const double* L, const double* inverse, three_rows* x) {
    x->a = ts_four_times(inverse[0], x->a);
    x->b = ts_four_times(inverse[1], x->b);
    x->c = ts_four_times(inverse[2], x->c);
    x->f = ts_four_times(inverse[5], x->f);
    x->e = ts_four_times(inverse[4], ts_four_minus(x->e, ts_four_times(L[34], x->f)));
    x->d = ts_four_minus(ts_four_minus(x->d, ts_four_times(L[33], x->f)), ts_four_times(L[27], x->e));
    x->d = ts_four_times(inverse[3], x->d);
}

static inline void store_three(three_rows x, double* to) {
    ts_four none = ts_four_zero(), last = none, rest = none;
    double tail[4];
    ts_four_transpose(&x.a, &x.b, &x.c, &x.d);
    ts_four_transpose(&x.e, &x.f, &last, &rest);
    ts_four_store(x.a, to);
    ts_four_store(x.b, to + 6);
    ts_four_store(x.c, to + 12);
    ts_four_store(x.e, tail), to[4] = tail[0], to[5] = tail[1];
    ts_four_store(x.f, tail), to[10] = tail[0], to[11] = tail[1];
    ts_four_store(last, tail), to[16] = tail[0], to[17] = tail[1];
}

static void three(const ts_row_lanes_lone* by, int bodies, double* io_now, double* io_free, double* out_rows) {
    for (int k = 0; k < bodies; ++k, out_rows += 18) {
        three_rows x = rows_along(&by[k]);
        note_three(&x, by[k].now, io_now);
        note_three(&x, by[k].free, io_free);
        whiten_three(by[k].L, by[k].inverse, &x);
        store_three(x, out_rows);
    }
}

#if TS_WIDE

void ts_row_lanes_three_wide(const ts_row_lanes_lone* by, int bodies, double* io_now, double* io_free,
                             double* out_rows) {
    three(by, bodies, io_now, io_free, out_rows);
}

void ts_row_lanes_combine_wide(const ts_row_lanes_mix* mix, double* out_rows) { combine(mix, out_rows); }

void ts_row_lanes_add_wide(const ts_row_lanes_wrench* by, int last, double* J) { add(by, last, J); }

void ts_row_lanes_close_wide(const ts_row_lanes* lanes, double* out_now, double* out_free, double* out_rows) {
    close(lanes, out_now, out_free, out_rows);
}

#else

void ts_row_lanes_three_narrow(const ts_row_lanes_lone* by, int bodies, double* io_now, double* io_free,
                               double* out_rows) {
    three(by, bodies, io_now, io_free, out_rows);
}

void ts_row_lanes_three(const ts_row_lanes_lone* by, int bodies, double* io_now, double* io_free, double* out_rows) {
#if TS_HAVE_WIDE
    if (__builtin_cpu_supports("avx2")) {
        ts_row_lanes_three_wide(by, bodies, io_now, io_free, out_rows);
        return;
    }
#endif
    three(by, bodies, io_now, io_free, out_rows);
}

void ts_row_lanes_combine_narrow(const ts_row_lanes_mix* mix, double* out_rows) { combine(mix, out_rows); }

void ts_row_lanes_combine(const ts_row_lanes_mix* mix, double* out_rows) {
#if TS_HAVE_WIDE
    if (__builtin_cpu_supports("avx2")) {
        ts_row_lanes_combine_wide(mix, out_rows);
        return;
    }
#endif
    combine(mix, out_rows);
}

void ts_row_lanes_add_narrow(const ts_row_lanes_wrench* by, int last, double* J) { add(by, last, J); }

void ts_row_lanes_close_narrow(const ts_row_lanes* lanes, double* out_now, double* out_free, double* out_rows) {
    close(lanes, out_now, out_free, out_rows);
}

void ts_row_lanes_add(const ts_row_lanes_wrench* by, int last, double* J) {
#if TS_HAVE_WIDE
    if (__builtin_cpu_supports("avx2")) {
        ts_row_lanes_add_wide(by, last, J);
        return;
    }
#endif
    add(by, last, J);
}

void ts_row_lanes_close(const ts_row_lanes* lanes, double* out_now, double* out_free, double* out_rows) {
#if TS_HAVE_WIDE
    if (__builtin_cpu_supports("avx2")) {
        ts_row_lanes_close_wide(lanes, out_now, out_free, out_rows);
        return;
    }
#endif
    close(lanes, out_now, out_free, out_rows);
}

#endif
