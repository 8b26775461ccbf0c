// Rays against shapes, by distances of points.
//
// Problem: the smallest t >= 0 with from + t direction on the surface. Rule, for a convex shape and a point outside: the plane through the
// nearest point of the surface, at right angles to the way there, has the shape behind it, so the ray may go on to that plane; a ray that
// does not come nearer to it misses. Newton's method on the distance, in other words: every step stays outside, and the distance left
// shrinks to its square where the surface is smooth, and ends at the face where it is flat. From inside the same ray is followed
// backwards, from beyond the shape.
// Of a shape that is not convex the ray goes on by the distance itself, which nothing on the way can undercut; of a compound child by child.
// Source: conservative advancement; van den Bergen, "Ray casting against general convex objects" (2004) has the same planes.
// Guarantee: t is never beyond the surface, and short of it by less than `tolerance` of the distances over the cosine of incidence. Known
// weakness: a ray that grazes a curved shape within that tolerance may count as a miss, and ground that is not convex is found in small steps.
#include "collision/distance/proximity.h"

#include "collision/shape/compound.h"

#include <math.h>
#include <stddef.h>

// 1: of the lengths at hand; a surface nearer than this is met.
static const double tolerance = 1e-14;

enum { CONVEX_STEPS = 100, OTHER_STEPS = 2000 };

// The distance of a point (negative inside) and the direction away from the surface. Returns 0 when it is not known.
static int distance_at(const ts_shape* shape, const ts_transform* placed, ts_vec3 point, double* out_distance,
                       ts_vec3* out_outward) {
    const ts_shape ball = ts_shape_sphere(0.0);
    const ts_transform at = {ts_mat3_identity(), point};
    ts_proximity found;
    ts_proximity_query(&ball, &at, shape, placed, NULL, NULL, &found);
    if (found.reason != TS_PROXIMITY_FINE) return 0;
    *out_distance = found.distance;
    *out_outward = ts_vec3_neg(found.found.normal);
    return isfinite(found.distance);
}

// A ray on its way: where it would be met by a shape from outside within `limit`, or -1.
static double follow(const ts_shape* shape, const ts_transform* placed, ts_vec3 from, ts_vec3 direction, double limit,
                     ts_vec3* out_outward) {
    int convex = ts_shape_is_convex(shape), steps = convex ? CONVEX_STEPS : OTHER_STEPS;
    double t = 0.0;
    for (int i = 0; i < steps && t <= limit; ++i) {
        double distance;
        ts_vec3 point = ts_vec3_add_scaled(from, t, direction);
        if (!distance_at(shape, placed, point, &distance, out_outward)) return -1.0;
        double coming = -ts_vec3_dot(*out_outward, direction);
        double scale = 1.0 + t + ts_vec3_max_abs(point);
        if (distance <= tolerance * scale) return t;
        if (convex && !(coming > 0.0)) return -1.0;
        double step = convex ? distance / coming : distance;
        // Rounding may leave the last steps on the same spot.
        if (t + step == t) return t;
        t += step;
    }
    return t <= limit ? t : -1.0;
}

static double meet_plane(const ts_transform* placed, ts_vec3 from, ts_vec3 direction, ts_vec3* out_outward) {
    *out_outward = ts_mat3_column(&placed->R, 2);
    double height = ts_vec3_dot(*out_outward, ts_vec3_sub(from, placed->p)),
           coming = -ts_vec3_dot(*out_outward, direction);
    return height >= 0.0 && coming > 0.0 ? height / coming : -1.0;
}

static double meet_compound(const ts_compound* compound, const ts_transform* placed, ts_vec3 from, ts_vec3 direction,
                            ts_vec3* out_outward) {
    double nearest = -1.0;
    for (int i = 0; i < compound->count; ++i) {
        ts_vec3 outward;
        ts_transform at = ts_transform_mul(placed, &compound->child[i].placed);
        double t = ts_proximity_ray(&compound->child[i].shape, &at, from, direction, &outward);
        if (t < 0.0 || (nearest >= 0.0 && t >= nearest)) continue;
        nearest = t;
        *out_outward = outward;
    }
    return nearest;
}

static double meet_solid(const ts_shape* shape, const ts_transform* placed, ts_vec3 from, ts_vec3 direction,
                         ts_vec3* out_outward) {
    double distance, radius = ts_shape_bounding_radius(shape);
    ts_vec3 away = ts_vec3_sub(from, placed->p);
    double along = ts_vec3_dot(away, direction), far = ts_vec3_norm_squared(away) - along * along;
    // The ball around it is missed, or behind.
    if (far > radius * radius * (1.0 + 1e-9) || (along > 0.0 && ts_vec3_norm(away) > radius * (1.0 + 1e-9)))
        return -1.0;
    double limit = ts_vec3_norm(away) + 2.0 * radius;
    if (!distance_at(shape, placed, from, &distance, out_outward)) return -1.0;
    if (distance > 0.0 || !ts_shape_is_convex(shape)) return follow(shape, placed, from, direction, limit, out_outward);
    ts_vec3 beyond = ts_vec3_add_scaled(from, limit, direction);
    double back = follow(shape, placed, beyond, ts_vec3_neg(direction), 2.0 * limit, out_outward);
    return back < 0.0 ? 0.0 : fmax(limit - back, 0.0);
}

double ts_proximity_ray(const ts_shape* shape, const ts_transform* placed, ts_vec3 from, ts_vec3 direction,
                        ts_vec3* out_normal) {
    ts_vec3 outward = ts_vec3_zero();
    double t;
    if (shape->kind == TS_SHAPE_PLANE)
        t = meet_plane(placed, from, direction, &outward);
    else if (shape->kind == TS_SHAPE_COMPOUND && shape->radius == 0.0)
        t = meet_compound(shape->compound, placed, from, direction, &outward);
    else
        t = meet_solid(shape, placed, from, direction, &outward);
    if (out_normal) *out_normal = outward;
    return t;
}
