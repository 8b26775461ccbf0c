// Planar GJK with a scan by eights: AVX-512, chosen at run time. Same products, same sums, same vertex as the twin in
// planar_scalar.c; no fused multiply-add.
#include "collision/planar/planar_gjk_internal.h"

#if defined(__x86_64__)
#include <immintrin.h>

#define K(name) name##_avx512
#define PLANAR_TARGET __attribute__((target("avx512f,avx512vl,avx512dq")))

PLANAR_TARGET static inline __m512d products_avx512(const double* x, const double* y, __m512d dx, __m512d dy) {
    return _mm512_add_pd(_mm512_mul_pd(dx, _mm512_load_pd(x)), _mm512_mul_pd(dy, _mm512_load_pd(y)));
}

// The greatest lane, in every lane.
PLANAR_TARGET static inline __m512d greatest_avx512(__m512d v) {
    __m256d half = _mm256_max_pd(_mm512_castpd512_pd256(v), _mm512_extractf64x4_pd(v, 1));
    half = _mm256_max_pd(half, _mm256_permute_pd(half, 5));
    __m128d pair = _mm_max_pd(_mm256_castpd256_pd128(half), _mm256_extractf128_pd(half, 1));
    return _mm512_broadcastsd_pd(pair);
}

PLANAR_TARGET static inline unsigned equals_avx512(__m512d v, __m512d best) {
    return (unsigned)_mm512_cmp_pd_mask(v, best, _CMP_EQ_OQ);
}

// The first of `count` points with the greatest product with (dx, dy): the maximum, then the first that equals it.
PLANAR_TARGET static inline int K(scan)(const double* x, const double* y, int count, double dx, double dy) {
    __m512d vx = _mm512_set1_pd(dx), vy = _mm512_set1_pd(dy);
    unsigned mask;
    __m512d v0 = products_avx512(x, y, vx, vy);
    if (count <= 8) {
        mask = equals_avx512(v0, greatest_avx512(v0));
    } else {
        __m512d v1 = products_avx512(x + 8, y + 8, vx, vy), best = _mm512_max_pd(v0, v1);
        if (count <= 16) {
            best = greatest_avx512(best);
            mask = equals_avx512(v0, best) | equals_avx512(v1, best) << 8;
        } else {
            __m512d v2 = products_avx512(x + 16, y + 16, vx, vy), v3 = v2;
            if (count > 24) v3 = products_avx512(x + 24, y + 24, vx, vy);
            best = greatest_avx512(_mm512_max_pd(best, _mm512_max_pd(v2, v3)));
            mask = equals_avx512(v0, best) | equals_avx512(v1, best) << 8 | equals_avx512(v2, best) << 16 |
                   equals_avx512(v3, best) << 24;
        }
    }
    return mask ? __builtin_ctz(mask) : 0;
}

// B's vertices in the query frame, negated.
PLANAR_TARGET static inline void K(place)(const planar_query* query, int count, double* out_x, double* out_y) {
    __m512d c = _mm512_set1_pd(query->c), s = _mm512_set1_pd(query->s), minus_s = _mm512_set1_pd(-query->s);
    __m512d tx = _mm512_set1_pd(query->tx), ty = _mm512_set1_pd(query->ty);
    for (int i = 0; i < count; i += 8) {
        __m512d x = _mm512_load_pd(query->b->x + i), y = _mm512_load_pd(query->b->y + i);
        _mm512_store_pd(out_x + i, _mm512_sub_pd(_mm512_sub_pd(_mm512_mul_pd(s, y), _mm512_mul_pd(c, x)), tx));
        _mm512_store_pd(out_y + i, _mm512_sub_pd(_mm512_sub_pd(_mm512_mul_pd(minus_s, x), _mm512_mul_pd(c, y)), ty));
    }
}

#include "collision/planar/planar_scan_finder_internal.h"
#include "collision/planar/planar_kernel_internal.h"

#else
typedef int planar_avx512_empty;
#endif
