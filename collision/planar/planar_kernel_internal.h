// Template of the planar GJK loops. The including file defines K(name) (adds its suffix), PLANAR_TARGET (attributes),
// and a type K(finder) with K(finder_start)(finder*, query) and K(find)(finder*, dx, dy, &i, &j, &wx, &wy): the support
// point w = a_i - b_j of A - B along (dx, dy), and K(at)(finder*, i, j, &wx, &wy): the point of a known pair.
//
// State: rank 1, one point A; or rank 2, two points A, B with the origin strictly left of A->B and its projection
// strictly between them. The order makes the code of a triangle (A, B, w), w newest, two bits: the signs of B x w and
// w x A. Both set: the origin is inside (the vertical-angle test). One clear: beyond that edge. Both clear: in the cone
// of w. The other codes cannot occur because w lies beyond A->B.
//
// Each step must come closer, compared without a division. One that does not is rounding (thin shapes within a hair of
// each other): a few are let pass, because the next direction may be the one that certifies, then the loop ends.
#ifndef TS_COLLISION_PLANAR_PLANAR_KERNEL_INTERNAL_H
#define TS_COLLISION_PLANAR_PLANAR_KERNEL_INTERNAL_H

#ifdef PLANAR_TARGET  // alone it is nothing

// The closest feature of a cached simplex into slots 0 (and 1); returns its rank, 3 for a triangle around the origin,
// 0 when the cache says nothing useful.
PLANAR_TARGET static inline int K(warm)(K(finder) * find, const planar_query* query, planar_simplex* out) {
    const ts_planar_cache* cache = query->cache;
    int rank = cache->rank;
    if (rank < 1 || rank > 3) return 0;
    for (int k = 0; k < rank; ++k) {
        int i = cache->simplex_a[k], j = cache->simplex_b[k];
        if (i < 0 || i >= query->a->count || j < 0 || j >= query->b->count) return 0;
        out->ia[k] = i;
        out->ib[k] = j;
        K(at)(find, i, j, &out->wx[k], &out->wy[k]);
    }
    const double *x = out->wx, *y = out->wy;
    if (rank == 1) return 1;
    double ex = x[1] - x[0], ey = y[1] - y[0];
    double turn = x[0] * ey - y[0] * ex;
    if (rank == 3) {
        double c1 = x[2] * (y[2] - y[1]) - y[2] * (x[2] - x[1]), c2 = x[2] * (y[0] - y[2]) - y[2] * (x[0] - x[2]);
        if (turn > 0.0 && c1 >= 0.0 && c2 >= 0.0) return 3;
    }
    double at_a = x[0] * ex + y[0] * ey, at_b = x[1] * ex + y[1] * ey;
    if (at_a < 0.0 && at_b > 0.0 && turn != 0.0) {
        if (turn < 0.0) planar_swap(out);
        return 2;
    }
    if (!(at_a < 0.0)) return 1;
    planar_swap(out);
    return 1;
}

// Where the loop stands: A, and for rank 2 also B - A.
typedef struct K(state) {
    int rank, stalls;
    double ax, ay, ex, ey;
} K(state);

PLANAR_TARGET static inline __attribute__((always_inline)) void K(stand_on)(K(state) * at,
                                                                            const planar_simplex* simplex, int rank) {
    at->rank = rank;
    at->ax = simplex->wx[0];
    at->ay = simplex->wy[0];
    at->ex = simplex->wx[1] - simplex->wx[0];
    at->ey = simplex->wy[1] - simplex->wy[0];
}

// A step that comes closer is welcome; one that does not counts as a stall. Nonzero: too many.
PLANAR_TARGET static inline __attribute__((always_inline)) int K(stalled)(K(state) * at, int closer) {
    return !closer && ++at->stalls > PLANAR_STALL_LIMIT;
}

