// Minkowski portal refinement, as a ray caster.
//
// Problem: D = A - B is known by its support function only; where does the ray { t d : t >= 0 } leave it, and what is the
// normal there? Rule (Snethen, Game Programming Gems 7, in the form that Gao gives it, "Efficient Incremental Penetration
// Depth Estimation between Convex Geometries", algorithms 1 and 5): find an inscribed triangle, the portal, that the ray
// passes through; ask for the support point beyond it; of the three triangles that this point makes with the portal's
// edges, the one that the ray passes through is the next portal. The interior point of the classic method is a point far
// back on the ray, so only the ray itself matters: seen along it, "passes through" is three orientations in a plane.
// Guaranteed: where the ray meets the portal is inscribed, so the surface is no nearer along the ray; every support value
// bounds the depth of the pair from above and the least one is kept; a support value below zero separates. All loops are
// capped, and all thresholds are relative to the largest |w| seen.
// Known limits: nothing here says that the origin is inside D (a ray that enters D and leaves it passes through a portal
// too); portals of a millionth of D's size lose their normals to rounding, which ends the loop as DEGENERATE.
#include "collision/distance/penetration/mpr_internal.h"

#include "collision/shape/support_internal.h"

#include <float.h>

// Offsets from the ray below this fraction of D's size leave too few digits for a portal around it.
static const double STATIONARY_OFFSET = 1e-9;

// A portal seen this much edge-on (sine) says nothing of where the ray meets it.
static const double EDGE_ON = 1e-9;

void ts_mpr_begin(const ts_shape_pair* pair, const ts_penetration_settings* settings, ts_mpr_space* out) {
    int rounded = settings->rounding == TS_PENETRATION_ROUNDED;
    out->pair = pair;
    out->radius_a = rounded ? pair->a->radius : 0.0;
    out->radius_b = rounded ? pair->b->radius : 0.0;
    out->relative_tolerance = settings->relative_tolerance;
    out->tolerance = settings->tolerance;
    out->hint_a = out->hint_b = -1;
    out->support_calls = 0;
    out->scale_squared = out->scale = 0.0;
    out->best = (double)INFINITY;
    out->best_normal = ts_vec3_axis(0);
}

double ts_mpr_tolerance(const ts_mpr_space* space) {
    double relative = space->relative_tolerance * space->scale, floor = 16.0 * DBL_EPSILON * space->scale;
    double most = relative > space->tolerance ? relative : space->tolerance;
    return most > floor ? most : floor;
}

int ts_mpr_not_inside(const ts_mpr_space* space) { return space->best <= 8.0 * DBL_EPSILON * space->scale; }

// The support point along `raw`, whose unit vector is u. The cores are asked along raw, so that they need not wait for
// the root and the division that u takes; each step depends on the one before, and this is half of its length.
static inline __attribute__((always_inline)) double support(ts_mpr_space* s, ts_vec3 raw, ts_vec3 u,
                                                            ts_mpr_vertex* out) {
    const ts_shape_pair* pair = s->pair;
    ts_vec3 against = ts_transform_direction_inverse(&pair->b_in_a, ts_vec3_neg(raw));
    ts_support_point a = ts_support_core_inline(pair->a, raw, s->hint_a);
    ts_support_point b = ts_support_core_inline(pair->b, against, s->hint_b);
    ++s->support_calls;
    s->hint_a = a.index;
    s->hint_b = b.index;
    ts_vec3 w = ts_vec3_sub(a.point, ts_transform_point(&pair->b_in_a, b.point));
    w = ts_vec3_add_scaled(w, s->radius_a + s->radius_b, u);
    out->w = w;
    out->a = a.point;
    out->b_local = b.point;
    out->direction = u;
    double squared = ts_vec3_norm_squared(w);
    if (squared > s->scale_squared) {
        s->scale_squared = squared;
        s->scale = sqrt(squared);
    }
    double value = ts_vec3_dot(u, w);
    if (value < s->best) {
        s->best = value;
        s->best_normal = u;
    }
    return value;
}

double ts_mpr_support(ts_mpr_space* space, ts_vec3 direction, ts_mpr_vertex* out) {
    return support(space, direction, direction, out);
}

static ts_vec3 unit_of(ts_vec3 d, ts_vec3 fallback) {
    double squared = ts_vec3_norm_squared(d);
    return ts_support_is_tame(squared) ? ts_vec3_scale(1.0 / sqrt(squared), d) : ts_vec3_unit_or(d, fallback);
}

