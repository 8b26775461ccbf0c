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

int ts_active_corner(const ts_vec3* vertex, int top, const int* other, int count, const ts_surface_point* at,
                     double size, ts_active_feature* io) {
    ts_vec3 v = vertex[top], r = ts_vec3_sub(at->c, v);
    double away = ts_vec3_norm_squared(r), least = 1.0;
    for (int k = 0; k < count; ++k) {
        ts_vec3 e = ts_vec3_sub(v, vertex[other[k]]);
        double fall = ts_vec3_dot(at->n, e), slope = fall * fabs(fall) / ts_vec3_norm_squared(e);
        least = slope < least ? slope : least;
    }
    if (!(least > 0.0 && away <= least * size * size && away <= OFF * size * OFF * size)) return 0;
    io->turn = sqrt(least);
    return 1;
}

int ts_active_of_edges(const ts_vec3* vertex, int top, const int* other, int count, const ts_surface_point* at,
                       double size, ts_active_feature* io, int* out_end) {
    ts_vec3 n = at->n, r = ts_vec3_sub(at->c, vertex[top]);
    double away = ts_vec3_norm_squared(r), nearest = (double)INFINITY, least = 1.0;
    int end = -1;
    *out_end = -1;
    for (int k = 0; k < count; ++k) {
        ts_vec3 e = ts_vec3_sub(vertex[other[k]], vertex[top]);
        double share = 1.0 / ts_vec3_norm_squared(e), t = ts_vec3_dot(r, e), off = away - t * t * share;
        double fall = -ts_vec3_dot(n, e), slope = fall * fabs(fall) * share;
        int better = (t > 0.0) & (off < nearest);
        nearest = better ? off : nearest;
        end = better ? other[k] : end;
        least = slope < least ? slope : least;
    }
    if (end >= 0) {
        ts_vec3 e = ts_vec3_sub(vertex[end], vertex[top]);
        double length = ts_vec3_norm(e), inverse = 1.0 / length, t = inverse * ts_vec3_dot(r, e);
        double room = t < length - t ? t : length - t;
        if (room > fabs(ts_vec3_dot(n, e)) * inverse * size) {
            io->flat = 1;
            io->along = ts_vec3_scale(inverse, e);
            io->room = room;
            *out_end = end;
            return nearest <= OFF * size * OFF * size;
        }
    }
    io->turn = least > 0.0 ? sqrt(least) : 0.0;
    return away <= OFF * size * OFF * size;
}

// How far a point lies inside a polygon of that unit normal.
static double inside_of_polygon(const ts_vec3* corner, int count, ts_vec3 normal, ts_vec3 c) {
    double least = (double)INFINITY;
    for (int k = 0; k < count; ++k) {
        ts_vec3 from = corner[k], e = ts_vec3_sub(corner[k + 1 < count ? k + 1 : 0], from);
        double inside = ts_vec3_dot(ts_vec3_cross(normal, e), ts_vec3_sub(c, from));
        double square = inside * fabs(inside) / ts_vec3_norm_squared(e);
        least = square < least ? square : least;
    }
    return least > 0.0 ? sqrt(least) : 0.0;
}

void ts_active_of_polygon(const ts_vec3* corner, int count, ts_vec3 normal, const ts_surface_point* at, double size,
                          ts_active_feature* io) {
    ts_vec3 n = at->n, c = at->c;
    double sine = ts_vec3_norm(ts_vec3_cross(n, normal)), nearest = (double)INFINITY;
    double inside = sine < 1.0 ? inside_of_polygon(corner, count, normal, c) : 0.0;
    if (inside > sine * size) {
        io->flat = 2;
        io->room = inside;
        return;
    }
    int edge = 0;
    for (int k = 0; k < count; ++k) {
        ts_vec3 from = corner[k], e = ts_vec3_sub(corner[k + 1 < count ? k + 1 : 0], from), r = ts_vec3_sub(c, from);
        double t = ts_vec3_dot(r, e) / ts_vec3_norm_squared(e);
        t = t < 0.0 ? 0.0 : (t > 1.0 ? 1.0 : t);
        double off = ts_vec3_norm_squared(ts_vec3_add_scaled(r, -t, e));
        edge = off < nearest ? k : edge;
        nearest = off < nearest ? off : nearest;
    }
    int to = edge + 1 < count ? edge + 1 : 0, end;
    int nearer_end = ts_vec3_distance(c, corner[edge]) <= ts_vec3_distance(c, corner[to]) ? edge : to;
    const int beside[2] = {nearer_end > 0 ? nearer_end - 1 : count - 1, nearer_end + 1 < count ? nearer_end + 1 : 0};
    ts_active_of_edges(corner, nearer_end, beside, 2, at, size, io, &end);
    if (end >= 0) io->turn = sine;
}

// Of kinds without a way of their own.
static void active_by_feature(const ts_shape* shape, const ts_surface_point* at, ts_active_feature* io) {
    ts_support_feature f;
    double size = ts_vec3_norm(shape->half);
    ts_support_feature_along(shape, at->n, &f);
    if (f.count > 2) {
        ts_active_of_polygon(f.point, f.count, f.normal, at, size, io);
    } else if (f.count == 2) {
        int to = ts_vec3_distance(at->c, f.point[0]) <= ts_vec3_distance(at->c, f.point[1]) ? 0 : 1, other = 1 - to,
            end;
        ts_active_of_edges(f.point, to, &other, 1, at, size, io, &end);
    }
}

void ts_active_feature_at(const ts_shape* shape, const ts_surface_point* at, ts_active_feature* out) {
    const ts_shape_traits* traits = ts_shape_traits_of(shape);
    out->flat = 0;
    out->smooth = traits->smooth && traits->add_hessian;
    out->bend = 0.0;
    // One by one: the one copied from the other waits for its stores.
    out->along = ts_vec3_zero();
    out->round = ts_vec3_zero();
    out->room = out->turn = (double)INFINITY;
    if (traits->active)
        traits->active(shape, at, out);
    else if (!traits->smooth && traits->feature)
        active_by_feature(shape, at, out);
}
