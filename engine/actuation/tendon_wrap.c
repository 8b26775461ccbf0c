// Ways around round things.
//
// Problem: the shortest way from a to b that does not go through a circle of radius r about the origin. Rule: from a point at distance d
// and angle w the tangent touches at w +- acos(r / d); of the two ways (counterclockwise: on at w_a + acos, off at w_b - acos; or clockwise) the one
// on the side that is asked for, else the shorter. A sphere is a circle in the plane of its centre and the two points, a
// cylinder one across its axis; along the axis the way climbs evenly with what it goes across.
// The way is straight where the segment does not meet the circle, unless a side is asked for and the segment passes on the other; where a point is
// inside of the circle; and where the tangents cross before they touch.
// Source: elementary; meaning of sides as in MuJoCo's documentation (spatial tendons).
// Known failure: a side site inside of the geom does not make the tendon pass through the inside.
#include "engine/actuation/tendon_wrap_internal.h"

#include <math.h>
#include <stddef.h>

#include "base/scalar.h"

// m: points and circles smaller than this are none.
static const double nothing = 1e-10;

typedef struct plane_point {
    double x, y;
} plane_point;

static plane_point at_angle(double radius, double angle) {
    return (plane_point){radius * cos(angle), radius * sin(angle)};
}

static double dot2(plane_point a, plane_point b) { return a.x * b.x + a.y * b.y; }

static double cross2(plane_point a, plane_point b) { return a.x * b.y - a.y * b.x; }

static plane_point minus(plane_point a, plane_point b) { return (plane_point){a.x - b.x, a.y - b.y}; }

// Whether the segments a-p and b-q have a point in common.
static int do_cross(plane_point a, plane_point p, plane_point b, plane_point q) {
    plane_point u = minus(p, a), v = minus(q, b), w = minus(b, a);
    double det = cross2(u, v);
    if (fabs(det) < nothing * nothing) return 0;
    double s = cross2(w, v) / det, t = cross2(w, u) / det;
    return s >= 0.0 && s <= 1.0 && t >= 0.0 && t <= 1.0;
}

// The way around one side of the circle, +1 counterclockwise: where it touches, and how far it turns.
typedef struct way {
    plane_point on, off;
    double turn;   // rad, 0 to 2 pi
    int is_there;  // 0: the tangents cross
} way;

static way around(plane_point a, plane_point b, double radius, double sense) {
    double from = atan2(a.y, a.x) + sense * acos(radius / sqrt(dot2(a, a)));
    double to = atan2(b.y, b.x) - sense * acos(radius / sqrt(dot2(b, b)));
    way w = {.on = at_angle(radius, from), .off = at_angle(radius, to)};
    w.turn = fmod(sense * (to - from), 2.0 * TS_PI);
    if (w.turn < 0.0) w.turn += 2.0 * TS_PI;
    w.is_there = !do_cross(a, w.on, b, w.off);
    return w;
}

// How well a way keeps to the side that is asked for, or how short it is.
static double merit(const way* w, const plane_point* side) {
    plane_point middle = {w->on.x + w->off.x, w->on.y + w->off.y}, chord = minus(w->on, w->off);
    if (!w->is_there) return -HUGE_VAL;
    if (!side) return -dot2(chord, chord);
    double size = sqrt(dot2(middle, middle));
    return size > 0.0 ? dot2(middle, *side) / size : 0.0;
}

// In the plane; returns 0 where the way is straight.
static int wrap_circle(plane_point a, plane_point b, double radius, const plane_point* side, way* out_way) {
    plane_point along = minus(b, a);
    double squared = dot2(along, along);
    if (radius < nothing || dot2(a, a) < radius * radius || dot2(b, b) < radius * radius) return 0;
    if (squared < nothing * nothing) return 0;
    double share = ts_clamp(-dot2(along, a) / squared, 0.0, 1.0);
    plane_point nearest = {a.x + share * along.x, a.y + share * along.y};
    if (dot2(nearest, nearest) > radius * radius && (!side || dot2(nearest, *side) >= 0.0)) return 0;
    way left = around(a, b, radius, 1.0), right = around(a, b, radius, -1.0);
    *out_way = merit(&left, side) > merit(&right, side) ? left : right;
    return out_way->is_there;
}

int ts_tendon_can_wrap(const ts_geom* geom) {
    return geom->shape.kind == TS_SHAPE_SPHERE || geom->shape.kind == TS_SHAPE_CYLINDER;
}

// The two axes of the plane of a sphere's centre and the points (in the geom's frame); any that hold a where b is in line with it.
static void sphere_plane(ts_vec3 a, ts_vec3 b, ts_vec3* out_x, ts_vec3* out_y) {
    *out_x = ts_vec3_unit_or(a, ts_vec3_axis(0));
    ts_vec3 normal = ts_vec3_cross(*out_x, b);
    if (ts_vec3_norm(normal) < nothing * ts_vec3_norm(b)) normal = ts_vec3_orthogonal(*out_x);
    *out_y = ts_vec3_cross(ts_vec3_unit_or(normal, normal), *out_x);
}

double ts_tendon_wrap(const ts_geom* geom, const ts_transform* pose, ts_vec3 a, ts_vec3 b, const ts_vec3* side,
                      ts_vec3 out_touch[2]) {
    ts_vec3 from = ts_transform_point_inverse(pose, a), to = ts_transform_point_inverse(pose, b);
    ts_vec3 x = ts_vec3_axis(0), y = ts_vec3_axis(1), aside = ts_vec3_zero();
    int is_cylinder = geom->shape.kind == TS_SHAPE_CYLINDER;
    double radius = is_cylinder ? geom->shape.half.x : geom->shape.radius;
    if (!is_cylinder) sphere_plane(from, to, &x, &y);
    if (side) aside = ts_transform_point_inverse(pose, *side);
    plane_point p = {ts_vec3_dot(from, x), ts_vec3_dot(from, y)}, q = {ts_vec3_dot(to, x), ts_vec3_dot(to, y)};
    plane_point s = {ts_vec3_dot(aside, x), ts_vec3_dot(aside, y)};
    double size = sqrt(dot2(s, s));
    if (size > nothing) s = (plane_point){s.x / size, s.y / size};
    way w;
    if (!wrap_circle(p, q, radius, side ? &s : NULL, &w)) return -1.0;
    ts_vec3 on = ts_vec3_add(ts_vec3_scale(w.on.x, x), ts_vec3_scale(w.on.y, y));
    ts_vec3 off = ts_vec3_add(ts_vec3_scale(w.off.x, x), ts_vec3_scale(w.off.y, y));
    double curve = radius * w.turn;
    if (is_cylinder) {
        plane_point before = minus(w.on, p), after = minus(q, w.off);
        double first = sqrt(dot2(before, before)), last = sqrt(dot2(after, after)), climb = to.z - from.z;
        double whole = first + curve + last;
        on.z = from.z + climb * first / whole;
        off.z = to.z - climb * last / whole;
        curve = hypot(curve, off.z - on.z);
    }
    out_touch[0] = ts_transform_point(pose, on);
    out_touch[1] = ts_transform_point(pose, off);
    return curve;
}
