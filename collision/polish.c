// Newton's method on the contact normal.
//
// Problem: delta(n) = <n, s_B(-n) - s_A(n)>, the gap along n, is to be maximised over unit n; each value is a lower bound
// of the signed distance. Rule: with g = s_B - s_A, P = I - n n^T and support Hessians H, the stationarity condition is
// P g = 0 and a Newton step is dn = (P (H_A + H_B + delta I) P)^-1 P g. Flat features make delta(n) kinked, and the
// maximum likes to sit on the kink; so candidates are tried first on it: the normal of a face, then normals orthogonal
// to an edge (one free angle), then free ones (two).
// Guaranteed: a candidate counts only if it raises the lower bound, so nothing gets worse. For separated pairs the
// points found prove the upper bound as well. Known limit: a local method; it polishes the answer it is given.
#include "collision/polish.h"

#include "collision/support_internal.h"

#include <float.h>

typedef struct polish_pair {
    const ts_shape* a;
    const ts_shape* b;
    const ts_transform* pose;
} polish_pair;

// One normal with what it gives.
typedef struct polish_trial {
    ts_vec3 n;
    double gap;
    ts_vec3 sa, sb;
} polish_trial;

static polish_trial evaluate(const polish_pair* p, ts_vec3 n) {
    polish_trial t;
    t.n = n;
    t.sa = ts_support_core_inline(p->a, n, -1).point;
    ts_vec3 local = ts_transform_direction_inverse(p->pose, ts_vec3_neg(n));
    t.sb = ts_transform_point(p->pose, ts_support_core_inline(p->b, local, -1).point);
    t.gap = ts_vec3_dot(n, ts_vec3_sub(t.sb, t.sa));
    return t;
}

// u^T H v, H the Hessian of the core's support function at the unit direction n, all in the shape's frame.
static double support_hessian(const ts_shape* s, ts_vec3 n, ts_vec3 u, ts_vec3 v) {
    ts_vec3 h = s->half;
    if (s->kind == TS_SHAPE_ELLIPSOID) {
        ts_vec3 squares = ts_vec3_mul(h, h), en = ts_vec3_mul(squares, n);
        double sigma = sqrt(ts_vec3_dot(n, en));
        return (ts_vec3_dot(u, ts_vec3_mul(squares, v)) - ts_vec3_dot(en, u) * ts_vec3_dot(en, v) / (sigma * sigma)) /
               sigma;
    }
    if (s->kind == TS_SHAPE_CYLINDER) {
        double across = sqrt(n.x * n.x + n.y * n.y);
        if (!(across > 1e-6)) return 0.0;
        double nu = (n.x * u.x + n.y * u.y) / across, nv = (n.x * v.x + n.y * v.y) / across;
        return h.x / across * (u.x * v.x + u.y * v.y - nu * nv);
    }
    return 0.0;
}

static double pair_hessian(const polish_pair* p, ts_vec3 n, ts_vec3 u, ts_vec3 v) {
    ts_vec3 nb = ts_transform_direction_inverse(p->pose, ts_vec3_neg(n));
    ts_vec3 ub = ts_transform_direction_inverse(p->pose, u), vb = ts_transform_direction_inverse(p->pose, v);
    return support_hessian(p->a, n, u, v) + support_hessian(p->b, nb, ub, vb);
}

// The Newton step in the tangent directions u (and v when two are free).
static ts_vec3 newton_step(const polish_pair* p, const polish_trial* t, ts_vec3 u, ts_vec3 v, int free_count) {
    ts_vec3 g = ts_vec3_sub(t->sb, t->sa);
    double ru = ts_vec3_dot(u, g), rv = free_count > 1 ? ts_vec3_dot(v, g) : 0.0;
    double kuu = pair_hessian(p, t->n, u, u) + t->gap, kuv = 0.0, kvv = 1.0;
    if (free_count > 1) {
        kuv = pair_hessian(p, t->n, u, v);
        kvv = pair_hessian(p, t->n, v, v) + t->gap;
        // Not a maximum yet: shift both curvatures up to where it would be one.
        double mean = 0.5 * (kuu + kvv), spread = sqrt(0.25 * (kuu - kvv) * (kuu - kvv) + kuv * kuv);
        double floor_value = 1e-3 * (fabs(mean) + spread);
        if (mean - spread < floor_value) {
            double shift = floor_value - (mean - spread);
            kuu += shift;
            kvv += shift;
        }
    } else if (!(kuu > 0.0)) {
        kuu = fabs(kuu);
    }
    double det = kuu * kvv - kuv * kuv;
    if (!(det > 0.0)) return ts_vec3_zero();
    double yu = (kvv * ru - kuv * rv) / det, yv = (kuu * rv - kuv * ru) / det;
    ts_vec3 step = ts_vec3_add(ts_vec3_scale(yu, u), ts_vec3_scale(free_count > 1 ? yv : 0.0, v));
    double length = ts_vec3_norm(step);
    if (!isfinite(length)) return ts_vec3_zero();
    return length > 0.3 ? ts_vec3_scale(0.3 / length, step) : step;
}

