// Vertex scan with vector instructions: SSE2 (every 64-bit x86) or AVX2, whichever the processor offers when it runs. Lane k
// looks at vertices k, k + n, k + 2n, ... and keeps the first of equals; in the end the lowest index among the lanes' best
// wins. The products and sums are those of the scalar twin in support_hull.c and nothing is fused, so every width names
// the same vertex. Vectors of eight do not pay: the hulls that are scanned are small, and by them a distance of hulls of
// 16 to 48 vertices took an eighth to a quarter longer.
#include "collision/shape/support_internal.h"

#if defined(__x86_64__) && (defined(__GNUC__) || defined(__clang__))
#include <immintrin.h>

#define TS_TARGET(name) __attribute__((target(name)))

// Lowest index among the largest values.
static inline int pick(const double* value, const double* index, int lanes, int vertex_count) {
    double best = value[0], at = index[0];
    for (int k = 1; k < lanes; ++k) {
        int better = value[k] > best || (value[k] == best && index[k] < at);
        best = better ? value[k] : best;
        at = better ? index[k] : at;
    }
    return (int)at < vertex_count ? (int)at : 0;
}

// best where the mask is clear, value where it is set
static inline __m128d choose(__m128d best, __m128d value, __m128d mask) {
    return _mm_or_pd(_mm_and_pd(mask, value), _mm_andnot_pd(mask, best));
}

static int scan_sse2(const ts_hull* hull, double x_along, double y_along, double z_along) {
    const double *x = hull->x, *y = hull->y, *z = hull->z;
    __m128d dx = _mm_set1_pd(x_along), dy = _mm_set1_pd(y_along), dz = _mm_set1_pd(z_along), four = _mm_set1_pd(4.0);
    // Indices ride along as doubles, so that one mask serves both.
    __m128d at0 = _mm_set_pd(1.0, 0.0), at1 = _mm_set_pd(3.0, 2.0), index0 = at0, index1 = at1;
    __m128d best0 = _mm_set1_pd(-(double)INFINITY), best1 = best0;
    for (int i = 0; i < hull->padded_count; i += 4) {
        __m128d xy0 = _mm_add_pd(_mm_mul_pd(dx, _mm_loadu_pd(x + i)), _mm_mul_pd(dy, _mm_loadu_pd(y + i)));
        __m128d xy1 = _mm_add_pd(_mm_mul_pd(dx, _mm_loadu_pd(x + i + 2)), _mm_mul_pd(dy, _mm_loadu_pd(y + i + 2)));
        __m128d value0 = _mm_add_pd(xy0, _mm_mul_pd(dz, _mm_loadu_pd(z + i)));
        __m128d value1 = _mm_add_pd(xy1, _mm_mul_pd(dz, _mm_loadu_pd(z + i + 2)));
        __m128d better0 = _mm_cmpgt_pd(value0, best0), better1 = _mm_cmpgt_pd(value1, best1);
        // A comparison with a NaN is false, so max keeps the old value just as the mask does.
        best0 = _mm_max_pd(value0, best0);
        best1 = _mm_max_pd(value1, best1);
        index0 = choose(index0, at0, better0);
        index1 = choose(index1, at1, better1);
        at0 = _mm_add_pd(at0, four);
        at1 = _mm_add_pd(at1, four);
    }
    double values[4], indices[4];
    _mm_storeu_pd(values, best0);
    _mm_storeu_pd(values + 2, best1);
    _mm_storeu_pd(indices, index0);
    _mm_storeu_pd(indices + 2, index1);
    return pick(values, indices, 4, hull->vertex_count);
}

TS_TARGET("avx2") static inline __m256d dot4(__m256d dx, __m256d dy, __m256d dz, const ts_hull* hull, int i) {
    __m256d xy =
        _mm256_add_pd(_mm256_mul_pd(dx, _mm256_loadu_pd(hull->x + i)), _mm256_mul_pd(dy, _mm256_loadu_pd(hull->y + i)));
    return _mm256_add_pd(xy, _mm256_mul_pd(dz, _mm256_loadu_pd(hull->z + i)));
}

