// Support vertices of a convex polygon: the scan in plain C and the hill climbing.
#ifndef TS_COLLISION_PLANAR_PLANAR_SUPPORT_INTERNAL_H
#define TS_COLLISION_PLANAR_PLANAR_SUPPORT_INTERNAL_H

#include "collision/planar/planar_polygon.h"

#include <float.h>

enum { TS_PLANAR_SCAN_MAX = 32 };  // up to here all vertices are looked at; beyond, seeds and a climb

// The first of `count` points with the greatest product with (dx, dy).
static inline int planar_scan(const double* x, const double* y, int count, double dx, double dy) {
    double best = dx * x[0] + dy * y[0];
    int winner = 0;
    for (int i = 1; i < count; ++i) {
        double value = dx * x[i] + dy * y[i];
        if (value > best) {
            best = value;
            winner = i;
        }
    }
    return winner;
}

// Walks uphill from `from`. Along the boundary of a convex polygon the product rises and falls once; rounding may put a
// false summit where an edge is nearly level, so the walk goes on over steps down that rounding can explain, and always
// looks both ways.
static inline int planar_climb(const ts_planar_polygon* polygon, double dx, double dy, int from) {
    const double *x = polygon->x, *y = polygon->y;
    int count = polygon->count, winner = from;
    double best = dx * x[from] + dy * y[from];
    double level = 4.0 * DBL_EPSILON * polygon->reach * (fabs(dx) + fabs(dy));
    for (int step = 1; step >= -1; step -= 2) {
        for (int i = from, walked = 1; walked < count; ++walked) {
            i += step;
            if (i == count) i = 0;
            if (i < 0) i = count - 1;
            double value = dx * x[i] + dy * y[i];
            if (value > best) {
                best = value;
                winner = i;
            } else if (!(value >= best - level)) {
                break;
            }
        }
    }
    return winner;
}

// The climb from the best of the seeds.
static inline int planar_climb_from_seed(const ts_planar_polygon* polygon, double dx, double dy) {
    int seed = planar_scan(polygon->coarse_x, polygon->coarse_y, polygon->coarse_count, dx, dy);
    return planar_climb(polygon, dx, dy, seed * polygon->coarse_stride);
}

#endif