static ts_vec3 orthogonal_unit(ts_vec3 n) {
    ts_vec3 m = ts_vec3_abs(n);
    int least = m.x <= m.y ? (m.x <= m.z ? 0 : 2) : (m.y <= m.z ? 1 : 2);
    return ts_vec3_unit_or(ts_vec3_cross(n, ts_vec3_axis(least)), ts_vec3_axis(least));
}

// Climbs from n. `axis` is a unit edge direction the normal must stay orthogonal to, or zero.
static polish_trial climb(const polish_pair* p, ts_vec3 n, ts_vec3 axis, double scale) {
    int bound = ts_vec3_max_abs(axis) > 0.0;
    if (bound) n = ts_vec3_unit_or(ts_vec3_add_scaled(n, -ts_vec3_dot(n, axis), axis), orthogonal_unit(axis));
    polish_trial best = evaluate(p, n);
    for (int k = 0; k < 8; ++k) {
        ts_vec3 u = bound ? ts_vec3_cross(axis, best.n) : orthogonal_unit(best.n);
        ts_vec3 v = bound ? axis : ts_vec3_cross(best.n, u);
        ts_vec3 step = newton_step(p, &best, u, v, bound ? 1 : 2);
        double length = ts_vec3_norm(step);
        if (!(length > DBL_EPSILON)) break;
        polish_trial next = best;
        int better = 0;
        for (int half = 0; half < 4 && !better; ++half) {
            next = evaluate(p, ts_vec3_unit_or(ts_vec3_add(best.n, step), best.n));
            better = next.gap > best.gap - 4.0 * DBL_EPSILON * scale;
            step = ts_vec3_scale(0.25, step);
        }
        if (!better) break;
        best = next;
        // The error left is about the square of the step just made.
        if (length < 1e-8) break;
    }
    return best;
}

// Whether a point of the core's surroundings belongs to the core, up to `slack`.
static int core_holds(const ts_shape* s, ts_vec3 p, double slack) {
    ts_vec3 h = s->half;
    switch (s->kind) {
    case TS_SHAPE_BOX: return fabs(p.x) <= h.x + slack && fabs(p.y) <= h.y + slack && fabs(p.z) <= h.z + slack;
    case TS_SHAPE_CYLINDER: return sqrt(p.x * p.x + p.y * p.y) <= h.x + slack && fabs(p.z) <= h.z + slack;
    case TS_SHAPE_CAPSULE: return sqrt(p.x * p.x + p.y * p.y) <= slack && fabs(p.z) <= h.z + slack;
    case TS_SHAPE_HULL:
        for (int f = 0; f < s->hull->face_count; ++f)
            if (ts_vec3_dot(s->hull->face_normal[f], p) > s->hull->face_offset[f] + slack) return 0;
        return 1;
    default: return 1;
    }
}

// The point of an edge nearest to p.
static ts_vec3 nearest_on_edge(ts_vec3 a, ts_vec3 b, ts_vec3 p) {
    ts_vec3 e = ts_vec3_sub(b, a);
    double t = ts_vec3_dot(ts_vec3_sub(p, a), e) / ts_vec3_norm_squared(e);
    return ts_vec3_add_scaled(a, t < 0.0 ? 0.0 : (t > 1.0 ? 1.0 : t), e);
}

// A point of feature f (in A's frame) for a flat contact around p: across the edge, or down to the face.
static ts_vec3 nearest_on_feature(const ts_support_feature* f, ts_vec3 p) {
    if (f->count == 2) return nearest_on_edge(f->point[0], f->point[1], p);
    return ts_vec3_add_scaled(p, -ts_vec3_dot(f->normal, ts_vec3_sub(p, f->point[0])), f->normal);
}

// Where edge a comes nearest to the line of edge b; p decides for parallel ones.
static ts_vec3 crossing(const ts_support_feature* a, const ts_support_feature* b, ts_vec3 p) {
    ts_vec3 u = ts_vec3_sub(a->point[1], a->point[0]), v = ts_vec3_sub(b->point[1], b->point[0]);
    ts_vec3 r = ts_vec3_sub(a->point[0], b->point[0]);
    double uu = ts_vec3_dot(u, u), uv = ts_vec3_dot(u, v), vv = ts_vec3_dot(v, v);
    double det = uu * vv - uv * uv;
    if (!(det > 1e-6 * uu * vv)) return nearest_on_edge(a->point[0], a->point[1], p);
    double t = (uv * ts_vec3_dot(v, r) - vv * ts_vec3_dot(u, r)) / det;
    return ts_vec3_add_scaled(a->point[0], t < 0.0 ? 0.0 : (t > 1.0 ? 1.0 : t), u);
}

