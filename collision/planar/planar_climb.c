// Planar GJK with hill climbing: each support vertex is sought from the last one along the boundary. For polygons of
// many vertices, and for the comparison of the two. Rule, source and guarantee: planar_distance.c.
#include "collision/planar/planar_gjk_internal.h"

#define K(name) name##_climb
#define PLANAR_TARGET

typedef struct K(finder) {
    const planar_query* query;
    int i, j;  // last support vertices, -1: none yet
} K(finder);

static inline void K(finder_start)(K(finder) * find, const planar_query* query) {
    const ts_planar_cache* cache = query->cache;
    find->query = query;
    find->i = query->a->coarse_stride ? -1 : 0;
    find->j = query->b->coarse_stride ? -1 : 0;
    if (cache && cache->rank >= 1 && cache->rank <= 3) {
        if (cache->simplex_a[0] >= 0 && cache->simplex_a[0] < query->a->count) find->i = cache->simplex_a[0];
        if (cache->simplex_b[0] >= 0 && cache->simplex_b[0] < query->b->count) find->j = cache->simplex_b[0];
    }
}

static inline void K(at)(const K(finder) * find, int i, int j, double* wx, double* wy) {
    const planar_query* query = find->query;
    const double *x = query->b->x, *y = query->b->y;
    *wx = query->a->x[i] + ((query->s * y[j] - query->c * x[j]) - query->tx);
    *wy = query->a->y[i] + ((-query->s * x[j] - query->c * y[j]) - query->ty);
}

static inline int climb(const ts_planar_polygon* polygon, double dx, double dy, int from) {
    return from < 0 ? planar_climb_from_seed(polygon, dx, dy) : planar_climb(polygon, dx, dy, from);
}

static inline void K(find)(K(finder) * find, double dx, double dy, int* i, int* j, double* wx, double* wy) {
    const planar_query* query = find->query;
    *i = find->i = climb(query->a, dx, dy, find->i);
    *j = find->j = climb(query->b, -query->c * dx - query->s * dy, query->s * dx - query->c * dy, find->j);
    K(at)(find, *i, *j, wx, wy);
}

#include "collision/planar/planar_kernel_internal.h"

const planar_kernels planar_kernels_climb = {planar_distance_climb, planar_overlap_climb, NULL, NULL};
