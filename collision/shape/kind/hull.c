// A convex polytope; its data and how it is built are in hull.h.
#include "collision/shape/shape_traits_internal.h"

#include "collision/shape/mass_rounded_internal.h"
#include "collision/shape/support_internal.h"

static void add_face(const ts_hull* hull, int face, ts_support_feature* out) {
    int first = hull->face_start[face];
    int count = hull->face_start[face + 1] - first;
    int kept = count < 16 ? count : 16;
    for (int k = 0; k < kept; ++k) {
        int vertex = hull->face_corner[first + (int)((long long)k * count / kept)];
        ts_feature_add(out, hull->vertex[vertex], vertex);
    }
    out->index = face;
    out->normal = hull->face_normal[face];
}

static void feature(const ts_shape* shape, ts_vec3 d, ts_support_point top, ts_support_feature* out) {
    const ts_hull* hull = shape->hull;
    int v = top.index, face = -1;
    double best = ts_feature_cos;
    for (int k = hull->vertex_face_start[v]; k < hull->vertex_face_start[v + 1]; ++k) {
        double aligned = ts_vec3_dot(hull->face_normal[hull->vertex_face[k]], d);
        if (aligned >= best) {
            best = aligned;
            face = hull->vertex_face[k];
        }
    }
    if (face >= 0) {
        add_face(hull, face, out);
        return;
    }
    int first = hull->neighbour_start[v];
    ts_feature_corner(hull->vertex, v, hull->neighbour + first, hull->neighbour_start[v + 1] - first, d, out);
}

static double value(const ts_shape* shape, ts_vec3 d) {
    const ts_hull* hull = shape->hull;
    int top = ts_support_hull_xyz(hull, d.x, d.y, d.z, -1);
    return ts_vec3_dot(d, hull->centre) + (d.x * hull->x[top] + d.y * hull->y[top] + d.z * hull->z[top]);
}

static void box(const ts_shape* shape, ts_vec3* out_min, ts_vec3* out_max) {
    *out_min = shape->hull->box_min;
    *out_max = shape->hull->box_max;
}

static double reach(const ts_shape* shape) { return shape->hull->reach; }

static ts_mass_properties mass(const ts_shape* shape) {
    const ts_hull* hull = shape->hull;
    ts_mass_properties mass = {hull->volume, hull->centroid, hull->second_moment};
    return mass;
}

static ts_vec3 middle(const ts_shape* shape) {
    return ts_vec3_scale(0.5, ts_vec3_add(shape->hull->box_min, shape->hull->box_max));
}

// Of a flat hull the longest side of its box, for it has no thickness.
static double thickness(const ts_shape* shape) {
    ts_vec3 size = ts_vec3_sub(shape->hull->box_max, shape->hull->box_min);
    return 0.5 * (shape->hull->rank == 3 ? ts_vec3_get(size, ts_vec3_least(size)) : ts_vec3_max_abs(size));
}

static int vertex(const ts_shape* shape, int index, ts_vec3* out_vertex) {
    if (index >= shape->hull->vertex_count) return 0;
    *out_vertex = shape->hull->vertex[index];
    return 1;
}

static double excess(const ts_shape* shape, ts_vec3 p) {
    const ts_hull* hull = shape->hull;
    if (hull->rank < 2)
        return ts_vec3_distance(p, hull->rank ? ts_nearest_on_segment(hull->vertex[0], hull->vertex[1], p)
                                              : hull->vertex[0]);
    if (hull->rank == 2)
        return ts_excess_of_polygon(hull->vertex, hull->face_corner, hull->face_start[1], hull->face_normal[0], p);
    double most = ts_excess_of_box(hull->box_min, hull->box_max, p), share = 0.0;
    for (int f = 0; f < hull->face_count; ++f) {
        // Of a face joined from several, the polytope may end below its plane.
        double out = ts_vec3_dot(hull->face_normal[f], p) - hull->face_offset[f] + hull->face_hollow[f];
        most = fmax(most, out);
        if (!(out > 0.0)) continue;
        double depth = hull->face_offset[f] - ts_vec3_dot(hull->face_normal[f], hull->centroid);
        share = fmax(share, depth > 0.0 ? out / (out + depth) : 1.0);
    }
    // Beyond the sharp rim of a plate its faces are hardly off: what counts is how far p must go towards the middle.
    return share > 0.0 ? fmax(most, share * ts_vec3_distance(p, hull->centroid)) : most;
}