void ts_mpr_clear(ts_mpr_portal* p) {
    p->count = p->top = 0;
    for (int i = 0; i < 4; ++i) {
        p->slot[i] = i;
        p->store[i].w = p->store[i].a = p->store[i].b_local = p->store[i].direction = ts_vec3_zero();
    }
}

static inline void swap(ts_mpr_portal* p, int i, int j) {
    int keep = p->slot[i];
    p->slot[i] = p->slot[j];
    p->slot[j] = keep;
}

// The first triangle, wherever the ray may go: along it, beside it, and beyond the plane that these two span with the
// origin. As large as D.
static ts_mpr_verdict wide_triangle(ts_mpr_space* s, ts_vec3 d, ts_mpr_portal* p) {
    ts_vec3 beside = ts_vec3_cross(ts_mpr_corner(p, 0)->w, d);
    support(s, beside, unit_of(beside, d), ts_mpr_corner(p, 1));
    if (ts_mpr_not_inside(s)) return TS_MPR_NOT_INSIDE;
    ts_vec3 across = ts_vec3_cross(ts_mpr_corner(p, 0)->w, ts_mpr_corner(p, 1)->w);
    if (ts_vec3_dot(across, d) < 0.0) {
        across = ts_vec3_neg(across);
        swap(p, 0, 1);
    }
    support(s, across, unit_of(across, d), ts_mpr_corner(p, 2));
    if (ts_mpr_not_inside(s)) return TS_MPR_NOT_INSIDE;
    p->count = 3;
    return TS_MPR_PORTAL;
}

// A triangle just large enough: the support point along d, `aside` of the ray, and two along directions tilted the other
// way, as far as a surface with that radius of curvature needs to bring them round the ray. Where the surface is
// another, the ray may still miss it, and the portal is repaired like any other.
static ts_mpr_verdict close_triangle(ts_mpr_space* s, ts_vec3 d, ts_vec3 aside, double tilt, ts_mpr_portal* p) {
    ts_vec3 o = unit_of(aside, d), t = ts_vec3_cross(d, o);
    for (int i = 1; i < 3; ++i) {
        // 120 degrees to either side of the first.
        double sideways = i == 1 ? 0.8660254037844386 : -0.8660254037844386;
        ts_vec3 raw = ts_vec3_add_scaled(ts_vec3_add_scaled(d, -0.5 * tilt, o), sideways * tilt, t);
        support(s, raw, unit_of(raw, d), ts_mpr_corner(p, i));
        if (ts_mpr_not_inside(s)) return TS_MPR_NOT_INSIDE;
    }
    p->count = 3;
    return TS_MPR_PORTAL;
}

// The least radius of curvature that the corners, points with their normals, show against the point `top`; 0 if none.
static double radius_seen(ts_mpr_portal* p, const ts_mpr_vertex* top) {
    double least = (double)INFINITY;
    for (int i = 0; i < 3; ++i) {
        const ts_mpr_vertex* v = ts_mpr_corner(p, i);
        if (ts_vec3_norm_squared(v->direction) < 0.5) continue;  // from the cache, which keeps no normals
        double turn = ts_vec3_norm_squared(ts_vec3_sub(v->direction, top->direction));
        double shift = ts_vec3_norm_squared(ts_vec3_sub(v->w, top->w));
        if (shift < least * turn && shift > 0.0) least = shift / turn;
    }
    return least < (double)INFINITY ? sqrt(least) : 0.0;
}

static int passes_through(ts_mpr_portal* p, ts_vec3 d) {
    ts_vec3 w0 = ts_mpr_corner(p, 0)->w, w1 = ts_mpr_corner(p, 1)->w, w2 = ts_mpr_corner(p, 2)->w;
    double s01 = ts_vec3_dot(d, ts_vec3_cross(w0, w1)), s12 = ts_vec3_dot(d, ts_vec3_cross(w1, w2));
    double s20 = ts_vec3_dot(d, ts_vec3_cross(w2, w0));
    return (s01 > 0.0 && s12 > 0.0 && s20 > 0.0) || (s01 < 0.0 && s12 < 0.0 && s20 < 0.0);
}

static double longest_edge_squared(ts_mpr_portal* p) {
    ts_vec3 w0 = ts_mpr_corner(p, 0)->w, w1 = ts_mpr_corner(p, 1)->w, w2 = ts_mpr_corner(p, 2)->w;
    double a = ts_vec3_norm_squared(ts_vec3_sub(w1, w0)), b = ts_vec3_norm_squared(ts_vec3_sub(w2, w1));
    double c = ts_vec3_norm_squared(ts_vec3_sub(w0, w2));
    return a > b ? (a > c ? a : c) : (b > c ? b : c);
}

