// Lines of numbers side by side: sums of multiples of lines, and reflections of many columns.
//
// Problem: many columns go through one small matrix; with a column's entries one behind the other every product is a dot product. Rule: columns
// side by side, so that whole lines are added to each other, sixteen numbers at a time in registers. Under x86 compiled a second time for
// vectors of four lanes.
// Guaranteed: every number is a sum in the order of the lines, by the same operations on every machine: the same bits. Known to fail: nothing.
#include <stddef.h>
#include <string.h>

#include "base/linear/dense.h"

#if defined(__GNUC__)
#define INLINED static inline __attribute__((always_inline))
typedef double quad __attribute__((vector_size(32)));
#else
#define INLINED static inline
#endif

// `count` lines, `ld` apart, and a number for each, `stride` apart.
typedef struct lines {
    int count;
    const double* value;
    size_t stride;
    const double* line;
    size_t ld;
} lines;

// Reflections 1 - tau v v^T, v[0] = 1, of `rows` rows; number k begins at v[k (rows + 1)].
typedef struct reflections {
    int rows;
    int count;
    int back;  // nonzero: the last one first
    const double* v;
    const double* tau;
} reflections;

// x += sign sum value line, one number from each.
INLINED void add_one(const lines* l, double sign, int j, double* x) {
    for (int r = 0; r < l->count; ++r)
        x[j] += sign * l->value[(size_t)r * l->stride] * l->line[(size_t)r * l->ld + (size_t)j];
}

INLINED void reflect_one(const reflections* f, size_t ld, double* X) {
    for (int i = 0; i < f->count; ++i) {
        int k = f->back ? f->count - 1 - i : i;
        const double* v = f->v + (size_t)k * (size_t)(f->rows + 1);
        double *x = X + (size_t)k * ld, share = x[0];
        for (int r = 1; r < f->rows - k; ++r) share += v[r] * x[(size_t)r * ld];
        share *= f->tau[k];
        x[0] -= share;
        for (int r = 1; r < f->rows - k; ++r) x[(size_t)r * ld] -= v[r] * share;
    }
}

#if defined(__GNUC__)

// The same of sixteen columns, and of four.
INLINED void add_sixteen(const lines* l, double sign, int j, double* x) {
    quad a, b, c, d, m, n, o, p;
    const double *value = l->value, *line = l->line + j;
    x += j;
    memcpy(&a, x, sizeof a);
    memcpy(&b, x + 4, sizeof b);
    memcpy(&c, x + 8, sizeof c);
    memcpy(&d, x + 12, sizeof d);
    for (int r = 0; r < l->count; ++r, value += l->stride, line += l->ld) {
        double v = sign * value[0];
        quad values = {v, v, v, v};
        memcpy(&m, line, sizeof m);
        memcpy(&n, line + 4, sizeof n);
        memcpy(&o, line + 8, sizeof o);
        memcpy(&p, line + 12, sizeof p);
        a += values * m;
        b += values * n;
        c += values * o;
        d += values * p;
    }
    memcpy(x, &a, sizeof a);
    memcpy(x + 4, &b, sizeof b);
    memcpy(x + 8, &c, sizeof c);
    memcpy(x + 12, &d, sizeof d);
}

INLINED void add_four(const lines* l, double sign, int j, double* x) {
    quad a, m;
    const double *value = l->value, *line = l->line + j;
    memcpy(&a, x + j, sizeof a);
    for (int r = 0; r < l->count; ++r, value += l->stride, line += l->ld) {
        double v = sign * value[0];
        quad values = {v, v, v, v};
        memcpy(&m, line, sizeof m);
        a += values * m;
    }
    memcpy(x + j, &a, sizeof a);
}

// x -= value share, sixteen numbers.
INLINED void take_sixteen(double value, const quad* share, double* x) {
    quad a, b, c, d, values = {value, value, value, value};
    memcpy(&a, x, sizeof a);
    memcpy(&b, x + 4, sizeof b);
    memcpy(&c, x + 8, sizeof c);
    memcpy(&d, x + 12, sizeof d);
    a -= values * share[0];
    b -= values * share[1];
    c -= values * share[2];
    d -= values * share[3];
    memcpy(x, &a, sizeof a);
    memcpy(x + 4, &b, sizeof b);
    memcpy(x + 8, &c, sizeof c);
    memcpy(x + 12, &d, sizeof d);
}

