// The projection inside GJK: the origin on a simplex of which the newest vertex is known.
//
// Problem: which vertex, edge or face of the simplex {feature, new vertex} is nearest to the origin, and in which
// direction it lies.
// Rule: the new vertex w improved on the feature, so it belongs to the answer; only the regions around w are tried
// (van den Bergen 2003, signed volumes as in Montanari, Petrinic, Barbieri 2017). An answer counts when no vertex left
// out lies nearer along its direction, which by convexity proves it. Where rounding leaves no answer proven (slivers,
// repeated points, a stale simplex), all faces are tried by ts_subdistance_solve, which needs no history.
// Directions come from cross products of edges, not from barycentric sums, which cancel when the distance is small.
// Guaranteed: the new feature is a part of the simplex. Known limit: on slivers the sign of an area is a matter of
// rounding and the feature may be a neighbour of the true one; the caller's guard, a distance that must fall, catches it.
#include "collision/distance/gjk/gjk_internal.h"

static ts_vec3 point_of(const ts_gjk_run* run, int slot) { return run->store[slot].w; }

static int set_vertex(const ts_gjk_run* run, int s, ts_gjk_feature* out) {
    ts_vec3 w = point_of(run, s);
    out->rank = 1;
    out->mask = 1u << s;
    out->slot[0] = s;
    out->d = w;
    out->h = out->dd = out->xx = ts_vec3_norm_squared(w);
    return 1;
}

static int set_edge(const ts_gjk_run* run, int s, int t, ts_gjk_feature* out) {
    ts_vec3 p = point_of(run, s), q = point_of(run, t), e = ts_vec3_sub(q, p);
    // From the nearer end less is cancelled.
    ts_vec3 near = point_of(run, ts_vec3_norm_squared(p) <= ts_vec3_norm_squared(q) ? s : t);
    ts_vec3 d = ts_vec3_cross(e, ts_vec3_cross(near, e));
    out->rank = 2;
    out->mask = 1u << s | 1u << t;
    out->slot[0] = s;
    out->slot[1] = t;
    out->d = d;
    out->h = ts_vec3_dot(d, near);
    out->dd = ts_vec3_norm_squared(d);
    out->xx = out->h * (out->h / out->dd);
    return out->h > 0.0 && ts_support_is_tame(out->dd);
}

static int set_face(const ts_gjk_run* run, int s, int t, int u, ts_vec3 n, ts_gjk_feature* out) {
    double h = ts_vec3_dot(n, point_of(run, s)) + ts_vec3_dot(n, point_of(run, t)) + ts_vec3_dot(n, point_of(run, u));
    double sign = h < 0.0 ? -1.0 : 1.0;
    out->rank = 3;
    out->mask = 1u << s | 1u << t | 1u << u;
    out->slot[0] = s;
    out->slot[1] = t;
    out->slot[2] = u;
    out->d = ts_vec3_scale(sign, n);
    out->h = sign * h / 3.0;
    out->dd = ts_vec3_norm_squared(n);
    out->xx = out->h * (out->h / out->dd);
    return out->h > 0.0 && ts_support_is_tame(out->dd);
}

// No vertex in `slot` lies nearer along the feature's direction than the feature itself.
static int is_behind(const ts_gjk_run* run, const ts_gjk_feature* f, int slot) {
    return ts_vec3_dot(f->d, point_of(run, slot)) >= f->h;
}

static int project_segment(const ts_gjk_run* run, int old, int new_slot, ts_gjk_feature* out) {
    ts_vec3 p = point_of(run, old), w = point_of(run, new_slot);
    double t = -ts_vec3_dot(w, ts_vec3_sub(p, w));
    if (!(t > 0.0)) return set_vertex(run, new_slot, out);
    return set_edge(run, old, new_slot, out) && ts_vec3_dot(p, ts_vec3_sub(p, w)) > 0.0;
}

static int project_triangle(const ts_gjk_run* run, int sa, int sb, int sw, ts_gjk_feature* out) {
    ts_vec3 w = point_of(run, sw), u = ts_vec3_sub(point_of(run, sa), w), v = ts_vec3_sub(point_of(run, sb), w);
    double du = -ts_vec3_dot(w, u), dv = -ts_vec3_dot(w, v);
    if (!((du > 0.0) | (dv > 0.0))) return set_vertex(run, sw, out);
    ts_vec3 n = ts_vec3_cross(u, v);
    ts_vec3 nw = ts_vec3_cross(n, w);
    // Signed areas over the edges through w, in units of twice the triangle's area squared.
    double area_a = -ts_vec3_dot(v, nw), area_b = ts_vec3_dot(u, nw);
    if ((area_a > 0.0) & (area_b > 0.0))
        return area_a + area_b < ts_vec3_norm_squared(n) && set_face(run, sa, sb, sw, n, out);
    if (!(area_b > 0.0) && du > 0.0 && set_edge(run, sa, sw, out) && is_behind(run, out, sb)) return 1;
    return dv > 0.0 && set_edge(run, sb, sw, out) && is_behind(run, out, sa);
}