// From vertex A with the new point w (and ee = |A|^2): to w, or to the edge between them. 0: stalled.
PLANAR_TARGET static inline __attribute__((always_inline)) int K(from_vertex)(K(state) * at, planar_simplex* out, int i,
                                                                              int j, double wx, double wy, double ee) {
    double fx = at->ax - wx, fy = at->ay - wy;  // from w to A
    double turn = wx * fy - wy * fx;
    if (wx * fx + wy * fy >= 0.0) {
        if (K(stalled)(at, wx * wx + wy * wy < ee)) return 0;
        planar_put(out, 0, i, j, wx, wy);
        at->ax = wx;
        at->ay = wy;
        return 1;
    }
    if (K(stalled)(at, turn * turn < ee * (fx * fx + fy * fy))) return 0;
    at->rank = 2;
    if (turn > 0.0) {
        planar_put(out, 1, out->ia[0], out->ib[0], at->ax, at->ay);
        planar_put(out, 0, i, j, wx, wy);
        at->ax = wx;
        at->ay = wy;
        at->ex = fx;
        at->ey = fy;
    } else {
        planar_put(out, 1, i, j, wx, wy);
        at->ex = -fx;
        at->ey = -fy;
    }
    return 1;
}

// From edge A->B (ee its squared length, here its product with its own perpendicular) with the new point w: to one of
// the edges at w, to w, or inside (rank 3). 0: stalled.
PLANAR_TARGET static inline __attribute__((always_inline)) int
K(from_edge)(K(state) * at, planar_simplex* out, int i, int j, double wx, double wy, double ee, double here) {
    double fx = wx - out->wx[1], fy = wy - out->wy[1];  // from B to w
    double gx = at->ax - wx, gy = at->ay - wy;          // from w to A
    double beyond_b = wx * fy - wy * fx, beyond_a = wx * gy - wy * gx;
    if (beyond_b >= 0.0 && beyond_a >= 0.0) {
        planar_put(out, 2, i, j, wx, wy);
        at->rank = 3;
        return 1;
    }
    if (beyond_b < 0.0 && wx * fx + wy * fy > 0.0) {
        if (K(stalled)(at, beyond_b * beyond_b * ee < here * here * (fx * fx + fy * fy))) return 0;
        planar_put(out, 0, i, j, wx, wy);
        at->ax = wx;
        at->ay = wy;
        at->ex = -fx;
        at->ey = -fy;
    } else if (beyond_a < 0.0 && wx * gx + wy * gy < 0.0) {
        if (K(stalled)(at, beyond_a * beyond_a * ee < here * here * (gx * gx + gy * gy))) return 0;
        planar_put(out, 1, i, j, wx, wy);
        at->ex = -gx;
        at->ey = -gy;
    } else {
        if (K(stalled)(at, (wx * wx + wy * wy) * ee < here * here)) return 0;
        planar_put(out, 0, i, j, wx, wy);
        at->ax = wx;
        at->ay = wy;
        at->rank = 1;
    }
    return 1;
}

// Whether a support point whose product with d (dd its squared length) is dw settles the question from afar.
PLANAR_TARGET static inline __attribute__((always_inline)) int K(beyond)(const planar_query* query, int verdict,
                                                                         double dw, double dd) {
    return dw < 0.0 && ((verdict && query->limit <= 0.0) || dw * dw > query->limit_squared * dd);
}

