// Contacts with a half-space: the lowest points of the other shape.
//
// Rule: along a fixed normal the gap of a surface point is its height, so the contacts are the shape's low points
// themselves, exact to rounding. A box gives the corners of its lowest face, a capsule its ends, a cylinder four rim
// points at fixed azimuths of its lower cap when it stands and the ends of its lowest ruling when it lies, a cone the
// same of its base and its side, a hull its vertices on the lower side, a triangle its corners, any other shape the corners
// of the feature that points down. The deepest point is always among them. Labels are vertex numbers of the shape.
// Known limit: a tilted cylinder's deepest rim point takes the place of a fixed one only when it is deeper by more than
// 1e-5 radii, so that a standing cylinder keeps its four labels; gaps are right to that length.
#include "collision/manifold/manifold_internal.h"

#include "base/linear/four.h"
#include "collision/shape/support_internal.h"

#include <string.h>

// Heights and positions come from the shape's frame: x -> R x + p, height = z.
static void add_low_point(const ts_transform* pose, ts_vec3 local, double radius, double margin, int label,
                          ts_contact_list* out) {
    ts_vec3 at = ts_transform_point(pose, local);
    double gap = at.z - radius;
    if (gap > margin) return;
    // The midpoint between the shape's surface (height gap) and the plane (height 0).
    ts_contact_list_add(out, ts_vec3_make(at.x, at.y, 0.5 * gap), gap, ts_contact_label(1, -1, -1, label, label));
}

// p + R x, one row of it.
static inline ts_four row_of_points(const double* R, double p, const double* x, const double* y, const double* z) {
    ts_four sum = ts_four_plus(ts_four_times(R[0], ts_four_load(x)), ts_four_times(R[1], ts_four_load(y)));
    return ts_four_plus(ts_four_all(p), ts_four_plus(sum, ts_four_times(R[2], ts_four_load(z))));
}

static inline uint32_t corner_label(int corner) { return ts_contact_label(1, -1, -1, corner, corner); }

// add_low_point of four corners side by side; the list has room.
static void add_four(const ts_transform* pose, const double* x, const double* y, const double* z, double radius,
                     double margin, const int* corner, ts_contact_list* out) {
    // Constants to the compiler.
    const uint32_t label[8] = {corner_label(0), corner_label(1), corner_label(2), corner_label(3),
                               corner_label(4), corner_label(5), corner_label(6), corner_label(7)};
    double gap[4];
    ts_four at = row_of_points(pose->R.m[0], pose->p.x, x, y, z),
            beside = row_of_points(pose->R.m[1], pose->p.y, x, y, z);
    ts_four height = ts_four_minus(row_of_points(pose->R.m[2], pose->p.z, x, y, z), ts_four_all(radius));
    ts_four half = ts_four_times(0.5, height), rest = half;
    ts_four_store(height, gap);
    ts_four_transpose(&at, &beside, &half, &rest);
    const ts_four position[4] = {at, beside, half, rest};
    for (int k = 0; k < 4; ++k) {
        if (gap[k] > margin) continue;
        ts_manifold_point* point = &out->point[out->count++];
        ts_four_store_three(position[k], &point->position.x);
        point->gap = gap[k];
        point->feature = label[corner[k]];
    }
}

static void box_contacts(const ts_shape* shape, const ts_transform* pose, double margin, ts_contact_list* out) {
    // Up, seen from the box, is the bottom row of R. The lowest corner lies on the face most opposed to it.
    ts_vec3 h = shape->half, up = ts_mat3_row(&pose->R, 2);
    int axis = ts_vec3_largest(ts_vec3_abs(up));
    int positive = ts_vec3_get(up, axis) < 0.0;
    int u = 1 << (axis + 1) % 3, v = 1 << (axis + 2) % 3;
    int base = positive << axis;
    const int corner[4] = {base, base | u, base | u | v, base | v};
    double x[4], y[4], z[4];
    for (int k = 0; k < 4; ++k) {
        x[k] = corner[k] & 1 ? h.x : -h.x;
        y[k] = corner[k] & 2 ? h.y : -h.y;
        z[k] = corner[k] & 4 ? h.z : -h.z;
    }
    add_four(pose, x, y, z, shape->radius, margin, corner, out);
}

