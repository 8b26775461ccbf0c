// Template of the walk along the boundary of D = A - B. The including file has defined K, PLANAR_TARGET, K(scan).
//
// D is a convex polygon whose edges are those of A and of -B in order of direction, so its next vertex after (i, j) is
// (i + 1, j) or (i, j + 1), whichever edge turns less; likewise backwards. One support point along the line of centres
// is found by a scan, and from there the nearest feature is a few steps away, each a cross product: cheaper than more
// scans. With centres c in A and B, the ray from c_A - c_B through the origin leaves D through one edge; on which side
// of it the origin lies decides overlap. Outside, the nearest point of the visible boundary has no rival, the distance
// falls until it is reached, and it lies on that side of the first vertex where the ray passes. Edges are differences
// of the polygons' own vertices, so a short edge knows its direction. Where a decision is within rounding, the walk
// says UNSURE. Everything is turned as the world, with the origin of D's space where the centres' difference puts it.
#ifndef TS_COLLISION_PLANAR_PLANAR_WALK_INTERNAL_H
#define TS_COLLISION_PLANAR_PLANAR_WALK_INTERNAL_H

#ifdef PLANAR_TARGET  // alone it is nothing

// Two placed polygons.
typedef struct K(pair) {
    const ts_planar_polygon* a;
    const ts_planar_polygon* b;
    ts_planar_vec ra, rb;  // rotations
    ts_planar_vec oa, ob;  // centres in the world
    double tx, ty;         // from A's centre to B's
} K(pair);

// A vertex of D and the way from it.
typedef struct K(stand) {
    int i, j;
    double x, y;    // a_i - b_j
    double ex, ey;  // edge of D to the next vertex of the walk
    int next_i, next_j;
} K(stand);

PLANAR_TARGET static inline void K(stand_at)(const K(pair) * pair, K(stand) * at) {
    double ax = pair->a->x[at->i], ay = pair->a->y[at->i], bx = pair->b->x[at->j], by = pair->b->y[at->j];
    at->x = ((pair->ra.x * ax - pair->ra.y * ay) - (pair->rb.x * bx - pair->rb.y * by)) - pair->tx;
    at->y = ((pair->ra.y * ax + pair->ra.x * ay) - (pair->rb.y * bx + pair->rb.x * by)) - pair->ty;
}

// i when `take` is 1, j when it is 0: compilers turn a coin toss into a branch unless told otherwise.
static inline int K(either)(int take, int i, int j) { return j ^ ((i ^ j) & -take); }

// Fills the way to the next vertex: counter-clockwise with turn 1, clockwise with turn -1. No branches: which way and
// whose edge are coin tosses.
PLANAR_TARGET static inline __attribute__((always_inline)) void K(look)(const K(pair) * pair, int turn, int toss,
                                                                        K(stand) * at) {
    const ts_planar_polygon *a = pair->a, *b = pair->b;
    int i = at->i + turn, j = at->j + turn;  // upwards the arrays go on with vertex 0
    i += a->count & -(i < 0);
    j += b->count & -(j < 0);
    double fx = a->x[i] - a->x[at->i], fy = a->y[i] - a->y[at->i];
    double gx = b->x[at->j] - b->x[j], gy = b->y[at->j] - b->y[j];
    double ax = pair->ra.x * fx - pair->ra.y * fy, ay = pair->ra.y * fx + pair->ra.x * fy;
    double bx = pair->rb.x * gx - pair->rb.y * gy, by = pair->rb.y * gx + pair->rb.x * gy;
    double turned = (ax * by - ay * bx) * turn;
    int take_a = turned >= 0.0;
    i &= -(i != a->count);
    j &= -(j != b->count);
    if (toss) {
        at->ex = K(choose)(turned, ax, bx);
        at->ey = K(choose)(turned, ay, by);
        at->next_i = K(either)(take_a, i, at->i);
        at->next_j = K(either)(take_a, at->j, j);
    } else if (take_a) {
        at->ex = ax;
        at->ey = ay;
        at->next_i = i;
        at->next_j = at->j;
    } else {
        at->ex = bx;
        at->ey = by;
        at->next_i = at->i;
        at->next_j = j;
    }
}

// The next vertex.
PLANAR_TARGET static inline K(stand) K(go)(const K(pair) * pair, const K(stand) * at) {
    K(stand) next = {at->next_i, at->next_j, 0.0, 0.0, 0.0, 0.0, 0, 0};
    K(stand_at)(pair, &next);
    return next;
}

