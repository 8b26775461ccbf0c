// Active features: on which corner, edge, face or side of a core a witness point lies, and how far it is from the next.
//
// Problem: at the answer about a pair each witness point lies on a feature whose normals contain the contact's. Both numbers come
// rounded, so "on" needs a decision. Rule: strict complementarity. Along every direction in which the surface could be flat either
// the point is away from the feature's end or the normal is away from the neighbour's normals; whichever is the larger, the
// angle taken times the size of the shape, is what holds. No tolerance is needed, and the smaller of the two never counts.
// Guaranteed: the feature is right wherever one of the two exceeds rounding; how much it exceeds zero is told as room and turn.
// Known limits: of kinds that offer only `feature` the edges beyond its ten degrees are not seen, so turn may be told too large.
#include "collision/shape/support_internal.h"

// A found feature that is farther from the point than this share of the size is not the one the point lies on.
static const double OFF = 1e-5;

int ts_active_of_edges(const ts_vec3* vertex, int top, const int* other, int count, const ts_surface_point* at,
                       ts_active_feature* io, int* out_end) {
    ts_vec3 n = at->n;
    double size = at->size;
    ts_vec3 r = ts_vec3_sub(at->c, vertex[top]);
    double away = ts_vec3_norm_squared(r), nearest = (double)INFINITY, least_slope = (double)INFINITY;
    int end = -1;
    *out_end = -1;
    for (int k = 0; k < count; ++k) {
        ts_vec3 e = ts_vec3_sub(vertex[other[k]], vertex[top]);
        double inverse = 1.0 / ts_vec3_norm(e), t = inverse * ts_vec3_dot(r, e), off = away - t * t;
        least_slope = fmin(least_slope, -inverse * ts_vec3_dot(n, e));
        if (!(t > 0.0) || !(off < nearest)) continue;
        nearest = off;
        end = other[k];
    }
    if (end >= 0) {
        ts_vec3 e = ts_vec3_sub(vertex[end], vertex[top]);
        double length = ts_vec3_norm(e), t = ts_vec3_dot(r, e) / length, room = fmin(t, length - t);
        if (room > fabs(ts_vec3_dot(n, e)) / length * size) {
            io->flat = 1;
            io->along = ts_vec3_scale(1.0 / length, e);
            io->room = room;
            *out_end = end;
            return nearest <= OFF * size * OFF * size;
        }
    }
    io->turn = fmax(least_slope, 0.0);
    return away <= OFF * size * OFF * size;
}

void ts_active_of_polygon(const ts_vec3* corner, int count, ts_vec3 normal, const ts_surface_point* at,
                          ts_active_feature* io) {
    ts_vec3 n = at->n, c = at->c;
    double sine = ts_vec3_norm(ts_vec3_cross(n, normal)), inside = (double)INFINITY, nearest = (double)INFINITY;
    int edge = 0;
    for (int k = 0; k < count; ++k) {
        ts_vec3 from = corner[k], e = ts_vec3_sub(corner[k + 1 < count ? k + 1 : 0], from), r = ts_vec3_sub(c, from);
        double inverse = 1.0 / ts_vec3_norm(e), t = inverse * inverse * ts_vec3_dot(r, e);
        inside = fmin(inside, inverse * ts_vec3_dot(ts_vec3_cross(normal, e), r));
        t = t < 0.0 ? 0.0 : (t > 1.0 ? 1.0 : t);
        double off = ts_vec3_norm_squared(ts_vec3_add_scaled(r, -t, e));
        if (!(off < nearest)) continue;
        nearest = off;
        edge = k;
    }
    if (inside > sine * at->size) {
        io->flat = 2;
        io->room = inside;
        return;
    }
    int to = edge + 1 < count ? edge + 1 : 0, end;
    int nearer_end = ts_vec3_distance(c, corner[edge]) <= ts_vec3_distance(c, corner[to]) ? edge : to;
    const int beside[2] = {nearer_end > 0 ? nearer_end - 1 : count - 1, nearer_end + 1 < count ? nearer_end + 1 : 0};
    ts_active_of_edges(corner, nearer_end, beside, 2, at, io, &end);
    if (end >= 0) io->turn = sine;
}

// Of kinds without a way of their own.
static void active_by_feature(const ts_shape* shape, ts_vec3 n, ts_vec3 c, ts_active_feature* io) {
    ts_support_feature f;
    ts_surface_point at = {n, c, ts_vec3_norm(shape->half)};
    ts_support_feature_along(shape, n, &f);
    if (f.count > 2) {
        ts_active_of_polygon(f.point, f.count, f.normal, &at, io);
    } else if (f.count == 2) {
        int to = ts_vec3_distance(c, f.point[0]) <= ts_vec3_distance(c, f.point[1]) ? 0 : 1, other = 1 - to, end;
        ts_active_of_edges(f.point, to, &other, 1, &at, io, &end);
    }
}

void ts_active_feature_at(const ts_shape* shape, ts_vec3 n, ts_vec3 c, ts_active_feature* out) {
    const ts_shape_traits* traits = ts_shape_traits_of(shape);
    out->flat = 0;
    out->smooth = traits->smooth && traits->add_hessian;
    out->bend = 0.0;
    out->round = out->along = ts_vec3_zero();
    out->room = out->turn = (double)INFINITY;
    if (traits->active)
        traits->active(shape, n, c, out);
    else if (!traits->smooth && traits->feature)
        active_by_feature(shape, n, c, out);
}
