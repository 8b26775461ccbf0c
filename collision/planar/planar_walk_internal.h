// Template of the walk along the boundary of D = A - B. The including file has defined K, PLANAR_TARGET, K(scan).
//
// D is a convex polygon whose edges are those of A and of -B in order of direction, so its next vertex after (i, j) is
// (i + 1, j) or (i, j + 1), whichever edge turns less; likewise backwards. One support point along the line of centres
// is found by a scan, and from there the nearest feature is a few steps away, each a cross product: cheaper than more
// scans. With centres c in A and B, the ray from c_A - c_B through the origin leaves D through one edge; on which side
// of it the origin lies decides overlap. Outside, the nearest point of the visible boundary has no rival, and the
// distance falls until it is reached. Edges are differences of the polygons' own vertices, so a short edge knows its
// direction. Where a decision is within rounding, the walk says UNSURE.

// A vertex of D and the way from it.
typedef struct K(stand) {
    int i, j;
    double x, y;    // a_i - b_j
    double ex, ey;  // edge of D to the next vertex of the walk
    int next_i, next_j;
} K(stand);

// Fills x, y.
PLANAR_TARGET static inline void K(stand_at)(const planar_query* query, K(stand) * at) {
    double bx = query->b->x[at->j], by = query->b->y[at->j];
    at->x = (query->a->x[at->i] - query->tx) - (query->c * bx - query->s * by);
    at->y = (query->a->y[at->i] - query->ty) - (query->s * bx + query->c * by);
}

// Fills the way to the next vertex: counter-clockwise with turn 1, clockwise with turn -1 (a constant at each call).
PLANAR_TARGET static inline __attribute__((always_inline)) void K(look)(const planar_query* query, int turn,
                                                                        K(stand) * at) {
    const ts_planar_polygon *a = query->a, *b = query->b;
    int i = at->i + 1, j = at->j + 1;  // the arrays go on with vertex 0
    if (turn < 0) {
        i = (at->i ? at->i : a->count) - 1;
        j = (at->j ? at->j : b->count) - 1;
    }
    double ax = a->x[i] - a->x[at->i], ay = a->y[i] - a->y[at->i];
    double gx = b->x[at->j] - b->x[j], gy = b->y[at->j] - b->y[j];
    double bx = query->c * gx - query->s * gy, by = query->s * gx + query->c * gy;
    double turned = ax * by - ay * bx;
    int take_a = turn > 0 ? turned >= 0.0 : turned <= 0.0;
    at->ex = take_a ? ax : bx;
    at->ey = take_a ? ay : by;
    at->next_i = take_a ? (i == a->count ? 0 : i) : at->i;
    at->next_j = take_a ? at->j : (j == b->count ? 0 : j);
}

// The edge between two neighbours of D, in counter-clockwise order.
PLANAR_TARGET static inline planar_walk_end K(end_on_edge)(const K(stand) * first, const K(stand) * second,
                                                           planar_walk* out) {
    out->i = first->i;
    out->j = first->j;
    out->wx = first->x;
    out->wy = first->y;
    return second->j == first->j ? PLANAR_WALK_EDGE_A : PLANAR_WALK_EDGE_B;
}

// A vertex, if both ways from it lead away from the origin by more than rounding. `along` looks one way, `against`
// is the product of the vertex with the edge the other way, `size` that edge's length.
PLANAR_TARGET static inline planar_walk_end K(end_on_vertex)(const K(stand) * at, double against, double size,
                                                             double noise, planar_walk* out) {
    out->i = at->i;
    out->j = at->j;
    out->wx = at->x;
    out->wy = at->y;
    double along = at->x * at->ex + at->y * at->ey;
    return along > noise * (fabs(at->ex) + fabs(at->ey)) && against > noise * size ? PLANAR_WALK_VERTEX
                                                                                   : PLANAR_WALK_UNSURE;
}

// Walks along visible edges while they lead closer to the origin. `at` looks along the first, which does.
PLANAR_TARGET static inline __attribute__((always_inline)) planar_walk_end
K(descend)(const planar_query* query, int turn, K(stand) at, double noise, planar_walk* out) {
    for (int left = query->a->count + query->b->count; left > 0; --left) {
        K(stand) next = at;
        next.i = at.next_i;
        next.j = at.next_j;
        K(stand_at)(query, &next);
        ++out->steps;
        double against = -(next.x * at.ex + next.y * at.ey), size = fabs(at.ex) + fabs(at.ey);
        if (against < 0.0) return K(end_on_edge)(turn > 0 ? &at : &next, turn > 0 ? &next : &at, out);
        K(look)(query, turn, &next);
        at = next;
        if (!(at.x * at.ex + at.y * at.ey < 0.0)) return K(end_on_vertex)(&at, against, size, noise, out);
    }
    return PLANAR_WALK_UNSURE;
}