PLANAR_TARGET static inline planar_walk_end K(end_at)(const K(stand) * at, planar_walk_end end, planar_walk* out) {
    out->i = at->i;
    out->j = at->j;
    out->wx = at->x;
    out->wy = at->y;
    return end;
}

// The edge between two neighbours of D; it starts at the one that comes first counter-clockwise.
PLANAR_TARGET static inline planar_walk_end K(end_on_edge)(const K(stand) * at, const K(stand) * next, int turn,
                                                           planar_walk* out) {
    int forward = turn > 0;
    out->i = K(either)(forward, at->i, next->i);
    out->j = K(either)(forward, at->j, next->j);
    out->wx = K(choose)(turn, at->x, next->x);
    out->wy = K(choose)(turn, at->y, next->y);
    return (planar_walk_end)(PLANAR_WALK_EDGE_A + (next->j != at->j));
}

// A vertex, if both ways from it lead away from the origin by more than rounding. `at` looks one way; `against` is the
// product of the vertex with the edge the other way, `size` that edge's length.
PLANAR_TARGET static inline planar_walk_end K(end_on_vertex)(const K(stand) * at, double against, double size,
                                                             double noise, planar_walk* out) {
    double along = at->x * at->ex + at->y * at->ey;
    int sure = along > noise * (fabs(at->ex) + fabs(at->ey)) && against > noise * size;
    return K(end_at)(at, sure ? PLANAR_WALK_VERTEX : PLANAR_WALK_UNSURE, out);
}

// Walks while that leads closer to the origin. `at` looks along the first edge, which does.
PLANAR_TARGET static inline __attribute__((always_inline)) planar_walk_end
K(descend)(const K(pair) * pair, int turn, K(stand) at, double noise, planar_walk* out) {
    for (int left = pair->a->count + pair->b->count; left > 0; --left) {
        K(stand) next = K(go)(pair, &at);
        ++out->steps;
        double against = -(next.x * at.ex + next.y * at.ey);
        if (against < 0.0) return K(end_on_edge)(&at, &next, turn, out);
        double size = fabs(at.ex) + fabs(at.ey);
        K(look)(pair, turn, 0, &next);
        at = next;
        if (!(at.x * at.ex + at.y * at.ey < 0.0)) return K(end_on_vertex)(&at, against, size, noise, out);
    }
    return PLANAR_WALK_UNSURE;
}

// The origin is not beyond the line through the support vertex `at`: which edge does the ray leave through, and on
// which side of it is the origin?
PLANAR_TARGET static inline __attribute__((always_inline)) planar_walk_end
K(portal)(const K(pair) * pair, int verdict, int turn, double side, double noise, K(stand) at, planar_walk* out) {
    double dx = pair->tx, dy = pair->ty, level = noise * (fabs(dx) + fabs(dy));
    K(stand) next = at;
    for (int left = pair->a->count + pair->b->count;; --left) {
        if (left == 0) return PLANAR_WALK_UNSURE;
        K(look)(pair, turn, 1, &at);
        next = K(go)(pair, &at);
        ++out->steps;
        double there = dx * next.y - dy * next.x;
        if (there * turn > 0.0) {
            if (!(fabs(side) > level && fabs(there) > level)) return PLANAR_WALK_UNSURE;
            break;
        }
        side = there;
        at = next;
    }
    double ex = at.ex, ey = at.ey, size = fabs(ex) + fabs(ey);
    double outside = (at.y * ex - at.x * ey) * turn;
    double from_at = -(at.x * ex + at.y * ey), from_next = next.x * ex + next.y * ey;
    if (outside <= -noise * size) return K(end_at)(&at, PLANAR_WALK_INSIDE, out);
    int facing = from_at > 0.0 && from_next > 0.0;
    if (outside < noise * size && !facing) return PLANAR_WALK_UNSURE;
    if (verdict) return K(end_at)(&at, outside > 0.0 ? PLANAR_WALK_OUTSIDE : PLANAR_WALK_INSIDE, out);
    if (facing) return K(end_on_edge)(&at, &next, turn, out);
    double against = -from_next;
    if (from_next > 0.0) {  // back past the start of the edge
        against = -from_at;
        turn = -turn;
        next = at;
    }
    K(look)(pair, turn, 0, &next);
    if (next.x * next.ex + next.y * next.ey < 0.0) return K(descend)(pair, turn, next, noise, out);
    return K(end_on_vertex)(&next, against, size, noise, out);
}

