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

// The triangle of the simplex with w around the origin.
PLANAR_TARGET static inline void K(enclose)(planar_simplex* out, int i, int j, double wx, double wy) {
    planar_put(out, 2, i, j, wx, wy);
    out->rank = 3;
    out->ending = PLANAR_INSIDE;
}

// One loop for both kinds of query; `verdict` is a constant at each call, so two functions come out.
PLANAR_TARGET static inline __attribute__((always_inline)) void K(loop)(const planar_query* query, int verdict,
                                                                        planar_simplex* out) {
    K(finder) find;
    K(finder_start)(&find, query);
    double ax = 0.0, ay = 0.0, ex = 0.0, ey = 0.0;  // A and B - A
    double dx = query->tx, dy = query->ty, here = 0.0, dw = 0.0;
    int rank = 0, iterations = 0, calls = 0, stalls = 0;
    out->ending = PLANAR_CLOSEST;
    if (query->cache) {
        rank = K(warm)(&find, query, out);
        if (rank == 3) {
            out->ending = PLANAR_INSIDE;
            out->rank = 3;
            out->iterations = out->support_calls = 0;
            out->dx = out->dy = out->dw = 0.0;
            return;
        }
        double x = query->cache->direction.x, y = query->cache->direction.y;
        // A verdict looks along the last separating line first; what is not of a sensible size is no direction.
        double size = fabs(x) + fabs(y);
        if (size > 1e-100 && size < 1e100) {
            dx = x;
            dy = y;
            if (verdict) rank = 0;
        }
    }
    if (rank == 0) {
        if (dx == 0.0 && dy == 0.0) dx = 1.0;  // centres coincide: any direction
        int i, j;
        K(find)(&find, dx, dy, &i, &j, &ax, &ay);
        planar_put(out, 0, i, j, ax, ay);
        calls = 1;
        dw = dx * ax + dy * ay;
        rank = 1;
        if (dw < 0.0 && (verdict ? query->limit == 0.0 || dw * dw > query->limit_squared * (dx * dx + dy * dy)
                                 : dw * dw > query->limit_squared * (dx * dx + dy * dy))) {
            out->ending = PLANAR_BEYOND;
            goto done;
        }
    } else {
        ax = out->wx[0];
        ay = out->wy[0];
        ex = out->wx[1] - ax;
        ey = out->wy[1] - ay;
    }
    for (;; ++iterations) {
        double ee;
        if (rank == 1) {
            dx = -ax;
            dy = -ay;
            ee = ax * ax + ay * ay;
            here = -ee;
            if (ee <= 0.0) break;  // the vertices coincide
            if (verdict && ee <= query->limit_squared) break;
        } else {
            dx = -ey;
            dy = ex;
            ee = ex * ex + ey * ey;
            double at_a = dx * ax + dy * ay, at_b = dx * out->wx[1] + dy * out->wy[1];
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
        if (dw < 0.0 && (verdict ? query->limit == 0.0 || dw * dw > query->limit_squared * ee
                                 : dw * dw > query->limit_squared * ee)) {
            out->ending = PLANAR_BEYOND;
            break;
        }
        if (!(dw > here)) break;  // no point of A - B lies further this way
        if (rank == 1) {
            double fx = ax - wx, fy = ay - wy;  // from w to A
            double turn = wx * fy - wy * fx, ww = wx * wx + wy * wy;
            if (wx * fx + wy * fy >= 0.0) {
                if (!(ww < ee) && ++stalls > PLANAR_STALL_LIMIT) break;
                planar_put(out, 0, i, j, wx, wy);
                ax = wx;
                ay = wy;
                continue;
            }
            if (!(turn * turn < ee * (fx * fx + fy * fy)) && ++stalls > PLANAR_STALL_LIMIT) break;
            rank = 2;
            if (turn > 0.0) {
                planar_put(out, 1, out->ia[0], out->ib[0], ax, ay);
                planar_put(out, 0, i, j, wx, wy);
                ax = wx;
                ay = wy;
                ex = fx;
                ey = fy;
            } else {
                planar_put(out, 1, i, j, wx, wy);
                ex = -fx;
                ey = -fy;
            }
            continue;
        }
        double fx = wx - out->wx[1], fy = wy - out->wy[1];  // from B to w
        double gx = ax - wx, gy = ay - wy;                  // from w to A
        double beyond_b = wx * fy - wy * fx, beyond_a = wx * gy - wy * gx;
        if (beyond_b >= 0.0 && beyond_a >= 0.0) {
            K(enclose)(out, i, j, wx, wy);
            rank = 3;
            break;
        }
        if (beyond_b < 0.0 && wx * fx + wy * fy > 0.0) {
            if (!(beyond_b * beyond_b * ee < here * here * (fx * fx + fy * fy)) && ++stalls > PLANAR_STALL_LIMIT) break;
            planar_put(out, 0, i, j, wx, wy);
            ax = wx;
            ay = wy;
            ex = -fx;
            ey = -fy;
        } else if (beyond_a < 0.0 && wx * gx + wy * gy < 0.0) {
            if (!(beyond_a * beyond_a * ee < here * here * (gx * gx + gy * gy)) && ++stalls > PLANAR_STALL_LIMIT) break;
            planar_put(out, 1, i, j, wx, wy);
            ex = -gx;
            ey = -gy;
        } else {
            if (!((wx * wx + wy * wy) * ee < here * here) && ++stalls > PLANAR_STALL_LIMIT) break;
            planar_put(out, 0, i, j, wx, wy);
            ax = wx;
            ay = wy;
            rank = 1;
        }
    }
done:
    if (stalls > PLANAR_STALL_LIMIT) out->ending = PLANAR_STALLED;
    out->rank = rank;
    out->dx = dx;
    out->dy = dy;
    out->dw = dw;
    out->iterations = iterations;
    out->support_calls = calls;
}

PLANAR_TARGET void K(planar_distance)(const planar_query* query, planar_simplex* out) { K(loop)(query, 0, out); }

PLANAR_TARGET void K(planar_overlap)(const planar_query* query, planar_simplex* out) { K(loop)(query, 1, out); }