// Four points of a rim at height z of the shape's axis, and the lowest of it where that is lower than they are.
static void rim_contacts(const ts_shape* shape, const ts_transform* pose, ts_vec3 lowest, int cap, double margin,
                         ts_contact_list* out) {
    double depth = ts_transform_point(pose, lowest).z - shape->radius, deepest = (double)INFINITY, r = shape->half.x;
    const double x[4] = {1.0, 0.0, -1.0, 0.0}, y[4] = {0.0, 1.0, 0.0, -1.0};
    for (int k = 0; k < 4; ++k) {
        ts_vec3 rim = ts_vec3_make(r * x[k], r * y[k], lowest.z);
        double height = ts_transform_point(pose, rim).z - shape->radius;
        if (height < deepest) deepest = height;
        add_low_point(pose, rim, shape->radius, margin, 4 * cap + k, out);
    }
    if (deepest > depth + 1e-5 * r || (deepest > margin && depth <= margin))
        add_low_point(pose, lowest, shape->radius, margin, 8 + cap, out);
}

static ts_vec3 lowest_of_rim(double r, double z, ts_vec3 up, double across) {
    return across > 0.0 ? ts_vec3_make(-r * up.x / across, -r * up.y / across, z) : ts_vec3_make(r, 0.0, z);
}

static void cylinder_contacts(const ts_shape* shape, const ts_transform* pose, double margin, ts_contact_list* out) {
    ts_vec3 h = shape->half, up = ts_mat3_row(&pose->R, 2);
    double across = sqrt(up.x * up.x + up.y * up.y);
    double z = up.z > 0.0 ? -h.z : h.z;  // the lower cap
    int cap = z > 0.0;
    ts_vec3 lowest = lowest_of_rim(h.x, z, up, across);
    if (fabs(up.z) < across) {  // nearer to lying than to standing
        add_low_point(pose, lowest, shape->radius, margin, 8 + cap, out);
        lowest.z = -z;
        add_low_point(pose, lowest, shape->radius, margin, 8 + !cap, out);
        return;
    }
    rim_contacts(shape, pose, lowest, cap, margin, out);
}

static void cone_contacts(const ts_shape* shape, const ts_transform* pose, double margin, ts_contact_list* out) {
    ts_vec3 h = shape->half, up = ts_mat3_row(&pose->R, 2);
    double across = sqrt(up.x * up.x + up.y * up.y), slant = sqrt(4.0 * h.z * h.z + h.x * h.x);
    double side = (2.0 * h.z * across - h.x * up.z) / slant;  // how much the lowest ruling's normal points down
    ts_vec3 lowest = lowest_of_rim(h.x, -h.z, up, across);
    if (up.z >= side) {  // nearer to standing than to lying
        rim_contacts(shape, pose, lowest, 0, margin, out);
        return;
    }
    add_low_point(pose, ts_vec3_make(0.0, 0.0, h.z), shape->radius, margin, 9, out);
    // Balancing on the apex no ruling is the lowest; a flat cone's rim is not far up there.
    if (across >= h.z / slant) add_low_point(pose, lowest, shape->radius, margin, 8, out);
}

// Of a hull with many low vertices: the extreme one in each of sixteen fixed directions, and the lowest.
enum { HULL_DIRECTIONS = 16, LISTED_MOST = TS_CONTACT_CAPACITY - 2 };

// The low vertices of a hull that were found so far, in any order.
typedef struct low_vertices {
    const ts_hull* hull;
    const ts_transform* pose;
    ts_vec3 up;
    double base;              // m: height of the hull's centre
    double radius;            // m
    double margin;            // m
    int lowest;               // its number, the least among equals
    int count;                // low vertices
    int listed[LISTED_MOST];  // the first of them
    double best[HULL_DIRECTIONS];
    int winner[HULL_DIRECTIONS];
} low_vertices;

static void low_begin(low_vertices* low) {
    low->lowest = 0;
    low->count = 0;
    for (int k = 0; k < HULL_DIRECTIONS; ++k) low->winner[k] = -1;
}

static double low_height(const low_vertices* low, int i) {
    const ts_hull* hull = low->hull;
    return low->up.x * hull->x[i] + low->up.y * hull->y[i] + low->up.z * hull->z[i] + low->base;
}

