// Factorisation along a tree.
//
// Problem: M = L^T L for the inertia of a tree, and systems with it. Rule: from the leaves to the root, L_kk = sqrt(M_kk), L_ki = M_ki /
// L_kk for i on the chain of k, M_ij -= L_ki L_kj for i, j on that chain (as M_ki M_kj / M_kk, so that nothing waits for a root). That makes no fill: L_ki is nonzero only for i on the
// chain of dofs from k to the root. A row of a Jacobian that moves one body keeps its support, that body's chain, when it is
// whitened with L^-T; a plain L L^T would spread it over the whole tree. So G = J M^-1 J^T is sums over chains that rows share.
// Source: Featherstone (2008), section 6.5 (branch-induced sparsity); docs/contact.md.
// Cost: half the sum of the squares of the depths for the factor, of the depths for a row. Backward stable, as Cholesky is.
// Known failure: none that a pivot does not tell; a tree as deep as it has dofs is dense.
#include "engine/dynamics/tree_factor.h"

#include <math.h>
#include <string.h>

#include "base/scalar.h"
#include "engine/dynamics/free_body_internal.h"

// The dofs of a tree as chains to its root, in runs of consecutive ones: a robot's limb is one run, and walking it needs
// no look at the dofs in between.
typedef struct dof_chains {
    const ts_dof* dof;
    int first;  // the tree's first dof; what follows counts from it
} dof_chains;

static inline dof_chains chains_of(const ts_model* model, int tree) {
    dof_chains chains = {model->dof, model->tree[tree].dof_first};
    return chains;
}

// The dof that i hangs on, or a negative number.
static inline int above(const dof_chains* chains, int i) {
    return chains->dof[chains->first + i].parent - chains->first;
}

#if defined(__GNUC__)

// Two neighbouring columns: runs are short, and compilers leave them scalar.
typedef double pair __attribute__((vector_size(16)));

static inline pair pair_load(const double* from) {
    pair v;
    memcpy(&v, from, sizeof v);
    return v;
}

#endif

// x -= sum over lines k = last down to first of value[k] times columns [0, n) of line k, lines `ld` apart.
static inline void subtract_lines(const double* line, int ld, int first, int last, int n, const double* value,
                                  double* x) {
    int j = 0;
#if defined(__GNUC__)
    for (; j + 2 <= n; j += 2) {
        pair sum = pair_load(x + j);
        for (int k = last; k >= first; --k) sum -= pair_load(line + k * ld + j) * (pair){value[k], value[k]};
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
        pair a = pair_load(x + j), b = pair_load(x + stride + j), c = pair_load(x + 2 * stride + j);
        for (int k = last; k >= first; --k) {
            pair l = pair_load(line + k * ld + j);
            a -= l * (pair){value[k], value[k]};
            b -= l * (pair){v1[k], v1[k]};
            c -= l * (pair){v2[k], v2[k]};
        }
        memcpy(x + j, &a, sizeof a);
        memcpy(x + stride + j, &b, sizeof b);
        memcpy(x + 2 * stride + j, &c, sizeof c);
    }
#endif
    for (int r = 0; r < 3 && j < n; ++r)
        subtract_lines(line + j, ld, first, last, n - j, value + r * stride, x + r * stride + j);
}

// Four neighbouring columns, and lines of them. Under x86 the factorisation is compiled a second time for processors with vectors of four
// lanes; every number is found by the same operations in the same order, so both give the same bits.
#if defined(__GNUC__)
#define INLINED static inline __attribute__((always_inline))
typedef double quad __attribute__((vector_size(32)));
#else
#define INLINED static inline
#endif

// to = s from, n numbers.
INLINED void copy_scaled(int n, double s, const double* from, double* to) {
    int j = 0;
#if defined(__GNUC__)
    for (; j + 4 <= n; j += 4) {
        quad v;
        memcpy(&v, from + j, sizeof v);
        v *= (quad){s, s, s, s};
        memcpy(to + j, &v, sizeof v);
    }
    if (j + 2 <= n) {
        pair v = pair_load(from + j) * (pair){s, s};
        memcpy(to + j, &v, sizeof v);
        j += 2;
    }
#endif
    if (j < n) to[j] = s * from[j];
}

// x -= value * line, n numbers.
INLINED void subtract_row(int n, double value, const double* line, double* x) {
    int j = 0;
#if defined(__GNUC__)
    quad values = {value, value, value, value};
    for (; j + 4 <= n; j += 4) {
        quad l, sum;
        memcpy(&l, line + j, sizeof l);
        memcpy(&sum, x + j, sizeof sum);
        sum -= l * values;
        memcpy(x + j, &sum, sizeof sum);
    }
#endif
    for (; j < n; ++j) x[j] -= line[j] * value;
}

