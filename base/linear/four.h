// Four numbers side by side, with the vectors of GCC and Clang where there are any, else one by one: the same sums in the same order,
// the same bits. Inline, because a call costs as much as the arithmetic. A file compiled for AVX2 gets four lanes in one register, any
// other two and two.
#ifndef TS_BASE_FOUR_H
#define TS_BASE_FOUR_H

#include <math.h>
#include <string.h>

#if defined(__GNUC__) && defined(__SSE2__)
#include <immintrin.h>
#endif

#if defined(__GNUC__) && defined(__AVX2__)

/// Two numbers.
typedef double ts_two __attribute__((vector_size(16)));
/// Four numbers.
typedef double ts_four __attribute__((vector_size(32)));

/// Four numbers that lie one behind the other.
static inline ts_four ts_four_load(const double* from) {
    ts_four v;
    memcpy(&v, from, sizeof v);
    return v;
}

/// Puts them there.
static inline void ts_four_store(ts_four v, double* to) { memcpy(to, &v, sizeof v); }

/// Puts the first three of them there.
static inline void ts_four_store_three(ts_four v, double* to) { memcpy(to, &v, 2 * sizeof *to), to[2] = v[2]; }

/// a + b.
static inline ts_four ts_four_plus(ts_four a, ts_four b) { return a + b; }

/// a - b.
static inline ts_four ts_four_minus(ts_four a, ts_four b) { return a - b; }

/// a b, number by number.
static inline ts_four ts_four_product(ts_four a, ts_four b) { return a * b; }

/// s a.
static inline ts_four ts_four_times(double s, ts_four a) {
    ts_four t = {s, s, s, s};
    return t * a;
}

/// (0 + 2) + (1 + 3).
static inline double ts_four_sum(ts_four a) {
    ts_two low = {a[0], a[1]}, high = {a[2], a[3]}, s = low + high;
    return s[0] + s[1];
}

/// Four by four numbers, turned over: a becomes the first of each.
static inline void ts_four_transpose(ts_four* a, ts_four* b, ts_four* c, ts_four* d) {
    ts_four ab02 = __builtin_shufflevector(*a, *b, 0, 4, 2, 6), ab13 = __builtin_shufflevector(*a, *b, 1, 5, 3, 7);
    ts_four cd02 = __builtin_shufflevector(*c, *d, 0, 4, 2, 6), cd13 = __builtin_shufflevector(*c, *d, 1, 5, 3, 7);
    *a = __builtin_shufflevector(ab02, cd02, 0, 1, 4, 5);
    *b = __builtin_shufflevector(ab13, cd13, 0, 1, 4, 5);
    *c = __builtin_shufflevector(ab02, cd02, 2, 3, 6, 7);
    *d = __builtin_shufflevector(ab13, cd13, 2, 3, 6, 7);
}

/// These four.
static inline ts_four ts_four_make(double a, double b, double c, double d) { return (ts_four){a, b, c, d}; }

/// Number i, a constant, four times.
static inline ts_four ts_four_lane(ts_four a, int i) { return (ts_four){a[i], a[i], a[i], a[i]}; }

/// Numbers 1, 2, 3, 0.
static inline ts_four ts_four_next(ts_four a) { return __builtin_shufflevector(a, a, 1, 2, 3, 0); }

/// Numbers 1, 2, 0, 3.
static inline ts_four ts_four_turn(ts_four a) { return __builtin_shufflevector(a, a, 1, 2, 0, 3); }

#elif defined(__GNUC__)

/// Two numbers.
typedef double ts_two __attribute__((vector_size(16)));

/// Numbers 0 and 1, and 2 and 3: wider vectors are no arguments of functions on every machine.
typedef struct ts_four {
    ts_two low;
    ts_two high;
} ts_four;

/// Four numbers that lie one behind the other.
static inline ts_four ts_four_load(const double* from) {
    ts_four v;
    memcpy(&v.low, from, sizeof v.low);
    memcpy(&v.high, from + 2, sizeof v.high);
    return v;
}

/// Puts them there.
static inline void ts_four_store(ts_four v, double* to) {
    memcpy(to, &v.low, sizeof v.low);
    memcpy(to + 2, &v.high, sizeof v.high);
}

/// Puts the first three of them there.
static inline void ts_four_store_three(ts_four v, double* to) { memcpy(to, &v.low, 2 * sizeof *to), to[2] = v.high[0]; }

/// a + b.
static inline ts_four ts_four_plus(ts_four a, ts_four b) {
    ts_four v = {a.low + b.low, a.high + b.high};
    return v;
}

/// a - b.
static inline ts_four ts_four_minus(ts_four a, ts_four b) {
    ts_four v = {a.low - b.low, a.high - b.high};
    return v;
}

/// a b, number by number.
static inline ts_four ts_four_product(ts_four a, ts_four b) {
    ts_four v = {a.low * b.low, a.high * b.high};
    return v;
}

/// s a.
static inline ts_four ts_four_times(double s, ts_four a) {
    ts_two t = {s, s};
    ts_four v = {t * a.low, t * a.high};
    return v;
}