static int faces_down(const ts_hull* hull, int vertex, ts_vec3 up) {
    for (int k = hull->vertex_face_start[vertex]; k < hull->vertex_face_start[vertex + 1]; ++k)
        if (ts_vec3_dot(hull->face_normal[hull->vertex_face[k]], up) <= -0.5) return 1;
    return 0;
}

static void low_add(low_vertices* low, int i) {
    // cos and sin of k 22.5 degrees, from square roots: spread evenly, the same on every machine.
    static const double cosine[5] = {1.0, 0.92387953251128674, 0.70710678118654752, 0.38268343236508977, 0.0};
    const ts_hull* hull = low->hull;
    // A flat hull may stand on an edge, where no face points down.
    if (hull->rank == 3 && !faces_down(hull, i, low->up)) return;
    if (low->count < LISTED_MOST) low->listed[low->count] = i;
    ++low->count;
    ts_vec3 at = ts_mat3_mul_vec(&low->pose->R, hull->vertex[i]);
    for (int k = 0; k < HULL_DIRECTIONS; ++k) {
        int q = k & 3;
        double c = k & 4 ? -cosine[4 - q] : cosine[q], s = k & 4 ? cosine[q] : cosine[4 - q];
        double along = k & 8 ? -(c * at.x + s * at.y) : c * at.x + s * at.y;
        if (low->winner[k] < 0 || along > low->best[k] || (along == low->best[k] && i < low->winner[k])) {
            low->best[k] = along;
            low->winner[k] = i;
        }
    }
}

// Takes them by looking at every vertex.
static void low_scan(low_vertices* low) {
    const ts_hull* hull = low->hull;
    ts_vec3 up = low->up;
    double base = low->base, radius = low->radius, margin = low->margin, least = (double)INFINITY;
    for (int i = 0; i < hull->vertex_count; ++i) {
        double height = up.x * hull->x[i] + up.y * hull->y[i] + up.z * hull->z[i] + base;
        if (height < least) {
            least = height;
            low->lowest = i;
        }
        if (!(height - radius > margin)) low_add(low, i);
    }
}

// Vertices that were reached, by hashing, and the order in which. More than half of the places are never taken.
enum { REACHED_MOST = 512, REACHED_PLACES = 1024 };

typedef struct reached_vertices {
    int count;
    int vertex[REACHED_MOST];
    int place[REACHED_PLACES];  // vertex + 1, or 0
} reached_vertices;

// Returns 0 when there is no room. A vertex that is there already stays once.
static int reach(reached_vertices* reached, int vertex) {
    unsigned at = (unsigned)vertex * 2654435761u >> 22;
    for (; reached->place[at]; at = (at + 1) % REACHED_PLACES)
        if (reached->place[at] == vertex + 1) return 1;
    if (reached->count == REACHED_MOST) return 0;
    reached->place[at] = vertex + 1;
    reached->vertex[reached->count++] = vertex;
    return 1;
}

// Takes the low vertices by spreading along edges from the lowest one: on a convex polytope all vertices below a plane hang
// together. Faces joined within a tolerance (1e-7 of the extent, hull.c) and rounding may part them by as much, so edges are
// followed a little higher than vertices are low. Returns 0 when they are too many to be remembered.
static int low_spread(low_vertices* low) {
    const ts_hull* hull = low->hull;
    double ceiling = low->margin + low->radius + 1e-6 * ts_vec3_max_abs(ts_vec3_sub(hull->box_max, hull->box_min));
    double least = (double)INFINITY;
    reached_vertices reached;
    reached.count = 0;
    memset(reached.place, 0, sizeof reached.place);
    reach(&reached, ts_support_hull(hull, ts_vec3_neg(low->up), -1));
    for (int next = 0; next < reached.count; ++next) {
        int i = reached.vertex[next];
        double height = low_height(low, i);
        if (height < least || (height == least && i < low->lowest)) {
            least = height;
            low->lowest = i;
        }
        if (height - low->radius <= low->margin) low_add(low, i);
        for (int k = hull->neighbour_start[i]; k < hull->neighbour_start[i + 1]; ++k)
            if (low_height(low, hull->neighbour[k]) <= ceiling && !reach(&reached, hull->neighbour[k])) return 0;
    }
    return 1;
}