TS_TARGET("avx2") static int scan_avx2(const ts_hull* hull, double x_along, double y_along, double z_along) {
    __m256d dx = _mm256_set1_pd(x_along), dy = _mm256_set1_pd(y_along), dz = _mm256_set1_pd(z_along);
    __m256d at0 = _mm256_set_pd(3.0, 2.0, 1.0, 0.0), at1 = _mm256_set_pd(7.0, 6.0, 5.0, 4.0);
    __m256d index0 = at0, index1 = at0, eight = _mm256_set1_pd(8.0);
    __m256d best0 = _mm256_set1_pd(-(double)INFINITY), best1 = best0;
    int i = 0;
    for (; i + 8 <= hull->padded_count; i += 8) {
        __m256d value0 = dot4(dx, dy, dz, hull, i), value1 = dot4(dx, dy, dz, hull, i + 4);
        __m256d better0 = _mm256_cmp_pd(value0, best0, _CMP_GT_OQ), better1 = _mm256_cmp_pd(value1, best1, _CMP_GT_OQ);
        best0 = _mm256_max_pd(value0, best0);
        best1 = _mm256_max_pd(value1, best1);
        index0 = _mm256_blendv_pd(index0, at0, better0);
        index1 = _mm256_blendv_pd(index1, at1, better1);
        at0 = _mm256_add_pd(at0, eight);
        at1 = _mm256_add_pd(at1, eight);
    }
    if (i < hull->padded_count) {
        __m256d value = dot4(dx, dy, dz, hull, i), better = _mm256_cmp_pd(value, best0, _CMP_GT_OQ);
        best0 = _mm256_max_pd(value, best0);
        index0 = _mm256_blendv_pd(index0, at0, better);
    }
    // Across the lanes: the largest value, then the lowest index that has it.
    __m256d most = _mm256_max_pd(best0, best1);
    most = _mm256_max_pd(most, _mm256_permute2f128_pd(most, most, 1));
    most = _mm256_max_pd(most, _mm256_permute_pd(most, 5));
    __m256d none = _mm256_set1_pd((double)INFINITY);
    __m256d index = _mm256_min_pd(_mm256_blendv_pd(none, index0, _mm256_cmp_pd(best0, most, _CMP_EQ_OQ)),
                                  _mm256_blendv_pd(none, index1, _mm256_cmp_pd(best1, most, _CMP_EQ_OQ)));
    __m128d low = _mm_min_pd(_mm256_castpd256_pd128(index), _mm256_extractf128_pd(index, 1));
    int vertex = _mm_cvttsd_si32(_mm_min_sd(low, _mm_unpackhi_pd(low, low)));
    return vertex < hull->vertex_count ? vertex : 0;
}

int ts_support_scan_width(void) { return __builtin_cpu_supports("avx2") ? 4 : 2; }

int ts_support_scan_xyz(const ts_hull* hull, double x, double y, double z) {
    if (__builtin_cpu_supports("avx2")) return scan_avx2(hull, x, y, z);
    return scan_sse2(hull, x, y, z);
}

int ts_support_scan_sse2(const ts_hull* hull, ts_vec3 d) { return scan_sse2(hull, d.x, d.y, d.z); }

int ts_support_scan_avx2(const ts_hull* hull, ts_vec3 d) { return scan_avx2(hull, d.x, d.y, d.z); }

#else

int ts_support_scan_width(void) { return 1; }

int ts_support_scan_sse2(const ts_hull* hull, ts_vec3 d) { return ts_support_scan(hull, d); }

int ts_support_scan_avx2(const ts_hull* hull, ts_vec3 d) { return ts_support_scan(hull, d); }

int ts_support_scan_xyz(const ts_hull* hull, double x, double y, double z) {
    return ts_support_scan(hull, ts_vec3_make(x, y, z));
}

#endif

int ts_support_scan_simd(const ts_hull* hull, ts_vec3 d) { return ts_support_scan_xyz(hull, d.x, d.y, d.z); }
