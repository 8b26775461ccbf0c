// Newton's method on the contact normal.
//
// Problem: delta(n) = <n, s_B(-n) - s_A(n)>, the gap along n, is to be maximised over unit n; each value is a lower bound
// of the signed distance. Rule: with g = s_B - s_A, P = I - n n^T and support Hessians H, the stationarity condition is
// P g = 0 and a Newton step is dn = (P (H_A + H_B + delta I) P)^-1 P g. Flat features make delta(n) kinked, and the
// maximum likes to sit on the kink; so candidates are tried first on it: the normal of a face, then normals orthogonal
// to an edge (one free angle), then free ones (two). The normals of a cone's side are a circle about its axis, so an edge
// is a circle <axis, n> = level in general, with the level 0 for straight edges and the cosine of the side's normal for a
// cone. The first candidate whose witness points belong to both cores is a maximum, and the search ends there.
// Guaranteed: a candidate counts only if it raises the lower bound, so nothing gets worse. For separated pairs the
// points found prove the upper bound as well. Known limit: a local method; it polishes the answer it is given.
#include "collision/distance/penetration/polish_internal.h"

#include "collision/distance/gjk/gjk.h"
#include "collision/shape/support_internal.h"

#include <float.h>

// Of two curvatures the lesser counts as positive from this share of the greater on. A corner over a rim has its distance there.
static const double LEAST_SHARE = 1e-9;

// One normal with what it gives.
typedef struct polish_trial {
    ts_vec3 n;
    ts_vec3 nb;  // -n in B's frame
    double gap;
    ts_support_point a, b;  // each in its own frame
    ts_vec3 sb;             // b's in A's
} polish_trial;

static void evaluate(const ts_shape_pair* pair, ts_vec3 n, polish_trial* t) {
    t->n = n;
    t->nb = ts_transform_direction_inverse(&pair->b_in_a, ts_vec3_neg(n));
    t->a = ts_support_core_inline(pair->a, n, -1);
    t->b = ts_support_core_inline(pair->b, t->nb, -1);
    t->sb = ts_transform_point(&pair->b_in_a, t->b.point);
    t->gap = ts_vec3_dot(n, ts_vec3_sub(t->sb, t->a.point));
}

// Adds the Hessian of the core's support function at the unit direction n, all in the shape's frame.
static void add_hessian(const ts_shape* s, ts_vec3 n, ts_vec3 u, ts_vec3 v, ts_tangent_form* k) {
    const ts_shape_traits* traits = ts_shape_traits_of(s);
    if (traits->add_hessian) traits->add_hessian(s, n, u, v, k);
}

static int circle_exists(const ts_normal_circle* circle) { return ts_vec3_max_abs(circle->axis) > 0.0; }

// The normal on the circle nearest to n. Where n is the axis but for rounding, any of them is.
static ts_vec3 circle_nearest(const ts_normal_circle* circle, ts_vec3 n) {
    ts_vec3 across = ts_vec3_add_scaled(n, -ts_vec3_dot(n, circle->axis), circle->axis);
    across = ts_vec3_norm(across) > 1e-8 ? ts_vec3_unit_or(across, n) : ts_vec3_orthogonal(circle->axis);
    across = ts_vec3_unit_or(ts_vec3_add_scaled(across, -ts_vec3_dot(across, circle->axis), circle->axis), across);
    return ts_vec3_add(ts_vec3_scale(circle->level, circle->axis),
                       ts_vec3_scale(sqrt(1.0 - circle->level * circle->level), across));
}

// The normal on two circles nearest to n; 0 when they do not cross well.
static int circles_cross(const ts_normal_circle* a, const ts_normal_circle* b, ts_vec3 n, ts_vec3* out) {
    double c = ts_vec3_dot(a->axis, b->axis), squared = 1.0 - c * c;
    ts_vec3 cross = ts_vec3_cross(a->axis, b->axis);
    double sine = ts_vec3_norm(cross);
    if (!(sine > 1e-3)) return 0;
    ts_vec3 flat = ts_vec3_add(ts_vec3_scale((a->level - c * b->level) / squared, a->axis),
                               ts_vec3_scale((b->level - c * a->level) / squared, b->axis));
    double rest = 1.0 - ts_vec3_norm_squared(flat);
    if (!(rest > 0.0)) return 0;
    double sign = ts_vec3_dot(cross, n) < 0.0 ? -1.0 : 1.0;
    *out = ts_vec3_unit_or(ts_vec3_add_scaled(flat, sign * sqrt(rest) / sine, cross), n);
    return 1;
}

