// Signed distances that need no iteration.
//
// Rule: a sphere is a point with a radius, so sphere against X is the signed distance of a point to X's core minus both
// radii; a capsule is a segment with a radius, so two capsules are the distance of two segments (Ericson, Real-Time
// Collision Detection, 2005, section 5.1.9, with the parameter of the first segment recomputed after clamping the
// second). A half-space needs one support point.
// Guaranteed: exact to rounding, a unit normal always. Where the closest point is not unique (concentric spheres, a
// centre on a capsule's axis) the normal falls back to last time's, then to the direction between the frames, then to
// fixed axes, in that order.
//
// Everything is computed from the difference of the two positions, in world axes: nothing is built that the pair does not
// need (two spheres never touch a rotation), and far from the origin no digits are lost.
#include "collision/distance/proximity_internal.h"
#include "collision/distance/gjk/subdistance_internal.h"
#include "collision/shape/shape_traits_internal.h"

#include <float.h>

// The first of the wishes that has a part orthogonal to `axis` (unit, or zero for "any direction will do").
static ts_vec3 fallback_normal(ts_vec3 axis, ts_vec3 previous, ts_vec3 between) {
    const ts_vec3 wish[5] = {previous, between, ts_vec3_axis(0), ts_vec3_axis(1), ts_vec3_axis(2)};
    for (int k = 0; k < 5; ++k) {
        ts_vec3 unit = ts_vec3_unit_or(wish[k], ts_vec3_zero());
        ts_vec3 part = ts_vec3_add_scaled(unit, -ts_vec3_dot(unit, axis), axis);
        if (ts_vec3_norm(part) > 1e-3) return ts_vec3_unit_or(part, ts_vec3_axis(0));
    }
    return ts_vec3_axis(0);
}

static double clamp(double x, double limit) { return x < -limit ? -limit : (x > limit ? limit : x); }

static void conclude(double distance, double scale, ts_proximity* out) {
    out->distance = out->found.lower = out->found.upper = distance;
    if (fabs(distance) <= 8.0 * DBL_EPSILON * scale)
        out->status = TS_PROXIMITY_TOUCHING;
    else
        out->status = distance > 0.0 ? TS_PROXIMITY_SEPARATED : TS_PROXIMITY_PENETRATING;
}

// Last time's normal, in world axes; zero when unknown.
static ts_vec3 previous_normal(const ts_transform* pose_a, const ts_gjk_cache* cache) {
    if (!cache || !ts_vec3_is_finite(cache->normal)) return ts_vec3_zero();
    return ts_transform_direction(pose_a, cache->normal);
}

// `outward` of a point that lies on a core without inside, for B's sake: away from B. `axis` is what it must be orthogonal
// to (a segment's direction), or zero.
static ts_vec3 made_up(const ts_transform* pose_a, const ts_gjk_cache* cache, ts_vec3 axis, ts_proximity* out) {
    out->flags |= TS_PROXIMITY_NORMAL_FALLBACK;
    return fallback_normal(axis, ts_vec3_neg(previous_normal(pose_a, cache)), ts_vec3_zero());
}

// The answer of a sphere whose centre is `gap` (negative inside) from B's core, along the unit vector from B to A.
static void conclude_sphere(const ts_placed_pair* pair, ts_vec3 outward, double gap, ts_proximity* out) {
    double ra = pair->a->radius, rb = pair->b->radius;
    out->found.normal = ts_vec3_neg(outward);
    out->found.point_a = ts_vec3_add_scaled(pair->pose_a->p, -ra, outward);
    out->found.point_b = ts_vec3_add_scaled(pair->pose_a->p, rb - gap, outward);
    conclude(gap - ra - rb, ra + rb + fabs(gap), out);
}

// A sphere against a core of which d is the vector from the closest point: two spheres, or sphere and capsule.
static void sphere_thin_query(const ts_placed_pair* pair, ts_vec3 d, ts_vec3 axis, const ts_gjk_cache* cache,
                              ts_proximity* out) {
    double gap = ts_vec3_norm(d);
    ts_vec3 outward;
    if (gap > 1e-150) {  // else its square has lost digits
        outward = ts_vec3_scale(1.0 / gap, d);
    } else if (ts_vec3_max_abs(d) > 0.0) {
        outward = ts_vec3_unit_or(d, ts_vec3_axis(0));
        gap = ts_vec3_dot(outward, d);
    } else {
        outward = made_up(pair->pose_a, cache, axis, out);
    }
    conclude_sphere(pair, outward, gap, out);
}