static inline int is_pivot(double x) { return x > 0.0 && isfinite(x); }

// M = L^T L row by row, L_k^T L_k = row_k^T row_k / pivot, so that no row waits for the root of another. Returns 0 when a pivot is not positive.
static int factor_large(const dof_chains* chains, int n, const double* M, double* L, double* inverse) {
    size_t ld = (size_t)n;
    for (size_t k = 0; k < ld; ++k) memcpy(L + k * ld, M + k * ld, (k + 1) * sizeof(double));
    for (int k = n - 1; k >= 0; --k) {
        double* row = L + (size_t)k * ld;
        if (!is_pivot(row[k])) return 0;
        double share = 1.0 / row[k];
        for (int i = above(chains, k); i >= 0; i = above(chains, i)) {
            double value = row[i] * share;
            for (int end = i, start; end >= 0; end = above(chains, start)) {
                start = chains->dof[chains->first + end].run - chains->first;
                subtract_row(end - start + 1, value, row + start, L + (size_t)i * ld + start);
            }
        }
        inverse[k] = sqrt(share);
        for (int i = k; i >= 0; i = above(chains, i)) row[i] *= inverse[k];
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
INLINED void follow(const dof_chains* chains, int last, chain_map* c) {
    const ts_dof* dof = chains->dof + chains->first;
    c->runs = 0;
    for (int end = last, start; end >= 0; end = above(chains, start)) {
        start = dof[end].run - chains->first;
        c->start[c->runs] = start;
        c->depth[c->runs] = dof[start].depth;
        c->count[c->runs++] = end - start + 1;
    }
}

// x -= sum over `count` lines, the last first, of value times columns [0, n) of the line, n whole vectors; lines and values are `ld` apart.
INLINED void subtract_lines_of(const double* line, int ld, int count, int n, const double* value, double* x) {
    for (int j = 0; j < n; j += LANES) {
#if defined(__GNUC__)
        quad sum;
        memcpy(&sum, x + j, sizeof sum);
        for (int k = (count - 1) * ld; k >= 0; k -= ld) {
            quad l;
            memcpy(&l, line + k + j, sizeof l);
            sum -= l * (quad){value[k], value[k], value[k], value[k]};
        }
        memcpy(x + j, &sum, sizeof sum);
#else
        for (int k = (count - 1) * ld; k >= 0; k -= ld) subtract_row(LANES, value[k], line + k + j, x + j);
#endif
    }
}

// L of dofs [first, last] of the run, in the place of what M's rows have become. Returns 0 when a pivot is not positive.
INLINED int factor_block(const chain_map* c, int first, int last, double* rows, double* inverse) {
    int ld = c->ld, depth = c->depth[0] + first - c->start[0];
    double* block = rows + first * ld;
    for (int k = last - first; k >= 0; --k) {
        const double* row = block + k * ld;
        if (!is_pivot(row[depth + k])) return 0;
        inverse[first + k] = 1.0 / row[depth + k];
        for (int i = k - 1; i >= 0; --i)
            subtract_row(whole(depth + i + 1), row[depth + i] * inverse[first + k], row, block + i * ld);
    }
    for (int k = 0; k <= last - first; ++k) {
        inverse[first + k] = sqrt(inverse[first + k]);
        copy_scaled(whole(depth + k + 1), inverse[first + k], block + k * ld, block + k * ld);
    }
    for (int r = 0; r < c->runs; ++r) {
        for (int i = r == 0 ? first - 1 : c->start[r] + c->count[r] - 1; i >= c->start[r]; --i) {
            int column = c->depth[r] + i - c->start[r];
            subtract_lines_of(block, ld, last - first + 1, whole(column + 1), block + column, rows + i * ld);
        }
    }
    return 1;
}

INLINED int factor_small(const dof_chains* chains, int n, const double* M, double* L, double* inverse) {
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
                copy_scaled(c.count[r], one, M + k * n + c.start[r], rows + k * c.ld + c.depth[r]);
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
                copy_scaled(c.count[r], one, rows + k * c.ld + c.depth[r], L + k * n + c.start[r]);
        }
    }
    return 1;
}

#if defined(__GNUC__) && (defined(__x86_64__) || defined(__i386__))

__attribute__((target("avx2"))) static int factor_small_wide(const dof_chains* chains, int n, const double* M,
                                                             double* L, double* inverse) {
    return factor_small(chains, n, M, L, inverse);
}

#endif