// The Newton step in the tangent directions u (and v when two are free); `bend` is what the path itself adds to the
// curvature, the gap for great circles.
static ts_vec3 newton_step(const ts_shape_pair* pair, const polish_trial* t, ts_vec3 u, ts_vec3 v, int free_count,
                           double bend) {
    ts_vec3 g = ts_vec3_sub(t->sb, t->a.point);
    double ru = ts_vec3_dot(u, g), rv = free_count > 1 ? ts_vec3_dot(v, g) : 0.0;
    ts_tangent_form k = {bend, 0.0, bend};
    add_hessian(pair->a, t->n, u, v, &k);
    add_hessian(pair->b, t->nb, ts_transform_direction_inverse(&pair->b_in_a, u),
                ts_transform_direction_inverse(&pair->b_in_a, v), &k);
    double kuu = k.uu, kuv = 0.0, kvv = 1.0;
    if (free_count > 1) {
        kuv = k.uv;
        kvv = k.vv;
        // Not a maximum yet: shift both curvatures up to where it would be one.
        double mean = 0.5 * (kuu + kvv), spread = sqrt(0.25 * (kuu - kvv) * (kuu - kvv) + kuv * kuv);
        double whole = fabs(mean) + spread;
        if (mean - spread < LEAST_SHARE * whole) {
            double shift = 1e-3 * whole - (mean - spread);
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

// Climbs from a trial, along a circle of normals if there is one.
static void climb(const ts_shape_pair* pair, const polish_trial* from, const ts_normal_circle* circle, double scale,
                  polish_trial* best) {
    int bound = circle_exists(circle);
    ts_vec3 axis = circle->axis;
    double level = circle->level;
    *best = *from;
    if (bound) evaluate(pair, circle_nearest(circle, from->n), best);
    for (int k = 0; k < 8; ++k) {
        ts_vec3 u = bound ? ts_vec3_unit_or(ts_vec3_cross(axis, best->n), axis) : ts_vec3_orthogonal(best->n);
        ts_vec3 v = bound ? axis : ts_vec3_cross(best->n, u);
        double bend = best->gap;
        if (level != 0.0) {
            ts_vec3 g = ts_vec3_sub(best->sb, best->a.point);
            bend = ts_vec3_dot(g, ts_vec3_add_scaled(best->n, -level, axis)) / (1.0 - level * level);
        }
        ts_vec3 step = newton_step(pair, best, u, v, bound ? 1 : 2, bend);
        double length = ts_vec3_norm(step);
        if (!(length > DBL_EPSILON)) break;
        polish_trial next;
        int better = 0;
        for (int half = 0; half < 4 && !better; ++half) {
            ts_vec3 n = ts_vec3_unit_or(ts_vec3_add(best->n, step), best->n);
            evaluate(pair, level != 0.0 ? circle_nearest(circle, n) : n, &next);
            better = next.gap > best->gap - 16.0 * DBL_EPSILON * scale;
            step = ts_vec3_scale(0.25, step);
        }
        if (!better) break;
        *best = next;
        // The error left is about the square of the step just made; where a rim bends much that is many times more.
        if (length < 1e-12) break;
    }
}

// How far a point lies outside a core: zero or less inside, a length of the right size nearby. Of kinds that do not know,
// GJK does.
static double core_excess(const ts_shape* s, ts_vec3 p) {
    const ts_shape_traits* traits = ts_shape_traits_of(s);
    ts_vec3 outward;
    if (traits->excess) return traits->excess(s, p);
    if (traits->point) return traits->point(s, p, &outward);
    ts_shape point = ts_shape_sphere(0.0);
    ts_shape_pair pair = {s, &point, ts_transform_identity()};
    pair.b_in_a.p = p;
    ts_gjk_settings settings = ts_gjk_settings_default();
    ts_gjk_result gjk;
    ts_gjk_distance(&pair, &settings, 0, &gjk);
    return gjk.status == TS_PROXIMITY_SEPARATED ? gjk.found.upper : 0.0;
}

// A point of feature f (in A's frame) for a flat contact around p: across the edge, or down to the face.
static ts_vec3 nearest_on_feature(const ts_support_feature* f, ts_vec3 p) {
    if (f->count == 2) return ts_nearest_on_segment(f->point[0], f->point[1], p);
    return ts_vec3_add_scaled(p, -ts_vec3_dot(f->normal, ts_vec3_sub(p, f->point[0])), f->normal);
}

// Where edge a comes nearest to the line of edge b; p decides for parallel ones.
static ts_vec3 crossing(const ts_support_feature* a, const ts_support_feature* b, ts_vec3 p) {
    ts_vec3 u = ts_vec3_sub(a->point[1], a->point[0]), v = ts_vec3_sub(b->point[1], b->point[0]);
    ts_vec3 r = ts_vec3_sub(a->point[0], b->point[0]);
    double uu = ts_vec3_dot(u, u), uv = ts_vec3_dot(u, v), vv = ts_vec3_dot(v, v);
    double det = uu * vv - uv * uv;
    if (!(det > 1e-6 * uu * vv)) return ts_nearest_on_segment(a->point[0], a->point[1], p);
    double t = (uv * ts_vec3_dot(v, r) - vv * ts_vec3_dot(u, r)) / det;
    return ts_vec3_add_scaled(a->point[0], t < 0.0 ? 0.0 : (t > 1.0 ? 1.0 : t), u);
}

// Witness points that belong to the polished normal. The less free side is placed first (a smooth one has a single
// support point) and the other takes its partner across the gap. `f` are the features along the final normal. At a
// maximum of the gap both points belong to their cores.
static ts_polish_outcome place_witnesses(const ts_shape_pair* pair, const polish_trial* t, const ts_support_feature* fa,
                                         const ts_support_feature* fb, double scale, ts_separation* out) {
    double slack = 16.0 * DBL_EPSILON * scale, near = 1e-9 * scale;
    ts_vec3 middle = ts_vec3_scale(0.5, ts_vec3_add(out->point_a, out->point_b));
    if (fa->count == 1 && fb->count == 1) {
        out->point_a = t->a.point;
        out->point_b = t->sb;
        double apart = ts_vec3_distance(t->a.point, t->sb);
        if (t->gap > 0.0 && apart < out->upper) out->upper = apart;
        double off = ts_vec3_norm(ts_vec3_cross(t->n, ts_vec3_sub(t->sb, t->a.point)));
        return off <= near ? TS_POLISH_EXACT : TS_POLISH_UNSETTLED;
    }
    // A point on a corner or an edge is the core's by construction; one on a face must be looked up, as must its partner.
    int look_up_a = 1, look_up_b = 1;
    if (fa->count <= fb->count) {
        if (fa->count == 1)
            out->point_a = t->a.point;
        else if (fb->count == 2)
            out->point_a = crossing(fa, fb, middle);
        else
            out->point_a = nearest_on_feature(fa, middle);
        out->point_b = ts_vec3_add_scaled(out->point_a, t->gap, t->n);
        look_up_a = fa->count > 2;
    } else {
        out->point_b = fb->count == 1 ? t->sb : nearest_on_feature(fb, middle);
        out->point_a = ts_vec3_add_scaled(out->point_b, -t->gap, t->n);
        look_up_b = fb->count > 2;
    }
    double excess = 0.0;
    if (look_up_a) excess = core_excess(pair->a, out->point_a);
    if (look_up_b) excess = fmax(excess, core_excess(pair->b, ts_transform_point_inverse(&pair->b_in_a, out->point_b)));
    if (!(excess <= near)) return TS_POLISH_UNSETTLED;
    // Two points of the shapes bound the distance from above only while the shapes are apart.
    if (t->gap > 0.0 && excess <= slack) {
        double proven = t->gap + (excess > 0.0 ? 2.0 * slack : 0.0);
        if (proven < out->upper) out->upper = proven;
    }
    return excess <= slack ? TS_POLISH_EXACT : TS_POLISH_SETTLED;
}

// The edge a normal may be bound to: the one at the support vertex `top` that falls away least along n, both in the shape's
// frame. Returns 0 where there is none. Kinds that do not know have those of their features.
static int edge_along(const ts_shape* s, ts_vec3 n, ts_support_point top, ts_vec3* out_to) {
    const ts_shape_traits* traits = ts_shape_traits_of(s);
    if (traits->edge) return traits->edge(s, n, top, out_to);
    if (!traits->feature) return 0;
    ts_support_feature f;
    ts_support_feature_from(s, n, top, &f);
    int at = 0;
    while (at < f.count && ts_vec3_distance(f.point[at], top.point) > 0.0) ++at;
    if (at == f.count || f.count < 2) return 0;
    const int beside[2] = {(at + 1) % f.count, (at + f.count - 1) % f.count};
    double slope;
    *out_to = f.point[ts_flattest_edge(f.point, at, beside, 2, n, &slope)];
    return 1;
}

// The normals of the edge at the support vertex, in the shape's frame.
static ts_normal_circle edge_circle(const ts_shape* s, ts_vec3 n, ts_support_point top) {
    ts_normal_circle circle = {ts_vec3_zero(), 0.0};
    if (ts_shape_traits_of(s)->edge_normals) return ts_shape_traits_of(s)->edge_normals(s);
    ts_vec3 to;
    if (edge_along(s, n, top, &to)) circle.axis = ts_vec3_unit_or(ts_vec3_sub(to, top.point), ts_vec3_zero());
    return circle;
}

// What truly attains the support value along n (in the shape's frame): a whole face, else an edge, else a corner.
static void bound_feature(const ts_shape* s, ts_vec3 n, ts_support_point top, double slack, ts_support_feature* f) {
    double most = ts_vec3_dot(n, top.point);
    ts_support_feature_from(s, n, top, f);
    int attained = 0;
    for (int k = 0; k < f->count; ++k) attained += ts_vec3_dot(n, f->point[k]) >= most - slack;
    if (f->count > 2 && attained == f->count) return;
    f->count = 1;
    ts_vec3 to;
    if (!edge_along(s, n, top, &to) || ts_vec3_dot(n, to) < most - slack) return;
    f->count = 2;
    f->point[0] = top.point;
    f->point[1] = to;
}

// Takes a trial over as the answer.
static ts_polish_outcome take(const ts_shape_pair* pair, const polish_trial* t, double scale, ts_separation* out) {
    out->lower = t->gap;
    out->normal = t->n;
    ts_support_feature fa, fb;
    bound_feature(pair->a, t->n, t->a, 1e-9 * scale, &fa);
    bound_feature(pair->b, t->nb, t->b, 1e-9 * scale, &fb);
    for (int k = 0; k < fb.count; ++k) fb.point[k] = ts_transform_point(&pair->b_in_a, fb.point[k]);
    fb.normal = ts_transform_direction(&pair->b_in_a, fb.normal);
    ts_polish_outcome outcome = place_witnesses(pair, t, &fa, &fb, scale, out);
    if (out->upper < out->lower) out->upper = out->lower;
    return outcome;
}

// What flat features suggest near a normal: the normals of faces, then normals orthogonal to edges.
typedef struct flat_hints {
    ts_vec3 normal[2];         // unit, from A to B; zero when there is no face
    ts_normal_circle edge[2];  // normals from A to B that belong to an edge of A, of B
} flat_hints;

static flat_hints find_hints(const ts_shape_pair* pair, const polish_trial* t) {
    flat_hints hints;
    hints.normal[0] = hints.normal[1] = ts_vec3_zero();
    ts_support_feature f;
    ts_support_feature_from(pair->a, t->n, t->a, &f);
    if (f.count > 2) hints.normal[0] = f.normal;
    ts_support_feature_from(pair->b, t->nb, t->b, &f);
    if (f.count > 2) hints.normal[1] = ts_transform_direction(&pair->b_in_a, ts_vec3_neg(f.normal));
    hints.edge[0] = edge_circle(pair->a, t->n, t->a);
    hints.edge[1] = edge_circle(pair->b, t->nb, t->b);
    hints.edge[1].axis = ts_transform_direction(&pair->b_in_a, hints.edge[1].axis);
    hints.edge[1].level = -hints.edge[1].level;  // of B the normal comes out of the other side
    return hints;
}

enum { FACE_A, FACE_B, EDGES, EDGE_A, EDGE_B, FREE, TRIAL_COUNT };

// Makes a trial of the given sort. Returns 0 where the features offer none.
static int make_trial(const ts_shape_pair* pair, int sort, const flat_hints* hints, const polish_trial* given,
                      const polish_trial* best, double scale, polish_trial* out) {
    switch (sort) {
    case FACE_A:
    case FACE_B:
        if (!(ts_vec3_max_abs(hints->normal[sort]) > 0.0)) return 0;
        evaluate(pair, hints->normal[sort], out);
        return 1;
    case EDGES: {
        ts_vec3 n;
        if (!circle_exists(&hints->edge[0]) || !circle_exists(&hints->edge[1])) return 0;
        if (!circles_cross(&hints->edge[0], &hints->edge[1], given->n, &n)) return 0;
        evaluate(pair, n, out);
        return 1;
    }
    case EDGE_A:
    case EDGE_B:
        if (!circle_exists(&hints->edge[sort - EDGE_A])) return 0;
        climb(pair, given, &hints->edge[sort - EDGE_A], scale, out);
        return 1;
    default: {
        const ts_normal_circle none = {ts_vec3_zero(), 0.0};
        climb(pair, best, &none, scale, out);
        return 1;
    }
    }
}

// How far the support points are from facing each other along the normal.
static double sideways(const polish_trial* t) {
    return ts_vec3_norm(ts_vec3_cross(t->n, ts_vec3_sub(t->sb, t->a.point)));
}

// The gap knows a normal to the root of its rounding only; support points that face each other know the rest.
static int is_better_free(const polish_trial* trial, const polish_trial* best, double rounding) {
    if (!(trial->gap >= best->gap - rounding)) return 0;
    return trial->gap > best->gap + rounding || sideways(trial) < 0.5 * sideways(best);
}

ts_polish_outcome ts_polish_normal(const ts_shape_pair* pair, ts_separation* out) {
    return ts_polish_normal_near(pair, -2.0, out);
}

ts_polish_outcome ts_polish_normal_near(const ts_shape_pair* pair, double cosine, ts_separation* out) {
    polish_trial given, best, trial;
    evaluate(pair, out->normal, &given);
    double scale = ts_vec3_norm(given.a.point) + ts_vec3_norm(given.sb), rounding = 8.0 * DBL_EPSILON * scale;
    flat_hints hints = find_hints(pair, &given);
    best = given;
    // On a kink an exact normal is worth more than the last bit of the gap, because the witnesses are found through the
    // features it names; so what features suggest may lose by rounding, and the free search, which moves along rounding
    // there, must win by more.
    double needed = given.gap - rounding;
    for (int sort = 0; sort < TRIAL_COUNT; ++sort) {
        if (!make_trial(pair, sort, &hints, &given, &best, scale, &trial)) continue;
        if (ts_vec3_dot(trial.n, given.n) < cosine) continue;
        if (sort == FREE ? !is_better_free(&trial, &best, rounding) : !(trial.gap >= needed)) continue;
        best = trial;
        if (best.gap > needed) needed = best.gap;
        // A maximum as good as the start, and for cores apart proven to be: the other sorts can only find it again.
        if (sort == FREE || best.gap < out->lower - 2.0 * rounding) continue;
        ts_separation settled = *out;
        ts_polish_outcome outcome = take(pair, &best, scale, &settled);
        if (outcome == TS_POLISH_UNSETTLED) continue;
        if (best.gap > 0.0 && !(settled.upper - best.gap <= 8.0 * rounding + 1e-12 * best.gap)) continue;
        *out = settled;
        return outcome;
    }
    if (best.gap < out->lower - 2.0 * rounding) return TS_POLISH_UNSETTLED;
    return take(pair, &best, scale, out);
}