INLINED void reflect_sixteen(const reflections* f, size_t ld, double* X) {
    for (int i = 0; i < f->count; ++i) {
        int k = f->back ? f->count - 1 - i : i;
        const double* v = f->v + (size_t)k * (size_t)(f->rows + 1);
        double t = f->tau[k], *x = X + (size_t)k * ld, sums[16];
        quad share[4], weight = {t, t, t, t};
        lines rest = {f->rows - k - 1, v + 1, 1, x + ld, ld};
        memcpy(sums, x, sizeof sums);
        add_sixteen(&rest, 1.0, 0, sums);
        memcpy(share, sums, sizeof share);
        share[0] *= weight;
        share[1] *= weight;
        share[2] *= weight;
        share[3] *= weight;
        take_sixteen(1.0, share, x);
        for (int r = 1; r < f->rows - k; ++r) take_sixteen(v[r], share, x + (size_t)r * ld);
    }
}

INLINED void reflect_four(const reflections* f, size_t ld, double* X) {
    for (int i = 0; i < f->count; ++i) {
        int k = f->back ? f->count - 1 - i : i;
        const double* v = f->v + (size_t)k * (size_t)(f->rows + 1);
        double t = f->tau[k], *x = X + (size_t)k * ld;
        quad share, a, weight = {t, t, t, t};
        lines rest = {f->rows - k - 1, v + 1, 1, x + ld, ld};
        double sums[4];
        memcpy(sums, x, sizeof sums);
        add_four(&rest, 1.0, 0, sums);
        memcpy(&share, sums, sizeof share);
        share *= weight;
        memcpy(&a, x, sizeof a);
        a -= share;
        memcpy(x, &a, sizeof a);
        for (int r = 1; r < f->rows - k; ++r) {
            quad values = {v[r], v[r], v[r], v[r]};
            memcpy(&a, x + (size_t)r * ld, sizeof a);
            a -= values * share;
            memcpy(x + (size_t)r * ld, &a, sizeof a);
        }
    }
}

#endif

INLINED void add_lines(int n, const lines* l, double sign, double* x) {
    int j = 0;
#if defined(__GNUC__)
    for (; j + 16 <= n; j += 16) add_sixteen(l, sign, j, x);
    for (; j + 4 <= n; j += 4) add_four(l, sign, j, x);
#endif
    for (; j < n; ++j) add_one(l, sign, j, x);
}

INLINED void reflect(int n, const reflections* f, double* X) {
    size_t ld = (size_t)n;
    int j = 0;
#if defined(__GNUC__)
    for (; j + 16 <= n; j += 16) reflect_sixteen(f, ld, X + j);
    for (; j + 4 <= n; j += 4) reflect_four(f, ld, X + j);
#endif
    for (; j < n; ++j) reflect_one(f, ld, X + j);
}

#if defined(__GNUC__) && (defined(__x86_64__) || defined(__i386__))

__attribute__((target("avx2"))) static void add_lines_wide(int n, const lines* l, double sign, double* x) {
    add_lines(n, l, sign, x);
}

__attribute__((target("avx2"))) static void reflect_wide(int n, const reflections* f, double* X) { reflect(n, f, X); }

static int is_wide(void) { return __builtin_cpu_supports("avx2"); }

#else

static void add_lines_wide(int n, const lines* l, double sign, double* x) { add_lines(n, l, sign, x); }

static void reflect_wide(int n, const reflections* f, double* X) { reflect(n, f, X); }

static int is_wide(void) { return 0; }

#endif

void ts_lines_add(int n, int count, double sign, const double* value, int stride, const double* line, int ld,
                  double* x) {
    lines l = {count, value, (size_t)stride, line, (size_t)ld};
    if (is_wide())
        add_lines_wide(n, &l, sign, x);
    else
        add_lines(n, &l, sign, x);
}

void ts_lines_reflect(int n, int rows, int count, int back, const double* v, const double* tau, double* X) {
    reflections f = {rows, count, back, v, tau};
    if (is_wide())
        reflect_wide(n, &f, X);
    else
        reflect(n, &f, X);
}
