// Planar GJK with a scan by fours: AVX2, chosen at run time. Same products, same sums, same vertex as the twin in
// planar_scalar.c; no fused multiply-add.
#include "collision/planar/planar_gjk_internal.h"

#if defined(__x86_64__)
#include <immintrin.h>

#define K(name) name##_avx2
#define PLANAR_TARGET __attribute__((target("avx2")))

PLANAR_TARGET static inline __m256d products_avx2(const double* x, const double* y, __m256d dx, __m256d dy) {
    return _mm256_add_pd(_mm256_mul_pd(dx, _mm256_loadu_pd(x)), _mm256_mul_pd(dy, _mm256_loadu_pd(y)));
}

PLANAR_TARGET static inline __m256d greatest_avx2(__m256d v) {
    v = _mm256_max_pd(v, _mm256_permute_pd(v, 5));
    return _mm256_max_pd(v, _mm256_permute2f128_pd(v, v, 1));
}

PLANAR_TARGET static inline unsigned equals_avx2(__m256d v, __m256d best) {
    return (unsigned)_mm256_movemask_pd(_mm256_cmp_pd(v, best, _CMP_EQ_OQ));
}

// The first of 4 * fours points with the greatest product with (dx, dy): the maximum, then the first that equals it.
// `fours` is a constant at each call, so that all products stay in registers.
PLANAR_TARGET static inline __attribute__((always_inline)) int first_best_avx2(const double* x, const double* y,
                                                                               int fours, double dx, double dy) {
    __m256d vx = _mm256_set1_pd(dx), vy = _mm256_set1_pd(dy);
    __m256d value[TS_PLANAR_SCAN_MAX / 4], best = products_avx2(x, y, vx, vy);
    value[0] = best;
#pragma GCC unroll 8
    for (int k = 1; k < fours; ++k) {
        value[k] = products_avx2(x + 4 * k, y + 4 * k, vx, vy);
        best = _mm256_max_pd(best, value[k]);
    }
    best = greatest_avx2(best);
    unsigned mask = 0;
#pragma GCC unroll 8
    for (int k = 0; k < fours; ++k) mask |= equals_avx2(value[k], best) << (4 * k);
    return mask ? __builtin_ctz(mask) : 0;
}

// Arrays are padded to eights with vertex 0, which never beats itself.
PLANAR_TARGET static inline int K(scan)(const double* x, const double* y, int count, double dx, double dy) {
    if (count <= 4) return first_best_avx2(x, y, 1, dx, dy);
    if (count <= 8) return first_best_avx2(x, y, 2, dx, dy);
    if (count <= 16) return first_best_avx2(x, y, 4, dx, dy);
    if (count <= 24) return first_best_avx2(x, y, 6, dx, dy);
    return first_best_avx2(x, y, 8, dx, dy);
}

// B's vertices in the query frame, negated.
PLANAR_TARGET static inline void K(place)(const planar_query* query, int count, double* out_x, double* out_y) {
    __m256d c = _mm256_set1_pd(query->c), s = _mm256_set1_pd(query->s), minus_s = _mm256_set1_pd(-query->s);
    __m256d tx = _mm256_set1_pd(query->tx), ty = _mm256_set1_pd(query->ty);
    for (int i = 0; i < count; i += 8) {
        for (int k = i; k < i + 8; k += 4) {
            __m256d x = _mm256_loadu_pd(query->b->x + k), y = _mm256_loadu_pd(query->b->y + k);
            _mm256_storeu_pd(out_x + k, _mm256_sub_pd(_mm256_sub_pd(_mm256_mul_pd(s, y), _mm256_mul_pd(c, x)), tx));
            _mm256_storeu_pd(out_y + k,
                             _mm256_sub_pd(_mm256_sub_pd(_mm256_mul_pd(minus_s, x), _mm256_mul_pd(c, y)), ty));
        }
    }
}

#define PLANAR_LANES 4
typedef __m256d K(lanes);
PLANAR_TARGET static inline K(lanes) K(load)(const double* p) { return _mm256_loadu_pd(p); }
PLANAR_TARGET static inline K(lanes) K(spread)(double v) { return _mm256_set1_pd(v); }
PLANAR_TARGET static inline K(lanes) K(add)(K(lanes) a, K(lanes) b) { return _mm256_add_pd(a, b); }
PLANAR_TARGET static inline K(lanes) K(sub)(K(lanes) a, K(lanes) b) { return _mm256_sub_pd(a, b); }
PLANAR_TARGET static inline K(lanes) K(mul)(K(lanes) a, K(lanes) b) { return _mm256_mul_pd(a, b); }
PLANAR_TARGET static inline K(lanes) K(least)(K(lanes) a, K(lanes) b) { return _mm256_min_pd(a, b); }
PLANAR_TARGET static inline int K(any_positive)(K(lanes) v) {
    return _mm256_movemask_pd(_mm256_cmp_pd(v, _mm256_setzero_pd(), _CMP_GT_OQ));
}

// a when test is not negative, else b; without a branch.
PLANAR_TARGET static inline double K(choose)(double test, double a, double b) {
    __m128d mask = _mm_cmp_sd(_mm_set_sd(test), _mm_setzero_pd(), _CMP_GE_OQ);
    return _mm_cvtsd_f64(_mm_blendv_pd(_mm_set_sd(b), _mm_set_sd(a), mask));
}

#include "collision/planar/planar_scan_finder_internal.h"
#include "collision/planar/planar_kernel_internal.h"
#include "collision/planar/planar_walk_internal.h"

#else
typedef int planar_avx2_empty;
#endif