// A triangle to start from. At the pace of the paper that is the one from before, else a wide one; otherwise a close one
// where the radius of curvature can be guessed, unless the one from before will do, as it is or (with the radius of
// curvature in *out_radius) nearly.
static ts_mpr_verdict start(ts_mpr_space* s, ts_vec3 d, int classic, ts_mpr_portal* p, double* out_radius) {
    // A tilt of more than 45 degrees makes as wide a triangle as any; the margin makes up for a surface that is up to
    // twice as curved as it looks.
    static const double most = 1.0, margin = 4.0;
    int known = p->top, kept = p->count == 3, fits = kept && (classic || passes_through(p, d));
    p->top = 0;
    *out_radius = 0.0;
    if (fits && (classic || !known)) return TS_MPR_PORTAL;
    ts_mpr_vertex* top = ts_mpr_corner(p, kept ? 3 : 0);
    if (!(kept && known)) {
        double value = support(s, d, d, top);
        if (!isfinite(value)) return TS_MPR_INVALID;
        if (ts_mpr_not_inside(s)) return TS_MPR_NOT_INSIDE;
    }
    double radius = kept ? radius_seen(p, top) : 0.0;
    if (!(radius > 0.0)) radius = ts_vec3_norm(top->w);
    ts_vec3 top_w = top->w, aside = ts_vec3_add_scaled(top_w, -ts_vec3_dot(top_w, d), d);
    double offset = ts_vec3_norm(aside);
    // No smaller than a triangle whose middle is within tolerance of the surface already.
    double tilt = margin * offset / radius, least = sqrt(ts_mpr_tolerance(s) / radius);
    if (tilt < least) tilt = least;
    // The two new corners lie 1.7 such tilts apart; two support calls pay for a triangle half as large.
    double width = 3.5 * tilt * radius;
    if (fits && !(width * width < longest_edge_squared(p))) return TS_MPR_PORTAL;
    if (kept && offset > STATIONARY_OFFSET * s->scale && !(tilt <= most)) {
        // The support point lies far along something flat; what is left of the old portal is better than that.
        *out_radius = radius;
        return TS_MPR_PORTAL;
    }
    if (kept) swap(p, 0, 3);
    p->count = 0;
    if (!(offset > STATIONARY_OFFSET * s->scale)) return TS_MPR_STATIONARY;
    if (classic || !(tilt <= most)) return wide_triangle(s, d, p);
    ts_mpr_verdict verdict = close_triangle(s, d, aside, tilt, p);
    if (verdict != TS_MPR_PORTAL) return verdict;
    // Corners of a polytope do not move with the direction: no triangle then.
    ts_vec3 w0 = top_w, w1 = ts_mpr_corner(p, 1)->w, w2 = ts_mpr_corner(p, 2)->w;
    double area = fabs(ts_vec3_dot(d, ts_vec3_cross(ts_vec3_sub(w1, w0), ts_vec3_sub(w2, w0))));
    return area > 1e-9 * longest_edge_squared(p) ? TS_MPR_PORTAL : wide_triangle(s, d, p);
}

// Where to look for a point beyond an edge that the ray misses by `excess` over the edge's length: where the surface with
// that radius of curvature has got there, if that is not far, else (or with no radius) along the outward normal of the
// plane through the edge and the point -scale d of the ray, which is as far as D goes.
static ts_vec3 outward(const ts_mpr_space* s, ts_vec3 d, ts_vec3 from, ts_vec3 to, double excess, double radius) {
    ts_vec3 side = ts_vec3_cross(ts_vec3_sub(to, from), d);
    double squared = ts_vec3_norm_squared(side);
    if (excess > 0.0 && excess * excess < radius * radius * squared)
        return ts_vec3_add_scaled(d, excess / (radius * squared), side);
    return ts_vec3_add_scaled(ts_vec3_cross(to, from), s->scale, side);
}