// Walks from a vertex off the ray along d until the ray is crossed: then the edge from `before` to `after` is the one
// that the ray leaves D through. 0 when a vertex is on the ray to rounding.
PLANAR_TARGET static inline __attribute__((always_inline)) int K(cross_ray)(const planar_query* query, int turn,
                                                                            double level, double side,
                                                                            K(stand) * before, K(stand) * after,
                                                                            int* steps) {
    double dx = query->tx, dy = query->ty;
    for (int left = query->a->count + query->b->count; left > 0; --left) {
        K(look)(query, turn, before);
        after->i = before->next_i;
        after->j = before->next_j;
        K(stand_at)(query, after);
        ++*steps;
        double there = dx * after->y - dy * after->x;
        if (turn > 0 ? there > 0.0 : there < 0.0) return fabs(side) > level && fabs(there) > level;
        side = there;
        *before = *after;
    }
    return 0;
}

// The origin is not beyond the line through the support vertex `at`: which edge does the ray leave through, and on
// which side of it is the origin?
PLANAR_TARGET static inline planar_walk_end K(through_portal)(const planar_query* query, int verdict, double scale,
                                                              K(stand) at, planar_walk* out) {
    double noise = 64.0 * DBL_EPSILON * scale;
    double level = noise * (fabs(query->tx) + fabs(query->ty));
    double side = query->tx * at.y - query->ty * at.x;
    K(stand) left = at, right = at;
    if (side < 0.0) {
        if (!K(cross_ray)(query, 1, level, side, &right, &left, &out->steps)) return PLANAR_WALK_UNSURE;
    } else {
        if (!K(cross_ray)(query, -1, level, side, &left, &right, &out->steps)) return PLANAR_WALK_UNSURE;
        right.ex = -left.ex;
        right.ey = -left.ey;
    }
    double ex = right.ex, ey = right.ey, size = fabs(ex) + fabs(ey);
    double outside = right.y * ex - right.x * ey;
    double from_left = left.x * ex + left.y * ey, from_right = -(right.x * ex + right.y * ey);
    int facing = from_left > 0.0 && from_right > 0.0;
    if (outside <= -noise * size) return PLANAR_WALK_INSIDE;
    if (outside < noise * size && !facing) return PLANAR_WALK_UNSURE;
    if (verdict) return outside > 0.0 ? PLANAR_WALK_OUTSIDE : PLANAR_WALK_INSIDE;
    if (facing) return K(end_on_edge)(&right, &left, out);
    if (from_left <= 0.0) {
        K(look)(query, 1, &left);
        if (left.x * left.ex + left.y * left.ey < 0.0) return K(descend)(query, 1, left, noise, out);
        return K(end_on_vertex)(&left, -from_left, size, noise, out);
    }
    K(look)(query, -1, &right);
    if (right.x * right.ex + right.y * right.ey < 0.0) return K(descend)(query, -1, right, noise, out);
    return K(end_on_vertex)(&right, -from_right, size, noise, out);
}

PLANAR_TARGET planar_walk_end K(planar_walk)(const planar_query* query, int verdict, planar_walk* out) {
    double dx = query->tx, dy = query->ty;
    K(stand) at;
    at.i = K(scan)(query->a->x, query->a->y, query->a->count, dx, dy);
    at.j = K(scan)(query->b->x, query->b->y, query->b->count, query->back_x, query->back_y);
    K(stand_at)(query, &at);
    out->steps = 0;
    double dw = dx * at.x + dy * at.y;
    double scale = query->a->reach + query->b->reach + fabs(dx) + fabs(dy);
    if (!(dw < 0.0)) {
        if (!(query->a->inner > 0.0) || !(query->b->inner > 0.0)) return PLANAR_WALK_UNSURE;
        return K(through_portal)(query, verdict, scale, at, out);
    }
    if (verdict) return PLANAR_WALK_OUTSIDE;
    double noise = 64.0 * DBL_EPSILON * scale;
    K(look)(query, 1, &at);
    double forward = at.x * at.ex + at.y * at.ey, size = fabs(at.ex) + fabs(at.ey);
    if (forward < 0.0 && at.x * at.ey - at.y * at.ex < 0.0) return K(descend)(query, 1, at, noise, out);
    K(look)(query, -1, &at);
    if (at.x * at.ex + at.y * at.ey < 0.0 && at.x * at.ey - at.y * at.ex > 0.0)
        return K(descend)(query, -1, at, noise, out);
    return K(end_on_vertex)(&at, forward, size, noise, out);
}