// The unit normal of a triangle: from its two shorter edges, where the cross product is best, and at right angles to the
// longest to rounding, which for a sliver it would not be.
static ts_vec3 triangle_normal(const ts_vec3* corner) {
    ts_vec3 e[3];
    int longest = 0;
    for (int k = 0; k < 3; ++k) {
        e[k] = ts_vec3_sub(corner[(k + 1) % 3], corner[k]);
        if (ts_vec3_norm_squared(e[k]) > ts_vec3_norm_squared(e[longest])) longest = k;
    }
    ts_vec3 along = ts_vec3_unit_or(e[longest], ts_vec3_zero());
    ts_vec3 n = ts_vec3_unit_or(ts_vec3_cross(e[(longest + 1) % 3], e[(longest + 2) % 3]), ts_vec3_axis(2));
    return ts_vec3_unit_or(ts_vec3_add_scaled(n, -ts_vec3_dot(n, along), along), n);
}

// A sphere against a triangle. A centre in the triangle has two normals; last time's or the front one.
void ts_sphere_triangle(const ts_placed_pair* pair, const ts_gjk_cache* cache, ts_proximity* out) {
    ts_vec3 c = ts_transform_direction_inverse(pair->pose_b, ts_vec3_sub(pair->pose_a->p, pair->pose_b->p)), w[3];
    for (int k = 0; k < 3; ++k) w[k] = ts_vec3_sub(pair->b->triangle[k], c);
    ts_subdistance closest;
    ts_subdistance_solve(w, 3, &closest);
    ts_vec3 d = ts_vec3_neg(closest.point);
    if (closest.count == 3) {
        // Over the face the direction is its normal; what rounding left of the vector is not.
        ts_vec3 unit = triangle_normal(w);
        double height = -ts_vec3_dot(unit, w[0]);
        if (!(fabs(height) > 4.0 * DBL_EPSILON * ts_vec3_max_abs(w[0]))) {
            out->flags |= TS_PROXIMITY_NORMAL_FALLBACK;
            ts_vec3 front = ts_transform_direction(pair->pose_b, unit);
            ts_vec3 outward =
                ts_vec3_dot(front, previous_normal(pair->pose_a, cache)) > 0.0 ? ts_vec3_neg(front) : front;
            conclude_sphere(pair, outward, 0.0, out);
            return;
        }
        d = ts_vec3_scale(height, unit);
    } else if (closest.count == 2) {
        // Beside an edge it is at right angles to it.
        ts_vec3 e = ts_vec3_unit_or(ts_vec3_sub(w[closest.index[1]], w[closest.index[0]]), ts_vec3_zero());
        d = ts_vec3_add_scaled(d, -ts_vec3_dot(d, e), e);
    }
    sphere_thin_query(pair, ts_transform_direction(pair->pose_b, d), ts_vec3_zero(), cache, out);
}

void ts_sphere_sphere(const ts_placed_pair* pair, const ts_gjk_cache* cache, ts_proximity* out) {
    sphere_thin_query(pair, ts_vec3_sub(pair->pose_a->p, pair->pose_b->p), ts_vec3_zero(), cache, out);
}

void ts_sphere_capsule(const ts_placed_pair* pair, const ts_gjk_cache* cache, ts_proximity* out) {
    ts_vec3 between = ts_vec3_sub(pair->pose_a->p, pair->pose_b->p), axis = ts_mat3_column(&pair->pose_b->R, 2);
    double half = pair->b->half.z, along = ts_vec3_dot(axis, between), end = clamp(along, half);
    ts_vec3 beside = ts_vec3_add_scaled(between, -end, axis);
    // At right angles to the segment, or no less past its end: of a long one, what rounding left along it would tilt the
    // normal towards the other end.
    beside = ts_vec3_add_scaled(beside, along - end - ts_vec3_dot(axis, beside), axis);
    if (!(fabs(along) > half) && !(ts_vec3_max_abs(beside) > 4.0 * DBL_EPSILON * fabs(along))) beside = ts_vec3_zero();
    sphere_thin_query(pair, beside, axis, cache, out);
}

void ts_sphere_solid(const ts_placed_pair* pair, const ts_gjk_cache* cache, ts_proximity* out) {
    (void)cache;  // inside of a solid there is always a nearest side
    ts_vec3 centre = ts_transform_direction_inverse(pair->pose_b, ts_vec3_sub(pair->pose_a->p, pair->pose_b->p));
    const ts_shape_traits* traits = ts_shape_traits_of(pair->b);
    ts_vec3 outward;
    double distance = traits->point(pair->b, centre, &outward);
    if (distance < 0.0 && traits->rival) out->rival = traits->rival(pair->b, centre);
    conclude_sphere(pair, ts_transform_direction(pair->pose_b, outward), distance, out);
}

