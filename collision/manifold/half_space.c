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

// Heights and positions come from the shape's frame: x -> R x + p, height = z.
static void add_low_point(const ts_transform* pose, ts_vec3 local, double radius, double margin, int label,
                          ts_contact_list* out) {
    ts_vec3 at = ts_transform_point(pose, local);
    double gap = at.z - radius;
    if (gap > margin) return;
    // The midpoint between the shape's surface (height gap) and the plane (height 0).
    ts_contact_list_add(out, ts_vec3_make(at.x, at.y, 0.5 * gap), gap, ts_contact_label(1, -1, -1, label, label));
}

static void box_contacts(const ts_shape* shape, const ts_transform* pose, double margin, ts_contact_list* out) {
    // Up, seen from the box, is the bottom row of R. The lowest corner lies on the face most opposed to it.
    ts_vec3 h = shape->half, up = ts_mat3_row(&pose->R, 2);
    ts_vec3 m = ts_vec3_abs(up);
    int axis = m.x >= m.y ? (m.x >= m.z ? 0 : 2) : (m.y >= m.z ? 1 : 2);
    int positive = ts_vec3_get(up, axis) < 0.0;
    int u = 1 << (axis + 1) % 3, v = 1 << (axis + 2) % 3;
    int base = positive << axis;
    const int loop[4] = {0, u, u | v, v};
    for (int k = 0; k < 4; ++k) {
        int bits = base | loop[k];
        ts_vec3 corner = ts_vec3_make(bits & 1 ? h.x : -h.x, bits & 2 ? h.y : -h.y, bits & 4 ? h.z : -h.z);
        add_low_point(pose, corner, shape->radius, margin, bits, out);
    }
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
enum { HULL_DIRECTIONS = 16 };

static int faces_down(const ts_hull* hull, int vertex, ts_vec3 up) {
    for (int k = hull->vertex_face_start[vertex]; k < hull->vertex_face_start[vertex + 1]; ++k)
        if (ts_vec3_dot(hull->face_normal[hull->vertex_face[k]], up) <= -0.5) return 1;
    return 0;
}

static void hull_contacts(const ts_hull* hull, double radius, const ts_transform* pose, double margin,
                          ts_contact_list* out) {
    // cos and sin of k 22.5 degrees, from square roots: spread evenly, the same on every machine.
    static const double cosine[5] = {1.0, 0.92387953251128674, 0.70710678118654752, 0.38268343236508977, 0.0};
    ts_vec3 up = ts_mat3_row(&pose->R, 2);
    double best[HULL_DIRECTIONS];
    int winner[HULL_DIRECTIONS];
    for (int k = 0; k < HULL_DIRECTIONS; ++k) winner[k] = -1;
    int lowest = 0, low_count = 0;
    double base = pose->p.z + ts_vec3_dot(up, hull->centre);
    double least = (double)INFINITY;
    for (int i = 0; i < hull->vertex_count; ++i) {
        double height = up.x * hull->x[i] + up.y * hull->y[i] + up.z * hull->z[i] + base;
        if (height < least) {
            least = height;
            lowest = i;
        }
        // A flat hull may stand on an edge, where no face points down.
        if (height - radius > margin || (hull->rank == 3 && !faces_down(hull, i, up))) continue;
        if (low_count < TS_CONTACT_CAPACITY - 1) add_low_point(pose, hull->vertex[i], radius, margin, i, out);
        ++low_count;
        ts_vec3 at = ts_mat3_mul_vec(&pose->R, hull->vertex[i]);
        for (int k = 0; k < HULL_DIRECTIONS; ++k) {
            int q = k & 3;
            double c = k & 4 ? -cosine[4 - q] : cosine[q], s = k & 4 ? cosine[q] : cosine[4 - q];
            double along = k & 8 ? -(c * at.x + s * at.y) : c * at.x + s * at.y;
            if (winner[k] < 0 || along > best[k]) {
                best[k] = along;
                winner[k] = i;
            }
        }
    }
    if (low_count >= TS_CONTACT_CAPACITY - 1) {
        out->count = 0;
        for (int k = 0; k < HULL_DIRECTIONS; ++k) {
            int seen = 0;
            for (int j = 0; j < k; ++j) seen |= winner[j] == winner[k];
            if (!seen) add_low_point(pose, hull->vertex[winner[k]], radius, margin, winner[k], out);
        }
    }
    uint32_t label = ts_contact_label(1, -1, -1, lowest, lowest);
    for (int i = 0; i < out->count; ++i)
        if (out->point[i].feature == label) return;
    add_low_point(pose, hull->vertex[lowest], radius, margin, lowest, out);
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
    ts_vec3 up = ts_mat3_row(&pose->R, 2);
    double radius = shape->radius;
    switch (shape->kind) {
    case TS_SHAPE_BOX: box_contacts(shape, pose, margin, out); break;
    case TS_SHAPE_CYLINDER: cylinder_contacts(shape, pose, margin, out); break;
    case TS_SHAPE_CONE: cone_contacts(shape, pose, margin, out); break;
    case TS_SHAPE_HULL: hull_contacts(shape->hull, radius, pose, margin, out); break;
    case TS_SHAPE_CAPSULE:
        add_low_point(pose, ts_vec3_make(0.0, 0.0, -shape->half.z), radius, margin, 0, out);
        add_low_point(pose, ts_vec3_make(0.0, 0.0, shape->half.z), radius, margin, 1, out);
        break;
    case TS_SHAPE_TRIANGLE:
        for (int k = 0; k < 3; ++k) add_low_point(pose, shape->triangle[k], radius, margin, k, out);
        break;
    case TS_SHAPE_SPHERE:
    case TS_SHAPE_ELLIPSOID:
        add_low_point(pose, ts_support_core(shape, ts_vec3_neg(up), -1).point, radius, margin, 0, out);
        break;
    default: feature_contacts(shape, pose, margin, out); break;
    }
}