// Witness points that belong to the polished normal. The less free side is placed first (a smooth one has a single
// support point) and the other takes its partner across the gap. `f` are the features along the final normal. Returns 1
// when both points belong to their cores: at a maximum of the gap they do.
static int place_witnesses(const polish_pair* p, const polish_trial* t, const ts_support_feature* fa,
                           const ts_support_feature* fb, double scale, ts_polish_state* state) {
    double slack = 16.0 * DBL_EPSILON * scale, near = 1e-9 * scale;
    double proven = (double)INFINITY;
    int settled;
    ts_vec3 middle = ts_vec3_scale(0.5, ts_vec3_add(state->point_a, state->point_b));
    if (fa->count == 1 && fb->count == 1) {
        state->point_a = t->sa;
        state->point_b = t->sb;
        proven = ts_vec3_distance(t->sa, t->sb);
        settled = ts_vec3_norm(ts_vec3_cross(t->n, ts_vec3_sub(t->sb, t->sa))) <= near;
    } else if (fa->count <= fb->count) {
        if (fa->count == 1)
            state->point_a = t->sa;
        else if (fb->count == 2)
            state->point_a = crossing(fa, fb, middle);
        else
            state->point_a = nearest_on_feature(fa, middle);
        state->point_b = ts_vec3_add_scaled(state->point_a, t->gap, t->n);
        ts_vec3 local = ts_transform_point_inverse(p->pose, state->point_b);
        if (core_holds(p->b, local, slack)) proven = t->gap + (core_holds(p->b, local, 0.0) ? 0.0 : 2.0 * slack);
        settled = core_holds(p->b, local, near);
    } else {
        state->point_b = fb->count == 1 ? t->sb : nearest_on_feature(fb, middle);
        state->point_a = ts_vec3_add_scaled(state->point_b, -t->gap, t->n);
        if (core_holds(p->a, state->point_a, slack))
            proven = t->gap + (core_holds(p->a, state->point_a, 0.0) ? 0.0 : 2.0 * slack);
        settled = core_holds(p->a, state->point_a, near);
    }
    // Two points of the shapes bound the distance from above only while the shapes are apart.
    if (t->gap > 0.0 && proven < state->upper) state->upper = proven;
    return settled;
}

static void features(const polish_pair* p, ts_vec3 n, ts_support_feature* fa, ts_support_feature* fb) {
    ts_support_feature_along(p->a, n, fa);
    ts_support_feature_along(p->b, ts_transform_direction_inverse(p->pose, ts_vec3_neg(n)), fb);
    for (int k = 0; k < fb->count; ++k) fb->point[k] = ts_transform_point(p->pose, fb->point[k]);
    fb->normal = ts_transform_direction(p->pose, fb->normal);
}

// The edge a normal near n (in the shape's frame) may be bound to: of those at the support vertex the one that falls
// away least. Returns 0 for shapes without edges; the rim of a cap is not one, a cylinder's ruling is.
static int edge_along(const ts_shape* s, ts_vec3 n, ts_vec3* out_from, ts_vec3* out_to) {
    ts_support_point top = ts_support_core(s, n, -1);
    *out_from = *out_to = top.point;
    if (s->kind == TS_SHAPE_HULL) {
        const ts_hull* hull = s->hull;
        double least = (double)INFINITY;
        for (int k = hull->neighbour_start[top.index]; k < hull->neighbour_start[top.index + 1]; ++k) {
            ts_vec3 other = hull->vertex[hull->neighbour[k]], e = ts_vec3_sub(top.point, other);
            double slope = ts_vec3_dot(e, n) / ts_vec3_norm(e);
            if (slope >= least) continue;
            least = slope;
            *out_to = other;
        }
        return 1;
    }
    if (s->kind != TS_SHAPE_BOX && s->kind != TS_SHAPE_CYLINDER && s->kind != TS_SHAPE_CAPSULE) return 0;
    ts_vec3 m = ts_vec3_abs(n);
    int axis = 2;
    if (s->kind == TS_SHAPE_BOX) axis = m.x <= m.y ? (m.x <= m.z ? 0 : 2) : (m.y <= m.z ? 1 : 2);
    *out_to = ts_vec3_with(top.point, axis, -ts_vec3_get(top.point, axis));
    return 1;
}