static int edge(const ts_shape* shape, ts_vec3 n, ts_support_point top, ts_vec3* out_to) {
    const ts_hull* hull = shape->hull;
    int first = hull->neighbour_start[top.index], count = hull->neighbour_start[top.index + 1] - first;
    double slope;
    int to = ts_flattest_edge(hull->vertex, top.index, hull->neighbour + first, count, n, &slope);
    if (to >= 0) *out_to = hull->vertex[to];
    return to >= 0;
}

// The square of the sine of how far n, at right angles to the edge e from `top`, may turn about it before the neighbour `other` is as
// far out.
static double turn_to(ts_vec3 top, ts_vec3 other, ts_vec3 across, ts_vec3 n) {
    ts_vec3 y = ts_vec3_sub(other, top);
    double below = -ts_vec3_dot(n, y), beside = ts_vec3_dot(across, y), both = below * below + beside * beside;
    if (!(both > 0.0)) return (double)INFINITY;
    return below > 0.0 ? below * below / both : 0.0;
}

static double turn_of_edge(const ts_hull* hull, int from, int to, ts_vec3 e, ts_vec3 n) {
    ts_vec3 across = ts_vec3_cross(e, n);
    double least = (double)INFINITY;
    const int end[2] = {from, to};
    for (int s = 0; s < 2; ++s)
        for (int k = hull->neighbour_start[end[s]]; k < hull->neighbour_start[end[s] + 1]; ++k) {
            int other = hull->neighbour[k];
            double turn = turn_to(hull->vertex[end[s]], hull->vertex[other], across, n);
            turn = other == end[1 - s] ? least : turn;
            least = turn < least ? turn : least;
        }
    return sqrt(least);
}

// How far a point in the plane of a face lies inside it.
static double inside_of_face(const ts_hull* hull, int face, ts_vec3 c) {
    int first = hull->face_start[face], last = hull->face_start[face + 1] - 1;
    double least = (double)INFINITY;
    for (int k = first, before = last; k <= last; before = k++) {
        ts_vec3 from = hull->vertex[hull->face_corner[before]], to = hull->vertex[hull->face_corner[k]];
        ts_vec3 inward = ts_vec3_cross(hull->face_normal[face], ts_vec3_sub(to, from));
        double inside = ts_vec3_dot(inward, ts_vec3_sub(c, from));
        double square = inside * fabs(inside) / ts_vec3_norm_squared(inward);
        least = square < least ? square : least;
    }
    return least > 0.0 ? sqrt(least) : 0.0;
}

static void active(const ts_shape* shape, const ts_surface_point* at, ts_active_feature* io) {
    const ts_hull* hull = shape->hull;
    ts_vec3 n = at->n, c = at->c;
    int top = ts_support_hull(hull, n, -1), face = -1, end;
    int first = hull->neighbour_start[top], count = hull->neighbour_start[top + 1] - first;
    double size = 0.5 * ts_vec3_distance(hull->box_min, hull->box_max), best = -2.0;
    if (ts_active_corner(hull->vertex, top, hull->neighbour + first, count, at, size, io)) return;
    for (int k = hull->vertex_face_start[top]; k < hull->vertex_face_start[top + 1]; ++k) {
        double aligned = ts_vec3_dot(hull->face_normal[hull->vertex_face[k]], n);
        face = aligned > best ? hull->vertex_face[k] : face;
        best = aligned > best ? aligned : best;
    }
    double inside = 0.0;
    if (face >= 0) {
        double sine = ts_vec3_norm(ts_vec3_cross(n, hull->face_normal[face]));
        if (sine < 0.5 && (inside = inside_of_face(hull, face, c)) > sine * size) {
            io->flat = 2;
            io->room = inside;
            return;
        }
    }
    int found = ts_active_of_edges(hull->vertex, top, hull->neighbour + first, count, at, size, io, &end);
    if (!found && face >= 0) {  // on another edge of the face, so at the end of both
        io->flat = 2;
        io->room = 0.0;
        io->turn = (double)INFINITY;
    } else if (end >= 0) {
        io->turn = turn_of_edge(hull, top, end, io->along, n);
    }
}

const ts_shape_traits ts_shape_kind_hull = {
    .info = {.name = "hull",
             .summary = "convex polytope with merged flat faces, or a flat one; GJK, EPA and face clipping",
             .made_of = "polytope"},
    .rank = 3,
    .polytope = 1,
    .support = ts_support_polytope,
    .feature = feature,
    .value = value,
    .box = box,
    .reach = reach,
    .mass = mass,
    .mass_rounded = ts_mass_rounded_hull,
    .middle = middle,
    .thickness = thickness,
    .vertex = vertex,
    .excess = excess,
    .edge = edge,
    .active = active,
};