// The origin is beyond the line through the support vertex `at`: from there downhill, towards the ray.
PLANAR_TARGET static inline __attribute__((always_inline)) planar_walk_end
K(approach)(const K(pair) * pair, int turn, double noise, K(stand) at, planar_walk* out) {
    K(look)(pair, turn, 0, &at);
    double forward = at.x * at.ex + at.y * at.ey;
    if (forward < 0.0) return K(descend)(pair, turn, at, noise, out);
    double size = fabs(at.ex) + fabs(at.ey);
    K(look)(pair, -turn, 0, &at);
    return K(end_on_vertex)(&at, forward, size, noise, out);
}

// Always inlined: the pair then lives in registers.
PLANAR_TARGET static inline __attribute__((always_inline)) planar_walk_end K(walk)(const K(pair) * pair, int verdict,
                                                                                   planar_walk* out) {
    double dx = pair->tx, dy = pair->ty;
    K(stand) at;
    at.i = K(scan)(pair->a->x, pair->a->y, pair->a->count, pair->ra.x * dx + pair->ra.y * dy,
                   pair->ra.x * dy - pair->ra.y * dx);
    at.j = K(scan)(pair->b->x, pair->b->y, pair->b->count, -(pair->rb.x * dx + pair->rb.y * dy),
                   pair->rb.y * dx - pair->rb.x * dy);
    K(stand_at)(pair, &at);
    out->steps = 0;
    double dw = dx * at.x + dy * at.y, side = dx * at.y - dy * at.x;
    double noise = 64.0 * DBL_EPSILON * (pair->a->reach + pair->b->reach + fabs(dx) + fabs(dy));
    if (!(dw < 0.0)) {
        if (!(pair->a->inner > 0.0) || !(pair->b->inner > 0.0)) return PLANAR_WALK_UNSURE;
        return K(portal)(pair, verdict, 1 - 2 * (side >= 0.0), side, noise, at, out);
    }
    if (verdict) return PLANAR_WALK_OUTSIDE;
    return side < 0.0 ? K(approach)(pair, 1, noise, at, out) : K(approach)(pair, -1, noise, at, out);
}

#include "collision/planar/planar_axes_internal.h"

// 0 when the poses need tidying first.
PLANAR_TARGET static inline __attribute__((always_inline)) int K(pair_up)(const ts_planar_polygon* a,
                                                                          const ts_planar_pose* pose_a,
                                                                          const ts_planar_polygon* b,
                                                                          const ts_planar_pose* pose_b, K(pair) * out) {
    ts_planar_vec ra = pose_a->rotation, rb = pose_b->rotation, pa = pose_a->position, pb = pose_b->position;
    if (!planar_poses_are_tidy(pose_a, pose_b)) return 0;
    // Centres first: polygons in map coordinates then lose no digits.
    double ax = ra.x * a->centre.x - ra.y * a->centre.y, ay = ra.y * a->centre.x + ra.x * a->centre.y;
    double bx = rb.x * b->centre.x - rb.y * b->centre.y, by = rb.y * b->centre.x + rb.x * b->centre.y;
    out->a = a;
    out->b = b;
    out->ra = ra;
    out->rb = rb;
    out->tx = (pb.x - pa.x) + (bx - ax);
    out->ty = (pb.y - pa.y) + (by - ay);
    out->oa = ts_planar_vec_make(pa.x + ax, pa.y + ay);
    out->ob = ts_planar_vec_make(pb.x + bx, pb.y + by);
    return 1;
}

// An overlap of which no depth is wanted: bounds from the outer discs along the line of centres.
PLANAR_TARGET static inline void K(only_overlap)(const K(pair) * pair, ts_planar_result* out) {
    double apart = sqrt(pair->tx * pair->tx + pair->ty * pair->ty), radius = pair->a->radius + pair->b->radius;
    double lower = apart - pair->a->reach - pair->b->reach;
    out->status = TS_PLANAR_PENETRATING;
    out->distance = out->upper = -radius;
    out->lower = (lower < 0.0 ? lower : 0.0) - radius;
    out->normal = apart > 0.0 ? ts_planar_vec_make(pair->tx / apart, pair->ty / apart) : ts_planar_vec_make(1.0, 0.0);
    out->point_a = pair->oa;
    out->point_b = ts_planar_vec_add_scaled(pair->oa, -radius, out->normal);
}

