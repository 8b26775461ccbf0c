// Rows through the factor of a tree.
//
// Problem: x <- x L^-1 of rows of Jacobians (whitening), w <- L^-1 w and both together, M^-1.
// Rule: run by run of the chains, several rows or several entries at a time, so that nothing waits for the entry before; what is off a row's chain
// is zero and stays so.
// Source: Featherstone (2008), section 6.5.
// Guarantee: the same bits with vectors of two lanes and of four; backward stable.
// Known failure: none.
#include "engine/dynamics/tree_factor_internal.h"

#include "base/scalar.h"
#include "engine/dynamics/free_body_internal.h"

// x -= sum over lines k = last down to first of value[k] times columns [0, n) of line k, lines `ld` apart.
static inline void subtract_lines(const double* line, int ld, int first, int last, int n, const double* value,
                                  double* x) {
    int j = 0;
#if defined(__GNUC__)
    for (; j + 2 <= n; j += 2) {
        ts_two_columns sum = ts_pair_of_columns(x + j);
        for (int k = last; k >= first; --k)
            sum -= ts_pair_of_columns(line + k * ld + j) * (ts_two_columns){value[k], value[k]};
        memcpy(x + j, &sum, sizeof sum);
    }
#endif
    for (; j < n; ++j) {
        double sum = x[j];
        for (int k = last; k >= first; --k) sum -= line[k * ld + j] * value[k];
        x[j] = sum;
    }
}

// The same of three rows x, and their values, each `stride` behind the other.
static inline void subtract_lines_three(const double* line, int ld, int first, int last, int n, const double* value,
                                        int stride, double* x) {
    int j = 0;
#if defined(__GNUC__)
    const double *v1 = value + stride, *v2 = v1 + stride;
    for (; j + 2 <= n; j += 2) {
        ts_two_columns a = ts_pair_of_columns(x + j), b = ts_pair_of_columns(x + stride + j),
                       c = ts_pair_of_columns(x + 2 * stride + j);
        for (int k = last; k >= first; --k) {
            ts_two_columns l = ts_pair_of_columns(line + k * ld + j);
            a -= l * (ts_two_columns){value[k], value[k]};
            b -= l * (ts_two_columns){v1[k], v1[k]};
            c -= l * (ts_two_columns){v2[k], v2[k]};
        }
        memcpy(x + j, &a, sizeof a);
        memcpy(x + stride + j, &b, sizeof b);
        memcpy(x + 2 * stride + j, &c, sizeof c);
    }
#endif
    for (int r = 0; r < 3 && j < n; ++r)
        subtract_lines(line + j, ld, first, last, n - j, value + r * stride, x + r * stride + j);
}

// Columns [column, column + count) of three rows less what dofs [low, end] have given them.
static inline void pass_on(const double* L, int n, int low, int end, int column, int count, double* x) {
    subtract_lines_three(L + column, n, low, end, count, x, n, x + column);
}

// ts_dynamics_whiten of three rows of a general tree: together they read the factor once and do not wait for each other. Run by
// run from the leaves: within the run, then all of it from the runs that it hangs on.
static inline void whiten_three(const ts_dof_chains* chains, int n, const double* L, const double* inverse, double* x) {
    for (int last = n - 1, start; last >= 0; last = start - 1) {
        start = chains->dof[chains->first + last].run - chains->first;
        // Off the rows' chains everything is zero and stays so.
        while (last >= start && x[last] == 0.0 && x[n + last] == 0.0 && x[2 * n + last] == 0.0) --last;
        if (last < start) continue;
        for (int end = last, low; end >= start; end = low - 1) {
            low = end - TS_DOF_CHUNK + 1 > start ? end - TS_DOF_CHUNK + 1 : start;
            for (int k = end; k >= low; --k) {
                for (int r = 0; r < 3; ++r) {
                    double value = x[r * n + k] *= inverse[k];
                    for (int i = low; i < k; ++i) x[r * n + i] -= L[k * n + i] * value;
                }
            }
            pass_on(L, n, low, end, start, low - start, x);
        }
        for (int i = ts_dof_above(chains, start), from; i >= 0; i = ts_dof_above(chains, from)) {
            from = chains->dof[chains->first + i].run - chains->first;
            pass_on(L, n, start, last, from, i + 1 - from, x);
        }
    }
}

