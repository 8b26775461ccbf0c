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
};