static int factor_tree(const dof_chains* chains, int n, const double* M, double* L, double* inverse) {
    if (n > ASIDE) return factor_large(chains, n, M, L, inverse);
#if defined(__GNUC__) && (defined(__x86_64__) || defined(__i386__))
    if (__builtin_cpu_supports("avx2")) return factor_small_wide(chains, n, M, L, inverse);
#endif
    return factor_small(chains, n, M, L, inverse);
}

// Columns [column, column + count) of three rows less what dofs [low, end] have given them.
static inline void pass_on(const double* L, int n, int low, int end, int column, int count, double* x) {
    subtract_lines_three(L + column, n, low, end, count, x, n, x + column);
}

// Dofs of a run that are eliminated at a time.
enum { CHUNK = 4 };

// ts_dynamics_whiten of three rows of a general tree: together they read the factor once and do not wait for each other. Run by
// run from the leaves: within the run, then all of it from the runs that it hangs on.
static inline void whiten_three(const dof_chains* chains, int n, const double* L, const double* inverse, double* x) {
    for (int last = n - 1, start; last >= 0; last = start - 1) {
        start = chains->dof[chains->first + last].run - chains->first;
        // Off the rows' chains everything is zero and stays so.
        while (last >= start && x[last] == 0.0 && x[n + last] == 0.0 && x[2 * n + last] == 0.0) --last;
        if (last < start) continue;
        for (int end = last, low; end >= start; end = low - 1) {
            low = end - CHUNK + 1 > start ? end - CHUNK + 1 : start;
            for (int k = end; k >= low; --k) {
                for (int r = 0; r < 3; ++r) {
                    double value = x[r * n + k] *= inverse[k];
                    for (int i = low; i < k; ++i) x[r * n + i] -= L[k * n + i] * value;
                }
            }
            pass_on(L, n, low, end, start, low - start, x);
        }
        for (int i = above(chains, start), from; i >= 0; i = above(chains, from)) {
            from = chains->dof[chains->first + i].run - chains->first;
            pass_on(L, n, start, last, from, i + 1 - from, x);
        }
    }
}