// x -= sum over so many lines, `ld` apart, of value times the line, n numbers.
TS_LINE_INLINED void subtract_lines_one(const double* line, int ld, int lines, const double* value, int n, double* x) {
    int j = 0;
#if defined(__GNUC__)
    for (; j + 4 <= n; j += 4) {
        ts_four_columns sum;
        memcpy(&sum, x + j, sizeof sum);
        const double* at = line + j;
        for (int r = 0; r < lines; ++r, at += ld) {
            ts_four_columns l;
            memcpy(&l, at, sizeof l);
            sum -= l * (ts_four_columns){value[r], value[r], value[r], value[r]};
        }
        memcpy(x + j, &sum, sizeof sum);
    }
    if (j + 2 <= n) {
        ts_two_columns sum = ts_pair_of_columns(x + j);
        const double* at = line + j;
        for (int r = 0; r < lines; ++r, at += ld) sum -= ts_pair_of_columns(at) * (ts_two_columns){value[r], value[r]};
        memcpy(x + j, &sum, sizeof sum);
        j += 2;
    }
#endif
    for (; j < n; ++j) {
        double sum = x[j];
        for (int r = 0; r < lines; ++r) sum -= line[r * ld + j] * value[r];
        x[j] = sum;
    }
}

// The same of one row, in chunks that begin at whole vectors of their run.
TS_LINE_INLINED void whiten_row(const ts_dof_chains* chains, int n, const double* L, const double* inverse, double* x) {
    for (int last = n - 1, start; last >= 0; last = start - 1) {
        start = chains->dof[chains->first + last].run - chains->first;
        while (last >= start && x[last] == 0.0) --last;
        if (last < start) continue;
        for (int low = start + (last - start) / TS_DOF_CHUNK * TS_DOF_CHUNK, end = last; low >= start;
             end = low - 1, low -= TS_DOF_CHUNK) {
            for (int k = end; k >= low; --k) {
                double value = x[k] *= inverse[k];
                for (int i = low; i < k; ++i) x[i] -= L[k * n + i] * value;
            }
            subtract_lines_one(L + low * n + start, n, end - low + 1, x + low, low - start, x + start);
        }
        for (int i = ts_dof_above(chains, start), from; i >= 0; i = ts_dof_above(chains, from)) {
            from = chains->dof[chains->first + i].run - chains->first;
            subtract_lines_one(L + start * n + from, n, last - start + 1, x + start, i + 1 - from, x + from);
        }
    }
}

// What four neighbouring entries of w are given by the dofs that they hang on, but for those among the four: lines of L times w.
TS_LINE_INLINED void add_dots(const ts_dof_chains* chains, int n, const double* L, int row, int last, const double* w,
                              double sum[4]) {
    const double *l0 = L + row * n, *l1 = l0 + n, *l2 = l1 + n, *l3 = l2 + n;
    double s0 = 0.0, s1 = 0.0, s2 = 0.0, s3 = 0.0;
#if defined(__GNUC__)
    ts_four_columns a = {0.0}, b = a, c = a, d = a;
#endif
    for (int to = last, from; to >= 0; to = ts_dof_above(chains, from)) {
        from = chains->dof[chains->first + to].run - chains->first;
        int j = from;
#if defined(__GNUC__)
        for (; j + 3 <= to; j += 4) {
            ts_four_columns v, p, q, r, s;
            memcpy(&v, w + j, sizeof v);
            memcpy(&p, l0 + j, sizeof p);
            memcpy(&q, l1 + j, sizeof q);
            memcpy(&r, l2 + j, sizeof r);
            memcpy(&s, l3 + j, sizeof s);
            a += p * v;
            b += q * v;
            c += r * v;
            d += s * v;
        }
#endif
        for (; j <= to; ++j) {
            s0 += l0[j] * w[j];
            s1 += l1[j] * w[j];
            s2 += l2[j] * w[j];
            s3 += l3[j] * w[j];
        }
    }
#if defined(__GNUC__)
    ts_four_columns ab = __builtin_shufflevector(a, b, 0, 4, 2, 6) + __builtin_shufflevector(a, b, 1, 5, 3, 7);
    ts_four_columns cd = __builtin_shufflevector(c, d, 0, 4, 2, 6) + __builtin_shufflevector(c, d, 1, 5, 3, 7);
    ts_four_columns all = __builtin_shufflevector(ab, cd, 0, 1, 4, 5) + __builtin_shufflevector(ab, cd, 2, 3, 6, 7);
    s0 += all[0], s1 += all[1], s2 += all[2], s3 += all[3];
#endif
    sum[0] = s0, sum[1] = s1, sum[2] = s2, sum[3] = s3;
}