static void sort_few(int* number, int count) {
    for (int i = 1; i < count; ++i) {
        int value = number[i], at = i;
        for (; at > 0 && number[at - 1] > value; --at) number[at] = number[at - 1];
        number[at] = value;
    }
}

static void hull_contacts(const ts_hull* hull, double radius, const ts_transform* pose, double margin,
                          ts_contact_list* out) {
    low_vertices low;
    low.hull = hull;
    low.pose = pose;
    low.up = ts_mat3_row(&pose->R, 2);
    low.base = pose->p.z + ts_vec3_dot(low.up, hull->centre);
    low.radius = radius;
    low.margin = margin;
    low_begin(&low);
    // Few vertices are all looked at; so are those of a hull with hundreds of low ones.
    if (hull->vertex_count <= TS_HULL_FEW || !low_spread(&low)) {
        low_begin(&low);
        low_scan(&low);
    }
    if (low.count <= LISTED_MOST) {
        sort_few(low.listed, low.count);
        for (int k = 0; k < low.count; ++k)
            add_low_point(pose, hull->vertex[low.listed[k]], radius, margin, low.listed[k], out);
    } else {
        for (int k = 0; k < HULL_DIRECTIONS; ++k) {
            int seen = 0;
            for (int j = 0; j < k; ++j) seen |= low.winner[j] == low.winner[k];
            if (!seen) add_low_point(pose, hull->vertex[low.winner[k]], radius, margin, low.winner[k], out);
        }
    }
    uint32_t label = ts_contact_label(1, -1, -1, low.lowest, low.lowest);
    for (int i = 0; i < out->count; ++i)
        if (out->point[i].feature == label) return;
    add_low_point(pose, hull->vertex[low.lowest], radius, margin, low.lowest, out);
}

// A point, a segment and a flat shape have no far side: all their vertices count.
static void vertex_contacts(const ts_shape* shape, const ts_transform* pose, double margin, ts_contact_list* out) {
    const ts_shape_traits* traits = ts_shape_traits_of(shape);
    ts_vec3 vertex;
    for (int k = 0; traits->vertex(shape, k, &vertex); ++k) add_low_point(pose, vertex, shape->radius, margin, k, out);
}

// A label that no vertex has.
enum { LOWEST = 1 << 16 };

// Of kinds without a way of their own the feature that points down, and the lowest point where that is lower.
static void feature_contacts(const ts_shape* shape, const ts_transform* pose, double margin, ts_contact_list* out) {
    ts_vec3 down = ts_vec3_neg(ts_mat3_row(&pose->R, 2));
    ts_support_feature feature;
    ts_support_feature_along(shape, down, &feature);
    double depth = (double)INFINITY;
    for (int k = 0; k < feature.count; ++k) {
        depth = fmin(depth, ts_transform_point(pose, feature.point[k]).z);
        add_low_point(pose, feature.point[k], shape->radius, margin, feature.vertex[k], out);
    }
    ts_vec3 lowest = ts_support_core(shape, down, -1).point;
    if (ts_transform_point(pose, lowest).z < depth - 1e-5 * ts_vec3_norm(lowest))
        add_low_point(pose, lowest, shape->radius, margin, LOWEST, out);
}

void ts_half_space_contacts(const ts_shape_pair* pair, double margin, ts_contact_list* out) {
    const ts_shape* shape = pair->b;
    const ts_transform* pose = &pair->b_in_a;
    out->count = 0;
    switch (shape->kind) {
    case TS_SHAPE_BOX: box_contacts(shape, pose, margin, out); break;
    case TS_SHAPE_CYLINDER: cylinder_contacts(shape, pose, margin, out); break;
    case TS_SHAPE_CONE: cone_contacts(shape, pose, margin, out); break;
    case TS_SHAPE_HULL: hull_contacts(shape->hull, shape->radius, pose, margin, out); break;
    default:
        if (ts_shape_traits_of(shape)->rank < 3 && ts_shape_traits_of(shape)->vertex)
            vertex_contacts(shape, pose, margin, out);
        else
            feature_contacts(shape, pose, margin, out);
    }
}
