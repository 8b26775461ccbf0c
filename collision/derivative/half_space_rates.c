// Derivatives of contacts with a half-space (half_space.c): the normal is the plane's, each point a low point of the other shape.
//
// Rule: a corner moves with its shape; where the label says that it is the lowest point of a rim, or where the shape is smooth, it
// moves as well over the surface, by the Hessian of the support function times the turning of the plane in the shape's frame.
// Guaranteed: exact to rounding. Known limit: that a hull's vertices are listed in another way when there are many is not foreseen.
#include "collision/derivative/manifold_rates_internal.h"

// Labels of the lowest points of rims and rulings in half_space.c, and of the lowest point of other kinds.
enum { RIM_FIRST = 8, RIM_LAST = 9, LOWEST = 1 << 16 };

static int is_labelled(const ts_contact_source* source, uint32_t feature, int number) {
    const int none[2] = {-1, -1}, vertex[2] = {number, number};
    int plane_is_a = source->pair->a->kind == TS_SHAPE_PLANE;
    return feature == ts_contact_source_label(source, 1, plane_is_a ? none : vertex, plane_is_a ? vertex : none);
}

// How far the plane may turn before other points are chosen.
static double turn_of(const ts_shape* shape, ts_vec3 down) {
    ts_vec3 m = ts_vec3_abs(down), h = shape->half;
    double across = sqrt(m.x * m.x + m.y * m.y), slant;
    switch (shape->kind) {
    case TS_SHAPE_BOX: {
        int most = ts_vec3_largest(m);
        double next = fmax(ts_vec3_get(m, (most + 1) % 3), ts_vec3_get(m, (most + 2) % 3));
        return (ts_vec3_get(m, most) - next) * 0.70710678118654752;
    }
    case TS_SHAPE_CYLINDER: return fabs(m.z - across) * 0.70710678118654752;
    case TS_SHAPE_CONE:
        slant = sqrt(4.0 * h.z * h.z + h.x * h.x);
        return 0.5 * fabs(-down.z - (2.0 * h.z * across + h.x * down.z) / slant);
    default: return (double)INFINITY;
    }
}

int ts_half_space_rates(ts_contact_source* source, const ts_contact_point* point, ts_contact_rates* out) {
    const ts_moving_pair* pair = source->pair;
    int plane_is_a = pair->a->kind == TS_SHAPE_PLANE;
    const ts_shape* shape = plane_is_a ? pair->b : pair->a;
    const ts_transform* at = plane_is_a ? &pair->b_at : &pair->a_at;
    const ts_shape_traits* traits = ts_shape_traits_of(shape);
    ts_vec3 n = point->normal, outward = plane_is_a ? n : ts_vec3_neg(n);  // of the plane
    double depth = shape->radius + 0.5 * point->gap;
    ts_vec3 c = ts_vec3_add_scaled(point->position, depth, outward),
            down = ts_transform_direction_inverse(at, ts_vec3_neg(outward));
    int on_rim = traits->turning &&
                 (is_labelled(source, point->feature, RIM_FIRST) || is_labelled(source, point->feature, RIM_LAST));
    int glides = traits->smooth || on_rim || (!traits->polytope && is_labelled(source, point->feature, LOWEST));
    out->certificate = ts_derivative_certificate_fine();
    out->certificate.turn = turn_of(shape, down);
    for (int j = 0; j < 6; ++j) {
        ts_vec3 carried = ts_rate_of_direction(j, n), moved = ts_rate_of_point(j, c);
        // The plane's turning seen from the shape: B's own turning the other way, or the plane's.
        ts_vec3 gliding = glides ? ts_bend_along(shape, at, down, c, carried) : ts_vec3_zero();
        if (plane_is_a) {
            ts_vec3 dc = ts_vec3_add(moved, gliding);
            out->normal[j] = ts_vec3_zero();
            out->gap[j] = ts_vec3_dot(n, moved);
            out->position[j] = ts_vec3_add_scaled(dc, -0.5 * out->gap[j], outward);
        } else {
            // The plane passes through B's origin: the height of c over it changes as if c moved the other way.
            out->normal[j] = carried;
            out->gap[j] = -ts_vec3_dot(outward, moved);
            out->position[j] =
                ts_vec3_add_scaled(ts_vec3_add_scaled(gliding, -0.5 * out->gap[j], outward), depth, carried);
        }
    }
    return 1;
}
