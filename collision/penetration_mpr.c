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
#include "collision/mpr_internal.h"

#include "collision/support_internal.h"

#include <float.h>

// Offsets from the ray below this fraction of D's size leave too few digits for a portal around it.
static const double STATIONARY_OFFSET = 1e-9;

// A portal seen this much edge-on (sine) says nothing of where the ray meets it.
static const double EDGE_ON = 1e-9;

void ts_mpr_begin(const ts_shape* a, const ts_shape* b, const ts_transform* b_in_a,
                  const ts_penetration_settings* settings, ts_mpr_space* out) {
    int rounded = settings->rounding == TS_PENETRATION_ROUNDED;
    out->a = a;
    out->b = b;
    out->pose = b_in_a;
    out->radius_a = rounded ? a->radius : 0.0;
    out->radius_b = rounded ? b->radius : 0.0;
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

static inline double support(ts_mpr_space* s, ts_vec3 u, ts_mpr_vertex* out) {
    ts_vec3 ub = ts_transform_direction_inverse(s->pose, ts_vec3_neg(u));
    ts_support_point a = ts_support_core_inline(s->a, u, s->hint_a);
    ts_support_point b = ts_support_core_inline(s->b, ub, s->hint_b);
    ++s->support_calls;
    s->hint_a = a.index;
    s->hint_b = b.index;
    out->a = ts_vec3_add_scaled(a.point, s->radius_a, u);
    out->b_local = ts_vec3_add_scaled(b.point, s->radius_b, ub);
    out->w = ts_vec3_sub(out->a, ts_transform_point(s->pose, out->b_local));
    double squared = ts_vec3_norm_squared(out->w);
    if (squared > s->scale_squared) {
        s->scale_squared = squared;
        s->scale = sqrt(squared);
    }
    double value = ts_vec3_dot(u, out->w);
    if (value < s->best) {
        s->best = value;
        s->best_normal = u;
    }
    return value;
}

double ts_mpr_support(ts_mpr_space* space, ts_vec3 direction, ts_mpr_vertex* out) {
    return support(space, direction, out);
}

static ts_vec3 unit_of(ts_vec3 d, ts_vec3 fallback) {
    double squared = ts_vec3_norm_squared(d);
    return ts_support_is_tame(squared) ? ts_vec3_scale(1.0 / sqrt(squared), d) : ts_vec3_unit_or(d, fallback);
}

static void swap(ts_mpr_portal* p, int i, int j) {
    ts_mpr_vertex keep = p->v[i];
    p->v[i] = p->v[j];
    p->v[j] = keep;
}

// The first triangle: along the ray, beside it, and beyond the plane that these two span with the origin.
static ts_mpr_verdict first_triangle(ts_mpr_space* s, ts_vec3 d, ts_mpr_portal* p) {
    p->count = 0;
    double value = support(s, d, &p->v[0]);
    if (!isfinite(value)) return TS_MPR_INVALID;
    if (ts_mpr_not_inside(s)) return TS_MPR_NOT_INSIDE;
    ts_vec3 beside = ts_vec3_cross(p->v[0].w, d);
    if (!(ts_vec3_norm_squared(beside) > STATIONARY_OFFSET * STATIONARY_OFFSET * s->scale_squared))
        return TS_MPR_STATIONARY;
    support(s, unit_of(beside, d), &p->v[1]);
    if (ts_mpr_not_inside(s)) return TS_MPR_NOT_INSIDE;
    ts_vec3 across = ts_vec3_cross(p->v[0].w, p->v[1].w);
    if (ts_vec3_dot(across, d) < 0.0) {
        across = ts_vec3_neg(across);
        swap(p, 0, 1);
    }
    support(s, unit_of(across, d), &p->v[2]);
    if (ts_mpr_not_inside(s)) return TS_MPR_NOT_INSIDE;
    p->count = 3;
    return TS_MPR_PORTAL;
}

ts_mpr_verdict ts_mpr_find(ts_mpr_space* s, ts_vec3 d, int limit, ts_mpr_portal* p) {
    if (p->count != 3) {
        ts_mpr_verdict first = first_triangle(s, d, p);
        if (first != TS_MPR_PORTAL) return first;
    }
    for (int step = 0; step < limit; ++step) {
        ts_vec3 w0 = p->v[0].w, w1 = p->v[1].w, w2 = p->v[2].w;
        // Twice the areas that the ray's foot spans with the edges, seen along the ray.
        double s01 = ts_vec3_dot(d, ts_vec3_cross(w0, w1)), s12 = ts_vec3_dot(d, ts_vec3_cross(w1, w2));
        double s20 = ts_vec3_dot(d, ts_vec3_cross(w2, w0));
        if (s01 + s12 + s20 < 0.0) {
            swap(p, 1, 2);
            double keep = s01;
            s01 = -s20;
            s12 = -s12;
            s20 = -keep;
            w1 = p->v[1].w;
            w2 = p->v[2].w;
        }
        double slack = -DBL_EPSILON * s->scale_squared;
        // The edge that the ray passes outside of, and the vertex across it, which goes.
        ts_vec3 from, to;
        int gone;
        if (s20 < slack) {
            from = w2;
            to = w0;
            gone = 1;
        } else if (s01 < slack) {
            from = w0;
            to = w1;
            gone = 2;
        } else if (s12 < slack) {
            from = w1;
            to = w2;
            gone = 0;
        } else {
            return TS_MPR_PORTAL;
        }
        // Outward normal of the plane through that edge and the point -scale d of the ray.
        ts_vec3 inward = ts_vec3_add_scaled(ts_vec3_cross(from, to), s->scale, ts_vec3_cross(d, ts_vec3_sub(to, from)));
        double value = support(s, unit_of(ts_vec3_neg(inward), d), &p->v[gone]);
        if (!isfinite(value)) return TS_MPR_INVALID;
        if (ts_mpr_not_inside(s)) return TS_MPR_NOT_INSIDE;
    }
    return TS_MPR_LIMIT;
}

// Which vertex the new point takes the place of, so that the ray still passes through.
static inline int replaced_by(const ts_mpr_portal* p, ts_vec3 d, ts_vec3 w) {
    ts_vec3 c = ts_vec3_cross(d, w);
    if (ts_vec3_dot(p->v[0].w, c) > 0.0) return ts_vec3_dot(p->v[1].w, c) > 0.0 ? 0 : 2;
    return ts_vec3_dot(p->v[2].w, c) > 0.0 ? 1 : 0;
}

ts_mpr_verdict ts_mpr_refine(ts_mpr_space* s, ts_vec3 d, ts_penetration_shortcut shortcut, int limit, ts_mpr_portal* p,
                             ts_mpr_state* out) {
    out->steps = 0;
    out->normal = d;
    out->plane = out->ray = 0.0;
    while (out->steps < limit) {
        ts_vec3 e1 = ts_vec3_sub(p->v[1].w, p->v[0].w), e2 = ts_vec3_sub(p->v[2].w, p->v[0].w);
        ts_vec3 raw = ts_vec3_cross(e1, e2);
        double longest = ts_vec3_norm_squared(e1), other = ts_vec3_norm_squared(e2);
        if (other > longest) longest = other;
        double squared = ts_vec3_norm_squared(raw);
        // Sine of the angle at vertex 0 and the digits that the difference of large numbers leaves.
        if (!(squared > 1e-28 * longest * longest) || !(squared > 0.0)) return TS_MPR_DEGENERATE;
        ts_vec3 n = ts_support_is_tame(squared) ? ts_vec3_scale(1.0 / sqrt(squared), raw) : unit_of(raw, d);
        ts_mpr_vertex next;
        double z = support(s, n, &next);
        ++out->steps;
        if (!isfinite(z)) return TS_MPR_INVALID;
        out->normal = n;
        out->plane = z;
        if (ts_mpr_not_inside(s)) return TS_MPR_NOT_INSIDE;
        double facing = ts_vec3_dot(n, d), height = ts_vec3_dot(n, p->v[0].w), tolerance = ts_mpr_tolerance(s);
        if (facing > EDGE_ON) {
            out->ray = height / facing;
            if (shortcut == TS_PENETRATION_SHORTCUT && out->ray > z + tolerance) return TS_MPR_SHORTCUT;
            if (z - height <= tolerance) return TS_MPR_PORTAL;
        }
        p->v[replaced_by(p, d, next.w)] = next;
    }
    return TS_MPR_LIMIT;
}