// x -= sum over so many lines, `ld` apart, of value times the line, n numbers.
INLINED void subtract_lines_one(const double* line, int ld, int lines, const double* value, int n, double* x) {
    int j = 0;
#if defined(__GNUC__)
    for (; j + 4 <= n; j += 4) {
        quad sum;
        memcpy(&sum, x + j, sizeof sum);
        const double* at = line + j;
        for (int r = 0; r < lines; ++r, at += ld) {
            quad l;
            memcpy(&l, at, sizeof l);
            sum -= l * (quad){value[r], value[r], value[r], value[r]};
        }
        memcpy(x + j, &sum, sizeof sum);
    }
    if (j + 2 <= n) {
        pair sum = pair_load(x + j);
        const double* at = line + j;
        for (int r = 0; r < lines; ++r, at += ld) sum -= pair_load(at) * (pair){value[r], value[r]};
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
INLINED void whiten_row(const dof_chains* chains, int n, const double* L, const double* inverse, double* x) {
    for (int last = n - 1, start; last >= 0; last = start - 1) {
        start = chains->dof[chains->first + last].run - chains->first;
        while (last >= start && x[last] == 0.0) --last;
        if (last < start) continue;
        for (int low = start + (last - start) / CHUNK * CHUNK, end = last; low >= start; end = low - 1, low -= CHUNK) {
            for (int k = end; k >= low; --k) {
                double value = x[k] *= inverse[k];
                for (int i = low; i < k; ++i) x[i] -= L[k * n + i] * value;
            }
            subtract_lines_one(L + low * n + start, n, end - low + 1, x + low, low - start, x + start);
        }
        for (int i = above(chains, start), from; i >= 0; i = above(chains, from)) {
            from = chains->dof[chains->first + i].run - chains->first;
            subtract_lines_one(L + start * n + from, n, last - start + 1, x + start, i + 1 - from, x + from);
        }
    }
}

// What four neighbouring entries of w are given by the dofs that they hang on, but for those among the four: lines of L times w.
INLINED void add_dots(const dof_chains* chains, int n, const double* L, int row, int last, const double* w,
                      double sum[4]) {
    const double *l0 = L + row * n, *l1 = l0 + n, *l2 = l1 + n, *l3 = l2 + n;
    double s0 = 0.0, s1 = 0.0, s2 = 0.0, s3 = 0.0;
#if defined(__GNUC__)
    quad a = {0.0}, b = a, c = a, d = a;
#endif
    for (int to = last, from; to >= 0; to = above(chains, from)) {
        from = chains->dof[chains->first + to].run - chains->first;
        int j = from;
#if defined(__GNUC__)
        for (; j + 3 <= to; j += 4) {
            quad v, p, q, r, s;
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
    quad ab = __builtin_shufflevector(a, b, 0, 4, 2, 6) + __builtin_shufflevector(a, b, 1, 5, 3, 7);
    quad cd = __builtin_shufflevector(c, d, 0, 4, 2, 6) + __builtin_shufflevector(c, d, 1, 5, 3, 7);
    quad all = __builtin_shufflevector(ab, cd, 0, 1, 4, 5) + __builtin_shufflevector(ab, cd, 2, 3, 6, 7);
    s0 += all[0], s1 += all[1], s2 += all[2], s3 += all[3];
#endif
    sum[0] = s0, sum[1] = s1, sum[2] = s2, sum[3] = s3;
}

// w <- L^-1 w of a general tree, run by run from the root, four entries at a time: first what hangs on other runs and on those before, where no
// entry waits for another, then the four among themselves.
INLINED void unwhiten_row(const dof_chains* chains, int n, const double* L, const double* inverse, double* w) {
    for (int start = 0, stop; start < n; start = stop) {
        for (stop = start + 1; stop < n && chains->dof[chains->first + stop].run - chains->first == start;) ++stop;
        int k = start;
        for (; k + CHUNK <= stop; k += CHUNK) {
            const double *l1 = L + (k + 1) * n + k, *l2 = l1 + n, *l3 = l2 + n;
            double sum[CHUNK];
            add_dots(chains, n, L, k, k > start ? k - 1 : above(chains, start), w, sum);
            double a = (w[k] - sum[0]) * inverse[k];
            double b = ((w[k + 1] - sum[1]) - l1[0] * a) * inverse[k + 1];
            double c = (((w[k + 2] - sum[2]) - l2[0] * a) - l2[1] * b) * inverse[k + 2];
            double d = ((((w[k + 3] - sum[3]) - l3[0] * a) - l3[1] * b) - l3[2] * c) * inverse[k + 3];
            w[k] = a, w[k + 1] = b, w[k + 2] = c, w[k + 3] = d;
        }
        for (; k < stop; ++k) {
            double sum = w[k];
            for (int to = k > start ? k - 1 : above(chains, start), from; to >= 0; to = above(chains, from)) {
                from = chains->dof[chains->first + to].run - chains->first;
                sum -= ts_dot(L + k * n + from, w + from, to + 1 - from);
            }
            w[k] = sum * inverse[k];
        }
    }
}

#if defined(__GNUC__) && (defined(__x86_64__) || defined(__i386__))

__attribute__((target("avx2"))) static void whiten_row_wide(const dof_chains* chains, int n, const double* L,
                                                            const double* inverse, double* x) {
    whiten_row(chains, n, L, inverse, x);
}

__attribute__((target("avx2"))) static void unwhiten_row_wide(const dof_chains* chains, int n, const double* L,
                                                              const double* inverse, double* w) {
    unwhiten_row(chains, n, L, inverse, w);
}

static int is_wide(void) { return __builtin_cpu_supports("avx2") != 0; }

#else
#define whiten_row_wide whiten_row
#define unwhiten_row_wide unwhiten_row

static int is_wide(void) { return 0; }

#endif

int ts_tree_factor_make(const ts_model* model, int tree, const double* M, double* out_L, double* out_inverse) {
    if (model->tree[tree].kind == TS_TREE_CENTRED) {
        memcpy(out_L, M, 36 * sizeof(double));
        return ts_free_body_factor_centred(out_L, out_inverse);
    }
    dof_chains chains = chains_of(model, tree);
    return factor_tree(&chains, model->tree[tree].dof_count, M, out_L, out_inverse);
}

void ts_tree_factor_whiten(const ts_model* model, int tree, const double* L, const double* inverse, int rows,
                           double* x) {
    int n = model->tree[tree].dof_count;
    if (model->tree[tree].kind != TS_TREE_GENERAL) {
        for (int r = 0; r < rows; ++r) ts_free_body_whiten(L, inverse, x + 6 * r);
        return;
    }
    dof_chains chains = chains_of(model, tree);
    int r = 0, wide = is_wide();
    for (; r + 3 <= rows; r += 3) whiten_three(&chains, n, L, inverse, x + r * n);
    for (; r < rows; ++r) {
        if (wide)
            whiten_row_wide(&chains, n, L, inverse, x + r * n);
        else
            whiten_row(&chains, n, L, inverse, x + r * n);
    }
}

void ts_tree_factor_unwhiten(const ts_model* model, int tree, const double* L, const double* inverse, int rows,
                             double* w) {
    int n = model->tree[tree].dof_count;
    dof_chains chains = chains_of(model, tree);
    for (int r = 0; r < rows; ++r) {
        if (model->tree[tree].kind == TS_TREE_CENTRED)
            ts_free_body_unwhiten_centred(L, inverse, w + 6 * r);
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

// x -= sum over `count` lines, the last first, of its value times the line, n numbers; lines are n apart, values `stride`.
INLINED void take_lines(int n, int count, const double* value, int stride, const double* line, double* x) {
    int j = 0;
#if defined(__GNUC__)
    for (; j + 8 <= n; j += 8) {
        quad left, right;
        memcpy(&left, x + j, sizeof left);
        memcpy(&right, x + j + 4, sizeof right);
        const double* at = line + (size_t)(count - 1) * (size_t)n + j;
        for (int r = count - 1; r >= 0; --r, at -= n) {
            quad l, m, v = {value[r * stride], value[r * stride], value[r * stride], value[r * stride]};
            memcpy(&l, at, sizeof l);
            memcpy(&m, at + 4, sizeof m);
            left -= l * v;
            right -= m * v;
        }
        memcpy(x + j, &left, sizeof left);
        memcpy(x + j + 4, &right, sizeof right);
    }
#endif
    for (int r = count - 1; r >= 0 && j < n; --r)
        subtract_row(n - j, value[r * stride], line + (size_t)r * (size_t)n + j, x + j);
}

// What is done to columns side by side; both is M^-1.
enum { WHITEN = 1, UNWHITEN = 2 };

// A step of the elimination is the same for all columns, so that whole lines are taken from each other, a few neighbours on one chain at a time.
INLINED void whiten_columns(const dof_chains* chains, int n, const double* L, const double* inverse, int columns,
                            double* X) {
    size_t ld = (size_t)columns;
    for (int last = n - 1, low; last >= 0; last = low - 1) {
        for (low = last; last - low + 1 < CHUNK && low > 0 && above(chains, low) == low - 1;) --low;
        for (int k = last; k >= low; --k) {
            double* x = X + (size_t)k * ld;
            copy_scaled(columns, inverse[k], x, x);
            for (int i = k - 1; i >= low; --i) subtract_row(columns, L[k * n + i], x, X + (size_t)i * ld);
        }
        for (int i = above(chains, low); i >= 0; i = above(chains, i))
            take_lines(columns, last - low + 1, L + low * n + i, n, X + (size_t)low * ld, X + (size_t)i * ld);
    }
}

INLINED void unwhiten_columns(const dof_chains* chains, int n, const double* L, const double* inverse, int columns,
                              double* X) {
    size_t ld = (size_t)columns;
    for (int k = 0; k < n; ++k) {
        double* x = X + (size_t)k * ld;
        for (int i = above(chains, k), from; i >= 0; i = above(chains, from)) {
            from = chains->dof[chains->first + i].run - chains->first;
            take_lines(columns, i - from + 1, L + k * n + from, 1, X + (size_t)from * ld, x);
        }
        copy_scaled(columns, inverse[k], x, x);
    }
}

INLINED void change_columns(const dof_chains* chains, int n, const double* L, const double* inverse, int columns,
                            int what, double* X) {
    if (what & WHITEN) whiten_columns(chains, n, L, inverse, columns, X);
    if (what & UNWHITEN) unwhiten_columns(chains, n, L, inverse, columns, X);
}

#if defined(__GNUC__) && (defined(__x86_64__) || defined(__i386__))

__attribute__((target("avx2"))) static void change_columns_wide(const dof_chains* chains, int n, const double* L,
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
    dof_chains chains = chains_of(model, tree);
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

// The deepest dof on both chains. There is one: all chains of a tree begin at its first dof.
static int common_dof(const dof_chains* chains, int a, int b) {
    while (a != b) {
        if (a > b)
            a = above(chains, a);
        else
            b = above(chains, b);
    }
    return a;
}

// Sum of x_i y_i from dof i to the root.
static double chain_dot(const dof_chains* chains, int i, const double* x, const double* y) {
    double sum = 0.0;
    while (i >= 0) {
        int start = chains->dof[chains->first + i].run - chains->first;
        for (int j = start; j <= i; ++j) sum += x[j] * y[j];
        i = above(chains, start);
    }
    return sum;
}

void ts_tree_factor_delassus(const ts_model* model, int tree, int rows, const double* Y, const int* last,
                             double* out_G) {
    int n = model->tree[tree].dof_count;
    dof_chains chains = chains_of(model, tree);
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