ts_mpr_verdict ts_mpr_find(ts_mpr_space* s, ts_vec3 d, ts_penetration_pace pace, int limit, ts_mpr_portal* p) {
    double radius;
    ts_mpr_verdict begun = start(s, d, pace == TS_PENETRATION_PACE_PAPER, p, &radius);
    if (begun != TS_MPR_PORTAL) return begun;
    for (int step = 0; step < limit; ++step) {
        ts_vec3 w0 = ts_mpr_corner(p, 0)->w, w1 = ts_mpr_corner(p, 1)->w, w2 = ts_mpr_corner(p, 2)->w;
        // Twice the areas that the ray's foot spans with the edges, seen along the ray.
        double s01 = ts_vec3_dot(d, ts_vec3_cross(w0, w1)), s12 = ts_vec3_dot(d, ts_vec3_cross(w1, w2));
        double s20 = ts_vec3_dot(d, ts_vec3_cross(w2, w0));
        if (s01 + s12 + s20 < 0.0) {
            swap(p, 1, 2);
            double keep = s01;
            s01 = -s20;
            s12 = -s12;
            s20 = -keep;
            w1 = ts_mpr_corner(p, 1)->w;
            w2 = ts_mpr_corner(p, 2)->w;
        }
        double slack = -DBL_EPSILON * s->scale_squared;
        // The edge that the ray passes outside of, and the vertex across it, which goes.
        ts_vec3 from, to;
        double outside;
        int gone;
        if (s20 < slack) {
            from = w2;
            outside = -s20;
            to = w0;
            gone = 1;
        } else if (s01 < slack) {
            from = w0;
            outside = -s01;
            to = w1;
            gone = 2;
        } else if (s12 < slack) {
            from = w1;
            outside = -s12;
            to = w2;
            gone = 0;
        } else {
            return TS_MPR_PORTAL;
        }
        ts_vec3 out = outward(s, d, from, to, step < 3 ? (2 << step) * outside : 0.0, radius);
        double value = support(s, out, unit_of(out, d), ts_mpr_corner(p, gone));
        if (!isfinite(value)) return TS_MPR_INVALID;
        if (ts_mpr_not_inside(s)) return TS_MPR_NOT_INSIDE;
    }
    return TS_MPR_LIMIT;
}

// Which corner the new point takes the place of, so that the ray still passes through: a table over the sides of the
// plane through ray and point that the three corners lie on, because no branch predictor knows them.
static inline int replaced_by(ts_vec3 d, ts_vec3 w0, ts_vec3 w1, ts_vec3 w2, ts_vec3 w) {
    static const unsigned char table[8] = {0, 2, 0, 0, 1, 2, 1, 0};
    // <w_i, d x w>, the products that do not wait for w first.
    unsigned side0 = ts_vec3_dot(w, ts_vec3_cross(w0, d)) > 0.0, side1 = ts_vec3_dot(w, ts_vec3_cross(w1, d)) > 0.0;
    unsigned side2 = ts_vec3_dot(w, ts_vec3_cross(w2, d)) > 0.0;
    return table[side0 | side1 << 1 | side2 << 2];
}

ts_mpr_verdict ts_mpr_refine(ts_mpr_space* s, ts_vec3 d, ts_penetration_shortcut shortcut, int limit, ts_mpr_portal* p,
                             ts_mpr_state* out) {
    out->steps = 0;
    out->newest = 3;
    out->normal = d;
    out->plane = out->ray = 0.0;
    while (out->steps < limit) {
        ts_vec3 w0 = ts_mpr_corner(p, 0)->w, w1 = ts_mpr_corner(p, 1)->w, w2 = ts_mpr_corner(p, 2)->w;
        ts_vec3 e1 = ts_vec3_sub(w1, w0), e2 = ts_vec3_sub(w2, w0);
        ts_vec3 raw = ts_vec3_cross(e1, e2);
        double longest = ts_vec3_norm_squared(e1), other = ts_vec3_norm_squared(e2);
        if (other > longest) longest = other;
        double squared = ts_vec3_norm_squared(raw);
        // Sine of the angle at vertex 0 and the digits that the difference of large numbers leaves.
        if (!(squared > 1e-28 * longest * longest) || !(squared > 0.0)) return TS_MPR_DEGENERATE;
        ts_vec3 n = ts_support_is_tame(squared) ? ts_vec3_scale(1.0 / sqrt(squared), raw) : unit_of(raw, d);
        ts_mpr_vertex* next = ts_mpr_corner(p, 3);
        double z = support(s, raw, n, next);
        ++out->steps;
        if (!isfinite(z)) return TS_MPR_INVALID;
        out->normal = n;
        out->plane = z;
        out->newest = 3;
        p->top = 1;
        if (ts_mpr_not_inside(s)) return TS_MPR_NOT_INSIDE;
        double facing = ts_vec3_dot(n, d), height = ts_vec3_dot(n, w0), tolerance = ts_mpr_tolerance(s);
        if (facing > EDGE_ON) {
            out->ray = height / facing;
            if (shortcut == TS_PENETRATION_SHORTCUT && out->ray > z + tolerance) return TS_MPR_SHORTCUT;
            if (z - height <= tolerance) return TS_MPR_PORTAL;
        }
        out->newest = replaced_by(d, w0, w1, w2, next->w);
        swap(p, 3, out->newest);
        p->top = 0;
    }
    return TS_MPR_LIMIT;
}