static ts_vec3 edge_direction(const ts_shape* s, ts_vec3 n) {
    ts_vec3 from, to;
    if (!edge_along(s, n, &from, &to)) return ts_vec3_zero();
    return ts_vec3_unit_or(ts_vec3_sub(to, from), ts_vec3_zero());
}

// Reduces a feature (in the shape's frame) to what truly attains the support value along n: the whole face, else an
// edge, else a corner.
static void bind_feature(const ts_shape* s, ts_vec3 n, double slack, ts_support_feature* f) {
    double most = ts_vec3_dot(n, ts_support_core(s, n, -1).point);
    int attained = 0;
    for (int k = 0; k < f->count; ++k) attained += ts_vec3_dot(n, f->point[k]) >= most - slack;
    if (f->count > 2 && attained == f->count) return;
    f->count = 1;
    ts_vec3 from, to;
    if (!edge_along(s, n, &from, &to) || ts_vec3_dot(n, to) < most - slack) return;
    f->count = 2;
    f->point[0] = from;
    f->point[1] = to;
}

// The features that bind the final normal, in A's frame.
static void bound_features(const polish_pair* p, ts_vec3 n, double slack, ts_support_feature* fa,
                           ts_support_feature* fb) {
    ts_vec3 nb = ts_transform_direction_inverse(p->pose, ts_vec3_neg(n));
    ts_support_feature_along(p->a, n, fa);
    ts_support_feature_along(p->b, nb, fb);
    bind_feature(p->a, n, slack, fa);
    bind_feature(p->b, nb, slack, fb);
    for (int k = 0; k < fb->count; ++k) fb->point[k] = ts_transform_point(p->pose, fb->point[k]);
    fb->normal = ts_transform_direction(p->pose, fb->normal);
}

// The best of the normals that flat features suggest, as good as `given` up to rounding: on a kink an exact normal is
// worth more than the last bit of the gap, because the witnesses are found through the features it names.
static polish_trial best_flat(const polish_pair* p, const ts_support_feature* fa, const ts_support_feature* fb,
                              polish_trial given, double scale) {
    ts_vec3 nb = ts_transform_direction_inverse(p->pose, ts_vec3_neg(given.n));
    ts_vec3 edge_a = edge_direction(p->a, given.n), edge_b = ts_transform_direction(p->pose, edge_direction(p->b, nb));
    int has_a = ts_vec3_max_abs(edge_a) > 0.0, has_b = ts_vec3_max_abs(edge_b) > 0.0;
    polish_trial trial[5];
    int count = 0;
    if (fa->count > 2) trial[count++] = evaluate(p, fa->normal);
    if (fb->count > 2) trial[count++] = evaluate(p, ts_vec3_neg(fb->normal));
    if (has_a) trial[count++] = climb(p, given.n, edge_a, scale);
    if (has_b) trial[count++] = climb(p, given.n, edge_b, scale);
    if (has_a && has_b && ts_vec3_norm(ts_vec3_cross(edge_a, edge_b)) > 1e-3) {
        ts_vec3 n = ts_vec3_unit_or(ts_vec3_cross(edge_a, edge_b), given.n);
        trial[count++] = evaluate(p, ts_vec3_dot(n, given.n) < 0.0 ? ts_vec3_neg(n) : n);
    }
    polish_trial best = given;
    double needed = given.gap - 8.0 * DBL_EPSILON * scale;
    for (int k = 0; k < count; ++k) {
        if (!(trial[k].gap >= needed)) continue;
        best = trial[k];
        needed = best.gap > needed ? best.gap : needed;
    }
    return best;
}

int ts_polish_normal(const ts_shape* a, const ts_shape* b, const ts_transform* b_in_a, ts_polish_state* state) {
    polish_pair p = {a, b, b_in_a};
    ts_support_feature fa, fb;
    features(&p, state->normal, &fa, &fb);
    polish_trial best = evaluate(&p, state->normal);
    double scale = ts_vec3_norm(best.sa) + ts_vec3_norm(best.sb);
    best = best_flat(&p, &fa, &fb, best, scale);
    polish_trial free_one = climb(&p, best.n, ts_vec3_zero(), scale);
    // On a kink the free search moves along rounding; it must win by more.
    if (free_one.gap > best.gap + 8.0 * DBL_EPSILON * scale) best = free_one;
    if (best.gap < state->lower - 16.0 * DBL_EPSILON * scale) return 0;
    state->lower = best.gap;
    state->normal = best.n;
    bound_features(&p, best.n, 1e-9 * scale, &fa, &fb);
    int settled = place_witnesses(&p, &best, &fa, &fb, scale, state);
    if (state->upper < state->lower) state->upper = state->lower;
    return settled;
}
