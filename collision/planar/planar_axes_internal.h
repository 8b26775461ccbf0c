// Template of the separating-axis verdict for small polygons. The including file has defined K, PLANAR_TARGET, the type
// K(lanes) and K(load), K(spread), K(add), K(sub), K(mul), K(least), K(any_positive) on it, and PLANAR_LANES.
//
// Two convex polygons are apart when one lies outside an edge of the other (for two segments the ends matter too, so
// they are not for this routine). All edges are tried side by side, with no branch that depends on the shapes: for few
// vertices that beats any search. Edge vectors are not normalised, so whole numbers are decided exactly.
#ifndef TS_COLLISION_PLANAR_PLANAR_AXES_INTERNAL_H
#define TS_COLLISION_PLANAR_PLANAR_AXES_INTERNAL_H

#ifdef PLANAR_TARGET  // alone it is nothing

// PLANAR_LANES edges at once, from edge k on.
PLANAR_TARGET static inline __attribute__((always_inline)) int K(outside_few)(const ts_planar_polygon* edges, int k,
                                                                              const ts_planar_polygon* other, double c,
                                                                              double s, double tx, double ty) {
    K(lanes) vc = K(spread)(c), vs = K(spread)(s), x = K(load)(edges->x + k), y = K(load)(edges->y + k);
    K(lanes) nx = K(sub)(K(load)(edges->y + k + 1), y), ny = K(sub)(x, K(load)(edges->x + k + 1));
    K(lanes) mx = K(add)(K(mul)(vc, nx), K(mul)(vs, ny)), my = K(sub)(K(mul)(vc, ny), K(mul)(vs, nx));
    K(lanes) least = K(add)(K(mul)(mx, K(spread)(other->x[0])), K(mul)(my, K(spread)(other->y[0])));
    for (int j = 1; j < other->count; ++j)
        least = K(least)(least, K(add)(K(mul)(mx, K(spread)(other->x[j])), K(mul)(my, K(spread)(other->y[j]))));
    K(lanes) base = K(add)(K(mul)(nx, K(sub)(K(spread)(tx), x)), K(mul)(ny, K(sub)(K(spread)(ty), y)));
    return K(any_positive)(K(add)(least, base));
}

// Nonzero when `other` lies strictly outside an edge of `edges`; (c, s) and (tx, ty) place `other` in its frame.
PLANAR_TARGET static inline __attribute__((always_inline)) int K(outside_an_edge)(const ts_planar_polygon* edges,
                                                                                  const ts_planar_polygon* other,
                                                                                  double c, double s, double tx,
                                                                                  double ty) {
    K(lanes) vc = K(spread)(c), vs = K(spread)(s), vx = K(spread)(tx), vy = K(spread)(ty);
    int count = edges->count, other_count = other->count, found = 0;
    const double *x = edges->x, *y = edges->y, *ox = other->x, *oy = other->y;
    int k = 0;
    for (; k + PLANAR_LANES < count; k += 2 * PLANAR_LANES) {
        int l = k + PLANAR_LANES;  // padding: edges of no length, which separate nothing
        K(lanes) x0 = K(load)(x + k), y0 = K(load)(y + k), x1 = K(load)(x + l), y1 = K(load)(y + l);
        K(lanes) nx0 = K(sub)(K(load)(y + k + 1), y0), ny0 = K(sub)(x0, K(load)(x + k + 1));
        K(lanes) nx1 = K(sub)(K(load)(y + l + 1), y1), ny1 = K(sub)(x1, K(load)(x + l + 1));
        // Normals in the frame of `other`, so that its vertices are used as they are.
        K(lanes) mx0 = K(add)(K(mul)(vc, nx0), K(mul)(vs, ny0)), my0 = K(sub)(K(mul)(vc, ny0), K(mul)(vs, nx0));
        K(lanes) mx1 = K(add)(K(mul)(vc, nx1), K(mul)(vs, ny1)), my1 = K(sub)(K(mul)(vc, ny1), K(mul)(vs, nx1));
        K(lanes) px = K(spread)(ox[0]), py = K(spread)(oy[0]);
        K(lanes) least0 = K(add)(K(mul)(mx0, px), K(mul)(my0, py));
        K(lanes) least1 = K(add)(K(mul)(mx1, px), K(mul)(my1, py));
        for (int j = 1; j < other_count; ++j) {
            px = K(spread)(ox[j]);
            py = K(spread)(oy[j]);
            least0 = K(least)(least0, K(add)(K(mul)(mx0, px), K(mul)(my0, py)));
            least1 = K(least)(least1, K(add)(K(mul)(mx1, px), K(mul)(my1, py)));
        }
        K(lanes) base0 = K(add)(K(mul)(nx0, K(sub)(vx, x0)), K(mul)(ny0, K(sub)(vy, y0)));
        K(lanes) base1 = K(add)(K(mul)(nx1, K(sub)(vx, x1)), K(mul)(ny1, K(sub)(vy, y1)));
        found |= K(any_positive)(K(add)(least0, base0)) | K(any_positive)(K(add)(least1, base1));
    }
    return k < count ? found | K(outside_few)(edges, k, other, c, s, tx, ty) : found;
}

// The verdict of a pair that may be apart by any edge of either.
PLANAR_TARGET static inline __attribute__((always_inline)) planar_walk_end K(try_axes)(const K(pair) * pair) {
    ts_planar_vec ra = pair->ra, rb = pair->rb;
    double c = ra.x * rb.x + ra.y * rb.y, s = ra.x * rb.y - ra.y * rb.x;
    double ax = ra.x * pair->tx + ra.y * pair->ty, ay = ra.x * pair->ty - ra.y * pair->tx;
    double bx = rb.x * pair->tx + rb.y * pair->ty, by = rb.x * pair->ty - rb.y * pair->tx;
    int apart = K(outside_an_edge)(pair->a, pair->b, c, s, ax, ay);
    apart |= K(outside_an_edge)(pair->b, pair->a, c, -s, -bx, -by);
    return apart ? PLANAR_WALK_OUTSIDE : PLANAR_WALK_INSIDE;
}

#endif
#endif