// How bad a choice of points is: their distance less what the plane across the line between them proves, which is nothing
// for the closest points alone. Points that nearly touch have no such line to speak of; they are better than any others,
// the nearer the better.
static double open_between(ts_vec3 u, double ha, ts_vec3 r, ts_vec3 v, double hb, double s, double t) {
    ts_vec3 w = ts_vec3_add_scaled(ts_vec3_add_scaled(r, t, v), -s, u);
    double length = ts_vec3_norm(w), size = ha + hb + ts_vec3_norm(r);
    if (!(length > 1e-7 * size)) return length - size;
    return length - (ts_vec3_dot(w, r) - ha * fabs(ts_vec3_dot(w, u)) - hb * fabs(ts_vec3_dot(w, v))) / length;
}

// For segments that are parallel or nearly: the best of *out_s, *out_t (when `crossing`) and the four ends against the other
// segment; where they are parallel to rounding, the middle of the common part if that is as good. Their distances may
// agree to the last bit; what their planes prove does not.
static void closest_on_ends(ts_vec3 u, double ha, ts_vec3 r, ts_vec3 v, double hb, int crossing, double* out_s,
                            double* out_t) {
    double c = ts_vec3_dot(u, v), d = ts_vec3_dot(u, r), e = ts_vec3_dot(v, r);
    double low = d - hb, high = d + hb, rounding = 64.0 * DBL_EPSILON * (ha + hb + ts_vec3_norm(r));
    low = low > -ha ? low : -ha;
    high = high < ha ? high : ha;
    double s[5] = {-ha, ha, clamp(d - c * hb, ha), clamp(d + c * hb, ha), clamp(0.5 * (low + high), ha)};
    double t[5] = {clamp(-c * ha - e, hb), clamp(c * ha - e, hb), -hb, hb, 0.0};
    t[4] = clamp(c * s[4] - e, hb);
    double best = crossing ? open_between(u, ha, r, v, hb, *out_s, *out_t) : (double)INFINITY;
    for (int k = 0; k < (crossing ? 4 : 5); ++k) {
        double left = open_between(u, ha, r, v, hb, s[k], t[k]);
        if (left < best || (k == 4 && left <= best + rounding)) {
            best = left;
            *out_s = s[k];
            *out_t = t[k];
        }
    }
}

// Parameters of the closest points of two segments about the origin and about r, with unit directions u and v.
static void closest_parameters(ts_vec3 u, double ha, ts_vec3 r, ts_vec3 v, double hb, double* out_s, double* out_t) {
    double c = ts_vec3_dot(u, v), e = ts_vec3_dot(v, r);
    // What of u is at right angles to v: from it the lines' closest points come without cancellation at small angles.
    ts_vec3 across = ts_vec3_add_scaled(u, -c, v);
    double squared = ts_vec3_norm_squared(across);
    double s = 0.0;
    if (squared > 1e-28) s = clamp(ts_vec3_dot(ts_vec3_add_scaled(r, -e, v), across) / squared, ha);
    double t = clamp(c * s - e, hb);
    if (squared > 1e-10) s = clamp(c * t + ts_vec3_dot(u, r), ha);
    *out_s = s;
    *out_t = clamp(c * s - e, hb);
    if (squared <= 1e-10) closest_on_ends(u, ha, r, v, hb, squared > 1e-28, out_s, out_t);
}

// The unit vector at right angles to both, or zero where they are parallel. However small the angle, it is at right angles
// to rounding.
static ts_vec3 common_perpendicular(ts_vec3 u, ts_vec3 v) {
    ts_vec3 n = ts_vec3_cross(u, v);
    double sine = ts_vec3_norm(n);
    if (!(sine > 8.0 * DBL_EPSILON)) return ts_vec3_zero();
    n = ts_vec3_scale(1.0 / sine, n);
    n = ts_vec3_add_scaled(n, -ts_vec3_dot(n, u), u);
    return ts_vec3_unit_or(ts_vec3_add_scaled(n, -ts_vec3_dot(n, u), u), ts_vec3_zero());
}

