// Vertex scan with vector instructions: SSE2 (every 64-bit x86) or AVX. Lane k looks at vertices k, k + 4, k + 8, ...
// exactly as the scalar twin in support.c does, with the same products and sums, so both name the same vertex.
#include "collision/support_internal.h"

#if defined(__AVX__)
#include <immintrin.h>

int ts_support_scan_simd(const ts_hull* hull, ts_vec3 d) {
    const double *x = hull->x, *y = hull->y, *z = hull->z;
    __m256d dx = _mm256_set1_pd(d.x), dy = _mm256_set1_pd(d.y), dz = _mm256_set1_pd(d.z);
    // Indices ride along as doubles, so that one mask serves both.
    __m256d at = _mm256_set_pd(3.0, 2.0, 1.0, 0.0), four = _mm256_set1_pd(4.0), index = at;
    __m256d best = _mm256_set1_pd(-(double)INFINITY);
    for (int i = 0; i < hull->padded_count; i += 4) {
        __m256d xy =
            _mm256_add_pd(_mm256_mul_pd(dx, _mm256_loadu_pd(x + i)), _mm256_mul_pd(dy, _mm256_loadu_pd(y + i)));
        __m256d value = _mm256_add_pd(xy, _mm256_mul_pd(dz, _mm256_loadu_pd(z + i)));
        __m256d better = _mm256_cmp_pd(value, best, _CMP_GT_OQ);
        best = _mm256_blendv_pd(best, value, better);
        index = _mm256_blendv_pd(index, at, better);
        at = _mm256_add_pd(at, four);
    }
    double values[4], indices[4];
    _mm256_storeu_pd(values, best);
    _mm256_storeu_pd(indices, index);
    int winner = 0;
    for (int k = 1; k < 4; ++k)
        if (values[k] > values[winner] || (values[k] == values[winner] && indices[k] < indices[winner])) winner = k;
    int vertex = (int)indices[winner];
    return vertex < hull->vertex_count ? vertex : 0;
}

#elif defined(__SSE2__)
#include <emmintrin.h>

// best where mask is clear, value where it is set
static __m128d choose(__m128d best, __m128d value, __m128d mask) {
    return _mm_or_pd(_mm_and_pd(mask, value), _mm_andnot_pd(mask, best));
}

int ts_support_scan_simd(const ts_hull* hull, ts_vec3 d) {
    const double *x = hull->x, *y = hull->y, *z = hull->z;
    __m128d dx = _mm_set1_pd(d.x), dy = _mm_set1_pd(d.y), dz = _mm_set1_pd(d.z), four = _mm_set1_pd(4.0);
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
    int winner = 0;
    for (int k = 1; k < 4; ++k)
        if (values[k] > values[winner] || (values[k] == values[winner] && indices[k] < indices[winner])) winner = k;
    int vertex = (int)indices[winner];
    return vertex < hull->vertex_count ? vertex : 0;
}

#else

int ts_support_scan_simd(const ts_hull* hull, ts_vec3 d) { return ts_support_scan(hull, d); }

#endif
