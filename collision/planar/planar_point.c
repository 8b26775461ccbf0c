// Points and rays against convex polygons.
//
// Problem: the signed distance of a point, and the first point of a ray, on a convex core grown by a radius.
// Rule: a point is inside a core when it is inside all edges, and its depth is then the least; otherwise the nearest
// point is on a visible edge. A ray meets a sharp polygon where it has entered all half-planes (Cyrus and Beck, 1978);
// a rounded one is bounded by shifted edges and by circles around its vertices, each of which lies in it, so the first
// of all crossings is the first on the boundary.
// Guaranteed: exact to rounding. The core's own unit normals are used, so short edges are no worse than long ones.
// Known limit: near a corner, which of two edges names the normal is decided by rounding.
#include "collision/planar/planar_point.h"

#include "base/assert.h"
#include "collision/planar/planar_query_internal.h"

#include <float.h>

// A world point relative to the polygon's centre, turned as the polygon.
static ts_planar_vec to_local(const ts_planar_polygon* polygon, ts_planar_pose pose, ts_planar_vec point) {
    return ts_planar_vec_sub(ts_planar_pose_point_inverse(pose, point), polygon->centre);
}

static ts_planar_vec to_world(const ts_planar_polygon* polygon, ts_planar_pose pose, ts_planar_vec local) {
    return ts_planar_pose_point(pose, ts_planar_vec_add(local, polygon->centre));
}

static int is_sane(ts_planar_vec v) { return fabs(v.x) <= 1e30 && fabs(v.y) <= 1e30; }

// The point of edge i nearest to p.
static ts_planar_vec nearest_on_edge(const ts_planar_polygon* polygon, int i, ts_planar_vec p) {
    ts_planar_vec a = {polygon->x[i], polygon->y[i]};
    ts_planar_vec e = {polygon->x[i + 1] - a.x, polygon->y[i + 1] - a.y};
    double squared = ts_planar_vec_dot(e, e), along = ts_planar_vec_dot(ts_planar_vec_sub(p, a), e);
    if (!(along > 0.0)) return a;
    if (along >= squared) return ts_planar_vec_make(polygon->x[i + 1], polygon->y[i + 1]);
    return ts_planar_vec_add_scaled(a, along / squared, e);
}

// Signed distance from the core, its nearest point and the outward normal there, all local.
static double core_distance(const ts_planar_polygon* polygon, ts_planar_vec p, ts_planar_vec* nearest,
                            ts_planar_vec* normal) {
    double depth = -(double)INFINITY, best = (double)INFINITY;
    *nearest = ts_planar_vec_make(polygon->x[0], polygon->y[0]);
    *normal = ts_planar_vec_make(1.0, 0.0);
    int deepest = 0;
    for (int i = 0; i < polygon->count && polygon->count > 1; ++i) {
        double out = polygon->normal_x[i] * (p.x - polygon->x[i]) + polygon->normal_y[i] * (p.y - polygon->y[i]);
        if (out > depth) {
            depth = out;
            deepest = i;
        }
        if (out < 0.0 && polygon->count > 2) continue;  // not visible from p
        ts_planar_vec q = nearest_on_edge(polygon, i, p), gap = ts_planar_vec_sub(p, q);
        double squared = ts_planar_vec_dot(gap, gap);
        if (squared < best) {
            best = squared;
            *nearest = q;
        }
    }
    if (polygon->count > 1) *normal = ts_planar_vec_make(polygon->normal_x[deepest], polygon->normal_y[deepest]);
    if (polygon->count > 2 && depth <= 0.0) {
        *nearest = ts_planar_vec_add_scaled(p, -depth, *normal);
        return depth;
    }
    ts_planar_vec gap = ts_planar_vec_sub(p, *nearest);
    double distance = ts_planar_vec_norm(gap);
    // Right at the core a difference has no direction left; the edge has.
    if (distance > 64.0 * DBL_EPSILON * (polygon->reach + fabs(p.x) + fabs(p.y)))
        *normal = ts_planar_vec_scale(1.0 / distance, gap);
    return distance;
}

int ts_planar_point_distance(const ts_planar_polygon* polygon, ts_planar_pose pose, ts_planar_vec point,
                             ts_planar_point_result* out_result) {
    TS_ASSERT(polygon && out_result);
    if (!is_sane(point) || !planar_tidy_pose(&pose)) return 0;
    ts_planar_vec nearest, normal;
    double distance = core_distance(polygon, to_local(polygon, pose, point), &nearest, &normal);
    out_result->distance = distance - polygon->radius;
    out_result->closest = to_world(polygon, pose, ts_planar_vec_add_scaled(nearest, polygon->radius, normal));
    out_result->normal = ts_planar_vec_turn(pose.rotation, normal);
    return 1;
}