PLANAR_TARGET static planar_walk_end K(planar_walk_distance)(const ts_planar_polygon* a, const ts_planar_pose* pose_a,
                                                             const ts_planar_polygon* b, const ts_planar_pose* pose_b,
                                                             ts_planar_depth depth, ts_planar_result* out) {
    K(pair) pair;
    if (!K(pair_up)(a, pose_a, b, pose_b, &pair)) return PLANAR_WALK_UNSURE;
    planar_walk walk = {0, 0, 0, 0.0, 0.0};
    double squared = pair.tx * pair.tx + pair.ty * pair.ty, inner = a->inner + b->inner;
    planar_walk_end end = PLANAR_WALK_INSIDE;
    if (!(squared < inner * inner * (1.0 - 16.0 * DBL_EPSILON) && a->inner > 0.0 && b->inner > 0.0))
        end = K(walk)(&pair, 0, &walk);
    out->iterations = walk.steps;
    out->support_calls = 1;
    if (end == PLANAR_WALK_UNSURE) return end;
    if (end == PLANAR_WALK_INSIDE) {
        if (depth == TS_PLANAR_DEPTH_EXACT) return end;
        K(only_overlap)(&pair, out);
        return PLANAR_WALK_VERTEX;  // complete
    }
    // The normal of an edge is the polygon's own, and the witness across from it a vertex of the other.
    double radius = a->radius + b->radius, gap, nx, ny;
    ts_planar_vec point_a, point_b;
    if (end == PLANAR_WALK_VERTEX) {
        gap = sqrt(walk.wx * walk.wx + walk.wy * walk.wy);
        double inverse = -1.0 / gap;
        nx = walk.wx * inverse;
        ny = walk.wy * inverse;
    } else {
        int of_a = end == PLANAR_WALK_EDGE_A;
        double mx = of_a ? a->normal_x[walk.i] : -b->normal_x[walk.j];
        double my = of_a ? a->normal_y[walk.i] : -b->normal_y[walk.j];
        double rx = of_a ? pair.ra.x : pair.rb.x, ry = of_a ? pair.ra.y : pair.rb.y;
        nx = rx * mx - ry * my;
        ny = ry * mx + rx * my;
        gap = -(nx * walk.wx + ny * walk.wy);
    }
    double distance = gap - radius;
    if (end == PLANAR_WALK_EDGE_A) {
        double x = b->x[walk.j], y = b->y[walk.j];
        point_b.x = (pair.ob.x + (pair.rb.x * x - pair.rb.y * y)) - b->radius * nx;
        point_b.y = (pair.ob.y + (pair.rb.y * x + pair.rb.x * y)) - b->radius * ny;
        point_a.x = point_b.x - distance * nx;
        point_a.y = point_b.y - distance * ny;
    } else {
        double x = a->x[walk.i], y = a->y[walk.i];
        point_a.x = (pair.oa.x + (pair.ra.x * x - pair.ra.y * y)) + a->radius * nx;
        point_a.y = (pair.oa.y + (pair.ra.y * x + pair.ra.x * y)) + a->radius * ny;
        point_b.x = point_a.x + distance * nx;
        point_b.y = point_a.y + distance * ny;
    }
    double level = 8.0 * DBL_EPSILON * (a->reach + b->reach + radius + fabs(pair.tx) + fabs(pair.ty));
    out->status =
        distance > level ? TS_PLANAR_SEPARATED : (distance < -level ? TS_PLANAR_PENETRATING : TS_PLANAR_TOUCHING);
    out->distance = out->lower = out->upper = distance;
    out->normal = ts_planar_vec_make(nx, ny);
    out->point_a = point_a;
    out->point_b = point_b;
    return end;
}

PLANAR_TARGET static planar_walk_end K(planar_walk_overlap)(const ts_planar_polygon* a, const ts_planar_pose* pose_a,
                                                            const ts_planar_polygon* b, const ts_planar_pose* pose_b) {
    K(pair) pair;
    if (!K(pair_up)(a, pose_a, b, pose_b, &pair)) return PLANAR_WALK_UNSURE;
    // Discs around and inside the cores decide most pairs of a scene.
    double squared = pair.tx * pair.tx + pair.ty * pair.ty;
    double outer = a->reach + b->reach, inner = a->inner + b->inner;
    if (squared > outer * outer * (1.0 + 16.0 * DBL_EPSILON)) return PLANAR_WALK_OUTSIDE;
    if (squared < inner * inner * (1.0 - 16.0 * DBL_EPSILON) && a->inner > 0.0 && b->inner > 0.0)
        return PLANAR_WALK_INSIDE;
    if (a->count * b->count <= PLANAR_AXES_MAX && (a->count > 2 || b->count > 2)) return K(try_axes)(&pair);
    planar_walk walk;
    return K(walk)(&pair, 1, &walk);
}

const planar_kernels K(planar_kernels) = {K(planar_distance), K(planar_overlap), K(planar_walk_distance),
                                          K(planar_walk_overlap)};

#endif
#endif