// w <- L^-1 w of a general tree, run by run from the root, four entries at a time: first what hangs on other runs and on those before, where no
// entry waits for another, then the four among themselves.
TS_LINE_INLINED void unwhiten_row(const ts_dof_chains* chains, int n, const double* L, const double* inverse,
                                  double* w) {
    for (int start = 0, stop; start < n; start = stop) {
        for (stop = start + 1; stop < n && chains->dof[chains->first + stop].run - chains->first == start;) ++stop;
        int k = start;
        for (; k + TS_DOF_CHUNK <= stop; k += TS_DOF_CHUNK) {
            const double *l1 = L + (k + 1) * n + k, *l2 = l1 + n, *l3 = l2 + n;
            double sum[TS_DOF_CHUNK];
            add_dots(chains, n, L, k, k > start ? k - 1 : ts_dof_above(chains, start), w, sum);
            double a = (w[k] - sum[0]) * inverse[k];
            double b = ((w[k + 1] - sum[1]) - l1[0] * a) * inverse[k + 1];
            double c = (((w[k + 2] - sum[2]) - l2[0] * a) - l2[1] * b) * inverse[k + 2];
            double d = ((((w[k + 3] - sum[3]) - l3[0] * a) - l3[1] * b) - l3[2] * c) * inverse[k + 3];
            w[k] = a, w[k + 1] = b, w[k + 2] = c, w[k + 3] = d;
        }
        for (; k < stop; ++k) {
            double sum = w[k];
            for (int to = k > start ? k - 1 : ts_dof_above(chains, start), from; to >= 0;
                 to = ts_dof_above(chains, from)) {
                from = chains->dof[chains->first + to].run - chains->first;
                sum -= ts_dot(L + k * n + from, w + from, to + 1 - from);
            }
            w[k] = sum * inverse[k];
        }
    }
}

#if defined(__GNUC__) && (defined(__x86_64__) || defined(__i386__))

__attribute__((target("avx2"))) static void whiten_row_wide(const ts_dof_chains* chains, int n, const double* L,
                                                            const double* inverse, double* x) {
    whiten_row(chains, n, L, inverse, x);
}

__attribute__((target("avx2"))) static void unwhiten_row_wide(const ts_dof_chains* chains, int n, const double* L,
                                                              const double* inverse, double* w) {
    unwhiten_row(chains, n, L, inverse, w);
}

static int is_wide(void) { return __builtin_cpu_supports("avx2") != 0; }

#else
#define whiten_row_wide whiten_row
#define unwhiten_row_wide unwhiten_row

static int is_wide(void) { return 0; }

#endif

void ts_tree_factor_whiten(const ts_model* model, int tree, const double* L, const double* inverse, int rows,
                           double* x) {
    int n = model->tree[tree].dof_count;
    if (model->tree[tree].kind != TS_TREE_GENERAL) {
        for (int r = 0; r < rows; ++r) ts_free_body_whiten(L, inverse, x + 6 * r);
        return;
    }
    ts_dof_chains chains = ts_dof_chains_of(model, tree);
    int r = 0, wide = is_wide();
    for (; r + 3 <= rows; r += 3) whiten_three(&chains, n, L, inverse, x + r * n);
    for (; r < rows; ++r) {
        if (n <= TS_TREE_TILES)
            ts_tree_factor_whiten_one(&chains, n, L, inverse, x + r * n);
        else if (wide)
            whiten_row_wide(&chains, n, L, inverse, x + r * n);
        else
            whiten_row(&chains, n, L, inverse, x + r * n);
    }
}

void ts_tree_factor_unwhiten(const ts_model* model, int tree, const double* L, const double* inverse, int rows,
                             double* w) {
    int n = model->tree[tree].dof_count, r = 0;
    if (model->tree[tree].kind == TS_TREE_CENTRED) {
        for (; r < rows; ++r) ts_free_body_unwhiten_centred(L, inverse, w + 6 * r);
        return;
    }
    ts_dof_chains chains = ts_dof_chains_of(model, tree);
    while (rows - r > 1 && n <= TS_TREE_TILES) {
        int count = rows - r < TS_TREE_LANES ? rows - r : TS_TREE_LANES;
        ts_tree_factor_unwhiten_few(&chains, n, L, inverse, count, w + r * n);
        r += count;
    }
    for (; r < rows; ++r) {
        if (n <= TS_TREE_TILES)
            ts_tree_factor_unwhiten_one(&chains, n, L, inverse, w + r * n);
        else if (is_wide())
            unwhiten_row_wide(&chains, n, L, inverse, w + r * n);
        else
            unwhiten_row(&chains, n, L, inverse, w + r * n);
    }
}

void ts_tree_factor_solve(const ts_model* model, int tree, const double* L, const double* inverse, int rows,
                          double* x) {
    ts_tree_factor_whiten(model, tree, L, inverse, rows, x);
    ts_tree_factor_unwhiten(model, tree, L, inverse, rows, x);
}