/// (0 + 2) + (1 + 3).
static inline double ts_four_sum(ts_four a) {
    ts_two s = a.low + a.high;
    return s[0] + s[1];
}

/// Four by four numbers, turned over: a becomes the first of each.
static inline void ts_four_transpose(ts_four* a, ts_four* b, ts_four* c, ts_four* d) {
    ts_four w = *a, x = *b, y = *c, z = *d;
    ts_four first = {{w.low[0], x.low[0]}, {y.low[0], z.low[0]}}, second = {{w.low[1], x.low[1]}, {y.low[1], z.low[1]}};
    ts_four third = {{w.high[0], x.high[0]}, {y.high[0], z.high[0]}};
    ts_four fourth = {{w.high[1], x.high[1]}, {y.high[1], z.high[1]}};
    *a = first;
    *b = second;
    *c = third;
    *d = fourth;
}

/// These four.
static inline ts_four ts_four_make(double a, double b, double c, double d) {
    ts_four v = {{a, b}, {c, d}};
    return v;
}

/// Number i, a constant, four times.
static inline ts_four ts_four_lane(ts_four a, int i) {
    double s = i < 2 ? a.low[i] : a.high[i - 2];
    ts_four v = {{s, s}, {s, s}};
    return v;
}

/// Numbers 1, 2, 3, 0.
static inline ts_four ts_four_next(ts_four a) {
    ts_four v = {{a.low[1], a.high[0]}, {a.high[1], a.low[0]}};
    return v;
}

/// Numbers 1, 2, 0, 3.
static inline ts_four ts_four_turn(ts_four a) {
    ts_four v = {{a.low[1], a.high[0]}, {a.low[0], a.high[1]}};
    return v;
}

#else

/// Four numbers.
typedef struct ts_four {
    double v[4];
} ts_four;

/// Four numbers that lie one behind the other.
static inline ts_four ts_four_load(const double* from) {
    ts_four v;
    memcpy(v.v, from, sizeof v.v);
    return v;
}

/// Puts them there.
static inline void ts_four_store(ts_four v, double* to) { memcpy(to, v.v, sizeof v.v); }

/// Puts the first three of them there.
static inline void ts_four_store_three(ts_four v, double* to) { memcpy(to, v.v, 3 * sizeof *to); }

/// a + b.
static inline ts_four ts_four_plus(ts_four a, ts_four b) {
    for (int i = 0; i < 4; ++i) a.v[i] += b.v[i];
    return a;
}

/// a - b.
static inline ts_four ts_four_minus(ts_four a, ts_four b) {
    for (int i = 0; i < 4; ++i) a.v[i] -= b.v[i];
    return a;
}

/// a b, number by number.
static inline ts_four ts_four_product(ts_four a, ts_four b) {
    for (int i = 0; i < 4; ++i) a.v[i] *= b.v[i];
    return a;
}

/// s a.
static inline ts_four ts_four_times(double s, ts_four a) {
    for (int i = 0; i < 4; ++i) a.v[i] *= s;
    return a;
}

/// (0 + 2) + (1 + 3).
static inline double ts_four_sum(ts_four a) { return (a.v[0] + a.v[2]) + (a.v[1] + a.v[3]); }

/// Four by four numbers, turned over: a becomes the first of each.
static inline void ts_four_transpose(ts_four* a, ts_four* b, ts_four* c, ts_four* d) {
    ts_four* row[4] = {a, b, c, d};
    for (int i = 0; i < 4; ++i)
        for (int j = 0; j < i; ++j) {
            double keep = row[i]->v[j];
            row[i]->v[j] = row[j]->v[i];
            row[j]->v[i] = keep;
        }
}

/// These four.
static inline ts_four ts_four_make(double a, double b, double c, double d) { return (ts_four){{a, b, c, d}}; }

/// Number i four times.
static inline ts_four ts_four_lane(ts_four a, int i) { return ts_four_make(a.v[i], a.v[i], a.v[i], a.v[i]); }

/// Numbers 1, 2, 3, 0.
static inline ts_four ts_four_next(ts_four a) { return ts_four_make(a.v[1], a.v[2], a.v[3], a.v[0]); }

/// Numbers 1, 2, 0, 3.
static inline ts_four ts_four_turn(ts_four a) { return ts_four_make(a.v[1], a.v[2], a.v[0], a.v[3]); }

#endif

/// Four zeros.
static inline ts_four ts_four_zero(void) {
    static const double zero[4] = {0.0, 0.0, 0.0, 0.0};
    return ts_four_load(zero);
}

/// The same number four times.
static inline ts_four ts_four_all(double s) { return ts_four_make(s, s, s, s); }

#if defined(__GNUC__) && defined(__AVX2__)

/// a / b, number by number.
static inline ts_four ts_four_quotient(ts_four a, ts_four b) { return a / b; }

/// Square roots.
static inline ts_four ts_four_root(ts_four a) { return _mm256_sqrt_pd(a); }

/// a > b ? a : b.
static inline ts_four ts_four_most(ts_four a, ts_four b) { return _mm256_max_pd(a, b); }

/// a < b ? a : b.
static inline ts_four ts_four_least(ts_four a, ts_four b) { return _mm256_min_pd(a, b); }

