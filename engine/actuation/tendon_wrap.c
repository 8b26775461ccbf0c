// Ways around round things.
//
// Problem: the shortest way from a to b that does not go through a circle of radius r about the origin, on the side of a point s if there is one.
// Rule: a way that turns by w about the origin and is drawn tight leaves the circle alone for acos(r / |a|) + acos(r / |b|) of that, from
// a to where it touches and from there to b; what is left of |w| lies on the circle, and where nothing is left the way is straight. The turn
// asked for is that of the bent line a, s, b, each half by less than pi; without a side it is that of the segment, the shorter way.
// A sphere is a circle in the plane of its centre and the two points, a cylinder one across its axis; along the axis the way climbs evenly
// with what it goes across.
// A side inside of the geom asks for a way that touches the circle from within: where the segment misses it, it bends at the point of
// the circle that makes it shortest, found by bisection of the length's slope.
// The way is straight where a point is inside of the circle.
// Source: elementary; meaning of sides as in MuJoCo's documentation (spatial tendons), from version 4 on.
// Known: where an end crosses the ray opposite to the side, the length jumps.
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

static double length2(plane_point a) { return sqrt(dot2(a, a)); }

static plane_point minus(plane_point a, plane_point b) { return (plane_point){a.x - b.x, a.y - b.y}; }

// The angle from a to b, -pi to pi.
static double turn_between(plane_point a, plane_point b) { return atan2(a.x * b.y - a.y * b.x, dot2(a, b)); }

// Where a way touches the circle, and how far it follows it.
typedef struct way {
    plane_point on, off;
    double turn;  // rad
} way;

// In the plane; returns 0 where the way is straight.
static int wrap_circle(plane_point a, plane_point b, double radius, const plane_point* side, way* out_way) {
    double far_a = length2(a), far_b = length2(b);
    if (radius < nothing || far_a < radius || far_b < radius || length2(minus(b, a)) < nothing) return 0;
    double turn = side ? turn_between(a, *side) + turn_between(*side, b) : turn_between(a, b);
    double sense = turn < 0.0 ? -1.0 : 1.0, before = acos(radius / far_a), after = acos(radius / far_b);
    out_way->turn = fabs(turn) - before - after;
    out_way->on = at_angle(radius, atan2(a.y, a.x) + sense * before);
    out_way->off = at_angle(radius, atan2(b.y, b.x) - sense * after);
    return out_way->turn > 0.0;
}

// A way that touches the circle from within; returns 0 where the segment itself does.
static int touch_inside(plane_point a, plane_point b, double radius, way* out_way) {
    enum { HALVINGS = 60 };
    double far_a = length2(a), far_b = length2(b), turn = turn_between(a, b), between = fabs(turn);
    if (radius < nothing || far_a <= radius || far_b <= radius) return 0;
    if (between >= acos(radius / far_a) + acos(radius / far_b)) return 0;
    double low = 0.0, high = between;
    for (int i = 0; i < HALVINGS; ++i) {
        double at = 0.5 * (low + high), rest = between - at;
        double to_a = sqrt(far_a * far_a + radius * radius - 2.0 * far_a * radius * cos(at));
        double to_b = sqrt(far_b * far_b + radius * radius - 2.0 * far_b * radius * cos(rest));
        if (far_a * sin(at) * to_b < far_b * sin(rest) * to_a)
            low = at;
        else
            high = at;
    }
    out_way->on = at_angle(radius, atan2(a.y, a.x) + (turn < 0.0 ? -low : low));
    out_way->off = out_way->on;
    out_way->turn = 0.0;
    return 1;
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
    way w;
    int is_inside = side && ts_vec3_norm(aside) < radius;
    if (!(is_inside ? touch_inside(p, q, radius, &w) : wrap_circle(p, q, radius, side ? &s : NULL, &w))) return -1.0;
    ts_vec3 on = ts_vec3_add(ts_vec3_scale(w.on.x, x), ts_vec3_scale(w.on.y, y));
    ts_vec3 off = ts_vec3_add(ts_vec3_scale(w.off.x, x), ts_vec3_scale(w.off.y, y));
    double curve = radius * w.turn;
    if (is_cylinder) {
        double first = length2(minus(w.on, p)), last = length2(minus(q, w.off)), climb = to.z - from.z;
        double whole = first + curve + last;
        on.z = from.z + climb * first / whole;
        off.z = to.z - climb * last / whole;
        curve = hypot(curve, off.z - on.z);
    }
    out_touch[0] = ts_transform_point(pose, on);
    out_touch[1] = ts_transform_point(pose, off);
    return curve;
}

ts_vec3 ts_tendon_arc(const ts_geom* geom, const ts_transform* pose, ts_vec3 from, const ts_vec3 touch[2],
                      double length, double t) {
    ts_vec3 on = ts_transform_point_inverse(pose, touch[0]), off = ts_transform_point_inverse(pose, touch[1]);
    ts_vec3 before = ts_transform_point_inverse(pose, from);
    double climb = 0.0, radius = geom->shape.radius;
    if (geom->shape.kind == TS_SHAPE_CYLINDER) {
        climb = off.z - on.z;
        radius = geom->shape.half.x;
    }
    // Across the axis: the way comes in along the circle's tangent.
    ts_vec3 out = on, along = ts_vec3_sub(on, before);
    if (geom->shape.kind == TS_SHAPE_CYLINDER) out.z = along.z = 0.0;
    out = ts_vec3_unit_or(out, ts_vec3_axis(0));
    along = ts_vec3_add_scaled(along, -ts_vec3_dot(along, out), out);
    along = ts_vec3_unit_or(along, ts_vec3_orthogonal(out));
    double across = sqrt(fmax(0.0, length * length - climb * climb)), turn = radius > 0.0 ? t * across / radius : 0.0;
    ts_vec3 at = ts_vec3_add(ts_vec3_scale(radius * cos(turn), out), ts_vec3_scale(radius * sin(turn), along));
    if (geom->shape.kind == TS_SHAPE_CYLINDER) at.z = on.z + t * climb;
    return ts_transform_point(pose, at);
}