// The cached simplex, or the support point along the line of centres (or the cached direction): in out->dx, dy, dw the
// direction and its product. Returns the rank, 0 when that settles the question.
PLANAR_TARGET static inline __attribute__((always_inline)) int K(begin)(K(finder) * find, const planar_query* query,
                                                                        int verdict, planar_simplex* out) {
    int rank = 0;
    out->dx = query->tx;
    out->dy = query->ty;
    out->dw = 0.0;
    out->ending = PLANAR_CLOSEST;
    out->support_calls = out->iterations = 0;
    if (query->cache) {
        rank = K(warm)(find, query, out);
        if (rank == 3) {
            out->ending = PLANAR_INSIDE;
            out->rank = 3;
            return 0;
        }
        double x = query->cache->direction.x, y = query->cache->direction.y;
        // A verdict looks along the last separating line first; what is not of a sensible size is no direction.
        double size = fabs(x) + fabs(y);
        if (size > 1e-100 && size < 1e100) {
            out->dx = x;
            out->dy = y;
            if (verdict) rank = 0;
        }
    }
    if (rank > 0) return rank;
    if (out->dx == 0.0 && out->dy == 0.0) out->dx = 1.0;  // centres coincide: any direction
    int i, j;
    double wx, wy;
    K(find)(find, out->dx, out->dy, &i, &j, &wx, &wy);
    planar_put(out, 0, i, j, wx, wy);
    planar_put(out, 1, i, j, wx, wy);
    out->support_calls = 1;
    out->dw = out->dx * wx + out->dy * wy;
    if (!K(beyond)(query, verdict, out->dw, out->dx * out->dx + out->dy * out->dy)) return 1;
    out->ending = PLANAR_BEYOND;
    out->rank = 1;
    return 0;
}

// One loop for both kinds of query; `verdict` is a constant at each call, so two functions come out.
PLANAR_TARGET static inline __attribute__((always_inline)) void K(loop)(const planar_query* query, int verdict,
                                                                        planar_simplex* out) {
    K(finder) find;
    K(finder_start)(&find, query);
    int rank = K(begin)(&find, query, verdict, out), iterations = 0, calls = out->support_calls;
    if (rank == 0) return;
    K(state) at;
    at.stalls = 0;
    K(stand_on)(&at, out, rank);
    double dx, dy, dw = out->dw;
    for (;; ++iterations) {
        double ee, here;
        if (at.rank == 1) {
            dx = -at.ax;
            dy = -at.ay;
            ee = at.ax * at.ax + at.ay * at.ay;
            here = -ee;
            if (ee <= 0.0) break;  // the vertices coincide
            if (verdict && ee <= query->limit_squared) break;
        } else {
            dx = -at.ey;
            dy = at.ex;
            ee = at.ex * at.ex + at.ey * at.ey;
            double at_a = dx * at.ax + dy * at.ay, at_b = dx * out->wx[1] + dy * out->wy[1];
            here = at_a > at_b ? at_a : at_b;
            if (!(here < 0.0)) break;  // the origin is on the edge, to rounding
            if (verdict && here * here <= query->limit_squared * ee) break;
        }
        if (iterations == PLANAR_ITERATION_LIMIT) {
            out->ending = PLANAR_RAN_OUT;
            break;
        }
        int i, j;
        double wx, wy;
        K(find)(&find, dx, dy, &i, &j, &wx, &wy);
        ++calls;
        dw = dx * wx + dy * wy;
        if (K(beyond)(query, verdict, dw, ee)) {
            out->ending = PLANAR_BEYOND;
            break;
        }
        if (!(dw > here)) break;  // no point of A - B lies further this way
        int went =
            at.rank == 1 ? K(from_vertex)(&at, out, i, j, wx, wy, ee) : K(from_edge)(&at, out, i, j, wx, wy, ee, here);
        if (!went) out->ending = PLANAR_STALLED;
        if (at.rank == 3) out->ending = PLANAR_INSIDE;
        if (!went || at.rank == 3) break;
    }
    out->rank = at.rank;
    out->dx = dx;
    out->dy = dy;
    out->dw = dw;
    out->iterations = iterations;
    out->support_calls = calls;
}

PLANAR_TARGET static void K(planar_distance)(const planar_query* query, planar_simplex* out) { K(loop)(query, 0, out); }

PLANAR_TARGET static void K(planar_overlap)(const planar_query* query, planar_simplex* out) { K(loop)(query, 1, out); }

#endif
#endif
