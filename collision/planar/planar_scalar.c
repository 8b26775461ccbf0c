// Planar GJK with the scan in plain C: the twin that the vector kernels are compared with, and the kernel of other
// processors. Rule, source and guarantee: planar_distance.c.
#include "collision/planar/planar_gjk_internal.h"

#define K(name) name##_scalar
#define PLANAR_TARGET

static inline int K(scan)(const double* x, const double* y, int count, double dx, double dy) {
    return planar_scan(x, y, count, dx, dy);
}

// B's vertices in the query frame, negated.
static inline void K(place)(const planar_query* query, int count, double* out_x, double* out_y) {
    const double *x = query->b->x, *y = query->b->y;
    for (int i = 0; i < count; ++i) {
        out_x[i] = (query->s * y[i] - query->c * x[i]) - query->tx;
        out_y[i] = (-query->s * x[i] - query->c * y[i]) - query->ty;
    }
}

#define PLANAR_LANES 1
typedef double K(lanes);
static inline K(lanes) K(load)(const double* p) { return *p; }
static inline K(lanes) K(spread)(double v) { return v; }
static inline K(lanes) K(add)(K(lanes) a, K(lanes) b) { return a + b; }
static inline K(lanes) K(sub)(K(lanes) a, K(lanes) b) { return a - b; }
static inline K(lanes) K(mul)(K(lanes) a, K(lanes) b) { return a * b; }
static inline K(lanes) K(least)(K(lanes) a, K(lanes) b) { return b < a ? b : a; }
static inline int K(any_positive)(K(lanes) v) { return v > 0.0; }

// a when test is not negative, else b; without a branch.
static inline double K(choose)(double test, double a, double b) { return test >= 0.0 ? a : b; }

#include "collision/planar/planar_scan_finder_internal.h"
#include "collision/planar/planar_kernel_internal.h"
#include "collision/planar/planar_walk_internal.h"