// The first crossing so far.
typedef struct crossing {
    double at;
    ts_planar_vec normal;
} crossing;

// The ray into a sharp polygon with an inside: 1 when it enters within the limit.
static int enter_half_planes(const ts_planar_polygon* polygon, ts_planar_vec o, ts_planar_vec d, crossing* first) {
    double enter = -(double)INFINITY, leave = first->at;
    for (int i = 0; i < polygon->count; ++i) {
        ts_planar_vec n = {polygon->normal_x[i], polygon->normal_y[i]};
        double out = n.x * (o.x - polygon->x[i]) + n.y * (o.y - polygon->y[i]), speed = ts_planar_vec_dot(n, d);
        if (speed < 0.0) {
            double at = out / -speed;
            if (at > enter) {
                enter = at;
                first->normal = n;
            }
        } else if (speed > 0.0) {
            leave = fmin(leave, -out / speed);
        } else if (out > 0.0) {
            return 0;
        }
    }
    if (!(enter >= 0.0) || enter > leave) return 0;
    first->at = enter;
    return 1;
}

// The ray into the shifted edges and the circles of a rounded or thin polygon.
static int cross_outline(const ts_planar_polygon* polygon, ts_planar_vec o, ts_planar_vec d, crossing* first) {
    double r = polygon->radius, dd = ts_planar_vec_dot(d, d);
    int found = 0;
    for (int i = 0; i < polygon->count; ++i) {
        ts_planar_vec n = {polygon->normal_x[i], polygon->normal_y[i]};
        ts_planar_vec from = {o.x - polygon->x[i], o.y - polygon->y[i]};
        double speed = ts_planar_vec_dot(n, d), out = ts_planar_vec_dot(n, from) - r;
        if (speed < 0.0 && out >= 0.0 && out / -speed <= first->at) {
            double at = out / -speed, ex = polygon->x[i + 1] - polygon->x[i], ey = polygon->y[i + 1] - polygon->y[i];
            double along = (from.x + at * d.x) * ex + (from.y + at * d.y) * ey;
            if (along >= 0.0 && along <= ex * ex + ey * ey) {
                first->at = at;
                first->normal = n;
                found = 1;
            }
        }
        // |from + t d| = r: the root with the smaller t, in the form that does not cancel.
        double half = ts_planar_vec_dot(from, d), side = ts_planar_vec_cross(from, d), under = r * r * dd - side * side;
        if (half < 0.0 && under >= 0.0 && r > 0.0) {
            double root = sqrt(under), c = ts_planar_vec_dot(from, from) - r * r, at = c / (root - half);
            if (at >= 0.0 && at <= first->at) {
                first->at = at;
                first->normal = ts_planar_vec_scale(1.0 / r, ts_planar_vec_add_scaled(from, at, d));
                found = 1;
            }
        }
    }
    return found;
}

int ts_planar_ray_cast(const ts_planar_polygon* polygon, ts_planar_pose pose, ts_planar_vec origin,
                       ts_planar_vec direction, double limit, ts_planar_ray_hit* out_hit) {
    TS_ASSERT(polygon && out_hit);
    if (!is_sane(origin) || !is_sane(direction) || !(limit >= 0.0) || !planar_tidy_pose(&pose)) return 0;
    ts_planar_vec o = to_local(polygon, pose, origin), d = ts_planar_vec_turn_back(pose.rotation, direction);
    ts_planar_vec nearest, normal;
    if (core_distance(polygon, o, &nearest, &normal) <= polygon->radius) {
        double length = ts_planar_vec_norm(direction);
        out_hit->fraction = 0.0;
        out_hit->point = origin;
        out_hit->normal =
            length > 0.0 ? ts_planar_vec_scale(-1.0 / length, direction) : ts_planar_vec_turn(pose.rotation, normal);
        out_hit->starts_inside = 1;
        return 1;
    }
    crossing first = {limit, {0.0, 0.0}};
    int sharp = polygon->radius <= 0.0 && polygon->count > 2;
    if (!(sharp ? enter_half_planes(polygon, o, d, &first) : cross_outline(polygon, o, d, &first))) return 0;
    out_hit->fraction = first.at;
    out_hit->point = ts_planar_vec_add_scaled(origin, first.at, direction);
    out_hit->normal = ts_planar_vec_turn(pose.rotation, first.normal);
    out_hit->starts_inside = 0;
    return 1;
}