static int project_tetrahedron(const ts_gjk_run* run, const int old[3], int sw, ts_gjk_feature* out) {
    ts_vec3 a = point_of(run, old[0]), b = point_of(run, old[1]), c = point_of(run, old[2]), w = point_of(run, sw);
    ts_vec3 bc = ts_vec3_cross(b, c);
    double weight[4] = {-ts_vec3_dot(w, bc), -ts_vec3_dot(w, ts_vec3_cross(c, a)), -ts_vec3_dot(w, ts_vec3_cross(a, b)),
                        ts_vec3_dot(a, bc)};
    double whole = weight[0] + weight[1] + weight[2] + weight[3];
    if (whole < 0.0)
        for (int q = 0; q < 4; ++q) weight[q] = -weight[q];
    if ((weight[3] > 0.0) & (weight[0] > 0.0) & (weight[1] > 0.0) & (weight[2] > 0.0)) {
        out->rank = 4;
        out->mask = 15u;
        for (int q = 0; q < 3; ++q) out->slot[q] = old[q];
        out->slot[3] = sw;
        out->d = ts_vec3_zero();
        out->h = 0.0;
        out->dd = 1.0;
        out->xx = 0.0;
        return 1;
    }
    if (!(whole > 0.0) && !(whole < 0.0)) return 0;
    for (int q = 0; q < 3; ++q) {
        if (weight[q] > 0.0) continue;
        if (project_triangle(run, old[(q + 1) % 3], old[(q + 2) % 3], sw, out) && is_behind(run, out, old[q])) return 1;
    }
    return 0;
}

// A direction for what the robust projection found; x where the feature's own cross products degenerate.
static int take_subdistance(const ts_gjk_run* run, const int* slot, const ts_subdistance* s, ts_gjk_feature* out) {
    out->rank = s->count;
    out->mask = 0;
    for (int i = 0; i < s->count; ++i) {
        out->slot[i] = slot[s->index[i]];
        out->mask |= 1u << out->slot[i];
    }
    if (s->count == 4) {
        out->d = ts_vec3_zero();
        out->h = 0.0;
        out->dd = 1.0;
        out->xx = 0.0;
        return 1;
    }
    ts_gjk_feature exact;
    int named;
    if (s->count == 1) {
        named = set_vertex(run, out->slot[0], &exact) && ts_support_is_tame(exact.dd);
    } else if (s->count == 2) {
        named = set_edge(run, out->slot[0], out->slot[1], &exact);
    } else {
        ts_vec3 p = point_of(run, out->slot[0]);
        ts_vec3 n =
            ts_vec3_cross(ts_vec3_sub(point_of(run, out->slot[1]), p), ts_vec3_sub(point_of(run, out->slot[2]), p));
        named = set_face(run, out->slot[0], out->slot[1], out->slot[2], n, &exact);
    }
    if (named) {
        *out = exact;
        return 1;
    }
    // Too short or too long to be squared, or zero: x says the same with fewer digits.
    out->d = s->point;
    out->h = out->dd = out->xx = s->distance_squared;
    return s->distance_squared > 0.0;
}

int ts_gjk_project_robustly(ts_gjk_run* run, int slot, ts_gjk_feature* out) {
    const ts_gjk_feature* f = run->feature;
    ts_vec3 w[4];
    int slots[4], count = f->rank;
    for (int i = 0; i < count; ++i) slots[i] = f->slot[i];
    if (slot >= 0) slots[count++] = slot;
    for (int i = 0; i < count; ++i) w[i] = run->store[slots[i]].w;
    ts_subdistance s;
    ts_subdistance_solve(w, count, &s);
    return take_subdistance(run, slots, &s, out);
}

int ts_gjk_project(ts_gjk_run* run, int slot, ts_gjk_feature* out) {
    const ts_gjk_feature* f = run->feature;
    int done = 0;
    if (!run->careful) {
        switch (f->rank) {
        case 0: done = set_vertex(run, slot, out) && ts_support_is_tame(out->dd); break;
        case 1: done = project_segment(run, f->slot[0], slot, out); break;
        case 2: done = project_triangle(run, f->slot[0], f->slot[1], slot, out); break;
        default: done = project_tetrahedron(run, f->slot, slot, out); break;
        }
    }
    return done || ts_gjk_project_robustly(run, slot, out);
}
