// Which part of a compound or a height field a witness point belongs to.
//
// Rule: of the parts near the point, those of which it is the support point along the normal, to 1e-8 of their size, and which hold
// it. Where there are several the point sits on a seam.
#include "collision/derivative/part_internal.h"

#include "collision/distance/proximity.h"
#include "collision/shape/support_internal.h"

static const double SAME = 1e-8;

// Nonzero when the point of the walk's part (in its frame) is on its surface with that outward normal.
static int holds(const ts_convex_part_walk* walk, ts_vec3 x, ts_vec3 n, double size) {
    const ts_shape* shape = &walk->shape;
    if (shape->kind == TS_SHAPE_PLANE) return 1;
    double out = ts_vec3_dot(n, ts_support_core_inline(shape, n, -1).point) + shape->radius - ts_vec3_dot(n, x);
    if (!(fabs(out) <= SAME * size)) return 0;
    ts_shape point = ts_shape_sphere(0.0);
    ts_transform at_x = ts_transform_identity(), here = ts_transform_identity();
    at_x.p = x;
    ts_proximity p;
    ts_proximity_query(&point, &at_x, shape, &here, 0, 0, &p);
    return p.status != TS_PROXIMITY_INVALID_INPUT && p.distance <= SAME * size;
}

int ts_part_holding(const ts_shape* shape, ts_vec3 x, ts_vec3 n, ts_convex_part_walk* out) {
    ts_vec3 low, high;
    if (ts_shape_is_convex(shape)) {
        ts_convex_parts_begin(shape, x, x, out);
        return ts_convex_parts_next(out);
    }
    ts_shape_local_box(shape, &low, &high);
    double room = SAME * ts_vec3_distance(low, high);
    ts_vec3 margin = ts_vec3_make(room, room, room);
    ts_convex_part_walk walk;
    int found = 0, first = -1;
    ts_convex_parts_begin(shape, ts_vec3_sub(x, margin), ts_vec3_add(x, margin), &walk);
    while (ts_convex_parts_next(&walk)) {
        ts_shape_local_box(&walk.shape, &low, &high);
        ts_vec3 local = ts_transform_point_inverse(&walk.placed, x);
        if (!holds(&walk, local, ts_transform_direction_inverse(&walk.placed, n), ts_vec3_distance(low, high)))
            continue;
        if (found++ == 0) first = walk.index;
    }
    return found > 0 && ts_convex_parts_get(shape, first, out) ? found : 0;
}