/// c > 0 ? a : b.
static inline ts_four ts_four_where(ts_four c, ts_four a, ts_four b) {
    return _mm256_blendv_pd(b, a, _mm256_cmp_pd(c, _mm256_setzero_pd(), _CMP_GT_OQ));
}

/// Nonzero where some number is > 0.
static inline int ts_four_any(ts_four c) {
    return _mm256_movemask_pd(_mm256_cmp_pd(c, _mm256_setzero_pd(), _CMP_GT_OQ));
}

/// Absolute values.
static inline ts_four ts_four_size(ts_four a) { return _mm256_andnot_pd(_mm256_set1_pd(-0.0), a); }

#elif defined(__GNUC__) && defined(__SSE2__)

/// a / b, number by number.
static inline ts_four ts_four_quotient(ts_four a, ts_four b) {
    ts_four v = {a.low / b.low, a.high / b.high};
    return v;
}

/// Square roots.
static inline ts_four ts_four_root(ts_four a) {
    ts_four v = {_mm_sqrt_pd(a.low), _mm_sqrt_pd(a.high)};
    return v;
}

/// a > b ? a : b.
static inline ts_four ts_four_most(ts_four a, ts_four b) {
    ts_four v = {_mm_max_pd(a.low, b.low), _mm_max_pd(a.high, b.high)};
    return v;
}

/// a < b ? a : b.
static inline ts_four ts_four_least(ts_four a, ts_four b) {
    ts_four v = {_mm_min_pd(a.low, b.low), _mm_min_pd(a.high, b.high)};
    return v;
}

/// c > 0 ? a : b, of two.
static inline ts_two ts_two_where(ts_two c, ts_two a, ts_two b) {
    ts_two positive = _mm_cmpgt_pd(c, _mm_setzero_pd());
    return _mm_or_pd(_mm_and_pd(positive, a), _mm_andnot_pd(positive, b));
}

/// c > 0 ? a : b.
static inline ts_four ts_four_where(ts_four c, ts_four a, ts_four b) {
    ts_four v = {ts_two_where(c.low, a.low, b.low), ts_two_where(c.high, a.high, b.high)};
    return v;
}

/// Nonzero where some number is > 0.
static inline int ts_four_any(ts_four c) {
    ts_two zero = _mm_setzero_pd();
    return _mm_movemask_pd(_mm_or_pd(_mm_cmpgt_pd(c.low, zero), _mm_cmpgt_pd(c.high, zero)));
}

/// Absolute values.
static inline ts_four ts_four_size(ts_four a) {
    ts_two sign = _mm_set1_pd(-0.0);
    ts_four v = {_mm_andnot_pd(sign, a.low), _mm_andnot_pd(sign, a.high)};
    return v;
}

#else

/// a / b, number by number.
static inline ts_four ts_four_quotient(ts_four a, ts_four b) {
    double x[4], y[4];
    ts_four_store(a, x);
    ts_four_store(b, y);
    for (int i = 0; i < 4; ++i) x[i] /= y[i];
    return ts_four_load(x);
}

/// Square roots.
static inline ts_four ts_four_root(ts_four a) {
    double x[4];
    ts_four_store(a, x);
    for (int i = 0; i < 4; ++i) x[i] = sqrt(x[i]);
    return ts_four_load(x);
}

/// c > 0 ? a : b.
static inline ts_four ts_four_where(ts_four c, ts_four a, ts_four b) {
    double x[4], y[4], z[4];
    ts_four_store(c, x);
    ts_four_store(a, y);
    ts_four_store(b, z);
    for (int i = 0; i < 4; ++i) x[i] = x[i] > 0.0 ? y[i] : z[i];
    return ts_four_load(x);
}

/// a > b ? a : b.
static inline ts_four ts_four_most(ts_four a, ts_four b) {
    double x[4], y[4];
    ts_four_store(a, x);
    ts_four_store(b, y);
    for (int i = 0; i < 4; ++i) x[i] = x[i] > y[i] ? x[i] : y[i];
    return ts_four_load(x);
}

/// a < b ? a : b.
static inline ts_four ts_four_least(ts_four a, ts_four b) {
    double x[4], y[4];
    ts_four_store(a, x);
    ts_four_store(b, y);
    for (int i = 0; i < 4; ++i) x[i] = x[i] < y[i] ? x[i] : y[i];
    return ts_four_load(x);
}

/// Nonzero where some number is > 0.
static inline int ts_four_any(ts_four c) {
    double x[4];
    ts_four_store(c, x);
    return x[0] > 0.0 || x[1] > 0.0 || x[2] > 0.0 || x[3] > 0.0;
}

/// Absolute values.
static inline ts_four ts_four_size(ts_four a) {
    double x[4];
    ts_four_store(a, x);
    for (int i = 0; i < 4; ++i) x[i] = fabs(x[i]);
    return ts_four_load(x);
}

#endif

/// Nonzero where every number is > 0.
static inline int ts_four_every(ts_four c) { return !ts_four_any(ts_four_where(c, ts_four_zero(), ts_four_all(1.0))); }

#endif
