// Template, second half: support points by scans over A's vertices and over B's, turned once into A's frame. The
// including file has defined K and PLANAR_TARGET and K(scan), K(place).
#ifndef TS_COLLISION_PLANAR_PLANAR_SCAN_FINDER_INTERNAL_H
#define TS_COLLISION_PLANAR_PLANAR_SCAN_FINDER_INTERNAL_H

#ifdef PLANAR_TARGET  // alone it is nothing

typedef struct K(finder) {
    const double* ax;
    const double* ay;
    int count_a, count_b;
    double bx[TS_PLANAR_SCAN_MAX];  // B's vertices in the query frame, negated
    double by[TS_PLANAR_SCAN_MAX];
} K(finder);

PLANAR_TARGET static inline void K(finder_start)(K(finder) * find, const planar_query* query) {
    find->ax = query->a->x;
    find->ay = query->a->y;
    find->count_a = query->a->count;
    find->count_b = query->b->count;
    K(place)(query, find->count_b, find->bx, find->by);
}

PLANAR_TARGET static inline void K(at)(const K(finder) * find, int i, int j, double* wx, double* wy) {
    *wx = find->ax[i] + find->bx[j];
    *wy = find->ay[i] + find->by[j];
}

PLANAR_TARGET static inline void K(find)(const K(finder) * find, double dx, double dy, int* i, int* j, double* wx,
                                         double* wy) {
    *i = K(scan)(find->ax, find->ay, find->count_a, dx, dy);
    *j = K(scan)(find->bx, find->by, find->count_b, dx, dy);
    K(at)(find, *i, *j, wx, wy);
}

#endif
#endif
