// Planar GJK with a scan by pairs: SSE2, which every 64-bit x86 has. Same products, same sums, same vertex as the twin
// in planar_scalar.c.
#include "collision/planar/planar_gjk_internal.h"

#if defined(__x86_64__)
#include <emmintrin.h>

#define K(name) name##_sse2
#define PLANAR_TARGET

// The first of `count` points with the greatest product with (dx, dy): the maximum, then the first that equals it.
static inline int K(scan)(const double* x, const double* y, int count, double dx, double dy) {
    __m128d vx = _mm_set1_pd(dx), vy = _mm_set1_pd(dy);
    __m128d value[TS_PLANAR_SCAN_MAX / 2], best = _mm_set1_pd(-(double)INFINITY);
    int pairs = (count + 1) / 2;
    for (int k = 0; k < pairs; ++k) {
        value[k] = _mm_add_pd(_mm_mul_pd(vx, _mm_loadu_pd(x + 2 * k)), _mm_mul_pd(vy, _mm_loadu_pd(y + 2 * k)));
        best = _mm_max_pd(best, value[k]);
    }
    best = _mm_max_pd(best, _mm_shuffle_pd(best, best, 1));
    unsigned mask = 0;
    for (int k = 0; k < pairs; ++k) mask |= (unsigned)_mm_movemask_pd(_mm_cmpeq_pd(value[k], best)) << (2 * k);
    return mask ? __builtin_ctz(mask) : 0;
}

// B's vertices in the query frame, negated.
static inline void K(place)(const planar_query* query, int count, double* out_x, double* out_y) {
    __m128d c = _mm_set1_pd(query->c), s = _mm_set1_pd(query->s), minus_s = _mm_set1_pd(-query->s);
    __m128d tx = _mm_set1_pd(query->tx), ty = _mm_set1_pd(query->ty);
    for (int i = 0; i < count; i += 2) {
        __m128d x = _mm_loadu_pd(query->b->x + i), y = _mm_loadu_pd(query->b->y + i);
        _mm_storeu_pd(out_x + i, _mm_sub_pd(_mm_sub_pd(_mm_mul_pd(s, y), _mm_mul_pd(c, x)), tx));
        _mm_storeu_pd(out_y + i, _mm_sub_pd(_mm_sub_pd(_mm_mul_pd(minus_s, x), _mm_mul_pd(c, y)), ty));
    }
}

#define PLANAR_LANES 2
typedef __m128d K(lanes);
static inline K(lanes) K(load)(const double* p) { return _mm_loadu_pd(p); }
static inline K(lanes) K(spread)(double v) { return _mm_set1_pd(v); }
static inline K(lanes) K(add)(K(lanes) a, K(lanes) b) { return _mm_add_pd(a, b); }
static inline K(lanes) K(sub)(K(lanes) a, K(lanes) b) { return _mm_sub_pd(a, b); }
static inline K(lanes) K(mul)(K(lanes) a, K(lanes) b) { return _mm_mul_pd(a, b); }
static inline K(lanes) K(least)(K(lanes) a, K(lanes) b) { return _mm_min_pd(a, b); }
static inline int K(any_positive)(K(lanes) v) { return _mm_movemask_pd(_mm_cmpgt_pd(v, _mm_setzero_pd())); }

// a when test is not negative, else b; without a branch.
static inline double K(choose)(double test, double a, double b) {
    __m128d mask = _mm_cmpge_sd(_mm_set_sd(test), _mm_setzero_pd());
    return _mm_cvtsd_f64(_mm_or_pd(_mm_and_pd(mask, _mm_set_sd(a)), _mm_andnot_pd(mask, _mm_set_sd(b))));
}

#include "collision/planar/planar_scan_finder_internal.h"
#include "collision/planar/planar_kernel_internal.h"
#include "collision/planar/planar_walk_internal.h"

#else
typedef int planar_sse2_empty;
#endif