// The direction of d between the closest points of two segments. Where a point lies inside its segment, d is at right angles
// to it, which rounding of d forgets when the segments are long and near. Of d as it is, made to be at right angles to the
// one, to the other, or to both, the direction counts whose plane proves most.
static ts_vec3 segments_normal(ts_vec3 u, double ha, ts_vec3 r, ts_vec3 v, double hb, ts_vec3 d) {
    ts_vec3 raw = ts_vec3_unit_or(d, ts_vec3_axis(0)), both = common_perpendicular(u, v);
    ts_vec3 choice[4] = {raw, ts_vec3_unit_or(ts_vec3_add_scaled(raw, -ts_vec3_dot(raw, u), u), raw),
                         ts_vec3_unit_or(ts_vec3_add_scaled(raw, -ts_vec3_dot(raw, v), v), raw),
                         ts_vec3_dot(both, d) < 0.0 ? ts_vec3_neg(both) : both};
    ts_vec3 best = raw;
    double most = -(double)INFINITY;
    for (int k = 0; k < 4; ++k) {
        ts_vec3 n = choice[k];
        if (!(ts_vec3_max_abs(n) > 0.0)) continue;
        double proven = ts_vec3_dot(n, r) - ha * fabs(ts_vec3_dot(n, u)) - hb * fabs(ts_vec3_dot(n, v));
        if (proven > most) {
            most = proven;
            best = n;
        }
    }
    return best;
}

void ts_capsule_capsule(const ts_placed_pair* pair, const ts_gjk_cache* cache, ts_proximity* out) {
    ts_vec3 u = ts_mat3_column(&pair->pose_a->R, 2), v = ts_mat3_column(&pair->pose_b->R, 2);
    ts_vec3 between = ts_vec3_sub(pair->pose_b->p, pair->pose_a->p);
    double s, t;
    closest_parameters(u, pair->a->half.z, between, v, pair->b->half.z, &s, &t);
    ts_vec3 ca = ts_vec3_scale(s, u), cb = ts_vec3_add_scaled(between, t, v);
    ts_vec3 d = ts_vec3_sub(cb, ca);
    double gap = ts_vec3_norm(d);
    double scale = pair->a->half.z + pair->b->half.z + ts_vec3_norm(between);
    if (gap > 0.1 * scale) {
        out->found.normal = ts_vec3_scale(1.0 / gap, d);
    } else if (gap > 16.0 * DBL_EPSILON * scale) {
        out->found.normal = segments_normal(u, pair->a->half.z, between, v, pair->b->half.z, d);
        gap = ts_vec3_dot(out->found.normal, d);
    } else {
        // Crossing or touching: what is left of d is rounding. The common perpendicular is not, where there is one.
        ts_vec3 wish = fallback_normal(ts_vec3_zero(), previous_normal(pair->pose_a, cache), between);
        ts_vec3 both = common_perpendicular(u, v);
        if (ts_vec3_max_abs(both) > 0.0)
            out->found.normal = ts_vec3_dot(both, wish) < 0.0 ? ts_vec3_neg(both) : both;
        else
            out->found.normal = fallback_normal(u, previous_normal(pair->pose_a, cache), between);
        out->flags |= TS_PROXIMITY_NORMAL_FALLBACK;
        gap = fabs(ts_vec3_dot(out->found.normal, d));
    }
    double distance = gap - pair->a->radius - pair->b->radius;
    ts_vec3 middle = ts_vec3_add(pair->pose_a->p, ts_vec3_scale(0.5, ts_vec3_add(ca, cb)));
    out->found.point_a = ts_vec3_add_scaled(middle, pair->a->radius - 0.5 * gap, out->found.normal);
    out->found.point_b = ts_vec3_add_scaled(middle, 0.5 * gap - pair->b->radius, out->found.normal);
    conclude(distance, pair->a->radius + pair->b->radius + scale, out);
}

void ts_half_space_any(const ts_placed_pair* pair, const ts_gjk_cache* cache, ts_proximity* out) {
    (void)cache;
    ts_vec3 up = ts_mat3_column(&pair->pose_a->R, 2);
    ts_support_point s = ts_support_core(pair->b, ts_transform_direction_inverse(pair->pose_b, ts_vec3_neg(up)), -1);
    ts_vec3 low =
        ts_vec3_add(ts_vec3_sub(pair->pose_b->p, pair->pose_a->p), ts_transform_direction(pair->pose_b, s.point));
    double height = ts_vec3_dot(up, low), balls = pair->a->radius + pair->b->radius;
    out->found.normal = up;
    out->found.point_b = ts_vec3_add(pair->pose_a->p, ts_vec3_add_scaled(low, -pair->b->radius, up));
    out->found.point_a = ts_vec3_add(pair->pose_a->p, ts_vec3_add_scaled(low, pair->a->radius - height, up));
    ++out->support_calls;
    conclude(height - balls, ts_vec3_norm(low) + balls, out);
}
